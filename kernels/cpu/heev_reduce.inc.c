/* Bodies of heev_reduce for one scalar type T (real type R); see heev_reduce.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#include "join_reflectors.inc.c"

#if IS_COMPLEX
#define SYR2K LAPACK(her2k_)
#else
#define SYR2K LAPACK(syr2k_)
#endif

/* x: V, W and V again, ld x PANEL each, then a vector for every stream. */
static T *FN(V)(const orr_heev_reduction *g) { return g->x; }
static T *FN(W)(const orr_heev_reduction *g) { return (T *)g->x + g->ld * PANEL; }
static T *FN(y)(const orr_heev_reduction *g, int64_t stream)
{
    return (T *)g->x + g->ld * (3 * PANEL + stream);
}

/* ---- Jobs ---------------------------------------------------------------------------------- */

/* Columns from .. to-1 of b := the named triangle of a times scale, as a lower one, and zeros behind it. */
static void FN(load)(const orr_heev_reduction *g, int64_t from, int64_t to)
{
    const R scale = (R)g->scale;
    const int64_t n = g->n, end = to < n ? to : n;
    const T *a = g->a;
    for (int64_t j = from; j < end; j++) {
        T *b = (T *)g->b + j * g->ld;
        b[j] = REAL(a[j * g->lda + j]) * scale;
        for (int64_t i = j + 1; i < n; i++)
            b[i] = (g->upper ? CONJ(a[i * g->lda + j]) : a[j * g->lda + i]) * scale;
        memset(b + n, 0, (size_t)(g->ld - n) * sizeof *b);
    }
    if (from < n && to >= n)
        memset((T *)g->b + n * g->ld, 0, (size_t)((g->ld - n) * g->ld) * sizeof(T));
}

/* A -= V W' + W V' in these columns. */
static void FN(update_columns)(const orr_heev_reduction *g, int64_t from, int64_t to)
{
    const int64_t ld = g->ld, below = g->n - to;
    const T *V = FN(V)(g), *W = FN(W)(g), minus = -1;
    T *a = (T *)g->b + from * ld;
    const R one = 1;
    const int32_t count = (int32_t)(to - from), ld_ = (int32_t)ld, panel = PANEL;
    SYR2K("L", "N", &count, &panel, &minus, V + from, &ld_, W + from, &ld_, &one, a + from, &ld_);
    if (below > 0)
        FN(multiply)("N", IS_COMPLEX ? "C" : "T", below, count, 2 * PANEL, -1, V + to, ld, W + from,
                     ld, 1, a + to, ld);
}

/* The blocks of a stream; of products in turn from either end, so that the last ones, which are in a cache,
 * are the next ones. */
static void FN(run)(const orr_heev_reduction *g, enum job job, int64_t first, int64_t column,
                    int64_t stream)
{
    const int64_t blocks = (g->n + BLOCK - 1) / BLOCK,
                  of_stream = (blocks - stream + STREAMS - 1) / STREAMS;
    T *y = FN(y)(g, stream);
    if (job == PRODUCT) {
        const int64_t line = 64 / (int64_t)sizeof *y, before = first / line * line;
        memset(y + before, 0, (size_t)(g->ld - before) * sizeof *y);
    }
    for (int64_t i = 0; i < of_stream; i++) {
        const int64_t block = stream + STREAMS * (column % 2 ? of_stream - 1 - i : i);
        const int64_t from = block * BLOCK > first ? block * BLOCK : first;
        const int64_t end = (block + 1) * BLOCK, to = end < g->n ? end : g->n;
        if (from >= to)
            continue;
        if (job == LOAD)
            FN(load)(g, from, end);
        else if (job == PRODUCT)
            FN(by_level)[lanes_level()]->multiply(g->ld, from, to, g->b, FN(V)(g) + column * g->ld,
                                                  y);
        else
            FN(update_columns)(g, from, to);
    }
}

/* ---- Sharing --------------------------------------------------------------------------------- */

