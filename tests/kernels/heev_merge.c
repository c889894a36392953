/* The deflation of heev_merge against LAPACK's laed2: random matrices, with values that are equal, with
 * halves that nothing couples, with both. And a merge as a whole where one half deflates and the other
 * does not.
 *
 *   integers   columns that are kept, their kinds and order: equal
 *   reals      rho, d, poles, z, vectors before and after: |x - y| <= 16 eps max(1, |y|)
 *   vectors    |Q'Q - I|_max <= 16 eps
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

/* What laed2 leaves: reals and integers as in orr_merge_tree. */
struct reference {
    void *d, *q, *q2, *z, *poles, *zk;
    int *index, k; /* indx, indxc, indxp, coltyp: [n] each, and 4 */
    double rho;
};

/* Of halves as t has them. */
static struct reference laed2(const orr_merge_tree *t, int64_t n1_, double rho, int single)
{
    const int n = (int)t->n, n1 = (int)n1_;
    const size_t size = single ? 4 : 8;
    const size_t square = (size_t)n * (size_t)n * size, line = (size_t)n * size;
    struct reference r = {.d = malloc(line),
                          .q = malloc(square),
                          .q2 = malloc(square),
                          .z = malloc(line),
                          .poles = malloc(line),
                          .zk = malloc(line),
                          .index = malloc((size_t)(4 * n + 4) * sizeof(int)),
                          .rho = rho};
    int *const order = malloc((size_t)n * sizeof(int)), info;
    memcpy(r.d, t->value, line);
    memcpy(r.q, t->x[0], square);
    for (int i = 0; i < n; i++) {
        const size_t from = (size_t)(i * n + n1 - (i < n1)) * size;
        order[i] = (i < n1 ? i : i - n1) + 1;
        memcpy((char *)r.z + (size_t)i * size, (char *)t->x[0] + from, size);
    }
    int *const at = r.index;
    if (single) {
        float x = (float)rho;
        slaed2_(&r.k, &n, &n1, r.d, r.q, &n, order, &x, r.z, r.poles, r.zk, r.q2, at, at + n,
                at + 2 * n, at + 3 * n, &info);
        r.rho = (double)x;
    } else {
        dlaed2_(&r.k, &n, &n1, r.d, r.q, &n, order, &r.rho, r.z, r.poles, r.zk, r.q2, at, at + n,
                at + 2 * n, at + 3 * n, &info);
    }
    free(order);
    return r;
}

