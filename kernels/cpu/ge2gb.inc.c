/* Bodies of ge2gb for one scalar type T (real type R); see ge2gb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "block_reflector.inc.c"

static orr_status FN(orr_ge2gb_load_cpu)(orr_stream unused, const orr_ge2gb_copy *x,
                                         orr_ge2gb_tile from_, orr_ge2gb_tile to_)
{
    const T *const from = from_.a;
    const int64_t ld_from = from_.ld, ld_to = to_.ld;
    const R scale = (R)x->scale;
    T *const to = to_.a;
    (void)unused;
    for (int64_t j = 0; j < x->columns; j++)
        for (int64_t i = 0; i < x->rows; i++)
            if (i - j > x->below)
                to[i + j * ld_to] = 0;
            else
                to[i + j * ld_to] =
                    scale * (x->adjoint ? CONJ(from[j + i * ld_from]) : from[i + j * ld_from]);
    return ORR_OK;
}

/* ---- Stacks of triangles ---------------------------------------------------------------------- */

static void FN(orr_ge2gb_stack_cpu)(const orr_ge2gb_stack *s, const orr_ge2gb_tile *triangle,
                                    const orr_ge2gb_window *x, orr_ge2gb_tile to)
{
    for (int64_t r = 0, run; r < x->rows; r += run) {
        const orr_ge2gb_stacked from = orr_ge2gb_place_in(s, x->row + r);
        const int64_t ld = triangle[from.which].ld;
        const T *a = (const T *)triangle[from.which].a + from.row + x->column * ld;
        run = orr_least(from.run, x->rows - r);
        for (int64_t j = 0; j < x->columns; j++)
            for (int64_t i = 0; i < run; i++)
                ((T *)to.a)[r + i + j * to.ld] = from.row + i > x->column + j ? 0 : a[i + j * ld];
    }
}

static orr_status FN(orr_ge2gb_unstack_cpu)(const orr_ge2gb_stack *s, const int64_t *first,
                                            int64_t c, void *e_, int64_t lde)
{
    const int64_t rows = s->count * s->n;
    const size_t bytes = (size_t)rows * sizeof(T);
    T *x = malloc(bytes + 1);
    if (!x)
        return ORR_E_NOMEM;
    for (int64_t j = 0; j < c; j++) {
        T *e = (T *)e_ + j * lde;
        memcpy(x, e, bytes);
        memset(e, 0, bytes);
        for (int64_t r = 0; r < rows;) {
            const orr_ge2gb_stacked to = orr_ge2gb_place_in(s, r);
            memcpy(e + first[to.which] + to.row, x + r, (size_t)to.run * sizeof(T));
            r += to.run;
        }
    }
    free(x);
    return ORR_OK;
}

/* ---- Panel --------------------------------------------------------------------------------- */

/* The panel, from the right its conjugate transpose, is gathered from its tiles into q, rows x
 * width; or the upper triangle of q is put back. */
static void FN(move_panel)(const orr_ge2gb_step *s, const orr_ge2gb_tile *panel, T *q, int back)
{
    const int64_t first = orr_ge2gb_first(s), rows = orr_ge2gb_rows(s);
    const int64_t width = orr_ge2gb_panel_width(s);
    for (int64_t t = first, at = 0; t < orr_ge2gb_tiles(s); t++) {
        const orr_ge2gb_part p = orr_ge2gb_along(s, t);
        const int64_t count = p.to - p.from, ld = panel[t - first].ld;
        T *a = panel[t - first].a;
        for (int64_t c = 0; c < width; c++)
            for (int64_t r = 0; r < count && !(back && at + r > c); r++) {
                T *x = s->right ? a + c + r * ld : a + r + c * ld;
                T *y = q + c * rows + at + r;
                if (back)
                    *x = s->right ? CONJ(*y) : *y;
                else
                    *y = s->right ? CONJ(*x) : *x;
            }
        at += count;
    }
}

/* The upper triangle of q into the band. */
static void FN(put_in_band)(const orr_ge2gb_step *s, const T *q, T *ab)
{
    const int64_t rows = orr_ge2gb_rows(s), row = orr_ge2gb_row(s), beside = s->k * s->b;
    for (int64_t c = 0; c < orr_ge2gb_panel_width(s); c++)
        for (int64_t r = 0; r <= c && r < rows; r++) {
            const int64_t i = s->right ? beside + c : row + r, j = s->right ? row + r : beside + c;
            ab[j - i + i * (s->b + 1)] = s->right ? q[c * rows + r] : CONJ(q[c * rows + r]);
        }
}

