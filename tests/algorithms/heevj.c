/* heevj as a graph: every type, triangle, method, layout and awkward size, against LAPACK
 * in double precision and against its own definition.
 *
 *   values         max |w - w_lapack| / (n eps max|w|)   <= 10
 *   residual       |A Q - Q diag(w)|_F / (n eps |A|_F)   <= 10
 *   orthogonality  |Q'Q - I|_F / (n eps)                 <= 10
 *
 * Arguments: "opencl": a part of it with an OpenCL worker as a second memory node; "few": a part.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/herm.h"
#include "algorithms/open.h"
#include "check.h"

static const double LIMIT = 10;
static void *allocate(size_t bytes)
{
    void *p = malloc(bytes + 64);
    if (!p)
        exit(99);
    memset(p, 0x5a, bytes + 64);
    return p;
}

struct layout {
    int64_t pad_ld, pad_stride, pad_w;
};

struct worst {
    double values, residual, orthogonality;
    int64_t by_block, by_lapack; /* matrices */
};

static void uniform(orr_context *ctx, rng *r, orr_type t, char uplo, char jobz, orr_method method,
                    int64_t n, int64_t batch, struct layout pad, int nan_at, struct worst *worst)
{
    int64_t ld = n + pad.pad_ld, stride = ld * n + pad.pad_stride, ldw = n + pad.pad_w;
    size_t size = orr_type_size(t), real = orr_type_size(orr_type_real(t));
    char *a0 = allocate((size_t)(stride * batch) * size);
    char *a = allocate((size_t)(stride * batch) * size);
    char *w = allocate((size_t)(ldw * batch) * real);
    double *ref = allocate((size_t)n * sizeof *ref);
    orr_matrix_info *info = allocate((size_t)batch * sizeof *info);
    for (int64_t k = 0; k < batch; k++)
        random_hermitian(r, t, uplo, n, a0 + k * stride * size, ld);
    if (nan_at >= 0 && nan_at < batch && n > 0)
        put(t, a0, nan_at * stride, NAN);
    memcpy(a, a0, (size_t)(stride * batch) * size + 64);

    orr_batch A = {.type = t, .batch = batch, .m = n, .n = n, .a = a, .ld = ld, .stride = stride};
    orr_batch W = {
        .type = orr_type_real(t), .batch = batch, .m = n, .n = 1, .a = w, .ld = ldw, .stride = ldw};
    orr_report rep;
    orr_status st = orr_heevj(
        ctx, &A, &W,
        &(orr_heevj_opts){.uplo = uplo, .jobz = jobz, .method = method, .check = jobz == 'V'}, info,
        &rep);
    int has_nan = nan_at >= 0 && nan_at < batch && n > 0;
    CHECK(st == (has_nan ? ORR_NONFINITE : ORR_OK), "status %d: %s", st, rep.message);
    if (has_nan)
        CHECK(rep.index == nan_at, "index %lld", (long long)rep.index);
    for (int64_t k = 0; k < batch && st >= 0; k++) {
        const char *ak = a0 + k * stride * size, *qk = a + k * stride * size;
        const char *wk = w + k * ldw * real;
        if (has_nan && k == nan_at) {
            CHECK(info[k].status == ORR_NONFINITE, "status %d", info[k].status);
            CHECK(isnan(creal(get(orr_type_real(t), wk, 0))), "w of a NaN matrix");
            continue;
        }
        CHECK(info[k].status == ORR_OK, "matrix %lld status %d", (long long)k, info[k].status);
        reference_values(t, uplo, n, ak, ld, ref);
        double e = value_error(t, n, wk, ref), res = 0, orth = 0;
        if (jobz == 'V') {
            res = residual(t, uplo, n, ak, ld, qk, ld, wk);
            orth = orthogonality(t, n, qk, ld);
            CHECK(res <= LIMIT && orth <= LIMIT, "%c n %lld matrix %lld: %g %g", orr_type_letter(t),
                  (long long)n, (long long)k, res, orth);
            CHECK(info[k].residual <= LIMIT && info[k].orthogonality <= LIMIT, "own check: %g %g",
                  info[k].residual, info[k].orthogonality);
        }
        CHECK(e <= LIMIT, "%c n %lld matrix %lld method %d: values %g", orr_type_letter(t),
              (long long)n, (long long)k, info[k].method, e);
        worst->by_block += info[k].method == ORR_METHOD_BLOCK;
        worst->by_lapack += info[k].method == ORR_METHOD_LAPACK && !info[k].device;
        worst->values = fmax(worst->values, e);
        worst->residual = fmax(worst->residual, res);
        worst->orthogonality = fmax(worst->orthogonality, orth);
        /* padding is as it was */
        int64_t kept = 0, total = 0;
        for (int64_t x = 0; x < stride; x++) {
            if (x / ld < n && x % ld < n)
                continue;
            total++;
            kept += memcmp(ak + x * size, qk + x * size, size) == 0;
        }
        CHECK(kept == total, "padding of matrix %lld changed", (long long)k);
        unsigned char untouched[16];
        memset(untouched, 0x5a, sizeof untouched);
        for (int64_t i = n; i < ldw; i++)
            CHECK(memcmp(wk + i * real, untouched, real) == 0, "padding of w changed");
    }
    free(a0);
    free(a);
    free(w);
    free(ref);
    free(info);
}

