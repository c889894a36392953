/* What the files of he2hb share: from a reduction to what its kernels know, where buffers have what, and to
 * whom tasks belong.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_HE2HB_ARGS_H
#define ORR_HE2HB_ARGS_H

#include "codelets/core/task.h"
#include "codelets/dense/he2hb.h"
#include "kernels/he2hb.h"

static inline orr_he2hb_step orr_he2hb_kernel_step(const struct orr_he2hb *r, int64_t k)
{
    return (orr_he2hb_step){.n = r->n, .b = r->b, .tile = r->T, .k = k};
}

/* Rows of the step. */
static inline int64_t orr_he2hb_rows(const orr_he2hb_step *s) { return s->n - orr_he2hb_row(s); }
/* Of tile row i in the step. */
static inline int64_t orr_he2hb_tile_rows(const orr_he2hb_step *s, int64_t i)
{
    return orr_he2hb_to(s, i) - orr_he2hb_from(s, i);
}

/* Address of a buffer that is a StarPU matrix. */
static inline orr_he2hb_tile orr_he2hb_tile_of(void *buffer)
{
    return (orr_he2hb_tile){.a = (void *)STARPU_MATRIX_GET_PTR(buffer),
                            .ld = STARPU_MATRIX_GET_LD(buffer)};
}

/* The panel's columns of a tile. */
static inline orr_he2hb_tile orr_he2hb_columns_of(const orr_he2hb_step *s, orr_type type,
                                                  orr_he2hb_tile t)
{
    const size_t skipped = (size_t)(orr_he2hb_inside(s) * t.ld);
    t.a = (char *)t.a + skipped * orr_element_size(type);
    return t;
}

/* The band as if it began with the columns of this handle, those of the panel's tile column. */
static inline void *orr_he2hb_band_of(const orr_he2hb_step *s, orr_type type, void *buffer)
{
    const int64_t before = orr_he2hb_column(s) * s->tile * (s->b + 1);
    const uintptr_t at = (uintptr_t)STARPU_VECTOR_GET_PTR(buffer);
    return (void *)(at - (size_t)before * orr_element_size(type));
}

/* The memory of the owner of tile column j, for a task of his; 0: there are no owners. */
static inline int orr_he2hb_node_of(const struct orr_he2hb *r, int64_t j)
{
    return r->owners.count ? r->owners.node[orr_owner_of(&r->owners, j)] : 0;
}

/* Terms of P(i): as they come, or sorted by the owner of their tile, that of row i first. Left of the
 * diagonal tiles belong to their columns, from there on to column i. Returns how many. */
int64_t orr_he2hb_order(const orr_he2hb_step *, int sorted, int64_t i, int64_t *j);

/* Tasks by tiles and of whole steps have the same models. */
extern struct starpu_perfmodel orr_he2hb_panel_model[], orr_he2hb_product_model[],
    orr_he2hb_factor_model[], orr_he2hb_update_model[];

#endif
