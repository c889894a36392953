/* The tasks of he2hb's whole steps: one of each kind does all that an owner has to do there, what several do in
 * he2hb.c, with the same kernels in the same order. Tiles are named one by one, first; the buffers of each
 * task are in he2hb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/task.h"
#include "codelets/dense/he2hb_args.h"

enum { MOST = ORR_HE2HB_MOST_WAYS }; /* tile rows */

struct args {
    struct orr_task task;
    orr_type type;
    orr_he2hb_step step;
    int64_t from, count; /* tile rows of the panel, or of an owner in the step */
    int64_t to;          /* an update: from .. to-1 are columns of the matrix */
    double *ended;
    int alone;  /* one owner has all tiles */
    int begins; /* a product fetches V */
    int own; /* which buffer is a panel's S, before X or V, or X of a product or an update; -1: none */
    int64_t rows, row[MOST]; /* tile rows of a way, or tile columns of an update */
    int way[MOST];           /* in which of a->rows buffers P a tile row of the step is */
    struct orr_he2hb_turn turn;
};

/* ---- Functions ------------------------------------------------------------------------------ */

/* Elements of T x 3b, and of others, as they follow each other. */
static void *after(const struct args *a, void *all, int64_t elements)
{
    return (char *)all + elements * (int64_t)orr_element_size(a->type);
}

static void *x_row(const struct args *a, void *X, int64_t i)
{
    return after(a, X, i * 3 * a->step.b * a->step.tile);
}

struct panel_kernels {
    orr_he2hb_panel_apart_fn *const *panel;
    orr_he2hb_spread_fn *const *spread;
};

/* The panel where it is in its tiles, of which V takes the place. */
static void panel_by(void **buf, const struct args *a, const struct panel_kernels *kernel,
                     orr_stream stream)
{
    const int64_t count = a->count, first = orr_he2hb_first(&a->step);
    const int found = a->own >= 0;
    orr_he2hb_tile column[count];
    void *x[count];
    if (orr_request_failed(a->task.req))
        return;
    for (int64_t i = 0; i < count; i++)
        column[i] = orr_he2hb_columns_of(&a->step, a->type, orr_he2hb_tile_of(buf[i]));
    orr_task_check(a,
                   kernel->panel[a->type](stream, &a->step, column,
                                          orr_he2hb_band_of(&a->step, a->type, buf[count]),
                                          found ? ORR_PTR(a->own) : NULL,
                                          found && !a->alone ? ORR_PTR(a->own + 1) : NULL),
                   "he2hb_panel");
    for (int64_t i = first; found && a->alone && i < a->from + count; i++)
        x[i - first] = x_row(a, ORR_PTR(a->own + 1), i);
    if (found && a->alone)
        orr_task_check(a,
                       kernel->spread[a->type](stream, &a->step, first, a->from + count - first,
                                               column + (first - a->from), x),
                       "he2hb_panel");
    if (a->ended)
        *a->ended = orr_now();
}

struct product_kernels {
    orr_he2hb_spread_fn *const *spread;
    orr_he2hb_product_fn *const *product;
    orr_he2hb_middle_fn *const *middle;
    orr_he2hb_factor_fn *const *factor;
};

/* V of the whole step: the last one on a turn may have to do with rows before its tile columns. */
static void fetch(const struct args *a, const void *V, void *X,
                  const struct product_kernels *kernel, orr_stream stream)
{
    const orr_he2hb_step *s = &a->step;
    const int64_t first = orr_he2hb_first(s), count = orr_he2hb_tiles(s) - first;
    orr_he2hb_tile q[MOST];
    void *x[MOST];
    for (int64_t t = 0; t < count; t++) {
        const int64_t before = (first + t) * s->tile - orr_he2hb_row(s); /* its first row */
        const uintptr_t skipped = (uintptr_t)(before * (int64_t)orr_element_size(a->type));
        q[t] = (orr_he2hb_tile){.a = (void *)((uintptr_t)V + skipped), .ld = orr_he2hb_rows(s)};
        x[t] = x_row(a, X, first + t);
    }
    orr_task_check(a, kernel->spread[a->type](stream, s, first, count, q, x), "he2hb_product");
}

/* The tiles that a turn reads, by where they are, each once: where[i][j], i >= j, is which; -1: it is none.
 * Returns how many. */
static int name_tiles(const struct args *a, int where[MOST][MOST])
{
    int64_t term[MOST];
    int count = 0;
    for (int i = 0; i < MOST; i++)
        for (int j = 0; j < MOST; j++)
            where[i][j] = -1;
    for (int64_t t = 0; t < a->rows; t++) {
        orr_he2hb_order(&a->step, 1, a->row[t], term);
        for (int64_t k = a->turn.from[t]; k < a->turn.to[t]; k++) {
            int *w = &where[orr_most(a->row[t], term[k])][orr_least(a->row[t], term[k])];
            if (*w < 0)
                *w = count++;
        }
    }
    return count;
}

