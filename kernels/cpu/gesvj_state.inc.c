/* Before and after the sweeps of gesvj, and the whole of it, for one scalar type T (real
 * type R); see gesvj.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* ---- Scale -------------------------------------------------------------------------------- */

/* Where the largest component is brought: sums of squares of up to 2^40 numbers of this
 * size are in range, and so are squares of the smallest ones that can matter. */
#define TOP_EXPONENT (sizeof(R) == sizeof(float) ? 40 : 400)

/* x 2^shift is x * first * second, both powers of two in range though 2^shift may not be. */
typedef struct {
    R first, second;
} FN(power);

static FN(power) FN(power_of)(int shift)
{
    return (FN(power)){(R)ldexp(1.0, shift / 2), (R)ldexp(1.0, shift - shift / 2)};
}

/* The largest |component|; NaN or infinity if there is one. */
static R FN(largest)(const orr_gesvj_args *g, const T *a)
{
    R top = 0;
    int bad = 0;
    for (int64_t j = 0; j < g->n; j++) {
        const R *x = (const R *)(a + j * g->ld);
        for (int64_t i = 0; i < g->m * (1 + IS_COMPLEX); i++) {
            const R v = RABS(x[i]);
            bad |= !(v <= (R)(sizeof(R) == sizeof(float) ? (double)FLT_MAX : DBL_MAX));
            top = v > top ? v : top;
        }
    }
    return bad ? (R)NAN : top;
}

/* B := 2^shift A or its conjugate transpose. Returns |B|_F. */
static double FN(load_scaled)(const orr_gesvj_args *g, const orr_gesvj_shape *s, const T *a,
                              int shift, T *B)
{
    const FN(power) f = FN(power_of)(shift);
    const double down = ldexp(1.0, -TOP_EXPONENT); /* so that squares are in range */
    double squares = 0;
    for (int64_t j = 0; j < g->n; j++)
        for (int64_t i = 0; i < g->m; i++) {
            const T x = a[j * g->ld + i] * f.first * f.second;
            const double re = (double)REAL(x) * down, im = (double)IMAG(x) * down;
            squares += re * re + im * im;
            B[s->transposed ? i * s->big + j : j * s->big + i] = s->transposed ? CONJ(x) : x;
        }
    return ldexp(sqrt(squares), TOP_EXPONENT);
}

/* ---- Start -------------------------------------------------------------------------------- */

