/* Hermitian test matrices: a table of named kinds that are hard for one reason or
 * another, for the four scalar types, many with a known spectrum. After LAPACK's
 * test/eig, MAGMA's generator and the troubles users of other solvers reported.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_MATGEN_H
#define ORR_TESTS_MATGEN_H

#include <stddef.h>
#include <stdint.h>

#include "orrery/types.h"

int orr_matgen_kinds(void);
const char *orr_matgen_name(int kind);

/* A positive definite D B D with kappa(B) < 4 and D over many decades: its tiny
 * eigenvalues are determined to high relative accuracy. */
int orr_matgen_is_graded(int kind);

/* Both triangles of A, n x n, column major, leading dimension ld. The diagonal is real,
 * except for the kind "imaginary diagonal", whose imaginary parts mean nothing. Returns 1
 * and w, ascending, if the spectrum is known (to rounding errors of eps |A| in forming A);
 * 0 and w untouched if not. The same (kind, type, n, seed) gives the same matrix. */
int orr_matgen(int kind, orr_type type, int64_t n, uint64_t seed, void *a, int64_t ld, double *w);

/* Bytes of a scalar; its machine epsilon; its smallest positive number. */
size_t orr_type_size(orr_type);
double orr_type_eps(orr_type);
double orr_type_denormal(orr_type);

#endif
