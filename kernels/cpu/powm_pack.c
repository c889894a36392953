/* Packing of a block of rows into one of the formats of powm_spmv.h.
 *
 * A block is planned first (sizes and offsets, from the row lengths alone) and written into
 * memory of exactly that size afterwards, so that the caller can compare formats before any
 * of them exists.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "kernels/powm_spmv.h"

enum { STRIP = 1024, MOST_PADDING = 64, MOST_BS = 4 };

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}
static int64_t length(const orr_powm_rows *r, int64_t i)
{
    return r->ptr[i + 1] - r->ptr[i];
}

static int64_t longest(const orr_powm_rows *r)
{
    int64_t most = 0;
    for (int64_t i = 0; i < r->rows; i++)
        most = length(r, i) > most ? length(r, i) : most;
    return most;
}

static size_t value_size(const orr_powm_block *b)
{
    static const size_t size[ORR_NTYPES] = {4, 8, 8, 16};
    return b->values == ORR_VALUES_PATTERN  ? 0
           : b->values == ORR_VALUES_NARROW ? size[b->type] / 2
                                            : size[b->type];
}

/* ---- Sorting the rows of a window by length, longest first, stable ------------------------- */

struct sorted {
    int64_t length;
    int32_t row;
};

static int longer_first(const void *a, const void *b)
{
    const struct sorted *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? 1 : -1;
    return x->row < y->row ? -1 : 1;
}

/* Lengths as sell sees them: long rows are elsewhere. */
static void sort_windows(const orr_powm_rows *r, int64_t long_row, int64_t window, struct sorted *s)
{
    for (int64_t i = 0; i < r->rows; i++) {
        int64_t n = length(r, i);
        s[i] = (struct sorted){long_row && n > long_row ? 0 : n, (int32_t)i};
    }
    for (int64_t i = 0; i < r->rows; i += window)
        qsort(s + i, (size_t)least(window, r->rows - i), sizeof *s, longer_first);
}

/* ---- BSR: which blocks a row of blocks has ------------------------------------------------- */

/* Lists the block columns of block row I in ascending order: the rows are merged. */
static int64_t block_columns(const orr_powm_rows *r, int bs, int64_t I, int32_t *out)
{
    int64_t at[MOST_BS], end[MOST_BS], found = 0;
    int rows = (int)least(bs, r->rows - I * bs);
    for (int i = 0; i < rows; i++) {
        at[i] = r->ptr[I * bs + i];
        end[i] = r->ptr[I * bs + i + 1];
    }
    for (;;) {
        int32_t next = INT32_MAX;
        for (int i = 0; i < rows; i++)
            if (at[i] < end[i] && r->index[at[i]] / bs < next)
                next = r->index[at[i]] / bs;
        if (next == INT32_MAX)
            return found;
        for (int i = 0; i < rows; i++)
            while (at[i] < end[i] && r->index[at[i]] / bs == next)
                at[i]++;
        if (out)
            out[found] = next * bs;
        found++;
    }
}

static int64_t count_blocks(const orr_powm_rows *r, int bs)
{
    int64_t total = 0;
    for (int64_t I = 0; I * bs < r->rows; I++)
        total += block_columns(r, bs, I, NULL);
    return total;
}

/* ---- Planning ------------------------------------------------------------------------------ */

static int64_t place(orr_powm_block *b, int64_t count, size_t size)
{
    int64_t at = b->bytes;
    b->bytes += (count * (int64_t)size + 63) / 64 * 64;
    return at;
}

