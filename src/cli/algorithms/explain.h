/* --explain: what a command would do, told without doing it. Each command that computes fills a
 * cli_planned for each of its runs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_EXPLAIN_H
#define ORR_CLI_EXPLAIN_H

#include <orrery/io.h>

#include "src/cli/core/job.h"

typedef struct cli_planned {
    cli_job *job;
    orr_context *context;
    const orr_context_info *info;
    const char *algo;
    orr_type type;
    int64_t m, n, band, batch; /* -1: there is no such thing */
    int vectors;
    const void *args; /* of the command */
    /* The library's call, of m x n; it is planned only, so arrays may be any address. */
    orr_status (*call)(const struct cli_planned *, orr_report *);
    /* Bytes that the command compares with what is free, and those that it holds itself: the
     * matrix, a copy of it, results. */
    double (*needs)(const struct cli_planned *);
    double (*holds)(const struct cli_planned *);
    double resident; /* of those, bytes that are there already: of a matrix that had to be read to be
                        planned, so that other sizes cannot be */
} cli_planned;

/* Prints the plan, or appends it to --json. CLI_OK also where the run would be refused. */
int cli_explain(const cli_planned *);

/* The shape of the matrix in a file, which is opened as far as its header. CLI_OK, or the reason
 * told. */
int cli_shape_read(const char *path, orr_shape *);

#endif
