/* What a column of the shared reduction of heev takes but for its reflector, for one scalar type and one
 * instruction set; see heev_reduce.inc.c. Columns begin at multiples of 64 bytes and end with zeros at ld,
 * so that everything is whole vectors, from the one with the first row on.
 *
 * Complex entries stand as (re, im). A product of two is two of vectors: with one factor's real and with its
 * imaginary parts alone, or with the other factor as it is and turned, (im, re). What is turned, and signs,
 * are put right once for many products.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#undef V
#undef MASK
#undef PARTS
#undef ROWS
#undef K
#undef SOME
#define V     VN(entries)
#define MASK  VN(entry_mask)
#define PARTS (1 + IS_COMPLEX)
#define LANES ((int64_t)(LANE_BYTES / sizeof(R)))
#define ROWS  ((int64_t)(LANE_BYTES / sizeof(T)))
/* Columns of A at a time, as many sums as registers hold, and vectors of rows for two columns. */
#define K    ((LANE_BYTES == 64 ? 8 : 4) / PARTS)
#define SOME (LANE_BYTES == 64 ? 4 : 2)
typedef R V __attribute__((vector_size(LANE_BYTES)));
typedef LANE_INT MASK __attribute__((vector_size(LANE_BYTES)));

/* Sums of products of vectors: with numbers, or lane by lane. */
typedef struct {
    V whole[PARTS]; /* of complex ones: with real parts, or vectors as they are; and the others */
} VN(sums);

#if IS_COMPLEX
LANES_INLINE V VN(turned)(V x)
{
    MASK other;
    for (int l = 0; l < LANES; l++)
        other[l] = l ^ 1;
    return __builtin_shuffle(x, other);
}

LANES_INLINE V VN(minus_plus)(void)
{
    V sign;
    for (int l = 0; l < LANES; l++)
        sign[l] = l % 2 ? 1 : -1;
    return sign;
}
#endif

/* s += a x */
LANES_INLINE void VN(add_times)(VN(sums) *s, V a, T x)
{
    s->whole[0] = LANE(fma)(a, REAL(x) - (V){0}, s->whole[0]);
#if IS_COMPLEX
    s->whole[1] = LANE(fma)(a, IMAG(x) - (V){0}, s->whole[1]);
#endif
}

LANES_INLINE V VN(products)(VN(sums) s)
{
#if IS_COMPLEX
    return LANE(fma)(VN(minus_plus)(), VN(turned)(s.whole[1]), s.whole[0]);
#else
    return s.whole[0];
#endif
}

/* v as a factor of inner products, of which there are many. */
LANES_INLINE VN(sums) VN(factor)(V v)
{
    VN(sums) s = {{v}};
#if IS_COMPLEX
    s.whole[1] = VN(turned)(v);
#endif
    return s;
}

/* s += conj(a) v, lane by lane. */
LANES_INLINE void VN(add_inner)(VN(sums) *s, V a, VN(sums) v)
{
    UNROLL for (int p = 0; p < PARTS; p++) s->whole[p] = LANE(fma)(a, v.whole[p], s->whole[p]);
}

/* to[j] += inner product j of `count`, of which 4 / PARTS are added up at a time. */
LANES_INLINE void VN(add_up)(const int count, const VN(sums) *s, T *to)
{
    V x[4];
    R sum[4];
    UNROLL for (int j = 0; j < count; j += 4 / PARTS)
    {
        UNROLL for (int i = 0; i < 4 / PARTS; i++)
        {
            x[i * PARTS] = s[j + i].whole[0];
#if IS_COMPLEX
            x[2 * i + 1] = -VN(minus_plus)() * s[j + i].whole[1];
#endif
        }
        LANE(sum4)(x[0], x[1], x[2], x[3], sum);
        UNROLL for (int i = 0; i < 4; i++)((R *)(to + j))[i] += sum[i];
    }
}

/* ---- y += A v ------------------------------------------------------------------------------------- */

/* One vector of rows of K columns, of which those with a 0 in `below` do not count: y += A x, z += A' v. */
LANES_INLINE void VN(both)(const T *a, int64_t ld, const MASK *below, const T *x, const T *v, T *y,
                           VN(sums) *z)
{
    const VN(sums) vi = VN(factor)(*(const V *)v);
    VN(sums) yi = {{*(const V *)y}};
    UNROLL for (int j = 0; j < K; j++)
    {
        V aij = *(const V *)(a + j * ld);
        if (below)
            aij = (V)((MASK)aij & below[j]);
        VN(add_times)(&yi, aij, x[j]);
        VN(add_inner)(&z[j], aij, vi);
    }
    *(V *)y = VN(products)(yi);
}

/* The columns from .. to-1 of a lower triangle A and their reflection, each entry read once. v is 0 before
 * the first of them. */
