/* ge2gb: a dense m x n matrix, m >= n, becomes an upper band matrix, Q'A P, the first stage of
 * gesvd; with left sides only it is the QR factorization that a tall matrix begins with.
 *
 * Step k clears a panel of b columns below the diagonal, from the left, and then the rows beside
 * it to the right of the band, from the right:
 *
 *          k
 *      +-----------+
 *      | . \ .     |                panel(k,left)       the tiles of one column      -> V, S
 *      |   R L . . |                product(k,left,j)   Y(j) = S' V' A(:,j)
 *      |   V A A A |                update(k,left,i,j)  A(i,j) -= V(i) Y(j)
 *      |   V A A A |                panel(k,right)      the tiles of one row         -> V, S
 *      |   V A A A |                product(k,right,i)  Y(i) = A(i,:) V S
 *      +-----------+                update(k,right,i,j) A(i,j) -= Y(i) V(j)'
 *
 * With an accelerator, which has the tiles, R and L go into a band of its own, so that the tiles do not
 * travel. A single one has all tiles, and tasks of whole sides (src/dense/he2hb.c has the reason): panel,
 * products, updates of the next panel's tiles, all other updates. Where CPUs may come to its help, and of
 * a triangle, a panel is copied out of its tiles to where it is found, Q(t); of a triangle R goes back
 * into its tile. Where there are several, each tile column has an owner
 * (codelets/core/owner.h), and a tile is read and written by nobody else. From the left all of
 * Y(j) is its owner's, who gets all of V; from the right an owner gets V of its columns, and Y(i) is a
 * chain of tasks, passed from one owner to the next. An owner's terms follow each other, in an
 * order that is the same for any number of owners, so the results are, too.
 *
 * Reflectors are applied to E by steps, the last one first. On CPUs a task takes many steps, on a device
 * some that were joined for that, once for all panels of E; nothing waits for it before E is there.
 *
 * Each side is 4 (rows x columns x b) operations, half of them products and half of them updates. A
 * panel follows the updates of its own tile row or column, which therefore come first, and runs
 * beside the others (look-ahead); V of two steps is kept apart, so that it does not wait for the
 * readers of the one before. The rows above (k+1)b are final after step k, so the second stage
 * begins while this one ends.
 *
 * Sources: kernels/ge2gb.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/dense/ge2gb.h"

#include <limits.h>
#include <stdlib.h>

#include "codelets/core/least.h"
#include "src/core/pieces.h"

/* ---- The graph ----------------------------------------------------------------------------- */

/* A side of a step in the order in which its tasks are wanted; the panel of the next side is
 * wanted before the updates of this one that are not in its way. */
enum { PANEL = 0, PRODUCT = -1, NEXT_PANEL = -2, UPDATE = -6, SIDE = -4 };

static int priority(int64_t k, int side, int what) { return (int)((2 * k + side) * SIDE) + what; }

static int64_t step_parts(const struct orr_ge2gb *r, int64_t k)
{
    return (r->m - k * r->b) * (r->n - k * r->b);
}

/* Y(t): the terms of one owner after those of another. */
static void submit_product(orr_request *req, int prio, const struct orr_ge2gb *r, int64_t k,
                           int side, int64_t t)
{
    const struct orr_owners *o = &r->owners;
    int64_t term[orr_most(r->tile_rows, r->tile_columns)], from = 0;
    const int64_t count = orr_ge2gb_terms(r, side, k, term);
    for (int64_t i = 1; i < count && side == ORR_RIGHT && o->count; i++)
        if (orr_owner_of(o, term[i]) != orr_owner_of(o, term[from])) {
            orr_insert_ge2gb_product(req, prio, r, side, k, t, from, i);
            from = i;
        }
    orr_insert_ge2gb_product(req, prio, r, side, k, t, from, count);
}

static int64_t v_length(const struct orr_ge2gb *r, int side, int64_t k)
{
    const struct orr_ge2gb_extent e = orr_ge2gb_extent_of(r, side, k);
    return e.rows * e.width;
}

/* Of V for steps k, k + kept, ...: those of a stack become longer before they become shorter. */
static int64_t v_room(const struct orr_ge2gb *r, int side, int64_t k)
{
    int64_t room = 0;
    for (; k < r->side[side].steps; k += r->side[side].kept)
        room = orr_most(room, v_length(r, side, k));
    return room;
}

