/* What powm and pagerank share: a matrix from a file or by name, and runs with it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_SPARSE_CASE_H
#define ORR_CLI_SPARSE_CASE_H

#include <orrery/sparse.h>

#include "src/cli/core/clock.h"
#include "src/cli/core/job.h"
#include "src/cli/core/progress.h"

/* One FILE, or --generate, or both with --kron FILE. */
typedef struct {
    const char *file, *generate, *kron;
} sparse_source;

/* Loads the matrix, opens the library, and calls solve with both; `name` is for messages. */
int sparse_work(cli_job *, const sparse_source *,
                int (*solve)(cli_job *, orr_context *, const orr_context_info *, const orr_mtx *,
                             const char *name));
/* As outputs_check, with no FILE or one; no output is one of the files that options read either (NULL:
 * there is none). */
int sparse_outputs_check(const char *const *outputs, int count, const cli_files *,
                         const char *const *read, int files);
/* The number of the first node in such a file (NULL: none): 0 in edge lists and .npz, else 1. */
int sparse_first_node(const char *path);

/* CLI_OK, or CLI_MEMORY with the reason told: the matrix with the blocks made of it. */
int sparse_check_memory(const cli_run *, const orr_mtx *, const char *name, int graph);
/* Builds and tells what was done to the entries. Exit code, the reason told. */
int sparse_build(const cli_run *, orr_context *, const orr_mtx *, const char *name,
                 const orr_sparse_opts *, orr_sparse **);

/* The library's call, with the progress of a run. */
typedef orr_status sparse_call(void *arg, cli_progress *, orr_report *);

typedef struct {
    cli_turns turns; /* to which the record points */
    orr_report report;
    orr_status status;
} sparse_runs;

/* As many runs as --repeat says, one without it. Fills seconds and analysis of the record. CLI_OK with a
 * status that is not negative, or an exit code, the reason told. */
int sparse_repeat(cli_job *, orr_context *, const char *algo, const char *name, sparse_call *,
                  void *arg, sparse_runs *, cli_record *);

/* What every record of a result begins with; *extra, to be freed, is what `record` has besides, so far.
 * what: "matrix" or "graph", of that name. */
void sparse_record(cli_record *, cli_text *extra, const cli_job *, const char *algo,
                   const orr_context_info *, const orr_sparse_info *, const char *what,
                   const char *name, const orr_report *);

/* "csr,sell", "pattern" ... for tables and records. */
const char *sparse_formats(const orr_sparse_info *, char *, size_t);
const char *sparse_values(const orr_sparse_info *);

#endif
