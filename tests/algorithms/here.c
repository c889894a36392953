/* A small problem whose caller waits is done by the thread that calls, a larger one, and one that is
 * submitted, by workers; all with the same bits, and but for batches as many tasks. hegv, hb2st, gb2bd, heevj, gesvj, powm,
 * pagerank; the last two look on by a thread of their own if they are submitted.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/herm.h"
#include "algorithms/open.h"
#include "check.h"
#include "orrery/sparse.h"

enum { MOST = 300 }; /* order */

/* Whether a thread other than `caller` told of progress, and whether that one did. */
struct seen {
    pthread_t caller;
    pthread_mutex_t lock;
    int others, own;
};

static void see(int64_t done, int64_t total, void *arg)
{
    struct seen *s = arg;
    (void)done, (void)total;
    pthread_mutex_lock(&s->lock);
    *(pthread_equal(pthread_self(), s->caller) ? &s->own : &s->others) = 1;
    pthread_mutex_unlock(&s->lock);
}

/* What a call has written; everything is compared. */
struct result {
    char *first, *second, *third;
    orr_report report;
};

static struct result result_make(void)
{
    const size_t bytes = (size_t)MOST * MOST * 16;
    return (struct result){calloc(1, bytes), calloc(1, bytes), calloc(1, bytes), {0}};
}

static void result_free(struct result *r)
{
    free(r->first);
    free(r->second);
    free(r->third);
}

static int same(const struct result *x, const struct result *y)
{
    const size_t bytes = (size_t)MOST * MOST * 16;
    return memcmp(x->first, y->first, bytes) == 0 && memcmp(x->second, y->second, bytes) == 0 &&
           memcmp(x->third, y->third, bytes) == 0;
}

/* One case: its arguments, and the call, which waits or submits. */
struct problem {
    orr_type type;
    int64_t n, b;
    int problem, vectors;
    int64_t count; /* of matrices, which then are a batch */
    const char *a; /* numbers: matrices, a band */
};
typedef orr_status call_fn(orr_context *, const struct problem *, struct seen *, int waits,
                           struct result *);

static orr_status hb2st(orr_context *ctx, const struct problem *p, struct seen *s, int waits,
                        struct result *r)
{
    const orr_hb2st_opts o = {.progress = see, .progress_arg = s};
    orr_request *req;
    if (waits)
        return orr_hb2st(ctx, p->type, 'L', p->n, p->b, p->a, p->b + 1, r->first, r->second, &o,
                         &r->report);
    const orr_status st = orr_submit_hb2st(ctx, p->type, 'L', p->n, p->b, p->a, p->b + 1, r->first,
                                           r->second, &o, &req);
    return st == ORR_OK ? orr_wait(req, &r->report) : st;
}

static orr_status gb2bd(orr_context *ctx, const struct problem *p, struct seen *s, int waits,
                        struct result *r)
{
    const orr_gb2bd_opts o = {.progress = see, .progress_arg = s};
    orr_request *req;
    if (waits)
        return orr_gb2bd(ctx, p->type, p->n, p->n, p->b, p->b, p->a, 2 * p->b + 1, r->first,
                         r->second, &o, &r->report);
    const orr_status st = orr_submit_gb2bd(ctx, p->type, p->n, p->n, p->b, p->b, p->a, 2 * p->b + 1,
                                           r->first, r->second, &o, &req);
    return st == ORR_OK ? orr_wait(req, &r->report) : st;
}

/* B is diagonally dominant. */
static void make_pencil(const struct problem *p, char *a, char *b)
{
    const int is_complex = p->type == ORR_C || p->type == ORR_Z;
    const int is_single = p->type == ORR_S || p->type == ORR_C;
    const size_t size = (size_t)(is_single ? 4 : 8) << is_complex;
    memcpy(a, p->a, (size_t)(p->n * p->n) * size);
    memcpy(b, p->a, (size_t)(p->n * p->n) * size);
    for (int64_t i = 0; i < p->n; i++) {
        void *x = b + (size_t)(i * (p->n + 1)) * size;
        if (is_single)
            *(float *)x = 4 * (float)p->n;
        else
            *(double *)x = 4 * (double)p->n;
    }
}

static orr_status hegv(orr_context *ctx, const struct problem *p, struct seen *s, int waits,
                       struct result *r)
{
    static char a[MOST * MOST * 16];
    const orr_hegv_opts o = {.problem = p->problem, .heev = {.progress = see, .progress_arg = s}};
    char *z = p->vectors ? r->second : NULL;
    orr_request *req;
    make_pencil(p, a, r->third);
    if (waits)
        return orr_hegv(ctx, p->type, 'L', p->n, a, p->n, r->third, p->n, r->first, z, p->n, &o,
                        &r->report);
    const orr_status st = orr_submit_hegv(ctx, p->type, 'L', p->n, a, p->n, r->third, p->n,
                                          r->first, z, p->n, &o, &req);
    return st == ORR_OK ? orr_wait(req, &r->report) : st;
}

