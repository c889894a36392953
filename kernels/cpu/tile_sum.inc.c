/* Body of tile_sum.c for one scalar type and AVX-512; see tile_sum.h.
 *
 * P and a tile's V are strips of at most VECTORS vectors of columns, one strip behind the other: rows of
 * them, of complex numbers the real parts and then the imaginary ones.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lanes_transpose.inc.c"
#undef V
#undef LANES
#undef PARTS
#undef ROWS
#undef VECTORS
typedef R VN(vec) __attribute__((vector_size(LANE_BYTES)));
#define V     VN(vec)
#define LANES ((int64_t)(LANE_BYTES / sizeof(R)))
#define PARTS (1 + IS_COMPLEX)

/* Rows of P and vectors of each, as many as the registers hold. */
#define ROWS    (8 / PARTS)
#define VECTORS (4 - PARTS)

/* ---- Strips ---------------------------------------------------------------------------------- */

/* Columns of the strip that begins with column c: strips are as wide as each other, about. */
LANES_INLINE int64_t VN(strip)(const orr_tile_sum *s, int64_t c)
{
    const int64_t left = (s->width - c) / LANES, strips = (left + VECTORS - 1) / VECTORS;
    return (left + strips - 1) / strips * LANES;
}

/* Real rows of an array: a complex one is two. room: rows of `strips`. */
static void VN(turn_in)(const orr_tile_sum *s, int64_t rows, const T *x, int64_t ldx, int64_t room,
                        R *strips)
{
    for (int64_t c = 0, w; c < s->width; c += w) {
        w = VN(strip)(s, c);
        VN(rows_from_columns)(PARTS * rows, orr_least(w, s->w - c), (const R *)(x + c * ldx),
                              PARTS * ldx, strips + PARTS * c * room, w);
    }
}

static void VN(turn_out)(const orr_tile_sum *s, T *x, int64_t ldx)
{
    for (int64_t c = 0, w; c < s->width; c += w) {
        w = VN(strip)(s, c);
        VN(columns_from_rows)(PARTS * s->rows, orr_least(w, s->w - c),
                              (const R *)s->p + PARTS * c * s->rows, w, (R *)(x + c * ldx),
                              PARTS * ldx);
    }
}

/* P from and to its conjugate transpose, a column of which is a row of P. */
static void VN(rows_in)(const orr_tile_sum *s, const T *x, int64_t ldx)
{
    for (int64_t c = 0, w; c < s->width; c += w) {
        w = VN(strip)(s, c);
        const int64_t have = orr_least(w, s->w - c);
        R *p = (R *)s->p + PARTS * c * s->rows;
        for (int64_t r = 0; r < s->rows; r++, p += PARTS * w) {
            const T *y = x + c + r * ldx;
            for (int64_t j = 0; j < w; j++) {
                p[j] = j < have ? REAL(y[j]) : 0;
#if IS_COMPLEX
                p[w + j] = j < have ? -IMAG(y[j]) : 0;
#endif
            }
        }
    }
}

static void VN(rows_out)(const orr_tile_sum *s, T *x, int64_t ldx)
{
    for (int64_t c = 0, w; c < s->width; c += w) {
        w = VN(strip)(s, c);
        const int64_t have = orr_least(w, s->w - c);
        const R *p = (const R *)s->p + PARTS * c * s->rows;
        for (int64_t r = 0; r < s->rows; r++, p += PARTS * w) {
            R *y = (R *)(x + c + r * ldx);
            for (int64_t j = 0; j < have; j++) {
                y[PARTS * j] = p[j];
#if IS_COMPLEX
                y[PARTS * j + 1] = -p[w + j];
#endif
            }
        }
    }
}

/* ---- Sums ------------------------------------------------------------------------------------ */

/* p(r,:) += sum of op(A)(r,k) v(k,:) over k, of nr rows and nv vectors. `along` terms and `down` rows of
 * op(A) the entries of A are far from each other, as real numbers. */
