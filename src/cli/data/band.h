/* What the commands for band matrices share: sparse files in a narrow order, and results.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_BAND_H
#define ORR_CLI_BAND_H

#include <complex.h>

#include <orrery/io.h>

#include "src/cli/core/run.h"

double complex band_mtx_value(const orr_mtx *, int64_t entry);

/* An order of rows and columns, and the bandwidths of A in it: those of the whole matrix, also
 * if its file holds one triangle. */
typedef struct {
    int64_t *order; /* row k is the file's row order[k]; NULL: the file's own order */
    int64_t *place; /* the inverse, or NULL */
    int64_t lower, upper;
} band_order;

/* Reverse Cuthill-McKee of the pattern of A + A', or the file's own order if that is as narrow or A
 * is not square. Exit code, the reason told, what it would take counted first; both arrays are the
 * caller's to free in any case. */
int band_find_order(const cli_run *, const orr_mtx *, const char *name, band_order *);

/* Rows of a column major matrix, n x columns without gaps, from a band's order to the file's. */
int band_unorder(const int64_t *order, int64_t n, int64_t columns, orr_type, void *a);

/* Writes an array of n (ndim 1) or of n x columns, column major, as answer_write does. */
int band_write(FILE *out, const char *what, const char *path, orr_type, int ndim, int64_t n,
               int64_t columns, const void *data);

/* Zeros; bytes: what all of it takes. Exit code, the reason told. */
int band_zeros(const cli_run *, double bytes, int64_t entries, orr_type, const char *what, void **);
/* The array of a band, a row for each diagonal, by columns. */
void band_by_columns(const orr_npy *, void *ab);
/* Tells in a line that a square array looks like a whole matrix: it has numbers in the corner where a
 * band has none, below the antidiagonal (uplo 'L') or above ('U'), and is Hermitian, if that is asked.
 * ours: the command that reads whole matrices. */
void band_tell_whole(const orr_npy *, char uplo, int hermitian, const char *path, const char *ours);
/* Adds to an entry of a real or complex double precision array. */
void band_add(orr_type, void *ab, int64_t at, double complex);

/* n real numbers, uniform in [-1, 1); of ORR_H: magnitudes from 2^-14 to 1. */
void band_random(orr_type, int64_t n, uint64_t seed, void *a);

#endif
