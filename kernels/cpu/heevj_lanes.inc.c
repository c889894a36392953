/* Tridiagonalisation and QL on as many Hermitian matrices as GROUPS vectors have lanes; the body
 * for one scalar type and one instruction set.
 *
 *   tridiagonal   A = Q T Q' by Householder, a matrix per lane: no sums across lanes, no branches
 *   QL, values    the eigenvalues of T without roots (Pal, Walker, Kahan), a matrix per lane
 *   QL, rotations the first shift of every block is the eigenvalue found there before: half as
 *                 many rotations as with Wilkinson's shifts alone. Each lane rotates its own
 *                 block; they are kept in a list
 *   turn          per matrix, rows across lanes: Z := I times its rotations, two sweeps at a time
 *   reflect       per matrix, columns across lanes: Q Z, columns in the order of the values
 *
 * The first half works on (i,j) of LANES matrices as one vector (complex: two). T stands from the
 * bottom up, row i of T is n-1-i of A: graded matrices need fewer rotations. An entry e of T counts
 * as zero if |e| <= eps/2 (|d_i| + |d_i+1|) + 4 eps sqrt(|T|_F^2 / n).
 *
 * Sources: J. H. Wilkinson, C. Reinsch, Handbook for Automatic Computation II, 1971 (tred, tql);
 * B. N. Parlett, The Symmetric Eigenvalue Problem, 1980, section 8-15 (Pal, Walker, Kahan).
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#include "lanes_rotation.inc.c"
#include "lanes_transpose.inc.c"

#undef PARTS
#undef M
#undef NV
#undef ROWS
#undef PADDED
#undef IS_SINGLE
#undef OF
#undef OF_INT
#undef WORDS
#undef BITS_PER_WORD
#undef LEAST_FLOOR
#undef LEAST_P
#undef TINY_PAIR
#undef TINY_ENTRY
#undef TINY_COLUMN
#define PARTS        (1 + IS_COMPLEX)
#define IS_SINGLE    (sizeof(R) == sizeof(float))
#define M            (GROUPS * (int)LANES)
#define OF(x, m)     (((R *)(x))[m]) /* the number of matrix m in a row */
#define OF_INT(x, m) (((LANE_INT *)(x))[m])

/* Vectors of rows of Z that are turned together, and rows of Z with zeros below. */
#define NV        (LANES < 8 ? 4 : 2)
#define ROWS      (LANES < 4 ? 4 : LANES)
#define PADDED(n) (((n) + ROWS - 1) / ROWS * ROWS)

/* Squares of a column, of an entry, of a pair below these have lost digits; the matrix is of order
 * 1, or as large as a denormal one could be made. The least p of QL without roots is the last. */
#define TINY_COLUMN ((R)(IS_SINGLE ? 0x1p-80 : 0x1p-900))
#define TINY_ENTRY  ((R)(IS_SINGLE ? 0x1p-110 : 0x1p-960))
#define TINY_PAIR   ((R)(IS_SINGLE ? 0x1p-110 : 0x1p-960))
#define LEAST_P     ((R)(IS_SINGLE ? 0x1p-90 : 0x1p-600))
#define LEAST_FLOOR ((R)(IS_SINGLE ? 0x1p-45 : 0x1p-300))

/* Bits for the entries of e, in integers as wide as the numbers. */
#define BITS_PER_WORD ((int)(8 * sizeof(R)))
#define WORDS         (NMAX / BITS_PER_WORD)

typedef V VN(row)[GROUPS]; /* one number of each of M matrices */
typedef struct {
    VN(row) c, s;
} VN(turn); /* of columns i and i+1 */
typedef struct {
    MASK lo[GROUPS], hi[GROUPS];
    int64_t first, last, at;
} VN(window);

