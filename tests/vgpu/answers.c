/* Every algorithm with its tasks on CUDA devices: a line per array of its results,
 *
 *     case type array bits            bits: a hash of the bytes
 *
 * so that runs on other devices, in other orders and under other policies can be compared.
 *
 *   answers POLICY TYPES CASE[:SIZE]...      TYPES: some of sdcz
 *
 * POLICY `devices`: StarPU runs before the library and gives each task that a device can run to one
 * of them, by chance (ANSWERS_SEED): for algorithms without a place.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <starpu.h>
#include <starpu_scheduler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "numbers.h"
#include "orrery/orrery.h"
#include "orrery/sparse.h"

/* ---- Numbers -------------------------------------------------------------------------------- */

/* n elements between -1 and 1. */
static void *numbers(orr_type t, int64_t n, uint64_t state)
{
    const int64_t reals = n * (is_complex(t) ? 2 : 1);
    char *x = malloc((size_t)(n + 1) * orr_type_size(t));
    if (!x)
        exit(99);
    for (int64_t i = 0; i < reals; i++) {
        const double u = next_signed(&state);
        if (orr_type_real(t) == ORR_S)
            ((float *)x)[i] = (float)u;
        else
            ((double *)x)[i] = u;
    }
    return x;
}

/* The diagonal of a Hermitian matrix, `step` elements apart. */
static void make_real(orr_type t, void *a, int64_t n, int64_t step)
{
    for (int64_t i = 0; i < n && is_complex(t); i++)
        if (t == ORR_C)
            ((float *)a)[2 * i * step + 1] = 0;
        else
            ((double *)a)[2 * i * step + 1] = 0;
}

static const char *name; /* of the case */
static int64_t size;     /* asked for, or 0 */

static int64_t size_or(int64_t n) { return size ? size : n; }

static void tell(orr_type t, const char *array, orr_type of, const void *x, int64_t n)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < (size_t)n * orr_type_size(of); i++)
        h = (h ^ ((const unsigned char *)x)[i]) * 0x100000001b3u;
    printf("%s %c %s %016llx\n", name, orr_type_letter(t), array, (unsigned long long)h);
}

static void done(orr_status st, const orr_report *r)
{
    CHECK(st == ORR_OK, "%s: %s %s", name, orr_strerror(st), r->message);
}

/* ---- Cases ---------------------------------------------------------------------------------- */

static void hb2st_at(orr_context *ctx, orr_type t, const orr_hb2st_opts *how)
{
    enum { B = 5 };
    const int64_t N = size_or(45);
    orr_hb2st_opts o = *how;
    orr_report r;
    void *ab = numbers(t, (B + 1) * N, 10), *q = numbers(t, N * N, 1);
    char *d = numbers(orr_type_real(t), N, 1), *e = numbers(orr_type_real(t), N, 1);
    make_real(t, ab, N, B + 1);
    o.q = q;
    o.ldq = N;
    done(orr_hb2st(ctx, t, 'L', N, B, ab, B + 1, d, e, &o, &r), &r);
    tell(t, "d", orr_type_real(t), d, N);
    tell(t, "e", orr_type_real(t), e, N - 1);
    if (o.vect == 'Q')
        tell(t, "q", t, q, N * N);
    free(ab), free(q), free(d), free(e);
}

static void hb2st(orr_context *ctx, orr_type t)
{
    hb2st_at(ctx, t, &(orr_hb2st_opts){.vect = 'Q', .place = ORR_PLACE_GPU, .D = 17, .G = 3});
}

/* More blocks and carries than four tasks have. */
static void hb2st_blocks(orr_context *ctx, orr_type t)
{
    hb2st_at(ctx, t, &(orr_hb2st_opts){.vect = 'N', .place = ORR_PLACE_GPU, .D = 6, .G = 1});
}

static void gb2bd_at(orr_context *ctx, orr_type t, int vectors, const orr_gb2bd_opts *how)
{
    enum { KL = 2, KU = 4 };
    const int64_t N = size_or(41), M = N + 2;
    orr_gb2bd_opts o = *how;
    orr_report r;
    void *ab = numbers(t, (KL + KU + 1) * N, 11), *u = numbers(t, M * N, 1),
         *v = numbers(t, N * N, 1);
    void *d = numbers(orr_type_real(t), N, 1), *e = numbers(orr_type_real(t), N, 1);
    if (vectors) {
        o.u = u, o.ldu = M;
        o.v = v, o.ldv = N;
    }
    done(orr_gb2bd(ctx, t, M, N, KL, KU, ab, KL + KU + 1, d, e, &o, &r), &r);
    tell(t, "d", orr_type_real(t), d, N);
    tell(t, "e", orr_type_real(t), e, N - 1);
    if (vectors) {
        tell(t, "u", t, u, M * N);
        tell(t, "v", t, v, N * N);
    }
    free(ab), free(u), free(v), free(d), free(e);
}

