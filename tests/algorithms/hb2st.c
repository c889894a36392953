/* hb2st as a graph: every type and triangle, kinds of bands that are hard, awkward n, b, D
 * and G, against LAPACK in double precision and against its own definition.
 *
 *   residual       |A Q - Q T|_F / (n eps |A|_F)          <= 20
 *   orthogonality  |Q'Q - I|_F / (n eps)                  <= 20
 *   values         max |w(T) - w(A)| / (n eps max|w(A)|)  <= 20
 *   order          d and e are the same, bit for bit, whatever D and G are, and as with the
 *                  whole band in one block, whose groups run one after the other; and so is Q,
 *                  G being the same
 *
 * Arguments: "opencl": a part of it with an OpenCL worker as a second memory node; "few": a part;
 * "order N": only N random cases of the last line (the policy comes from STARPU_SCHED).
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/hermband.h"
#include "algorithms/open.h"
#include "canary.h"
#include "check.h"
#include "larger.h"

static const double LIMIT = 20;

struct worst {
    double residual, orthogonality, values;
};

/* One band and what came out of it. */
struct problem {
    orr_type type;
    char uplo;
    int64_t n, b, ldab, ldq;
    double complex *a;
    char *ab, *ab0, *d, *e, *q;
    size_t size, real;
};

static struct problem make(rng *r, int kind, orr_type t, char uplo, int64_t n, int64_t b)
{
    struct problem p = {.type = t,
                        .uplo = uplo,
                        .n = n,
                        .b = b,
                        .ldab = b + 1 + rng_below(r, 3),
                        .ldq = (n > 0 ? n : 1) + rng_below(r, 3),
                        .size = orr_type_size(t),
                        .real = orr_type_size(orr_type_real(t))};
    p.a = allocate((size_t)(n * n) * sizeof *p.a);
    p.ab = allocate((size_t)(p.ldab * n) * p.size);
    p.ab0 = allocate((size_t)(p.ldab * n) * p.size);
    p.d = allocate((size_t)n * p.real);
    p.e = allocate((size_t)n * p.real);
    p.q = allocate((size_t)(p.ldq * n) * p.size);
    band_fill(r, kind, t, n, b, p.a);
    band_pack(t, uplo, n, b, p.a, p.ab, p.ldab);
    memcpy(p.ab0, p.ab, (size_t)(p.ldab * n) * p.size);
    return p;
}

static void drop(struct problem *p)
{
    free(p->a);
    free(p->ab);
    free(p->ab0);
    free(p->d);
    free(p->e);
    free(p->q);
}

static orr_status solve(orr_context *ctx, struct problem *p, orr_hb2st_opts o, orr_report *rep)
{
    if (o.vect == 'Q') {
        o.q = p->q;
        o.ldq = p->ldq;
    }
    return orr_hb2st(ctx, p->type, p->uplo, p->n, p->b, p->ab, p->ldab, p->d, p->e, &o, rep);
}

/* Nothing written that is not a result. */
static void check_surroundings(const struct problem *p, const char *what)
{
    const size_t n = (size_t)p->n;
    CHECK(!memcmp(p->ab, p->ab0, (size_t)p->ldab * n * p->size), "%s: the band was changed", what);
    CHECK(untouched(p->d + n * p->real, PAST), "%s: past the end of d", what);
    const size_t off = (n > 0 ? n - 1 : 0) * p->real;
    CHECK(untouched(p->e + off, PAST + n * p->real - off), "%s: past the end of e", what);
    int kept = 1;
    for (size_t j = 0; j < n; j++)
        kept &=
            untouched(p->q + (j * (size_t)p->ldq + n) * p->size, ((size_t)p->ldq - n) * p->size);
    CHECK(kept && untouched(p->q + (size_t)p->ldq * n * p->size, PAST), "%s: padding of q", what);
}

