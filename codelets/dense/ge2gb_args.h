/* What the files of ge2gb share: from a reduction to what its kernels know, where buffers have what, and to
 * whom tasks belong.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_GE2GB_ARGS_H
#define ORR_GE2GB_ARGS_H

#include "codelets/core/task.h"
#include "codelets/dense/ge2gb.h"
#include "kernels/ge2gb.h"

static inline orr_ge2gb_step orr_ge2gb_kernel_step(const struct orr_ge2gb *r, int side, int64_t k)
{
    return (orr_ge2gb_step){.m = r->m,
                            .n = r->n,
                            .b = r->b,
                            .tile = r->T,
                            .k = k,
                            .right = side == ORR_RIGHT,
                            .stacked = r->stacked};
}

/* V or S of step k. */
static inline starpu_data_handle_t orr_ge2gb_kept(const struct orr_ge2gb_side *x,
                                                  starpu_data_handle_t *h, int64_t k)
{
    return h[k % x->kept];
}

/* Tile i along V of column (left) or row (right) t. */
static inline starpu_data_handle_t orr_ge2gb_tile_along(const struct orr_ge2gb *r, int side,
                                                        int64_t i, int64_t t)
{
    return r->A[side == ORR_RIGHT ? orr_ge2gb_at(r, t, i) : orr_ge2gb_at(r, i, t)];
}

/* Entries of tile t along V, and across it, that belong to the step. */
static inline int64_t orr_ge2gb_entries_along(const orr_ge2gb_step *s, int64_t t)
{
    const orr_ge2gb_part p = orr_ge2gb_along(s, t);
    return p.to - p.from;
}
static inline int64_t orr_ge2gb_entries_beside(const orr_ge2gb_step *s, int64_t t)
{
    const orr_ge2gb_part p = orr_ge2gb_beside(s, t);
    return p.to - p.from;
}

/* Address of a buffer that is a StarPU matrix. */
static inline orr_ge2gb_tile orr_ge2gb_tile_of(void *buffer)
{
    return (orr_ge2gb_tile){.a = (void *)STARPU_MATRIX_GET_PTR(buffer),
                            .ld = STARPU_MATRIX_GET_LD(buffer)};
}

/* The same from so many entries on. */
static inline orr_ge2gb_tile orr_ge2gb_skip(orr_type type, orr_ge2gb_tile t, int64_t entries)
{
    t.a = (char *)t.a + (size_t)entries * orr_element_size(type);
    return t;
}

/* V(t) in V of the step. */
static inline orr_ge2gb_tile orr_ge2gb_v_of(const orr_ge2gb_step *s, orr_type type, int64_t t,
                                            void *V)
{
    const int64_t from = t * s->tile + orr_ge2gb_along(s, t).from - orr_ge2gb_row(s);
    return orr_ge2gb_skip(type, (orr_ge2gb_tile){.a = V, .ld = orr_ge2gb_rows(s)}, from);
}

/* The entries of Y(t) in the step, where Y is that of the whole tile. */
static inline orr_ge2gb_tile orr_ge2gb_y_of(const orr_ge2gb_step *s, orr_type type, int64_t t,
                                            void *Y)
{
    const int64_t from = orr_ge2gb_beside(s, t).from;
    const orr_ge2gb_tile y = {.a = Y, .ld = s->right ? s->tile : orr_ge2gb_width(s)};
    return orr_ge2gb_skip(type, y, s->right ? from : from * y.ld);
}

/* The memory of the owner of tile column j, for a task of his; 0: there are no owners. */
static inline int orr_ge2gb_node_of(const struct orr_ge2gb *r, int64_t j)
{
    return r->owners.count ? r->owners.node[orr_owner_of(&r->owners, j)] : 0;
}

/* From the right an owner needs V of its own columns only, so V is in pieces. */
static inline int orr_ge2gb_in_pieces(const struct orr_ge2gb *r, int side)
{
    return side == ORR_RIGHT && r->side[side].Q;
}

/* Terms of Y: as they come, or sorted by the owner of their column. Returns how many. */
int64_t orr_ge2gb_order(const orr_ge2gb_step *, int sorted, int64_t *j);

/* Tasks by tiles and of whole sides have the same models. */
extern struct starpu_perfmodel orr_ge2gb_product_model[], orr_ge2gb_update_model[];

#endif
