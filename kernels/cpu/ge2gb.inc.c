/* Bodies of ge2gb for one scalar type T (real type R); see ge2gb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "block_reflector.inc.c"

static void FN(orr_ge2gb_load_cpu)(const orr_ge2gb_copy *x, const void *from_, int64_t ld_from,
                                   void *to_, int64_t ld_to)
{
    const T *from = from_;
    const R scale = (R)x->scale;
    T *to = to_;
    for (int64_t j = 0; j < x->columns; j++)
        for (int64_t i = 0; i < x->rows; i++)
            if (i - j > x->below)
                to[i + j * ld_to] = 0;
            else
                to[i + j * ld_to] = scale * (x->adjoint ? CONJ(from[j + i * ld_from])
                                                        : from[i + j * ld_from]);
}

/* ---- Panel --------------------------------------------------------------------------------- */

/* The panel, from the right its conjugate transpose, is gathered from its tiles into q, rows x
 * width; or the upper triangle of q is put back. */
static void FN(move_panel)(const orr_ge2gb_step *s, const orr_ge2gb_tile *panel, T *q, int back)
{
    const int64_t row = orr_ge2gb_row(s), first = orr_ge2gb_first(s), rows = orr_ge2gb_rows(s);
    const int64_t width = orr_ge2gb_panel_width(s);
    for (int64_t t = first; t < orr_ge2gb_tiles(s); t++) {
        const orr_ge2gb_part p = orr_ge2gb_in_tile(s, t, row, orr_ge2gb_end(s));
        const int64_t at = t * s->tile - row, ld = panel[t - first].ld;
        T *a = panel[t - first].a;
        for (int64_t c = 0; c < width; c++)
            for (int64_t r = p.from; r < p.to && !(back && at + r > c); r++) {
                T *x = s->right ? a + c + r * ld : a + r + c * ld;
                T *y = q + c * rows + at + r;
                if (back)
                    *x = s->right ? CONJ(*y) : *y;
                else
                    *y = s->right ? CONJ(*x) : *x;
            }
    }
}

static orr_status FN(orr_ge2gb_panel_cpu)(const orr_ge2gb_step *s, const orr_ge2gb_tile *panel,
                                          void *v, void *s_)
{
    const int64_t rows = orr_ge2gb_rows(s), width = orr_ge2gb_panel_width(s);
    const int64_t w = orr_ge2gb_width(s);
    T *q = malloc((size_t)((rows + 65) * width) * sizeof *q);
    if (!q)
        return ORR_E_NOMEM;
    FN(move_panel)(s, panel, q, 0);
    FN(factor_panel)(rows, width, q, s_);
    FN(move_panel)(s, panel, q, 1);
    FN(whole_reflectors)(rows, w, q);
    memcpy(v, q, (size_t)(rows * w) * sizeof *q);
    free(q);
    return ORR_OK;
}

static orr_status FN(orr_ge2gb_move_cpu)(orr_stream stream, const orr_ge2gb_step *s, int64_t t,
                                         orr_ge2gb_tile tile, void *q_, int back)
{
    const orr_ge2gb_part p = orr_ge2gb_in_tile(s, t, orr_ge2gb_row(s), orr_ge2gb_end(s));
    const int64_t width = orr_ge2gb_panel_width(s), inside = orr_ge2gb_inside(s);
    const int64_t rows = s->right ? width : p.to - p.from, ldq = orr_ge2gb_q_ld(s);
    const int64_t columns = s->right ? p.to - p.from : width;
    T *a = (T *)tile.a + (s->right ? inside + p.from * tile.ld : p.from + inside * tile.ld);
    T *q = (T *)q_ + (s->right ? p.from * ldq : p.from);
    (void)stream;
    for (int64_t c = 0; c < columns; c++) {
        T *x = a + c * tile.ld, *y = q + c * ldq;
        memcpy(back ? x : y, back ? y : x, (size_t)rows * sizeof(T));
    }
    return ORR_OK;
}

