/* Sizes, options and indices at the end of their range: an answer or a status, no overflow, no
 * access beyond an array, no standstill. The sanitizers see most of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "orrery/orrery.h"
#include "orrery/sparse.h"
#include "check.h"

enum { N = 37, B = 9 };

static const int64_t huge[] = {INT64_MAX,      INT64_MAX - 1,    INT64_MAX / 2,
                               INT64_MAX / 16, (int64_t)1 << 33, INT32_MAX};
enum { ENDS = sizeof huge / sizeof *huge };

static int close_to(const double *a, const double *b, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) < 1e-12 * N))
            return 0;
    return 1;
}

/* ---- Leading dimensions and strides --------------------------------------------------------- */

static void strides(orr_context *c)
{
    double a[4] = {2, 1, 1, 2}, w[2], e[1];
    for (int i = 0; i < ENDS - 1; i++) {
        const int64_t ld = huge[i];
        orr_batch A = {.type = ORR_D, .batch = 2, .m = 2, .n = 2, .a = a, .ld = ld};
        orr_batch W = {.type = ORR_D, .batch = 2, .m = 2, .n = 1, .a = w};
        CHECK(orr_heevj(c, &A, &W, NULL, NULL, NULL) == ORR_E_ARG, "heevj, ld %lld", (long long)ld);
        CHECK(orr_gesvj(c, &A, &W, NULL, NULL, NULL, NULL, NULL) == ORR_E_ARG, "gesvj, ld %lld",
              (long long)ld);
        A.ld = 0;
        A.stride = ld;
        A.batch = W.batch = INT64_MAX / 4;
        CHECK(orr_heevj(c, &A, &W, NULL, NULL, NULL) == ORR_E_ARG, "heevj, stride %lld",
              (long long)ld);
        CHECK(orr_gesvj(c, &A, &W, NULL, NULL, NULL, NULL, NULL) == ORR_E_ARG, "gesvj, stride %lld",
              (long long)ld);
        A.stride = 0;
        A.batch = W.batch = 1;
        W.ld = ld;
        CHECK(orr_heevj(c, &A, &W, NULL, NULL, NULL) == ORR_E_ARG, "heevj, w's ld %lld",
              (long long)ld);

        const int64_t two[] = {2}, one[] = {1}, lds[] = {ld};
        void *as[] = {a}, *ws[] = {w};
        const orr_batch mixed = {
            .type = ORR_D, .batch = 1, .ms = two, .ns = two, .lds = lds, .as = as};
        const orr_batch values = {.type = ORR_D, .batch = 1, .ms = two, .ns = one, .as = ws};
        CHECK(orr_heevj(c, &mixed, &values, NULL, NULL, NULL) == ORR_E_ARG,
              "heevj of mixed sizes, ld %lld", (long long)ld);
        CHECK(orr_gesvj(c, &mixed, &values, NULL, NULL, NULL, NULL, NULL) == ORR_E_ARG,
              "gesvj of mixed sizes, ld %lld", (long long)ld);

        CHECK(orr_heev(c, ORR_D, 'L', 2, a, ld, w, NULL, 1, NULL, NULL) == ORR_E_ARG,
              "heev, lda %lld", (long long)ld);
        CHECK(orr_gesvd(c, ORR_D, 2, 2, a, ld, w, NULL, 1, NULL, 1, NULL, NULL) == ORR_E_ARG,
              "gesvd, lda %lld", (long long)ld);
        if (ld > INT64_MAX / 32) {
            CHECK(orr_hb2st(c, ORR_D, 'L', 2, 1, a, ld, w, e, NULL, NULL) == ORR_E_ARG,
                  "hb2st, ldab %lld", (long long)ld);
            CHECK(orr_gb2bd(c, ORR_D, 2, 2, 0, 1, a, ld, w, e, NULL, NULL) == ORR_E_ARG,
                  "gb2bd, ldab %lld", (long long)ld);
        }
        CHECK(orr_hb2st(c, ORR_D, 'L', ld, ld - 1, a, ld, w, e, NULL, NULL) == ORR_E_ARG,
              "hb2st, n %lld", (long long)ld);
        CHECK(orr_gb2bd(c, ORR_D, ld, ld, ld, ld, a, ld, w, e, NULL, NULL) == ORR_E_ARG,
              "gb2bd, n %lld", (long long)ld);
    }
}

