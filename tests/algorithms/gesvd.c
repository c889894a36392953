/* gesvd as a graph: kinds of matrices, types, shapes tall and wide and awkward sizes around the
 * band and the tiles, judged by gesvd_judge.h. Those of few columns are in gesvd_narrow.c.
 *
 * Arguments: "opencl": a part of it with an OpenCL worker as a second memory node; "few": a part; "order N": N random cases,
 * compared bit for bit with the policy eager.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/open.h"
#include "canary.h"
#include "check.h"
#include "gesvd_judge.h"
#include "svdgen.h"
#include "orders.h"

/* Every `step`-th case of the table. */
static void sizes(orr_context *ctx, int step)
{
    static const int64_t shape[][2] = {
        {0, 0},   {0, 5},   {4, 0},   {1, 1},    {1, 2},    {2, 1},    {2, 2},
        {3, 2},   {1, 40},  {40, 1},  {3, 3},    {5, 4},    {8, 8},    {9, 8},
        {8, 9},   {16, 16}, {17, 17}, {33, 31},  {31, 48},  {48, 48},  {49, 20},
        {64, 63}, {65, 65}, {97, 70}, {60, 110}, {129, 33}, {150, 150}};
    /* clang-format off */
    static const orr_gesvd_opts opts[] = {
        {.method = ORR_DENSE_TWO_STAGE}, {.band = 8, .tile = 16}, {.band = 2, .tile = 16},
        {.band = 16, .tile = 16, .qr = 1}, {.band = 16, .tile = 48},
        {.band = 7, .tile = 21, .qr = -1}, {.band = 64}, {.method = ORR_DENSE_LAPACK}, {0}};
    /* clang-format on */
    const int count = sizeof opts / sizeof *opts, shapes = sizeof shape / sizeof *shape;
    for (int t = 0; t < ORR_NTYPES; t++) {
        struct worst worst = {0};
        for (int i = 0; i < shapes; i++)
            for (int s = i % step; s < count; s += step)
                one(ctx, (i + s + t) % svdgen_kinds(), (orr_type)t, shape[i][0], shape[i][1],
                    opts[s], (i + s + t) % 4, &worst);
        for (int kind = 0; kind < svdgen_kinds(); kind += step)
            one(ctx, kind, (orr_type)t, 75 + kind, 70 + 2 * kind % 17, opts[1], 1, &worst);
        if (!left_out())
            one(ctx, 0, (orr_type)t, 210, 200, opts[0], t == ORR_D, &worst);
        if (!left_out())
            one(ctx, 9, (orr_type)t, 300, 130, (orr_gesvd_opts){.band = 32, .tile = 64}, t == ORR_Z,
                &worst);
        for (int i = 0; i < 2; i++) /* two levels of merges as tasks, with an odd order */
            if (!left_out())
                one(ctx, (t + 4 * i) % svdgen_kinds(), (orr_type)t, 263 + 20 * i, 263,
                    (orr_gesvd_opts){.band = 32, .tile = 96}, 1 + 2 * i, &worst);
        printf("%c: worst values %.2f, residual %.2f, orthogonality %.2f (limit %g)\n",
               orr_type_letter((orr_type)t), worst.values, worst.residual, worst.orthogonality,
               LIMIT);
    }
}

/* Tall and wide ones, whose rows are parts of a tree: one or two levels of it, panels that end within
 * a part or do not, a panel that is all of it, a row more than columns, kinds without full rank. */
