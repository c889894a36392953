/* One batch of Hermitian matrices: solved by Orrery and, for comparison, by LAPACK's
 * zheevd in an OpenMP loop with as many threads as Orrery has CPU workers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef SOLVE_H
#define SOLVE_H

#include <orrery/orrery.h>

#include "lattice.h"

typedef struct {
    const char *name;
    int64_t batch, n;               /* n: the order of every matrix, or the largest one */
    int mixed;                      /* 1: the orders differ */
    int64_t *order;                 /* [batch] */
    cplx **h;                       /* [batch] the matrices, kept */
    cplx **q;                       /* [batch] the eigenvectors */
    double **w;                     /* [batch] the eigenvalues, ascending */
    double seconds;                 /* median of the timed runs */
    double residual, orthogonality; /* the worst of the batch, as orr_matrix_info */
    char method[32];                /* from the library's plan, the commonest first */
    double lapack;                  /* seconds, median; NaN where it was not run */
    double lapack_diff;             /* max |w - w_lapack| */
    double lapack_share; /* of its cores that LAPACK's threads got: below 1, its time is the load's */
} problem;

/* Memory for `batch` matrices of order n, or of the given orders. Nonzero: no memory, and
 * there is nothing to free. */
int problem_alloc(problem *, const char *name, int64_t batch, int64_t n, const int64_t *orders);
void problem_free(problem *);

/* Solves with vectors: once with the library's own check, then `runs` times for the time, by
 * turns with LAPACK on `threads` threads (0: without), so that both see the same machine.
 * The eigenvectors left in q are Orrery's. A LAPACK failure is told as ORR_E_DEVICE, "zheevd". */
orr_status problem_solve(problem *, orr_context *, int threads, int runs, orr_report *);

double now(void); /* seconds of a monotonic clock */

#endif
