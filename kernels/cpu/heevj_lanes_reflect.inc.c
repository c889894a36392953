/* Tridiagonalisation of as many matrices as vectors have lanes: a part of heevj_lanes.inc.c, which has
 * the names.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* ---- Tridiagonalisation: A = Q T Q', Q = H_0 ... H_{n-3} D, H = I - u u' --------------------- */

/* Columns j to j+nb-1 of A from the diagonal down: A -= u q' + q u' (update), then y += A v. One
 * pass over A does the update of the last reflector and the product of the next. */
LANES_INLINE void VN(columns)(int64_t n, int64_t ld, E *A, int64_t j, const int nb, int update,
                              const E *u, const E *q, const E *v, E *y)
{
    E *col[2], uj[2], qj[2], vj[2], yj[2];
    UNROLL for (int b = 0; b < nb; b++)
    {
        col[b] = A + (j + b) * ld, vj[b] = v[j + b], yj[b] = y[j + b];
        if (update)
            uj[b] = u[j + b], qj[b] = q[j + b];
    }
    UNROLL for (int b = 0; b < nb; b++) UNROLL for (int i = b; i < nb; i++)
    {
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
        UNROLL for (int b = 0; b < nb; b++)
        {
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

static void VN(back)(VN(small) *w, int m, const int64_t *order, T *a, int64_t ld)
{
    const int64_t n = w->n;
    const E *A = w->A[m / LANES];
    R gamma[NMAX], *U = w->U;
    memset(U, 0, sizeof(R) * (size_t)(n * (n + 1) * PARTS));
    for (int64_t k = 0; k < n - 2; k++)
        for (int64_t i = (k + 1) * PARTS; i < n * PARTS; i++)
            U[k * n * PARTS + i] = OF(A, (k * w->ld * PARTS + i) * LANES + m % LANES);
    const VN(reflectors) q = {
        .n = n,
        .Z = w->Z,
        .U = U,
        .gamma = gamma,
        .zt = w->zt,
#if IS_COMPLEX
        .D = (const R *)w->D[m / LANES] + m % LANES,
        .apart = LANES
#endif
    };
    VN(reflect_all)(&q, order, a, ld);
}
