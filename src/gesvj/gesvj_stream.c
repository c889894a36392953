/* gesvj of a stream: a queue of requests of one matrix each. Their graphs are independent,
 * so that workers find tasks of several frames at any time; what the stream adds is the
 * order in which results leave, and the bound on how many frames are in flight.
 *
 *   push --> [ done | done | running | running | running ] --> pop, or deliver
 *             oldest                     at most in_flight
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/core/latency.h"
#include "src/gesvj/gesvj.h"

struct entry {
    struct entry *next;   /* younger */
    orr_request *request; /* NULL once it was waited for */
    orr_gesvj_result result;
    double pushed;
    _Atomic double ended; /* of the last task; 0: not yet */
};

struct orr_gesvj_stream {
    orr_context *ctx;
    orr_gesvj_opts opts;
    struct orr_gesvj_hub *hub;
    int in_flight;
    void (*deliver)(const orr_gesvj_result *, void *);
    void *arg;

    struct entry *oldest, *youngest;
    struct entry *running; /* the oldest that was not waited for */
    int running_count;
    int64_t pushed, left;
    orr_status worst;
    double first_push, last_end;
    struct orr_latencies latency; /* of those that were waited for */
    size_t trace_begin;           /* records of the context's trace before the stream */
    int64_t tasks, on_device;
    char plan[512];
};

/* From the worker that ran the frame's last task. */
static void on_last_task(int64_t done, int64_t total, void *arg)
{
    struct entry *e = arg;
    (void)total;
    if (done > 0)
        atomic_store(&e->ended, orr_now());
}

orr_status orr_gesvj_stream_open(orr_context *ctx, const orr_gesvj_opts *opts, int in_flight,
                                 void (*deliver)(const orr_gesvj_result *, void *), void *arg,
                                 orr_gesvj_stream **out)
{
    if (out)
        *out = NULL;
    if (!ctx || !out || in_flight < 0)
        return ORR_E_ARG;
    if (orr_barred() != ORR_OK)
        return orr_barred();
    const orr_gesvj_opts o = opts ? *opts : (orr_gesvj_opts){0};
    if (orr_gesvj_wrong_options(&o))
        return ORR_E_ARG;
    orr_gesvj_stream *s = calloc(1, sizeof *s);
    if (!s)
        return ORR_E_NOMEM;
    int workers = ctx->info.cpu + ctx->info.cuda + ctx->info.opencl;
    /* Two matrices fill each other's gaps on two kinds of processor, as in the source. */
    int enough = o.place == ORR_PLACE_PIPELINE ? 2 : 2 * workers > 4 ? 2 * workers : 4;
    struct orr_gesvj_hub *hub = orr_gesvj_hub_open(ctx, NULL, &o);
    if (hub)
        enough += (int)orr_gesvj_hub_fill(hub);
    *s = (orr_gesvj_stream){.ctx = ctx,
                            .opts = o,
                            .hub = hub,
                            .in_flight = in_flight ? in_flight : enough,
                            .deliver = deliver,
                            .arg = arg};
    if (ctx->trace)
        s->trace_begin = ctx->trace->count;
    *out = s;
    return ORR_OK;
}

/* ---- Waiting and leaving ------------------------------------------------------------------ */

static int graver(orr_status a, orr_status b) /* failures, then ORR_RANGE, ORR_NONFINITE ... */
{
    return a < 0 ? b >= 0 : b >= 0 && a > b;
}

/* The oldest running frame, until it is done. */
static void wait_one(orr_gesvj_stream *s)
{
    struct entry *e = s->running;
    orr_report report;
    orr_gesvj_result *r = &e->result;
    r->status = orr_wait(e->request, &report);
    e->request = NULL;
    s->running = e->next;
    s->running_count--;
    double ended = atomic_load(&e->ended);
    if (ended == 0) /* no task, or a failure */
        ended = orr_now();
    r->latency = ended - e->pushed;
    s->last_end = ended > s->last_end ? ended : s->last_end;
    s->tasks += report.tasks;
    s->on_device += r->info.method == ORR_METHOD_BLOCK && r->info.device;
    memcpy(s->plan, report.plan, sizeof s->plan);
    if (graver(r->status, s->worst))
        s->worst = r->status;
    orr_latencies_add(&s->latency, r->latency);
}

/* Takes the oldest result out; it must have been waited for. */
static orr_gesvj_result take(orr_gesvj_stream *s)
{
    struct entry *e = s->oldest;
    orr_gesvj_result r = e->result;
    s->oldest = e->next;
    if (!s->oldest)
        s->youngest = NULL;
    s->left++;
    free(e);
    return r;
}

/* A frame that has failed, or has no tasks, has no last one; what is pending of it is our own hold. */
static int oldest_is_done(const orr_gesvj_stream *s)
{
    const struct entry *e = s->oldest;
    return e &&
           (!e->request || atomic_load(&e->ended) != 0 || atomic_load(&e->request->pending) <= 1);
}

/* Hands over what is done, in order. */
static void deliver_done(orr_gesvj_stream *s)
{
    while (s->deliver && oldest_is_done(s)) {
        if (s->oldest->request)
            wait_one(s);
        orr_gesvj_result r = take(s);
        s->deliver(&r, s->arg);
    }
}

/* ---- Calls -------------------------------------------------------------------------------- */

