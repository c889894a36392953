/* What the files of the command `heevj` share: its arguments, messages and records.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_HEEVJ_JOB_H
#define ORR_CLI_HEEVJ_JOB_H

#include "src/cli/algorithms/heevj_case.h"
#include "src/cli/core/job.h"
#include "src/cli/data/hermitian.h"

enum { HEEVJ_MAX_N = 1024 }; /* of orr_heevj */

struct heevj_args {
    cli_run run;
    const char *values, *vectors, *info;
    int jobz; /* index into "N|V"; -1: not given */
    hermitian_choice hermitian;
    cli_words method;
    cli_sizes chunk;
    int64_t max_sweeps;
    double tol;
    cli_sizes n, batch;
    cli_words type, ref;
    int kind, mixed, accuracy; /* an orr_accuracy */
};

heevj_setup heevj_setup_of(const cli_job *);
orr_method heevj_method_of(const cli_words *, int64_t k); /* the k-th word of --method */
/* Of the stack, and of what a run of it needs. */
int heevj_check_memory(const heevj_setup *, const cli_stack *, const char *what);

/* The first matrix of each trouble; the record out. */
void heevj_tell(const heevj_result *, const cli_input *, int files);
int heevj_report(cli_job *, const heevj_result *);

/* --explain: of a batch, of FILEs. */
int heevj_explain(cli_job *, orr_context *, const orr_context_info *, const heevj_setup *, orr_type,
                  int64_t n, int64_t batch);
int heevj_explain_files(cli_job *);

/* FILEs as one batch, and the benchmark. */
int heevj_solve_files(cli_job *);
int heevj_bench(cli_job *);

#endif
