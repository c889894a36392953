/* Every family with small problems in arrays of a megabyte and more: far apart columns, or
 * matrices. What CUDA copies of them, page-locked or not, is in the record of the virtual devices
 * (pinned.sh). A line per array of results, as of answers.c:
 *
 *   pinned CASE...
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "arrays.h"
#include "check.h"
#include "orrery/orrery.h"
#include "orrery/sparse.h"

enum { LONG = 1 << 17 }; /* doubles: a megabyte */

static const char *name; /* of the case */

static void tell(const char *array, const double *x, int64_t rows, int64_t columns, int64_t ld)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++) {
            uint64_t bits;
            memcpy(&bits, x + i + j * ld, sizeof bits);
            h = (h ^ bits) * 0x100000001b3u;
        }
    printf("%s %s %016llx\n", name, array, (unsigned long long)h);
}

static void done(orr_status st, const orr_report *r)
{
    CHECK(st == ORR_OK, "%s: %s %s", name, orr_strerror(st), r->message);
}

/* ---- Cases ---------------------------------------------------------------------------------- */

static void heevj_at(orr_context *ctx, int64_t n, int64_t batch, orr_method method)
{
    const int64_t apart = LONG / (batch - 1) + n * n;
    double *a = numbers(batch * apart, 7), *w = numbers(batch * apart, 1);
    const orr_heevj_opts o = {.method = method, .chunk = 2};
    const orr_batch A = {.type = ORR_D, .batch = batch, .m = n, .n = n, .a = a, .stride = apart};
    const orr_batch W = {.type = ORR_D, .batch = batch, .m = n, .n = 1, .a = w, .stride = apart};
    orr_report r;
    done(orr_heevj(ctx, &A, &W, &o, NULL, &r), &r);
    tell("w", w, n, batch, apart);
    tell("vectors", a, n * n, batch, apart);
    free(a), free(w);
}

static void heevj(orr_context *ctx) { heevj_at(ctx, 9, 6, ORR_METHOD_JACOBI); }
static void heevj_block(orr_context *ctx) { heevj_at(ctx, 37, 3, ORR_METHOD_BLOCK); }
static void heevj_lanes(orr_context *ctx) { heevj_at(ctx, 37, 3, ORR_METHOD_LANES); }

static void gesvj_at(orr_context *ctx, int64_t m, int64_t n, int64_t batch)
{
    const int64_t apart = LONG / (batch - 1) + m * n;
    double *a = numbers(batch * apart, 9), *s = numbers(batch * apart, 1),
           *u = numbers(batch * apart, 1), *v = numbers(batch * apart, 1);
    const orr_gesvj_opts o = {.block = 16, .chunk = 2, .bundle = 2, .place = ORR_PLACE_GPU};
    const orr_batch A = {.type = ORR_D, .batch = batch, .m = m, .n = n, .a = a, .stride = apart};
    const orr_batch S = {.type = ORR_D, .batch = batch, .m = n, .n = 1, .a = s, .stride = apart};
    const orr_batch U = {.type = ORR_D, .batch = batch, .m = m, .n = n, .a = u, .stride = apart};
    const orr_batch V = {.type = ORR_D, .batch = batch, .m = n, .n = n, .a = v, .stride = apart};
    orr_report r;
    done(orr_gesvj(ctx, &A, &S, &U, &V, &o, NULL, &r), &r);
    tell("s", s, n, batch, apart);
    tell("u", u, m * n, batch, apart);
    tell("v", v, n * n, batch, apart);
    free(a), free(s), free(u), free(v);
}

static void gesvj(orr_context *ctx) { gesvj_at(ctx, 13, 11, 4); }
static void gesvj_blocks(orr_context *ctx) { gesvj_at(ctx, 130, 66, 2); }

enum { N = 29, LD = LONG / N + 300 };

static void heev(orr_context *ctx)
{
    double *a = numbers(N * LD, 12), *z = numbers(N * LD, 1), w[N];
    const orr_heev_opts o = {.band = 4, .tile = 16, .place = ORR_PLACE_GPU};
    orr_report r;
    done(orr_heev(ctx, ORR_D, 'L', N, a, LD, w, z, LD, &o, &r), &r);
    tell("w", w, N, 1, N);
    tell("z", z, N, N, LD);
    free(a), free(z);
}

/* Cancelled when so much of it is done. */
enum { MOMENTS = 8 };
struct moment {
    orr_context *ctx;
    int eighths;
};

static void at_moment(int64_t parts, int64_t total, void *arg)
{
    const struct moment *m = arg;
    if (MOMENTS * parts >= m->eighths * total)
        orr_cancel(m->ctx);
}

