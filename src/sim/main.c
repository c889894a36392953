/* orrery-sim GRAPH SCHED CPUS GPUS KEY=VALUE...: runs a recorded graph on a simulated node and
 * prints one JSON object. `orrery simulate` calls it with the values of a machine's description,
 * and with the files that StarPU reads about that machine in the environment.
 *
 * No kernel runs: a task takes the time that src/sim/costs.c finds for it. Schedulers are told these times. What
 * tasks then take differs from them by the values noise, spikes, bias and slow (src/graph/dag_truth.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <starpu.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "schedulers/schedulers.h"
#include "src/sim/costs.h"

#ifndef STARPU_SIMGRID
#error "orrery-sim needs the SimGrid flavour of StarPU: scripts/starpu simgrid"
#endif

enum { IN_FLIGHT = 1000 };

/* ---- Codelets ------------------------------------------------------------------------------- */

static struct sim_machine machine = {.truth.seed = 1};
static double began; /* us of StarPU's clock */
static double
    free_from[SIM_DEVICES]; /* when all that a CUDA device was given has ended, from then on */
static struct starpu_perfmodel model;

/* To the picosecond, which gives back the digits of StarPU's files: schedulers compare sums of these
 * times, and where they tie the last bit decides. */
static double us(double seconds) { return rint(1e12 * seconds) / 1e6; }

/* A worker has it. A kernel waits in its device's queue for those before. */
static void begin_task(struct sim_task *t, int kind, int worker)
{
    if (t->took > 0) /* asked again */
        return;
    t->ran = kind;
    t->worker = worker;
    t->start = starpu_timing_now() - began;
    if (kind == CUDA)
        t->start = fmax(t->start, free_from[worker]);
}

/* Of struct starpu_perfmodel: us of a task on a kind of worker. Schedulers ask and get what is believed; the worker asks
 * when it starts the task, and gets the truth. StarPU's status of the task does not tell them apart: a kernel that waits
 * in a device's queue counts as running only when the one before has ended. */
static double expected(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned impl)
{
    struct sim_task *t = task->cl_arg;
    const int k = arch->devices[0].type == STARPU_CUDA_WORKER ? CUDA : CPU;
    const double later = k == CUDA ? t->cost->later[arch->devices[0].devid] : 0;
    sim_model_ask(t->cost, task, &model, arch, impl);
    if (starpu_task_get_current() != task)
        return us(t->t[k] + later);
    begin_task(t, k, starpu_worker_get_devid(starpu_worker_get_id()));
    t->took = us(t->truth[k] + later * t->factor[k]) *
              orr_truth_slow(&machine.truth, k, starpu_worker_get_devid(starpu_worker_get_id()));
    if (k == CUDA)
        free_from[t->worker] = t->start + t->took;
    return t->took;
}

static struct starpu_perfmodel model = {
    .type = STARPU_PER_ARCH, .arch_cost_function = expected, .symbol = "orrery_sim"};

/* Where a task may run. The functions are never called. On a CUDA device they only start a kernel, and its worker
 * brings the data of the next task meanwhile; that of a `sync` task starts it when all tasks before have ended, and
 * does nothing else until it ends. */
enum place { NOWHERE, ON_CPU, ON_CUDA, ON_BOTH, PLACES };

/* What is on one device is left to it, if it is there. */
static int may_run(unsigned worker, struct starpu_task *task, unsigned impl)
{
    const int owner = ((const struct sim_task *)task->cl_arg)->owner;
    (void)impl;
    return owner < 0 || owner >= starpu_worker_get_count_by_type(STARPU_CUDA_WORKER) ||
           starpu_worker_get_type((int)worker) != STARPU_CUDA_WORKER ||
           starpu_worker_get_devid((int)worker) == owner;
}

#define RUNS(c, gpu, flag)                                                                         \
    {                                                                                              \
        .model = &model, .nbuffers = STARPU_VARIABLE_NBUFFERS,                                     \
        .cpu_funcs[0] = (starpu_cpu_func_t)(c), .cuda_funcs[0] = (starpu_cuda_func_t)(gpu),        \
        .cuda_flags[0] = (flag), .can_execute = may_run                                            \
    }
