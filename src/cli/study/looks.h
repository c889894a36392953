/* When a study may be looked at before all of its blocks are done, and end. Each look has a share of the error of 5 %, that
 * of the blocks since the look before, so that all looks together are wrong in 5 % of studies at most (K. K. G. Lan,
 * D. L. DeMets, Discrete sequential boundaries for clinical trials, Biometrika 70, 1983, spend it in the same way; that
 * looks depend on each other, which would give each a little more, is left aside).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_STUDY_LOOKS_H
#define ORR_CLI_STUDY_LOOKS_H

#include "src/cli/study/store.h"
#include "src/cli/study/values.h"

/* The key "looks" of a plan, when the number of blocks is known. 1: good. */
int looks_read(struct plan_reader *, const tree *);

int looks_count(const study_plan *);              /* 1 of a plan without looks: at the end */
int looks_blocks(const study_plan *, int look);   /* after how many blocks */
double looks_share(const study_plan *, int look); /* of the error */
/* How many looks have all their blocks done. */
int looks_reached(const study_plan *, const study_rows *);
/* After a look that is not the last every comparison has a verdict: after so many blocks, 0: not so. -1: no memory. */
int looks_decided(const study_plan *, const study_rows *);
/* "6, 12 and 24" of the first n looks; out is returned. */
const char *looks_text(const study_plan *, int n, char out[128]);

#endif