static void drop(struct reference *r)
{
    void *const all[] = {r->d, r->q, r->q2, r->z, r->poles, r->zk, r->index};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void one(orr_type type, int64_t n, int kind)
{
    const int single = type == ORR_S;
    const size_t size = single ? 4 : 8;
    orr_merge_tree t;
    orr_merge m = orr_merge_of(1, 0, n);
    uint64_t state = 11 + (uint64_t)n;
    double largest = 0, torn = 0;
    char *d = malloc((size_t)n * size), *e = malloc((size_t)n * size);
    char *part = malloc((size_t)n * size);
    for (int64_t i = 0; i < n; i++) {
        double x, y;
        entries(kind, n, i, &state, &x, &y);
        if (single)
            ((float *)d)[i] = (float)x, ((float *)e)[i] = (float)y;
        else
            ((double *)d)[i] = x, ((double *)e)[i] = y;
        largest = larger(largest, fabs(x));
        largest = i + 1 < n ? larger(largest, fabs(y)) : largest;
        torn = i == m.n1 - 1 ? real(e, i, single) : torn;
    }
    CHECK(orr_merge_tree_make(&t, 1, n, (int64_t)size), "no memory");
    t.x[0] = calloc((size_t)(n * n), size);
    t.x2[0] = malloc((size_t)(n * n) * size);
    CHECK(orr_heev_leaf_cpu[type](&t, 0, m.n1, d, e, part) == ORR_OK &&
              orr_heev_leaf_cpu[type](&t, m.n1, n - m.n1, d, e, part) == ORR_OK,
          "a half failed");
    if (single)
        torn = (double)((float)torn / (float)(largest > 0 ? largest : 1));
    else
        torn /= largest > 0 ? largest : 1;
    struct reference r = laed2(&t, m.n1, torn, single);
    orr_heev_deflate_cpu[type](&t, &m, d, e);
    for (int64_t j = 0; j < n; j += 7)
        orr_heev_arrange_cpu[type](&t, &m, j, 7);
    CHECK(orr_heev_secular_cpu[type](&t, &m, m.k, n - m.k, part) == ORR_OK, "nothing to solve");

    const int *count = r.index + 3 * n;
    int same = m.k == r.k;
    int64_t copied = 0;
    if (m.k > 0) {
        same &= m.upper == count[0] && m.both == count[1] && m.k - m.upper - m.both == count[2] &&
                n - m.k == count[3];
        for (int64_t i = 0; i < n; i++)
            same &= t.row[i] + 1 == r.index[n + i];
        copied = (m.upper + m.both) * m.n1 + (m.k - m.upper) * (n - m.n1) + (n - m.k) * n;
    }
    CHECK(same, "%s, n = %d, type %d: other columns are kept: %d, LAPACK %d", name_of[kind], (int)n,
          (int)type, (int)m.k, (int)r.k);
    const double eps = single ? FLT_EPSILON : DBL_EPSILON;
    double worst = fabs(m.rho - r.rho);
    worst = larger(worst, apart(t.value, r.d, n, single));
    worst = larger(worst, apart(t.x[0], r.q, n * n, single));
    worst = larger(worst, apart(t.pole, r.poles, m.k, single));
    worst = larger(worst, apart(t.zk, r.zk, m.k, single));
    worst = larger(worst, same ? apart(t.x2[0], r.q2, copied, single) : 0);
    CHECK(worst <= 16 * eps, "%s, n = %d, type %d: %g eps from LAPACK's", name_of[kind], (int)n,
          (int)type, worst / eps);
    drop(&r);
    free(t.x[0]);
    free(t.x2[0]);
    orr_merge_tree_free(&t);
    free(d);
    free(e);
    free(part);
}

/* A coupling that is large enough for the one row of a diagonal half, and too small for the many of the
 * other, in whose vectors it is spread: no column that is kept has entries there. */
static void one_half_deflates(orr_type type)
{
    enum { N = 130 };
    const int single = type == ORR_S;
    const size_t size = single ? 4 : 8;
    const double eps = single ? FLT_EPSILON : DBL_EPSILON;
    for (int upper = 0; upper < 2; upper++) {
        orr_merge_tree t;
        orr_merge m = orr_merge_of(1, 0, N);
        double d[N], e[N];
        char part[N * sizeof(double)];
        double worst = 0;
        for (int64_t i = 0; i < N; i++) {
            const int spread = (i < m.n1) == upper;
            put(type, d, i, spread ? 0.25 : 1 - 0.5 * (double)i / N);
            put(type, e, i, i == m.n1 - 1 ? 8 * eps : spread ? 0.1 : 0);
        }
        CHECK(orr_merge_tree_make(&t, 1, N, (int64_t)size), "no memory");
        t.x[0] = calloc(N * N, size);
        t.x2[0] = malloc(N * N * size);
        CHECK(orr_heev_leaf_cpu[type](&t, 0, m.n1, d, e, part) == ORR_OK &&
                  orr_heev_leaf_cpu[type](&t, m.n1, N - m.n1, d, e, part) == ORR_OK,
              "a half failed");
        orr_heev_deflate_cpu[type](&t, &m, d, e);
        CHECK(m.k == 1 && m.both == 0 && m.upper == !upper, "%d kept, %d of the upper half",
              (int)m.k, (int)m.upper);
        orr_heev_arrange_cpu[type](&t, &m, 0, N);
        CHECK(orr_heev_secular_cpu[type](&t, &m, 0, N, part) == ORR_OK &&
                  orr_heev_weigh_cpu[type](&t, &m, part, 1) == ORR_OK &&
                  orr_heev_coefficients_cpu[type](&t, &m, 0, N) == ORR_OK &&
                  orr_heev_product_cpu[type](&t, &m, 0, 0, N) == ORR_OK,
              "the merge failed");
        for (int a = 0; a < N; a++)
            for (int b = 0; b <= a; b++) {
                double sum = -(a == b);
                for (int i = 0; i < N; i++)
                    sum += real(t.x[0], a * N + i, single) * real(t.x[0], b * N + i, single);
                worst = larger(worst, fabs(sum));
            }
        CHECK(worst <= 16 * eps, "type %d: Q'Q - I has %g eps", (int)type, worst / eps);
        free(t.x[0]);
        free(t.x2[0]);
        orr_merge_tree_free(&t);
    }
}

int main(void)
{
    static const int64_t order[] = {2, 3, 5, 16, 57, 130};
    for (int type = ORR_S; type <= ORR_D; type++) {
        one_half_deflates((orr_type)type);
        for (size_t k = 0; k < sizeof order / sizeof *order; k++)
            for (int kind = 0; kind < KINDS; kind++)
                one((orr_type)type, order[k], kind);
    }
    return checked();
}
