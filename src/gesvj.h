/* What the files of gesvj share: the operation, and what the stream asks of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_GESVJ_H
#define ORR_SRC_GESVJ_H

#include "src/internal.h"

/* orr_submit_gesvj; `tag` numbers the first matrix in the trace. *wrong, if not NULL: why
 * ORR_E_ARG, static. */
orr_status orr_gesvj_submit(orr_context *, const orr_batch *A, const orr_batch *s,
                            const orr_batch *U, const orr_batch *V, const orr_gesvj_opts *,
                            orr_matrix_info *, int64_t tag, const char **wrong, orr_request **);

/* ---- Between the files of one operation ---------------------------------------------------- */

/* NULL, or what is wrong with a call. */
const char *orr_gesvj_wrong(const orr_batch *A, const orr_batch *s, const orr_batch *U,
                            const orr_batch *V, const orr_gesvj_opts *);

/* Matrix k of a batch that is laid out. rows: of one of mixed sizes whose ms is not given. */
struct orr_view {
    char *a;
    int64_t m, n, ld;
};
struct orr_view orr_view_of(const orr_batch *, int64_t k, int64_t rows);

/* Where each stage of the graph runs. */
struct orr_gesvj_places {
    enum orr_gesvj_where whole, angle, update;
    int apart;  /* 1: gram where update is, evd on CPUs */
    int staged; /* 1: small matrices are a graph, too */
};

struct orr_gesvj {
    orr_context *ctx;
    orr_request *req;
    orr_batch A, s, U, V; /* laid out */
    int left, right;      /* U, V are wanted */
    orr_gesvj_opts o;
    orr_place place; /* what o.place came to */
    struct orr_gesvj_places where;
    orr_matrix_info *info;
    int own_info;
    int64_t tag;
    int64_t chunks;
    int block; /* the widest there was */
};

/* One matrix as a graph of stages, and its check. */
void orr_gesvj_submit_graph(struct orr_gesvj *, const struct orr_gesvj_chunk *);
void orr_gesvj_submit_check(struct orr_gesvj *, const struct orr_gesvj_chunk *);

#endif
