/* Bodies of he2hb for one scalar type T (real type R); see he2hb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#include "block_reflector.inc.c"

/* ---- Panel --------------------------------------------------------------------------------- */

/* V, m x w, as QR leaves it -> ones on its diagonal, zeros above. */
static void FN(unit_lower)(int64_t rows, int64_t w, const T *v, int64_t ldv, T *to, int64_t ld)
{
    for (int64_t c = 0; c < w; c++)
        for (int64_t r = 0; r < rows; r++)
            to[c * ld + r] = r > c ? v[c * ldv + r] : r == c ? 1 : 0;
}

/* The panel, m x b, is gathered from its tiles into q or put back. */
static void FN(move_panel)(const orr_he2hb_step *s, const orr_he2hb_tile *column, T *q, int back)
{
    const int64_t first = orr_he2hb_first(s), m = s->n - orr_he2hb_row(s);
    for (int64_t i = first, at = 0; i < orr_he2hb_tiles(s); i++) {
        const int64_t from = orr_he2hb_from(s, i), rows = orr_he2hb_to(s, i) - from;
        const int64_t ld = column[i - first].ld;
        T *a = (T *)column[i - first].a + from;
        for (int64_t c = 0; c < s->b; c++) {
            T *x = a + c * ld, *y = q + c * m + at;
            memcpy(back ? x : y, back ? y : x, (size_t)rows * sizeof(T));
        }
        at += rows;
    }
}

static orr_status FN(orr_he2hb_panel_cpu)(const orr_he2hb_step *s, const orr_he2hb_tile *column,
                                          void *const *x, void *s_)
{
    const int64_t first = orr_he2hb_first(s), m = s->n - orr_he2hb_row(s), w = orr_he2hb_width(s);
    T *q = malloc(((size_t)m + 65) * (size_t)s->b * sizeof *q), *S = s_;
    if (!q)
        return ORR_E_NOMEM;
    FN(move_panel)(s, column, q, 0);
    FN(factor_panel)(m, s->b, q, S);
    FN(move_panel)(s, column, q, 1);

    if (x) {
        FN(unit_lower)(w, w, q, m, S + w * w, w);
        FN(whole_reflectors)(m, w, q);
    }
    for (int64_t i = first, at = 0; x && i < orr_he2hb_tiles(s); i++) {
        const int64_t from = orr_he2hb_from(s, i), rows = orr_he2hb_to(s, i) - from;
        T *X = (T *)x[i - first] + from;
        for (int64_t c = 0; c < w; c++) {
            memcpy(X + c * s->tile, q + c * m + at, (size_t)rows * sizeof(T));
            memcpy(X + (2 * w + c) * s->tile, q + c * m + at, (size_t)rows * sizeof(T));
        }
        at += rows;
    }
    free(q);
    return ORR_OK;
}

static orr_status FN(orr_he2hb_move_cpu)(orr_stream stream, const orr_he2hb_step *s, int64_t i,
                                         orr_he2hb_tile t, orr_he2hb_tile q, int back)
{
    const int64_t from = orr_he2hb_piece_from(s, i), rows = orr_he2hb_to(s, i) - from;
    (void)stream;
    for (int64_t c = 0; c < orr_he2hb_panel_width(s); c++) {
        T *x = (T *)t.a + (orr_he2hb_inside(s) + c) * t.ld + from, *y = (T *)q.a + c * q.ld + from;
        memcpy(back ? x : y, back ? y : x, (size_t)rows * sizeof(T));
    }
    return ORR_OK;
}

/* The panel's columns of the band; found: there are reflectors in q, and R's place becomes theirs. */
static void FN(fill_band)(const orr_he2hb_step *s, const orr_he2hb_tile *q, T *ab, int found)
{
    const int64_t begin = s->k * s->b, row = orr_he2hb_row(s), j = orr_he2hb_column(s);
    for (int64_t c = begin; c < begin + orr_he2hb_panel_width(s); c++)
        for (int64_t i = c; i < orr_least(c + s->b + 1, s->n); i++) {
            const orr_he2hb_tile *piece = &q[i / s->tile - j];
            T *x = (T *)piece->a + i % s->tile + (c - begin) * piece->ld;
            ab[i - c + c * (s->b + 1)] = *x;
            if (found && i >= row)
                *x = i - row == c - begin;
        }
}