static orr_status FN(orr_ge2gb_panel_cpu)(orr_stream stream, const orr_ge2gb_step *s,
                                          const orr_ge2gb_tile *panel, const orr_ge2gb_found *to)
{
    const int64_t rows = orr_ge2gb_rows(s), width = orr_ge2gb_panel_width(s);
    const int64_t w = orr_ge2gb_width(s), first = orr_ge2gb_first(s);
    T *q = malloc((size_t)((rows + 65) * width) * sizeof *q);
    (void)stream;
    if (!q)
        return ORR_E_NOMEM;
    FN(move_panel)(s, panel, q, 0);
    if (to->s)
        FN(factor_panel)(rows, width, q, to->s);
    if (to->ab)
        FN(put_in_band)(s, q, to->ab);
    else
        FN(move_panel)(s, panel, q, 1);
    FN(whole_reflectors)(rows, w, q);
    if (to->v)
        memcpy(to->v, q, (size_t)(rows * w) * sizeof *q);
    for (int64_t t = first, at = 0; to->s && to->part && t < orr_ge2gb_tiles(s); t++) {
        const orr_ge2gb_part p = orr_ge2gb_along(s, t);
        const int64_t count = p.to - p.from;
        for (int64_t c = 0; c < w; c++)
            memcpy((T *)to->part[t - first] + c * count, q + c * rows + at,
                   (size_t)count * sizeof *q);
        at += count;
    }
    free(q);
    return ORR_OK;
}

static orr_status FN(orr_ge2gb_move_cpu)(orr_stream stream, const orr_ge2gb_step *s, int64_t t,
                                         orr_ge2gb_tile tile, orr_ge2gb_tile q, int back)
{
    const orr_ge2gb_part p = orr_ge2gb_along(s, t);
    const int64_t width = orr_ge2gb_panel_width(s), inside = orr_ge2gb_inside(s);
    const int64_t rows = s->right ? width : p.to - p.from;
    const int64_t columns = s->right ? p.to - p.from : width;
    T *a = (T *)tile.a + (s->right ? inside + p.from * tile.ld : p.from + inside * tile.ld);
    (void)stream;
    for (int64_t c = 0; c < columns; c++) {
        T *x = a + c * tile.ld, *y = (T *)q.a + c * q.ld;
        memcpy(back ? x : y, back ? y : x, (size_t)rows * sizeof(T));
    }
    return ORR_OK;
}

/* ---- Product and update ---------------------------------------------------------------------- */

/* What a product of tile column or row i adds up: terms of the tiles j[0], j[1], ... along V. */
typedef struct {
    int64_t i, count;
    const int64_t *j;
    const orr_ge2gb_tile *line, *v;
} FN(terms);

/* The tile of term k from its first row and column in the step on; length: how many of them, along V. */
static const T *FN(term)(const orr_ge2gb_step *s, const FN(terms) *t, int64_t k, int64_t *length)
{
    const orr_ge2gb_part along = orr_ge2gb_along(s, t->j[k]), beside = orr_ge2gb_beside(s, t->i);
    const int64_t row = s->right ? beside.from : along.from;
    const int64_t column = s->right ? along.from : beside.from;
    *length = along.to - along.from;
    return (const T *)t->line[k].a + row + column * t->line[k].ld;
}

static void FN(multiply_tiles)(const orr_ge2gb_step *s, const FN(terms) *t, int64_t beside,
                               int begins, orr_ge2gb_tile y)
{
    const int64_t w = orr_ge2gb_width(s);
    for (int64_t k = 0; k < t->count; k++) {
        int64_t length;
        const T *a = FN(term)(s, t, k, &length);
        const int64_t ld = t->line[k].ld;
        const orr_ge2gb_tile v = t->v[k];
        const R beta = k > 0 || !begins;
        if (s->right)
            FN(multiply)("N", "N", beside, w, length, 1, a, ld, v.a, v.ld, beta, y.a, y.ld);
        else
            FN(multiply)("C", "N", w, beside, length, 1, v.a, v.ld, a, ld, beta, y.a, y.ld);
    }
}

