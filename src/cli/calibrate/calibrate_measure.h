/* One visit of a calibration to one case: its runs, and what they tell.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_CALIBRATE_MEASURE_H
#define ORR_CLI_CALIBRATE_MEASURE_H

#include "src/cli/calibrate/calibrate_cases.h"
#include "src/cli/calibrate/calibrate_journal.h"

/* A task runs on the kind that is being measured in one of two contexts. */
typedef enum { CAL_ON_CPUS, CAL_ON_DEVICES } cal_where;

/* Until each shape's standard error is at most cv of its mean and it ran ten times; at most
 * `most` runs, and no more after `seconds`. */
typedef struct {
    double cv, seconds;
    int64_t most;
    int64_t group;     /* of its samples */
    int64_t first_run; /* its runs are numbered from the next */
    uint64_t seed;     /* of the data */
} cal_effort;

/* Appends the runs of a visit to `all`, which has those of the visits before. *unsure: shapes
 * that are known less well than asked for. Exit code, the reason told. */
int cal_visit(orr_context *, cal_where, const cal_case *, const cal_effort *, cal_samples *all,
              int64_t *unsure);

#endif
