/* heevj over several ranks: a stack divided among them, results at rank 0.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_HEEVJ_DIVIDED_H
#define ORR_CLI_HEEVJ_DIVIDED_H

#include "src/cli/algorithms/heevj_case.h"

/* Both are collective; codes of failures are equal on all ranks. */

/* Type and orders of rank 0's stack to the others, which get no matrices. On one rank nothing. */
int heevj_share_layout(cli_stack *);
/* heevj_case by all ranks. Only rank 0 has matrices and gets results, vectors in the stack. */
int heevj_divided(orr_context *, const orr_context_info *, const heevj_setup *, cli_stack *,
                  heevj_result *);

#endif
