/* Sparse operations, and streams, by several ranks against the same by one, in one program: a context over all
 * ranks and one over MPI_COMM_SELF. With equal blocks and formats every number must be equal,
 *
 *   values, vectors, scores, residuals, steps     equal bit for bit
 *   the same without saying how to store it       |a - b| <= 1e-14 |a|, with tol 1e-14
 *
 * whatever the number of ranks: more ranks than blocks, ranks without blocks, n = 1. Then errors
 * of rank 0, which all ranks must learn. Argument: the directory with real matrices.
 *
 *   mpirun -np 4 test_ranks DIR
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/powm_case.h"
#include "check.h"

static orr_context *all, *alone;
static int me, all_of_us;

/* The same matrix twice; 0: refused, which the caller did not expect. m: of rank 0. */
static int build(const char *what, const orr_mtx *m, const orr_sparse_opts *o, orr_sparse *A[2])
{
    char message[256];
    const orr_status st = orr_sparse_from_mtx(all, me == 0 ? m : NULL, o, &A[0], message);
    CHECK(st == ORR_OK, "%s: %s", what, message);
    const orr_status own = orr_sparse_from_mtx(alone, m, o, &A[1], message);
    CHECK(own == ORR_OK, "%s: %s", what, message);
    if (st != ORR_OK || own != ORR_OK)
        return 0;
    orr_sparse_info a, b;
    orr_sparse_query(A[0], &a);
    orr_sparse_query(A[1], &b);
    CHECK(memcmp(&a, &b, sizeof a) == 0 || !o->blocks, "%s: what is told of it", what);
    return 1;
}

static void drop(orr_sparse *A[2])
{
    orr_sparse_free(A[0]);
    orr_sparse_free(A[1]);
}

static int same(const void *a, const void *b, size_t bytes) { return memcmp(a, b, bytes) == 0; }

/* ---- powm ---------------------------------------------------------------------------------- */

struct answer {
    orr_status status;
    orr_eigenpair pair[8];
    orr_powm_result result;
    char *vectors;
    size_t bytes;
};

static struct answer solved(orr_context *ctx, const orr_sparse *A, const orr_powm_opts *o)
{
    struct answer s = {.status = ORR_OK};
    orr_sparse_info info;
    orr_sparse_query(A, &info);
    s.bytes = (size_t)info.cols * (size_t)(o->k + 1) * orr_type_size(info.type);
    s.vectors = calloc(1, s.bytes + 1);
    memset(s.pair, 0, sizeof s.pair);
    s.status = orr_powm(ctx, A, o, s.pair, s.vectors, &s.result, NULL);
    return s;
}

static void powm_case(const char *what, const orr_mtx *m, char type, int64_t blocks,
                      orr_powm_method method, int k)
{
    orr_sparse *A[2], *T[2] = {NULL, NULL};
    const int wide = m->rows != m->cols;
    orr_sparse_opts so = {.type = type, .blocks = blocks, .rule_only = 1};
    if (!build(what, m, &so, A))
        return;
    so.transpose = 1;
    if (wide && !build(what, m, &so, T))
        return;
    orr_powm_opts o = {.method = method, .k = k, .max_products = 40, .transposed = T[0]};
    const struct answer a = solved(all, A[0], &o);
    o.transposed = T[1];
    const struct answer b = solved(alone, A[1], &o);
    CHECK(a.status == b.status && a.status >= 0, "%s %c method %d: %d, alone %d", what, type,
          method, a.status, b.status);
    CHECK(a.result.products == b.result.products && a.result.found == b.result.found &&
              !strcmp(a.result.name, b.result.name),
          "%s %c method %d, %lld blocks: %s, %lld products; alone %s, %lld", what, type, method,
          (long long)blocks, a.result.name, (long long)a.result.products, b.result.name,
          (long long)b.result.products);
    CHECK(same(a.pair, b.pair, sizeof a.pair), "%s %c method %d, %lld blocks: %.17g, alone %.17g",
          what, type, method, (long long)blocks, a.pair[0].re, b.pair[0].re);
    CHECK(same(a.vectors, b.vectors, a.bytes), "%s %c method %d, %lld blocks: vectors", what, type,
          method, (long long)blocks);
    free(a.vectors);
    free(b.vectors);
    drop(A);
    drop(T);
}

