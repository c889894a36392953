/* What each policy promises, seen in plain StarPU programs that load the policies as a plugin:
 *
 *   all       every task runs once, whatever submits tasks and when
 *   order     one worker: descending priority, first come first served among equals
 *   turns     pipeline: tasks of two streams alternate
 *   kinds     with an OpenCL worker and models: what a kind is better at is what it begins with
 *             (affine, lookahead), or all that it does (pipeline)
 *   learned   the same without models, after each kind has run some tasks (affine)
 *   chaos     the seed decides on the order; not the order of submission
 *
 *   rules PLUGIN [opencl]
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MOST = 4096 };
static atomic_int begun;
static int who[MOST], where[MOST]; /* task numbers and kinds of worker, in order of begin */

static void note(void **buffers, void *number)
{
    (void)buffers;
    const int at = atomic_fetch_add(&begun, 1);
    who[at] = (int)(intptr_t)number;
    where[at] = starpu_worker_get_type(starpu_worker_get_id()) == STARPU_CPU_WORKER ? 'c' : 'a';
}

static void slow(void **buffers, void *number)
{
    note(buffers, number);
    starpu_usleep(2000);
}

static double better_on_cpu(struct starpu_task *task, struct starpu_perfmodel_arch *arch,
                            unsigned i)
{
    (void)task, (void)i;
    return arch->devices[0].type == STARPU_CPU_WORKER ? 1e3 : 1e5;
}

static double better_on_device(struct starpu_task *task, struct starpu_perfmodel_arch *arch,
                               unsigned i)
{
    return 1e8 / better_on_cpu(task, arch, i);
}

static struct starpu_perfmodel cpu_model = {
    .type = STARPU_PER_ARCH, .symbol = "rules_cpu", .arch_cost_function = better_on_cpu};
static struct starpu_perfmodel device_model = {
    .type = STARPU_PER_ARCH, .symbol = "rules_device", .arch_cost_function = better_on_device};

static struct starpu_codelet plain = {.name = "plain", .cpu_funcs = {note}, .nbuffers = 0};
static struct starpu_codelet column = {
    .name = "column", .cpu_funcs = {note}, .nbuffers = 1, .modes = {STARPU_RW}};
static struct starpu_codelet reader = {
    .name = "reader", .cpu_funcs = {note}, .nbuffers = 1, .modes = {STARPU_R}};
static struct starpu_codelet for_cpu = {
    .name = "for_cpu", .cpu_funcs = {slow}, .opencl_funcs = {slow}, .model = &cpu_model};
static struct starpu_codelet for_device = {
    .name = "for_device", .cpu_funcs = {slow}, .opencl_funcs = {slow}, .model = &device_model};

/* Of which no model knows anything; 1 ms on one kind, 40 ms on the other. */
static void slow_on(int kind)
{
    const int on_cpu = starpu_worker_get_type(starpu_worker_get_id()) == STARPU_CPU_WORKER;
    starpu_usleep(on_cpu == (kind == 'c') ? 40000 : 1000);
}

static void slow_on_device(void **buffers, void *number)
{
    note(buffers, number);
    slow_on('a');
}

static void slow_on_cpu(void **buffers, void *number)
{
    note(buffers, number);
    slow_on('c');
}

static struct starpu_codelet unknown[2] = {
    {.name = "unknown_cpu", .cpu_funcs = {slow_on_device}, .opencl_funcs = {slow_on_device}},
    {.name = "unknown_device", .cpu_funcs = {slow_on_cpu}, .opencl_funcs = {slow_on_cpu}}};

static int start(struct starpu_sched_policy *policy, int cpus, int opencl)
{
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = cpus;
    conf.ncuda = 0;
    conf.nopencl = opencl;
    conf.sched_policy = policy;
    atomic_store(&begun, 0);
    return starpu_init(&conf) == 0;
}

/* Tasks that keep the workers until all others are submitted (pausing StarPU does not stop a
 * worker that is just looking for a task). */
static atomic_int held, open_gate;

static void hold(void **buffers, void *arg)
{
    (void)buffers, (void)arg;
    atomic_fetch_add(&held, 1);
    while (!atomic_load(&open_gate))
        starpu_usleep(100);
}

static struct starpu_codelet gate = {
    .name = "gate", .cpu_funcs = {hold}, .opencl_funcs = {hold}, .nbuffers = 0};

