/* QL of as many tridiagonal matrices as vectors have lanes: a part of heevj_lanes.inc.c, which has
 * the names.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* ---- QL -------------------------------------------------------------------------------------- */

/* The first block of every lane that is not done. Returns 0 when no lane has any. */
static int VN(find_window)(int64_t n, const bits *small, VN(window) *w)
{
    w->first = n, w->last = 0;
    for (int m = 0; m < M; m++) {
        int64_t lo = next_bit(&small[m], ~(uint64_t)0, 0), hi = 0;
        if (lo < n)
            hi = next_bit(&small[m], 0, lo);
        else
            lo = 0;
        OF_INT(w->lo, m) = (LANE_INT)lo, OF_INT(w->hi, m) = (LANE_INT)hi;
        if (lo < hi) {
            w->first = lo < w->first ? lo : w->first;
            w->last = hi > w->last ? hi : w->last;
        }
    }
    return w->first < w->last;
}

/* Wilkinson's shift of every lane's block, and the diagonal entry at its end. */
LANES_INLINE void VN(wilkinson)(const VN(window) *w, VN(row) *d, VN(row) *e, int squares, V *shift,
                                V *end)
{
    VN(row) d0, d1, e0;
    for (int m = 0; m < M; m++) {
        const int64_t lo = OF_INT(w->lo, m), hi = OF_INT(w->hi, m), on = lo < hi;
        OF(d0, m) = OF(d[lo], m), OF(d1, m) = OF(d[on ? lo + 1 : lo], m);
        OF(e0, m) = on ? OF(e[lo], m) : 1, OF(end, m) = OF(d[hi], m);
    }
    UNROLL for (int k = 0; k < GROUPS; k++)
    {
        const V x = squares ? VN(root)(e0[k]) : e0[k], h = (d1[k] - d0[k]) / (x + x);
        shift[k] = d0[k] - x / (h + VN(with_sign)(VN(root)(VN(fma)(h, h, VN(splat)(1))), h));
    }
}

/* Squares: for values that are only shifts, an e is negligible if e^2 / gap is; a wrong guess of
 * the gap costs a sweep, not accuracy. */
LANES_INLINE V VN(negligible)(const VN(ql) *q, int k, int what, V d0, V d1)
{
    if (what == SHIFTS)
        return q->floor[k] * VN(fma)(VN(splat)((R)0.125), VN(magnitude)(d0 - d1), q->floor[k]);
    const V x = VN(fma)(VN(splat)(EPS / 2), VN(magnitude)(d0) + VN(magnitude)(d1), q->floor[k]);
    return what == VALUES ? x * x : x;
}

/* A sweep of all lanes: from the bottom of each block to its top. news: the e that became
 * negligible, a bit for each. */
