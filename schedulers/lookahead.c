/* lookahead: earliest finish time, decided as late as possible.
 *
 * Idea. Ready tasks are sorted by priority, and within equal priorities by upward rank: the
 * longest way, in expected time, from the task to the end of what has been submitted. When
 * a worker asks, the first tasks of this order (the window) are dealt out as HEFT would: each
 * to the worker that would finish it first, counting what the workers are busy with, the
 * expected time on each of them and the transfer of data. A task that falls to a worker that
 * asks is its. The others stay, to be dealt out anew next time; a waiting worker to which one
 * fell is called.
 *
 * Ahead. The driver of a device takes a task while the one before runs, and fetches its data
 * meanwhile. Where that takes longer than computing, one is not enough: when a device asks, the
 * data of the next AHEAD tasks that would fall to it are sent as well. These tasks stay in
 * the queue; that their data are there already counts when they are dealt out again.
 *
 * Transfers. Each device has a link of its own to the main memory. A transfer takes latency
 * + bytes / bandwidth of that link and begins when what was promised to the same link before
 * is over; it overlaps with computing. (StarPU's own prediction multiplies the time with
 * twice the number of devices, as if they all shared one bus.)
 *
 * Source. H. Topcuoglu, S. Hariri, M. Wu, Performance-effective and low-complexity task
 * scheduling for heterogeneous computing, IEEE Trans. Parallel Distrib. Syst. 13(3), 2002.
 *
 * Why no task is forgotten: it falls to a busy worker, which asks again when it is done, or
 * to a waiting one, which is called. A task's first call stands: whoever comes for it gets
 * it, unless another worker that asked before was to finish it sooner and took it.
 *
 * Limits. A length that no model knows counts as nothing, so that it is tried. Ranks see at
 * most RANKED tasks below a ready one, submitted by then, and are left out where all workers
 * are alike: cut off like that, they did harm there. Priorities go first because who built
 * the graph knows more. Links between devices count as the sender's link.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "schedulers/core.h"

enum {
    WINDOW = 16,  /* tasks that are dealt out at a time; then as many that the worker can run */
    RANKED = 8,   /* tasks visited for an upward rank */
    CHILDREN = 4, /* of one task, at most */
    AHEAD = 1     /* tasks whose data are sent to a device before it takes them */
};

enum { NOBODY = -1 }; /* the mark of a task in the deck: the worker that was called for it */

struct lookahead {
    struct orr_core core;
    struct orr_deck deck; /* key: priority, second: upward rank, mark: see above */
    int kinds;
    int kind[STARPU_NMAXWORKERS];     /* by worker: the first worker that is just like it */
    int in_hand[STARPU_NMAXWORKERS];  /* tasks it has taken and not ended ... */
    double since[STARPU_NMAXWORKERS]; /* ... since when, us, ... */
    double busy[STARPU_NMAXWORKERS];  /* ... and how long they are to last */
    double link[STARPU_MAXNODES];     /* free again at, us */
    int ahead[STARPU_NMAXWORKERS];    /* queued tasks whose data were sent to it */
};

static void init(unsigned ctx) { orr_core_new(ctx, sizeof(struct lookahead)); }

static void deinit(unsigned ctx)
{
    struct lookahead *s = starpu_sched_ctx_get_policy_data(ctx);
    orr_deck_free(&s->deck);
    orr_core_free(ctx);
}

static int alike(int v, int w)
{
    return orr_kind(v) == ORR_CPU && orr_kind(w) == ORR_CPU &&
           starpu_worker_get_memory_node((unsigned)v) == starpu_worker_get_memory_node((unsigned)w);
}

static void sort_workers(unsigned ctx)
{
    struct lookahead *s = starpu_sched_ctx_get_policy_data(ctx);
    orr_core_lock(&s->core);
    s->kinds = 0;
    for (int i = 0; i < s->core.workers; i++) {
        const int w = s->core.worker[i];
        s->kind[w] = w;
        for (int k = i - 1; k >= 0; k--)
            if (alike(s->core.worker[k], w))
                s->kind[w] = s->core.worker[k];
        s->kinds += s->kind[w] == w;
    }
    orr_core_unlock(&s->core);
}