/* Whoever waits for a task that gives up goes on, and nothing stays locked. */
static void cancelled(orr_context *ctx)
{
    double *a = numbers(N * LD, 12), *z = numbers(N * LD, 1), *v = numbers(N * LD, 1), w[N];
    for (struct moment m = {.ctx = ctx}; m.eighths <= MOMENTS; m.eighths++) {
        const orr_heev_opts o = {.band = 4,
                                 .tile = 16,
                                 .place = ORR_PLACE_GPU,
                                 .progress = at_moment,
                                 .progress_arg = &m};
        const orr_gesvd_opts g = {.band = 4,
                                  .tile = 16,
                                  .place = ORR_PLACE_GPU,
                                  .progress = at_moment,
                                  .progress_arg = &m};
        orr_status st = orr_heev(ctx, ORR_D, 'L', N, a, LD, w, z, LD, &o, NULL);
        CHECK(st == ORR_E_CANCELLED || st == ORR_OK, "heev, %d: %s", m.eighths, orr_strerror(st));
        st = orr_gesvd(ctx, ORR_D, N, N, a, LD, w, z, LD, v, LD, &g, NULL);
        CHECK(st == ORR_E_CANCELLED || st == ORR_OK, "gesvd, %d: %s", m.eighths, orr_strerror(st));
    }
    free(a), free(z), free(v);
}

static void hegv(orr_context *ctx)
{
    double *a = numbers(N * LD, 12), *b = numbers(N * LD, 13), *z = numbers(N * LD, 1), w[N];
    const orr_hegv_opts o = {.heev = {.band = 4, .tile = 16, .place = ORR_PLACE_GPU}};
    orr_report r;
    for (int64_t i = 0; i < N; i++)
        b[i * (LD + 1)] += 2 * N;
    done(orr_hegv(ctx, ORR_D, 'L', N, a, LD, b, LD, w, z, LD, &o, &r), &r);
    tell("w", w, N, 1, N);
    tell("z", z, N, N, LD);
    free(a), free(b), free(z);
}

/* A tall matrix, and a wide one, which is copied. */
static void gesvd_at(orr_context *ctx, int64_t m, int64_t n)
{
    const int64_t k = m < n ? m : n;
    double *a = numbers(n * LD, 13), *u = numbers(k * LD, 1), *v = numbers(k * LD, 1), s[N];
    const orr_gesvd_opts o = {.band = 4, .tile = 16, .place = ORR_PLACE_GPU};
    orr_report r;
    done(orr_gesvd(ctx, ORR_D, m, n, a, LD, s, u, LD, v, LD, &o, &r), &r);
    tell("s", s, k, 1, k);
    tell("u", u, m, k, LD);
    tell("v", v, n, k, LD);
    free(a), free(u), free(v);
}

static void gesvd(orr_context *ctx) { gesvd_at(ctx, N + 11, N); }

static void hb2st(orr_context *ctx)
{
    enum { B = 5 };
    double *ab = numbers((B + 1) * N, 10), *q = numbers(N * LD, 1), d[N], e[N];
    const orr_hb2st_opts o = {.vect = 'Q', .place = ORR_PLACE_GPU, .q = q, .ldq = LD};
    orr_report r;
    done(orr_hb2st(ctx, ORR_D, 'L', N, B, ab, B + 1, d, e, &o, &r), &r);
    tell("d", d, N, 1, N);
    tell("q", q, N, N, LD);
    free(ab), free(q);
}

static void gb2bd(orr_context *ctx)
{
    enum { KL = 2, KU = 4 };
    double *ab = numbers((KL + KU + 1) * N, 11), *u = numbers(N * LD, 1), *v = numbers(N * LD, 1),
           d[N], e[N];
    const orr_gb2bd_opts o = {.place = ORR_PLACE_GPU, .u = u, .ldu = LD, .v = v, .ldv = LD};
    orr_report r;
    done(orr_gb2bd(ctx, ORR_D, N, N, KL, KU, ab, KL + KU + 1, d, e, &o, &r), &r);
    tell("d", d, N, 1, N);
    tell("u", u, N, N, LD);
    tell("v", v, N, N, LD);
    free(ab), free(u), free(v);
}

static orr_sparse *sparse(orr_context *ctx, const char *what, int graph)
{
    orr_mtx m;
    orr_sparse *A = NULL;
    const orr_sparse_opts o = {.type = 'd', .blocks = 3, .rule_only = 1, .graph = graph};
    CHECK(orr_generate(what, 3, &m, NULL) == ORR_OK, "%s", what);
    CHECK(orr_sparse_from_mtx(ctx, &m, &o, &A, NULL) == ORR_OK, "%s", what);
    orr_mtx_free(&m);
    return A;
}