static void trees(orr_context *ctx, int step)
{
    static const struct {
        int64_t m, n;
        orr_gesvd_opts o;
    } of[] = {
        {2100, 33, {.method = ORR_DENSE_TWO_STAGE, .place = ORR_PLACE_CPU}},
        {40, 4200, {.method = ORR_DENSE_TWO_STAGE, .place = ORR_PLACE_CPU}},
        {9300, 33, {.band = 8, .tile = 24, .place = ORR_PLACE_CPU}},
        {3300, 70, {.method = ORR_DENSE_TWO_STAGE, .place = ORR_PLACE_CPU}},
        {34, 33, {.qr = 1}},
        {5000, 1, {.method = ORR_DENSE_TWO_STAGE}},
        {3100, 95, {.band = 16, .tile = 64, .place = ORR_PLACE_CPU}},
    };
    struct worst worst = {0};
    for (int i = 0; i < (int)(sizeof of / sizeof *of); i++)
        for (int t = i % step; t < ORR_NTYPES; t += step)
            one(ctx, (3 * i + t) % svdgen_kinds(), (orr_type)t, of[i].m, of[i].n, of[i].o,
                (i + t) % 4, &worst);
    printf("trees: worst values %.2f, residual %.2f, orthogonality %.2f (limit %g)\n", worst.values,
           worst.residual, worst.orthogonality, LIMIT);
}

/* Entries near the ends of the range: the same vectors, the values times a power of two. */
static void scales(orr_context *ctx)
{
    static const int shift[][ORR_NTYPES] = {
        {100, 900, 100, 900}, {-100, -900, -100, -900}, {60, 498, 60, 498}, {-60, -498, -60, -498}};
    for (int t = 0; t < ORR_NTYPES; t++)
        for (int s = 0; s < 12; s++) {
            const int by = shift[s % 4][t];
            struct problem p = make(0, (orr_type)t, s < 8 ? 60 : 2100, s < 8 ? 50 : 8, 3);
            orr_report rep;
            for (int64_t k = 0; k < p.lda * p.n; k++)
                put((orr_type)t, p.a0, k, ldexp(1, by) * get((orr_type)t, p.a0, k));
            static const orr_gesvd_opts ways[] = {{.band = 8, .tile = 16},
                                                  {.method = ORR_DENSE_LAPACK},
                                                  {.place = ORR_PLACE_CPU}}; /* TSQR */
            const orr_status st = solve(ctx, &p, &ways[s / 4], 1, &rep);
            const double e = value_error(&p);
            const struct svd_ratios r =
                svd_judge((orr_type)t, p.m, p.n, p.a0, p.lda, p.s, p.u, p.ldu, p.v, p.ldv);
            CHECK(st == ORR_OK && e <= LIMIT, "%c times 2^%d: status %d values %g",
                  orr_type_letter((orr_type)t), by, st, e);
            CHECK(r.residual <= LIMIT && r.left <= LIMIT && r.right <= LIMIT,
                  "%c times 2^%d: %g %g %g", orr_type_letter((orr_type)t), by, r.residual, r.left,
                  r.right);
            CHECK(!strstr(rep.plan, "\"scale\":1,"), "not scaled: %s", rep.plan);
            drop(&p);
        }
}

