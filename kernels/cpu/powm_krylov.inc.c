/* Vector work of powm_krylov for one type, strip by strip: a strip of V is read once for
 * the update and the inner products that follow it. The BLAS gets strips that fit the cache.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#if IS_COMPLEX
#define SMALL     double _Complex
#define CONJUGATE "C"
#else
#define SMALL     double
#define CONJUGATE "T"
#endif

/* part[0..count) += V(r0.., 0..count)' y */
static void FN(inner)(int64_t ld, int64_t n, int32_t count, const T *V, const T *y, T *work,
                      SMALL *part)
{
    const T one = 1, zero = 0;
    const int32_t rows = (int32_t)n, lda = (int32_t)ld, inc = 1;
    LAPACK(gemv_)(CONJUGATE, &rows, &count, &one, V, &lda, y, &inc, &zero, work, &inc);
    for (int32_t i = 0; i < count; i++)
        part[i] += work[i];
}

static double FN(square)(const T *y, int64_t n)
{
    enum { LANES = 8 }; /* sums side by side */
    double lane[LANES] = {0}, sum = 0;
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int l = 0; l < LANES; l++) {
            const double re = REAL(y[i + l]), im = IMAG(y[i + l]);
            lane[l] += re * re + im * im;
        }
    for (int l = 0; i < n; i++, l++)
        lane[l] += (double)REAL(y[i]) * REAL(y[i]) + (double)IMAG(y[i]) * IMAG(y[i]);
    for (int l = 0; l < LANES; l++)
        sum += lane[l];
    return sum;
}

static orr_status FN(orr_krylov_dot_cpu)(const orr_krylov_args *g, const orr_krylov_state *s,
                                         void *vV, const void *vx, const void *vy, void *vpart)
{
    T *V = vV, work[ORR_KRYLOV_MOST + 1];
    const T *x = vx, *y = vy;
    SMALL *part = vpart;
    const R inv = (R)s->inv;
    const int32_t from = s->hermitian ? g->j : 0; /* the others are known */
    memset(part, 0, (size_t)(g->j + 1) * sizeof *part);
    for (int64_t r = 0; r < g->rows; r += STRIP) {
        const int64_t n = g->rows - r < STRIP ? g->rows - r : STRIP;
        T *v = V + g->j * g->rows + r;
        for (int64_t i = 0; i < n; i++)
            v[i] = inv * x[r + i];
        FN(inner)(g->rows, n, g->j + 1 - from, V + from * g->rows + r, y + r, work, part + from);
    }
    return ORR_OK;
}

static orr_status FN(orr_krylov_update_cpu)(const orr_krylov_args *g, const orr_krylov_state *s,
                                            const void *vV, void *vy, void *vpart)
{
    const T *V = vV, minus = -1, one = 1;
    T *y = vy, work[ORR_KRYLOV_MOST + 1], h[ORR_KRYLOV_MOST + 1];
    SMALL *part = vpart;
    const SMALL *coefficient = orr_krylov_array(s, s->h);
    const int32_t count = g->j + 1, inc = 1, lda = (int32_t)g->rows;
    const int clean = g->pass == 2 && s->clean && !g->fresh;
    int32_t from =
        0; /* the first column to subtract: in a three-term recurrence the last but one */
    double norm = 0;
    memset(part, 0, (size_t)count * sizeof *part);
    for (int32_t i = 0; i < count; i++)
        h[i] = (T)coefficient[i];
    while (from < count && h[from] == 0)
        from++;
    const int32_t columns = g->pass > 0 ? count - from : 0;
    for (int64_t r = 0; r < g->rows && !clean; r += STRIP) {
        const int64_t n = g->rows - r < STRIP ? g->rows - r : STRIP;
        const int32_t rows = (int32_t)n;
        if (columns > 0)
            LAPACK(gemv_)("N", &rows, &columns, &minus, V + from * g->rows + r, &lda, h + from,
                          &inc, &one, y + r, &inc);
        if (g->pass < 2)
            FN(inner)(g->rows, n, count, V + r, y + r, work, part);
        norm += FN(square)(y + r, n);
    }
    part[g->pass == 2 ? 0 : count] = norm;
    return ORR_OK;
}

static orr_status FN(orr_krylov_restart_cpu)(int64_t all_rows, const orr_krylov_state *s, void *vV)
{
    T *V = vV;
    const T one = 1, zero = 0;
    const int32_t from = s->stop, to = s->done ? s->columns : s->start;
    const SMALL *wide = orr_krylov_array(s, s->Q);
    T *Q = malloc(((size_t)from * (size_t)to + 1) * sizeof *Q);
    T *strip = malloc((size_t)STRIP * (size_t)(to + 1) * sizeof *strip);
    if (!Q || !strip || from == 0 || to == 0) {
        const orr_status st = Q && strip ? ORR_OK : ORR_E_NOMEM;
        free(Q);
        free(strip);
        return st;
    }
    for (int32_t j = 0; j < to; j++)
        for (int32_t i = 0; i < from; i++)
            Q[j * from + i] = (T)wide[j * s->m + i];
    for (int64_t r = 0; r < all_rows; r += STRIP) {
        const int32_t n = (int32_t)(all_rows - r < STRIP ? all_rows - r : STRIP);
        const int32_t ldv = (int32_t)all_rows, ldw = STRIP;
        LAPACK(gemm_)("N", "N", &n, &to, &from, &one, V + r, &ldv, Q, &from, &zero, strip, &ldw);
        for (int32_t j = 0; j < to; j++)
            memcpy(V + j * all_rows + r, strip + (size_t)j * STRIP, (size_t)n * sizeof *V);
    }
    free(Q);
    free(strip);
    return ORR_OK;
}
#undef SMALL
#undef CONJUGATE
