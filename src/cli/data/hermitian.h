/* Are the matrices of files Hermitian? The solvers read one triangle and would not notice.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_HERMITIAN_H
#define ORR_CLI_HERMITIAN_H

#include "src/cli/data/stack.h"

/* How the triangle is chosen, for the tables of options: --uplo and --symmetrize. */
typedef struct {
    int uplo;       /* index into "L|U"; -1: not given, L is read */
    int symmetrize; /* (A + A')/2 is computed with */
} hermitian_choice;

extern const cli_option hermitian_options[];
char hermitian_uplo(const hermitian_choice *); /* 'L' or 'U' */
/* How far |a_ij - conj(a_ji)| may be from 0 by rounding: max(n, 10) eps max|A|. */
double hermitian_rounding(orr_type, int64_t n, double largest);

/* After reading: makes the matrices Hermitian, or, if no triangle was chosen, tells in a line where
 * and how far one is not beyond rounding, and how many are not. */
void hermitian_prepare(cli_stack *, const hermitian_choice *, const cli_input *, int files);

#endif
