/* ge2gb: what its kernels share. A dense m x n matrix, m >= n, becomes upper triangular with b
 * superdiagonals, the first stage of gesvd. It is cut into tiles A(i,j) of T rows and columns, T a
 * multiple of b. Step k takes columns from the left and rows from the right:
 *
 *     left   columns kb .. (k+1)b-1 from row kb on      = Q (R; 0)       A := Q' A
 *     right  rows kb .. (k+1)b-1 from column (k+1)b on  = (L 0) Q'       A := A Q
 *
 * with Q = I - V S V', V lower trapezoidal with ones on its diagonal, S upper triangular. For one
 * side of a step, `rows` of V are the matrix' rows (left) or columns (right) from orr_ge2gb_row on,
 * and it acts across the columns (left) or rows (right) from (k+1)b on:
 *
 *     panel    V, S; R or L stays in its place (what is beyond it is not kept), or goes into a band
 *     product  left: Y(j) := S' V' A(:,j)          right: Y(i) := A(i,:) V S
 *     update   left: A(i,j) -= V(i) Y(j)           right: A(i,j) -= Y(i) V(j)'
 *
 * What the tasks of a step pass on, column major, w = orr_ge2gb_width reflectors:
 *
 *     V      rows x w, leading dimension rows, all of it stored; or V(t), its rows of tile t, alone
 *     S      w x w, leading dimension w, zeros below its diagonal
 *     Y      left: w x T, leading dimension w; right: T x w, or without the rows of tile t that are
 *            not in the step
 *
 * Q is applied to E by steps, the last one first, or by consecutive steps joined (kernels/join.h): w is
 * then the reflectors of all of them, each V the V of one step.
 *
 * Source: B. Grosser, B. Lang, Parallel Computing 25(8), 969-986, 1999; H. Ltaief, P. Luszczek,
 * J. Dongarra, ACM Trans. Math. Softw. 39(3), 16, 2013.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_GE2GB_H
#define ORR_KERNELS_GE2GB_H

#include "kernels/join.h"
#include "kernels/kernel.h"
#include "kernels/least.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int64_t m, n, b, tile, k; /* tile: T */
    int32_t right;            /* 0: the left side of the step */
    int32_t stacked;          /* not 0: the matrix is a stack of so many triangles */
    int64_t more;             /* so many steps are joined to it */
} orr_ge2gb_step;

typedef struct {
    void *a;
    int64_t ld;
} orr_ge2gb_tile;

/* The first row of V, the end, how many reflectors, and the first row or column acted on. */
static inline int64_t orr_ge2gb_across(const orr_ge2gb_step *s) { return (s->k + 1) * s->b; }
static inline int64_t orr_ge2gb_row(const orr_ge2gb_step *s)
{
    return s->right ? orr_ge2gb_across(s) : s->k * s->b;
}
static inline int64_t orr_ge2gb_end(const orr_ge2gb_step *s)
{
    if (s->stacked)
        return orr_least(s->stacked * (orr_ge2gb_across(s) + s->more * s->b), s->m);
    return s->right ? s->n : s->m;
}
static inline int64_t orr_ge2gb_rows(const orr_ge2gb_step *s)
{
    return orr_ge2gb_end(s) - orr_ge2gb_row(s);
}
static inline int64_t orr_ge2gb_width(const orr_ge2gb_step *s)
{
    return orr_least((1 + s->more) * s->b, s->n - orr_ge2gb_row(s));
}
/* Of the panel: its columns (left) or rows (right). */
static inline int64_t orr_ge2gb_panel_width(const orr_ge2gb_step *s)
{
    return orr_least(s->b, s->n - s->k * s->b);
}
/* The first tile along V, the one after the last, and the panel's own tile column or row. */
static inline int64_t orr_ge2gb_first(const orr_ge2gb_step *s)
{
    return orr_ge2gb_row(s) / s->tile;
}
static inline int64_t orr_ge2gb_tiles(const orr_ge2gb_step *s)
{
    return (orr_ge2gb_end(s) + s->tile - 1) / s->tile;
}
static inline int64_t orr_ge2gb_panel_tile(const orr_ge2gb_step *s)
{
    return s->k * s->b / s->tile;
}
/* The panel's first column (left) or row (right) in its tiles. */
static inline int64_t orr_ge2gb_inside(const orr_ge2gb_step *s) { return s->k * s->b % s->tile; }
/* The part of tile t that belongs to begin .. end-1: entries from .. to-1 of it. */
typedef struct {
    int64_t from, to;
} orr_ge2gb_part;
static inline orr_ge2gb_part orr_ge2gb_in_tile(const orr_ge2gb_step *s, int64_t t, int64_t begin,
                                               int64_t end)
{
    const int64_t at = t * s->tile;
    return (orr_ge2gb_part){.from = begin > at ? begin - at : 0,
                            .to = orr_least(s->tile, end - at)};
}