static void powm_cases(void)
{
    static const orr_powm_method methods[] = {ORR_POWM_METHOD_POWER, ORR_POWM_METHOD_RITZ,
                                              ORR_POWM_METHOD_KRYLOV};
    orr_mtx lap, one, wide = random_mtx(60, 41, 500, 2, 3), full = random_mtx(97, 97, 900, 3, 5);
    orr_mtx path = given_mtx(3, 4, (const int64_t[]){0, 1, 1, 0, 1, 2, 2, 1}, NULL);
    one = given_mtx(1, 1, (const int64_t[]){0, 0}, (const double[]){-2.5});
    orr_generate("laplace3d:6", 1, &lap, NULL);
    for (int i = 0; i < 3; i++) {
        powm_case("laplace3d", &lap, 'd', (const int64_t[]){1, 5, 9}[i], methods[i], 1);
        powm_case("one", &one, 'd', 0, methods[i], 1);
        powm_case("path", &path, 'd', 3, methods[i], 1); /* a pair: power does not converge */
        powm_case("complex", &full, 'z', 7, methods[i], 1);
    }
    powm_case("laplace3d", &lap, 's', 4, ORR_POWM_METHOD_KRYLOV, 1);
    powm_case("complex", &full, 'c', 3, ORR_POWM_METHOD_RITZ, 1);
    powm_case("complex", &full, 'z', 2, ORR_POWM_METHOD_KRYLOV, 3);
    powm_case("singular", &wide, 'd', 3, ORR_POWM_METHOD_KRYLOV, 2);
    powm_case("path", &path, 'd', 2, ORR_POWM_METHOD_KRYLOV, 3); /* all there are */
    orr_mtx chain = given_mtx(3, 2, (const int64_t[]){0, 1, 1, 2}, NULL);
    powm_case("nilpotent", &chain, 'd', 2, ORR_POWM_METHOD_POWER, 1);
    orr_mtx_free(&chain);
    orr_mtx_free(&lap);
    orr_mtx_free(&one);
    orr_mtx_free(&path);
    orr_mtx_free(&wide);
    orr_mtx_free(&full);
}

/* ---- pagerank ------------------------------------------------------------------------------ */

static void rank_case(const char *what, const orr_mtx *m, const orr_sparse_opts *so,
                      const orr_pagerank_opts *o)
{
    orr_sparse *G[2];
    orr_pagerank_result r[2];
    orr_pagerank_opts few = *o; /* steps: ranks that share cores take milliseconds for each */
    few.tol = o->tol > 0 ? o->tol : 1e-4;
    o = &few;
    if (!build(what, m, so, G))
        return;
    const size_t bytes = (size_t)m->rows * (so->type == 's' ? 4 : 8);
    char *x[2] = {calloc(1, bytes + 1), calloc(1, bytes + 1)};
    const orr_status a = orr_pagerank(all, G[0], o, x[0], &r[0], NULL);
    const orr_status b = orr_pagerank(alone, G[1], o, x[1], &r[1], NULL);
    CHECK(a == b && a >= 0, "%s alpha %g: %d, alone %d", what, o->alpha, a, b);
    CHECK(r[0].steps == r[1].steps && same(&r[0].change, &r[1].change, 8),
          "%s alpha %g: %lld steps, alone %lld", what, o->alpha, (long long)r[0].steps,
          (long long)r[1].steps);
    CHECK(same(x[0], x[1], bytes), "%s alpha %g, %lld blocks: scores", what, o->alpha,
          (long long)so->blocks);
    free(x[0]);
    free(x[1]);
    drop(G);
}

static void rank_cases(void)
{
    orr_mtx rmat, sbm, one = given_mtx(1, 0, (const int64_t[]){0}, NULL);
    double personal[256];
    orr_generate("rmat:8:5", 1, &rmat, NULL);
    orr_generate("sbm:120:3:6:1", 1, &sbm, NULL);
    for (int i = 0; i < 256; i++)
        personal[i] = i % 5;
    const orr_sparse_opts g = {.graph = 1, .blocks = 6, .rule_only = 1, .order = 'n'};
    orr_sparse_opts o = g;
    rank_case("rmat", &rmat, &o, &(orr_pagerank_opts){.alpha = 0.85});
    rank_case("extrapolated", &rmat, &o, &(orr_pagerank_opts){.alpha = 0.97});
    rank_case("rmat", &rmat, &o, &(orr_pagerank_opts){.alpha = 0.9, .dangling = 'u'});
    rank_case("rmat", &rmat, &o, &(orr_pagerank_opts){.alpha = 0.5, .dangling = 'n'});
    rank_case("rmat", &rmat, &o, &(orr_pagerank_opts){.personal = personal, .lookahead = 1});
    rank_case("limit", &rmat, &o, &(orr_pagerank_opts){.max_steps = 5});
    o.order = 'd';
    rank_case("by degree", &rmat, &o, &(orr_pagerank_opts){.alpha = 0.85});
    o.type = 's';
    rank_case("float", &rmat, &o, &(orr_pagerank_opts){.tol = 1e-5});
    o = g;
    for (o.blocks = 1; o.blocks < 5; o.blocks++)
        rank_case("sbm", &sbm, &o, &(orr_pagerank_opts){.alpha = 0.85});
    o.blocks = 0;
    rank_case("one", &one, &o, &(orr_pagerank_opts){.alpha = 0.85});
    orr_mtx_free(&rmat);
    orr_mtx_free(&sbm);
    orr_mtx_free(&one);
}

