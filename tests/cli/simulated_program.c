/* Cholesky by tiles, n x n of them, as a program for SimGrid: prints the us that it takes. Its argument is n. The
 * models of its tasks are histories of StarPU, as programs have them; without an argument it prints under which key
 * those keep a task of 1, 2 or 3 tiles. The worker of a GPU waits for `factor`; it only starts the others.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_TILES = 32, BYTES = 4000000 };

static struct starpu_perfmodel model[] = {{.type = STARPU_HISTORY_BASED, .symbol = "factor"},
                                          {.type = STARPU_HISTORY_BASED, .symbol = "solve"},
                                          {.type = STARPU_HISTORY_BASED, .symbol = "update"}};

#define KIND(k, flag, ...)                                                                         \
    {                                                                                              \
        .cpu_funcs = {(starpu_cpu_func_t)1}, .cuda_funcs = {(starpu_cuda_func_t)1},                \
        .cuda_flags = {flag}, .nbuffers = (k) + 1, .modes = {__VA_ARGS__}, .model = &model[k]      \
    }

static struct starpu_codelet factor = KIND(0, 0, STARPU_RW);
static struct starpu_codelet solve = KIND(1, STARPU_CUDA_ASYNC, STARPU_R, STARPU_RW);
static struct starpu_codelet update = KIND(2, STARPU_CUDA_ASYNC, STARPU_R, STARPU_R, STARPU_RW);

static starpu_data_handle_t a[MOST_TILES][MOST_TILES];

static void submit(int tiles)
{
    for (int k = 0; k < tiles; k++) {
        starpu_task_insert(&factor, STARPU_RW, a[k][k], 0);
        for (int m = k + 1; m < tiles; m++)
            starpu_task_insert(&solve, STARPU_R, a[k][k], STARPU_RW, a[m][k], 0);
        starpu_data_wont_use(a[k][k]);
        for (int n = k + 1; n < tiles; n++) {
            for (int m = n; m < tiles; m++)
                starpu_task_insert(&update, STARPU_R, a[m][k], STARPU_R, a[n][k], STARPU_RW,
                                   a[m][n], 0);
            starpu_data_wont_use(a[n][k]);
        }
    }
}

int main(int argc, char **argv)
{
    const int tiles = argc > 1 ? atoi(argv[1]) : 1;
    if (tiles < 1 || tiles > MOST_TILES)
        return 2;
    if (starpu_init(NULL) != 0)
        return 77;
    for (int m = 0; m < tiles; m++)
        for (int n = 0; n < tiles; n++)
            starpu_variable_data_register(&a[m][n], STARPU_MAIN_RAM, (uintptr_t)1, BYTES);
    if (argc == 1) {
        struct starpu_task task = {.cl = &update, .handles = {a[0][0], a[0][0], a[0][0]}};
        struct starpu_codelet *const kind[] = {&factor, &solve, &update};
        for (int k = 0; k < 3; k++) {
            task.cl = kind[k];
            printf("%s %08x\n", model[k].symbol, starpu_task_data_footprint(&task));
        }
    } else {
        const double begin = starpu_timing_now();
        submit(tiles);
        starpu_task_wait_for_all();
        printf("%.3f\n", starpu_timing_now() - begin);
    }
    for (int m = 0; m < tiles; m++)
        for (int n = 0; n < tiles; n++)
            starpu_data_unregister_no_coherency(a[m][n]);
    starpu_shutdown();
    return 0;
}
