/* hegv: the three problems, types, triangles, subsets and sizes that are awkward for the tiles, judged as hegv_case.h
 * says; places, several calls in flight, what is refused.
 *
 * Arguments: "opencl": with an OpenCL worker as a second memory node, "few": without; a part of the cases.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/hegv_case.h"
#include "algorithms/herm.h"
#include "algorithms/open.h"
#include "canary.h"
#include "check.h"
#include "larger.h"

static void one(orr_context *ctx, orr_type t, char uplo, int64_t n, orr_hegv_opts o, int vectors,
                struct worst *worst)
{
    char what[128];
    snprintf(what, sizeof what, "%c %c n %lld problem %d tile %lld", orr_type_letter(t), uplo,
             (long long)n, o.problem, (long long)o.heev.tile);
    struct problem p = make(t, uplo, n);
    int64_t found[2] = {1, n};
    orr_report rep;
    o.heev.found = found;
    const orr_status st = solve(ctx, &p, o, vectors, &rep);
    const int64_t k = found[1] - found[0] + 1, first = found[0] - 1;
    CHECK(st == ORR_OK && first >= 0 && k >= 0 && first + k <= n, "%s: status %d %s", what, st,
          rep.message);
    refer(&p, o.problem ? o.problem : 1);
    double e = 0, top = 0;
    for (int64_t i = 0; i < n; i++)
        top = fmax(top, fabs(p.ref[i]));
    const double eps = (double)n * orr_type_eps(t) * p.cond * top;
    for (int64_t i = 0; i < k && st == ORR_OK; i++) {
        const double w = creal(get(orr_type_real(t), p.w, i));
        e = larger(e, fabs(w - p.ref[first + i]) / eps);
        CHECK(!o.heev.vu || (w > o.heev.vl && w <= o.heev.vu), "%s: %g is outside", what, w);
    }
    for (int64_t i = 0; o.heev.vu && i < n; i++) { /* nothing inside was left out */
        const int in = p.ref[i] > o.heev.vl + LIMIT * eps && p.ref[i] < o.heev.vu - LIMIT * eps;
        CHECK(!in || (i >= first && i < first + k), "%s: value %lld is missing", what,
              (long long)i);
    }
    CHECK(e <= LIMIT, "%s: values %g", what, e);
    worst->values = fmax(worst->values, e);
    check_surroundings(&p, k, vectors ? k : 0, what);
    if (vectors && k > 0 && st == ORR_OK)
        check_vectors(&p, o.problem ? o.problem : 1, k, what, worst);
    drop(&p);
}

static void sizes(orr_context *ctx, int step)
{
    static const int64_t n[] = {0, 1, 2, 3, 5, 15, 16, 17, 31, 33, 48, 49, 65, 97, 130};
    static const orr_heev_opts shape[] = {
        {0}, {.band = 4, .tile = 16}, {.band = 8, .tile = 24}, {.method = ORR_DENSE_LAPACK}};
    for (int t = 0; t < ORR_NTYPES; t++) {
        struct worst worst = {0};
        for (int i = t % step; i < (int)(sizeof n / sizeof *n); i += step)
            for (int which = 1 + i % step; which <= 3; which += step)
                one(ctx, (orr_type)t, (i + which) % 2 ? 'U' : 'L', n[i],
                    (orr_hegv_opts){.problem = which, .heev = shape[(i + which + t) % 4]},
                    (i + t + which) % 4 != 0, &worst);
        for (int which = 1 + t % step; which <= 3;
             which += step) { /* several panels and tiles; subsets */
            const orr_hegv_opts o = {.problem = which, .heev = {.band = 16, .tile = 48}};
            orr_hegv_opts some = o, within = o;
            one(ctx, (orr_type)t, "UL"[which % 2], 201, o, 1, &worst);
            some.heev.il = 7, some.heev.iu = 40;
            one(ctx, (orr_type)t, 'L', 111, some, 1, &worst);
            one(ctx, (orr_type)t, 'U', 111, some, 0, &worst);
            within.heev.vl = -0.4, within.heev.vu = 1.7;
            one(ctx, (orr_type)t, 'U', 90, within, 1, &worst);
            within.heev.vl = 1e20, within.heev.vu = 1e21;
            one(ctx, (orr_type)t, 'L', 33, within, 1, &worst);
        }
        one(ctx, (orr_type)t, 'L', 300, (orr_hegv_opts){0}, 1, &worst);
        printf("%c: worst values %.3g, residual %.3g, orthogonality %.3g (limit %g)\n",
               orr_type_letter((orr_type)t), worst.values, worst.residual, worst.orthogonality,
               LIMIT);
    }
}