static orr_status FN(orr_he2hb_panel_apart_cpu)(orr_stream stream, const orr_he2hb_step *s,
                                                const orr_he2hb_tile *q, void *ab, void *S, void *v)
{
    const int64_t above = orr_he2hb_first(s) - orr_he2hb_column(s); /* tile rows */
    (void)stream;
    const orr_status st = S ? FN(orr_he2hb_panel_cpu)(s, q + above, NULL, S) : ORR_OK;
    if (st == ORR_OK)
        FN(fill_band)(s, q, ab, S != NULL);
    if (st == ORR_OK && v)
        FN(move_panel)(s, q + above, v, 0);
    return st;
}

static orr_status FN(orr_he2hb_spread_cpu)(orr_stream stream, const orr_he2hb_step *s, int64_t from,
                                           int64_t count, const orr_he2hb_tile *q, void *const *x)
{
    const int64_t w = orr_he2hb_width(s);
    (void)stream;
    for (int64_t i = from; i < from + count; i++) {
        const int64_t begin = orr_he2hb_from(s, i), rows = orr_he2hb_to(s, i) - begin;
        for (int64_t c = 0; c < w; c++) {
            const T *y = (const T *)q[i - from].a + c * q[i - from].ld + begin;
            T *V = (T *)x[i - from] + c * s->tile + begin;
            memcpy(V, y, (size_t)rows * sizeof(T));
            memcpy(V + 2 * w * s->tile, y, (size_t)rows * sizeof(T));
        }
    }
    return ORR_OK;
}

/* ---- Product and update ---------------------------------------------------------------------- */

/* What a product adds up: terms of tile rows j[0], j[1], ... */
typedef struct {
    int64_t i, count;
    const int64_t *j;
    const orr_he2hb_tile *row;
    const void *const *x;
} FN(terms);

/* The tile of term k from its first row and column in the step on, and V of that tile row. */
static const T *FN(term)(const orr_he2hb_step *s, const FN(terms) *t, int64_t k, const T **v)
{
    const int64_t j = t->j[k], from = orr_he2hb_from(s, t->i), from_j = orr_he2hb_from(s, j);
    const int64_t row = j > t->i ? from_j : from, column = j > t->i ? from : from_j;
    *v = (const T *)t->x[k] + from_j;
    return (const T *)t->row[k].a + row + column * t->row[k].ld;
}

static void FN(multiply_tiles)(const orr_he2hb_step *s, const FN(terms) *t, int begins, T *p,
                               int64_t ldp)
{
    const int64_t w = orr_he2hb_width(s), i = t->i,
                  rows = orr_he2hb_to(s, i) - orr_he2hb_from(s, i);
    for (int64_t k = 0; k < t->count; k++) {
        const int64_t j = t->j[k], ld = t->row[k].ld;
        const int64_t terms = orr_he2hb_to(s, j) - orr_he2hb_from(s, j);
        const R beta = !(begins && k == 0);
        const T *v, *a = FN(term)(s, t, k, &v);
        if (i != j) {
            FN(multiply)(j > i ? "C" : "N", "N", rows, w, terms, 1, a, ld, v, s->tile, beta, p,
                         ldp);
            continue;
        }
        const int32_t r_ = (int32_t)rows, w_ = (int32_t)w, a_ld = (int32_t)ld;
        const int32_t T_ = (int32_t)s->tile, p_ld = (int32_t)ldp;
        const T one = 1, be = beta;
#if IS_COMPLEX
        LAPACK(hemm_)("L", "L", &r_, &w_, &one, a, &a_ld, v, &T_, &be, p, &p_ld);
#else
        LAPACK(symm_)("L", "L", &r_, &w_, &one, a, &a_ld, v, &T_, &be, p, &p_ld);
#endif
    }
}

