/* orrery_record.so, to be preloaded: writes the graph of any program that uses StarPU, when it ends
 * StarPU. `orrery record` starts programs with it.
 *
 * The functions below take the place of StarPU's of the same name and call them. A task that is submitted
 * gets two callbacks in front of those of the program: one when a worker takes it, while its data are
 * sure to be there, one when it has ended. The library is not linked with a StarPU: it uses that of the
 * program, if the structs that it was compiled with are the same.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <starpu.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/graph/dag.h"
#include "src/record/record.h"

#define PUBLIC __attribute__((visibility("default")))

static struct recorded all = {.lock = PTHREAD_MUTEX_INITIALIZER, .last = &all.first};

/* ---- Tables from addresses and tags ------------------------------------------------------------ */

struct table {
    struct {
        uint64_t key, value;
    } * slot; /* key 0: free */
    size_t slots, used;
};

static struct table handles, tasks, tags;

static uint64_t *find(struct table *t, uint64_t key)
{
    for (size_t i = (key * 0x9e3779b97f4a7c15u >> 17) % t->slots;; i = (i + 1) % t->slots)
        if (t->slot[i].key == key || !t->slot[i].key) {
            t->used += !t->slot[i].key;
            t->slot[i].key = key;
            return &t->slot[i].value;
        }
}

/* The value of a key, 0 at first; NULL: no memory. */
static uint64_t *at(struct table *t, uint64_t key)
{
    if (2 * t->used >= t->slots) {
        struct table more = {.slots = t->slots ? 2 * t->slots : 1024};
        more.slot = calloc(more.slots, sizeof *more.slot);
        if (!more.slot)
            return NULL;
        for (size_t i = 0; i < t->slots; i++)
            if (t->slot[i].key && t->slot[i].value)
                *find(&more, t->slot[i].key) = t->slot[i].value;
        free(t->slot);
        *t = more;
    }
    return find(t, key);
}

static struct node *node_of(struct table *t, uint64_t key)
{
    uint64_t *v = at(t, key);
    if (v && !*v) {
        struct node *n = malloc(sizeof *n);
        if (n)
            n->number = -1;
        *v = (uint64_t)(uintptr_t)n;
    }
    return v ? (struct node *)(uintptr_t)*v : NULL;
}

/* The node of a task that is submitted now: the one that edges wait for, or a new one where the
 * address served another task before. */
static struct node *submit_node(struct table *t, uint64_t key, long number)
{
    struct node *n = node_of(t, key);
    if (n && n->number >= 0) {
        *at(t, key) = 0;
        n = node_of(t, key);
    }
    if (n)
        n->number = number;
    return n;
}

static void add_edge(struct node *after, struct node *before)
{
    struct edge *e = after && before ? malloc(sizeof *e) : NULL;
    if (!e) {
        all.lost++;
        return;
    }
    *e = (struct edge){after, before, all.edge};
    all.edge = e;
}

/* An address serves many handles, one after the other: forget() makes the next a new one. */
static uint64_t data_of(starpu_data_handle_t h, size_t bytes)
{
    uint64_t *v = at(&handles, (uint64_t)(uintptr_t)h);
    if (v && !*v) {
        if (all.data == all.room) {
            const size_t room = all.room ? 2 * all.room : 256;
            size_t *more = realloc(all.bytes, room * sizeof *more);
            all.bytes = more ? more : all.bytes;
            struct use **last = more ? realloc(all.last_use, room * sizeof *last) : NULL;
            if (!last)
                return 0;
            all.last_use = last;
            all.room = room;
        }
        all.bytes[all.data++] = bytes;
        *v = all.data;
    }
    return v ? *v : 0;
}

static void forget(starpu_data_handle_t h)
{
    pthread_mutex_lock(&all.lock);
    if (handles.slots) {
        uint64_t *v = at(&handles, (uint64_t)(uintptr_t)h);
        if (v)
            *v = 0;
    }
    pthread_mutex_unlock(&all.lock);
}

/* ---- StarPU's functions ---------------------------------------------------------------------------- */

static void *real(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);
    if (!f) {
        fprintf(stderr, "orrery record: the program's StarPU has no %s, or was loaded apart\n",
                name);
        abort();
    }
    return f;
}