static void gb2bd(orr_context *ctx, orr_type t)
{
    gb2bd_at(ctx, t, 0,
             &(orr_gb2bd_opts){.place = ORR_PLACE_GPU, .tw = 3, .rows = 14, .sweeps = 2});
}

static void gb2bd_vectors(orr_context *ctx, orr_type t)
{
    gb2bd_at(ctx, t, 1, &(orr_gb2bd_opts){.place = ORR_PLACE_GPU, .rows = 14, .sweeps = 2});
}

static void heevj_at(orr_context *ctx, orr_type t, int64_t n, int64_t batch,
                     const orr_heevj_opts *o)
{
    orr_report r;
    void *a = numbers(t, batch * n * n, 7), *w = numbers(orr_type_real(t), batch * n, 1);
    const orr_batch A = {.type = t, .batch = batch, .m = n, .n = n, .a = a};
    const orr_batch W = {.type = orr_type_real(t), .batch = batch, .m = n, .n = 1, .a = w};
    for (int64_t k = 0; k < batch; k++)
        make_real(t, (char *)a + (size_t)(k * n * n) * orr_type_size(t), n, n + 1);
    done(orr_heevj(ctx, &A, &W, o, NULL, &r), &r);
    tell(t, "w", orr_type_real(t), w, batch * n);
    tell(t, "vectors", t, a, batch * n * n);
    free(a), free(w);
}

static void heevj(orr_context *ctx, orr_type t)
{
    heevj_at(ctx, t, 13, size_or(17), &(orr_heevj_opts){.method = ORR_METHOD_JACOBI, .chunk = 3});
}

static void heevj_block(orr_context *ctx, orr_type t)
{
    heevj_at(ctx, t, 37, size_or(5), &(orr_heevj_opts){.method = ORR_METHOD_BLOCK, .chunk = 2});
}

static void heevj_lanes(orr_context *ctx, orr_type t)
{
    heevj_at(ctx, t, 37, size_or(5), &(orr_heevj_opts){.chunk = 2});
}

static void gesvj_at(orr_context *ctx, orr_type t, int64_t m, int64_t n, int64_t batch,
                     orr_place place)
{
    const orr_gesvj_opts o = {.block = 16, .chunk = 3, .bundle = 2, .place = place};
    orr_report r;
    void *a = numbers(t, batch * m * n, 9), *u = numbers(t, batch * m * n, 1);
    void *v = numbers(t, batch * n * n, 1), *s = numbers(orr_type_real(t), batch * n, 1);
    const orr_batch A = {.type = t, .batch = batch, .m = m, .n = n, .a = a};
    const orr_batch U = {.type = t, .batch = batch, .m = m, .n = n, .a = u};
    const orr_batch V = {.type = t, .batch = batch, .m = n, .n = n, .a = v};
    const orr_batch S = {.type = orr_type_real(t), .batch = batch, .m = n, .n = 1, .a = s};
    done(orr_gesvj(ctx, &A, &S, &U, &V, &o, NULL, &r), &r);
    tell(t, "s", orr_type_real(t), s, batch * n);
    tell(t, "u", t, u, batch * m * n);
    tell(t, "v", t, v, batch * n * n);
    free(a), free(u), free(v), free(s);
}

static void gesvj(orr_context *ctx, orr_type t)
{
    gesvj_at(ctx, t, 23, 19, size_or(7), ORR_PLACE_GPU);
}
static void gesvj_blocks(orr_context *ctx, orr_type t)
{
    gesvj_at(ctx, t, 75, 66, 2, ORR_PLACE_GPU);
}
static void gesvj_pipeline(orr_context *ctx, orr_type t)
{
    gesvj_at(ctx, t, 75, 66, 2, ORR_PLACE_PIPELINE);
}
static void gesvj_mirror(orr_context *ctx, orr_type t)
{
    gesvj_at(ctx, t, 75, 66, 2, ORR_PLACE_MIRROR);
}

