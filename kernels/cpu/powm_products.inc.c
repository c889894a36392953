/* Products of strips of rows, once per instruction set, type and kind of values; see
 * powm_spmv.h for the formats. Included with ISA, the type of as_?.h, and
 *
 *   KIND      full, narrow or pattern: part of the names
 *   VAL(val, k, xk)   the value of slot k times xk
 *
 * acc[i] := sum over row r0 + i, in double, without the common value of a pattern.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define PN_(name, kind)   VN(name##_##kind)
#define PN_OF(name, kind) PN_(name, kind)
#define PN(name)          PN_OF(name, KIND)

#if !IS_COMPLEX
/* sum += the eight values at val times x. */
static inline __attribute__((always_inline)) void PN(add8)(VN(sum8) *sum, const VTYPE *val,
                                                           const VN(x8) *x)
{
#if SLOT_VALUES
    V8 v;
    memcpy(&v, val, sizeof v);
    *sum += __builtin_convertvector(v, VN(sum8)) * __builtin_convertvector(*x, VN(sum8));
#else
    (void)val;
    *sum += __builtin_convertvector(*x, VN(sum8));
#endif
}
#endif

/* One row or piece of a row. Short ones gain nothing from lanes. */
static inline ACC PN(dot)(const int32_t *index, const VTYPE *val, const T *x, int64_t from,
                          int64_t to)
{
    ACC sum = 0;
    int64_t k = from;
    (void)val;
#if !IS_COMPLEX
    if (to - from >= 16) {
        VN(sum8) sums = {0};
        for (; k + 8 <= to; k += 8) {
            VN(x8) xs;
            __builtin_prefetch(index + k + 256, 0, 0); /* read once: not to push x out */
            if (SLOT_VALUES)
                __builtin_prefetch(val + k + 128, 0, 0);
            VN(gather)(x, index + k, &xs);
            PN(add8)(&sums, val + (SLOT_VALUES ? k : 0), &xs);
        }
        sum = VN(total)(&sums);
    }
#endif
    for (; k < to; k++)
        sum += VAL(val, k, x[index[k]]);
    return sum;
}

/* 32 rows side by side: slot s of lane l at s*stride + l. */
static inline __attribute__((always_inline)) void PN(lanes)(const int32_t *index, const VTYPE *val,
                                                            const T *x, int64_t slots,
                                                            int64_t stride,
                                                            ACC lane[ORR_POWM_SLICE])
{
    enum { C = ORR_POWM_SLICE };
    (void)val;
#if IS_COMPLEX
    for (int64_t l = 0; l < C; l++)
        lane[l] = 0;
    for (int64_t k = 0; k < slots * stride; k += stride)
        for (int64_t l = 0; l < C; l++)
            lane[l] += VAL(val, k + l, x[index[k + l]]);
#else
    VN(sum8) sum[C / 8] = {{0}};
    for (int64_t k = 0; k < slots * stride; k += stride) {
#pragma GCC unroll 4
        for (int64_t l = 0; l < C; l += 8) {
            VN(x8) xs;
            VN(gather)(x, index + k + l, &xs);
            PN(add8)(&sum[l / 8], val + (SLOT_VALUES ? k + l : 0), &xs);
        }
    }
    memcpy(lane, sum, sizeof sum);
#endif
}

/* The same where each slot is a piece of a diagonal: run[2s] is the column of lane 0, run[2s+1]
 * says which lanes there are. */
static inline __attribute__((always_inline)) void PN(diagonals)(const int32_t *run,
                                                                const VTYPE *val, const T *x,
                                                                int64_t slots,
                                                                ACC lane[ORR_POWM_SLICE])
{
    enum { C = ORR_POWM_SLICE };
    (void)val;
#if IS_COMPLEX
    for (int64_t l = 0; l < C; l++)
        lane[l] = 0;
    for (int64_t s = 0; s < slots; s++)
        for (int64_t l = 0; l < C; l++)
            if ((uint32_t)run[2 * s + 1] >> l & 1)
                lane[l] += VAL(val, s * C + l, x[run[2 * s] + l]);
#else
    VN(sum8) sum[C / 8] = {{0}};
    for (int64_t s = 0; s < slots; s++) {
        const uint32_t there = (uint32_t)run[2 * s + 1];
        T some[C];
        const T *from = x + run[2 * s];
        if (there != UINT32_MAX) {
            for (int64_t l = 0; l < C; l++)
                some[l] = there >> l & 1 ? x[run[2 * s] + l] : 0;
            from = some;
        }
#pragma GCC unroll 4
        for (int64_t l = 0; l < C; l += 8) {
            VN(x8) xs;
            memcpy(&xs, from + l, sizeof xs);
            PN(add8)(&sum[l / 8], val + (SLOT_VALUES ? s * C + l : 0), &xs);
        }
    }
    memcpy(lane, sum, sizeof sum);
#endif
}

static void PN(csr)(const orr_powm_block *b, const T *x, int64_t r0, int64_t r1, ACC *acc)
{
    const int32_t *ptr = ARRAY(b, ptr), *index = ARRAY(b, index);
    const VTYPE *val = ARRAY(b, val);
    for (int64_t r = r0; r < r1; r++)
        acc[r - r0] = PN(dot)(index, val, x, ptr[r], ptr[r + 1]);
}

