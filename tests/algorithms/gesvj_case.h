/* What the files of the test gesvj share: arrays of matrices, and what is asked of a result.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_GESVJ_CASE_H
#define ORR_TESTS_GESVJ_CASE_H

#include <stdint.h>

#include "orrery/orrery.h"
#include "svdgen.h"

static const double LIMIT = 20;
extern int accelerators;
extern struct svd_ratios worst; /* of all that judge has seen */

/* Every byte is 0x5a; ends the test without memory. */
void *allocate(int64_t count, size_t size);
/* A batch whose memory has gaps, of pad and 2 pad elements, behind columns and matrices. */
orr_batch array(orr_type, int64_t batch, int64_t m, int64_t n, int64_t pad);
char *matrix(const orr_batch *, int64_t k);
void judge(orr_type, int64_t m, int64_t n, const void *a, int64_t ld, const void *s, const void *u,
           int64_t ldu, const void *v, int64_t ldv, const char *what);
/* Shape of frame or matrix number i of a colourful collection. */
void colourful(int64_t i, int64_t *m, int64_t *n);

/* Streams; and places, of a batch and in a stream. */
void gesvj_streams(orr_context *);
void gesvj_places(orr_context *, int64_t n);

#endif
