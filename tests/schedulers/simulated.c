/* A tiled triangular graph with two kinds of tasks on a node that SimGrid simulates (made by
 * simulated.sh). Workers without a task sleep there until they are woken, so that a policy that
 * forgets to wake one is told of a deadlock. Prints the makespan in us.
 *
 *   policies_sim POLICY
 * SPDX-License-Identifier: BSD-3-Clause */
#include <starpu.h>
#include <stdio.h>

#include "schedulers/schedulers.h"

enum { TILES = 24, PASSES = 2 };

static int on_gpu(const struct starpu_perfmodel_arch *arch)
{
    return arch->devices[0].type != STARPU_CPU_WORKER;
}

static double update_us(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned i)
{
    (void)task, (void)i;
    return on_gpu(arch) ? 200 : 8000;
}

static double panel_us(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned i)
{
    (void)task, (void)i;
    return on_gpu(arch) ? 900 : 600;
}

static void nothing(void **buffers, void *arg) { (void)buffers, (void)arg; }

static struct starpu_perfmodel update_model = {
    .type = STARPU_PER_ARCH, .symbol = "update", .arch_cost_function = update_us};
static struct starpu_perfmodel panel_model = {
    .type = STARPU_PER_ARCH, .symbol = "panel", .arch_cost_function = panel_us};
static struct starpu_codelet panel = {.name = "panel",
                                      .cpu_funcs = {nothing},
                                      .cuda_funcs = {nothing},
                                      .model = &panel_model,
                                      .nbuffers = 1,
                                      .modes = {STARPU_RW}};
static struct starpu_codelet update = {.name = "update",
                                       .cpu_funcs = {nothing},
                                       .cuda_funcs = {nothing},
                                       .model = &update_model,
                                       .nbuffers = 2,
                                       .modes = {STARPU_R, STARPU_RW}};
static struct starpu_codelet only_cpu = {.name = "only_cpu",
                                         .cpu_funcs = {nothing},
                                         .model = &panel_model,
                                         .nbuffers = 1,
                                         .modes = {STARPU_RW}};

static void pass(starpu_data_handle_t *tile)
{
    for (int k = 0; k < TILES; k++) {
        starpu_task_insert(&panel, STARPU_RW, tile[k], STARPU_PRIORITY, TILES - k + 1, 0);
        for (int j = k + 1; j < TILES; j++)
            starpu_task_insert(&update, STARPU_R, tile[k], STARPU_RW, tile[j], STARPU_PRIORITY,
                               j == k + 1 ? TILES - k : 0, 0);
        if (k % 5 == 0)
            starpu_task_insert(&only_cpu, STARPU_RW, tile[k], 0);
    }
}

int main(int argc, char **argv)
{
    struct starpu_conf conf;
    starpu_data_handle_t tile[TILES];
    starpu_conf_init(&conf);
    conf.sched_policy = argc > 1 ? orr_sched_find(argv[1]) : NULL;
    if (!conf.sched_policy || starpu_init(&conf) != 0)
        return 2;
    for (int i = 0; i < TILES; i++)
        starpu_vector_data_register(&tile[i], STARPU_MAIN_RAM, 1, 1 << 20, 8);
    const double begin = starpu_timing_now();
    for (int i = 0; i < PASSES; i++) {
        pass(tile);
        if (i == 0)
            starpu_task_wait_for_all(); /* everybody sleeps */
    }
    starpu_task_wait_for_all();
    printf("%.0f\n", starpu_timing_now() - begin);
    for (int i = 0; i < TILES; i++)
        starpu_data_unregister(tile[i]);
    starpu_shutdown();
    return 0;
}