static int32_t FN(size_of_work)(T answer)
{
    /* In single precision the size comes back rounded, perhaps down. */
    return (int32_t)((double)REAL(answer) * (1 + (double)EPS)) + 1;
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

static orr_status FN(orr_gesvj_start_cpu)(const orr_gesvj_args *g, const void *a_, void *factors,
                                          int32_t *head, void *const *X, void *const *J,
                                          orr_matrix_info *info)
{
    const T *a = a_;
    const orr_gesvj_shape s = orr_gesvj_shape_of(g);
    const int64_t nb = g->nb;
    int32_t *pivot = head + 2;
    const R top = FN(largest)(g, a);
    int exponent = 0;
    head[1] = isfinite(top);
    if (head[1] && top > 0)
        frexp((double)top, &exponent);
    head[0] = top > 0 ? TOP_EXPONENT - exponent : 0;
    *info = (orr_matrix_info){.status = head[1] ? ORR_OK : ORR_NONFINITE,
                              .method = ORR_METHOD_BLOCK,
                              .off = head[1] ? 0 : NAN,
                              .residual = NAN,
                              .orthogonality = NAN,
                              .norm = NAN};
    for (int64_t b = 0; b < s.blocks; b++) {
        memset(X[b], 0, sizeof(T) * (size_t)(s.rows * nb));
        if (!J)
            continue;
        memset(J[b], 0, sizeof(T) * (size_t)(s.small * nb));
        for (int64_t j = b * nb; j < (b + 1) * nb && j < s.small; j++)
            ((T *)J[b])[(j - b * nb) * s.small + j] = 1;
    }
    if (!head[1] || s.small == 0) {
        info->norm = head[1] ? 0 : NAN;
        return ORR_OK;
    }

    T *B = g->precondition ? factors : malloc(sizeof(T) * (size_t)(s.big * s.small));
    if (!B)
        return ORR_E_NOMEM;
    info->norm = ldexp(FN(load_scaled)(g, &s, a, head[0], B), -head[0]);
    orr_status status;
    if (g->precondition) {
        status = FN(pivoted_qr)(&s, B, B + s.big * s.small, pivot);
        for (int64_t j = 0; j < s.small && status == ORR_OK; j++)
            for (int64_t i = j; i < s.small; i++)
                ((T *)X[j / nb])[j % nb * s.rows + i] = CONJ(B[i * s.big + j]);
    } else {
        status = FN(norm_order)(&s, B, pivot);
        for (int64_t j = 0; j < s.small && status == ORR_OK; j++)
            memcpy((T *)X[j / nb] + j % nb * s.rows, B + (pivot[j] - 1) * s.big,
                   sizeof(T) * (size_t)s.rows);
        free(B);
    }
    return status;
}

/* ---- Finish ------------------------------------------------------------------------------- */

/* A column of X after the sweeps. */
typedef struct {
    int64_t block, at; /* columns of X[block], J[block] */
    double norm;
    int padding;
} FN(column);

static int FN(by_norm)(const void *a, const void *b)
{
    const FN(column) *x = a, *y = b;
    if (x->padding != y->padding)
        return x->padding - y->padding;
    if (x->norm != y->norm)
        return x->norm < y->norm ? 1 : -1;
    const int64_t i = x->block - y->block, j = x->at - y->at;
    return i ? (i > 0) - (i < 0) : (j > 0) - (j < 0);
}

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

/* Padding columns are zero in X; in J too, where the others are unit vectors rotated. */
static int FN(is_zero)(int64_t rows, const T *x)
{
    for (int64_t i = 0; i < rows; i++)
        if (x[i] != 0)
            return 0;
    return 1;
}

static FN(column) *FN(sorted_columns)(const orr_gesvj_args *g, const orr_gesvj_shape *s,
                                      void *const *X, void *const *J)
{
    FN(column) *c = malloc(sizeof *c * (size_t)(s->blocks * g->nb));
    if (!c)
        return NULL;
    for (int64_t b = 0, k = 0; b < s->blocks; b++)
        for (int64_t j = 0; j < g->nb; j++, k++)
            c[k] = (FN(column)){
                .block = b,
                .at = j,
                .norm = FN(norm)(s->rows, (const T *)X[b] + j * s->rows),
                .padding = J && FN(is_zero)(s->small, (const T *)J[b] + j * s->small)};
    qsort(c, (size_t)(s->blocks * g->nb), sizeof *c, FN(by_norm));
    return c;
}

/* Columns [rank, s.small) of W := an orthonormal basis of what the first `rank`, which are
 * orthonormal, leave: the rest of the Q of their QR factorization. */
static orr_status FN(complete)(int64_t rows, int64_t columns, int64_t rank, T *W)
{
    const int32_t m = (int32_t)rows, n = (int32_t)columns, r = (int32_t)rank, query = -1;
    int32_t info;
    T answer[2];
    T *Q = calloc((size_t)(rows * columns + columns), sizeof(T));
    if (!Q)
        return ORR_E_NOMEM;
    T *scalars = Q + rows * columns;
    memcpy(Q, W, sizeof(T) * (size_t)(rows * rank));
    LAPACK(geqrf_)(&m, &r, Q, &m, scalars, answer, &query, &info);
#if IS_COMPLEX
#define UNGQR LAPACK(ungqr_)
#else
#define UNGQR LAPACK(orgqr_)
#endif
    UNGQR(&m, &n, &r, Q, &m, scalars, answer + 1, &query, &info);
    const int32_t s0 = FN(size_of_work)(answer[0]), s1 = FN(size_of_work)(answer[1]);
    const int32_t size = s0 > s1 ? s0 : s1;
    T *work = malloc(sizeof(T) * (size_t)size);
    if (work) {
        LAPACK(geqrf_)(&m, &r, Q, &m, scalars, work, &size, &info);
        UNGQR(&m, &n, &r, Q, &m, scalars, work, &size, &info);
        memcpy(W + rows * rank, Q + rows * rank, sizeof(T) * (size_t)(rows * (columns - rank)));
    }
#undef UNGQR
    free(Q);
    free(work);
    return work ? ORR_OK : ORR_E_NOMEM;
}

/* W, rows x small: the columns of X normalised, completed where they are too short. */
static T *FN(normalised)(const orr_gesvj_shape *s, void *const *X, const FN(column) *c)
{
    /* Shorter ones were not made orthogonal: their squares are out of range. */
    const double least = ldexp(sqrt((double)SAFMIN / (double)EPS), 1);
    T *W = malloc(sizeof(T) * (size_t)(s->rows * s->small));
    int64_t rank = 0;
    for (; W && rank < s->small && c[rank].norm > least; rank++) {
        const T *x = (const T *)X[c[rank].block] + c[rank].at * s->rows;
        for (int64_t i = 0; i < s->rows; i++)
            W[rank * s->rows + i] = x[i] / (R)c[rank].norm;
    }
    if (W && rank < s->small && FN(complete)(s->rows, s->small, rank, W) != ORR_OK) {
        free(W);
        return NULL;
    }
    return W;
}

/* P W: row i of W to row pivot[i]. */
static void FN(put_permuted)(int64_t rows, int64_t columns, const int32_t *pivot, const T *W,
                             T *out, int64_t ld)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows; i++)
            out[j * ld + pivot[i] - 1] = W[j * rows + i];
}

