/* Singular vectors of gb2bd: what is kept of the reduction, and its products.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_GB2BD_VECTORS_H
#define ORR_SRC_GB2BD_VECTORS_H

#include "src/band/hb2st.h"

/* Reflectors from one side, and the matrix that they make. */
struct orr_gb2bd_side {
    int keep; /* its reflectors are wanted, and phases */
    void *E;  /* the user's rows x order, leading dimension ld; NULL: not wanted */
    int64_t rows, ld;
    int on;             /* StarPU's number of the memory that E is in */
    struct orr_hb2st r; /* the stage as bulge chasing of order `order`; r.V the reflectors */
    void *memory, *phases;
    starpu_data_handle_t phases_handle; /* c and z: in the place of the unit matrix' ones */
};

struct orr_gb2bd_vectors {
    const struct orr_gb2bd *a;
    struct orr_gb2bd_side left, right;
    enum orr_where where; /* the products */
    int apart;      /* 1: a device chases one block; reflectors, and carries, have no main memory */
    int64_t blocks; /* those of columns, ... */
    starpu_data_handle_t *qr; /* ... whose reflectors are here; NULL: there was no qr */
    void *qr_memory;
};

/* `band` and `G`: of the one stage; 1: there is none. where, keep, E, rows and ld are set already. Without
 * memory the request has failed. */
void orr_gb2bd_vectors_make(orr_request *, struct orr_gb2bd_vectors *, const struct orr_gb2bd *,
                            int64_t band, int64_t G);
/* After the last chase. H: the blocks of the band. */
void orr_gb2bd_vectors_submit(const orr_context *, orr_request *, struct orr_gb2bd_vectors *,
                              const starpu_data_handle_t *H);
void orr_gb2bd_vectors_free(struct orr_gb2bd_vectors *);

#endif