/* The leading minor that is not positive is told, wherever it is in its tile. */
static void indefinite(orr_context *ctx)
{
    static const int64_t at[] = {1, 2, 15, 16, 17, 33, 50};
    for (int t = 0; t < ORR_NTYPES; t++)
        for (size_t k = 0; k < sizeof at / sizeof *at; k++)
            for (int tiled = 0; tiled < 2; tiled++) {
                struct problem p = make((orr_type)t, k % 2 ? 'U' : 'L', 50);
                const int64_t i = at[k] - 1;
                char expected[64];
                orr_report rep;
                put((orr_type)t, p.b0, i * p.ld + i, -1e-3);
                if (at[k] < 50) /* a later one is not the first */
                    put((orr_type)t, p.b0, 49 * (p.ld + 1), -5);
                orr_hegv_opts o = {.problem = 1 + (int)k % 3};
                if (tiled)
                    o.heev.band = 8, o.heev.tile = 16;
                const orr_status st = solve(ctx, &p, o, 1, &rep);
                snprintf(expected, sizeof expected, "order %lld (LAPACK: info = %lld ",
                         (long long)at[k], (long long)at[k] + 50);
                CHECK(st == ORR_E_DEFINITE && rep.index == at[k] && strstr(rep.message, expected),
                      "minor %lld: status %d, index %lld, '%s'", (long long)at[k], st,
                      (long long)rep.index, rep.message);
                CHECK(untouched(p.w, 50 * p.real) && untouched(p.x, (size_t)(50 * p.ld) * p.size),
                      "w or z was written");
                drop(&p);
            }
}

static void nonfinite(orr_context *ctx)
{
    for (int which = 0; which < 2; which++)
        for (int t = 0; t < ORR_NTYPES; t++) {
            struct problem p = make((orr_type)t, 'L', 20);
            orr_report rep;
            put((orr_type)t, which ? p.b0 : p.a0, 3 * p.ld + 7, which ? INFINITY : NAN);
            const orr_status st = solve(ctx, &p, (orr_hegv_opts){0}, 1, &rep);
            CHECK(st == ORR_E_NONFINITE && rep.index == 3 * p.ld + 7 &&
                      strstr(rep.message, which ? "(7, 3) of B" : "(7, 3) of A") &&
                      !strcmp(rep.culprit, which ? "b" : "a"),
                  "status %d, index %lld, '%s'", st, (long long)rep.index, rep.message);
            CHECK(!memcmp(p.a, p.a0, (size_t)(p.ld * 20) * p.size) &&
                      !memcmp(p.b, p.b0, (size_t)(p.ld * 20) * p.size),
                  "something was written");
            drop(&p);
        }
}

