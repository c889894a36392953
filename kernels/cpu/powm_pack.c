/* Packing of a block of rows into one of the formats of powm_spmv.h.
 *
 * A block is planned first (sizes and offsets, from the row lengths alone) and written into
 * memory of exactly that size afterwards, so that the caller can compare formats before any
 * of them exists.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "powm_pack.h"

#include <string.h>

enum { MOST_PADDING = 64, MOST_BS = 4 };

static int64_t longest(const orr_powm_rows *r)
{
    int64_t most = 0;
    for (int64_t i = 0; i < r->rows; i++)
        most = length(r, i) > most ? length(r, i) : most;
    return most;
}

size_t orr_powm_value_size(const orr_powm_block *b)
{
    static const size_t size[ORR_NTYPES] = {4, 8, 8, 16};
    return b->values == ORR_VALUES_PATTERN  ? 0
           : b->values == ORR_VALUES_NARROW ? size[b->type] / 2
                                            : size[b->type];
}

/* ---- BSR: which blocks a row of blocks has ------------------------------------------------- */

/* Lists the block columns of block row I in ascending order: the rows are merged. */
static int64_t block_columns(const orr_powm_rows *r, int bs, int64_t I, int32_t *out)
{
    int64_t at[MOST_BS], end[MOST_BS], found = 0;
    int rows = (int)orr_least(bs, r->rows - I * bs);
    for (int i = 0; i < rows; i++) {
        at[i] = r->ptr[I * bs + i];
        end[i] = r->ptr[I * bs + i + 1];
    }
    for (;;) {
        int32_t next = INT32_MAX;
        for (int i = 0; i < rows; i++)
            if (at[i] < end[i] && r->index[at[i]] < next)
                next = r->index[at[i]];
        if (next == INT32_MAX)
            return found;
        next -= next % bs;
        for (int i = 0; i < rows; i++)
            while (at[i] < end[i] && r->index[at[i]] < next + bs)
                at[i]++;
        if (out)
            out[found] = next;
        found++;
    }
}

/* Not counted to the end where they become more than `most`, even if all that follow are full. */
static int64_t count_blocks(const orr_powm_rows *r, int bs, int64_t most)
{
    int64_t total = 0, follow = 0;
    for (int64_t I = 0; I * bs < r->rows && total + follow <= most; I++) {
        total += block_columns(r, bs, I, NULL);
        follow = (r->ptr[r->rows] - r->ptr[orr_least((I + 1) * bs, r->rows)]) / (bs * bs);
    }
    return total + follow;
}

/* ---- Planning ------------------------------------------------------------------------------ */

int64_t orr_powm_place(orr_powm_block *b, int64_t count, size_t size)
{
    int64_t at = b->bytes;
    b->bytes += (count * (int64_t)size + 63) / 64 * 64;
    return at;
}

int orr_powm_too_much(const orr_powm_block *b)
{
    return b->slots >= INT32_MAX || (b->slots > 1 << 20 && b->slots > MOST_PADDING * b->nnz);
}

orr_status orr_powm_plan(const orr_powm_rows *r, orr_type type, const orr_powm_form *form,
                         orr_powm_block *b)
{
    const orr_format format = form->format;
    int values = form->values;
    int64_t nnz = r->rows ? r->ptr[r->rows] - r->ptr[0] : 0;
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
        b->ptr = orr_powm_place(b, r->rows + 1, 4);
        if (format == ORR_FORMAT_MERGE) {
            b->strip = r->rows > STRIP ? r->rows : STRIP; /* pieces do not end with rows */
            b->pieces = (r->rows + nnz + ORR_POWM_PIECE - 1) / ORR_POWM_PIECE;
            b->piece = orr_powm_place(b, 2 * (b->pieces + 1), 4);
        }
        break;
    case ORR_FORMAT_ELL:
    case ORR_FORMAT_GPU_ELL:
        b->width = longest(r);
        b->slots = b->width * r->rows;
        if (format == ORR_FORMAT_GPU_ELL)
            b->len = orr_powm_place(b, r->rows, 4);
        break;
    case ORR_FORMAT_SELL: return orr_powm_plan_sell(r, form, b);
    case ORR_FORMAT_TILES: return orr_powm_plan_tiles(r, form, b);
    case ORR_FORMAT_BSR: {
        int64_t best = form->most ? form->most : INT64_MAX, blocks = 0;
        for (int bs = 2; bs <= MOST_BS; bs++) {
            const int64_t one = bs * bs * (int64_t)orr_powm_value_size(b) + 4;
            const int64_t n = count_blocks(r, bs, best / one), bytes = n * one;
            if (bytes < best) {
                best = bytes;
                blocks = n;
                b->bs = bs;
            }
        }
        if (b->bs == 0)
            return ORR_E_NOMEM;
        b->slots = blocks * b->bs * b->bs;
        b->strip = STRIP / 12 * 12; /* no block of rows across a strip */
        b->ptr = orr_powm_place(b, (r->rows + b->bs - 1) / b->bs + 1, 4);
        break;
    }
    default: return ORR_E_ARG;
    }
    if (orr_powm_too_much(b))
        return ORR_E_NOMEM;
    b->index =
        orr_powm_place(b, format == ORR_FORMAT_BSR ? b->slots / (b->bs * b->bs) : b->slots, 4);
    b->val = orr_powm_place(b, b->slots, orr_powm_value_size(b));
    return ORR_OK;
}