typedef struct {
    VN(row) d[NMAX], e[NMAX], values[NMAX], e2[NMAX];
    VN(row) floor;              /* an e below is zero */
    bits small[M];              /* bit i: e[i] is negligible; from n-1 on always */
    int64_t sweeps;
    VN(window) sweep[SWEEPS];   /* each lane rotates lo <= i < hi, by list[at + i]; lo = hi: idle */
    VN(turn) list[TURNS];
} VN(ql);

typedef struct {
    R c, s;
} VN(turn1);

/* For one chunk. */
typedef struct {
    int64_t n, ld;           /* of A: n + 1, columns in different sets of the cache */
    E *A[GROUPS];
    E (*D)[NMAX];            /* the phases that make e real */
    VN(ql) *q;
    VN(turn1) *list;         /* of TOGETHER matrices, TURNS each */
    all_turns *turned;       /* of each of them, by that list */
    R *Z, *U, *zt;           /* of one matrix; some columns */
    R scale[M];
} VN(small);

LANES_INLINE V VN(root)(V x) { return LANE(sqrt)(x); }
LANES_INLINE V VN(with_sign)(V x, V s) /* x >= 0 */
{
    return (V)((MASK)x | ((MASK)s & (MASK)VN(splat)((R)-0.0)));
}

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
    UNROLL for (int k = 0; k < GROUPS; k++) {
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
    UNROLL for (int k = 0; k < GROUPS; k++) {
        g[k] -= shift[k], p[k] = rotate ? VN(splat)(0) : g[k] * g[k];
        s[k] = VN(splat)(rotate), c[k] = VN(splat)(1), above[k] = VN(splat)(0);
    }
    for (int64_t i = w->last - 1; i >= w->first; i--)
        UNROLL for (int k = 0; k < GROUPS; k++) {
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
    UNROLL for (int k = 0; k < GROUPS; k++)
        for (int64_t i = 0; i < n - 1; i++) {
            const MASK nil =
                VN(magnitude)(e[i][k]) <= VN(negligible)(q, k, what, d[i][k], d[i + 1][k]);
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
        UNROLL for (int k = 0; k < GROUPS; k++)
            nil[k] = VN(magnitude)(e0[k]) <= VN(negligible)(q, k, what, d0[k], above[k]);
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

/* ---- Z := I times the rotations, for one matrix ---------------------------------------------- */

/* Rotations a, a-1, ..., b of one sweep on nv vectors of rows of Z; column i is at z + nv*i. */
LANES_INLINE void VN(one_sweep)(V *z, const int nv, const VN(turn1) *g, int a, int b)
{
    if (a < b)
        return;
    V x[NV], *p = z + nv * (a + 1);
    UNROLL for (int v = 0; v < nv; v++) x[v] = p[v];
    for (int i = a; i >= b; i--, p -= nv) {
        const V c = VN(splat)(g[i].c), s = VN(splat)(g[i].s);
        UNROLL for (int v = 0; v < nv; v++) {
            const V y = p[v - nv];
            p[v] = VN(fma)(c, x[v], s * y), x[v] = VN(fnma)(s, x[v], c * y);
        }
    }
    UNROLL for (int v = 0; v < nv; v++) p[v] = x[v];
}

/* Rotations a, ..., b of a sweep, and a+1, ..., b+1 of the next one right behind. */
LANES_INLINE void VN(two_sweeps)(V *z, const int nv, const VN(turn1) *g, const VN(turn1) *h, int a,
                                 int b)
{
    V x[NV], w[NV], *p = z + nv * (a + 1);
    UNROLL for (int v = 0; v < nv; v++) x[v] = p[v], w[v] = p[nv + v];
    for (int i = a; i >= b; i--, p -= nv) {
        const V c = VN(splat)(g[i].c), s = VN(splat)(g[i].s);
        const V c2 = VN(splat)(h[i + 1].c), s2 = VN(splat)(h[i + 1].s);
        UNROLL for (int v = 0; v < nv; v++) {
            const V y = p[v - nv], o = VN(fma)(c, x[v], s * y);
            x[v] = VN(fnma)(s, x[v], c * y);
            p[v + nv] = VN(fma)(c2, w[v], s2 * o), w[v] = VN(fnma)(s2, w[v], c2 * o);
        }
    }
    UNROLL for (int v = 0; v < nv; v++) p[v] = x[v], p[nv + v] = w[v];
}

/* nv vectors of rows of Z from row `first` on. Before sweep k row r has no entry right of r + k. */
LANES_INLINE void VN(turn_rows)(const turns *sweep, int sweeps, const VN(turn1) *list, int first,
                                const int nv, V *z)
{
    const int fill = first + nv * (int)LANES - 1;
    for (int k = 0; k < sweeps; k++) {
        const int lo = sweep[k].lo, end = sweep[k].hi - 1, s = end < fill + k ? end : fill + k;
        const VN(turn1) *g = list + sweep[k].at;
        if (k + 1 < sweeps) {
            const int lo2 = sweep[k + 1].lo, end2 = sweep[k + 1].hi - 1;
            const int s2 = end2 < fill + k + 1 ? end2 : fill + k + 1;
            const VN(turn1) *h = list + sweep[k + 1].at;
            const int a = s < s2 - 1 ? s : s2 - 1, b = lo > lo2 - 1 ? lo : lo2 - 1;
            if (a > b) {
                VN(one_sweep)(z, nv, g, s, a + 1);
                VN(one_sweep)(z, nv, h, s2, a + 2);
                VN(two_sweeps)(z, nv, g, h, a, b);
                VN(one_sweep)(z, nv, g, b - 1, lo);
                VN(one_sweep)(z, nv, h, b, lo2);
                k++;
                continue;
            }
        }
        VN(one_sweep)(z, nv, g, s, lo);
    }
}

/* Rows of the block of Z that begins with row `first`: (r, j) at Z[first*n + j*rows + r-first]. */
LANES_INLINE int VN(block_rows)(int64_t n, int first)
{
    const int64_t left = PADDED(n) - first;
    return (int)(left < NV * LANES ? left : NV * LANES);
}

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
    const int n = (int)w->n;
    const turns *sweep = w->turned[m % TOGETHER].sweep;
    const int sweeps = w->turned[m % TOGETHER].count;
    const VN(turn1) *list = w->list + m % TOGETHER * TURNS;
    memset(w->Z, 0, sizeof(R) * (size_t)(PADDED(n) * n));
    for (int first = 0, rows; first < n; first += rows) {
        R *z = w->Z + first * n;
        rows = VN(block_rows)(n, first);
        for (int i = first; i < first + rows && i < n; i++)
            z[i * rows + i - first] = 1;
        const int nv = rows / (int)LANES;
        if (nv == 1)
            VN(turn_rows)(sweep, sweeps, list, first, 1, (V *)z);
        else if (nv == 2)
            VN(turn_rows)(sweep, sweeps, list, first, 2, (V *)z);
        else if (nv == NV)
            VN(turn_rows)(sweep, sweeps, list, first, NV, (V *)z);
        else
            VN(turn_rows)(sweep, sweeps, list, first, NV - 1, (V *)z);
    }
}

/* ---- Tridiagonalisation: A = Q T Q', Q = H_0 ... H_{n-3} D, H = I - u u' --------------------- */

LANES_INLINE E VN(madd)(E x, E a, E b) /* x + a b */
{
    x.re = VN(fma)(a.re, b.re, x.re);
#if IS_COMPLEX
    x.re = VN(fnma)(a.im, b.im, x.re);
    x.im = VN(fma)(a.im, b.re, VN(fma)(a.re, b.im, x.im));
#endif
    return x;
}

LANES_INLINE E VN(maddc)(E x, E a, E b) /* x + conj(a) b */
{
    x.re = VN(fma)(a.re, b.re, x.re);
#if IS_COMPLEX
    x.re = VN(fma)(a.im, b.im, x.re);
    x.im = VN(fnma)(a.im, b.re, VN(fma)(a.re, b.im, x.im));
#endif
    return x;
}

LANES_INLINE E VN(msubc)(E x, E a, E b) /* x - a conj(b) */
{
    x.re = VN(fnma)(a.re, b.re, x.re);
#if IS_COMPLEX
    x.re = VN(fnma)(a.im, b.im, x.re);
    x.im = VN(fnma)(a.im, b.re, VN(fma)(a.re, b.im, x.im));
#endif
    return x;
}

LANES_INLINE E VN(times)(E x, V r)
{
    x.re *= r;
#if IS_COMPLEX
    x.im *= r;
#endif
    return x;
}

LANES_INLINE V VN(abs2)(E x)
{
#if IS_COMPLEX
    return VN(fma)(x.im, x.im, x.re * x.re);
#else
    return x.re * x.re;
#endif
}

/* Columns j to j+nb-1 of A from the diagonal down: A -= u q' + q u' (update), then y += A v. One
 * pass over A does the update of the last reflector and the product of the next. */
LANES_INLINE void VN(columns)(int64_t n, int64_t ld, E *A, int64_t j, const int nb, int update,
                              const E *u, const E *q, const E *v, E *y)
{
    E *col[2], uj[2], qj[2], vj[2], yj[2];
    UNROLL for (int b = 0; b < nb; b++) {
        col[b] = A + (j + b) * ld, vj[b] = v[j + b], yj[b] = y[j + b];
        if (update)
            uj[b] = u[j + b], qj[b] = q[j + b];
    }
    UNROLL for (int b = 0; b < nb; b++)
        UNROLL for (int i = b; i < nb; i++) {
            E *x = &col[b][j + i];
            if (update)
                *x = VN(msubc)(VN(msubc)(*x, uj[i], qj[b]), qj[i], uj[b]);
            if (i == b) {
                yj[b].re = VN(fma)(x->re, vj[b].re, yj[b].re);
#if IS_COMPLEX
                yj[b].im = VN(fma)(x->re, vj[b].im, yj[b].im);
#endif
            } else {
                yj[i] = VN(madd)(yj[i], *x, vj[b]);
                yj[b] = VN(maddc)(yj[b], *x, vj[i]);
            }
        }
    for (int64_t i = j + nb; i < n; i++) {
        E yi = y[i];
        UNROLL for (int b = 0; b < nb; b++) {
            E x = col[b][i];
            if (update)
                x = VN(msubc)(VN(msubc)(x, u[i], qj[b]), q[i], uj[b]);
            col[b][i] = x;
            yi = VN(madd)(yi, x, vj[b]);
            yj[b] = VN(maddc)(yj[b], x, v[i]);
        }
        y[i] = yi;
    }
    UNROLL for (int b = 0; b < nb; b++) y[j + b] = yj[b];
}

/* Column k of A below the diagonal, x, becomes u with (I - u u') x = -phase sigma e_1, |u|^2 = 2.
 * Returns the entry of T (complex: made real by D), and D[k+1]. u = 0, and the entry 0, where x
 * counts as zero. The last column has no reflector, only a phase. */
LANES_INLINE V VN(reflector)(int64_t n, int64_t k, E *c, E *D)
{
    const int last = k == n - 2;
    V sum = VN(splat)(0);
    for (int64_t i = k + 1; i < n; i++)
        sum += VN(abs2)(c[i]);
    const MASK some = sum > VN(splat)(TINY_COLUMN);
    const V zero = VN(splat)(0), one = VN(splat)(1), sigma = VN(select)(some, VN(root)(sum), zero);
    const V square = VN(abs2)(c[k + 1]);
    const MASK turned = some & (square > VN(splat)(TINY_ENTRY));
    const V a = VN(select)(turned, VN(root)(square), zero);
    const V scale = VN(select)(some, 1 / VN(root)(sigma * (sigma + a)), zero);
    E phase = {.re = one};
    V entry;
#if IS_COMPLEX
    const V inverse = 1 / VN(select)(turned, a, one);
    phase.re = VN(select)(turned, c[k + 1].re * inverse, one);
    phase.im = VN(select)(turned, c[k + 1].im * inverse, zero);
    D[k + 1] = VN(times)(VN(madd)((E){zero, zero}, D[k], phase), VN(splat)(last ? 1 : -1));
    entry = sigma;
#else
    (void)D;
    phase.re = VN(with_sign)(one, c[k + 1].re);
    entry = last ? VN(select)(some, c[k + 1].re, zero) : -phase.re * sigma;
#endif
    if (!last) {
        c[k + 1] = VN(times)(phase, (a + sigma) * scale);
        for (int64_t i = k + 2; i < n; i++)
            c[i] = VN(times)(c[i], scale);
    }
    return entry;
}

/* u_k replaces column k of A below the diagonal. d, e: of this group of lanes, GROUPS apart. */
static void VN(tridiagonal)(int64_t n, int64_t ld, E *A, V *d, V *e, E *D)
{
    enum { NB = 2 - IS_COMPLEX };
    E buffer[2][NMAX], *q = buffer[0], *y = buffer[1];
    D[0] = (E){.re = VN(splat)(1)};
    for (int64_t k = 0; k < n; k++) {
        E *c = A + k * ld;
        const E *u = k > 0 ? c - ld : c; /* of step k-1, with q; columns does the others */
        for (int64_t i = k; k > 0 && i < n && (i == k || k < n - 1); i++)
            if (k < n - 1)
                c[i] = VN(msubc)(VN(msubc)(c[i], u[i], q[k]), q[i], u[k]);
        d[(n - 1 - k) * GROUPS] = c[k].re;
        if (k == n - 1)
            break;
        e[(n - 2 - k) * GROUPS] = VN(reflector)(n, k, c, D);
        if (k == n - 2) {
            E *x = c + ld + k + 1;
            if (k > 0)
                *x = VN(msubc)(VN(msubc)(*x, u[k + 1], q[k + 1]), q[k + 1], u[k + 1]);
            continue;
        }
        memset(y + k + 1, 0, sizeof *y * (size_t)(n - k - 1));
        int64_t j = k + 1;
        for (; k == 0 && j < n; j++)
            VN(columns)(n, ld, A, j, 1, 0, u, q, c, y);
        for (; j + NB <= n; j += NB)
            VN(columns)(n, ld, A, j, NB, 1, u, q, c, y);
        for (; j < n; j++)
            VN(columns)(n, ld, A, j, 1, 1, u, q, c, y);
        V half = VN(splat)(0); /* q = y - u (u'y) / 2 */
        for (int64_t i = k + 1; i < n; i++) {
            half = VN(fnma)(c[i].re, y[i].re, half);
#if IS_COMPLEX
            half = VN(fnma)(c[i].im, y[i].im, half);
#endif
        }
        half *= (R)0.5;
        for (int64_t i = k + 1; i < n; i++) {
            y[i].re = VN(fma)(half, c[i].re, y[i].re);
#if IS_COMPLEX
            y[i].im = VN(fma)(half, c[i].im, y[i].im);
#endif
        }
        q = y, y = buffer[q == buffer[0]];
    }
}

/* ---- Q Z, for one matrix --------------------------------------------------------------------- */

/* nv vectors of columns of Z: Z := H_0 ... H_{n-3} Z. A pass over Z finishes some reflectors and
 * begins the next. U has zeros above. Real: two reflectors at once, gamma[k] = u_k' u_{k+1}. */
LANES_INLINE void VN(reflect)(int64_t n, const int nv, const R *U, const R *gamma, V *z)
{
    enum { S = 2 - IS_COMPLEX };
    V w1[2], w2[2], n1[2], n2[2]; /* of z: complex w1 + i w2, real two reflectors */
    UNROLL for (int v = 0; v < nv; v++) w1[v] = w2[v] = VN(splat)(0);
    for (int64_t k = IS_COMPLEX ? n - 2 : (n - 1) / 2 * 2; k >= 0; k -= S) {
        const R *u = U + k * n * PARTS, *t = k ? u - S * n * PARTS : u;
        UNROLL for (int v = 0; v < nv; v++) n1[v] = n2[v] = VN(splat)(0);
        for (int64_t i = k ? k - S + 1 : 1; i < n; i++) {
            V *x = z + nv * PARTS * i;
            const V a1 = VN(splat)(u[i * PARTS]), b1 = VN(splat)(t[i * PARTS]);
            const V a2 = VN(splat)(u[IS_COMPLEX ? 2 * i + 1 : n + i]);
            const V b2 = VN(splat)(t[IS_COMPLEX ? 2 * i + 1 : n + i]);
            UNROLL for (int v = 0; v < nv; v++) {
#if IS_COMPLEX
                const V re = VN(fma)(a2, w2[v], VN(fnma)(a1, w1[v], x[v]));
                const V im = VN(fnma)(a2, w1[v], VN(fnma)(a1, w2[v], x[v + nv]));
                x[v] = re, x[v + nv] = im;
                n1[v] = VN(fma)(b2, im, VN(fma)(b1, re, n1[v]));
                n2[v] = VN(fnma)(b2, re, VN(fma)(b1, im, n2[v]));
#else
                const V y = VN(fnma)(a2, w2[v], VN(fnma)(a1, w1[v], x[v]));
                x[v] = y;
                n1[v] = VN(fma)(b1, y, n1[v]), n2[v] = VN(fma)(b2, y, n2[v]);
#endif
            }
        }
        const V mix = VN(splat)(IS_COMPLEX || !k ? 0 : gamma[k - 2]);
        UNROLL for (int v = 0; v < nv; v++)
            w2[v] = n2[v], w1[v] = IS_COMPLEX ? n1[v] : VN(fnma)(mix, n2[v], n1[v]);
    }
}

/* Columns j .. of the result: from Z, in the order given, times D, through the reflectors. */
LANES_INLINE void VN(some_columns)(VN(small) *w, int m, const int nv, int64_t j,
                                   const int64_t *order, const R *gamma, T *a, int64_t ld)
{
    const int64_t n = w->n, width = nv * LANES, have = n - j < width ? n - j : width;
    R *zt = w->zt; /* n * PARTS rows, those of T's order from the bottom up */
    for (int first = 0, rows; first < n; first += rows) {
        rows = VN(block_rows)(n, first);
        const R *z = w->Z + first * n;
        for (int64_t c = 0; c < width; c += 4) {
            const R *x[4];
            for (int64_t i = 0; i < 4; i++) /* columns beyond the last one repeat it */
                x[i] = z + order[j + c + i < n ? j + c + i : n - 1] * rows;
            int64_t r = first;
            for (; r + 4 <= first + rows && r + 4 <= n; r += 4)
                VN(transpose)(x[0] + r - first, x[1] + r - first, x[2] + r - first,
                              x[3] + r - first, zt + (n - 1 - r) * width * PARTS + c,
                              -width * PARTS);
            for (; r < first + rows && r < n; r++)
                for (int64_t i = 0; i < 4; i++)
                    zt[(n - 1 - r) * width * PARTS + c + i] = x[i][r - first];
        }
    }
#if IS_COMPLEX
    for (int64_t i = 0; i < n; i++) {
        const E *D = &w->D[m / LANES][i];
        const V re = VN(splat)(OF(&D->re, m % LANES)), im = VN(splat)(OF(&D->im, m % LANES));
        V *x = (V *)(zt + i * width * PARTS);
        UNROLL for (int v = 0; v < nv; v++) x[v + nv] = x[v] * im, x[v] *= re;
    }
#else
    (void)m;
#endif
    VN(reflect)(n, nv, w->U, gamma, (V *)zt);
    int64_t c = 0;
    R *out = (R *)(a + j * ld);
    ld *= PARTS;
    for (; c + 4 <= have; c += 4) {
        int64_t r = 0;
        for (; r + 4 <= n * PARTS; r += 4) {
            const R *x = zt + r * width + c;
            VN(transpose)(x, x + width, x + 2 * width, x + 3 * width, out + c * ld + r, ld);
        }
        for (; r < n * PARTS; r++)
            for (int64_t i = c; i < c + 4; i++)
                out[i * ld + r] = zt[r * width + i];
    }
    for (; c < have; c++)
        for (int64_t r = 0; r < n * PARTS; r++)
            out[c * ld + r] = zt[r * width + c];
}

static void VN(back)(VN(small) *w, int m, const int64_t *order, T *a, int64_t ld)
{
    const int64_t n = w->n;
    const E *A = w->A[m / LANES];
    R gamma[NMAX] = {0}, *U = w->U;
    memset(U, 0, sizeof(R) * (size_t)(n * (n + 1) * PARTS));
    for (int64_t k = 0; k < n - 2; k++)
        for (int64_t i = (k + 1) * PARTS; i < n * PARTS; i++)
            U[k * n * PARTS + i] = OF(A, (k * w->ld * PARTS + i) * LANES + m % LANES);
    for (int64_t k = 0; k < n - 2 && !IS_COMPLEX; k += 2)
        for (int64_t i = k + 2; i < n; i++)
            gamma[k] += U[k * n + i] * U[k * n + n + i];
    for (int64_t j = 0; j < n;)
        if (n - j > LANES || LANES < 4) {
            VN(some_columns)(w, m, 2, j, order, gamma, a, ld);
            j += 2 * LANES;
        } else {
            VN(some_columns)(w, m, 1, j, order, gamma, a, ld);
            j += LANES;
        }
}

/* ---- A chunk --------------------------------------------------------------------------------- */

/* Scaled matrix k of the chunk becomes lane `lane` of A; zero if it is not finite. */
static R VN(gather)(const VN(small) *w, const orr_heevj_args *g, const T *a, E *A, int64_t lane,
                    orr_matrix_info *info)
{
    const FN(screened) s = FN(screen)(g, a);
    FN(info_start)(info, s, ORR_METHOD_LANES);
    info->off = NAN;
    for (int64_t j = 0; j < g->n; j++) {
        R *x = (R *)(A + j * w->ld) + lane;
        for (int64_t i = j; i < g->n; i++) {
            const T y = s.scale != 0 ? FN(lower_entry)(g, a, i, j) * s.scale : 0;
            x[i * PARTS * LANES] = REAL(y);
#if IS_COMPLEX
            x[(i * PARTS + 1) * LANES] = IMAG(y);
#endif
        }
    }
    return s.scale;
}

static void VN(scatter)(VN(small) *w, const orr_heevj_args *g, T *a, R *values, int m)
{
    const int64_t n = g->n;
    R d[NMAX];
    int64_t order[NMAX];
    if (w->scale[m] == 0) {
        FN(fill_nan)(g, a, values);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        d[i] = OF(w->q->d[i], m);
    FN(ascending)(n, d, order);
    for (int64_t i = 0; i < n; i++)
        values[i] = d[order[i]] * (1 / w->scale[m]) + (R)0;
    if (g->vectors) {
        VN(turn_all)(w, m);
        VN(back)(w, m, order, a, g->ld);
    }
}

/* At most M matrices, start to finish. */
static void VN(solve_group)(VN(small) *w, const orr_heevj_args *g, int64_t count, T *a, R *values,
                            orr_matrix_info *info)
{
    const int64_t n = g->n;
    VN(ql) *q = w->q;
    for (int k = 0; k < GROUPS; k++) {
        if (k * LANES >= count) { /* no matrix: T = 0 */
            for (int64_t i = 0; i < n; i++)
                q->d[i][k] = q->e[i][k] = q->e2[i][k] = VN(splat)(0);
            q->floor[k] = VN(splat)(LEAST_FLOOR);
            continue;
        }
        memset(w->A[k], 0, sizeof(E) * (size_t)(w->ld * n));
        for (int64_t lane = 0, m; lane < LANES && (m = k * LANES + lane) < count; lane++)
            w->scale[m] = VN(gather)(w, g, a + m * g->stride, w->A[k], lane, info + m);
        VN(tridiagonal)(n, w->ld, w->A[k], &q->d[0][k], &q->e[0][k], w->D[k]);
        V sum = q->d[n - 1][k] * q->d[n - 1][k];
        for (int64_t i = 0; i < n - 1; i++) {
            q->e2[i][k] = q->e[i][k] * q->e[i][k];
            sum += VN(fma)(q->d[i][k], q->d[i][k], q->e2[i][k] + q->e2[i][k]);
        }
        q->floor[k] = VN(larger)(4 * EPS * VN(root)(sum / (R)n), VN(splat)(LEAST_FLOOR));
    }
    uint64_t failed;
    if (g->vectors) {
        memcpy(q->values, q->d, sizeof *q->d * (size_t)n);
        VN(find_shifts)(q, n);
        failed = VN(find_rotations)(q, n);
    } else {
        failed = VN(find_values)(q, n);
    }
    for (int m = 0; m < count; m++) {
        if (g->vectors && m % TOGETHER == 0)
            VN(take_turns)(w, m);
        VN(scatter)(w, g, a + m * g->stride, values + m * g->ldw, m);
        if (w->scale[m] != 0 && failed >> m & 1)
            info[m].status = ORR_NOCONV;
    }
}

static orr_status VN(solve)(const orr_heevj_args *g, void *a_, void *w_, orr_matrix_info *info)
{
    const int64_t n = g->n;
    if (n == 0 || g->count == 0) {
        for (int64_t k = 0; k < g->count; k++) {
            FN(info_start)(info + k, (FN(screened)){1, 0}, ORR_METHOD_LANES);
            info[k].off = NAN;
        }
        return ORR_OK;
    }
    if (n > NMAX)
        return ORR_E_ARG;
    VN(small) w = {.n = n, .ld = n + 1};
    const size_t A = sizeof(E) * (size_t)(w.ld * n), D = sizeof(E) * GROUPS * NMAX;
    const size_t z = sizeof(R) * (size_t)(PADDED(n) * n), zt = 2 * sizeof(V) * PARTS * (size_t)n;
    const size_t u = sizeof(R) * (size_t)(n * (n + 1) * PARTS);
    const size_t list = sizeof *w.list * TURNS * TOGETHER, turned = sizeof *w.turned * TOGETHER;
    const size_t bytes = sizeof *w.q + GROUPS * A + D + z + zt + list + u + turned + 64;
    char *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!memory)
        return ORR_E_NOMEM;
    w.q = (VN(ql) *)memory; /* what is made of vectors first */
    w.D = (E(*)[NMAX])(w.q + 1);
    w.A[0] = (E *)(w.D + GROUPS);
    w.A[1] = w.A[0] + w.ld * n;
    w.zt = (R *)(w.A[1] + w.ld * n);
    w.Z = w.zt + zt / sizeof(R);
    w.list = (VN(turn1) *)(w.Z + z / sizeof(R));
    w.U = (R *)(w.list + TURNS * TOGETHER);
    w.turned = (all_turns *)(w.U + n * (n + 1) * PARTS);
    T *a = a_;
    R *values = w_;
    for (int64_t k = 0; k < g->count; k += M) {
        const int64_t count = g->count - k < M ? g->count - k : M;
        VN(solve_group)(&w, g, count, a + k * g->stride, values + k * g->ldw, info + k);
    }
    free(memory);
    return ORR_OK;
}