static size_t element(orr_type type)
{
    return (size_t)(type == ORR_S || type == ORR_C ? 4 : 8) << (type >= ORR_C);
}

static orr_batch batch(const struct problem *p, void *a, orr_type type, int64_t m, int64_t n)
{
    return (orr_batch){.type = type, .batch = p->count, .m = m, .n = n, .a = a};
}

static orr_type real(orr_type type) { return type == ORR_S || type == ORR_C ? ORR_S : ORR_D; }

static orr_status heevj(orr_context *ctx, const struct problem *p, struct seen *s, int waits,
                        struct result *r)
{
    const orr_heevj_opts o = {.progress = see, .progress_arg = s};
    const orr_batch A = batch(p, r->first, p->type, p->n, p->n),
                    w = batch(p, r->second, real(p->type), p->n, 1);
    orr_request *req;
    memcpy(r->first, p->a, (size_t)(p->count * p->n * p->n) * element(p->type));
    if (waits)
        return orr_heevj(ctx, &A, &w, &o, NULL, &r->report);
    const orr_status st = orr_submit_heevj(ctx, &A, &w, &o, NULL, &req);
    return st == ORR_OK ? orr_wait(req, &r->report) : st;
}

static orr_status gesvj(orr_context *ctx, const struct problem *p, struct seen *s, int waits,
                        struct result *r)
{
    const orr_gesvj_opts o = {.progress = see, .progress_arg = s};
    const int64_t m = p->n + 2, n = p->n;
    char *a = calloc((size_t)(p->count * m * n), element(p->type));
    const orr_batch A = batch(p, a, p->type, m, n), S = batch(p, r->second, real(p->type), n, 1),
                    U = batch(p, r->first, p->type, m, n), V = batch(p, r->third, p->type, n, n);
    orr_request *req;
    memcpy(a, p->a, (size_t)(p->count * m * n) * element(p->type));
    orr_status st;
    if (waits) {
        st = orr_gesvj(ctx, &A, &S, &U, &V, &o, NULL, &r->report);
    } else {
        st = orr_submit_gesvj(ctx, &A, &S, &U, &V, &o, NULL, &req);
        if (st == ORR_OK)
            st = orr_wait(req, &r->report);
    }
    free(a);
    return st;
}

/* ---- Sparse matrices: n rows of `b` entries at random, some of them empty --------------------- */

static orr_sparse *sparse(orr_context *ctx, const struct problem *p, int graph, int transpose)
{
    const int64_t n = p->n, width = p->b < n ? p->b : n;
    const int is_complex = p->type == ORR_C || p->type == ORR_Z;
    int64_t *ptr = calloc((size_t)n + 1, sizeof *ptr);
    int64_t *index = malloc((size_t)(n * width) * sizeof *index);
    double *val = malloc((size_t)(n * width) * 2 * sizeof *val);
    rng random = {7};
    for (int64_t i = 0; i < n; i++) {
        ptr[i + 1] = ptr[i];
        for (int64_t k = 0; k < width && i % 5 != 4; k++) { /* every fifth row is empty */
            const int64_t at = ptr[i + 1]++;
            index[at] = rng_below(&random, n);
            for (int part = 0; part < 1 + is_complex; part++)
                val[at * (1 + is_complex) + part] = 0.1 + fabs(rng_uniform(&random));
        }
    }
    const orr_sparse_opts o = {
        .type = "sdcz"[p->type], .graph = graph, .transpose = transpose, .rule_only = 1};
    orr_sparse *A = NULL;
    const orr_status st = orr_sparse_from_csr(ctx, n, n, ptr, index, val, is_complex, &o, &A, NULL);
    CHECK(st == ORR_OK, "sparse matrix of order %lld: status %d", (long long)n, st);
    free(ptr);
    free(index);
    free(val);
    return A;
}

/* Eigenvalues, by krylov if p->vectors, or with p->problem singular values. */
static orr_status powm(orr_context *ctx, const struct problem *p, struct seen *s, int waits,
                       struct result *r)
{
    orr_sparse *A = sparse(ctx, p, 0, 0), *At = p->problem ? sparse(ctx, p, 0, 1) : NULL;
    const int krylov = p->vectors || At;
    const orr_powm_opts o = {.k = !krylov    ? 1
                                  : p->n < 3 ? (int)p->n
                                             : 3,
                             .method = krylov ? ORR_POWM_METHOD_KRYLOV : ORR_POWM_METHOD_RITZ,
                             .max_products = 60,
                             .transposed = At,
                             .progress = see,
                             .progress_arg = s};
    orr_eigenpair *pairs = (orr_eigenpair *)r->second;
    orr_powm_result *result = (orr_powm_result *)r->third;
    orr_request *req;
    orr_status st;
    if (waits) {
        st = orr_powm(ctx, A, &o, pairs, r->first, result, &r->report);
    } else {
        st = orr_submit_powm(ctx, A, &o, pairs, r->first, result, &req);
        if (st == ORR_OK)
            st = orr_wait(req, &r->report);
    }
    orr_sparse_free(At);
    orr_sparse_free(A);
    return st == ORR_NOCONV ? ORR_OK : st; /* so few products are enough to compare */
}

