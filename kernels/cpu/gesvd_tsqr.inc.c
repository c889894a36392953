/* The body of gesvd_tsqr for one scalar type and one instruction set.
 *
 * Of the first n rows LAPACK finds Q_0 R. Then, block B by block of the other rows,
 *
 *     (R)      (R')             (I)   (I)'
 *     (B) =  Q (0 ),    Q = I - (V) S (V) ,   S upper triangular, V in the place of B
 *
 * since a reflector that clears a column of B has one entry of R above it: there is no triangle in V to
 * be spared. A few columns at a time are reduced one by one, in one pass for each: it applies a
 * reflector, and multiplies what comes out by the next column. The others get these reflectors
 * together. The other way, from E of n rows,
 *
 *     (E)      (E - S E )
 *   Q (0)  =   ( - V S E)
 *
 * from the last block to the first, whose rows are Q_0 E. Real and imaginary parts stand apart.
 *
 * Source: J. Demmel, L. Grigori, M. Hoemmen, J. Langou, Communication-optimal parallel and sequential QR
 * and LU factorizations, SIAM J. Sci. Comput. 34(1), A206-A239, 2012 (section 4: sequential TSQR).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lanes_rotation.inc.c"
#include "lanes_elements.inc.c"
#include "lanes_householder.inc.c"
#include "lanes_columns.inc.c"

#undef UNMQR
#if IS_COMPLEX
#define UNMQR LAPACK(unmqr_)
#else
#define UNMQR LAPACK(ormqr_)
#endif

/* ---- Reflectors ------------------------------------------------------------------------------ */

/* v := f x, x the first column of b; the `rest` columns b_j behind it -= v w_j; then d_j := b_1' b_j
 * of these. */
LANES_INLINE void VN(reflect)(const VN(columns) *b, const int rest, R f, const T *w, T *d)
{
    const int64_t ld = b->ld, step = PARTS * ld;
    const E scale = VN(spread)(f);
    R *x = b->at;
    E less[FEW], sum[FEW];
    UNROLL for (int c = 0; c < rest; c++)
    {
        less[c] = VN(spread)(-w[c]);
        sum[c] = (E){.re = VN(splat)(0)};
    }
    for (int64_t i = 0; i < b->vectors; i++) {
        const E v = VN(madd)((E){.re = VN(splat)(0)}, VN(get)(x, ld, i), scale);
        VN(put)(x, ld, i, v);
        if (rest == 0)
            continue;
        const E next = VN(madd)(VN(get)(x + step, ld, i), v, less[0]);
        VN(put)(x + step, ld, i, next);
        sum[0].re += VN(abs2)(next);
        UNROLL for (int c = 1; c < rest; c++)
        {
            R *y = x + (c + 1) * step;
            const E t = VN(madd)(VN(get)(y, ld, i), v, less[c]);
            VN(put)(y, ld, i, t);
            sum[c] = VN(maddc)(sum[c], next, t);
        }
    }
    UNROLL for (int c = 0; c < rest; c++) d[c] = VN(sum_of)(sum[c]);
}

/* Of the entry `alpha` of R, which LAPACK leaves real, above a column x of B with |x|^2 = square: what stays of it,
 * and f and tau of the reflector I - tau y y', y = (1, v)', v = f x. */
static R VN(choose)(R alpha, R square, R *f, R *tau)
{
    *f = 0, *tau = 0;
    if (!(square > TINY_COLUMN))
        return alpha;
    const R sign = alpha < 0 ? -1 : 1, top = sign * alpha;
    const R norm = SQRT(top * top + square);
    *f = sign / (top + norm);
    *tau = (top + norm) / norm;
    return -sign * norm;
}

