/* Before the sweeps of gesvj, for one scalar type T (real type R): two QR factorizations, and
 * whether J can be solved for in the end; see gesvj.h.
 *
 * After gesvj_scale.inc.c, gesvj_basis.inc.c and gesvj_eigen.inc.c.
 * SPDX-License-Identifier: BSD-3-Clause */

/* In double and scaled: neither large nor small columns lose anything. */
static double FN(norm)(int64_t rows, const T *x)
{
    const R *v = (const R *)x;
    const int64_t parts = rows * (1 + IS_COMPLEX);
    R top = 0;
    for (int64_t i = 0; i < parts; i++)
        top = RABS(v[i]) > top ? RABS(v[i]) : top;
    if (top == 0)
        return 0;
    int exponent;
    frexp((double)top, &exponent);
    const FN(power) f = FN(power_of)(-exponent);
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < parts; i++) {
        const double y = (double)(v[i] * f.first * f.second);
        sum += y * y;
    }
    return ldexp(sqrt(sum), exponent);
}

/* B P = Q R in place. */
static orr_status FN(pivoted_qr)(const orr_gesvj_shape *s, T *B, T *scalars, int32_t *pivot)
{
    const int32_t m = (int32_t)s->big, n = (int32_t)s->small, query = -1;
    int32_t info;
    T answer;
    R *rwork = IS_COMPLEX ? malloc(sizeof(R) * 2 * (size_t)n) : NULL;
    memset(pivot, 0, sizeof *pivot * (size_t)n);
#if IS_COMPLEX
#define GEQP3(work, size) LAPACK(geqp3_)(&m, &n, B, &m, pivot, scalars, work, size, rwork, &info)
#else
#define GEQP3(work, size) LAPACK(geqp3_)(&m, &n, B, &m, pivot, scalars, work, size, &info)
#endif
    GEQP3(&answer, &query);
    const int32_t size = FN(size_of_work)(answer);
    T *work = malloc(sizeof(T) * (size_t)size);
    const int fits = work && (rwork || !IS_COMPLEX);
    if (fits)
        GEQP3(work, &size);
#undef GEQP3
    free(work);
    free(rwork);
    return fits ? ORR_OK : ORR_E_NOMEM;
}

/* 1 if J = L^-1 X will be orthonormal to working accuracy: rotations leave errors in the rows
 * of X that are small beside those of L, L^-1 magnifies them by the condition of L with rows of
 * length one. The limit is on the condition in the 1-norm, which is up to n times the other.
 * Q2, n x n: L' in the upper triangle. -1 without memory. */
static int FN(can_solve)(int32_t n, const T *Q2)
{
    const double least = FN(least_length)() * (double)n;
    T *scaled = malloc(sizeof(T) * (size_t)n * (size_t)(n + 3) + sizeof(R) * (size_t)n);
    int32_t info, *iwork = malloc(sizeof *iwork * (size_t)n);
    int can = scaled && iwork ? 1 : -1;
    for (int32_t j = 0; can > 0 && j < n; j++) {
        const T *from = Q2 + (int64_t)j * n;
        const double length = FN(norm)(j + 1, from);
        can = (double)ABS(from[j]) > least;
        for (int32_t i = 0; can && i <= j; i++)
            scaled[(int64_t)j * n + i] = from[i] / (R)length;
    }
    if (can > 0) {
        T *work = scaled + (int64_t)n * n;
        R reciprocal;
#if IS_COMPLEX
        LAPACK(trcon_)("O", "U", "N", &n, scaled, &n, &reciprocal, work, (R *)(work + 2 * n),
                       &info);
#else
        LAPACK(trcon_)("O", "U", "N", &n, scaled, &n, &reciprocal, work, iwork, &info);
#endif
        can = (double)reciprocal * n * sqrt((double)n) >= 1;
    }
    free(scaled);
    free(iwork);
    return can;
}

/* pivot := the columns of B by descending norm, as geqp3 numbers them. */
static orr_status FN(norm_order)(const orr_gesvj_shape *s, const T *B, int32_t *pivot)
{
    R *norm2 = malloc((sizeof(R) + sizeof(int64_t)) * (size_t)s->small + 64);
    if (!norm2)
        return ORR_E_NOMEM;
    int64_t *order = (int64_t *)(norm2 + (s->small + 1) / 2 * 2);
    for (int64_t j = 0; j < s->small; j++)
        norm2[j] = FN(length2)(s->big, B + j * s->big);
    FN(descending)(s->small, norm2, order);
    for (int64_t j = 0; j < s->small; j++)
        pivot[j] = (int32_t)order[j] + 1;
    free(norm2);
    return ORR_OK;
}