/* What a caller may get wrong: refused at once, told what, nothing touched. */
static void arguments(orr_context *ctx)
{
    double a[6] = {1, 2, 3, 4, 5, 6}, s[2] = {5, 6}, u[9];
    orr_report rep;
#define REFUSED(why, type, m, n, a, lda, s, u, ldu, v, ldv, ...)                                   \
    do {                                                                                           \
        const orr_status st = orr_gesvd(ctx, type, m, n, a, lda, s, u, ldu, v, ldv,                \
                                        &(orr_gesvd_opts){__VA_ARGS__}, &rep);                     \
        CHECK(st == ORR_E_ARG && strstr(rep.message, why), "status %d '%s'", st, rep.message);     \
    } while (0)
    REFUSED("type", (orr_type)9, 3, 2, a, 3, s, NULL, 0, NULL, 0, .band = 0);
    REFUSED("type", ORR_H, 3, 2, a, 3, s, NULL, 0, NULL, 0, .band = 0);
    REFUSED("negative", ORR_D, -1, 2, a, 3, s, NULL, 0, NULL, 0, .band = 0);
    REFUSED("negative", ORR_D, 3, -2, a, 3, s, NULL, 0, NULL, 0, .band = 0);
    REFUSED("lda", ORR_D, 3, 2, a, 2, s, NULL, 0, NULL, 0, .band = 0);
    REFUSED("a is NULL", ORR_D, 3, 2, NULL, 3, s, NULL, 0, NULL, 0, .band = 0);
    REFUSED("s is NULL", ORR_D, 3, 2, a, 3, NULL, NULL, 0, NULL, 0, .band = 0);
    REFUSED("ldu", ORR_D, 3, 2, a, 3, s, a, 2, NULL, 0, .band = 0);
    REFUSED("ldv", ORR_D, 3, 2, a, 3, s, NULL, 0, a, 1, .band = 0);
    REFUSED("u needs m <= ldu < 2^24", ORR_D, 3, 2, a, 3, s, u, 1 << 24, NULL, 0, .band = 0);
    REFUSED("v needs n <= ldv < 2^24", ORR_D, 3, 2, a, 3, s, NULL, 0, u, 1 << 24, .band = 0);
    REFUSED("overlap", ORR_D, 3, 2, a, 3, s, u, 3, u, 3, .band = 0);
    REFUSED("2^27", ORR_D, 3, 2, a, INT32_MAX, s, NULL, 0, NULL, 0, .band = 0);
    REFUSED("band is less", ORR_D, 3, 2, a, 3, s, NULL, 0, NULL, 0, .band = 1);
    REFUSED("band is more", ORR_D, 3, 2, a, 3, s, NULL, 0, NULL, 0, .band = 513);
    REFUSED("tile more", ORR_D, 3, 2, a, 3, s, NULL, 0, NULL, 0, .band = 16, .tile = 65552);
    REFUSED("tile needs", ORR_D, 3, 2, a, 3, s, NULL, 0, NULL, 0, .tile = 16);
    REFUSED("tile needs", ORR_D, 3, 2, a, 3, s, NULL, 0, NULL, 0, .band = 16, .tile = 24);
    REFUSED("qr is", ORR_D, 3, 2, a, 3, s, NULL, 0, NULL, 0, .qr = -2);
    REFUSED("qr is", ORR_D, 3, 2, a, 3, s, NULL, 0, NULL, 0, .qr = 2);
    REFUSED("place", ORR_D, 3, 2, a, 3, s, NULL, 0, NULL, 0, .place = ORR_PLACE_SPLIT);
    REFUSED("method is", ORR_D, 3, 2, a, 3, s, NULL, 0, NULL, 0, .method = ORR_NDENSE);
    REFUSED("method is", ORR_D, 3, 2, a, 3, s, NULL, 0, NULL, 0, .method = (orr_dense_method)-1);
    REFUSED("method lapack", ORR_D, 3, 2, a, 3, s, NULL, 0, NULL, 0, .method = ORR_DENSE_LAPACK,
            .band = 16);
    REFUSED("method lapack", ORR_D, 3, 2, a, 3, s, NULL, 0, NULL, 0, .method = ORR_DENSE_LAPACK,
            .qr = 1);
    REFUSED("method lapack", ORR_D, 3, 2, a, 3, s, NULL, 0, NULL, 0, .method = ORR_DENSE_LAPACK,
            .place = ORR_PLACE_GPU);
    CHECK(a[0] == 1 && a[5] == 6 && s[0] == 5, "arrays were touched");
}

