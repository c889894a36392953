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
 * With an accelerator, which has the tiles, a panel is copied out of them to where it is found, and
 * R or L back: the tiles themselves need not travel. Where there are several, each tile column has
 * an owner (codelets/core/owner.h), and a tile is read and written by nobody else. From the left all of
 * Y(j) is its owner's; from the right Y(i) is a chain of tasks, passed from one owner to the next.
 * The order of its terms is the same for any number of owners, so the results are, too.
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

#include <stdlib.h>

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }

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
                           int side, int64_t t, int64_t first, int64_t end)
{
    const struct orr_owners *o = &r->owners;
    for (int64_t j = first + 1; j < end && side == ORR_RIGHT && o->count; j++)
        if (orr_owner_of(o, j) != orr_owner_of(o, j - 1)) {
            orr_insert_ge2gb_product(req, prio, r, side, k, t, first, j);
            first = j;
        }
    orr_insert_ge2gb_product(req, prio, r, side, k, t, first, end);
}

static int64_t v_length(const struct orr_ge2gb *r, int side, int64_t k)
{
    const struct orr_ge2gb_extent e = orr_ge2gb_extent_of(r, side, k);
    return e.rows * e.width;
}

static int64_t s_length(const struct orr_ge2gb *r, int side, int64_t k)
{
    (void)side;
    (void)k;
    return r->b * r->b;
}

static void begin_side(orr_request *req, const struct orr_ge2gb *r, int64_t k, int side)
{
    const struct orr_ge2gb_side *s = &r->side[side];
    const size_t size = orr_type_size(r->type);
    if (s->brief) { /* no longer than it is: it travels */
        s->V[k] = orr_request_temporary(req, v_length(r, side, k), size);
        s->S[k] = orr_request_temporary(req, s_length(r, side, k), size);
    }
}

static void end_side(orr_request *req, const struct orr_ge2gb *r, int64_t k, int side)
{
    const struct orr_ge2gb_side *s = &r->side[side];
    if (s->brief) {
        orr_request_forget(req, s->V[k]);
        orr_request_forget(req, s->S[k]);
    }
}

static void submit_side(orr_request *req, int base, const struct orr_ge2gb_stage *x, int64_t k,
                        int side)
{
    const struct orr_ge2gb *r = &x->r;
    const struct orr_ge2gb_extent e = orr_ge2gb_extent_of(r, side, k);
    const int64_t along_end = side == ORR_LEFT ? r->tile_rows : r->tile_columns;
    const int64_t across_end = side == ORR_LEFT ? r->tile_columns : r->tile_rows;
    /* The tile row (from the left) or column that the next panel is in: row k, column k+1. */
    const int to_right = side == ORR_LEFT && x->two_sided;
    const int64_t next = (k + !to_right) * r->b / r->T;
    const int apart = r->side[side].Q != NULL;

    for (int64_t t = e.first; apart && t < along_end; t++)
        orr_insert_ge2gb_move(req, base + priority(k, side, PANEL), r, side, k, t, 0);
    orr_insert_ge2gb_panel(req, base + priority(k, side, PANEL), r, side, k, step_parts(r, k));
    if (apart) /* R or L; what is below or beside it is not kept */
        orr_insert_ge2gb_move(req, base + priority(k, side, PRODUCT), r, side, k, e.first, 1);
    for (int64_t t = e.across, now = t; t < across_end; now = t) {
        t += orr_plan_alike(req, t, e.across + 1, across_end - 1);
        submit_product(req, base + priority(k, side, PRODUCT), r, k, side, now, e.first, along_end);
    }
    for (int64_t t = e.across, step = 1; t < across_end; t += step)
        for (int64_t v = e.first, now = v; v < along_end; now = v) {
            step = orr_plan_alike(req, t, e.across + 1, across_end - 1);
            v += orr_plan_alike(req, v, e.first + 1, along_end - 1);
            const int64_t i = side == ORR_LEFT ? now : t, j = side == ORR_LEFT ? t : now;
            const int urgent = to_right ? i == next : j == next;
            orr_insert_ge2gb_update(req, base + priority(k, side, urgent ? NEXT_PANEL : UPDATE), r,
                                    side, k, i, j);
        }
}

void orr_ge2gb_submit(orr_request *req, int base, const struct orr_ge2gb_stage *x)
{
    for (int64_t k = 0; k < x->r.side[ORR_LEFT].steps && !orr_request_failed(req); k++) {
        for (int side = ORR_LEFT; side <= ORR_RIGHT; side++)
            if (k < x->r.side[side].steps) {
                begin_side(req, &x->r, k, side);
                submit_side(req, base, x, k, side);
                end_side(req, &x->r, k, side);
            }
    }
}

void orr_ge2gb_submit_load(orr_request *req, int prio, const struct orr_ge2gb_stage *x,
                           const struct orr_ge2gb_source *source,
                           const struct orr_ge2gb_stage *from)
{
    for (int64_t i = 0; i < x->r.tile_rows; i++)
        for (int64_t j = 0; j < x->r.tile_columns; j++)
            orr_insert_ge2gb_load(req, prio, &x->r, i, j, source,
                                  from ? from->r.A[orr_ge2gb_at(&from->r, i, j)] : NULL);
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
        handle[found++] = r->A[orr_ge2gb_at(r, i, i)];
        if (i + 1 < r->tile_columns)
            handle[found++] = r->A[orr_ge2gb_at(r, i, i + 1)];
    }
    return found;
}

