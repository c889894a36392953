/* What the files of the command `gesvj` share: its arguments, checks and records.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GESVJ_JOB_H
#define ORR_CLI_GESVJ_JOB_H

#include "src/cli/core/clock.h"
#include "src/cli/core/job.h"
#include "src/cli/data/gesvj_data.h"

/* Check figures (residual, orthogonality, values, in max(m,n) eps |A|) above this fail. */
static const double svd_check_limit = 20;

struct svd_args {
    cli_run run;
    const char *values, *left, *right;
    int stream, at_once;
    cli_sizes n, m, count;
    cli_words type, ref;
    int kind, jobz, place, precondition; /* indices; jobz -1: not given */
    int64_t block, bundle, in_flight, max_sweeps;
    double tol;
};

orr_gesvj_opts svd_options(const struct svd_args *, int check);
/* All matrices as one batch. */
orr_status svd_solve(orr_context *, const svd_data *, const orr_gesvj_opts *, orr_report *);
int svd_threads(const orr_context_info *); /* for LAPACK: as many as CPU workers */

/* The exit code of what is in info; tells the first matrix of each trouble. */
int svd_statuses(const orr_matrix_info *info, int64_t count, const char *where);
/* Against the definition (figures of info) and LAPACK's gesdd: CLI_OK, CLI_CHECK, CLI_MEMORY. */
int svd_verify(const svd_data *, int threads, cli_record *);

/* The status that a record tells of two matrices, and its word; checked: exit code of a check. */
orr_status svd_first_status(orr_status, orr_status);
const char *svd_status_word(int checked, orr_status);
/* Fills what the data and the exit code of a check say; member "stream" of a record, of a stream
 * that took `seconds`; the record out. */
void svd_describe(cli_record *, const cli_job *, const svd_data *, const orr_context_info *,
                  int checked);
void svd_put_stream(char *extra, size_t size, const orr_gesvj_stream_report *, double seconds);
int svd_report(cli_job *, const cli_record *);

/* --explain: of count matrices at once. */
int svd_explain(cli_job *, orr_context *, const orr_context_info *, orr_type, int64_t m, int64_t n,
                int64_t count, int left, int right);

/* Calls `work` in every rank, with the library open. */
int svd_by_ranks(cli_job *, int (*work)(cli_job *, orr_context *, const orr_context_info *));

/* FILEs, the benchmark, and the stream. */
int svd_solve_files(cli_job *);
int svd_bench(cli_job *);
int svd_serve(cli_job *);

#endif
