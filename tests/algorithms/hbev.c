/* hbev: values and vectors of Hermitian bands of every type and triangle, kinds that are hard, awkward
 * n and b, parts of the spectrum, against LAPACK in double precision and against their definition.
 *
 *   residual       |A Z - Z diag(w)|_F / (n eps |A|_F)    <= 20
 *   orthogonality  |Z'Z - I|_F / (n eps)                  <= 20
 *   values         max |w - w(A)| / (n eps max|w(A)|)     <= 20
 *
 * Arguments: "opencl": a part of it with an OpenCL worker as a second memory node; "few": a part.
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

struct problem {
    orr_type type, real;
    char uplo;
    int64_t n, b, ldab, ldz;
    double complex *a;
    double *ref, top; /* values by LAPACK, the largest modulus */
    char *ab, *ab0, *w, *z;
};

static struct problem make(rng *r, int kind, orr_type t, char uplo, int64_t n, int64_t b)
{
    struct problem p = {.type = t,
                        .real = orr_type_real(t),
                        .uplo = uplo,
                        .n = n,
                        .b = b,
                        .ldab = b + 1 + rng_below(r, 3),
                        .ldz = (n > 0 ? n : 1) + rng_below(r, 3)};
    const size_t size = orr_type_size(t), band = (size_t)(p.ldab * n) * size;
    p.a = allocate((size_t)(n * n) * sizeof *p.a);
    p.ref = allocate((size_t)n * sizeof *p.ref);
    p.ab = allocate(band);
    p.ab0 = allocate(band);
    p.w = allocate((size_t)n * orr_type_size(p.real));
    p.z = allocate((size_t)(p.ldz * n) * size);
    band_fill(r, kind, t, n, b, p.a);
    band_pack(t, uplo, n, b, p.a, p.ab, p.ldab);
    memcpy(p.ab0, p.ab, band);
    band_values(n, p.a, p.ref);
    for (int64_t i = 0; i < n; i++)
        p.top = fmax(p.top, fabs(p.ref[i]));
    return p;
}

static void drop(struct problem *p)
{
    free(p->a);
    free(p->ref);
    free(p->ab);
    free(p->ab0);
    free(p->w);
    free(p->z);
}

/* Every way in turn: by itself it would be LAPACK's for small matrices. */
static orr_status solve(orr_context *ctx, const struct problem *p, orr_hbev_opts o, int vectors,
                        orr_report *rep)
{
    static const orr_dense_method method[] = {ORR_DENSE_TWO_STAGE, ORR_DENSE_AUTO,
                                              ORR_DENSE_TWO_STAGE, ORR_DENSE_LAPACK,
                                              ORR_DENSE_TWO_STAGE};
    static size_t calls;
    o.method = method[calls++ % (sizeof method / sizeof *method)];
    return orr_hbev(ctx, p->type, p->uplo, p->n, p->b, p->ab, p->ldab, p->w, vectors ? p->z : NULL,
                    p->ldz, &o, rep);
}

/* Only k values, and n x k numbers of z, were written. */
static void check_surroundings(const struct problem *p, int64_t k, int vectors, const char *what)
{
    const size_t size = orr_type_size(p->type), real = orr_type_size(p->real), n = (size_t)p->n;
    const size_t values = (size_t)k, columns = vectors ? values : 0, ld = (size_t)p->ldz;
    int kept = 1;
    CHECK(!memcmp(p->ab, p->ab0, (size_t)p->ldab * n * size), "%s: the band was changed", what);
    CHECK(untouched(p->w + values * real, PAST + (n - values) * real), "%s: behind w", what);
    for (size_t j = 0; j < columns; j++)
        kept &= untouched(p->z + (j * ld + n) * size, (ld - n) * size);
    CHECK(kept && untouched(p->z + columns * ld * size, PAST + (n - columns) * ld * size),
          "%s: padding of z, or behind it", what);
}

