/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/graph/dag.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const orr_dag_kind_name[ORR_DAG_COUNT] = {"cpu", "cuda", "opencl", "hip"};

/* ---- Names, each kept once ------------------------------------------------------------------- */

struct orr_dag_names {
    char **slot;
    size_t slots, count;
};

static uint64_t mix(uint64_t h, uint64_t x) { return (h ^ x) * 0x100000001b3u; }

static size_t slot_of(const struct orr_dag_names *n, const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (const char *s = text; *s; s++)
        h = mix(h, (unsigned char)*s);
    for (size_t i = h % n->slots;; i = (i + 1) % n->slots)
        if (!n->slot[i] || !strcmp(n->slot[i], text))
            return i;
}

static int more_slots(struct orr_dag_names *n)
{
    const struct orr_dag_names old = *n;
    n->slots = old.slots ? 2 * old.slots : 64;
    n->slot = calloc(n->slots, sizeof *n->slot);
    if (!n->slot) {
        *n = old;
        return 0;
    }
    for (size_t i = 0; i < old.slots; i++)
        if (old.slot[i])
            n->slot[slot_of(n, old.slot[i])] = old.slot[i];
    free(old.slot);
    return 1;
}

const char *orr_dag_name(struct orr_dag *g, const char *text)
{
    struct orr_dag_names *n = g->names;
    char *copy = strdup(text && *text ? text : "-");
    if (!n || !copy || (2 * n->count >= n->slots && !more_slots(n))) {
        free(copy);
        g->failed = 1;
        return "-";
    }
    for (char *c = copy; *c; c++)
        if (isspace((unsigned char)*c) || iscntrl((unsigned char)*c))
            *c = '_';
    char **slot = &n->slot[slot_of(n, copy)];
    if (*slot) {
        free(copy);
        return *slot;
    }
    n->count++;
    return *slot = copy;
}

/* ---- Making one ------------------------------------------------------------------------------- */

void orr_dag_init(struct orr_dag *g)
{
    *g = (struct orr_dag){.host = "unknown"};
    g->names = calloc(1, sizeof *g->names);
    g->failed = !g->names;
}

void orr_dag_free(struct orr_dag *g)
{
    for (size_t i = 0; g->names && i < g->names->slots; i++)
        free(g->names->slot[i]);
    if (g->names)
        free(g->names->slot);
    free(g->names);
    free(g->task);
    free(g->access);
    free(g->data);
    free(g->before);
    *g = (struct orr_dag){.failed = 0};
}

/* Room for one more; 0 and `failed`: there is none. */
static int grow(struct orr_dag *g, void *array, size_t n, size_t *room, size_t size)
{
    void **v = array;
    if (g->failed || n < *room)
        return !g->failed;
    const size_t more = *room ? 2 * *room : 256;
    void *p = realloc(*v, more * size);
    if (!p) {
        g->failed = 1;
        return 0;
    }
    *v = p;
    *room = more;
    return 1;
}

uint64_t orr_dag_data(struct orr_dag *g, size_t bytes)
{
    if (!grow(g, &g->data, g->all_data, &g->data_room, sizeof *g->data))
        return 0;
    g->data[g->all_data++].bytes = bytes;
    return g->all_data;
}

struct orr_dag_task *orr_dag_task(struct orr_dag *g, const char *name, const char *model)
{
    if (!grow(g, &g->task, g->tasks, &g->task_room, sizeof *g->task))
        return NULL;
    struct orr_dag_task *t = &g->task[g->tasks++];
    *t = (struct orr_dag_task){.owner = -1,
                               .kind = -1,
                               .worker = -1,
                               .rank = -1,
                               .node = -1,
                               .submit = NAN,
                               .ready = NAN,
                               .start = NAN,
                               .end = NAN,
                               .flops = NAN,
                               .joules = NAN,
                               .first = g->accesses,
                               .after = g->befores};
    for (int k = 0; k < ORR_DAG_COUNT; k++)
        t->t[k] = NAN;
    t->name = orr_dag_name(g, name);
    t->model = orr_dag_name(g, model);
    return t;
}

void orr_dag_access(struct orr_dag *g, uint64_t data, int mode, size_t bytes)
{
    if (!grow(g, &g->access, g->accesses, &g->access_room, sizeof *g->access))
        return;
    g->access[g->accesses++] = (struct orr_trace_access){data, mode, bytes};
    g->task[g->tasks - 1].accesses++;
}

