/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/replay_list.h"

#include <math.h>
#include <stdlib.h>

#include "src/cli/core/run.h"

int list_check_policies(const cli_words *sched)
{
    const int code = cli_check_policies(sched);
    for (int64_t k = 0; k < sched->n && code != CLI_OK; k++)
        if (cli_word_index(sched->v[k], LIST_POLICIES) >= 0)
            cli_say("'%s' is a scheduler of 'orrery replay --on list'", sched->v[k]);
    return code;
}

/* A task that is ready; the heap has the largest key on top, of equal ones the first task. */
struct entry {
    double key;
    size_t order; /* among equal keys the least */
    size_t task;
};

struct heap {
    struct entry *v;
    size_t n;
};

struct slot {
    double end;       /* of its task, or of its last one */
    double believed;  /* when the scheduler thinks that it ends */
    double slow;      /* takes so many times as long */
    size_t task;      /* SIZE_MAX: idle */
    int kind, worker; /* its number among those of the kind */
};

struct list {
    const graph_costs *c;
    const struct orr_dag *d;
    const double *times;
    list_policy policy;
    double overhead, now;
    size_t *below_at, *waits, *held; /* held: released, but of a later phase */
    uint32_t *below;
    double *key;
    struct heap ready, slow; /* slow: the same tasks, the other end on top (HeteroPrio) */
    unsigned char *taken;    /* of a task in one heap that was taken from the other */
    size_t queued, held_count, left, *left_in_phase;
    int phase;
    struct slot *slot;
    size_t slots;
    list_result *out;
    struct orr_dag_place *place; /* NULL: not wanted */
};

/* ---- Heaps --------------------------------------------------------------------------------- */

static int before(const struct entry *a, const struct entry *b)
{
    return a->key != b->key ? a->key > b->key : a->order < b->order;
}

static void put(struct heap *h, struct entry x)
{
    size_t i = h->n++;
    for (; i > 0 && before(&x, &h->v[(i - 1) / 2]); i = (i - 1) / 2)
        h->v[i] = h->v[(i - 1) / 2];
    h->v[i] = x;
}

static struct entry take(struct heap *h)
{
    const struct entry top = h->v[0], x = h->v[--h->n];
    size_t i = 0;
    for (size_t k; (k = 2 * i + 1) < h->n; i = k) {
        k += k + 1 < h->n && before(&h->v[k + 1], &h->v[k]);
        if (!before(&h->v[k], &x))
            break;
        h->v[i] = h->v[k];
    }
    h->v[i] = x;
    return top;
}

/* ---- Times ---------------------------------------------------------------------------------- */

static double cost(const struct list *l, size_t task, int kind)
{
    return l->c->g.t[task * (size_t)l->c->g.kinds + (size_t)kind];
}

/* Without overhead: what it really takes. */
static double truly(const struct list *l, size_t task, const struct slot *s)
{
    return s->slow * l->times[task * (size_t)l->c->g.kinds + (size_t)s->kind];
}

static int nowhere(const struct list *l, size_t task) { return !l->d->task[task].where; }

/* s: NULL: nowhere. */
static void place(struct list *l, size_t task, double from, double took, const struct slot *s)
{
    if (!l->place)
        return;
    struct orr_dag_place *x = &l->place[task];
    x->submit = NAN;
    x->start = 1e6 * from;
    x->end = 1e6 * (from + took);
    x->took = 1e6 * took;
    x->kind = s ? l->c->kind[s->kind] : -1;
    x->worker = s ? s->worker : -1;
}

static void place_ready(struct list *l, size_t task, double at)
{
    if (l->place)
        l->place[task].ready = 1e6 * at;
}

static double least(const struct list *l, size_t task)
{
    double t = INFINITY;
    for (int k = 0; k < l->c->g.kinds; k++)
        t = fmin(t, cost(l, task, k));
    return t;
}

/* Over all workers that can run it. */
static double mean(const struct list *l, size_t task)
{
    double sum = 0, workers = 0;
    for (int k = 0; k < l->c->g.kinds; k++)
        if (isfinite(cost(l, task, k))) {
            sum += l->c->workers[k] * cost(l, task, k);
            workers += l->c->workers[k];
        }
    return sum / workers;
}

/* The longest chain from each task to the end, itself included. */
static void distances(struct list *l, double (*of)(const struct list *, size_t))
{
    const struct orr_graph *g = &l->c->g;
    for (size_t i = g->tasks; i-- > 0;) {
        double far = 0;
        for (size_t k = l->below_at[i]; k < l->below_at[i + 1]; k++)
            far = fmax(far, l->key[l->below[k]]);
        l->key[i] = of(l, i) + far;
    }
}