static void VN(multiply)(int64_t ld, int64_t from, int64_t to, const T *A, const T *v, T *y)
{
    MASK row, below[K];
    for (int l = 0; l < LANES; l++)
        row[l] = (LANE_INT)(l / PARTS);
    for (int64_t c = from / K * K; c < to; c += K) {
        VN(sums) z[K] = {0};
        T x[K], sum[K] = {0};
        int64_t i = c / ROWS * ROWS;
        for (int j = 0; j < K; j++)
            x[j] = v[c + j];
        for (; i < c + K; i += ROWS) {
            for (int j = 0; j < K; j++)
                below[j] = row > (MASK){0} + (LANE_INT)(c + j - i);
            VN(both)(A + c * ld + i, ld, below, x, v + i, y + i, z);
        }
        for (; i < ld; i += ROWS)
            VN(both)(A + c * ld + i, ld, NULL, x, v + i, y + i, z);
        VN(add_up)(K, z, sum);
        for (int j = 0; j < K; j++)
            y[c + j] += REAL(A[(c + j) * (ld + 1)]) * x[j] + sum[j];
    }
}

/* ---- A column by those of its panel --------------------------------------------------------------- */

/* p := V' v and q := W' v, of the first i columns and some behind them. */
static void VN(inner)(int64_t ld, int64_t from, int64_t i, const T *V_, const T *W_, const T *v,
                      T *p, T *q)
{
    enum { H = K / 2 };
    for (int64_t c = 0; c < i; c += H) {
        VN(sums) s[2 * H] = {0};
        T sum[2 * H] = {0};
        for (int64_t k = from / ROWS * ROWS; k < ld; k += ROWS) {
            const VN(sums) vk = VN(factor)(*(const V *)(v + k));
            UNROLL for (int j = 0; j < H; j++)
            {
                VN(add_inner)(&s[j], *(const V *)(V_ + (c + j) * ld + k), vk);
                VN(add_inner)(&s[H + j], *(const V *)(W_ + (c + j) * ld + k), vk);
            }
        }
        VN(add_up)(2 * H, s, sum);
        for (int j = 0; j < H; j++)
            p[c + j] = sum[j], q[c + j] = sum[H + j];
    }
}

/* nv vectors of rows from k on: w := the sum of y's columns, minus V p[0] and W p[1]; next, if not NULL,
 * minus V p[2] and W p[3]; *dot += w' v by lanes. */
LANES_INLINE void VN(rows)(const int nv, int64_t ld, int64_t k, int64_t i, const T *V_, const T *W_,
                           T (*p)[PANEL], const T *y, T *w, T *next, const T *v, VN(sums) *dot)
{
    VN(sums) s[SOME][2] = {0};
    for (int64_t c = 0; c < i; c++) {
        UNROLL for (int a = 0; a < nv; a++)
        {
            const V vc = *(const V *)(V_ + c * ld + k + a * ROWS);
            const V wc = *(const V *)(W_ + c * ld + k + a * ROWS);
            UNROLL for (int to = 0; to < 2; to++)
            {
                VN(add_times)(&s[a][to], vc, p[2 * to][c]);
                VN(add_times)(&s[a][to], wc, p[2 * to + 1][c]);
            }
        }
    }
    UNROLL for (int a = 0; a < nv; a++)
    {
        const int64_t at = k + a * ROWS;
        const V *y0 = (const V *)(y + at), *y1 = (const V *)(y + ld + at),
                *y2 = (const V *)(y + 2 * ld + at), *y3 = (const V *)(y + 3 * ld + at);
        const V now = (*y0 + *y1) + (*y2 + *y3) - VN(products)(s[a][0]);
        *(V *)(w + at) = now;
        if (next)
            *(V *)(next + at) -= VN(products)(s[a][1]);
        VN(add_inner)(dot, now, VN(factor)(*(const V *)(v + at)));
    }
}

/* All rows; returns w' v. */
static T VN(subtract)(int64_t ld, int64_t from, int64_t i, const T *V_, const T *W_, T (*p)[PANEL],
                      const T *y, T *w, T *next, const T *v)
{
    VN(sums) dot[4 / PARTS] = {0};
    T sum[4 / PARTS] = {0};
    int64_t k = from / ROWS * ROWS;
    for (; k + SOME * ROWS <= ld; k += SOME * ROWS)
        VN(rows)(SOME, ld, k, i, V_, W_, p, y, w, next, v, dot);
    for (; k < ld; k += ROWS)
        VN(rows)(1, ld, k, i, V_, W_, p, y, w, next, v, dot);
    VN(add_up)(4 / PARTS, dot, sum);
    return sum[0];
}

/* w := tau w + factor v; next -= v w(from)' + w, where v(from) is 1. */
static void VN(finish)(int64_t ld, int64_t from, T tau, T factor, const T *v, T *w, T *next)
{
    const T first = CONJ(tau * w[from] + factor);
    for (int64_t k = from / ROWS * ROWS; k < ld; k += ROWS) {
        const V vk = *(const V *)(v + k);
        VN(sums) s = {0}, t = {0};
        VN(add_times)(&s, *(V *)(w + k), tau);
        VN(add_times)(&s, vk, factor);
        const V wk = VN(products)(s);
        *(V *)(w + k) = wk;
        VN(add_times)(&t, vk, first);
        if (next)
            *(V *)(next + k) -= VN(products)(t) + wk;
    }
    for (int64_t k = from / ROWS * ROWS; k < from; k++)
        w[k] = 0;
}

static const FN(columns) VN(columns) = {VN(multiply), VN(inner), VN(subtract), VN(finish)};