/* ---- Writing ------------------------------------------------------------------------------- */

void orr_powm_put_value(const struct orr_powm_writer *w, int64_t to, int64_t k)
{
    const orr_powm_rows *r = w->r;
    double re = r->val ? r->val[r->complex_values ? 2 * k : k] : r->value;
    double im = r->val && r->complex_values ? r->val[2 * k + 1] : 0;
    int narrow = w->b->values == ORR_VALUES_NARROW;
    if (w->b->values == ORR_VALUES_PATTERN)
        return;
    switch (w->b->type) {
    case ORR_S: ((float *)w->val)[to] = (float)re; break;
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

static void put(const struct orr_powm_writer *w, int64_t to, int64_t k)
{
    w->index[to] = w->r->index[k];
    orr_powm_put_value(w, to, k);
}

void orr_powm_zero_values(const struct orr_powm_writer *w, int64_t from, int64_t count)
{
    size_t size = orr_powm_value_size(w->b);
    memset((char *)w->val + (size_t)from * size, 0, (size_t)count * size);
}

static void pad(const struct orr_powm_writer *w, int64_t to)
{
    w->index[to] = (int32_t)w->r->cols;
    orr_powm_zero_values(w, to, 1);
}

static void write_csr(const struct orr_powm_writer *w, int32_t *ptr)
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
static void write_pieces(const struct orr_powm_writer *w, const int32_t *ptr, int32_t *piece)
{
    const int64_t rows = w->b->rows, all = rows + w->b->nnz;
    for (int64_t p = 0; p <= w->b->pieces; p++) {
        int64_t d = orr_least(p * ORR_POWM_PIECE, all);
        int64_t low = d > w->b->nnz ? d - w->b->nnz : 0, high = orr_least(d, rows);
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

static void write_ell(const struct orr_powm_writer *w, int32_t *len)
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

static void write_bsr(const struct orr_powm_writer *w, int32_t *ptr)
{
    const orr_powm_rows *r = w->r;
    const int bs = w->b->bs, area = bs * bs;
    int64_t blocks = 0;
    orr_powm_zero_values(w, 0, w->b->slots);
    ptr[0] = 0;
    for (int64_t I = 0; I * bs < r->rows; I++) {
        int64_t count = block_columns(r, bs, I, w->index + blocks);
        for (int64_t i = I * bs; i < orr_least((I + 1) * bs, r->rows); i++) {
            int64_t J = blocks;
            for (int64_t k = r->ptr[i]; k < r->ptr[i + 1]; k++) {
                while (w->index[J] + bs <= r->index[k])
                    J++;
                orr_powm_put_value(w, J * area + (i - I * bs) * bs + r->index[k] - w->index[J], k);
            }
        }
        blocks += count;
        ptr[I + 1] = (int32_t)blocks;
    }
}

orr_status orr_powm_pack(const orr_powm_rows *r, const orr_powm_block *head, void *block)
{
    char *at = block;
    struct orr_powm_writer w = {r, head, (int32_t *)(at + head->index), at + head->val};
    memset(block, 0, (sizeof *head + 63) / 64 * 64);
    memcpy(block, head, sizeof *head);
    switch (head->format) {
    case ORR_FORMAT_CSR: write_csr(&w, (int32_t *)(at + head->ptr)); return ORR_OK;
    case ORR_FORMAT_MERGE:
        write_csr(&w, (int32_t *)(at + head->ptr));
        write_pieces(&w, (int32_t *)(at + head->ptr), (int32_t *)(at + head->piece));
        return ORR_OK;
    case ORR_FORMAT_ELL:
    case ORR_FORMAT_GPU_ELL:
        write_ell(&w, head->len ? (int32_t *)(at + head->len) : NULL);
        return ORR_OK;
    case ORR_FORMAT_SELL: return orr_powm_pack_sell(&w, block);
    case ORR_FORMAT_TILES: return orr_powm_pack_tiles(&w, block);
    case ORR_FORMAT_BSR: write_bsr(&w, (int32_t *)(at + head->ptr)); return ORR_OK;
    default: return ORR_E_ARG;
    }
}