/* ---- Options: more than everything is everything -------------------------------------------- */

static void bands(orr_context *c)
{
    double ab[N * (B + 1)], d[N], e[N], d0[N], e0[N];
    for (int i = 0; i < N * (B + 1); i++)
        ab[i] = i % (B + 1) ? 1. / (1 + i % 11) : 2 + i % 3;
    orr_report rep;
    CHECK(orr_hb2st(c, ORR_D, 'L', N, B, ab, B + 1, d0, e0, NULL, NULL) == ORR_OK, " ");
    for (int i = 0; i < ENDS; i++) {
        const int64_t x = huge[i];
        const orr_hb2st_opts o[] = {
            {.D = x}, {.G = x}, {.D = x, .G = x}, {.tail = x}, {.D = 16, .tail = x}, {.split = x}};
        for (size_t k = 0; k < sizeof o / sizeof *o; k++) {
            const orr_status st = orr_hb2st(c, ORR_D, 'L', N, B, ab, B + 1, d, e, &o[k], &rep);
            CHECK(st == ORR_OK && close_to(d, d0, N) && close_to(e, e0, N - 1),
                  "hb2st, %lld in option %zu: %d %s", (long long)x, k, st, rep.message);
        }
    }
    CHECK(orr_gb2bd(c, ORR_D, N, N, 0, B, ab, B + 1, d0, e0, NULL, NULL) == ORR_OK, " ");
    for (int i = 0; i < ENDS; i++) {
        const int64_t x = huge[i];
        const orr_gb2bd_opts o[] = {{.rows = x}, {.sweeps = x},     {.rows = x, .sweeps = x},
                                    {.tw = x},   {.max_blocks = x}, {.rows = 16, .max_blocks = x},
                                    {.split = x}};
        for (size_t k = 0; k < sizeof o / sizeof *o; k++) {
            const orr_status st = orr_gb2bd(c, ORR_D, N, N, 0, B, ab, B + 1, d, e, &o[k], &rep);
            /* tw: another way to peel, the same singular values only */
            CHECK(st == ORR_OK && (o[k].tw || (close_to(d, d0, N) && close_to(e, e0, N - 1))),
                  "gb2bd, %lld in option %zu: %d %s", (long long)x, k, st, rep.message);
        }
    }
}

static void chunks(orr_context *c)
{
    enum { COUNT = 9 };
    static double a[COUNT * 4], w[COUNT * 2];
    for (int i = 0; i < ENDS; i++) {
        for (int k = 0; k < COUNT * 4; k++)
            a[k] = k % 4 == 0 || k % 4 == 3 ? 2 : 1;
        orr_batch A = {.type = ORR_D, .batch = COUNT, .m = 2, .n = 2, .a = a};
        orr_batch W = {.type = ORR_D, .batch = COUNT, .m = 2, .n = 1, .a = w};
        CHECK(orr_gesvj(c, &A, &W, NULL, NULL, &(orr_gesvj_opts){.chunk = huge[i]}, NULL, NULL) ==
                      ORR_OK &&
                  close_to(w, (double[]){3, 1}, 2),
              "gesvj, chunk %lld", (long long)huge[i]);
        CHECK(orr_heevj(c, &A, &W, &(orr_heevj_opts){.chunk = huge[i]}, NULL, NULL) == ORR_OK &&
                  close_to(w, (double[]){1, 3}, 2),
              "heevj, chunk %lld", (long long)huge[i]);
    }
}

/* ---- Sparse --------------------------------------------------------------------------------- */

/* [0 1; 1 .5] and so on: a ring with weights, irreducible and aperiodic. */
static orr_sparse *ring(orr_context *c, int64_t blocks, int graph)
{
    int64_t ptr[N + 1], index[2 * N];
    double val[2 * N];
    orr_sparse *A = NULL;
    for (int i = 0; i < N; i++) {
        ptr[i] = 2 * i;
        index[2 * i] = i;
        index[2 * i + 1] = (i + 1) % N;
        val[2 * i] = 0.5 + 1. / (i + 1);
        val[2 * i + 1] = 1;
    }
    ptr[N] = 2 * N;
    CHECK(orr_sparse_from_csr(c, N, N, ptr, index, val, 0,
                              &(orr_sparse_opts){.blocks = blocks, .graph = graph}, &A,
                              NULL) == ORR_OK,
          "blocks %lld", (long long)blocks);
    return A;
}