/* NaN and infinity are found wherever they are, before anything is done. */
static void nonfinite(orr_context *ctx)
{
    uint64_t state = 4711;
    for (int t = 0; t < ORR_NTYPES; t++)
        for (int times = 0; times < 20; times++) {
            const int64_t m = 1 + (int64_t)(15 * (1 + next_uniform(&state)));
            const int64_t n = 1 + (int64_t)(15 * (1 + next_uniform(&state)));
            const int64_t i = (int64_t)((double)m * (0.5 + next_uniform(&state) / 2));
            const int64_t j = (int64_t)((double)n * (0.5 + next_uniform(&state) / 2));
            struct problem p = make(0, (orr_type)t, m, n, (uint64_t)times);
            put((orr_type)t, p.a0, j * p.lda + i, times % 3 ? NAN : -INFINITY);
            orr_report rep;
            char expected[64];
            const orr_gesvd_opts o = {.method = (orr_dense_method)(times % ORR_NDENSE)};
            const orr_status st = solve(ctx, &p, times % 4 ? &o : NULL, times % 2, &rep);
            snprintf(expected, sizeof expected, "(%lld, %lld)", (long long)i, (long long)j);
            CHECK(st == ORR_E_NONFINITE && rep.index == j * p.lda + i &&
                      strstr(rep.message, expected),
                  "status %d index %lld '%s', expected %s", st, (long long)rep.index, rep.message,
                  expected);
            CHECK(!memcmp(p.a, p.a0, (size_t)(p.lda * n) * p.size) &&
                      untouched(p.s, (size_t)p.k * p.real) &&
                      untouched(p.u, (size_t)(p.ldu * p.k) * p.size) &&
                      untouched(p.v, (size_t)(p.ldv * p.k) * p.size),
                  "something was written");
            drop(&p);
        }
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
    for (int t = 0; t < ORR_NTYPES; t++) { /* square, tall by QR, wide, tall without QR */
        const int64_t m = t == 2 ? 50 : 83 + 40 * (t % 2), n = t == 2 ? 77 : 61;
        struct problem p = make(t, (orr_type)t, m, n, 5);
        const size_t s = (size_t)p.k * p.real, u = (size_t)(p.ldu * p.k) * p.size;
        const size_t v = (size_t)(p.ldv * p.k) * p.size;
        char *first[] = {allocate(s), allocate(u), allocate(v)};
        for (int k = 0; k < 3; k++) {
            orr_report rep;
            const orr_gesvd_opts o = {
                .band = 8, .tile = 8 * (2 + t), .place = place[k], .qr = t == 3 ? -1 : 0};
            const orr_status st = solve(ctx, &p, &o, 1, &rep);
            if (!devices && place[k] == ORR_PLACE_GPU) {
                CHECK(st == ORR_E_NOWORKER, "place gpu without a device: status %d", st);
                continue;
            }
            CHECK(st == ORR_OK, "place %d: status %d %s", place[k], st, rep.message);
            CHECK(!devices || strstr(rep.plan, told[k]), "place %d: %s", place[k], rep.plan);
            const int same =
                !memcmp(first[0], p.s, s) && !memcmp(first[1], p.u, u) && !memcmp(first[2], p.v, v);
            CHECK(k < 2 || info.cuda || same, "%c: place %d gives other bits",
                  orr_type_letter((orr_type)t), place[k]);
            memcpy(first[0], p.s, s);
            memcpy(first[1], p.u, u);
            memcpy(first[2], p.v, v);
        }
        for (int i = 0; i < 3; i++)
            free(first[i]);
        drop(&p);
    }
    if (devices) { /* tiles as they are chosen with accelerators */
        struct worst worst = {0};
        one(ctx, 0, ORR_D, 1100, 600, (orr_gesvd_opts){.place = ORR_PLACE_GPU}, 0, &worst);
        one(ctx, 1, ORR_C, 300, 530, (orr_gesvd_opts){.place = ORR_PLACE_GPU}, 1, &worst);
        one(ctx, 1, ORR_S, 430, 395, (orr_gesvd_opts){.band = 8, .place = ORR_PLACE_GPU}, 1,
            &worst);
    }
}