/* Called for the whole block. Each piece has as many row ends plus entries as the others;
 * on one CPU they follow one another, and the carry of a piece's last row is added when the
 * row ends. */
static void PN(merge)(const orr_powm_block *b, const T *x, int64_t r0, int64_t r1, ACC *acc)
{
    const int32_t *ptr = ARRAY(b, ptr), *index = ARRAY(b, index), *piece = ARRAY(b, piece);
    const VTYPE *val = ARRAY(b, val);
    ACC carry = 0;
    (void)r0, (void)r1;
    for (int64_t p = 0; p < b->pieces; p++) {
        const int64_t last = piece[2 * p + 2], end = piece[2 * p + 3];
        int64_t k = piece[2 * p + 1];
        for (int64_t r = piece[2 * p]; r < last; r++) {
            acc[r] = carry + PN(dot)(index, val, x, k, ptr[r + 1]);
            carry = 0;
            k = ptr[r + 1];
        }
        carry += PN(dot)(index, val, x, k, end);
    }
}

static void PN(sell)(const orr_powm_block *b, const T *x, int64_t r0, int64_t r1, ACC *acc)
{
    enum { C = ORR_POWM_SLICE };
    const int32_t *ptr = ARRAY(b, ptr), *perm = ARRAY(b, perm), *at = ARRAY(b, at);
    const int32_t *index = ARRAY(b, index);
    const int64_t last = (r1 + C - 1) / C;
    for (int64_t c = r0 / C; c < last; c++) {
        const VTYPE *val = (const VTYPE *)ARRAY(b, val) + (SLOT_VALUES ? ptr[c] : 0);
        const int64_t slots = (ptr[c + 1] - ptr[c]) / C;
        ACC lane[C];
        if (at[c] < 0)
            PN(diagonals)(index + ~at[c], val, x, slots, lane);
        else
            PN(lanes)(index + at[c], val, x, slots, C, lane);
        for (int64_t l = 0; l < C; l++)
            if (perm[c * C + l] >= 0)
                acc[perm[c * C + l] - r0] = lane[l];
    }
    const int32_t *id = ARRAY(b, long_id), *long_ptr = ARRAY(b, long_ptr);
    for (int64_t i = 0; i < b->longs; i++)
        if (id[i] >= r0 && id[i] < r1)
            acc[id[i] - r0] =
                PN(dot)(ARRAY(b, long_index), ARRAY(b, long_val), x, long_ptr[i], long_ptr[i + 1]);
}

/* ---- Tiles --------------------------------------------------------------------------------- */

/* A row that has many entries in a tile; *val goes on behind them. */
static inline ACC PN(tile_row)(const uint16_t *column, const VTYPE **val, const T *x, int64_t n)
{
    ACC sum = 0;
    int64_t k = 0;
#if !IS_COMPLEX
    VN(sum8) sums = {0};
    for (; k + 8 <= n; k += 8) {
        VN(x8) xs;
        __builtin_prefetch(column + k + 512, 0, 0); /* read once: not to push x out */
        if (SLOT_VALUES)
            __builtin_prefetch(*val + k + 128, 0, 0);
        VN(gather16)(x, column + k, &xs);
        PN(add8)(&sums, *val + (SLOT_VALUES ? k : 0), &xs);
    }
    sum = VN(total)(&sums);
#endif
    for (; k < n; k++)
        sum += VAL(*val, k, x[column[k]]);
    if (SLOT_VALUES)
        *val += n;
    return sum;
}

/* A slice, from `code` on; returns what follows. */
static inline __attribute__((always_inline)) const uint16_t *
PN(tile_slice)(const uint16_t *code, const VTYPE **val, const T *x, ACC *acc)
{
    enum { L = ORR_POWM_LANES };
    const int64_t full = code[0], all = code[1];
    const uint16_t *row = code + 2;
    ACC lane[L] = {0};
    code += 2 + L;
#if IS_COMPLEX
    for (int64_t s = 0; s < full; s++, code += L, *val += SLOT_VALUES * L)
        for (int64_t l = 0; l < L; l++)
            lane[l] += VAL(*val, l, x[code[l]]);
#else
    VN(sum8) sums = {0};
    for (int64_t s = 0; s < full; s++, code += L, *val += SLOT_VALUES * L) {
        VN(x8) xs;
        VN(gather16)(x, code, &xs);
        PN(add8)(&sums, *val, &xs);
    }
    memcpy(lane, &sums, sizeof sums);
#endif
    for (int64_t s = full; s < all; s++, code += 1 + L, *val += SLOT_VALUES * L)
        for (int64_t l = 0; l < code[0]; l++)
            lane[l] += VAL(*val, l, x[code[1 + l]]);
    for (int64_t l = 0; l < L; l++)
        acc[row[l]] += lane[l];
    return code;
}

