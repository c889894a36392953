/* What orrery hb2st is told, and what it does with it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_HB2ST_CASE_H
#define ORR_CLI_HB2ST_CASE_H

#include "src/cli/algorithms/family.h"
#include "src/cli/data/hermitian.h"

struct hb2st_args {
    cli_run run;
    const char *values, *diag, *offdiag, *q;
    hermitian_choice hermitian;
    int jobz, place, owned; /* indices into their choices; jobz -1: not given */
    int64_t split, tail;
    cli_sizes n, band, D, G;
    cli_words type, ref;
};

extern const cli_family hb2st_family;

#endif
