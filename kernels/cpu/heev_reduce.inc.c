/* Bodies of heev_reduce for one scalar type T (real type R); see heev_reduce.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#if IS_COMPLEX
#define SYR2K LAPACK(her2k_)
#define TRD   LAPACK(hetrd_)
#else
#define SYR2K LAPACK(syr2k_)
#define TRD   LAPACK(sytrd_)
#endif

/* x: V, W and V again, n x PANEL each, then a vector for every stream. */
static T *FN(V)(const orr_heev_reduction *g) { return g->x; }
static T *FN(W)(const orr_heev_reduction *g) { return (T *)g->x + g->n * PANEL; }
static T *FN(y)(const orr_heev_reduction *g, int64_t stream)
{
    return (T *)g->x + g->n * (3 * PANEL + stream);
}

/* y += alpha op(A) x */
static void FN(add_product)(const char *trans, int64_t m, int64_t n, R alpha, const T *a,
                            int64_t lda, const T *x, T *y)
{
    const int32_t m_ = (int32_t)m, n_ = (int32_t)n, ld = (int32_t)lda, one_ = 1;
    const T al = alpha, one = 1;
    if (m > 0 && n > 0)
        LAPACK(gemv_)(trans, &m_, &n_, &al, a, &ld, x, &one_, &one, y, &one_);
}

/* ---- Jobs ---------------------------------------------------------------------------------- */

/* Columns from .. to-1 of b := the named triangle of a times scale, as a lower one. */
static void FN(load)(const orr_heev_reduction *g, int64_t from, int64_t to)
{
    const R scale = (R)g->scale;
    const T *a = g->a;
    for (int64_t j = from; j < to; j++) {
        T *b = (T *)g->b + j * g->n;
        b[j] = REAL(a[j * g->lda + j]) * scale;
        for (int64_t i = j + 1; i < g->n; i++)
            b[i] = (g->upper ? CONJ(a[i * g->lda + j]) : a[j * g->lda + i]) * scale;
    }
}

/* A -= V W' + W V' in these columns. */
static void FN(update_columns)(const orr_heev_reduction *g, int64_t from, int64_t to)
{
    const int64_t n = g->n;
    const T *V = FN(V)(g), *W = FN(W)(g), minus = -1, plus = 1;
    T *a = (T *)g->b + from * n;
    const R one = 1;
    const int32_t count = (int32_t)(to - from), n_ = (int32_t)n, panel = PANEL, both = 2 * PANEL;
    const int32_t below = (int32_t)(n - to);
    SYR2K("L", "N", &count, &panel, &minus, V + from, &n_, W + from, &n_, &one, a + from, &n_);
    if (below > 0)
        LAPACK(gemm_)("N", IS_COMPLEX ? "C" : "T", &below, &count, &both, &minus, V + to, &n_,
                      W + from, &n_, &plus, a + to, &n_);
}

static void FN(run)(const orr_heev_reduction *g, enum job job, int64_t first, int64_t column,
                    int64_t stream)
{
    T *y = FN(y)(g, stream);
    if (job == PRODUCT)
        memset(y + first, 0, (size_t)(g->n - first) * sizeof *y);
    for (int64_t block = stream; block * BLOCK < g->n; block += STREAMS) {
        const int64_t from = block * BLOCK > first ? block * BLOCK : first;
        const int64_t end = (block + 1) * BLOCK, to = end < g->n ? end : g->n;
        if (from >= to)
            continue;
        if (job == LOAD)
            FN(load)(g, from, to);
        else if (job == PRODUCT)
            FN(by_level)[lanes_level()](g->n, from, to, g->b, FN(V)(g) + column * g->n, y);
        else
            FN(update_columns)(g, from, to);
    }
}

/* ---- Sharing --------------------------------------------------------------------------------- */

/* The streams of job `number` that nobody has taken, first those that are in this member's cache. */
static void FN(take)(const orr_heev_reduction *g, int64_t number, int member)
{
    struct orr_heev_team *t = g->team;
    for (int others = 0; others < 2; others++)
        for (int s = 0; s < STREAMS; s++) {
            int64_t before = number - 1;
            if ((s % g->members != member % g->members) != others ||
                !atomic_compare_exchange_strong(&t->taken[s], &before, number))
                continue;
            FN(run)(g, t->job, t->first, t->column, s);
            atomic_fetch_add(&t->done, 1);
        }
}

/* By the first member. */
static void FN(share)(const orr_heev_reduction *g, enum job job, int64_t first, int64_t column)
{
    struct orr_heev_team *t = g->team;
    if (g->members < 2 || g->n - first < ALONE) {
        for (int s = 0; s < STREAMS; s++)
            FN(run)(g, job, first, column, s);
        return;
    }
    const int64_t number = atomic_load(&t->told) + 1;
    t->job = job;
    t->first = first;
    t->column = column;
    atomic_store(&t->told, number);
    FN(take)(g, number, 0);
    for (int64_t spins = 0; atomic_load(&t->done) < number * STREAMS;)
        rest_a_little(&spins);
}