/* Columns k .. k+count-1 of B and their rows of R within these columns. */
static void VN(panel)(const VN(columns) *b, int64_t k, int64_t count, const VN(columns) *r, R *tau)
{
    const VN(columns) x = VN(from)(b, k);
    T d[FEW], w[FEW];
    R f;
    const VN(columns) first = {(R *)d, 1, 0};
    VN(cross)(&x, 1, &x, count, &first);
    for (int64_t c = 0; c < count; c++) {
        const int64_t row = k + c, rest = count - 1 - c;
        VN(set_entry)
        (r, row, row, VN(choose)(REAL(VN(entry)(r, row, row)), REAL(d[0]), &f, &tau[c]));
        for (int64_t j = 0; j < rest; j++) {
            const T above = VN(entry)(r, row, row + 1 + j);
            w[j] = tau[c] * (above + f * d[j + 1]);
            VN(set_entry)(r, row, row + 1 + j, above - w[j]);
        }
        const VN(columns) here = VN(from)(&x, c);
#define REFLECT(n)                                                                                 \
    case n:                                                                                        \
        if (n < FEW)                                                                               \
            VN(reflect)(&here, n < FEW ? n : 0, f, w, d);                                          \
        break
        switch (rest) {
            REFLECT(7);
            REFLECT(6);
            REFLECT(5);
            REFLECT(4);
            REFLECT(3);
            REFLECT(2);
            REFLECT(1);
            REFLECT(0);
        }
#undef REFLECT
    }
}

/* Columns k .. k+count-1 of S, from V and, if `all`, with the rows above k; g, h: as large. */
static void VN(join)(const VN(columns) *v, int64_t k, int64_t count, const R *tau, int all,
                     const VN(columns) *s, const VN(columns) *g, const VN(columns) *h)
{
    const int64_t first = all ? 0 : k;
    const VN(columns) before = VN(from)(v, first), x = VN(from)(v, k), here = VN(from)(s, k);
    VN(cross)(&before, k + count - first, &x, count, g);
    VN(clear)(&here, count);
    for (int64_t j = 0; j < count; j++) {
        VN(set_entry)(&here, k + j, j, tau[j]);
        for (int64_t i = 0; i < j; i++) {
            T sum = 0;
            for (int64_t l = i; l < j; l++)
                sum += VN(entry)(&here, k + i, l) * VN(entry)(g, k - first + l, j);
            VN(set_entry)(&here, k + i, j, -tau[j] * sum);
        }
    }
    if (k == first)
        return;
    /* -S (V' V_here) S_here */
    VN(columns) top = here, into = *h;
    top.vectors = into.vectors = (k + LANES - 1) / LANES;
    const VN(columns) square = {here.at + k, here.ld, 0};
    VN(multiply)(1, g, count, &square, &into, count);
    VN(add)(-1, s, k, h, &top, count);
}

/* What a block and a triangle are worked on with. */
typedef struct {
    VN(columns) b, u;    /* blocks */
    VN(columns) r, s;    /* n x n */
    VN(columns) g, h, w; /* n x FEW; w: n x n */
    T *head, *work;
    int32_t lwork;
} VN(space);

/* B := V, R := R', S. */
static void VN(factor_block)(const VN(space) *x, int64_t n, int all)
{
    R tau[FEW];
    for (int64_t k = 0; k < n; k += FEW) {
        const int64_t count = orr_least(FEW, n - k), rest = n - k - count;
        const VN(columns) v = VN(from)(&x->b, k), others = VN(from)(&v, count);
        const VN(columns) square = {VN(column)(&x->s, k) + k, x->s.ld, 0};
        VN(panel)(&x->b, k, count, &x->r, tau);
        VN(join)(&x->b, k, count, tau, all, &x->s, &x->g, &x->h);
        /* w := S' (R + V' B);  R -= w;  B -= V w */
        VN(cross)(&v, count, &others, rest, &x->w);
        for (int64_t j = 0; j < rest; j++) {
            T y[FEW];
            for (int64_t i = 0; i < count; i++)
                y[i] = VN(entry)(&x->w, i, j) + VN(entry)(&x->r, k + i, k + count + j);
            for (int64_t i = 0; i < count; i++) {
                T sum = 0;
                for (int64_t l = 0; l <= i; l++)
                    sum += CONJ(VN(entry)(&square, l, i)) * y[l];
                VN(set_entry)(&x->w, i, j, sum);
                VN(set_entry)
                (&x->r, k + i, k + count + j, VN(entry)(&x->r, k + i, k + count + j) - sum);
            }
        }
        VN(add)(-1, &v, count, &x->w, &others, rest);
    }
}

