/* he2hb: what its kernels share. A dense Hermitian matrix of order n becomes one of bandwidth b,
 * the first stage of heev. The lower triangle is cut into tiles A(i,j) of T rows and columns, T a
 * multiple of b. Step k takes the columns kb .. (k+1)b-1 and the m = n - (k+1)b rows below their
 * diagonal block:
 *
 *     panel    the columns = Q (R; 0),  Q = I - V S V',  V m x w lower trapezoidal, w = min(b, m)
 *     product  P := A V S               M := -1/2 S' V' P              W := P + V M
 *     update   A := Q' A Q = A - V W' - W V'
 *
 * with A the m x m matrix to the right of the panel; R stays in its place and so does V, below it
 * (without its unit diagonal). Rows of a tile that are above row (k+1)b have no part in the step.
 *
 * What the tasks of a step pass on, column major with leading dimension T unless said otherwise:
 *
 *     X(i)   T x 3b: the rows of tile row i of V, W and V again, each w columns. With the copy
 *            an update is one product, A(i,j) -= (V W)(i) ((W V)(j))'
 *     P(i)   T x w, or without the rows of tile row i that are not in the step
 *     N(i)   V(i)' P(i), w x w with leading dimension w
 *     S      w x w, leading dimension w, upper triangular, zeros below; behind it, of a panel in its
 *            tiles, the first w rows of V with their ones and zeros, w x w with leading dimension w
 *     M      w x w, leading dimension w
 *
 * Q is applied to E by steps, the last one first, or by consecutive steps joined (kernels/join.h):
 * several of one tile column, with w reflectors in all and S and what is behind it of that order.
 *
 * Source: R. Grimes, H. Simon, ACM Trans. Math. Softw. 14(3), 241-256, 1988; C. Bischof, B. Lang,
 * X. Sun, 26(4), 581-601, 2000 (the first step of SBR).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HE2HB_H
#define ORR_KERNELS_HE2HB_H

#include "kernels/join.h"
#include "kernels/kernel.h"
#include "kernels/least.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int64_t n, b, tile, k; /* tile: T */
    int64_t more;          /* so many steps of the same tile column are joined to it */
} orr_he2hb_step;

typedef struct {
    void *a;
    int64_t ld;
} orr_he2hb_tile;

static inline int64_t orr_he2hb_tiles(const orr_he2hb_step *s)
{
    return (s->n + s->tile - 1) / s->tile;
}
/* The first row of the step, its reflectors, the first tile row that has a part in it, and the
 * tile column of its panel. */
static inline int64_t orr_he2hb_row(const orr_he2hb_step *s) { return (s->k + 1) * s->b; }
static inline int64_t orr_he2hb_width(const orr_he2hb_step *s)
{
    return orr_least((1 + s->more) * s->b, s->n - orr_he2hb_row(s));
}
static inline int64_t orr_he2hb_first(const orr_he2hb_step *s)
{
    return orr_he2hb_row(s) / s->tile;
}
static inline int64_t orr_he2hb_column(const orr_he2hb_step *s) { return s->k * s->b / s->tile; }
/* The first column of the panel in its tile. */
static inline int64_t orr_he2hb_inside(const orr_he2hb_step *s) { return s->k * s->b % s->tile; }
/* Rows from .. to-1 of tile row i have a part in the step. */
static inline int64_t orr_he2hb_from(const orr_he2hb_step *s, int64_t i)
{
    return i == orr_he2hb_first(s) ? orr_he2hb_row(s) % s->tile : 0;
}
static inline int64_t orr_he2hb_to(const orr_he2hb_step *s, int64_t i)
{
    return orr_least(s->tile, s->n - i * s->tile);
}

/* A panel apart from its tiles also has its diagonal block, which belongs to the band: in tile row i
 * of the panel's tile column it has the rows from .. orr_he2hb_to(i)-1. When R is in the band, the
 * ones and zeros of V take its place. */
static inline int64_t orr_he2hb_piece_from(const orr_he2hb_step *s, int64_t i)
{
    return i == orr_he2hb_column(s) ? orr_he2hb_inside(s) : 0;
}
/* Its columns: b, fewer only behind the last step. */
static inline int64_t orr_he2hb_panel_width(const orr_he2hb_step *s)
{
    return orr_least(s->b, s->n - s->k * s->b);
}