LANES_INLINE void VN(some_rows)(const int nv, const int nr, const int adjoint, int64_t terms,
                                const R *a, int64_t ld, const R *v, R *p)
{
    const int64_t along = adjoint ? PARTS : ld, down = adjoint ? ld : PARTS;
    const R *a3 = a + 3 * down, *a6 = a + 6 * down;
    V sum[ROWS][PARTS * VECTORS];
    UNROLL for (int r = 0; r < nr; r++) UNROLL for (int i = 0; i < PARTS * nv; i++) sum[r][i] =
        *(const V *)(p + (r * PARTS * nv + i) * LANES);
    HIDE(a3);
    HIDE(a6);
    for (int64_t k = 0; k < terms; k++, a += along, a3 += along, a6 += along) {
        V x[PARTS * VECTORS];
        if (!adjoint) /* the last of the rows that come next: these may begin in the lines read here */
            __builtin_prefetch(a + 2 * ROWS * PARTS - 1);
        UNROLL for (int i = 0; i < PARTS * nv; i++, v += LANES)
        {
            x[i] = *(const V *)v;
            IN_REGISTER(x[i]);
        }
        UNROLL for (int r = 0; r < nr; r++)
        {
            const R *y = r < 3 ? a + r * down : r < 6 ? a3 + (r - 3) * down : a6 + (r - 6) * down;
            V re = y[0] - (V){0};
            IN_REGISTER(re);
            UNROLL for (int i = 0; i < PARTS * nv; i++) sum[r][i] = LANE(fma)(re, x[i], sum[r][i]);
#if IS_COMPLEX
            V im = y[1] - (V){0}; /* minus that if adjoint */
            IN_REGISTER(im);
            UNROLL for (int i = 0; i < nv; i++)
            {
                V *u = &sum[r][i], *w = &sum[r][nv + i];
                *u = adjoint ? LANE(fma)(im, x[nv + i], *u) : LANE(fnma)(im, x[nv + i], *u);
                *w = adjoint ? LANE(fnma)(im, x[i], *w) : LANE(fma)(im, x[i], *w);
            }
#endif
        }
    }
    UNROLL for (int r = 0; r < nr; r++) UNROLL for (int i = 0; i < PARTS * nv; i++) *
        (V *)(p + (r * PARTS * nv + i) * LANES) = sum[r][i];
}

/* nr rows of P from row r on, all strips; a: op(A) from there on, terms k .. k+terms-1. */
LANES_INLINE void VN(all_strips)(const orr_tile_sum *s, const int nr, const int adjoint, int64_t r,
                                 int64_t k, int64_t terms, const R *a, int64_t ld)
{
    for (int64_t c = 0, w; c < s->width; c += w) {
        w = VN(strip)(s, c);
        const R *v = (const R *)s->v + PARTS * (c * s->most + k * w);
        R *p = (R *)s->p + PARTS * (c * s->rows + r * w);
        if (w == VECTORS * LANES)
            VN(some_rows)(VECTORS, nr, adjoint, terms, a, ld, v, p);
        else if (w == 2 * LANES)
            VN(some_rows)(2, nr, adjoint, terms, a, ld, v, p);
        else
            VN(some_rows)(1, nr, adjoint, terms, a, ld, v, p);
    }
}

/* Rows from .. to-1 of P; a: op(A)(from, k). */
LANES_INLINE void VN(rows_of)(const orr_tile_sum *s, const int adjoint, int64_t from, int64_t to,
                              int64_t k, int64_t terms, const T *a_, int64_t lda)
{
    const R *a = (const R *)a_;
    const int64_t ld = PARTS * lda, down = adjoint ? ld : PARTS;
    int64_t r = from;
    for (; r + ROWS <= to; r += ROWS, a += ROWS * down) {
        for (int i = ROWS; adjoint && i < 2 * ROWS; i++) /* the columns that come next */
            for (int64_t t = 0; t < PARTS * terms; t += LINE / (int64_t)sizeof(R))
                __builtin_prefetch(a + i * ld + t);
        VN(all_strips)(s, ROWS, adjoint, r, k, terms, a, ld);
    }
    for (; r < to; r++, a += down)
        VN(all_strips)(s, 1, adjoint, r, k, terms, a, ld);
}

