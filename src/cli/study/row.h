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

extern const char ROW_UNMATCHED[]; /* a status */

/* *out: the whole line. The run's status: "ok", or why not. */
const char *row_make(const study_plan *, const row_place *, const runner_result *, cli_text *out);

/* The end of what the run said: on standard error, or if that is empty, or the pattern is `searched` for in
 * standard output, there. To be freed; NULL: cannot be read. */
char *row_said(const row_place *, int searched);

#endif
