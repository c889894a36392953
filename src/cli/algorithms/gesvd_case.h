/* What orrery gesvd is told, and what it does with it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GESVD_CASE_H
#define ORR_CLI_GESVD_CASE_H

#include "src/cli/algorithms/family.h"
#include "src/cli/algorithms/single.h"

enum { MAX_SIDE = INT32_MAX / 16 }; /* of orr_gesvd */

struct gesvd_args {
    cli_run run;
    const char *values, *left, *right;
    int kind, qr;
    single_shape shape;
    cli_sizes n, m;
    cli_words type, ref;
};

extern const cli_family gesvd_family;

#endif