static int64_t s_length(const struct orr_ge2gb *r, int side, int64_t k)
{
    (void)side;
    (void)k;
    return r->b * r->b;
}

/* The pieces of a panel, out of their tiles. */
static void begin_apart(orr_request *req, int base, const struct orr_ge2gb *r, int64_t k, int side)
{
    const struct orr_ge2gb_side *s = &r->side[side];
    const struct orr_ge2gb_extent e = orr_ge2gb_extent_of(r, side, k);
    for (int64_t t = e.first; t < e.end; t++) {
        s->Q[t] =
            orr_request_temporary(req, orr_ge2gb_q_length(r, side, k, t), orr_type_size(r->type));
        orr_insert_ge2gb_move(req, base + priority(k, side, PANEL), r, side, k, t, 0);
    }
}

static void end_apart(orr_request *req, const struct orr_ge2gb *r, int64_t k, int side)
{
    const struct orr_ge2gb_extent e = orr_ge2gb_extent_of(r, side, k);
    for (int64_t t = e.first; t < e.end; t++)
        orr_request_forget(req, r->side[side].Q[t]);
}

/* What travels is no longer than it is. */
static void begin_side(orr_request *req, int base, const struct orr_ge2gb *r, int64_t k, int side)
{
    const struct orr_ge2gb_side *s = &r->side[side];
    const size_t size = orr_type_size(r->type);
    const int64_t across = orr_ge2gb_extent_of(r, side, k).across;
    if (s->brief)
        s->S[k] = orr_request_temporary(req, s_length(r, side, k), size);
    if (s->brief && s->V)
        s->V[k] = orr_request_temporary(req, v_length(r, side, k), size);
    for (int64_t t = across; s->Q && side == ORR_RIGHT && t < r->tile_rows; t++)
        s->Y[t] = orr_request_temporary(req, orr_ge2gb_y_length(r, side, k, t), size);
    if (s->Q)
        begin_apart(req, base, r, k, side);
}

static void end_side(orr_request *req, const struct orr_ge2gb *r, int64_t k, int side)
{
    const struct orr_ge2gb_side *s = &r->side[side];
    const int64_t across = orr_ge2gb_extent_of(r, side, k).across;
    if (s->brief)
        orr_request_forget(req, s->S[k]);
    if (s->brief && s->V)
        orr_request_forget(req, s->V[k]);
    for (int64_t t = across; s->Q && side == ORR_RIGHT && t < r->tile_rows; t++)
        orr_request_forget(req, s->Y[t]);
    if (s->Q)
        end_apart(req, r, k, side);
}

static void submit_side(orr_request *req, int base, const struct orr_ge2gb_stage *x, int64_t k,
                        int side)
{
    const struct orr_ge2gb *r = &x->r;
    const struct orr_ge2gb_extent e = orr_ge2gb_extent_of(r, side, k);
    const int64_t across_end = side == ORR_LEFT ? r->tile_columns : r->tile_rows;
    /* The tile row (from the left) or column that the next panel is in: row k, column k+1. */
    const int to_right = side == ORR_LEFT && x->two_sided;
    const int64_t next = (k + !to_right) * r->b / r->T;

    orr_insert_ge2gb_panel(req, base + priority(k, side, PANEL), r, side, k, step_parts(r, k));
    if (r->side[side].Q && !r->band) /* R; what is below it is not kept */
        orr_insert_ge2gb_move(req, base + priority(k, side, PRODUCT), r, side, k, e.first, 1);
    /* Y(t) */
    for (int64_t t = e.across, now = t; t < across_end; now = t) {
        t += orr_plan_alike(req, t, e.across + 1, across_end - 1);
        submit_product(req, base + priority(k, side, PRODUCT), r, k, side, now);
    }
    /* A(i,j) -= V(i) Y(j), or Y(i) V(j)' */
    for (int64_t t = e.across, step = 1; t < across_end; t += step)
        for (int64_t v = e.first, now = v; v < e.end; now = v) {
            step = orr_plan_alike(req, t, e.across + 1, across_end - 1);
            v += orr_plan_alike(req, v, e.first + 1, e.end - 1);
            const int64_t i = side == ORR_LEFT ? now : t, j = side == ORR_LEFT ? t : now;
            const int urgent = to_right ? i == next : j == next;
            orr_insert_ge2gb_update(req, base + priority(k, side, urgent ? NEXT_PANEL : UPDATE), r,
                                    side, k, i, j);
        }
}