static void mixed(orr_context *ctx, rng *r, orr_type t, orr_method method, int64_t batch,
                  struct worst *worst)
{
    size_t size = orr_type_size(t), real = orr_type_size(orr_type_real(t));
    int64_t *ns = allocate((size_t)batch * sizeof *ns);
    int64_t *lds = allocate((size_t)batch * sizeof *lds);
    void **a = allocate((size_t)batch * sizeof *a), **a0 = allocate((size_t)batch * sizeof *a0);
    void **w = allocate((size_t)batch * sizeof *w);
    orr_matrix_info *info = allocate((size_t)batch * sizeof *info);
    for (int64_t k = 0; k < batch; k++) {
        ns[k] = k % 7 == 0 ? rng_below(r, 70) : rng_below(r, 12);
        lds[k] = ns[k] + rng_below(r, 3);
        a[k] = allocate((size_t)(ns[k] * lds[k]) * size);
        a0[k] = allocate((size_t)(ns[k] * lds[k]) * size);
        w[k] = allocate((size_t)ns[k] * real);
        random_hermitian(r, t, 'U', ns[k], a[k], lds[k]);
        memcpy(a0[k], a[k], (size_t)(ns[k] * lds[k]) * size);
    }
    orr_batch A = {.type = t, .batch = batch, .ns = ns, .lds = lds, .as = a};
    orr_batch W = {.type = orr_type_real(t), .batch = batch, .ms = ns, .as = w};
    orr_report rep;
    orr_status st =
        orr_heevj(ctx, &A, &W, &(orr_heevj_opts){.uplo = 'U', .method = method}, info, &rep);
    CHECK(st == ORR_OK, "mixed: status %d %s", st, rep.message);
    for (int64_t k = 0; k < batch && st == ORR_OK; k++) {
        double ref[70];
        reference_values(t, 'U', ns[k], a0[k], lds[k], ref);
        double e = value_error(t, ns[k], w[k], ref);
        double res = residual(t, 'U', ns[k], a0[k], lds[k], a[k], lds[k], w[k]);
        double orth = orthogonality(t, ns[k], a[k], lds[k]);
        CHECK(e <= LIMIT && res <= LIMIT && orth <= LIMIT, "mixed %c matrix %lld n %lld: %g %g %g",
              orr_type_letter(t), (long long)k, (long long)ns[k], e, res, orth);
        worst->values = fmax(worst->values, e);
    }
    for (int64_t k = 0; k < batch; k++) {
        free(a[k]);
        free(a0[k]);
        free(w[k]);
    }
    free(ns);
    free(lds);
    free(a);
    free(a0);
    free(w);
    free(info);
}

