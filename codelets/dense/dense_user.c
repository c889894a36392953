/* See dense_user.h. Before there are tasks, since none may begin before; on a device it is two short
 * launches, and only the columns' largest components come home.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/dense/dense_user.h"

#include <stdlib.h>

#include "codelets/core/device.h"
#include "codelets/core/task.h"
#include "codelets/core/together.h"
#include "kernels/gb2bd.h"
#include "kernels/he2hb.h"

/* ---- In main memory: some columns at a time -------------------------------------------------- */

enum { COLUMNS = 64 };

static int64_t pieces_of(int64_t n) { return (n + COLUMNS - 1) / COLUMNS; }

struct here {
    orr_type type;
    int64_t m, n, columns; /* of a piece */
    const struct orr_dense *u;
    void *largest;
    orr_gb2bd_screened *piece;
};

static void largest_of_piece(void *arg, int64_t i)
{
    const struct here *x = arg;
    orr_he2hb_largest_cpu[x->type](x->n, x->u->upper, x->u->a, x->u->lda, i * COLUMNS, COLUMNS,
                                   x->largest);
}

/* A whole matrix in main memory is a band. */
static orr_gb2bd_screened look_at(orr_type type, int64_t m, int64_t n, const void *a, int64_t lda)
{
    const uintptr_t begin = (uintptr_t)a - (size_t)(n - 1) * orr_element_size(type);
    const orr_gb2bd_source all = {
        .ab = (const void *)begin, .m = m, .n = n, .kl = m - 1, .ku = n - 1, .ldab = lda + 1};
    return orr_gb2bd_screen_cpu[type](&all);
}

static void look_at_piece(void *arg, int64_t i)
{
    const struct here *x = arg;
    const int64_t first = i * x->columns, left = x->n - first;
    const size_t skipped = (size_t)(first * x->u->lda) * orr_element_size(x->type);
    x->piece[i] = look_at(x->type, x->m, orr_least(left, x->columns),
                          (const char *)x->u->a + skipped, x->u->lda);
}

static orr_status look_at_pieces(struct here *x, orr_gb2bd_screened *s)
{
    const int64_t pieces = (x->n + x->columns - 1) / x->columns;
    x->piece = malloc((size_t)pieces * sizeof *x->piece);
    if (!x->piece)
        return ORR_E_NOMEM;
    orr_together(pieces, (double)(x->m * x->n) * (double)orr_element_size(x->type), look_at_piece,
                 x);
    for (int64_t i = 0; i < pieces && s->row < 0; i++) {
        s->largest = x->piece[i].largest > s->largest ? x->piece[i].largest : s->largest;
        if (x->piece[i].row >= 0) {
            s->row = x->piece[i].row;
            s->column = x->piece[i].column + i * x->columns;
        }
    }
    free(x->piece);
    return ORR_OK;
}

/* A matrix without gaps may have any number of rows: few columns and few rows are shared out like others. */
static orr_status look_everywhere(struct here *x, orr_gb2bd_screened *s)
{
    enum { ROWS = 1 << 13 };
    const int64_t m = x->m, n = x->n, whole = m * n / ROWS * ROWS;
    struct orr_dense rest = *x->u, all = *x->u;
    if (x->u->lda > m || m == ROWS || whole == 0)
        return look_at_pieces(x, s);
    all.lda = ROWS;
    rest.a = (char *)rest.a + (size_t)whole * orr_element_size(x->type);
    struct here long_ones = {
        .type = x->type, .m = ROWS, .n = whole / ROWS, .columns = 1, .u = &all};
    orr_status st = look_at_pieces(&long_ones, s);
    int64_t at = s->row >= 0 ? s->column * ROWS + s->row : -1;
    if (st == ORR_OK && at < 0 && whole < m * n) {
        const orr_gb2bd_screened end = look_at(x->type, m * n - whole, 1, rest.a, m * n - whole);
        s->largest = end.largest > s->largest ? end.largest : s->largest;
        at = end.row >= 0 ? whole + end.row : -1;
    }
    s->row = at < 0 ? -1 : at % m;
    s->column = at < 0 ? -1 : at / m;
    return st;
}

/* ---- On a device ----------------------------------------------------------------------------- */

#ifdef ORR_WITH_CUDA
struct there {
    orr_type type;
    int64_t m, n;
    int part;
    const struct orr_dense *u;
    double scale;
    void *largest; /* out, in main memory */
};

static orr_status find_largest(orr_stream stream, void *arg)
{
    const struct there *x = arg;
    const size_t bytes = (size_t)x->n * orr_real_size(x->type);
    void *largest = orr_device_alloc(bytes);
    if (!largest)
        return ORR_E_NOMEM;
    orr_status st =
        orr_he2hb_largest_cuda[x->type](stream, x->m, x->n, x->part, x->u->a, x->u->lda, largest);
    if (st == ORR_OK && !orr_device_copy(x->largest, largest, bytes))
        st = ORR_E_DEVICE;
    orr_device_free(largest);
    return st;
}

