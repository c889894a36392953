/* heevj: eigenvalues and eigenvectors of a batch of Hermitian matrices.
 *
 * The batch is cut into chunks of matrices of one order. A chunk is solved in one of two
 * ways, both graphs of tasks that read and write only the chunk's own data, so that chunks
 * run side by side on whatever worker is free:
 *
 *   whole    A --> chunk --> A, w, info                 (on CPUs; on devices but by the block form)
 *
 *   block    A --> start --> sweep --> compact --> sweep --> compact --> ... --> finish --> A, w
 *                                         |                     |
 *                                      how many are left? --> one more sweep, or finish
 *
 * With devices, CPUs and devices draw from the same batch (heevj_share.c); chunks for a device fill
 * its processors.
 *
 * In the block form a sweep is always submitted before the count of the sweep before it is
 * known, so that no processor waits for the answer; a sweep with nothing left to do is
 * empty. Matrices of mixed sizes are sorted by order, gathered into chunks and scattered
 * back by tasks.
 *
 * Source: R. Huang, S. Liu, Y. Zhao, Batched eigenvalue decomposition algorithms for
 * Hermitian matrices on GPU, Computer Science 50(4), 397-403, 2023.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/range.h"
#include "src/heevj/heevj.h"

enum { MAX_N = 1024 };

/* ---- What the caller may ask for -------------------------------------------------------- */

/* null: what to say if there is no array. */
static const char *check_uniform(const orr_batch *b, int64_t rows, int64_t cols, const char *null)
{
    int64_t ld = b->ld ? b->ld : rows, one, all;
    if (ld < rows)
        return "leading dimension is smaller than the number of rows";
    if (__builtin_mul_overflow(ld, cols, &one) || one > UINT32_MAX)
        return "one matrix spans more than 2^32 elements";
    int64_t stride = b->stride ? b->stride : one;
    if (b->batch > 1 && stride < one)
        return "stride is smaller than one matrix";
    if (__builtin_mul_overflow(stride, b->batch, &all) || all > INT64_MAX / 16)
        return "the batch is larger than the address space";
    return b->a || all == 0 ? NULL : null;
}

/* NULL, or what is wrong. */
static const char *check_arguments(const orr_batch *A, const orr_batch *w, const orr_heevj_opts *o)
{
    if (!A || !w)
        return A ? "w is NULL" : "A is NULL";
    if ((int)A->type < 0 || A->type >= ORR_NTYPES)
        return "A has no type of s, d, c, z";
    if (w->type != orr_type_real(A->type))
        return "w is not of the real type of A";
    if (A->batch < 0 || w->batch != A->batch)
        return "A and w are not batches of the same size";
    if (o->jobz && o->jobz != 'N' && o->jobz != 'V')
        return "jobz is not 'N' or 'V'";
    if (o->uplo && o->uplo != 'L' && o->uplo != 'U')
        return "uplo is not 'L' or 'U'";
    if (o->max_sweeps < 0 || o->chunk < 0 || !(o->tol >= 0))
        return "max_sweeps, chunk or tol is negative";
    if ((int)o->method < 0 || o->method >= ORR_NMETHODS)
        return "no such method";
    if ((int)o->accuracy < 0 || o->accuracy >= ORR_NACCURACIES)
        return "no such accuracy";
    if (o->accuracy == ORR_ACCURACY_RELATIVE && o->method != ORR_METHOD_AUTO &&
        o->method != ORR_METHOD_JACOBI)
        return "only the method jacobi has relative accuracy";
    if (o->check && o->jobz == 'N')
        return "check needs the eigenvectors (jobz 'V')";
    if (!A->as != !w->as && A->batch > 0)
        return "A and w are not both of mixed sizes";
    if (!A->as) {
        if (A->n < 0 || A->n > MAX_N || A->m != A->n)
            return "A is not square of order 0 to 1024";
        if (w->m != A->n || w->n != 1)
            return "w is not n x 1";
        const char *wrong = check_uniform(A, A->n, A->n, "A.a is NULL");
        return wrong ? wrong : check_uniform(w, A->n, 1, "w.a is NULL");
    }
    for (int64_t k = 0; k < A->batch; k++) {
        int64_t n = A->ns ? A->ns[k] : -1;
        if (n < 0 || n > MAX_N || (A->ms && A->ms[k] != n))
            return "a matrix is not square of order 0 to 1024";
        if (A->lds && A->lds[k] < n)
            return "a matrix has too small a leading dimension";
        if (n > 0 && (!A->as[k] || !w->as[k]))
            return A->as[k] ? "an array of w.as is NULL" : "an array of A.as is NULL";
        if (n > 0 && A->lds && A->lds[k] > UINT32_MAX / n)
            return "one matrix spans more than 2^32 elements";
    }
    return NULL;
}

/* ---- The whole batch -------------------------------------------------------------------- */

static void submit_chunk(struct orr_heevj *h, struct orr_heevj_bucket *b, int64_t count,
                         orr_method method)
{
    const int64_t first = b->next;
    b->next += count;
    b->chunks++;
    orr_heevj_submit_chunk(h, b, first, count,
                           &(struct orr_heevj_way){.method = method, .where = b->where});
}

