/* gesvj as a graph: four types, shapes that are awkward for blocks of 16, 32 and 64 columns,
 * layouts with padding, U and V wanted or not, placements, bundles, batches of mixed sizes, bad
 * input; streams (gesvj_stream.c). Every result is judged by LAPACK's ddrvbd ratios
 * (tests/svdgen.h), all <= 20.
 *
 * Arguments: "opencl": a part of it with an OpenCL worker as a second memory node; "few": a part.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/gesvj_case.h"
#include "algorithms/open.h"
#include "check.h"

/* Elements of an array of matrices that lie outside of them and were written. */
static int64_t spoilt(const orr_batch *b)
{
    int64_t bad = 0;
    const size_t size = orr_type_size(b->type);
    const char *x = b->a;
    for (int64_t i = 0; i < b->stride * b->batch; i++)
        if (i % b->stride / b->ld >= b->n || i % b->stride % b->ld >= b->m)
            for (size_t k = 0; k < size; k++)
                bad += x[(size_t)i * size + k] != 0x5a;
    return bad;
}

/* A batch of one shape, matrix k of kind `kind` + k; nan_at < 0: none. */
static void uniform(orr_context *ctx, orr_type t, int64_t m, int64_t n, int64_t batch, int kind,
                    int64_t nan_at, const orr_gesvj_opts *opts)
{
    const int64_t k = m < n ? m : n, pad = (m + batch) % 3;
    orr_batch A = array(t, batch, m, n, pad), S = array(orr_type_real(t), batch, k, 1, pad);
    orr_batch U = array(t, batch, m, k, pad), V = array(t, batch, n, k, 2 * pad);
    orr_matrix_info *info = allocate(batch, sizeof *info);
    const int has_nan = nan_at >= 0 && nan_at < batch && k > 0;
    for (int64_t i = 0; i < batch; i++)
        svdgen((kind + (int)i) % svdgen_kinds(), t, m, n, (uint64_t)i, matrix(&A, i), A.ld);
    if (has_nan)
        put(t, matrix(&A, nan_at), (n - 1) * A.ld + m - 1, NAN);

    orr_gesvj_opts o = *opts;
    orr_report rep;
    o.check = 1;
    if (o.place > ORR_PLACE_CPU && accelerators == 0)
        o.place = ORR_PLACE_AUTO;
    orr_status st = orr_gesvj(ctx, &A, &S, &U, &V, &o, info, &rep);
    CHECK(st == (has_nan ? ORR_NONFINITE : ORR_OK), "%c %lld x %lld: status %d: %s",
          orr_type_letter(t), (long long)m, (long long)n, st, rep.message);
    for (int64_t i = 0; i < batch && st >= 0; i++) {
        if (has_nan && i == nan_at) {
            CHECK(info[i].status == ORR_NONFINITE && rep.index == i, "NaN at %lld", (long long)i);
            CHECK(isnan(creal(get(S.type, matrix(&S, i), 0))), "s of a NaN matrix");
            continue;
        }
        CHECK(info[i].status == ORR_OK, "status %d of matrix %lld", info[i].status, (long long)i);
        judge(t, m, n, matrix(&A, i), A.ld, matrix(&S, i), matrix(&U, i), U.ld, matrix(&V, i), V.ld,
              svdgen_name((kind + (int)i) % svdgen_kinds()));
        CHECK(strcmp(svdgen_name((kind + (int)i) % svdgen_kinds()), "denormals") == 0 ||
                  (info[i].residual <= LIMIT && info[i].orthogonality <= LIMIT),
              "own check %g %g", info[i].residual, info[i].orthogonality);
    }
    CHECK(spoilt(&S) == 0 && spoilt(&U) == 0 && spoilt(&V) == 0, "padding was written");

    /* The same values without vectors, to rounding: another number of updates, the same X. */
    orr_batch S2 = array(orr_type_real(t), batch, k, 1, pad);
    o.check = 0;
    st = orr_gesvj(ctx, &A, &S2, NULL, NULL, &o, NULL, &rep);
    CHECK(st == (has_nan ? ORR_NONFINITE : ORR_OK), "status %d: %s", st, rep.message);
    for (int64_t i = 0; i < batch && st >= 0; i++)
        CHECK((has_nan && i == nan_at) ||
                  !memcmp(matrix(&S, i), matrix(&S2, i), (size_t)k * orr_type_size(S.type)),
              "values of matrix %lld differ without vectors", (long long)i);
    free(A.a);
    free(S.a);
    free(S2.a);
    free(U.a);
    free(V.a);
    free(info);
}

