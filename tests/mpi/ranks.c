/* Sparse operations by several ranks against the same by one, in one program: a context over all
 * ranks and one over MPI_COMM_SELF. With equal blocks and formats every number must be equal,
 *
 *   values, vectors, scores, residuals, steps     equal bit for bit
 *   the same without saying how to store it       |a - b| <= 1e-14 |a|, with tol 1e-14
 *
 * whatever the number of ranks: more ranks than blocks, ranks without blocks, n = 1.
 * Argument: the directory with real matrices.
 *
 *   mpirun -np 4 test_ranks DIR
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "algorithms/powm_case.h"
#include "twice.h"

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

/* Both answers to the same question. */
static void compare(const char *what, orr_sparse *const A[2], orr_powm_opts o,
                    orr_sparse *const T[2])
{
    o.transposed = T[0];
    const struct answer a = solved(all, A[0], &o);
    o.transposed = T[1];
    const struct answer b = solved(alone, A[1], &o);
    char which[128];
    snprintf(which, sizeof which, "%s, method %d, k %d, which %d, %lld products at most", what,
             o.method, o.k, o.which, (long long)o.max_products);
    CHECK(a.status == b.status && a.status >= 0, "%s: %d, alone %d", which, a.status, b.status);
    CHECK(a.result.products == b.result.products && a.result.found == b.result.found &&
              !strcmp(a.result.name, b.result.name),
          "%s: %s, %lld products; alone %s, %lld", which, a.result.name,
          (long long)a.result.products, b.result.name, (long long)b.result.products);
    CHECK(same(a.pair, b.pair, sizeof a.pair), "%s: %.17g, alone %.17g", which, a.pair[0].re,
          b.pair[0].re);
    CHECK(same(a.vectors, b.vectors, a.bytes), "%s: vectors", which);
    free(a.vectors);
    free(b.vectors);
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
    char name[64];
    snprintf(name, sizeof name, "%s %c, %lld blocks", what, type, (long long)blocks);
    compare(name, A, (orr_powm_opts){.method = method, .k = k, .max_products = 40}, T);
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

/* Ends that fall into the steps submitted ahead, small bases, other ends of the spectrum. */
static void powm_options(void)
{
    orr_sparse *A[2], *T[2] = {NULL, NULL};
    orr_mtx m = random_mtx(60, 60, 400, 2, 7);
    if (build("options", &m, &(orr_sparse_opts){.blocks = 3, .rule_only = 1}, A)) {
        for (int k = 1; k <= 4; k++) {
            const orr_powm_opts few = {.k = 1, .max_products = k, .lookahead = k};
            for (int method = ORR_POWM_METHOD_POWER; method < ORR_NPOWM_METHODS; method++) {
                orr_powm_opts o = few;
                o.method = (orr_powm_method)method;
                compare("few products", A, o, T);
            }
        }
        for (int w = 0; w < ORR_NPOWM_WHICH; w++) {
            const orr_powm_opts o = {
                .which = (orr_powm_which)w, .k = 2, .basis = 6, .max_products = 60};
            compare("a small basis", A, o, T);
        }
        compare("fixed", A,
                (orr_powm_opts){.method = ORR_POWM_METHOD_RITZ, .k = 1, .fixed_steps = 7}, T);
        drop(A);
    }
    orr_mtx_free(&m);
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
    /* weights that are stored with powers of two taken out of each column */
    const double range[] = {1e300, 1e-300, 1, 1e-200, 1e100, 5e-324, 1e308, 2, 1e-10};
    const int64_t at[] = {0, 1, 1, 2, 2, 0, 3, 1, 3, 4, 4, 5, 5, 3, 0, 3, 2, 5};
    orr_mtx weights = given_mtx(6, 9, at, range);
    for (o.blocks = 1; o.blocks < 5; o.blocks++)
        rank_case("weights", &weights, &o,
                  &(orr_pagerank_opts){.alpha = 0.95, .max_steps = 9 + o.blocks, .lookahead = 1});
    orr_mtx_free(&weights);
    o.blocks = 0;
    rank_case("one", &one, &o, &(orr_pagerank_opts){.alpha = 0.85});
    orr_mtx_free(&rmat);
    orr_mtx_free(&sbm);
    orr_mtx_free(&one);
}

/* ---- Products ------------------------------------------------------------------------------- */

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

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    open_both();
    powm_cases();
    powm_options();
    rank_cases();
    product_case();
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
    close_both();
    MPI_Finalize();
    return checked();
}