/* Matrices that keep coming, of these shapes in turn. */
static const int shapes[][2] = {{75, 66}, {40, 52}, {70, 69}, {66, 81}};

static void gesvj_stream_of(orr_context *ctx, orr_type t, int64_t kinds, int64_t frames,
                            int in_flight)
{
    enum { MOST = 66 * 81, VALUES = 69 };
    const orr_gesvj_opts o = {.block = 16, .bundle = 2, .place = ORR_PLACE_GPU};
    orr_gesvj_stream *stream;
    char *a = numbers(t, frames * MOST, 9), *u = numbers(t, frames * MOST, 1);
    char *v = numbers(t, frames * MOST, 1), *s = numbers(orr_type_real(t), frames * VALUES, 1);
    const size_t of = orr_type_size(t), real = orr_type_size(orr_type_real(t));
    CHECK(orr_gesvj_stream_open(ctx, &o, in_flight, NULL, NULL, &stream) == ORR_OK, "%s", name);
    int64_t at_a = 0, at_s = 0, at_u = 0, at_v = 0;
    for (int64_t k = 0; k < frames; k++) {
        const int64_t m = shapes[k % kinds][0], n = shapes[k % kinds][1], less = m < n ? m : n;
        const orr_gesvj_frame f = {.type = t,
                                   .m = m,
                                   .n = n,
                                   .a = a + (size_t)at_a * of,
                                   .s = s + (size_t)at_s * real,
                                   .u = u + (size_t)at_u * of,
                                   .v = v + (size_t)at_v * of};
        CHECK(orr_gesvj_stream_push(stream, &f) == ORR_OK, "%s", name);
        at_a += m * n, at_s += less, at_u += m * less, at_v += n * less;
    }
    CHECK(orr_gesvj_stream_close(stream, NULL) == ORR_OK, "%s", name);
    tell(t, "s", orr_type_real(t), s, at_s);
    tell(t, "u", t, u, at_u);
    tell(t, "v", t, v, at_v);
    free(a), free(u), free(v), free(s);
}

static void gesvj_stream(orr_context *ctx, orr_type t)
{
    gesvj_stream_of(ctx, t, 1, size_or(4), 3);
}
static void gesvj_shapes(orr_context *ctx, orr_type t)
{
    gesvj_stream_of(ctx, t, 4, size_or(4), 12);
}

static void heev_tiled(orr_context *ctx, orr_type t, int vectors, int64_t n, int64_t b,
                       int64_t tile)
{
    const orr_heev_opts o = {.band = b, .tile = tile, .place = ORR_PLACE_GPU};
    orr_report r;
    void *a = numbers(t, n * n, 12), *z = numbers(t, n * n, 1),
         *w = numbers(orr_type_real(t), n, 1);
    make_real(t, a, n, n + 1);
    done(orr_heev(ctx, t, 'L', n, a, n, w, vectors ? z : NULL, n, &o, &r), &r);
    tell(t, "w", orr_type_real(t), w, n);
    if (vectors)
        tell(t, "z", t, z, n * n);
    free(a), free(z), free(w);
}

static void heev_at(orr_context *ctx, orr_type t, int vectors)
{
    const int64_t n = size_or(53), small = n < 100;
    heev_tiled(ctx, t, vectors, n, small ? 4 : 8, small ? 16 : 32);
}

static void heev(orr_context *ctx, orr_type t) { heev_at(ctx, t, 1); }

static void add(orr_type t, void *x, int64_t i, double real)
{
    if (t == ORR_S || t == ORR_C)
        ((float *)x)[t == ORR_C ? 2 * i : i] += (float)real;
    else
        ((double *)x)[t == ORR_Z ? 2 * i : i] += real;
}

static void hbev_of(orr_context *ctx, orr_type t, int64_t n, int64_t b, void *ab)
{
    orr_report r;
    void *z = numbers(t, n * n, 1), *w = numbers(orr_type_real(t), n, 1);
    done(orr_hbev(ctx, t, 'L', n, b, ab, b + 1, w, z, n, &(orr_hbev_opts){.place = ORR_PLACE_GPU},
                  &r),
         &r);
    tell(t, "w", orr_type_real(t), w, n);
    tell(t, "z", t, z, n * n);
    free(ab), free(w), free(z);
}

static void hbev(orr_context *ctx, orr_type t)
{
    const int64_t n = size_or(53), b = 6;
    hbev_of(ctx, t, n, b, numbers(t, n * (b + 1), 15));
}