static void FN(help)(const orr_heev_reduction *g, int member)
{
    struct orr_heev_team *t = g->team;
    int64_t last = 0, spins = 0;
    while (!atomic_load(&t->ended)) {
        const int64_t number = atomic_load(&t->told);
        if (number == last) {
            rest_a_little(&spins);
            continue;
        }
        FN(take)(g, number, member);
        last = number;
    }
}

/* ---- The reduction ----------------------------------------------------------------------------- */

/* Column c = t + i of a panel that begins with column t: its reflector, and W(:,i). */
static void FN(column)(const orr_heev_reduction *g, int64_t t, int64_t i)
{
    const int64_t n = g->n, c = t + i, r = c + 1;
    T *V = FN(V)(g), *W = FN(W)(g), *v = V + i * n, *w = W + i * n, *again = w + PANEL * n;
    T *a = (T *)g->b + c * n, *tau = (T *)g->tau + c, row[2 * PANEL];
    const int32_t length = (int32_t)(n - r), step = 1;
    for (int64_t k = 0; k < i; k++) {
        row[k] = CONJ(W[k * n + c]);
        row[PANEL + k] = CONJ(V[k * n + c]);
    }
    FN(add_product)("N", n - c, i, -1, V + c, n, row, a + c);
    FN(add_product)("N", n - c, i, -1, W + c, n, row + PANEL, a + c);
    ((R *)g->d)[c] = REAL(a[c]);
    LAPACK(larfg_)(&length, a + r, a + (r + 1 < n ? r + 1 : r), &step, tau);
    ((R *)g->e)[c] = REAL(a[r]);
    v[r] = again[r] = 1;
    memcpy(v + r + 1, a + r + 1, (size_t)(n - r - 1) * sizeof *v);
    memcpy(again + r + 1, a + r + 1, (size_t)(n - r - 1) * sizeof *v);

    FN(share)(g, PRODUCT, r, i);
    const T *y0 = FN(y)(g, 0), *y1 = FN(y)(g, 1), *y2 = FN(y)(g, 2), *y3 = FN(y)(g, 3);
    for (int64_t k = r; k < n; k++)
        w[k] = (y0[k] + y1[k]) + (y2[k] + y3[k]);
    memset(row, 0, sizeof row);
    FN(add_product)("C", n - r, i, 1, W + r, n, v + r, row);
    FN(add_product)("C", n - r, i, 1, V + r, n, v + r, row + PANEL);
    FN(add_product)("N", n - r, i, -1, V + r, n, row, w + r);
    FN(add_product)("N", n - r, i, -1, W + r, n, row + PANEL, w + r);
    /* w := tau w;  w -= 1/2 tau (w' v) v */
    T dot = 0;
    for (int64_t k = r; k < n; k++)
        w[k] *= *tau;
    FN(add_product)("C", n - r, 1, 1, w + r, n, v + r, &dot);
    dot *= (R)-0.5 * *tau;
    for (int64_t k = r; k < n; k++)
        w[k] += dot * v[k];
}

static int64_t FN(panels)(int64_t n) { return n > REST ? (n - REST + PANEL - 1) / PANEL : 0; }

static void FN(orr_heev_reduce_cpu)(orr_heev_reduction *g)
{
    const int member = atomic_fetch_add(&g->team->came, 1);
    if (member > 0) {
        FN(help)(g, member);
        return;
    }
    memset((T *)g->b + g->n * g->n, 0, (size_t)g->n * sizeof(T));
    FN(share)(g, LOAD, 0, 0);
    for (int64_t k = 0; k < FN(panels)(g->n) && !stopped(g); k++) {
        for (int64_t i = 0; i < PANEL; i++)
            FN(column)(g, k * PANEL, i);
        FN(share)(g, UPDATE, (k + 1) * PANEL, 0);
    }
    atomic_store(&g->team->ended, 1);
}

static void FN(orr_heev_rest_cpu)(orr_heev_reduction *g)
{
    const int64_t n = g->n, first = FN(panels)(n) * PANEL;
    const int32_t rest = (int32_t)(n - first), n_ = (int32_t)n, lwork = 64 * REST;
    int32_t info;
    T work[64 * REST];
    TRD("L", &rest, (T *)g->b + first * (n + 1), &n_, (R *)g->d + first, (R *)g->e + first,
        (T *)g->tau + first, work, &lwork, &info);
}
#undef SYR2K
#undef TRD