static void mixed(orr_context *ctx, orr_type t)
{
    enum { BATCH = 27 };
    int64_t ms[BATCH], ns[BATCH], ks[BATCH], ones[BATCH], lds[BATCH];
    void *a[BATCH], *s[BATCH], *u[BATCH], *v[BATCH];
    size_t size = orr_type_size(t);
    orr_matrix_info info[BATCH];
    for (int i = 0; i < BATCH; i++) {
        colourful(i, &ms[i], &ns[i]);
        ks[i] = ms[i] < ns[i] ? ms[i] : ns[i];
        ones[i] = 1;
        lds[i] = ms[i] + i % 2;
        a[i] = allocate(lds[i] * ns[i], size);
        s[i] = allocate(ks[i], size);
        u[i] = allocate(ms[i] * ks[i], size);
        v[i] = allocate(ns[i] * ks[i], size);
        svdgen(i % svdgen_kinds(), t, ms[i], ns[i], (uint64_t)i, a[i], lds[i]);
    }
    orr_batch A = {.type = t, .batch = BATCH, .ms = ms, .ns = ns, .lds = lds, .as = a};
    orr_batch S = {.type = orr_type_real(t), .batch = BATCH, .ms = ks, .ns = ones, .as = s};
    orr_batch U = {.type = t, .batch = BATCH, .ms = ms, .ns = ks, .as = u};
    orr_batch V = {.type = t, .batch = BATCH, .ms = ns, .ns = ks, .as = v};
    orr_report rep;
    orr_status st = orr_gesvj(ctx, &A, &S, &U, &V, NULL, info, &rep);
    CHECK(st == ORR_OK, "mixed: status %d: %s", st, rep.message);
    for (int i = 0; i < BATCH; i++) {
        judge(t, ms[i], ns[i], a[i], lds[i], s[i], u[i], ms[i] ? ms[i] : 1, v[i], ns[i], "mixed");
        free(a[i]);
        free(s[i]);
        free(u[i]);
        free(v[i]);
    }
}

/* ---- Bundles ------------------------------------------------------------------------------- */

enum { BUNDLED = 17, BUNDLED_NAN = 5 };

struct solved {
    orr_batch A, S, U, V;
    orr_matrix_info info[BUNDLED];
    orr_report rep;
};

/* Matrices of all kinds, which need different numbers of sweeps, and one with NaN. */
static struct solved solve_together(orr_context *ctx, orr_type t, int64_t m, int64_t n,
                                    const orr_gesvj_opts *o)
{
    const int64_t k = m < n ? m : n;
    struct solved x = {.A = array(t, BUNDLED, m, n, 1),
                       .S = array(orr_type_real(t), BUNDLED, k, 1, 0),
                       .U = array(t, BUNDLED, m, k, 0),
                       .V = array(t, BUNDLED, n, k, 2)};
    for (int i = 0; i < BUNDLED; i++)
        svdgen(i % svdgen_kinds(), t, m, n, (uint64_t)i, matrix(&x.A, i), x.A.ld);
    put(t, matrix(&x.A, BUNDLED_NAN), m / 2, NAN);
    orr_status st = orr_gesvj(ctx, &x.A, &x.S, &x.U, &x.V, o, x.info, &x.rep);
    CHECK(st == ORR_NONFINITE && x.rep.index == BUNDLED_NAN, "status %d: %s", st, x.rep.message);
    return x;
}