/* U := -V S E, E -= S E; E is r. */
static void VN(apply_block)(const VN(space) *x, int64_t n)
{
    VN(multiply)(1, &x->s, n, &x->r, &x->w, n);
    for (int64_t i = 0; i < PARTS * n * x->r.ld; i++)
        x->r.at[i] -= x->w.at[i];
    VN(multiply)(-1, &x->b, n, &x->w, &x->u, n);
}

/* ---- Rows of the user's matrix --------------------------------------------------------------- */

/* Rows first .. first+rows-1, times scale, to b. */
static void VN(load)(const orr_tsqr_part *p, int64_t first, int64_t rows, R scale, VN(columns) *b)
{
    b->vectors = (rows + LANES - 1) / LANES;
    for (int64_t j = 0; j < p->n; j++)
        for (int part = 0; part < PARTS; part++)
            memset(VN(column)(b, j) + part * b->ld + rows, 0,
                   sizeof(R) * (size_t)(b->vectors * LANES - rows));
    const T *a = (const T *)p->a + first * (p->adjoint ? p->lda : 1);
    if (p->adjoint)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < p->n; j++)
                VN(set_entry)(b, i, j, CONJ(a[i * p->lda + j]) * scale);
    else
        for (int64_t j = 0; j < p->n; j++)
            for (int64_t i = 0; i < rows; i++)
                VN(set_entry)(b, i, j, a[j * p->lda + i] * scale);
}

/* n columns of so many rows to a matrix of the type. */
static void VN(deliver)(int64_t n, int64_t rows, const VN(columns) *b, T *a, int64_t lda)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < rows; i++)
            a[j * lda + i] = VN(entry)(b, i, j);
}

/* Back from there to the matrix. */
static void VN(store)(const orr_tsqr_part *p, int64_t first, int64_t rows, const VN(columns) *b)
{
    T *a = (T *)p->a + first * (p->adjoint ? p->lda : 1);
    if (p->adjoint)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < p->n; j++)
                a[i * p->lda + j] = CONJ(VN(entry)(b, i, j));
    else
        VN(deliver)(p->n, rows, b, a, p->lda);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static int64_t VN(lanes_of)(int64_t n) { return (n + LANES - 1) / LANES * LANES; }

/* Of the factors of a block, as R. */
static int64_t VN(block_size)(int64_t n) { return PARTS * n * VN(lanes_of)(n); }

/* First those of all blocks, then the reflectors of the first rows and their factors. */
static size_t VN(bytes)(const orr_tsqr_part *p)
{
    return sizeof(R) * (size_t)(blocks_of(p) * VN(block_size)(p->n)) +
           sizeof(T) * (size_t)(p->n * p->n + p->n);
}

