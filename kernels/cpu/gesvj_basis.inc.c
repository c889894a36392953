/* Orthonormal bases by LAPACK's QR factorization, and what stands for a basis where there is none,
 * for one scalar type T (real type R).
 *
 * SPDX-License-Identifier: BSD-3-Clause */

static int32_t FN(size_of_work)(T answer)
{
    /* In single precision the size comes back rounded, perhaps down. */
    return (int32_t)((double)REAL(answer) * (1 + (double)EPS)) + 1;
}

/* A = Q R in place. */
static orr_status FN(qr)(int32_t m, int32_t n, T *A, T *scalars)
{
    const int32_t query = -1;
    int32_t info;
    T answer;
    LAPACK(geqrf_)(&m, &n, A, &m, scalars, &answer, &query, &info);
    const int32_t size = FN(size_of_work)(answer);
    T *work = malloc(sizeof(T) * (size_t)size);
    if (work)
        LAPACK(geqrf_)(&m, &n, A, &m, scalars, work, &size, &info);
    free(work);
    return work ? ORR_OK : ORR_E_NOMEM;
}

/* Columns [rank, columns) of W := an orthonormal basis of what the first `rank`, which are
 * orthonormal, leave: the rest of the Q of their QR factorization. */
static orr_status FN(complete)(int64_t rows, int64_t columns, int64_t rank, T *W)
{
    const int32_t m = (int32_t)rows, n = (int32_t)columns, r = (int32_t)rank, query = -1;
    int32_t info;
    T answer, *work = NULL;
    T *Q = calloc((size_t)(rows * columns + columns), sizeof(T));
    if (!Q)
        return ORR_E_NOMEM;
    T *scalars = Q + rows * columns;
    memcpy(Q, W, sizeof(T) * (size_t)(rows * rank));
    orr_status status = FN(qr)(m, r, Q, scalars);
#if IS_COMPLEX
#define UNGQR LAPACK(ungqr_)
#else
#define UNGQR LAPACK(orgqr_)
#endif
    if (status == ORR_OK) {
        UNGQR(&m, &n, &r, Q, &m, scalars, &answer, &query, &info);
        const int32_t size = FN(size_of_work)(answer);
        work = malloc(sizeof(T) * (size_t)size);
        if (work)
            UNGQR(&m, &n, &r, Q, &m, scalars, work, &size, &info);
        status = work ? ORR_OK : ORR_E_NOMEM;
    }
#undef UNGQR
    if (status == ORR_OK)
        memcpy(W + rows * rank, Q + rows * rank, sizeof(T) * (size_t)(rows * (columns - rank)));
    free(Q);
    free(work);
    return status;
}

static void FN(put_nan)(int64_t rows, int64_t columns, T *out, int64_t ld)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows * (1 + IS_COMPLEX); i++)
            ((R *)(out + j * ld))[i] = (R)NAN;
}

/* The results of a matrix that is not finite. */
static void FN(all_nan)(const orr_gesvj_args *g, R *s, T *u, T *v)
{
    const int64_t small = orr_gesvj_shape_of(g).small;
    for (int64_t i = 0; i < small; i++)
        s[i] = (R)NAN;
    if (u)
        FN(put_nan)(g->m, small, u, g->ldu);
    if (v)
        FN(put_nan)(g->n, small, v, g->ldv);
}
