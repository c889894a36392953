/* Arrays that are in a device's memory, of operations on one matrix and of gesvj: the bits are those
 * of the same call with arrays in main memory, and what lies between columns stays as it was.
 *
 *   guests [PLACE]      cpu, gpu or auto
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "check.h"
#include "orrery/orrery.h"

enum { N = 70, M = 90, GAP = 3, BAND = 5, BATCH = 3 };
static orr_context *ctx;
static orr_place place;

/* The arrays of a call, filled alike: in main memory, or on the last device, or some of them. */
enum { MOST = 4 };
struct arrays {
    int count, there;
    int64_t length[MOST];
    double *home[MOST];
    void *at[MOST];
};

static void *array_at_home(struct arrays *x, int64_t length)
{
    const int k = x->count++;
    x->length[k] = length;
    return x->at[k] = x->home[k] = numbers(length, (uint64_t)k + 7);
}

static int is_there(const struct arrays *x, int k) { return x->at[k] != (void *)x->home[k]; }

/* length: from its first element to its last. */
static void *array(struct arrays *x, int64_t length)
{
    const int k = x->count;
    double *d = NULL;
    array_at_home(x, length);
    if (!x->there)
        return x->home[k];
    CHECK(cudaMalloc((void **)&d, (size_t)length * sizeof *d) == cudaSuccess, "cudaMalloc");
    CHECK(cudaMemcpy(d, x->home[k], (size_t)length * sizeof *d, cudaMemcpyHostToDevice) ==
              cudaSuccess,
          "to the device");
    return x->at[k] = d;
}

/* What was changed at home is there, too. */
static void refill(const struct arrays *x, int k)
{
    if (is_there(x, k))
        CHECK(cudaMemcpy(x->at[k], x->home[k], (size_t)x->length[k] * sizeof(double),
                         cudaMemcpyHostToDevice) == cudaSuccess,
              "to the device, again");
}

static void bring_home(struct arrays *x)
{
    for (int k = 0; k < x->count; k++) {
        if (!is_there(x, k))
            continue;
        CHECK(cudaMemcpy(x->home[k], x->at[k], (size_t)x->length[k] * sizeof(double),
                         cudaMemcpyDeviceToHost) == cudaSuccess,
              "home");
        CHECK(cudaFree(x->at[k]) == cudaSuccess, "cudaFree");
    }
}

/* Each does the same with arrays at home and on the device, and tells which of them are results. */
typedef orr_status run_fn(struct arrays *, orr_report *);

static orr_status heev(struct arrays *x, orr_report *report)
{
    const int64_t ld = N + GAP;
    void *w = array(x, N), *z = array(x, ld * N - GAP), *a = array(x, ld * N - GAP);
    return orr_heev(ctx, ORR_D, 'U', N, a, ld, w, z, ld,
                    &(orr_heev_opts){.place = place, .method = ORR_DENSE_TWO_STAGE}, report);
}

/* Beyond the range in which nothing is scaled. */
static orr_status heev_scaled(struct arrays *x, orr_report *report)
{
    void *w = array(x, N), *z = array(x, N * N), *a = array(x, N * N);
    for (int64_t i = 0; i < N * N; i++)
        x->home[2][i] *= 1e250;
    refill(x, 2);
    return orr_heev(ctx, ORR_D, 'L', N, a, N, w, z, N,
                    &(orr_heev_opts){.place = place, .method = ORR_DENSE_TWO_STAGE}, report);
}

/* The band is in main memory. */
static orr_status hbev(struct arrays *x, orr_report *report)
{
    const int64_t ld = N + GAP;
    void *w = array(x, N), *z = array(x, ld * N - GAP), *ab = array_at_home(x, (BAND + 1) * N);
    return orr_hbev(ctx, ORR_D, 'U', N, BAND, ab, BAND + 1, w, z, ld,
                    &(orr_hbev_opts){.place = place, .method = ORR_DENSE_TWO_STAGE}, report);
}

static orr_status heev_direct(struct arrays *x, orr_report *report)
{
    void *w = array(x, N), *z = array(x, N * N), *a = array(x, N * N);
    return orr_heev(ctx, ORR_D, 'L', N, a, N, w, z, N, NULL, report);
}

static orr_status heev_interval(struct arrays *x, orr_report *report)
{
    void *w = array(x, N), *z = array(x, N * N), *a = array(x, N * N);
    return orr_heev(ctx, ORR_D, 'L', N, a, N, w, z, N,
                    &(orr_heev_opts){.vl = -1, .vu = 1, .place = place}, report);
}

