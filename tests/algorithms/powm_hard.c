/* powm and pagerank where it is hard: Krylov spaces that close, limits, numbers at the ends of the
 * range, matrices of order 1 to 6 with eigenvalues that repeat, vanish or are defective.
 *
 *   closed     as many copies of a multiple eigenvalue as there are
 *   limits     products <= max_products, and a status that says so
 *   scales     of 2^s A: 2^s times the values of A, the same bits (LAPACK's Schur form: 8 eps)
 *   random     against LAPACK's geev: |v|, residual and intervals computed here in long double
 *   ranks      pagerank of weights times powers of two, all or each node's: the same bits
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/powm_case.h"
#include "algorithms/open.h"
#include "check.h"

void zgeev_(const char *, const char *, const int32_t *, double complex *, const int32_t *,
            double complex *, double complex *, const int32_t *, double complex *, const int32_t *,
            double complex *, const int32_t *, double *, int32_t *);

enum { MOST = 8 };

/* A dense matrix, by columns. */
struct dense {
    int n, is_complex;
    double complex a[MOST * MOST];
};

static orr_mtx mtx_of(const struct dense *d)
{
    orr_mtx m = random_mtx(d->n, d->n, d->n * d->n, d->is_complex ? 3 : 2, 1); /* room */
    m.entries = 0;
    for (int i = 0; i < d->n; i++)
        for (int j = 0; j < d->n; j++) {
            const double complex v = d->a[j * d->n + i];
            if (v == 0)
                continue;
            m.row[m.entries] = i;
            m.col[m.entries] = j;
            m.val[d->is_complex ? 2 * m.entries : m.entries] = creal(v);
            if (d->is_complex)
                m.val[2 * m.entries + 1] = cimag(v);
            m.entries++;
        }
    return m;
}

struct answer {
    orr_status st;
    orr_powm_result r;
    orr_eigenpair e[MOST + 1];
    double v[2 * MOST * (MOST + 1)];
};

static struct answer powm_of_mtx(orr_context *ctx, const orr_mtx *m, char type, orr_powm_opts o)
{
    struct answer a = {0};
    orr_sparse *A = NULL;
    char message[256];
    a.st = orr_sparse_from_mtx(ctx, m, &(orr_sparse_opts){.type = type, .blocks = m->rows / 40}, &A,
                               message);
    CHECK(a.st == ORR_OK, "%s", message);
    if (a.st == ORR_OK)
        a.st = orr_powm(ctx, A, &o, a.e, m->rows <= MOST ? a.v : NULL, &a.r, NULL);
    CHECK(a.st >= 0, "status %d", a.st);
    orr_sparse_free(A);
    return a;
}

static struct answer powm_of(orr_context *ctx, const struct dense *d, char type, orr_powm_opts o)
{
    orr_mtx m = mtx_of(d);
    const struct answer a = powm_of_mtx(ctx, &m, type, o);
    orr_mtx_free(&m);
    return a;
}

static struct dense diagonal(int n, const double *values)
{
    struct dense d = {.n = n};
    for (int i = 0; i < n; i++)
        d.a[i * n + i] = values[i];
    return d;
}

/* ---- Closed spaces and limits -------------------------------------------------------------- */

