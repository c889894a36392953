/* The product of consecutive reflectors I - tau v v', one row further down each, on columns of a
 * matrix E, for one scalar type and one instruction set. At most AT_ONCE of them, of `length` rows
 * (cut off at the last row), are a step. They are taken K at a time, H_0 H_1 .. = I + V S V':
 *
 *     1                     x := V' q        q: the rows of E that V has
 *     v    1                x := S x         S: K x K, upper triangular, with the sign
 *     v    v    1           q := q + V x
 *          v    v           (adjoint: S')
 *               v
 *
 * x, of NV vectors of columns, stays in registers from the first row to the last: a row is loaded
 * twice and stored once for K reflectors. The two triangles of the parallelogram are unrolled, so
 * that what is zero there is not computed. Without adjoint rows go from the last to the first: the
 * last of x is complete first, S needs it first, and the last rows need it first, so the three
 * parts overlap; and the next K reflectors, K rows higher, begin with what was written last. With
 * adjoint all is mirrored.
 *
 * Columns are copied to strips, one behind the other: rows of NV vectors (complex: the real parts,
 * then the imaginary ones), a window of rows that moves along E as steps do. Every column's sums
 * are in one order, whatever columns stand beside it. After multiply.inc.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#undef V
#undef LANES
#undef X
#undef PARTS
#undef K
#undef NV
#define V     VN(columns)
#define LANES ((int64_t)(LANE_BYTES / sizeof(R)))
#define PARTS (1 + IS_COMPLEX)
typedef R VN(columns) __attribute__((vector_size(LANE_BYTES)));
#include "lanes_transpose.inc.c"

/* Reflectors and vectors of columns: as many as the registers hold (32 with AVX-512, else 16). Eight
 * by three are 10 % faster than four by six (a Zen 4): half the stores. */
#define K  ((LANE_BYTES == 64 ? 8 : 4) / PARTS)
#define NV (IS_COMPLEX && LANE_BYTES < 64 ? 2 : 3)

/* The rows of V are K numbers each, V_ROWS(length) of them, S follows. */
#define V_ROWS(length) ((length) + K - 1)

typedef struct {
    int64_t n, length, k; /* rows of E, of a reflector; columns */
    int64_t lde;
    T *e;
    int64_t room;     /* rows in the strips */
    int64_t base;     /* the row of E that is the first of them */
    int64_t from, to; /* the rows that are there now */
    R *E, *V;         /* E: to be freed */
} VN(panel);

/* The columns of the strip that begins with column c: narrower ones where few are left. */
LANES_INLINE int64_t VN(width)(const VN(panel) *p, int64_t c)
{
    return (p->k - c > 2 * LANES ? NV : 2) * LANES;
}

/* Row r of E in the strip that begins with column c and has w of them. */
LANES_INLINE R *VN(strip_row)(const VN(panel) *p, int64_t c, int64_t w, int64_t r)
{
    return p->E + (c * p->room + (r - p->base) * w) * PARTS;
}

/* 0 without memory. */
static int VN(panel_open)(VN(panel) *p, int64_t n, int64_t length, int64_t k, T *e, int64_t lde)
{
    const int64_t columns = (k + NV * LANES - 1) / LANES * LANES;
    *p = (VN(panel)){.n = n, .length = length, .k = k, .lde = lde, .e = e};
    const int64_t window = AT_ONCE + length + (length > AHEAD ? length : AHEAD);
    p->room = window < n + K ? window : n + K; /* all of E, and the last reflectors' zeros */
    const int64_t blocks = AT_ONCE / K * (V_ROWS(length) + K) * K;
    const size_t bytes = (size_t)((columns * p->room + blocks) * PARTS) * sizeof(R);
    p->E = aligned_alloc(64, (bytes + 63) / 64 * 64);
    p->V = p->E + columns * p->room * PARTS;
    return p->E != NULL;
}

/* ---- Between E and strips ---------------------------------------------------------------- */

/* Rows from .. to-1 of E into the strips, or back. Real rows: a complex one is two. Rows below the
 * last one are zeros, and so are columns beyond the last one. */