/* B is positive definite by its diagonal. */
static orr_status hegv(struct arrays *x, orr_report *report)
{
    void *w = array(x, N), *z = array(x, N * N), *b = array(x, N * N), *a = array(x, N * N);
    double *home = x->home[2];
    for (int64_t i = 0; i < N; i++)
        home[i * N + i] = 2 * N;
    refill(x, 2);
    return orr_hegv(ctx, ORR_D, 'L', N, a, N, b, N, w, z, N, NULL, report);
}

static orr_status sterf(struct arrays *x, orr_report *report)
{
    void *w = array(x, N), *d = array(x, N), *e = array(x, N - 1);
    return orr_sterf(ctx, ORR_D, N, d, e, w, NULL, report);
}

static orr_status hb2st(struct arrays *x, orr_report *report)
{
    void *d = array(x, N), *e = array(x, N - 1), *q = array(x, (N + GAP) * N - GAP);
    void *ab = array(x, (BAND + 1) * N);
    return orr_hb2st(ctx, ORR_D, 'L', N, BAND, ab, BAND + 1, d, e,
                     &(orr_hb2st_opts){.vect = 'Q', .q = q, .ldq = N + GAP, .place = place},
                     report);
}

static orr_status hb2st_apply(struct arrays *x, orr_report *report)
{
    orr_hb2st_factor *factor = NULL;
    double *ab = numbers((BAND + 1) * N, 3), *d = numbers(N, 3), *e = numbers(N, 3);
    void *E = array(x, (N + GAP) * M - GAP);
    orr_status st = orr_hb2st(ctx, ORR_D, 'L', N, BAND, ab, BAND + 1, d, e,
                              &(orr_hb2st_opts){.vect = 'V', .factor = &factor}, report);
    if (st == ORR_OK)
        st = orr_hb2st_apply(ctx, factor, 'C', M, E, N + GAP, report);
    orr_hb2st_drop(factor);
    free(ab), free(d), free(e);
    return st;
}

static orr_status gb2bd(struct arrays *x, orr_report *report)
{
    void *d = array(x, N), *e = array(x, N - 1), *u = array(x, (M + GAP) * N - GAP);
    void *ab = array(x, (BAND + 3) * N);
    return orr_gb2bd(ctx, ORR_D, M, N, 2, BAND, ab, BAND + 3, d, e,
                     &(orr_gb2bd_opts){.u = u, .ldu = M + GAP, .place = place}, report);
}

static orr_gesvd_opts two_stages(int qr)
{
    return (orr_gesvd_opts){
        .place = place, .method = ORR_DENSE_TWO_STAGE, .band = BAND, .tile = 4 * BAND, .qr = qr};
}

static orr_status gesvd(struct arrays *x, orr_report *report)
{
    void *s = array(x, N), *u = array(x, (M + GAP) * N - GAP), *v = array(x, N * N);
    void *a = array(x, (M + GAP) * N - GAP);
    const orr_gesvd_opts o = two_stages(-1);
    return orr_gesvd(ctx, ORR_D, M, N, a, M + GAP, s, u, M + GAP, v, N, &o, report);
}

/* A triangle first, and numbers beyond the range in which nothing is scaled. */
static orr_status gesvd_tall(struct arrays *x, double scale, orr_report *report)
{
    void *s = array(x, N), *u = array(x, M * N), *v = array(x, (N + GAP) * N - GAP);
    void *a = array(x, (M + GAP) * N - GAP);
    const orr_gesvd_opts o = two_stages(1);
    for (int64_t i = 0; i < x->length[3]; i++)
        x->home[3][i] *= scale;
    refill(x, 3);
    return orr_gesvd(ctx, ORR_D, M, N, a, M + GAP, s, u, M, v, N + GAP, &o, report);
}
static orr_status gesvd_large(struct arrays *x, orr_report *report)
{
    return gesvd_tall(x, 1e300, report);
}
static orr_status gesvd_tiny(struct arrays *x, orr_report *report)
{
    return gesvd_tall(x, 1e-300, report);
}

/* It is the adjoint that is reduced, and with qr made a triangle. */
static orr_status gesvd_wide(struct arrays *x, int qr, double scale, orr_report *report)
{
    void *s = array(x, N), *u = array(x, 2 * (N + GAP) * N - 2 * GAP), *v = array(x, 2 * M * N);
    void *a = array(x, 2 * (N + GAP) * M - 2 * GAP);
    const orr_gesvd_opts o = two_stages(qr);
    for (int64_t i = 0; i < x->length[3]; i++)
        x->home[3][i] *= scale;
    refill(x, 3);
    return orr_gesvd(ctx, ORR_Z, N, M, a, N + GAP, s, u, N + GAP, v, M, &o, report);
}
static orr_status gesvd_adjoint(struct arrays *x, orr_report *report)
{
    return gesvd_wide(x, -1, 1e300, report);
}
static orr_status gesvd_adjoint_qr(struct arrays *x, orr_report *report)
{
    return gesvd_wide(x, 1, 1, report);
}

