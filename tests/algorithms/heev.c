/* heev as a graph: kinds of matrices, types, triangles and awkward sizes around the band and the
 * tiles, against LAPACK in double precision.
 *
 *   values         max |w - w_lapack| / (n eps max|w|)   <= 20
 *   residual       |A Z - Z diag(w)|_F / (n eps |A|_F)   <= 20
 *   orthogonality  |Z'Z - I|_F / (n eps)                 <= 20
 *
 * Arguments: "opencl": a part of it with an OpenCL worker as a second memory node; "few": a part;
 * "order N": N random cases, compared bit for bit with the policy eager.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/heev_case.h"
#include "canary.h"
#include "check.h"
#include "matgen.h"
#include "orders.h"

/* Nothing written outside the n x n squares and the n values. */
static void check_surroundings(const struct heev_problem *p, const char *what)
{
    const size_t ld = (size_t)p->lda, n = (size_t)p->n;
    int kept = 1;
    for (size_t j = 0; j < n; j++)
        kept &= !memcmp(p->a + (j * ld + n) * p->size, p->a0 + (j * ld + n) * p->size,
                        (ld - n) * p->size);
    CHECK(kept && untouched(p->a + ld * n * p->size, PAST), "%s: padding of a", what);
    CHECK(untouched(p->w + n * p->real, PAST), "%s: past the end of w", what);
    kept = untouched(p->z + (size_t)p->ldz * n * p->size, PAST);
    for (size_t j = 0; j < n; j++)
        kept &=
            untouched(p->z + (j * (size_t)p->ldz + n) * p->size, ((size_t)p->ldz - n) * p->size);
    CHECK(kept, "%s: padding of z", what);
}

static void one(orr_context *ctx, int kind, orr_type t, char uplo, int64_t n, orr_heev_opts o,
                int vectors, struct heev_worst *worst)
{
    char what[128];
    snprintf(what, sizeof what, "%c %c n %lld band %lld tile %lld %s", orr_type_letter(t), uplo,
             (long long)n, (long long)o.band, (long long)o.tile, orr_matgen_name(kind));
    struct heev_problem p =
        heev_make(kind, t, uplo, n, (n > 0 ? n : 1) + n % 3, (uint64_t)(n + kind + 1));
    double *ref = allocate((size_t)n * sizeof *ref);
    orr_report rep;
    const orr_status st = heev_solve(ctx, &p, o, vectors, &rep);
    CHECK(st == ORR_OK, "%s: status %d %s", what, st, rep.message);
    check_surroundings(&p, what);
    reference_values(t, uplo, n, p.a0, p.lda, ref);
    double e = value_error(t, n, p.w, ref);
    /* denormal results have an absolute error of their own */
    const double top = n ? fmax(fabs(ref[0]), fabs(ref[n - 1])) : 0;
    const int exact = top * orr_type_eps(t) >= 4 * orr_type_denormal(t);
    e = exact ? e : 0;
    CHECK(e <= LIMIT, "%s: values %g", what, e);
    if (vectors)
        heev_check_vectors(&p, n, top, exact, what, worst);
    worst->values = fmax(worst->values, e);
    free(ref);
    heev_drop(&p);
}