/* Values first .. first+k-1 and their vectors. */
static void check_numbers(const struct problem *p, int64_t first, int64_t k, int vectors,
                          const char *what, struct worst *worst)
{
    const double eps = orr_type_eps(p->type), n = (double)p->n;
    /* denormal results have an absolute error of their own */
    const double smallest = 4 * (p->real == ORR_S ? 0x1p-149 : 0x1p-1074);
    double values = 0, squares = 0, norm = 0, out = 0;
    for (int64_t i = 0; i < k; i++)
        values = larger(values, fabs(creal(get(p->real, p->w, i)) - p->ref[first + i]));
    values = values <= smallest ? 0 : values / (n * eps * p->top);
    CHECK(values <= LIMIT, "%s: values %g", what, values);
    worst->values = fmax(worst->values, values);
    if (!vectors || k == 0)
        return;
    for (int64_t i = 0; p->top > 0 && i < p->n * p->n; i++)
        norm += creal(p->a[i] / p->top) * creal(p->a[i] / p->top) +
                cimag(p->a[i] / p->top) * cimag(p->a[i] / p->top);
    for (int64_t j = 0; p->top > 0 && j < k; j++)
        for (int64_t i = 0; i < p->n; i++) {
            const double complex z = get(p->type, p->z, j * p->ldz + i);
            double complex x = -creal(get(p->real, p->w, j)) / p->top * z;
            const int64_t from = i > p->b ? i - p->b : 0,
                          end = i + p->b < p->n ? i + p->b + 1 : p->n;
            for (int64_t l = from; l < end; l++)
                x += p->a[i + l * p->n] / p->top * get(p->type, p->z, j * p->ldz + l);
            squares += creal(x) * creal(x) + cimag(x) * cimag(x);
        }
    if (p->top * eps > smallest && norm > 0)
        out = sqrt(squares / norm) / (n * eps);
    const double orth = orthogonality_of(p->type, p->n, k, p->z, p->ldz);
    CHECK(out <= LIMIT && orth <= LIMIT, "%s: residual %g, orthogonality %g", what, out, orth);
    worst->residual = fmax(worst->residual, out);
    worst->orthogonality = fmax(worst->orthogonality, orth);
}

static void all_values(orr_context *ctx, rng *r, int kind, orr_type t, char uplo, int64_t n,
                       int64_t b, struct worst *worst)
{
    struct problem p = make(r, kind, t, uplo, n, b);
    char what[96];
    for (int vectors = 0; vectors < 2; vectors++) {
        orr_report rep;
        snprintf(what, sizeof what, "%c %c n %lld b %lld %s", orr_type_letter(t), uplo,
                 (long long)n, (long long)b, band_kind_name(kind));
        const orr_status st = solve(ctx, &p, (orr_hbev_opts){0}, vectors, &rep);
        CHECK(st == ORR_OK, "%s: status %d %s", what, st, rep.message);
        check_surroundings(&p, n, vectors, what);
        check_numbers(&p, 0, n, vectors, what, worst);
    }
    drop(&p);
}

