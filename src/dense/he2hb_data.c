/* The data of he2hb: its tiles, which are the user's array or copies of it on a device, how the user's triangle comes
 * into them, and what the tasks of a step pass on.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "codelets/core/least.h"
#include "src/core/pieces.h"
#include "src/dense/he2hb.h"

/* ---- The user's triangle -------------------------------------------------------------------- */

/* A lower triangle is where it should be, but for the imaginary parts of its diagonal. */
static int must_load(const struct orr_he2hb_stage *x, int64_t i, int64_t j)
{
    const int complex = orr_is_complex(x->r.type);
    return x->user.upper || x->scale != 1 || (complex && i == j);
}

/* Devices whose tiles they are bring them there themselves, unless they are where they should be. */
static int loads_there(const struct orr_he2hb_stage *x)
{
    return x->r.whole && !x->user.on && must_load(x, 0, 0);
}

static size_t bytes_of_tiles(const struct orr_he2hb_stage *x)
{
    return orr_pin_bytes(x->r.n, x->r.n, x->user.lda, orr_type_size(x->r.type));
}

void orr_he2hb_lock_tiles(orr_request *req, const struct orr_he2hb_stage *x)
{
    const struct orr_he2hb *r = &x->r;
    if (r->where == ORR_ON_CPU || x->user.on)
        return;
    if (!r->U)
        orr_request_go(req); /* CPUs may begin meanwhile */
    orr_request_pin(req, x->user.a, bytes_of_tiles(x), ORR_PIN_USERS);
}

void orr_he2hb_unlock_tiles(orr_request *req, const struct orr_he2hb_stage *x,
                            struct orr_gate *gate)
{
    const size_t bytes = bytes_of_tiles(x);
    if (x->r.whole && !x->user.on && bytes >= ORR_PIN_USERS)
        orr_insert_unpin(req, x->user.a, bytes, gate);
}

void orr_he2hb_submit_load(orr_request *req, const struct orr_he2hb_stage *x, int prio)
{
    if (x->user.on) { /* no task has begun */
        const orr_status st = must_load(x, 0, 0)
                                  ? orr_he2hb_load_there(x->r.type, x->r.n, &x->user, x->scale)
                                  : ORR_OK;
        if (st != ORR_OK)
            orr_request_fail(req, st, "he2hb_load");
        return;
    }
    if (x->r.U) /* which are copied at once */
        orr_he2hb_lock_tiles(req, x);
    for (int64_t j = 0; j < x->r.tiles; j++)
        for (int64_t i = j; i < x->r.tiles; i++)
            if (x->r.U || must_load(x, i, j))
                orr_insert_he2hb_load(req, prio, &x->r, i, j, &x->user, x->scale);
    if (!x->r.U)
        orr_he2hb_lock_tiles(req, x);
}

/* ---- Memory and handles ---------------------------------------------------------------------- */

/* `count` pieces of `length` elements, each a handle until the request ends. */
static starpu_data_handle_t *pieces(orr_request *req, const struct orr_he2hb *r, int64_t count,
                                    int64_t length, void **memory)
{
    const size_t size = orr_type_size(r->type);
    *memory = orr_own_memory(req, r->where, 0, (size_t)(count * length) * size + 1, "he2hb");
    return orr_own_vectors(req, *memory, count, length, size, "he2hb");
}

static starpu_data_handle_t *places(orr_request *req, int64_t count)
{
    return orr_own_handles(req, count, "he2hb");
}

/* Rows from i T on and columns from j T on of the user's array. */
static starpu_data_handle_t in_array(orr_request *req, const struct orr_he2hb_stage *x, int64_t i,
                                     int64_t j)
{
    const struct orr_he2hb *r = &x->r;
    const size_t size = orr_type_size(r->type);
    const size_t before = (size_t)(i * r->T + j * r->T * x->user.lda) * size;
    return orr_request_matrix_on(req, x->user.on, (const char *)x->user.a + before, x->user.lda,
                                 orr_least(r->T, r->n - i * r->T), orr_least(r->T, r->n - j * r->T),
                                 size);
}

static starpu_data_handle_t there(orr_request *req, const struct orr_he2hb *r, int64_t i, int64_t j)
{
    const int64_t rows = orr_least(r->T, r->n - i * r->T);
    return orr_request_matrix_on(req, -1, NULL, rows, rows, orr_least(r->T, r->n - j * r->T),
                                 orr_type_size(r->type));
}

