/* What a run has come to: its measure, and the line of results.jsonl.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_STUDY_ROW_H
#define ORR_CLI_STUDY_ROW_H

#include "src/cli/core/text.h"
#include "src/cli/study/plan.h"
#include "src/cli/study/runner.h"

typedef struct {
    const char *id, *record, *out, *err; /* the last three: files */
    int point, block, order;
    const char *provenance; /* an object without its closing bracket */
    const study_words *words;
} row_place;

/* status: "ok", or why not; *out: the whole line. 1: the run was ok. */
int row_make(const study_plan *, const row_place *, const runner_result *, cli_text *out);

#endif
