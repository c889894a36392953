/* orr_cancel: each operation, cancelled at random moments by another thread, returns its result or
 * ORR_E_CANCELLED, and the next one has the right result. With the argument "certain", and one
 * worker: by a progress function and by a handler of signals, which come while there are tasks
 * left, it is ORR_E_CANCELLED; and the progress of one that is not cancelled ends at what it announced.
 * Nothing here depends on how long anything takes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algorithms/open.h"
#include "check.h"
#include "orrery/sparse.h"

typedef void progress_fn(int64_t done, int64_t total, void *arg);

static orr_context *ctx;
static orr_sparse *grid, *graph;

static uint64_t state = 1;
static double uniform(void) /* in (-1, 1) */
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(state >> 11) / (double)((int64_t)1 << 52) - 1;
}

/* What a family computes: numbers that are compared with those of an undisturbed run. */
enum { MOST = 1 << 21 };
static double a[MOST], q[MOST], u[MOST], out[4096];

static void fill(double *x, int64_t count)
{
    state = 7;
    for (int64_t i = 0; i < count; i++)
        x[i] = uniform();
}

/* ---- Families: each returns the status, and in *count how many numbers `out` has ------------- */

static orr_batch batch(int64_t count, int64_t m, int64_t n, double *x)
{
    return (orr_batch){.type = ORR_D, .batch = count, .m = m, .n = n, .a = x};
}

static orr_status heevj_of(int64_t count, int64_t n, orr_method method, progress_fn *p, int64_t *k)
{
    const orr_batch A = batch(count, n, n, a), w = batch(count, n, 1, out);
    fill(a, count * n * n);
    *k = count * n;
    return orr_heevj(ctx, &A, &w, &(orr_heevj_opts){.progress = p, .method = method, .chunk = 4},
                     NULL, NULL);
}

static orr_status heevj(progress_fn *p, int64_t *k)
{
    return heevj_of(80, 40, ORR_METHOD_AUTO, p, k);
}
static orr_status blocks(progress_fn *p, int64_t *k)
{
    return heevj_of(6, 130, ORR_METHOD_BLOCK, p, k);
}

static orr_status heev_by(orr_dense_method method, int64_t n, double *z, progress_fn *p, int64_t *k)
{
    fill(a, n * n);
    *k = n;
    return orr_heev(ctx, ORR_D, 'L', n, a, n, out, z, n,
                    &(orr_heev_opts){.progress = p, .method = method}, NULL);
}

static orr_status heev(progress_fn *p, int64_t *k)
{
    return heev_by(ORR_DENSE_TWO_STAGE, 500, q, p, k);
}
static orr_status heev_values(progress_fn *p, int64_t *k)
{
    return heev_by(ORR_DENSE_TWO_STAGE, 500, NULL, p, k);
}
static orr_status heev_direct(progress_fn *p, int64_t *k)
{
    return heev_by(ORR_DENSE_LAPACK, 150, q, p, k);
}

static orr_status heev_one_stage(progress_fn *p, int64_t *k)
{
    return heev_by(ORR_DENSE_LAPACK, 400, q, p, k);
}

static orr_status gesvd_by(orr_dense_method method, int64_t m, int64_t n, int vectors,
                           progress_fn *p, int64_t *k)
{
    fill(a, m * n);
    *k = n;
    return orr_gesvd(ctx, ORR_D, m, n, a, m, out, vectors ? q : NULL, m, vectors ? u : NULL, n,
                     &(orr_gesvd_opts){.progress = p, .method = method}, NULL);
}

static orr_status gesvd(progress_fn *p, int64_t *k)
{
    return gesvd_by(ORR_DENSE_TWO_STAGE, 700, 300, 1, p, k);
}
static orr_status gesvd_values(progress_fn *p, int64_t *k)
{
    return gesvd_by(ORR_DENSE_TWO_STAGE, 400, 400, 0, p, k);
}
static orr_status gesvd_direct(progress_fn *p, int64_t *k)
{
    return gesvd_by(ORR_DENSE_LAPACK, 150, 120, 1, p, k);
}
static orr_status gesvd_tsqr(progress_fn *p, int64_t *k)
{
    return gesvd_by(ORR_DENSE_AUTO, 16000, 10, 1, p, k);
}

