/* powm and pagerank without waiting for them.
 *
 * Both decide by what their tasks have found whether to submit more, so somebody has to look
 * on: a thread of the operation, which makes the ordinary call. The request that the caller
 * gets is a second one; it has no tasks of its own and is done when that call has returned.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/sparse/powm.h"

struct background {
    starpu_pthread_t thread;
    orr_context *ctx;
    unsigned entered;
    struct orr_request *req; /* the caller's */
    const orr_sparse *A;
    orr_powm_opts powm;
    orr_eigenpair *pairs;
    void *vectors; /* or scores */
    orr_powm_result *result;
    orr_pagerank_opts rank;
    orr_pagerank_result *ranked; /* NULL: powm */
    orr_status status;
    orr_report report;
};

static void *run(void *arg)
{
    struct background *b = arg;
    struct orr_request *req = b->req;
    b->status = b->ranked ? orr_pagerank_entered(b->ctx, b->entered, b->A, &b->rank, b->vectors,
                                                 b->ranked, &b->report)
                          : orr_powm_entered(b->ctx, b->entered, b->A, &b->powm, b->pairs,
                                             b->vectors, b->result, &b->report);
    if (b->status < 0)
        orr_request_fail(req, b->status, b->report.culprit);
    orr_request_release(req);
    return NULL;
}

static orr_status finish(orr_request *req)
{
    struct background *b = req->state;
    struct orr_operation *op = orr_operation_of(req);
    starpu_pthread_join(b->thread, NULL);
    const orr_status st = b->status;
    atomic_store(&req->tasks, b->report.tasks);
    op->index = b->report.index;
    memcpy(op->plan, b->report.plan, sizeof op->plan);
    memcpy(op->message, b->report.message, sizeof op->message);
    free(b);
    return st;
}

static orr_status start(const struct background *what, orr_request **out)
{
    if (orr_barred() != ORR_OK)
        return orr_barred();
    struct background *b = malloc(sizeof *b);
    struct orr_request *req = b ? orr_context_request(what->ctx, what->entered) : NULL;
    if (!req) {
        free(b);
        return ORR_E_NOMEM;
    }
    *b = *what;
    b->req = req;
    orr_request_hold(req);
    orr_request_here(req); /* it wakes no workers: the call does, if it wants them */
    if (starpu_pthread_create(&b->thread, NULL, run, b) != 0) {
        free(b);
        orr_request_release(req);
        orr_request_fail(req, ORR_E_NOMEM, "thread");
        return orr_wait(req, NULL);
    }
    req->finish = finish;
    req->state = b;
    *out = req;
    return ORR_OK;
}

orr_status orr_submit_powm(orr_context *ctx, const orr_sparse *A, const orr_powm_opts *opts,
                           orr_eigenpair *pairs, void *vectors, orr_powm_result *result,
                           orr_request **out)
{
    const orr_powm_opts o = opts ? *opts : (orr_powm_opts){0};
    if (out)
        *out = NULL;
    const unsigned entered = orr_context_entered(ctx);
    if (!ctx || !out || ctx->info.ranks > 1 || orr_powm_wrong(A, &o, pairs, result))
        return ORR_E_ARG;
    return start(&(struct background){.ctx = ctx,
                                      .entered = entered,
                                      .A = A,
                                      .powm = o,
                                      .pairs = pairs,
                                      .vectors = vectors,
                                      .result = result},
                 out);
}

orr_status orr_submit_pagerank(orr_context *ctx, const orr_sparse *G, const orr_pagerank_opts *opts,
                               void *scores, orr_pagerank_result *result, orr_request **out)
{
    const orr_pagerank_opts o = opts ? *opts : (orr_pagerank_opts){0};
    if (out)
        *out = NULL;
    const unsigned entered = orr_context_entered(ctx);
    if (!ctx || !out || ctx->info.ranks > 1 || orr_pagerank_wrong(G, &o, scores, result))
        return ORR_E_ARG;
    return start(
        &(struct background){
            .ctx = ctx, .entered = entered, .A = G, .rank = o, .vectors = scores, .ranked = result},
        out);
}