static void sparse(orr_context *c)
{
    orr_eigenpair first[2], pair[2];
    orr_powm_result found;
    orr_pagerank_result ranked;
    double scores[N], scores0[N];
    orr_sparse *A = ring(c, 1, 0), *G = ring(c, 1, 1);
    if (!A || !G)
        return;
    CHECK(orr_powm(c, A, NULL, first, NULL, &found, NULL) == ORR_OK, " ");
    CHECK(orr_pagerank(c, G, NULL, scores0, &ranked, NULL) == ORR_OK, " ");
    for (int i = 0; i < ENDS; i++) {
        const int64_t x = huge[i];
        const orr_powm_opts o[] = {
            {.max_products = x},
            {.method = ORR_POWM_METHOD_POWER, .max_products = x},
            {.method = ORR_POWM_METHOD_POWER, .steps_per_task = x},
            {.method = ORR_POWM_METHOD_RITZ, .lookahead = x > INT32_MAX ? 1 : (int)x}};
        for (size_t k = 0; k < sizeof o / sizeof *o; k++) {
            orr_powm(c, A, &o[k], pair, NULL, &found, NULL);
            CHECK(fabs(pair[0].re - first[0].re) < 1e-6, "powm, %lld in option %zu: %g, not %g",
                  (long long)x, k, pair[0].re, first[0].re);
        }
        const orr_pagerank_opts p[] = {
            {.max_steps = x}, {.steps_per_task = x}, {.lookahead = x > INT32_MAX ? 1 : (int)x}};
        for (size_t k = 0; k < sizeof p / sizeof *p; k++)
            CHECK(orr_pagerank(c, G, &p[k], scores, &ranked, NULL) == ORR_OK &&
                      close_to(scores, scores0, N),
                  "pagerank, %lld in option %zu", (long long)x, k);
        orr_sparse *many = ring(c, x, 0);
        orr_sparse_free(many);
    }
    orr_sparse_free(A);
    orr_sparse_free(G);
}

/* The array ends where its page does. What comes after must not be read. */
static void pointers(orr_context *c)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(two != MAP_FAILED && mprotect(two + page, page, PROT_NONE) == 0, "no page");
    int64_t *index = (int64_t *)(void *)(two + page) - 2;
    index[0] = index[1] = 0;
    const int64_t wrong[][4] = {{0, 1 << 20, 2, 2}, {0, 1, INT64_MAX, 2}, {0, INT64_MAX, 0, 2},
                                {-1, 0, 1, 2},      {INT64_MIN, 0, 1, 2}, {2, 1, 0, 2}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char say[256] = "";
        orr_sparse *A = NULL;
        CHECK(orr_sparse_from_csr(c, 3, 3, wrong[k], index, NULL, 0, NULL, &A, say) == ORR_E_ARG &&
                  strstr(say, "ptr"),
              "ptr %zu: '%s'", k, say);
    }
    const int64_t ptr[] = {0, 1, 2, 2};
    char say[256] = "";
    orr_sparse *A = NULL;
    for (int i = 0; i <= ENDS; i++) {
        index[1] = i == ENDS ? 3 : i % 2 ? huge[i] : -huge[i];
        CHECK(orr_sparse_from_csr(c, 3, 3, ptr, index, NULL, 0, NULL, &A, say) == ORR_E_ARG &&
                  strstr(say, "column"),
              "'%s'", say);
    }
    munmap(two, 2 * page);
}

int main(void)
{
    orr_context *c;
    const orr_status st = orr_open(NULL, &c);
    CHECK(st == ORR_OK, "%s", orr_strerror(st));
    if (st != ORR_OK)
        return checked();
    strides(c);
    pointers(c);
    chunks(c);
    bands(c);
    sparse(c);
    orr_close(c);
    return checked();
}