/* Matrices of order 0 are solved by saying so. */
static void settle_empty(struct orr_heevj *h, struct orr_heevj_bucket *b)
{
    for (; b->next < b->first + b->count; b->next++) {
        int64_t k = h->index ? h->index[b->next] : b->next;
        h->info[k] = (orr_matrix_info){.method = ORR_METHOD_JACOBI};
        if (!h->o.check)
            h->info[k].residual = h->info[k].orthogonality = NAN;
    }
}

/* What chunks are pieces of. Matrices of mixed sizes are copied by CPUs. */
static void pin_arrays(const struct orr_heevj *h)
{
    const orr_batch *A = &h->A, *w = &h->w;
    const size_t size = orr_type_size(A->type), real = orr_type_size(w->type);
    const int64_t apart = A->batch - 1;
    const size_t all = (size_t)(apart * A->stride) * size + orr_pin_bytes(A->n, A->n, A->ld, size);
    if (all < ORR_PIN_USERS)
        return;
    orr_request_pin(h->req, A->a, all, 0); /* results that are short keep a thread as well */
    if (!h->w_on)
        orr_request_pin(h->req, w->a, (size_t)(apart * w->stride + A->n) * real, 0);
    orr_request_pin(h->req, h->info, (size_t)A->batch * sizeof *h->info, 0);
}

static void submit_all(struct orr_heevj *h)
{
    int pilots = 0;
    for (int64_t i = 0; i < h->buckets; i++) {
        struct orr_heevj_bucket *b = &h->bucket[i];
        if (b->n == 0)
            settle_empty(h, b);
        const struct orr_heevj_pilots p = orr_heevj_choose(h, b);
        for (int k = 0; k < p.chunks; k++)
            submit_chunk(h, b, p.size, p.method[k % 2]);
        pilots |= p.chunks > 0;
    }
    if (pilots)
        orr_request_drain(h->req, 1);
    for (int64_t i = 0; i < h->buckets; i++) {
        struct orr_heevj_bucket *b = &h->bucket[i];
        orr_heevj_choose(h, b);
        if (!h->A.as && !h->A_on && b->n > 0 && b->where != ORR_ON_CPU)
            pin_arrays(h);
        if (b->shared && !h->req->plan) { /* who takes how many is seen while it runs */
            orr_heevj_share(h, b, orr_heevj_next_chunk(h, b));
            continue;
        }
        if (b->shared && b->on_device != ORR_METHOD_AUTO)
            orr_heevj_share_plan(h, b, orr_heevj_next_chunk(h, b));
        while (b->next < b->first + b->count)
            submit_chunk(h, b, orr_heevj_next_chunk(h, b), b->method);
    }
}

struct order {
    int64_t n, k;
};

static int descending(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->k > y->k) - (x->k < y->k);
}

/* Largest matrices first: the short tasks are left to fill the gaps at the end. */
static orr_status make_buckets(struct orr_heevj *h)
{
    int64_t batch = h->A.batch;
    if (!h->A.as) {
        h->bucket = calloc(1, sizeof *h->bucket);
        if (!h->bucket)
            return ORR_E_NOMEM;
        h->bucket[0] = (struct orr_heevj_bucket){.n = h->A.n, .count = batch};
        h->buckets = 1;
        return ORR_OK;
    }
    struct order *order = malloc((size_t)batch * sizeof *order);
    h->index = malloc((size_t)batch * sizeof *h->index);
    h->bucket = calloc(MAX_N + 1, sizeof *h->bucket);
    if (!order || !h->index || !h->bucket) {
        free(order);
        return ORR_E_NOMEM;
    }
    for (int64_t k = 0; k < batch; k++)
        order[k] = (struct order){h->A.ns[k], k};
    qsort(order, (size_t)batch, sizeof *order, descending);
    for (int64_t i = 0; i < batch; i++) {
        h->index[i] = order[i].k;
        if (i == 0 || order[i].n != order[i - 1].n)
            h->bucket[h->buckets++] =
                (struct orr_heevj_bucket){.n = order[i].n, .first = i, .next = i};
        h->bucket[h->buckets - 1].count++;
    }
    free(order);
    return ORR_OK;
}

static const char *const method_name[ORR_NMETHODS] = {[ORR_METHOD_JACOBI] = "jacobi",
                                                      [ORR_METHOD_BLOCK] = "block",
                                                      [ORR_METHOD_LAPACK] = "lapack",
                                                      [ORR_METHOD_LANES] = "lanes"};

/* Values that have to be looked at, in main memory. NULL: no memory, or the device is lost. */
static void *values_at_home(const struct orr_heevj *h)
{
    const orr_batch *w = &h->w;
    const size_t bytes = (size_t)((w->batch - 1) * w->stride + h->A.n) * orr_type_size(w->type);
    void *copy = malloc(bytes);
    if (copy && orr_device_copy(copy, w->a, bytes))
        return copy;
    free(copy);
    return NULL;
}

