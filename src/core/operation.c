/* See operation.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/core/operation.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/device.h"
#include "codelets/core/numbers.h"
#include "src/core/blas.h"
#include "src/core/internal.h"

const char *orr_why(orr_status st)
{
    if (st == ORR_OK || st != orr_barred())
        return orr_strerror(st);
    return st == ORR_E_NOWORKER
               ? "this process was forked while StarPU ran, whose workers stayed with the parent"
               : "called by a worker, as progress functions and tasks are, which would wait for itself";
}

orr_status orr_refused(orr_status st, const char *who, const char *why, orr_report *report)
{
    if (report) {
        *report = (orr_report){.status = st, .culprit = st == ORR_OK ? NULL : who, .index = -1};
        snprintf(report->message, sizeof report->message, "%s", why ? why : orr_why(st));
    }
    return st;
}

/* ---- Arrays on devices -------------------------------------------------------------------------- */

/* The copy in main memory of an array that is on a device. */
struct orr_guest {
    struct orr_guest *next;
    void *here, *there;
    size_t bytes;
    int how;
};

struct orr_array orr_array(void **at, int64_t rows, int64_t columns, int64_t ld, size_t element,
                           int how)
{
    return (struct orr_array){.at = at,
                              .bytes = orr_pin_bytes(rows, columns, ld, element),
                              .column = (size_t)rows * element,
                              .step = columns > 1 ? (size_t)ld * element : 0,
                              .element = element,
                              .how = ld > rows && columns > 1 ? how | ORR_IN : how};
}

/* y begins within x. Where both have columns as far apart, or y is one column, those of y may lie in the gaps
 * between x's. */
static int shared(const struct orr_array *x, const struct orr_array *y)
{
    const size_t from = (size_t)((uintptr_t)*y->at - (uintptr_t)*x->at);
    if ((uintptr_t)*y->at < (uintptr_t)*x->at || from >= x->bytes)
        return 0;
    return !x->step || (y->step && y->step != x->step) || from % x->step < x->column ||
           from % x->step + y->column > x->step;
}

static int refuse_overlap(struct orr_call *call)
{
    orr_call_refuse(call, ORR_E_ARG, -1, "an array of results overlaps another array");
    return 1;
}

int orr_call_overlaps(struct orr_call *call, const struct orr_array *arrays, int count)
{
    for (int i = 0; i < count && !call->ctx->planner; i++)
        for (int j = 0; j < count; j++) {
            const struct orr_array *x = &arrays[i], *y = &arrays[j];
            if (i != j && x->bytes && y->bytes && ((x->how | y->how) & ORR_OUT) && shared(x, y))
                return refuse_overlap(call);
        }
    return 0;
}

/* Elements from a matrix of a batch to the next; 1 if there is none. */
static int64_t stride_of(const orr_batch *b)
{
    const int64_t ld = b->ld ? b->ld : b->m;
    return b->batch < 2 ? 1 : b->stride ? b->stride : ld * b->n;
}

static struct orr_array matrix_of(const orr_batch *b, int64_t k, void **at)
{
    const size_t element = orr_type_size(b->type);
    *at = (char *)b->a + (size_t)(k * stride_of(b)) * element;
    return orr_array(at, b->m, b->n, b->ld ? b->ld : b->m, element, 0);
}

static uintptr_t end_of(const struct orr_array *x) { return (uintptr_t)*x->at + x->bytes; }

/* The matrix of x in whose stride y begins; 0: y begins before. */
static int64_t first_beside(const orr_batch *x, const orr_batch *y)
{
    const uintptr_t from = (uintptr_t)x->a, to = (uintptr_t)y->a;
    const int64_t step = stride_of(x) * (int64_t)orr_type_size(x->type);
    return x->batch > 1 && to > from ? (int64_t)((to - from) / (uintptr_t)step) : 0;
}

/* Matrices of both that follow each other until they lie as those before. */
static int64_t period(const orr_batch *x, const orr_batch *y)
{
    const int64_t a = stride_of(x) * (int64_t)orr_type_size(x->type),
                  b = stride_of(y) * (int64_t)orr_type_size(y->type);
    int64_t divisor = a;
    for (int64_t rest = b, next; rest > 0; rest = next) {
        next = divisor % rest;
        divisor = rest;
    }
    return a / divisor + b / divisor;
}