static orr_status FN(sum_tiles)(const orr_ge2gb_step *s, const FN(terms) *t, int64_t beside,
                                int begins, orr_ge2gb_tile y)
{
    orr_tile_sum sum;
    if (!FN(orr_tile_sum_begin)(&sum, beside, orr_ge2gb_width(s), s->tile, !s->right,
                                begins ? NULL : y.a, y.ld))
        return ORR_E_NOMEM;
    for (int64_t k = 0; k < t->count; k++) {
        int64_t length;
        const T *a = FN(term)(s, t, k, &length);
        FN(orr_tile_sum_add)(&sum, s->right ? ORR_TILE : ORR_TILE_ADJOINT, length, a, t->line[k].ld,
                             t->v[k].a, t->v[k].ld);
    }
    FN(orr_tile_sum_end)(&sum, y.a, y.ld);
    return ORR_OK;
}

static orr_status FN(orr_ge2gb_product_cpu)(orr_stream stream, const orr_ge2gb_step *s, int64_t t,
                                            int64_t count, const int64_t *list, int begins,
                                            const orr_ge2gb_tile *line, const orr_ge2gb_tile *v,
                                            const void *s_, orr_ge2gb_tile y)
{
    const FN(terms) terms = {.i = t, .count = count, .j = list, .line = line, .v = v};
    const int64_t w = orr_ge2gb_width(s);
    const orr_ge2gb_part c = orr_ge2gb_beside(s, t);
    const int64_t beside = c.to - c.from;
    (void)stream;
    if (!orr_tile_sum_pays())
        FN(multiply_tiles)(s, &terms, beside, begins, y);
    else if (FN(sum_tiles)(s, &terms, beside, begins, y) != ORR_OK)
        return ORR_E_NOMEM;
    if (!s_)
        return ORR_OK;
    if (s->right)
        FN(times_triangle)("R", "N", beside, w, s_, w, y.a, y.ld);
    else
        FN(times_triangle)("L", "C", w, beside, s_, w, y.a, y.ld);
    return ORR_OK;
}

static orr_status FN(orr_ge2gb_update_cpu)(orr_stream stream, const orr_ge2gb_step *s, int64_t i,
                                           int64_t j, orr_ge2gb_tile t, orr_ge2gb_tile v,
                                           orr_ge2gb_tile y)
{
    const int64_t w = orr_ge2gb_width(s);
    const orr_ge2gb_part r = s->right ? orr_ge2gb_beside(s, i) : orr_ge2gb_along(s, i);
    const orr_ge2gb_part c = s->right ? orr_ge2gb_along(s, j) : orr_ge2gb_beside(s, j);
    T *a = (T *)t.a + r.from + c.from * t.ld;
    (void)stream;
    if (s->right)
        FN(multiply)("N", "C", r.to - r.from, c.to - c.from, w, -1, y.a, y.ld, v.a, v.ld, 1, a,
                     t.ld);
    else
        FN(multiply)("N", "N", r.to - r.from, c.to - c.from, w, -1, v.a, v.ld, y.a, y.ld, 1, a,
                     t.ld);
    return ORR_OK;
}

/* ---- Back-transformation --------------------------------------------------------------------- */

/* V of steps that are joined; NULL: no memory. */
static T *FN(joined_v)(const orr_ge2gb_step *s, const void *const *part)
{
    const int64_t rows = orr_ge2gb_rows(s), w = orr_ge2gb_width(s);
    T *v = calloc((size_t)(rows * w), sizeof *v);
    for (int64_t k = 0; v && k <= s->more; k++) {
        orr_ge2gb_step one = *s;
        one.k += k;
        one.more = 0;
        const int64_t length = orr_ge2gb_rows(&one);
        for (int64_t c = 0; c < orr_ge2gb_width(&one); c++)
            memcpy(v + k * s->b + (k * s->b + c) * rows, (const T *)part[k] + c * length,
                   (size_t)length * sizeof *v);
    }
    return v;
}

static orr_status FN(orr_ge2gb_join_cpu)(orr_stream stream, const orr_ge2gb_step *s,
                                         const void *const *v_, const void *const *part,
                                         void *joined)
{
    T *v = FN(joined_v)(s, v_);
    (void)stream;
    if (!v)
        return ORR_E_NOMEM;
    FN(join_parts)(orr_ge2gb_rows(s), orr_ge2gb_width(s), s->b, v, part, joined);
    free(v);
    return ORR_OK;
}