LANES_INLINE void VN(ql_sweep)(VN(ql) *q, const VN(window) *w, VN(row) *d, VN(row) *e, int what,
                               const V *shift, V *g, V *p, V *s, MASK news[WORDS][GROUPS])
{
    const int rotate = what == ROTATIONS;
    V c[GROUPS], above[GROUPS];
    UNROLL for (int k = 0; k < GROUPS; k++)
    {
        g[k] -= shift[k], p[k] = rotate ? VN(splat)(0) : g[k] * g[k];
        s[k] = VN(splat)(rotate), c[k] = VN(splat)(1), above[k] = VN(splat)(0);
    }
    for (int64_t i = w->last - 1; i >= w->first; i--)
        UNROLL for (int k = 0; k < GROUPS; k++)
        {
            const LANE_INT at = (LANE_INT)i;
            const MASK on = (w->lo[k] <= at) & (w->hi[k] > at), inner = on & (w->hi[k] > at + 1);
            const V ei = e[i][k], di = d[i][k], d1 = d[i + 1][k];
            V dnew, enew, c1 = c[k], s1, p1, g1;
            if (rotate) {
                const V f = s[k] * ei, b = c[k] * ei, t = VN(fma)(f, f, g[k] * g[k]);
                const V r = VN(root)(t), inverse = 1 / r;
                const MASK nil = t < VN(splat)(TINY_PAIR);
                c1 = VN(select)(nil, VN(splat)(1), g[k] * inverse);
                s1 = VN(select)(nil, VN(splat)(0), f * inverse);
                const V h = d1 - p[k], z = VN(fma)(c1 + c1, b, (di - h) * s1);
                p1 = s1 * z, g1 = VN(fma)(c1, z, -b), dnew = h + p1, enew = r;
                VN(turn) *turn = &q->list[w->at + i];
                turn->c[k] = c1, turn->s[k] = s1;
            } else {
                const V p0 = VN(larger)(p[k], VN(splat)(LEAST_P)); /* 0: an exact shift */
                const V r = p0 + ei, inverse = 1 / r;
                s1 = ei * inverse;
                c1 = p0 * inverse;
                g1 = VN(fnma)(s1, g[k], c1 * (di - shift[k]));
                p1 = VN(select)(p0 > p[k], c[k] * ei, g1 * g1 * (r * (1 / p0)));
                dnew = g[k] + (di - g1), enew = s[k] * r;
            }
            d[i + 1][k] = dnew = VN(select)(on, dnew, d1);
            e[i + 1][k] = enew = VN(select)(inner, enew, e[i + 1][k]);
            const MASK nil = enew <= VN(negligible)(q, k, what, dnew, above[k]);
            const int bit = (int)(i + 1);
            const MASK one = (MASK){0} + (LANE_INT)((uint64_t)1 << bit % BITS_PER_WORD);
            news[bit / BITS_PER_WORD][k] |= inner & nil & one;
            above[k] = dnew;
            g[k] = VN(select)(on, g1, g[k]), p[k] = VN(select)(on, p1, p[k]);
            c[k] = VN(select)(on, c1, c[k]), s[k] = VN(select)(on, s1, s[k]);
        }
}

/* Returns the lanes that did not converge, a bit for each. The first shift of every block, if
 * rotations are kept, is the eigenvalue found there before; should it not be enough, Wilkinson's
 * follow. */