/* Two levels of merges on devices, the outermost in two parts; few columns are deflated. */
static void heev_merge(orr_context *ctx, orr_type t)
{
    const int64_t n = size_or(1100);
    void *ab = numbers(t, 2 * n, 15);
    for (int64_t i = 0; i < n; i++)
        add(t, ab, 2 * i + 1, 8);
    hbev_of(ctx, t, n, 1, ab);
}

static void heev_values(orr_context *ctx, orr_type t) { heev_at(ctx, t, 0); }

/* More tiles than four tasks have. */
static void heev_tiles(orr_context *ctx, orr_type t) { heev_tiled(ctx, t, 0, size_or(192), 8, 16); }

/* The same with vectors: of each step what is applied afterwards is kept. */
static void heev_steps(orr_context *ctx, orr_type t) { heev_tiled(ctx, t, 1, size_or(112), 2, 32); }

static void hegv(orr_context *ctx, orr_type t)
{
    const int64_t n = size_or(53), b = n < 100 ? 4 : 8;
    const orr_hegv_opts o = {
        .heev = {.band = b, .tile = n < 100 ? 16 : 32, .place = ORR_PLACE_GPU}};
    orr_report r;
    void *a = numbers(t, n * n, 12), *m = numbers(t, n * n, 13), *z = numbers(t, n * n, 1),
         *w = numbers(orr_type_real(t), n, 1);
    make_real(t, a, n, n + 1);
    make_real(t, m, n, n + 1);
    for (int64_t i = 0; i < n; i++)
        add(t, m, i * (n + 1), (double)(2 * n));
    done(orr_hegv(ctx, t, 'L', n, a, n, m, n, w, z, n, &o, &r), &r);
    tell(t, "w", orr_type_real(t), w, n);
    tell(t, "z", t, z, n * n);
    free(a), free(m), free(z), free(w);
}

static void gesvd_at(orr_context *ctx, orr_type t, int vectors)
{
    const int64_t n = size_or(37), m = n + 16, b = n < 100 ? 4 : 8;
    const orr_gesvd_opts o = {.band = b, .tile = n < 100 ? 16 : 32, .place = ORR_PLACE_GPU};
    orr_report r;
    void *a = numbers(t, m * n, 13), *u = numbers(t, m * n, 1), *v = numbers(t, n * n, 1);
    void *s = numbers(orr_type_real(t), n, 1);
    done(orr_gesvd(ctx, t, m, n, a, m, s, vectors ? u : NULL, m, vectors ? v : NULL, n, &o, &r),
         &r);
    tell(t, "s", orr_type_real(t), s, n);
    if (vectors) {
        tell(t, "u", t, u, m * n);
        tell(t, "v", t, v, n * n);
    }
    free(a), free(u), free(v), free(s);
}

static void gesvd(orr_context *ctx, orr_type t) { gesvd_at(ctx, t, 1); }
static void gesvd_values(orr_context *ctx, orr_type t) { gesvd_at(ctx, t, 0); }

static orr_sparse *sparse(orr_context *ctx, const char *what, orr_type t, int graph, int blocks)
{
    orr_mtx m;
    orr_sparse *A = NULL;
    const orr_sparse_opts o = {
        .type = orr_type_letter(t), .blocks = blocks, .rule_only = 1, .graph = graph};
    CHECK(orr_generate(what, 3, &m, NULL) == ORR_OK, "%s", what);
    CHECK(orr_sparse_from_mtx(ctx, &m, &o, &A, NULL) == ORR_OK, "%s", what);
    orr_mtx_free(&m);
    return A;
}

/* What links.py must know. */
static void tell_work(orr_type t, const orr_sparse *A, int64_t steps, int vectors)
{
    orr_sparse_info i;
    orr_sparse_query(A, &i);
    printf("%s %c %lld blocks of %lld bytes, %lld steps, %d vectors\n", name, orr_type_letter(t),
           (long long)i.blocks, (long long)i.bytes, (long long)steps, vectors);
}

