/* Task T(g,m) of hb2st, late (hb2st_chase.h): hop (s,t) makes v, w, B v and v+, but leaves its updates
 * of A and B to hop (s+1,t), which makes its own products in the same pass. So an entry comes from the
 * L2 cache once for a hop and not twice:
 *
 *   (O)  B := H+^H B H  of sweep s-1, then  bv = B v  of sweep s, whose columns are one further right
 *   (D)  A := H^H A H   of sweep s-1, then  w  = A v
 *        column 0 of A += v w' + w v', the next reflector from column 0 of B: what (s+1,t-1) reads
 *
 * For one real type and AVX-512. SPDX-License-Identifier: BSD-3-Clause */

/* Where hop (s,t), whose first column is j, finds what hop (s-1,t) has left. */
static R *VN(left_for)(const WORK *k, int64_t j, int64_t t)
{
    const orr_hb2st_shape *a = k->shape;
    R *slots = j < k->band.cut ? k->slots_left : k->slots_right;
    return slots + t % orr_hb2st_slots(a) * orr_hb2st_slot(a);
}

/* What is left: v and w with zeros for column 0, which is done, B v and v+; tau and tau+. */
static void VN(leave)(const WORK *k, int64_t j, int64_t t, T tau, T next_tau)
{
    const int64_t room = orr_hb2st_slot_vector(k->shape);
    const PADDED *p[] = {&k->v, &k->w, &k->bv, &k->next};
    R *to = VN(left_for)(k, j + 1, t);
    for (int i = 0; i < 4; i++)
        memcpy(to + i * room, p[i]->x, (size_t)p[i]->count * sizeof(V));
    to[k->v.shift] = to[room + k->w.shift] = 0;
    to[4 * room] = tau;
    to[4 * room + 1] = next_tau;
}

/* The same for hop (s,t) as k->left, with a vector of zeros behind each. Nothing is left for the first sweep. */
static void VN(find)(WORK *k, int64_t s, int64_t t)
{
    const int64_t n = k->shape->n, b = k->shape->b, room = orr_hb2st_slot_vector(k->shape);
    const int64_t j = s + t * b, m = orr_least(b, n - j), r = j + b,
                  mm = orr_most(orr_least(b, n - r), 0);
    PADDED *p[] = {&k->left.v, &k->left.w, &k->left.bv, &k->left.next};
    const R *from = VN(left_for)(k, j + 1, t);
    for (int i = 0; i < 4; i++) {
        VN(place)(p[i], i < 2 ? j : r, i < 2 ? m : mm);
        if (s > k->shape->first)
            memcpy(p[i]->x, from + i * room, (size_t)p[i]->count * sizeof(V));
        else
            memset(p[i]->x, 0, (size_t)p[i]->count * sizeof(V));
        p[i]->x[p[i]->count] = (V){0};
    }
    k->left.tau = s > k->shape->first ? from[4 * room] : 0;
    k->left.next_tau = s > k->shape->first ? from[4 * room + 1] : 0;
}

/* Some columns of B, except column 0: += w a + v+ x, then bv += them f. Those after the next are
 * fetched. */
LANES_INLINE void VN(left_right_product)(const WORK *k, int64_t j, int64_t row, int64_t c, V *bv)
{
    const VN(band) band = k->band;
    const V *w = k->left.bv.x, *v = k->left.next.x;
    const int64_t m = k->left.v.m, count = k->left.bv.count, ahead = 2 * VN(STEP) *band.ld;
    R *p[COLUMNS];
    V a[COLUMNS], x[COLUMNS], f[COLUMNS];
    VN(columns)(COLUMNS, p, &band, row, j + c, j + 1, j + m);
#pragma GCC unroll 8
    for (int u = 0; u < COLUMNS; u++) {
        a[u] = VN(all)(k->a[c + u]);
        x[u] = VN(all)(k->x[c + u]);
        f[u] = VN(all)(k->f[c + u]);
    }
    for (int64_t q = 0; q < count; q++) {
        const V wq = w[q], vq = v[q];
        V sum = {0};
#pragma GCC unroll 8
        for (int u = 0; u < COLUMNS; u++) {
            R *at = p[u] + q * LANES;
            const V y = VN(fma)(vq, x[u], VN(fma)(wq, a[u], VN(load)(at)));
            VN(store)(at, y);
            __builtin_prefetch(at + ahead);
            sum = VN(fma)(y, f[u], sum);
        }
        bv[q] += sum;
    }
}

/* B := H+^H B H of sweep s-1, whose B begins one row and one column earlier than hop (s,t)'s, j and r;
 * bv := B v of all columns but the last. */