static orr_status plan_sell(const orr_powm_rows *r, int64_t long_row, orr_powm_block *b)
{
    struct sorted *s = malloc((size_t)(r->rows + 1) * sizeof *s);
    if (!s)
        return ORR_E_NOMEM;
    int64_t long_entries = 0;
    sort_windows(r, long_row, b->strip, s);
    b->slices = (r->rows + ORR_POWM_SLICE - 1) / ORR_POWM_SLICE;
    for (int64_t c = 0; c < b->slices; c++)
        b->slots += ORR_POWM_SLICE * s[c * ORR_POWM_SLICE].length;
    for (int64_t i = 0; long_row && i < r->rows; i++)
        if (length(r, i) > long_row) {
            b->longs++;
            long_entries += length(r, i);
        }
    free(s);
    b->slots += long_entries;
    b->width = long_row; /* sell has no other use for it; packing needs it again */
    b->ptr = place(b, b->slices + 1, 4);
    b->perm = place(b, b->slices * ORR_POWM_SLICE, 4);
    b->long_id = place(b, b->longs, 4);
    b->long_ptr = place(b, b->longs + 1, 4);
    return ORR_OK;
}

/* Windows are whole slices. */
static int64_t window_rows(const orr_powm_rows *r, int64_t window)
{
    int64_t rows = window > 0 ? least(window, r->rows) : STRIP;
    return (rows > 0 ? rows + ORR_POWM_SLICE - 1 : ORR_POWM_SLICE) / ORR_POWM_SLICE *
           ORR_POWM_SLICE;
}

orr_status orr_powm_plan(const orr_powm_rows *r, orr_type type, const orr_powm_form *form,
                         orr_powm_block *b)
{
    const orr_format format = form->format;
    int values = form->values;
    int64_t nnz = r->rows ? r->ptr[r->rows] - r->ptr[0] : 0;
    orr_status st = ORR_OK;
    int dense = format == ORR_FORMAT_ELL || format == ORR_FORMAT_BSR; /* padding by value 0 */
    if (values == ORR_VALUES_PATTERN && dense)
        values = (double)(float)r->value == r->value ? ORR_VALUES_NARROW : ORR_VALUES_FULL;
    if (values == ORR_VALUES_NARROW && (type == ORR_S || type == ORR_C))
        values = ORR_VALUES_FULL;
    *b = (orr_powm_block){.bytes = (sizeof *b + 63) / 64 * 64,
                          .first = r->first,
                          .rows = r->rows,
                          .cols = r->cols,
                          .nnz = nnz,
                          .strip = STRIP,
                          .type = (int32_t)type,
                          .format = (int32_t)format,
                          .values = values,
                          .value = r->value};
    switch (format) {
    case ORR_FORMAT_CSR:
    case ORR_FORMAT_MERGE:
        b->slots = nnz;
        b->ptr = place(b, r->rows + 1, 4);
        if (format == ORR_FORMAT_MERGE) {
            b->strip = r->rows > STRIP ? r->rows : STRIP; /* pieces do not end with rows */
            b->pieces = (r->rows + nnz + ORR_POWM_PIECE - 1) / ORR_POWM_PIECE;
            b->piece = place(b, 2 * (b->pieces + 1), 4);
        }
        break;
    case ORR_FORMAT_ELL:
    case ORR_FORMAT_GPU_ELL:
        b->width = longest(r);
        b->slots = b->width * r->rows;
        if (format == ORR_FORMAT_GPU_ELL)
            b->len = place(b, r->rows, 4);
        break;
    case ORR_FORMAT_SELL:
        b->strip = window_rows(r, form->window);
        st = plan_sell(r, form->long_row, b);
        break;
    case ORR_FORMAT_BSR: {
        int64_t best = INT64_MAX, blocks = 0;
        for (int bs = 2; bs <= MOST_BS; bs++) {
            int64_t n = count_blocks(r, bs), bytes = n * (bs * bs * (int64_t)value_size(b) + 4);
            if (bytes < best) {
                best = bytes;
                blocks = n;
                b->bs = bs;
            }
        }
        b->slots = blocks * b->bs * b->bs;
        b->strip = STRIP / 12 * 12; /* no block of rows across a strip */
        b->ptr = place(b, (r->rows + b->bs - 1) / b->bs + 1, 4);
        break;
    }
    default:
        return ORR_E_ARG;
    }
    if (st != ORR_OK)
        return st;
    if (b->slots >= INT32_MAX || (b->slots > 1 << 20 && b->slots > MOST_PADDING * nnz))
        return ORR_E_NOMEM;
    b->index = place(b, format == ORR_FORMAT_BSR ? b->slots / (b->bs * b->bs) : b->slots, 4);
    b->val = place(b, b->slots, value_size(b));
    return ORR_OK;
}