#define RUNS_ALL(flag)                                                                             \
    {                                                                                              \
        [NOWHERE] = {.where = STARPU_NOWHERE, .nbuffers = STARPU_VARIABLE_NBUFFERS},               \
        [ON_CPU] = RUNS(1, 0, 0), [ON_CUDA] = RUNS(0, 1, flag), [ON_BOTH] = RUNS(1, 1, flag)       \
    }
static struct starpu_codelet codelet[2][PLACES] = {RUNS_ALL(STARPU_CUDA_ASYNC), RUNS_ALL(0)};

static struct starpu_codelet *codelet_of(const struct sim_task *t)
{
    const enum place p = t->cost->nowhere    ? NOWHERE
                         : isnan(t->t[CUDA]) ? ON_CPU
                         : isnan(t->t[CPU])  ? ON_CUDA
                                             : ON_BOTH;
    return &codelet[t->sync][p];
}

/* ---- Running -------------------------------------------------------------------------------- */

struct result {
    double makespan, tasks_end; /* seconds; with, without the results brought home */
    double busy[2];
    int64_t tasks[2];
    int64_t bytes[3], transfers[3]; /* to devices, from devices, between devices */
    double area, path, lp, links;
};

static struct result result;

/* Explicit edges are StarPU's tags: unlike tasks they outlive those who have ended. */
static starpu_tag_t tag_of(size_t task) { return (starpu_tag_t)task + 1; }

static void wait_for(const struct sim_graph *g, const struct sim_task *t)
{
    starpu_tag_t *tags = malloc((t->afters + 1) * sizeof *tags);
    for (unsigned k = 0; tags && k < t->afters; k++)
        tags[k] = tag_of(g->before[t->after + k]);
    if (t->afters)
        starpu_tag_declare_deps_array(tag_of((size_t)(t - g->task)), t->afters, tags);
    free(tags);
}

/* Without profiling and callbacks, which take locks: where tasks become ready at one instant, the program that was
 * recorded would decide otherwise with them. */
static void submit(const struct sim_graph *g, struct sim_task *t, const starpu_data_handle_t *h)
{
    struct starpu_data_descr *d = calloc(t->accesses + 1, sizeof *d);
    for (unsigned i = 0; i < t->accesses; i++) {
        const struct orr_trace_access *a = &g->access[t->first + i];
        d[i] = (struct starpu_data_descr){h[a->data], (enum starpu_data_access_mode)a->mode};
    }
    if (starpu_task_nsubmitted() > IN_FLIGHT)
        starpu_task_wait_for_n_submitted(IN_FLIGHT - IN_FLIGHT / 10);
    wait_for(g, t);
    t->submit = starpu_timing_now() - began;
    const int rc =
        starpu_task_insert(codelet_of(t), STARPU_PRIORITY, t->priority, STARPU_CL_ARGS_NFREE, t,
                           sizeof *t, STARPU_DATA_MODE_ARRAY, d, (int)t->accesses,
                           g->befores ? STARPU_TAG : STARPU_TAG_ONLY, tag_of((size_t)(t - g->task)),
                           STARPU_HANDLES_SEQUENTIAL_CONSISTENCY, &g->ordered[t->first], 0);
    free(d);
    if (rc != 0) {
        fprintf(stderr, "orrery: %s: no worker can run it\n", t->cost->name);
        exit(6);
    }
}

static void arrived(void *handle) { starpu_data_release(handle); }

/* What has to go to devices and back: bytes, and in how many transfers. */
struct traffic {
    double bytes, transfers;
};

/* No schedule without CPUs is faster than the links that bring the data and take results home,
 * each one after another. */
static double links_bound(const struct traffic t[2])
{
    const double *v = machine.value;
    double bound = (t[0].bytes + t[1].bytes) / v[LINK_TOTAL];
    for (int k = 0; k < 2; k++)
        bound =
            fmax(bound, (t[k].bytes / v[LINK] + t[k].transfers * v[LINK_LATENCY]) / machine.gpus);
    return bound;
}

