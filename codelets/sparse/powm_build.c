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

enum { CANDIDATES = 3, TRIALS = 5, LONG_ROW = 512, LONG_TIMES = 8 };
static const int64_t WORTH_TIMING = 1 << 20; /* bytes */

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
                struct candidate *c)
{
    c->form = (orr_powm_form){.format = f,
                              .values = values,
                              .window = window,
                              .long_row = f == ORR_FORMAT_SELL ? long_rows(r) : 0};
    return orr_powm_plan(r, type, &c->form, &c->head) == ORR_OK;
}

/* The candidates, best guess first; returns how many. */
static int choose(const orr_powm_rows *r, orr_type type, int values, struct candidate c[CANDIDATES])
{
    int n = 0;
    const int64_t nnz = r->rows ? r->ptr[r->rows] - r->ptr[0] : 0;
    struct candidate sell, wide, bsr;
    const int has_sell = plan(r, type, ORR_FORMAT_SELL, values, 0, &sell);
    if (has_sell && sell.head.slots * 20 <= nnz * 23) /* 1.15 */
        c[n++] = sell;
    else if (plan(r, type, ORR_FORMAT_SELL, values, r->rows, &wide) &&
             wide.head.slots * 4 <= nnz * 5)
        c[n++] = wide;
    if (plan(r, type, ORR_FORMAT_BSR, values, 0, &bsr) && values != ORR_VALUES_PATTERN &&
        (n == 0 || bsr.head.bytes < c[0].head.bytes))
        c[n++] = bsr;
    if (plan(r, type, ORR_FORMAT_CSR, values, 0, &c[n]))
        n++;
    if (n < 2 && plan(r, type, ORR_FORMAT_MERGE, values, 0, &c[n]))
        n++;
    if (n > 1 && c[0].head.bytes * 20 > c[n - 1].head.bytes * 21) { /* padding is no guess */
        const struct candidate first = c[0];
        c[0] = c[n - 1];
        c[n - 1] = first;
    }
    return n;
}

static void *pack(const orr_powm_rows *r, const struct candidate *c)
{
    void *block = orr_powm_large((size_t)c->head.bytes);
    if (block && orr_powm_pack(r, &c->head, block) != ORR_OK) {
        free(block);
        block = NULL;
    }
    return block;
}

static double seconds_of(orr_type type, const void *block, const void *x, void *y)
{
    double best = 1e300;
    for (int t = 0; t < TRIALS; t++) {
        const double start = orr_now();
        orr_powm_product_cpu[type](1, block, x, y);
        const double s = orr_now() - start;
        best = s < best ? s : best;
    }
    return best;
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

static orr_status fastest(const orr_powm_rows *r, orr_type type, const struct candidate *c, int n,
                          struct orr_powm_built *out)
{
    static const size_t size[ORR_NTYPES] = {4, 8, 8, 16};
    const size_t bytes = (size_t)(r->cols + ORR_POWM_PAD) * size[type];
    char *x = orr_powm_large(bytes);
    char *y = orr_powm_large((size_t)r->rows * size[type]);
    void *best = NULL;
    int which = 0;
    double least = 1e300;
    if (x)
        memset(x, 0, bytes);
    for (int i = 0; x && y && i < n; i++) {
        void *block = pack(r, &c[i]);
        if (!block)
            continue;
        /* the rule's own choice yields only to a clear win: a busy machine times at random */
        const double s = seconds_of(type, block, x, y) * (i > 0 ? 1.1 : 1);
        if (s < least) {
            least = s;
            free(best);
            best = block;
            which = i;
        } else {
            free(block);
        }
    }
    free(x);
    free(y);
    return keep(&c[which], best, out);
}

orr_status orr_powm_build(const struct orr_powm_source *s, orr_type type, orr_format format,
                          int values, int timing, struct orr_powm_built *out)
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
        if (!plan(&r, type, format, values, 0, &c[0]))
            return ORR_E_NOMEM;
        if (format == ORR_FORMAT_SELL && c[0].head.slots * 20 > nnz * 23 &&
            !plan(&r, type, format, values, r.rows, &c[0]))
            return ORR_E_NOMEM;
        return keep(&c[0], pack(&r, &c[0]), out);
    }
    const int n = choose(&r, type, values, c);
    if (n == 0)
        return ORR_E_NOMEM;
    if (!timing || n == 1 || c[0].head.bytes < WORTH_TIMING)
        return keep(&c[0], pack(&r, &c[0]), out);
    return fastest(&r, type, c, n, out);
}
