/* The graphs of hegv: what src/dense/hegv.c submits. hegv_graph.c has the picture.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_HEGV_H
#define ORR_SRC_HEGV_H

#include "codelets/core/least.h"
#include "src/dense/he2hb.h"
#include "src/dense/heev.h"

/* Up to this order one tile and one panel are all, unless tiles are asked for: one core needs no longer than
 * two that wait for each other. Measured on two cores of a Zen 5; complex numbers are four times the work. */
static inline int64_t orr_hegv_whole(orr_type type)
{
    return orr_type_real(type) == type ? 400 : 256;
}

/* What one of the graphs knows. */
struct orr_hegv {
    orr_context *ctx;
    orr_request *req;
    int problem;
    enum orr_where where;
    struct orr_he2hb_stage A, B;    /* their tiles only */
    int64_t columns, width, panels; /* of Z, in panels */
    starpu_data_handle_t *Z;        /* [tiles * panels] */
    _Atomic int64_t minor;          /* of B, that is not positive; 0: all are */
};

/* B = L L' and the ordinary problem's matrix, into tiles that are there. */
void orr_hegv_submit_reduction(const struct orr_hegv *);
/* Panels of the columns at z, in that memory of StarPU's, and what makes them the user's vectors. */
void orr_hegv_make_panels(struct orr_hegv *, void *z, int64_t ldz, int z_on);
void orr_hegv_submit_vectors(const struct orr_hegv *);

#endif
