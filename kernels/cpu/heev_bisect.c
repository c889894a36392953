/* Eigenvalues of a tridiagonal matrix by number: bisection with signs of leading minors, and false
 * position with their last one once a value is alone in its bracket. Values do not wait for each
 * other, and a lane of a vector has one each.
 *
 * Minors are products, not quotients: no division, and none of them can be zero beside a zero,
 * since an off-diagonal entry below eps/4 of the norm is taken for that. Single precision is
 * done in double.
 *
 * Sources: W. Barth, R. S. Martin, J. H. Wilkinson, Numer. Math. 9, 386-393, 1967 (minors);
 * bisect.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "heev_bisect.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bisect.h"
#include "lanes.h"
#include "lanes_turn.h" /* UNROLL */

enum {
    RESCALE = 8, /* minors change by less than 2^110 in a step */
    MOST_STEPS = 400
};
#define LEAST_E2 0x1p-108 /* of a matrix of norm 1/4 to 1/2 */

#include "kernels/as_d.h"
#define TYPES "heev_bisect.inc.c"
#include "each_isa.inc.c"

typedef orr_status bisect_fn(const orr_bisect *, int64_t first, int64_t count, double *w);

static bisect_fn *const by_level[5] = {
    [0] = bisect_v0_d,
#ifdef LANES_X86
    [3] = bisect_v3_d,
    [4] = LANES_V4(bisect_v4_d),
#endif
};

/* |T|_inf, or more than the range has. */
static double norm_times(int64_t n, const double *d, const double *e, double factor)
{
    double norm = 0;
    for (int64_t i = 0; i < n; i++) {
        const double sum = factor * fabs(d[i]) + (i ? factor * fabs(e[i - 1]) : 0) +
                           (i + 1 < n ? factor * fabs(e[i]) : 0);
        if (!isfinite(sum))
            return sum;
        norm = fmax(norm, sum);
    }
    return norm;
}

orr_status orr_bisect_values(int64_t n, const double *d, const double *e, double eps, int64_t first,
                             int64_t count, double *w)
{
    double norm = norm_times(n, d, e, 1);
    int power, quarters = 0;
    if (!isfinite(norm)) {
        norm = norm_times(n, d, e, 0x1p-2);
        quarters = 2;
    }
    if (!isfinite(norm))
        return ORR_NOCONV;
    if (norm == 0) { /* there is no scale, and eps |T| is 0 */
        memset(w, 0, (size_t)count * sizeof *w);
        return ORR_OK;
    }
    frexp(norm, &power); /* norm 2^-power is at least 1/2 */
    power += quarters;
    /* two factors, since 2^-power may be beyond the range */
    const double scale = ldexp(1, (-power - 1) / 2), more = ldexp(1, -power - 1 - (-power - 1) / 2);
    double *x = malloc(2 * (size_t)n * sizeof *x + 1);
    if (!x)
        return ORR_E_NOMEM;
    double *e2 = x + n;
    for (int64_t i = 0; i < n; i++) {
        const double left = i ? e[i - 1] * scale * more : 0;
        x[i] = d[i] * scale * more;
        e2[i] = fmax(left * left, LEAST_E2);
    }
    const orr_bisect t = {.n = n, .d = x, .e2 = e2, .bound = 0.500001, .tol = eps / 2};
    const orr_status st = by_level[lanes_level()](&t, first, count, w);
    for (int64_t i = 0; i < count && st == ORR_OK; i++)
        w[i] = w[i] / scale / more;
    free(x);
    return st;
}
