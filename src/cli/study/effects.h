/* Which points of a plan are compared with which, and what their runs tell, in pairs of one block.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_STUDY_EFFECTS_H
#define ORR_CLI_STUDY_EFFECTS_H

#include "src/cli/simulate/compare.h"
#include "src/cli/study/store.h"

/* Values a and b of the compared factor in one case, the other factors' values; or over all cases (the mean of their
 * logarithms in each block). */
typedef struct {
    int a, b;           /* values of the factor */
    int point;          /* of a in this case; -1: over all cases */
    int pairs, lacking; /* blocks with both; of those that were run, without one of them */
    cli_interval ratio; /* of b over a */
    compare_verdict verdict;
    const char *note;
} study_effect;

int effects_count(const study_plan *);
/* NULL: no memory, or nothing is compared; [effects_count]. */
study_effect *effects_make(const study_plan *, const study_rows *);

/* What blocks can find. spread: of a run, of the logarithm of its measure. The difference, as a share, that has a
 * verdict in four of five studies; NaN: none, since there are fewer blocks than effects_least. */
double effects_detectable(const study_plan *, double spread);
int effects_least(const study_plan *, int look); /* blocks */
/* The spread of runs in rows, what differs between points and between blocks taken out; NaN: too few. */
double effects_spread(const study_plan *, const study_rows *);

#endif
