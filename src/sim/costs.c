/* What a task costs on the simulated machine: by calibrated models of it, else what was recorded, and for CUDA
 * devices, where there is neither, a roofline estimate
 *
 *     launch + max(operations / (flops efficiency), bytes / bandwidth)
 *
 * whose operations are the recorded CPU seconds times cpu.flops, and whose bytes are those of the
 * task's data.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/sim/costs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS_HELD = 4 }; /* of codelets/core/submit.c: StarPU waits for ever if they do not fit */

static const char *const value_name[SIM_VALUES] = {
    [CPU_CORES] = "cpu.cores",
    [CPU_SPEED] = "cpu.speed",
    [CPU_FLOPS_S] = "cpu.flops.s",
    [CPU_FLOPS_D] = "cpu.flops.d",
    [OVERHEAD] = "task.overhead",
    [DATA_OVERHEAD] = "data.overhead",
    [SUBMIT] = "task.submit",
    [GPU_FLOPS_S] = "gpu.flops.s",
    [GPU_FLOPS_D] = "gpu.flops.d",
    [GPU_EFFICIENCY] = "gpu.efficiency",
    [GPU_BANDWIDTH] = "gpu.bandwidth",
    [GPU_LAUNCH] = "gpu.launch",
    [GPU_MEMORY] = "gpu.memory",
    [LINK] = "link.host.bandwidth",
    [LINK_LATENCY] = "link.host.latency",
    [LINK_TOTAL] = "link.host.total",
    [MODELS] = "models",
};

int sim_machine_read(struct sim_machine *machine, int count, char **words)
{
    for (int k = 0; k < SIM_VALUES; k++)
        machine->value[k] = NAN;
    for (int i = 0; i < count; i++) {
        const size_t n = strcspn(words[i], "=");
        int k = 0;
        while (k < SIM_VALUES &&
               (strlen(value_name[k]) != n || strncmp(words[i], value_name[k], n)))
            k++;
        char key[64];
        snprintf(key, sizeof key, "%.*s", (int)n, words[i]);
        if (!strcmp(key, "schedule") && words[i][n]) {
            machine->schedule = words[i] + n + 1;
            continue;
        }
        if (k == SIM_VALUES && words[i][n] &&
            orr_truth_set(&machine->truth, key, words[i] + n + 1) > 0)
            continue;
        if (k == SIM_VALUES || !words[i][n]) {
            fprintf(stderr, "orrery: orrery-sim: '%s'?\n", words[i]);
            return 2;
        }
        machine->value[k] = atof(words[i] + n + 1);
    }
    return 0;
}

/* s and c are computed in single precision. */
static int is_single(const struct sim_cost *c)
{
    const char *type = strrchr(c->symbol, '_');
    return type && (!strcmp(type, "_s") || !strcmp(type, "_c") || !strcmp(type, "_h"));
}

static double roofline(const struct sim_cost *c, const double v[SIM_VALUES])
{
    const int s = is_single(c);
    const double operations = c->cpu * v[s ? CPU_FLOPS_S : CPU_FLOPS_D];
    const double compute = operations / (v[s ? GPU_FLOPS_S : GPU_FLOPS_D] * v[GPU_EFFICIENCY]);
    return v[GPU_LAUNCH] + fmax(compute, c->bytes / v[GPU_BANDWIDTH]);
}

/* StarPU's own work, which grows with the data that a task waits for and sets free. */
static double overhead(const struct sim_cost *c, const double v[SIM_VALUES])
{
    return v[OVERHEAD] + (isnan(v[DATA_OVERHEAD]) ? 0 : c->accesses * v[DATA_OVERHEAD]);
}

/* Of the thread that submits: where every core has a worker it takes the time for each task from
 * one of them. Which one is not told; all tasks bear it. */
static double submission(const struct sim_machine *machine)
{
    const double *v = machine->value;
    return isnan(v[SUBMIT]) || machine->cpus < v[CPU_CORES] ? 0 : v[SUBMIT];
}