static void PN(tiles)(const orr_powm_block *b, const T *vx, int64_t r0, int64_t r1, ACC *acc)
{
    const int32_t *ptr = ARRAY(b, ptr);
    const orr_powm_tile *tile = ARRAY(b, piece);
    const uint16_t *words = ARRAY(b, index);
    const VTYPE *values = ARRAY(b, val);
    memset(acc, 0, (size_t)(r1 - r0) * sizeof *acc);
    for (int64_t i = ptr[r0 / b->strip]; i < ptr[r0 / b->strip + 1]; i++) {
        const orr_powm_tile *t = &tile[i];
        const T *x = vx + t->column;
        const uint16_t *code = words + t->code;
        const VTYPE *val = values + (SLOT_VALUES ? t->val : 0);
        for (int64_t k = 0; k < t->pairs; k++) {
            __builtin_prefetch(x + code[2 * (k + ORR_POWM_AHEAD) + 1]);
            acc[code[2 * k]] += VAL(val, k, x[code[2 * k + 1]]);
        }
        for (int64_t k = 0; k < t->longs; k++) {
            const int64_t n = code[1] + ((int64_t)code[2] << 16);
            acc[code[0]] += PN(tile_row)(code + 3, &val, x, n);
            code += 3 + n;
        }
        for (int64_t k = 0; k < t->slices; k++) {
            __builtin_prefetch(code + 512, 0, 0);
            __builtin_prefetch(code + 544, 0, 0);
            code = PN(tile_slice)(code, &val, x, acc);
        }
    }
}

/* Slots [0, width) of rows r .. r+n-1, a slice at a time so that the sums stay in registers. */
static inline __attribute__((always_inline)) void
PN(ell_slice)(const orr_powm_block *b, const T *x, int64_t r, int64_t n, int64_t width, ACC *acc)
{
    const int32_t *index = (const int32_t *)ARRAY(b, index) + r;
    const VTYPE *val = (const VTYPE *)ARRAY(b, val) + (SLOT_VALUES ? r : 0);
    ACC lane[ORR_POWM_SLICE] = {0};
    (void)val;
    if (n == ORR_POWM_SLICE) {
        PN(lanes)(index, val, x, width, b->rows, acc);
        return;
    }
    for (int64_t k = 0; k < width * b->rows; k += b->rows)
        SIMD_UNLESS_COMPLEX
    for (int64_t l = 0; l < n; l++)
        lane[l] += VAL(val, k + l, x[index[k + l]]);
    for (int64_t l = 0; l < n; l++)
        acc[l] = lane[l];
}

static void PN(gpu_ell)(const orr_powm_block *b, const T *x, int64_t r0, int64_t r1, ACC *acc)
{
    enum { C = ORR_POWM_SLICE };
    const int32_t *len = ARRAY(b, len);
    for (int64_t r = r0; r < r1; r += C) {
        const int64_t n = r + C < r1 ? C : r1 - r;
        int32_t width = 0; /* what is padding for all of these rows is not read */
        for (int64_t l = 0; l < n; l++)
            width = len[r + l] > width ? len[r + l] : width;
        if (n == C)
            PN(ell_slice)(b, x, r, C, width, acc + r - r0);
        else
            PN(ell_slice)(b, x, r, n, width, acc + r - r0);
    }
}

#if SLOT_VALUES
static void PN(ell)(const orr_powm_block *b, const T *x, int64_t r0, int64_t r1, ACC *acc)
{
    enum { C = ORR_POWM_SLICE };
    for (int64_t r = r0; r < r1; r += C) {
        if (r + C <= r1)
            PN(ell_slice)(b, x, r, C, b->width, acc + r - r0);
        else
            PN(ell_slice)(b, x, r, r1 - r, b->width, acc + r - r0);
    }
}

/* r0 is a multiple of bs (strips of BSR are). The size of the blocks is made a constant. */
static inline __attribute__((always_inline)) void
PN(bsr_rows)(const orr_powm_block *b, const T *x, int64_t r0, int64_t r1, ACC *acc, const int bs)
{
    const int32_t *ptr = ARRAY(b, ptr), *index = ARRAY(b, index);
    for (int64_t r = r0; r < r1; r += bs) {
        ACC sum[4] = {0};
        for (int64_t J = ptr[r / bs]; J < ptr[r / bs + 1]; J++) {
            const VTYPE *val = (const VTYPE *)ARRAY(b, val) + J * bs * bs;
            for (int i = 0; i < bs; i++)
                for (int j = 0; j < bs; j++)
                    sum[i] += VAL(val, i * bs + j, x[index[J] + j]);
        }
        for (int i = 0; i < bs && r + i < r1; i++)
            acc[r + i - r0] = sum[i];
    }
}

static void PN(bsr)(const orr_powm_block *b, const T *x, int64_t r0, int64_t r1, ACC *acc)
{
    switch (b->bs) {
    case 2: PN(bsr_rows)(b, x, r0, r1, acc, 2); break;
    case 3: PN(bsr_rows)(b, x, r0, r1, acc, 3); break;
    default: PN(bsr_rows)(b, x, r0, r1, acc, 4);
    }
}
#endif

#undef PN_
#undef PN_OF
#undef PN
#undef KIND
#undef VTYPE
#undef V8
#undef VAL
#undef SLOT_VALUES