static void VN(rows_in)(const VN(panel) *p, int64_t from, int64_t to)
{
    const int64_t r0 = PARTS * from, r1 = PARTS * (to < p->n ? to : p->n), ld = PARTS * p->lde;
    for (int64_t c = 0, w; c < p->k; c += w) {
        w = VN(width)(p, c);
        VN(rows_from_columns)(r1 - r0, p->k - c < w ? p->k - c : w,
                              (const R *)(p->e + c * p->lde) + r0, ld,
                              VN(strip_row)(p, c, w, 0) + r0 * w, w);
        if (to > p->n) {
            const int64_t below = from > p->n ? from : p->n;
            memset(VN(strip_row)(p, c, w, below), 0,
                   (size_t)((to - below) * w * PARTS) * sizeof(R));
        }
    }
}

static void VN(rows_out)(const VN(panel) *p, int64_t from, int64_t to)
{
    const int64_t r0 = PARTS * from, r1 = PARTS * (to < p->n ? to : p->n), ld = PARTS * p->lde;
    for (int64_t c = 0, w; c < p->k; c += w) {
        w = VN(width)(p, c);
        VN(columns_from_rows)(r1 - r0, p->k - c < w ? p->k - c : w,
                              VN(strip_row)(p, c, w, 0) + r0 * w, w, (R *)(p->e + c * p->lde) + r0,
                              ld);
    }
}

/* Rows from .. to-1 are in the strips, and those ahead for which there is room. */
static void VN(panel_move)(VN(panel) *p, int adjoint, int64_t from, int64_t to)
{
    to = to < p->n + K ? to : p->n + K;
    if (from >= p->from && to <= p->to)
        return;
    int64_t first = adjoint ? to - p->room : from, last = first + p->room;
    first = first < p->n + K - p->room ? first : p->n + K - p->room;
    first = first < 0 ? 0 : first;
    last = last < p->n ? last : to > p->n ? to : p->n;
    int64_t keep = first > p->from ? first : p->from, end = last < p->to ? last : p->to;
    if (keep >= end)
        keep = end = first; /* none of them stays */
    VN(rows_out)(p, p->from, keep < p->to ? keep : p->to);
    VN(rows_out)(p, end > p->from ? end : p->from, p->to);
    for (int64_t c = 0, w; c < p->k && keep < end; c += w) {
        w = VN(width)(p, c);
        R *x = VN(strip_row)(p, c, w, keep);
        memmove(x + (p->base - first) * w * PARTS, x,
                (size_t)((end - keep) * w * PARTS) * sizeof(R));
    }
    p->base = p->from = first;
    p->to = last;
    VN(rows_in)(p, first, keep);
    VN(rows_in)(p, end, last);
}

static void VN(panel_close)(VN(panel) *p)
{
    VN(rows_out)(p, p->from, p->to);
    free(p->E);
}

/* ---- Reflectors ------------------------------------------------------------------------------ */

/* I - tau v v', v of so many rows, the first one 1 and not read; rows = 0: I, and nothing else is read. */
typedef struct {
    const T *v;
    T tau;
    int64_t rows;
} VN(reflector);

typedef R VN(v_row) __attribute__((vector_size(K * PARTS * sizeof(R))));

/* dot[i][j] := V(:,j)' V(:,i), j < i */
LANES_INLINE void VN(inner_products)(int64_t rows, const R *v, T dot[K][K])
{
    VN(v_row) sum[K][PARTS];
    UNROLL for (int i = 1; i < K; i++) UNROLL for (int z = 0; z < PARTS; z++) sum[i][z] =
        (VN(v_row)){0};
    for (int64_t r = 0; r < rows; r++, v += K * PARTS) {
        const VN(v_row) x = *(const VN(v_row) *)v;
        UNROLL for (int i = 1; i < K; i++) UNROLL for (int z = 0; z < PARTS; z++) sum[i][z] +=
            v[i * PARTS + z] * x;
    }
    for (int i = 1; i < K; i++)
        for (int j = 0; j < i; j++)
#if IS_COMPLEX
            dot[i][j] = __builtin_complex(sum[i][0][2 * j] + sum[i][1][2 * j + 1],
                                          sum[i][1][2 * j] - sum[i][0][2 * j + 1]);
#else
            dot[i][j] = sum[i][0][j];
#endif
}