/* ---- Writing ------------------------------------------------------------------------------- */

struct writer {
    const orr_powm_rows *r;
    const orr_powm_block *b;
    int32_t *index;
    void *val;
};

/* Slot `to` of the block := entry k of the rows. */
static void put_value(const struct writer *w, int64_t to, int64_t k)
{
    const orr_powm_rows *r = w->r;
    double re = r->val ? r->val[r->complex_values ? 2 * k : k] : r->value;
    double im = r->val && r->complex_values ? r->val[2 * k + 1] : 0;
    int narrow = w->b->values == ORR_VALUES_NARROW;
    if (w->b->values == ORR_VALUES_PATTERN)
        return;
    switch (w->b->type) {
    case ORR_S:
        ((float *)w->val)[to] = (float)re;
        break;
    case ORR_D:
        if (narrow)
            ((float *)w->val)[to] = (float)re;
        else
            ((double *)w->val)[to] = re;
        break;
    default:
        if (w->b->type == ORR_C || narrow) {
            ((float *)w->val)[2 * to] = (float)re;
            ((float *)w->val)[2 * to + 1] = (float)im;
        } else {
            ((double *)w->val)[2 * to] = re;
            ((double *)w->val)[2 * to + 1] = im;
        }
    }
}

static void put(const struct writer *w, int64_t to, int64_t k)
{
    w->index[to] = w->r->index[k];
    put_value(w, to, k);
}

static void zero_values(const struct writer *w, int64_t from, int64_t count)
{
    size_t size = value_size(w->b);
    memset((char *)w->val + (size_t)from * size, 0, (size_t)count * size);
}

static void pad(const struct writer *w, int64_t to)
{
    w->index[to] = (int32_t)w->r->cols;
    zero_values(w, to, 1);
}

static void write_csr(const struct writer *w, int32_t *ptr)
{
    const int64_t base = w->r->rows ? w->r->ptr[0] : 0;
    ptr[0] = 0;
    for (int64_t i = 0; i < w->r->rows; i++)
        ptr[i + 1] = (int32_t)(w->r->ptr[i + 1] - base);
    for (int64_t k = 0; k < w->b->nnz; k++)
        put(w, k, base + k);
}

/* Where diagonal d of the merge of row ends and entries is crossed: the least row such that
 * its end lies behind the diagonal. */
static void write_pieces(const struct writer *w, const int32_t *ptr, int32_t *piece)
{
    const int64_t rows = w->b->rows, all = rows + w->b->nnz;
    for (int64_t p = 0; p <= w->b->pieces; p++) {
        int64_t d = least(p * ORR_POWM_PIECE, all);
        int64_t low = d > w->b->nnz ? d - w->b->nnz : 0, high = least(d, rows);
        while (low < high) {
            int64_t mid = (low + high) / 2;
            if (ptr[mid + 1] <= d - mid - 1)
                low = mid + 1;
            else
                high = mid;
        }
        piece[2 * p] = (int32_t)low;
        piece[2 * p + 1] = (int32_t)(d - low);
    }
}

static void write_ell(const struct writer *w, int32_t *len)
{
    const int64_t rows = w->b->rows;
    for (int64_t i = 0; i < rows; i++) {
        int64_t n = length(w->r, i);
        if (len)
            len[i] = (int32_t)n;
        for (int64_t s = 0; s < w->b->width; s++)
            if (s < n)
                put(w, s * rows + i, w->r->ptr[i] + s);
            else
                pad(w, s * rows + i);
    }
}