static void add_traffic(struct traffic *t, size_t bytes)
{
    t->bytes += (double)bytes;
    t->transfers++;
}

struct run {
    const struct sim_graph *g;
    starpu_data_handle_t *handle; /* [data + 1] */
    char *written;                /* [data + 1]: its last access is a write, ... */
    size_t *last;                 /* [data + 1]: ... of this task */
};

/* Data begin in main memory. Those that are read have to go to a device. */
static void register_data(struct run *r, struct traffic *there)
{
    const struct sim_graph *g = r->g;
    for (size_t i = 0; i < g->accesses; i++) {
        const struct orr_trace_access *a = &g->access[i];
        if (!r->handle[a->data]) {
            starpu_variable_data_register(&r->handle[a->data], STARPU_MAIN_RAM, (uintptr_t)1,
                                          a->bytes ? a->bytes : 1);
            if (a->mode & STARPU_R)
                add_traffic(there, a->bytes);
        }
        r->written[a->data] = (a->mode & STARPU_W) != 0;
    }
    for (size_t i = 0; i < g->tasks; i++)
        for (unsigned k = 0; k < g->task[i].accesses; k++)
            r->last[g->access[g->task[i].first + k].data] = i;
}

/* What was written last goes to main memory when its last task is done. */
static void submit_all(const struct run *r, struct traffic *back)
{
    const struct sim_graph *g = r->g;
    for (size_t i = 0; i < g->tasks; i++) {
        struct sim_task *t = &g->task[i];
        if (i > 0 && t->phase != g->task[i - 1].phase)
            starpu_task_wait_for_all();
        if (t->pause > 0)
            starpu_sleep((float)(t->pause / machine.value[CPU_SPEED]));
        submit(g, t, r->handle);
        for (unsigned k = 0; k < t->accesses; k++) {
            const struct orr_trace_access *a = &g->access[t->first + k];
            if (g->home[t->first + k])
                starpu_data_wont_use(r->handle[a->data]);
            if (r->last[a->data] != i || !r->written[a->data])
                continue;
            add_traffic(back, a->bytes);
            starpu_data_acquire_cb(r->handle[a->data], STARPU_R, arrived, r->handle[a->data]);
        }
    }
}

static void run(const struct sim_graph *g, struct traffic t[2])
{
    struct run r = {.g = g,
                    .handle = calloc(g->data + 1, sizeof *r.handle),
                    .written = calloc(g->data + 1, 1),
                    .last = calloc(g->data + 1, sizeof *r.last)};
    register_data(&r, &t[0]);
    began = starpu_timing_now();
    submit_all(&r, &t[1]);
    starpu_task_wait_for_all();
    result.tasks_end = 1e-6 * (starpu_timing_now() - began);
    for (uint64_t i = 1; i <= g->data; i++)
        if (r.handle[i] && r.written[i])
            starpu_data_acquire(r.handle[i], STARPU_R);
    result.makespan = 1e-6 * (starpu_timing_now() - began);
    for (uint64_t i = 1; i <= g->data; i++)
        if (r.handle[i]) {
            if (r.written[i])
                starpu_data_release(r.handle[i]);
            starpu_data_unregister_no_coherency(r.handle[i]);
        }
    free(r.handle);
    free(r.written);
    free(r.last);
}

static void work(const struct sim_graph *g)
{
    for (size_t i = 0; i < g->tasks; i++)
        if (g->task[i].took > 0) {
            result.busy[g->task[i].ran] += 1e-6 * g->task[i].took;
            result.tasks[g->task[i].ran]++;
        }
}

/* 0, told: StarPU read no link between two memories, and schedulers would shun them. */
static int links_known(void)
{
    const unsigned nodes = starpu_memory_nodes_get_count();
    for (unsigned from = 0; from < nodes; from++)
        for (unsigned to = 0; to < nodes; to++)
            if (isnan(starpu_transfer_predict(from, to, 1))) {
                fprintf(stderr, "orrery: StarPU knows no link from memory %u to %u\n", from, to);
                return 0;
            }
    return 1;
}

