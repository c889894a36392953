/* See thin.h. SPDX-License-Identifier: BSD-3-Clause */
#include "thin.h"

#include "lanes.h"
#include "reflectors.h"

#ifdef LANES_X86
enum {
    VECTORS = 3,    /* of rows, and ... */
    COLUMNS = 8,    /* ... columns of C: as many as 32 registers hold */
    INNER = 6,      /* columns of C by 4 rows, of products A'B */
    TERMS = 128,    /* of a sum, at a time */
    LONG = 8,       /* vectors of rows, or of terms of A'B; ... */
    SHORT = 8,      /* ... rows, columns or terms otherwise */
    SMALL = 1000000 /* products of m, n and k that a BLAS may do without copies, too */
};

/* Measured with OpenBLAS's kernels for AVX-512. */
static int worth_it(int ta, int tb, int64_t m, int64_t n, int64_t k, int64_t lanes)
{
    if (lanes_level() < 4 || (ta && tb))
        return 0;
    if (ta)
        return m >= SHORT && n >= SHORT && k >= LONG * lanes;
    return m >= LONG * lanes && n >= 2 * SHORT && k >= 2 * SHORT && m * n * k > SMALL;
}

#define ISA        v4
#define LANE_BYTES 64
LANES_TARGET_V4
#include "kernels/as_s.h"
#include "thin.inc.c"
#include "kernels/as_d.h"
#include "thin.inc.c"
LANES_TARGET_END
#else
int orr_thin_s(int ta, int tb, int64_t m, int64_t n, int64_t k, float alpha, const float *a,
               int64_t lda, const float *b, int64_t ldb, float beta, float *c, int64_t ldc)
{
    (void)ta, (void)tb, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)b;
    (void)ldb, (void)beta, (void)c, (void)ldc;
    return 0;
}

int orr_thin_d(int ta, int tb, int64_t m, int64_t n, int64_t k, double alpha, const double *a,
               int64_t lda, const double *b, int64_t ldb, double beta, double *c, int64_t ldc)
{
    (void)ta, (void)tb, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)b;
    (void)ldb, (void)beta, (void)c, (void)ldc;
    return 0;
}
#endif
