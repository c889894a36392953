/* What the files of the command `pagerank` share: its arguments, results and benchmark.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_PAGERANK_JOB_H
#define ORR_CLI_PAGERANK_JOB_H

#include "src/cli/algorithms/sparse_case.h"
#include "src/cli/algorithms/sparse_time.h"

struct pagerank_args {
    cli_run run;
    sparse_source source;
    const char *vectors, *personal;
    int64_t top, blocks, max_steps, steps;
    double alpha, tol;
    int dangling, type, unweighted, reverse, order, extrapolate, bench;
    cli_words format;
};

/* Bytes: the blocks; z read and written, and the weights of the nodes. */
double pagerank_step_bytes(const orr_sparse_info *);
/* The same with the matrix in compressed rows. */
double pagerank_crs_bytes(const orr_sparse_info *);

/* Node numbers as the file has them, the first being `from`. */
int pagerank_print_top(const struct pagerank_args *a, const char *name, const orr_sparse_info *info,
                       const void *x, int from);
/* Completes the record, which has the seconds. time: NULL, or that of a step of --bench. */
int pagerank_record(cli_job *, const orr_context_info *, const orr_sparse_info *, const char *graph,
                    const orr_pagerank_result *, const orr_report *, cli_record *,
                    const sparse_timing *time);

int pagerank_solve(cli_job *, orr_context *, const orr_context_info *, const orr_mtx *,
                   const char *name);
/* --bench. */
int pagerank_bench(cli_job *job, orr_context *context, const orr_context_info *ci,
                   const orr_sparse *G, const orr_sparse_info *info, const char *name, void *x);

#endif
