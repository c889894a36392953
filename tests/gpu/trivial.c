/* The shortest way from here to a device and back: a buffer filled by a task on each CUDA
 * worker, checked on the host. When this fails nothing else needs to be looked at.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cuda_runtime.h>
#include <starpu.h>
#include <stdio.h>

enum { N = 1 << 20 };

/* buffer 0: W, a vector of N bytes */
static void fill(void *buffers[], void *arg)
{
    (void)arg;
    void *x = (void *)STARPU_VECTOR_GET_PTR(buffers[0]);
    cudaMemsetAsync(x, 0x5a, N, starpu_cuda_get_local_stream());
}

static struct starpu_codelet codelet = {
    .name = "trivial",
    .cuda_funcs = {fill},
    .cuda_flags = {STARPU_CUDA_ASYNC},
    .nbuffers = 1,
    .modes = {STARPU_W},
};

static unsigned char x[N];

int main(void)
{
    if (starpu_init(NULL) != 0) {
        puts("StarPU does not start");
        return 1;
    }
    int workers[STARPU_NMAXWORKERS], wrong = 0;
    const int n = starpu_worker_get_ids_by_type(STARPU_CUDA_WORKER, workers, STARPU_NMAXWORKERS);
    printf("%d CUDA workers, %u CPU workers\n", n, starpu_cpu_worker_get_count());
    for (int k = 0; k < n; k++) {
        char name[64];
        starpu_worker_get_name(workers[k], name, sizeof name);
        starpu_data_handle_t handle;
        starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)x, N, 1);
        const int failed =
            starpu_task_insert(&codelet, STARPU_EXECUTE_ON_WORKER, workers[k], STARPU_W, handle, 0);
        starpu_data_unregister(handle);
        int bad = failed != 0;
        for (int i = 0; i < N; i++)
            bad += x[i] != 0x5a, x[i] = 0;
        printf("%s: %s\n", name, bad ? "wrong" : "right");
        wrong += bad != 0;
    }
    starpu_shutdown();
    return n == 0 ? 77 : wrong != 0;
}
