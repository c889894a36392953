/* What heev and hbev share: a tridiagonal matrix, and what follows from it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_HEEV_GRAPH_H
#define ORR_SRC_HEEV_GRAPH_H

#include "src/band/hb2st.h"
#include "src/dense/he2hb.h"
#include "src/dense/heev.h"

/* A call. */
struct heev {
    orr_context *ctx;
    orr_request *req;
    orr_heev_opts o;
    int direct; /* there are no stages: one task, or ... */
    int shared; /* ... several on all workers */
    struct orr_reduction *one_stage;
    struct orr_he2hb_stage reduction; /* of a dense matrix */
    struct hb2st *chase;
    struct orr_tridiagonal t;
    struct orr_merge_tasks *merge; /* NULL: the solver is one task */
    void *z;
    int64_t ldz;
    int z_on; /* StarPU's number of the memory that z is in */
    void *d, *e, *s;
    int64_t found[2]; /* first value, from 0, and number; of an interval all until known */
    int64_t unit;     /* progress counts in units of 4 times so many operations: b */
    int64_t parts[2]; /* of everything but the solver so many, and so many for each vector */
    /* panels of z that hb2st's reflectors have been applied to; NULL: they are done */
    void (*then)(orr_request *, void *h, const struct orr_hb2st_panel *);
    void (*print_seconds)(const struct heev *, char *plan, size_t room);
    atomic_int failed; /* the solver gave up */
    double reduced;    /* times of orr_now(); 0: not yet */
    _Atomic double begun, solved;
};

/* Progress counts in units of what the reduction does for an entry of the rest of the matrix, 4 b
 * operations; this says what another stage takes, with the kernels of docs/algorithms. */
enum { ORR_HEEV_HOP = 3 }; /* parts of a hop of hb2st, times the bandwidth */

/* What is wrong with z and the part of the spectrum that is asked for, or NULL. */
const char *orr_heev_wrong_part(orr_type, int64_t n, const void *z, int64_t ldz,
                                const orr_heev_opts *);
/* What no memory would help. */
const char *orr_heev_too_many(int64_t n, const void *z, int64_t ldz, const orr_heev_opts *);
enum { ORR_HEEV_MOST_VECTORS = 65535 }; /* StarPU counts their numbers in 32 bits without sign */
enum { ORR_HEEV_SPLIT = 128 };          /* from this order on divide and conquer is several tasks */

/* The answer that is wanted of a matrix of this type: w, and h->z. scale: what its entries have been
 * multiplied by. h->o, unit and parts are there. */
void orr_heev_want(struct heev *, orr_type, int64_t n, double scale, void *w);
/* Bytes that a task which is all of it takes: its copy of the matrix, the solver's vectors and its
 * workspace. */
double orr_heev_direct_memory(const struct heev *);
/* The diagonal of T, the off-diagonal. */
void orr_heev_make_tridiagonal(struct heev *);
/* What follows from T. */
void orr_heev_submit_results(struct heev *);
/* Of a request whose state is a struct heev. */
orr_status orr_heev_finish(orr_request *);

#endif