static orr_status write_sell(const struct writer *w, int64_t long_row, char *block)
{
    const orr_powm_rows *r = w->r;
    const orr_powm_block *b = w->b;
    struct sorted *s = malloc((size_t)(r->rows + 1) * sizeof *s);
    if (!s)
        return ORR_E_NOMEM;
    int32_t *ptr = (int32_t *)(block + b->ptr), *perm = (int32_t *)(block + b->perm);
    int32_t *long_id = (int32_t *)(block + b->long_id);
    int32_t *long_ptr = (int32_t *)(block + b->long_ptr);
    int64_t at = 0, longs = 0;
    sort_windows(r, long_row, b->strip, s);
    for (int64_t c = 0; c < b->slices; c++) {
        int64_t width = s[c * ORR_POWM_SLICE].length;
        ptr[c] = (int32_t)at;
        for (int64_t l = 0; l < ORR_POWM_SLICE; l++) {
            int64_t lane = c * ORR_POWM_SLICE + l;
            int64_t n = lane < r->rows ? s[lane].length : 0;
            perm[lane] = lane < r->rows ? s[lane].row : -1;
            for (int64_t k = 0; k < width; k++)
                if (k < n)
                    put(w, at + k * ORR_POWM_SLICE + l, r->ptr[s[lane].row] + k);
                else
                    pad(w, at + k * ORR_POWM_SLICE + l);
        }
        at += width * ORR_POWM_SLICE;
    }
    ptr[b->slices] = (int32_t)at;
    for (int64_t i = 0; i < r->rows && b->longs; i++)
        if (length(r, i) > long_row) {
            long_id[longs] = (int32_t)i;
            long_ptr[longs++] = (int32_t)at;
            for (int64_t k = r->ptr[i]; k < r->ptr[i + 1]; k++)
                put(w, at++, k);
        }
    long_ptr[longs] = (int32_t)at;
    free(s);
    return ORR_OK;
}

static void write_bsr(const struct writer *w, int32_t *ptr)
{
    const orr_powm_rows *r = w->r;
    const int bs = w->b->bs, area = bs * bs;
    int64_t blocks = 0;
    zero_values(w, 0, w->b->slots);
    ptr[0] = 0;
    for (int64_t I = 0; I * bs < r->rows; I++) {
        int64_t count = block_columns(r, bs, I, w->index + blocks);
        for (int64_t i = I * bs; i < least((I + 1) * bs, r->rows); i++) {
            int64_t J = blocks;
            for (int64_t k = r->ptr[i]; k < r->ptr[i + 1]; k++) {
                while (w->index[J] + bs <= r->index[k])
                    J++;
                put_value(w, J * area + (i - I * bs) * bs + r->index[k] - w->index[J], k);
            }
        }
        blocks += count;
        ptr[I + 1] = (int32_t)blocks;
    }
}

/* The bound of sell that makes exactly b->longs rows long. */
static int64_t long_bound(const orr_powm_rows *r, const orr_powm_block *b)
{
    return b->longs ? b->width : longest(r) + 1;
}

orr_status orr_powm_pack(const orr_powm_rows *r, const orr_powm_block *head, void *block)
{
    char *at = block;
    struct writer w = {r, head, (int32_t *)(at + head->index), at + head->val};
    memset(block, 0, (sizeof *head + 63) / 64 * 64);
    memcpy(block, head, sizeof *head);
    switch (head->format) {
    case ORR_FORMAT_CSR:
        write_csr(&w, (int32_t *)(at + head->ptr));
        return ORR_OK;
    case ORR_FORMAT_MERGE:
        write_csr(&w, (int32_t *)(at + head->ptr));
        write_pieces(&w, (int32_t *)(at + head->ptr), (int32_t *)(at + head->piece));
        return ORR_OK;
    case ORR_FORMAT_ELL:
    case ORR_FORMAT_GPU_ELL:
        write_ell(&w, head->len ? (int32_t *)(at + head->len) : NULL);
        return ORR_OK;
    case ORR_FORMAT_SELL:
        return write_sell(&w, long_bound(r, head), block);
    case ORR_FORMAT_BSR:
        write_bsr(&w, (int32_t *)(at + head->ptr));
        return ORR_OK;
    default:
        return ORR_E_ARG;
    }
}
