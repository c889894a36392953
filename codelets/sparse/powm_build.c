/* Blocks of a sparse matrix: which format, and packing into it.
 *
 * The rule looks at the lengths of the rows, as docs/algorithms/powm.md says. Where a block is
 * large enough for a measurement to mean something, the best candidates are packed and each
 * multiplies a vector a few times; the fastest stays. Vendors' own choices flip between
 * versions, so a rule alone would not do.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "codelets/sparse/powm.h"
#include "kernels/powm_spmv.h"

enum { CANDIDATES = 4, TRIALS = 5, LONG_ROW = 512, LONG_TIMES = 8 };
/* bytes; of less, to time is as much work as to solve */
static const int64_t WORTH_TIMING = 1 << 21;

struct candidate {
    orr_powm_form form;
    orr_powm_block head;
};

/* Rows beyond this are cut out of sell; 0: there are none. */
static int64_t long_rows(const orr_powm_rows *r)
{
    int64_t nnz = r->rows ? r->ptr[r->rows] - r->ptr[0] : 0;
    int64_t bound = r->rows ? LONG_TIMES * (nnz / r->rows + 1) : 0, longest = 0;
    if (bound < LONG_ROW)
        bound = LONG_ROW;
    for (int64_t i = 0; i < r->rows; i++)
        if (r->ptr[i + 1] - r->ptr[i] > longest)
            longest = r->ptr[i + 1] - r->ptr[i];
    return longest > bound ? bound : 0;
}

static int plan(const orr_powm_rows *r, orr_type type, orr_format f, int values, int64_t window,
                int64_t most, struct candidate *c)
{
    c->form = (orr_powm_form){.format = f,
                              .values = values,
                              .window = window,
                              .most = most,
                              .long_row = f == ORR_FORMAT_SELL ? long_rows(r) : 0};
    return orr_powm_plan(r, type, &c->form, &c->head) == ORR_OK;
}

/* Slices of sell whose entries lie on diagonals have one column per slot. */
static int by_diagonals(const struct candidate *sell)
{
    return sell->head.val - sell->head.index < 2 * sell->head.slots;
}

/* Of blocks too small to be timed, if not sell. Compressed rows are the last choice: out of a cache the
 * others take half as long, presumably because nobody foresees where a short row ends. */
static struct candidate guess(const orr_powm_rows *r, orr_type type, int values, int devices,
                              const struct candidate *csr)
{
    const int64_t least = csr->head.bytes;
    struct candidate c;
    if (values != ORR_VALUES_PATTERN && plan(r, type, ORR_FORMAT_BSR, values, 0, least, &c) &&
        c.head.bytes < least)
        return c;
    if (!devices && plan(r, type, ORR_FORMAT_TILES, values, 0, 0, &c) && c.head.bytes < least)
        return c;
    return *csr;
}

/* The candidates, best guess first; returns how many. */
static int choose(const orr_powm_rows *r, orr_type type, int values, int devices,
                  struct candidate c[CANDIDATES + 1])
{
    int n = 0;
    const int64_t nnz = r->rows ? r->ptr[r->rows] - r->ptr[0] : 0;
    struct candidate sell, wide, bsr, csr;
    if (!plan(r, type, ORR_FORMAT_CSR, values, 0, 0, &csr))
        return 0;
    const int has_sell = plan(r, type, ORR_FORMAT_SELL, values, 0, 0, &sell);
    if (has_sell && sell.head.slots * 20 <= nnz * 23) /* 1.15 */
        c[n++] = sell;
    else if (plan(r, type, ORR_FORMAT_SELL, values, r->rows, 0, &wide) &&
             wide.head.slots * 4 <= nnz * 5)
        c[n++] = wide;
    const int64_t least = n > 0 ? c[0].head.bytes : csr.head.bytes;
    if (least < WORTH_TIMING && n == 0)
        c[0] = guess(r, type, values, devices, &csr);
    if (least < WORTH_TIMING)
        return 1;
    if (values != ORR_VALUES_PATTERN && plan(r, type, ORR_FORMAT_BSR, values, 0, least, &bsr) &&
        bsr.head.bytes < least)
        c[n++] = bsr;
    c[n++] = csr;
    if (n < 2 && plan(r, type, ORR_FORMAT_MERGE, values, 0, 0, &c[n]))
        n++;
    if (c[0].head.bytes * 20 > c[n - 1].head.bytes * 21) { /* padding is no guess */
        const struct candidate first = c[0];
        c[0] = c[n - 1];
        c[n - 1] = first;
    }
    if (!devices && !(has_sell && by_diagonals(&sell)) &&
        plan(r, type, ORR_FORMAT_TILES, values, 0, 0, &c[n]) && c[n].head.bytes < csr.head.bytes)
        n++;
    return n;
}