/* to, rows x columns, := scale times from, or with `upper` times its conjugate transpose. diagonal: the first
 * entry is on that of the user's matrix; then of both only the triangle is there, and the diagonal loses its
 * imaginary part. They may be one array where the entries are, or to the lower triangle of that whose upper
 * one is from. */
typedef struct {
    int64_t rows, columns;
    int upper, diagonal;
    double scale;
} orr_he2hb_loading;
typedef void orr_he2hb_load_fn(const orr_he2hb_loading *, const void *from, int64_t ldf, void *to,
                               int64_t ldt);
extern orr_he2hb_load_fn *const orr_he2hb_load_cpu[ORR_NTYPES];

/* The triangle of the user's matrix, its diagonal without imaginary parts: the first entry by
 * columns that is not finite, and the power of two by which to multiply it, 1 where that is not
 * needed (products of its entries neither overflow nor lose digits). */
typedef struct {
    int64_t row, column; /* or -1, -1 */
    double scale;
} orr_he2hb_screened;
/* In parts. largest, n of the real type: the largest component in each column of a triangle, or on a
 * device of all of an m x n matrix, not finite if one is not; on CPUs of columns first ..
 * first+count-1. Then scale and column, in which the first entry that is not finite is; and its row, when
 * that column (n entries) is at hand. */
enum { ORR_LOWER, ORR_UPPER, ORR_WHOLE };
typedef void orr_he2hb_largest_of_fn(int64_t n, int upper, const void *a, int64_t lda,
                                     int64_t first, int64_t count, void *largest);
extern orr_he2hb_largest_of_fn *const orr_he2hb_largest_cpu[ORR_NTYPES];
typedef orr_status orr_he2hb_largest_fn(orr_stream, int64_t m, int64_t n, int part, const void *a,
                                        int64_t lda, void *largest);
extern orr_he2hb_largest_fn *const orr_he2hb_largest_cuda[ORR_NTYPES];
typedef void orr_he2hb_judge_fn(int64_t n, const void *largest, orr_he2hb_screened *);
extern orr_he2hb_judge_fn *const orr_he2hb_judge_cpu[ORR_NTYPES];
typedef int64_t orr_he2hb_bad_row_fn(int64_t n, int64_t j, int upper, const void *column);
extern orr_he2hb_bad_row_fn *const orr_he2hb_bad_row_cpu[ORR_NTYPES];

/* The same on a device, the bits of orr_he2hb_load_cpu. */
typedef orr_status orr_he2hb_load_there_fn(orr_stream, const orr_he2hb_loading *, const void *from,
                                           int64_t ldf, void *to, int64_t ldt);
extern orr_he2hb_load_there_fn *const orr_he2hb_load_cuda[ORR_NTYPES];

/* column: the panel's b columns in tiles (first .. , j) of its tile column; x: X(first) .. to the
 * last, or NULL: not wanted. */
typedef orr_status orr_he2hb_panel_fn(const orr_he2hb_step *, const orr_he2hb_tile *column,
                                      void *const *x, void *s);
extern orr_he2hb_panel_fn *const orr_he2hb_panel_cpu[ORR_NTYPES];

/* q: a piece of the panel apart from tile (i, j) of its tile column, addressed as the tile's rows
 * and the panel's columns; back: it goes into the tile. */
typedef orr_status orr_he2hb_move_fn(orr_stream, const orr_he2hb_step *, int64_t i, orr_he2hb_tile,
                                     orr_he2hb_tile q, int back);
extern orr_he2hb_move_fn *const orr_he2hb_move_cpu[ORR_NTYPES];
extern orr_he2hb_move_fn *const orr_he2hb_move_cuda[ORR_NTYPES];

/* A panel apart. q: its pieces, from that of the panel's tile column on, or its columns in the tiles
 * themselves; they then have V with its ones and zeros, which orr_he2hb_spread takes from them. ab, LAPACK's lower band of b + 1 rows, as if from
 * its first column on: the panel's columns of it. v: also V, m x b with leading dimension m, or NULL. s NULL: there is
 * no panel, the columns go into the band as they are, and q is as far as the band reaches. On a device up to
 * ORR_PANEL_MOST_ROWS. */
typedef orr_status orr_he2hb_panel_apart_fn(orr_stream, const orr_he2hb_step *,
                                            const orr_he2hb_tile *q, void *ab, void *s, void *v);