/* The matrices of a batch do not overlap: one walk through both, from where they meet. */
static int batches_share(const orr_batch *x, const orr_batch *y)
{
    void *at_x, *at_y;
    if (x->as || y->as || x->batch == 0 || y->batch == 0)
        return 0;
    struct orr_array a = matrix_of(x, x->batch - 1, &at_x), b = matrix_of(y, y->batch - 1, &at_y);
    if (a.bytes == 0 || b.bytes == 0 || end_of(&a) <= (uintptr_t)y->a ||
        end_of(&b) <= (uintptr_t)x->a)
        return 0;
    const int both = x->batch > 1 && y->batch > 1;
    int64_t i = first_beside(x, y), j = first_beside(y, x),
            left = both ? period(x, y) + 2 : INT64_MAX;
    while (i < x->batch && j < y->batch && left-- > 0) {
        a = matrix_of(x, i, &at_x);
        b = matrix_of(y, j, &at_y);
        if (shared(&a, &b) || shared(&b, &a))
            return 1;
        if (end_of(&a) < end_of(&b))
            i++;
        else
            j++;
    }
    return 0;
}

int orr_call_batches_overlap(struct orr_call *call, const orr_batch *const *batches, const int *how,
                             int count)
{
    for (int i = 0; i < count && !call->ctx->planner; i++)
        for (int j = 0; j < i; j++)
            if (batches[i] && batches[j] && ((how[i] | how[j]) & ORR_OUT) &&
                batches_share(batches[i], batches[j]))
                return refuse_overlap(call);
    return 0;
}

/* Results go back if `results`; the copies are freed. 0: the device failed. */
static int let_go(struct orr_guest **guests, int results)
{
    int fine = 1;
    for (struct orr_guest *g = *guests, *next; g; g = next) {
        next = g->next;
        if (results && (g->how & ORR_OUT) && !orr_device_copy(g->there, g->here, g->bytes))
            fine = 0;
        free(g->here);
        free(g);
    }
    *guests = NULL;
    return fine;
}

static size_t bytes_of(const struct orr_guest *guests)
{
    size_t bytes = 0;
    for (const struct orr_guest *g = guests; g; g = g->next)
        bytes += g->bytes;
    return bytes;
}

int orr_call_home(struct orr_call *call, const struct orr_array *arrays, int count)
{
    for (int k = 0; k < count && !call->ctx->planner; k++) {
        const struct orr_array *a = &arrays[k];
        const int on = a->bytes > 0 ? orr_device_of(*a->at) : 0;
        if (on < 0) {
            orr_call_refuse(call, ORR_E_ARG, -1,
                            "an array is in the memory of a device that is not used");
            return 1;
        }
        if (a->on && on > 0 && (uintptr_t)*a->at % a->element != 0) {
            orr_call_refuse(
                call, ORR_E_ARG, -1,
                "an array on a device does not begin at a multiple of its elements' size");
            return 1;
        }
        if (a->on)
            *a->on = on;
        if (a->on || on == 0)
            continue;
        struct orr_guest *g = malloc(sizeof *g);
        void *here = g ? malloc(a->bytes) : NULL;
        if (!here) {
            free(g);
            orr_call_refuse(call, ORR_E_NOMEM, -1, NULL);
            return 1;
        }
        *g = (struct orr_guest){
            .next = call->guests, .here = here, .there = *a->at, .bytes = a->bytes, .how = a->how};
        call->guests = g;
        if ((a->how & ORR_IN) && !orr_device_copy(here, g->there, a->bytes)) {
            orr_call_refuse(call, ORR_E_DEVICE, -1, NULL);
            return 1;
        }
        *a->at = here;
    }
    return 0;
}