/* The streams of job `number` that nobody has taken, first those that are in this member's cache, of one job
 * in the opposite order of the one before. */
static void FN(take)(const orr_heev_reduction *g, int64_t number, int member)
{
    struct orr_heev_team *t = g->team;
    for (int others = 0; others < 2; others++)
        for (int i = 0; i < STREAMS; i++) {
            const int s = number % 2 ? STREAMS - 1 - i : i;
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

/* Column c = t + i of a panel that begins with column t: its reflector, W(:,i), and the panel's next column
 * as it is then. */
static void FN(column)(const orr_heev_reduction *g, int64_t t, int64_t i)
{
    const FN(columns) *by = FN(by_level)[lanes_level()];
    const int64_t n = g->n, ld = g->ld, c = t + i, r = c + 1,
                  before = r - r % (64 / (int64_t)sizeof(T));
    T *V = FN(V)(g), *W = FN(W)(g), *v = V + i * ld, *w = W + i * ld;
    T *a = (T *)g->b + c * ld, *next = i + 1 < PANEL ? a + ld : NULL; /* or with all of UPDATE */
    T tau, p[4][PANEL];
    const int32_t length = (int32_t)(n - r), step = 1;
    ((R *)g->d)[c] = REAL(a[c]);
    LAPACK(larfg_)(&length, a + r, a + (r + 1 < n ? r + 1 : r), &step, &tau);
    ((R *)g->e)[c] = REAL(a[r]);
    a[r] = tau;
    memset(v + before, 0, (size_t)(r - before) * sizeof *v);
    v[r] = 1;
    memcpy(v + r + 1, a + r + 1, (size_t)(n - r - 1) * sizeof *v);
    memcpy(w + PANEL * ld + r, v + r, (size_t)(n - r) * sizeof *v);

    FN(share)(g, PRODUCT, r, i);
    by->inner(ld, r, i, V, W, v, p[1], p[0]); /* w -= V (W' v) + W (V' v) */
    for (int64_t k = 0; k < i; k++) {
        p[2][k] = CONJ(W[k * ld + r]);
        p[3][k] = CONJ(V[k * ld + r]);
    }
    T dot = by->subtract(ld, r, i, V, W, p, FN(y)(g, 0), w, next, v);
    /* w := tau w;  w -= 1/2 tau (w' v) v */
    by->finish(ld, r, tau, (R)-0.5 * tau * CONJ(tau) * dot, v, w, next);
}

/* Columns before the rest, whole panels. */
static int64_t FN(shared)(int64_t n)
{
    return n > ALONE ? (n - ALONE + PANEL - 1) / PANEL * PANEL : 0;
}

/* The panels before column `end`, from column t on. */
static void FN(columns_until)(const orr_heev_reduction *g, int64_t t, int64_t end)
{
    for (; t < end && !stopped(g); t += PANEL) {
        for (int64_t i = 0; i < PANEL && t + i < g->n - 1; i++)
            FN(column)(g, t, i);
        if (t + PANEL < g->n)
            FN(share)(g, UPDATE, t + PANEL, 0);
    }
}

static void FN(orr_heev_reduce_cpu)(orr_heev_reduction *g)
{
    const int member = atomic_fetch_add(&g->team->came, 1);
    if (member > 0) {
        FN(help)(g, member);
        return;
    }
    memset(g->x, 0, (size_t)(2 * PANEL * g->ld) * sizeof(T));
    FN(share)(g, LOAD, 0, 0);
    FN(columns_until)(g, 0, FN(shared)(g->n));
    atomic_store(&g->team->ended, 1);
}

static void FN(orr_heev_rest_cpu)(orr_heev_reduction *g)
{
    const int64_t n = g->n;
    FN(columns_until)(g, FN(shared)(n), n - 1);
    ((R *)g->d)[n - 1] = REAL(((T *)g->b)[(n - 1) * (g->ld + 1)]);
}
#undef SYR2K