/* Every `step`-th case of the table. */
static void sizes(orr_context *ctx, int step)
{
    static const int64_t n[] = {0,  1,  2,  3,  4,  5,  7,  8,  9,  16, 17,  18, 31,
                                32, 33, 34, 47, 48, 49, 63, 64, 65, 97, 129, 150};
    /* clang-format off */
    static const orr_heev_opts shape[] = {{.method = ORR_DENSE_TWO_STAGE}, {.band = 8, .tile = 16}, {.band = 2, .tile = 16},
                                          {.band = 16, .tile = 16}, {.band = 16, .tile = 48},
                                          {.band = 7, .tile = 21}, {.band = 64},
                                          {.method = ORR_DENSE_LAPACK}, {0}};
    /* clang-format on */
    const orr_heev_opts stages = {.method = ORR_DENSE_TWO_STAGE};
    const orr_heev_opts direct = {.method = ORR_DENSE_LAPACK};
    const int shapes = sizeof shape / sizeof *shape;
    for (int t = 0; t < ORR_NTYPES; t++) {
        struct heev_worst worst = {0};
        for (int i = 0; i < (int)(sizeof n / sizeof *n); i++) {
            for (int s = i % step; s < shapes; s += step)
                one(ctx, (i + s + t) % orr_matgen_kinds(), (orr_type)t, (i + s) % 2 ? 'U' : 'L',
                    n[i], shape[s], (i + s + t) % 3 != 0, &worst);
        }
        for (int kind = 0; kind < orr_matgen_kinds(); kind += step)
            one(ctx, kind, (orr_type)t, kind % 2 ? 'L' : 'U', 75 + kind, shape[1], 1, &worst);
        for (int kind = t; kind < orr_matgen_kinds(); kind += ORR_NTYPES * step)
            one(ctx, kind, (orr_type)t, 'L', 257 + kind, stages, 1, &worst); /* merged */
        for (int kind = 2 + t; kind < orr_matgen_kinds(); kind += ORR_NTYPES * step)
            one(ctx, kind, (orr_type)t, kind % 2 ? 'U' : 'L', 257 + kind, direct, 1,
                &worst); /* shared */
        if (!left_out())
            one(ctx, 0, (orr_type)t, 'U', 261, direct, 0, &worst); /* one task */
        if (!left_out())
            one(ctx, 1, (orr_type)t, 'L', 361, direct, 0, &worst); /* shared */
        if (!left_out())
            one(ctx, 0, (orr_type)t, 'L', 300, stages, t == ORR_D, &worst);
        if (!left_out())
            one(ctx, 1, (orr_type)t, 'U', 257, (orr_heev_opts){.band = 32, .tile = 64}, t == ORR_C,
                &worst);
        printf("%c: worst values %.2f, residual %.2f, orthogonality %.2f (limit %g)\n",
               orr_type_letter((orr_type)t), worst.values, worst.residual, worst.orthogonality,
               LIMIT);
    }
}

/* Real matrices up to 128, which have a kernel of their own: every kind, three orders of each. */
static void small(orr_context *ctx, int step)
{
    static const int64_t n[] = {128, 3, 127, 65, 1, 64, 2, 63};
    struct heev_worst worst = {0};
    for (int kind = 0; kind < orr_matgen_kinds(); kind += step)
        for (int t = 0; t < 2; t++)
            for (int k = 0; k < 3; k++)
                one(ctx, kind, t ? ORR_D : ORR_S, (kind + k) % 2 ? 'U' : 'L',
                    n[(kind + 3 * k + 5 * t) % 8], (orr_heev_opts){.method = ORR_DENSE_LAPACK},
                    (kind + t + k) % 4 != 0, &worst);
    printf("small: worst values %.2f, residual %.2f, orthogonality %.2f (limit %g)\n", worst.values,
           worst.residual, worst.orthogonality, LIMIT);
}

/* Entries near the ends of the range: scaled by a power of two, nothing else changes. */
static void scales(orr_context *ctx)
{
    static const int shift[][ORR_NTYPES] = {{100, 900, 100, 900}, {-100, -900, -100, -900}};
    for (int t = 0; t < ORR_NTYPES; t++)
        for (int s = 0; s < 4; s++) {
            const int64_t n = 60;
            const orr_heev_opts o = s < 2 ? (orr_heev_opts){.band = 8, .tile = 16}
                                          : (orr_heev_opts){.method = ORR_DENSE_LAPACK};
            const int by = shift[s % 2][t];
            rng r = {77};
            struct heev_problem p = heev_make(0, (orr_type)t, 'L', n, n, 1);
            double *ref = allocate((size_t)n * sizeof *ref);
            random_hermitian(&r, (orr_type)t, 'L', n, p.a0, n);
            reference_values((orr_type)t, 'L', n, p.a0, n, ref);
            for (int64_t k = 0; k < n * n; k++)
                put((orr_type)t, p.a0, k, ldexp(1, by) * get((orr_type)t, p.a0, k));
            orr_report rep;
            const orr_status st = heev_solve(ctx, &p, o, 1, &rep);
            for (int64_t i = 0; i < n; i++)
                ref[i] = ldexp(ref[i], by);
            const double e = value_error((orr_type)t, n, p.w, ref);
            CHECK(st == ORR_OK && e <= LIMIT, "%c times 2^%d: status %d values %g",
                  orr_type_letter((orr_type)t), by, st, e);
            const double orth = orthogonality((orr_type)t, n, p.z, p.ldz);
            CHECK(orth <= LIMIT, "%c times 2^%d: orthogonality %g", orr_type_letter((orr_type)t),
                  by, orth);
            CHECK(!strstr(rep.plan, "\"scale\":1,"), "not scaled: %s", rep.plan);
            free(ref);
            heev_drop(&p);
        }
}