#define REAL(name)                                                                                 \
    static __typeof__(name) *f;                                                                    \
    if (!f)                                                                                        \
    f = (__typeof__(name) *)real(#name)

/* Structs depend on version and configuration of StarPU: `magic` lies behind all arrays of a task. */
static int recording(const struct starpu_task *task)
{
    int state = all.state;
    if (state == 0) {
        int major, minor, release;
        starpu_get_version(&major, &minor, &release);
        const int same = major == STARPU_MAJOR_VERSION && minor == STARPU_MINOR_VERSION;
        const int mine = same && task->magic == 42;
        if (atomic_compare_exchange_strong(&all.state, &state, mine ? 1 : -1) && !mine)
            fprintf(stderr, "orrery record: made for StarPU %d.%d, not for the program's %d.%d%s\n",
                    STARPU_MAJOR_VERSION, STARPU_MINOR_VERSION, major, minor,
                    same ? ", which was configured otherwise" : "");
    } else if (state == -2 && atomic_compare_exchange_strong(&all.state, &state, -1)) {
        fprintf(stderr, "orrery record: the program starts StarPU again; the graph has only what "
                        "it did before that\n");
    }
    return all.state > 0;
}

/* ---- A task ------------------------------------------------------------------------------------------ */

static double us(const struct timespec *t)
{
    return 1e6 * (double)t->tv_sec + 1e-3 * (double)t->tv_nsec;
}

/* What a codelet has functions for. Those of StarPU 1.0, one of a kind, become the others when StarPU first sees
 * the codelet. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static int has(const struct starpu_codelet *c, enum orr_dag_kind kind)
{
    switch (kind) {
    case ORR_DAG_CPU: return c->cpu_funcs[0] || c->cpu_func;
    case ORR_DAG_CUDA: return c->cuda_funcs[0] || c->cuda_func;
    default: return c->opencl_funcs[0] || c->opencl_func;
    }
}
#pragma GCC diagnostic pop

static unsigned where_of(const struct starpu_task *t)
{
    const struct starpu_codelet *c = t->cl;
    if (!c || t->where == STARPU_NOWHERE || c->where == STARPU_NOWHERE)
        return 0;
    const int told = t->where != -1 ? t->where : (int)c->where; /* 0: StarPU has not looked yet */
    const int cpu = told ? (told & STARPU_CPU) != 0 : has(c, ORR_DAG_CPU);
    const int cuda = told ? (told & STARPU_CUDA) != 0 : has(c, ORR_DAG_CUDA);
    const int opencl = told ? (told & STARPU_OPENCL) != 0 : has(c, ORR_DAG_OPENCL);
    return (unsigned)cpu << ORR_DAG_CPU | (unsigned)cuda << ORR_DAG_CUDA |
           (unsigned)opencl << ORR_DAG_OPENCL;
}

/* The kinds whose workers wait for an implementation, if they have it. */
static unsigned sync_of(const struct starpu_codelet *c, unsigned implementation)
{
    const int cuda = !(c->cuda_flags[implementation] & STARPU_CUDA_ASYNC);
    const int opencl = !(c->opencl_flags[implementation] & STARPU_OPENCL_ASYNC);
    return (unsigned)cuda << ORR_DAG_CUDA | (unsigned)opencl << ORR_DAG_OPENCL;
}

static int kind_of(int worker)
{
    switch (starpu_worker_get_type(worker)) {
    case STARPU_CPU_WORKER: return ORR_DAG_CPU;
    case STARPU_CUDA_WORKER: return ORR_DAG_CUDA;
    case STARPU_OPENCL_WORKER: return ORR_DAG_OPENCL;
    default: return -1;
    }
}

static void append(struct record *r)
{
    r->number = all.tasks++;
    *all.last = r;
    all.last = &r->next;
}

static void taken(void *arg)
{
    struct record *r = arg;
    struct starpu_task *t = starpu_task_get_current();
    if (t && r->where)
        r->footprint = r->perfmodel ? starpu_task_footprint(r->perfmodel, t, NULL, 0)
                                    : starpu_task_data_footprint(t);
    if (r->taken)
        r->taken(r->taken_arg);
}

static void ended(void *);

/* A task that StarPU submits again by itself: the next run is a record of its own. */
static void again(struct starpu_task *t, const struct record *r)
{
    const size_t size = sizeof *r + r->uses * sizeof *r->use;
    struct record *next = malloc(size);
    if (!next) {
        all.lost++;
        return;
    }
    memcpy(next, r, size);
    next->next = NULL;
    next->ended = 0;
    next->submit = us(&t->profiling_info->end_time);
    pthread_mutex_lock(&all.lock);
    append(next);
    next->node = submit_node(&tasks, (uint64_t)(uintptr_t)t, next->number);
    pthread_mutex_unlock(&all.lock);
    t->callback_arg = next;
    t->prologue_callback_pop_arg = next;
}

