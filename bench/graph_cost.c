/* What the runtime costs: heevj as a graph on one worker, cut as the library cuts it, against
 * the same kernel called in a plain loop in one thread, BLAS with one thread in both. Runs alternate;
 * medians.
 *
 *   bench_graph_cost [repeats]      prints one line per n: seconds of both, and the ratio
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/heevj.h"
#include "measure.h"
#include "orrery/orrery.h"

void openblas_set_num_threads(int);
#pragma weak openblas_set_num_threads

int main(int argc, char **argv)
{
    enum { MOST = 101 };
    int repeats = argc > 1 ? atoi(argv[1]) : 11;
    const struct {
        int64_t n, batch;
        orr_method method;
        const char *name;
        orr_heevj_fn *kernel;
    } cases[] = {{4, 40000, ORR_METHOD_JACOBI, "jacobi", orr_heevj_jacobi_cpu[ORR_Z]},
                 {8, 20000, ORR_METHOD_JACOBI, "jacobi", orr_heevj_jacobi_cpu[ORR_Z]},
                 {16, 10000, ORR_METHOD_LANES, "lanes", orr_heevj_lanes_cpu[ORR_Z]},
                 {32, 2000, ORR_METHOD_LANES, "lanes", orr_heevj_lanes_cpu[ORR_Z]},
                 {64, 400, ORR_METHOD_LANES, "lanes", orr_heevj_lanes_cpu[ORR_Z]},
                 {128, 40, ORR_METHOD_LAPACK, "lapack", orr_heevj_lapack_cpu[ORR_Z]}};
    orr_context *ctx;
    if (repeats < 1 || repeats > MOST || orr_open(&(orr_context_opts){.cpus = 1}, &ctx) != ORR_OK)
        return 2;
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
    printf("%5s %7s %-7s %12s %12s %7s\n", "n", "batch", "method", "graph s", "loop s", "ratio");
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t n = cases[c].n, batch = cases[c].batch;
        size_t bytes = (size_t)(n * n * batch) * sizeof(double complex);
        double complex *a0 = malloc(bytes), *a = malloc(bytes);
        double *w = malloc((size_t)(n * batch) * sizeof *w);
        orr_matrix_info *info = malloc((size_t)batch * sizeof *info);
        double graph[MOST], loop[MOST];
        if (!a0 || !a || !w || !info)
            return 5;
        for (int64_t i = 0; i < n * n * batch; i++)
            a0[i] = (double)rand() / RAND_MAX - 0.5 + I * ((double)rand() / RAND_MAX - 0.5);
        orr_batch A = {.type = ORR_Z, .batch = batch, .m = n, .n = n, .a = a};
        orr_batch W = {.type = ORR_D, .batch = batch, .m = n, .n = 1, .a = w};
        orr_heevj_args args = {.n = n, .ld = n, .stride = n * n, .ldw = n, .vectors = 1};
        int64_t chunk = batch / 16;
        for (int r = -1; r < repeats; r++) {
            memcpy(a, a0, bytes);
            double t = now();
            orr_heevj(ctx, &A, &W, &(orr_heevj_opts){.method = cases[c].method}, info, NULL);
            double t1 = now();
            memcpy(a, a0, bytes);
            double t2 = now();
            for (int64_t k = 0; k < batch; k += chunk) {
                args.count = chunk < batch - k ? chunk : batch - k;
                cases[c].kernel(&args, a + k * n * n, w + k * n, info + k);
            }
            if (r >= 0) {
                graph[r] = t1 - t;
                loop[r] = now() - t2;
            }
        }
        double g = median(graph, repeats), l = median(loop, repeats);
        printf("%5lld %7lld %-7s %12.5f %12.5f %7.3f\n", (long long)n, (long long)batch,
               cases[c].name, g, l, g / l);
        free(a0);
        free(a);
        free(w);
        free(info);
    }
    orr_close(ctx);
    return 0;
}
