/* Many calls of random size, batch and type on one context: each matrix of a batch must
 * come out bit for bit as it does alone (same method), whatever was called before. Defects
 * of this kind are on record for batched GPU solvers.
 *
 * Argument: the number of calls (400).  SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/herm.h"

int main(int argc, char **argv)
{
    int calls = argc > 1 ? atoi(argv[1]) : 400, failures = 0;
    long long matrices = 0;
    orr_context *ctx;
    if (orr_open(NULL, &ctx) != ORR_OK)
        return 77;
    rng r = {2024};
    for (int c = 0; c < calls; c++) {
        orr_type t = (orr_type)rng_below(&r, ORR_NTYPES);
        int64_t n = rng_below(&r, 10) ? rng_below(&r, 20) : rng_below(&r, 50);
        int64_t batch = rng_below(&r, 5) ? rng_below(&r, 40) : rng_below(&r, 300);
        char uplo = rng_below(&r, 2) ? 'L' : 'U', jobz = rng_below(&r, 3) ? 'V' : 'N';
        orr_method method = (orr_method)(1 + rng_below(&r, ORR_NMETHODS - 1));
        size_t size = orr_type_size(t), real = orr_type_size(orr_type_real(t));
        size_t bytes = (size_t)(n * n * batch) * size, wbytes = (size_t)(n * batch) * real;
        char *a0 = malloc(bytes + 1), *a = malloc(bytes + 1), *w = malloc(wbytes + 1);
        char *one = malloc((size_t)(n * n) * size + 1), *w1 = malloc((size_t)n * real + 1);
        if (!a0 || !a || !w || !one || !w1)
            return 99;
        for (int64_t k = 0; k < batch; k++)
            random_hermitian(&r, t, uplo, n, a0 + k * n * n * size, n);
        memcpy(a, a0, bytes);
        orr_heevj_opts o = {.uplo = uplo, .jobz = jobz, .method = method};
        orr_batch A = {.type = t, .batch = batch, .m = n, .n = n, .a = a};
        orr_batch W = {.type = orr_type_real(t), .batch = batch, .m = n, .n = 1, .a = w};
        orr_status st = orr_heevj(ctx, &A, &W, &o, NULL, NULL);
        int bad = st != ORR_OK;
        for (int tries = 0; tries < 3 && batch > 0 && !bad; tries++) {
            int64_t k = rng_below(&r, batch);
            memcpy(one, a0 + k * n * n * size, (size_t)(n * n) * size);
            A.batch = W.batch = 1;
            A.a = one;
            W.a = w1;
            bad = orr_heevj(ctx, &A, &W, &o, NULL, NULL) != ORR_OK ||
                  memcmp(w1, w + k * n * real, (size_t)n * real) != 0 ||
                  (jobz == 'V' && memcmp(one, a + k * n * n * size, (size_t)(n * n) * size) != 0);
            if (bad)
                printf("call %d: %c n %lld batch %lld %c%c method %d: matrix %lld differs\n", c,
                       orr_type_letter(t), (long long)n, (long long)batch, jobz, uplo, method,
                       (long long)k);
        }
        failures += bad;
        matrices += batch;
        free(a0);
        free(a);
        free(w);
        free(one);
        free(w1);
    }
    orr_close(ctx);
    printf("%d calls, %lld matrices, %d calls with a difference (0 allowed)\n", calls, matrices,
           failures);
    return failures != 0;
}