/* What a caller may get wrong: refused at once, told what, nothing touched. */
static void arguments(orr_context *ctx)
{
    double a[4] = {1, 2, 3, 4}, w[2] = {5, 6}, z[4];
    orr_report rep;
#define REFUSED_Z(why, type, uplo, n, a, lda, w, z, ldz, ...)                                      \
    do {                                                                                           \
        const orr_status st =                                                                      \
            orr_heev(ctx, type, uplo, n, a, lda, w, z, ldz, &(orr_heev_opts){__VA_ARGS__}, &rep);  \
        CHECK(st == ORR_E_ARG && strstr(rep.message, why), "status %d '%s'", st, rep.message);     \
    } while (0)
#define REFUSED(why, type, uplo, n, a, lda, w, ...)                                                \
    REFUSED_Z(why, type, uplo, n, a, lda, w, NULL, 0, __VA_ARGS__)
    REFUSED_Z("ldz", ORR_D, 'L', 2, a, 2, w, z, 1, .band = 0);
    REFUSED_Z("ldz", ORR_D, 'L', 2, a, 2, w, z, 1 << 24, .band = 0);
    REFUSED("type", (orr_type)9, 'L', 2, a, 2, w, .band = 0);
    REFUSED("type", ORR_H, 'L', 2, a, 2, w, .band = 0);
    REFUSED("uplo", ORR_D, 'X', 2, a, 2, w, .band = 0);
    REFUSED("negative", ORR_D, 'L', -1, a, 2, w, .band = 0);
    REFUSED("lda", ORR_D, 'L', 2, a, 1, w, .band = 0);
    REFUSED("address", ORR_D, 'L', 2, a, INT32_MAX + (int64_t)1, w, .band = 0);
    REFUSED("a is NULL", ORR_D, 'L', 2, NULL, 2, w, .band = 0);
    REFUSED("w is NULL", ORR_D, 'L', 2, a, 2, NULL, .band = 0);
    REFUSED("band is less", ORR_D, 'L', 2, a, 2, w, .band = 1);
    REFUSED("band is less", ORR_D, 'L', 2, a, 2, w, .band = -1);
    REFUSED("band is more", ORR_D, 'L', 2, a, 2, w, .band = 4097);
    REFUSED("il and iu are", ORR_D, 'L', 2, a, 2, w, .il = 1);
    REFUSED("il and iu are", ORR_D, 'L', 2, a, 2, w, .iu = 1);
    REFUSED("il and iu are", ORR_D, 'L', 2, a, 2, w, .il = 2, .iu = 1);
    REFUSED("il and iu are", ORR_D, 'L', 2, a, 2, w, .il = 1, .iu = 3);
    REFUSED("il and iu are", ORR_D, 'L', 2, a, 2, w, .il = -1, .iu = 1);
    REFUSED("vl and vu are", ORR_D, 'L', 2, a, 2, w, .vl = 1);
    REFUSED("vl and vu are", ORR_D, 'L', 2, a, 2, w, .vl = 1, .vu = 1);
    REFUSED("vl and vu are", ORR_D, 'L', 2, a, 2, w, .vl = NAN, .vu = 1);
    REFUSED("vl and vu are", ORR_D, 'L', 2, a, 2, w, .vl = 1, .vu = NAN);
    REFUSED("vl and vu are", ORR_S, 'L', 2, a, 2, w, .vl = 1, .vu = 1 + 1e-12);
    REFUSED("or vl", ORR_D, 'L', 2, a, 2, w, .vl = 1, .vu = 2, .il = 1, .iu = 1);
    REFUSED("tile is negative", ORR_D, 'L', 2, a, 2, w, .tile = -1);
    REFUSED("tile needs", ORR_D, 'L', 2, a, 2, w, .tile = 16);
    REFUSED("tile needs", ORR_D, 'L', 2, a, 2, w, .band = 16, .tile = 24);
    REFUSED("tile needs", ORR_D, 'L', 2, a, 2, w, .band = 4, .tile = 8);
    REFUSED("tile more", ORR_D, 'L', 2, a, 2, w, .band = 16, .tile = 65552);
    REFUSED("8192", ORR_D, 'L', 16 * 8193, a, 16 * 8193, w, .band = 16, .tile = 16);
    REFUSED("place", ORR_D, 'L', 2, a, 2, w, .place = (orr_place)7);
    REFUSED("place", ORR_D, 'L', 2, a, 2, w, .place = ORR_PLACE_SPLIT);
    REFUSED("place", ORR_D, 'L', 2, a, 2, w, .place = ORR_PLACE_PIPELINE);
    REFUSED("method is", ORR_D, 'L', 2, a, 2, w, .method = ORR_NDENSE);
    REFUSED("method is", ORR_D, 'L', 2, a, 2, w, .method = (orr_dense_method)-1);
    REFUSED("method lapack", ORR_D, 'L', 2, a, 2, w, .method = ORR_DENSE_LAPACK, .band = 16);
    REFUSED("method lapack", ORR_D, 'L', 2, a, 2, w, .method = ORR_DENSE_LAPACK,
            .place = ORR_PLACE_GPU);
    CHECK(a[0] == 1 && a[3] == 4 && w[0] == 5, "arrays were touched");
}