/* V of K reflectors, the first one in row 0. */
static void VN(make_V)(int64_t length, const VN(reflector) *x, T *to)
{
    const T *row[K]; /* reflector i, counted from row 0 of V */
    int64_t whole = V_ROWS(length);
    for (int64_t i = 0; i < K; i++) {
        row[i] = x[i].rows ? x[i].v - i : NULL;
        whole = x[i].rows + i < whole ? x[i].rows + i : whole;
    }
    for (int64_t r = 0; r < V_ROWS(length);) {
        T *y = to + r * K;
#if !IS_COMPLEX
        if (r >= K && r + 4 <= whole) {
            UNROLL for (int64_t i = 0; i < K; i += 4)
                VN(transpose)(row[i] + r, row[i + 1] + r, row[i + 2] + r, row[i + 3] + r, y + i, K);
            r += 4;
            continue;
        }
#endif
        if (r >= K && r < whole)
            UNROLL for (int64_t i = 0; i < K; i++) y[i] = row[i][r];
        else
            for (int64_t i = 0; i < K; i++)
                y[i] = r < i || r - i >= x[i].rows ? 0 : r == i ? 1 : row[i][r];
        r++;
    }
}

/* K reflectors, the first one in row 0, as V and S. Returns 0 if all of them are I. */
static int VN(combine)(int64_t length, VN(reflector) *x, R *V_)
{
    T *S = (T *)V_ + V_ROWS(length) * K, dot[K][K];
    int any = 0;
    for (int64_t i = 0; i < K; i++) {
        if (x[i].rows && x[i].tau == 0)
            x[i].rows = 0;
        any |= x[i].rows > 0;
    }
    if (!any)
        return 0;
    VN(make_V)(length, x, (T *)V_);
    VN(inner_products)(V_ROWS(length), V_, dot);
    /* S(:,i) = tau_i S V(:,0..i-1)' v_i,  S(i,i) = -tau_i */
    memset(S, 0, K * K * sizeof *S);
    for (int64_t i = 0; i < K; i++) {
        const T tau = x[i].rows ? x[i].tau : 0;
        for (int64_t p = 0; p < i; p++) {
            T sum = 0;
            for (int64_t q = p; q < i; q++)
                sum += FN(multiply)(S[p * K + q], dot[i][q]);
            S[p * K + i] = -FN(multiply)(tau, sum);
        }
        S[i * K + i] = -tau;
    }
    return 1;
}

/* ---- The product --------------------------------------------------------------------------- */

typedef struct {
    V part[PARTS];
} VN(number);
#define X VN(number)

LANES_INLINE V VN(broadcast)(const R *x) { return *x - (V){0}; }

/* A row of a strip, in registers: the compiler would make it an operand in memory of every
 * product. */
LANES_INLINE void VN(load_row)(const int nv, const R *q, X row[NV])
{
    UNROLL for (int c = 0; c < nv; c++) UNROLL for (int z = 0; z < PARTS; z++)
    {
        row[c].part[z] = *(const V *)(q + (z * nv + c) * LANES);
        IN_REGISTER(row[c].part[z]);
    }
}

/* x + s y, x + conj(s) y */
LANES_INLINE void VN(add)(const int nv, const R *s, const X *y, X *x)
{
    const V re = VN(broadcast)(s);
    UNROLL for (int c = 0; c < nv; c++) UNROLL for (int z = 0; z < PARTS; z++) x[c].part[z] =
        LANE(fma)(re, y[c].part[z], x[c].part[z]);
#if IS_COMPLEX
    const V im = VN(broadcast)(s + 1);
    UNROLL for (int c = 0; c < nv; c++)
    {
        x[c].part[0] = LANE(fnma)(im, y[c].part[1], x[c].part[0]);
        x[c].part[1] = LANE(fma)(im, y[c].part[0], x[c].part[1]);
    }
#endif
}

LANES_INLINE void VN(add_conj)(const int nv, const R *s, const X *y, X *x)
{
#if IS_COMPLEX
    const V re = VN(broadcast)(s), im = VN(broadcast)(s + 1);
    UNROLL for (int c = 0; c < nv; c++)
    {
        x[c].part[0] = LANE(fma)(re, y[c].part[0], x[c].part[0]);
        x[c].part[1] = LANE(fma)(re, y[c].part[1], x[c].part[1]);
    }
    UNROLL for (int c = 0; c < nv; c++)
    {
        x[c].part[0] = LANE(fma)(im, y[c].part[1], x[c].part[0]);
        x[c].part[1] = LANE(fnma)(im, y[c].part[0], x[c].part[1]);
    }
#else
    VN(add)(nv, s, y, x);
#endif
}

