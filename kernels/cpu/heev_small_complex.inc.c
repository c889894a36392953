/* Reduction of a complex Hermitian matrix to a real tridiagonal one: a part of heev_small.inc.c, which has
 * the names. Real and imaginary parts stand apart, so that all arithmetic is that of vectors.
 *
 *   A = Q T Q',  Q = H_0 ... H_{n-3} D,  H = I - u u',  |u|^2 = 2,  D: phases that make T real
 *
 * A pass over A takes strips of rows, each from the left to its diagonal block, of which both triangles
 * stand. An entry left of that serves two sums: of y = A v in its row, kept in registers, and of y in the
 * row of its reflection, kept lane by lane and added up at the end.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#undef STRIP
#define STRIP 2 /* vectors of rows */

/* Rows of nv vectors from vector i on, columns from .. to-1: A -= u q' + q u', then sum += A v, and if
 * not NULL reflected[j] += A' v by lanes. */
LANES_INLINE void VN(columns)(const VN(small) *w, int64_t i, const int nv, int64_t from, int64_t to,
                              const VN(rows) *u, const VN(rows) *q, const VN(rows) *v, E *sum,
                              E *reflected)
{
    E us[STRIP], qs[STRIP], vs[STRIP];
    UNROLL for (int s = 0; s < nv; s++)
    {
        us[s] = VN(at)(u, i + s), qs[s] = VN(at)(q, i + s), vs[s] = VN(at)(v, i + s);
    }
    for (int64_t j = from; j < to; j++) {
        V *re = (V *)(w->A + 2 * j * w->ld) + i, *im = (V *)(w->A + (2 * j + 1) * w->ld) + i;
        const E uj = VN(spread)(u, j), qj = VN(spread)(q, j), vj = VN(spread)(v, j);
        E over = reflected ? reflected[j] : (E){VN(splat)(0), VN(splat)(0)};
        UNROLL for (int s = 0; s < nv; s++)
        {
            const E x = VN(msubc)(VN(msubc)((E){re[s], im[s]}, us[s], qj), qs[s], uj);
            re[s] = x.re, im[s] = x.im;
            sum[s] = VN(madd)(sum[s], x, vj), over = VN(maddc)(over, x, vs[s]);
        }
        if (reflected)
            reflected[j] = over;
    }
}

/* A strip of rows: nv vectors from vector i on, columns from `from` on. */
LANES_INLINE void VN(strip)(const VN(small) *w, int64_t i, const int nv, int64_t from,
                            const VN(rows) *u, const VN(rows) *q, const VN(rows) *v, VN(rows) *y,
                            E *reflected)
{
    const int64_t begin = i * LANES, end = begin + nv * LANES;
    const int64_t block = begin > from ? begin : from;
    E sum[STRIP];
    UNROLL for (int s = 0; s < nv; s++) sum[s] = (E){VN(splat)(0), VN(splat)(0)};
    VN(columns)(w, i, nv, from, block, u, q, v, sum, reflected);
    VN(columns)(w, i, nv, block, end < w->n ? end : w->n, u, q, v, sum, NULL);
    UNROLL for (int s = 0; s < nv; s++) y->re[i + s] = sum[s].re, y->im[i + s] = sum[s].im;
}

static void VN(reduce)(const VN(small) *w)
{
    const int64_t n = w->n, ld = w->ld, vectors = (n + LANES - 1) / LANES;
    VN(rows) buffer[4], *u = buffer, *q = buffer + 1, *v = buffer + 2, *y = buffer + 3;
    E reflected[NMAX];
    memset(buffer, 0, sizeof buffer);
    w->D[0] = 1, w->D[1] = 0;
    for (int64_t k = 0; k < n; k++) {
        V *re = (V *)(w->A + 2 * k * ld), *im = (V *)(w->A + (2 * k + 1) * ld);
        const E uk = VN(spread)(u, k), qk = VN(spread)(q, k);
        for (int64_t i = k / LANES; i < vectors; i++) {
            const E x = {re[i], im[i]}, ui = VN(at)(u, i), qi = VN(at)(q, i);
            const E now = VN(msubc)(VN(msubc)(x, ui, qk), qi, uk);
            re[i] = now.re, im[i] = now.im;
        }
        w->d[n - 1 - k] = ((R *)re)[k];
        if (k == n - 1)
            break;
        w->e[n - 2 - k] =
            VN(phased_reflector)(k, vectors, re, im, v, w->D + 2 * k, w->D + 2 * (k + 1));
        if (k == n - 2)
            continue;
        if (w->q.U)
            VN(keep)(v, n, w->q.U + 2 * k * n);
        const int64_t first = (k + 1) / LANES, strips = (vectors - 1) / STRIP * STRIP * LANES;
        memset(reflected + first * LANES, 0, sizeof(E) * (size_t)((vectors - first) * LANES));
        int64_t i = first;
        if (i % STRIP) {
            VN(strip)(w, i, 1, k + 1, u, q, v, y, reflected);
            i++;
        }
        for (; i + STRIP <= vectors; i += STRIP)
            VN(strip)(w, i, STRIP, k + 1, u, q, v, y, reflected);
        if (i < vectors)
            VN(strip)(w, i, 1, k + 1, u, q, v, y, reflected);
        for (int64_t j = first * LANES; j < strips; j += 2) {
            R s[4];
            LANE(sum4)
            (reflected[j].re, reflected[j].im, reflected[j + 1].re, reflected[j + 1].im, s);
            ((R *)y->re)[j] += s[0], ((R *)y->im)[j] += s[1];
            ((R *)y->re)[j + 1] += s[2], ((R *)y->im)[j + 1] += s[3];
        }
        const MASK below = VN(lane_numbers)() >= (MASK){0} + (LANE_INT)((k + 1) % LANES);
        y->re[first] = VN(select)(below, y->re[first], VN(splat)(0)); /* A has old numbers above */
        y->im[first] = VN(select)(below, y->im[first], VN(splat)(0));
        V dot = VN(splat)(0);
        for (i = first; i < vectors; i++)
            dot = VN(fma)(y->im[i], v->im[i], VN(fma)(y->re[i], v->re[i], dot));
        const V half = VN(splat)(VN(total)(dot) * (R)0.5);
        for (i = first; i < vectors; i++) { /* q = y - v (v'y) / 2; v'y = v'Av is real */
            y->re[i] = VN(fnma)(half, v->re[i], y->re[i]);
            y->im[i] = VN(fnma)(half, v->im[i], y->im[i]);
        }
        VN(rows) *t = u;
        u = v, v = t;
        t = q, q = y, y = t;
    }
}
