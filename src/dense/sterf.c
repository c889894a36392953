/* sterf: the eigenvalues of a real symmetric tridiagonal matrix T, by bisection, each on its own. A
 * task has some of them, and none waits for another:
 *
 *     d, e --values--> w[0 .. c-1],  w[c .. 2c-1],  ...
 *
 * It is the solver of heev without vectors (src/dense/heev.c), on a matrix of the user.
 *
 * Sources: docs/algorithms/heev.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/least.h"
#include "codelets/dense/heev.h"
#include "src/core/pieces.h"
#include "src/core/range.h"

struct sterf {
    struct orr_tridiagonal t;
    atomic_int failed;
    _Atomic double begun, ended;
};

static const char *check_arguments(orr_type type, int64_t n, const void *d, const void *e,
                                   const void *w, const orr_sterf_opts *o)
{
    if (type != ORR_S && type != ORR_D)
        return "the type is neither s nor d";
    if (n < 0)
        return "n is negative";
    if (n > INT32_MAX)
        return "the matrix is larger than the address space";
    if (n > 0 && !d)
        return "d is NULL";
    if (n > 1 && !e)
        return "e is NULL";
    if (n > 0 && !w)
        return "w is NULL";
    if (o->il || o->iu ? o->il < 1 || o->iu < o->il || o->iu > n : 0)
        return "il and iu are not 1 <= il <= iu <= n";
    return NULL;
}

static orr_status finish(orr_request *req)
{
    struct sterf *h = req->state;
    struct orr_operation *op = orr_operation_of(req);
    orr_status st = ORR_OK;
    if (!orr_request_failed(req) && !req->plan) {
        if (h->failed) {
            st = ORR_NOCONV;
            snprintf(op->message, sizeof op->message, "the values did not converge");
        } else {
            orr_heev_ascend(&h->t, h->t.count);
            st = orr_judge_range(op, h->t.type, h->t.count, h->t.w, "w");
        }
    }
    free(h->t.d);
    free(h->t.e);
    free(h);
    return st;
}

/* w may be d: T is copied. */
static int copy(orr_request *req, struct orr_tridiagonal *t, const void *d, const void *e)
{
    const size_t size = orr_type_size(t->type), bytes = (size_t)t->n * size;
    t->d = orr_own_memory(req, ORR_ON_CPU, 0, bytes, "sterf");
    t->e = orr_own_memory(req, ORR_ON_CPU, 0, bytes, "sterf");
    if (!t->d || !t->e)
        return 0;
    if (!req->plan) {
        memcpy(t->d, d, bytes);
        if (t->n > 1)
            memcpy(t->e, e, bytes - size);
    }
    return 1;
}

static void submit_values(orr_request *req, struct orr_tridiagonal *t)
{
    const int64_t at_once = orr_heev_values_at_once(t->n);
    if (!req->here)
        t->T = orr_request_vector(req, t->d, t->n, orr_type_size(t->type));
    for (int64_t k = 0; k < t->count && !orr_request_failed(req); k += at_once)
        orr_insert_heev_values(req, 0, t, k, orr_least(at_once, t->count - k));
}

/* The first entry that is not finite. */
static orr_status refuse_entry(struct orr_call *call, const char *array, int64_t i)
{
    return orr_call_refuse(call, ORR_E_NONFINITE, i, "%s[%lld] is NaN or infinite", array,
                           (long long)i);
}

static orr_status submit(struct orr_call *call, orr_type type, int64_t n, void *d, void *e, void *w,
                         const orr_sterf_opts *opts, orr_request **out)
{
    const orr_sterf_opts o = opts ? *opts : (orr_sterf_opts){0};
    if (orr_call_refused(call, out, check_arguments(type, n, d, e, w, &o)))
        return call->status;
    const int64_t count = o.il ? o.iu - o.il + 1 : n;
    const size_t size = orr_type_size(type);
    const struct orr_array arrays[] = {orr_array(&d, n, 1, n, size, ORR_IN),
                                       orr_array(&e, n - 1, 1, n, size, ORR_IN),
                                       orr_array(&w, count, 1, count, size, ORR_OUT)};
    const int in_place = w == d;
    if (orr_call_overlaps(call, arrays + in_place, 3 - in_place) || orr_call_home(call, arrays, 3))
        return call->status;
    const int plans = call->ctx->planner != NULL;
    const int64_t of_d = plans ? -1 : orr_beyond(type, n, d),
                  of_e = plans ? -1 : orr_beyond(type, n - 1, e);
    if (of_d >= 0 || of_e >= 0)
        return refuse_entry(call, of_d >= 0 ? "d" : "e", of_d >= 0 ? of_d : of_e);
    orr_request *req;
    struct sterf *h = orr_call_begin(call, sizeof *h, finish, &req);
    if (!h)
        return call->status;
    struct orr_tridiagonal *t = &h->t;
    *t = (struct orr_tridiagonal){.type = type,
                                  .n = n,
                                  .scale = 1,
                                  .first = o.il ? o.il - 1 : 0,
                                  .count = count,
                                  .w = w,
                                  .solver = {&h->failed, &h->begun, &h->ended}};
    t->parts = req->parts_total = t->count;
    req->progress = o.progress;
    req->progress_arg = o.progress_arg;
    if (call->waits && t->count <= orr_heev_values_at_once(n))
        orr_request_here(req);
    snprintf(orr_operation_of(req)->plan, sizeof orr_operation_of(req)->plan, "\"method\":\"%s\"",
             orr_heev_values_method(n));
    if (n > 0 && copy(req, t, d, e))
        submit_values(req, t);
    orr_call_submitted(call, req);
    *out = req;
    return ORR_OK;
}

orr_status orr_submit_sterf(orr_context *ctx, orr_type type, int64_t n, const void *d,
                            const void *e, void *w, const orr_sterf_opts *opts, orr_request **out)
{
    struct orr_call call = orr_call_enter(ctx, "sterf");
    return submit(&call, type, n, (void *)d, (void *)e, w, opts, out);
}

orr_status orr_sterf(orr_context *ctx, orr_type type, int64_t n, const void *d, const void *e,
                     void *w, const orr_sterf_opts *opts, orr_report *report)
{
    struct orr_call call = orr_call_enter_and_wait(ctx, "sterf");
    orr_request *req;
    const orr_status st = submit(&call, type, n, (void *)d, (void *)e, w, opts, &req);
    return orr_call_end(&call, st, &req, report);
}
