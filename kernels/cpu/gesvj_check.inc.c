/* Body of gesvj_check for one scalar type T (real type R); see gesvj.h. WIDE is T in
 * double precision, in which everything is computed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#if IS_COMPLEX
#define WIDE      double _Complex
#define WIDE_GEMM zgemm_
#define ADJOINT   "C"
#else
#define WIDE      double
#define WIDE_GEMM dgemm_
#define ADJOINT   "T"
#endif

static double FN(frobenius)(int64_t entries, const WIDE *x)
{
    const double *v = (const double *)x;
    double sum = 0;
    for (int64_t i = 0; i < entries * (1 + IS_COMPLEX); i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

static void FN(widen)(int64_t rows, int64_t columns, const T *a, int64_t ld, WIDE *out)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            out[j * rows + i] = a[j * ld + i];
}

/* The power of two that brings the largest |component| of a into [1/2, 1). */
static int FN(exponent)(int64_t m, int64_t n, const WIDE *a)
{
    const double *v = (const double *)a;
    double top = 0;
    for (int64_t i = 0; i < m * n * (1 + IS_COMPLEX); i++)
        top = fabs(v[i]) > top ? fabs(v[i]) : top;
    int e = 0;
    frexp(top, &e);
    return e;
}

/* |Q'Q - I|_F of Q, rows x k; X is room for k x k. */
static double FN(departure)(int64_t rows, int64_t k, const WIDE *Q, WIDE *X)
{
    const WIDE one = 1, zero = 0;
    const int32_t m = (int32_t)rows, n = (int32_t)k;
    WIDE_GEMM(ADJOINT, "N", &n, &n, &m, &one, Q, &m, Q, &m, &zero, X, &n);
    for (int64_t j = 0; j < k; j++)
        X[j * k + j] -= 1;
    return FN(frobenius)(k * k, X);
}

static orr_status FN(orr_gesvj_check_cpu)(const orr_gesvj_args *g, const void *a_, const void *s_,
                                          const void *u_, const void *v_, orr_matrix_info *info)
{
    const int64_t m = g->m, n = g->n, k = m < n ? m : n, most = m > n ? m : n;
    if (k == 0 || !g->left || !g->right) {
        for (int64_t l = 0; l < g->count && k == 0; l++)
            info[l].residual = info[l].orthogonality = 0;
        return ORR_OK;
    }
    WIDE *A = malloc(sizeof *A * (size_t)(m * n)), *U = malloc(sizeof *A * (size_t)(m * k));
    WIDE *US = malloc(sizeof *A * (size_t)(m * k)), *V = malloc(sizeof *A * (size_t)(n * k));
    WIDE *X = malloc(sizeof *A * (size_t)(k * k));
    const orr_status status = A && U && US && V && X ? ORR_OK : ORR_E_NOMEM;
    const double unit = (double)most * (double)EPS;
    const double grid = sqrt((double)k) * ldexp(1, sizeof(R) == sizeof(float) ? -149 : -1074);
    const WIDE one = 1, minus = -1;
    const int32_t mi = (int32_t)m, ni = (int32_t)n, ki = (int32_t)k;

    for (int64_t l = 0; l < g->count && status == ORR_OK; l++) {
        if (info[l].status == ORR_NONFINITE)
            continue;
        const R *s = (const R *)s_ + l * g->lds;
        FN(widen)(m, n, (const T *)a_ + l * g->stride, g->ld, A);
        FN(widen)(m, k, (const T *)u_ + l * g->strideu, g->ldu, U);
        FN(widen)(n, k, (const T *)v_ + l * g->stridev, g->ldv, V);
        /* In two steps, as 2^-e alone may be out of range. */
        const int e = -FN(exponent)(m, n, A);
        const double first = ldexp(1.0, e / 2), second = ldexp(1.0, e - e / 2);
        for (int64_t i = 0; i < m * n; i++)
            A[i] = A[i] * first * second;
        const double norm = FN(frobenius)(m * n, A);
        for (int64_t j = 0; j < k; j++)
            for (int64_t i = 0; i < m; i++)
                US[j * m + i] = U[j * m + i] * ((double)s[j] * first * second);
        WIDE_GEMM("N", ADJOINT, &mi, &ni, &ki, &minus, US, &mi, V, &ni, &one, A, &mi);
        const double residual = FN(frobenius)(m * n, A);
        info[l].residual = residual == 0 ? 0 : residual / (unit * norm + grid * first * second);
        const double left = FN(departure)(m, k, U, X), right = FN(departure)(n, k, V, X);
        info[l].orthogonality = (left > right ? left : right) / unit;
    }
    free(A);
    free(U);
    free(US);
    free(V);
    free(X);
    return status;
}
#undef WIDE
#undef WIDE_GEMM
#undef ADJOINT
