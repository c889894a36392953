/* What the cases of answers share, and the cases.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_ANSWERS_H
#define ORR_TESTS_ANSWERS_H

#include <stdint.h>

#include "orrery/orrery.h"

extern const char *name; /* of the case */
extern int64_t size;     /* asked for, or 0 */
int64_t size_or(int64_t n);

/* n elements between -1 and 1. */
void *numbers(orr_type, int64_t n, uint64_t state);
/* The diagonal of a Hermitian matrix, `step` elements apart. */
void make_real(orr_type, void *a, int64_t n, int64_t step);
/* A line for an array of n elements. */
void tell(orr_type, const char *array, orr_type of, const void *x, int64_t n);
void done(orr_status, const orr_report *);

typedef void answers_case(orr_context *, orr_type);
/* answers_dense.c */
answers_case hb2st, hb2st_blocks, gb2bd, gb2bd_vectors, heev, hbev, heev_merge, heev_values,
    heev_tiles, heev_steps, hegv, gesvd, gesvd_values;
/* answers_batches.c */
answers_case heevj, heevj_block, heevj_lanes, gesvj, gesvj_blocks, gesvj_pipeline, gesvj_mirror,
    gesvj_stream, gesvj_shapes;
/* answers_sparse.c */
answers_case powm, powm_ritz, powm_steps, powm_blocks, pagerank, pagerank_steps;

#endif
