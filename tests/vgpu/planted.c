/* A program of two codelets on virtual devices, right or with the error that its argument names;
 * self.sh runs it. y := a x + y and a dot product with scratch, on every device in turn.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <starpu.h>
#include <cublas_v2.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "vgpu.h"

enum { N = 1003, K = 6, STEPS = 12 }; /* 4012 bytes are no multiple of 16 */
static const char *error = "";
static float *others; /* device memory that no task names */

static int planted(const char *name) { return strcmp(error, name) == 0; }

struct args {
    float *x, *y, *scratch;
    float a;
    int n;
};

static const char *axpy_kernel(void *p)
{
    const struct args *k = p;
    if (planted("killed"))
        (void)raise(SIGKILL);
    for (int i = 0; i < k->n; i++)
        k->scratch[i] = k->a * k->x[i];
    for (int i = 0; i < k->n; i++)
        k->y[i] += k->scratch[i];
    return NULL;
}

/* x R, y RW, scratch */
static void axpy(void **buf, void *arg)
{
    const cudaStream_t mine = starpu_cuda_get_local_stream();
    float a;
    starpu_codelet_unpack_args(arg, &a);
    struct args k = {(float *)STARPU_VECTOR_GET_PTR(buf[0]), (float *)STARPU_VECTOR_GET_PTR(buf[1]),
                     (float *)STARPU_VECTOR_GET_PTR(buf[2]), a, (int)STARPU_VECTOR_GET_NX(buf[0])};
    if (planted("host"))
        k.y[0] = 1;
    if (planted("past"))
        k.n++;
    if (planted("scratch-low"))
        k.scratch -= 64;
    if (planted("scratch-short"))
        k.scratch += 500;
    if (planted("swapped")) {
        float *x = k.x;
        k.x = k.y;
        k.y = x;
    }
    if (planted("device"))
        k.y = (float *)((uintptr_t)k.y ^ (uintptr_t)1 << 38);
    if (planted("host-pointer"))
        k.y = malloc(1 << 20); /* mapped anew: the device's process has not got it */
    if (planted("unnamed")) {
        if (!others)
            others = k.y;
        k.y = others;
    }
    if (planted("copy-past"))
        (void)cudaMemcpyAsync(k.scratch, k.x, sizeof(float) * (size_t)(k.n + 5),
                              cudaMemcpyDeviceToDevice, mine);
    if (planted("freed-twice")) {
        void *p;
        (void)cudaMalloc(&p, 100);
        (void)cudaFree(p);
        (void)cudaFree(p);
    }
    if (planted("freed")) {
        void *p;
        (void)cudaMalloc(&p, sizeof(float) * N);
        (void)cudaFree(p);
        k.scratch = p;
    }
    (void)vgpu_launch(planted("stream") ? NULL : mine, axpy_kernel, &k, sizeof k, "axpy", 1);
}

static struct starpu_codelet codelet = {.cuda_funcs = {axpy},
                                        .cuda_flags = {STARPU_CUDA_ASYNC},
                                        .nbuffers = 3,
                                        .modes = {STARPU_R, STARPU_RW, STARPU_SCRATCH},
                                        .name = "axpy"};

/* A copy back into pinned memory is not waited for. */
static int reads_too_early(void)
{
    float *x, y = 0;
    void *d;
    cudaStream_t s;
    (void)cudaStreamCreate(&s);
    (void)cudaMallocHost((void **)&x, sizeof *x);
    (void)cudaMalloc(&d, sizeof *x);
    *x = 7;
    (void)cudaMemcpy(d, x, sizeof *x, cudaMemcpyHostToDevice);
    for (int tries = planted("early") ? 100 : 1; tries > 0;
         tries--) { /* a busy machine reads late */
        *x = 0;
        (void)cudaMemcpyAsync(x, d, sizeof *x, cudaMemcpyDeviceToHost, s);
        if (!planted("early"))
            (void)cudaStreamSynchronize(s);
        y = *x;
        (void)cudaStreamSynchronize(s);
        if (y != 7)
            break;
    }
    (void)cudaFree(d);
    (void)cudaFreeHost(x);
    printf("read %g\n", y);
    return y != 7;
}

/* A batch of products whose results are windows of one matrix. */
static int multiplies(void)
{
    enum { ROWS = 5, WINDOW = 2, COLUMNS = 3, COUNT = 2 };
    const double one = 1, zero = 0, a[COUNT * WINDOW] = {1, 2, 3, 4},
                 b[COUNT * COLUMNS] = {5, 6, 7, 8, 9, 10};
    double c[ROWS * COLUMNS], *da, *db, *dc;
    cublasHandle_t h;
    cudaStream_t stream;
    int wrong = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        c[i] = -i;
    (void)cudaStreamCreate(&stream);
    if (cublasCreate(&h) || cublasSetStream(h, stream) || cudaMalloc((void **)&da, sizeof a) ||
        cudaMalloc((void **)&db, sizeof b) || cudaMalloc((void **)&dc, sizeof c))
        return 1;
    (void)cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    (void)cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    (void)cudaMemcpy(dc, c, sizeof c, cudaMemcpyHostToDevice);
    wrong += cublasDgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_N, WINDOW, COLUMNS, 1, &one, da,
                                       WINDOW, WINDOW, db, 1, COLUMNS, &zero, dc, ROWS,
                                       planted("batch-meets") ? WINDOW - 1 : WINDOW,
                                       COUNT) != CUBLAS_STATUS_SUCCESS;
    (void)cudaStreamSynchronize(stream);
    (void)cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        const int row = i % ROWS, column = i / ROWS, of = row / WINDOW;
        wrong += c[i] != (of < COUNT ? a[row] * b[of * COLUMNS + column] : -i);
    }
    (void)cublasDestroy(h);
    (void)cudaFree(da);
    (void)cudaFree(db);
    (void)cudaFree(dc);
    printf("products: %d wrong\n", wrong);
    return wrong;
}

