/* he2hb: a dense Hermitian matrix becomes a band matrix, Q'AQ, the first stage of heev.
 *
 * Step k makes the reflectors that clear the columns kb .. (k+1)b-1 below the band, and applies
 * them to the matrix to the right of these columns from both sides. Only the lower triangle is
 * there, in tiles of T columns; several panels are in one tile column:
 *
 *          k
 *      +---------+
 *      | \ .     |                 panel(k)      reads and writes the tiles of one column
 *      | R \     |                               V, S
 *      | V A \   |                 product(k,i)  P(i) = sum over j of A(i,j) V(j) S
 *      +---------+---------+                     all tiles of row i, on both sides of the diagonal
 *      | V A     | \       |       middle(k)     M = -1/2 S' sum of V(i)' P(i)
 *      |   A     |   \     |       factor(k,i)   W(i) = P(i) + V(i) M
 *      |   A     |  A  \   |       update(k,i,j) A(i,j) -= V(i) W(j)' + W(i) V(j)'
 *      +---------+---------+---
 *
 * Each step is 4 m^2 b operations on m rows, half of them products and half of them updates, and a
 * product needs all updates of the step before. The next panel does not: it follows the updates of
 * its own tile column, which therefore come first, and runs beside the others (look-ahead). V of
 * two steps is kept apart from the tiles, X(i) of even and of odd steps, so that the next panel
 * does not wait for the readers of this one's.
 *
 * With accelerators, which have the tiles, the band is an array of its own, so that the tiles do not
 * travel. Each tile column has an owner (codelets/core/owner.h), and a tile is read and written by nobody
 * else. Each task is of all that an owner has to do, since it waits between tasks of which one needs the other (10
 * to 40 us on an H200), and each task and each piece of data costs the host time. A single owner:
 *
 *      panel(k) --> products(k) --> updates(k, next b columns) --> panel(k+1) --> products(k+1)
 *                               \-> updates(k, other columns) ------------------/
 *
 * Several have an X each, made from V, which the owner of the panel sends to all. P of an owner's rows is a sum to
 * which each adds what its tiles have to say; it begins with the owner and goes from one to the next, and all
 * are busy with the P of another meanwhile (o: owners, P: whose rows):
 *
 *      turn   0     1     2     3
 *      o 0   P0    P1    P2    P3        factors: M and W by each owner, from all P
 *      o 1   P1    P0    P3    P2
 *      o 2   P2    P3    P0    P1        updates of the next b columns by their owner, then its panel;
 *      o 3   P3    P2    P1    P0        of the others by all, beside it
 *
 * The order of a sum's terms is the same for any number of owners, so the results are, too.
 *
 * Where CPUs may come to their help, or tiles are many, tasks are of tiles, as without accelerators. A panel is copied
 * out of its tiles to where it is found, Q(i), with its diagonal block, and reflectors go back into the tiles
 * if they are wanted later. A product is a chain of tasks: P(i) goes from one owner to the next.
 *
 * Reflectors are applied to E by steps, the last one first. On a device several steps are joined for
 * that, join(g), once for all panels of E; nothing waits for it before E is there.
 *
 * What step k leaves above row (k+1)b is final, so the second stage begins while this one ends.
 *
 * Sources: kernels/he2hb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/dense/he2hb.h"

#include <limits.h>

#include "codelets/core/least.h"

/* ---- The graph ----------------------------------------------------------------------------- */

/* Step k in the order in which its tasks are wanted; the panel of the next one is wanted before
 * the updates of this one that are not in its way. */
enum { PANEL = 0, PRODUCT = -1, NEXT_COLUMN = -2, UPDATE = -6, STEP = -4 };

static int priority(int64_t k, int what) { return (int)(k * STEP) + what; }

/* The first tile row of V and W that an owner has to do with in step k: that of its first column. */
static int64_t rows_of(const struct orr_he2hb *r, int64_t k, int owner)
{
    return orr_owner_first(&r->owners, owner, orr_he2hb_first_tile(r, k));
}