static void powm_at(orr_context *ctx, orr_type t, orr_powm_method method, int blocks)
{
    const int64_t side = size_or(5), n = side * side * side;
    orr_eigenpair pair[2];
    orr_powm_result found;
    orr_report r;
    char grid[32];
    snprintf(grid, sizeof grid, "laplace3d:%d", (int)side);
    orr_sparse *A = sparse(ctx, grid, t, 0, blocks);
    const int few = blocks > 5; /* steps: every block is a task of each */
    const orr_powm_opts o = {.k = 1,
                             .method = method,
                             .tol = few                         ? 10
                                    : orr_type_real(t) == ORR_S ? 1e-3
                                                                : 1e-4,
                             .fixed_steps = few ? 4 : 0,
                             .steps_per_task = 5};
    void *x = numbers(t, 2 * n, 1);
    done(orr_powm(ctx, A, &o, pair, x, &found, &r), &r);
    tell(t, "value", ORR_D, &pair[0].re, 1);
    tell(t, "residual", ORR_D, &pair[0].residual, 1);
    tell(t, "vector", t, x, n);
    tell_work(t, A, found.steps, found.found);
    orr_sparse_free(A);
    free(x);
}

static void powm(orr_context *ctx, orr_type t) { powm_at(ctx, t, ORR_POWM_METHOD_KRYLOV, 5); }
static void powm_ritz(orr_context *ctx, orr_type t) { powm_at(ctx, t, ORR_POWM_METHOD_RITZ, 5); }
/* A task is several steps. */
static void powm_steps(orr_context *ctx, orr_type t) { powm_at(ctx, t, ORR_POWM_METHOD_RITZ, 1); }
/* More blocks than four tasks have. */
static void powm_blocks(orr_context *ctx, orr_type t) { powm_at(ctx, t, ORR_POWM_METHOD_RITZ, 40); }

static void pagerank_at(orr_context *ctx, orr_type t, int blocks, int64_t steps, void *x)
{
    orr_pagerank_result found;
    orr_report r;
    char graph[32];
    snprintf(graph, sizeof graph, "rmat:%d:8", (int)size_or(9));
    orr_sparse *A = sparse(ctx, graph, t, 1, blocks);
    done(orr_pagerank(ctx, A, &(orr_pagerank_opts){.steps_per_task = steps}, x, &found, &r), &r);
    tell_work(t, A, found.steps, 1);
    orr_sparse_free(A);
}

static void pagerank(orr_context *ctx, orr_type t)
{
    if (is_complex(t))
        return;
    const int64_t n = (int64_t)1 << size_or(9);
    void *x = numbers(t, n, 1);
    pagerank_at(ctx, t, 5, 0, x);
    tell(t, "scores", t, x, n);
    free(x);
}

/* A task is several steps: as many as of one each, and the same scores. */
static void pagerank_steps(orr_context *ctx, orr_type t)
{
    if (is_complex(t))
        return;
    const size_t bytes = ((size_t)1 << 9) * orr_type_size(t);
    void *x = numbers(t, 1 << 9, 1), *y = numbers(t, 1 << 9, 2);
    pagerank_at(ctx, t, 1, 3, x);
    pagerank_at(ctx, t, 1, 1, y);
    CHECK(memcmp(x, y, bytes) == 0, "three steps to a task give other scores than one");
    tell(t, "scores", t, x, 1 << 9);
    free(x);
    free(y);
}