static orr_status hb2st(progress_fn *p, int64_t *k)
{
    enum { N = 600, B = 12 };
    orr_hb2st_factor *factor = NULL;
    fill(a, N * (B + 1));
    fill(q, N * 40);
    *k = 2 * N - 1;
    orr_status st =
        orr_hb2st(ctx, ORR_D, 'L', N, B, a, B + 1, out, out + N,
                  &(orr_hb2st_opts){.vect = 'V', .factor = &factor, .progress = p}, NULL);
    CHECK((factor != NULL) == (st == ORR_OK));
    if (st == ORR_OK)
        st = orr_hb2st_apply(ctx, factor, 'N', 40, q, N, NULL);
    orr_hb2st_drop(factor);
    return st;
}

static orr_status hb2st_q(progress_fn *p, int64_t *k)
{
    enum { N = 400, B = 16 };
    fill(a, N * (B + 1));
    *k = 2 * N - 1;
    return orr_hb2st(ctx, ORR_D, 'L', N, B, a, B + 1, out, out + N,
                     &(orr_hb2st_opts){.vect = 'Q', .q = q, .ldq = N, .progress = p}, NULL);
}

static orr_status gb2bd_by(int vectors, progress_fn *p, int64_t *k)
{
    enum { N = 400, KL = 4, KU = 12 };
    fill(a, N * (KL + KU + 1));
    *k = 2 * N - 1;
    return orr_gb2bd(
        ctx, ORR_D, N, N, KL, KU, a, KL + KU + 1, out, out + N,
        &(orr_gb2bd_opts){
            .progress = p, .u = vectors ? q : NULL, .ldu = N, .v = vectors ? u : NULL, .ldv = N},
        NULL);
}

static orr_status gb2bd(progress_fn *p, int64_t *k) { return gb2bd_by(0, p, k); }
static orr_status gb2bd_vectors(progress_fn *p, int64_t *k) { return gb2bd_by(1, p, k); }

static orr_status gesvj_of(int64_t count, int64_t m, int64_t n, progress_fn *p, int64_t *k)
{
    const orr_batch A = batch(count, m, n, a), s = batch(count, n, 1, out);
    const orr_batch U = batch(count, m, n, q), V = batch(count, n, n, u);
    fill(a, count * m * n);
    *k = count * n;
    return orr_gesvj(ctx, &A, &s, &U, &V, &(orr_gesvj_opts){.progress = p, .chunk = 16}, NULL,
                     NULL);
}

static orr_status gesvj(progress_fn *p, int64_t *k) { return gesvj_of(6, 100, 90, p, k); }
static orr_status gesvj_small(progress_fn *p, int64_t *k) { return gesvj_of(160, 20, 12, p, k); }

/* Krylov's number of products, and so the last digits, may depend on nothing but the matrix. */
static orr_status powm_by(const orr_powm_opts *o, int background, int64_t *k)
{
    orr_eigenpair pair[4];
    orr_powm_result result;
    orr_request *req;
    orr_status st;
    if (background) {
        st = orr_submit_powm(ctx, grid, o, pair, q, &result, &req);
        if (st == ORR_OK)
            st = orr_wait(req, NULL);
    } else {
        st = orr_powm(ctx, grid, o, pair, q, &result, NULL);
    }
    *k = 1;
    out[0] = pair[0].re;
    return st;
}