/* Values alone; the matrix alone or one side's vectors alone on the device. */
static orr_status gesvd_values(struct arrays *x, orr_report *report)
{
    void *s = array(x, N), *a = array(x, M * N);
    const orr_gesvd_opts o = two_stages(0);
    return orr_gesvd(ctx, ORR_D, M, N, a, M, s, NULL, 1, NULL, 1, &o, report);
}
static orr_status gesvd_matrix(struct arrays *x, orr_report *report)
{
    void *s = array_at_home(x, N), *u = array_at_home(x, M * N), *v = array_at_home(x, N * N);
    void *a = array(x, M * N);
    const orr_gesvd_opts o = two_stages(1);
    return orr_gesvd(ctx, ORR_D, M, N, a, M, s, u, M, v, N, &o, report);
}
static orr_status gesvd_right(struct arrays *x, orr_report *report)
{
    void *s = array_at_home(x, N), *u = array_at_home(x, N * N), *v = array(x, M * N);
    void *a = array_at_home(x, N * M);
    const orr_gesvd_opts o = two_stages(1);
    return orr_gesvd(ctx, ORR_D, N, M, a, N, s, u, N, v, M, &o, report);
}

static orr_status gesvd_direct(struct arrays *x, orr_report *report)
{
    void *s = array(x, N), *u = array(x, M * N), *v = array(x, N * N), *a = array(x, M * N);
    return orr_gesvd(ctx, ORR_D, M, N, a, M, s, u, M, v, N, NULL, report);
}

static orr_status gesvj(struct arrays *x, orr_report *report)
{
    const orr_batch S = {.type = ORR_D, .batch = BATCH, .m = N, .n = 1, .a = array(x, BATCH * N)};
    const orr_batch U = {.type = ORR_D,
                         .batch = BATCH,
                         .m = M,
                         .n = N,
                         .ld = M + GAP,
                         .a = array(x, BATCH * (M + GAP) * N - GAP)};
    const orr_batch A = {
        .type = ORR_D, .batch = BATCH, .m = M, .n = N, .a = array(x, BATCH * M * N)};
    return orr_gesvj(ctx, &A, &S, &U, NULL, &(orr_gesvj_opts){.place = place}, NULL, report);
}

static const struct {
    const char *name;
    run_fn *run;
    int results; /* so many of its first arrays are */
    int stays;
} cases[] = {{"heev", heev, 2, 1},
             {"heev_scaled", heev_scaled, 2, 1},
             {"heev_direct", heev_direct, 2, 0},
             {"heev_interval", heev_interval, 2, 1},
             {"hbev", hbev, 2, 1},
             {"hegv", hegv, 2, 0},
             {"sterf", sterf, 1, 0},
             {"hb2st", hb2st, 3, 0},
             {"hb2st_apply", hb2st_apply, 1, 0},
             {"gb2bd", gb2bd, 3, 0},
             {"gesvd", gesvd, 3, 1},
             {"gesvd_large", gesvd_large, 3, 1},
             {"gesvd_tiny", gesvd_tiny, 3, 1},
             {"gesvd_adjoint", gesvd_adjoint, 3, 1},
             {"gesvd_adjoint_qr", gesvd_adjoint_qr, 3, 1},
             {"gesvd_values", gesvd_values, 1, 1},
             {"gesvd_matrix", gesvd_matrix, 3, 1},
             {"gesvd_right", gesvd_right, 3, 1},
             {"gesvd_direct", gesvd_direct, 3, 0},
             {"gesvj", gesvj, 2, 0}};

/* What a plan has to say of them: with place gpu the first array alone if the others may stay. */
static void check_staged(const struct arrays *x, int stays, const char *name, const char *plan)
{
    char text[64] = "";
    int64_t numbers = 0;
    for (int k = 0; k < (stays && place == ORR_PLACE_GPU ? 1 : x->count); k++)
        numbers += is_there(x, k) ? x->length[k] : 0;
    if (numbers > 0)
        snprintf(text, sizeof text, "\"staged\":%lld", (long long)numbers * 8);
    const char *told = strstr(plan, "\"staged\"");
    CHECK(numbers > 0 ? told && !strncmp(told, text, strlen(text)) : !told, "%s: %s", name, plan);
}