static void close_gate(void)
{
    const int workers = (int)starpu_worker_get_count();
    atomic_store(&held, 0);
    atomic_store(&open_gate, 0);
    for (int w = 0; w < workers; w++) {
        struct starpu_task *task = starpu_task_create();
        task->cl = &gate;
        task->execute_on_a_specific_worker = 1;
        task->workerid = (unsigned)w;
        CHECK(starpu_task_submit(task) == 0, "gate");
    }
    while (atomic_load(&held) < workers)
        starpu_usleep(100);
}

static void run_all(void)
{
    atomic_store(&open_gate, 1);
    starpu_task_wait_for_all();
}

static void submit(struct starpu_codelet *cl, int number, int priority, starpu_data_handle_t h)
{
    struct starpu_task *task = starpu_task_create();
    task->cl = cl;
    task->cl_arg = (void *)(intptr_t)number;
    task->priority = priority;
    if (h)
        task->handles[0] = h;
    const int rc = starpu_task_submit(task);
    CHECK(rc == 0, "submit: %d", rc);
}

/* Every number of 0 .. n-1 once. */
static void check_all(const char *name, int n)
{
    static unsigned char seen[MOST];
    memset(seen, 0, sizeof seen);
    int good = atomic_load(&begun) == n;
    for (int i = 0; i < n && good; i++)
        good &= !seen[who[i]]++;
    CHECK(good, "%s: %d of %d tasks", name, atomic_load(&begun), n);
}

static void all(struct starpu_sched_policy *policy)
{
    enum { N = 3000, COLUMNS = 7 };
    static char data[COLUMNS][64];
    starpu_data_handle_t h[COLUMNS];
    CHECK(start(policy, 2, 0), "start");
    for (int i = 0; i < COLUMNS; i++)
        starpu_variable_data_register(&h[i], STARPU_MAIN_RAM, (uintptr_t)data[i], 64);
    for (int i = 0; i < N; i++) {
        if (i % 500 == 0)
            starpu_pause();
        submit(i % 3 ? &column : &plain, i, i % 11, i % 3 ? h[i % COLUMNS] : NULL);
        if (i % 500 == 200)
            starpu_resume();
        if (i % 1000 == 999)
            starpu_task_wait_for_all(); /* queues run empty */
    }
    starpu_task_wait_for_all();
    for (int i = 0; i < COLUMNS; i++)
        starpu_data_unregister(h[i]);
    starpu_shutdown();
    check_all(policy->policy_name, N);
}

/* Submits n tasks to a worker that is held, task i with priority i * step % n, and lets it run. */
static void in_order(struct starpu_sched_policy *policy, int n, int step)
{
    CHECK(start(policy, 1, 0), "start");
    close_gate();
    for (int i = 0; i < n; i++)
        submit(&plain, i, step ? i * step % n : 0, NULL);
    run_all();
    starpu_shutdown();
    check_all(policy->policy_name, n);
}

static void order(struct starpu_sched_policy *policy)
{
    enum { N = 101, STEP = 40 }; /* coprime: each priority once */
    in_order(policy, N, STEP);
    int good = 1;
    for (int i = 0; i < N; i++)
        good &= who[i] * STEP % N == N - 1 - i;
    CHECK(good, "%s: not by priority", policy->policy_name);
    in_order(policy, N, 0);
    good = 1;
    for (int i = 0; i < N; i++)
        good &= who[i] == i;
    CHECK(good, "%s: equal ones not in order", policy->policy_name);
}

/* Stream 0 has even numbers and is submitted first. */
static void turns(struct starpu_sched_policy *policy)
{
    enum { N = 20 };
    static char data[2][64];
    starpu_data_handle_t h[2];
    CHECK(start(policy, 1, 0), "start");
    close_gate();
    for (int s = 0; s < 2; s++) {
        starpu_variable_data_register(&h[s], STARPU_MAIN_RAM, (uintptr_t)data[s], 64);
        for (int i = 0; i < N; i++)
            submit(&reader, 2 * i + s, 0, h[s]);
    }
    run_all();
    starpu_data_unregister(h[0]);
    starpu_data_unregister(h[1]);
    starpu_shutdown();
    int good = 1;
    for (int i = 1; i < 2 * N; i++)
        good &= who[i] % 2 != who[i - 1] % 2;
    CHECK(good, "%s: streams do not take turns", policy->policy_name);
}

