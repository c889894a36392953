/* thin against BLAS: all sizes up to some and some larger, transposed and not, C scaled and new.
 *
 *   |C - C_blas| <= 4 k eps max|A| max|B| (alpha) + 4 eps |C|, entry by entry; nothing else is written
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "../../kernels/cpu/thin.c"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernels/cpu/lapack.h"
#include "check.h"
#include "numbers.h"

#ifdef LANES_X86
static uint64_t state = 7;

#define ONE(T, t, eps)                                                                             \
    static void one_##t(int ta, int tb, int32_t m, int32_t n, int32_t k, double alpha_,            \
                        double beta_)                                                              \
    {                                                                                              \
        const T alpha = (T)alpha_, beta = (T)beta_;                                                \
        const int32_t lda = (ta ? k : m) + 3, ldb = (tb ? n : k) + 1, ldc = m + 5;                 \
        const int64_t as = (int64_t)lda * (ta ? m : k), bs = (int64_t)ldb * (tb ? k : n);          \
        const int64_t cs = (int64_t)ldc * n;                                                       \
        T *a = malloc((size_t)(as + bs + 2 * cs) * sizeof *a), *b = a + as, *c = b + bs;           \
        T *ref = c + cs;                                                                           \
        for (int64_t i = 0; i < as + bs + cs; i++)                                                 \
            a[i] = (T)next_uniform(&state);                                                        \
        for (int64_t j = 0; j < n && beta == 0; j++)                                               \
            for (int64_t i = 0; i < m; i++)                                                        \
                c[j * ldc + i] = NAN; /* is not read */                                            \
        memcpy(ref, c, (size_t)cs * sizeof *c);                                                    \
        t##gemm_(ta ? "T" : "N", tb ? "T" : "N", &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, ref, \
                 &ldc);                                                                            \
        thin_v4_##t(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                         \
        double worst = 0;                                                                          \
        for (int64_t i = 0; i < cs; i++) {                                                         \
            const double x = fabs((double)c[i] - (double)ref[i]);                                  \
            const int inside = i % ldc < m;                                                        \
            worst = !(x <= (inside ? 4 * (k + 1) * (double)eps : 0)) ? INFINITY : fmax(worst, x);  \
        }                                                                                          \
        CHECK(isfinite(worst), #t " %d %d, %d x %d, %d terms, beta %g: not BLAS's", ta, tb, m, n,  \
              k, beta_);                                                                           \
        free(a);                                                                                   \
    }
ONE(float, s, FLT_EPSILON)
ONE(double, d, DBL_EPSILON)

static void both(int32_t m, int32_t n, int32_t k)
{
    static const int ta[] = {0, 0, 1}, tb[] = {0, 1, 0};
    for (int i = 0; i < 3; i++) {
        one_s(ta[i], tb[i], m, n, k, -1, 1);
        one_d(ta[i], tb[i], m, n, k, -1, 1);
        one_s(ta[i], tb[i], m, n, k, 0.5, 0);
        one_d(ta[i], tb[i], m, n, k, 1.5, 0);
        one_d(ta[i], tb[i], m, n, k, 1, -0.25);
    }
}

int main(void)
{
    static const int32_t large[] = {24, 47, 48, 49, 97, 128, 131, 200};
    enum { LARGE = sizeof large / sizeof *large };
    if (lanes_level() < 4)
        return checked(); /* there is nothing that would be used */
    for (int32_t m = 1; m <= 26; m++)
        for (int32_t n = 1; n <= 9; n++)
            for (int32_t k = 1; k <= 18; k += 1 + (k > 3) * 4)
                both(m, n, k);
    for (int i = 0; i < LARGE; i++)
        for (int j = 0; j < LARGE; j++)
            both(large[i], large[j], large[(i + 2 * j + 3) % LARGE]);
    return checked();
}
#else
int main(void) { return checked(); }
#endif
