/* What Orrery is compared with: LAPACK on the same matrices, from an OpenMP loop.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_REFERENCE_H
#define ORR_CLI_REFERENCE_H

#include "src/cli/core/lapack.h"
#include "src/cli/data/stack.h"

extern const char reference_names[]; /* "lapack|cusolver", for --ref */

/* CLI_OK if a run can be compared with `name` here; else CLI_SKIPPED, the reason told. */
int reference_available(const char *name);

/* LAPACK heevd of every matrix of the stack whose skip[k] is 0: a is overwritten with the
 * vectors (jobz 'V'), w with the values. uplo is the library's (stack_uplo). `threads` OpenMP
 * threads share the batch, BLAS runs on one thread. *seconds is the loop alone: threads and
 * workspaces exist before the clock starts, and the threads are gone when this returns, so
 * that none of them spins while StarPU computes. Returns the matrices that LAPACK gave up,
 * or -1 without memory or if the library has no such routine. */
int64_t reference_heevd(const cli_lapack *, cli_stack *, void *a, void *w, char jobz, char uplo,
                        int threads, const unsigned char *skip, double *seconds);

/* cuSOLVER: CLI_OK if its libraries and a device are there; else CLI_SKIPPED, the reason told. */
int reference_cusolver_open(void);

/* The same matrices, all of one order, by XsyevBatched (any) or {sy,he}evjBatched, from host
 * memory to host memory; handles and device memory exist before the clock starts. Seconds, or
 * NAN if cuSOLVER refused. */
double reference_cusolver(cli_stack *, void *a, void *w, char jobz, char uplo, int any,
                          const unsigned char *skip);

/* "dsyevd", "zheevd" ... */
const char *reference_heevd_name(orr_type);

#endif