static void *pack(const orr_powm_rows *r, const struct candidate *c)
{
    void *block = orr_large_memory((size_t)c->head.bytes);
    if (block && orr_powm_pack(r, &c->head, block) != ORR_OK) {
        free(block);
        block = NULL;
    }
    return block;
}

/* A product with each of two blocks in turn, so that both meet what else the machine does; the
   least times so far. */
static void race(orr_type type, void *const block[2], const void *x, void *y,
                 double *const least[2])
{
    for (int t = 0; t < 2 * TRIALS; t++) {
        const double start = orr_now();
        orr_powm_product_cpu[type](1, block[t % 2], x, y);
        const double s = orr_now() - start;
        double *of = least[t % 2];
        *of = *of == 0 || s < *of ? s : *of;
    }
}

static orr_status keep(const struct candidate *c, void *block, struct orr_powm_built *out)
{
    if (!block)
        return ORR_E_NOMEM;
    const orr_powm_block *h = &c->head;
    *out = (struct orr_powm_built){.block = block,
                                   .bytes = h->bytes,
                                   .slots = h->slots,
                                   .format = (orr_format)h->format,
                                   .values = h->values};
    return ORR_OK;
}

/* Two are there at a time: the best so far and the next one. */
static orr_status fastest(const orr_powm_rows *r, orr_type type, const struct candidate *c, int n,
                          const void *x, struct orr_powm_built *out)
{
    static const size_t size[ORR_NTYPES] = {4, 8, 8, 16};
    void *y = orr_large_memory((size_t)r->rows * size[type]);
    void *block[2] = {pack(r, &c[0]), NULL};
    double seconds[ORR_NFORMATS] = {0};
    int which = 0;
    for (int i = 1; y && block[0] && i < n; i++) {
        double *const least[2] = {&seconds[c[which].head.format], &seconds[c[i].head.format]};
        block[1] = pack(r, &c[i]);
        if (!block[1])
            continue;
        race(type, block, x, y, least);
        const int won = *least[1] < *least[0];
        free(block[1 - won]);
        block[0] = block[won];
        which = won ? i : which;
    }
    free(y);
    const orr_status st = keep(&c[which], block[0], out);
    memcpy(out->seconds, seconds, sizeof seconds);
    return st;
}

orr_status orr_powm_build(const struct orr_powm_source *s, orr_type type, orr_format format,
                          int values, const void *x, int devices, struct orr_powm_built *out)
{
    const orr_powm_rows r = {.first = s->first,
                             .rows = s->rows,
                             .cols = s->cols,
                             .ptr = s->ptr,
                             .index = s->index,
                             .val = s->val,
                             .value = s->value,
                             .complex_values = s->complex_values};
    struct candidate c[CANDIDATES + 1];
    if (format != ORR_FORMAT_AUTO) {
        const int64_t nnz = r.rows ? r.ptr[r.rows] - r.ptr[0] : 0;
        if (!plan(&r, type, format, values, 0, 0, &c[0]))
            return ORR_E_NOMEM;
        if (format == ORR_FORMAT_SELL && c[0].head.slots * 20 > nnz * 23 &&
            !plan(&r, type, format, values, r.rows, 0, &c[0]))
            return ORR_E_NOMEM;
        return keep(&c[0], pack(&r, &c[0]), out);
    }
    const int n = choose(&r, type, values, devices, c);
    if (n == 0)
        return ORR_E_NOMEM;
    return !x || n == 1 ? keep(&c[0], pack(&r, &c[0]), out) : fastest(&r, type, c, n, x, out);
}