/* out := Q [J; 0] */
static orr_status FN(put_q_times)(const orr_gesvj_shape *s, const T *factors, void *const *J,
                                  const FN(column) *c, T *out, int64_t ld)
{
    const int32_t m = (int32_t)s->big, n = (int32_t)s->small, l = (int32_t)ld, query = -1;
    int32_t info;
    T answer;
    for (int64_t j = 0; j < s->small; j++) {
        memcpy(out + j * ld, (const T *)J[c[j].block] + c[j].at * s->small,
               sizeof(T) * (size_t)s->small);
        memset(out + j * ld + s->small, 0, sizeof(T) * (size_t)(s->big - s->small));
    }
#if IS_COMPLEX
#define UNMQR LAPACK(unmqr_)
#else
#define UNMQR LAPACK(ormqr_)
#endif
    const T *scalars = factors + s->big * s->small;
    UNMQR("L", "N", &m, &n, &n, factors, &m, scalars, out, &l, &answer, &query, &info);
    const int32_t size = FN(size_of_work)(answer);
    T *work = malloc(sizeof(T) * (size_t)size);
    if (work)
        UNMQR("L", "N", &m, &n, &n, factors, &m, scalars, out, &l, work, &size, &info);
#undef UNMQR
    free(work);
    return work ? ORR_OK : ORR_E_NOMEM;
}

static void FN(put_nan)(int64_t rows, int64_t columns, T *out, int64_t ld)
{
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < rows * (1 + IS_COMPLEX); i++)
            ((R *)(out + j * ld))[i] = (R)NAN;
}

static orr_status FN(orr_gesvj_finish_cpu)(const orr_gesvj_args *g, const void *factors,
                                           const int32_t *head, void *const *X, void *const *J,
                                           void *s_, void *u_, void *v_)
{
    const orr_gesvj_shape s = orr_gesvj_shape_of(g);
    const int32_t *pivot = head + 2;
    R *values = s_;
    T *U = g->left ? u_ : NULL, *V = g->right ? v_ : NULL;
    if (!head[1]) {
        for (int64_t i = 0; i < s.small; i++)
            values[i] = (R)NAN;
        if (U)
            FN(put_nan)(g->m, s.small, U, g->ldu);
        if (V)
            FN(put_nan)(g->n, s.small, V, g->ldv);
        return ORR_OK;
    }
    if (s.small == 0)
        return ORR_OK;
    FN(column) *c = FN(sorted_columns)(g, &s, X, J);
    if (!c)
        return ORR_E_NOMEM;
    for (int64_t i = 0; i < s.small; i++)
        values[i] = (R)ldexp(c[i].norm, -head[0]);

    /* B = left S right' */
    T *left = s.transposed ? V : U, *right = s.transposed ? U : V;
    const int64_t ld_left = s.transposed ? g->ldv : g->ldu;
    const int64_t ld_right = s.transposed ? g->ldu : g->ldv;
    orr_status status = ORR_OK;
    T *W = NULL;
    if (g->precondition ? right != NULL : left != NULL) {
        W = FN(normalised)(&s, X, c);
        status = W ? ORR_OK : ORR_E_NOMEM;
    }
    if (status == ORR_OK && g->precondition) {
        if (right)
            FN(put_permuted)(s.small, s.small, pivot, W, right, ld_right);
        if (left)
            status = FN(put_q_times)(&s, factors, J, c, left, ld_left);
    } else if (status == ORR_OK) {
        for (int64_t j = 0; left && j < s.small; j++)
            memcpy(left + j * ld_left, W + j * s.big, sizeof(T) * (size_t)s.big);
        for (int64_t j = 0; right && j < s.small; j++)
            FN(put_permuted)(s.small, 1, pivot,
                             (const T *)J[c[j].block] + c[j].at * s.small, right + j * ld_right,
                             ld_right);
    }
    free(W);
    free(c);
    return status;
}