static void closed_spaces(orr_context *ctx)
{
    static const struct {
        int n, k;
        double diagonal[MOST], want[MOST];
    } cases[] = {
        {3, 2, {1, 1, 0.5}, {1, 1}},
        {3, 3, {1, 1, 0.5}, {1, 1, 0.5}},
        {5, 2, {1, 1, 1, 1, 1}, {1, 1}},
        {7, 7, {1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1}},
        {6, 2, {1, 0.1, 0.2, 0.3, 0.4, 1}, {1, 1}},
        {7, 4, {2, 2, 1, 2, 0.5, 0.5, 1}, {2, 2, 2, 1}},
        {4, 2, {3, -3, 1, 3}, {3, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int t = 0; t < 4; t++) {
            const struct dense d = diagonal(cases[i].n, cases[i].diagonal);
            const double tol = t % 2 ? 1e-9 : 1e-4;
            const struct answer a = powm_of(
                ctx, &d, "sdcz" [t],
                (orr_powm_opts) { .k = cases[i].k, .max_products = 100, .tol = tol });
            CHECK(a.st == ORR_OK && a.r.found == cases[i].k,
                  "closed %zu %c: status %d, %d found: %s", i, "sdcz"[t], a.st, a.r.found,
                  a.r.note);
            for (int c = 0; c < a.r.found; c++)
                CHECK(fabs(fabs(a.e[c].re) - cases[i].want[c]) <= tol,
                      "closed %zu %c: value %d is %.10g, not %g", i, "sdcz"[t], c, a.e[c].re,
                      cases[i].want[c]);
            CHECK(a.r.products <= 100, "closed %zu: %lld products", i, (long long)a.r.products);
        }
    /* more rows than the basis has columns, three different values */
    static const double some[] = {5, 4, 0.25};
    orr_mtx m = random_mtx(203, 203, 203, 2, 1);
    m.entries = 203;
    for (int64_t i = 0; i < 203; i++) {
        m.row[i] = m.col[i] = i;
        m.val[i] = some[i < 3 ? 0 : 1 + i % 2];
    }
    const struct answer a = powm_of_mtx(ctx, &m, 'd', (orr_powm_opts){.k = 5});
    CHECK(a.st == ORR_OK && a.r.found == 5 && fabs(a.e[2].re - 5) < 1e-9 &&
              fabs(a.e[3].re - 4) < 1e-9,
          "three of three: %d found, %.10g %.10g", a.r.found, a.e[2].re, a.e[3].re);
    orr_mtx_free(&m);
}

static void limits(orr_context *ctx)
{
    orr_mtx m = random_mtx(90, 90, 700, 2, 3);
    for (int method = 1; method <= 3; method++)
        for (int64_t most = 1; most < 60; most = most * 2 + 1) {
            const orr_powm_opts o = {.method = (orr_powm_method)method,
                                     .k = method == 3 ? 4 : 1,
                                     .tol = 1e-13,
                                     .max_products = most};
            const struct answer a = powm_of_mtx(ctx, &m, 'd', o);
            CHECK(a.r.products <= most && (a.st == ORR_NOCONV || most > 40) && a.r.note[0],
                  "method %d: %lld products, not %lld; status %d", method, (long long)a.r.products,
                  (long long)most, a.st);
        }
    orr_mtx_free(&m);
    /* enough for two copies, not to see that a third is no larger */
    const struct dense d = diagonal(5, (double[]){1, 1, 1, 1, 1});
    const struct answer a = powm_of(ctx, &d, 'd', (orr_powm_opts){.k = 2, .max_products = 2});
    CHECK(a.r.products == 2 && strstr(a.r.note, "copies"), "two products: '%s'", a.r.note);
}

/* One criterion for every pair: exit 4 where one is not good enough, and the pairs counted. */
static void criterion(orr_context *ctx)
{
    struct dense d = {.n = 4};
    d.a[0] = d.a[2 * 4 + 1] = d.a[3 * 4 + 2] = 1; /* 1, and 0 three times in one block */
    int enough = 0;
    for (uint64_t seed = 0; seed < 9; seed++) {
        const struct answer a = powm_of(ctx, &d, 'd', (orr_powm_opts){.k = 4, .seed = seed});
        int good = 0;
        for (int c = 0; c < a.r.found; c++)
            good += a.e[c].relative <= 1e-10;
        CHECK(a.r.found == 4 && a.r.converged == good && (a.st == ORR_OK) == (good == 4) &&
                  a.r.tol == 1e-10,
              "block of zeros: status %d, %d of %d good, %d said", a.st, good, a.r.found,
              a.r.converged);
        enough += good == 4;
    }
    CHECK(enough < 9, "no case was hard");
    const struct dense two = diagonal(2, (double[]){1, 0});
    const struct answer b = powm_of(ctx, &two, 'd', (orr_powm_opts){.k = 2});
    CHECK((b.st == ORR_OK) == (b.e[1].relative <= b.r.tol), "diag(1, 0): status %d, residual %g",
          b.st, b.e[1].relative);
}

/* ---- Scales -------------------------------------------------------------------------------- */

static struct dense scaled(const struct dense *d, int s)
{
    struct dense x = *d;
    for (int i = 0; i < d->n * d->n; i++)
        x.a[i] = CMPLX(ldexp(creal(d->a[i]), s), ldexp(cimag(d->a[i]), s));
    return x;
}

static void scales(orr_context *ctx)
{
    static const struct dense cases[] = {
        {3, 0, {1, 2, 4, 2, -3, 1, 4, 1, 2}}, /* symmetric */
        {2, 0, {1, 3, 2, 4}},
        {3, 0, {0, 2, 0, -2, 0, 0, 0, 0, 0.5}}, /* +-2i */
        {3, 0, {0, 1, 0, 1, 0, 1, 0, 1, 0}},    /* a path */
        {2, 1, {1, 2 + 1 * I, 2 - 1 * I, -1}},  /* Hermitian */
        {3, 1, {1 + 1 * I, 0, 2, 3, -2, 1 * I, 0, 1, 1}},
    };
    static const int shifts[] = {-1000, -600, -127, -60, 60, 125, 300, 530, 1019};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int method = 1; method <= 3; method++)
            for (int t = cases[i].is_complex ? 2 : 0; t < 4; t++) {
                const orr_powm_opts o = {.method = (orr_powm_method)method,
                                         .k = method == 3 ? 2 : 1,
                                         .max_products = 400};
                const struct answer one = powm_of(ctx, &cases[i], "sdcz"[t], o);
                const int bits = method < 3 || i == 0 || i > 2; /* LAPACK rounds otherwise */
                const double off = bits ? 0 : 8 * (t % 2 ? DBL_EPSILON : FLT_EPSILON);
                for (size_t j = 0; j < sizeof shifts / sizeof *shifts; j++) {
                    const int s = shifts[j];
                    const struct dense x = scaled(&cases[i], s);
                    const struct answer a = powm_of(ctx, &x, "sdcz"[t], o);
                    CHECK(a.st == one.st && a.r.found == one.r.found &&
                              strcmp(a.r.name, one.r.name) == 0,
                          "case %zu %c method %d 2^%d: status %d '%s', not %d '%s'", i, "sdcz"[t],
                          method, s, a.st, a.r.name, one.st, one.r.name);
                    CHECK(!bits || memcmp(a.v, one.v, sizeof a.v) == 0,
                          "case %zu %c method %d 2^%d: other vectors", i, "sdcz"[t], method, s);
                    for (int c = 0; c < a.r.found; c++) {
                        const orr_eigenpair *e = &a.e[c], *f = &one.e[c];
                        const double size = hypot(one.e[0].re, one.e[0].im);
                        const double near = off * size + ldexp(s < 0, -1074 - s);
                        CHECK(fabs(ldexp(e->re, -s) - f->re) <= near &&
                                  fabs(ldexp(e->im, -s) - f->im) <= near &&
                                  (e->relative == f->relative ||
                                   fabs(e->relative - f->relative) <= 10 * off) &&
                                  e->dominant == f->dominant,
                              "case %zu %c method %d 2^%d: %.17g %+.17gi, not %.17g %+.17gi", i,
                              "sdcz"[t], method, s, e -> re, e -> im, ldexp(f->re, s),
                              ldexp(f->im, s));
                        CHECK(!bits || !(f->low <= f->high) ||
                                  (e->low <= ldexp(f->low, s) && e->high >= ldexp(f->high, s)),
                              "case %zu 2^%d: [%g, %g]", i, s, e->low, e->high);
                    }
                }
            }
}

/* At the very ends: few digits are left of the entries, or the values do not fit. */
static void ends(orr_context *ctx)
{
    static const struct dense symmetric = {3, 0, {1, 2, 4, 2, -3, 1, 4, 1, 2}};
    for (int t = 0; t < 2; t++) {
        const orr_powm_opts o = {.k = 3};
        struct dense tiny = scaled(&symmetric, -1060), huge = {.n = 6};
        const struct answer a = powm_of(ctx, &tiny, "dz"[t], o);
        const struct answer one = powm_of(ctx, &symmetric, "dz"[t], o);
        for (int c = 0; c < 3; c++)
            CHECK(a.st == ORR_OK && fabs(ldexp(a.e[c].re, 1060) - one.e[c].re) <= 0x1p-14 &&
                      ldexp(a.e[c].low, 1060) <= one.e[c].low &&
                      ldexp(a.e[c].high, 1060) >= one.e[c].high,
                  "2^-1060: %.10g in [%.10g, %.10g], not %.10g", ldexp(a.e[c].re, 1060),
                  ldexp(a.e[c].low, 1060), ldexp(a.e[c].high, 1060), one.e[c].re);
        for (int i = 0; i < 36; i++)
            huge.a[i] = 1.7e308;
        for (int method = 1; method <= 3; method++) {
            const struct answer b = powm_of(
                ctx, &huge, "dz" [t],
                (orr_powm_opts) { .method = (orr_powm_method)method, .max_products = 300 });
            CHECK(b.e[0].low <= DBL_MAX && b.e[0].high > DBL_MAX, "6 x 1.7e308 in [%g, %g]",
                  b.e[0].low, b.e[0].high);
            CHECK(b.st == ORR_NOCONV && strstr(b.r.note, "more than a double"),
                  "6 x 1.7e308, method %d: status %d, %g, '%s'", method, b.st, b.e[0].re, b.r.note);
        }
    }
    /* entries too different: whatever is said to be good is an eigenvalue, +-1e-100 */
    struct dense graded = {.n = 2};
    graded.a[2] = 1;
    graded.a[1] = 1e-200;
    for (int method = 1; method <= 3; method++) {
        const struct answer b =
            powm_of(ctx, &graded, 'd',
                    (orr_powm_opts){.method = (orr_powm_method)method, .max_products = 300});
        CHECK(strcmp(b.r.name, "nilpotent") != 0 &&
                  (b.st == ORR_NOCONV || fabs(fabs(b.e[0].re) - 1e-100) < 1e-108),
              "graded, method %d: status %d '%s' %g", method, b.st, b.r.name, b.e[0].re);
    }
}

/* ---- Random, against LAPACK ---------------------------------------------------------------- */

static uint64_t state = 12345;
static uint64_t draw(uint64_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}
static double real_number(void) { return (double)draw(1 << 30) / (1 << 29) - 1; }

static double complex entry(int kind, int i, int j)
{
    switch (kind) {
    case 0: return real_number();
    case 1: /* small integers: often singular or defective */ return (double)draw(4) - 1;
    case 2: /* Jordan blocks */ return i == j ? (double)draw(3) : j == i + 1 ? (double)draw(2) : 0;
    case 3: /* sparse, not negative */ return draw(3) ? 0 : (double)draw(5) / 4;
    case 4: return i == j ? (double)(int)(draw(7) - 3) / 2 : 0;
    default: return CMPLX(real_number(), (double)draw(3) - 1);
    }
}

static struct dense random_dense(void)
{
    struct dense d = {.n = 1 + (int)draw(6)};
    const int kind = (int)draw(6), symmetric = draw(3) == 0, n = d.n;
    d.is_complex = kind == 5;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            d.a[j * n + i] = symmetric && i > j ? conj(d.a[i * n + j]) : entry(kind, i, j);
    for (int j = 0; symmetric && j < n; j++)
        for (int i = 0; i <= j; i++)
            d.a[j * n + i] = i == j ? creal(d.a[j * n + i]) : conj(d.a[i * n + j]);
    return d;
}

static int by_modulus(const void *a, const void *b)
{
    const double x = cabs(*(const double complex *)a), y = cabs(*(const double complex *)b);
    return (x < y) - (x > y);
}

static void eigenvalues(const struct dense *d, double complex *w)
{
    double complex a[MOST * MOST], work[20 * MOST], none[1];
    double rwork[2 * MOST];
    const int32_t n = d->n, one = 1, lwork = 20 * MOST;
    int32_t info;
    memcpy(a, d->a, sizeof a);
    zgeev_("N", "N", &n, a, &n, w, none, &one, none, &one, work, &lwork, rwork, &info);
    qsort(w, (size_t)n, sizeof *w, by_modulus);
}

/* |A v - lambda v| of column c, in long double, of A as it is given. */
static double residual_of(const struct dense *d, const struct answer *a, orr_type t, int c)
{
    const int n = d->n, real_type = t == ORR_S || t == ORR_D;
    const int second = real_type && a->e[c].im < 0, first = c - second;
    long double complex v[MOST] = {0};
    long double sum = 0, length = 0;
    for (int i = 0; i < n; i++) {
        v[i] = get(t, (const char *)a->v, first * n + i);
        if (real_type && a->e[c].im != 0)
            v[i] += (second ? -1 : 1) * I * get(t, (const char *)a->v, (first + 1) * n + i);
        length += creall(v[i]) * creall(v[i]) + cimagl(v[i]) * cimagl(v[i]);
    }
    for (int i = 0; i < n; i++) {
        long double complex y = -CMPLX(a->e[c].re, a->e[c].im) * v[i];
        for (int j = 0; j < n; j++)
            y += d->a[j * n + i] * v[j];
        sum += creall(y) * creall(y) + cimagl(y) * cimagl(y);
    }
    return (double)sqrtl(sum / length);
}

static void one_random(orr_context *ctx, int trial)
{
    const struct dense d = random_dense();
    double complex w[MOST] = {0};
    double norm = 0;
    eigenvalues(&d, w);
    for (int i = 0; i < d.n * d.n; i++)
        norm = hypot(norm, cabs(d.a[i]));
    const int method = 1 + (int)draw(3), k = method == 3 ? 1 + (int)draw((uint64_t)d.n) : 1;
    const orr_type t = d.is_complex || draw(3) == 0 ? ORR_Z : ORR_D;
    const struct answer a = powm_of(
        ctx, &d, t == ORR_Z ? 'z' : 'd',
        (orr_powm_opts){
            .method = (orr_powm_method)method, .k = k, .seed = draw(1000), .max_products = 2000});
    if (a.st != ORR_OK || strcmp(a.r.name, "zero") == 0)
        return;
    if (strcmp(a.r.name, "nilpotent") == 0) {
        CHECK(cabs(w[0]) < 1e-2 * (norm + 1), "trial %d: not nilpotent: %g", trial, cabs(w[0]));
        return;
    }
    CHECK(a.r.found >= k, "trial %d: %d of %d", trial, a.r.found, k);
    for (int c = 0; c < a.r.found; c++) {
        const orr_eigenpair *e = &a.e[c];
        const double size = hypot(e->re, e->im), r = residual_of(&d, &a, t, c);
        CHECK(r <= 2 * a.r.tol * size + 1e-14 * norm, "trial %d: residual %g of %g", trial, r,
              size);
        /* a block of order j: the j-th root of eps; of power iteration the first only */
        CHECK(c >= k || fabs(size - cabs(w[c])) <= 5e-3 * (cabs(w[0]) + 1e-3),
              "trial %d, method %d: value %d of %d is %.12g %+.12gi, not %.12g %+.12gi", trial,
              method, c, k, e->re, e->im, creal(w[c]), cimag(w[c]));
        double nearest = INFINITY;
        for (int i = 0; e->low <= e->high && i < d.n; i++)
            if (!e->dominant || cabs(w[i]) >= cabs(w[0]) * (1 - 1e-7))
                nearest = fmin(nearest, fmax(e->low - creal(w[i]), creal(w[i]) - e->high));
        CHECK(!(e->low <= e->high) || nearest <= 1e-13 * norm || e->re == 0,
              "trial %d: [%.17g, %.17g] has none, the nearest is off by %g", trial, e->low, e->high,
              nearest);
    }
}

/* ---- PageRank ------------------------------------------------------------------------------ */

static orr_pagerank_result rank_of(orr_context *ctx, const orr_mtx *m, char type, const double *p,
                                   double *x)
{
    orr_sparse *G;
    char message[256];
    orr_pagerank_result r = {0};
    orr_status st = orr_sparse_from_mtx(
        ctx, m, &(orr_sparse_opts){.graph = 1, .type = type, .rule_only = 1}, &G, message);
    CHECK(st == ORR_OK, "%s", message);
    if (st == ORR_OK) {
        st = orr_pagerank(ctx, G, &(orr_pagerank_opts){.personal = p}, x, &r, NULL);
        CHECK(st == ORR_OK, "pagerank: status %d", st);
        orr_sparse_free(G);
    }
    return r;
}

static void ranks_of_extremes(orr_context *ctx)
{
    enum { N = 61 };
    static const int shifts[] = {-1000, -140, 0, 140, 1000};
    orr_mtx m = random_mtx(N, N, 400, 1, 4);
    double *given = malloc((size_t)m.entries * sizeof *given), one[N], x[N], p[N];
    if (!given)
        exit(99);
    memcpy(given, m.val, (size_t)m.entries * sizeof *given);
    for (int t = 0; t < 2; t++) {
        memset(one, 0, sizeof one);
        rank_of(ctx, &m, "ds"[t], NULL, one);
        for (int s = 0; s < 6; s++) { /* 5: each node by another */
            for (int64_t k = 0; k < m.entries; k++)
                m.val[k] = ldexp(given[k], shifts[s < 5 ? s : m.row[k] % 5]);
            memset(x, 0, sizeof x);
            rank_of(ctx, &m, "ds"[t], NULL, x);
            CHECK(memcmp(x, one, sizeof x) == 0, "weights times %d, %c: other scores", s, "ds"[t]);
        }
        memcpy(m.val, given, (size_t)m.entries * sizeof *given);
    }
    for (int i = 0; i < N; i++)
        p[i] = 1 + i % 3;
    rank_of(ctx, &m, 'd', p, one);
    for (int s = 0; s < 5; s++) {
        for (int i = 0; i < N; i++)
            p[i] = ldexp(1 + i % 3, shifts[s] > 0 ? shifts[s] + 21 : shifts[s]);
        rank_of(ctx, &m, 'd', p, x);
        CHECK(memcmp(x, one, sizeof x) == 0, "personal times 2^%d: other scores", shifts[s]);
    }
    orr_mtx_free(&m);
    /* one node, with a link to itself or none */
    static const int64_t at[] = {0, 0};
    for (int links = 0; links < 2; links++) {
        m = given_mtx(1, links, at, (const double[]){1e-310});
        const orr_pagerank_result r = rank_of(ctx, &m, 'd', NULL, x);
        CHECK(x[0] == 1 && r.sum == 1 && r.dangling == !links, "one node: %g", x[0]);
        orr_mtx_free(&m);
    }
    free(given);
}

/* Two blocks, of which the lesser one reaches into the greater: the vector of the second value has entries that are
 * zero but for rounding. Where rounding makes them positive, Collatz and Wielandt's interval reaches from
 * the second value to the first. */
static void dominance(orr_context *ctx)
{
    const struct dense d = {.n = 4,
                            .a = {[5] = 0.55, [13] = 0.12, [2] = 0.8, [10] = 0.84, [3] = 0.92}};
    struct dense t = {.n = 4};
    int wide = 0;
    for (int i = 0; i < 16; i++)
        t.a[i] = d.a[i % 4 * 4 + i / 4];
    for (int seed = 0; seed < 60; seed++) {
        const struct answer a =
            powm_of(ctx, &t, 's', (orr_powm_opts){.k = 2, .seed = (uint64_t)seed});
        CHECK(a.r.found == 2 && fabs(a.e[1].re - 0.55) < 1e-4, "seed %d: %d found, %g", seed,
              a.r.found, a.e[1].re);
        wide += a.e[1].high - a.e[1].low > 0.1;
        CHECK(!a.e[1].dominant, "seed %d: %g is said to be dominant, in [%g, %g]", seed, a.e[1].re,
              a.e[1].low, a.e[1].high);
    }
    printf("%d of 60 intervals reach from the second value to the first\n", wide);
}

int main(void)
{
    orr_context *ctx = open_context(0);
    dominance(ctx);
    criterion(ctx);
    scales(ctx);
    ends(ctx);
    for (int trial = 0; trial < 400; trial++)
        one_random(ctx, trial);
    ranks_of_extremes(ctx);
    limits(ctx);
    closed_spaces(ctx);
    orr_close(ctx);
    return checked();
}
