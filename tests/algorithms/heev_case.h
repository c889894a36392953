/* What the files of the test heev share: a problem, its vectors checked, and parts of spectra.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_HEEV_CASE_H
#define ORR_TESTS_HEEV_CASE_H

#include "algorithms/herm.h"
#include "algorithms/open.h"

static const double LIMIT = 20;

struct heev_problem {
    orr_type type;
    char uplo;
    int64_t n, lda;
    size_t size, real;
    char *a0, *a, *w; /* a0 as made, a of which a solve is given a copy */
    int64_t ldz;
    char *z;
};

struct heev_worst {
    double values, residual, orthogonality;
};

/* The triangle `uplo` of a matrix of a kind; the other one is NaN. */
struct heev_problem heev_make(int kind, orr_type t, char uplo, int64_t n, int64_t lda,
                              uint64_t seed);
void heev_drop(struct heev_problem *);
orr_status heev_solve(orr_context *, struct heev_problem *, orr_heev_opts, int vectors,
                      orr_report *);
/* top: the largest |value|; matrix and values are divided by about that, so that squares of their
 * entries are in range. Values and vectors behind the first `columns` are zero. */
void heev_check_vectors(const struct heev_problem *, int64_t columns, double top, int exact,
                        const char *what, struct heev_worst *);

/* Values by their numbers, and in intervals: every `step`-th case. */
void heev_ranges(orr_context *, int step);
void heev_intervals(orr_context *, int step);

#endif