/* Each kind runs both codelets until it has run each of them twice. */
static void learn(struct starpu_codelet cl[2])
{
    int ran[2][2] = {{0}}, rounds = 0;
    while (rounds++ < 100 && (ran[0][0] < 2 || ran[0][1] < 2 || ran[1][0] < 2 || ran[1][1] < 2))
        for (int k = 0; k < 2; k++) {
            atomic_store(&begun, 0);
            close_gate();
            submit(&cl[k], 0, 0, NULL);
            submit(&cl[k], 1, 0, NULL);
            run_all();
            for (int i = 0; i < 2; i++)
                ran[k][where[i] == 'a']++;
        }
    CHECK(rounds < 100, "a kind of worker never ran one of the codelets");
    atomic_store(&begun, 0);
}

/* StarPU runs. Numbers below N are better on CPUs. */
static void kinds(struct starpu_sched_policy *policy, struct starpu_codelet *cpu,
                  struct starpu_codelet *device, int strict)
{
    enum { N = 12 };
    close_gate();
    for (int i = 0; i < N; i++) {
        submit(device, N + i, 0, NULL);
        submit(cpu, i, 0, NULL);
    }
    run_all();
    starpu_shutdown();
    check_all(policy->policy_name, 2 * N);
    int first[2] = {-1, -1}, misplaced = 0; /* of CPU and device */
    for (int i = 2 * N - 1; i >= 0; i--) {
        first[where[i] == 'a'] = who[i];
        misplaced += (who[i] < N) != (where[i] == 'c');
    }
    const char *name = policy->policy_name;
    CHECK(first[0] >= 0 && first[0] < N, "%s: the CPU began with %d", name, first[0]);
    CHECK(first[1] >= N, "%s: the device began with %d", name, first[1]);
    CHECK(!strict || !misplaced, "%s: %d tasks on the other kind", name, misplaced);
}

static void chaos(struct starpu_sched_policy *policy)
{
    enum { N = 60 };
    int first[N], differ = 0, moved = 0;
    for (int run = 0; run < 3; run++) {
        setenv("ORR_CHAOS_SEED", run < 2 ? "one" : "two", 1);
        in_order(policy, N, 0);
        if (run == 0)
            memcpy(first, who, sizeof first);
        else if (run == 1)
            CHECK(!memcmp(first, who, sizeof first), "the same seed, another order");
        for (int i = 0; i < N; i++) {
            differ += run == 2 && first[i] != who[i];
            moved += run == 0 && who[i] != i;
        }
    }
    CHECK(differ > N / 2, "another seed moved only %d of %d", differ, N);
    CHECK(moved > N / 2, "only %d of %d were moved", moved, N);
}

int main(int argc, char **argv)
{
    const int opencl = argc > 2 && !strcmp(argv[2], "opencl");
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    struct starpu_sched_policy **(*list)(void) = NULL, *(*find)(const char *) = NULL;
    if (plugin) {
        *(void **)&list = dlsym(plugin, "starpu_get_sched_lib_policies");
        *(void **)&find = dlsym(plugin, "starpu_get_sched_lib_policy");
    }
    if (!list || !find) {
        printf("cannot load the plugin: %s\n", dlerror());
        return 1;
    }
    CHECK(find("affine") && !find("lws"), "names");
    if (opencl) {
        const int there = start(NULL, 1, 1);
        const unsigned devices = there ? starpu_opencl_worker_get_count() : 0;
        if (there)
            starpu_shutdown();
        if (!devices) {
            printf("no OpenCL device (PoCL is not installed)\n");
            return 77;
        }
        static const char *const names[] = {"affine", "lookahead", "pipeline"};
        for (int i = 0; i < 3; i++) {
            CHECK(start(find(names[i]), 1, 1), "start");
            kinds(find(names[i]), &for_cpu, &for_device, !strcmp(names[i], "pipeline"));
        }
        CHECK(start(find("affine"), 1, 1), "start");
        learn(unknown);
        kinds(find("affine"), &unknown[0], &unknown[1], 0);
    } else {
        for (struct starpu_sched_policy **p = list(); *p; p++)
            all(*p);
        order(find("affine"));
        order(find("lookahead"));
        turns(find("pipeline"));
        chaos(find("chaos"));
    }
    return checked();
}
