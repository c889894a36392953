/* What the graph builder of he2hb needs to know of its shape: lengths, tiles of a step, and the order of
 * sums.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/panel.h"

#include "codelets/core/room.h"
#include "codelets/core/task.h"
#include "codelets/dense/he2hb_args.h"

void orr_he2hb_shape_of(struct orr_he2hb *r)
{
    /* a panel of one row has nothing to clear */
    r->steps = r->n > 2 ? (r->n - 2) / r->b : 0;
    r->tiles = (r->n + r->T - 1) / r->T;
}

int64_t orr_he2hb_first_tile(const struct orr_he2hb *r, int64_t k)
{
    const orr_he2hb_step s = orr_he2hb_kernel_step(r, k);
    return orr_he2hb_first(&s);
}

int64_t orr_he2hb_panel_tile(const struct orr_he2hb *r, int64_t k)
{
    const orr_he2hb_step s = orr_he2hb_kernel_step(r, k);
    return orr_he2hb_column(&s);
}

int64_t orr_he2hb_x_length(const struct orr_he2hb *r) { return 3 * r->b * r->T; }
int64_t orr_he2hb_p_length(const struct orr_he2hb *r) { return r->b * r->T; }
int64_t orr_he2hb_m_length(const struct orr_he2hb *r) { return r->b * r->b; }
/* Without owners also the first rows of V. */
int64_t orr_he2hb_s_length(const struct orr_he2hb *r)
{
    return (r->owners.count ? 1 : 2) * r->b * r->b;
}
int64_t orr_he2hb_whole_x_length(const struct orr_he2hb *r)
{
    return r->tiles * orr_he2hb_x_length(r) + orr_he2hb_m_length(r);
}

int64_t orr_he2hb_p_length_of(const struct orr_he2hb *r, int64_t k, int64_t i)
{
    const orr_he2hb_step s = orr_he2hb_kernel_step(r, k);
    return (orr_he2hb_to(&s, i) - orr_he2hb_from(&s, i)) * orr_he2hb_width(&s);
}

int64_t orr_he2hb_q_length(const struct orr_he2hb *r, int64_t k, int64_t i)
{
    const orr_he2hb_step s = orr_he2hb_kernel_step(r, k);
    return (orr_he2hb_to(&s, i) - orr_he2hb_piece_from(&s, i)) * orr_he2hb_panel_width(&s);
}

int64_t orr_he2hb_j_length(const struct orr_he2hb *r, int64_t g)
{
    const int64_t w = orr_he2hb_group_of(r, g).count * r->b;
    return 2 * w * w;
}

/* Of a tile column, as many as are joined at once. */
static int64_t steps_of_group(const struct orr_he2hb *r)
{
    return r->J ? orr_joined_steps(r->b, r->T / r->b) : 1;
}

static int64_t groups_of_column(const struct orr_he2hb *r)
{
    const int64_t steps = steps_of_group(r);
    return (r->T / r->b + steps - 1) / steps;
}

int64_t orr_he2hb_groups(const struct orr_he2hb *r)
{
    if (r->steps == 0)
        return 0;
    const int64_t of_column = r->T / r->b, steps = steps_of_group(r);
    const int64_t rest = r->steps % of_column;
    return r->steps / of_column * groups_of_column(r) + (rest + steps - 1) / steps;
}

struct orr_he2hb_group orr_he2hb_group_of(const struct orr_he2hb *r, int64_t g)
{
    const int64_t of_column = r->T / r->b, column = g / groups_of_column(r);
    const int64_t begin = g % groups_of_column(r) * steps_of_group(r);
    const int64_t end = orr_least(begin + steps_of_group(r), of_column);
    const int64_t first = column * of_column;
    return (struct orr_he2hb_group){.first = first + begin,
                                    .count = orr_least(first + end, r->steps) - first - begin};
}

int64_t orr_he2hb_band_end(const struct orr_he2hb *r, int64_t k)
{
    return orr_least((k + 2) * r->b, r->n - 1) / r->T;
}