/* How many times faster the second kind is; what runs on one kind only is at the end. */
static double acceleration(const struct list *l, size_t task)
{
    return l->c->g.kinds < 2 ? 1 : cost(l, task, 0) / cost(l, task, 1);
}

static void set_keys(struct list *l)
{
    if (l->policy == LIST_DISTANCES || l->policy == LIST_HEFT) {
        distances(l, l->policy == LIST_HEFT ? mean : least);
        return;
    }
    for (size_t i = 0; i < l->c->g.tasks; i++)
        l->key[i] = l->policy == LIST_FIFO         ? 0
                    : l->policy == LIST_PRIORITIES ? l->d->task[i].priority
                    : nowhere(l, i)                ? 0
                                                   : acceleration(l, i);
}

/* ---- Tasks become ready and end ----------------------------------------------------------------- */

static void queue(struct list *l, size_t i)
{
    place_ready(l, i, l->now);
    put(&l->ready, (struct entry){l->key[i], i, i});
    if (l->policy >= LIST_HETEROPRIO)
        put(&l->slow, (struct entry){-l->key[i], SIZE_MAX - i, i});
    l->queued++;
}

/* Ends a task, and those that run nowhere and become ready by it. `stack` has room for all. */
static void end_task(struct list *l, size_t task, size_t *stack)
{
    size_t n = 0;
    stack[n++] = task;
    while (n) {
        const size_t i = stack[--n];
        if (nowhere(l, i)) {
            place_ready(l, i, l->now);
            place(l, i, l->now, 0, NULL);
        }
        l->left--;
        l->left_in_phase[l->d->task[i].phase]--;
        for (size_t k = l->below_at[i]; k < l->below_at[i + 1]; k++) {
            const size_t b = l->below[k];
            if (--l->waits[b])
                continue;
            if (l->d->task[b].phase > l->phase)
                l->held[l->held_count++] = b;
            else if (nowhere(l, b))
                stack[n++] = b;
            else
                queue(l, b);
        }
        while (!n && l->left && !l->left_in_phase[l->phase]) { /* the next phase begins */
            size_t kept = 0;
            l->phase++;
            for (size_t k = 0; k < l->held_count; k++) {
                const size_t b = l->held[k];
                if (l->d->task[b].phase > l->phase)
                    l->held[kept++] = b;
                else if (nowhere(l, b))
                    stack[n++] = b;
                else
                    queue(l, b);
            }
            l->held_count = kept;
        }
    }
}

/* ---- Workers take tasks ----------------------------------------------------------------------------- */

static struct slot *idle(const struct list *l, int kind)
{
    for (size_t s = 0; s < l->slots; s++)
        if (l->slot[s].kind == kind && l->slot[s].task == SIZE_MAX)
            return &l->slot[s];
    return NULL;
}

static void start(struct list *l, struct slot *s, size_t task)
{
    const double t = truly(l, task, s) + l->overhead;
    s->task = task;
    s->end = l->now + t;
    place(l, task, l->now, t, s);
    s->believed = l->now + (cost(l, task, s->kind) + l->overhead);
    l->out->busy[s->kind] += t;
    l->out->ran[s->kind]++;
}

/* The first ready task to the idle worker that is fastest for it, until no task or worker is left.
 * skipped: room for all; those for which no worker is idle. */
static void assign_first(struct list *l, struct entry *skipped)
{
    size_t n = 0;
    struct slot *free[ORR_DAG_COUNT];
    int any = 0;
    for (int k = 0; k < l->c->g.kinds; k++)
        any |= (free[k] = idle(l, k)) != NULL;
    while (any && l->ready.n) {
        const struct entry e = take(&l->ready);
        int best = -1;
        for (int k = 0; k < l->c->g.kinds; k++)
            if (free[k] && isfinite(cost(l, e.task, k)) &&
                (best < 0 || cost(l, e.task, k) < cost(l, e.task, best)))
                best = k;
        if (best < 0) {
            skipped[n++] = e;
            continue;
        }
        start(l, free[best], e.task);
        free[best] = idle(l, best);
        any = 0;
        for (int k = 0; k < l->c->g.kinds; k++)
            any |= free[k] != NULL;
    }
    while (n)
        put(&l->ready, skipped[--n]);
}

/* From the end of the queue that belongs to the kind; SIZE_MAX: nothing that it can run. */
static size_t take_end(struct list *l, int kind)
{
    struct heap *h = kind || l->c->g.kinds < 2 ? &l->ready : &l->slow;
    while (h->n && l->taken[h->v[0].task])
        take(h);
    if (!h->n || !isfinite(cost(l, h->v[0].task, kind)))
        return SIZE_MAX;
    const size_t task = take(h).task;
    l->taken[task] = 1;
    l->queued--;
    return task;
}

