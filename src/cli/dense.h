/* A file -> an array of dense matrices: .npy of any shape, or .mtx, which is one matrix.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_DENSE_H
#define ORR_CLI_DENSE_H

#include <orrery/io.h>

#include "run.h"

int cli_is_mtx(const char *path); /* by its name, whatever the case */

/* Reads a .mtx file, with progress. Exit code, the reason told. */
int cli_mtx_read(const char *path, const cli_run *, orr_mtx *);

/* What a matrix of a .mtx file must be, told before it is made dense: CLI_OK, or an exit code,
 * the reason told. */
typedef int dense_check(const char *path, const orr_mtx *, int64_t limit);

/* path: - is standard input (.npy). check may be NULL, limit is its argument. Exit code, the
 * reason told. */
int dense_read(const char *path, const cli_run *, dense_check *check, int64_t limit, orr_npy *);

#endif