enum sim_origin sim_origin_of(const struct sim_cost *c, int kind)
{
    if (isfinite(c->calibrated[kind]))
        return CALIBRATED;
    return kind == CPU || c->cuda_tasks ? RECORDED : ESTIMATE;
}

/* Seconds on a CPU, NaN: it did not run on one. */
static double cpu_seconds(const struct sim_cost *c, const struct sim_machine *machine)
{
    const double *v = machine->value;
    const double work =
        sim_origin_of(c, CPU) == CALIBRATED ? c->calibrated[CPU] : c->cpu / v[CPU_SPEED];
    return overhead(c, v) + submission(machine) + work;
}

/* Seconds on a CUDA device; NaN: it has no function for one. */
static double cuda_seconds(const struct sim_cost *c, const struct sim_machine *machine)
{
    const double *v = machine->value;
    const enum sim_origin from = sim_origin_of(c, CUDA);
    const double work = from == CALIBRATED ? c->calibrated[CUDA]
                        : from == RECORDED ? c->cuda
                        : c->has_cuda      ? roofline(c, v)
                                           : NAN;
    return overhead(c, v) + work;
}

static int fits_device(const struct sim_cost *c, const struct sim_machine *machine)
{
    return c->bytes <= machine->value[GPU_MEMORY] / TASKS_HELD;
}

static const char *why_nowhere(const struct sim_cost *c, const struct sim_machine *machine)
{
    if (!machine->cpus && !c->has_cuda)
        return "has no CUDA function; simulate with CPUs";
    if (!machine->cpus && !fits_device(c, machine))
        return "its data are more than a quarter of gpu.memory; simulate with CPUs";
    return "did not run on a CPU when the graph was recorded; record it with --cudas 0 --opencls 0";
}

int sim_make_costs(struct sim_graph *g, const struct sim_machine *machine)
{
    for (size_t i = 0; i < g->costs; i++) {
        struct sim_cost *c = &g->cost[i];
        if (c->nowhere) {
            c->t[CPU] = c->t[CUDA] = 0;
            continue;
        }
        c->t[CPU] = machine->cpus ? cpu_seconds(c, machine) : NAN;
        c->t[CUDA] = machine->gpus && fits_device(c, machine) ? cuda_seconds(c, machine) : NAN;
        if (isnan(c->t[CPU]) && isnan(c->t[CUDA])) {
            fprintf(stderr, "orrery: %s: %s\n", c->name, why_nowhere(c, machine));
            return 77;
        }
    }
    return 0;
}

/* A task that ran on a CPU takes there what it took, not the mean of its like: where several must
 * end before others begin, the longest of them counts. */
void sim_make_times(struct sim_graph *g, const struct sim_machine *machine)
{
    const double *v = machine->value;
    for (size_t i = 0; i < g->tasks; i++) {
        struct sim_task *t = &g->task[i];
        const struct sim_cost *c = t->cost;
        t->t[CPU] = c->t[CPU];
        t->t[CUDA] = c->t[CUDA];
        if (isfinite(c->t[CPU]) && isfinite(t->cpu) && sim_origin_of(c, CPU) == RECORDED)
            t->t[CPU] = overhead(c, v) + submission(machine) + t->cpu / v[CPU_SPEED];
        const unsigned wanted = orr_wanted(t->wants, (isnan(t->t[CPU]) ? 0u : 1u << CPU) |
                                                         (isnan(t->t[CUDA]) ? 0u : 1u << CUDA));
        for (int k = 0; k < 2; k++) { /* what StarPU itself takes is as it is */
            if (!(wanted >> k & 1))
                t->t[k] = NAN;
            const double own = overhead(c, v) + (k == CPU ? submission(machine) : 0);
            t->factor[k] = orr_truth_factor(&machine->truth, c->name, i, k);
            t->truth[k] = own + (t->t[k] - own) * t->factor[k];
        }
    }
}
