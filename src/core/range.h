/* What came of an operation: values beyond the range of their type, records of a batch.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_RANGE_H
#define ORR_RANGE_H

#include "src/core/internal.h"

/* The first of `count` reals that is not finite, or -1. */
int64_t orr_beyond(orr_type real, int64_t count, const void *x);

/* ORR_OK, also where all is only counted; or ORR_RANGE with index and message if one of the `count` results is not finite; what:
 * their name, "w". */
orr_status orr_judge_range(struct orr_operation *, orr_type real, int64_t count, const void *x,
                           const char *what);

/* 1: the values of a matrix of this norm may be beyond their range. */
int orr_judge_looks(const orr_batch *, const orr_matrix_info *);
/* The same for values k of a batch, `count` of them, when they are in main memory: into the record
 * of that matrix, whose norm says whether it is worth a look. */
void orr_judge_batch(const orr_batch *values, int64_t k, int64_t count, orr_matrix_info *);

/* The gravest status of the records, with index and message. */
orr_status orr_judge_all(struct orr_operation *, const orr_matrix_info *, int64_t batch);

#endif
