/* Packing into tiles. What a product reads of x for one tile fits the second cache, and 16 bits say
 * where. A tile is planned and written by the same walk: without a writer it only counts.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "powm_pack.h"

enum {
    LANES = ORR_POWM_LANES,
    TILE_ROWS = 1 << 15,
    TILE_BYTES = 1 << 19, /* of x */
    MOST = 1 << 16,       /* what 16 bits count */
    LONG = 32,            /* a row with as many entries in a tile fills the lanes by itself */
    DIGIT = 256
};

/* The entries of a row in a tile, or of all later ones. */
struct piece {
    int64_t from, count;
    int32_t row; /* of the strip */
};

struct walk {
    const orr_powm_rows *r;
    const struct orr_powm_writer *w; /* NULL: only counts */
    orr_powm_tile *tile;
    int64_t tiles, words, values; /* so far */
    struct piece *live, *here, *sorted;
    uint32_t *pair[2];
    int64_t *entry[2], room; /* of the pairs */
};

/* ---- One tile ------------------------------------------------------------------------------ */

static void put_word(struct walk *k, int64_t word)
{
    if (k->w)
        ((uint16_t *)k->w->index)[k->words] = (uint16_t)word;
    k->words++;
}

/* entry < 0: padding */
static void put_value(struct walk *k, int64_t entry)
{
    if (k->w && entry >= 0)
        orr_powm_put_value(k->w, k->values, entry);
    else if (k->w)
        orr_powm_zero_values(k->w, k->values, 1);
    k->values++;
}

/* Stable, by eight bits of the column at a time. */
static void sort_pairs(struct walk *k, int64_t n)
{
    for (int pass = 0; pass < 2; pass++) {
        const int shift = 16 + 8 * pass;
        const uint32_t *pair = k->pair[pass];
        const int64_t *entry = k->entry[pass];
        int64_t at[DIGIT + 1] = {0};
        for (int64_t i = 0; i < n; i++)
            at[(pair[i] >> shift) % DIGIT + 1]++;
        for (int d = 0; d < DIGIT; d++)
            at[d + 1] += at[d];
        for (int64_t i = 0; i < n; i++) {
            const int64_t to = at[(pair[i] >> shift) % DIGIT]++;
            k->pair[1 - pass][to] = pair[i];
            k->entry[1 - pass][to] = entry[i];
        }
    }
}

static orr_status pairs_room(struct walk *k, int64_t n)
{
    if (n <= k->room)
        return ORR_OK;
    k->room = 2 * n;
    for (int i = 0; i < 2; i++) {
        free(k->pair[i]);
        free(k->entry[i]);
        k->pair[i] = malloc((size_t)k->room * sizeof *k->pair[i]);
        k->entry[i] = malloc((size_t)k->room * sizeof *k->entry[i]);
    }
    return k->pair[0] && k->pair[1] && k->entry[0] && k->entry[1] ? ORR_OK : ORR_E_NOMEM;
}

/* By columns: x is read in order, and the sums of a strip are in the cache. */
static orr_status put_pairs(struct walk *k, int64_t pieces, int64_t entries, int64_t column)
{
    int64_t n = 0;
    if (!k->w) {
        k->words += 2 * entries;
        k->values += entries;
        return ORR_OK;
    }
    if (pairs_room(k, entries) != ORR_OK)
        return ORR_E_NOMEM;
    for (int64_t i = 0; i < pieces; i++)
        for (int64_t e = 0; e < k->here[i].count; e++, n++) {
            const int64_t entry = k->here[i].from + e;
            k->pair[0][n] =
                (uint32_t)(k->r->index[entry] - column) << 16 | (uint32_t)k->here[i].row;
            k->entry[0][n] = entry;
        }
    sort_pairs(k, n);
    for (int64_t i = 0; i < n; i++) {
        put_word(k, k->pair[0][i] % MOST);
        put_word(k, k->pair[0][i] / MOST);
        put_value(k, k->entry[0][i]);
    }
    return ORR_OK;
}

static void put_long(struct walk *k, const struct piece *p, int64_t column)
{
    put_word(k, p->row);
    put_word(k, p->count % MOST);
    put_word(k, p->count / MOST);
    for (int64_t e = p->from; e < p->from + p->count; e++) {
        put_word(k, k->r->index[e] - column);
        put_value(k, e);
    }
}

/* The rows of a slice are the longest first; lanes behind the last repeat its row, empty. */
static void put_slice(struct walk *k, const struct piece *p, int64_t lanes, int64_t column)
{
    const int64_t all = p[0].count, full = lanes == LANES ? p[LANES - 1].count : 0;
    put_word(k, full);
    put_word(k, all);
    for (int64_t l = 0; l < LANES; l++)
        put_word(k, p[orr_least(l, lanes - 1)].row);
    for (int64_t s = 0; s < all; s++) {
        int64_t there = 0;
        while (there < lanes && s < p[there].count)
            there++;
        if (s >= full)
            put_word(k, there);
        for (int64_t l = 0; l < LANES; l++) {
            put_word(k, l < there ? k->r->index[p[l].from + s] - column : 0);
            put_value(k, l < there ? p[l].from + s : -1);
        }
    }
}