static int same(const orr_batch *x, const orr_batch *y, int64_t i)
{
    return !memcmp(matrix(x, i), matrix(y, i), (size_t)x->stride * orr_type_size(x->type));
}

static void free_solved(struct solved *x)
{
    free(x->A.a);
    free(x->S.a);
    free(x->U.a);
    free(x->V.a);
}

/* What becomes of a matrix does not depend on the size of bundles, nor, but for the eigenvectors
 * that sweeps of CPUs may begin with, on where it was. */
static void bundles(orr_context *ctx, orr_type t, int64_t m, int64_t n)
{
    static const orr_gesvj_opts how[] = {
        {.place = ORR_PLACE_CPU, .block = 16, .precondition = 1},
        {.place = ORR_PLACE_GPU, .block = 16, .bundle = 1},
        {.place = ORR_PLACE_GPU, .block = 16, .bundle = 3},
        {.place = ORR_PLACE_GPU, .block = 16},
        {.place = ORR_PLACE_AUTO, .block = 16, .bundle = 2},
    };
    struct solved first = solve_together(ctx, t, m, n, &how[0]);
    int least = 100, most = 0;
    for (int i = 0; i < BUNDLED; i++)
        if (i != BUNDLED_NAN) {
            judge(t, m, n, matrix(&first.A, i), first.A.ld, matrix(&first.S, i),
                  matrix(&first.U, i), first.U.ld, matrix(&first.V, i), first.V.ld, "bundled");
            least = first.info[i].sweeps < least ? first.info[i].sweeps : least;
            most = first.info[i].sweeps > most ? first.info[i].sweeps : most;
        }
    CHECK(least < most, "all have %d sweeps", most);
    CHECK(strstr(first.rep.plan, "\"bundle\":0,\"on_device\":0"), "plan %s", first.rep.plan);
    for (size_t c = 1; c < sizeof how / sizeof *how && accelerators; c++) {
        struct solved x = solve_together(ctx, t, m, n, &how[c]);
        int on_device = 0;
        for (int i = 0; i < BUNDLED; i++) {
            CHECK(x.info[i].sweeps == first.info[i].sweeps && same(&x.S, &first.S, i) &&
                      same(&x.U, &first.U, i) && same(&x.V, &first.V, i),
                  "matrix %d with bundle %d, place %d", i, how[c].bundle, how[c].place);
            on_device += x.info[i].device != 0;
        }
        CHECK(how[c].place == ORR_PLACE_GPU ? on_device == BUNDLED - 1 : on_device < BUNDLED - 1,
              "%d matrices on devices, place %d", on_device, how[c].place);
        CHECK(!strstr(x.rep.plan, "\"bundle\":0,"), "plan %s", x.rep.plan);
        CHECK(how[c].place != ORR_PLACE_GPU || strstr(x.rep.plan, "\"ends\":\"device\""), "plan %s",
              x.rep.plan);
        free_solved(&x);
    }
    free_solved(&first);
}

/* ---- Bad arguments, and what does not converge -------------------------------------------- */

