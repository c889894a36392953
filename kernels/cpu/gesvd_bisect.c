/* Singular values of a bidiagonal matrix by number: bisection with the signs of the pivots of
 * B'B - x^2, and false position with their product once a value is alone in its bracket. Values do
 * not wait for each other, and a lane of a vector has one each.
 *
 * With q and e the squares of the entries on the diagonal and above it, the stationary differential qd
 * form has the pivots
 *
 *     s := -x^2;   d_i := q_i + s,  s := e_i s / d_i - x^2
 *
 * which no rounding takes farther than to those of a matrix with entries within some eps of these: all
 * values, small ones too, are found to high relative accuracy. Here s = u/v and d_i = v'/v:
 *
 *     v' := q_i v + u,  u' := e_i u - x^2 v'
 *
 * has the same roundings without a division, and as many changes of sign of v as pivots are negative.
 * An entry below eps/4 x is taken for that: v and u do not become zero both. B and x are scaled by a
 * power of two that brings the least of a group's points to order 1. Single precision is done in
 * double.
 *
 * Sources: K. V. Fernando, SIAM J. Matrix Anal. Appl. 20, 373-399, 1998 (counting singular values);
 * B. N. Parlett, I. S. Dhillon, Linear Algebra Appl. 309, 121-151, 2000 (differential forms); bisect.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gesvd_bisect.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "bisect.h"
#include "lanes.h"
#include "lanes_turn.h" /* UNROLL */

enum {
    MOST_STRIDE = 16,
    MOST_STEPS = 2000,
    RANGE = 1000, /* what v and u may grow, in binary digits */
    DEPTH = 800   /* what they may shrink */
};
#define LEAST_X  0x1p-400 /* points are not less: what is squared does not leave the range */
#define APART    0x1p-64  /* nor less than this times the largest beside them */
#define LEAST_SQ 0x1p-110 /* of entries, where the least point is 1/2 to 1 */

/* Entries are at most 1/4, and values less than 1/2. */
typedef struct {
    int64_t n, zeros;         /* as many values are 0 exactly */
    const double *a, *b;      /* b[n-1]: 0 */
    double least[2], most[2]; /* entries of a, of b */
    double tol;               /* of a bracket's width, of its upper end */
    double *q, *e;            /* squares of a and b times 2^-power */
    int power, top, set;      /* of the least point and of the largest, if set */
    int64_t stride;           /* rows after which v and u are brought to order 1 */
} orr_bidiagonal_lanes;

static double square(double entry, double factor)
{
    const double x = entry * factor, square = x * x;
    return square > LEAST_SQ ? square : LEAST_SQ;
}

/* A row maps (v, u) to (q v + u, (e - x^2) u - x^2 q v): its determinant is q e. */
static int64_t stride_of(const orr_bidiagonal_lanes *t, double factor)
{
    const double x = ldexp(factor, t->top), q = square(t->most[0], factor);
    const double growth = fmax(1 + q, square(t->most[1], factor) + x * x * (1 + q));
    const double least = square(t->least[0], factor) * square(t->least[1], factor);
    const double grows = 1 + log2(growth), shrinks = grows - log2(least);
    const double rows = fmin(RANGE / grows, DEPTH / shrinks);
    return rows < 1 ? 1 : rows > MOST_STRIDE ? MOST_STRIDE : (int64_t)rows;
}

/* For points from lo to hi. */
static void set_scale(orr_bidiagonal_lanes *t, double lo, double hi)
{
    int power, top;
    frexp(lo, &power);
    frexp(hi, &top);
    if (t->set && power == t->power && top == t->top)
        return;
    const double factor = ldexp(1, -power);
    if (!t->set || power != t->power)
        for (int64_t i = 0; i < t->n; i++) {
            t->q[i] = square(t->a[i], factor);
            t->e[i] = square(t->b[i], factor);
        }
    t->set = 1, t->power = power, t->top = top;
    t->stride = stride_of(t, factor);
}

/* By factors until it is known to some digits. */
static double next_point(const bracket *b, double tol)
{
    if (b->lo < b->hi * 0x1p-32)
        return fmax(b->hi * 0x1p-16, LEAST_X);
    return b->lo < b->hi / 4 ? sqrt(b->lo * b->hi) : choose(b, tol);
}

#include "kernels/as_d.h"
#define TYPES "gesvd_bisect.inc.c"
#include "each_isa.inc.c"

typedef orr_status bisect_fn(orr_bidiagonal_lanes *, int64_t first, int64_t count, double *w);

static bisect_fn *const by_level[5] = {
    [0] = bisect_v0_d,
#ifdef LANES_X86
    [3] = bisect_v3_d,
    [4] = LANES_V4(bisect_v4_d),
#endif
};

static void look(int64_t n, const double *x, double *least, double *most)
{
    *least = INFINITY;
    *most = 0;
    for (int64_t i = 0; i < n; i++) {
        const double size = fabs(x[i]);
        *least = size < *least ? size : *least;
        *most = size <= *most ? *most : isfinite(size) ? size : INFINITY;
    }
}

/* Of each block between zeros of b, one if its diagonal has any. */
static int64_t count_zeros(int64_t n, const double *a, const double *b)
{
    int64_t zeros = 0;
    int has = 0;
    for (int64_t i = 0; i < n; i++) {
        has |= a[i] == 0;
        if (i == n - 1 || b[i] == 0) {
            zeros += has;
            has = 0;
        }
    }
    return zeros;
}

orr_status orr_bisect_singular(int64_t n, const double *a, const double *b, double eps,
                               int64_t first, int64_t count, double *w)
{
    orr_bidiagonal_lanes t = {.n = n, .zeros = count_zeros(n, a, b), .tol = 2 * eps};
    int power;
    look(n, a, &t.least[0], &t.most[0]);
    look(n - 1, b, &t.least[1], &t.most[1]);
    const double largest = fmax(t.most[0], t.most[1]);
    if (!isfinite(largest))
        return ORR_NOCONV;
    if (largest == 0) {
        memset(w, 0, (size_t)count * sizeof *w);
        return ORR_OK;
    }
    frexp(largest, &power);
    /* two factors, since 2^-power may be beyond the range */
    const double scale = ldexp(1, (-power - 2) / 2), more = ldexp(1, -power - 2 - (-power - 2) / 2);
    double *x = malloc((size_t)(4 * n) * sizeof *x);
    if (!x)
        return ORR_E_NOMEM;
    for (int64_t i = 0; i < n; i++) {
        x[i] = a[i] * scale * more;
        x[n + i] = i < n - 1 ? b[i] * scale * more : 0;
    }
    t.a = x, t.b = x + n, t.q = x + 2 * n, t.e = x + 3 * n;
    for (int i = 0; i < 2; i++) {
        t.least[i] = fmin(t.least[i] * scale * more, 1);
        t.most[i] *= scale * more;
    }
    const orr_status st = by_level[lanes_level()](&t, first, count, w);
    for (int64_t i = 0; i < count && st == ORR_OK; i++)
        w[i] = w[i] / scale / more;
    free(x);
    return st;
}
