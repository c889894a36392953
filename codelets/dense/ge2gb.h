/* The tasks of ge2gb, the first stage of gesvd: what src/dense/ge2gb.c may submit. Steps, tiles and the
 * contents of V, S and Y are those of kernels/ge2gb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_GE2GB_H
#define ORR_CODELETS_GE2GB_H

#include "codelets/band/hb2st.h"
#include "codelets/core/owner.h"
#include "codelets/core/request.h"

/* What one side of all steps works with: vectors of the type. */
struct orr_ge2gb_side {
    int64_t steps;
    starpu_data_handle_t *V, *S; /* [kept]: step k has number k % kept */
    starpu_data_handle_t *J;     /* [orr_ge2gb_groups] S of the steps that are joined; NULL: none
                                    are */
    int64_t kept;                /* steps, or 2 where nobody wants the reflectors afterwards */
    int brief;                   /* 1: V and S of a step are there as long as its tasks are, from
                                    the right S alone */
    starpu_data_handle_t *Y; /* [tile columns] left, [tile rows] right; whole: [1], all of them one
                                    after the other */
    starpu_data_handle_t *Q; /* [tiles along] a panel apart from its tiles, which may then stay
                                    on a device, as long as its step, and so is Y from the right;
                                    NULL: panels are found in the tiles */
};

enum { ORR_LEFT, ORR_RIGHT };

/* A reduction, of tiles that are StarPU matrices. */
struct orr_ge2gb {
    orr_type type;
    int64_t m, n, b, T;
    int stacked; /* not 0: it is a stack of so many triangles of order n */
    int64_t row; /* of E, from which its reflectors from the left act */
    int64_t tile_rows, tile_columns;
    starpu_data_handle_t *A; /* [orr_ge2gb_at(tile_rows, 0)] */
    struct orr_ge2gb_side side[2];
    struct orr_owners owners; /* of the tile columns; none: they have no owner */
    int whole;  /* 1: one owner has them all, and a task may be of a whole side of a step;
                                 panels are found in the tiles */
    void *band; /* LAPACK's upper band of b + 1 rows, which panels apart fill, */
    starpu_data_handle_t *B; /* [tile_columns] and what stands for its rows; NULL: the band
                                       is where panels are found */
    enum orr_where where;
    double *ended; /* set to orr_now() by every panel, in turn; NULL: not wanted */
};

static inline int64_t orr_ge2gb_at(const struct orr_ge2gb *r, int64_t i, int64_t j)
{
    return i * r->tile_columns + j;
}

/* Fills the numbers of tiles and of steps; without two_sided there are none from the right. */
void orr_ge2gb_shape_of(struct orr_ge2gb *, int two_sided);
/* One side of step k: the shape of V, the tiles first .. end-1 along V, and the first tile across it
 * that it acts on (one after the last: on none). */
struct orr_ge2gb_extent {
    int64_t rows, width, first, end, across;
};
struct orr_ge2gb_extent orr_ge2gb_extent_of(const struct orr_ge2gb *, int side, int64_t k);

/* Steps that are applied together: `count` from `first` on are group g of a side. */
struct orr_ge2gb_group {
    int64_t first, count;
};
int64_t orr_ge2gb_groups(const struct orr_ge2gb *, int side);
struct orr_ge2gb_group orr_ge2gb_group_of(const struct orr_ge2gb *, int side, int64_t g);
int64_t orr_ge2gb_j_length(const struct orr_ge2gb *, int side, int64_t g);

/* In pieces apart: of a panel in tile t, and of Y(t). */
int64_t orr_ge2gb_q_length(const struct orr_ge2gb *, int side, int64_t k, int64_t t);
int64_t orr_ge2gb_y_length(const struct orr_ge2gb *, int side, int64_t k, int64_t t);
/* 1: with all tiles in one task there are not too many buffers, and they fit every accelerator. */
int orr_ge2gb_fits_whole(const struct orr_ge2gb *);
/* In which order the terms of Y are added: tiles along V j[0], ... j[count-1]. Returns count. */
int64_t orr_ge2gb_terms(const struct orr_ge2gb *, int side, int64_t k, int64_t *j);

