/* Calls of several ranks that are refused, or are like none: errors of rank 0 and of another rank, which all ranks
 * must learn; a rank that cannot start; contexts of half of the ranks; cancelling; streams. MPI that is not there.
 *
 *   mpirun -np 4 test_rank_calls
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "algorithms/powm_case.h"
#include "twice.h"

/* ---- Rank 0 is wrong ------------------------------------------------------------------------- */

static void refused(const char *what, const orr_mtx *m, orr_sparse_opts o, orr_status want)
{
    char message[256] = "";
    orr_sparse *A;
    const orr_status st = orr_sparse_from_mtx(all, me == 0 ? m : NULL, &o, &A, message);
    CHECK(st == want && !A && message[0], "%s: %d '%s'", what, st, message);
    orr_sparse_free(A);
}

static void error_cases(void)
{
    const int64_t at[] = {0, 1, 1, 0};
    orr_mtx nan = given_mtx(2, 2, at, (const double[]){1, NAN});
    orr_mtx minus = given_mtx(2, 2, at, (const double[]){1, -1});
    orr_mtx wide = random_mtx(5, 7, 20, 2, 1), good = given_mtx(2, 2, at, NULL);
    orr_mtx outside = given_mtx(2, 2, (const int64_t[]){0, 1, 1, 2}, NULL);
    orr_sparse *A;
    orr_request *req = NULL;
    orr_powm_result r;
    orr_eigenpair e[2];
    refused("NaN", &nan, (orr_sparse_opts){0}, ORR_E_NONFINITE);
    refused("negative link", &minus, (orr_sparse_opts){.graph = 1}, ORR_E_ARG);
    refused("no square", &wide, (orr_sparse_opts){.graph = 1}, ORR_E_ARG);
    refused("type", &good, (orr_sparse_opts){.type = 'h'}, ORR_E_ARG);
    refused("outside", &outside, (orr_sparse_opts){0}, ORR_E_ARG);
    refused("no matrix", NULL, (orr_sparse_opts){0}, ORR_E_ARG);
    CHECK(orr_sparse_from_csr(all, 2, 2, NULL, NULL, NULL, 0, NULL, &A, NULL) == ORR_E_ARG && !A,
          "no rows");
    CHECK(orr_sparse_from_mtx(all, me == 0 ? &good : NULL, NULL, &A, NULL) == ORR_OK);
    CHECK(orr_submit_powm(all, A, NULL, e, NULL, &r, &req) == (all_of_us > 1 ? ORR_E_ARG : ORR_OK));
    if (req)
        orr_wait(req, NULL);
    orr_sparse_free(A);
    orr_mtx_free(&nan);
    orr_mtx_free(&minus);
    orr_mtx_free(&wide);
    orr_mtx_free(&outside);
    orr_mtx_free(&good);
}

/* ---- One rank is wrong ----------------------------------------------------------------------- */

/* The same refusal on all ranks. The last one is wrong, or another than the rest. */
static void same_refusal(const char *what, orr_status st, const char *message, const char *want)
{
    CHECK(st == ORR_E_ARG && strstr(message, want), "%s: %d '%s', not '%s'", what, st, message,
          want);
}

static void one_wrong_powm(const orr_sparse *A, const orr_sparse *own, int odd)
{
    const orr_sparse *G = odd ? NULL : A;
    orr_eigenpair e[4];
    orr_powm_result r;
    orr_report rep;
    orr_status st = orr_powm(all, G, NULL, e, NULL, &r, &rep);
    same_refusal("A NULL", st, rep.message, "is NULL");
    st = orr_powm(all, A, NULL, odd ? NULL : e, NULL, &r, &rep);
    same_refusal("pairs NULL", st, rep.message, "is NULL");
    st = orr_powm(all, A, &(orr_powm_opts){.tol = odd ? -1 : 0}, e, NULL, &r, &rep);
    same_refusal("tol", st, rep.message, "negative option");
    if (all_of_us == 1)
        return;
    st = orr_powm(all, A, &(orr_powm_opts){.k = odd ? 2 : 1}, e, NULL, &r, &rep);
    same_refusal("k", st, rep.message, "different arguments");
    st = orr_powm(all, A, &(orr_powm_opts){.lookahead = odd ? 3 : 2}, e, NULL, &r, &rep);
    same_refusal("lookahead", st, rep.message, "different arguments");
    CHECK(orr_plan_begin(all) == ORR_OK);
    st = orr_powm(all, A, NULL, e, NULL, &r, &rep);
    orr_plan_end(all, NULL);
    same_refusal("a plan", st, rep.message, "planned");
    st = orr_powm(all, own, NULL, e, NULL, &r, &rep);
    same_refusal("a matrix of one rank", st, rep.message, "another context");
    st = orr_powm(alone, A, NULL, e, NULL, &r, &rep);
    same_refusal("a matrix of several ranks", st, rep.message, "another context");
}

