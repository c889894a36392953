/* Body of heevj_block for one scalar type T (real type R); see heevj_block.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#define NB ORR_HEEVJ_NB

static R FN(frobenius2)(int64_t entries, const T *x)
{
    const R *v = (const R *)x;
    R sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < entries * (1 + IS_COMPLEX); i++)
        sum += v[i] * v[i];
    return sum;
}

static orr_status FN(orr_heevj_block_start_cpu)(const orr_heevj_args *g, const void *a_, void *G_,
                                                void *Q_, double *scale, int32_t *active,
                                                orr_matrix_info *info)
{
    const T *a = a_;
    T *G = G_, *Q = Q_;
    const int64_t n = g->n, np = orr_heevj_block_round_up(n);
    int32_t *rotated = active + 2 + g->count;
    active[0] = active[1] = 0;
    for (int64_t k = 0; k < g->count; k++, a += g->stride, G += np * np, Q += np * np) {
        const FN(screened) s = FN(screen)(g, a);
        FN(info_start)(info + k, s, ORR_METHOD_BLOCK);
        scale[k] = (double)s.scale;
        active[2 + k] = 0;
        rotated[k] = 0;
        if (s.scale == 0)
            continue;
        if (n > 0)
            active[2 + active[0]++] = (int32_t)k;
        for (int64_t j = 0; j < np; j++)
            for (int64_t i = 0; i < np; i++) {
                T x = 0;
                if (i < n && j < n)
                    x = i >= j ? FN(lower_entry)(g, a, i, j) : CONJ(FN(lower_entry)(g, a, j, i));
                G[j * np + i] = x * s.scale;
                Q[j * np + i] = i == j;
            }
    }
    return ORR_OK;
}

/* Buffers of a sweep; one allocation. */
typedef struct {
    int64_t np;
    T *H, *J; /* 2nb x 2nb */
    T *X;     /* np x 2nb: a copy of two column blocks */
    R tol, floor2;
    FN(pair_fn) *evd;
} FN(block_work);

/* A column is padding if it has an entry in the rows from n on. */
static void FN(find_padding)(int64_t n, int64_t np, const T *block, char *padding)
{
    for (int64_t j = 0; j < NB; j++) {
        padding[j] = 0;
        for (int64_t i = n; i < np; i++)
            padding[j] |= block[j * np + i] != 0;
    }
}

/* H(i block, j block) := Qi' Gj */
static void FN(inner_products)(const FN(block_work) *w, const T *Qi, const T *Gj, T *H)
{
    const T one = 1, zero = 0;
    const int32_t np = (int32_t)w->np, nb = NB, order = PAIR_N;
    LAPACK(gemm_)
    (IS_COMPLEX ? "C" : "T", "N", &nb, &nb, &np, &one, Qi, &np, Gj, &np, &zero, H, &order);
}

/* [p q] := [p q] J */
static void FN(rotate_blocks)(const FN(block_work) *w, T *p, T *q)
{
    const T one = 1, zero = 0;
    const int32_t np = (int32_t)w->np, nb = NB, order = PAIR_N;
    memcpy(w->X, p, sizeof(T) * (size_t)(w->np * NB));
    memcpy(w->X + w->np * NB, q, sizeof(T) * (size_t)(w->np * NB));
    LAPACK(gemm_)("N", "N", &np, &nb, &order, &one, w->X, &np, w->J, &order, &zero, p, &np);
    LAPACK(gemm_)
    ("N", "N", &np, &nb, &order, &one, w->X, &np, w->J + PAIR_N * NB, &order, &zero, q, &np);
}

/* Returns the largest relative entry of H; sets *rotated if the blocks changed. */
static double FN(block_pair)(const FN(block_work) *w, int64_t n, T *G, T *Q, int64_t p, int64_t q,
                             int32_t *rotated)
{
    T *Gp = G + p * NB * w->np, *Gq = G + q * NB * w->np;
    T *Qp = Q + p * NB * w->np, *Qq = Q + q * NB * w->np;
    FN(inner_products)(w, Qp, Gp, w->H);
    FN(inner_products)(w, Qq, Gp, w->H + NB);
    FN(inner_products)(w, Qq, Gq, w->H + PAIR_N * NB + NB);
    char padding[PAIR_N];
    FN(find_padding)(n, w->np, Qp, padding);
    FN(find_padding)(n, w->np, Qq, padding + NB);
    double off;
    if (w->evd(w->H, w->tol, w->floor2, INNER_SWEEPS, padding, w->J, &off)) {
        FN(rotate_blocks)(w, Gp, Gq);
        FN(rotate_blocks)(w, Qp, Qq);
        *rotated = 1;
    }
    return off;
}

