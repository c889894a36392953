/* orrery-real GRAPH SCHED CPUS REPEAT spin|sleep KEY=VALUE...: runs a graph under StarPU on the CPUs of this machine.
 * Each task computes nothing for as long as the graph says that it takes; what StarPU does with it, and what that
 * costs, is real. `orrery replay --on real` calls it. Keys are those of src/graph/dag_truth.h: tasks then take other
 * times than the policy is told. REPEAT 0 only asks whether StarPU has so many workers.
 *
 * Prints "workers N starpu VERSION", then for each run "run MAKESPAN BUSY": seconds from the first submission to the
 * end of the last task, and of all tasks together; at last "joules N WHY": of the processors in a run, by the
 * counters WHY, or nan. That no task began before one that it waits for had ended is checked in
 * every run.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <starpu.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <orrery/orrery.h>

#include "src/graph/dag.h"
#include "src/graph/dag_truth.h"
#include "src/energy/energy.h"

enum { IN_FLIGHT = 1000 };

struct work {
    double believed, truth; /* seconds */
    double start, end;
};

static struct orr_truth truth = {.seed = 1};
static int sleeps;
static void *room;             /* where all data are: only StarPU looks, whether it can be read */
static unsigned char *ordered; /* of each access: edges follow from it */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sleep_until(double end)
{
    struct timespec t = {.tv_sec = (time_t)end};
    t.tv_nsec = (long)(1e9 * (end - (double)t.tv_sec));
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

static void take_time(void *buffers[], void *arg)
{
    struct work *w = arg;
    (void)buffers;
    w->start = now();
    const double end =
        w->start + w->truth * orr_truth_slow(&truth, ORR_DAG_CPU,
                                             starpu_worker_get_devid(starpu_worker_get_id()));
    if (sleeps)
        sleep_until(end);
    do
        w->end = now();
    while (w->end < end);
}

static double expected(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned impl)
{
    (void)arch, (void)impl;
    return 1e6 * ((const struct work *)task->cl_arg)->believed;
}

static struct starpu_perfmodel model = {
    .type = STARPU_PER_ARCH, .arch_cost_function = expected, .symbol = "orrery_real"};
static struct starpu_codelet busy = {.name = "busy",
                                     .model = &model,
                                     .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                     .cpu_funcs = {take_time}};
static struct starpu_codelet none = {
    .name = "none", .where = STARPU_NOWHERE, .nbuffers = STARPU_VARIABLE_NBUFFERS};

/* ---- A run ----------------------------------------------------------------------------------------- */

/* Explicit edges are StarPU's tags; each run has its own. */
static starpu_tag_t tag_of(const struct orr_dag *d, size_t task, int run)
{
    return (starpu_tag_t)((size_t)run * d->tasks + task + 1);
}

static int submit(const struct orr_dag *d, size_t i, struct work *w, const starpu_data_handle_t *h,
                  int run)
{
    const struct orr_dag_task *t = &d->task[i];
    struct starpu_data_descr *data = calloc(t->accesses + 1, sizeof *data);
    starpu_tag_t *tags = malloc((t->afters + 1) * sizeof *tags);
    int rc = data && tags ? 0 : 5;
    for (unsigned k = 0; rc == 0 && k < t->accesses; k++) {
        const struct orr_trace_access *a = &d->access[t->first + k];
        int mode = a->mode & ORR_ACCESS_OF_STARPU;
        if (mode & ORR_ACCESS_REDUX) /* nobody is here who could join the parts */
            mode = ORR_ACCESS_RW | ORR_ACCESS_COMMUTE;
        data[k] = (struct starpu_data_descr){h[a->data], (enum starpu_data_access_mode)mode};
    }
    if (rc == 0 && starpu_task_nsubmitted() > IN_FLIGHT)
        starpu_task_wait_for_n_submitted(IN_FLIGHT - IN_FLIGHT / 10);
    for (unsigned k = 0; rc == 0 && k < t->afters; k++)
        tags[k] = tag_of(d, d->before[t->after + k], run);
    if (rc == 0 && t->afters)
        starpu_tag_declare_deps_array(tag_of(d, i, run), t->afters, tags);
    if (rc == 0 && starpu_task_insert(
                       t->where ? &busy : &none, STARPU_PRIORITY, t->priority, STARPU_CL_ARGS_NFREE,
                       w, sizeof *w, STARPU_DATA_MODE_ARRAY, data, (int)t->accesses,
                       d->befores ? STARPU_TAG : STARPU_TAG_ONLY, tag_of(d, i, run),
                       STARPU_HANDLES_SEQUENTIAL_CONSISTENCY, &ordered[t->first], 0) != 0) {
        fprintf(stderr, "orrery: %s: StarPU took no task of it\n", t->name);
        rc = 6;
    }
    free(data);
    free(tags);
    return rc;
}

static int run_once(const struct orr_dag *d, struct work *w, starpu_data_handle_t *h, int run)
{
    int rc = 0;
    for (size_t k = 1; k <= d->all_data; k++)
        starpu_variable_data_register(&h[k], STARPU_MAIN_RAM, (uintptr_t)room,
                                      d->data[k - 1].bytes ? d->data[k - 1].bytes : 1);
    const double begin = now();
    for (size_t i = 0; i < d->tasks && rc == 0; i++) {
        if (i > 0 && d->task[i].phase != d->task[i - 1].phase)
            starpu_task_wait_for_all();
        if (d->task[i].pause > 0)
            sleep_until(now() + 1e-6 * d->task[i].pause);
        rc = submit(d, i, &w[i], h, run);
    }
    starpu_task_wait_for_all();
    double end = begin, busy_time = 0;
    for (size_t i = 0; i < d->tasks; i++)
        if (d->task[i].where) {
            end = fmax(end, w[i].end);
            busy_time += w[i].end - w[i].start;
        }
    for (size_t k = 1; k <= d->all_data; k++)
        starpu_data_unregister_no_coherency(h[k]);
    if (rc == 0)
        printf("run %.9g %.9g\n", end - begin, busy_time);
    return rc;
}

static int check_edges(const struct orr_dag *d, const struct orr_graph *e, const struct work *w)
{
    for (size_t i = 0; i < d->tasks; i++)
        for (size_t k = e->before_at[i]; k < e->before_at[i + 1]; k++) {
            const size_t b = e->before[k];
            if (d->task[i].where && d->task[b].where && w[i].start < w[b].end) {
                fprintf(
                    stderr,
                    "orrery: task %zu (%s) began before task %zu (%s) had ended, for which it waits\n",
                    i + 1, d->task[i].name, b + 1, d->task[b].name);
                return 6;
            }
        }
    return 0;
}

/* ---- All ------------------------------------------------------------------------------------------------ */

/* 0, or 77 with the reason told. */
static int make_times(struct orr_dag *d, struct work *w)
{
    double *t = orr_dag_times(d);
    int rc = t ? 0 : 5;
    for (size_t i = 0; rc == 0 && i < d->tasks; i++) {
        w[i].believed = 1e-6 * t[i * ORR_DAG_COUNT + ORR_DAG_CPU];
        w[i].truth = w[i].believed * orr_truth_factor(&truth, d->task[i].name, i, ORR_DAG_CPU);
        if (!isfinite(w[i].believed)) {
            fprintf(stderr, "orrery: task %zu (%s) has no time on CPUs\n", i + 1, d->task[i].name);
            rc = 77;
        }
    }
    free(t);
    return rc;
}

/* Which data are used in order is asked again when the task ends. 0 or 5. */
static int make_ordered(const struct orr_dag *d)
{
    ordered = malloc(d->accesses + 1);
    for (size_t i = 0; ordered && i < d->accesses; i++)
        ordered[i] = !(d->access[i].mode & ORR_ACCESS_UNORDERED);
    return ordered ? 0 : 5;
}

/* Of the size of the largest; it costs no memory. 0, or 5 with the reason told. */
static int make_room(const struct orr_dag *d)
{
    size_t most = 1;
    for (size_t k = 0; k < d->all_data; k++)
        most = d->data[k].bytes > most ? d->data[k].bytes : most;
    room = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                0);
    if (room != MAP_FAILED)
        return 0;
    fprintf(stderr, "orrery: data of %zu bytes: %s\n", most, strerror(errno));
    return 5;
}

