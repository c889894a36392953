/* Reduction of a square matrix to a real bidiagonal one: a part of gesvd_small.inc.c, which has the names.
 * Real and imaginary parts stand apart, so that all arithmetic is that of vectors.
 *
 *   A = H B P',  H = H_0 ... H_{n-2} D_l,  P = P_0 ... P_{n-3} D_r;  H_k, P_k = I - u u', |u|^2 = 2
 *
 * D_l and D_r are the phases that make B real, none if A is. With q = A' u of a left reflector and
 * p = (A - u q') v of the right one behind it, A -= u q' + p v'.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#undef COLUMNS
#define COLUMNS (4 / PARTS) /* that a pass takes at once */

/* count columns from a = a_j on, vectors first .. last-1 of their rows: a_j -= u q_j* + p v_j*,
 * z_j := a_j' x. */
LANES_INLINE void VN(update)(int64_t ld, R *a, int64_t j, const int count, int64_t first,
                             int64_t last, const VN(rows) *u, const VN(rows) *p, const VN(rows) *q,
                             const VN(rows) *v, const VN(rows) *x, VN(rows) *z)
{
    E sum[COLUMNS], qj[COLUMNS], vj[COLUMNS];
    UNROLL for (int c = 0; c < count; c++)
    {
        sum[c] = (E){.re = VN(splat)(0)};
        qj[c] = VN(spread)(q, j + c), vj[c] = VN(spread)(v, j + c);
    }
    for (int64_t i = first; i < last; i++) {
        const E ui = VN(at)(u, i), pi = VN(at)(p, i), xi = VN(at)(x, i);
        UNROLL for (int c = 0; c < count; c++)
        {
            R *y = a + c * PARTS * ld;
            const E t = VN(msubc)(VN(msubc)(VN(get)(y, ld, i), pi, vj[c]), ui, qj[c]);
            VN(put)(y, ld, i, t);
            sum[c] = VN(maddc)(sum[c], t, xi);
        }
    }
    UNROLL for (int c = 0; c < count; c++)
    {
        ((R *)z->re)[j + c] = VN(total)(sum[c].re);
#if IS_COMPLEX
        ((R *)z->im)[j + c] = VN(total)(sum[c].im);
#endif
    }
}

/* y += the sum of a_j v_j. */
LANES_INLINE void VN(product)(int64_t ld, const R *a, int64_t j, const int count, int64_t first,
                              int64_t last, const VN(rows) *v, VN(rows) *y)
{
    E vj[COLUMNS];
    UNROLL for (int c = 0; c < count; c++) vj[c] = VN(spread)(v, j + c);
    for (int64_t i = first; i < last; i++) {
        E sum = VN(at)(y, i);
        UNROLL for (int c = 0; c < count; c++) sum =
            VN(madd)(sum, VN(get)(a + c * PARTS * ld, ld, i), vj[c]);
        VN(set)(y, i, sum);
    }
}

/* u of reflector k of a side from x, whose first entry is `first`; the entry of B that stays. Of a last
 * one, which has one entry, there is no reflector. */
static R VN(choose_reflector)(const VN(small) *w, int side, int64_t k, int64_t first,
                              int64_t vectors, const VN(rows) *x, VN(rows) *u)
{
    const int last = first == w->n - 1;
#if IS_COMPLEX
    const R *before = w->D[!side] + 2 * k;
    const R b =
        VN(phased_reflector)(first - 1, vectors, x->re, x->im, u, before, w->D[side] + 2 * first);
#else
    const R b = last ? ((const R *)x->re)[first] : VN(reflector)(first - 1, vectors, x->re, u->re);
    (void)side, (void)k;
#endif
    if (last)
        memset(u, 0, sizeof *u);
    return b;
}

/* x := the adjoint of row k of A - u q', from entry k + 1 on. */
static void VN(adjoint_row)(const VN(small) *w, int64_t k, int64_t vectors, const VN(rows) *u,
                            const VN(rows) *q, VN(rows) *x)
{
    for (int64_t j = k + 1; j < w->n; j++) {
        const R *a = VN(place)(w, k, j);
        ((R *)x->re)[j] = a[0];
#if IS_COMPLEX
        ((R *)x->im)[j] = -a[w->ld];
#endif
    }
    const E uk = VN(spread)(u, k);
    for (int64_t i = (k + 1) / LANES; i < vectors; i++)
        VN(set)(x, i, VN(msubc)(VN(at)(x, i), VN(at)(q, i), uk));
}