/* P(i): the terms of one owner after those of another. Left of the diagonal tiles belong to their
 * columns, from there on to column i. */
static void submit_product(orr_request *req, const struct orr_he2hb *r, int64_t k, int64_t i)
{
    const struct orr_owners *o = &r->owners;
    int64_t term[r->tiles], from = 0;
    const int64_t count = orr_he2hb_terms(r, k, i, term);
    for (int64_t t = 1; t < count && o->count; t++)
        if (orr_owner_of(o, orr_least(i, term[t])) != orr_owner_of(o, orr_least(i, term[from]))) {
            orr_insert_he2hb_product(req, priority(k, PRODUCT), r, k, i, from, t);
            from = t;
        }
    orr_insert_he2hb_product(req, priority(k, PRODUCT), r, k, i, from, count);
}

/* The pieces of panel k up to that of tile row end-1, out of their tiles. What travels is no longer than
 * it is. */
static void begin_apart(orr_request *req, const struct orr_he2hb *r, int64_t k, int64_t end)
{
    for (int64_t i = orr_he2hb_panel_tile(r, k); i < end; i++) {
        r->Q[i] = orr_request_temporary(req, orr_he2hb_q_length(r, k, i), orr_type_size(r->type));
        orr_insert_he2hb_move(req, priority(k, PANEL), r, k, i, 0);
    }
}

static void end_apart(orr_request *req, const struct orr_he2hb *r, int64_t k, int64_t end)
{
    for (int64_t i = orr_he2hb_panel_tile(r, k); i < end; i++)
        orr_request_forget(req, r->Q[i]);
}

/* What the owners tell each other in a step. It is as long for all steps of a tile column, so that a device
 * finds memory for it where the one before has been. */
static void end_whole_step(orr_request *req, const struct orr_he2hb *r)
{
    for (int64_t way = 0; way < orr_he2hb_ways(r); way++)
        if (r->P[way])
            orr_request_forget(req, r->P[way]);
    orr_request_forget(req, r->V);
}

static void begin_whole_step(orr_request *req, struct orr_he2hb *r, int64_t k)
{
    const size_t size = orr_type_size(r->type);
    const int64_t first = orr_he2hb_first_tile(r, k);
    const int64_t length = orr_he2hb_p_length(r) + orr_he2hb_m_length(r);
    if (k > 0 && first == orr_he2hb_first_tile(r, k - 1))
        return;
    if (k > 0)
        end_whole_step(req, r);
    for (int64_t way = 0; way < orr_he2hb_ways(r); way++) {
        const int64_t rows = orr_he2hb_way_of(r, k, way, NULL);
        r->P[way] = rows ? orr_request_temporary(req, rows * length, size) : NULL;
    }
    r->V = orr_request_temporary(req, (r->n - first * r->T) * r->b, size);
}

/* P of each way goes from owner to owner: all take a turn, each with another's. */
static void submit_turns(orr_request *req, const struct orr_he2hb *r, int64_t k)
{
    const int64_t ways = orr_he2hb_ways(r);
    struct orr_he2hb_turn turn[ways];
    int begun[ORR_MOST_OWNERS] = {0}, more = 1;
    for (int64_t way = 0; way < ways; way++)
        turn[way] = (struct orr_he2hb_turn){.last = orr_he2hb_way_of(r, k, way, NULL) == 0};
    while (more && !orr_request_failed(req)) {
        more = 0;
        for (int64_t way = 0; way < ways; way++) {
            struct orr_he2hb_turn *const t = &turn[way];
            if (t->last)
                continue;
            orr_he2hb_next_turn(r, k, way, t);
            orr_insert_he2hb_products(req, priority(k, PRODUCT), r, k, way, t,
                                      r->owners.count > 1 && !begun[t->owner]++);
            more |= !t->last;
        }
    }
}