/* Of an owner who has all tiles. The next panel is in the first tiles along this one. */
static void submit_whole_side(orr_request *req, int base, const struct orr_ge2gb_stage *x,
                              int64_t k, int side)
{
    const struct orr_ge2gb *r = &x->r;
    const struct orr_ge2gb_extent e = orr_ge2gb_extent_of(r, side, k);
    const int64_t across_end = side == ORR_LEFT ? r->tile_columns : r->tile_rows;
    orr_insert_ge2gb_panel(req, base + priority(k, side, PANEL), r, side, k, step_parts(r, k));
    if (e.across >= across_end)
        return;
    orr_insert_ge2gb_products(req, base + priority(k, side, PRODUCT), r, side, k);
    orr_insert_ge2gb_updates(req, base + priority(k, side, NEXT_PANEL), r, side, k, e.first,
                             e.first + 1);
    if (e.first + 1 < e.end)
        orr_insert_ge2gb_updates(req, base + priority(k, side, UPDATE), r, side, k, e.first + 1,
                                 e.end);
}

/* The last row and column may be in no panel. */
static void submit_rest(orr_request *req, int base, const struct orr_ge2gb *r)
{
    for (int side = ORR_LEFT; side <= ORR_RIGHT; side++)
        for (int64_t k = r->side[side].steps; (k + side) * r->b < r->n; k++) {
            if (r->side[side].Q)
                begin_apart(req, base, r, k, side);
            orr_insert_ge2gb_band(req, base + priority(k, side, PANEL), r, side, k);
            if (r->side[side].Q)
                end_apart(req, r, k, side);
        }
}

void orr_ge2gb_submit_step(orr_request *req, int base, const struct orr_ge2gb_stage *x, int64_t k)
{
    for (int side = ORR_LEFT; side <= ORR_RIGHT; side++)
        if (k < x->r.side[side].steps) {
            begin_side(req, base, &x->r, k, side);
            (x->r.whole ? submit_whole_side : submit_side)(req, base, x, k, side);
            end_side(req, &x->r, k, side);
        }
}

void orr_ge2gb_submit_joins(orr_request *req, const struct orr_ge2gb_stage *x)
{
    for (int side = ORR_LEFT; side <= ORR_RIGHT; side++)
        for (int64_t g = 0; x->r.side[side].J && g < orr_ge2gb_groups(&x->r, side); g++)
            if (!orr_request_failed(req))
                orr_insert_ge2gb_join(req, -INT_MAX, &x->r, side, g);
}

void orr_ge2gb_submit(orr_request *req, int base, const struct orr_ge2gb_stage *x)
{
    for (int64_t k = 0; k < x->r.side[ORR_LEFT].steps && !orr_request_failed(req); k++)
        orr_ge2gb_submit_step(req, base, x, k);
    if (x->r.band)
        submit_rest(req, base, &x->r);
    orr_ge2gb_submit_joins(req, x);
}

/* What tile (i,j) is the adjoint of. */
static starpu_data_handle_t opposite(orr_request *req, const struct orr_ge2gb *r, int64_t i,
                                     int64_t j, const struct orr_ge2gb_source *x)
{
    const size_t size = orr_type_size(r->type);
    starpu_data_handle_t h = orr_request_matrix_on(
        req, x->on, (const char *)x->a + (size_t)(j * r->T + i * r->T * x->lda) * size, x->lda,
        orr_least(r->T, r->n - j * r->T), orr_least(r->T, r->m - i * r->T), size);
    orr_request_spent(req, h);
    return h;
}

void orr_ge2gb_submit_load(orr_request *req, int prio, const struct orr_ge2gb_stage *x,
                           const struct orr_ge2gb_source *source,
                           const struct orr_ge2gb_stage *from)
{
    for (int64_t i = 0; i < x->r.tile_rows; i++)
        for (int64_t j = 0; j < x->r.tile_columns && !orr_request_failed(req); j++)
            orr_insert_ge2gb_load(req, prio, &x->r, i, j, source,
                                  from              ? from->r.A[orr_ge2gb_at(&from->r, i, j)]
                                  : source->adjoint ? opposite(req, &x->r, i, j, source)
                                                    : NULL);
}

int64_t orr_ge2gb_parts(const struct orr_ge2gb *r)
{
    int64_t sum = 0;
    for (int side = 0; side < 2; side++)
        for (int64_t k = 0; k < r->side[side].steps; k++)
            sum += step_parts(r, k);
    return sum;
}

