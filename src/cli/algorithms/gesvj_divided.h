/* gesvj over several ranks: an array divided among them, results at rank 0.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GESVJ_DIVIDED_H
#define ORR_CLI_GESVJ_DIVIDED_H

#include "src/cli/data/gesvj_data.h"
#include "src/cli/data/parts.h"

typedef struct {
    cli_parts parts;
    svd_data mine;
} svd_divided;

/* Collective. Rank 0's matrices to their owners, with room for their results, U (left) and V (right)
 * among them; the others learn the shape. The code of a failure is equal on all ranks. */
int svd_divide(svd_divided *, svd_data *all, const cli_run *, int left, int right);
void svd_gather(const svd_divided *, svd_data *all);
void svd_divided_free(svd_divided *);

#endif