/* ---- The whole ---------------------------------------------------------------------------- */

static orr_status FN(sweeps)(const orr_gesvj_args *g, const orr_gesvj_shape *s, void *const *X,
                             void *const *J, void *rotation, orr_matrix_info *info)
{
    const double tol = orr_gesvj_tolerance(sizeof(R) == sizeof(float) ? ORR_S : ORR_D, g);
    const int32_t most = g->max_sweeps > 0 ? g->max_sweeps : 30;
    orr_gesvj_seen seen = {.rotated = 1};
    orr_status status = ORR_OK;
    int settled = s->small == 0, last = 0;
    /* As the graph does: a settled sweep is followed by one more. */
    for (int32_t k = 0; k < most && !last && s->small > 0 && status == ORR_OK; k++) {
        last = settled;
        seen = (orr_gesvj_seen){0};
        for (int64_t r = 0; r < s->blocks - 1; r++)
            for (int64_t i = 0; i < s->blocks / 2 && status == ORR_OK; i++) {
                int64_t p, q;
                orr_gesvj_pairing(s->blocks, r, i, &p, &q);
                status = FN(orr_gesvj_angle_cpu)(g, r == 0, X[p], X[q], rotation, &seen);
                if (status == ORR_OK)
                    status = FN(orr_gesvj_rotate_cpu)(g, s->rows, rotation, X[p], X[q]);
                if (status == ORR_OK && J)
                    status = FN(orr_gesvj_rotate_cpu)(g, s->small, rotation, J[p], J[q]);
            }
        settled |= orr_gesvj_settled(&seen, s->small, tol);
        last |= seen.rotated == 0;
        info->sweeps += seen.rotated > 0;
        info->off = seen.off;
    }
    if (!settled)
        info->status = ORR_NOCONV;
    return status;
}

static orr_status FN(orr_gesvj_cpu)(const orr_gesvj_args *g, const void *a, void *s_, void *u,
                                    void *v, orr_matrix_info *info)
{
    const orr_gesvj_shape s = orr_gesvj_shape_of(g);
    const int64_t x = (s.rows * g->nb + 15) / 16 * 16, y = (s.small * g->nb + 15) / 16 * 16;
    const int64_t factors = g->precondition ? (s.big + 1) * s.small : 1;
    const size_t numbers = (size_t)(s.blocks * (x + (s.accumulate ? y : 0)) + factors);
    const size_t turn = (size_t)orr_gesvj_rotation_bytes(g->nb, sizeof(T));
    char *memory = aligned_alloc(64, (numbers * sizeof(T) + turn + 255) / 128 * 128);
    void **blocks = malloc(sizeof *blocks * (size_t)(2 * s.blocks + 1));
    int32_t *head = malloc(sizeof *head * (size_t)(2 + s.small));
    orr_status status = memory && blocks && head ? ORR_OK : ORR_E_NOMEM;
    T *next = (T *)(memory + turn);
    void **X = blocks, **J = s.accumulate ? blocks + s.blocks : NULL;
    for (int64_t b = 0; b < s.blocks && status == ORR_OK; b++, next += x)
        X[b] = next;
    for (int64_t b = 0; b < s.blocks && status == ORR_OK && J; b++, next += y)
        J[b] = next;

    for (int64_t k = 0; k < g->count && status == ORR_OK; k++) {
        info[k] = (orr_matrix_info){0};
        status = FN(orr_gesvj_start_cpu)(g, (const T *)a + k * g->stride, next, head, X, J,
                                         info + k);
        info[k].method = ORR_METHOD_JACOBI;
        if (status == ORR_OK && head[1])
            status = FN(sweeps)(g, &s, X, J, memory, info + k);
        if (status == ORR_OK)
            status = FN(orr_gesvj_finish_cpu)(g, next, head, X, J, (R *)s_ + k * g->lds,
                                              g->left ? (T *)u + k * g->strideu : NULL,
                                              g->right ? (T *)v + k * g->stridev : NULL);
    }
    free(memory);
    free(blocks);
    free(head);
    return status;
}
#undef TOP_EXPONENT