static orr_status FN(sum_tiles)(const orr_he2hb_step *s, const FN(terms) *t, int begins, T *p,
                                int64_t ldp)
{
    const int64_t i = t->i, rows = orr_he2hb_to(s, i) - orr_he2hb_from(s, i);
    orr_tile_sum sum;
    if (!FN(orr_tile_sum_begin)(&sum, rows, orr_he2hb_width(s), s->tile, 0, begins ? NULL : p, ldp))
        return ORR_E_NOMEM;
    for (int64_t k = 0; k < t->count; k++) {
        const int64_t j = t->j[k];
        const T *v, *a = FN(term)(s, t, k, &v);
        FN(orr_tile_sum_add)(&sum,
                             j < i   ? ORR_TILE
                             : j > i ? ORR_TILE_ADJOINT
                                     : ORR_TILE_HERMITIAN,
                             orr_he2hb_to(s, j) - orr_he2hb_from(s, j), a, t->row[k].ld, v,
                             s->tile);
    }
    FN(orr_tile_sum_end)(&sum, p, ldp);
    return ORR_OK;
}

static orr_status FN(orr_he2hb_product_cpu)(orr_stream stream, const orr_he2hb_step *s, int64_t i,
                                            int64_t count, const int64_t *list, int begins,
                                            const orr_he2hb_tile *row, const void *const *x,
                                            const void *own, const void *s_, orr_he2hb_tile p_,
                                            void *n)
{
    const FN(terms) terms = {.i = i, .count = count, .j = list, .row = row, .x = x};
    const int64_t w = orr_he2hb_width(s), ldp = p_.ld;
    const int64_t from = orr_he2hb_from(s, i), rows = orr_he2hb_to(s, i) - from;
    T *p = p_.a;
    (void)stream;
    if (!orr_tile_sum_pays())
        FN(multiply_tiles)(s, &terms, begins, p, ldp);
    else if (FN(sum_tiles)(s, &terms, begins, p, ldp) != ORR_OK)
        return ORR_E_NOMEM;
    if (!own)
        return ORR_OK;
    FN(times_triangle)("R", "N", rows, w, s_, w, p, ldp);
    FN(multiply)("C", "N", w, w, rows, 1, (const T *)own + from, s->tile, p, ldp, 0, n, w);
    return ORR_OK;
}

static orr_status FN(orr_he2hb_middle_cpu)(orr_stream stream, const orr_he2hb_step *s,
                                           const void *const *n, const void *s_, void *m_)
{
    const int64_t w = orr_he2hb_width(s), count = orr_he2hb_tiles(s) - orr_he2hb_first(s);
    T *m = m_;
    (void)stream;
    memset(m, 0, (size_t)(w * w) * sizeof *m);
    for (int64_t i = 0; i < count; i++) {
        const T *part = n[i];
        for (int64_t k = 0; k < w * w; k++)
            m[k] -= (R)0.5 * part[k];
    }
    FN(times_triangle)("L", "C", w, w, s_, w, m, w);
    return ORR_OK;
}

static orr_status FN(orr_he2hb_factor_cpu)(orr_stream stream, const orr_he2hb_step *s, int64_t i,
                                           orr_he2hb_tile p, const void *m, void *x_)
{
    const int64_t w = orr_he2hb_width(s);
    const int64_t from = orr_he2hb_from(s, i), rows = orr_he2hb_to(s, i) - from;
    T *x = (T *)x_ + from, *W = x + w * s->tile;
    (void)stream;
    for (int64_t c = 0; c < w; c++)
        memcpy(W + c * s->tile, (const T *)p.a + c * p.ld, (size_t)rows * sizeof(T));
    FN(multiply)("N", "N", rows, w, w, 1, x, s->tile, m, w, 1, W, s->tile);
    return ORR_OK;
}

