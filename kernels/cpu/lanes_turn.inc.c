/* Z := I times the rotations of QL, rows across lanes, two sweeps at a time; for one scalar type and
 * one instruction set. After lanes_rotation.inc.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#undef NV
#undef ROWS
#undef PADDED

/* Vectors of rows of Z that are turned together, and rows of Z with zeros below. */
#define NV        (LANES < 8 ? 4 : 2)
#define ROWS      (LANES < 4 ? 4 : LANES)
#define PADDED(n) (((n) + ROWS - 1) / ROWS * ROWS)

typedef struct {
    R c, s;
} VN(turn1); /* of columns i and i+1 */

/* Rotations a, a-1, ..., b of one sweep on nv vectors of rows of Z; column i is at z + nv*i. */
LANES_INLINE void VN(one_sweep)(V *z, const int nv, const VN(turn1) *g, int a, int b)
{
    if (a < b)
        return;
    V x[NV], *p = z + nv * (a + 1);
    UNROLL for (int v = 0; v < nv; v++) x[v] = p[v];
    for (int i = a; i >= b; i--, p -= nv) {
        const V c = VN(splat)(g[i].c), s = VN(splat)(g[i].s);
        UNROLL for (int v = 0; v < nv; v++)
        {
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
        UNROLL for (int v = 0; v < nv; v++)
        {
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

/* Z: PADDED(n) n numbers, in blocks of rows as block_rows has them. */
static void VN(turn_identity)(int n, const turns *sweep, int sweeps, const VN(turn1) *list, R *Z)
{
    memset(Z, 0, sizeof(R) * (size_t)(PADDED(n) * n));
    for (int first = 0, rows; first < n; first += rows) {
        R *z = Z + first * n;
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