/* to, rows x columns := scale times `from` (adjoint: its conjugate transpose), but zero where row -
 * column > below. to may be from without adjoint. */
typedef struct {
    int64_t rows, columns, below;
    int32_t adjoint, unused;
    double scale;
} orr_ge2gb_copy;
typedef orr_status orr_ge2gb_load_fn(orr_stream, const orr_ge2gb_copy *, orr_ge2gb_tile from,
                                     orr_ge2gb_tile to);
extern orr_ge2gb_load_fn *const orr_ge2gb_load_cpu[ORR_NTYPES];
extern orr_ge2gb_load_fn *const orr_ge2gb_load_cuda[ORR_NTYPES];

/* A stack of `count` triangles of order n: b rows of the first, b of the second ..., the next b of
 * each, in the end the rows that are left of each. So columns up to (k+1)b have nothing below row
 * count (k+1)b, before and after step k from the left: the QR factorization has the operations of one
 * that spares the zeros. */
typedef struct {
    int64_t n, b, count;
} orr_ge2gb_stack;
/* Of row r of the stack: which triangle it is of, its row there, and the rows from it on that follow
 * each other in both. */
typedef struct {
    int64_t which, row, run;
} orr_ge2gb_stacked;
static inline orr_ge2gb_stacked orr_ge2gb_place_in(const orr_ge2gb_stack *x, int64_t r)
{
    const int64_t first = r / (x->count * x->b) * x->b, rest = r - x->count * first;
    const int64_t rows = orr_least(x->b, x->n - first), at = rest % rows;
    return (orr_ge2gb_stacked){.which = rest / rows, .row = first + at, .run = rows - at};
}
/* to: a tile of the stack, from `row` and `column` on, of the triangles R[0], R[1], ... */
typedef struct {
    int64_t row, column, rows, columns;
} orr_ge2gb_window;
typedef void orr_ge2gb_stack_fn(const orr_ge2gb_stack *, const orr_ge2gb_tile *R,
                                const orr_ge2gb_window *, orr_ge2gb_tile to);
extern orr_ge2gb_stack_fn *const orr_ge2gb_stack_cpu[ORR_NTYPES];
/* The first rows of E, c columns, those of the stack, go to where the triangles' are, from row
 * first[0], first[1], ... on; where they were are zeros. */
typedef orr_status orr_ge2gb_unstack_fn(const orr_ge2gb_stack *, const int64_t *first, int64_t c,
                                        void *e, int64_t lde);
extern orr_ge2gb_unstack_fn *const orr_ge2gb_unstack_cpu[ORR_NTYPES];

/* The entries of tile t along V, and across it, that belong to the step. */
static inline orr_ge2gb_part orr_ge2gb_along(const orr_ge2gb_step *s, int64_t t)
{
    return orr_ge2gb_in_tile(s, t, orr_ge2gb_row(s), orr_ge2gb_end(s));
}
static inline orr_ge2gb_part orr_ge2gb_beside(const orr_ge2gb_step *s, int64_t t)
{
    return orr_ge2gb_in_tile(s, t, orr_ge2gb_across(s), s->right ? s->m : s->n);
}

/* q: the panel's columns (left) or rows (right) in tile t along V, of which it has those in the step,
 * as a matrix of its own; back: they go into the tile. */
typedef orr_status orr_ge2gb_move_fn(orr_stream, const orr_ge2gb_step *, int64_t t, orr_ge2gb_tile,
                                     orr_ge2gb_tile q, int back);