static orr_status krylov(progress_fn *p, int64_t *k)
{
    return powm_by(&(orr_powm_opts){.k = 3, .tol = 1e-8, .progress = p}, 0, k);
}
static orr_status background(progress_fn *p, int64_t *k)
{
    return powm_by(&(orr_powm_opts){.k = 3, .tol = 1e-8, .progress = p}, 1, k);
}
static orr_status ritz(progress_fn *p, int64_t *k)
{
    return powm_by(
        &(orr_powm_opts){.method = ORR_POWM_METHOD_RITZ, .fixed_steps = 400, .progress = p}, 0, k);
}
static orr_status power(progress_fn *p, int64_t *k)
{
    return powm_by(
        &(orr_powm_opts){.method = ORR_POWM_METHOD_POWER, .fixed_steps = 400, .progress = p}, 0, k);
}

static orr_status ranks_by(char extrapolate, progress_fn *p, int64_t *k)
{
    orr_sparse_info info;
    orr_pagerank_result result;
    orr_sparse_query(graph, &info);
    *k = info.rows;
    return orr_pagerank(ctx, graph,
                        &(orr_pagerank_opts){
                            .alpha = 0.95, .tol = 1e-13, .extrapolate = extrapolate, .progress = p},
                        out, &result, NULL);
}

static orr_status pagerank(progress_fn *p, int64_t *k) { return ranks_by('n', p, k); }
static orr_status extrapolated(progress_fn *p, int64_t *k) { return ranks_by('y', p, k); }

/* The worst status of the frames; none but those, and all leave in their order. */
static orr_status stream(progress_fn *p, int64_t *k)
{
    enum { FRAMES = 8, N = 80 };
    orr_gesvj_stream *s;
    orr_gesvj_result r;
    orr_status worst = ORR_OK;
    int64_t left = 0;
    (void)p;
    fill(a, FRAMES * N * N);
    *k = FRAMES * N;
    CHECK(orr_gesvj_stream_open(ctx, NULL, 3, NULL, NULL, &s) == ORR_OK);
    for (int64_t i = 0; i < FRAMES; i++) {
        const orr_gesvj_frame f = {
            .type = ORR_D, .m = N, .n = N, .a = a + i * N * N, .s = out + i * N, .u = q + i * N * N};
        CHECK(orr_gesvj_stream_push(s, &f) == ORR_OK);
    }
    while (orr_gesvj_stream_pop(s, 1, &r)) {
        CHECK(r.number == left++);
        CHECK(r.status == ORR_OK || r.status == ORR_E_CANCELLED, "%d", (int)r.status);
        worst = r.status < worst ? r.status : worst;
    }
    CHECK(left == FRAMES);
    CHECK(orr_gesvj_stream_close(s, NULL) == worst);
    return worst;
}

static orr_status product(progress_fn *p, int64_t *k)
{
    orr_sparse_info info;
    (void)p;
    orr_sparse_query(grid, &info);
    fill(a, info.cols);
    *k = 4096;
    const orr_status st = orr_sparse_multiply(ctx, grid, a, q, NULL);
    memcpy(out, q, sizeof out);
    return st;
}

/* many: with one worker some tasks are left at the first call of the progress function; ends: that is told
 * of all parts, as many as were announced */
/* clang-format off */
static const struct family {
    const char *name;
    orr_status (*run)(progress_fn *, int64_t *count);
    int many, ends;
} families[] = {{"heevj", heevj, 1, 1}, {"heevj in blocks", blocks, 0, 1}, {"heev", heev, 1, 1},
                {"heev, values", heev_values, 1, 1}, {"heev, one task", heev_direct, 0, 1},
                {"heev, one stage", heev_one_stage, 0, 1},
                {"gesvd", gesvd, 1, 1}, {"gesvd, values", gesvd_values, 1, 1},
                {"gesvd, one task", gesvd_direct, 0, 1}, {"gesvd, few columns", gesvd_tsqr, 1, 1},
                {"hb2st", hb2st, 1, 1}, {"hb2st, Q", hb2st_q, 1, 1},
                {"gb2bd", gb2bd, 1, 1}, {"gb2bd, vectors", gb2bd_vectors, 1, 1}, {"gesvj", gesvj, 0, 1},
                {"gesvj, small", gesvj_small, 1, 1}, {"powm krylov", krylov, 1, 0},
                {"powm in the background", background, 1, 0}, {"powm ritz", ritz, 1, 0},
                {"powm power", power, 1, 0}, {"pagerank", pagerank, 1, 0},
                {"pagerank, extrapolated", extrapolated, 1, 0}, {"a stream", stream, 0, 0},
                {"a product", product, 0, 0}};
