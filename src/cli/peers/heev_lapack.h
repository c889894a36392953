/* What `orrery heev` is compared with, LAPACK's drivers for one dense matrix, and its check
 * figures.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_HEEV_LAPACK_H
#define ORR_CLI_HEEV_LAPACK_H

#include "src/cli/core/lapack.h"

/* A matrix, column major without gaps, of which the triangle `uplo` is stored. */
typedef struct {
    orr_type type;
    char uplo;
    int64_t n;
    const void *a;
    int vectors;          /* what is asked for */
    int64_t first, count; /* eigenvalues from first, from 0 */
    int interval;         /* 1: those in (vl, vu], as many as were found */
    double vl, vu;
} heev_problem;

enum { HEEV_D, HEEV_R, HEEV_2STAGE, HEEV_REFERENCES };

/* "dsyevd", "zheevr", "dsyevd_2stage" ... of a heev_problem; NULL: it is not worth comparing with.
 * syevr is for vectors, and alone for a part of the values; syevd_2stage, which has no vectors, for
 * all values. */
const char *heev_reference_name(const void *problem, int reference);
/* Seconds on a copy with `threads` BLAS threads; negative without memory or if it fails. A
 * cli_peer_run. */
double heev_reference(const void *problem, const cli_lapack *, int reference, int threads);

/* max |w - w_ref| / (n eps max|w_ref|), w_ref by LAPACK in double. NaN without memory. */
double heev_value_error(const heev_problem *, const void *w, int threads);
/* |A Z - Z diag(w)|_F / (n eps |A|_F), in double; z is n x count, ld n. NaN without memory. */
double heev_residual(const heev_problem *, const void *w, const void *z, int threads);

#endif