static void arguments(orr_context *ctx)
{
    double a[6] = {1, 2, 3, 4, 5, 6}, s[2] = {7, 8}, u[6] = {0}, v[4] = {0};
    const orr_batch A = {.type = ORR_D, .batch = 1, .m = 3, .n = 2, .a = a};
    const orr_batch S = {.type = ORR_D, .batch = 1, .m = 2, .n = 1, .a = s};
    const orr_batch U = {.type = ORR_D, .batch = 1, .m = 3, .n = 2, .a = u};
    const orr_batch V = {.type = ORR_D, .batch = 1, .m = 2, .n = 2, .a = v};
#define REFUSED(why, change, ...)                                                                  \
    do {                                                                                           \
        orr_batch x = A, y = S, z = U, w = V;                                                      \
        orr_report rep;                                                                            \
        change;                                                                                    \
        orr_status st =                                                                            \
            orr_gesvj(ctx, &x, &y, &z, &w, &(orr_gesvj_opts){__VA_ARGS__}, NULL, &rep);            \
        CHECK(st == ORR_E_ARG && strstr(rep.message, why), "status %d '%s'", st, rep.message);     \
    } while (0)
    REFUSED("negative", x.m = -1, .tol = 0);
    REFUSED("shape", x.n = 3, .tol = 0);
    REFUSED("8192", x.m = x.n = y.m = z.m = z.n = w.m = w.n = 8193, .tol = 0);
    REFUSED("8192", (x.m = z.m = INT32_MAX, x.n = w.m = w.n = z.n = y.m = 2), .tol = 0);
    REFUSED("leading", x.ld = 2, .tol = 0);
    REFUSED("A.a is NULL", x.a = NULL, .tol = 0);
    REFUSED("s.a is NULL", y.a = NULL, .tol = 0);
    REFUSED("U.a is NULL", z.a = NULL, .tol = 0);
    REFUSED("V.a is NULL", w.a = NULL, .tol = 0);
    REFUSED("type", y.type = ORR_S, .tol = 0);
    REFUSED("type", z.type = ORR_Z, .tol = 0);
    REFUSED("type", w.type = ORR_S, .tol = 0);
    REFUSED("same size", w.batch = 2, .tol = 0);
    REFUSED("same size", x.batch = y.batch = z.batch = w.batch = -1, .tol = 0);
    REFUSED("stride", (x.batch = y.batch = z.batch = w.batch = 2, x.stride = 5), .tol = 0);
    REFUSED("shape", y.n = 2, .tol = 0);
    REFUSED("shape", z.n = 3, .tol = 0);
    REFUSED("shape", w.m = 3, .tol = 0);
    REFUSED("type", x.type = (orr_type)7, .tol = 0);
    REFUSED("range", (void)x, .tol = -1);
    REFUSED("range", (void)x, .tol = 1);
    REFUSED("range", (void)x, .tol = NAN);
    REFUSED("range", (void)x, .chunk = -1);
    REFUSED("range", (void)x, .max_sweeps = -1);
    REFUSED("block", (void)x, .block = 17);
    REFUSED("bundle", (void)x, .bundle = -1);
    REFUSED("bundle", (void)x, .bundle = 65);
    REFUSED("place", (void)x, .place = ORR_NPLACES);
    const int64_t ms[] = {3}, ns[] = {2}, short_ld[] = {1}, tall[] = {4};
    void *as[] = {a}, *ss[] = {s}, *us[] = {u}, *vs[] = {v}, *none[] = {NULL};
    const orr_batch mixed_A = {.type = ORR_D, .batch = 1, .ms = ms, .ns = ns, .as = as};
    const orr_batch mixed_S = {.type = ORR_D, .batch = 1, .as = ss};
    const orr_batch mixed_U = {.type = ORR_D, .batch = 1, .as = us};
    const orr_batch mixed_V = {.type = ORR_D, .batch = 1, .as = vs};
#define REFUSED_MIXED(why, change)                                                                 \
    REFUSED(why, x = mixed_A; y = mixed_S; z = mixed_U; w = mixed_V; change, .tol = 0)
    REFUSED_MIXED("mixed", w = V);
    REFUSED_MIXED("A.ms is NULL", x.ms = NULL);
    REFUSED_MIXED("A.ns is NULL", x.ns = NULL);
    REFUSED_MIXED("leading", x.lds = ns);
    REFUSED_MIXED("A.as is NULL", x.as = none);
    REFUSED_MIXED("s.as is NULL", y.as = none);
    REFUSED_MIXED("U.as is NULL", z.as = none);
    REFUSED_MIXED("wrong shape", z.ms = tall);
    REFUSED_MIXED("wrong shape", z.lds = ns);
    REFUSED_MIXED("wrong shape", w.lds = short_ld);
    REFUSED_MIXED("V.as is NULL", w.as = none);
    CHECK(a[0] == 1 && a[5] == 6 && s[0] == 7, "arrays were touched");
    orr_report rep;
    const orr_gesvj_opts check = {.check = 1};
    CHECK(orr_gesvj(ctx, NULL, &S, &U, &V, NULL, NULL, &rep) == ORR_E_ARG &&
              strstr(rep.message, "A is NULL"),
          "%s", rep.message);
    CHECK(orr_gesvj(ctx, &A, NULL, &U, &V, NULL, NULL, &rep) == ORR_E_ARG &&
              strstr(rep.message, "s is NULL"),
          "%s", rep.message);
    CHECK(orr_gesvj(ctx, &A, &S, &U, NULL, &check, NULL, &rep) == ORR_E_ARG, "check without V");
    CHECK(orr_gesvj(ctx, &A, &S, NULL, &V, &check, NULL, &rep) == ORR_E_ARG, "check without U");
}