extern orr_he2hb_panel_apart_fn *const orr_he2hb_panel_apart_cpu[ORR_NTYPES];
extern orr_he2hb_panel_apart_fn *const orr_he2hb_panel_apart_cuda[ORR_NTYPES];

/* V of X(from) .. X(from+count-1), twice, from q of the same tile rows. */
typedef orr_status orr_he2hb_spread_fn(orr_stream, const orr_he2hb_step *, int64_t from,
                                       int64_t count, const orr_he2hb_tile *q, void *const *x);
extern orr_he2hb_spread_fn *const orr_he2hb_spread_cpu[ORR_NTYPES];
extern orr_he2hb_spread_fn *const orr_he2hb_spread_cuda[ORR_NTYPES];

/* `count` terms of P(i), of tile rows j[0], j[1], ... in this order; begins: they are the first. own:
 * X(i) with the last of all, and then also S and n, N(i); else NULL. row: of the tiles
 * that make row i of A, A(i,first) .. A(i,i), then A(i+1,i) .. to the last, these; x: their X; p: the
 * rows of P(i) in the step. */
typedef orr_status orr_he2hb_product_fn(orr_stream, const orr_he2hb_step *, int64_t i,
                                        int64_t count, const int64_t *j, int begins,
                                        const orr_he2hb_tile *row, const void *const *x,
                                        const void *own, const void *s, orr_he2hb_tile p, void *n);
extern orr_he2hb_product_fn *const orr_he2hb_product_cpu[ORR_NTYPES];
extern orr_he2hb_product_fn *const orr_he2hb_product_cuda[ORR_NTYPES];

/* M. n: N(first) .. to the last. */
typedef orr_status orr_he2hb_middle_fn(orr_stream, const orr_he2hb_step *, const void *const *n,
                                       const void *s, void *m);
extern orr_he2hb_middle_fn *const orr_he2hb_middle_cpu[ORR_NTYPES];
extern orr_he2hb_middle_fn *const orr_he2hb_middle_cuda[ORR_NTYPES];

/* W(i), into x: X(i). p: the rows of P(i) in the step. */
typedef orr_status orr_he2hb_factor_fn(orr_stream, const orr_he2hb_step *, int64_t i,
                                       orr_he2hb_tile p, const void *m, void *x);
extern orr_he2hb_factor_fn *const orr_he2hb_factor_cpu[ORR_NTYPES];
extern orr_he2hb_factor_fn *const orr_he2hb_factor_cuda[ORR_NTYPES];

/* Columns from .. to-1 of A(i,j) -= V(i) W(j)' + W(i) V(j)', of a tile (i,i) the lower triangle. Those in the step
 * are orr_he2hb_from(j) .. orr_he2hb_to(j)-1. */
typedef orr_status orr_he2hb_update_fn(orr_stream, const orr_he2hb_step *, int64_t i, int64_t j,
                                       int64_t from, int64_t to, orr_he2hb_tile, const void *xi,
                                       const void *xj);
extern orr_he2hb_update_fn *const orr_he2hb_update_cpu[ORR_NTYPES];
extern orr_he2hb_update_fn *const orr_he2hb_update_cuda[ORR_NTYPES];

/* S of the step and those joined to it, at most ORR_JOINED_STEPS, and behind it the first w rows of V.
 * column: tiles (first .. , j) of the panels' tile column, which hold V; s: S of each step. */
typedef orr_status orr_he2hb_join_fn(orr_stream, const orr_he2hb_step *,
                                     const orr_he2hb_tile *column, const void *const *s,
                                     void *joined);
extern orr_he2hb_join_fn *const orr_he2hb_join_cpu[ORR_NTYPES];
extern orr_he2hb_join_fn *const orr_he2hb_join_cuda[ORR_NTYPES];

/* E := Q E, n x c, leading dimension lde. column: as above; s: S, and behind it the first w rows of V.
 * work: for a device, orr_he2hb_apply_work elements. */
static inline int64_t orr_he2hb_apply_work(const orr_he2hb_step *s, int64_t c)
{
    return 2 * orr_he2hb_width(s) * c;
}
typedef orr_status orr_he2hb_apply_fn(orr_stream, const orr_he2hb_step *,
                                      const orr_he2hb_tile *column, const void *s, int64_t c,
                                      void *e, int64_t lde, void *work);
extern orr_he2hb_apply_fn *const orr_he2hb_apply_cpu[ORR_NTYPES];
extern orr_he2hb_apply_fn *const orr_he2hb_apply_cuda[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