LANES_INLINE void VN(add_one)(const int nv, const X *y, X *x)
{
    UNROLL for (int c = 0; c < nv; c++) UNROLL for (int z = 0; z < PARTS; z++) x[c].part[z] +=
        y[c].part[z];
}

/* x_j += conj(V(r,j)) q(r), j = from .. to-1; one: the j whose V(r,j) is 1, or -1 */
LANES_INLINE void VN(gather)(const int nv, int from, int to, int one, const R *v, const R *q,
                             X x[K][NV])
{
    X row[NV];
    VN(load_row)(nv, q, row);
    UNROLL for (int j = from; j < to; j++)
    {
        if (j == one)
            VN(add_one)(nv, row, x[j]);
        else
            VN(add_conj)(nv, v + j * PARTS, row, x[j]);
    }
}

/* q(r) += V(r,j) x_j, the ones that are ready first, first */
LANES_INLINE void VN(scatter)(const int nv, int adjoint, int from, int to, int one, const R *v,
                              R *q, X x[K][NV])
{
    X row[NV];
    VN(load_row)(nv, q, row);
    UNROLL for (int i = from; i < to; i++)
    {
        const int j = adjoint ? i : from + to - 1 - i;
        if (j == one)
            VN(add_one)(nv, x[j], row);
        else
            VN(add)(nv, v + j * PARTS, x[j], row);
    }
    UNROLL for (int c = 0; c < nv; c++) UNROLL for (int z = 0; z < PARTS; z++) *
        (V *)(q + (z * nv + c) * LANES) = row[c].part[z];
}

/* x := S x, or S' x */
LANES_INLINE void VN(times_S)(const int nv, int adjoint, const R *S, X x[K][NV])
{
    UNROLL for (int i = 0; i < K; i++)
    {
        const int j = adjoint ? K - 1 - i : i; /* in place: x_j is not needed any more */
        const int from = adjoint ? 0 : j, to = adjoint ? j + 1 : K;
        X sum[NV];
        UNROLL for (int c = 0; c < nv; c++) UNROLL for (int z = 0; z < PARTS; z++) sum[c].part[z] =
            (V){0};
        UNROLL for (int p = from; p < to; p++)
        {
            if (adjoint)
                VN(add_conj)(nv, S + (p * K + j) * PARTS, x[p], sum);
            else
                VN(add)(nv, S + (j * K + p) * PARTS, x[p], sum);
        }
        UNROLL for (int c = 0; c < nv; c++) x[j][c] = sum[c];
    }
}

/* K reflectors on one strip, whose row of the first one is q. rows: those that E has, at most
 * V_ROWS(length); below them the strip and V have zeros. length >= K. */