/* Of this owner. */
static int fits(const struct orr_he2hb *r, int owner)
{
    const size_t size = orr_element_size(r->type), tile = orr_buffer_bytes(r->T * r->T, size);
    struct orr_need need = {0};
    for (int64_t j = 0; j < r->tiles; j++)
        for (int64_t i = j; i < r->tiles && orr_owner_of(&r->owners, j) == owner; i++)
            orr_need_add(&need, tile);
    orr_need_add(&need, orr_buffer_bytes(orr_he2hb_whole_x_length(r), size));
    orr_need_add(&need, orr_buffer_bytes(r->n * r->b, size)); /* V, or all P */
    orr_need_add(&need, orr_buffer_bytes(r->tiles * orr_he2hb_m_length(r), size));
    orr_need_add(&need, orr_buffer_bytes(orr_he2hb_s_length(r), size));
    return orr_accelerators_fit(&need);
}

int orr_he2hb_fits_whole(const struct orr_he2hb *r)
{
    int fit = r->tiles <= ORR_HE2HB_MOST_WAYS && r->n - r->b <= ORR_PANEL_MOST_ROWS;
    for (int owner = 0; owner < r->owners.count; owner++)
        fit = fit && fits(r, owner);
    return fit;
}

int64_t orr_he2hb_order(const orr_he2hb_step *s, int sorted, int64_t i, int64_t *j)
{
    const int64_t first = orr_he2hb_first(s), tiles = orr_he2hb_tiles(s);
    const int own = orr_owner_rank(i);
    int64_t count = 0;
    for (int turn = 0; turn < (sorted ? ORR_MOST_OWNERS : 1); turn++)
        for (int64_t t = first; t < tiles; t++)
            if (!sorted || orr_owner_rank(orr_least(i, t)) == (own ^ turn))
                j[count++] = t;
    return count;
}

int64_t orr_he2hb_terms(const struct orr_he2hb *r, int64_t k, int64_t i, int64_t *j)
{
    const orr_he2hb_step s = orr_he2hb_kernel_step(r, k);
    return orr_he2hb_order(&s, r->owners.count > 0, i, j);
}

/* ---- Whole steps of several owners ----------------------------------------------------------- */

int64_t orr_he2hb_ways(const struct orr_he2hb *r)
{
    return orr_owners_even(&r->owners) ? r->owners.count : r->tiles;
}

static int is_of_way(const struct orr_he2hb *r, int64_t i, int64_t way)
{
    return orr_owners_even(&r->owners) ? orr_owner_of(&r->owners, i) == way : i == way;
}

int64_t orr_he2hb_way_of(const struct orr_he2hb *r, int64_t k, int64_t way, int64_t *row)
{
    int64_t count = 0;
    for (int64_t i = orr_he2hb_first_tile(r, k); i < r->tiles; i++) {
        if (!is_of_way(r, i, way))
            continue;
        if (row)
            row[count] = i;
        count++;
    }
    return count;
}

/* The last row has terms of all owners of whom another has some. */
void orr_he2hb_next_turn(const struct orr_he2hb *r, int64_t k, int64_t way,
                         struct orr_he2hb_turn *turn)
{
    int64_t row[r->tiles], term[r->tiles];
    turn->owner = -1;
    turn->last = 1;
    for (int64_t t = orr_he2hb_way_of(r, k, way, row) - 1; t >= 0; t--) {
        const int64_t count = orr_he2hb_terms(r, k, row[t], term);
        int64_t at = turn->from[t] = turn->to[t];
        for (; at < count; at++) {
            const int owner = orr_owner_of(&r->owners, orr_least(row[t], term[at]));
            turn->owner = turn->owner < 0 ? owner : turn->owner;
            if (owner != turn->owner)
                break;
        }
        turn->to[t] = at;
        turn->last = turn->last && at == count;
    }
}