LANES_INLINE uint64_t VN(iterate)(VN(ql) *q, int64_t n, VN(row) *d, VN(row) *e, int what)
{
    int64_t tried[M];
    uint64_t failed = 0;
    for (int m = 0; m < M; m++)
        tried[m] = -1;
    for (int m = 0; m < M; m++)
        for (int i = 0; i < NMAX / 64; i++)
            q->small[m].word[i] = ~below(n - 1, i);
    UNROLL for (int k = 0; k < GROUPS; k++) for (int64_t i = 0; i < n - 1; i++)
    {
        const MASK nil = VN(magnitude)(e[i][k]) <= VN(negligible)(q, k, what, d[i][k], d[i + 1][k]);
        for (int m = 0; m < LANES; m++)
            q->small[k * LANES + m].word[i / 64] |= (uint64_t)(nil[m] & 1) << i % 64;
    }
    q->sweeps = 0;
    for (int64_t used = 0; VN(find_window)(n, q->small, q->sweep + q->sweeps); q->sweeps++) {
        VN(window) *w = q->sweep + q->sweeps;
        if (q->sweeps == SWEEPS - 1 || used + w->last - w->first > TURNS) {
            for (int m = 0; m < M; m++)
                failed |= (uint64_t)(OF_INT(w->lo, m) < OF_INT(w->hi, m)) << m;
            break;
        }
        w->at = used - w->first, used += w->last - w->first;
        V g[GROUPS], p[GROUPS], s[GROUPS], shift[GROUPS], d0[GROUPS], e0[GROUPS], above[GROUPS];
        MASK news[WORDS][GROUPS], nil[GROUPS];
        memset(news, 0, sizeof news);
        VN(wilkinson)(w, d, e, what != ROTATIONS, shift, g);
        for (int m = 0; what == ROTATIONS && m < M; m++)
            if (OF_INT(w->lo, m) < OF_INT(w->hi, m) && tried[m] != OF_INT(w->lo, m)) {
                tried[m] = OF_INT(w->lo, m);
                OF(shift, m) = OF(q->values[tried[m]], m);
            }
        VN(ql_sweep)(q, w, d, e, what, shift, g, p, s, news);
        for (int m = 0; m < M; m++) { /* the top of each block */
            const int64_t lo = OF_INT(w->lo, m), hi = OF_INT(w->hi, m);
            OF(d0, m) = what == ROTATIONS ? OF(d[lo], m) - OF(p, m) : OF(shift, m) + OF(g, m);
            OF(e0, m) = what == ROTATIONS ? OF(g, m) : OF(s, m) * OF(p, m);
            OF(above, m) = OF(d[lo < hi ? lo + 1 : lo], m);
            if (lo < hi)
                OF(d[lo], m) = OF(d0, m), OF(e[lo], m) = OF(e0, m);
        }
        UNROLL for (int k = 0; k < GROUPS; k++) nil[k] =
            VN(magnitude)(e0[k]) <= VN(negligible)(q, k, what, d0[k], above[k]);
        for (int m = 0; m < M; m++) { /* which e are negligible now */
            const int64_t lo = OF_INT(w->lo, m), hi = OF_INT(w->hi, m);
            uint64_t *small = q->small[m].word;
            for (int i = 0; 64 * i < n; i++)
                small[i] &= ~(below(hi, i) & ~below(lo, i));
            for (int i = 0; i * BITS_PER_WORD < n; i++) {
                const uint64_t word = (uint64_t)OF_INT(news[i], m), at = i * BITS_PER_WORD;
                small[at / 64] |= word << (64 - BITS_PER_WORD) >> (64 - BITS_PER_WORD) << at % 64;
            }
            small[lo / 64] |= lo < hi ? (uint64_t)(OF_INT(nil, m) & 1) << lo % 64 : 0;
        }
    }
    return failed;
}

static uint64_t VN(find_shifts)(VN(ql) *q, int64_t n)
{
    return VN(iterate)(q, n, q->values, q->e2, SHIFTS);
}

static uint64_t VN(find_values)(VN(ql) *q, int64_t n)
{
    return VN(iterate)(q, n, q->d, q->e2, VALUES);
}

static uint64_t VN(find_rotations)(VN(ql) *q, int64_t n)
{
    return VN(iterate)(q, n, q->d, q->e, ROTATIONS);
}

/* ---- Rotations of one matrix ------------------------------------------------------------------ */

/* The rotations of matrices m .. m + TOGETHER-1, which share the list's cache lines. */
static void VN(take_turns)(VN(small) *w, int m)
{
    const VN(ql) *q = w->q;
    int used[TOGETHER] = {0};
    for (int j = 0; j < TOGETHER; j++)
        w->turned[j].count = 0;
    for (int64_t k = 0; k < q->sweeps; k++)
        for (int j = 0; j < TOGETHER; j++) {
            const int lo = (int)OF_INT(q->sweep[k].lo, m + j);
            const int hi = (int)OF_INT(q->sweep[k].hi, m + j);
            const VN(turn) *from = q->list + q->sweep[k].at;
            VN(turn1) *to = w->list + j * TURNS + used[j] - lo;
            if (lo >= hi)
                continue;
            w->turned[j].sweep[w->turned[j].count++] = (turns){lo, hi, used[j] - lo};
            used[j] += hi - lo;
            for (int i = lo; i < hi; i++)
                to[i].c = OF(from[i].c, m + j), to[i].s = OF(from[i].s, m + j);
        }
}

static void VN(turn_all)(VN(small) *w, int m)
{
    const all_turns *turned = &w->turned[m % TOGETHER];
    VN(turn_identity)((int)w->n, turned->sweep, turned->count, w->list + m % TOGETHER * TURNS,
                      w->Z);
}
