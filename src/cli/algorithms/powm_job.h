/* What the files of the command `powm` share: its arguments, results, and storage formats side by side.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_POWM_JOB_H
#define ORR_CLI_POWM_JOB_H

#include "src/cli/algorithms/sparse_case.h"

struct powm_args {
    cli_run run;
    sparse_source source;
    const char *values, *vectors;
    int64_t k, basis, blocks, max_products, steps;
    int method, type, which;
    cli_words format;
    double tol;
    int compare, singular, unweighted, transpose, full;
};

orr_sparse_opts powm_build_options(const struct powm_args *);

/* Results: a table, files, the record, which has the seconds. */
void powm_print(const struct powm_args *, const char *name, const orr_eigenpair *,
                const orr_powm_result *);
int powm_write_values(FILE *out, const char *path, const orr_eigenpair *, int found);
int powm_write_vectors(FILE *out, const char *path, orr_type, int64_t n, const orr_eigenpair *,
                       int found, const void *v);
int powm_record(cli_job *, const orr_context_info *, const orr_sparse_info *, const char *matrix,
                const orr_eigenpair *, const orr_powm_result *, const orr_report *, cli_record *);

/* Has it eigenvectors? Exit code; of a rectangular matrix it is told why not. */
int powm_square(const char *name, int64_t rows, int64_t cols);

int powm_solve(cli_job *, orr_context *, const orr_context_info *, const orr_mtx *,
               const char *name);
/* --compare. */
int powm_compare(cli_job *, orr_context *, const orr_context_info *, const orr_mtx *,
                 const char *name);

#endif