/* What is told of the choice, and how many tasks come of it. */
static void methods(orr_context *ctx)
{
    static const struct {
        orr_gesvd_opts o;
        int64_t n;
        const char *told;
        int one;   /* task */
        int64_t m; /* 0: n, and no vectors */
    } of[] = {
        {{0}, 40, "\"method\":\"lapack\",\"from\":\"built in: ", 1, 0},
        {{.band = 8}, 40, "\"method\":\"two-stage\",\"from\":\"asked\"", 0, 0},
        {{.qr = 1}, 40, "\"method\":\"two-stage\",\"from\":\"asked\"", 0, 0},
        {{.method = ORR_DENSE_TWO_STAGE}, 40, "\"method\":\"two-stage\",\"from\":\"asked\"", 0, 0},
        {{.method = ORR_DENSE_LAPACK}, 40, "\"method\":\"lapack\",\"from\":\"asked\"", 1, 0},
        {{0}, 800, "\"method\":\"two-stage\",\"from\":\"built in: ", 0, 0},
        {{0}, 40, "\"method\":\"lapack\",\"from\":\"built in: ", 1, 160},
        {{.place = ORR_PLACE_CPU},
         8,
         "\"method\":\"lapack\",\"from\":\"built in: few columns\"",
         1,
         1023},
        {{.place = ORR_PLACE_CPU},
         8,
         "\"method\":\"tsqr\",\"from\":\"built in: few columns\",\"scale\":1,\"parts\":1",
         0,
         1024},
        {{.place = ORR_PLACE_CPU}, 200, "\"parts\":1,", 0, 2000},
        {{.place = ORR_PLACE_CPU}, 33, "\"parts\":9,", 0, 8700},
        {{0}, 201, "\"method\":\"two-stage\",\"from\":\"built in: ", 0, 2010},
        {{0}, 200, "\"method\":\"two-stage\",\"from\":\"built in: ", 0, 1999},
        {{.qr = -1}, 40, "\"leaves\":0,", 0, 160},
        {{.method = ORR_DENSE_TWO_STAGE}, 40, "\"leaves\":1,", 0, 2047},
        {{.method = ORR_DENSE_TWO_STAGE, .place = ORR_PLACE_CPU}, 40, "\"leaves\":2,", 0, 2048},
        {{.method = ORR_DENSE_TWO_STAGE, .place = ORR_PLACE_CPU}, 8, "\"leaves\":2,", 0, 33000},
        {{.method = ORR_DENSE_TWO_STAGE}, 129, "\"solver\":\"bdsqr\"", 0, 0},
        {{.method = ORR_DENSE_TWO_STAGE}, 128, "\"solver\":\"bdsdc\"", 0, 128},
        {{.method = ORR_DENSE_TWO_STAGE}, 129, "\"solver\":\"merges\"", 0, 129},
    };
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        struct problem p = make(0, ORR_D, of[k].m ? of[k].m : of[k].n, of[k].n, 1);
        orr_report rep;
        const orr_status st = solve(ctx, &p, &of[k].o, of[k].m > 0, &rep);
        CHECK(st == ORR_OK && strstr(rep.plan, of[k].told), "%zu: status %d, %s", k, st, rep.plan);
        CHECK((rep.tasks == 1) == of[k].one, "%zu: %lld tasks", k, (long long)rep.tasks);
        drop(&p);
    }
}

static int descends(const struct problem *p)
{
    int sorted = 1;
    for (int64_t i = 1; i < p->k; i++)
        sorted &= creal(get(orr_type_real(p->type), p->s, i)) <=
                  creal(get(orr_type_real(p->type), p->s, i - 1));
    return sorted;
}