void orr_dag_after_of(struct orr_dag *g, size_t task, size_t before)
{
    if (!grow(g, &g->before, g->befores, &g->before_room, sizeof *g->before))
        return;
    g->before[g->befores++] = (uint32_t)before;
    g->task[task].afters++;
}

void orr_dag_after(struct orr_dag *g, size_t before) { orr_dag_after_of(g, g->tasks - 1, before); }

/* ---- Groups and times ---------------------------------------------------------------------------- */

static int alike(const struct orr_dag_task *a, const struct orr_dag_task *b)
{
    return a->name == b->name && a->model == b->model && a->footprint == b->footprint;
}

size_t orr_dag_group(struct orr_dag *g)
{
    const size_t slots = 2 * g->tasks + 1;
    size_t *first = calloc(slots, sizeof *first), groups = 0; /* task + 1 by hash; 0: free */
    if (!first)
        return SIZE_MAX;
    for (size_t i = 0; i < g->tasks; i++) {
        struct orr_dag_task *t = &g->task[i];
        uint64_t h = mix(0xcbf29ce484222325u, t->footprint);
        h = mix(mix(h, (uintptr_t)t->name), (uintptr_t)t->model);
        size_t at = (h ^ h >> 29) % slots;
        while (first[at] && !alike(t, &g->task[first[at] - 1]))
            at = (at + 1) % slots;
        t->group = first[at] ? g->task[first[at] - 1].group : groups++;
        if (!first[at])
            first[at] = i + 1;
    }
    free(first);
    return groups;
}

size_t orr_dag_number_names(const struct orr_dag *g, size_t *of)
{
    const size_t slots = 2 * g->tasks + 1;
    size_t *first = calloc(slots, sizeof *first), names = 0; /* task + 1 by hash; 0: free */
    if (!first)
        return SIZE_MAX;
    for (size_t i = 0; i < g->tasks; i++) {
        const uint64_t h = mix(0xcbf29ce484222325u, (uintptr_t)g->task[i].name);
        size_t at = (h ^ h >> 29) % slots;
        while (first[at] && g->task[first[at] - 1].name != g->task[i].name) /* kept once */
            at = (at + 1) % slots;
        of[i] = first[at] ? of[first[at] - 1] : names++;
        if (!first[at])
            first[at] = i + 1;
    }
    free(first);
    return names;
}

double *orr_dag_times(struct orr_dag *g)
{
    enum { K = ORR_DAG_COUNT };
    const size_t groups = orr_dag_group(g);
    if (groups == SIZE_MAX)
        return NULL;
    double *sum = calloc(groups * K + 1, sizeof *sum), *t = malloc((g->tasks * K + 1) * sizeof *t);
    size_t *count = calloc(groups * K + 1, sizeof *count);
    for (size_t i = 0; sum && t && count && i < g->tasks; i++)
        for (int k = 0; k < K; k++)
            if (!isnan(g->task[i].t[k])) {
                sum[g->task[i].group * K + (size_t)k] += g->task[i].t[k];
                count[g->task[i].group * K + (size_t)k]++;
            }
    for (size_t i = 0; sum && t && count && i < g->tasks; i++)
        for (int k = 0; k < K; k++) {
            const size_t c = g->task[i].group * K + (size_t)k;
            t[i * K + (size_t)k] = !g->task[i].where         ? 0
                                   : !isnan(g->task[i].t[k]) ? g->task[i].t[k]
                                   : count[c]                ? sum[c] / (double)count[c]
                                                             : INFINITY;
        }
    if (!sum || !count) {
        free(t);
        t = NULL;
    }
    free(sum);
    free(count);
    return t;
}

/* ---- Where tasks want to run ---------------------------------------------------------------------- */

enum orr_wants orr_dag_wants(const struct orr_dag *g, const struct orr_dag_task *t)
{
    int accelerators = 0;
    for (int k = ORR_DAG_CPU + 1; k < ORR_DAG_COUNT; k++)
        accelerators |= g->workers[k];
    return accelerators ? t->wants : ORR_WANTS_ANY;
}

unsigned orr_wanted(enum orr_wants wants, unsigned possible)
{
    const unsigned cpu = 1u << ORR_DAG_CPU;
    const unsigned there = wants == ORR_WANTS_CPU           ? possible & cpu
                           : wants == ORR_WANTS_ACCELERATOR ? possible & ~cpu
                                                            : possible;
    return there ? there : possible;
}