int orr_call_batches_there(struct orr_call *call, const orr_batch *const *batches, int count,
                           const orr_matrix_info *info)
{
    int there = 0;
    for (int i = 0; i < count && !call->ctx->planner; i++)
        there |= batches[i] && batches[i]->as && batches[i]->batch > 0 &&
                 orr_device_of(batches[i]->as[0]) != 0;
    if (there)
        orr_call_refuse(call, ORR_E_ARG, -1, "matrices of mixed sizes are in main memory");
    else if (!call->ctx->planner && orr_device_of(info) != 0)
        orr_call_refuse(call, ORR_E_ARG, -1, "info is in main memory");
    return call->status != ORR_OK;
}

orr_batch orr_laid_out(const orr_batch *b)
{
    orr_batch x = *b;
    if (!x.as) {
        x.ld = b->ld ? b->ld : b->m;
        x.stride = b->stride ? b->stride : x.ld * b->n;
    } else {
        x.stride = 0;
    }
    return x;
}

struct orr_array orr_array_of(orr_batch *b, int how)
{
    const int exists = !b->as && b->batch > 0 && b->m > 0 && b->n > 0;
    const int gaps = b->ld != b->m || b->stride != b->m * b->n;
    const int64_t elements = exists ? (b->batch - 1) * b->stride + (b->n - 1) * b->ld + b->m : 0;
    return orr_array(&b->a, elements, 1, elements, orr_type_size(b->type),
                     gaps ? how | ORR_IN : how);
}

orr_status orr_call_deliver(struct orr_call *call)
{
    return let_go(&call->guests, 1)
               ? ORR_OK
               : orr_call_refuse(call, ORR_E_DEVICE, -1,
                                 "the results could not be copied to the device");
}

/* ---- Requests ---------------------------------------------------------------------------------- */

/* Workers that find no more tasks poll, and on a full node the waiting thread would then
 * get its processor back only at the end of a time slice (4 ms, seen). So the last task of a
 * request pauses them itself; not with devices, whose workers still bring the data home. */
static void leave_early(orr_request *r)
{
    struct orr_operation *op = orr_operation_of(r);
    op->left = 1;
    orr_context_leave(op->ctx);
}

static void go(orr_request *r) { orr_context_enter(orr_operation_of(r)->ctx); }

orr_request *orr_context_request(orr_context *c, unsigned entered)
{
    struct orr_operation *op = calloc(1, sizeof *op);
    if (!op)
        return NULL;
    op->ctx = c;
    op->index = -1;
    op->request.in_flight = c->in_flight;
    op->request.cancels =
        c->info.ranks == 1 ? &c->cancels : NULL; /* the others would wait for ever */
    op->request.since = entered;
    op->request.trace = c->recording ? c->trace : NULL;
    op->request.samples = c->samples;
    op->request.spare = &c->spare;
    op->request.plan = c->planner;
    if (!c->planner && c->info.cuda + c->info.opencl == 0)
        op->request.idle = leave_early;
    op->request.go = go;
    orr_request_begin(&op->request);
    if (!c->planner) /* a task is one thread; it may run before `go` if others keep StarPU awake */
        orr_blas_alone();
    return &op->request;
}

/* What no worker could run is too large for a device, and was for devices only. */
static int is_too_large(orr_request *r)
{
    const char *what = atomic_load(&r->too_large);
    return what && r->culprit && strcmp(what, r->culprit) == 0;
}

/* What was copied from and to devices that they had. */
static void tell_staged(struct orr_operation *op)
{
    const size_t at = strlen(op->plan);
    char staged[32];
    const int length =
        snprintf(staged, sizeof staged, "%s\"staged\":%zu", at ? "," : "", bytes_of(op->guests));
    if (at + (size_t)length < sizeof op->plan)
        memcpy(op->plan + at, staged, (size_t)length + 1);
}

