/* A plan neither reads nor writes the arrays of its calls (orrery/plan.h), records of matrices and vectors of sparse
 * matrices among them: they hold NaN, or a status that would be told, and hold it afterwards.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "orrery/sparse.h"

enum { N = 40, ROOM = N * N };

static orr_context *ctx;
static struct arrays {
    double a[ROOM], b[ROOM], z[ROOM], v[ROOM], w[ROOM], e[ROOM];
    orr_matrix_info info[3];
    orr_eigenpair pairs[3];
    int64_t found[2];
} x, before;

static void untouched(const char *what, orr_status st)
{
    CHECK(st == ORR_OK, "%s: status %d", what, st);
    CHECK(memcmp(&x, &before, sizeof x) == 0, "%s", what);
    x = before;
}

static void dense(void)
{
    const orr_heev_opts interval = {.vl = 0, .vu = 1, .found = x.found};
    const orr_hbev_opts band_interval = {.vl = 0, .vu = 1, .found = x.found};
    const orr_hb2st_opts q = {.vect = 'Q', .q = x.z, .ldq = N};
    const orr_gb2bd_opts uv = {.u = x.z, .ldu = N, .v = x.v, .ldv = N};
#define UNTOUCHED(call) untouched(#call, orr_##call)
    UNTOUCHED(heev(ctx, ORR_D, 'L', N, x.a, N, x.w, x.z, N, NULL, NULL));
    UNTOUCHED(heev(ctx, ORR_D, 'L', N, x.a, N, x.w, x.z, N, &interval, NULL));
    UNTOUCHED(hegv(ctx, ORR_D, 'L', N, x.a, N, x.b, N, x.w, x.z, N, NULL, NULL));
    UNTOUCHED(gesvd(ctx, ORR_D, N, N, x.a, N, x.w, x.z, N, x.v, N, NULL, NULL));
    UNTOUCHED(hb2st(ctx, ORR_D, 'L', N, 9, x.a, N, x.w, x.e, &q, NULL));
    UNTOUCHED(hbev(ctx, ORR_D, 'L', N, 9, x.a, N, x.w, x.z, N, NULL, NULL));
    UNTOUCHED(hbev(ctx, ORR_D, 'L', N, 9, x.a, N, x.w, x.z, N, &band_interval, NULL));
    UNTOUCHED(gb2bd(ctx, ORR_D, N, N, 3, 4, x.a, N, x.w, x.e, &uv, NULL));
    UNTOUCHED(sterf(ctx, ORR_D, N, x.a, x.e, x.w, NULL, NULL));
}

static void batches(void)
{
    enum { BATCH = sizeof x.info / sizeof *x.info, M = 20 };
    const orr_batch A = {.type = ORR_D, .batch = BATCH, .m = M, .n = M, .a = x.a},
                    W = {.type = ORR_D, .batch = BATCH, .m = M, .n = 1, .a = x.w},
                    U = {.type = ORR_D, .batch = BATCH, .m = M, .n = M, .a = x.z};
    UNTOUCHED(heevj(ctx, &A, &W, NULL, x.info, NULL));
    UNTOUCHED(gesvj(ctx, &A, &W, &U, NULL, NULL, x.info, NULL));
    orr_report with, without;
    UNTOUCHED(heevj(ctx, &A, &W, NULL, x.info, &with));
    UNTOUCHED(heevj(ctx, &A, &W, NULL, NULL, &without));
    CHECK(strcmp(with.plan, without.plan) == 0, "%s with records, %s without", with.plan,
          without.plan);
}

static void sparse(const orr_sparse *A, const orr_sparse *graph)
{
    orr_powm_result powm;
    orr_pagerank_result rank;
    UNTOUCHED(sparse_multiply(ctx, A, x.a, x.w, NULL));
    UNTOUCHED(powm(ctx, A, NULL, x.pairs, x.z, &powm, NULL));
    UNTOUCHED(pagerank(ctx, graph, NULL, x.w, &rank, NULL));
#undef UNTOUCHED
}

int main(void)
{
    const int64_t ptr[] = {0, 1, 2}, index[] = {1, 0};
    orr_sparse *A, *graph;
    orr_plan plan;
    memset(&before, 0xff, sizeof before); /* NaN */
    for (size_t i = 0; i < sizeof before.info / sizeof *before.info; i++)
        before.info[i] = (orr_matrix_info){.status = ORR_NOCONV, .method = ORR_METHOD_JACOBI};
    x = before;
    if (orr_open(NULL, &ctx) != ORR_OK)
        return 77;
    CHECK(orr_sparse_from_csr(ctx, 2, 2, ptr, index, NULL, 0, NULL, &A, NULL) == ORR_OK);
    CHECK(orr_sparse_from_csr(ctx, 2, 2, ptr, index, NULL, 0, &(orr_sparse_opts){.graph = 1},
                              &graph, NULL) == ORR_OK);
    CHECK(orr_plan_begin(ctx) == ORR_OK);
    dense();
    batches();
    sparse(A, graph);
    orr_plan_end(ctx, &plan);
    CHECK(plan.tasks > 0);
    orr_sparse_free(graph);
    orr_sparse_free(A);
    orr_close(ctx);
    return checked();
}