static void links(void)
{
    for (int bus = 0; bus < starpu_bus_get_count(); bus++) {
        struct starpu_profiling_bus_info info;
        const int from = starpu_bus_get_src(bus), to = starpu_bus_get_dst(bus);
        starpu_bus_get_profiling_info(bus, &info);
        const int k = from == STARPU_MAIN_RAM ? 0 : to == STARPU_MAIN_RAM ? 1 : 2;
        result.bytes[k] += info.transferred_bytes;
        result.transfers[k] += info.transfer_count;
    }
}

/* ---- Bounds --------------------------------------------------------------------------------- */

static void bounds(const struct sim_graph *sim)
{
    const int all[2] = {machine.cpus, machine.gpus};
    int workers[2], kind[2];
    struct orr_graph g = sim->edges;
    g.workers = workers;
    for (int k = 0; k < 2; k++)
        if (all[k]) {
            workers[g.kinds] = all[k];
            kind[g.kinds++] = k;
        }
    result.area = result.path = result.lp = NAN;
    g.t = malloc((sim->tasks * (size_t)g.kinds + 1) * sizeof *g.t);
    for (size_t i = 0; g.t && i < sim->tasks; i++)
        for (int k = 0; k < g.kinds; k++) {
            const double t = sim->task[i].truth[kind[k]];
            g.t[i * (size_t)g.kinds + (size_t)k] = isnan(t) ? INFINITY : t;
        }
    if (g.t) {
        result.area = orr_bound_area(&g);
        result.path = orr_bound_path(&g);
        result.lp = orr_bound_lp(&g);
    }
    free(g.t);
}

/* ---- The report ----------------------------------------------------------------------------- */

static void put(const char *key, double x)
{
    if (isfinite(x))
        printf(",\"%s\":%.9g", key, x);
    else
        printf(",\"%s\":null", key);
}

/* What the times of tasks that may run there are. */
static void put_origins(const struct sim_graph *g, const char *kind, int k)
{
    static const char *const name[SIM_ORIGINS] = {"calibrated", "recorded", "roofline estimate"};
    int seen[SIM_ORIGINS] = {0}, count = 0;
    for (size_t i = 0; i < g->costs; i++)
        if (isfinite(g->cost[i].t[k]))
            seen[sim_origin_of(&g->cost[i], k)] = 1;
    printf("\"%s\":", kind);
    for (int o = 0; o < SIM_ORIGINS; o++)
        if (seen[o])
            printf("%s%s", count++ ? " and " : "\"", name[o]);
    printf(count ? "\"" : "null");
}

static void report(const struct sim_graph *g, const char *sched)
{
    printf("{\"sched\":\"%s\",\"workers\":{\"cpu\":%d,\"cuda\":%d},\"tasks\":%zu", sched,
           machine.cpus, machine.gpus, g->tasks);
    put("makespan", result.makespan);
    put("tasks_end", result.tasks_end);
    printf(",\"bound\":{\"solver\":\"own\"");
    put("area", result.area);
    put("critical_path", result.path);
    put("lp", result.lp);
    put("links", result.links);
    printf("},\"busy\":{\"cpu\":%.9g,\"cuda\":%.9g},\"ran\":{\"cpu\":%lld,\"cuda\":%lld}",
           result.busy[CPU], result.busy[CUDA], (long long)result.tasks[CPU],
           (long long)result.tasks[CUDA]);
    printf(",\"bytes\":{\"to_devices\":%lld,\"from_devices\":%lld,\"between\":%lld}",
           (long long)result.bytes[0], (long long)result.bytes[1], (long long)result.bytes[2]);
    printf(",\"times\":{");
    put_origins(g, "cpu", CPU);
    printf(",");
    put_origins(g, "cuda", CUDA);
    printf("},\"recorded\":{\"machine\":\"%s\",\"cpu\":%d,\"cuda\":%d,\"opencl\":%d}}\n", g->host,
           g->cpu, g->cuda, g->opencl);
}

/* ---- The schedule --------------------------------------------------------------------------- */