/* Runs in the waiting thread when everything is back: what came of it, and what was chosen. */
static orr_status finish(orr_request *req)
{
    struct orr_operation *op = orr_operation_of(req);
    struct orr_heevj *h = req->state;
    int64_t by_method[ORR_NMETHODS] = {0}, devices = 0, chunks = 0;
    orr_batch w = h->w;
    void *copy = NULL;

    for (int64_t k = 0; k < h->A.batch && !orr_request_failed(req); k++) {
        orr_matrix_info *i = &h->info[k];
        if (i->method > 0 && i->method < ORR_NMETHODS)
            by_method[i->method]++;
        devices += i->device != 0;
        if (req->plan || !orr_judge_looks(&w, i))
            continue;
        if (h->w_on && !copy)
            w.a = copy = values_at_home(h);
        if (w.a)
            orr_judge_batch(&w, k, h->A.as ? h->A.ns[k] : h->A.n, i);
        else
            i->status = ORR_RANGE; /* of what is not known the worst is said */
    }
    free(copy);
    for (int64_t i = 0; i < h->buckets; i++)
        chunks += h->bucket[i].chunks;
    int at = snprintf(op->plan, sizeof op->plan, "\"chunks\":%lld,\"on_device\":%lld",
                      (long long)chunks, (long long)devices);
    for (int m = 1; m < ORR_NMETHODS; m++)
        if (by_method[m])
            at += snprintf(op->plan + at, sizeof op->plan - (size_t)at, ",\"%s\":%lld",
                           method_name[m], (long long)by_method[m]);

    const orr_status st = orr_request_failed(req) ? ORR_OK : orr_judge_all(op, h->info, h->A.batch);
    if (h->own_info)
        free(h->info);
    free(h->index);
    free(h->bucket);
    free(h);
    return st;
}

static void *rates_make(void) { return orr_heevj_rates_make(); }
static void rates_drop(void *r) { orr_heevj_rates_free(r); }
static const struct orr_memory rates = {rates_make, rates_drop};

static orr_status submit(struct orr_call *call, const orr_batch *A, const orr_batch *w,
                         const orr_heevj_opts *opts, orr_matrix_info *info, orr_request **out)
{
    orr_heevj_opts o = opts ? *opts : (orr_heevj_opts){0};
    orr_context *ctx = call->ctx;
    const orr_batch *const batches[] = {A, w};
    if (orr_call_refused(call, out, check_arguments(A, w, &o)) ||
        orr_call_batches_overlap(call, batches, (const int[]){ORR_IN | ORR_OUT, ORR_OUT}, 2) ||
        orr_call_batches_there(call, batches, 2, info))
        return call->status;
    orr_batch matrices = orr_laid_out(A), values = orr_laid_out(w);
    int A_on = 0, w_on = 0;
    const struct orr_array arrays[] = {
        orr_stays(orr_array_of(&matrices, ORR_IN | ORR_OUT), 1, &A_on),
        orr_stays(orr_array_of(&values, ORR_OUT), 1, &w_on)};
    if (orr_call_home(call, arrays, 2))
        return call->status;
    orr_request *req;
    struct orr_heevj *h = orr_call_begin(call, sizeof *h, finish, &req);
    if (!h)
        return call->status;
    *h = (struct orr_heevj){.ctx = ctx,
                            .req = req,
                            .A = matrices,
                            .w = values,
                            .A_on = A_on,
                            .w_on = w_on,
                            .o = o,
                            .info = req->plan ? NULL : info};
    if (!h->o.jobz)
        h->o.jobz = 'V';
    if (!h->info) {
        h->own_info = 1;
        h->info = calloc(A->batch ? (size_t)A->batch : 1, sizeof *h->info);
    }
    req->parts_total = A->batch;
    req->progress = o.progress;
    req->progress_arg = o.progress_arg;
    h->rates = orr_context_memory(ctx, &rates);
    if (!h->info || !h->rates || make_buckets(h) != ORR_OK) {
        orr_request_fail(req, ORR_E_NOMEM, "heevj");
        return orr_wait(req, NULL);
    }
    if (call->waits && orr_heevj_is_small(h))
        orr_request_here(req);
    submit_all(h);
    orr_call_submitted(call, req);
    *out = req;
    return ORR_OK;
}

orr_status orr_submit_heevj(orr_context *ctx, const orr_batch *A, const orr_batch *w,
                            const orr_heevj_opts *opts, orr_matrix_info *info, orr_request **out)
{
    struct orr_call call = orr_call_enter(ctx, "heevj");
    return submit(&call, A, w, opts, info, out);
}

orr_status orr_heevj(orr_context *ctx, const orr_batch *A, const orr_batch *w,
                     const orr_heevj_opts *opts, orr_matrix_info *info, orr_report *report)
{
    struct orr_call call = orr_call_enter_and_wait(ctx, "heevj");
    orr_request *req;
    const orr_status st = submit(&call, A, w, opts, info, &req);
    return orr_call_end(&call, st, &req, report);
}