/* A matrix, and what becomes of it on its way into tiles. */
struct orr_ge2gb_source {
    void *a;
    int64_t lda;
    int on;      /* StarPU's number of the memory that it is in; 0: main memory; -1: it is in tiles,
                    wherever these are, and the two above do not count */
    int adjoint; /* its conjugate transpose is loaded */
    int upper;   /* only its upper triangle */
    double scale;
};
/* A(i,j) := its part of the source, `from`, or what becomes of itself. On a CPU if the source is in main
 * memory. Buffers: A(i,j) W, from R; or A(i,j) RW. */
void orr_insert_ge2gb_load(struct orr_request *, int prio, const struct orr_ge2gb *, int64_t i,
                           int64_t j, const struct orr_ge2gb_source *, starpu_data_handle_t from);
/* Of a stack A(i,j) := part of the triangles that from[0], ... from[stacked-1] leave at their top, at
 * R[0], .... On a CPU. Buffers: A(i,j) W, those of their tiles that it is of R. */
enum { ORR_STACKED = 8 }; /* at most */
struct orr_ge2gb_triangle {
    const struct orr_ge2gb *of;
    void *a;
    int64_t lda;
};
void orr_insert_ge2gb_stack(struct orr_request *, int prio, const struct orr_ge2gb *, int64_t i,
                            int64_t j, const struct orr_ge2gb_triangle *R);
/* After the stack's reflectors: rows of E to where those of the triangles are, from `row` of each on,
 * On a CPU. Buffers: E RW. */
void orr_insert_ge2gb_unstack(struct orr_request *, int prio, const struct orr_ge2gb *,
                              const struct orr_ge2gb_triangle *R, const struct orr_hb2st_panel *);
/* Q(t) := the panel's part of its tile t, or the other way. Buffers: the tile R, Q(t) W; back: the
 * tile RW, Q(t) R. */
void orr_insert_ge2gb_move(struct orr_request *, int prio, const struct orr_ge2gb *, int side,
                           int64_t k, int64_t t, int back);
/* The reflectors of one side of step k. Buffers: the panel's tiles RW, V W and S W, on a CPU; or all
 * its Q, whole the tiles, RW, S W, V W unless nobody wants it and, with a band, B of its rows RW, from the left of the
 * first step in it W; Q(t) then has V(t) from the right. parts are counted when it is done. */
void orr_insert_ge2gb_panel(struct orr_request *, int prio, const struct orr_ge2gb *, int side,
                            int64_t k, int64_t parts);
/* What has no panel, behind the last step of a side, into the band. Buffers: its Q or tiles RW, B of its rows
 * likewise. */
void orr_insert_ge2gb_band(struct orr_request *, int prio, const struct orr_ge2gb *, int side,
                           int64_t k);
/* Of orr_ge2gb_terms those from .. to-1 of Y(t), for the owner of their tiles. Buffers: these tiles of
 * column (left) or row (right) t R, V R or their Q R, S R, but apart from the right only with the last
 * of all, Y(t) RW, of the first terms W. */
void orr_insert_ge2gb_product(struct orr_request *, int prio, const struct orr_ge2gb *, int side,
                              int64_t k, int64_t t, int64_t from, int64_t to);
/* A(i,j) -= V(i) Y(j) or Y(i) V(j)'. Buffers: A(i,j) RW, V or Q(j) R, Y R. */
void orr_insert_ge2gb_update(struct orr_request *, int prio, const struct orr_ge2gb *, int side,
                             int64_t k, int64_t i, int64_t j);
/* Whole: all Y. Buffers: the tiles of the step R, V R, S R, Y W. */
void orr_insert_ge2gb_products(struct orr_request *, int prio, const struct orr_ge2gb *, int side,
                               int64_t k);
/* Whole: the updates of tile rows (left) or columns (right) from .. to-1. Buffers: their tiles of the step
 * RW, V R, Y R. */
void orr_insert_ge2gb_updates(struct orr_request *, int prio, const struct orr_ge2gb *, int side,
                              int64_t k, int64_t from, int64_t to);
/* J[g] of a side. Buffers: V R of its steps, S R of them, J[g] W. */
void orr_insert_ge2gb_join(struct orr_request *, int prio, const struct orr_ge2gb *, int side,
                           int64_t g);
/* E := Q E with the reflectors of group g of a side. Buffers: E RW, V R of its steps, J[g] R, or S of
 * its steps; on CUDA devices scratch. */
void orr_insert_ge2gb_apply(struct orr_request *, int prio, const struct orr_ge2gb *, int side,
                            int64_t g, const struct orr_hb2st_panel *, int64_t parts);

#endif
