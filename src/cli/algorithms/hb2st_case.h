/* What orrery hb2st is told, and what it does with it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_HB2ST_CASE_H
#define ORR_CLI_HB2ST_CASE_H

#include "src/cli/algorithms/hermitian_band.h"

struct hb2st_args {
    struct hermitian_band_args band;
    const char *values, *diag, *offdiag, *q;
    int jobz, place; /* indices into their choices; jobz -1: not given */
    int64_t split, tail;
    cli_sizes D, G;
    cli_words type, ref;
};

extern const cli_family hb2st_family;

#endif