/* p := (A - u q') v below row k. Columns from the right: the update left these in the caches. */
static void VN(multiply)(const VN(small) *w, int64_t k, int64_t vectors, const VN(rows) *u,
                         const VN(rows) *q, const VN(rows) *v, VN(rows) *p)
{
    const int64_t first = (k + 1) / LANES;
    int64_t j = w->n - COLUMNS;
    for (; j > k; j -= COLUMNS)
        VN(product)(w->ld, VN(place)(w, 0, j), j, COLUMNS, first, vectors, v, p);
    for (j += COLUMNS - 1; j > k; j--)
        VN(product)(w->ld, VN(place)(w, 0, j), j, 1, first, vectors, v, p);
    E dot = {.re = VN(splat)(0)}; /* v' q */
    for (int64_t i = first; i < vectors; i++)
        dot = VN(maddc)(dot, VN(at)(v, i), VN(at)(q, i));
    dot.re = VN(splat)(VN(total)(dot.re));
#if IS_COMPLEX
    dot.im = VN(splat)(VN(total)(dot.im));
#endif
    for (int64_t i = first; i < vectors; i++)
        VN(set)(p, i, VN(msubc)(VN(at)(p, i), VN(at)(u, i), dot));
    /* A has old numbers above */
    const MASK below = VN(lane_numbers)() >= (MASK){0} + (LANE_INT)((k + 1) % LANES);
    p->re[first] = VN(select)(below, p->re[first], VN(splat)(0));
#if IS_COMPLEX
    p->im[first] = VN(select)(below, p->im[first], VN(splat)(0));
#endif
}

/* The square to C and the reflectors H and P, with u of I - u u' in row k of each. */
static void VN(bidiagonal)(const VN(small) *w)
{
    const int64_t n = w->n, vectors = (n + LANES - 1) / LANES;
    VN(rows) row[5], column[4]; /* numbers of rows, of columns */
    VN(rows) *u = row, *p = row + 1, *u_next = row + 2, *p_next = row + 3, *x = row + 4;
    VN(rows) *q = column, *v = column + 1, *q_next = column + 2, *v_next = column + 3;
    memset(row, 0, sizeof row);
    memset(column, 0, sizeof column);
#if IS_COMPLEX
    w->D[RIGHT][0] = 1, w->D[RIGHT][1] = 0;
#endif
    for (int64_t k = 0; k < n; k++) {
        const R *c = VN(place)(w, 0, k);
        const E qk = VN(spread)(q, k), vk = VN(spread)(v, k);
        for (int64_t i = k / LANES; i < vectors; i++) {
            const E a = VN(msubc)(VN(get)(c, w->ld, i), VN(at)(p, i), vk);
            VN(set)(x, i, VN(msubc)(a, VN(at)(u, i), qk));
        }
        w->d[n - 1 - k] = VN(choose_reflector)(w, LEFT, k, k, vectors, x, u_next);
        if (k == n - 1)
            break;
        if (w->H)
            VN(keep)(u_next, n, k ? w->H + PARTS * (k - 1) * n : w->first);
        int64_t j = k + 1;
#define UPDATE(count)                                                                              \
    VN(update)(w->ld, VN(place)(w, 0, j), j, count, k / LANES, vectors, u, p, q, v, u_next, q_next)
        for (; j + COLUMNS <= n; j += COLUMNS)
            UPDATE(COLUMNS);
        for (; j < n; j++)
            UPDATE(1);
#undef UPDATE
        VN(adjoint_row)(w, k, vectors, u_next, q_next, x);
        w->e[n - 2 - k] = VN(choose_reflector)(w, RIGHT, k, k + 1, vectors, x, v_next);
        memset(p_next, 0, sizeof *p_next);
        if (k < n - 2) {
            if (w->P)
                VN(keep)(v_next, n, w->P + PARTS * k * n);
            VN(multiply)(w, k, vectors, u_next, q_next, v_next, p_next);
        }
        VN(rows) *t;
        t = u, u = u_next, u_next = t;
        t = p, p = p_next, p_next = t;
        t = q, q = q_next, q_next = t;
        t = v, v = v_next, v_next = t;
    }
}