static orr_status pagerank(orr_context *ctx, const struct problem *p, struct seen *s, int waits,
                           struct result *r)
{
    orr_sparse *G = sparse(ctx, p, 1, 0);
    const orr_pagerank_opts o = {
        .alpha = p->problem ? 0.95 : 0.85, .progress = see, .progress_arg = s};
    orr_pagerank_result *result = (orr_pagerank_result *)r->third;
    orr_request *req;
    orr_status st;
    if (waits) {
        st = orr_pagerank(ctx, G, &o, r->first, result, &r->report);
    } else {
        st = orr_submit_pagerank(ctx, G, &o, r->first, result, &req);
        if (st == ORR_OK)
            st = orr_wait(req, &r->report);
    }
    orr_sparse_free(G);
    return st;
}

/* small: it shall be done here. */
static void compare(orr_context *ctx, const char *name, call_fn *call, const struct problem *p,
                    int small)
{
    struct seen waited = {.caller = pthread_self(), .lock = PTHREAD_MUTEX_INITIALIZER};
    struct seen submitted = waited;
    struct result x = result_make(), y = result_make();
    const orr_status st = call(ctx, p, &waited, 1, &x), other = call(ctx, p, &submitted, 0, &y);
    CHECK(st == ORR_OK && other == ORR_OK, "%s: status %d, %d", name, st, other);
    CHECK(same(&x, &y) && (p->count || x.report.tasks == y.report.tasks),
          "%s type %d n %lld b %lld: other bits, or tasks: %lld, %lld", name, p->type,
          (long long)p->n, (long long)p->b, (long long)x.report.tasks, (long long)y.report.tasks);
    CHECK(small ? (waited.own || p->n <= 3) && !waited.others : waited.others,
          "%s type %d n %lld b %lld: by this thread %d, by others %d", name, p->type,
          (long long)p->n, (long long)p->b, waited.own, waited.others);
    CHECK((submitted.others || p->n <= 3) && !submitted.own, /* these may have nothing to do */
          "%s: submitted, and done by this thread", name);
    result_free(&x);
    result_free(&y);
}

int main(void)
{
    static const int64_t orders[] = {2, 3, 17, 64, 100};
    static char numbers[MOST * MOST * 16];
    orr_context *ctx = open_context(0);
    rng random = {5};
    for (int t = 0; t < 4; t++) {
        const orr_type type = (orr_type)t;
        for (size_t i = 0; i < MOST * MOST * 2; i++)
            if (type == ORR_S || type == ORR_C)
                ((float *)numbers)[i] = (float)rng_uniform(&random);
            else
                ((double *)numbers)[i] = rng_uniform(&random);
        for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
            struct problem p = {.type = type, .n = orders[k], .b = 1 + orders[k] / 8, .a = numbers};
            compare(ctx, "hb2st", hb2st, &p, 1);
            compare(ctx, "gb2bd", gb2bd, &p, p.n < 100 || type == ORR_S || type == ORR_D);
            struct problem few = p;
            few.count = 3;
            if (p.n < 64) {
                compare(ctx, "heevj", heevj, &few, 1);
                compare(ctx, "gesvj", gesvj, &few, 1);
            }
            for (p.problem = 1; p.problem <= 3; p.problem++)
                for (p.vectors = 0; p.vectors < 2; p.vectors++)
                    compare(ctx, "hegv", hegv, &p, 1);
        }
        static const int64_t sizes[] = {1, 2, 3, 17, 300};
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            struct problem p = {.type = type, .n = sizes[k], .b = 4};
            const int is_real = type == ORR_S || type == ORR_D;
            for (p.vectors = 0; p.vectors < 2; p.vectors++)
                compare(ctx, "powm", powm, &p, 1);
            for (p.problem = 0; p.problem < 2 && is_real; p.problem++)
                compare(ctx, "pagerank", pagerank, &p, 1);
            p.problem = 1;
            if (is_real)
                compare(ctx, "powm, singular", powm, &p, 1);
        }
        if (type == ORR_D) {
            const struct problem p = {.type = type, .n = 30000, .b = 10, .vectors = 1};
            compare(ctx, "powm", powm, &p, 0);
        }
        const struct problem large = {
            .type = type, .n = MOST, .b = 40, .problem = 1, .vectors = 1, .a = numbers};
        compare(ctx, "hb2st", hb2st, &large, 0);
        compare(ctx, "gb2bd", gb2bd, &large, 0);
        compare(ctx, "hegv", hegv, &large, 0);
        const struct problem many = {.type = type, .n = 62, .count = 20, .a = numbers};
        compare(ctx, "heevj", heevj, &many, 0);
        compare(ctx, "gesvj", gesvj, &many, 0);
    }
    orr_close(ctx);
    return checked();
}
