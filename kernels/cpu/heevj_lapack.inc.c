/* Body of heevj_lapack for one scalar type T (real type R); see heevj.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* LAPACK counts in 32 bits: beyond this order the workspace's size overflows. */
#define LAPACK_MAX_N 30000

/* b := the named triangle of a times scale; the diagonal loses its imaginary part. b is
 * n x n, followed by a column of zeros: OpenBLAS 0.3.21's zgemv, called by zheevd, reads a
 * column beyond the matrix, which at the end of a user's array may be no memory at all. In the
 * workspace are matrices, too. */
static void FN(scale_triangle)(const orr_heevj_args *g, R scale, const T *a, T *b)
{
    const int64_t n = g->n;
    for (int64_t j = 0; j < n; j++) {
        const int64_t first = g->upper ? 0 : j + 1, last = g->upper ? j : n;
        const R *x = (const R *)(a + j * g->ld + first);
        R *y = (R *)(b + j * n + first);
        for (int64_t i = 0; i < (1 + IS_COMPLEX) * (last - first); i++)
            y[i] = x[i] * scale;
        b[j * n + j] = REAL(a[j * g->ld + j]) * scale;
    }
    memset(b + n * n, 0, sizeof *b * (size_t)n);
}

static int32_t FN(heevd)(const orr_heevj_args *g, T *a, R *w, T *work, int32_t lwork, R *rwork,
                         int32_t lrwork, int32_t *iwork, int32_t liwork)
{
    const char *jobz = g->vectors ? "V" : "N", *uplo = g->upper ? "U" : "L";
    const int32_t n = (int32_t)g->n, ld = n > 0 ? n : 1;
    int32_t info = 0;
#if IS_COMPLEX
    LAPACK(heevd_)(jobz, uplo, &n, a, &ld, w, work, &lwork, rwork, &lrwork, iwork, &liwork, &info);
#else
    (void)rwork, (void)lrwork;
    LAPACK(syevd_)(jobz, uplo, &n, a, &ld, w, work, &lwork, iwork, &liwork, &info);
#endif
    return info;
}

static orr_status FN(orr_heevj_lapack_cpu)(const orr_heevj_args *g, void *a_, void *w_,
                                           orr_matrix_info *info)
{
    T *a = a_;
    R *w = w_;
    if (g->count == 0)
        return ORR_OK;
    if (g->n > LAPACK_MAX_N)
        return ORR_E_NOMEM;

    T work_size = 0;
    R rwork_size = 0;
    int32_t iwork_size = 0;
    FN(heevd)(g, a, w, &work_size, -1, &rwork_size, -1, &iwork_size, -1);
    /* In single precision the sizes come back rounded, perhaps down. */
    const int32_t lwork = (int32_t)((double)REAL(work_size) * (1 + (double)EPS)) + 1;
    const int32_t lrwork = (int32_t)((double)rwork_size * (1 + (double)EPS)) + 1;
    const int32_t liwork = iwork_size > 0 ? iwork_size : 1;
    T *work = malloc(sizeof *work * ((size_t)lwork + (size_t)g->n));
    R *rwork = malloc(sizeof *rwork * (size_t)lrwork);
    int32_t *iwork = malloc(sizeof *iwork * (size_t)liwork);
    T *b = calloc((size_t)(g->n * (g->n + 1)) + 1, sizeof *b);
    orr_status status = work && rwork && iwork && b ? ORR_OK : ORR_E_NOMEM;

    for (int64_t k = 0; k < g->count && status == ORR_OK; k++, a += g->stride, w += g->ldw) {
        const FN(screened) s = FN(screen)(g, a);
        FN(info_start)(info + k, s, ORR_METHOD_LAPACK);
        if (s.scale == 0) {
            FN(fill_nan)(g, a, w);
            continue;
        }
        if (g->n == 0)
            continue;
        FN(scale_triangle)(g, s.scale, a, b);
        if (FN(heevd)(g, b, w, work, lwork, rwork, lrwork, iwork, liwork) != 0)
            info[k].status = ORR_NOCONV;
        for (int64_t j = 0; j < g->n && g->vectors; j++)
            memcpy(a + j * g->ld, b + j * g->n, sizeof *a * (size_t)g->n);
        for (int64_t i = 0; i < g->n; i++)
            w[i] = w[i] * (1 / s.scale) + (R)0; /* no -0 */
    }
    free(work);
    free(rwork);
    free(iwork);
    free(b);
    return status;
}
#undef LAPACK_MAX_N