static int all_runs(struct orr_dag *d, const struct orr_graph *e, struct work *w, const char *sched,
                    int cpus, int repeat)
{
    orr_context *context;
    orr_context_info info;
    starpu_data_handle_t *h = calloc(d->all_data + 1, sizeof *h);
    char message[512] = "";
    const orr_context_opts o = {.cpus = cpus, .cudas = -1, .sched = sched, .message = message};
    const orr_status status = h ? orr_open(&o, &context) : ORR_E_NOMEM;
    if (status != ORR_OK) {
        if (status == ORR_E_ARG && *message)
            fprintf(stderr, "orrery: %s\n", message);
        else
            fprintf(stderr, "orrery: %s: %s\n", sched, orr_strerror(status));
        free(h);
        return status == ORR_E_SCHED || status == ORR_E_ARG ? 2
               : status == ORR_E_NOMEM                      ? 5
               : status == ORR_E_FILE                       ? 3
                                                            : 6;
    }
    orr_context_query(context, &info);
    int rc = info.cpu == cpus ? 0 : 77;
    if (rc)
        fprintf(stderr, "orrery: StarPU has %d CPU workers here, not %d\n", info.cpu, cpus);
    else
        printf("workers %d starpu %s\n", info.cpu, info.starpu);
    struct orr_energy *energy = orr_energy_open(0);
    struct orr_joules all = {0, 0};
    double seconds = 0;
    starpu_resume();
    for (int run = 0; run < repeat && rc == 0; run++) {
        const struct orr_joules before = orr_energy_read(energy);
        const double begin = now();
        rc = run_once(d, w, h, run);
        seconds += now() - begin;
        all.cpu += orr_energy_read(energy).cpu - before.cpu;
        if (rc == 0)
            rc = check_edges(d, e, w);
    }
    starpu_pause();
    all = orr_energy_between((struct orr_joules){0, 0}, all, seconds);
    if (rc == 0)
        printf("joules %.9g %s\n", repeat ? all.cpu / repeat : NAN, orr_energy_cpu(energy));
    orr_energy_close(energy);
    orr_close(context);
    free(h);
    return rc;
}

