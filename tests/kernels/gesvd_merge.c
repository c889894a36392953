/* Divide and conquer of bidiagonal matrices by the pieces of gesvd_merge, in the order of the tasks:
 * random, graded, clustered, with zeros, of one value, at the ends of the range.
 *
 *   residual       |B - U S V'|_F / (n eps |B|_F)              <= 20
 *   orthogonality  |U'U - I|_F / (n eps), |V'V - I|_F / (n eps)  <= 20
 *   values         max |s - s of dbdsdc| / (n eps max s)       <= 20
 *   bits           the same with the parts from the last to the first
 *   outside        nothing behind u, v and s is written; B is not
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd_merge.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "canary.h"
#include "check.h"
#include "numbers.h"

static const double LIMIT = 20;

void dbdsdc_(const char *, const char *, const int *, double *, double *, double *, const int *,
             double *, const int *, double *, int *, double *, int *, int *);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);

struct problem {
    orr_type type;
    int64_t n;
    size_t size;
    char *d, *e, *u, *v, *s;
};

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }

/* ---- Matrices -------------------------------------------------------------------------------- */

enum {
    RANDOM,
    CHI,
    GRADED,
    UPWARD,
    CLUSTERED,
    ONES,
    BROKEN,
    SINGULAR,
    LOW_RANK,
    ZERO,
    DIAGONAL,
    NEGATIVE,
    LARGE,
    SMALL,
    KINDS
};
static const char *const name_of[KINDS] = {
    "random",    "chi",  "graded",      "graded upward",
    "clustered", "ones", "zeros above", "zeros on the diagonal",
    "low rank",  "zero", "diagonal",    "negative",
    "large",     "small"};

static void entries(int kind, int64_t n, int64_t i, int single, uint64_t *state, double *d,
                    double *e)
{
    const double x = next_uniform(state), y = next_uniform(state);
    const double end = single ? 0x1p120 : 0x1p1010, far = (double)(n - i), fall = single ? 6 : 14;
    *d = x;
    *e = y;
    switch (kind) {
    case CHI: *d = sqrt(far), *e = sqrt(far) * (1 + 0.1 * y); break;
    case GRADED: *d *= pow(10, -fall * (double)i / (double)n), *e *= fabs(*d); break;
    case UPWARD: *d *= pow(10, -fall * far / (double)n), *e *= fabs(*d); break;
    case CLUSTERED: *d = 1 + (double)(i % 3) * 0.5, *e = 1e-3 * (single ? 1e-3 : 1e-9) * y; break;
    case ONES: *d = *e = 1; break;
    case BROKEN: *e = i % 7 == 3 ? 0 : y; break;
    case SINGULAR: *d = i % 5 == 2 ? 0 : x; break;
    case LOW_RANK: *d = i < n / 3 ? x : 0, *e = i < n / 3 ? y : 0; break;
    case ZERO: *d = *e = 0; break;
    case DIAGONAL: *e = 0; break;
    case NEGATIVE: *d = -1 - (double)(i % 2), *e = -0.5; break;
    case LARGE: *d *= end, *e *= end; break;
    case SMALL: *d /= end, *e /= end; break;
    default: break;
    }
}

static struct problem make(orr_type t, int kind, int64_t n)
{
    const size_t size = t == ORR_S ? 4 : 8;
    struct problem p = {.type = t, .n = n, .size = size};
    uint64_t state = (uint64_t)(n + 100 * kind + 7);
    p.d = allocate((size_t)n * size);
    p.e = allocate((size_t)n * size);
    p.s = allocate((size_t)n * size);
    p.u = allocate((size_t)(n * n) * size);
    p.v = allocate((size_t)(n * n) * size);
    for (int64_t i = 0; i < n; i++) {
        double d, e;
        entries(kind, n, i, t == ORR_S, &state, &d, &e);
        put(t, p.d, i, d);
        if (i + 1 < n)
            put(t, p.e, i, e);
    }
    return p;
}

static void drop(struct problem *p) { free(p->d), free(p->e), free(p->s), free(p->u), free(p->v); }

/* ---- The pieces ------------------------------------------------------------------------------ */

struct run {
    orr_merge_tree t;
    const struct problem *p;
    char *part;
    int64_t whole, width; /* rows that one call does, columns of a part */
    int backwards;
};

enum { ARRANGE, SECULAR, COEFFICIENTS, PRODUCT };
/* Of both sides. */
static orr_status products(struct run *r, const orr_merge *m, int64_t first)
{
    orr_status st = ORR_OK;
    for (int side = 0; side < 2 && st == ORR_OK; side++)
        st = orr_gesvd_product_cpu[r->p->type](&r->t, m, side, first, r->width);
    return st;
}

