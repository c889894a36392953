/* What `orrery hegv` is compared with, LAPACK's sygvd and hegvd, and its check figures.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_HEGV_LAPACK_H
#define ORR_CLI_HEGV_LAPACK_H

#include "src/cli/core/lapack.h"

/* Two matrices, column major without gaps, of which the triangles `uplo` are stored. */
typedef struct {
    orr_type type;
    char uplo;
    int which; /* 1: A x = w B x; 2: A B x = w x; 3: B A x = w x */
    int64_t n;
    const void *a, *b;
    int vectors;
    int part;             /* 1: not all values are asked for */
    int64_t first, count; /* values from first, from 0 */
} hegv_problem;

enum { HEGV_D, HEGV_REFERENCES };
/* "dsygvd" ... of a hegv_problem; NULL for a part of the values. */
const char *hegv_reference_name(const void *problem, int reference);
/* A cli_peer_run. */
double hegv_reference(const void *problem, const cli_lapack *, int reference, int threads);

/* As docs/algorithms/hegv.md defines them, with LAPACK in double precision; NaN without memory. x is
 * n x count without gaps, NULL: values only. */
typedef struct {
    double values, residual, orthogonality;
} hegv_figures;
hegv_figures hegv_check(const hegv_problem *, const void *w, const void *x, int threads);

#endif