static void give_back(struct starpu_task *t, const struct record *r)
{
    t->callback_func = r->callback_of_codelet ? NULL : r->callback;
    t->callback_arg = r->callback_arg;
    t->callback_arg_free = (unsigned)r->callback_free & 1;
    t->prologue_callback_pop_func = r->taken;
    t->prologue_callback_pop_arg = r->taken_arg;
    t->prologue_callback_pop_arg_free = (unsigned)r->taken_free & 1;
}

static void ended(void *arg)
{
    struct record *r = arg;
    struct starpu_task *t = starpu_task_get_current();
    const struct starpu_profiling_task_info *p = t->profiling_info;
    if (p) {
        r->submit = r->submit > 0 ? r->submit : us(&p->submit_time);
        r->ready = us(&p->push_start_time);
        r->start = us(&p->start_time);
        r->end = us(&p->end_time);
        r->worker = p->workerid;
        r->kind = r->where && p->workerid >= 0 ? kind_of(p->workerid) : -1;
        r->memory = r->kind >= 0 ? (int)starpu_worker_get_memory_node((unsigned)p->workerid) : -1;
        if (r->kind >= 0) {
            const unsigned here = 1u << r->kind;
            r->sync &= ~here;
            r->sync |= here & sync_of(t->cl, starpu_task_get_implementation(t));
        }
    }
    r->ended = p != NULL;
    if (t->regenerate && p)
        again(t, r);
    else
        give_back(t, r);
    if (r->callback)
        r->callback(r->callback_arg);
}

static void copy(char *to, size_t room, const char *from)
{
    const size_t n = from ? strnlen(from, room - 1) : 0;
    memcpy(to, from ? from : "", n);
    to[n] = '\0';
}

/* Whether StarPU makes edges of this access. */
static int ordered(const struct starpu_task *t, unsigned i, starpu_data_handle_t h)
{
    return t->sequential_consistency && starpu_data_get_sequential_consistency_flag(h) &&
           (!t->handles_sequential_consistency || t->handles_sequential_consistency[i]);
}

static struct record *keep(struct starpu_task *t)
{
    const unsigned uses = t->cl ? (unsigned)STARPU_TASK_GET_NBUFFERS(t) : 0;
    struct record *r = malloc(sizeof *r + uses * sizeof *r->use);
    if (!r)
        return NULL;
    *r = (struct record){.callback = t->callback_func,
                         .callback_arg = t->callback_arg,
                         .callback_free = t->callback_arg_free,
                         .taken = t->prologue_callback_pop_func,
                         .taken_arg = t->prologue_callback_pop_arg,
                         .taken_free = t->prologue_callback_pop_arg_free,
                         .perfmodel = t->cl ? t->cl->model : NULL,
                         .priority = t->priority,
                         .kind = -1,
                         .worker = -1,
                         .memory = -1,
                         .where = where_of(t),
                         .uses = uses};
    r->sync = r->where ? r->where & sync_of(t->cl, 0) : 0;
    if (!r->callback && t->cl && t->cl->callback_func) {
        r->callback = t->cl->callback_func;
        r->callback_of_codelet = 1;
    }
    copy(r->name, sizeof r->name, t->cl ? starpu_task_get_name(t) : t->name ? t->name : "empty");
    copy(r->model, sizeof r->model, r->perfmodel ? r->perfmodel->symbol : NULL);
    for (unsigned i = 0; i < uses; i++) {
        starpu_data_handle_t h = STARPU_TASK_GET_HANDLE(t, i);
        r->use[i] = (struct use){(uint64_t)(uintptr_t)h,
                                 ((int)STARPU_TASK_GET_MODE(t, i) & ORR_ACCESS_OF_STARPU) |
                                     (ordered(t, i, h) ? 0 : ORR_ACCESS_UNORDERED),
                                 starpu_data_get_size(h)};
    }
    pthread_mutex_lock(&all.lock);
    for (unsigned i = 0; i < uses; i++)
        if ((r->use[i].data =
                 data_of((starpu_data_handle_t)(uintptr_t)r->use[i].data, r->use[i].bytes)) > 0)
            all.last_use[r->use[i].data - 1] = &r->use[i];
    append(r);
    r->node = submit_node(&tasks, (uint64_t)(uintptr_t)t, r->number);
    if (t->use_tag) {
        struct node *tag = node_of(&tags, t->tag_id + 1);
        if (tag && tag->number >= 0) { /* the tag is used again */
            *at(&tags, t->tag_id + 1) = 0;
            tag = node_of(&tags, t->tag_id + 1);
        }
        if (tag)
            tag->number = r->number;
    }
    pthread_mutex_unlock(&all.lock);
    t->callback_func = ended;
    t->callback_arg = r;
    t->callback_arg_free = 0;
    t->prologue_callback_pop_func = taken;
    t->prologue_callback_pop_arg = r;
    t->prologue_callback_pop_arg_free = 0;
    return r;
}

