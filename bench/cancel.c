/* How long orr_cancel takes: seconds from the call, at random moments of a run, until the operation
 * has returned.
 *
 *   bench_cancel ROUNDS [FAMILY N]...      without families: those of docs/api.md
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "orrery/sparse.h"

static orr_context *ctx;
static double *a, *u, *v, *w;
static orr_sparse *matrix;

static uint64_t state = 1;
static double uniform(void) /* in [0, 1) */
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 9007199254740992.0;
}

/* ---- Families -------------------------------------------------------------------------------- */

static orr_batch batch(int64_t count, int64_t m, int64_t n, double *x)
{
    return (orr_batch){.type = ORR_D, .batch = count, .m = m, .n = n, .a = x};
}

static orr_status heevj(int64_t n)
{
    const int64_t count = 64000000 / (n * n * n) + 8;
    const orr_batch A = batch(count, n, n, a), W = batch(count, n, 1, w);
    return orr_heevj(ctx, &A, &W, NULL, NULL, NULL);
}

static orr_status blocks(int64_t n)
{
    const orr_batch A = batch(8, n, n, a), W = batch(8, n, 1, w);
    return orr_heevj(ctx, &A, &W, &(orr_heevj_opts){.method = ORR_METHOD_BLOCK}, NULL, NULL);
}

static orr_status heev_by(int64_t n, double *z, orr_dense_method method)
{
    return orr_heev(ctx, ORR_D, 'L', n, a, n, w, z, n, &(orr_heev_opts){.method = method}, NULL);
}
static orr_status heev(int64_t n) { return heev_by(n, u, 0); }
static orr_status heev_values(int64_t n) { return heev_by(n, NULL, 0); }
static orr_status heev_lapack(int64_t n) { return heev_by(n, u, ORR_DENSE_LAPACK); }

static orr_status gesvd_by(int64_t n, int vectors, orr_dense_method method)
{
    return orr_gesvd(ctx, ORR_D, n, n, a, n, w, vectors ? u : NULL, n, vectors ? v : NULL, n,
                     &(orr_gesvd_opts){.method = method}, NULL);
}
static orr_status gesvd(int64_t n) { return gesvd_by(n, 1, 0); }
static orr_status gesvd_values(int64_t n) { return gesvd_by(n, 0, 0); }
static orr_status gesvd_lapack(int64_t n) { return gesvd_by(n, 1, ORR_DENSE_LAPACK); }

static orr_status hb2st(int64_t n)
{
    return orr_hb2st(ctx, ORR_D, 'L', n, 64, a, 65, w, w + n,
                     &(orr_hb2st_opts){.vect = 'Q', .q = u, .ldq = n}, NULL);
}

static orr_status gb2bd(int64_t n)
{
    return orr_gb2bd(ctx, ORR_D, n, n, 8, 56, a, 65, w, w + n,
                     &(orr_gb2bd_opts){.u = u, .ldu = n, .v = v, .ldv = n}, NULL);
}

static orr_status gesvj(int64_t n)
{
    const orr_batch A = batch(4, n, n, a), S = batch(4, n, 1, w), U = batch(4, n, n, u);
    return orr_gesvj(ctx, &A, &S, &U, NULL, NULL, NULL, NULL);
}

/* All at once: frames that are pushed after orr_cancel are solved. */
static orr_status stream(int64_t n)
{
    enum { FRAMES = 6 };
    orr_gesvj_stream *s;
    orr_status st = orr_gesvj_stream_open(ctx, NULL, FRAMES, NULL, NULL, &s);
    for (int64_t i = 0; i < FRAMES && st == ORR_OK; i++)
        st = orr_gesvj_stream_push(
            s, &(orr_gesvj_frame){
                   .type = ORR_D, .m = n, .n = n, .a = a, .s = w + i * n, .u = u + i * n * n});
    const orr_status worst = orr_gesvj_stream_close(s, NULL);
    return st ? st : worst;
}

static orr_status powm(int64_t n)
{
    orr_eigenpair pair[5];
    orr_powm_result result;
    (void)n;
    return orr_powm(ctx, matrix, &(orr_powm_opts){.k = 4}, pair, NULL, &result, NULL);
}

static orr_status pagerank(int64_t n)
{
    orr_pagerank_result result;
    (void)n;
    return orr_pagerank(ctx, matrix, &(orr_pagerank_opts){.alpha = 0.99, .tol = 1e-13}, w, &result,
                        NULL);
}