/* clang-format on */
enum { FAMILIES = sizeof families / sizeof *families };

/* ---- Who cancels ------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *cancels_later(void *seconds)
{
    const double wait = *(const double *)seconds;
    nanosleep(
        &(struct timespec){.tv_sec = (time_t)wait, .tv_nsec = (long)(1e9 * (wait - floor(wait)))},
        NULL);
    orr_cancel(ctx);
    return NULL;
}

static void on_progress(int64_t done, int64_t total, void *arg)
{
    (void)done, (void)total, (void)arg;
    orr_cancel(ctx);
}

static void on_signal(int signal)
{
    (void)signal;
    orr_cancel(ctx);
}

static void on_progress_signal(int64_t done, int64_t total, void *arg)
{
    (void)done, (void)total, (void)arg;
    raise(SIGUSR1); /* returns when the handler has */
}

static double reference[4096];

static void compare(const struct family *f)
{
    int64_t count = 0;
    double most = 0, worst = 0;
    memset(out, 0, sizeof out);
    const orr_status st = f->run(NULL, &count);
    for (int64_t i = 0; i < count; i++) {
        most = fmax(most, fabs(reference[i]));
        worst = fmax(worst, isnan(out[i]) ? INFINITY : fabs(out[i] - reference[i]));
    }
    CHECK(st == ORR_OK, "%s after a cancelled one: %s", f->name, orr_strerror(st));
    CHECK(worst <= 1e-11 * most, "%s after a cancelled one: %g of %g", f->name, worst, most);
}

static void cancelled_at_random(const struct family *f, int rounds)
{
    int64_t count = 0;
    int cancelled = 0;
    double begun = now();
    const orr_status st = f->run(NULL, &count);
    const double seconds = now() - begun;
    CHECK(st == ORR_OK && count <= 4096, "%s: %s", f->name, orr_strerror(st));
    memcpy(reference, out, sizeof out);
    for (int i = 0; i < rounds; i++) {
        state = 1000003u * (uint64_t)i + (uint64_t)(f - families);
        uniform();
        double wait = seconds * (0.5 + 0.5 * uniform());
        pthread_t other;
        CHECK(pthread_create(&other, NULL, cancels_later, &wait) == 0);
        const orr_status s = f->run(NULL, &count);
        CHECK(s == ORR_OK || s == ORR_E_CANCELLED, "%s: %s", f->name, orr_strerror(s));
        cancelled += s == ORR_E_CANCELLED;
        pthread_join(other, NULL);
        compare(f);
    }
    printf("%-24s %d of %d cancelled\n", f->name, cancelled, rounds);
}

static void cancelled_for_certain(const struct family *f)
{
    int64_t count = 0;
    orr_status st = f->run(NULL, &count);
    CHECK(st == ORR_OK && count <= 4096, "%s: %s", f->name, orr_strerror(st));
    memcpy(reference, out, sizeof out);
    st = f->run(on_progress, &count);
    CHECK(st == ORR_E_CANCELLED, "%s by its progress: %s", f->name, orr_strerror(st));
    compare(f);
    st = f->run(on_progress_signal, &count);
    CHECK(st == ORR_E_CANCELLED, "%s by a signal: %s", f->name, orr_strerror(st));
}

/* Tasks that follow do nothing: of few columns one part is reduced, but not the other, and there are neither values
 * nor vectors. */
