/* A file -> an array of dense matrices: .npy of any shape, an array of a .npz archive, or one
 * matrix: .mtx, text (.txt, .csv), or a sparse .npz.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_DENSE_H
#define ORR_CLI_DENSE_H

#include <orrery/io.h>

#include "src/cli/core/run.h"

/* By its name, whatever the case: sparse, .mtx or an archive of scipy.sparse. */
int cli_is_sparse(const char *path);

/* Reads such a file, with progress, and tells of duplicates, which the caller sums. Exit code, the reason told. */
int cli_sparse_read(const char *path, const cli_run *, orr_mtx *);

/* What a matrix of such a file must be, told before it is made dense: CLI_OK, or an exit code,
 * the reason told. */
typedef int dense_check(const char *path, const orr_mtx *, int64_t limit);

/* path: - is standard input, .npy or text; a.npz:x is array x of an archive. check may be NULL, limit
 * is its argument. Exit code, the reason told. */
int dense_read(const char *path, const cli_run *, dense_check *check, int64_t limit, orr_npy *);

#endif
