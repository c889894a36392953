/* What orrery gb2bd is told, and what it does with it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GB2BD_CASE_H
#define ORR_CLI_GB2BD_CASE_H

#include "src/cli/algorithms/family.h"

struct gb2bd_args {
    cli_run run;
    const char *values, *diag, *offdiag, *left, *right;
    int64_t kl, m; /* -1: not given */
    int jobz;      /* an index into its choices, or -1 */
    cli_sizes n, band, tw, rows;
    int64_t sweeps, max_blocks, split;
    int place; /* an index into its choices */
    cli_words type, ref;
};

extern const cli_family gb2bd_family;

#endif