/* The updates of step k but those that the next panel waits for, which were the first b columns. */
static void submit_other_updates(orr_request *req, const struct orr_he2hb *r, int64_t k, int owner)
{
    orr_insert_he2hb_updates(req, priority(k, UPDATE), r, k, owner, (k + 2) * r->b, r->n);
}

/* What the next panel waits for is as little as can be. Its owner does the other updates, whose tiles it is in, when
 * it has been submitted; all others do theirs beside it. */
static void submit_whole_step(orr_request *req, struct orr_he2hb *r, int64_t k)
{
    const int64_t m = r->n - (k + 1) * r->b, next = orr_he2hb_first_tile(r, k);
    const int owners = r->owners.count, finds = orr_owner_of(&r->owners, next);
    if (owners > 1)
        begin_whole_step(req, r, k);
    orr_insert_he2hb_whole_panel(req, priority(k, PANEL), r, k, m * m);
    if (k > 0)
        submit_other_updates(req, r, k - 1, orr_owner_of(&r->owners, orr_he2hb_panel_tile(r, k)));
    submit_turns(req, r, k);
    for (int owner = 0; owner < owners && owners > 1; owner++)
        if (rows_of(r, k, owner) < r->tiles)
            orr_insert_he2hb_factors(req, priority(k, PRODUCT), r, k, owner);
    orr_insert_he2hb_updates(req, priority(k, NEXT_COLUMN), r, k, finds, (k + 1) * r->b,
                             orr_least((k + 2) * r->b, r->n));
    for (int owner = 0; owner < owners; owner++)
        if (owner != finds || k + 1 == r->steps)
            submit_other_updates(req, r, k, owner);
}

/* Where the panel was found apart: its reflectors into the tiles, and V to each owner. */
static void submit_spread(orr_request *req, const struct orr_he2hb *r, int64_t k)
{
    for (int64_t i = orr_he2hb_first_tile(r, k); r->Q && r->applied && i < r->tiles; i++)
        orr_insert_he2hb_move(req, priority(k, PRODUCT), r, k, i, 1);
    for (int owner = 0; owner < r->owners.count; owner++)
        if (rows_of(r, k, owner) < r->tiles)
            orr_insert_he2hb_spread(req, priority(k, PRODUCT), r, k, owner, rows_of(r, k, owner));
}

static void submit_products(orr_request *req, const struct orr_he2hb *r, int64_t k)
{
    const int64_t first = orr_he2hb_first_tile(r, k);
    for (int64_t i = first, now = i; i < r->tiles; now = i) {
        i += r->owners.count > 1 ? 1 : orr_plan_alike(req, i, first + 1, r->tiles - 1);
        submit_product(req, r, k, now);
    }
}

/* W(i), by each owner all that it needs. */
static void submit_factors(orr_request *req, const struct orr_he2hb *r, int64_t k)
{
    for (int owner = 0; owner < r->owners.count; owner++)
        if (rows_of(r, k, owner) < r->tiles)
            orr_insert_he2hb_factor(req, priority(k, PRODUCT), r, k, owner, rows_of(r, k, owner),
                                    r->tiles);
    for (int64_t i = orr_he2hb_first_tile(r, k); i < r->tiles && !r->owners.count; i++)
        orr_insert_he2hb_factor(req, priority(k, PRODUCT), r, k, 0, i, i + 1);
}

static void submit_updates(orr_request *req, const struct orr_he2hb *r, int64_t k)
{
    const int64_t first = orr_he2hb_first_tile(r, k);
    const int64_t next = k + 1 < r->steps ? orr_he2hb_panel_tile(r, k + 1) : first;
    for (int64_t j = first; j < r->tiles; j++)
        for (int64_t i = j, now = j; i < r->tiles; now = i) {
            i += orr_plan_alike(req, i, j + 1, r->tiles - 1);
            orr_insert_he2hb_update(req, priority(k, j == next ? NEXT_COLUMN : UPDATE), r, k, now,
                                    j);
        }
}