/* Values il .. iu, and those between two of them. */
static void part(orr_context *ctx, rng *r, orr_type t, char uplo, int64_t n, int64_t b, int64_t il,
                 int64_t iu, struct worst *worst)
{
    struct problem p = make(r, 0, t, uplo, n, b);
    const int vectors = rng_below(r, 3) > 0;
    const int64_t k = iu - il + 1;
    int64_t found[2] = {-7, -7};
    orr_report rep;
    char what[96];
    snprintf(what, sizeof what, "%c %c n %lld b %lld values %lld:%lld", orr_type_letter(t), uplo,
             (long long)n, (long long)b, (long long)il, (long long)iu);
    orr_status st = solve(ctx, &p, (orr_hbev_opts){.il = il, .iu = iu}, vectors, &rep);
    CHECK(st == ORR_OK, "%s: status %d %s", what, st, rep.message);
    check_surroundings(&p, k, vectors, what);
    check_numbers(&p, il - 1, k, vectors, what, worst);
    const double gap = 1e-3 * p.top;
    const orr_hbev_opts o = {.vl = il > 1 ? (p.ref[il - 2] + p.ref[il - 1]) / 2 : p.ref[0] - gap,
                             .vu = iu < n ? (p.ref[iu - 1] + p.ref[iu]) / 2 : p.ref[n - 1] + gap,
                             .found = found};
    memset(p.w, CANARY, (size_t)n * orr_type_size(p.real));
    memset(p.z, CANARY, (size_t)(p.ldz * n) * orr_type_size(t));
    st = solve(ctx, &p, o, vectors, &rep);
    CHECK(st == ORR_OK && found[0] == il && found[1] == iu, "%s: status %d %s, found %lld:%lld",
          what, st, rep.message, (long long)found[0], (long long)found[1]);
    if (found[1] - found[0] + 1 == k) {
        check_surroundings(&p, k, vectors, what);
        check_numbers(&p, il - 1, k, vectors, what, worst);
    }
    const orr_hbev_opts none = {.vl = p.ref[n - 1] + gap, .vu = INFINITY, .found = found};
    st = solve(ctx, &p, none, vectors, &rep);
    CHECK(st == ORR_OK && found[1] == found[0] - 1, "%s: nothing above: status %d, %lld:%lld", what,
          st, (long long)found[0], (long long)found[1]);
    drop(&p);
}

/* The entry that is named is the one. */
static void nonfinite(orr_context *ctx, rng *r)
{
    for (int t = 0; t < ORR_NTYPES; t++)
        for (int upper = 0; upper < 2; upper++) {
            struct problem p = make(r, 0, (orr_type)t, upper ? 'U' : 'L', 30, 4);
            const int64_t column = 11, at = column * p.ldab + (upper ? 1 : 3);
            orr_report rep;
            put((orr_type)t, p.ab, at, t % 2 ? NAN : INFINITY);
            const orr_status st = solve(ctx, &p, (orr_hbev_opts){0}, 1, &rep);
            CHECK(st == ORR_E_NONFINITE && rep.index == at, "status %d, index %lld, not %lld", st,
                  (long long)rep.index, (long long)at);
            CHECK(untouched(p.w, 30 * orr_type_size(p.real)), "w was written");
            drop(&p);
        }
}