static void too_few_sweeps(orr_context *ctx, int64_t n)
{
    orr_batch A = array(ORR_D, 1, n, n, 0), S = array(ORR_D, 1, n, 1, 0);
    orr_matrix_info info;
    orr_report rep;
    svdgen(0, ORR_D, n, n, 1, A.a, A.ld);
    orr_status st =
        orr_gesvj(ctx, &A, &S, NULL, NULL, &(orr_gesvj_opts){.max_sweeps = 1}, &info, &rep);
    CHECK(st == ORR_NOCONV && info.status == ORR_NOCONV && info.sweeps == 1, "status %d, sweeps %d",
          st, info.sweeps);
    free(A.a);
    free(S.a);
}

int main(int argc, char **argv)
{
    const int opencl = variant(argc, argv);
    orr_context *ctx = open_context(opencl);
    orr_context_info ci;
    orr_context_query(ctx, &ci);
    accelerators = ci.cuda + (opencl ? ci.opencl : 0);
    static const int64_t shapes[][2] = {{0, 0},   {1, 1},     {2, 2},     {3, 3},    {5, 5},
                                        {31, 31}, {32, 32},   {33, 33},   {63, 63},  {64, 64},
                                        {65, 65}, {100, 100}, {129, 129}, {300, 66}, {66, 300},
                                        {500, 7}, {7, 500}};
    for (int t = 0; t < ORR_NTYPES; t++) {
        worst = (struct svd_ratios){0};
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            static const int blocks[] = {0, 16, 64};
            if (left_out())
                continue;
            const int64_t m = shapes[i][0], n = shapes[i][1];
            const orr_gesvj_opts o = {.block = blocks[i % 3],
                                      .precondition = i % 4 == 3 ? -1 : 0,
                                      .place = (orr_place)(i % ORR_NPLACES)};
            uniform(ctx, (orr_type)t, m, n, m * n > 4096 ? 4 : 9, (int)(7 * i) + t, i % 3 ? 1 : -1,
                    &o);
        }
        for (int place = 0; place < ORR_NPLACES; place++)
            if (one_in == 1 || place % ORR_NTYPES == t)
                uniform(ctx, (orr_type)t, 100, 90, 3, 3 * place, 0,
                        &(orr_gesvj_opts){.place = (orr_place)place});
        /* so many that they become lanes, in chunks of any size, the last lanes empty */
        uniform(ctx, (orr_type)t, 45, 39, 37, t, 20, &(orr_gesvj_opts){0});
        uniform(ctx, (orr_type)t, 7, 12, 70, t, 33, &(orr_gesvj_opts){.chunk = 19});
        mixed(ctx, (orr_type)t);
        bundles(ctx, (orr_type)t, t % 2 ? 70 : 90, t % 2 ? 95 : 75);
        printf("%c: worst |A-USV'| %.2f, |I-U'U| %.2f, |I-V'V| %.2f (limit %g)\n",
               orr_type_letter((orr_type)t), worst.residual, worst.left, worst.right, LIMIT);
    }
    gesvj_streams(ctx);
    too_few_sweeps(ctx, 40);
    too_few_sweeps(ctx, 100);
    gesvj_places(ctx, 40);
    gesvj_places(ctx, 100);
    arguments(ctx);
    orr_close(ctx);
    return checked();
}
