/* What a call makes is NULL where it makes nothing, whatever the pointer was before, so that a program may free all
 * in one place: contexts, requests, streams, factors, sparse matrices.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"
#include "orrery/orrery.h"
#include "orrery/sparse.h"

enum { N = 4 };

static orr_context *ctx;
static double a[N * N], b[N * N], w[N], e[N];
static char before; /* what pointers have at first */

/* In one file with its makers, each is called with something that they refuse. */
static void requests(void)
{
    const orr_batch A = {.type = ORR_D, .batch = 1, .m = N, .n = N, .a = a},
                    none = {.type = ORR_D, .batch = 1, .m = N, .n = 1};
    orr_powm_result powm;
    orr_pagerank_result rank;
    orr_eigenpair pair[2];
    orr_request *q;
#define REFUSED(call)                                                                              \
    q = (orr_request *)(void *)&before;                                                            \
    CHECK(orr_submit_##call == ORR_E_ARG && !q, #call)
    REFUSED(heevj(ctx, &A, &none, NULL, NULL, &q));
    REFUSED(gesvj(ctx, &A, &none, NULL, NULL, NULL, NULL, &q));
    REFUSED(heev(ctx, ORR_D, 'x', N, a, N, w, NULL, N, NULL, &q));
    REFUSED(heev(NULL, ORR_D, 'L', N, a, N, w, NULL, N, NULL, &q));
    REFUSED(heev(ctx, ORR_D, 'L', N, a, N, a, NULL, N, NULL, &q));
    REFUSED(hegv(ctx, ORR_D, 'x', N, a, N, b, N, w, NULL, N, NULL, &q));
    REFUSED(gesvd(ctx, ORR_D, N, N, a, 1, w, NULL, N, NULL, N, NULL, &q));
    REFUSED(hb2st(ctx, ORR_D, 'x', N, 1, a, 2, w, e, NULL, &q));
    REFUSED(hb2st_apply(ctx, NULL, 'N', 1, a, N, &q));
    REFUSED(hbev(ctx, ORR_D, 'x', N, 1, a, 2, w, NULL, N, NULL, &q));
    REFUSED(gb2bd(ctx, ORR_D, N, N, 0, 2, a, 1, w, e, NULL, &q));
    REFUSED(sterf(ctx, ORR_Z, N, a, e, w, NULL, &q));
    REFUSED(powm(ctx, NULL, NULL, pair, NULL, &powm, &q));
    REFUSED(pagerank(ctx, NULL, NULL, w, &rank, &q));
#undef REFUSED
}

static void factors(void)
{
    orr_hb2st_factor *factor = (orr_hb2st_factor *)(void *)&before;
    orr_hb2st_opts o = {.vect = 'V', .factor = &factor};
    CHECK(orr_hb2st(ctx, ORR_D, 'x', N, 1, a, 2, w, e, &o, NULL) == ORR_E_ARG && !factor);
    factor = (orr_hb2st_factor *)(void *)&before;
    o.vect = 'N'; /* not asked for */
    CHECK(orr_hb2st(ctx, ORR_D, 'L', N, 1, a, 2, w, e, &o, NULL) == ORR_OK);
    CHECK((void *)factor == &before);
}

/* A plan makes a factor, but without reflectors: it serves for plans. */
static void factor_of_a_plan(void)
{
    orr_hb2st_factor *factor = NULL;
    orr_report r;
    const orr_hb2st_opts o = {.vect = 'V', .factor = &factor};
    CHECK(orr_plan_begin(ctx) == ORR_OK);
    CHECK(orr_hb2st(ctx, ORR_D, 'L', N, 1, a, 2, w, e, &o, NULL) == ORR_OK && factor);
    CHECK(orr_hb2st_apply(ctx, factor, 'N', N, b, N, NULL) == ORR_OK);
    orr_plan_end(ctx, NULL);
    CHECK(orr_hb2st_apply(ctx, factor, 'N', N, b, N, &r) == ORR_E_ARG, "%s", r.message);
    orr_hb2st_drop(factor);
}

static void others(void)
{
    const int64_t ptr[] = {0, 1}, far[] = {7};
    orr_gesvj_stream *stream = (orr_gesvj_stream *)(void *)&before;
    orr_sparse *sparse = (orr_sparse *)(void *)&before;
    orr_context *context = (orr_context *)(void *)&before;
    CHECK(orr_gesvj_stream_open(ctx, NULL, -1, NULL, NULL, &stream) == ORR_E_ARG && !stream);
    CHECK(orr_sparse_from_csr(ctx, 1, 1, NULL, far, NULL, 0, NULL, &sparse, NULL) == ORR_E_ARG);
    CHECK(!sparse);
    sparse = (orr_sparse *)(void *)&before;
    CHECK(orr_sparse_from_csr(ctx, 1, 1, ptr, far, NULL, 0, NULL, &sparse, NULL) == ORR_E_ARG);
    CHECK(!sparse);
    sparse = (orr_sparse *)(void *)&before;
    CHECK(orr_sparse_from_mtx(ctx, NULL, NULL, &sparse, NULL) == ORR_E_ARG && !sparse);
    orr_close(ctx);
    CHECK(orr_open(&(orr_context_opts){.sched = "no such policy"}, &context) == ORR_E_SCHED);
    CHECK(!context);
    orr_close(context);
    context = (orr_context *)(void *)&before;
    CHECK(orr_open(&(orr_context_opts){.model_dir = "/dev/null"}, &context) == ORR_E_FILE);
    CHECK(!context);
}

int main(void)
{
    for (int i = 0; i < N; i++)
        a[i + i * N] = b[i + i * N] = i + 1;
    if (orr_open(NULL, &ctx) != ORR_OK)
        return 77;
    requests();
    factors();
    factor_of_a_plan();
    others();
    return checked();
}