/* Without an accelerator place gpu fails. With one, with gpu, the accelerator did the updates: a CPU
 * may not. Places that use a device agree in every bit, unless it is a CUDA device; CPUs alone add in
 * another order. */
static void places(orr_context *ctx)
{
    orr_context_info info;
    orr_context_query(ctx, &info);
    const int devices = info.cuda + info.opencl;
    static const orr_place place[] = {ORR_PLACE_CPU, ORR_PLACE_GPU, ORR_PLACE_AUTO};
    static const char *const told[] = {"\"updates\":\"cpu\"", "\"updates\":\"accelerators\"",
                                       "\"updates\":\"any\""};
    for (int t = 0; t < ORR_NTYPES; t++) {
        const int64_t n = 71 + 13 * t;
        struct heev_problem p = heev_make(t, (orr_type)t, t % 2 ? 'U' : 'L', n, n + 1, 3);
        const size_t values = (size_t)n * p.real, vectors = (size_t)(p.ldz * n) * p.size;
        char *w = allocate(values), *z = allocate(vectors);
        for (int k = 0; k < 3; k++) {
            orr_report rep;
            const orr_heev_opts o = {.band = 8, .tile = 8 * (2 + t), .place = place[k]};
            const orr_status st = heev_solve(ctx, &p, o, 1, &rep);
            if (!devices && place[k] == ORR_PLACE_GPU) {
                CHECK(st == ORR_E_NOWORKER, "place gpu without a device: status %d", st);
                continue;
            }
            CHECK(st == ORR_OK, "place %d: status %d %s", place[k], st, rep.message);
            CHECK(!devices || strstr(rep.plan, told[k]), "place %d: %s", place[k], rep.plan);
            const int same = !memcmp(w, p.w, values) && !memcmp(z, p.z, vectors);
            CHECK(k < 2 || info.cuda || same, "%c: place %d gives other bits",
                  orr_type_letter((orr_type)t), place[k]);
            memcpy(w, p.w, values);
            memcpy(z, p.z, vectors);
        }
        free(w);
        free(z);
        heev_drop(&p);
    }
    if (devices) { /* then tiles as they are chosen with accelerators */
        struct heev_worst worst = {0};
        for (int k = 0; k < 4 * ORR_NTYPES; k++) /* dense ones, which do */
            one(ctx, 3 + k % 4, (orr_type)(k / 4), k % 2 ? 'U' : 'L', 85 + k,
                (orr_heev_opts){.band = 8, .tile = 24, .place = place[k % 3]}, 1, &worst);
        one(ctx, 0, ORR_D, 'L', 1100, (orr_heev_opts){.place = ORR_PLACE_GPU}, 0, &worst);
        one(ctx, 1, ORR_C, 'U', 530, (orr_heev_opts){.place = ORR_PLACE_GPU}, 1, &worst);
    }
}