/* What a look needs at home, m or n entries, for free(): first the columns' largest components. */
static orr_status largest_there(orr_type type, int64_t m, int64_t n, int part,
                                const struct orr_dense *u, void **home)
{
    *home = malloc((size_t)(m > n ? m : n) * orr_element_size(type) + 1);
    struct there x = {.type = type, .m = m, .n = n, .part = part, .u = u, .largest = *home};
    return !*home ? ORR_E_NOMEM : n > 0 ? orr_device_do(u->a, find_largest, &x) : ORR_OK;
}

static int bring_column(orr_type type, int64_t m, const struct orr_dense *u, int64_t j, void *home)
{
    const size_t size = orr_element_size(type);
    return orr_device_copy(home, (const char *)u->a + (size_t)(j * u->lda) * size,
                           (size_t)m * size);
}

static orr_status screen_triangle(orr_type type, int64_t n, const struct orr_dense *u,
                                  orr_he2hb_screened *s)
{
    void *home;
    orr_status st = largest_there(type, n, n, u->upper, u, &home);
    if (st == ORR_OK)
        orr_he2hb_judge_cpu[type](n, home, s);
    if (st == ORR_OK && s->column >= 0) {
        if (bring_column(type, n, u, s->column, home))
            s->row = orr_he2hb_bad_row_cpu[type](n, s->column, u->upper, home);
        else
            st = ORR_E_DEVICE;
    }
    free(home);
    return st;
}

/* What the columns come to is looked at as a column itself. */
static orr_status screen_whole(orr_type type, int64_t m, int64_t n, const struct orr_dense *u,
                               orr_gb2bd_screened *s)
{
    void *home;
    orr_status st = largest_there(type, m, n, ORR_WHOLE, u, &home);
    if (st == ORR_OK)
        *s = look_at(orr_real_size(type) == sizeof(float) ? ORR_S : ORR_D, n, 1, home, n);
    if (st == ORR_OK && s->row >= 0) {
        s->column = s->row;
        if (bring_column(type, m, u, s->column, home))
            s->row = look_at(type, m, 1, home, m).row;
        else
            st = ORR_E_DEVICE;
    }
    free(home);
    return st;
}

static orr_status load_whole(orr_stream stream, void *arg)
{
    const struct there *x = arg;
    const orr_he2hb_loading loading = {
        .rows = x->n, .columns = x->n, .upper = x->u->upper, .diagonal = 1, .scale = x->scale};
    return orr_he2hb_load_cuda[x->type](stream, &loading, x->u->a, x->u->lda, x->u->a, x->u->lda);
}

orr_status orr_he2hb_load_there(orr_type type, int64_t n, const struct orr_dense *u, double scale)
{
    struct there x = {.type = type, .n = n, .u = u, .scale = scale};
    return orr_device_do(u->a, load_whole, &x);
}
#else
static orr_status screen_triangle(orr_type type, int64_t n, const struct orr_dense *u,
                                  orr_he2hb_screened *s)
{
    (void)type, (void)n, (void)u, (void)s;
    return ORR_E_DEVICE;
}
static orr_status screen_whole(orr_type type, int64_t m, int64_t n, const struct orr_dense *u,
                               orr_gb2bd_screened *s)
{
    (void)type, (void)m, (void)n, (void)u, (void)s;
    return ORR_E_DEVICE;
}
orr_status orr_he2hb_load_there(orr_type type, int64_t n, const struct orr_dense *u, double scale)
{
    (void)type, (void)n, (void)u, (void)scale;
    return ORR_E_DEVICE;
}
#endif

/* ---- Either ---------------------------------------------------------------------------------- */

static orr_status screen_here(orr_type type, int64_t n, const struct orr_dense *u,
                              orr_he2hb_screened *s)
{
    const size_t size = orr_element_size(type);
    struct here x = {.type = type, .n = n, .u = u, .largest = malloc((size_t)n * size + 1)};
    if (!x.largest)
        return ORR_E_NOMEM;
    orr_together(pieces_of(n), 0.5 * (double)(n * n) * (double)size, largest_of_piece, &x);
    orr_he2hb_judge_cpu[type](n, x.largest, s);
    free(x.largest);
    if (s->column >= 0)
        s->row = orr_he2hb_bad_row_cpu[type](
            n, s->column, u->upper, (const char *)u->a + (size_t)(s->column * u->lda) * size);
    return ORR_OK;
}

struct orr_dense_look orr_he2hb_screen(orr_type type, int64_t n, const struct orr_dense *u)
{
    orr_he2hb_screened s = {.row = -1, .column = -1, .scale = 1};
    const orr_status st = u->on ? screen_triangle(type, n, u, &s) : screen_here(type, n, u, &s);
    return (struct orr_dense_look){
        .row = s.row, .column = s.column, .scale = s.scale, .status = st};
}

struct orr_dense_look orr_ge2gb_screen(orr_type type, int64_t m, int64_t n,
                                       const struct orr_dense *u)
{
    orr_gb2bd_screened s = {.row = -1, .column = -1};
    struct here x = {.type = type, .m = m, .n = n, .columns = COLUMNS, .u = u};
    orr_status st = ORR_OK;
    if (m > 0 && n > 0)
        st = u->on ? screen_whole(type, m, n, u, &s) : look_everywhere(&x, &s);
    return (struct orr_dense_look){
        .row = s.row, .column = s.column, .largest = s.largest, .status = st};
}