static orr_status all_parts(struct run *r, const orr_merge *m, int piece)
{
    const int64_t parts = (m->n + r->width - 1) / r->width;
    const orr_type t = r->p->type;
    orr_status st = ORR_OK;
    for (int64_t i = 0; i < parts && st == ORR_OK; i++) {
        const int64_t q = r->backwards ? parts - 1 - i : i, first = q * r->width;
        char *part = r->part + (size_t)(q * m->n) * r->p->size;
        if (piece == ARRANGE)
            orr_gesvd_arrange_cpu[t](&r->t, m, first, r->width);
        else if (piece == SECULAR)
            st = orr_gesvd_secular_cpu[t](&r->t, m, first, r->width, part);
        else if (piece == COEFFICIENTS)
            st = orr_gesvd_coefficients_cpu[t](&r->t, m, first, r->width);
        else
            st = products(r, m, first);
    }
    return st;
}

static orr_status solve(struct run *r, int64_t first, int64_t n)
{
    const struct problem *p = r->p;
    if (n <= r->whole)
        return orr_gesvd_tree_cpu[p->type](&r->t, first, n, p->d, p->e, r->part);
    orr_merge m = orr_merge_of(2, first, n);
    orr_status st = solve(r, first, m.n1);
    if (st == ORR_OK)
        st = solve(r, first + m.cut, n - m.cut);
    if (st != ORR_OK)
        return st;
    orr_gesvd_deflate_cpu[p->type](&r->t, &m, p->d, p->e);
    all_parts(r, &m, ARRANGE);
    st = all_parts(r, &m, SECULAR);
    if (st != ORR_OK)
        return st;
    orr_gesvd_weigh_cpu[p->type](&r->t, &m, r->part, (n + r->width - 1) / r->width);
    st = all_parts(r, &m, COEFFICIENTS);
    return st == ORR_OK ? all_parts(r, &m, PRODUCT) : st;
}

/* Columns of x as `order` has them. */
static void arrange(const struct run *r, char *x, int64_t n)
{
    char *y = malloc((size_t)(n * n) * r->p->size + 1);
    const size_t column = (size_t)n * r->p->size;
    memcpy(y, x, column * (size_t)n);
    for (int64_t j = 0; j < n; j++)
        memcpy(x + column * (size_t)j, y + column * (size_t)(r->t.order[j] - 1), column);
    free(y);
}

static orr_status run(struct problem *p, int64_t whole, int64_t width, int backwards)
{
    struct run r = {.p = p, .whole = whole, .width = width, .backwards = backwards};
    CHECK(orr_merge_tree_make(&r.t, 2, p->n, (int64_t)p->size), "no memory");
    r.part = malloc((size_t)((p->n / width + 1) * p->n) * p->size);
    char *const x2 = malloc((size_t)(2 * p->n * p->n) * p->size + 1);
    CHECK(x2, "no memory");
    r.t.x[0] = p->u;
    r.t.x[1] = p->v;
    r.t.x2[0] = x2;
    r.t.x2[1] = x2 + (size_t)(p->n * p->n) * p->size;
    const orr_status st = solve(&r, 0, p->n);
    if (st == ORR_OK) {
        orr_gesvd_order_cpu[p->type](&r.t, 1, p->d, p->e, p->s);
        arrange(&r, p->u, p->n);
        arrange(&r, p->v, p->n);
    }
    free(r.part);
    orr_merge_tree_free(&r.t);
    free(x2);
    return st;
}

/* ---- Judgement ------------------------------------------------------------------------------- */

static double norm(int64_t count, const double *x)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* |c - op(a) op(b)|_F; c is lost. */
static double distance(const char *ta, const char *tb, int64_t n, const double *a, const double *b,
                       double *c)
{
    const double minus = -1, one = 1;
    const int n_ = (int)n;
    dgemm_(ta, tb, &n_, &n_, &n_, &minus, a, &n_, b, &n_, &one, c, &n_);
    return norm(n * n, c);
}

static double orthogonality(int64_t n, const double *x, double *work)
{
    memset(work, 0, (size_t)(n * n) * sizeof *work);
    for (int64_t i = 0; i < n; i++)
        work[i * (n + 1)] = 1;
    return distance("T", "N", n, x, x, work) / (double)n;
}

