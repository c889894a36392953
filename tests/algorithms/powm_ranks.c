/* pagerank against elimination, by extrapolation and with other orders of the nodes.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/open.h"
#include "algorithms/powm_case.h"
#include "check.h"
#include "larger.h"

static const int64_t cycle_at[] = {0, 1, 1, 2, 2, 3, 3, 0}, one_at[] = {0, 0};

/* Two dense parts with one link from each to the other: plain steps take their time. */
void extrapolation(orr_context *ctx)
{
    enum { HALF = 20, N = 2 * HALF };
    int64_t at[2 * N * HALF], entries = 0, steps[2];
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = i / HALF * HALF; j < i / HALF * HALF + HALF; j++, entries++) {
            at[2 * entries] = i;
            at[2 * entries + 1] = i == j ? N - 1 - i : j;
        }
    orr_mtx m = given_mtx(N, entries, at, NULL);
    double *want = dense_pagerank(&m, 0.999, 'p', NULL), personal[N] = {1};
    double *from_one = dense_pagerank(&m, 0.999, 'p', personal), x[N];
    for (int yes = 0; yes < 2; yes++)
        for (int one = 0; one < 2; one++) {
            orr_pagerank_result r;
            orr_sparse *G;
            char message[256];
            orr_status st = orr_sparse_from_mtx(
                ctx, &m, &(orr_sparse_opts){.graph = 1, .blocks = 3}, &G, message);
            double error = 0;
            CHECK(st == ORR_OK, "%s", message);
            st = orr_pagerank(ctx, G,
                              &(orr_pagerank_opts){.alpha = 0.999,
                                                   .tol = 1e-14,
                                                   .max_steps = 100000,
                                                   .extrapolate = "ny"[yes],
                                                   .personal = one ? personal : NULL},
                              x, &r, NULL);
            for (int i = 0; i < N; i++)
                error += fabs(x[i] - (one ? from_one : want)[i]);
            CHECK(st == ORR_OK && r.extrapolated == yes && error <= r.bound + 1e-12,
                  "extrapolation %d: status %d, error %g, bound %g, %lld steps", yes, st, error,
                  r.bound, (long long)r.steps);
            steps[yes] = r.steps; /* of the personalised one, which is slow */
            orr_sparse_free(G);
        }
    CHECK(3 * steps[1] < steps[0], "%lld steps by extrapolation, %lld without", (long long)steps[1],
          (long long)steps[0]);
    free(want);
    free(from_one);
    orr_mtx_free(&m);
}

static void rank(orr_context *ctx, const orr_mtx *m, double alpha, char dangling,
                 const double *personal, char type, int64_t blocks)
{
    const int64_t n = m->rows;
    double *want = dense_pagerank(m, alpha, dangling, personal);
    double *x = calloc((size_t)n + 1, sizeof *x);
    for (int order = 0; order < 2; order++) {
        if (left_out())
            continue;
        orr_sparse *G;
        char message[256];
        orr_pagerank_result r;
        orr_report rep;
        double error = 0;
        orr_status st = orr_sparse_from_mtx(
            ctx, m,
            &(orr_sparse_opts){.graph = 1, .type = type, .blocks = blocks, .order = "nd"[order]},
            &G, message);
        CHECK(st == ORR_OK, "%s", message);
        if (st != ORR_OK)
            continue;
        const double tol = type == 's' ? 1e-6 : 1e-15;
        st = orr_pagerank(
            ctx, G,
            &(orr_pagerank_opts){
                .alpha = alpha, .tol = tol, .dangling = dangling, .personal = personal},
            x, &r, &rep);
        for (int64_t i = 0; i < n; i++)
            error += fabs(creal(get(type == 's' ? ORR_S : ORR_D, x, i)) - want[i]);
        CHECK(st == ORR_OK && error <= (type == 's' ? 1e-4 : 1e-12),
              "pagerank n %lld alpha %g dangling %c order %c: error %g, status %d %s", (long long)n,
              alpha, dangling ? dangling : 'p', "nd"[order], error, st, rep.message);
        if (dangling != 'n')
            CHECK(fabs(r.sum - 1) < (type == 's' ? 1e-4 : 1e-13), "sum %.17g", r.sum);
        orr_sparse_free(G);
    }
    free(x);
    free(want);
}

/* Which graphs are stored by degree unasked, and that products with them have the user's order:
 * y_i = sum of x_j over links from j to i. */
void orders(orr_context *ctx)
{
    static const struct {
        const char *name;
        int by_degree;
    } cases[] = {{"rmat:18:4", 1}, {"rmat:12:4", 0}, {"laplace3d:52", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        orr_mtx m;
        orr_sparse *G;
        orr_sparse_info info = {0};
        char message[256];
        CHECK(orr_generate(cases[k].name, 1, &m, message) == ORR_OK, "%s", message);
        orr_status st = orr_sparse_from_mtx(
            ctx, &m, &(orr_sparse_opts){.graph = 1, .unweighted = 1, .rule_only = 1}, &G, message);
        if (st == ORR_OK)
            orr_sparse_query(G, &info);
        CHECK(st == ORR_OK && info.by_degree == cases[k].by_degree, "%s: by degree %d", message,
              info.by_degree);
        orr_sparse_free(G);
        if (k == 1) {
            double *x = calloc((size_t)m.rows, sizeof *x), *y = calloc((size_t)m.rows, sizeof *y);
            double *want = calloc((size_t)m.rows, sizeof *want), worst = 0;
            for (int64_t i = 0; i < m.rows; i++)
                x[i] = (double)(i % 97);
            for (int64_t e = 0; e < m.entries; e++)
                want[m.col[e]] += x[m.row[e]];
            st = orr_sparse_from_mtx(ctx, &m, &(orr_sparse_opts){.graph = 1, .order = 'd'}, &G,
                                     message);
            CHECK(st == ORR_OK && orr_sparse_multiply(ctx, G, x, y, NULL) == ORR_OK, "%s", message);
            for (int64_t i = 0; i < m.rows; i++)
                worst = larger(worst, fabs(y[i] - want[i]));
            CHECK(worst == 0, "a product by degree is off by %g", worst);
            orr_sparse_free(G);
            free(x);
            free(y);
            free(want);
        }
        orr_mtx_free(&m);
    }
}

void ranks(orr_context *ctx)
{
    for (int kind = 0; kind < 2; kind++) {
        orr_mtx m = random_mtx(60, 60, 150, kind, 3); /* some rows and columns are empty */
        double personal[60] = {0};
        for (int i = 0; i < 60; i += 7)
            personal[i] = i + 1;
        for (int rule = 0; rule < 3; rule++)
            for (int p = 0; p < 2; p++) {
                rank(ctx, &m, 0.85, "pun"[rule], p ? personal : NULL, 'd', 1 + 2 * p);
                rank(ctx, &m, 0.5, "pun"[rule], p ? personal : NULL, 's', 2);
            }
        rank(ctx, &m, 0.99, 0, NULL, 'd', 4);
        orr_mtx_free(&m);
    }
    orr_mtx cycle = given_mtx(4, 4, cycle_at, NULL), none = given_mtx(3, 0, one_at, NULL);
    rank(ctx, &cycle, 0.85, 0, NULL, 'd', 2); /* periodic */
    rank(ctx, &none, 0.85, 0, NULL, 'd', 0);  /* nothing but dangling nodes */
    orr_mtx_free(&cycle);
    orr_mtx_free(&none);
}