/* What a caller may get wrong: refused at once, told what, nothing touched. */
static void arguments(orr_context *ctx)
{
    double a[4] = {1, 2, 3, 4}, w[2] = {5, 6};
    const orr_batch A = {.type = ORR_D, .batch = 1, .m = 2, .n = 2, .a = a};
    const orr_batch W = {.type = ORR_D, .batch = 1, .m = 2, .n = 1, .a = w};
    orr_report rep;
#define REFUSED(why, field_A, field_W, ...)                                                        \
    do {                                                                                           \
        orr_batch x = A, y = W;                                                                    \
        field_A;                                                                                   \
        field_W;                                                                                   \
        orr_status st = orr_heevj(ctx, &x, &y, &(orr_heevj_opts){__VA_ARGS__}, NULL, &rep);        \
        CHECK(st == ORR_E_ARG && strstr(rep.message, why), "status %d '%s'", st, rep.message);     \
    } while (0)
    REFUSED("square", x.n = -1, , .jobz = 'V');
    REFUSED("square", x.n = x.m = 1025, y.m = 1025, .jobz = 'V');
    REFUSED("square", x.m = 3, , .jobz = 'V');
    REFUSED("leading", x.ld = 1, , .jobz = 'V');
    REFUSED("A.a is NULL", x.a = NULL, , .jobz = 'V');
    REFUSED("w.a is NULL", , y.a = NULL, .jobz = 'V');
    REFUSED("same size", x.batch = 2, , .jobz = 'V');
    REFUSED("same size", , y.batch = 2, .jobz = 'V');
    REFUSED("same size", x.batch = -1, y.batch = -1, .jobz = 'V');
    REFUSED("stride", (x.batch = 2, x.stride = 3), y.batch = 2, .jobz = 'V');
    REFUSED("type", x.type = (orr_type)9, , .jobz = 'V');
    REFUSED("type", , y.type = ORR_S, .jobz = 'V');
    REFUSED("n x 1", , y.m = 1, .jobz = 'V');
    REFUSED("n x 1", , y.n = 2, .jobz = 'V');
    REFUSED("jobz", , , .jobz = 'X');
    REFUSED("uplo", , , .uplo = 'X');
    REFUSED("negative", , , .max_sweeps = -1);
    REFUSED("negative", , , .chunk = -1);
    REFUSED("negative", , , .tol = -1);
    REFUSED("negative", , , .tol = NAN);
    REFUSED("method", , , .method = ORR_NMETHODS);
    REFUSED("accuracy", , , .accuracy = ORR_NACCURACIES);
    REFUSED("jacobi", , , .accuracy = ORR_ACCURACY_RELATIVE, .method = ORR_METHOD_LANES);
    REFUSED("check", , , .jobz = 'N', .check = 1);
    REFUSED("2^32", x.stride = x.ld = INT64_MAX / 2, , .jobz = 'V');
    REFUSED("overlap", , y.a = a, .jobz = 'V');
    const int64_t two[] = {2}, other[] = {3}, lds[] = {1};
    void *as[] = {a}, *ws[] = {w};
#define REFUSED_MIXED(why, ...)                                                                    \
    REFUSED(why, x = ((orr_batch){.type = ORR_D, .batch = 1, .as = as, __VA_ARGS__}),              \
            y = ((orr_batch){.type = ORR_D, .batch = 1, .as = ws}), .jobz = 'V')
    REFUSED_MIXED("square", .ms = two);
    REFUSED_MIXED("square", .ns = two, .ms = other);
    REFUSED_MIXED("leading", .ns = two, .lds = lds);
    void *none[] = {NULL};
    REFUSED("A.as is NULL", x = ((orr_batch){.type = ORR_D, .batch = 1, .as = none, .ns = two}),
            y = ((orr_batch){.type = ORR_D, .batch = 1, .as = ws}), .jobz = 'V');
    REFUSED("w.as is NULL", x = ((orr_batch){.type = ORR_D, .batch = 1, .as = as, .ns = two}),
            y = ((orr_batch){.type = ORR_D, .batch = 1, .as = none}), .jobz = 'V');
    REFUSED("both", , y.as = ws, .jobz = 'V');
    CHECK(orr_heevj(ctx, NULL, &W, NULL, NULL, &rep) == ORR_E_ARG &&
              strstr(rep.message, "A is NULL"),
          "%s", rep.message);
    CHECK(orr_heevj(ctx, &A, NULL, NULL, NULL, &rep) == ORR_E_ARG &&
              strstr(rep.message, "w is NULL"),
          "%s", rep.message);
    CHECK(a[0] == 1 && a[3] == 4 && w[0] == 5, "arrays were touched");
}