orr_status orr_gesvj_stream_push(orr_gesvj_stream *s, const orr_gesvj_frame *f)
{
    if (!s || !f)
        return ORR_E_ARG;
    if (orr_barred() != ORR_OK)
        return orr_barred();
    while (s->running_count >= s->in_flight) {
        wait_one(s);
        deliver_done(s);
    }
    struct entry *e = calloc(1, sizeof *e);
    if (!e)
        return ORR_E_NOMEM;
    const int64_t k = f->m < f->n ? f->m : f->n;
    orr_batch A = {
        .type = f->type, .batch = 1, .m = f->m, .n = f->n, .a = (void *)f->a, .ld = f->ld};
    orr_batch w = {.type = orr_type_real(f->type), .batch = 1, .m = k, .n = 1, .a = f->s};
    orr_batch U = {.type = f->type, .batch = 1, .m = f->m, .n = k, .a = f->u, .ld = f->ldu};
    orr_batch V = {.type = f->type, .batch = 1, .m = f->n, .n = k, .a = f->v, .ld = f->ldv};
    orr_gesvj_opts o = s->opts;
    o.progress = on_last_task;
    o.progress_arg = e;
    o.check = o.check && f->u && f->v;
    e->result = (orr_gesvj_result){.frame = *f, .number = s->pushed};
    e->pushed = orr_now();
    struct orr_call call = orr_call_enter(s->ctx, "gesvj");
    orr_status st = orr_gesvj_submit(&call, &A, &w, f->u ? &U : NULL, f->v ? &V : NULL, &o,
                                     &e->result.info, s->hub, s->pushed, &e->request);
    if (st != ORR_OK) {
        free(e);
        return st;
    }
    if (s->pushed++ == 0)
        s->first_push = e->pushed;
    if (s->youngest)
        s->youngest->next = e;
    else
        s->oldest = e;
    s->youngest = e;
    if (!s->running)
        s->running = e;
    s->running_count++;
    deliver_done(s);
    return ORR_OK;
}

int orr_gesvj_stream_pop(orr_gesvj_stream *s, int wait, orr_gesvj_result *out)
{
    if (!s || orr_barred() != ORR_OK || !s->oldest || (!wait && !oldest_is_done(s)))
        return 0;
    if (s->oldest->request)
        wait_one(s);
    orr_gesvj_result r = take(s);
    if (out)
        *out = r;
    if (s->deliver)
        s->deliver(&r, s->arg);
    return 1;
}

/* ---- The report --------------------------------------------------------------------------- */

enum stage { OTHER, ANGLE, UPDATE };

static enum stage stage_of(const char *name)
{
    if (!strcmp(name, "gesvj_angle") || !strcmp(name, "gesvj_evd") || !strcmp(name, "gesvj_gram"))
        return ANGLE;
    return !strcmp(name, "gesvj_update") || !strcmp(name, "gesvj_update_v") ? UPDATE : OTHER;
}

static int by_start(const void *a, const void *b)
{
    const struct orr_trace_record *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* Seconds of `r` during which a task of the other stage of another frame ran. Records are in
 * the order of their starts, none is longer than `longest`; pieces of different workers that
 * overlap each other are counted once. */
static double beside(const struct orr_trace_record *rec, size_t count, size_t at, double longest)
{
    const struct orr_trace_record *r = rec + at;
    size_t first = at;
    while (first > 0 && rec[first - 1].start > r->start - longest)
        first--;
    double sum = 0, upto = r->start;
    for (size_t i = first; i < count && rec[i].start < r->end; i++) {
        const struct orr_trace_record *x = rec + i;
        if (x->tag == r->tag || stage_of(x->name) == stage_of(r->name))
            continue;
        double begin = x->start > upto ? x->start : upto, end = x->end < r->end ? x->end : r->end;
        if (end > begin) {
            sum += end - begin;
            upto = end;
        }
    }
    return sum;
}

/* Times of stages and their overlap, from the context's trace. */
static void look_at_trace(const orr_gesvj_stream *s, orr_gesvj_stream_report *out)
{
    struct orr_trace *t = s->ctx->trace;
    out->overlap = NAN;
    if (!t)
        return;
    STARPU_PTHREAD_MUTEX_LOCK(&t->lock);
    size_t count = t->count - s->trace_begin, kept = 0;
    struct orr_trace_record *rec = malloc((count + 1) * sizeof *rec);
    for (size_t i = 0; rec && i < count; i++)
        if (stage_of(t->record[s->trace_begin + i].name) != OTHER)
            rec[kept++] = t->record[s->trace_begin + i];
    STARPU_PTHREAD_MUTEX_UNLOCK(&t->lock);
    if (!rec)
        return;
    qsort(rec, kept, sizeof *rec, by_start);
    double longest = 0, shared = 0;
    for (size_t i = 0; i < kept; i++) {
        double length = rec[i].end - rec[i].start;
        longest = length > longest ? length : longest;
        *(stage_of(rec[i].name) == ANGLE ? &out->angle : &out->update) += 1e-6 * length;
    }
    for (size_t i = 0; i < kept; i++)
        shared += 1e-6 * beside(rec, kept, i, longest);
    if (kept)
        out->overlap = shared / (out->angle + out->update);
    free(rec);
}

orr_status orr_gesvj_stream_close(orr_gesvj_stream *s, orr_gesvj_stream_report *report)
{
    if (!s)
        return ORR_E_ARG;
    if (orr_barred() != ORR_OK)
        return orr_barred();
    while (s->running)
        wait_one(s);
    deliver_done(s);
    while (s->oldest)
        take(s);
    orr_gesvj_hub_close(s->hub);
    if (report) {
        *report = (orr_gesvj_stream_report){.frames = s->left,
                                            .tasks = s->tasks,
                                            .on_device = s->on_device,
                                            .seconds = s->left ? s->last_end - s->first_push : 0};
        memcpy(report->plan, s->plan, sizeof report->plan);
        report->latency_median = orr_latencies_median(&s->latency);
        report->latency_max = s->latency.largest;
        look_at_trace(s, report);
    }
    orr_status worst = s->worst;
    free(s);
    return worst;
}