/* clang-format off */
static const struct family {
    const char *name;
    orr_status (*run)(int64_t n);
    const char *matrix; /* NULL: dense or band */
} families[] = {
    {"heevj", heevj, NULL},       {"blocks", blocks, NULL},
    {"heev", heev, NULL},         {"heev-values", heev_values, NULL},
    {"heev-lapack", heev_lapack, NULL}, {"gesvd", gesvd, NULL},
    {"gesvd-values", gesvd_values, NULL}, {"gesvd-lapack", gesvd_lapack, NULL},
    {"hb2st", hb2st, NULL},       {"gb2bd", gb2bd, NULL},
    {"gesvj", gesvj, NULL},       {"stream", stream, NULL},
    {"powm", powm, "laplace3d:%lld"}, {"pagerank", pagerank, "rmat:%lld:16"}};
/* clang-format on */

/* ---- Measuring ---------------------------------------------------------------------------------- */

struct cancel {
    double wait, at;
};

static void *cancels_later(void *arg)
{
    struct cancel *c = arg;
    nanosleep(&(struct timespec){.tv_sec = (time_t)c->wait,
                                 .tv_nsec = (long)(1e9 * (c->wait - floor(c->wait)))},
              NULL);
    c->at = now();
    orr_cancel(ctx);
    return NULL;
}

static void fill(int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        a[i] = 2 * uniform() - 1;
}

static void measure(const struct family *f, int64_t n, int rounds)
{
    double *latency = calloc((size_t)rounds, sizeof *latency);
    int cancelled = 0;
    int64_t room = 8 * n * n + 65 * n; /* of each array of matrices */
    char name[64], message[256];
    if (f->matrix) {
        orr_mtx m;
        snprintf(name, sizeof name, f->matrix, (long long)n);
        if (orr_generate(name, 1, &m, message) != ORR_OK ||
            orr_sparse_from_mtx(ctx, &m, &(orr_sparse_opts){.graph = f->run == pagerank}, &matrix,
                                message) != ORR_OK) {
            printf("%s: %s\n", name, message);
            exit(1);
        }
        orr_mtx_free(&m);
        room = 1;
    } else if (f->run == heevj) {
        room = (64000000 / (n * n * n) + 8) * n * n;
    }
    a = malloc((size_t)room * sizeof *a);
    u = malloc((size_t)room * sizeof *u);
    v = malloc((size_t)room * sizeof *v);
    w = malloc((size_t)(f->matrix ? (int64_t)1 << 26 : room) * sizeof *w);
    fill(room);
    f->run(n);
    fill(room);
    const double begun = now();
    f->run(n);
    const double seconds = now() - begun;
    for (int i = 0; i < rounds; i++) {
        struct cancel c = {.wait = seconds * uniform()};
        pthread_t other;
        fill(room);
        pthread_create(&other, NULL, cancels_later, &c);
        const orr_status st = f->run(n);
        const double ended = now();
        pthread_join(other, NULL);
        if (st == ORR_E_CANCELLED)
            latency[cancelled++] = ended - c.at;
    }
    const double middle = cancelled ? median(latency, cancelled) : NAN;
    printf("%-14s %6lld  %8.2f s  %2d of %d cancelled  median %6.3f s  longest %6.3f s\n", f->name,
           (long long)n, seconds, cancelled, rounds, middle,
           cancelled ? latency[cancelled - 1] : NAN);
    fflush(stdout);
    orr_sparse_free(matrix);
    matrix = NULL;
    free(a);
    free(u);
    free(v);
    free(w);
    free(latency);
}

int main(int argc, char **argv)
{
    static char *usual[] = {"heevj",        "64",   "heevj",       "300",  "blocks",       "300",
                            "heev",         "2000", "heev-values", "3000", "gesvd",        "1500",
                            "gesvd-values", "2500", "hb2st",       "2048", "gb2bd",        "1500",
                            "gesvj",        "512",  "stream",      "512",  "powm",         "100",
                            "pagerank",     "19",   "heev-lapack", "1000", "gesvd-lapack", "800"};
    const int rounds = argc > 1 ? atoi(argv[1]) : 10;
    char **list = argc > 2 ? argv + 2 : usual;
    const int count = argc > 2 ? argc - 2 : (int)(sizeof usual / sizeof *usual);
    if (rounds < 1 || orr_open(NULL, &ctx) != ORR_OK)
        return 1;
    for (int i = 0; i + 1 < count; i += 2)
        for (size_t k = 0; k < sizeof families / sizeof *families; k++)
            if (strcmp(families[k].name, list[i]) == 0)
                measure(&families[k], atoll(list[i + 1]), rounds);
    orr_close(ctx);
    return 0;
}
