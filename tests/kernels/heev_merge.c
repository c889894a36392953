/* The deflation of heev_merge against LAPACK's laed2: random matrices, with values that are equal, with
 * halves that nothing couples, with both.
 *
 *   integers   columns that are kept, their kinds and order: equal
 *   reals      rho, d, poles, z, vectors before and after: |x - y| <= 16 eps max(1, |y|)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev_merge.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "larger.h"
#include "numbers.h"

void slaed2_(int *, const int *, const int *, float *, float *, const int *, int *, float *,
             float *, float *, float *, float *, int *, int *, int *, int *, int *);
void dlaed2_(int *, const int *, const int *, double *, double *, const int *, int *, double *,
             double *, double *, double *, double *, int *, int *, int *, int *, int *);

enum { RANDOM, LAPLACE, WILKINSON, GLUED, ONES, APART, WEAK, ZERO, KINDS };
static const char *const name_of[KINDS] = {"random",    "laplace", "wilkinson",      "glued",
                                           "one value", "apart",   "weakly coupled", "zero"};

static void entries(int kind, int64_t n, int64_t i, uint64_t *state, double *d, double *e)
{
    const double x = next_uniform(state), y = next_uniform(state);
    const int torn = i == n / 2 - 1;
    *d = x;
    *e = y;
    switch (kind) {
    case LAPLACE: *d = 2, *e = -1; break;
    case WILKINSON: *d = fabs((double)i - 0.5 * (double)(n - 1)), *e = 1; break;
    case GLUED: *d = fabs((double)(i % 11) - 5), *e = i % 11 == 10 ? 1e-12 : 1; break;
    case ONES: *d = 1, *e = torn ? 0.5 : 0; break;
    case APART: *e = torn ? 0 : y; break;
    case WEAK: *e = torn ? -1e-9 : y; break;
    case ZERO: *d = *e = 0; break;
    default: break;
    }
}

static double real(const void *x, int64_t i, int single)
{
    return single ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

/* The largest |x - y| / max(1, |y|) of so many. */
static double apart(const void *x, const void *y, int64_t count, int single)
{
    double worst = 0;
    for (int64_t i = 0; i < count; i++) {
        const double b = real(y, i, single), e = fabs(real(x, i, single) - b) / fmax(1, fabs(b));
        worst = e > worst || isnan(e) ? e : worst;
    }
    return worst;
}

/* What laed2 makes of m as the halves leave it. */
static void laed2(orr_heev_merge *m, int single)
{
    const int n = (int)m->n, n1 = (int)m->n1;
    int *index = m->order + n, info;
    for (int i = 0; i < n; i++) {
        const int64_t from = (int64_t)i * n + n1 - (i < n1);
        m->order[i] = (i < n1 ? i : i - n1) + 1;
        memcpy((char *)m->z + i * (single ? 4 : 8), (char *)m->q + from * (single ? 4 : 8),
               single ? 4 : 8);
    }
    if (single) {
        float rho = (float)m->rho;
        slaed2_(&m->k, &n, &n1, m->d, m->q, &n, m->order, &rho, m->z, m->poles, m->zk, m->q2, index,
                index + n, index + 2 * n, index + 3 * n, &info);
        m->rho = (double)rho;
    } else {
        dlaed2_(&m->k, &n, &n1, m->d, m->q, &n, m->order, &m->rho, m->z, m->poles, m->zk, m->q2,
                index, index + n, index + 2 * n, index + 3 * n, &info);
    }
}

static void one(orr_type type, int64_t n, int kind)
{
    const int single = type == ORR_S;
    const size_t size = single ? 4 : 8;
    orr_heev_merge m, ref;
    uint64_t state = 11 + (uint64_t)n;
    char *d = malloc((size_t)n * size), *e = malloc((size_t)n * size);
    for (int64_t i = 0; i < n; i++) {
        double x, y;
        entries(kind, n, i, &state, &x, &y);
        if (single)
            ((float *)d)[i] = (float)x, ((float *)e)[i] = (float)y;
        else
            ((double *)d)[i] = x, ((double *)e)[i] = y;
    }
    CHECK(orr_heev_merge_make(&m, n, (int64_t)size) && orr_heev_merge_make(&ref, n, (int64_t)size),
          "no memory");
    m.q = calloc((size_t)(n * n), size);
    ref.q = malloc((size_t)(n * n) * size);
    for (int which = 0; which < 2; which++)
        CHECK(orr_heev_half_cpu[type](&m, which, d, e) == ORR_OK, "a half failed");
    memcpy(ref.q, m.q, (size_t)(n * n) * size);
    memcpy(ref.d, m.d, (size_t)n * size);
    ref.rho = m.rho;
    laed2(&ref, single);
    orr_heev_deflate_cpu[type](&m);

    int same = m.k == ref.k;
    int64_t copied = 0;
    if (m.k > 0) {
        const int *count = m.order + 4 * n;
        same &= !memcmp(count, ref.order + 4 * n, 4 * sizeof *count);
        for (int64_t i = 0; i < n; i++)
            same &= m.order[2 * n + i] + 1 == ref.order[2 * n + i];
        copied = (count[0] + count[1]) * m.n1 + (count[1] + count[2]) * (n - m.n1) + count[3] * n;
    }
    CHECK(same, "%s, n = %d, type %d: other columns are kept: %d, LAPACK %d", name_of[kind], (int)n,
          (int)type, (int)m.k, (int)ref.k);
    const double eps = single ? FLT_EPSILON : DBL_EPSILON;
    double worst = fabs(m.rho - ref.rho);
    worst = larger(worst, apart(m.d, ref.d, n, single));
    worst = larger(worst, apart(m.q, ref.q, n * n, single));
    worst = larger(worst, apart(m.poles, ref.poles, m.k, single));
    worst = larger(worst, apart(m.zk, ref.zk, m.k, single));
    worst = larger(worst, same ? apart(m.q2, ref.q2, copied, single) : 0);
    CHECK(worst <= 16 * eps, "%s, n = %d, type %d: %g eps from LAPACK's", name_of[kind], (int)n,
          (int)type, worst / eps);
    free(m.q);
    free(ref.q);
    orr_heev_merge_free(&m);
    orr_heev_merge_free(&ref);
    free(d);
    free(e);
}

int main(void)
{
    static const int64_t order[] = {2, 3, 5, 16, 57, 130};
    for (int type = ORR_S; type <= ORR_D; type++)
        for (size_t k = 0; k < sizeof order / sizeof *order; k++)
            for (int kind = 0; kind < KINDS; kind++)
                one((orr_type)type, order[k], kind);
    return checked();
}
