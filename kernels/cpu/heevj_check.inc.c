/* Body of heevj_check for one scalar type T (real type R); see heevj_check.h. WIDE is T
 * in double precision, in which everything is computed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#if IS_COMPLEX
#define WIDE      double _Complex
#define WIDE_GEMM zgemm_
#else
#define WIDE      double
#define WIDE_GEMM dgemm_
#endif

static double FN(frobenius)(int64_t entries, const WIDE *x)
{
    const double *v = (const double *)x;
    double sum = 0;
    for (int64_t i = 0; i < entries * (1 + IS_COMPLEX); i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* a0 scaled, both triangles, and q, made wide. */
static void FN(widen)(const orr_heevj_args *g, R scale, const T *a0, const T *q, WIDE *A, WIDE *Q)
{
    const int64_t n = g->n;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const T x = i >= j ? FN(lower_entry)(g, a0, i, j) : CONJ(FN(lower_entry)(g, a0, j, i));
            A[j * n + i] = (WIDE)x * (double)scale;
            Q[j * n + i] = q[j * g->ld + i];
        }
}

static orr_status FN(orr_heevj_check_cpu)(const orr_heevj_args *g, const void *a0_, const void *q_,
                                          const void *w_, orr_matrix_info *info)
{
    const T *a0 = a0_, *q = q_;
    const R *w = w_;
    const int64_t n = g->n;
    if (n == 0 || g->count == 0 || !g->vectors)
        return ORR_OK;
    if (n > INT32_MAX)
        return ORR_E_NOMEM;
    const size_t bytes = sizeof(WIDE) * (size_t)n * (size_t)n;
    WIDE *A = malloc(bytes), *Q = malloc(bytes), *X = malloc(bytes);
    orr_status status = A && Q && X ? ORR_OK : ORR_E_NOMEM;

    const WIDE one = 1, zero = 0;
    const int32_t order = (int32_t)n;
    const double unit = (double)n * (double)EPS;
    const double grid = sqrt((double)n) * ldexp(1, sizeof(R) == sizeof(float) ? -149 : -1074);
    for (int64_t k = 0; k < g->count && status == ORR_OK; k++) {
        const FN(screened) s = FN(screen)(g, a0 + k * g->stride);
        if (s.scale == 0 || info[k].status == ORR_NONFINITE)
            continue;
        FN(widen)(g, s.scale, a0 + k * g->stride, q + k * g->stride, A, Q);

        /* X := A Q - Q L */
        WIDE_GEMM("N", "N", &order, &order, &order, &one, A, &order, Q, &order, &zero, X, &order);
        for (int64_t j = 0; j < n; j++) {
            const double lambda = (double)w[k * g->ldw + j] * (double)s.scale;
            for (int64_t i = 0; i < n; i++)
                X[j * n + i] -= Q[j * n + i] * lambda;
        }
        const double residual = FN(frobenius)(n * n, X);
        info[k].residual = residual == 0 ? 0 : residual / (unit * s.norm + grid * (double)s.scale);

        /* X := Q'Q - I */
        WIDE_GEMM(IS_COMPLEX ? "C" : "T", "N", &order, &order, &order, &one, Q, &order, Q, &order,
                  &zero, X, &order);
        for (int64_t j = 0; j < n; j++)
            X[j * n + j] -= 1;
        info[k].orthogonality = FN(frobenius)(n * n, X) / unit;
    }
    free(A);
    free(Q);
    free(X);
    return status;
}
#undef WIDE
#undef WIDE_GEMM