static void VN(pass_below)(WORK *k, int64_t j, int64_t r)
{
    const PADDED *w = &k->left.bv, *next = &k->left.next;
    const int64_t m = k->left.v.m, row = r - 1 - w->shift;
    const T *e = VN(at)(k->left.v.x) + k->left.v.shift;
    const T vw = VN(dot)(next, w->x), factor = -k->left.next_tau;
    for (int64_t c = 0; c < m + VN(STEP); c++)
        k->a[c] = c > 0 && c < m ? -k->left.tau * e[c] : 0;
    VN(step_products)(w->count, k, next, m, j - 1, row, 0);
    for (int64_t c = 0; c < m; c += VN(STEP)) {
        if (c + VN(STEP) < m)
            VN(step_products)(w->count, k, next, m, j - 1, row, c + VN(STEP));
        VN(scale)(k, c, vw, factor);
        for (int64_t i = c; i < c + VN(STEP); i += COLUMNS)
            VN(left_right_product)(k, j - 1, row, i, k->bv.x - (r - k->bv.shift - row) / WIDTH);
    }
}

/* B as hop (s,t) finds it, bv := B v. It has mm rows, perhaps none. */
static void VN(product_late)(WORK *k, int64_t j, int64_t r, int64_t mm)
{
    PADDED *bv = &k->bv;
    const int64_t m = k->v.m;
    const T *e = VN(at)(k->v.x) + k->v.shift;
    VN(place)(bv, r, mm);
    memset(bv->x - 1, 0,
           (size_t)(bv->count + 2) * sizeof(V)); /* rows before and after count for nothing */
    k->f[0] = 0;
    memcpy(k->f + 1, e, (size_t)(m - 1) * sizeof(T));
    memset(k->f + m, 0, (size_t)(k->left.v.m - m + VN(STEP))*sizeof(T));
    if (k->left.bv.m > 0)
        VN(pass_below)(k, j, r);
    if (mm == 0)
        return;
    const R *last = VN(column)(&k->band, r - bv->shift, j + m - 1);
    const V f = VN(all)(e[m - 1]);
    for (int64_t q = 0; q < bv->count; q++)
        bv->x[q] = VN(fma)(VN(load)(last + q * LANES), f, bv->x[q]);
    VN(trim)(bv, bv->x);
}

/* A as hop (s,t) finds it, w + dots := A v. */
static void VN(diagonal_product_late)(WORK *k, int64_t j)
{
    const int64_t top = j - k->v.shift, end = k->v.shift + k->v.m;
    const int64_t ahead = (top - (j - 1 - k->left.v.shift)) / WIDTH;
    const V *lv = k->left.v.x + ahead, *lw = k->left.w.x + ahead;
    VN(place)(&k->w, j, k->v.m);
    memset(k->w.x, 0, (size_t)k->v.count * sizeof(V));
    for (int64_t c = k->v.shift / VN(diagonal_columns) *VN(diagonal_columns); c < end;
         c += VN(diagonal_columns))
        VN(multiply_columns)(1, k->v.count, k, lv, lw, top, c / WIDTH, c % WIDTH);
}

/* Column 0 of A += v w' + w v'. */
static void VN(first_column)(const WORK *k, int64_t j)
{
    const PADDED v = k->v, w = k->w;
    R *p = VN(column)(&k->band, j - v.shift, j);
    const V w0 = VN(all)(VN(at)(w.x)[w.shift]);
    for (int64_t q = 0; q < v.count; q++) {
        const V x = VN(fma)(v.x[q], w0, VN(load)(p + q * LANES)) + w.x[q];
        VN(store)(p + q * LANES, q == 0 ? VN(keep_diagonal)(x, v.shift) : x);
    }
}

/* Hops t0 .. t1-1 of sweep s. Where sweep s+1 has no such hop the updates are not left to it. */
static void VN(sweep_late)(WORK *k, int64_t s, int64_t t0, int64_t t1, T *carry, T *packed)
{
    const orr_hb2st_shape *a = k->shape;
    const int64_t n = a->n, b = a->b, hops = orr_hb2st_hops(a, s);
    const int64_t leaves = s + 1 < a->sweeps ? orr_hb2st_hops(a, s + 1) : 0;
    T tau = VN(begin)(k, s, t0, carry, packed);
    for (int64_t t = t0; t < t1; t++) {
        const int64_t j = s + 1 + t * b, r = j + b, below = t + 1 < hops ? orr_least(b, n - r) : 0;
        T next_tau = 0;
        VN(find)(k, s, t);
        VN(product_late)(k, j, r, below);
        VN(diagonal_product_late)(k, j);
        VN(finish_w)(k, tau);
        if (t < leaves)
            VN(first_column)(k, j);
        else
            VN(diagonal_update)(k, j);
        if (below > 0)
            VN(reflect)(k, j, r, below, -tau, &next_tau);
        if (t < leaves)
            VN(leave)(k, j, t, tau, next_tau);
        else if (below > 0) {
            VN(from_right)(k, tau);
            VN(block_below)(k, j, r, tau, next_tau);
        }
        if (t + 1 == hops)
            return;
        VN(advance)(k, t + 1, next_tau, packed);
        tau = next_tau;
    }
    VN(end)(k, tau, carry);
}