void orr_he2hb_make_tiles(orr_request *req, struct orr_he2hb_stage *x, int wanted)
{
    struct orr_he2hb *r = &x->r;
    const int64_t count = orr_he2hb_at(r->tiles, 0);
    r->A = places(req, count);
    r->U = !wanted && loads_there(x) ? places(req, count) : NULL;
    for (int64_t i = 0; i < r->tiles && !orr_request_failed(req); i++)
        for (int64_t j = 0; j <= i; j++) {
            const int64_t at = orr_he2hb_at(i, j);
            if (r->U &&
                (r->U[at] = x->user.upper ? in_array(req, x, j, i) : in_array(req, x, i, j)))
                orr_request_spent(req, r->U[at]);
            r->A[at] = r->U ? there(req, r, i, j) : in_array(req, x, i, j);
            if (!r->A[at])
                return;
            if (!wanted)
                orr_request_spent(req, r->A[at]);
        }
}

/* Without a place in main memory: no CPU need see it. */
static starpu_data_handle_t make_there(orr_request *req, const struct orr_he2hb *r, int64_t length)
{
    return orr_own_vector(req, NULL, length, orr_type_size(r->type));
}

static void make_joins(orr_request *req, struct orr_he2hb *r)
{
    r->J = places(req, r->steps);
    for (int64_t g = 0; r->J && g < orr_he2hb_groups(r) && !orr_request_failed(req); g++)
        r->J[g] = make_there(req, r, orr_he2hb_j_length(r, g));
}

/* What the tasks of a step pass on, and keep. Several owners also pass on what is made for a tile column. */
static void make_whole(orr_request *req, struct orr_he2hb *r)
{
    const int64_t ways = orr_he2hb_ways(r),
                  parts = 2 * r->owners.count; /* of even steps, and of odd */
    r->X = places(req, parts);
    for (int64_t i = 0; r->X && i < parts; i++)
        r->X[i] = make_there(req, r, orr_he2hb_whole_x_length(r));
    r->S = places(req, r->steps);
    for (int64_t k = 0; r->S && k < r->steps && !orr_request_failed(req); k++)
        r->S[k] = make_there(req, r, orr_he2hb_s_length(r));
    r->P = places(req, ways);
    if (r->P && r->owners.count == 1)
        r->P[0] = make_there(req, r, r->tiles * (orr_he2hb_p_length(r) + orr_he2hb_m_length(r)));
}

static void make_pieces(orr_request *req, struct orr_he2hb_stage *x)
{
    struct orr_he2hb *r = &x->r;
    const int apart = r->owners.count > 0;
    const int64_t owners = apart ? r->owners.count : 1;
    if (apart)
        r->Q = places(req, r->tiles);
    r->X = pieces(req, r, owners * 2 * r->tiles, orr_he2hb_x_length(r), &x->memory[ORR_HE2HB_X]);
    r->P = apart ? places(req, r->tiles)
                 : pieces(req, r, r->tiles, orr_he2hb_p_length(r), &x->memory[ORR_HE2HB_P]);
    r->N = pieces(req, r, r->tiles, orr_he2hb_m_length(r), &x->memory[ORR_HE2HB_N]);
    starpu_data_handle_t *m = pieces(req, r, 1, orr_he2hb_m_length(r), &x->memory[ORR_HE2HB_M]);
    r->M = m ? m[0] : NULL;
    free(m);
    r->S = pieces(req, r, r->steps, orr_he2hb_s_length(r), &x->memory[ORR_HE2HB_S]);
}

void orr_he2hb_make(orr_request *req, struct orr_he2hb_stage *x)
{
    struct orr_he2hb *r = &x->r;
    orr_he2hb_make_tiles(req, x, 0);
    if (r->whole)
        make_whole(req, r);
    else
        make_pieces(req, x);
    if (r->owners.count == 0)
        return;
    if (r->applied)
        make_joins(req, r);
    r->B = pieces(req, r, r->tiles, (r->b + 1) * r->T, &x->memory[ORR_HE2HB_B]);
    r->band = x->memory[ORR_HE2HB_B];
}

void orr_he2hb_free(struct orr_he2hb_stage *x)
{
    for (int i = 0; i < ORR_HE2HB_MEMORIES; i++)
        free(x->memory[i]);
    free(x->r.A);
    free(x->r.U);
    free(x->r.X);
    free(x->r.P);
    free(x->r.N);
    free(x->r.S);
    free(x->r.J);
    free(x->r.Q);
    free(x->r.B);
}
