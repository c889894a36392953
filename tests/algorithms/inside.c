/* A progress function that a worker calls, and a task of the program's own, can neither begin an operation
 * nor wait for one: StarPU would end the process, or the worker wait for itself. Each call is refused and
 * says why; submissions made before can be waited for afterwards, and the operation itself is not disturbed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <starpu.h>
#include <string.h>

#include "check.h"
#include "orrery/orrery.h"
#include "orrery/sparse.h"

enum { N = 60 };

static orr_context *ctx;
static orr_sparse *sparse, *graph;
static orr_request *early; /* submitted before */
static orr_gesvj_stream *stream;
static int called;

static void fill(double *a)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            a[i + j * N] = i == j ? i : 1.0 / (1 + i + j);
}

/* [N N] of a batch, or N x 1. */
static orr_batch batch(double *a, int64_t columns)
{
    return (orr_batch){.type = ORR_D, .batch = 1, .m = N, .n = columns, .a = a};
}

static void refused(const char *what, orr_status st, const char *message)
{
    CHECK(st == ORR_E_ARG, "%s: status %d", what, st);
    CHECK(!message || strstr(message, "worker"), "%s: %s", what, message);
}

static void call_all(void)
{
    static double a[N * N], b[N * N], v[N * N], w[N], e[N];
    const int64_t ptr[] = {0, 1}, index[] = {0};
    const orr_batch A = batch(a, N), W = batch(w, 1);
    orr_report r = {.status = ORR_OK};
    orr_request *q = NULL;
    orr_sparse *made = NULL;
    orr_powm_result powm;
    orr_pagerank_result rank;
    orr_eigenpair pairs[2];
    orr_gesvj_stream *opened = NULL;
    const orr_gesvj_frame frame = {.type = ORR_D, .m = N, .n = N, .a = a, .s = w};
    char message[256] = "";
    called++;
    refused("wait", orr_wait(early, &r), r.message);
    refused("heevj", orr_heevj(ctx, &A, &W, NULL, NULL, &r), r.message);
    refused("gesvj", orr_gesvj(ctx, &A, &W, NULL, NULL, NULL, NULL, &r), r.message);
    refused("heev", orr_heev(ctx, ORR_D, 'L', N, a, N, w, v, N, NULL, &r), r.message);
    refused("hegv", orr_hegv(ctx, ORR_D, 'L', N, a, N, b, N, w, NULL, N, NULL, &r), r.message);
    refused("gesvd", orr_gesvd(ctx, ORR_D, N, N, a, N, w, NULL, N, NULL, N, NULL, &r), r.message);
    refused("hb2st", orr_hb2st(ctx, ORR_D, 'L', N, 1, a, 2, w, e, NULL, &r), r.message);
    refused("gb2bd", orr_gb2bd(ctx, ORR_D, N, N, 0, 2, a, 3, w, e, NULL, &r), r.message);
    refused("hbev", orr_hbev(ctx, ORR_D, 'L', N, 1, a, 2, w, NULL, N, NULL, &r), r.message);
    refused("sterf", orr_sterf(ctx, ORR_D, N, a, e, w, NULL, &r), r.message);
    refused("powm", orr_powm(ctx, sparse, NULL, pairs, NULL, &powm, &r), r.message);
    refused("pagerank", orr_pagerank(ctx, graph, NULL, w, &rank, &r), r.message);
    refused("multiply", orr_sparse_multiply(ctx, sparse, a, w, &r), r.message);
    refused("from_csr", orr_sparse_from_csr(ctx, 1, 1, ptr, index, a, 0, NULL, &made, message),
            message);
    refused("submit", orr_submit_heev(ctx, ORR_D, 'L', N, a, N, w, NULL, N, NULL, &q), NULL);
    refused("submit powm", orr_submit_powm(ctx, sparse, NULL, pairs, NULL, &powm, &q), NULL);
    refused("stream", orr_gesvj_stream_open(ctx, NULL, 0, NULL, NULL, &opened), NULL);
    refused("push", orr_gesvj_stream_push(stream, &frame), NULL);
    refused("close", orr_gesvj_stream_close(stream, NULL), NULL);
    CHECK(orr_gesvj_stream_pop(stream, 1, NULL) == 0);
    CHECK(!q && !made && !opened);
}