/* Memory that was not allocated as page-locked becomes so, by exact ranges, and no longer is. */
static int locks_pages(void)
{
    enum { ALL = 1 << 20, PART = ALL / 2 + 40 };
    int wrong = 0;
    char *x = malloc(ALL),
         *read_only = mmap(NULL, ALL, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *d, *volatile again = x;
    if (!x || read_only == MAP_FAILED || cudaMalloc(&d, ALL) != cudaSuccess)
        return 1;
    memset(x, 0, ALL);
    wrong += cudaHostRegister(x, PART, cudaHostRegisterPortable) != cudaSuccess;
    wrong += cudaHostRegister(x + 8, PART, 0) != cudaErrorHostMemoryAlreadyRegistered;
    wrong += cudaHostRegister(x + PART, ALL - PART, 0) != cudaSuccess; /* on the same page */
    wrong += cudaHostRegister(read_only, ALL, 0) != cudaErrorInvalidValue;
    wrong += cudaHostUnregister(read_only) != cudaErrorHostMemoryNotRegistered;
    wrong += cudaMemcpy(d, x, ALL, cudaMemcpyHostToDevice) != cudaSuccess;
    wrong += cudaHostUnregister(x + PART) != cudaSuccess;
    if (planted("locked-part"))
        (void)cudaMemcpy(d, x, ALL, cudaMemcpyHostToDevice);
    if (planted("locked-freed"))
        free(x);
    if (!planted("locked-left"))
        wrong += cudaHostUnregister(again) != cudaSuccess;
    if (!planted("locked-freed") && !planted("locked-left"))
        free(x);
    (void)cudaGetLastError();
    munmap(read_only, ALL);
    (void)cudaFree(d);
    printf("page-locked: %d wrong\n", wrong);
    return wrong;
}

static void *first_call(void *devices)
{
    (void)cudaGetDeviceCount(devices);
    return NULL;
}

int main(int argc, char **argv)
{
    static float x[K][N], y[K][N];
    starpu_data_handle_t hx[K], hy[K], scratch;
    int wrong = 0;
    error = argc > 1 ? argv[1] : "";
    struct starpu_conf conf;
    pthread_t thread;
    int expected = 0;
    if (planted("thread") && !pthread_create(&thread, NULL, first_call, &expected))
        pthread_join(thread, NULL);
    starpu_conf_init(&conf);
    conf.ncpus = 1;
    if (starpu_init(&conf))
        return 77;
    const int devices = (int)starpu_cuda_worker_get_count();
    (void)cudaGetDeviceCount(&expected);
    if (devices != expected || devices == 0) {
        printf("%d CUDA workers, %d devices\n", devices, expected);
        return 1;
    }
    starpu_vector_data_register(&scratch, -1, 0, N, sizeof(float));
    for (int k = 0; k < K; k++) {
        for (int i = 0; i < N; i++)
            x[k][i] = (float)(i % 17), y[k][i] = (float)k;
        starpu_vector_data_register(&hx[k], STARPU_MAIN_RAM, (uintptr_t)x[k], N, sizeof(float));
        starpu_vector_data_register(&hy[k], STARPU_MAIN_RAM, (uintptr_t)y[k], N, sizeof(float));
    }
    for (int s = 0; s < STEPS; s++)
        for (int k = 0; k < K; k++) {
            const float a = s % 2 ? -1 : 2;
            const int worker =
                starpu_worker_get_by_devid(STARPU_CUDA_WORKER, (s / 3 + k) % devices);
            wrong += starpu_task_insert(&codelet, STARPU_R, hx[(k + s) % K], STARPU_RW, hy[k],
                                        STARPU_SCRATCH, scratch, STARPU_VALUE, &a, sizeof a,
                                        STARPU_EXECUTE_ON_WORKER, worker, 0) != 0;
        }
    starpu_task_wait_for_all();
    for (int k = 0; k < K; k++) {
        starpu_data_unregister(hx[k]);
        starpu_data_unregister(hy[k]);
        for (int i = 0; i < N; i++)
            wrong += y[k][i] != (float)k + STEPS / 2 * (float)(i % 17);
    }
    starpu_data_unregister(scratch);
    wrong += reads_too_early();
    wrong += locks_pages();
    wrong += multiplies();
    starpu_shutdown();
    printf("%d devices: %d wrong\n", devices, wrong);
    return wrong != 0;
}