/* NaN and infinity are found wherever they are, and only where they matter. */
static void nonfinite(orr_context *ctx)
{
    rng r = {4711};
    for (int t = 0; t < ORR_NTYPES; t++)
        for (int times = 0; times < 20; times++) {
            const int64_t n = 1 + rng_below(&r, 30);
            int64_t i = rng_below(&r, n), j = rng_below(&r, n);
            const char uplo = times % 2 ? 'U' : 'L';
            if (uplo == 'L' ? i < j : i > j) {
                const int64_t swap = i;
                i = j;
                j = swap;
            }
            struct heev_problem p = heev_make(0, (orr_type)t, uplo, n, n + 2, 5);
            random_hermitian(&r, (orr_type)t, uplo, n, p.a0, n + 2);
            put((orr_type)t, p.a0, j * p.lda + i, times % 3 ? NAN : -INFINITY);
            orr_report rep;
            char expected[64];
            const orr_heev_opts o = {.method = (orr_dense_method)(times % ORR_NDENSE)};
            const orr_status st = heev_solve(ctx, &p, o, times % 2, &rep);
            snprintf(expected, sizeof expected, "(%lld, %lld)", (long long)i, (long long)j);
            CHECK(st == ORR_E_NONFINITE && rep.index == j * p.lda + i &&
                      strstr(rep.message, expected),
                  "status %d index %lld '%s', expected %s", st, (long long)rep.index, rep.message,
                  expected);
            CHECK(!memcmp(p.a, p.a0, (size_t)(p.lda * n) * p.size) &&
                      untouched(p.w, (size_t)n * p.real) && untouched(p.z, (size_t)n * p.size),
                  "something was written");
            heev_drop(&p);
        }
}

/* Of a matrix that several threads look at the first column counts. */
static void nonfinite_large(orr_context *ctx)
{
    enum { N = 2100, ROW = 1700, COLUMN = 77, LATER = 2000 };
    double *a = calloc((size_t)N * N, sizeof *a), w[N];
    orr_report rep;
    CHECK(a, "no memory");
    if (!a)
        return;
    a[(size_t)COLUMN * N + ROW] = NAN;
    a[(size_t)LATER * N + LATER] = INFINITY;
    const orr_status st = orr_heev(ctx, ORR_D, 'L', N, a, N, w, NULL, 1, NULL, &rep);
    CHECK(st == ORR_E_NONFINITE && rep.index == (int64_t)COLUMN * N + ROW &&
              strstr(rep.message, "(1700, 77)"),
          "status %d index %lld '%s'", st, (long long)rep.index, rep.message);
    free(a);
}

/* And not halved, as a Zen 4's. */
static int has_whole_avx512(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           !__builtin_cpu_is("amdfam19h");
#else
    return 0;
#endif
}