/* Pairs [1 s/2; s/2 s^2], s = 2^-30: their small values, 3/4 s^2 / w_large, are right to all digits
 * if relative accuracy is asked for; without, the order is one that QL takes. */
static void relative(orr_context *ctx, int opencl)
{
    enum { N = 24, BATCH = 5 };
    const double s = 0x1p-30, trace = 1 + s * s, det = 0.75 * s * s;
    const double large = (trace + sqrt(trace * trace - 4 * det)) / 2, small = det / large;
    for (int accuracy = 0; accuracy < ORR_NACCURACIES; accuracy++) {
        double a[BATCH * N * N] = {0}, w[BATCH * N];
        orr_matrix_info info[BATCH];
        orr_report rep;
        for (int k = 0; k < BATCH; k++)
            for (int i = 0; i < N; i += 2) {
                double *x = a + k * N * N + i * N + i;
                x[0] = 1, x[1] = x[N] = s / 2, x[N + 1] = s * s;
            }
        const orr_batch A = {.type = ORR_D, .batch = BATCH, .m = N, .n = N, .a = a};
        const orr_batch W = {.type = ORR_D, .batch = BATCH, .m = N, .n = 1, .a = w};
        const orr_heevj_opts o = {.accuracy = (orr_accuracy)accuracy};
        CHECK(orr_heevj(ctx, &A, &W, &o, info, &rep) == ORR_OK, "%s", rep.message);
        for (int k = 0; k < BATCH; k++) {
            const double error = fabs(w[k * N] - small) / (small * N * DBL_EPSILON);
            const orr_method method = accuracy ? ORR_METHOD_JACOBI : ORR_METHOD_LANES;
            CHECK(opencl || info[k].method == (int)method, "method %d", info[k].method);
            CHECK(!accuracy || error <= LIMIT, "relative: %g n eps", error);
        }
    }
}

int main(int argc, char **argv)
{
    const int opencl = variant(argc, argv);
    orr_context *ctx = open_context(opencl);
    rng r = {12345};
    CHECK(isnan(value_error(ORR_D, 2, (const double[]){NAN, 1}, (const double[]){0, 1})),
          "a wrong number before a right one is not seen");
    static const int64_t sizes[] = {0, 1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 65};
    static const int64_t batches[] = {0, 1, 2, 31, 100};
    static const orr_method methods[] = {ORR_METHOD_AUTO, ORR_METHOD_JACOBI, ORR_METHOD_BLOCK,
                                         ORR_METHOD_LAPACK, ORR_METHOD_LANES};
    for (int t = 0; t < ORR_NTYPES; t++) {
        struct worst worst = {0};
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
            for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
                for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
                    if (sizes[i] > 17 && batches[b] > 31)
                        continue;
                    if ((SANITIZED && (i + m + b + (size_t)t) % 3) || left_out())
                        continue;
                    int odd = (int)(i + b) % 2;
                    struct layout pad = odd ? (struct layout){3, 5, 2} : (struct layout){0};
                    uniform(ctx, &r, (orr_type)t, odd ? 'U' : 'L', (i + m + b) % 3 ? 'V' : 'N',
                            methods[m], sizes[i], batches[b], pad, b == 3 ? 4 : -1, &worst);
                }
        if (opencl) { /* too large for one block of a device: both kinds take part */
            worst.by_block = worst.by_lapack = 0;
            uniform(ctx, &r, (orr_type)t, 'L', 'V', ORR_METHOD_AUTO, 67, 60,
                    (struct layout){1, 2, 3}, 59, &worst);
            CHECK(worst.by_block > 0 && worst.by_lapack > 0, "%lld by block, %lld by lapack",
                  (long long)worst.by_block, (long long)worst.by_lapack);
        }
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
            if (one_in == 1 || m % ORR_NTYPES == (size_t)t)
                mixed(ctx, &r, (orr_type)t, methods[m], 150, &worst);
        printf("%c: worst values %.2f, residual %.2f, orthogonality %.2f (limit %g)\n",
               orr_type_letter((orr_type)t), worst.values, worst.residual, worst.orthogonality,
               LIMIT);
    }
    arguments(ctx);
    relative(ctx, opencl);
    orr_close(ctx);
    return checked();
}