/* By dbdsdc, of B times `scale`, which is exact. */
static double value_error(const struct problem *p, double scale)
{
    const int n = (int)p->n;
    double *d = malloc(16 * (size_t)p->n), *e = d + n, *work = malloc((size_t)(8 * n) * 8), none,
           error = 0;
    int *iwork = malloc((size_t)(8 * n) * sizeof *iwork), unused, info;
    for (int i = 0; i < n; i++) {
        d[i] = creal(get(p->type, p->d, i)) * scale;
        e[i] = i + 1 < n ? creal(get(p->type, p->e, i)) * scale : 0;
    }
    dbdsdc_("U", "N", &n, d, e, &none, &n, &none, &n, &none, &unused, work, iwork, &info);
    CHECK(info == 0, "dbdsdc %d", info);
    for (int i = 0; i < n; i++)
        error = fmax(error, fabs(creal(get(p->type, p->s, i)) * scale - d[i]));
    error = d[0] > 0 ? error / d[0] / n : error;
    free(d), free(work), free(iwork);
    return error;
}

static void judge(const struct problem *p, const char *what, double worst[3])
{
    const int64_t n = p->n;
    const double eps = p->type == ORR_S ? FLT_EPSILON : DBL_EPSILON;
    double *u = malloc((size_t)(4 * n * n) * 8), *v = u + n * n, *us = v + n * n, *b = us + n * n,
           top = 0;
    int sorted = 1;
    for (int64_t i = 0; i < n; i++)
        top = fmax(top, fmax(fabs(creal(get(p->type, p->d, i))),
                             i + 1 < n ? fabs(creal(get(p->type, p->e, i))) : 0));
    int shift = 0;
    frexp(top, &shift);
    const double scale = ldexp(1, -shift);
    memset(b, 0, (size_t)(n * n) * 8);
    for (int64_t j = 0; j < n; j++) {
        const double s = creal(get(p->type, p->s, j)) * scale;
        sorted &= s >= 0 && !(j > 0 && s > creal(get(p->type, p->s, j - 1)) * scale);
        b[j * (n + 1)] = creal(get(p->type, p->d, j)) * scale;
        if (j > 0)
            b[j * n + j - 1] = creal(get(p->type, p->e, j - 1)) * scale;
        for (int64_t i = 0; i < n; i++) {
            u[j * n + i] = creal(get(p->type, p->u, j * n + i));
            v[j * n + i] = creal(get(p->type, p->v, j * n + i));
            us[j * n + i] = u[j * n + i] * s;
        }
    }
    const double size = norm(n * n, b), values = value_error(p, scale) / eps;
    const double residual =
        distance("N", "T", n, us, v, b) / (size > 0 ? size : 1) / (double)n / eps;
    const double left = orthogonality(n, u, us) / eps, right = orthogonality(n, v, us) / eps;
    CHECK(residual <= LIMIT && left <= LIMIT && right <= LIMIT && values <= LIMIT && sorted,
          "%s: residual %g left %g right %g values %g sorted %d", what, residual, left, right,
          values, sorted);
    worst[0] = fmax(worst[0], residual);
    worst[1] = fmax(worst[1], fmax(left, right));
    worst[2] = fmax(worst[2], values);
    free(u);
}

static void one(orr_type t, int kind, int64_t n, double worst[3])
{
    const int64_t whole = n % 3 == 0 ? ORR_GESVD_LEAF : 60, width = least(n, n % 2 ? 37 : 128);
    struct problem p = make(t, kind, n), q = make(t, kind, n);
    char what[96];
    snprintf(what, sizeof what, "%c %s n %lld", t == ORR_S ? 's' : 'd', name_of[kind],
             (long long)n);
    CHECK(run(&p, whole, width, 0) == ORR_OK, "%s: status", what);
    CHECK(run(&q, whole, width, 1) == ORR_OK, "%s: status", what);
    judge(&p, what, worst);
    const size_t vectors = (size_t)(n * n) * p.size, values = (size_t)n * p.size;
    CHECK(!memcmp(p.u, q.u, vectors) && !memcmp(p.v, q.v, vectors) && !memcmp(p.s, q.s, values),
          "%s: bits", what);
    CHECK(untouched(p.u + vectors, PAST) && untouched(p.v + vectors, PAST) &&
              untouched(p.s + values, PAST),
          "%s: written behind an array", what);
    drop(&q);
    q = make(t, kind, n);
    CHECK(!memcmp(p.d, q.d, values + PAST) && !memcmp(p.e, q.e, values + PAST), "%s: B", what);
    drop(&p);
    drop(&q);
}

int main(void)
{
    static const int64_t order[] = {1, 2, 25, 26, 27, 52, 53, 54, 80, 107, 129, 257, 300};
    double worst[3] = {0};
    for (orr_type t = ORR_S; t <= ORR_D; t++)
        for (int kind = 0; kind < KINDS; kind++)
            for (size_t i = 0; i < sizeof order / sizeof *order; i++)
                if (order[i] < 200 || kind < ONES || order[i] % 2)
                    one(t, kind, order[i], worst);
    printf("residual %.3g orthogonality %.3g values %.3g, of %g\n", worst[0], worst[1], worst[2],
           LIMIT);
    return checked();
}