/* max |w(T) - w(A)| / (n eps max|w(A)|) */
static double error_of_values(const struct problem *p)
{
    double *w = allocate((size_t)p->n * sizeof *w), *ref = allocate((size_t)p->n * sizeof *ref);
    double top = 0, values = 0;
    band_values(p->n, p->a, ref);
    tridiagonal_values(p->type, p->n, p->d, p->e, w);
    for (int64_t i = 0; i < p->n; i++) {
        top = fmax(top, fabs(ref[i]));
        values = larger(values, fabs(w[i] - ref[i]));
    }
    /* denormal results have an absolute error of their own */
    const double smallest = p->real == 4 ? 0x1p-149 : 0x1p-1074;
    if (top > 0)
        values = values <= 4 * smallest ? 0 : values / ((double)p->n * orr_type_eps(p->type) * top);
    free(w);
    free(ref);
    return values;
}

static void check_numbers(const struct problem *p, int kind, const char *what, struct worst *worst)
{
    const double values = error_of_values(p);
    double res = band_residual(p->type, p->n, p->a, p->d, p->e, p->q, p->ldq);
    double orth = orthogonality(p->type, p->n, p->q, p->ldq);
    const char *denormal = "denormal";
    const int exact = strcmp(band_kind_name(kind), denormal) != 0; /* d, e have fewer digits */
    CHECK(orth <= LIMIT, "%s: orthogonality %g", what, orth);
    if (exact) {
        CHECK(res <= LIMIT, "%s: residual %g", what, res);
        CHECK(values <= LIMIT, "%s: values %g", what, values);
        worst->residual = fmax(worst->residual, res);
        worst->values = fmax(worst->values, values);
    }
    worst->orthogonality = fmax(worst->orthogonality, orth);
}

static void check_narrow(const struct problem *x, const struct problem *chased, const char *what)
{
    const size_t n = (size_t)x->n * x->real;
    const double error = error_of_values(x), before = error_of_values(chased);
    CHECK(error <= LIMIT || before > LIMIT, "%s: values by LAPACK %g", what,
          error); /* denormal ones */
    CHECK(untouched(x->d + n, PAST) && untouched(x->e + n - x->real, PAST), "%s: past d or e",
          what);
}

/* The same with other D and G, or in one task: to the last bit, unless the band is so narrow that LAPACK reduces it where
 * nothing is asked for. Returns if it had a rest. */
static int check_same(orr_context *ctx, struct problem *p, orr_hb2st_opts o, const char *what)
{
    const int narrow = o.D == 0 && p->b > 1 && p->b <= 8;
    struct problem x = *p;
    const size_t n = (size_t)p->n, length = (size_t)p->ldq * n * p->size;
    x.d = allocate(n * p->real);
    x.e = allocate(n * p->real);
    x.q = allocate(length);
    orr_report rep;
    orr_status st = solve(ctx, &x, o, &rep);
    CHECK(st == ORR_OK, "%s again: status %d %s", what, st, rep.message);
    if (narrow)
        check_narrow(&x, p, what);
    else
        CHECK(!memcmp(x.d, p->d, n * p->real + PAST) && !memcmp(x.e, p->e, n * p->real + PAST),
              "%s: T differs with D %lld G %lld (%s)", what, (long long)o.D, (long long)o.G,
              rep.plan);
    if (o.vect == 'Q')
        CHECK(!memcmp(x.q, p->q, length), "%s: Q differs with D %lld G %lld", what, (long long)o.D,
              (long long)o.G);
    free(x.d);
    free(x.e);
    free(x.q);
    return strstr(rep.plan, "\"rest\"") != NULL;
}

/* D and G that are allowed, none of them round. */
static orr_hb2st_opts some_shape(rng *r, int64_t b, char vect)
{
    orr_hb2st_opts o = {.vect = vect};
    o.G = 1 + rng_below(r, 7);
    o.D = (o.G - 1) * (b - 1) + b + rng_below(r, 9);
    if (o.D < 1)
        o.D = 1;
    return o;
}