static void arguments(orr_context *ctx)
{
    double ab[8] = {1, 2, 3, 4, 5, 6, 7, 8}, w[4], z[16];
    const struct {
        const char *wrong;
        orr_type type;
        char uplo;
        int64_t n, b, ldab;
        void *ab, *w;
        int64_t ldz;
        orr_hbev_opts o;
    } c[] = {
        {"type", (orr_type)9, 'L', 4, 1, 2, ab, w, 4, {0}},
        {"uplo", ORR_D, 'l', 4, 1, 2, ab, w, 4, {0}},
        {"negative", ORR_D, 'L', -1, 1, 2, ab, w, 4, {0}},
        {"bandwidth", ORR_D, 'L', 4, 4, 5, ab, w, 4, {0}},
        {"ldab", ORR_D, 'L', 4, 1, 1, ab, w, 4, {0}},
        {"ab is NULL", ORR_D, 'L', 4, 1, 2, NULL, w, 4, {0}},
        {"w is NULL", ORR_D, 'L', 4, 1, 2, ab, NULL, 4, {0}},
        {"w is NULL", ORR_D, 'L', 1, 0, 1, ab, NULL, 4, {0}},
        {"ldz", ORR_D, 'L', 4, 1, 2, ab, w, 3, {0}},
        {"ldz", ORR_D, 'L', 4, 1, 2, ab, w, 1 << 24, {0}},
        {"il", ORR_D, 'L', 4, 1, 2, ab, w, 4, {.il = 2, .iu = 5}},
        {"il", ORR_D, 'L', 4, 1, 2, ab, w, 4, {.iu = 2}},
        {"vl", ORR_D, 'L', 4, 1, 2, ab, w, 4, {.vl = 2, .vu = 2}},
        {"or vl", ORR_D, 'L', 4, 1, 2, ab, w, 4, {.il = 1, .iu = 2, .vl = 1, .vu = 2}},
        {"place", ORR_D, 'L', 4, 1, 2, ab, w, 4, {.place = ORR_PLACE_SPLIT}},
        {"method", ORR_D, 'L', 4, 1, 2, ab, w, 4, {.method = (orr_dense_method)7}},
        {"46000", ORR_D, 'L', 46001, 1, 2, ab, w, 46001, {.method = ORR_DENSE_LAPACK}},
        {"CPU", ORR_D, 'L', 4, 1, 2, ab, w, 4, {.method = ORR_DENSE_LAPACK, .place = ORR_PLACE_GPU}},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        orr_report rep;
        const orr_status st = orr_hbev(ctx, c[i].type, c[i].uplo, c[i].n, c[i].b, c[i].ab,
                                       c[i].ldab, c[i].w, z, c[i].ldz, &c[i].o, &rep);
        CHECK(st == ORR_E_ARG && strstr(rep.message, c[i].wrong), "%s: status %d, %s", c[i].wrong,
              st, rep.message);
    }
    CHECK(orr_hbev(ctx, ORR_D, 'L', 0, 0, NULL, 1, NULL, NULL, 1, NULL, NULL) == ORR_OK, "empty");
    CHECK(orr_hbev(NULL, ORR_D, 'L', 4, 1, ab, 2, w, NULL, 4, NULL, NULL) == ORR_E_ARG,
          "no context");
}

int main(int argc, char **argv)
{
    static const int64_t sizes[][2] = {{0, 0},  {1, 0},   {2, 0},   {2, 1},  {3, 0},    {3, 1},
                                       {3, 2},  {4, 3},   {5, 2},   {9, 3},  {9, 8},    {17, 5},
                                       {33, 8}, {40, 31}, {40, 39}, {65, 1}, {101, 16}, {130, 5},
                                       {97, 1}, {137, 2}, {191, 3}};
    static const int64_t some[][4] = {{1, 0, 1, 1},    {7, 2, 3, 5},    {40, 3, 40, 40},
                                      {97, 9, 1, 13},  {128, 1, 2, 90}, {129, 40, 1, 128},
                                      {200, 6, 7, 199}};
    orr_context *ctx = open_context(variant(argc, argv));
    rng r = {20261126};
    for (int t = 0; t < ORR_NTYPES; t++) {
        struct worst worst = {0};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int kind = 0; kind < band_kinds(); kind++)
                if ((sizes[i][0] < 60 || kind == 0 ||
                     kind == (int)(i + (size_t)t) % band_kinds()) &&
                    !left_out())
                    all_values(ctx, &r, kind, (orr_type)t, (i + (size_t)kind) % 2 ? 'U' : 'L',
                               sizes[i][0], sizes[i][1], &worst);
        /* divide and conquer in several tasks, panels of several columns */
        if (!SANITIZED || t == 0)
            all_values(ctx, &r, t, (orr_type)t, 'L', 300 + t, 3 + 7 * t, &worst);
        for (size_t i = 0; i < sizeof some / sizeof *some; i++)
            if (!left_out())
                part(ctx, &r, (orr_type)t, i % 2 ? 'U' : 'L', some[i][0], some[i][1], some[i][2],
                     some[i][3], &worst);
        printf("%c: worst residual %.2f, orthogonality %.2f, values %.2f (limit %g)\n",
               orr_type_letter((orr_type)t), worst.residual, worst.orthogonality, worst.values,
               LIMIT);
    }
    nonfinite(ctx, &r);
    arguments(ctx);
    orr_close(ctx);
    return checked();
}
