/* Reduction of a real matrix to tridiagonal form: a part of heev_small.inc.c, which has the names. A
 * stands as a whole, both triangles, so that products need no sums across lanes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#undef STRIP
/* Vectors of rows that a pass keeps in registers: three of each, and sums. */
#define STRIP (LANE_BYTES == 64 ? 4 : 2)

/* nv vectors of rows from a on, columns from .. n-1: A -= u q' + q u', y := A v. */
LANES_INLINE void VN(strip)(int64_t ld, R *a, int64_t from, int64_t n, const int nv, const V *u,
                            const V *q, V *y, const R *u_all, const R *q_all, const R *v_all)
{
    V ui[STRIP], qi[STRIP], sum[STRIP];
    UNROLL for (int v = 0; v < nv; v++) ui[v] = u[v], qi[v] = q[v], sum[v] = VN(splat)(0);
    for (int64_t j = from; j < n; j++) {
        V *x = (V *)(a + j * ld);
        const V uj = VN(splat)(u_all[j]), qj = VN(splat)(q_all[j]), vj = VN(splat)(v_all[j]);
        UNROLL for (int v = 0; v < nv; v++)
        {
            const V t = VN(fnma)(ui[v], qj, VN(fnma)(qi[v], uj, x[v]));
            x[v] = t, sum[v] = VN(fma)(t, vj, sum[v]);
        }
    }
    UNROLL for (int v = 0; v < nv; v++) y[v] = sum[v];
}

static void VN(reduce)(const VN(small) *w)
{
    const int64_t n = w->n, ld = w->ld, vectors = (n + LANES - 1) / LANES;
    V buffer[4][NMAX / (LANE_BYTES / sizeof(R))];
    V *u = buffer[0], *q = buffer[1], *v = buffer[2], *y = buffer[3];
    memset(buffer, 0, sizeof buffer);
    for (int64_t k = 0; k < n; k++) {
        V *c = (V *)(w->A + k * ld);
        const V uk = VN(splat)(((R *)u)[k]), qk = VN(splat)(((R *)q)[k]);
        for (int64_t i = k / LANES; i < vectors; i++)
            c[i] = VN(fnma)(u[i], qk, VN(fnma)(q[i], uk, c[i]));
        w->d[n - 1 - k] = ((R *)c)[k];
        if (k == n - 2)
            w->e[0] = ((R *)c)[k + 1];
        if (k >= n - 2)
            continue;
        w->e[n - 2 - k] = VN(reflector)(k, vectors, c, v);
        if (w->q.U)
            memcpy(w->q.U + k * n, v, sizeof(R) * (size_t)n);
        const int64_t first = (k + 1) / LANES;
        int64_t i = first;
#define PASS(nv)                                                                                   \
    VN(strip)(ld, w->A + i * LANES, k + 1, n, nv, u + i, q + i, y + i, (R *)u, (R *)q, (R *)v)
        for (; i + STRIP <= vectors; i += STRIP)
            PASS(STRIP);
        if (STRIP == 4 && vectors - i == 3)
            PASS(3);
        else if (STRIP == 4 && vectors - i == 2)
            PASS(2);
        else if (vectors - i == 1)
            PASS(1);
#undef PASS
        const MASK below = VN(lane_numbers)() >= (MASK){0} + (LANE_INT)((k + 1) % LANES);
        y[first] = VN(select)(below, y[first], VN(splat)(0)); /* A has old numbers above */
        V dot = VN(splat)(0);
        for (i = first; i < vectors; i++)
            dot = VN(fma)(y[i], v[i], dot);
        const V half = VN(splat)(VN(total)(dot) * (R)0.5);
        for (i = first; i < vectors; i++)
            y[i] = VN(fnma)(half, v[i], y[i]); /* q = y - v (v'y) / 2 */
        V *t = u;
        u = v, v = t;
        t = q, q = y, y = t;
    }
}