/* P and N of tile rows. */
struct sums {
    orr_he2hb_tile p[MOST];
    void *n[MOST];
};

/* The rows of a way, P: at[t] is where P(row[t]) and N(row[t]) are in sums. */
static void sums_of(const struct args *a, void *P, int64_t rows, const int64_t *row,
                    const int64_t *at, struct sums *sums)
{
    const int64_t w = orr_he2hb_width(&a->step);
    for (int64_t t = 0; t < rows; t++) {
        const int64_t own = orr_he2hb_tile_rows(&a->step, row[t]);
        sums->p[at[t]] = (orr_he2hb_tile){.a = P, .ld = own};
        P = after(a, P, own * w);
    }
    for (int64_t t = 0; t < rows; t++)
        sums->n[at[t]] = after(a, P, t * w * w);
}

/* M and W, from tile row a->from on; sums: of all tile rows of the step. */
static void make_w(const struct args *a, const struct sums *sums, void *X, const void *S,
                   const struct product_kernels *kernel, orr_stream stream)
{
    const orr_he2hb_step *s = &a->step;
    const int64_t first = orr_he2hb_first(s), tiles = orr_he2hb_tiles(s);
    void *const M = x_row(a, X, tiles);
    orr_task_check(a, kernel->middle[a->type](stream, s, (const void *const *)sums->n, S, M),
                   "he2hb_factor");
    for (int64_t i = a->from; i < tiles; i++)
        orr_task_check(a,
                       kernel->factor[a->type](stream, s, i, sums->p[i - first], M, x_row(a, X, i)),
                       "he2hb_factor");
}

static void products_by(void **buf, const struct args *a, const struct product_kernels *kernel,
                        orr_stream stream)
{
    const orr_he2hb_step *s = &a->step;
    const int last = a->turn.last;
    int where[MOST][MOST];
    const int at = name_tiles(a, where);
    void *const X = ORR_PTR(at), *const P = ORR_PTR(at + 1);
    void *const S = last || a->begins ? ORR_PTR(at + 2) : NULL;
    static const int64_t in_turn[MOST] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    struct sums sums;
    if (orr_request_failed(a->task.req))
        return;
    if (a->begins)
        fetch(a, ORR_PTR(at + 3), X, kernel, stream);
    sums_of(a, P, a->rows, a->row, in_turn, &sums);
    for (int64_t t = 0; t < a->rows; t++) {
        const int64_t i = a->row[t], from = a->turn.from[t], count = a->turn.to[t] - from;
        int64_t term[MOST];
        orr_he2hb_tile tile[MOST];
        const void *x[MOST];
        orr_he2hb_order(s, 1, i, term);
        for (int64_t k = 0; k < count; k++) {
            const int64_t j = term[from + k];
            tile[k] = orr_he2hb_tile_of(buf[where[orr_most(i, j)][orr_least(i, j)]]);
            x[k] = x_row(a, X, j);
        }
        orr_task_check(a,
                       kernel->product[a->type](stream, s, i, count, term + from, from == 0, tile,
                                                x, last ? x_row(a, X, i) : NULL, S, sums.p[t],
                                                sums.n[t]),
                       "he2hb_product");
    }
    if (a->alone)
        make_w(a, &sums, X, S, kernel, stream);
}

static void factors_by(void **buf, const struct args *a, const struct product_kernels *kernel,
                       orr_stream stream)
{
    const int64_t first = orr_he2hb_first(&a->step), tiles = orr_he2hb_tiles(&a->step);
    struct sums sums;
    if (orr_request_failed(a->task.req))
        return;
    for (int way = 0; way < a->rows; way++) {
        int64_t row[MOST], at[MOST], rows = 0;
        for (int64_t i = first; i < tiles; i++)
            if (a->way[i] == way) {
                at[rows] = i - first;
                row[rows++] = i;
            }
        sums_of(a, ORR_PTR(2 + way), rows, row, at, &sums);
    }
    make_w(a, &sums, ORR_PTR(0), ORR_PTR(1), kernel, stream);
}

static void updates_by(void **buf, const struct args *a, orr_he2hb_update_fn *const *kernel,
                       orr_stream stream)
{
    const int64_t tiles = orr_he2hb_tiles(&a->step), T = a->step.tile;
    void *const X = ORR_PTR(a->own);
    if (orr_request_failed(a->task.req))
        return;
    for (int64_t c = 0, t = 0; c < a->rows; c++)
        for (int64_t j = a->row[c], i = j; i < tiles; i++, t++)
            orr_task_check(a,
                           kernel[a->type](stream, &a->step, i, j, orr_most(a->from - j * T, 0),
                                           orr_least(a->to - j * T, T), orr_he2hb_tile_of(buf[t]),
                                           x_row(a, X, i), x_row(a, X, j)),
                           "he2hb_update");
}