static void add_workers(unsigned ctx, int *ids, unsigned n)
{
    orr_core_add_workers(ctx, ids, n);
    sort_workers(ctx);
}

static void remove_workers(unsigned ctx, int *ids, unsigned n)
{
    orr_core_remove_workers(ctx, ids, n);
    sort_workers(ctx);
}

/* ---- Upward ranks ------------------------------------------------------------------- */

/* On the kind of worker that is fastest at it; 0 if no model knows. */
static double least_length(const struct lookahead *s, struct starpu_task *task)
{
    double least = INFINITY;
    for (int i = 0; task->cl && i < s->core.workers; i++) {
        const int w = s->core.worker[i];
        if (s->kind[w] == w)
            least = fmin(least, orr_length(w, task)); /* fmin passes NaN by */
    }
    return isfinite(least) ? least : 0;
}

/* The tasks below a ready one cannot run, nor go away, before it has. */
static double upward_rank(const struct lookahead *s, struct starpu_task *task, int *visits)
{
    struct starpu_task *child[CHILDREN];
    const int n = starpu_task_get_task_succs(task, CHILDREN, child);
    double longest = 0;
    for (int i = 0; i<n && * visits> 0; i++) {
        if (child[i]->status == STARPU_TASK_INIT) /* being submitted just now */
            continue;
        --*visits;
        longest = fmax(longest, upward_rank(s, child[i], visits));
    }
    return least_length(s, task) + longest;
}

/* ---- Transfers ---------------------------------------------------------------------- */

/* us to bring the task's data to a node, and the device whose link they pass. */
struct transfer {
    double us;
    unsigned link;
};

static void add_buffer(struct transfer *t, unsigned node, starpu_data_handle_t h)
{
    const unsigned nodes = starpu_memory_nodes_get_count();
    const double bytes = (double)starpu_data_get_size(h);
    double best = INFINITY;
    unsigned link = node;
    if (starpu_data_is_on_node(h, node))
        return;
    for (unsigned from = 0; from < nodes; from++) {
        if (!starpu_data_is_on_node(h, from))
            continue;
        const double us = starpu_transfer_latency(from, node) +
                          bytes / starpu_transfer_bandwidth(from, node); /* MB/s: bytes/us */
        if (us < best) {
            best = us;
            link = from == STARPU_MAIN_RAM ? node : from;
        }
    }
    if (isfinite(best)) {
        t->us += best;
        t->link = link;
    }
}

static struct transfer transfer_to(unsigned node, struct starpu_task *task)
{
    struct transfer t = {.link = node};
    const unsigned n = STARPU_TASK_GET_NBUFFERS(task);
    for (unsigned i = 0; i < n; i++)
        if (STARPU_TASK_GET_MODE(task, i) & STARPU_R)
            add_buffer(&t, node, STARPU_TASK_GET_HANDLE(task, i));
    return t;
}

/* ---- Dealing out -------------------------------------------------------------------- */

/* Where a task would go: the worker, its time there, when its data and it itself are done. */
struct fate {
    int worker; /* -1: nobody can run it */
    double length, data, finish;
    unsigned link;
};

/* A worker that is not waiting is not free, however overdue or unknown its task may be. */
static double free_at(const struct lookahead *s, int w, double now)
{
    const double soonest = s->core.waiting[w] ? now : now + 1;
    return s->in_hand[w] ? fmax(soonest, s->since[w] + s->busy[w]) : soonest;
}

/* On this worker, were it free. */
static struct fate alone(const struct lookahead *s, struct starpu_task *task, int w,
                         const double *link, double now)
{
    const double us = orr_length(w, task);
    struct transfer t = {0};
    if (s->core.several_nodes && !isinf(us))
        t = transfer_to(starpu_worker_get_memory_node((unsigned)w), task);
    const double data = t.us > 0 ? fmax(now, link[t.link]) + t.us : now;
    const double length = isnan(us) ? 0 : us;
    return (struct fate){w, length, data, data + length, t.link};
}

