/* What a calibration is asked for, of codelets, of LAPACK's names or of methods.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_CALIBRATE_JOB_H
#define ORR_CLI_CALIBRATE_JOB_H

#include "src/cli/core/options.h"

typedef struct {
    const char *place, *machine, *command; /* written to PLACE/MACHINE...; the line that asked */
    const cli_files *algos;                /* none: all */
    cli_words types;
    cli_sizes orders; /* instead of the grid's, or empty */
    int64_t repeat;   /* most runs of a case, most pairs at an order */
    double budget;    /* seconds for them; of LAPACK and methods for all orders of a row */
    double cv;        /* of codelets: goal for sd / mean / sqrt(runs) of a shape */
    int64_t cpus, cudas, opencls;
    int quick, force, verbose, quiet, in_process;
} cal_job;

#endif
