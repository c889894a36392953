/* The tasks of he2hb, the first stage of heev: what src/dense/he2hb.c may submit. Steps, tiles and the
 * contents of X, P, N, S and M are those of kernels/he2hb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_HE2HB_H
#define ORR_CODELETS_HE2HB_H

#include "codelets/band/hb2st.h"
#include "codelets/core/owner.h"
#include "codelets/core/request.h"
#include "codelets/dense/dense_user.h"

/* A reduction: tiles are StarPU matrices in the user's array, or of one device alone, the rest vectors of the
 * type. */
struct orr_he2hb {
    orr_type type;
    int64_t n, b, T;
    int64_t steps, tiles;     /* orr_he2hb_shape_of fills them */
    starpu_data_handle_t *A;  /* [orr_he2hb_at(tiles, 0)] the lower triangle */
    starpu_data_handle_t *U;  /* likewise of the user, where A is not in his array; or NULL */
    struct orr_owners owners; /* of the tile columns; none: they have no owner */
    int whole;                /* 1: a task may be of all that an owner has of a step */
    starpu_data_handle_t *X;  /* [owners, or 1][2 * tiles] of even steps, and of odd ones; whole:
                                 [owners][2], all tile rows one after the other, then M */
    starpu_data_handle_t
        *P; /* [tiles]; with Q of a step as long as that; whole: [ways], of the rows of
                                 a way, then N of them */
    starpu_data_handle_t *N; /* [tiles]; none if whole */
    starpu_data_handle_t V;  /* whole, several owners: of a step, for all of them */
    starpu_data_handle_t *S; /* [steps] */
    starpu_data_handle_t *J; /* [orr_he2hb_groups] S of the steps that are joined; NULL: they are
                                 applied one by one */
    starpu_data_handle_t M;  /* none if whole */
    starpu_data_handle_t *Q; /* [tiles] a panel apart from its tiles, which may then stay on a
                                 device, as long as its step; NULL: panels are found in the tiles */
    starpu_data_handle_t *B; /* [tiles] then also the band, LAPACK's, by tile columns */
    void *band;              /* the memory of B */
    int applied;             /* 1: the reflectors are applied afterwards, and stay in A */
    enum orr_where where;
    double *ended; /* set to orr_now() by the last panel; NULL: not wanted */
};

/* Fills steps and tiles from n, b and T. */
void orr_he2hb_shape_of(struct orr_he2hb *);
/* Where A(i,j), i >= j, is in A. */
static inline int64_t orr_he2hb_at(int64_t i, int64_t j) { return i * (i + 1) / 2 + j; }
/* The first tile row that has a part in step k, and the tile column of its panel. */
int64_t orr_he2hb_first_tile(const struct orr_he2hb *, int64_t k);
int64_t orr_he2hb_panel_tile(const struct orr_he2hb *, int64_t k);
int64_t orr_he2hb_x_length(const struct orr_he2hb *); /* of every X(i) */
int64_t orr_he2hb_whole_x_length(const struct orr_he2hb *);
int64_t orr_he2hb_p_length(const struct orr_he2hb *); /* of every P(i), but apart: */
int64_t orr_he2hb_p_length_of(const struct orr_he2hb *, int64_t k, int64_t i);
int64_t orr_he2hb_s_length(const struct orr_he2hb *);
int64_t orr_he2hb_m_length(const struct orr_he2hb *);
int64_t orr_he2hb_j_length(const struct orr_he2hb *, int64_t g);
/* Of the piece of tile row i of a panel apart. */
int64_t orr_he2hb_q_length(const struct orr_he2hb *, int64_t k, int64_t i);
/* The tile row that the band of the panel's columns ends in. */
int64_t orr_he2hb_band_end(const struct orr_he2hb *, int64_t k);
/* Steps that are applied together, of one tile column: group g. */
struct orr_he2hb_group {
    int64_t first, count;
};
int64_t orr_he2hb_groups(const struct orr_he2hb *);
struct orr_he2hb_group orr_he2hb_group_of(const struct orr_he2hb *, int64_t g);
/* 1: with all tiles of an owner in one task there are not too many buffers, and they fit every accelerator. */
int orr_he2hb_fits_whole(const struct orr_he2hb *);
/* Whole: in which order owners add their terms to P(i) is the way of tile row i, one of orr_he2hb_ways. Rows
 * of one way have one P: with owners that are even these are the rows of an owner, which begins. */
enum { ORR_HE2HB_MOST_WAYS = 16 };
int64_t orr_he2hb_ways(const struct orr_he2hb *);
/* Its tile rows in the step: returns how many; row NULL: not wanted. */
int64_t orr_he2hb_way_of(const struct orr_he2hb *, int64_t k, int64_t way, int64_t *row);
/* What one owner adds on its turn: of row t of the way the terms from[t] .. to[t]-1; last: none are left. */
struct orr_he2hb_turn {
    int owner, last;
    int64_t from[ORR_HE2HB_MOST_WAYS], to[ORR_HE2HB_MOST_WAYS];
};
/* The next turn of this way; before the first one all of *turn is 0. */
void orr_he2hb_next_turn(const struct orr_he2hb *, int64_t k, int64_t way, struct orr_he2hb_turn *);
/* In which order the terms of P(i) are added: tile rows j[0], ... j[count-1], the first of which is
 * orr_he2hb_first_tile. Returns count. */