extern orr_ge2gb_move_fn *const orr_ge2gb_move_cpu[ORR_NTYPES];
extern orr_ge2gb_move_fn *const orr_ge2gb_move_cuda[ORR_NTYPES];

/* panel: its columns (left) or rows (right) in the tiles from orr_ge2gb_first to the last, those of
 * the step. What is NULL of the rest is not wanted:
 *
 *     v, s   without S it is no panel: it goes into ab as it is, and that is all
 *     part   V(t) of these tiles, which may be where the panel is
 *     ab     the band by rows, b + 1 numbers to each, as if from the first one on: conj(A(i,j)) at
 *            j - i + i (b + 1), so that of the conjugate transpose it is LAPACK's lower band. It gets
 *            R or L; else it is in its place
 *
 * On a device up to ORR_PANEL_MOST_ROWS. */
typedef struct {
    void *v, *s;
    void *const *part;
    void *ab;
} orr_ge2gb_found;
typedef orr_status orr_ge2gb_panel_fn(orr_stream, const orr_ge2gb_step *,
                                      const orr_ge2gb_tile *panel, const orr_ge2gb_found *);
extern orr_ge2gb_panel_fn *const orr_ge2gb_panel_cuda[ORR_NTYPES];
extern orr_ge2gb_panel_fn *const orr_ge2gb_panel_cpu[ORR_NTYPES];

/* Of tile column (left) or row (right) t `count` terms of Y, those of the tiles j[0], j[1], ... along V
 * in this order; begins: they are the first. s: with the last of all, else NULL. line: these tiles;
 * v: their V(j); y: its entries in the step. */
typedef orr_status orr_ge2gb_product_fn(orr_stream, const orr_ge2gb_step *, int64_t t,
                                        int64_t count, const int64_t *j, int begins,
                                        const orr_ge2gb_tile *line, const orr_ge2gb_tile *v,
                                        const void *s, orr_ge2gb_tile y);
extern orr_ge2gb_product_fn *const orr_ge2gb_product_cpu[ORR_NTYPES];
extern orr_ge2gb_product_fn *const orr_ge2gb_product_cuda[ORR_NTYPES];

/* A(i,j). v: V(i) or V(j), y: its entries in the step. */
typedef orr_status orr_ge2gb_update_fn(orr_stream, const orr_ge2gb_step *, int64_t i, int64_t j,
                                       orr_ge2gb_tile, orr_ge2gb_tile v, orr_ge2gb_tile y);
extern orr_ge2gb_update_fn *const orr_ge2gb_update_cpu[ORR_NTYPES];
extern orr_ge2gb_update_fn *const orr_ge2gb_update_cuda[ORR_NTYPES];

/* S of the step and those joined to it, at most ORR_JOINED_STEPS. v, s: V and S of each. */
typedef orr_status orr_ge2gb_join_fn(orr_stream, const orr_ge2gb_step *, const void *const *v,
                                     const void *const *s, void *joined);
extern orr_ge2gb_join_fn *const orr_ge2gb_join_cpu[ORR_NTYPES];
extern orr_ge2gb_join_fn *const orr_ge2gb_join_cuda[ORR_NTYPES];

/* E := Q E, with c columns and the rows of V from orr_ge2gb_row on. v: of each step; s: S of each, or
 * joined: s[0] is that of all of them, as a device wants it if there are several. work: for a device,
 * orr_ge2gb_apply_work elements. */
static inline int64_t orr_ge2gb_apply_work(const orr_ge2gb_step *s, int64_t c)
{
    const int64_t w = orr_ge2gb_width(s);
    return 2 * w * c + (s->more ? orr_ge2gb_rows(s) * w : 0);
}
typedef orr_status orr_ge2gb_apply_fn(orr_stream, const orr_ge2gb_step *, const void *const *v,
                                      const void *const *s, int joined, int64_t c, void *e,
                                      int64_t lde, void *work);
extern orr_ge2gb_apply_fn *const orr_ge2gb_apply_cpu[ORR_NTYPES];
extern orr_ge2gb_apply_fn *const orr_ge2gb_apply_cuda[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