static void nothing_follows(void)
{
    enum { ROWS = 16000, COLUMNS = 10 }; /* as gesvd_tsqr has them */
    int64_t count = 0, changed[2] = {0, 0}, results = 0;
    memset(out, 0, sizeof out);
    memset(q, 0, sizeof q);
    CHECK(gesvd_tsqr(on_progress, &count) == ORR_E_CANCELLED, "not cancelled");
    for (int64_t i = 0; i < COLUMNS; i++)
        results += out[i] != 0;
    for (int64_t i = 0; i < ROWS * COLUMNS; i++)
        results += q[i] != 0;
    fill(u, ROWS * COLUMNS);
    for (int64_t i = 0; i < ROWS * COLUMNS; i++)
        changed[i % ROWS >= ROWS / 2] += a[i] != u[i];
    CHECK(results == 0 && (changed[0] == 0) != (changed[1] == 0),
          "%lld results; %lld numbers of one part were changed, %lld of the other",
          (long long)results, (long long)changed[0], (long long)changed[1]);
}

static _Atomic int64_t most_done, announced;

static void note(int64_t done, int64_t total, void *arg)
{
    (void)arg;
    announced = total;
    for (int64_t before = most_done; done > before;) /* workers may come out of order */
        if (atomic_compare_exchange_weak(&most_done, &before, done))
            break;
}

static void adds_up(const struct family *f)
{
    int64_t count = 0;
    most_done = announced = 0;
    CHECK(f->run(note, &count) == ORR_OK, "%s", f->name);
    CHECK(most_done == announced && announced > 0, "%s: progress ends at %lld of %lld", f->name,
          (long long)most_done, (long long)announced);
}

static void told(void)
{
    orr_report rep = {0};
    fill(a, 80 * 1600);
    const orr_batch A = batch(40, 40, 40, a), W = batch(40, 40, 1, out);
    orr_cancel(NULL);
    orr_cancel(ctx); /* nobody there */
    CHECK(orr_heevj(ctx, &A, &W, &(orr_heevj_opts){.chunk = 4}, NULL, &rep) == ORR_OK);
    CHECK(orr_heevj(ctx, &A, &W, &(orr_heevj_opts){.progress = on_progress, .chunk = 4}, NULL,
                    &rep) == ORR_E_CANCELLED);
    CHECK(rep.status == ORR_E_CANCELLED && !rep.culprit &&
              strcmp(rep.message, orr_strerror(ORR_E_CANCELLED)) == 0,
          "%s", rep.message);
}

int main(int argc, char **argv)
{
    const int opencl = argc > 1 && strcmp(argv[1], "opencl") == 0;
    const int certain = argc > 1 && strcmp(argv[1], "certain") == 0;
    const int rounds = argc > 2 ? atoi(argv[2]) : 2;
    char message[256];
    orr_mtx m;
    ctx = open_context(opencl);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_RESTART}, NULL);
    CHECK(orr_generate("laplace3d:16", 1, &m, message) == ORR_OK);
    CHECK(orr_sparse_from_mtx(ctx, &m, &(orr_sparse_opts){.blocks = 4}, &grid, message) == ORR_OK);
    orr_mtx_free(&m);
    CHECK(orr_generate("rmat:11:8", 1, &m, message) == ORR_OK);
    CHECK(orr_sparse_from_mtx(ctx, &m, &(orr_sparse_opts){.graph = 1, .blocks = 3}, &graph,
                              message) == ORR_OK,
          "%s", message);
    orr_mtx_free(&m);
    if (certain) {
        told();
        nothing_follows();
    }
    for (int i = 0; i < FAMILIES; i++)
        if (!certain)
            cancelled_at_random(&families[i], rounds);
        else if (families[i].many)
            cancelled_for_certain(&families[i]);
    for (int i = 0; certain && i < FAMILIES; i++)
        if (families[i].ends)
            adds_up(&families[i]);
    orr_sparse_free(grid);
    orr_sparse_free(graph);
    orr_close(ctx);
    return checked();
}
