/* See hb2st_grid.h. A block of the band and a carry are a piece of memory and a handle each, all pieces of a kind
 * side by side:
 *
 *      H      | first_block | first_block + 1 | ...          block m begins at a cache line
 *      carry  | first_group | first_group + 1 | ...          as many as blocks: group g + blocks has that of g
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "codelets/core/least.h"
#include "src/band/hb2st_grid.h"
#include "src/core/pieces.h"

/* Room for `all` handles; first .. end-1 are those of vectors of `length` elements in memory,
 * `stride` elements apart. */
static starpu_data_handle_t *vectors(orr_request *req, orr_type type, void *memory, int64_t first,
                                     int64_t end, int64_t all, int64_t stride, int64_t length)
{
    const size_t size = orr_type_size(type);
    starpu_data_handle_t *h = orr_own_handles(req, all, "hb2st");
    for (int64_t i = first; h && i < end && !orr_request_failed(req); i++) {
        char *at = memory ? (char *)memory + (size_t)((i - first) * stride) * size : NULL;
        h[i] = orr_own_vector(req, at, length, size);
    }
    return h;
}

/* Blocks and carries begin at cache lines: 16 elements are a whole number of them in every type. */
static int64_t whole_lines(int64_t elements) { return (elements + 15) / 16 * 16; }

static void *lines(orr_request *req, enum orr_where where, int64_t elements, size_t size)
{
    return orr_own_memory(req, where, 64, (size_t)whole_lines(orr_most(elements, 1)) * size,
                          "hb2st");
}

void orr_hb2st_grid_make(orr_request *req, enum orr_where where, int alone,
                         struct orr_hb2st_grid *x)
{
    struct orr_hb2st *r = &x->r;
    const size_t size = orr_type_size(r->type);
    const int64_t length = orr_hb2st_block_length(r), carried = orr_hb2st_carry_length(r);
    const int64_t block = whole_lines(length), carry = whole_lines(carried);
    if (block > UINT32_MAX || carry > UINT32_MAX) {
        orr_request_fail(req, ORR_E_NOMEM, "hb2st: a piece of 2^32 elements");
        return;
    }
    /* group g + blocks begins when group g has ended: they may share a carry */
    const int64_t first = x->first_group, carries = orr_least(r->groups, first + r->blocks);
    x->H = lines(req, where, block * (r->blocks - x->first_block), size);
    x->carry = alone ? NULL : lines(req, where, carry * (carries - first), size);
    if (orr_request_failed(req))
        return;
    r->H = vectors(req, r->type, x->H, x->first_block, r->blocks, r->blocks, block, length);
    r->carry = vectors(req, r->type, x->carry, first, carries, r->groups, carry, carried);
    for (int64_t g = carries; r->carry && g < r->groups; g++)
        r->carry[g] = r->carry[g - r->blocks];
}

orr_hb2st_factor *orr_hb2st_grid_keep(orr_request *req, enum orr_where where, int alone, int wanted,
                                      struct orr_hb2st_grid *x)
{
    struct orr_hb2st *r = &x->r;
    orr_hb2st_factor *factor = calloc(1, sizeof *factor);
    if (!factor)
        orr_request_fail(req, ORR_E_NOMEM, "hb2st");
    else if (!alone)
        factor->v = lines(req, where, orr_hb2st_all_reflectors(r), orr_type_size(r->type));
    if (!orr_request_failed(req))
        r->V = orr_hb2st_reflectors(req, r, factor->v, wanted);
    return factor;
}

void orr_hb2st_grid_free(struct orr_hb2st_grid *x)
{
    free(x->r.H);
    free(x->r.carry);
    free(x->H);
    free(x->carry);
}