/* Q E and Q'E through the kept reflectors: Q'(Q E) = E, and Q E is what the explicit Q says. */
static void check_factor(orr_context *ctx, rng *r, struct problem *p, const char *what)
{
    const int64_t n = p->n, k = 1 + rng_below(r, 70), lde = (n > 0 ? n : 1) + 2;
    const size_t bytes = (size_t)(lde * k) * p->size;
    char *E = allocate(bytes), *E0 = allocate(bytes);
    orr_hb2st_factor *f = NULL;
    orr_hb2st_opts o = some_shape(r, p->b, 'V');
    o.factor = &f;
    orr_report rep;
    orr_status st = solve(ctx, p, o, &rep);
    CHECK(st == ORR_OK && f, "%s with factor: %d %s", what, st, rep.message);
    for (int64_t c = 0; c < k; c++)
        for (int64_t i = 0; i < n; i++)
            put(p->type, E, c * lde + i, rng_uniform(r) + I * rng_uniform(r));
    memcpy(E0, E, bytes);
    st = orr_hb2st_apply(ctx, f, 'N', k, E, lde, &rep);
    CHECK(st == ORR_OK, "%s apply N: %d %s", what, st, rep.message);
    double sum = 0, norm = 0;
    for (int64_t c = 0; c < k; c++)
        for (int64_t i = 0; i < n; i++) {
            double complex x = -get(p->type, E, c * lde + i);
            for (int64_t l = 0; l < n; l++)
                x += get(p->type, p->q, l * p->ldq + i) * get(p->type, E0, c * lde + l);
            sum += pow(cabs(x), 2);
            norm += pow(cabs(get(p->type, E0, c * lde + i)), 2);
        }
    double e = n ? sqrt(sum / norm) / ((double)n * orr_type_eps(p->type)) : 0;
    CHECK(e <= LIMIT, "%s: Q E is off by %g", what, e);
    st = orr_hb2st_apply(ctx, f, 'C', k, E, lde, &rep);
    CHECK(st == ORR_OK, "%s apply C: %d %s", what, st, rep.message);
    sum = 0;
    int kept = 1;
    for (int64_t c = 0; c < k; c++) {
        for (int64_t i = 0; i < n; i++)
            sum += pow(cabs(get(p->type, E, c * lde + i) - get(p->type, E0, c * lde + i)), 2);
        kept &= untouched(E + (size_t)(c * lde + n) * p->size, 2 * p->size);
    }
    e = n ? sqrt(sum / norm) / ((double)n * orr_type_eps(p->type)) : 0;
    CHECK(e <= LIMIT, "%s: Q'Q E is off by %g", what, e);
    CHECK(kept, "%s: padding of E", what);
    orr_hb2st_drop(f);
    free(E);
    free(E0);
}

static void one(orr_context *ctx, rng *r, int kind, orr_type t, char uplo, int64_t n, int64_t b,
                struct worst *worst)
{
    char what[128];
    snprintf(what, sizeof what, "%c %c n %lld b %lld %s", orr_type_letter(t), uplo, (long long)n,
             (long long)b, band_kind_name(kind));
    struct problem p = make(r, kind, t, uplo, n, b);
    orr_report rep;
    orr_hb2st_opts o = some_shape(r, b, 'Q');
    orr_status st = solve(ctx, &p, o, &rep);
    CHECK(st == ORR_OK, "%s: status %d %s", what, st, rep.message);
    if (st == ORR_OK) {
        check_surroundings(&p, what);
        check_numbers(&p, kind, what, worst);
        check_same(ctx, &p, (orr_hb2st_opts){0}, what);
        check_same(ctx, &p, (orr_hb2st_opts){.vect = 'Q', .D = n > 0 ? n : 1, .G = o.G}, what);
        check_factor(ctx, r, &p, what);
    }
    drop(&p);
}

/* Blocks and groups are what was asked for; or as narrow as the sweeps of a group let them be. */
static void as_asked(orr_context *ctx, rng *r)
{
    struct problem p = make(r, 0, ORR_D, 'L', 200, 5);
    orr_report rep;
    CHECK(solve(ctx, &p, (orr_hb2st_opts){.D = 40, .G = 3}, &rep) == ORR_OK &&
              strstr(rep.plan, "\"D\":40,\"G\":3,"),
          "%s", rep.plan);
    CHECK(solve(ctx, &p, (orr_hb2st_opts){.G = 4}, &rep) == ORR_OK &&
              strstr(rep.plan, "\"D\":32,\"G\":4,"),
          "%s", rep.plan);
    drop(&p);
}