int64_t orr_he2hb_terms(const struct orr_he2hb *, int64_t k, int64_t i, int64_t *j);

/* A(i,j) := scale times the user's. On a CPU, in his array: A(i,j) RW; with U: A(i,j) W, U(i,j) R. */
void orr_insert_he2hb_load(struct orr_request *, int prio, const struct orr_he2hb *, int64_t i,
                           int64_t j, const struct orr_dense *, double scale);
/* Q(i) := the panel's part of A(i,panel) and its diagonal block, or the other way. Buffers:
 * A(i,panel) R, Q(i) W; back: A(i,panel) RW, Q(i) R. */
void orr_insert_he2hb_move(struct orr_request *, int prio, const struct orr_he2hb *, int64_t k,
                           int64_t i, int back);
/* The reflectors of step k. Buffers: A(i,panel) RW and X(i) W for all i in the step, on a CPU; or
 * Q(i) RW from i = panel on and B[panel] RW, of the first step in it W; S[k] W. parts are counted when it
 * is done. */
void orr_insert_he2hb_panel(struct orr_request *, int prio, const struct orr_he2hb *, int64_t k,
                            int64_t parts);
/* The band of columns behind the last step, panel k. Buffers: Q(i) R from i = panel on, B[panel]
 * likewise. */
void orr_insert_he2hb_band(struct orr_request *, int prio, const struct orr_he2hb *, int64_t k);
/* V of X(i) of an owner, for the tile rows from `from` on. Buffers: their X(i) W, Q(i) R. */
void orr_insert_he2hb_spread(struct orr_request *, int prio, const struct orr_he2hb *, int64_t k,
                             int owner, int64_t from);
/* Of orr_he2hb_terms those from .. to-1, for the owner of the first one's tile. Buffers: these tiles
 * of row i of A R, their X R, P(i) RW, of the first terms W; with the last of all S[k] R, N(i) W, and
 * X(i) R if it is not among them. */
void orr_insert_he2hb_product(struct orr_request *, int prio, const struct orr_he2hb *, int64_t k,
                              int64_t i, int64_t from, int64_t to);
/* M. Buffers: all N R, S[k] R, M W. */
void orr_insert_he2hb_middle(struct orr_request *, int prio, const struct orr_he2hb *, int64_t k);
/* W(i) of an owner, for tile rows from .. to-1. Buffers: M R; their X(i) RW, P(i) R. */
void orr_insert_he2hb_factor(struct orr_request *, int prio, const struct orr_he2hb *, int64_t k,
                             int owner, int64_t from, int64_t to);
/* A(i,j) -= V(i) W(j)' + W(i) V(j)'. Buffers: A(i,j) RW, X(i) R, X(j) R (if another). */
void orr_insert_he2hb_update(struct orr_request *, int prio, const struct orr_he2hb *, int64_t k,
                             int64_t i, int64_t j);
/* Whole: the panel. Buffers: A(i,panel) RW from i = panel on, B[panel] RW, of the first step in it W; S[k] W;
 * V W, or with a single owner, whose V it then is, X W. */
void orr_insert_he2hb_whole_panel(struct orr_request *, int prio, const struct orr_he2hb *,
                                  int64_t k, int64_t parts);
/* Whole: the band behind the last step. Buffers: A(i,panel) R from i = panel on, B[panel] likewise. */
void orr_insert_he2hb_whole_band(struct orr_request *, int prio, const struct orr_he2hb *,
                                 int64_t k);
/* Whole: a turn of P of a way. begins: it is the owner's first task of several owners' step, and fetches V.
 * Buffers: the tiles of its terms R; X of the owner R, W if it begins, RW if it is the only one; P[way] W on the
 * first turn, then RW; V R if it begins; S[k] R then, and on the last turn. A single owner makes W of X besides. */
void orr_insert_he2hb_products(struct orr_request *, int prio, const struct orr_he2hb *, int64_t k,
                               int64_t way, const struct orr_he2hb_turn *, int begins);
/* Whole: M, and W of X of one of several owners, from its first tile row on. Buffers: its X RW, S[k] R, all P
 * of the step R. */
void orr_insert_he2hb_factors(struct orr_request *, int prio, const struct orr_he2hb *, int64_t k,
                              int owner);
/* Whole: the updates of the owner's tiles in columns from .. to-1 of the matrix, if there are any. Buffers:
 * their A(i,j), i >= j, RW; its X R. */
void orr_insert_he2hb_updates(struct orr_request *, int prio, const struct orr_he2hb *, int64_t k,
                              int owner, int64_t from, int64_t to);
/* J[g]. Buffers: A(i,panel) R for all i in its first step, S R of its steps, J[g] W. */
void orr_insert_he2hb_join(struct orr_request *, int prio, const struct orr_he2hb *, int64_t g);
/* E := Q E with the reflectors of group g. Buffers: E RW, A(i,panel) R for all i in its first step,
 * J[g] R, or S of its step; on CUDA devices scratch. */
void orr_insert_he2hb_apply(struct orr_request *, int prio, const struct orr_he2hb *, int64_t g,
                            const struct orr_hb2st_panel *, int64_t parts);

#endif