#define CPU_PRODUCTS                                                                               \
    (&(const struct product_kernels){orr_he2hb_spread_cpu, orr_he2hb_product_cpu,                  \
                                     orr_he2hb_middle_cpu, orr_he2hb_factor_cpu})
#define CUDA_PRODUCTS                                                                              \
    (&(const struct product_kernels){orr_he2hb_spread_cuda, orr_he2hb_product_cuda,                \
                                     orr_he2hb_middle_cuda, orr_he2hb_factor_cuda})

ORR_CPU_AND_CUDA(panel,
                 (&(const struct panel_kernels){orr_he2hb_panel_apart_cpu, orr_he2hb_spread_cpu}),
                 (&(const struct panel_kernels){orr_he2hb_panel_apart_cuda, orr_he2hb_spread_cuda}))
ORR_CPU_AND_CUDA(products, CPU_PRODUCTS, CUDA_PRODUCTS)
ORR_CPU_AND_CUDA(factors, CPU_PRODUCTS, CUDA_PRODUCTS)
ORR_CPU_AND_CUDA(updates, orr_he2hb_update_cpu, orr_he2hb_update_cuda)

/* ---- Codelets ------------------------------------------------------------------------------- */

ORR_CODELETS_LIKE(orr_he2hb_panel, panel, "he2hb_panel", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS_LIKE(orr_he2hb_product, products, "he2hb_product", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS_LIKE(orr_he2hb_factor, factors, "he2hb_factor", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS_LIKE(orr_he2hb_update, updates, "he2hb_update", ORR_SDCZ, ORR_CPU_CUDA);

/* ---- Insertion ------------------------------------------------------------------------------ */

static starpu_data_handle_t x_of(const struct orr_he2hb *r, int64_t k, int owner)
{
    return r->X[2 * owner + k % 2];
}

static struct args *make_args(struct orr_request *req, const struct orr_he2hb *r, int64_t k,
                              int owner)
{
    struct args *a = orr_task_args(req, sizeof *a, r->where);
    if (!a)
        return NULL;
    a->type = r->type;
    a->step = orr_he2hb_kernel_step(r, k);
    a->from = orr_owner_first(&r->owners, owner, orr_he2hb_first(&a->step));
    a->count = r->tiles - a->from;
    a->alone = r->owners.count == 1;
    a->task.owner = r->owners.node[owner];
    return a;
}

/* The columns of a panel, or without S what is behind the last one, in tiles up to that of row end-1. */
static void insert_panel(int prio, const struct orr_he2hb *r, struct args *a, int64_t end,
                         starpu_data_handle_t S)
{
    const int64_t j = orr_he2hb_column(&a->step);
    struct starpu_data_descr data[end - j + 3];
    int buffers = 0;
    for (int64_t i = j; i < end; i++)
        data[buffers++] =
            (struct starpu_data_descr){r->A[orr_he2hb_at(i, j)], S ? STARPU_RW : STARPU_R};
    /* the first one in a tile column fills what nobody has written */
    data[buffers++] =
        (struct starpu_data_descr){r->B[j], orr_he2hb_inside(&a->step) ? STARPU_RW : STARPU_W};
    a->own = S ? buffers : -1;
    if (S) {
        data[buffers++] = (struct starpu_data_descr){S, STARPU_W};
        data[buffers++] =
            (struct starpu_data_descr){a->alone ? x_of(r, a->step.k, 0) : r->V, STARPU_W};
    }
    a->from = j;
    a->count = end - j;
    orr_submit(a, sizeof *a, &panel_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data, buffers);
}

static struct args *make_panel_args(struct orr_request *req, const struct orr_he2hb *r, int64_t k)
{
    return make_args(req, r, k, orr_owner_of(&r->owners, orr_he2hb_panel_tile(r, k)));
}

void orr_insert_he2hb_whole_panel(struct orr_request *req, int prio, const struct orr_he2hb *r,
                                  int64_t k, int64_t parts)
{
    struct args *a = make_panel_args(req, r, k);
    if (!a)
        return;
    a->task.parts = parts;
    a->ended = k == r->steps - 1 ? r->ended : NULL;
    orr_cost(&a->task, orr_he2hb_rows(&a->step) * r->b * r->b, r->b,
             orr_cost_class(orr_he2hb_rows(&a->step)));
    insert_panel(prio, r, a, r->tiles, r->S[k]);
}

void orr_insert_he2hb_whole_band(struct orr_request *req, int prio, const struct orr_he2hb *r,
                                 int64_t k)
{
    struct args *a = make_panel_args(req, r, k);
    if (!a)
        return;
    orr_cost(&a->task, r->b * r->b, r->b, 0);
    insert_panel(prio, r, a, orr_he2hb_band_end(r, k) + 1, NULL);
}

void orr_insert_he2hb_products(struct orr_request *req, int prio, const struct orr_he2hb *r,
                               int64_t k, int64_t way, const struct orr_he2hb_turn *turn,
                               int begins)
{
    struct args *a = make_args(req, r, k, turn->owner);
    if (!a)
        return;
    int where[MOST][MOST];
    a->rows = orr_he2hb_way_of(r, k, way, a->row);
    a->turn = *turn;
    a->begins = begins;
    int buffers = name_tiles(a, where);
    struct starpu_data_descr data[buffers + 4];
    for (int i = 0; i < MOST; i++)
        for (int j = 0; j <= i; j++)
            if (where[i][j] >= 0)
                data[where[i][j]] = (struct starpu_data_descr){r->A[orr_he2hb_at(i, j)], STARPU_R};
    data[buffers++] = (struct starpu_data_descr){x_of(r, k, turn->owner), begins     ? STARPU_W
                                                                          : a->alone ? STARPU_RW
                                                                                     : STARPU_R};
    data[buffers++] =
        (struct starpu_data_descr){r->P[way], turn->from[0] == 0 ? STARPU_W : STARPU_RW};
    if (begins || turn->last)
        data[buffers++] = (struct starpu_data_descr){r->S[k], STARPU_R};
    if (begins)
        data[buffers++] = (struct starpu_data_descr){r->V, STARPU_R};
    int64_t entries = 0, term[MOST];
    for (int64_t t = 0; t < a->rows; t++) {
        orr_he2hb_order(&a->step, 1, a->row[t], term);
        for (int64_t i = turn->from[t]; i < turn->to[t]; i++)
            entries +=
                orr_he2hb_tile_rows(&a->step, a->row[t]) * orr_he2hb_tile_rows(&a->step, term[i]);
    }
    orr_cost(&a->task, entries * r->b, r->b, orr_cost_class(entries));
    orr_submit(a, sizeof *a, &products_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               buffers);
}

void orr_insert_he2hb_factors(struct orr_request *req, int prio, const struct orr_he2hb *r,
                              int64_t k, int owner)
{
    struct args *a = make_args(req, r, k, owner);
    if (!a)
        return;
    const int64_t ways = orr_he2hb_ways(r);
    struct starpu_data_descr data[2 + ways];
    data[0] = (struct starpu_data_descr){x_of(r, k, owner), STARPU_RW};
    data[1] = (struct starpu_data_descr){r->S[k], STARPU_R};
    for (int64_t way = 0; way < ways; way++) {
        int64_t row[MOST];
        const int64_t count = orr_he2hb_way_of(r, k, way, row);
        for (int64_t t = 0; t < count; t++)
            a->way[row[t]] = (int)a->rows;
        if (count > 0)
            data[2 + a->rows++] = (struct starpu_data_descr){r->P[way], STARPU_R};
    }
    const int64_t rows = r->n - orr_most(a->from * r->T, (k + 1) * r->b);
    orr_cost(&a->task, rows * r->b * r->b, r->b, orr_cost_class(rows));
    orr_submit(a, sizeof *a, &factors_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               (int)(2 + a->rows));
}

void orr_insert_he2hb_updates(struct orr_request *req, int prio, const struct orr_he2hb *r,
                              int64_t k, int owner, int64_t from, int64_t to)
{
    struct starpu_data_descr data[orr_he2hb_at(MOST, 0) + 1];
    int64_t entries = 0;
    int buffers = 0;
    if (from >= to || orr_owner_first(&r->owners, owner, from / r->T) * r->T >= to)
        return;
    struct args *a = make_args(req, r, k, owner);
    if (!a)
        return;
    a->from = from;
    a->to = to;
    for (int64_t j = from / r->T; j * r->T < to; j++) {
        if (orr_owner_of(&r->owners, j) != owner)
            continue;
        const int64_t begin = orr_most(from, j * r->T), end = orr_least(to, (j + 1) * r->T);
        a->row[a->rows++] = j;
        entries += (end - begin) * (r->n - begin);
        for (int64_t i = j; i < r->tiles; i++)
            data[buffers++] = (struct starpu_data_descr){r->A[orr_he2hb_at(i, j)], STARPU_RW};
    }
    a->own = buffers;
    data[buffers++] = (struct starpu_data_descr){x_of(r, k, owner), STARPU_R};
    orr_cost(&a->task, entries * r->b, r->b, a->rows, orr_cost_class(entries));
    orr_submit(a, sizeof *a, &updates_codelet[r->type], prio, STARPU_DATA_MODE_ARRAY, data,
               buffers);
}