/* Blocks and vectors are the library's: what is locked of them begins at 64 KiB. */
static void powm(orr_context *ctx)
{
    const orr_powm_opts o = {.method = ORR_POWM_METHOD_RITZ, .fixed_steps = 2};
    orr_eigenpair pair[2];
    orr_powm_result found;
    orr_report r;
    orr_sparse *A = sparse(ctx, "laplace3d:22", 0);
    done(orr_powm(ctx, A, &o, pair, NULL, &found, &r), &r);
    orr_sparse_free(A);
}

static void pagerank(orr_context *ctx)
{
    const orr_pagerank_opts o = {.fixed_steps = 2};
    orr_pagerank_result found;
    orr_report r;
    orr_sparse *G = sparse(ctx, "rmat:13:12", 1);
    double *x = numbers(1 << 13, 1);
    done(orr_pagerank(ctx, G, &o, x, &found, &r), &r);
    orr_sparse_free(G);
    free(x);
}

/* ---- Arrays that cannot be locked, or not alone ------------------------------------------------ */

/* The windows of a signal overlap: those in flight share what is locked. Nobody may write it, so of
 * the second signal nothing is. */
static void windows(orr_context *ctx)
{
    enum { M = 40, WIDE = 8, FRAMES = 6, STEP = LONG / 4 };
    const int64_t ld = LONG / (WIDE - 1) + 10, all = WIDE * ld + (FRAMES - 1) * STEP;
    double *signal = numbers(all, 5), s[FRAMES][WIDE], again[FRAMES][WIDE];
    double *read_only =
        mmap(NULL, (size_t)all * 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const orr_gesvj_opts o = {.place = ORR_PLACE_GPU};
    CHECK(read_only != MAP_FAILED, "mmap");
    memcpy(read_only, signal, (size_t)all * 8);
    mprotect(read_only, (size_t)all * 8, PROT_READ);
    for (int locked = 1; locked >= 0; locked--) {
        const double *from = locked ? signal : read_only;
        orr_request *r[FRAMES];
        for (int k = 0; k < FRAMES; k++) {
            const orr_batch A = {.type = ORR_D,
                                 .batch = 1,
                                 .m = M,
                                 .n = WIDE,
                                 .ld = ld,
                                 .a = (void *)(from + k * STEP)};
            const orr_batch S = {
                .type = ORR_D, .batch = 1, .m = WIDE, .n = 1, .a = locked ? s[k] : again[k]};
            CHECK(orr_submit_gesvj(ctx, &A, &S, NULL, NULL, &o, NULL, &r[k]) == ORR_OK, "%d", k);
        }
        for (int k = 0; k < FRAMES; k++) { /* the third goes first */
            orr_report report;
            done(orr_wait(r[(k + 2) % FRAMES], &report), &report);
        }
    }
    CHECK(memcmp(s, again, sizeof s) == 0, "the same frames");
    tell("s", s[0], WIDE, FRAMES, WIDE);
    munmap(read_only, (size_t)all * 8);
    free(signal);
}

static const struct {
    const char *name;
    void (*run)(orr_context *);
    const char *sched;
    int cpus;
} cases[] = {
    {"heevj", heevj, "dmdas", -1},
    {"heevj_block", heevj_block, "dmdas", -1},
    {"heevj_lanes", heevj_lanes, "dmdas", -1},
    {"gesvj", gesvj, "dmdas", 1},
    {"gesvj_blocks", gesvj_blocks, "dmdas", 1},
    {"heev", heev, "dmdas", 1},
    {"cancelled", cancelled, "dmdas", 1},
    {"hegv", hegv, "dmdas", 1},
    {"gesvd", gesvd, "dmdas", 1},
    {"hb2st", hb2st, "dmdas", 1},
    {"gb2bd", gb2bd, "dmdas", 1},
    {"powm", powm, "chaos", 1},
    {"pagerank", pagerank, "chaos", 1},
    {"windows", windows, "dmdas", 1},
};

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        int known = 0;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            orr_context *ctx;
            if (strcmp(argv[k], cases[i].name) != 0)
                continue;
            known = 1;
            name = argv[k];
            const orr_status st =
                orr_open(&(orr_context_opts){.cpus = cases[i].cpus, .sched = cases[i].sched}, &ctx);
            CHECK(st == ORR_OK, "%s: %s", name, orr_strerror(st));
            if (st != ORR_OK)
                continue;
            cases[i].run(ctx);
            orr_close(ctx);
        }
        CHECK(known, "no case %s", argv[k]);
    }
    if (failures)
        checked();
    return failures != 0;
}