int orr_ge2gb_priorities(const struct orr_ge2gb *r)
{
    return -priority(r->side[ORR_LEFT].steps, ORR_RIGHT, UPDATE);
}

int orr_ge2gb_band(void *stage, int64_t first, int64_t count, starpu_data_handle_t *handle)
{
    const struct orr_ge2gb *r = &((struct orr_ge2gb_stage *)stage)->r;
    int found = 0;
    for (int64_t i = first / r->T; i <= (first + count - 1) / r->T; i++) {
        handle[found++] = r->B ? r->B[i] : r->A[orr_ge2gb_at(r, i, i)];
        if (i + 1 < r->tile_columns && !r->B)
            handle[found++] = r->A[orr_ge2gb_at(r, i, i + 1)];
    }
    return found;
}

void orr_ge2gb_submit_apply(orr_request *req, const struct orr_ge2gb *r, int side,
                            const struct orr_hb2st_panel *p, int64_t parts)
{
    for (int64_t g = orr_ge2gb_groups(r, side) - 1; g >= 0; g--) {
        const struct orr_ge2gb_group group = orr_ge2gb_group_of(r, side, g);
        int64_t rows = 0;
        for (int64_t k = group.first; k < group.first + group.count; k++)
            rows += orr_ge2gb_extent_of(r, side, k).rows;
        orr_insert_ge2gb_apply(req, 0, r, side, g, p, parts * p->k * rows);
    }
}

int64_t orr_ge2gb_apply_parts(const struct orr_ge2gb *r, int side, int64_t columns)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < r->side[side].steps; k++)
        sum += columns * orr_ge2gb_extent_of(r, side, k).rows;
    return sum;
}

/* ---- Memory and handles --------------------------------------------------------------------- */

static starpu_data_handle_t *places(orr_request *req, int64_t count)
{
    return orr_own_handles(req, count, "ge2gb");
}

static starpu_data_handle_t make_there(orr_request *req, const struct orr_ge2gb *r, int64_t length)
{
    return orr_own_vector(req, NULL, length, orr_type_size(r->type));
}

/* `count` handles that live until the request ends; length(r, side, k): elements of the k-th. memory: a
 * piece of it for each, or NULL: where StarPU has them, no CPU need see them. */
static starpu_data_handle_t *pieces(orr_request *req, const struct orr_ge2gb *r, int side,
                                    int64_t count,
                                    int64_t (*length)(const struct orr_ge2gb *, int, int64_t),
                                    void **memory)
{
    const size_t size = orr_type_size(r->type);
    starpu_data_handle_t *h = places(req, count);
    int64_t all = 0, at = 0;
    for (int64_t i = 0; i < count; i++)
        all += length(r, side, i);
    if (memory)
        *memory = orr_own_memory(req, r->where, 0, (size_t)all * size + 1, "ge2gb");
    for (int64_t i = 0; i < count && !orr_request_failed(req); at += length(r, side, i++))
        h[i] = orr_own_vector(req, memory ? (char *)*memory + (size_t)at * size : NULL,
                              length(r, side, i), size);
    return h;
}

static int64_t y_length(const struct orr_ge2gb *r, int side, int64_t k)
{
    (void)side;
    (void)k;
    return r->b * r->T;
}

/* (b + 1) numbers for each column of tile t. */
static int64_t band_length(const struct orr_ge2gb *r, int side, int64_t t)
{
    (void)side;
    return (r->b + 1) * orr_least(r->T, r->n - t * r->T);
}

static void make_joins(orr_request *req, struct orr_ge2gb *r, int side)
{
    struct orr_ge2gb_side *s = &r->side[side];
    s->J = places(req, s->steps);
    for (int64_t g = 0; s->J && g < orr_ge2gb_groups(r, side) && !orr_request_failed(req); g++)
        s->J[g] = make_there(req, r, orr_ge2gb_j_length(r, side, g));
}

/* What the tasks of whole sides pass on, and keep; `across` tiles have one Y. */
static void make_whole(orr_request *req, struct orr_ge2gb *r, int side, int64_t across)
{
    struct orr_ge2gb_side *s = &r->side[side];
    s->V = pieces(req, r, side, s->kept, v_room, NULL);
    s->S = pieces(req, r, side, s->kept, s_length, NULL);
    s->Y = places(req, 1);
    if (s->Y)
        s->Y[0] = make_there(req, r, across * r->b * r->T);
}

