/* What `orrery study` does with a plan.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_STUDY_WORK_H
#define ORR_CLI_STUDY_WORK_H

#include "src/cli/core/cli.h"
#include "src/cli/core/record.h"
#include "src/cli/study/plan.h"

typedef struct {
    const char *out; /* directory of the study, or NULL */
    int64_t most;    /* runs to start now; 0: all */
    int quiet;
} study_how;

/* Exit codes. */
int study_run(const study_plan *, const study_how *);
int study_plan_tell(const study_plan *, const study_how *, cli_sink *);
int study_report(const study_plan *, const study_how *, cli_sink *);
int study_status(const study_plan *, const study_how *, cli_sink *);

/* "3.2 min" into out, which is returned. */
const char *study_duration(double seconds, char out[32]);

#endif