/* From `memory` on, if it is not NULL; how many bytes. */
static size_t VN(lay_out)(const orr_tsqr_part *p, VN(space) *x, char *memory)
{
    const int64_t n = p->n, small = VN(lanes_of)(n);
    int64_t ld = VN(lanes_of)(block_rows(p));
    ld += ld / LANES % 2 ? 0 : LANES; /* columns do not share lines of the first cache */
    const struct {
        VN(columns) *of;
        int64_t ld, n;
    } part[] = {{&x->b, ld, n},    {&x->u, ld, n},      {&x->r, small, n},  {&x->s, small, n},
                {&x->w, small, n}, {&x->g, small, FEW}, {&x->h, small, FEW}};
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        *part[i].of = (VN(columns)){memory ? (R *)(void *)(memory + bytes) : NULL, part[i].ld,
                                    part[i].ld / LANES};
        bytes += sizeof(R) * (size_t)(PARTS * part[i].ld * part[i].n);
    }
    x->lwork = (int32_t)(32 * n);
    x->head = memory ? (T *)(void *)(memory + bytes) : NULL;
    bytes += sizeof(T) * (size_t)(n * n);
    x->work = memory ? (T *)(void *)(memory + bytes) : NULL;
    return bytes + sizeof(T) * (size_t)x->lwork;
}

static char *VN(begin)(const orr_tsqr_part *p, VN(space) *x)
{
    const size_t bytes = VN(lay_out)(p, x, NULL);
    char *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory)
        VN(lay_out)(p, x, memory);
    return memory;
}

/* ---- The two functions ----------------------------------------------------------------------- */

static orr_status VN(factor)(const orr_tsqr_part *p, void *s, void *r, int64_t ldr)
{
    VN(space) x;
    char *memory = VN(begin)(p, &x);
    if (!memory)
        return ORR_E_NOMEM;
    const int64_t n = p->n, size = VN(block_size)(n), rows = block_rows(p);
    const int32_t n_ = (int32_t)n;
    const R scale = (R)p->scale;
    R *factors = s;
    T *head = s ? (T *)(void *)((R *)s + blocks_of(p) * size) : x.head;
    T *tau = s ? head + n * n : (T *)x.w.at;
    int32_t info;
    VN(load)(p, 0, n, scale, &x.b);
    VN(deliver)(n, n, &x.b, head, n);
    LAPACK(geqrf_)(&n_, &n_, head, &n_, tau, x.work, &x.lwork, &info);
    VN(clear)(&x.r, n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i <= j; i++)
            VN(set_entry)(&x.r, i, j, head[j * n + i]);
    for (int64_t first = n; first < p->rows; first += rows) {
        const int64_t count = orr_least(rows, p->rows - first);
        if (s)
            x.s.at = factors, factors += size;
        VN(load)(p, first, count, scale, &x.b);
        VN(factor_block)(&x, n, s != NULL);
        if (s)
            VN(store)(p, first, count, &x.b);
    }
    VN(deliver)(n, n, &x.r, r, ldr);
    free(memory);
    return ORR_OK;
}

static orr_status VN(apply)(const orr_tsqr_part *p, const void *s, const void *e, int64_t lde,
                            void *u_, int64_t ldu)
{
    VN(space) x;
    char *memory = VN(begin)(p, &x);
    if (!memory)
        return ORR_E_NOMEM;
    const int64_t n = p->n, size = VN(block_size)(n), rows = block_rows(p), blocks = blocks_of(p);
    const int32_t n_ = (int32_t)n, ld_ = (int32_t)ldu;
    const T *head = (const T *)(const void *)((const R *)s + blocks * size);
    T *u = u_;
    int32_t info;
    VN(clear)(&x.r, n);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            VN(set_entry)(&x.r, i, j, ((const T *)e)[j * lde + i]);
    for (int64_t block = blocks - 1; block >= 0; block--) {
        const int64_t first = n + block * rows, count = orr_least(rows, p->rows - first);
        x.s.at = (R *)s + block * size;
        VN(load)(p, first, count, 1, &x.b);
        x.u.vectors = x.b.vectors;
        VN(apply_block)(&x, n);
        VN(deliver)(n, count, &x.u, u + first, ldu);
    }
    VN(deliver)(n, n, &x.r, u, ldu);
    UNMQR("L", "N", &n_, &n_, &n_, head, &n_, head + n * n, u, &ld_, x.work, &x.lwork, &info);
    free(memory);
    return ORR_OK;
}