/* The worker that would finish the task first; of equal ones `self`, or the first. */
static struct fate earliest(const struct lookahead *s, struct starpu_task *task, int self,
                            const double *free_time, const double *link, double now)
{
    struct fate best = {.worker = -1, .finish = INFINITY};
    struct fate of_kind[STARPU_NMAXWORKERS]; /* what workers alike have in common */
    for (int i = 0; i < s->core.workers; i++) {
        const int w = s->core.worker[i];
        struct fate *f = &of_kind[s->kind[w]];
        if (s->kind[w] == w)
            *f = alone(s, task, w, link, now);
        const double finish = fmax(free_time[w], f->data) + f->length;
        if (finish < best.finish || (finish == best.finish && w == self)) {
            best = *f;
            best.worker = w;
            best.finish = finish;
        }
    }
    return best;
}

static void take_in_hand(struct lookahead *s, int w, struct starpu_task *task, const struct fate *f,
                         double now)
{
    task->predicted = f->length;
    task->predicted_transfer = f->data - now;
    if (s->in_hand[w]++ == 0) {
        s->since[w] = now;
        s->busy[w] = 0;
    }
    s->busy[w] += f->length;
    if (f->data > now)
        s->link[f->link] = f->data;
}

/* The entry falls to a worker that does not ask now. Returns 1 if it is to be called. */
static int leave_to(struct lookahead *s, struct orr_entry *e, int w)
{
    if (e->mark != NOBODY || !s->core.waiting[w])
        return 0;
    e->mark = w;
    return 1;
}

/* Sends the data of a task that would fall to this worker. */
static void send_ahead(struct lookahead *s, struct orr_entry *e, const struct fate *f, double now)
{
    if (e->sent != NOBODY || f->data <= now)
        return;
    e->sent = f->worker;
    s->ahead[f->worker]++;
    s->link[f->link] = f->data;
    starpu_prefetch_task_input_for(e->task, (unsigned)f->worker);
}

/* The fate of a task whose data were sent to a worker: with it, unless another one, which would
 * finish it first, can do so before that worker begins. */
static struct fate keep(const struct lookahead *s, const struct orr_entry *e, struct fate other,
                        const double *free_time, const double *link, double now)
{
    struct fate f = alone(s, e->task, e->sent, link, now);
    const double begin = fmax(free_time[e->sent], f.data);
    f.finish = begin + f.length;
    return other.finish <= begin ? other : f;
}

/* Does this worker want to be sent more? */
static int wants_ahead(const struct lookahead *s, int w)
{
    return starpu_get_prefetch_flag() && s->ahead[w] < AHEAD &&
           starpu_worker_get_memory_node((unsigned)w) != STARPU_MAIN_RAM;
}

static struct starpu_task *take(struct lookahead *s, size_t i)
{
    const int sent = orr_deck_at(&s->deck, i)->sent;
    if (sent != NOBODY)
        s->ahead[sent]--;
    return orr_deck_take(&s->deck, i);
}

/* Who was called while the lock was held. */
struct called {
    int n, worker[2 * WINDOW];
};

/* Under the lock, in the thread of worker `self` (-1: of none), which asks or has just ended
 * a task: it has that task's data in its cache, and it is running, which a worker that waits
 * may not be. With `asks`, returns the task that falls to it; the data of the next ones that
 * would fall to it are sent, if it has a memory of its own. */
