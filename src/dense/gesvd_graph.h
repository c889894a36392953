/* A call of gesvd, and its graph where it has two stages.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_GESVD_GRAPH_H
#define ORR_SRC_GESVD_GRAPH_H

#include "src/band/gb2bd.h"
#include "src/dense/dense_plan.h"
#include "src/dense/ge2gb.h"
#include "src/dense/tall.h"

/* The user's m x n matrix. */
struct gesvd_matrix {
    orr_type type;
    int64_t m, n;
    char *a;
    int64_t lda;
    int on; /* StarPU's number of the memory that it is in */
};

/* What becomes of one side's vectors. */
struct gesvd_side {
    struct gesvd *h;
    int which; /* ORR_LEFT, ORR_RIGHT */
    void *out; /* rows x n, leading dimension ld; NULL: not wanted */
    int64_t rows, ld;
    int on; /* as above */
};

struct gesvd {
    orr_context *ctx;
    orr_request *req;
    orr_gesvd_opts o;
    struct gesvd_matrix user;
    int64_t m, n; /* of the matrix that is reduced, m >= n */
    enum orr_gesvd_way way;
    struct orr_gesvd_apart *apart;   /* of DIRECT: three tasks; NULL: one */
    int64_t parts[ORR_GESVD_LEVELS]; /* of TSQR */
    struct orr_gesvd_tsqr *tsqr;
    int adjoint, qr; /* it is the user's adjoint; it is made a triangle first */
    double largest, scale;
    struct orr_tall triangle;
    struct orr_ge2gb_stage band;
    void *copy, *square; /* the adjoint, the triangle */
    struct gb2bd *chase;
    struct orr_bidiagonal b;
    struct gesvd_side side[2];
    void *d, *e, *x[2];            /* d: NULL, it is the user's s */
    int pieces;                    /* the solver of values is several tasks */
    struct orr_merge_tasks *tasks; /* of vectors; NULL: the solver is one task */
    atomic_int failed;             /* the solver gave up */
    double tall, reduced;          /* times of orr_now(); 0: not yet */
    _Atomic double begun, solved;
};

static inline int orr_gesvd_wants_vectors(const struct gesvd *h)
{
    return h->side[0].out || h->side[1].out;
}

/* What a request of two stages works with. Its b is filled but for what the stages tell. On failure the
 * request has failed; free it all the same. */
void orr_gesvd_make_stages(struct gesvd *);
void orr_gesvd_free_stages(struct gesvd *);
/* All tasks, and the parts that they count. */
void orr_gesvd_submit_stages(struct gesvd *);
int64_t orr_gesvd_stages_parts(const struct gesvd *);
/* The name of what solves the bidiagonal matrix. */
const char *orr_gesvd_solver(const struct gesvd *);

#endif