static const struct {
    const char *name;
    void (*run)(orr_context *, orr_type);
} cases[] = {
    {"hb2st", hb2st},
    {"hb2st_blocks", hb2st_blocks},
    {"gb2bd", gb2bd},
    {"gb2bd_vectors", gb2bd_vectors},
    {"heevj", heevj},
    {"heevj_block", heevj_block},
    {"heevj_lanes", heevj_lanes},
    {"gesvj", gesvj},
    {"gesvj_blocks", gesvj_blocks},
    {"gesvj_pipeline", gesvj_pipeline},
    {"gesvj_mirror", gesvj_mirror},
    {"heev", heev},
    {"hbev", hbev},
    {"heev_merge", heev_merge},
    {"heev_values", heev_values},
    {"heev_tiles", heev_tiles},
    {"heev_steps", heev_steps},
    {"hegv", hegv},
    {"gesvd", gesvd},
    {"gesvd_values", gesvd_values},
    {"gesvj_stream", gesvj_stream},
    {"gesvj_shapes", gesvj_shapes},
    {"powm", powm},
    {"powm_ritz", powm_ritz},
    {"powm_steps", powm_steps},
    {"powm_blocks", powm_blocks},
    {"pagerank", pagerank},
    {"pagerank_steps", pagerank_steps},
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- The policy `devices` ------------------------------------------------------------------- */

static struct {
    starpu_pthread_mutex_t lock;
    struct starpu_task_list queue[STARPU_NMAXWORKERS];
    unsigned state;
} pol;

static void pol_init(unsigned ctx)
{
    const char *seed = getenv("ANSWERS_SEED");
    (void)ctx;
    STARPU_PTHREAD_MUTEX_INIT(&pol.lock, NULL);
    pol.state = seed ? (unsigned)atoi(seed) : 1;
    for (int w = 0; w < STARPU_NMAXWORKERS; w++)
        starpu_task_list_init(&pol.queue[w]);
}

static void pol_deinit(unsigned ctx)
{
    (void)ctx;
    STARPU_PTHREAD_MUTEX_DESTROY(&pol.lock);
}

/* Workers of this kind that can run it. */
static int able(struct starpu_task *task, enum starpu_worker_archtype kind, unsigned *found,
                unsigned *impl)
{
    int n = 0;
    for (unsigned w = 0; w < starpu_worker_get_count(); w++)
        if (starpu_worker_get_type((int)w) == kind &&
            starpu_worker_can_execute_task_first_impl(w, task, impl))
            found[n++] = w;
    return n;
}

static int pol_push(struct starpu_task *task)
{
    unsigned found[STARPU_NMAXWORKERS], impl = 0;
    int n = able(task, STARPU_CUDA_WORKER, found, &impl);
    if (n == 0)
        n = able(task, STARPU_CPU_WORKER, found, &impl);
    STARPU_PTHREAD_MUTEX_LOCK(&pol.lock);
    pol.state = pol.state * 1103515245u + 12345u;
    const unsigned w = found[(pol.state >> 16) % (unsigned)(n ? n : 1)];
    starpu_worker_can_execute_task_first_impl(w, task, &impl);
    starpu_task_set_implementation(task, impl);
    starpu_task_list_push_back(&pol.queue[w], task);
    starpu_push_task_end(task);
    STARPU_PTHREAD_MUTEX_UNLOCK(&pol.lock);
    starpu_wake_worker_relax_light(w);
    return 0;
}

static struct starpu_task *pol_pop(unsigned ctx)
{
    const unsigned w = (unsigned)starpu_worker_get_id();
    (void)ctx;
    STARPU_PTHREAD_MUTEX_LOCK(&pol.lock);
    struct starpu_task *task =
        starpu_task_list_empty(&pol.queue[w]) ? NULL : starpu_task_list_pop_front(&pol.queue[w]);
    STARPU_PTHREAD_MUTEX_UNLOCK(&pol.lock);
    return task;
}

static struct starpu_sched_policy devices_policy = {.init_sched = pol_init,
                                                    .deinit_sched = pol_deinit,
                                                    .push_task = pol_push,
                                                    .pop_task = pol_pop,
                                                    .policy_name = "devices",
                                                    .policy_description = "devices first"};

/* ---- Running them --------------------------------------------------------------------------- */

/* Without a CPU where no task needs one: it would share the batch with the devices. */
static int without_cpus(const char *c) { return !strncmp(c, "heevj", 5); }

static void run_case(const char *policy, const char *types, const char *which)
{
    const int own = !strcmp(policy, "devices"), cpus = without_cpus(which) ? -1 : 1;
    const size_t length = strcspn(which, ":");
    orr_context *ctx;
    int known = 0;
    size = which[length] ? atoll(which + length + 1) : 0;
    if (own) {
        struct starpu_conf conf;
        starpu_conf_init(&conf);
        conf.ncpus = cpus < 0 ? 0 : cpus;
        conf.nopencl = 0;
        conf.sched_policy = &devices_policy;
        CHECK(starpu_init(&conf) == 0, "starpu_init");
    }
    const orr_status st =
        orr_open(&(orr_context_opts){.cpus = cpus, .sched = own ? NULL : policy}, &ctx);
    CHECK(st == ORR_OK, "%s: %s", policy, orr_strerror(st));
    for (int i = 0; i < CASES && st == ORR_OK; i++)
        for (const char *t = types;
             strlen(cases[i].name) == length && !strncmp(which, cases[i].name, length) && *t; t++) {
            orr_type type;
            known = 1;
            name = cases[i].name;
            CHECK(orr_type_parse((char[]){*t, 0}, &type) == 0, "no type %c", *t);
            cases[i].run(ctx, type);
        }
    CHECK(known, "no case %s", which);
    if (st == ORR_OK)
        orr_close(ctx);
    if (own)
        starpu_shutdown();
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    for (int i = 3; i < argc; i++)
        run_case(argv[1], argv[2], argv[i]);
    if (failures)
        checked();
    return failures != 0;
}
