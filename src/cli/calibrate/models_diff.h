/* Models of two machines, or two calibrations, shape by shape.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_MODELS_DIFF_H
#define ORR_CLI_MODELS_DIFF_H

/* Machines or directories; CLI_CHECK unless 95 % of the shapes in both agree within the tolerance. */
int models_diff(const char *first, const char *second, double tolerance);

#endif