static orr_status FN(orr_he2hb_update_cpu)(orr_stream stream, const orr_he2hb_step *s, int64_t i,
                                           int64_t j, int64_t from, int64_t to, orr_he2hb_tile t,
                                           const void *xi_, const void *xj_)
{
    const int64_t w = orr_he2hb_width(s), columns = to - from;
    const int64_t top = i == j ? to : orr_he2hb_from(s, i), rows = orr_he2hb_to(s, i) - top;
    const T *xi = xi_, *wv = (const T *)xj_ + from + w * s->tile;
    T *a = (T *)t.a + from * t.ld;
    (void)stream;
    if (i == j) {
        const int32_t n_ = (int32_t)columns, w_ = (int32_t)w, T_ = (int32_t)s->tile;
        const int32_t ld = (int32_t)t.ld;
        const T minus = -1;
        const R one = 1;
#if IS_COMPLEX
        LAPACK(her2k_)
        ("L", "N", &n_, &w_, &minus, xi + from, &T_, wv, &T_, &one, a + from, &ld);
#else
        LAPACK(syr2k_)
        ("L", "N", &n_, &w_, &minus, xi + from, &T_, wv, &T_, &one, a + from, &ld);
#endif
    }
    if (rows > 0)
        FN(multiply)("N", "C", rows, columns, 2 * w, -1, xi + top, s->tile, wv, s->tile, 1, a + top,
                     t.ld);
    return ORR_OK;
}

/* ---- Back-transformation ---------------------------------------------------------------------- */

static orr_status FN(orr_he2hb_join_cpu)(orr_stream stream, const orr_he2hb_step *s,
                                         const orr_he2hb_tile *column, const void *const *part,
                                         void *joined)
{
    const int64_t first = orr_he2hb_first(s), m = s->n - orr_he2hb_row(s), w = orr_he2hb_width(s);
    T *S = joined, *v = malloc((size_t)(m * w) * sizeof *v);
    (void)stream;
    if (!v)
        return ORR_E_NOMEM;
    for (int64_t i = first, at = 0; i < orr_he2hb_tiles(s); i++) {
        const int64_t from = orr_he2hb_from(s, i), rows = orr_he2hb_to(s, i) - from;
        const orr_he2hb_tile *t = &column[i - first];
        const T *x = (const T *)t->a + orr_he2hb_inside(s) * t->ld + from;
        for (int64_t c = 0; c < w; c++)
            memcpy(v + c * m + at, x + c * t->ld, (size_t)rows * sizeof *v);
        at += rows;
    }
    FN(join_parts)(m, w, s->b, v, part, S);
    FN(unit_lower)(w, w, v, m, S + w * w, w);
    free(v);
    return ORR_OK;
}

/* Y := V' E, or E := E - V Y: the first w rows of V, `top`, and by tiles those below. */
static void FN(each_piece)(const orr_he2hb_step *s, const orr_he2hb_tile *column, const T *top,
                           int64_t c, T *e, int64_t lde, T *y, int subtract)
{
    const int64_t first = orr_he2hb_first(s), w = orr_he2hb_width(s), row = orr_he2hb_row(s);
    const int64_t c0 = orr_he2hb_inside(s);
    if (subtract)
        FN(multiply)("N", "N", w, c, w, -1, top, w, y, w, 1, e + row, lde);
    else
        FN(multiply)("C", "N", w, c, w, 1, top, w, e + row, lde, 0, y, w);
    for (int64_t i = first; i < orr_he2hb_tiles(s); i++) {
        const int64_t from = row + w > i * s->tile ? row + w - i * s->tile : 0;
        const int64_t rows = orr_he2hb_to(s, i) - from, ld = column[i - first].ld;
        const T *v = (const T *)column[i - first].a + c0 * ld + from;
        T *part = e + i * s->tile + from;
        if (rows <= 0)
            continue;
        if (subtract)
            FN(multiply)("N", "N", rows, c, w, -1, v, ld, y, w, 1, part, lde);
        else
            FN(multiply)("C", "N", w, c, rows, 1, v, ld, part, lde, 1, y, w);
    }
}

static orr_status FN(orr_he2hb_apply_cpu)(orr_stream stream, const orr_he2hb_step *s,
                                          const orr_he2hb_tile *column, const void *S, int64_t c,
                                          void *e, int64_t lde, void *work)
{
    const int64_t w = orr_he2hb_width(s);
    const T *top = (const T *)S + w * w;
    T *y = malloc((size_t)(w * c) * sizeof *y + 1);
    (void)stream;
    (void)work;
    if (!y)
        return ORR_E_NOMEM;
    FN(each_piece)(s, column, top, c, e, lde, y, 0);
    FN(times_triangle)("L", "N", w, c, S, w, y, w);
    FN(each_piece)(s, column, top, c, e, lde, y, 1);
    free(y);
    return ORR_OK;
}