void orr_ge2gb_submit_apply(orr_request *req, const struct orr_ge2gb *r, int side,
                            const struct orr_hb2st_panel *p, int64_t parts)
{
    for (int64_t k = r->side[side].steps - 1; k >= 0; k--)
        orr_insert_ge2gb_apply(req, 0, r, side, k, p,
                               parts * p->k * orr_ge2gb_extent_of(r, side, k).rows);
}

int64_t orr_ge2gb_apply_parts(const struct orr_ge2gb *r, int side, int64_t columns)
{
    int64_t sum = 0;
    for (int64_t k = 0; k < r->side[side].steps; k++)
        sum += columns * orr_ge2gb_extent_of(r, side, k).rows;
    return sum;
}

/* ---- Memory and handles --------------------------------------------------------------------- */

/* A piece of memory for each of `count` handles that live until the request ends; length(r, side,
 * k): elements of the k-th. */
static starpu_data_handle_t *pieces(orr_request *req, const struct orr_ge2gb *r, int side,
                                    int64_t count,
                                    int64_t (*length)(const struct orr_ge2gb *, int, int64_t),
                                    void **memory)
{
    const size_t size = orr_type_size(r->type);
    starpu_data_handle_t *h = calloc((size_t)count + 1, sizeof *h);
    int64_t all = 0, at = 0;
    for (int64_t i = 0; i < count; i++)
        all += length(r, side, i);
    *memory = orr_request_memory(req, 0, (size_t)all * size + 1);
    if (!h || !*memory)
        orr_request_fail(req, ORR_E_NOMEM, "ge2gb");
    if (r->where != ORR_ON_CPU)
        orr_request_pin(req, *memory, (size_t)all * size, ORR_PIN_OURS);
    for (int64_t i = 0; i < count && !orr_request_failed(req); i++) {
        const int64_t elements = length(r, side, i);
        h[i] = orr_request_vector(req, (char *)*memory + (size_t)at * size, elements, size);
        orr_request_spent(req, h[i]);
        at += elements;
    }
    return h;
}

static int64_t y_length(const struct orr_ge2gb *r, int side, int64_t k)
{
    (void)side;
    (void)k;
    return r->b * r->T;
}

static void make_side(orr_request *req, struct orr_ge2gb_stage *x, int side)
{
    struct orr_ge2gb *r = &x->r;
    struct orr_ge2gb_side *s = &r->side[side];
    void **memory = &x->memory[4 * side];
    s->brief = x->apart && !x->keep[side];
    s->kept = x->keep[side] || s->brief ? s->steps : least(s->steps, 2);
    s->V = s->brief ? calloc((size_t)s->kept + 1, sizeof *s->V)
                    : pieces(req, r, side, s->kept, v_length, &memory[0]);
    s->S = s->brief ? calloc((size_t)s->kept + 1, sizeof *s->S)
                    : pieces(req, r, side, s->kept, s_length, &memory[1]);
    if (!s->V || !s->S)
        orr_request_fail(req, ORR_E_NOMEM, "ge2gb");
    s->Y = pieces(req, r, side, side == ORR_LEFT ? r->tile_columns : r->tile_rows, y_length,
                  &memory[2]);
    if (x->apart)
        s->Q = pieces(req, r, side, side == ORR_LEFT ? r->tile_rows : r->tile_columns, y_length,
                      &memory[3]);
}

static void make_tiles(orr_request *req, struct orr_ge2gb_stage *x)
{
    struct orr_ge2gb *r = &x->r;
    const size_t size = orr_type_size(r->type);
    r->A = calloc((size_t)(r->tile_rows * r->tile_columns) + 1, sizeof *r->A);
    if (!r->A)
        orr_request_fail(req, ORR_E_NOMEM, "ge2gb");
    if (r->where != ORR_ON_CPU)
        orr_request_pin(req, x->a, orr_pin_bytes(r->m, r->n, x->lda, size), ORR_PIN_USERS);
    for (int64_t i = 0; i < r->tile_rows && !orr_request_failed(req); i++)
        for (int64_t j = 0; j < r->tile_columns; j++) {
            starpu_data_handle_t h = orr_request_matrix(
                req, (const char *)x->a + (size_t)(i * r->T + j * r->T * x->lda) * size, x->lda,
                least(r->T, r->m - i * r->T), least(r->T, r->n - j * r->T), size);
            if (!h)
                return;
            orr_request_spent(req, h);
            r->A[orr_ge2gb_at(r, i, j)] = h;
        }
}

void orr_ge2gb_make(orr_request *req, struct orr_ge2gb_stage *x)
{
    if (x->apart)
        x->r.owners = orr_owners_look();
    x->apart = x->r.owners.count > 0;
    orr_ge2gb_shape_of(&x->r, x->two_sided);
    make_tiles(req, x);
    make_side(req, x, ORR_LEFT);
    make_side(req, x, ORR_RIGHT);
}

void orr_ge2gb_free(struct orr_ge2gb_stage *x)
{
    for (int i = 0; i < 8; i++)
        free(x->memory[i]);
    free(x->r.A);
    for (int side = 0; side < 2; side++) {
        free(x->r.side[side].V);
        free(x->r.side[side].S);
        free(x->r.side[side].Y);
        free(x->r.side[side].Q);
    }
}
