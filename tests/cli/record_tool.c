/* A program that uses StarPU and knows nothing of Orrery: what a recorder has to see and to leave alone.
 *
 *     record_tool graph     a graph with every kind of edge; exit status 1 if a callback did not run
 *     record_tool cost N    us for each of N tasks with three data on one worker
 *     record_tool sync      tasks with functions for devices, which are asynchronous or not
 *     record_tool old       a task as of StarPU 1.0, whose codelet has one function of a kind
 *     record_tool early     ends without ending StarPU
 *     record_tool again     two tasks, StarPU ended and started again, one task; exit status 9
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <starpu.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void work(void *buffers[], void *arg)
{
    (void)buffers;
    (void)arg;
}

static atomic_int called, taken, of_codelet;

static void callback(void *arg) { atomic_fetch_add(&called, *(int *)arg); }

static void on_take(void *arg) { atomic_fetch_add(&taken, *(int *)arg); }

static void by_codelet(void *arg)
{
    (void)arg;
    atomic_fetch_add(&of_codelet, 1);
}

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "record_tool"};
static struct starpu_codelet codelet = {
    .cpu_funcs = {work}, .name = "my work", .model = &model, .nbuffers = STARPU_VARIABLE_NBUFFERS};
static struct starpu_codelet told = {
    .cpu_funcs = {work}, .name = "told", .callback_func = by_codelet};

static struct starpu_codelet asynchronous = {.cpu_funcs = {work},
                                             .cuda_funcs = {work},
                                             .cuda_flags = {STARPU_CUDA_ASYNC},
                                             .opencl_funcs = {work},
                                             .opencl_flags = {STARPU_OPENCL_ASYNC}};
static struct starpu_codelet on_opencl = {.cpu_funcs = {work},
                                          .cuda_funcs = {work},
                                          .opencl_funcs = {work},
                                          .opencl_flags = {STARPU_OPENCL_ASYNC}};
static struct starpu_codelet synchronous = {
    .cpu_funcs = {work}, .cuda_funcs = {work}, .opencl_funcs = {work}};

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static struct starpu_codelet old = {.cpu_func = work};

static struct starpu_task *plain(struct starpu_codelet *c)
{
    struct starpu_task *t = starpu_task_create();
    t->cl = c;
    return t;
}

static void submit(struct starpu_task *t)
{
    if (starpu_task_submit(t) != 0)
        exit(77);
}

static int *one(void)
{
    int *x = malloc(sizeof *x);
    *x = 1;
    return x;
}

static void graph(void)
{
    static double x[4][100];
    starpu_data_handle_t h[4];
    for (int k = 0; k < 4; k++)
        starpu_vector_data_register(&h[k], STARPU_MAIN_RAM, (uintptr_t)x[k], 100, sizeof x[k][0]);
    /* 1 writes 0; 2 and 3 read it and write 1 and 2; 4 reads both, and 2 is not used any more */
    starpu_task_insert(&codelet, STARPU_W, h[0], STARPU_PRIORITY, 2, STARPU_CALLBACK_WITH_ARG,
                       callback, one(), 0);
    starpu_task_insert(&codelet, STARPU_R, h[0], STARPU_RW, h[1], 0);
    starpu_task_insert(&codelet, STARPU_R, h[0], STARPU_RW, h[2], 0);
    starpu_task_insert(&codelet, STARPU_R, h[1], STARPU_R, h[2], 0);
    starpu_data_wont_use(h[2]);
    /* 5 and 6: an explicit edge to a task that is submitted later, and the callbacks of a program */
    struct starpu_task *first = plain(&told), *second = plain(&told);
    second->callback_func = callback;
    second->callback_arg = one();
    second->callback_arg_free = 1;
    second->prologue_callback_pop_func = on_take;
    second->prologue_callback_pop_arg = one();
    second->prologue_callback_pop_arg_free = 1;
    starpu_task_declare_deps(second, 1, first);
    submit(second);
    submit(first);
    /* 7, 8, 9: tags, the middle one an empty task */
    struct starpu_task *t[3] = {plain(&told), starpu_task_create(), plain(&told)};
    for (int k = 0; k < 3; k++) {
        t[k]->use_tag = 1;
        t[k]->tag_id = (starpu_tag_t)k;
    }
    starpu_tag_declare_deps(1, 1, (starpu_tag_t)0);
    starpu_tag_declare_deps(2, 1, (starpu_tag_t)1);
    for (int k = 2; k >= 0; k--)
        submit(t[k]);
    /* 10 and 11 write the same without an order */
    starpu_task_insert(&codelet, STARPU_W, h[3], STARPU_SEQUENTIAL_CONSISTENCY, 0u, 0);
    starpu_task_insert(&codelet, STARPU_W, h[3], STARPU_SEQUENTIAL_CONSISTENCY, 0u, 0);
    starpu_task_wait_for_all();
    /* 12 to 15: a new phase; four data, maybe at one address */
    for (int k = 0; k < 4; k++) {
        starpu_data_handle_t again;
        starpu_vector_data_register(&again, STARPU_MAIN_RAM, (uintptr_t)x[k], 50, sizeof x[k][0]);
        starpu_task_insert(&codelet, STARPU_RW, again, 0);
        starpu_data_unregister(again);
    }
    for (int k = 0; k < 4; k++)
        starpu_data_unregister(h[k]);
}

static void cost(int n)
{
    static double x[3][8];
    starpu_data_handle_t h[3];
    for (int k = 0; k < 3; k++)
        starpu_vector_data_register(&h[k], STARPU_MAIN_RAM, (uintptr_t)x[k], 8, sizeof x[k][0]);
    const double begin = starpu_timing_now();
    for (int i = 0; i < n; i++)
        starpu_task_insert(&codelet, STARPU_RW, h[i % 3], STARPU_R, h[(i + 1) % 3], STARPU_R,
                           h[(i + 2) % 3], 0);
    starpu_task_wait_for_all();
    printf("%.3f\n", (starpu_timing_now() - begin) / n);
    for (int k = 0; k < 3; k++)
        starpu_data_unregister(h[k]);
}

static int again(void)
{
    for (int k = 0; k < 3; k++) {
        if (k == 2) {
            starpu_shutdown();
            if (starpu_init(NULL) != 0)
                return 77;
        }
        submit(plain(&codelet));
    }
    starpu_shutdown();
    return 9;
}

int main(int argc, char **argv)
{
    if (starpu_init(NULL) != 0)
        return 77;
    if (argc > 1 && !strcmp(argv[1], "again"))
        return again();
    if (argc > 1 && !strcmp(argv[1], "graph"))
        graph();
    else if (argc > 1 && !strcmp(argv[1], "sync")) {
        submit(plain(&asynchronous));
        submit(plain(&on_opencl));
        submit(plain(&synchronous));
        submit(plain(&told));
    } else if (argc > 1 && !strcmp(argv[1], "old"))
        submit(plain(&old));
    else if (argc > 2)
        cost(atoi(argv[2]));
    else
        exit(0);
    starpu_shutdown();
    const int bad =
        argc == 2 && !strcmp(argv[1], "graph") && (called != 2 || taken != 1 || of_codelet != 3);
    if (bad)
        printf("callbacks: %d %d %d\n", called, taken, of_codelet);
    return bad;
}
