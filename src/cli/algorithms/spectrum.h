/* Eigenvalues, and eigenvectors, of a FILE: what heev and hegv print, write and record.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_SPECTRUM_H
#define ORR_CLI_SPECTRUM_H

#include "src/cli/algorithms/selection.h"
#include "src/cli/core/job.h"

typedef struct {
    const selection *part;
    const char *values, *vectors; /* paths, or NULL */
    orr_type type;
    int64_t n, first, count; /* values first .. first + count - 1, from 0 */
    const void *w;
    void *x; /* of the transposed matrices; conjugated if they are written */
} spectrum;

/* Exit code, the reason told. */
int spectrum_deliver(const cli_job *, const spectrum *, cli_text *results);

#endif