/* Several in flight, from one thread: every bit as one after the other; reports too. */
static void submitted(orr_context *ctx)
{
    enum { AT_ONCE = 4, INDEFINITE = 3 };
    struct problem p[AT_ONCE], q[AT_ONCE];
    orr_hegv_opts o[AT_ONCE] = {{0}, {.problem = 2}, {.problem = 3}, {0}};
    orr_request *req[AT_ONCE];
    orr_report rep;
    for (int k = 0; k < AT_ONCE; k++) {
        const int64_t n = 90 + 13 * k;
        p[k] = make((orr_type)k, "LU"[k % 2], n);
        q[k] = make((orr_type)k, "LU"[k % 2], n);
        o[k].heev.band = 8, o[k].heev.tile = 24;
        if (k == INDEFINITE) {
            put((orr_type)k, p[k].b0, 40 * (p[k].ld + 1), -1);
            put((orr_type)k, q[k].b0, 40 * (q[k].ld + 1), -1);
        }
        memcpy(p[k].a, p[k].a0, (size_t)(p[k].ld * n) * p[k].size);
        memcpy(p[k].b, p[k].b0, (size_t)(p[k].ld * n) * p[k].size);
        const orr_status st = orr_submit_hegv(ctx, p[k].type, p[k].uplo, n, p[k].a, p[k].ld, p[k].b,
                                              p[k].ld, p[k].w, p[k].x, p[k].ld, &o[k], &req[k]);
        CHECK(st == ORR_OK, "number %d is refused: %d", k, st);
    }
    for (int k = AT_ONCE - 1; k >= 0; k--) {
        orr_report there;
        const orr_status st = orr_wait(req[k], &rep), want = solve(ctx, &q[k], o[k], 1, &there);
        CHECK(st == want && rep.status == st && rep.index == there.index &&
                  (st < 0 || rep.tasks == there.tasks) && !strcmp(rep.message, there.message),
              "number %d: status %d, not %d; index %lld, %lld tasks, '%s'", k, st, want,
              (long long)rep.index, (long long)rep.tasks, rep.message);
        CHECK((k == INDEFINITE) == (st == ORR_E_DEFINITE) && rep.seconds > 0 &&
                  strstr(rep.plan, "\"seconds\":{\"reduction\":"),
              "number %d: status %d, %s", k, st, rep.plan);
        int same = 1;
        for (int64_t j = 0; st == ORR_OK && j < p[k].n; j++)
            same &= !memcmp(p[k].x + (size_t)(j * p[k].ld) * p[k].size,
                            q[k].x + (size_t)(j * q[k].ld) * q[k].size, (size_t)p[k].n * p[k].size);
        CHECK(st != ORR_OK || (same && !memcmp(p[k].w, q[k].w, (size_t)p[k].n * p[k].real)),
              "number %d: other bits", k);
        drop(&p[k]);
        drop(&q[k]);
    }
    double a[4] = {1, NAN, 0, 1}, b[4] = {1, 0, 0, 1}, w[2];
    CHECK(orr_submit_hegv(ctx, ORR_D, 'L', 2, a, 2, b, 2, w, NULL, 2, NULL, req) == ORR_E_NONFINITE,
          "NaN is submitted");
    CHECK(orr_submit_hegv(ctx, ORR_D, 'L', 2, a, 2, b, 1, w, NULL, 2, NULL, req) == ORR_E_ARG,
          "ldb");
    CHECK(orr_submit_hegv(ctx, ORR_D, 'U', 2, a, 2, b, 2, w, NULL, 2, NULL, NULL) == ORR_E_ARG,
          "no request");
}

/* Cancelled: both that are in flight say so, or are done. */
static void cancelled(orr_context *ctx)
{
    struct problem p = make(ORR_Z, 'L', 300), q = make(ORR_D, 'L', 300);
    orr_request *req[2];
    const size_t bytes = (size_t)(p.ld * 300) * p.size, half = (size_t)(q.ld * 300) * q.size;
    memcpy(p.a, p.a0, bytes), memcpy(p.b, p.b0, bytes);
    memcpy(q.a, q.a0, half), memcpy(q.b, q.b0, half);
    CHECK(orr_submit_hegv(ctx, p.type, 'L', 300, p.a, p.ld, p.b, p.ld, p.w, p.x, p.ld, NULL,
                          &req[0]) == ORR_OK,
          "refused");
    CHECK(orr_submit_hegv(ctx, q.type, 'L', 300, q.a, q.ld, q.b, q.ld, q.w, q.x, q.ld, NULL,
                          &req[1]) == ORR_OK,
          "refused");
    orr_cancel(ctx);
    for (int k = 0; k < 2; k++) {
        orr_report rep;
        const orr_status st = orr_wait(req[k], &rep);
        CHECK(st == ORR_E_CANCELLED || st == ORR_OK, "status %d %s", st, rep.message);
    }
    drop(&p);
    drop(&q);
}