/* The running task of the other kind that is believed to end last, and sooner here. */
static struct slot *victim(const struct list *l, int kind)
{
    struct slot *best = NULL;
    for (size_t s = 0; s < l->slots; s++) {
        struct slot *x = &l->slot[s];
        if (x->task != SIZE_MAX && x->kind != kind &&
            l->now + cost(l, x->task, kind) + l->overhead < x->believed * (1 - 1e-12) &&
            (!best || x->believed > best->believed))
            best = x;
    }
    return best;
}

/* Fast workers first; each takes from its end of the queue. Where that is empty a worker may throw
 * away what the other kind has begun and begin it itself; who lost it looks for work with the next event. */
static void assign_by_acceleration(struct list *l)
{
    for (int k = l->c->g.kinds - 1; k >= 0; k--) {
        struct slot *s;
        size_t task;
        while ((s = idle(l, k)) && (task = take_end(l, k)) != SIZE_MAX)
            start(l, s, task);
        if (l->policy != LIST_SPOLIATION || l->queued)
            continue;
        for (size_t w = 0; w < l->slots; w++) {
            s = &l->slot[w];
            struct slot *v = s->kind == k && s->task == SIZE_MAX ? victim(l, k) : NULL;
            if (!v)
                continue;
            l->out->busy[v->kind] -= v->end - l->now;
            l->out->ran[v->kind]--;
            l->out->spoliated++;
            task = v->task;
            v->task = SIZE_MAX;
            start(l, s, task);
        }
    }
}

static struct slot *first_to_end(const struct list *l)
{
    struct slot *first = NULL;
    for (size_t s = 0; s < l->slots; s++) {
        struct slot *x = &l->slot[s];
        if (x->task != SIZE_MAX &&
            (!first || x->end < first->end ||
             (x->end == first->end && x->kind == first->kind && x->task < first->task)))
            first = x;
    }
    return first;
}

static void run_events(struct list *l, size_t *stack, struct entry *skipped)
{
    struct slot *s;
    do {
        if (l->policy >= LIST_HETEROPRIO)
            assign_by_acceleration(l);
        else
            assign_first(l, skipped);
        s = first_to_end(l);
        if (s) {
            const size_t task = s->task;
            l->now = s->end;
            s->task = SIZE_MAX;
            end_task(l, task, stack);
        }
    } while (s);
    l->out->makespan = l->now;
}

/* ---- HEFT: decided before anything runs ----------------------------------------------------------------- */

/* In order of the phases, then of the mean distance to the end: each to the worker where it is believed to end first,
 * behind what that worker has. When things then take longer or shorter, places and orders stay. H. Topcuoglu, S. Hariri, M.-Y. Wu, IEEE TPDS 13 (2002), without insertion. */
static void run_heft(struct list *l, double *believed, double *end)
{
    double barrier = 0, last = 0, true_barrier = 0, true_last = 0;
    int phase = 0;
    l->ready.n = 0;
    for (size_t i = 0; i < l->c->g.tasks; i++)
        put(&l->ready, (struct entry){l->key[i], i, i});
    struct entry *order = l->slow.v; /* room for all */
    for (size_t i = 0; i < l->c->g.tasks; i++)
        order[i] = take(&l->ready);
    for (;; barrier = last, true_barrier = true_last, phase++) {
        size_t left = 0;
        for (size_t n = 0; n < l->c->g.tasks; n++) {
            const size_t i = order[n].task;
            left += l->d->task[i].phase > phase;
            if (l->d->task[i].phase != phase)
                continue;
            double from = barrier, truly_from = true_barrier, best_end = INFINITY;
            struct slot *best = NULL;
            for (size_t e = l->c->g.before_at[i]; e < l->c->g.before_at[i + 1]; e++) {
                from = fmax(from, believed[l->c->g.before[e]]);
                truly_from = fmax(truly_from, end[l->c->g.before[e]]);
            }
            for (size_t s = 0; !nowhere(l, i) && s < l->slots; s++) {
                const double at =
                    fmax(from, l->slot[s].believed) + cost(l, i, l->slot[s].kind) + l->overhead;
                if (at < best_end || (at == best_end && best && best->kind < l->slot[s].kind)) {
                    best_end = at;
                    best = &l->slot[s];
                }
            }
            believed[i] = best ? best_end : from;
            end[i] = truly_from;
            place_ready(l, i, truly_from);
            place(l, i, truly_from, 0, NULL);
            if (best) {
                const double took = truly(l, i, best) + l->overhead;
                place(l, i, fmax(truly_from, best->end), took, best);
                end[i] = fmax(truly_from, best->end) + took;
                best->believed = best_end;
                best->end = end[i];
                l->out->busy[best->kind] += took;
                l->out->ran[best->kind]++;
            }
            last = fmax(last, believed[i]);
            true_last = fmax(true_last, end[i]);
        }
        if (!left)
            break;
    }
    l->out->makespan = true_last;
}

