/* `orrery calibrate lapack`: from which orders on liborrery_lapack is faster than the LAPACK of this
 * machine, for each routine, values and vectors apart. The file is read by that library.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_CALIBRATE_LAPACK_H
#define ORR_CLI_CALIBRATE_LAPACK_H

#include "src/cli/core/options.h"

typedef struct {
    const char *place, *machine, *command; /* PLACE/MACHINE.lapack */
    cli_words types;
    cli_sizes orders; /* instead of the grid's, or empty */
    int64_t repeat;   /* most pairs at an order */
    double budget;    /* seconds for the orders of a routine */
    int quick, force, verbose, quiet, in_process;
} cal_lapack;

int cal_lapack_run(const cal_lapack *);

#endif