static struct orr_dag_place place_of(const struct sim_task *t)
{
    const int there = t->took > 0;
    return (struct orr_dag_place){.submit = t->submit,
                                  .ready = NAN,
                                  .start = there ? t->start : NAN,
                                  .end = there ? t->start + t->took : NAN,
                                  .took = t->took,
                                  .kind = there ? t->ran : -1,
                                  .worker = there ? t->worker : -1};
}

/* 0; 3: the schedule would be a graph that cannot be read. */
static int check_times(const struct orr_dag *d)
{
    const size_t beyond = orr_dag_beyond(d);
    if (beyond)
        fprintf(
            stderr,
            "orrery: --output: not written: times of task %zu (%s) are beyond those of a graph\n",
            beyond, d->task[beyond - 1].name);
    return beyond ? 3 : 0;
}

/* The graph is read once more: the simulation keeps only what it needs. 0, or the exit code. */
static int write_schedule(const struct sim_graph *g, const char *graph)
{
    struct orr_dag d;
    struct orr_graph e = {0};
    char why[256];
    const int workers[ORR_DAG_COUNT] = {[CPU] = machine.cpus, [CUDA] = machine.gpus};
    struct orr_dag_place *place = calloc(g->tasks + 1, sizeof *place);
    int rc = place ? orr_dag_read(&d, graph) : 5;
    if (!place)
        return rc;
    if (rc == 0 && d.tasks != g->tasks) {
        fprintf(stderr, "orrery: %s: changed while it was simulated\n", graph);
        rc = 3;
    }
    if (rc == 0 && d.befores && orr_dag_edges(&d, &e, why, sizeof why) != 0) /* the same order */
        rc = 5;
    for (size_t i = 0; i < g->tasks; i++)
        place[i] = place_of(&g->task[i]);
    if (rc == 0) {
        orr_dag_schedule(&d, place, workers);
        rc = check_times(&d);
    }
    FILE *f = rc == 0 ? fopen(machine.schedule, "w") : NULL;
    if (rc == 0) {
        const int good = f && orr_dag_write(&d, f);
        if (!f || fclose(f) || !good) {
            perror(machine.schedule);
            rc = 3;
        }
    }
    orr_dag_free(&d);
    orr_graph_free(&e);
    free(place);
    return rc;
}

int main(int argc, char **argv)
{
    struct starpu_conf conf;
    struct sim_graph g;
    if (argc < 5) {
        fprintf(stderr, "usage: orrery-sim GRAPH SCHED CPUS GPUS KEY=VALUE...\n");
        return 2;
    }
    machine.cpus = atoi(argv[3]);
    machine.gpus = atoi(argv[4]);
    int rc = sim_machine_read(&machine, argc - 5, argv + 5);
    if (rc == 0)
        rc = sim_graph_read(&g, argv[1]);
    if (rc)
        return rc;
    unsetenv("STARPU_SCHED");
    starpu_conf_init(&conf);
    conf.ncpus = machine.cpus;
    conf.ncuda = machine.gpus;
    conf.nopencl = 0;
    conf.sched_policy = orr_sched_find(argv[2]);
    if (!conf.sched_policy) {
        fprintf(stderr, "orrery: there is no scheduling policy '%s'\n", argv[2]);
        return 2;
    }
    if (starpu_init(&conf) != 0) {
        fprintf(stderr, "orrery: StarPU found no worker\n");
        return 6;
    }
    rc = links_known() ? 0 : 6;
    if (rc == 0 && machine.value[MODELS] > 0)
        sim_models_read(&g);
    if (rc == 0)
        rc = sim_make_costs(&g, &machine);
    if (rc == 0)
        rc = sim_models_start(&g);
    if (rc == 0) {
        sim_make_times(&g, &machine);
        struct traffic t[2] = {{0}};
        run(&g, t);
        result.links = machine.cpus ? NAN : links_bound(t);
        work(&g);
        links();
        bounds(&g);
        report(&g, argv[2]);
        rc = machine.schedule ? write_schedule(&g, argv[1]) : 0;
    }
    sim_models_end();
    starpu_shutdown();
    sim_graph_free(&g);
    return rc ? rc : fflush(stdout) == 0 ? 0 : 3;
}
