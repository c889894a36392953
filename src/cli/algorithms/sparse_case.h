/* What powm and pagerank share: a matrix from a file or by name, what it costs to read it once,
 * and how fast this machine's memory is.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_SPARSE_CASE_H
#define ORR_CLI_SPARSE_CASE_H

#include <orrery/sparse.h>

#include "src/cli/core/clock.h"
#include "src/cli/core/job.h"

/* One FILE, or --generate, or both with --kron FILE. */
typedef struct {
    const char *file, *generate, *kron;
} sparse_source;

/* Coordinates as orr_mtx_free frees them. `name`: for messages. Exit code, the reason told. */
int sparse_load(const cli_run *, const sparse_source *, orr_mtx *, const char **name);
/* Loads the matrix, opens the library, and calls solve with both; `name` is for messages. */
int sparse_work(cli_job *, const sparse_source *,
                int (*solve)(cli_job *, orr_context *, const orr_context_info *, const orr_mtx *,
                             const char *name));
/* The number of the first node in such a file (NULL: none): 0 in edge lists and .npz, else 1. */
int sparse_first_node(const char *path);

/* CLI_OK, or CLI_MEMORY with the reason told: the matrix with the blocks made of it. */
int sparse_check_memory(const cli_run *, const orr_mtx *, const char *name, int graph);
/* Builds and tells what was done to the entries. Exit code, the reason told. */
int sparse_build(const cli_run *, orr_context *, const orr_mtx *, const char *name,
                 const orr_sparse_opts *, orr_sparse **);

/* "csr,sell", "pattern" ... for tables and records. */
const char *sparse_formats(const orr_sparse_info *, char *, size_t);
const char *sparse_values(const orr_sparse_info *);

/* Bytes that one product must move: the blocks, x once, y once. */
double sparse_bytes(const orr_sparse_info *);
/* `steps` steps of an iteration; 0: done. */
typedef int sparse_steps_fn(void *arg, int64_t steps);

typedef struct {
    cli_seconds step; /* median NaN: a run failed */
    double *rounds;   /* what `step` points to; to be freed */
    double triad;     /* bytes per second of a := b + 3 c, 24 per element; median over the rounds */
    double low, high; /* least and most of them */
    double per_triad; /* bytes per second of the steps over those of the triad next to them */
} sparse_timing;

/* Times steps in rounds. Each round runs the triad, `steps` and twice as many steps: what is done
 * once in a call cancels, and a machine whose memory is shared with others and is twice as fast a
 * minute later is compared with itself of the same moment. bytes: that a step moves. */
sparse_timing sparse_time(int threads, int64_t steps, int rounds, double bytes, sparse_steps_fn *,
                          void *arg);

#endif
