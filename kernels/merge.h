/* What the merges of heev and gesvd tell a device whose vectors stay there; see heev_merge.h and
 * gesvd_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_MERGE_H
#define ORR_KERNELS_MERGE_H

#include "kernels/kernel.h"

/* As many of each as there are columns: reals, ... */
enum { ORR_MERGE_POLES, ORR_MERGE_ZK, ORR_MERGE_COS, ORR_MERGE_SIN, ORR_MERGE_TOLD };
/* ... and numbers. AT: which pole and value an arranged column is. Of a column of the halves, TO: the
 * arranged one that it becomes; NEXT: -1, or the column that it is rotated with, by COS and SIN, before
 * that goes on; LED: 1, another column is rotated with it. */
enum { ORR_MERGE_AT, ORR_MERGE_TO, ORR_MERGE_NEXT, ORR_MERGE_LED, ORR_MERGE_INDEX };

/* Vectors of a half, by parts of `width` columns. */
enum { ORR_MERGE_MOST_PARTS = 64 };
typedef struct {
    int64_t width;
    const void *part[ORR_MERGE_MOST_PARTS];
    int64_t ld[ORR_MERGE_MOST_PARTS];
} orr_merge_columns;

#endif