static void submit_step(orr_request *req, struct orr_he2hb *r, int64_t k)
{
    const int64_t first = orr_he2hb_first_tile(r, k), m = r->n - (k + 1) * r->b;
    if (r->Q)
        begin_apart(req, r, k, r->tiles);
    for (int64_t i = first; r->Q && i < r->tiles; i++)
        r->P[i] =
            orr_request_temporary(req, orr_he2hb_p_length_of(r, k, i), orr_type_size(r->type));

    orr_insert_he2hb_panel(req, priority(k, PANEL), r, k, m * m);
    submit_spread(req, r, k);
    submit_products(req, r, k);
    orr_insert_he2hb_middle(req, priority(k, PRODUCT), r, k);
    submit_factors(req, r, k);
    submit_updates(req, r, k);

    for (int64_t i = first; r->Q && i < r->tiles; i++)
        orr_request_forget(req, r->P[i]);
    if (r->Q)
        end_apart(req, r, k, r->tiles);
}

/* The last columns, b + 1 at most, are no panel. */
static void submit_rest(orr_request *req, const struct orr_he2hb *r)
{
    for (int64_t k = r->steps; r->B && k * r->b < r->n; k++) {
        const int64_t end = orr_he2hb_band_end(r, k) + 1;
        if (r->Q)
            begin_apart(req, r, k, end);
        (r->whole ? orr_insert_he2hb_whole_band : orr_insert_he2hb_band)(req, priority(k, PANEL), r,
                                                                         k);
        if (r->Q)
            end_apart(req, r, k, end);
    }
}

/* After all that is more urgent: the second stage, and the solver. */
static void submit_joins(orr_request *req, const struct orr_he2hb *r)
{
    for (int64_t g = 0; r->J && g < orr_he2hb_groups(r) && !orr_request_failed(req); g++)
        orr_insert_he2hb_join(req, -INT_MAX, r, g);
}

void orr_he2hb_submit(orr_request *req, struct orr_he2hb_stage *x)
{
    struct orr_he2hb *r = &x->r;
    orr_he2hb_submit_load(req, x, priority(0, PANEL));
    for (int64_t k = 0; k < r->steps && !orr_request_failed(req); k++)
        (r->whole ? submit_whole_step : submit_step)(req, r, k);
    if (r->V)
        end_whole_step(req, r);
    submit_rest(req, r);
    submit_joins(req, r);
}

int64_t orr_he2hb_parts(const struct orr_he2hb *r)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < r->steps; k++) {
        const int64_t m = r->n - (k + 1) * r->b;
        sum += m * m;
    }
    return sum;
}

int orr_he2hb_least_priority(const struct orr_he2hb *r) { return priority(r->steps, UPDATE); }

int orr_he2hb_band(void *stage, int64_t first, int64_t count, starpu_data_handle_t *handle)
{
    const struct orr_he2hb *r = &((struct orr_he2hb_stage *)stage)->r;
    int found = 0;
    for (int64_t j = first / r->T; j <= (first + count - 1) / r->T; j++) {
        handle[found++] = r->B ? r->B[j] : r->A[orr_he2hb_at(j, j)];
        if (j + 1 < r->tiles && !r->B)
            handle[found++] = r->A[orr_he2hb_at(j + 1, j)];
    }
    return found;
}

void orr_he2hb_submit_apply(orr_request *req, const struct orr_he2hb *r,
                            const struct orr_hb2st_panel *p, int64_t parts)
{
    for (int64_t g = orr_he2hb_groups(r) - 1; g >= 0; g--) {
        const struct orr_he2hb_group group = orr_he2hb_group_of(r, g);
        int64_t rows = 0;
        for (int64_t k = group.first; k < group.first + group.count; k++)
            rows += r->n - (k + 1) * r->b;
        orr_insert_he2hb_apply(req, 0, r, g, p, parts * rows * p->k);
    }
}
