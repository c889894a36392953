/* How fast a step of an iteration is, against the memory's own speed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_SPARSE_TIME_H
#define ORR_CLI_SPARSE_TIME_H

#include <orrery/sparse.h>

#include "src/cli/core/record.h"

/* Bytes that one product must move: the blocks, x once, y once. */
double sparse_bytes(const orr_sparse_info *);
/* Of the matrix in compressed rows, its values as wide as they are stored: what formats are compared by. */
double sparse_crs_bytes(const orr_sparse_info *);
/* `steps` steps of an iteration; 0: done. */
typedef int sparse_steps_fn(void *arg, int64_t steps);

typedef struct {
    cli_seconds step; /* median NaN: a run failed, or no time could be told */
    double *rounds;   /* what `step` points to; to be freed */
    double triad;     /* bytes per second of a := b + 3 c, 24 per element; median over the rounds */
    double low, high; /* least and most of them */
    double per_triad; /* bytes per second of the steps, in compressed rows, over those of the triad */
} sparse_timing;

/* Times steps in rounds. Each round runs the triad, `steps` and twice as many steps, or more where
 * they are brief: what is done once in a call cancels, and a machine whose memory is shared with others and is twice as fast a
 * minute later is compared with itself of the same moment. crs: bytes that a step moves of a matrix in
 * compressed rows, so that a format which has fewer gains by it. */
sparse_timing sparse_time(int threads, int64_t steps, int rounds, double crs, sparse_steps_fn *,
                          void *arg);

#endif