/* Values of all kinds by `cpus` workers: by pieces if these are several, and one task else. */
static void pieces(int cpus, int step)
{
    static const int64_t shape[][2] = {{361, 361}, {700, 380}, {390, 500}, {513, 512}};
    orr_context *ctx;
    struct worst worst = {0};
    const orr_status st = orr_open(&(orr_context_opts){.cpus = cpus}, &ctx);
    CHECK(st == ORR_OK, "%d workers: status %d", cpus, st);
    for (int k = 0; st == ORR_OK && k < svdgen_kinds(); k += step) {
        const int t = k % ORR_NTYPES, i = (k + k / ORR_NTYPES) % 4;
        const orr_gesvd_opts o = {.method = ORR_DENSE_TWO_STAGE, .place = ORR_PLACE_CPU};
        struct problem p = make(k, (orr_type)t, shape[i][0], shape[i][1], (uint64_t)k);
        orr_report rep;
        const orr_status is = solve(ctx, &p, &o, 0, &rep);
        const char *told = cpus > 1 ? "\"solver\":\"bisection\"" : "\"solver\":\"bdsqr\"";
        CHECK(is == ORR_OK && strstr(rep.plan, told), "%d workers, %s: status %d %s, %s", cpus,
              svdgen_name(k), is, rep.message, rep.plan);
        check_surroundings(&p, svdgen_name(k));
        const double e = value_error(&p);
        CHECK(e <= LIMIT && descends(&p), "%d workers, %c %s: values %g, descending %d", cpus,
              orr_type_letter((orr_type)t), svdgen_name(k), e, descends(&p));
        worst.values = fmax(worst.values, e);
        drop(&p);
    }
    printf("%d workers: worst values %.2f (limit %g)\n", cpus, worst.values, LIMIT);
    if (st == ORR_OK)
        orr_close(ctx);
}

/* The values and vectors of case k, malloc'ed, *length bytes. */
static char *random_case(orr_context *ctx, int64_t k, size_t *length)
{
    uint64_t state = 31337 + (uint64_t)k * 77;
    int64_t number[4];
    for (int i = 0; i < 4; i++)
        number[i] = (int64_t)(4096 * (1 + next_uniform(&state)));
    const int64_t band = 2 + number[2] % 12;
    orr_gesvd_opts o = {.band = band,
                        .qr = (int)(k % 3) - 1,
                        .tile = band * (2 + number[3] % 3) * (band < 8 ? 8 : 1)};
    const int64_t more = k % 6 == 4 ? 240 : 30; /* then several levels of merges */
    const int64_t tall = k % 6 == 2 ? 2100 : 0; /* then a tree */
    int64_t m = tall + more + number[0] % 120, n = more + number[1] % (tall ? 40 : 120);
    if (k % 6 == 3) { /* few columns, or few rows: 33 parts or more, their triangles in two */
        const int64_t few = 41 + number[1] % 8, many = few * 16 * 34 + number[0] % 120;
        m = k % 4 == 3 ? many : few, n = k % 4 == 3 ? few : many;
        o = (orr_gesvd_opts){.place = ORR_PLACE_CPU};
    }
    struct problem p =
        make((int)k % svdgen_kinds(), (orr_type)(k % ORR_NTYPES), m, n, (uint64_t)k + 1);
    orr_report rep;
    const orr_status st = solve(ctx, &p, &o, 1, &rep);
    CHECK(st == ORR_OK, "status %d %s", st, rep.message);
    CHECK((k % 6 == 3) == (strstr(rep.plan, "\"tsqr\"") != NULL), "case %lld: %s", (long long)k,
          rep.plan);
    const size_t s = (size_t)p.k * p.real, u = (size_t)(p.ldu * p.k) * p.size;
    const size_t v = (size_t)(p.ldv * p.k) * p.size;
    char *all = allocate(s + u + v);
    memcpy(all, p.s, s);
    memcpy(all + s, p.u, u);
    memcpy(all + s + u, p.v, v);
    *length = s + u + v;
    drop(&p);
    return all;
}

int main(int argc, char **argv)
{
    const int opencl = variant(argc, argv);
    const int64_t order = argc > 2 && strcmp(argv[1], "order") == 0 ? atoll(argv[2]) : 0;
    if (order) {
        same_in_any_order(random_case, order, "s, u or v");
        return checked();
    }
    orr_context *ctx = open_context(opencl);
    const int part = one_in > 1 || SANITIZED;
    sizes(ctx, one_in > 1 ? 9 : part ? 4 : 1);
    trees(ctx, part ? 4 : 1);
    scales(ctx);
    places(ctx);
    nonfinite(ctx);
    methods(ctx);
    arguments(ctx);
    orr_close(ctx);
    if (!opencl) {
        pieces(3, part ? 4 : 1);
        pieces(1, part ? 9 : 5);
    }
    return checked();
}
