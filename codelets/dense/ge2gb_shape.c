/* What the graph builder of ge2gb needs to know of its shape: lengths, tiles and groups of steps, and the
 * order of sums.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/panel.h"

#include "codelets/core/room.h"
#include "codelets/core/task.h"
#include "codelets/dense/ge2gb_args.h"

void orr_ge2gb_shape_of(struct orr_ge2gb *r, int two_sided)
{
    r->tile_rows = (r->m + r->T - 1) / r->T;
    r->tile_columns = (r->n + r->T - 1) / r->T;
    /* a panel of one row has nothing to clear */
    const int64_t columns = orr_least(r->n, r->m - 1), last = r->n - 2;
    r->side[ORR_LEFT].steps = columns > 0 ? (columns + r->b - 1) / r->b : 0;
    r->side[ORR_RIGHT].steps = two_sided && last > 0 ? last / r->b : 0;
}

struct orr_ge2gb_extent orr_ge2gb_extent_of(const struct orr_ge2gb *r, int side, int64_t k)
{
    const orr_ge2gb_step s = orr_ge2gb_kernel_step(r, side, k);
    const int64_t across = orr_ge2gb_across(&s), end = side == ORR_LEFT ? r->n : r->m;
    return (struct orr_ge2gb_extent){.rows = orr_ge2gb_rows(&s),
                                     .width = orr_ge2gb_width(&s),
                                     .first = orr_ge2gb_first(&s),
                                     .end = orr_ge2gb_tiles(&s),
                                     .across = (across < end ? across : end + r->T - 1) / r->T};
}

/* About as many in each. CPUs take a panel of E out of memory once for many steps. */
static int64_t steps_of_group(const struct orr_ge2gb *r, int side)
{
    enum { MOST = 48 }; /* a task has V and S of each */
    const int64_t steps = orr_most(r->side[side].steps, 1), groups = (steps + MOST - 1) / MOST;
    if (r->side[side].J)
        return orr_joined_steps(r->b, steps);
    const int by_cpus = r->where == ORR_ON_CPU || starpu_cuda_worker_get_count() == 0;
    return by_cpus ? (steps + groups - 1) / groups : 1;
}

int64_t orr_ge2gb_groups(const struct orr_ge2gb *r, int side)
{
    const int64_t steps = steps_of_group(r, side);
    return (r->side[side].steps + steps - 1) / steps;
}

struct orr_ge2gb_group orr_ge2gb_group_of(const struct orr_ge2gb *r, int side, int64_t g)
{
    const int64_t steps = steps_of_group(r, side), first = g * steps;
    return (struct orr_ge2gb_group){.first = first,
                                    .count = orr_least(steps, r->side[side].steps - first)};
}

int64_t orr_ge2gb_j_length(const struct orr_ge2gb *r, int side, int64_t g)
{
    const int64_t w = orr_ge2gb_group_of(r, side, g).count * r->b;
    return w * w;
}

int64_t orr_ge2gb_q_length(const struct orr_ge2gb *r, int side, int64_t k, int64_t t)
{
    const orr_ge2gb_step s = orr_ge2gb_kernel_step(r, side, k);
    return orr_ge2gb_entries_along(&s, t) * orr_ge2gb_panel_width(&s);
}

int64_t orr_ge2gb_y_length(const struct orr_ge2gb *r, int side, int64_t k, int64_t t)
{
    const orr_ge2gb_step s = orr_ge2gb_kernel_step(r, side, k);
    return orr_ge2gb_entries_beside(&s, t) * orr_ge2gb_width(&s);
}

int orr_ge2gb_fits_whole(const struct orr_ge2gb *r)
{
    enum { MOST_TILES = 128 };
    const size_t size = orr_element_size(r->type);
    const int64_t tiles = r->tile_rows * r->tile_columns;
    struct orr_need need = {0};
    if (tiles > MOST_TILES || r->m > ORR_PANEL_MOST_ROWS)
        return 0;
    const size_t tile = orr_buffer_bytes(r->T * r->T, size);
    for (int64_t t = 0; t < tiles; t++)
        orr_need_add(&need, tile);
    orr_need_add(&need, orr_buffer_bytes(r->m * r->b, size));
    orr_need_add(&need, orr_buffer_bytes(r->tile_rows * r->T * r->b, size));
    orr_need_add(&need, orr_buffer_bytes(r->b * r->b, size));
    return orr_accelerators_fit(&need);
}

int64_t orr_ge2gb_order(const orr_ge2gb_step *s, int sorted, int64_t *j)
{
    int64_t count = 0;
    for (int rank = 0; rank < (sorted ? ORR_MOST_OWNERS : 1); rank++)
        for (int64_t t = orr_ge2gb_first(s); t < orr_ge2gb_tiles(s); t++)
            if (!sorted || orr_owner_rank(t) == rank)
                j[count++] = t;
    return count;
}

int64_t orr_ge2gb_terms(const struct orr_ge2gb *r, int side, int64_t k, int64_t *j)
{
    const orr_ge2gb_step s = orr_ge2gb_kernel_step(r, side, k);
    return orr_ge2gb_order(&s, orr_ge2gb_in_pieces(r, side), j);
}