/* What is told of the choice, and how many tasks come of it. */
static void methods(orr_context *ctx)
{
    orr_context_info info;
    orr_context_query(ctx, &info);
    /* from which orders workers share (docs/algorithms/heev.md) */
    const int whole = has_whole_avx512();
    const int64_t d_vectors = whole ? 192 : 224, z_vectors = whole ? 192 : 224,
                  z_range = whole ? 200 : 160, d_values = whole ? 285 : 300;
    const struct {
        orr_heev_opts o;
        int64_t n;
        const char *told;
        int one; /* task */
        int vectors, is_complex;
    } of[] = {
        {{0}, 40, "\"method\":\"lapack\",\"from\":\"built in: ", 1, 0, 0},
        {{.il = 2, .iu = 3}, 40, "\"method\":\"lapack\",\"from\":\"built in: ", 1, 0, 0},
        {{.band = 8}, 40, "\"method\":\"two-stage\",\"from\":\"asked\"", 0, 0, 0},
        {{.method = ORR_DENSE_TWO_STAGE}, 40, "\"method\":\"two-stage\",\"from\":\"asked\"", 0, 0, 0},
        {{.method = ORR_DENSE_LAPACK}, 40, "\"method\":\"lapack\",\"from\":\"asked\"", 1, 0, 0},
        {{0}, 1500, "\"method\":\"two-stage\",\"from\":\"built in: ", 0, 0, 0},
        {{.method = ORR_DENSE_LAPACK}, d_vectors - 1, "\"from\":\"asked\"", 1, 1, 0},
        {{.method = ORR_DENSE_LAPACK}, d_vectors, "\"from\":\"asked\"", info.cpu < 2, 1, 0},
        {{.method = ORR_DENSE_LAPACK}, d_values - 1, "\"from\":\"asked\"", 1, 0, 0},
        {{.method = ORR_DENSE_LAPACK}, d_values, "\"from\":\"asked\"", info.cpu < 2, 0, 0},
        {{.method = ORR_DENSE_LAPACK}, z_vectors - 1, "\"from\":\"asked\"", 1, 1, 1},
        {{.method = ORR_DENSE_LAPACK}, z_vectors, "\"from\":\"asked\"", info.cpu < 2, 1, 1},
        {{.method = ORR_DENSE_LAPACK, .il = 2, .iu = 3}, z_range - 1, "\"from\":\"asked\"", 1, 1, 1},
        {{.method = ORR_DENSE_LAPACK, .il = 2, .iu = 3},
         z_range,
         "\"from\":\"asked\"",
         info.cpu < 2,
         1,
         1},
    };
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        const orr_type t = of[k].is_complex ? ORR_Z : ORR_D;
        struct heev_problem p = heev_make(0, t, 'L', of[k].n, of[k].n, 1);
        orr_report rep;
        const orr_status st = heev_solve(ctx, &p, of[k].o, of[k].vectors, &rep);
        CHECK(st == ORR_OK && strstr(rep.plan, of[k].told), "%zu: status %d, %s", k, st, rep.plan);
        CHECK((rep.tasks == 1) == of[k].one, "%zu: %lld tasks", k, (long long)rep.tasks);
        heev_drop(&p);
    }
}

/* The values and vectors of case k, malloc'ed, *length bytes. */
static char *random_case(orr_context *ctx, int64_t k, size_t *length)
{
    rng r = {31337 + (uint64_t)k};
    rng_below(&r, 2);
    const orr_type t = (orr_type)(k % ORR_NTYPES);
    const int64_t n = (k % 8 == 7 || k % 8 == 2 ? 260 : 40) + rng_below(&r, 120),
                  band = 2 + rng_below(&r, 12);
    const int64_t tile = band * (2 + rng_below(&r, 3)) * (band < 8 ? 8 : 1);
    const orr_heev_opts o = k % 8 == 2 ? (orr_heev_opts){.method = ORR_DENSE_LAPACK} /* shared */
                                       : (orr_heev_opts){.band = band, .tile = tile};
    struct heev_problem p =
        heev_make((int)k % orr_matgen_kinds(), t, k % 2 ? 'U' : 'L', n, n, (uint64_t)k + 1);
    orr_report rep;
    const orr_status st = heev_solve(ctx, &p, o, 1, &rep);
    CHECK(st == ORR_OK, "status %d %s", st, rep.message);
    const size_t values = (size_t)n * p.real, vectors = (size_t)(p.ldz * n) * p.size;
    char *both = allocate(values + vectors);
    memcpy(both, p.w, values);
    memcpy(both + values, p.z, vectors);
    *length = values + vectors;
    heev_drop(&p);
    return both;
}

int main(int argc, char **argv)
{
    const int opencl = variant(argc, argv);
    const int64_t order = argc > 2 && strcmp(argv[1], "order") == 0 ? atoll(argv[2]) : 0;
    if (order) {
        same_in_any_order(random_case, order, "w or z");
        return checked();
    }
    orr_context *ctx = open_context(opencl);
    const int part = one_in > 1 || SANITIZED;
    sizes(ctx, one_in > 1 ? 9 : part ? 4 : 1);
    small(ctx, part ? 4 : 1);
    heev_ranges(ctx, part ? 3 : 1);
    heev_intervals(ctx, part ? 3 : 1);
    scales(ctx);
    places(ctx);
    nonfinite(ctx);
    nonfinite_large(ctx);
    methods(ctx);
    arguments(ctx);
    orr_close(ctx);
    return checked();
}
