/* Q Z for one matrix, columns across lanes; for one scalar type and one instruction set. After
 * lanes_turn.inc.c and lanes_transpose.inc.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#undef PARTS
#define PARTS (1 + IS_COMPLEX)

/* Q = H_0 ... H_{n-3} D, H = I - u u'. */
typedef struct {
    int64_t n;
    const R *Z; /* of turn_identity */
    R *U;       /* n rows and one, each a u with zeros before its first entry */
    R *gamma;   /* [n]; filled here */
    R *zt;      /* 2 LANES columns, aligned as a vector */
#if IS_COMPLEX
    const R *D; /* real and imaginary parts in turn, this many numbers from each to the next */
    int64_t apart;
#endif
} VN(reflectors);

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
            UNROLL for (int v = 0; v < nv; v++)
            {
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
        UNROLL for (int v = 0; v < nv; v++) w2[v] = n2[v],
                                            w1[v] =
                                                IS_COMPLEX ? n1[v] : VN(fnma)(mix, n2[v], n1[v]);
    }
}

/* Columns j .. of the result: from Z, in the order given, times D, through the reflectors. */
LANES_INLINE void VN(some_columns)(const VN(reflectors) *w, const int nv, int64_t j,
                                   const int64_t *order, T *a, int64_t ld)
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
        const V re = VN(splat)(w->D[2 * i * w->apart]);
        const V im = VN(splat)(w->D[(2 * i + 1) * w->apart]);
        V *x = (V *)(zt + i * width * PARTS);
        UNROLL for (int v = 0; v < nv; v++) x[v + nv] = x[v] * im, x[v] *= re;
    }
#endif
    VN(reflect)(n, nv, w->U, w->gamma, (V *)zt);
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

/* The result, its columns in the order given, into a. */
static void VN(reflect_all)(const VN(reflectors) *w, const int64_t *order, T *a, int64_t ld)
{
    const int64_t n = w->n;
    for (int64_t k = 0; k < n; k++)
        w->gamma[k] = 0;
    for (int64_t k = 0; k < n - 2 && !IS_COMPLEX; k += 2)
        for (int64_t i = k + 2; i < n; i++)
            w->gamma[k] += w->U[k * n + i] * w->U[k * n + n + i];
    for (int64_t j = 0; j < n;)
        if (n - j > LANES || LANES < 4) {
            VN(some_columns)(w, 2, j, order, a, ld);
            j += 2 * LANES;
        } else {
            VN(some_columns)(w, 1, j, order, a, ld);
            j += LANES;
        }
}