/* ---- Product and update ---------------------------------------------------------------------- */

static orr_status FN(orr_ge2gb_product_cpu)(orr_stream stream, const orr_ge2gb_step *s, int64_t t,
                                            int64_t from, int64_t to, const orr_ge2gb_tile *line,
                                            const void *v_, const void *s_, void *y_)
{
    const int64_t row = orr_ge2gb_row(s), first = orr_ge2gb_first(s), rows = orr_ge2gb_rows(s);
    const int64_t w = orr_ge2gb_width(s);
    const orr_ge2gb_part c = orr_ge2gb_in_tile(s, t, orr_ge2gb_across(s), s->right ? s->m : s->n);
    const int64_t count = c.to - c.from;
    T *y = (T *)y_ + (s->right ? c.from : c.from * w);
    (void)stream;
    for (int64_t i = from; i < to; i++) {
        const orr_ge2gb_part p = orr_ge2gb_in_tile(s, i, row, orr_ge2gb_end(s));
        const T *v = (const T *)v_ + i * s->tile + p.from - row, *a = line[i - from].a;
        const int64_t ld = line[i - from].ld, length = p.to - p.from;
        if (s->right)
            FN(multiply)("N", "N", count, w, length, 1, a + c.from + p.from * ld, ld, v, rows,
                         i > first, y, s->tile);
        else
            FN(multiply)("C", "N", w, count, length, 1, v, rows, a + p.from + c.from * ld, ld,
                         i > first, y, w);
    }
    if (to < orr_ge2gb_tiles(s))
        return ORR_OK;
    if (s->right)
        FN(times_triangle)("R", "N", count, w, s_, w, y, s->tile);
    else
        FN(times_triangle)("L", "C", w, count, s_, w, y, w);
    return ORR_OK;
}

static orr_status FN(orr_ge2gb_update_cpu)(orr_stream stream, const orr_ge2gb_step *s, int64_t i,
                                           int64_t j, orr_ge2gb_tile t, const void *v_,
                                           const void *y_)
{
    const int64_t row = orr_ge2gb_row(s), across = orr_ge2gb_across(s), rows = orr_ge2gb_rows(s);
    const int64_t w = orr_ge2gb_width(s);
    const orr_ge2gb_part r = orr_ge2gb_in_tile(s, i, s->right ? across : row, s->m);
    const orr_ge2gb_part c = orr_ge2gb_in_tile(s, j, s->right ? row : across, s->n);
    T *a = (T *)t.a + r.from + c.from * t.ld;
    (void)stream;
    if (s->right)
        FN(multiply)("N", "C", r.to - r.from, c.to - c.from, w, -1, (const T *)y_ + r.from, s->tile,
                     (const T *)v_ + j * s->tile + c.from - row, rows, 1, a, t.ld);
    else
        FN(multiply)("N", "N", r.to - r.from, c.to - c.from, w, -1,
                     (const T *)v_ + i * s->tile + r.from - row, rows, (const T *)y_ + c.from * w,
                     w, 1, a, t.ld);
    return ORR_OK;
}

/* ---- Back-transformation --------------------------------------------------------------------- */

static orr_status FN(orr_ge2gb_apply_cpu)(orr_stream stream, const orr_ge2gb_step *s, const void *v,
                                          const void *S, int64_t c, void *e_, int64_t lde)
{
    const int64_t w = orr_ge2gb_width(s), rows = orr_ge2gb_rows(s);
    T *e = (T *)e_ + orr_ge2gb_row(s), *y = malloc((size_t)(w * c) * sizeof *y + 1);
    (void)stream;
    if (!y)
        return ORR_E_NOMEM;
    FN(multiply)("C", "N", w, c, rows, 1, v, rows, e, lde, 0, y, w);
    FN(times_triangle)("L", "N", w, c, S, w, y, w);
    FN(multiply)("N", "N", rows, c, w, -1, v, rows, y, w, 1, e, lde);
    free(y);
    return ORR_OK;
}
