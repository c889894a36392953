/* Batches of heevj that are in a device's memory: the bits are those of the same batch in main
 * memory, and no matrix leaves the device (ondevice.sh looks at the links).
 *
 *   ondevice main|device N BATCH METHOD CPUS
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cuda_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "check.h"
#include "orrery/orrery.h"

static void tell(const char *array, const double *x, int64_t count)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < (size_t)count * sizeof *x; i++)
        h = (h ^ ((const unsigned char *)x)[i]) * 0x100000001b3u;
    printf("%s %016llx\n", array, (unsigned long long)h);
}

/* To the last device and back; `there` 0: it stays where it is. */
static void *moved(double *x, int64_t count, int there)
{
    void *d = NULL;
    if (!there)
        return x;
    CHECK(cudaMalloc(&d, (size_t)count * sizeof *x) == cudaSuccess, "cudaMalloc");
    CHECK(cudaMemcpy(d, x, (size_t)count * sizeof *x, cudaMemcpyHostToDevice) == cudaSuccess,
          "to it");
    return d;
}
static void back(double *x, void *d, int64_t count)
{
    if (d != x)
        CHECK(cudaMemcpy(x, d, (size_t)count * sizeof *x, cudaMemcpyDeviceToHost) == cudaSuccess,
              "home");
    if (d != x)
        CHECK(cudaFree(d) == cudaSuccess, "cudaFree");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        orr_method method;
    } methods[] = {{"auto", ORR_METHOD_AUTO},
                   {"jacobi", ORR_METHOD_JACOBI},
                   {"block", ORR_METHOD_BLOCK},
                   {"lapack", ORR_METHOD_LAPACK},
                   {"lanes", ORR_METHOD_LANES}};
    orr_heevj_opts o = {.jobz = 'V'};
    orr_context *ctx;
    orr_report report;
    int devices = 0;
    if (argc != 6)
        return 2;
    const int there = !strcmp(argv[1], "device");
    const int64_t n = atoll(argv[2]), batch = atoll(argv[3]);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        if (!strcmp(argv[4], methods[k].name))
            o.method = methods[k].method;
    const orr_status st =
        orr_open(&(orr_context_opts){.cpus = atoi(argv[5]), .sched = "dmdas"}, &ctx);
    CHECK(st == ORR_OK, "%s", orr_strerror(st));
    CHECK(cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0, "no device");
    CHECK(cudaSetDevice(devices - 1) == cudaSuccess, "cudaSetDevice");
    double *a = numbers(batch * n * n, 7), *w = numbers(batch * n, 3);
    orr_matrix_info *info = calloc((size_t)batch, sizeof *info);
    void *A = moved(a, batch * n * n, there), *W = moved(w, batch * n, there);
    const orr_batch x = {.type = ORR_D, .batch = batch, .m = n, .n = n, .a = A};
    const orr_batch y = {.type = ORR_D, .batch = batch, .m = n, .n = 1, .a = W};
    const orr_status done = orr_heevj(ctx, &x, &y, &o, info, &report);
    CHECK(done == ORR_OK, "%s %s", orr_strerror(done), report.message);
    CHECK(!there || orr_heevj(ctx, &x, &y, &o, W, &report) == ORR_E_ARG, "info on a device");
    back(a, A, batch * n * n);
    back(w, W, batch * n);
    tell("vectors", a, batch * n * n);
    tell("w", w, batch * n);
    orr_close(ctx);
    free(a), free(w), free(info);
    if (failures)
        checked();
    return failures != 0;
}