static void one_wrong_pagerank(const orr_sparse *G, int odd)
{
    orr_pagerank_result r;
    orr_report rep;
    double x[32], p[32] = {0};
    orr_status st = orr_pagerank(all, G, NULL, odd ? NULL : x, &r, &rep);
    same_refusal("scores NULL", st, rep.message, "is NULL");
    p[0] = odd ? -1 : 1;
    st = orr_pagerank(all, G, &(orr_pagerank_opts){.personal = p}, x, &r, &rep);
    same_refusal("a weight", st, rep.message, "negative or not finite");
    if (all_of_us > 1) {
        p[0] = odd ? 2 : 1;
        p[1] = 1;
        st = orr_pagerank(all, G, &(orr_pagerank_opts){.personal = p}, x, &r, &rep);
        same_refusal("personal", st, rep.message, "different arguments");
        st = orr_pagerank(all, G, &(orr_pagerank_opts){.personal = odd ? p : NULL}, x, &r, &rep);
        same_refusal("personal of one", st, rep.message, "different arguments");
        st = orr_pagerank(all, G, &(orr_pagerank_opts){.alpha = odd ? 0.8 : 0.9}, x, &r, &rep);
        same_refusal("alpha", st, rep.message, "different arguments");
    }
}

static void one_wrong_rank(void)
{
    const int odd = me == all_of_us - 1;
    orr_mtx m = random_mtx(40, 40, 200, 1, 4), links;
    orr_sparse *A[2], *G[2], *none;
    orr_report rep;
    char message[256];
    double x[40] = {1}, y[40];
    orr_generate("rmat:5:4", 1, &links, NULL);
    if (build("one wrong", &m, &(orr_sparse_opts){.blocks = 3, .rule_only = 1}, A) &&
        build("one wrong", &links, &(orr_sparse_opts){.graph = 1, .blocks = 3}, G)) {
        const orr_status st = orr_sparse_from_mtx(all, &m, NULL, odd ? NULL : &none, message);
        same_refusal("out NULL", st, message, "no place for the matrix");
        same_refusal("y NULL", orr_sparse_multiply(all, A[0], x, odd ? NULL : y, &rep), rep.message,
                     "is NULL");
        one_wrong_powm(A[0], A[1], odd);
        one_wrong_pagerank(G[0], odd);
        drop(A);
        drop(G);
    }
    orr_mtx_free(&m);
    orr_mtx_free(&links);
}

/* ---- Other contexts, cancelling ---------------------------------------------------------------- */

static void cancel(int64_t done, int64_t total, void *calls)
{
    (void)done, (void)total;
    ++*(int *)calls;
    orr_cancel(all);
}

/* Even and odd ranks have a context and a graph of their own, in the reverse order of ranks. */
static void halves(void)
{
    MPI_Comm half;
    orr_context *ctx;
    orr_sparse *G[2];
    orr_mtx m;
    orr_pagerank_result r[2];
    const orr_sparse_opts o = {.graph = 1, .blocks = 5, .rule_only = 1};
    double x[2][256];
    orr_generate("rmat:8:5", (uint64_t)(me % 2), &m, NULL);
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &half);
    CHECK(orr_open(&(orr_context_opts){.mpi_comm = &half}, &ctx) == ORR_OK);
    CHECK(orr_sparse_from_mtx(ctx, &m, &o, &G[0], NULL) == ORR_OK);
    CHECK(orr_sparse_from_mtx(alone, &m, &o, &G[1], NULL) == ORR_OK);
    CHECK(orr_pagerank(ctx, G[0], NULL, x[0], &r[0], NULL) == ORR_OK);
    CHECK(orr_pagerank(alone, G[1], NULL, x[1], &r[1], NULL) == ORR_OK);
    CHECK(same(x[0], x[1], sizeof x[0]) && r[0].steps == r[1].steps, "half of the ranks");
    drop(G);
    orr_close(ctx);
    MPI_Comm_free(&half);
    orr_mtx_free(&m);
}

