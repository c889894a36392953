/* powm and pagerank give the same bits: run after run, however many steps a task makes, and side by
 * side with other operations. SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/open.h"
#include "algorithms/powm_case.h"
#include "check.h"

/* Same bits every time, whatever the workers did. */
void repeatable(orr_context *ctx)
{
    orr_mtx m = random_mtx(3000, 3000, 30000, 2, 5);
    for (int method = 1; method <= 3; method++) {
        orr_eigenpair first[2] = {{0}}, e[2];
        orr_status st;
        int64_t products = 0;
        for (int run = 0; run < (one_in > 1 ? 2 : 4); run++) {
            orr_powm_result r = solve(
                ctx, &m, &(orr_powm_opts){.method = (orr_powm_method)method, .max_products = 200},
                'd', 5, e, &st);
            if (run == 0) {
                memcpy(first, e, sizeof *e);
                products = r.products;
            }
            CHECK(memcmp(&first[0].re, &e[0].re, 8) == 0 &&
                      memcmp(&first[0].residual, &e[0].residual, 8) == 0 && products == r.products,
                  "method %d: run %d differs: %.17g %.17g", method, run, first[0].re, e[0].re);
        }
    }
    orr_mtx_free(&m);
}

/* Of a matrix of one block a task may make several steps: the same bits however many. */
void steps_of_a_task(orr_context *ctx)
{
    static const int64_t per[] = {1, 7, 64, 0};
    orr_mtx m = random_mtx(300, 300, 2000, 1, 8);
    orr_sparse *A, *G;
    char message[256];
    orr_status st =
        orr_sparse_from_mtx(ctx, &m, &(orr_sparse_opts){.blocks = 1, .rule_only = 1}, &A, message);
    CHECK(st == ORR_OK, "%s", message);
    st = orr_sparse_from_mtx(ctx, &m, &(orr_sparse_opts){.blocks = 1, .graph = 1, .rule_only = 1},
                             &G, message);
    CHECK(st == ORR_OK, "%s", message);
    for (int method = 0; method < 4; method++) { /* power, ritz; pagerank to a tolerance, fixed */
        double first[600] = {0}, x[600];
        int64_t steps = 0;
        for (int i = 0; i < 4; i++) {
            orr_eigenpair e[2] = {{0}};
            orr_powm_result r;
            orr_pagerank_result g;
            if (method < 2)
                st = orr_powm(ctx, A,
                              &(orr_powm_opts){.method = (orr_powm_method)(1 + method),
                                               .max_products = 3000,
                                               .steps_per_task = per[i]},
                              e, x, &r, NULL);
            else
                st = orr_pagerank(ctx, G,
                                  &(orr_pagerank_opts){.steps_per_task = per[i],
                                                       .tol = 1e-13,
                                                       .fixed_steps = method == 3 ? 23 : 0},
                                  x, &g, NULL);
            if (i == 0) {
                memcpy(first, x, 300 * sizeof *x);
                steps = method < 2 ? r.steps : g.steps;
            }
            CHECK(st == ORR_OK && memcmp(first, x, 300 * sizeof *x) == 0 &&
                      steps == (method < 2 ? r.steps : g.steps),
                  "method %d, %lld steps per task: status %d, %lld steps, not %lld", method,
                  (long long)per[i], st, (long long)(method < 2 ? r.steps : g.steps),
                  (long long)steps);
        }
    }
    orr_sparse_free(A);
    orr_sparse_free(G);
    orr_mtx_free(&m);
}

/* Several operations at a time, waited for in another order: the same bits as one by one. */
void submitted(orr_context *ctx)
{
    enum { N = 300 };
    orr_mtx m = random_mtx(N, N, 2000, 1, 8);
    orr_sparse *A, *G;
    char message[256];
    static double want[3][3 * N], have[3][3 * N];
    orr_request *req[3] = {NULL};
    orr_eigenpair e[3][3];
    orr_powm_result r[3];
    orr_pagerank_result g;
    orr_report rep;
    const orr_powm_opts o[2] = {{.method = ORR_POWM_METHOD_RITZ, .max_products = 3000},
                                {.k = one_in > 1 ? 1 : 2}}; /* the second takes long */
    orr_status st = orr_sparse_from_mtx(ctx, &m, &(orr_sparse_opts){.rule_only = 1}, &A, message);
    CHECK(st == ORR_OK, "%s", message);
    st = orr_sparse_from_mtx(ctx, &m, &(orr_sparse_opts){.graph = 1, .rule_only = 1}, &G, message);
    CHECK(st == ORR_OK, "%s", message);
    for (int i = 0; i < 2; i++)
        CHECK(orr_powm(ctx, A, &o[i], e[i], want[i], &r[i], NULL) == ORR_OK, "call %d", i);
    CHECK(orr_pagerank(ctx, G, NULL, want[2], &g, NULL) == ORR_OK, "pagerank");
    for (int i = 0; i < 2; i++)
        CHECK(orr_submit_powm(ctx, A, &o[i], e[i], have[i], &r[i], &req[i]) == ORR_OK, "%d", i);
    CHECK(orr_submit_pagerank(ctx, G, NULL, have[2], &g, &req[2]) == ORR_OK, "pagerank");
    for (int i = 2; i >= 0; i--) {
        st = orr_wait(req[i], &rep);
        const size_t bytes = (size_t)(i < 2 ? r[i].found * N : N) * sizeof(double);
        CHECK(st == ORR_OK && rep.status == st && rep.tasks > 0 && rep.plan[0],
              "operation %d: %d %s", i, st, rep.message);
        CHECK(memcmp(want[i], have[i], bytes) == 0, "operation %d: other bits", i);
    }
    /* not converged, and refused at once */
    CHECK(orr_submit_pagerank(ctx, G, &(orr_pagerank_opts){.tol = 1e-300, .max_steps = 3}, have[2],
                              &g, &req[2]) == ORR_OK,
          "pagerank");
    st = orr_wait(req[2], &rep);
    CHECK(st == ORR_NOCONV && strstr(rep.message, "after 3 steps"), "%d %s", st, rep.message);
    CHECK(orr_submit_powm(ctx, G, NULL, e[0], have[0], &r[0], &req[0]) == ORR_E_ARG, "a graph");
    CHECK(orr_submit_pagerank(ctx, A, NULL, have[0], &g, &req[0]) == ORR_E_ARG, "no graph");
    CHECK(orr_submit_pagerank(ctx, G, NULL, have[0], &g, NULL) == ORR_E_ARG, "nowhere to put it");
    orr_sparse_free(A);
    orr_sparse_free(G);
    orr_mtx_free(&m);
}
