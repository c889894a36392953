/* The eigenvectors V of L'L, by which the sweeps of gesvj begin with columns that are nearly
 * orthogonal, for one scalar type T (real type R).
 *
 * V is computed with the squared condition of L, but only has to be orthonormal: X = L V is one
 * more rotation from the right, with errors that are small beside each row of L, and the sweeps
 * correct what the squares have lost (after Zhou, Tisseur, Webb, arXiv 2602.18134). Where they
 * have lost nearly all, it would spoil the order that two QR factorizations have made.
 *
 * Where the columns of B are of nearly one length and its condition is moderate, the factorizations
 * are left out as well: with B = C D, D the lengths, kappa(B) is at most 4 kappa(C) then, so errors
 * small beside |B|, which is what V and B V have, are within what is promised, kappa(C) eps of each
 * singular value. V is what they would have brought, so sweeps are as few.
 *
 * After gesvj_basis.inc.c. SPDX-License-Identifier: BSD-3-Clause */

/* L' in the upper triangle of Q2: the least of its diagonal against the largest, as pivoted QR
 * leaves it about the inverse condition. */
static int FN(eigenvectors_help)(int64_t n, const T *Q2)
{
    double least = INFINITY, most = 0;
    for (int64_t j = 0; j < n; j++) {
        const double x = (double)ABS(Q2[j * n + j]);
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    return least > sqrt((double)EPS) / 4 * most;
}

/* H, lower triangle, := its eigenvectors, by descending eigenvalue. 1: done, 0: no memory, -1:
 * LAPACK gave up, and the sweeps begin without. */
static int FN(eigenvectors)(int32_t n, T *H)
{
    const int32_t query = -1;
    int32_t info, least;
    T answer;
    R *values = malloc(sizeof(R) * (size_t)n);
#if IS_COMPLEX
    R real;
#define HEEVD(w, lw, rw, lrw, iw, liw)                                                             \
    LAPACK(heevd_)("V", "L", &n, H, &n, values, w, lw, rw, lrw, iw, liw, &info)
    HEEVD(&answer, &query, &real, &query, &least, &query);
    const int32_t reals = FN(size_of_work)((T)real);
    R *rwork = malloc(sizeof(R) * (size_t)reals);
#else
#define HEEVD(w, lw, rw, lrw, iw, liw)                                                             \
    LAPACK(syevd_)("V", "L", &n, H, &n, values, w, lw, iw, liw, &info)
    HEEVD(&answer, &query, , , &least, &query);
#endif
    const int32_t size = FN(size_of_work)(answer);
    T *work = malloc(sizeof(T) * ((size_t)size + (size_t)n)); /* and beyond a matrix in it */
    int32_t *iwork = malloc(sizeof *iwork * (size_t)least);
    int ready = values && work && iwork;
#if IS_COMPLEX
    ready = ready && rwork;
#endif
    if (ready)
        HEEVD(work, &size, rwork, &reals, iwork, &least);
#undef HEEVD
#if IS_COMPLEX
    free(rwork);
#endif
    free(values);
    free(work);
    free(iwork);
    if (!ready || info != 0)
        return ready ? -1 : 0;
    for (int64_t j = 0; j < n / 2; j++)
        for (int64_t i = 0; i < n; i++) {
            const T x = H[j * n + i];
            H[j * n + i] = H[(n - 1 - j) * n + i];
            H[(n - 1 - j) * n + i] = x;
        }
    return 1;
}

/* Zero. A column more: OpenBLAS 0.3.21's zgemv, called by zheevd, reads beyond the last one. */
static T *FN(two_squares)(int64_t n) { return calloc(2 * (size_t)n + 1, sizeof(T) * (size_t)n); }

/* Columns of M, rows x n, to those of X, of which there are as many or more. */
static void FN(put_columns)(const orr_gesvj_args *g, int64_t n, int64_t rows, const T *M,
                            void *const *X)
{
    for (int64_t j = 0; j < n; j++)
        memcpy((T *)X[j / g->nb] + j % g->nb * rows, M + j * rows, sizeof(T) * (size_t)rows);
}

/* X := L V, J := V unless it is NULL. They stay as they are where that would not help. */
static orr_status FN(turn)(const orr_gesvj_args *g, const orr_gesvj_shape *s, const T *Q2,
                           void *const *X, void *const *J)
{
    const int64_t n = s->small;
    const int32_t order = (int32_t)n;
    if (!FN(eigenvectors_help)(n, Q2))
        return ORR_OK;
    T *U = FN(two_squares)(n), *V = U + n * n; /* U = L' */
    if (!U)
        return ORR_E_NOMEM;
    for (int64_t j = 0; j < n; j++) {
        memcpy(U + j * n, Q2 + j * n, sizeof(T) * (size_t)(j + 1));
        memset(U + j * n + j + 1, 0, sizeof(T) * (size_t)(n - j - 1));
        memset(V + j * n, 0, sizeof(T) * (size_t)j);
        for (int64_t i = j; i < n; i++)
            V[j * n + i] = CONJ(Q2[i * n + j]);
    }
    const T one = 1;
    LAPACK(trmm_)("L", "U", "N", "N", &order, &order, &one, U, &order, V, &order);
    const int done = FN(eigenvectors)(order, V);
    if (done == 1 && J)
        FN(put_columns)(g, n, n, V, J);
    if (done == 1) {
        LAPACK(trmm_)("L", "U", "C", "N", &order, &order, &one, U, &order, V, &order);
        FN(put_columns)(g, n, n, V, X);
    }
    free(U);
    return done ? ORR_OK : ORR_E_NOMEM;
}

/* ---- Without pivots ------------------------------------------------------------------------ */

/* The columns of B are of nearly one length. */
static int FN(even)(const orr_gesvj_shape *s, const T *B)
{
    double least = INFINITY, most = 0;
    for (int64_t j = 0; j < s->small; j++) {
        const double x = (double)FN(length2)(s->big, B + j * s->big);
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    return most <= 16 * least;
}

/* H, lower triangle, tells nearly all singular values from zero: its Cholesky factorization gets
 * nearly to its end, and costs little beside eigenvectors. C: a square. */
static int FN(resolved)(int32_t n, const T *H, T *C)
{
    int32_t info;
    for (int64_t j = 0; j < n; j++)
        memcpy(C + j * n + j, H + j * n + j, sizeof(T) * (size_t)(n - j));
    LAPACK(potrf_)("L", &n, C, &n, &info);
    return info == 0 || info > n - n / 64;
}

/* X := B V, or R V of B = Q R if B is tall, and J := V unless it is NULL, with V the eigenvectors
 * of B'B. *direct: 1 if that was done; 0, and nothing is changed, if the two factorizations have to
 * come first. */
static orr_status FN(start_direct)(const orr_gesvj_args *g, const orr_gesvj_shape *s, T *B,
                                   void *const *X, void *const *J, int32_t *direct)
{
    const int64_t n = s->small;
    const int32_t order = (int32_t)n, big = (int32_t)s->big;
    *direct = 0;
    if (!FN(even)(s, B))
        return ORR_OK;
    T *M = FN(two_squares)(n), *V = M + n * n;
    if (!M)
        return ORR_E_NOMEM;
    const R r1 = 1, r0 = 0;
    const T one = 1, zero = 0;
#if IS_COMPLEX
    LAPACK(herk_)("L", "C", &order, &big, &r1, B, &big, &r0, V, &order);
#else
    LAPACK(syrk_)("L", "T", &order, &big, &r1, B, &big, &r0, V, &order);
#endif
    const int done = FN(resolved)(order, V, M) ? FN(eigenvectors)(order, V) : -1;
    orr_status status = done ? ORR_OK : ORR_E_NOMEM;
    *direct = done == 1;
    if (*direct && J)
        FN(put_columns)(g, n, n, V, J);
    if (*direct && big == order) {
        LAPACK(gemm_)("N", "N", &order, &order, &order, &one, B, &order, V, &order, &zero, M,
                      &order);
        FN(put_columns)(g, n, n, M, X);
    } else if (*direct) {
        status = FN(qr)(big, order, B, B + s->big * n);
        LAPACK(trmm_)("L", "U", "N", "N", &order, &order, &one, B, &big, V, &order);
        FN(put_columns)(g, n, n, V, X);
    }
    free(M);
    return status;
}