/* One rank that stopped would leave the others waiting: cancelling is without effect. */
static void cancelled_case(void)
{
    orr_mtx m;
    orr_sparse *G[2];
    orr_pagerank_result r[2];
    double x[2][256];
    int calls = 0;
    const orr_pagerank_opts o = {.progress = cancel, .progress_arg = &calls};
    orr_generate("rmat:8:5", 1, &m, NULL);
    if (build("cancel", &m, &(orr_sparse_opts){.graph = 1, .blocks = 4, .rule_only = 1}, G)) {
        const orr_status st = orr_pagerank(all, G[0], &o, x[0], &r[0], NULL);
        CHECK(orr_pagerank(alone, G[1], NULL, x[1], &r[1], NULL) == ORR_OK);
        CHECK(st == (all_of_us > 1 ? ORR_OK : ORR_E_CANCELLED), "cancelled: %d", st);
        CHECK(calls > 0 || me > 0, "no progress is told");
        CHECK(all_of_us == 1 || same(x[0], x[1], sizeof x[0]), "scores of a cancelled call");
        drop(G);
    }
    orr_mtx_free(&m);
}

/* ---- Streams --------------------------------------------------------------------------------- */

/* A stream belongs to its rank: those of several ranks, each with a part of the frames, give what one
 * stream of all of them gives. */
static void stream_case(void)
{
    enum { FRAMES = 9, M = 70, N = 66 };
    static double a[FRAMES][M * N], s[2][FRAMES][N], u[2][FRAMES][M * N], v[2][FRAMES][N * N];
    orr_gesvj_stream *stream[2];
    orr_gesvj_stream_report report[2];
    CHECK(orr_gesvj_stream_open(all, NULL, 0, NULL, NULL, &stream[0]) == ORR_OK);
    CHECK(orr_gesvj_stream_open(alone, NULL, 0, NULL, NULL, &stream[1]) == ORR_OK);
    for (int l = 0; l < FRAMES; l++)
        for (int i = 0; i < M * N; i++)
            a[l][i] = (double)((i * 7919 + l * 104729) % 1013) / 1013 - 0.5;
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < FRAMES; l++) {
            const orr_gesvj_frame f = {
                .type = ORR_D, .m = M, .n = N, .a = a[l], .s = s[k][l], .u = u[k][l], .v = v[k][l]};
            if (k == 1 || l % all_of_us == me)
                CHECK(orr_gesvj_stream_push(stream[k], &f) == ORR_OK, "stream %d, frame %d", k, l);
        }
    for (int k = 0; k < 2; k++)
        CHECK(orr_gesvj_stream_close(stream[k], &report[k]) == ORR_OK);
    CHECK(report[1].frames == FRAMES && report[0].frames <= FRAMES);
    for (int l = me; l < FRAMES; l += all_of_us)
        CHECK(same(s[0][l], s[1][l], sizeof s[0][l]) && same(u[0][l], u[1][l], sizeof u[0][l]) &&
                  same(v[0][l], v[1][l], sizeof v[0][l]),
              "frame %d of a stream over %d ranks", l, all_of_us);
}

static void without_mpi(const char *want)
{
    MPI_Comm world = MPI_COMM_WORLD;
    char message[512] = "";
    orr_context *ctx;
    const orr_status st =
        orr_open(&(orr_context_opts){.mpi_comm = &world, .message = message}, &ctx);
    CHECK(st == ORR_E_ARG && !ctx && strstr(message, want), "%d '%s', not '%s'", st, message, want);
}

/* The last rank asks for what there is not: no rank starts, and all know why. */
static void one_cannot_start(void)
{
    MPI_Comm world = MPI_COMM_WORLD;
    char message[512] = "", want[64] = "";
    int rank, ranks;
    orr_context *ctx;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    if (ranks > 1)
        snprintf(want, sizeof want, "rank %d could not start", ranks - 1);
    const orr_context_opts o = {
        .mpi_comm = &world, .sched = rank == ranks - 1 ? "none such" : NULL, .message = message};
    const orr_status st = orr_open(&o, &ctx);
    CHECK(st == ORR_E_SCHED && !ctx && !strcmp(message, want), "%d '%s'", st, message);
}

int main(int argc, char **argv)
{
    int level;
    without_mpi("not initialised");
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    one_cannot_start();
    open_both();
    error_cases();
    one_wrong_rank();
    halves();
    cancelled_case();
    stream_case();
    close_both();
    MPI_Finalize();
    without_mpi("finalised");
    return checked();
}