static void make_pieces(orr_request *req, struct orr_ge2gb_stage *x, int side, int64_t across)
{
    struct orr_ge2gb *r = &x->r;
    struct orr_ge2gb_side *s = &r->side[side];
    void **memory = &x->memory[3 * side];
    const int right_apart = r->owners.count > 0 && side == ORR_RIGHT;
    if (!s->brief)
        s->V = pieces(req, r, side, s->kept, v_room, &memory[0]);
    else if (!right_apart)
        s->V = places(req, s->kept);
    s->S = s->brief ? places(req, s->kept) : pieces(req, r, side, s->kept, s_length, &memory[1]);
    s->Y = right_apart ? places(req, across) : pieces(req, r, side, across, y_length, &memory[2]);
}

static void make_side(orr_request *req, struct orr_ge2gb_stage *x, int side)
{
    struct orr_ge2gb *r = &x->r;
    struct orr_ge2gb_side *s = &r->side[side];
    const int apart = r->owners.count > 0 && !r->whole;
    const int64_t across = side == ORR_LEFT ? r->tile_columns : r->tile_rows;
    s->brief = apart && !x->keep[side];
    s->kept = x->keep[side] || s->brief ? s->steps : orr_least(s->steps, 2);
    if (r->whole)
        make_whole(req, r, side, across);
    else
        make_pieces(req, x, side, across);
    if (r->owners.count > 0 && x->keep[side])
        make_joins(req, r, side);
    if (apart)
        s->Q = places(req, side == ORR_LEFT ? r->tile_rows : r->tile_columns);
}

static size_t bytes_of_tiles(const struct orr_ge2gb_stage *x)
{
    return orr_pin_bytes(x->r.m, x->r.n, x->lda, orr_type_size(x->r.type));
}

void orr_ge2gb_unlock_tiles(orr_request *req, const struct orr_ge2gb_stage *x,
                            struct orr_gate *gate)
{
    const size_t bytes = bytes_of_tiles(x);
    if (x->r.whole && !x->on && bytes >= ORR_PIN_USERS)
        orr_insert_unpin(req, x->a, bytes, gate);
}

static void make_tiles(orr_request *req, struct orr_ge2gb_stage *x)
{
    struct orr_ge2gb *r = &x->r;
    const size_t size = orr_type_size(r->type);
    r->A = calloc((size_t)(r->tile_rows * r->tile_columns) + 1, sizeof *r->A);
    if (!r->A)
        orr_request_fail(req, ORR_E_NOMEM, "ge2gb");
    if (r->where != ORR_ON_CPU && !x->on)
        orr_request_pin(req, x->a, bytes_of_tiles(x), ORR_PIN_USERS);
    for (int64_t i = 0; i < r->tile_rows && !orr_request_failed(req); i++)
        for (int64_t j = 0; j < r->tile_columns; j++) {
            const char *at = x->a;
            if (at)
                at += (size_t)(i * r->T + j * r->T * x->lda) * size;
            starpu_data_handle_t h =
                orr_request_matrix_on(req, x->on, at, x->lda, orr_least(r->T, r->m - i * r->T),
                                      orr_least(r->T, r->n - j * r->T), size);
            if (!h)
                return;
            orr_request_spent(req, h);
            r->A[orr_ge2gb_at(r, i, j)] = h;
        }
}

void orr_ge2gb_make(orr_request *req, struct orr_ge2gb_stage *x)
{
    orr_ge2gb_shape_of(&x->r, x->two_sided);
    orr_plan_bytes(req, 2.0 * (double)((x->r.m + 65) * x->r.b) * /* of a panel from either side */
                            (double)orr_type_size(x->r.type));
    make_tiles(req, x);
    make_side(req, x, ORR_LEFT);
    make_side(req, x, ORR_RIGHT);
    if (x->r.owners.count > 0 && x->two_sided) {
        x->r.B = pieces(req, &x->r, ORR_LEFT, x->r.tile_columns, band_length, &x->memory[6]);
        x->r.band = x->memory[6];
    }
}

void orr_ge2gb_free(struct orr_ge2gb_stage *x)
{
    for (int i = 0; i < 7; i++)
        free(x->memory[i]);
    free(x->r.A);
    free(x->r.B);
    for (int side = 0; side < 2; side++) {
        free(x->r.side[side].V);
        free(x->r.side[side].S);
        free(x->r.side[side].J);
        free(x->r.side[side].Y);
        free(x->r.side[side].Q);
    }
}