static void free_arrays(struct arrays *x)
{
    for (int k = 0; k < x->count; k++)
        free(x->home[k]);
}

/* A NaN at that place of a matrix on the device is named. */
static void refused(int64_t n, int64_t at, orr_dense_method method)
{
    struct arrays x = {.there = 1};
    double w[N];
    orr_report report;
    void *a = array(&x, n * n);
    x.home[0][at] = NAN;
    refill(&x, 0);
    const orr_status st = orr_heev(
        ctx, ORR_D, 'L', n, a, n, w, NULL, n,
        &(orr_heev_opts){.method = method, .place = method ? place : ORR_PLACE_AUTO}, &report);
    CHECK(st == ORR_E_NONFINITE && report.index == at, "%s", report.message);
    bring_home(&x);
    free_arrays(&x);
}

/* The same of gesvd. */
static void refused_gesvd(int64_t m, int64_t n, int64_t at, double what, orr_dense_method method)
{
    struct arrays x = {.there = 1};
    double s[N];
    orr_report report;
    void *a = array(&x, m * n);
    x.home[0][at] = what;
    x.home[0][m * n - 1] = NAN; /* the first by columns counts */
    refill(&x, 0);
    const orr_status st = orr_gesvd(
        ctx, ORR_D, m, n, a, m, s, NULL, 1, NULL, 1,
        &(orr_gesvd_opts){.method = method, .place = method ? place : ORR_PLACE_AUTO}, &report);
    CHECK(st == ORR_E_NONFINITE && report.index == at, "%s", report.message);
    bring_home(&x);
    free_arrays(&x);
}

/* Of batches of mixed sizes nothing may be on a device. */
static void refused_mixed(void)
{
    struct arrays x = {.there = 1};
    double s[N], *values[] = {s};
    orr_report report;
    const int64_t one[] = {1}, n[] = {N};
    void *matrix[] = {array(&x, N * N)};
    const orr_batch A = {.type = ORR_D, .batch = 1, .ms = n, .ns = n, .as = matrix};
    const orr_batch S = {
        .type = ORR_D, .batch = 1, .ms = n, .ns = one, .as = (void *const *)values};
    CHECK(orr_gesvj(ctx, &A, &S, NULL, NULL, NULL, NULL, &report) == ORR_E_ARG &&
              strstr(report.message, "mixed sizes"),
          "%s", report.message);
    bring_home(&x);
    free_arrays(&x);
}

int main(int argc, char **argv)
{
    const char *where = argc > 1 ? argv[1] : "auto";
    int devices = 0;
    place = !strcmp(where, "cpu")   ? ORR_PLACE_CPU
            : !strcmp(where, "gpu") ? ORR_PLACE_GPU
                                    : ORR_PLACE_AUTO;
    const orr_status opened = orr_open(NULL, &ctx);
    CHECK(opened == ORR_OK, "%s", orr_strerror(opened));
    CHECK(cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0, "no device");
    CHECK(cudaSetDevice(devices - 1) == cudaSuccess, "cudaSetDevice");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct arrays home = {0}, there = {.there = 1};
        orr_report report;
        orr_status st = cases[c].run(&home, &report);
        CHECK(st == ORR_OK, "%s: %s", cases[c].name, report.message);
        CHECK(!strstr(report.plan, "staged"), "%s: %s", cases[c].name, report.plan);
        st = cases[c].run(&there, &report);
        CHECK(st == ORR_OK, "%s: %s", cases[c].name, report.message);
        check_staged(&there, cases[c].stays, cases[c].name, report.plan);
        bring_home(&there);
        for (int k = 0; k < cases[c].results; k++)
            CHECK(!memcmp(home.home[k], there.home[k], (size_t)home.length[k] * sizeof(double)),
                  "%s: other bits in array %d", cases[c].name, k);
        free_arrays(&home), free_arrays(&there);
    }
    refused(2, 3, ORR_DENSE_AUTO);
    refused(N, 5 * N + 9, ORR_DENSE_TWO_STAGE); /* with place gpu the device looks */
    refused_gesvd(3, 2, 1, INFINITY, ORR_DENSE_AUTO);
    refused_gesvd(M, N, 5 * M + 9, NAN, ORR_DENSE_TWO_STAGE);
    refused_gesvd(N, M, 5, -INFINITY, ORR_DENSE_TWO_STAGE);
    refused_mixed();
    orr_close(ctx);
    return checked();
}
