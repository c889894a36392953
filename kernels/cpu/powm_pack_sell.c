/* Packing into sell. A slice of consecutive rows whose entries lie on few diagonals, as those of
 * grids do, keeps one column per slot instead of one per entry, and is read without gathering.
 * Sorting rows by length makes slices of equal rows, and tears neighbours apart: it is done only
 * where it saves memory.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "powm_pack.h"

enum { C = ORR_POWM_SLICE, MOST_DIAGONALS = 128 };

/* ---- Lanes --------------------------------------------------------------------------------- */

/* The row of a lane, and its length as sell sees it: long rows are elsewhere. */
struct lane {
    int64_t length;
    int32_t row;
};

/* The longest first, stable, by ten bits of the length at a time; spare: room for as many. */
static void sort_lanes(struct lane *s, struct lane *spare, int64_t n)
{
    enum { BITS = 10, DIGITS = 1 << BITS };
    struct lane *from = s, *to = spare;
    int64_t longest = 0;
    for (int64_t i = 0; i < n; i++)
        longest = orr_most(longest, s[i].length);
    for (int shift = 0; longest >> shift > 0; shift += BITS) {
        int64_t at[DIGITS + 1] = {0};
        for (int64_t i = 0; i < n; i++)
            at[DIGITS - (from[i].length >> shift) % DIGITS]++;
        for (int d = 0; d < DIGITS; d++)
            at[d + 1] += at[d];
        for (int64_t i = 0; i < n; i++)
            to[at[DIGITS - 1 - (from[i].length >> shift) % DIGITS]++] = from[i];
        struct lane *other = from;
        from = to;
        to = other;
    }
    if (from != s)
        memcpy(s, from, (size_t)n * sizeof *s);
}

/* Room for the lanes of all rows, and as many to sort them with. */
static struct lane *lanes_of(const orr_powm_rows *r)
{
    return malloc((size_t)(2 * r->rows + 1) * sizeof(struct lane));
}

/* s: of lanes_of. window 0: rows stay in order. */
static void order_rows(const orr_powm_rows *r, int64_t long_row, int64_t window, struct lane *s)
{
    for (int64_t i = 0; i < r->rows; i++) {
        const int64_t n = length(r, i);
        s[i] = (struct lane){long_row && n > long_row ? 0 : n, (int32_t)i};
    }
    for (int64_t i = 0; window > 0 && i < r->rows; i += window)
        sort_lanes(s + i, s + r->rows, orr_least(window, r->rows - i));
}

/* Windows are whole slices. */
static int64_t window_rows(const orr_powm_rows *r, int64_t window)
{
    const int64_t rows = window > 0 ? orr_least(window, r->rows) : STRIP;
    return (rows > 0 ? rows + C - 1 : C) / C * C;
}

/* ---- One slice ----------------------------------------------------------------------------- */

struct slice {
    const struct lane *lane;
    int64_t lanes; /* C but in the last */
    int64_t slots;
    int diagonal;
    int32_t d[MOST_DIAGONALS + 1]; /* column - row of each slot, if `diagonal` */
};

/* Adds the diagonals of row i to the ascending list; 0: they become more than `most`. */
static int add_diagonals(const orr_powm_rows *r, int64_t i, int64_t most, struct slice *s)
{
    int64_t at = 0;
    for (int64_t k = r->ptr[i]; k < r->ptr[i + 1]; k++) {
        const int32_t d = (int32_t)(r->index[k] - i);
        while (at < s->slots && s->d[at] < d)
            at++;
        if (at < s->slots && s->d[at] == d)
            continue;
        if (s->slots == most)
            return 0;
        memmove(s->d + at + 1, s->d + at, (size_t)(s->slots - at) * sizeof *s->d);
        s->d[at] = d;
        s->slots++;
    }
    return 1;
}

/* By diagonals if that needs at most a quarter more slots. */
static void look_at(const orr_powm_rows *r, const struct lane *lane, int64_t lanes, struct slice *s)
{
    int64_t width = 0, most;
    s->lane = lane;
    s->lanes = lanes;
    s->slots = 0;
    s->diagonal = 1;
    for (int64_t l = 0; l < lanes; l++) {
        width = lane[l].length > width ? lane[l].length : width;
        s->diagonal &= lane[l].row == lane[0].row + l && lane[l].length == length(r, lane[l].row);
    }
    most = orr_least(width + width / 4, MOST_DIAGONALS);
    for (int64_t l = 0; l < lanes && s->diagonal; l++)
        s->diagonal = add_diagonals(r, lane[l].row, most, s);
    if (!s->diagonal)
        s->slots = width;
}

static int64_t slice_lanes(const orr_powm_rows *r, int64_t c)
{
    return orr_least(C, r->rows - c * C);
}

/* Numbers in `index` that a slice takes. */
static int64_t words(const struct slice *s) { return s->slots * (s->diagonal ? 2 : C); }

/* ---- Planning ------------------------------------------------------------------------------ */

struct size {
    int64_t slots, words;
};

static struct size measure(const orr_powm_rows *r, const struct lane *lane, int64_t slices)
{
    struct size all = {0, 0};
    struct slice s;
    for (int64_t c = 0; c < slices; c++) {
        look_at(r, lane + c * C, slice_lanes(r, c), &s);
        all.slots += s.slots * C;
        all.words += words(&s);
    }
    return all;
}

