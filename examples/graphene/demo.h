/* What the jobs of the demo share: the options, the open context, and the report that they
 * write into. Every job returns 0 or one of the exit codes below.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef DEMO_H
#define DEMO_H

#include "solve.h"

enum { EXIT_CHECK = 1, EXIT_USAGE = 2, EXIT_FILE = 3, EXIT_RUNTIME = 6 };
enum { MAX_CHECKS = 40, RUNS = 3 };

typedef struct {
    char what[80];
    double value, bound;
} demo_check;

typedef struct {
    /* options */
    const char *out, *stack, *k, *write_stack, *write_k;
    int64_t mesh, path, zigzag, armchair, points;
    double t;
    int cpus, no_lapack, verbose;
    /* state */
    orr_context *ctx;
    int cpu_workers, cuda_workers, threads;
    double start, sum, lapack_sum;
    int rows, checks, failed, shared; /* shared: rows with a * */
    demo_check check[MAX_CHECKS];
    char note[512]; /* what is worth telling besides, printed at the end */
} demo;

/* Solves a job by Orrery and by LAPACK, with the checks that hold for every batch: residual,
 * orthogonality, and agreement of the two; `norm` bounds |H|. */
int demo_solve(demo *, problem *, double norm);
/* The job's row of the table; error NaN: there is no closed form. In units of eps t. */
void demo_row(demo *, const problem *, double error);
/* value <= bound, or the demo fails. */
void demo_check_at_most(demo *, const char *job, const char *what, double value, double bound);
/* The name of a file in --out; NULL without memory. */
char *demo_file(const demo *, const char *name);
int demo_memory(void);                  /* says so on stderr and returns EXIT_RUNTIME */
int demo_drawn(char *path, int failed); /* tells where the picture is; frees path */

int job_bulk(demo *);
int job_ribbons(demo *);
int job_stack(demo *);       /* --stack, --k */
int job_write_stack(demo *); /* --write-stack, --write-k */

#endif