/* ---- Products, errors ---------------------------------------------------------------------- */

static void product_case(void)
{
    orr_mtx m = random_mtx(53, 31, 300, 2, 9);
    orr_sparse *A[2];
    double x[31], y[2][53];
    for (int i = 0; i < 31; i++)
        x[i] = i - 7.5;
    if (build("product", &m, &(orr_sparse_opts){.blocks = 5, .rule_only = 1}, A)) {
        CHECK(orr_sparse_multiply(all, A[0], x, y[0], NULL) == ORR_OK);
        CHECK(orr_sparse_multiply(alone, A[1], x, y[1], NULL) == ORR_OK);
        CHECK(same(y[0], y[1], sizeof y[0]), "product");
        drop(A);
    }
    orr_mtx_free(&m);
}

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
        same_refusal("out NULL", st, message, "is NULL");
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

/* ---- Real matrices ------------------------------------------------------------------------- */

static double apart(double a, double b) { return a == b ? 0 : fabs(a - b) / fabs(a); }

static void real_matrix(const char *dir, const char *name, orr_powm_method method)
{
    char path[4096];
    orr_mtx m;
    orr_io_error error;
    orr_sparse *A[2];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    if (orr_mtx_read(path, 0, NULL, NULL, &m, &error) != ORR_OK) {
        CHECK(0, "%s", error.message);
        return;
    }
    if (build(name, &m, &(orr_sparse_opts){0}, A)) {
        const orr_powm_opts o = {.method = method, .k = 1, .tol = 1e-14, .max_products = 200};
        const struct answer a = solved(all, A[0], &o), b = solved(alone, A[1], &o);
        CHECK(apart(a.pair[0].re, b.pair[0].re) <= 1e-14, "%s: %.17g, alone %.17g", name,
              a.pair[0].re, b.pair[0].re);
        free(a.vectors);
        free(b.vectors);
        drop(A);
    }
    const orr_sparse_opts g = {.graph = 1, .blocks = 7, .rule_only = 1, .unweighted = 1};
    rank_case(name, &m, &g, &(orr_pagerank_opts){.alpha = 0.85, .tol = 1e-6});
    orr_mtx_free(&m);
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

int main(int argc, char **argv)
{
    int level;
    without_mpi("not initialised");
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF;
    char message[512] = "";
    orr_context_info info;
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &all_of_us);
    const orr_status st =
        orr_open(&(orr_context_opts){.mpi_comm = &world, .message = message}, &all);
    if (st != ORR_OK) {
        printf("%s: %s\n", orr_strerror(st), message);
        MPI_Abort(world, 1);
    }
    CHECK(orr_open(&(orr_context_opts){.mpi_comm = &self}, &alone) == ORR_OK);
    orr_context_query(all, &info);
    CHECK(info.rank == me && info.ranks == all_of_us && info.mpi[0], "%d of %d by '%s'", info.rank,
          info.ranks, info.mpi);
    orr_context_query(alone, &info);
    CHECK(info.rank == 0 && info.ranks == 1);
    powm_cases();
    rank_cases();
    product_case();
    error_cases();
    one_wrong_rank();
    halves();
    cancelled_case();
    stream_case();
    FILE *f = NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/1138_bus.mtx", argc > 1 ? argv[1] : ".");
    if (argc > 1 && (f = fopen(path, "r"))) {
        fclose(f);
        real_matrix(argv[1], "1138_bus.mtx", ORR_POWM_METHOD_KRYLOV);
        real_matrix(argv[1], "wb-cs-stanford.mtx", ORR_POWM_METHOD_KRYLOV);
    } else if (me == 0) {
        printf("no real matrices in %s\n", argc > 1 ? argv[1] : ".");
    }
    orr_close(alone);
    orr_close(all);
    MPI_Finalize();
    without_mpi("finalised");
    return checked();
}
