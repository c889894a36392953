/* A pair of blocks of gesvj for one scalar type T (real type R); see gesvj.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

static R FN(length2)(int64_t entries, const T *x)
{
    const R *v = (const R *)x;
    R sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < entries * (1 + IS_COMPLEX); i++)
        sum += v[i] * v[i];
    return sum;
}

/* H(j,i) := x(:,j)' y(:,i), nb x nb within order 2 nb. */
static void FN(inner_products)(int64_t nb, int64_t rows, const T *x, const T *y, T *H)
{
#if IS_COMPLEX
    const T one = 1, zero = 0;
    const int32_t k = (int32_t)rows, n = (int32_t)nb, order = 2 * n;
    LAPACK(gemm_)("C", "N", &n, &n, &k, &one, x, &k, y, &k, &zero, H, &order);
#else
    FN(products)[lanes_level()](nb, rows, x, y, H, 2 * nb);
#endif
}

/* D(j,j) := the square of column j's length, within order 2 nb. */
static void FN(column_lengths)(int64_t nb, int64_t rows, const T *x, T *D)
{
#if IS_COMPLEX
    for (int64_t j = 0; j < nb; j++)
        D[j * (2 * nb + 1)] = FN(length2)(rows, x + j * rows);
#else
    FN(lengths)[lanes_level()](nb, rows, x, D, 2 * nb);
#endif
}

static orr_status FN(orr_gesvj_gram_cpu)(const orr_gesvj_args *g, int full, const void *xp_,
                                         const void *xq_, void *H_)
{
    const T *x[2] = {xp_, xq_};
    T *H = H_;
    const int64_t nb = g->nb, order = 2 * nb, rows = orr_gesvj_shape_of(g).rows;
    if (rows == 0) {
        memset(H, 0, sizeof(T) * (size_t)(order * order));
        return ORR_OK;
    }
    FN(inner_products)(nb, rows, x[1], x[0], H + nb);
    for (int b = 0; b < 2; b++) {
        T *diagonal = H + b * (nb * order + nb);
        if (full) {
            FN(inner_products)(nb, rows, x[b], x[b], diagonal);
            continue;
        }
        for (int64_t j = 0; j < nb; j++)
            memset(diagonal + j * order, 0, sizeof(T) * (size_t)nb);
        FN(column_lengths)(nb, rows, x[b], diagonal);
    }
    return ORR_OK;
}

static orr_status FN(orr_gesvj_evd_cpu)(const orr_gesvj_args *g, int full, void *H, void *rotation)
{
    orr_gesvj_seen *seen = rotation;
    T *G = (T *)((char *)rotation + ORR_GESVJ_G_OFFSET);
    const R tol = (R)orr_gesvj_tolerance(sizeof(R) == sizeof(float) ? ORR_S : ORR_D, g);
    const int rotated =
        FN(evd)[lanes_level()](2 * g->nb, full, H, tol, INNER_SWEEPS, G, &seen->off, &seen->sine);
    seen->rotated = rotated > 0;
    return rotated < 0 ? (orr_status)rotated : ORR_OK;
}

static orr_status FN(orr_gesvj_angle_cpu)(const orr_gesvj_args *g, int full, const void *xp,
                                          const void *xq, void *rotation, orr_gesvj_seen *all)
{
    T *H = malloc(sizeof(T) * (size_t)(4 * g->nb * g->nb));
    if (!H)
        return ORR_E_NOMEM;
    FN(orr_gesvj_gram_cpu)(g, full, xp, xq, H);
    const orr_status status = FN(orr_gesvj_evd_cpu)(g, full, H, rotation);
    free(H);
    if (status == ORR_OK)
        orr_gesvj_join(all, rotation);
    return status;
}

static orr_status FN(orr_gesvj_rotate_cpu)(const orr_gesvj_args *g, int64_t rows,
                                           const void *rotation, void *xp_, void *xq_)
{
    const orr_gesvj_seen *seen = rotation;
    const T *G = (const T *)((const char *)rotation + ORR_GESVJ_G_OFFSET);
    T *xp = xp_, *xq = xq_;
    const int64_t nb = g->nb, order = 2 * nb;
    if (!seen->rotated || rows == 0)
        return ORR_OK;
#if IS_COMPLEX
    T *copy = malloc(sizeof(T) * (size_t)(rows * order));
    if (!copy)
        return ORR_E_NOMEM;
    const T one = 1, zero = 0;
    const int32_t m = (int32_t)rows, n = (int32_t)nb, k = (int32_t)order;
    memcpy(copy, xp, sizeof(T) * (size_t)(rows * nb));
    memcpy(copy + rows * nb, xq, sizeof(T) * (size_t)(rows * nb));
    LAPACK(gemm_)("N", "N", &m, &n, &k, &one, copy, &m, G, &k, &zero, xp, &m);
    LAPACK(gemm_)("N", "N", &m, &n, &k, &one, copy, &m, G + nb * order, &k, &zero, xq, &m);
    free(copy);
#else
    T *panel = aligned_alloc(64, (size_t)order * 3 * 64);
    if (!panel)
        return ORR_E_NOMEM;
    FN(multiply)[lanes_level()](order, rows, G, xp, xq, panel);
    free(panel);
#endif
    return ORR_OK;
}