/* What a caller may get wrong: refused at once, told what, nothing touched. */
static void arguments(orr_context *ctx)
{
    enum { TOO_LONG = 1 << 24 }; /* a column of vectors */
    double ab[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, d[4] = {-1}, e[3] = {-1}, q[16];
    orr_report rep;
    orr_hb2st_factor *f;
#define REFUSED(why, type, uplo, n, b, ab, ldab, d, e, ...)                                        \
    do {                                                                                           \
        orr_status st = orr_hb2st(ctx, type, uplo, n, b, ab, ldab, d, e,                           \
                                  &(orr_hb2st_opts){__VA_ARGS__}, &rep);                           \
        CHECK(st == ORR_E_ARG && strstr(rep.message, why), "status %d '%s'", st, rep.message);     \
    } while (0)
    REFUSED("type", (orr_type)9, 'L', 4, 2, ab, 3, d, e, .vect = 'N');
    REFUSED("type", ORR_H, 'L', 4, 2, ab, 3, d, e, .vect = 'N');
    REFUSED("uplo", ORR_D, 'X', 4, 2, ab, 3, d, e, .vect = 'N');
    REFUSED("negative", ORR_D, 'L', -1, 2, ab, 3, d, e, .vect = 'N');
    REFUSED("negative", ORR_D, 'L', 4, -1, ab, 3, d, e, .vect = 'N');
    REFUSED("bandwidth", ORR_D, 'L', 2, 2, ab, 3, d, e, .vect = 'N');
    REFUSED("bandwidth", ORR_D, 'L', 0, 1, ab, 3, d, e, .vect = 'N');
    REFUSED("ldab", ORR_D, 'L', 4, 2, ab, 2, d, e, .vect = 'N');
    REFUSED("address", ORR_D, 'L', INT32_MAX + (int64_t)1, 0, ab, 1, d, e, .vect = 'N');
    REFUSED("ab is NULL", ORR_D, 'L', 4, 2, NULL, 3, d, e, .vect = 'N');
    REFUSED("d is NULL", ORR_D, 'L', 4, 2, ab, 3, NULL, e, .vect = 'N');
    REFUSED("d is NULL", ORR_D, 'L', 1, 0, ab, 1, NULL, e, .vect = 'N');
    REFUSED("e is NULL", ORR_D, 'L', 2, 1, ab, 2, d, NULL, .vect = 'N');
    REFUSED("vect is", ORR_D, 'L', 4, 2, ab, 3, d, e, .vect = 'X');
    REFUSED("needs q", ORR_D, 'L', 4, 2, ab, 3, d, e, .vect = 'Q');
    REFUSED("needs q", ORR_D, 'L', 4, 2, ab, 3, d, e, .vect = 'Q', .q = q, .ldq = 3);
    REFUSED("needs q", ORR_D, 'L', 4, 2, ab, 3, d, e, .vect = 'Q', .q = q, .ldq = TOO_LONG);
    REFUSED("needs factor", ORR_D, 'L', 4, 2, ab, 3, d, e, .vect = 'V');
    REFUSED("negative", ORR_D, 'L', 4, 2, ab, 3, d, e, .D = -1);
    REFUSED("negative", ORR_D, 'L', 4, 2, ab, 3, d, e, .G = -1);
    REFUSED("bandwidth", ORR_D, 'L', 4, 2, ab, 3, d, e, .D = 1);
    REFUSED("sweeps", ORR_D, 'L', 4, 2, ab, 3, d, e, .D = 3, .G = 3);
    REFUSED("place", ORR_D, 'L', 4, 2, ab, 3, d, e, .place = (orr_place)7);
    REFUSED("place", ORR_D, 'L', 4, 2, ab, 3, d, e, .place = ORR_PLACE_PIPELINE);
    REFUSED("split", ORR_D, 'L', 4, 2, ab, 3, d, e, .split = -1);
    REFUSED("tail", ORR_D, 'L', 4, 2, ab, 3, d, e, .tail = -1);
    REFUSED("overlap", ORR_D, 'L', 4, 2, ab, 3, q, e, .vect = 'Q', .q = q, .ldq = 4);
    CHECK(orr_hb2st_apply(ctx, NULL, 'N', 1, ab, 4, &rep) == ORR_E_ARG, "no factor");
    orr_status st = orr_hb2st(ctx, ORR_D, 'L', 4, 2, ab, 3, d, e,
                              &(orr_hb2st_opts){.vect = 'V', .factor = &f}, &rep);
    CHECK(st == ORR_OK, "status %d", st);
    CHECK(orr_hb2st_apply(ctx, f, 'X', 1, ab, 4, &rep) == ORR_E_ARG, "trans");
    CHECK(orr_hb2st_apply(ctx, f, 'N', 1, ab, 3, &rep) == ORR_E_ARG, "lde");
    CHECK(orr_hb2st_apply(ctx, f, 'N', 0, ab, TOO_LONG, &rep) == ORR_E_ARG, "a long lde");
    CHECK(orr_hb2st_apply(ctx, f, 'N', -1, ab, 4, &rep) == ORR_E_ARG, "k < 0");
    CHECK(orr_hb2st_apply(ctx, f, 'N', INT64_MAX / 32, ab, 4, &rep) == ORR_E_ARG, "k");
    CHECK(orr_hb2st_apply(ctx, f, 'N', 1, NULL, 4, &rep) == ORR_E_ARG, "no E");
    orr_hb2st_drop(f);
    orr_hb2st_drop(NULL);
}

/* NaN and infinity are found wherever they are, and only where they matter. */
static void nonfinite(orr_context *ctx, rng *r)
{
    for (int t = 0; t < ORR_NTYPES; t++)
        for (int times = 0; times < 20; times++) {
            const int64_t n = 1 + rng_below(r, 20), b = rng_below(r, n), j = rng_below(r, n);
            const char uplo = times % 2 ? 'U' : 'L';
            int64_t i = uplo == 'L' ? j + rng_below(r, b + 1) : j - rng_below(r, b + 1);
            i = i < 0 ? 0 : i >= n ? n - 1 : i;
            struct problem p = make(r, 0, (orr_type)t, uplo, n, b);
            const int64_t at = j * p.ldab + (uplo == 'L' ? i - j : b + i - j);
            put((orr_type)t, p.ab, at, times % 3 ? NAN : -INFINITY);
            orr_report rep;
            orr_status st = solve(ctx, &p, (orr_hb2st_opts){0}, &rep);
            char expected[64];
            snprintf(expected, sizeof expected, "(%lld, %lld)", (long long)i, (long long)j);
            CHECK(st == ORR_E_NONFINITE && rep.index == at && strstr(rep.message, expected),
                  "status %d index %lld '%s', expected %s", st, (long long)rep.index, rep.message,
                  expected);
            CHECK(untouched(p.d, (size_t)n * p.real), "d was written");
            drop(&p);
        }
    /* of two in a column the first one; a zero has no sign */
    double ab[] = {NAN, NAN, 1, -0., -0., -0.}, d[3], e[2];
    orr_report rep;
    CHECK(orr_hb2st(ctx, ORR_D, 'L', 3, 1, ab, 2, d, e, NULL, &rep) == ORR_E_NONFINITE &&
              rep.index == 0,
          "index %lld", (long long)rep.index);
    ab[0] = ab[1] = ab[2] = -0.;
    CHECK(orr_hb2st(ctx, ORR_D, 'L', 3, 1, ab, 2, d, e, NULL, &rep) == ORR_OK, "%s", rep.message);
    for (int i = 0; i < 3; i++)
        CHECK(!signbit(d[i]) && (i == 2 || !signbit(e[i])), "-0 in place %d", i);
}

/* Bands whose hops leave their updates to the next sweep, where the processor likes that. */
static void wide_orders(orr_context *ctx, rng *r)
{
    for (int i = 0; i < 6; i++) {
        const orr_type t = i % 2 ? ORR_D : ORR_S;
        const int64_t n = 420 + rng_below(r, 100), b = 112 + rng_below(r, 20);
        struct problem p = make(r, 0, t, i % 3 ? 'L' : 'U', n, b);
        orr_report rep;
        const char vect = i < 4 ? 'N' : 'Q';
        const orr_hb2st_opts whole = {.vect = vect, .D = n, .G = 1};
        const orr_hb2st_opts o = {.vect = vect, .D = 2 * b + 2 * rng_below(r, 20), .tail = n / 2};
        orr_status st = solve(ctx, &p, whole, &rep);
        CHECK(st == ORR_OK, "status %d %s", st, rep.message);
        char what[96];
        snprintf(what, sizeof what, "wide: %c n %lld b %lld", orr_type_letter(t), (long long)n,
                 (long long)b);
        check_same(ctx, &p, o, what);
        drop(&p);
    }
}

static void random_orders(orr_context *ctx, rng *r, int64_t runs)
{
    int tails = 0, rests = 0;
    for (int64_t i = 0; i < runs; i++) {
        const orr_type t = (orr_type)(i % ORR_NTYPES);
        const int64_t n = 20 + rng_below(r, 230), b = 2 + rng_below(r, i % 3 ? 12 : n / 3);
        const char uplo = i % 2 ? 'U' : 'L', vect = i % 5 ? 'N' : 'Q';
        struct problem p = make(r, 0, t, uplo, n, b);
        orr_report rep;
        orr_hb2st_opts o = some_shape(r, b, vect);
        o.tail = rng_below(r, n + 20); /* ignored with an odd D, and with Q */
        tails += vect == 'N' && o.tail > 0 && o.D % 2 == 0 && o.D < n && o.D / 2 >= b;
        const orr_hb2st_opts whole = {.vect = vect, .D = n, .G = o.G}; /* sequential */
        orr_status st = solve(ctx, &p, whole, &rep);
        CHECK(st == ORR_OK, "status %d %s", st, rep.message);
        char what[96];
        snprintf(what, sizeof what, "order: %c n %lld b %lld", orr_type_letter(t), (long long)n,
                 (long long)b);
        rests += check_same(ctx, &p, o, what);
        drop(&p);
    }
    orr_context_info info;
    orr_context_query(ctx, &info);
    CHECK((rests > 0) == (info.cuda + info.opencl == 0), "%d cases had a rest", rests);
    CHECK(tails > 0, "no case had a tail");
    printf("%lld random cases, %d with a tail: T and Q independent of the order\n", (long long)runs,
           tails);
}

static void everything(orr_context *ctx, rng *r)
{
    static const int64_t sizes[][2] = {{0, 0},  {1, 0},   {2, 0},   {2, 1},   {3, 0},    {3, 1},
                                       {3, 2},  {4, 3},   {5, 2},   {9, 3},   {9, 8},    {17, 5},
                                       {33, 8}, {40, 31}, {40, 32}, {65, 33}, {101, 16}, {130, 5}};
    for (int t = 0; t < ORR_NTYPES; t++) {
        struct worst worst = {0};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int kind = 0; kind < band_kinds(); kind++)
                if ((sizes[i][0] < 60 || kind == 0 ||
                     kind == (int)(i + (size_t)t) % band_kinds()) &&
                    !left_out())
                    one(ctx, r, kind, (orr_type)t, (i + (size_t)kind) % 2 ? 'U' : 'L', sizes[i][0],
                        sizes[i][1], &worst);
        printf("%c: worst residual %.2f, orthogonality %.2f, values %.2f (limit %g)\n",
               orr_type_letter((orr_type)t), worst.residual, worst.orthogonality, worst.values,
               LIMIT);
    }
    nonfinite(ctx, r);
    arguments(ctx);
    as_asked(ctx, r);
    random_orders(ctx, r, 20);
}

int main(int argc, char **argv)
{
    const int opencl = variant(argc, argv);
    const int64_t orders = argc > 2 && strcmp(argv[1], "order") == 0 ? atoll(argv[2]) : 0;
    orr_context *ctx = open_context(opencl);
    rng r = {20240229};
    if (orders)
        random_orders(ctx, &r, orders), wide_orders(ctx, &r);
    else
        everything(ctx, &r);
    orr_close(ctx);
    return checked();
}
