/* What a trace says of the run since its mark, and what StarPU counted meanwhile: <orrery/trace.h>.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "orrery/trace.h"
#include "src/trace/trace_picture.h"

typedef struct orr_trace_record record;

/* Reading StarPU's counters sets them to zero. a NULL: only that. */
static void links(orr_analysis *a)
{
    for (int bus = 0; bus < starpu_bus_get_count(); bus++) {
        struct starpu_profiling_bus_info info;
        starpu_bus_get_profiling_info(bus, &info);
        if (!a || info.transfer_count == 0 || a->links == ORR_ANALYSIS_LINKS)
            continue;
        orr_analysis_link *l = &a->link[a->links++];
        starpu_memory_node_get_name((unsigned)starpu_bus_get_src(bus), l->from, sizeof l->from);
        starpu_memory_node_get_name((unsigned)starpu_bus_get_dst(bus), l->to, sizeof l->to);
        l->bytes = info.transferred_bytes;
        l->transfers = info.transfer_count;
    }
}

void orr_trace_mark(orr_context *c, int forget)
{
    struct orr_trace *t = c ? c->trace : NULL;
    if (!t || orr_forked())
        return;
    STARPU_PTHREAD_MUTEX_LOCK(&t->lock);
    if (t->count > t->mark)
        t->run++;
    if (forget)
        t->count = t->accesses = t->lost = 0;
    t->mark = t->count;
    t->mark_lost = t->lost;
    STARPU_PTHREAD_MUTEX_UNLOCK(&t->lock);
    links(NULL);
}

void orr_trace_enable(orr_context *c, int on)
{
    if (!c || !c->trace || c->recording == (on != 0) || orr_forked())
        return;
    c->recording = on != 0;
    starpu_profiling_status_set(on ? STARPU_PROFILING_ENABLE : STARPU_PROFILING_DISABLE);
}

static int by_number(const void *x, const void *y)
{
    const record *a = x, *b = y;
    return (a->number > b->number) - (a->number < b->number);
}

orr_status orr_trace_analyse(orr_context *c, orr_analysis *a)
{
    if (!c || !c->trace || !a)
        return ORR_E_ARG;
    if (orr_forked())
        return ORR_E_NOWORKER;
    struct orr_trace *t = c->trace;
    *a = (orr_analysis){0};
    STARPU_PTHREAD_MUTEX_LOCK(&t->lock);
    const size_t n = t->count - t->mark;
    a->lost = (int64_t)(t->lost - t->mark_lost);
    int workers;
    struct orr_picture_worker *worker = orr_trace_workers(&workers);
    record *r = malloc((n + 1) * sizeof *r);
    orr_status st = r && worker ? ORR_OK : ORR_E_NOMEM;
    if (st == ORR_OK) {
        if (n)
            memcpy(r, t->record + t->mark, n * sizeof *r);
        qsort(r, n, sizeof *r, by_number);
        st = orr_analyse(a, worker, workers, r, n, t->access);
    }
    t->analysed = t->run++;
    STARPU_PTHREAD_MUTEX_UNLOCK(&t->lock);
    free(r);
    free(worker);
    links(a);
    if (!c->last)
        c->last = malloc(sizeof *c->last);
    if (c->last)
        *c->last = *a;
    return st;
}