orr_status orr_wait(orr_request *r, orr_report *report)
{
    struct orr_operation *op = orr_operation_of(r);
    if (!r)
        return orr_refused(ORR_E_ARG, "wait", "the request is NULL", report);
    orr_status st = orr_barred();
    if (st != ORR_OK)
        return orr_refused(st, "wait", NULL, report);
    st = orr_request_end(r);
    if (r->gone && !op->left)
        orr_context_leave(op->ctx);
    if (!r->plan)
        orr_blas_restore();
    if (r->finish) {
        const locale_t locale = orr_numbers_begin();
        orr_status outcome = r->finish(r);
        orr_numbers_end(locale);
        if (st == ORR_OK)
            st = outcome;
    }
    if (op->guests)
        tell_staged(op);
    if (!let_go(&op->guests, st >= 0)) {
        st = ORR_E_DEVICE;
        snprintf(op->message, sizeof op->message, "the results could not be copied to the device");
    }
    if (r->plan)
        memcpy(op->ctx->planned, op->plan, sizeof op->plan);
    if (report) {
        *report = (orr_report){.status = st,
                               .culprit = st < 0 ? r->culprit : NULL,
                               .index = op->index,
                               .tasks = atomic_load(&r->tasks),
                               .seconds = r->ended - r->begun};
        memcpy(report->plan, op->plan, sizeof report->plan);
        if (st == ORR_E_CANCELLED)
            snprintf(report->message, sizeof report->message, "%s", orr_strerror(st));
        else if (st == ORR_E_NOWORKER && is_too_large(r))
            snprintf(report->message, sizeof report->message,
                     "the data do not fit into the memory of the devices (in %s)", r->culprit);
        else if (st < 0 && !op->message[0])
            snprintf(report->message, sizeof report->message, "%s (in %s)", orr_strerror(st),
                     r->culprit ? r->culprit : "?");
        else
            memcpy(report->message, op->message, sizeof report->message);
    }
    free(op);
    return st;
}

/* ---- Calls ------------------------------------------------------------------------------------- */

struct orr_call orr_call_enter(orr_context *ctx, const char *who)
{
    return (struct orr_call){
        .ctx = ctx, .who = who, .entered = orr_context_entered(ctx), .index = -1};
}

struct orr_call orr_call_enter_and_wait(orr_context *ctx, const char *who)
{
    struct orr_call call = orr_call_enter(ctx, who);
    call.waits = 1;
    return call;
}

orr_status orr_call_refuse(struct orr_call *call, orr_status st, int64_t index, const char *format,
                           ...)
{
    let_go(&call->guests, 0);
    call->status = st;
    call->index = index;
    if (format) {
        va_list words;
        va_start(words, format);
        vsnprintf(call->message, sizeof call->message, format, words);
        va_end(words);
    } else {
        snprintf(call->message, sizeof call->message, "%s", orr_why(st));
    }
    return st;
}

orr_status orr_call_refuse_entry(struct orr_call *call, int64_t index, int64_t row, int64_t column)
{
    return orr_call_refuse(call, ORR_E_NONFINITE, index,
                           "entry (%lld, %lld), counted from 0, is NaN or infinite", (long long)row,
                           (long long)column);
}

int orr_call_refused(struct orr_call *call, orr_request **out, const char *wrong)
{
    if (out)
        *out = NULL;
    if (!call->ctx || !out)
        wrong = call->ctx ? "no place for the request" : "the context is NULL";
    if (wrong)
        orr_call_refuse(call, ORR_E_ARG, -1, "%s", wrong);
    else if (orr_barred() != ORR_OK)
        orr_call_refuse(call, orr_barred(), -1, NULL);
    return call->status != ORR_OK;
}

void *orr_call_begin(struct orr_call *call, size_t size, orr_status (*finish)(orr_request *),
                     orr_request **out)
{
    void *state = calloc(1, size);
    orr_request *req = state ? orr_context_request(call->ctx, call->entered) : NULL;
    if (!req) {
        free(state);
        orr_call_refuse(call, ORR_E_NOMEM, -1, NULL);
        return NULL;
    }
    req->finish = finish;
    req->state = state;
    orr_operation_of(req)->guests = call->guests;
    call->guests = NULL;
    *out = req;
    return state;
}

void orr_call_submitted(const struct orr_call *call, orr_request *req)
{
    if (!call->waits)
        orr_request_go(req);
}

orr_status orr_call_end(const struct orr_call *call, orr_status st, orr_request *const *req,
                        orr_report *report)
{
    if (st == ORR_OK)
        return orr_wait(*req, report);
    orr_refused(st, call->who, call->message[0] ? call->message : NULL, report);
    if (report)
        report->index = call->index;
    return st;
}