/* here, but for long rows, which are written, to sorted, the longest first; how many. */
static int64_t sort_rows(struct walk *k, int64_t pieces, int64_t column, int32_t *longs)
{
    int64_t at[LONG + 1] = {0}, n = 0;
    for (int64_t i = 0; i < pieces; i++) {
        if (k->here[i].count >= LONG) {
            put_long(k, &k->here[i], column);
            ++*longs;
        } else {
            at[k->here[i].count]++;
        }
    }
    for (int64_t c = LONG; c >= 0; c--) {
        const int64_t count = at[c];
        at[c] = n;
        n += count;
    }
    for (int64_t i = 0; i < pieces; i++)
        if (k->here[i].count < LONG)
            k->sorted[at[k->here[i].count]++] = k->here[i];
    return n;
}

static orr_status put_tile(struct walk *k, int64_t pieces, int64_t entries, int64_t column)
{
    orr_powm_tile t = {.code = k->words, .val = k->values, .column = (int32_t)column};
    orr_status st = ORR_OK;
    if (entries < 2 * pieces) {
        t.pairs = (int32_t)entries;
        st = put_pairs(k, pieces, entries, column);
    } else {
        const int64_t n = sort_rows(k, pieces, column, &t.longs);
        t.slices = (int32_t)((n + LANES - 1) / LANES);
        for (int64_t i = 0; i < n; i += LANES)
            put_slice(k, k->sorted + i, orr_least(LANES, n - i), column);
    }
    if (k->w)
        k->tile[k->tiles] = t;
    k->tiles++;
    return st;
}

/* ---- All of them --------------------------------------------------------------------------- */

/* The tiles of rows first .. first + rows - 1, by ascending columns. */
static orr_status strip(struct walk *k, int64_t first, int64_t rows, int64_t width)
{
    const orr_powm_rows *r = k->r;
    int64_t live = 0;
    orr_status st = ORR_OK;
    for (int64_t i = 0; i < rows; i++)
        if (length(r, first + i) > 0)
            k->live[live++] = (struct piece){r->ptr[first + i], length(r, first + i), (int32_t)i};
    while (live > 0 && st == ORR_OK) {
        int64_t column = INT64_MAX, pieces = 0, entries = 0, left = 0;
        for (int64_t i = 0; i < live; i++)
            column = orr_least(column, r->index[k->live[i].from]);
        column = column / width * width;
        for (int64_t i = 0; i < live; i++) {
            struct piece p = k->live[i];
            int64_t n = 0;
            while (n < p.count && r->index[p.from + n] < column + width)
                n++;
            if (n > 0)
                k->here[pieces++] = (struct piece){p.from, n, p.row};
            if (n < p.count)
                k->live[left++] = (struct piece){p.from + n, p.count - n, p.row};
            entries += n;
        }
        live = left;
        st = put_tile(k, pieces, entries, column);
    }
    return st;
}

/* ptr: where the tiles of each strip begin, or NULL. */
static orr_status all_strips(struct walk *k, const orr_powm_block *b, int32_t *ptr)
{
    const size_t room = (size_t)orr_least(b->strip, b->rows) + 1;
    k->live = malloc(room * sizeof *k->live);
    k->here = malloc(room * sizeof *k->here);
    k->sorted = malloc(room * sizeof *k->sorted);
    orr_status st = k->live && k->here && k->sorted ? ORR_OK : ORR_E_NOMEM;
    for (int64_t s = 0; s * b->strip < b->rows && st == ORR_OK; s++) {
        if (ptr)
            ptr[s] = (int32_t)k->tiles;
        st = strip(k, s * b->strip, orr_least(b->strip, b->rows - s * b->strip), b->width);
        if (ptr)
            ptr[s + 1] = (int32_t)k->tiles;
    }
    free(k->live);
    free(k->here);
    free(k->sorted);
    for (int i = 0; i < 2; i++) {
        free(k->pair[i]);
        free(k->entry[i]);
    }
    return st;
}

orr_status orr_powm_plan_tiles(const orr_powm_rows *r, const orr_powm_form *form, orr_powm_block *b)
{
    static const int64_t size[ORR_NTYPES] = {4, 8, 8, 16};
    struct walk k = {.r = r};
    b->strip = form->window > 0 ? orr_least(form->window, MOST) : TILE_ROWS;
    b->width = form->window > 0 ? orr_least(form->window, MOST)
                                : orr_least(MOST, TILE_BYTES / size[b->type]);
    const orr_status st = all_strips(&k, b, NULL);
    if (st != ORR_OK)
        return st;
    b->slots = k.values;
    b->pieces = k.tiles;
    if (orr_powm_too_much(b) || k.tiles >= INT32_MAX)
        return ORR_E_NOMEM;
    b->ptr = orr_powm_place(b, (r->rows + b->strip - 1) / b->strip + 1, 4);
    b->piece = orr_powm_place(b, k.tiles, sizeof(orr_powm_tile));
    b->index = orr_powm_place(b, k.words + 2 * ORR_POWM_AHEAD, sizeof(uint16_t));
    b->val = orr_powm_place(b, k.values, orr_powm_value_size(b));
    return ORR_OK;
}

orr_status orr_powm_pack_tiles(const struct orr_powm_writer *w, char *block)
{
    struct walk k = {.r = w->r, .w = w, .tile = (orr_powm_tile *)(block + w->b->piece)};
    int32_t *ptr = (int32_t *)(block + w->b->ptr);
    ptr[0] = 0;
    const orr_status st = all_strips(&k, w->b, ptr);
    for (int i = 0; i < 2 * ORR_POWM_AHEAD; i++)
        put_word(&k, 0); /* read ahead, not used */
    return st;
}