static struct starpu_task *deal(struct lookahead *s, int self, int asks, struct called *called)
{
    const double now = starpu_timing_now();
    double free_time[STARPU_NMAXWORKERS], link[STARPU_MAXNODES];
    struct starpu_task *mine = NULL;
    for (int i = 0; i < s->core.workers; i++)
        free_time[s->core.worker[i]] = free_at(s, s->core.worker[i], now);
    if (self >= 0 && s->in_hand[self] <= 1)
        free_time[self] = now;
    for (unsigned i = 0; i < STARPU_MAXNODES; i++)
        link[i] = s->link[i];
    int left = 2 * WINDOW;
    for (size_t i = 0; i < orr_deck_count(&s->deck) && left > 0; i++) {
        struct orr_entry *e = orr_deck_at(&s->deck, i);
        if (i >= WINDOW && (!asks || mine))
            break;
        if (i >= WINDOW && !orr_can_run(self, e->task)) /* see what lies behind them */
            continue;
        left--;
        struct fate f = earliest(s, e->task, self, free_time, link, now);
        if (e->sent != NOBODY && f.worker != e->sent)
            f = keep(s, e, f, free_time, link, now);
        if (asks && !mine && (f.worker == self || e->mark == self)) {
            f = alone(s, e->task, self, link, now);
            take_in_hand(s, self, e->task, &f, now);
            free_time[self] = fmax(free_time[self], f.data) + f.length;
            mine = take(s, i--);
        } else if (f.worker < 0) {
            continue;
        } else {
            free_time[f.worker] = f.finish;
            if (mine && f.worker == self)
                send_ahead(s, e, &f, now);
            else if (!mine && f.worker != self && leave_to(s, e, f.worker))
                called->worker[called->n++] = f.worker;
        }
        if (f.data > now)
            link[f.link] = f.data;
        if (mine && !wants_ahead(s, self))
            break;
    }
    return mine;
}

static void call(const struct called *called)
{
    for (int i = 0; i < called->n; i++)
        orr_core_wake(called->worker[i]);
}

static int somebody_waits(const struct lookahead *s)
{
    for (int i = 0; i < s->core.workers; i++)
        if (s->core.waiting[s->core.worker[i]])
            return 1;
    return 0;
}

static int push(struct starpu_task *task)
{
    struct lookahead *s = orr_core_of_task(task);
    int visits = RANKED;
    struct called called = {0};
    orr_core_lock(&s->core);
    const double rank = s->kinds > 1 ? upward_rank(s, task, &visits) : 0;
    const struct orr_entry e = {
        .key = task->priority, .second = rank, .mark = NOBODY, .sent = NOBODY, .task = task};
    orr_deck_add(&s->deck, e);
    starpu_push_task_end(task);
    atomic_fetch_add(&s->core.changes, 1);
    if (somebody_waits(s))
        deal(s, starpu_worker_get_id(), 0, &called);
    orr_core_unlock(&s->core);
    call(&called);
    return 0;
}

static struct starpu_task *pop(unsigned ctx)
{
    struct lookahead *s = starpu_sched_ctx_get_policy_data(ctx);
    const int w = starpu_worker_get_id_check();
    struct called called = {0};
    if (!orr_core_ask(&s->core, w))
        return NULL;
    struct starpu_task *task = deal(s, w, 1, &called);
    if (called.n || task) /* others may see it differently now */
        atomic_fetch_add(&s->core.changes, 1);
    orr_core_answer(&s->core, w, task);
    call(&called);
    return task;
}

/* In the worker's thread: one task less in its hands. */
static void post_exec(struct starpu_task *task, unsigned ctx)
{
    struct lookahead *s = starpu_sched_ctx_get_policy_data(ctx);
    const int w = starpu_worker_get_id();
    if (isnan(task->predicted) || w < 0) /* did not come from here */
        return;
    orr_core_lock(&s->core);
    s->since[w] = starpu_timing_now();
    s->busy[w] = fmax(0, s->busy[w] - task->predicted);
    if (s->in_hand[w] > 0)
        s->in_hand[w]--;
    orr_core_unlock(&s->core);
}

struct starpu_sched_policy orr_sched_lookahead = {
    .init_sched = init,
    .deinit_sched = deinit,
    .add_workers = add_workers,
    .remove_workers = remove_workers,
    .push_task = push,
    .pop_task = pop,
    .post_exec_hook = post_exec,
    .policy_name = "lookahead",
    .policy_description = "earliest finish time by the models, own link for each device",
    .worker_type = STARPU_WORKER_LIST ORR_SENDS_AHEAD,
};
