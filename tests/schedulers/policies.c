/* Every algorithm under every scheduling policy of Orrery gives, bit for bit, what
 * CPU workers alone give under StarPU's eager.
 *
 *   policies [opencl] [seeds N] [POLICY...]
 *
 * opencl: with an OpenCL worker as a second memory node. seeds: chaos with N seeds, the other
 * policies once (default 2). POLICY: only these (default: all that come with Orrery).
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "orrery/orrery.h"
#include "orrery/sparse.h"
#include "random.h"

static double *numbers(int64_t n, uint64_t state)
{
    double *x = malloc((size_t)(n + 1) * sizeof *x);
    if (!x)
        exit(99);
    for (int64_t i = 0; i < n; i++)
        x[i] = next_signed(&state);
    return x;
}

/* What a case computed: bytes to compare. */
struct result {
    double *x;
    int64_t n;
};

static struct result room(int64_t n) { return (struct result){numbers(n, 1), n}; }

/* Many chunks, and the operation again and again: workers pause and resume between. */
static struct result heevj_chunks(orr_context *ctx)
{
    enum { N = 19, BATCH = 41 };
    struct result r = room(BATCH * (N * N + N));
    for (int again = 0; again < 4; again++) {
        double *a = numbers(BATCH * N * N, 7), *w = r.x + BATCH * N * N;
        orr_batch A = {.type = ORR_D, .batch = BATCH, .m = N, .n = N, .a = a};
        orr_batch W = {.type = ORR_D, .batch = BATCH, .m = N, .n = 1, .a = w};
        orr_heevj_opts o = {.method = ORR_METHOD_JACOBI, .chunk = again ? 41 : 3};
        CHECK(orr_heevj(ctx, &A, &W, &o, NULL, NULL) == ORR_OK, "heevj");
        if (again == 0)
            memcpy(r.x, a, BATCH * N * N * sizeof *a);
        free(a);
    }
    return r;
}

/* Sweeps that are submitted from callbacks. */
static struct result heevj_block(orr_context *ctx)
{
    enum { N = 37, BATCH = 7 };
    struct result r = room(BATCH * N);
    double *a = numbers(BATCH * N * N, 8);
    orr_batch A = {.type = ORR_D, .batch = BATCH, .m = N, .n = N, .a = a};
    orr_batch W = {.type = ORR_D, .batch = BATCH, .m = N, .n = 1, .a = r.x};
    orr_heevj_opts o = {.method = ORR_METHOD_BLOCK, .chunk = 2};
    CHECK(orr_heevj(ctx, &A, &W, &o, NULL, NULL) == ORR_OK, "heevj block");
    free(a);
    return r;
}

/* Where accelerators take part sweeps do not begin with eigenvectors, which changes last bits. */
static struct result gesvj_at(orr_context *ctx, orr_place place, int precondition)
{
    enum { M = 111, N = 90, BATCH = 3 };
    struct result r = room(BATCH * (M + 1 + N) * N);
    double *a = numbers(BATCH * M * N, 9), *u = r.x, *v = u + BATCH * M * N, *s = v + BATCH * N * N;
    orr_batch A = {.type = ORR_D, .batch = BATCH, .m = M, .n = N, .a = a};
    orr_batch U = {.type = ORR_D, .batch = BATCH, .m = M, .n = N, .a = u};
    orr_batch V = {.type = ORR_D, .batch = BATCH, .m = N, .n = N, .a = v};
    orr_batch S = {.type = ORR_D, .batch = BATCH, .m = N, .n = 1, .a = s};
    orr_gesvj_opts o = {.block = 16, .place = place, .precondition = precondition};
    CHECK(orr_gesvj(ctx, &A, &S, &U, &V, &o, NULL, NULL) == ORR_OK, "gesvj");
    free(a);
    return r;
}

static struct result gesvj(orr_context *ctx) { return gesvj_at(ctx, ORR_PLACE_AUTO, 1); }

static struct result gesvj_eigen(orr_context *ctx) { return gesvj_at(ctx, ORR_PLACE_CPU, 0); }

static struct result gesvj_pipeline(orr_context *ctx)
{
    orr_context_info info;
    orr_context_query(ctx, &info);
    return gesvj_at(ctx, info.opencl ? ORR_PLACE_PIPELINE : ORR_PLACE_AUTO, 1);
}

static struct result hb2st(orr_context *ctx)
{
    enum { N = 331, B = 9 };
    struct result r = room(2 * N + N * N);
    double *ab = numbers((B + 1) * N, 10);
    orr_hb2st_opts o = {.vect = 'Q', .q = r.x + 2 * N, .ldq = N, .D = 33, .G = 4};
    CHECK(orr_hb2st(ctx, ORR_D, 'L', N, B, ab, B + 1, r.x, r.x + N, &o, NULL) == ORR_OK, "hb2st");
    free(ab);
    return r;
}

static struct result gb2bd(orr_context *ctx)
{
    enum { N = 257, KL = 2, KU = 7 };
    struct result r = room(2 * N);
    double *ab = numbers((KL + KU + 1) * N, 11);
    orr_gb2bd_opts o = {.rows = 31};
    CHECK(orr_gb2bd(ctx, ORR_D, N, N, KL, KU, ab, KL + KU + 1, r.x, r.x + N, &o, NULL) == ORR_OK,
          "gb2bd");
    free(ab);
    return r;
}

