/* A problem of gesvd, its solution, and what is asked of it, by LAPACK's ddrvbd ratios (tests/svdgen.h) and
 * against LAPACK zgesdd:
 *
 *   residual       |A - U S V'|_1 / (|A|_1 max(m,n) eps)            <= 20
 *   orthogonality  |I - U'U|_1 / (m eps), |I - V'V|_1 / (n eps)     <= 20
 *   values         max |s - s_lapack| / (max(m,n) eps max s)        <= 20
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_GESVD_JUDGE_H
#define ORR_TESTS_GESVD_JUDGE_H

#include <stdint.h>

#include "orrery/orrery.h"

#define LIMIT 20.0

struct problem {
    orr_type type;
    int64_t m, n, k, lda, ldu, ldv;
    size_t size, real;
    char *a0, *a, *s, *u, *v; /* a0 as made, a of which a solve is given a copy */
};

/* kind: of svdgen.h. */
struct problem make(int kind, orr_type, int64_t m, int64_t n, uint64_t seed);
void drop(struct problem *);

/* which: 0 values, 1 U and V, 2 U, 3 V. */
orr_status solve(orr_context *, struct problem *, const orr_gesvd_opts *, int which, orr_report *);

/* Nothing was written beside the arrays. */
void check_surroundings(const struct problem *, const char *what);

/* max |s - s_lapack| / (max(m,n) eps max s) */
double value_error(const struct problem *);

struct worst {
    double values, residual, orthogonality;
};

/* One matrix: solved, judged, and with one side alone (which > 1) compared with both. */
void one(orr_context *, int kind, orr_type, int64_t m, int64_t n, orr_gesvd_opts, int which,
         struct worst *);

#endif