static void arguments(orr_context *ctx)
{
    double a[4] = {1, 0, 0, 1}, b[4] = {1, 0, 0, 1}, w[2];
    orr_report rep;
#define REFUSED(why, n, a, b, ldb, w, ...)                                                         \
    do {                                                                                           \
        const orr_status st = orr_hegv(ctx, ORR_D, 'L', n, a, 2, b, ldb, w, NULL, 2,               \
                                       &(orr_hegv_opts){__VA_ARGS__}, &rep);                       \
        CHECK(st == ORR_E_ARG && strstr(rep.message, why), "status %d '%s'", st, rep.message);     \
    } while (0)
    REFUSED("problem", 2, a, b, 2, w, .problem = 4);
    REFUSED("problem", 2, a, b, 2, w, .problem = -1);
    REFUSED("ldb", 2, a, b, 1, w, .problem = 1);
    REFUSED("ldb", 2, a, b, INT32_MAX + (int64_t)1, w, .problem = 1);
    REFUSED("b is NULL", 2, a, NULL, 2, w, .problem = 1);
    REFUSED("a is NULL", 2, NULL, a, 2, w, .problem = 1);
    REFUSED("w is NULL", 2, a, b, 2, NULL, .problem = 1);
    REFUSED("negative", -1, a, b, 2, w, .problem = 1);
    REFUSED("il and iu are", 2, a, b, 2, w, .heev = {.il = 3, .iu = 3});
    REFUSED("vl and vu are", 2, a, b, 2, w, .heev = {.vl = 1, .vu = 1});
    CHECK(orr_hegv(ctx, ORR_D, 'X', 2, a, 2, b, 2, w, NULL, 2, NULL, NULL) == ORR_E_ARG, "uplo");
}

/* Every place gives right vectors. Places that use a device agree in every bit, unless it is a CUDA
 * device; CPUs alone add in another order. Without a device place gpu fails, and the others agree. */
static void places(orr_context *ctx)
{
    orr_context_info info;
    orr_context_query(ctx, &info);
    for (int t = 0; t < ORR_NTYPES; t++) {
        struct problem p = make((orr_type)t, t % 2 ? 'U' : 'L', 85);
        const size_t bytes = (size_t)(p.ld * 85) * p.size;
        char *x = allocate(bytes);
        struct worst worst = {0};
        refer(&p, 1 + t % 3);
        static const orr_place place[] = {ORR_PLACE_CPU, ORR_PLACE_GPU, ORR_PLACE_AUTO};
        for (int k = 0; k < 3; k++) {
            orr_report rep;
            const orr_hegv_opts o = {.problem = 1 + t % 3,
                                     .heev = {.band = 8, .tile = 24, .place = place[k]}};
            const orr_status st = solve(ctx, &p, o, 1, &rep);
            if (info.cuda + info.opencl == 0 && place[k] == ORR_PLACE_GPU) {
                CHECK(st == ORR_E_NOWORKER, "place gpu without a device: status %d", st);
                continue;
            }
            CHECK(st == ORR_OK, "place %d: status %d %s", place[k], st, rep.message);
            check_vectors(&p, 1 + t % 3, 85, "a place", &worst);
            CHECK(k < 2 || info.cuda || !memcmp(x, p.x, bytes), "place %d gives other bits", k);
            memcpy(x, p.x, bytes);
        }
        free(x);
        drop(&p);
    }
}

int main(int argc, char **argv)
{
    const int opencl = argc > 1 && strcmp(argv[1], "opencl") == 0;
    orr_context *ctx = open_context(opencl);
    sizes(ctx, argc > 1 ? 3 : 1);
    if (argc == 1)
        indefinite(ctx);
    nonfinite(ctx);
    submitted(ctx);
    cancelled(ctx);
    arguments(ctx);
    places(ctx);
    orr_close(ctx);
    return checked();
}