/* ---- All ---------------------------------------------------------------------------------------------------- */

static int make_below(struct list *l)
{
    const struct orr_graph *g = &l->c->g;
    const size_t n = g->tasks, edges = g->before_at[n];
    l->below_at = calloc(n + 2, sizeof *l->below_at);
    l->below = malloc((edges + 1) * sizeof *l->below);
    l->waits = calloc(n + 1, sizeof *l->waits);
    if (!l->below_at || !l->below || !l->waits)
        return 0;
    for (size_t e = 0; e < edges; e++)
        l->below_at[g->before[e] + 2]++;
    for (size_t i = 1; i < n + 2; i++)
        l->below_at[i] += l->below_at[i - 1];
    for (size_t i = 0; i < n; i++) {
        l->waits[i] = g->before_at[i + 1] - g->before_at[i];
        for (size_t e = g->before_at[i]; e < g->before_at[i + 1]; e++)
            l->below[l->below_at[g->before[e] + 1]++] = (uint32_t)i;
    }
    return 1;
}

/* Tasks that wait for none, and with them what runs nowhere. */
static void begin(struct list *l, size_t *stack, size_t *roots)
{
    const size_t n = l->c->g.tasks;
    size_t first = 0;
    l->phase = n ? l->d->task[0].phase : 0;
    for (size_t i = 0; i < n; i++) { /* whether it waits is known before any ends */
        l->left_in_phase[l->d->task[i].phase]++;
        if (!l->waits[i])
            roots[first++] = i;
    }
    for (size_t k = 0; k < first; k++) {
        const size_t i = roots[k];
        if (l->d->task[i].phase > l->phase)
            l->held[l->held_count++] = i;
        else if (nowhere(l, i))
            end_task(l, i, stack);
        else
            queue(l, i);
    }
}

int list_replay(const graph_costs *c, const struct orr_dag *d, list_policy policy, double overhead,
                const double *times, const struct orr_truth *truth, list_result *out,
                struct orr_dag_place *placed)
{
    struct list l = {.c = c,
                     .d = d,
                     .times = times,
                     .policy = policy,
                     .overhead = overhead,
                     .out = out,
                     .place = placed,
                     .left = c->g.tasks};
    const size_t n = c->g.tasks;
    const int phases = n ? d->task[n - 1].phase + 1 : 1;
    *out = (list_result){.makespan = 0};
    for (int k = 0; k < c->g.kinds; k++)
        l.slots += (size_t)c->workers[k];
    l.held = malloc((n + 1) * sizeof *l.held);
    l.key = calloc(n + 1, sizeof *l.key);
    l.ready.v = malloc((n + 1) * sizeof *l.ready.v);
    l.slow.v = malloc((n + 1) * sizeof *l.slow.v);
    l.taken = calloc(n + 1, 1);
    l.left_in_phase = calloc((size_t)phases + 1, sizeof *l.left_in_phase);
    l.slot = calloc(l.slots + 1, sizeof *l.slot);
    size_t *stack = malloc((n + 1) * sizeof *stack), *roots = malloc((n + 1) * sizeof *roots);
    double *end = calloc(n + 1, sizeof *end), *believed = calloc(n + 1, sizeof *believed);
    const int ok = make_below(&l) && l.held && l.key && l.ready.v && l.slow.v && l.taken &&
                   l.left_in_phase && l.slot && stack && roots && end && believed;
    if (ok) {
        size_t s = 0;
        for (int k = 0; k < c->g.kinds; k++)
            for (int w = 0; w < c->workers[k]; w++)
                l.slot[s++] = (struct slot){.slow = orr_truth_slow(truth, c->kind[k], w),
                                            .task = SIZE_MAX,
                                            .kind = k,
                                            .worker = w};
        set_keys(&l);
        if (policy == LIST_HEFT)
            run_heft(&l, believed, end);
        else {
            begin(&l, stack, roots);
            run_events(&l, stack, policy >= LIST_HETEROPRIO ? NULL : l.slow.v);
        }
    }
    free(l.below_at);
    free(l.below);
    free(l.waits);
    free(l.held);
    free(l.key);
    free(l.ready.v);
    free(l.slow.v);
    free(l.taken);
    free(l.left_in_phase);
    free(l.slot);
    free(stack);
    free(roots);
    free(end);
    free(believed);
    return ok ? CLI_OK : CLI_MEMORY;
}