orr_status orr_powm_plan_sell(const orr_powm_rows *r, const orr_powm_form *form, orr_powm_block *b)
{
    const int64_t long_row = form->long_row, window = window_rows(r, form->window);
    const size_t value = orr_powm_value_size(b);
    struct lane *lane = lanes_of(r);
    int64_t long_entries = 0;
    struct size best;
    if (!lane)
        return ORR_E_NOMEM;
    b->slices = (r->rows + C - 1) / C;
    order_rows(r, long_row, window, lane);
    best = measure(r, lane, b->slices);
    b->sorted = 1;
    b->strip = window;
    if (form->window == 0) {
        order_rows(r, long_row, 0, lane);
        const struct size in_order = measure(r, lane, b->slices);
        if (in_order.slots * (int64_t)value + 4 * in_order.words <=
            best.slots * (int64_t)value + 4 * best.words) {
            best = in_order;
            b->sorted = 0;
        }
    }
    for (int64_t i = 0; long_row && i < r->rows; i++)
        if (length(r, i) > long_row) {
            b->longs++;
            long_entries += length(r, i);
        }
    free(lane);
    b->slots = best.slots + long_entries;
    b->width = long_row; /* sell has no other use for it; packing needs it again */
    if (orr_powm_too_much(b))
        return ORR_E_NOMEM;
    b->ptr = orr_powm_place(b, b->slices + 1, 4);
    b->at = orr_powm_place(b, b->slices, 4);
    b->perm = orr_powm_place(b, b->slices * C, 4);
    b->long_id = orr_powm_place(b, b->longs, 4);
    b->long_ptr = orr_powm_place(b, b->longs + 1, 4);
    b->index = orr_powm_place(b, best.words, 4);
    b->val = orr_powm_place(b, best.slots, value);
    b->long_index = orr_powm_place(b, long_entries, 4);
    b->long_val = orr_powm_place(b, long_entries, value);
    return ORR_OK;
}

/* ---- Writing ------------------------------------------------------------------------------- */

static int is_long(const struct orr_powm_writer *w, int64_t row)
{
    return w->b->longs > 0 && length(w->r, row) > w->b->width;
}

/* Columns to index, values to the slots from `to` on. */
static void write_diagonals(const struct orr_powm_writer *w, const struct slice *s, int64_t to,
                            int32_t *index)
{
    const int64_t row = s->lanes ? s->lane[0].row : 0;
    orr_powm_zero_values(w, to, s->slots * C);
    for (int64_t j = 0; j < s->slots; j++) {
        uint32_t there = 0;
        for (int64_t l = 0; l < s->lanes; l++) {
            const int64_t i = row + l, column = i + s->d[j];
            int64_t low = w->r->ptr[i], high = w->r->ptr[i + 1];
            while (low < high) {
                const int64_t mid = (low + high) / 2;
                if (w->r->index[mid] < column)
                    low = mid + 1;
                else
                    high = mid;
            }
            if (low == w->r->ptr[i + 1] || w->r->index[low] != column)
                continue;
            there |= (uint32_t)1 << l;
            orr_powm_put_value(w, to + j * C + l, low);
        }
        index[2 * j] = (int32_t)(row + s->d[j]);
        memcpy(&index[2 * j + 1], &there, sizeof there);
    }
}

static void write_columns(const struct orr_powm_writer *w, const struct slice *s, int64_t to,
                          int32_t *index)
{
    for (int64_t l = 0; l < C; l++) {
        const int64_t n = l < s->lanes ? s->lane[l].length : 0;
        const int64_t first = l < s->lanes ? w->r->ptr[s->lane[l].row] : 0;
        for (int64_t j = 0; j < s->slots; j++) {
            if (j < n) {
                index[j * C + l] = w->r->index[first + j];
                orr_powm_put_value(w, to + j * C + l, first + j);
            } else {
                index[j * C + l] = (int32_t)w->r->cols;
                orr_powm_zero_values(w, to + j * C + l, 1);
            }
        }
    }
}

static void write_long(const struct orr_powm_writer *w, char *block)
{
    const orr_powm_block *b = w->b;
    const struct orr_powm_writer v = {w->r, b, (int32_t *)(block + b->long_index),
                                      block + b->long_val};
    int32_t *id = (int32_t *)(block + b->long_id), *ptr = (int32_t *)(block + b->long_ptr);
    int64_t longs = 0, to = 0;
    for (int64_t i = 0; i < w->r->rows; i++)
        if (is_long(w, i)) {
            id[longs] = (int32_t)i;
            ptr[longs++] = (int32_t)to;
            for (int64_t k = w->r->ptr[i]; k < w->r->ptr[i + 1]; k++, to++) {
                v.index[to] = w->r->index[k];
                orr_powm_put_value(&v, to, k);
            }
        }
    ptr[longs] = (int32_t)to;
}

orr_status orr_powm_pack_sell(const struct orr_powm_writer *w, char *block)
{
    const orr_powm_rows *r = w->r;
    const orr_powm_block *b = w->b;
    struct lane *lane = lanes_of(r);
    int32_t *ptr = (int32_t *)(block + b->ptr), *perm = (int32_t *)(block + b->perm);
    int32_t *at = (int32_t *)(block + b->at);
    int64_t slots = 0, word = 0;
    struct slice s;
    if (!lane)
        return ORR_E_NOMEM;
    order_rows(r, b->width, b->sorted ? b->strip : 0, lane);
    for (int64_t c = 0; c < b->slices; c++) {
        look_at(r, lane + c * C, slice_lanes(r, c), &s);
        ptr[c] = (int32_t)slots;
        at[c] = (int32_t)(s.diagonal ? ~word : word);
        for (int64_t l = 0; l < C; l++)
            perm[c * C + l] = l < s.lanes && !is_long(w, s.lane[l].row) ? s.lane[l].row : -1;
        if (s.diagonal)
            write_diagonals(w, &s, slots, w->index + word);
        else
            write_columns(w, &s, slots, w->index + word);
        slots += s.slots * C;
        word += words(&s);
    }
    ptr[b->slices] = (int32_t)slots;
    write_long(w, block);
    free(lane);
    return ORR_OK;
}