static orr_sparse *sparse(orr_context *ctx, const char *name, int graph)
{
    orr_mtx m;
    orr_sparse *A = NULL;
    orr_sparse_opts o = {.blocks = 5, .rule_only = 1, .graph = graph};
    CHECK(orr_generate(name, 3, &m, NULL) == ORR_OK, "%s", name);
    CHECK(orr_sparse_from_mtx(ctx, &m, &o, &A, NULL) == ORR_OK, "%s", name);
    orr_mtx_free(&m);
    return A;
}

static struct result powm(orr_context *ctx)
{
    enum { N = 11 * 11 * 11 };
    struct result r = room(3 * N + 3);
    orr_eigenpair pair[4];
    orr_powm_result found;
    orr_sparse *A = sparse(ctx, "laplace3d:11", 0);
    orr_powm_opts o = {.k = 2, .method = ORR_POWM_METHOD_KRYLOV, .tol = 1e-8};
    CHECK(orr_powm(ctx, A, &o, pair, r.x, &found, NULL) == ORR_OK, "powm");
    for (int i = 0; i < 3; i++)
        r.x[3 * N + i] = i < found.found ? pair[i].re : 0;
    orr_sparse_free(A);
    return r;
}

static struct result pagerank(orr_context *ctx)
{
    struct result r = room(1 << 10);
    orr_sparse *A = sparse(ctx, "rmat:10:8", 1);
    orr_pagerank_result found;
    CHECK(orr_pagerank(ctx, A, NULL, r.x, &found, NULL) == ORR_OK, "pagerank");
    orr_sparse_free(A);
    return r;
}

static const struct {
    const char *name;
    struct result (*run)(orr_context *);
} cases[] = {
    {"heevj chunks", heevj_chunks},
    {"heevj block", heevj_block},
    {"gesvj", gesvj},
    {"gesvj eigen", gesvj_eigen},
    {"hb2st", hb2st},
    {"gesvj pipeline", gesvj_pipeline},
    {"gb2bd", gb2bd},
    {"powm", powm},
    {"pagerank", pagerank},
};
enum { CASES = sizeof cases / sizeof *cases };

static void compare(const orr_context_opts *how, const struct result *want, const char *label)
{
    orr_context *ctx;
    const orr_status st = orr_open(how, &ctx);
    CHECK(st == ORR_OK, "%s: %s", label, orr_strerror(st));
    if (st != ORR_OK)
        return;
    for (int i = 0; i < CASES; i++) {
        struct result got = cases[i].run(ctx);
        CHECK(got.n == want[i].n && !memcmp(got.x, want[i].x, (size_t)got.n * sizeof *got.x),
              "%s: %s differs", label, cases[i].name);
        free(got.x);
    }
    orr_close(ctx);
    printf("%s: compared\n", label);
}

static void policy(const char *name, int opencl, int seeds, const struct result *want)
{
    const orr_context_opts how = {.sched = name, .opencls = opencl};
    char label[96], text[16];
    if (strcmp(name, "chaos")) {
        compare(&how, want, name);
        return;
    }
    for (int seed = 1; seed <= seeds; seed++) {
        snprintf(text, sizeof text, "%d", seed);
        setenv("ORR_CHAOS_SEED", text, 1);
        snprintf(label, sizeof label, "%s, seed %d", name, seed);
        compare(&how, want, label);
    }
}

/* With as many CPU workers as the policies will have: the panels of hb2st's Q, and so its
 * last bits, depend on their number. 0: this machine cannot do it. */
static int reference(int opencl, struct result *want)
{
    orr_context *ctx;
    orr_context_info info;
    if (orr_open(&(orr_context_opts){.opencls = opencl}, &ctx) != ORR_OK)
        return 0;
    orr_context_query(ctx, &info);
    orr_close(ctx);
    printf("%d CPU workers, %d OpenCL\n", info.cpu, info.opencl);
    const orr_context_opts how = {.sched = "eager", .cpus = info.cpu};
    if (info.opencl < opencl || info.cpu == 0 || orr_open(&how, &ctx) != ORR_OK)
        return 0;
    for (int i = 0; i < CASES; i++)
        want[i] = cases[i].run(ctx);
    orr_close(ctx);
    return 1;
}

int main(int argc, char **argv)
{
    struct result want[CASES];
    int opencl = 0, seeds = 2, at = 1;
    if (at < argc && !strcmp(argv[at], "opencl"))
        opencl = 1, at++;
    if (at + 1 < argc && !strcmp(argv[at], "seeds")) {
        seeds = atoi(argv[at + 1]);
        at += 2;
    }
    if (!reference(opencl, want)) {
        printf("no such workers here (PoCL is not installed?)\n");
        return 77;
    }
    orr_policy_info p;
    for (int k = 0; at == argc && orr_policy(k, &p); k++)
        if (p.own)
            policy(p.name, opencl, seeds, want);
    for (; at < argc; at++)
        policy(argv[at], opencl, seeds, want);
    for (int i = 0; i < CASES; i++)
        free(want[i].x);
    return checked();
}
