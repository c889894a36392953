/* Several threads submit to one context at once, with operations in flight side by side;
 * and the library leaves StarPU idle (paused) when nothing is in flight.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algorithms/herm.h"

enum { THREADS = 4, ROUNDS = 12, N = 9, BATCH = 64, FLIGHT = 3 };

static orr_context *ctx;

static void *submitter(void *arg)
{
    rng r = {1000 + (uint64_t)(intptr_t)arg};
    intptr_t bad = 0;
    for (int round = 0; round < ROUNDS; round++) {
        static _Thread_local double complex a[FLIGHT][BATCH * N * N], a0[FLIGHT][BATCH * N * N];
        static _Thread_local double w[FLIGHT][BATCH * N];
        orr_request *req[FLIGHT];
        for (int f = 0; f < FLIGHT; f++) {
            for (int k = 0; k < BATCH; k++)
                random_hermitian(&r, ORR_Z, 'L', N, a[f] + k * N * N, N);
            memcpy(a0[f], a[f], sizeof a[f]);
            orr_batch A = {.type = ORR_Z, .batch = BATCH, .m = N, .n = N, .a = a[f]};
            orr_batch W = {.type = ORR_D, .batch = BATCH, .m = N, .n = 1, .a = w[f]};
            orr_heevj_opts o = {.method = f == 1 ? ORR_METHOD_BLOCK : ORR_METHOD_AUTO, .chunk = 7};
            if (orr_submit_heevj(ctx, &A, &W, &o, NULL, &req[f]) != ORR_OK)
                return (void *)1;
        }
        for (int f = 0; f < FLIGHT; f++) {
            orr_report rep;
            bad += orr_wait(req[f], &rep) != ORR_OK;
            for (int k = 0; k < BATCH; k++) {
                double e = residual(ORR_Z, 'L', N, a0[f] + k * N * N, N, a[f] + k * N * N, N,
                                    w[f] + k * N);
                bad += !(e <= 10);
            }
        }
    }
    return (void *)bad;
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
    pthread_t thread[THREADS];
    intptr_t bad = 0;
    if (orr_open(NULL, &ctx) != ORR_OK)
        return 77;
    for (intptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, submitter, (void *)i) != 0)
            return 99;
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(thread[i], &result);
        bad += (intptr_t)result;
    }
    printf("%d threads x %d rounds x %d operations: %ld wrong (0 allowed)\n", THREADS, ROUNDS,
           FLIGHT, (long)bad);
    double t = cpu_seconds();
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    t = cpu_seconds() - t;
    printf("CPU seconds used in 0.3 idle seconds: %.3f (0.1 allowed)\n", t);
    bad += t > 0.1;
    orr_close(ctx);
    return bad != 0;
}