/* X := L of B P = Q L Q2'; *accumulate: J is needed and cannot be solved for. */
static orr_status FN(precondition)(const orr_gesvj_args *g, const orr_gesvj_shape *s, T *factors,
                                   int32_t *pivot, void *const *X, int32_t *accumulate)
{
    const int64_t n = s->small;
    T *B = factors, *Q2 = B + (s->big + 1) * n;
    orr_status status = FN(pivoted_qr)(s, B, B + s->big * n, pivot);
    for (int64_t j = 0; j < n && status == ORR_OK; j++) {
        memset(Q2 + j * n, 0, sizeof(T) * (size_t)j);
        for (int64_t i = j; i < n; i++) /* R' */
            Q2[j * n + i] = CONJ(B[i * s->big + j]);
    }
    if (status == ORR_OK)
        status = FN(qr)((int32_t)n, (int32_t)n, Q2, Q2 + n * n);
    if (status != ORR_OK)
        return status;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++)
            ((T *)X[j / g->nb])[j % g->nb * s->rows + i] = CONJ(Q2[i * n + j]);
    const int can = s->accumulate ? FN(can_solve)((int32_t)n, Q2) : 1;
    *accumulate = !can;
    return can < 0 ? ORR_E_NOMEM : ORR_OK;
}

static void FN(put_identity)(const orr_gesvj_args *g, const orr_gesvj_shape *s, void *const *J)
{
    for (int64_t b = 0; b < s->blocks; b++) {
        memset(J[b], 0, sizeof(T) * (size_t)(s->small * g->nb));
        for (int64_t j = b * g->nb; j < (b + 1) * g->nb && j < s->small; j++)
            ((T *)J[b])[(j - b * g->nb) * s->small + j] = 1;
    }
}

static orr_status FN(orr_gesvj_start_cpu)(const orr_gesvj_args *g, const void *a_, void *factors,
                                          int32_t *head, void *const *X, void *const *J,
                                          orr_matrix_info *info)
{
    const T *a = a_;
    const orr_gesvj_shape s = orr_gesvj_shape_of(g);
    int32_t *pivot = head + ORR_GESVJ_PIVOTS;
    int shift;
    const int finite = FN(inspect)(g, a, &shift, info);
    info->method = ORR_METHOD_BLOCK;
    head[ORR_GESVJ_FINITE] = finite;
    head[ORR_GESVJ_SHIFT] = shift;
    head[ORR_GESVJ_ACCUMULATES] = 0;
    head[ORR_GESVJ_DIRECT] = 0;
    for (int64_t b = 0; b < s.blocks; b++)
        memset(X[b], 0, sizeof(T) * (size_t)(s.rows * g->nb));
    if (!finite || s.small == 0)
        return ORR_OK;

    T *B = g->precondition ? factors : malloc(sizeof(T) * (size_t)(s.big * s.small));
    if (!B)
        return ORR_E_NOMEM;
    info->norm = ldexp(FN(load_scaled)(g, &s, a, shift, B), -shift);
    orr_status status = ORR_OK;
    if (g->precondition == 2 && s.accumulate)
        FN(put_identity)(g, &s, J); /* its padding */
    if (g->precondition == 2)
        status = FN(start_direct)(g, &s, B, X, s.accumulate ? J : NULL, &head[ORR_GESVJ_DIRECT]);
    if (status != ORR_OK)
        return status;
    if (head[ORR_GESVJ_DIRECT]) {
        head[ORR_GESVJ_ACCUMULATES] = s.accumulate;
        for (int64_t j = 0; j < s.small; j++)
            pivot[j] = (int32_t)j + 1;
        return ORR_OK;
    }
    if (g->precondition) {
        status = FN(precondition)(g, &s, B, pivot, X, &head[ORR_GESVJ_ACCUMULATES]);
    } else {
        head[ORR_GESVJ_ACCUMULATES] = s.accumulate;
        status = FN(norm_order)(&s, B, pivot);
        for (int64_t j = 0; j < s.small && status == ORR_OK; j++)
            memcpy((T *)X[j / g->nb] + j % g->nb * s.rows, B + (pivot[j] - 1) * s.big,
                   sizeof(T) * (size_t)s.rows);
        free(B);
    }
    if (head[ORR_GESVJ_ACCUMULATES])
        FN(put_identity)(g, &s, J);
    if (g->precondition == 2 && status == ORR_OK)
        status = FN(turn)(g, &s, (const T *)factors + (s.big + 1) * s.small, X,
                          head[ORR_GESVJ_ACCUMULATES] ? J : NULL);
    return status;
}