int main(int argc, char **argv)
{
    struct orr_dag d;
    struct orr_graph e;
    char why[512], key[64];
    if (argc < 6) {
        fprintf(stderr, "usage: orrery-real GRAPH SCHED CPUS REPEAT spin|sleep KEY=VALUE...\n");
        return 2;
    }
    sleeps = !strcmp(argv[5], "sleep");
    for (int i = 6; i < argc; i++) {
        const size_t n = strcspn(argv[i], "=");
        snprintf(key, sizeof key, "%.*s", (int)n, argv[i]);
        if (!argv[i][n] || orr_truth_set(&truth, key, argv[i] + n + 1) <= 0) {
            fprintf(stderr, "orrery: orrery-real: '%s'?\n", argv[i]);
            return 2;
        }
    }
    int rc = orr_dag_read(&d, argv[1]);
    if (rc)
        return rc;
    rc = orr_dag_edges(&d, &e, why, sizeof why);
    struct work *w = calloc(d.tasks + 1, sizeof *w);
    if (rc == 0)
        rc = w ? make_times(&d, w) : 5;
    if (rc == 0)
        rc = make_ordered(&d);
    if (rc == 0)
        rc = make_room(&d);
    if (rc == 0)
        rc = all_runs(&d, &e, w, argv[2], atoi(argv[3]), atoi(argv[4]));
    free(w);
    free(ordered);
    orr_graph_free(&e);
    orr_dag_free(&d);
    return rc ? rc : fflush(stdout) == 0 ? 0 : 3;
}