static void on_progress(int64_t done, int64_t total, void *arg)
{
    (void)done, (void)total, (void)arg;
    if (!called)
        call_all();
}

static void own_task(void *buffers[], void *arg)
{
    (void)buffers, (void)arg;
    call_all();
}

/* Submitted, so that a worker tells of its progress. */
static void from_progress(void)
{
    static double a[N * N], w[N], a_early[N * N], w_early[N], a_frame[N * N], s_frame[N];
    const orr_heev_opts o = {.progress = on_progress};
    const orr_gesvj_frame frame = {.type = ORR_D, .m = N, .n = N, .a = a_frame, .s = s_frame};
    orr_request *req;
    orr_report r;
    fill(a), fill(a_early), fill(a_frame);
    called = 0;
    CHECK(orr_submit_heev(ctx, ORR_D, 'L', N, a_early, N, w_early, NULL, N, NULL, &early) == 0);
    CHECK(orr_gesvj_stream_open(ctx, NULL, 0, NULL, NULL, &stream) == ORR_OK);
    CHECK(orr_gesvj_stream_push(stream, &frame) == ORR_OK);
    CHECK(orr_submit_heev(ctx, ORR_D, 'L', N, a, N, w, NULL, N, &o, &req) == ORR_OK);
    CHECK(orr_wait(req, &r) == ORR_OK, "%s", r.message);
    CHECK(called == 1);
    CHECK(orr_wait(early, &r) == ORR_OK, "%s", r.message);
    CHECK(orr_gesvj_stream_close(stream, NULL) == ORR_OK);
    CHECK(memcmp(w, w_early, sizeof w) == 0);
    CHECK(fabs(s_frame[0] - w[N - 1]) <= 1e-13 * N, "%g %g", s_frame[0], w[N - 1]);
}

static void from_task(void)
{
    static double a[N * N], w[N], a_frame[N * N], s_frame[N];
    const orr_gesvj_frame frame = {.type = ORR_D, .m = N, .n = N, .a = a_frame, .s = s_frame};
    struct starpu_codelet cl = {.cpu_funcs = {own_task}, .name = "own"};
    orr_report r;
    fill(a), fill(a_frame);
    called = 0;
    CHECK(orr_gesvj_stream_open(ctx, NULL, 0, NULL, NULL, &stream) == ORR_OK);
    CHECK(orr_gesvj_stream_push(stream, &frame) == ORR_OK);
    CHECK(orr_submit_heev(ctx, ORR_D, 'L', N, a, N, w, NULL, N, NULL, &early) == ORR_OK);
    CHECK(starpu_task_insert(&cl, 0) == 0);
    CHECK(starpu_task_wait_for_all() == 0);
    CHECK(called == 1);
    CHECK(orr_wait(early, &r) == ORR_OK, "%s", r.message);
    CHECK(orr_gesvj_stream_close(stream, NULL) == ORR_OK);
}

int main(void)
{
    const int64_t ptr[] = {0, 1, 2}, index[] = {1, 0};
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.nopencl = 0;
    if (starpu_init(&conf) != 0) /* of the program: its tasks run at any time */
        return 77;
    CHECK(orr_open(NULL, &ctx) == ORR_OK);
    CHECK(orr_sparse_from_csr(ctx, 2, 2, ptr, index, NULL, 0, NULL, &sparse, NULL) == ORR_OK);
    CHECK(orr_sparse_from_csr(ctx, 2, 2, ptr, index, NULL, 0, &(orr_sparse_opts){.graph = 1},
                              &graph, NULL) == ORR_OK);
    from_progress();
    from_task();
    orr_sparse_free(sparse);
    orr_sparse_free(graph);
    orr_close(ctx);
    starpu_shutdown();
    return checked();
}