static orr_status FN(orr_heevj_block_sweep_cpu)(const orr_heevj_args *g, void *G_, void *Q_,
                                                int32_t *active, orr_matrix_info *info)
{
    const int64_t np = orr_heevj_block_round_up(g->n), blocks = np / NB, ring = blocks - 1;
    if (active[0] == 0)
        return ORR_OK;
    if (np > INT32_MAX)
        return ORR_E_NOMEM;
    T *memory = malloc(sizeof(T) * (size_t)(2 * PAIR_N * PAIR_N + PAIR_N * np));
    if (!memory)
        return ORR_E_NOMEM;
    FN(block_work)
    w = {
        .np = np,
        .H = memory,
        .J = memory + PAIR_N * PAIR_N,
        .X = memory + 2 * PAIR_N * PAIR_N,
        .tol = g->tol > 0 ? (R)g->tol : EPS,
        .evd = FN(pair_evd)[lanes_level()],
    };
    int32_t *rotated = active + 2 + g->count;
    for (int32_t m = 0; m < active[0]; m++) {
        const int64_t k = active[2 + m];
        T *G = (T *)G_ + k * np * np, *Q = (T *)Q_ + k * np * np;
        w.floor2 = 16 * FN(frobenius2)(np * np, G); /* |G|_F = |A|_F as Q is unitary */
        rotated[k] = 0;
        double off = 0;
        for (int64_t round = 0; round < ring; round++)
            for (int64_t i = 0; i < blocks / 2; i++) {
                const int64_t p = (round + i) % ring;
                const int64_t q = i == 0 ? ring : (round - i + ring) % ring;
                const double found =
                    FN(block_pair)(&w, g->n, G, Q, p < q ? p : q, p < q ? q : p, rotated + k);
                off = found > off ? found : off;
            }
        info[k].off = off;
        if (rotated[k])
            info[k].sweeps = active[1] + 1;
    }
    free(memory);
    return ORR_OK;
}

static orr_status FN(orr_heevj_block_finish_cpu)(const orr_heevj_args *g, const void *G_,
                                                 const void *Q_, const double *scale, void *a_,
                                                 void *w_, orr_matrix_info *info)
{
    (void)info;
    const int64_t n = g->n, np = orr_heevj_block_round_up(n);
    if (n == 0)
        return ORR_OK;
    int64_t *order = malloc((size_t)n * (2 * sizeof *order + sizeof(R)));
    if (!order)
        return ORR_E_NOMEM;
    int64_t *column = order + n; /* those that are not padding */
    R *d = (R *)(column + n);
    for (int64_t k = 0; k < g->count; k++) {
        T *a = (T *)a_ + k * g->stride;
        R *w = (R *)w_ + k * g->ldw;
        if (scale[k] == 0) {
            FN(fill_nan)(g, a, w);
            continue;
        }
        const T *G = (const T *)G_ + k * np * np, *Q = (const T *)Q_ + k * np * np;
        int64_t found = 0;
        for (int64_t j = 0; j < np && found < n; j++) {
            int padding = 0;
            for (int64_t i = n; i < np; i++)
                padding |= Q[j * np + i] != 0;
            if (padding)
                continue;
            const R *q = (const R *)(Q + j * np), *x = (const R *)(G + j * np);
            R sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t i = 0; i < n * (1 + IS_COMPLEX); i++)
                sum += q[i] * x[i];
            column[found] = j;
            d[found++] = sum;
        }
        FN(ascending)(n, d, order);
        for (int64_t j = 0; j < n; j++) {
            w[j] = d[order[j]] * (R)(1 / scale[k]) + (R)0; /* no -0 */
            if (g->vectors)
                memcpy(a + j * g->ld, Q + column[order[j]] * np, sizeof(T) * (size_t)n);
        }
    }
    free(order);
    return ORR_OK;
}

static orr_status FN(orr_heevj_block_cpu)(const orr_heevj_args *g, void *a, void *w,
                                          orr_matrix_info *info)
{
    const int64_t np = orr_heevj_block_round_up(g->n);
    const size_t square = sizeof(T) * (size_t)(np * np);
    /* One matrix at a time, so that its state stays in the cache. */
    orr_heevj_args one = *g;
    one.count = 1;
    T *state = malloc(2 * square + 1);
    if (!state)
        return ORR_E_NOMEM;
    orr_status status = ORR_OK;
    for (int64_t k = 0; k < g->count && status == ORR_OK; k++) {
        T *ak = (T *)a + k * g->stride, *G = state, *Q = state + np * np;
        double scale;
        int32_t active[4];
        status = FN(orr_heevj_block_start_cpu)(&one, ak, G, Q, &scale, active, info + k);
        while (status == ORR_OK && active[0] > 0) {
            status = FN(orr_heevj_block_sweep_cpu)(&one, G, Q, active, info + k);
            if (status == ORR_OK)
                status = orr_heevj_block_compact_any(&one, active, info + k);
        }
        if (status == ORR_OK)
            status = FN(orr_heevj_block_finish_cpu)(&one, G, Q, &scale, ak, (R *)w + k * g->ldw,
                                                    info + k);
    }
    free(state);
    return status;
}
#undef NB
