/* ORRERY_CHECK: whether a result can be right, for little more than reading it.
 *
 * With vectors: residual and orthogonality are applied to signs x = (+-1, ...): |A Z x - Z L x| is
 * |R x| for R = A Z - Z L, of size |R|_F on average over the signs, and of one or two wrong columns
 * it is at least the longer one. Values alone: their sum is the trace, their squares' sum |A|_F^2, which
 * sees a wrong one, and one of them has as many below it as its number says, which sees values of
 * another matrix; of a tridiagonal matrix each is counted.
 *
 * Sums are double, of entries that were divided by a power of two near the largest. Whatever judges
 * returns 0, or 1 with the reason in `why`.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_LAPACK_VERIFY_H
#define ORR_LAPACK_VERIFY_H

#include <complex.h>

#include "src/lapack/shim.h"

typedef double _Complex number;

enum { PROBES = 3, SLACK = 30 };

/* What is needed of one check. */
struct check {
    const struct orr_matrix *a;
    int64_t k;
    double scale; /* of a and the values */
    double *w;    /* [k] scaled */
    number *x, *y, *p, *q, *column;
    double norm; /* |A|_F, scaled */
    uint64_t seed;
};

/* Of k values w; *trace: a's. 0: no memory. check_end must follow in any case; it returns `wrong`. */
int check_begin(struct check *, const struct orr_matrix *a, int64_t k, const void *w,
                double *trace);
int check_end(struct check *, int wrong);

/* ---- Matrices and vectors -------------------------------------------------------------------- */

double check_eps(orr_type);
static inline int64_t check_most(int64_t x, int64_t y) { return x > y ? x : y; }
static inline int64_t check_least(int64_t x, int64_t y) { return x < y ? x : y; }
static inline double check_square(number z) { return creal(z) * creal(z) + cimag(z) * cimag(z); }

/* Entries first .. of an array, scaled. */
void check_load(orr_type, const void *from, int64_t first, int64_t count, double scale, number *to);
/* Rows of column j that count, and the column itself, scaled. */
void check_rows(const struct orr_matrix *, int64_t j, int64_t *first, int64_t *count);
void check_column(const struct orr_matrix *, int64_t j, double scale, number *column);
/* A power of two that makes the largest entry about 1. */
double check_scale(const struct orr_matrix *, number *column);
/* |A|_F, and the trace in *trace. */
double check_frobenius(const struct check *, double *trace);
/* y := M x, y := M' x. */
void check_multiply(const struct check *, const struct orr_matrix *, double scale, const number *x,
                    number *y);
void check_multiply_adjoint(const struct check *, const struct orr_matrix *, double scale,
                            const number *x, number *y);
double check_distance(int64_t n, const number *x, const number *y);
void check_draw(struct check *, int64_t count); /* c->x := signs */
void check_times_values(struct check *);        /* c->p := values times signs */

/* ---- Judging --------------------------------------------------------------------------------- */

double check_for_residual(const struct check *); /* the most that is allowed */
double check_for_orthogonality(const struct check *);
int check_judge(const char *what, double found, double allowed, char why[ORR_WHY]);
int check_residual(const struct check *, double residual, char why[ORR_WHY]);
/* Against c->x; Z x is in c->y. */
int check_orthogonality(const struct check *, const struct orr_matrix *z, char why[ORR_WHY]);
/* A Z x against Z (L x), L x being in c->p. */
int check_probe(struct check *, const struct orr_matrix *z, char why[ORR_WHY]);
/* Ascending (sign 1) or descending (-1), and numbers. */
int check_order(const struct check *, int sign, char why[ORR_WHY]);
double check_sum(const struct check *, int power); /* of the values */
int check_sums(const struct check *, double trace, char why[ORR_WHY]);

#endif
