/* Matrices for the test of the kernels of powm, and their products in long double.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_POWM_MATRIX_H
#define ORR_TESTS_POWM_MATRIX_H

#include <complex.h>

#include "kernels/powm_spmv.h"

typedef long double complex exact;

/* Zeros, at a cache line. */
void *allocate(size_t bytes);
double uniform(void); /* in (-1, 1) */

struct matrix {
    const char *name;
    orr_powm_rows rows;
    int64_t *ptr; /* begins with a base that is not 0 */
    int32_t *index;
    double *val;
};

enum { SHORT_ROWS, EDGES, EMPTY, ONE_LONG, SOME_LONG, BLOCKS, GRID, SHAPES };

/* Rows first .. first+rows-1 of one with so many columns. */
void make_matrix(struct matrix *, int shape, int64_t first, int64_t rows, int64_t cols,
                 int complex_values);
/* Values that the kind can hold: any, floats, or one for all. */
void set_values(struct matrix *, int kind, orr_type);
void free_matrix(struct matrix *);

/* Row sums without scale, and sums of absolute values. */
struct product {
    exact *sum;
    long double *size;
};
struct product multiply_rows(const orr_powm_rows *, orr_type, const void *x);
void free_product(struct product *);

#endif