LANES_INLINE void VN(block)(const int nv, int adjoint, int64_t length, int64_t rows, const R *v,
                            R *q)
{
    const int64_t vr = K * PARTS, qr = nv * LANES * PARTS; /* a row of V, of a strip */
    const int64_t full = rows < length ? rows : length;
    const R *S = v + V_ROWS(length) * vr, *vb = v + length * vr;
    R *qb = q + length * qr;
    X x[K][NV];
    UNROLL for (int j = 0; j < K; j++) UNROLL for (int c = 0; c < nv; c++)
        UNROLL for (int z = 0; z < PARTS; z++) x[j][c]
            .part[z] = (V){0};
    HIDE(v);
    HIDE(q);
    HIDE(vb);
    HIDE(qb); /* addresses are made anew, not kept */
    if (adjoint) {
        UNROLL for (int r = 0; r < K; r++) VN(gather)(nv, 0, r + 1, r, v + r * vr, q + r * qr, x);
        for (int64_t r = K; r < full; r++)
            VN(gather)(nv, 0, K, -1, v + r * vr, q + r * qr, x);
        if (rows > length)
            UNROLL for (int r = 0; r < K - 1; r++)
                VN(gather)(nv, r + 1, K, -1, vb + r * vr, qb + r * qr, x);
    } else {
        if (rows > length)
            UNROLL for (int r = K - 2; r >= 0; r--)
                VN(gather)(nv, r + 1, K, -1, vb + r * vr, qb + r * qr, x);
        for (int64_t r = full - 1; r >= K; r--)
            VN(gather)(nv, 0, K, -1, v + r * vr, q + r * qr, x);
        UNROLL for (int r = K - 1; r >= 0; r--)
            VN(gather)(nv, 0, r + 1, r, v + r * vr, q + r * qr, x);
    }
    VN(times_S)(nv, adjoint, S, x);
    HIDE(v);
    HIDE(q);
    HIDE(vb);
    HIDE(qb);
    if (adjoint) {
        UNROLL for (int r = 0; r < K; r++)
            VN(scatter)(nv, 1, 0, r + 1, r, v + r * vr, q + r * qr, x);
        for (int64_t r = K; r < full; r++)
            VN(scatter)(nv, 1, 0, K, -1, v + r * vr, q + r * qr, x);
        if (rows > length)
            UNROLL for (int r = 0; r < K - 1; r++)
                VN(scatter)(nv, 1, r + 1, K, -1, vb + r * vr, qb + r * qr, x);
    } else {
        if (rows > length)
            UNROLL for (int r = K - 2; r >= 0; r--)
                VN(scatter)(nv, 0, r + 1, K, -1, vb + r * vr, qb + r * qr, x);
        for (int64_t r = full - 1; r >= K; r--)
            VN(scatter)(nv, 0, 0, K, -1, v + r * vr, q + r * qr, x);
        UNROLL for (int r = K - 1; r >= 0; r--)
            VN(scatter)(nv, 0, 0, r + 1, r, v + r * vr, q + r * qr, x);
    }
}

typedef void VN(block_fn)(int64_t length, int64_t rows, const R *v, R *q);

static void VN(block_wide)(int64_t length, int64_t rows, const R *v, R *q)
{
    VN(block)(NV, 0, length, rows, v, q);
}

static void VN(block_narrow)(int64_t length, int64_t rows, const R *v, R *q)
{
    VN(block)(2, 0, length, rows, v, q);
}

static void VN(adjoint_wide)(int64_t length, int64_t rows, const R *v, R *q)
{
    VN(block)(NV, 1, length, rows, v, q);
}

static void VN(adjoint_narrow)(int64_t length, int64_t rows, const R *v, R *q)
{
    VN(block)(2, 1, length, rows, v, q);
}

/* What works on a strip of w columns. */
static VN(block_fn) *VN(block_of)(int64_t w, int adjoint)
{
    if (w == NV * LANES)
        return adjoint ? VN(adjoint_wide) : VN(block_wide);
    return adjoint ? VN(adjoint_narrow) : VN(block_narrow);
}

/* A step: reflector i = 0 .. count-1 in row `row` + i of E, which has all its rows; count <= AT_ONCE,
 * for which x has room. E := H_0 H_1 .. E, or the adjoint. The next step's reflectors are `ahead`
 * elements on; 0: not said. */
static void VN(panel_step)(VN(panel) *p, int adjoint, int64_t row, int64_t count, VN(reflector) *x,
                           int64_t ahead)
{
    const int64_t length = p->length, size = (V_ROWS(length) + K) * K * PARTS;
    const int64_t blocks = (count + K - 1) / K;
    int any[AT_ONCE / K];
    for (int64_t i = count; i < blocks * K; i++)
        x[i].rows = 0;
    for (int64_t j = 0; j < blocks; j++)
        any[j] = VN(combine)(length, x + j * K, p->V + j * size);
    for (int64_t i = 0; i < count; i++)
        for (int64_t r = 0; ahead && x[i].rows && r < length; r += 64 / (int64_t)sizeof(T))
            __builtin_prefetch(x[i].v + ahead + r, 0, 2);
    VN(panel_move)(p, adjoint, row, row + blocks * K + length - 1);
    for (int64_t c = 0, w; c < p->k; c += w) {
        w = VN(width)(p, c);
        VN(block_fn) *const block = VN(block_of)(w, adjoint);
        for (int64_t i = 0; i < blocks; i++) {
            const int64_t j = adjoint ? i : blocks - 1 - i, left = p->n - row - j * K;
            const int64_t rows = left < V_ROWS(length) ? left : V_ROWS(length);
            if (any[j])
                block(length, rows, p->V + j * size, VN(strip_row)(p, c, w, row + j * K));
        }
    }
}
