/* What a command prints of its results, and puts into its records.
 *
 *     # eigenvalues of a.npy: 3, ascending
 *     -1.25
 *     0.1
 *     3
 *
 * One value per line, or for a batch one matrix per line, in as few digits as give the numbers
 * back; what is said besides stands in lines with a #. So numpy.loadtxt and our own commands read
 * what was printed. Of long results the middle is left out; "..." stands there, which no reader
 * takes for a number. --all prints them whole.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_ANSWER_H
#define ORR_CLI_ANSWER_H

#include <orrery/io.h>

#include "src/cli/core/job.h"

typedef struct {
    const char *what;  /* "eigenvalues" */
    const char *order; /* "ascending", or NULL */
    orr_type type;     /* ORR_S or ORR_D */
    int batch;         /* 1: a line per matrix; 0: one matrix, a line per value */
    int64_t count;     /* matrices; 1 unless batch */
    int64_t columns;   /* values of each */
    const void *v;
} answer_values;

/* The functions that print do nothing if out is NULL. */
void answer_print(FILE *out, const cli_run *, const char *path, const answer_values *);
/* d[n] beside e[n-1], of a matrix that is `form` ("tridiagonal"). */
void answer_print_pairs(FILE *out, const cli_run *, const char *path, const char *form, orr_type,
                        int64_t n, const void *d, const void *e);
/* "# eigenvalues of a.npy: ", the name made harmless. */
void answer_heading(FILE *out, const char *what, const char *path);
/* The check figures of a record that has any, in units of `unit`. */
void answer_check(FILE *out, const cli_record *, const char *unit, double limit);

/* Writes an array as its suffix says, and prints where. path NULL: nothing. Exit code, the reason
 * told. */
int answer_write(FILE *out, const char *what, const char *path, orr_type, int ndim,
                 const int64_t *shape, int fortran, const void *data);

/* "name":[...] of a record, from `sets` arrays; a list per matrix unless there is one matrix alone.
 * null if there are more than 1000 values in all and not --all. */
void answer_json(cli_text *, const cli_run *, const char *name, const answer_values *, int sets);

#endif