static void VN(rows_of_tile)(const orr_tile_sum *s, int64_t from, int64_t to, int64_t k,
                             int64_t terms, const T *a, int64_t lda)
{
    VN(rows_of)(s, 0, from, to, k, terms, a, lda);
}

static void VN(rows_of_adjoint)(const orr_tile_sum *s, int64_t from, int64_t to, int64_t k,
                                int64_t terms, const T *a, int64_t lda)
{
    VN(rows_of)(s, 1, from, to, k, terms, a, lda);
}

/* A Hermitian block of which there is the lower triangle, with both. */
LANES_INLINE void VN(fill_square)(int64_t n, const T *a, int64_t lda, T *square)
{
    for (int64_t c = 0; c < n; c++) {
        square[c * n + c] = REAL(a[c * lda + c]);
        for (int64_t r = c + 1; r < n; r++) {
            square[c * n + r] = a[c * lda + r];
            square[r * n + c] = CONJ(a[c * lda + r]);
        }
    }
}

void FN(orr_tile_sum_add)(const orr_tile_sum *s, enum orr_tile_form form, int64_t terms, const T *a,
                          int64_t lda, const T *v, int64_t ldv)
{
    VN(turn_in)(s, terms, v, ldv, s->most, s->v);
    for (int64_t k = 0, now; k < terms; k += now) {
        now = terms - k < s->block ? terms - k : s->block;
        if (form == ORR_TILE)
            VN(rows_of_tile)(s, 0, s->rows, k, now, a + k * lda, lda);
        else if (form == ORR_TILE_ADJOINT)
            VN(rows_of_adjoint)(s, 0, s->rows, k, now, a + k, lda);
        if (form != ORR_TILE_HERMITIAN)
            continue;
        const int64_t below = k + now;
        VN(fill_square)(now, a + k * (lda + 1), lda, s->square);
        VN(rows_of_adjoint)(s, 0, k, k, now, a + k, lda);
        VN(rows_of_tile)(s, k, below, k, now, s->square, now);
        VN(rows_of_tile)(s, below, s->rows, k, now, a + below + k * lda, lda);
    }
}

int FN(orr_tile_sum_begin)(orr_tile_sum *s, int64_t rows, int64_t w, int64_t most, int adjoint,
                           const T *p, int64_t ldp)
{
    enum { LEAST = 16 };
    const int64_t width = (w + LANES - 1) / LANES * LANES;
    const int64_t row = PARTS * width * (int64_t)sizeof(R), fit = FIRST_CACHE / row / LEAST * LEAST;
    *s = (orr_tile_sum){.rows = rows, .w = w, .width = width, .most = most, .adjoint = adjoint};
    s->block = fit < LEAST ? LEAST : fit < 8 * LEAST ? fit : 8 * LEAST;
    const int64_t square = s->block * s->block * (int64_t)sizeof(T);
    s->p = aligned_alloc(LINE, (size_t)((rows + most) * row + square + LINE - 1) / LINE * LINE);
    if (!s->p)
        return 0;
    s->v = (char *)s->p + rows * row;
    s->square = (char *)s->v + most * row;
    if (!p)
        memset(s->p, 0, (size_t)(rows * row));
    else if (adjoint)
        VN(rows_in)(s, p, ldp);
    else
        VN(turn_in)(s, rows, p, ldp, rows, s->p);
    return 1;
}

void FN(orr_tile_sum_end)(orr_tile_sum *s, T *p, int64_t ldp)
{
    if (s->adjoint)
        VN(rows_out)(s, p, ldp);
    else
        VN(turn_out)(s, p, ldp);
    free(s->p);
}
