/* Bodies of hegv for one scalar type T (real type R); see hegv.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#if IS_COMPLEX
#define GST LAPACK(hegst_)
#define MM  LAPACK(hemm_)
#define R2K LAPACK(her2k_)
#else
#define GST LAPACK(sygst_)
#define MM  LAPACK(symm_)
#define R2K LAPACK(syr2k_)
#endif

static int64_t FN(orr_hegv_potrf_cpu)(orr_hegv_tile b)
{
    const int32_t n = (int32_t)b.rows, ld = (int32_t)b.ld;
    int32_t info = 0;
    LAPACK(potrf_)("L", &n, b.a, &ld, &info);
    return info;
}

static void FN(orr_hegv_gst_cpu)(int problem, orr_hegv_tile a, orr_hegv_tile l)
{
    const int32_t n = (int32_t)a.rows, lda = (int32_t)a.ld, ldl = (int32_t)l.ld, itype = problem;
    int32_t info;
    GST(&itype, "L", &n, a.a, &lda, l.a, &ldl, &info);
}

static orr_status FN(orr_hegv_triangle_cpu)(orr_stream stream, const orr_hegv_factor *f,
                                            orr_hegv_tile l, orr_hegv_tile c)
{
    const int32_t m = (int32_t)c.rows, n = (int32_t)c.columns;
    const int32_t ldl = (int32_t)l.ld, ldc = (int32_t)c.ld;
    const T one = 1;
    (void)stream;
    if (f->inverse)
        LAPACK(trsm_)(&f->side, "L", &f->trans, "N", &m, &n, &one, l.a, &ldl, c.a, &ldc);
    else
        LAPACK(trmm_)(&f->side, "L", &f->trans, "N", &m, &n, &one, l.a, &ldl, c.a, &ldc);
    return ORR_OK;
}

static orr_status FN(orr_hegv_multiply_cpu)(orr_stream stream, char ta, char tb, double alpha,
                                            orr_hegv_tile a, orr_hegv_tile b, orr_hegv_tile c)
{
    const int32_t m = (int32_t)c.rows, n = (int32_t)c.columns;
    const int32_t k = (int32_t)(ta == 'N' ? a.columns : a.rows);
    const int32_t lda = (int32_t)a.ld, ldb = (int32_t)b.ld, ldc = (int32_t)c.ld;
    const T al = (R)alpha, one = 1;
    (void)stream;
    LAPACK(gemm_)(&ta, &tb, &m, &n, &k, &al, a.a, &lda, b.a, &ldb, &one, c.a, &ldc);
    return ORR_OK;
}

static orr_status FN(orr_hegv_hermitian_cpu)(orr_stream stream, char side, double alpha,
                                             orr_hegv_tile h, orr_hegv_tile b, orr_hegv_tile c)
{
    const int32_t m = (int32_t)c.rows, n = (int32_t)c.columns;
    const int32_t ldh = (int32_t)h.ld, ldb = (int32_t)b.ld, ldc = (int32_t)c.ld;
    const T al = (R)alpha, one = 1;
    (void)stream;
    MM(&side, "L", &m, &n, &al, h.a, &ldh, b.a, &ldb, &one, c.a, &ldc);
    return ORR_OK;
}

static orr_status FN(orr_hegv_update_cpu)(orr_stream stream, char trans, double alpha, int diagonal,
                                          orr_hegv_tile ai, orr_hegv_tile bi, orr_hegv_tile aj,
                                          orr_hegv_tile bj, orr_hegv_tile c)
{
    const char other = trans == 'N' ? 'C' : 'N';
    const int32_t n = (int32_t)c.rows, k = (int32_t)(trans == 'N' ? ai.columns : ai.rows);
    const int32_t lda = (int32_t)ai.ld, ldb = (int32_t)bi.ld, ldc = (int32_t)c.ld;
    const T al = (R)alpha;
    const R one = 1;
    if (diagonal) {
        R2K("L", &trans, &n, &k, &al, ai.a, &lda, bi.a, &ldb, &one, c.a, &ldc);
        return ORR_OK;
    }
    FN(orr_hegv_multiply_cpu)(stream, trans, other, alpha, ai, bj, c);
    return FN(orr_hegv_multiply_cpu)(stream, trans, other, alpha, bi, aj, c);
}
#undef GST
#undef MM
#undef R2K