#undef starpu_task_submit /* a macro where StarPU has FxT */
PUBLIC int starpu_task_submit(struct starpu_task *t)
{
    REAL(starpu_task_submit);
    /* StarPU's own waiting for data is no part of the graph. */
    const int own = (t->type & STARPU_TASK_TYPE_DATA_ACQUIRE) != 0;
    struct record *r = recording(t) && !own ? keep(t) : NULL;
    const int rc = f(t);
    if (r && rc != 0)
        give_back(t, r);
    return rc;
}

PUBLIC void starpu_task_declare_deps_array(struct starpu_task *t, unsigned n,
                                           struct starpu_task *v[])
{
    REAL(starpu_task_declare_deps_array);
    if (recording(t)) {
        pthread_mutex_lock(&all.lock);
        struct node *after = node_of(&tasks, (uint64_t)(uintptr_t)t);
        if (after && after->number >= 0) { /* the address of a task that is gone */
            *at(&tasks, (uint64_t)(uintptr_t)t) = 0;
            after = node_of(&tasks, (uint64_t)(uintptr_t)t);
        }
        for (unsigned k = 0; k < n; k++)
            add_edge(after, node_of(&tasks, (uint64_t)(uintptr_t)v[k]));
        pthread_mutex_unlock(&all.lock);
    }
    f(t, n, v);
}

PUBLIC void starpu_task_declare_deps(struct starpu_task *t, unsigned n, ...)
{
    struct starpu_task **v = malloc((n + 1) * sizeof *v);
    va_list list;
    va_start(list, n);
    for (unsigned k = 0; v && k < n; k++)
        v[k] = va_arg(list, struct starpu_task *);
    va_end(list);
    if (!v)
        abort();
    starpu_task_declare_deps_array(t, n, v);
    free(v);
}

PUBLIC void starpu_tag_declare_deps_array(starpu_tag_t id, unsigned n, starpu_tag_t *v)
{
    REAL(starpu_tag_declare_deps_array);
    pthread_mutex_lock(&all.lock);
    for (unsigned k = 0; k < n; k++)
        add_edge(node_of(&tags, id + 1), node_of(&tags, v[k] + 1));
    pthread_mutex_unlock(&all.lock);
    f(id, n, v);
}

PUBLIC void starpu_tag_declare_deps(starpu_tag_t id, unsigned n, ...)
{
    starpu_tag_t *v = malloc((n + 1) * sizeof *v);
    va_list list;
    va_start(list, n);
    for (unsigned k = 0; v && k < n; k++)
        v[k] = va_arg(list, starpu_tag_t);
    va_end(list);
    if (!v)
        abort();
    starpu_tag_declare_deps_array(id, n, v);
    free(v);
}

PUBLIC void starpu_data_wont_use(starpu_data_handle_t h)
{
    REAL(starpu_data_wont_use);
    pthread_mutex_lock(&all.lock);
    const uint64_t *data = handles.slots ? at(&handles, (uint64_t)(uintptr_t)h) : NULL;
    if (data && *data)
        all.last_use[*data - 1]->mode |= ORR_ACCESS_HOME;
    pthread_mutex_unlock(&all.lock);
    f(h);
}

PUBLIC void starpu_data_unregister(starpu_data_handle_t h)
{
    REAL(starpu_data_unregister);
    f(h);
    forget(h);
}

PUBLIC void starpu_data_unregister_no_coherency(starpu_data_handle_t h)
{
    REAL(starpu_data_unregister_no_coherency);
    f(h);
    forget(h);
}

PUBLIC void starpu_data_unregister_submit(starpu_data_handle_t h)
{
    REAL(starpu_data_unregister_submit);
    forget(h); /* no task uses it any more, and its address may be given away at once */
    f(h);
}

PUBLIC void starpu_shutdown(void)
{
    REAL(starpu_shutdown);
    if (all.state > 0) {
        starpu_task_wait_for_all();
        pthread_mutex_lock(&all.lock);
        orr_record_write(&all);
        all.state = -2; /* a program that starts StarPU again is recorded once */
        pthread_mutex_unlock(&all.lock);
    }
    f();
}
