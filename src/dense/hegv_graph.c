/* hegv: eigenvalues and eigenvectors of A x = w B x, A B x = w x or B A x = w x, A and B dense
 * Hermitian, B positive definite. Three graphs, one after the other:
 *
 *     B = L L', C = L^-1 A L^-H or L' A L     tiles of the lower triangles (kernels/hegv.h)
 *     C y = w y                               heev
 *     x = L^-H y or L y                       tiles of L and of panels of columns
 *
 * The reduction of step k, problem 1 (problems 2 and 3 go from the first tile row down, with A(k,j)
 * left of the diagonal in the place of A(i,k) below it):
 *
 *      k                 gst(k)        A(k,k) := L(k,k)^-1 A(k,k) L(k,k)^-H
 *      +---------+       triangle(i)   A(i,k) := A(i,k) L(k,k)^-H
 *      | G       |       hermitian(i)  A(i,k) -= 1/2 L(i,k) A(k,k)
 *      | A u     |       update(i,j)   A(i,j) -= A(i,k) L(j,k)' + L(i,k) A(j,k)'
 *      | A u u   |       hermitian(i)  once more
 *      | A u u u |       then          A(.,k) := L^-1 A(.,k), by triangle and multiply
 *      +---------+
 *
 * The factorization runs beside it: a step wants column k of L, the last part all behind it.
 *
 * Sources: docs/algorithms/hegv.md.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/dense/hegv.h"

#include <stdlib.h>

static starpu_data_handle_t a_of(const struct orr_hegv *h, int64_t i, int64_t j)
{
    return h->A.r.A[orr_he2hb_at(i, j)];
}
static starpu_data_handle_t l_of(const struct orr_hegv *h, int64_t i, int64_t j)
{
    return h->B.r.A[orr_he2hb_at(i, j)];
}
static int64_t side(const struct orr_hegv *h, int64_t i)
{
    return orr_least(h->B.r.T, h->B.r.n - i * h->B.r.T);
}

/* A task whose operations are 2 x y z times a half for every triangle in it. */
static const struct orr_hegv_task *task(const struct orr_hegv *h, struct orr_hegv_task *t, int prio,
                                        int64_t parts)
{
    *t = (struct orr_hegv_task){
        .type = h->B.r.type, .where = h->where, .prio = prio, .parts = parts};
    return t;
}
#define TASK(prio, ...) task(h, &(struct orr_hegv_task){0}, prio, __VA_ARGS__)

/* ---- Factorization and reduction ------------------------------------------------------------- */

/* Step k's own column comes before its updates, and before what later steps have. */
enum { STEP = -4, COLUMN = 0, UPDATE = -2, REST = -8 };

static void factor_step(const struct orr_hegv *h, int64_t k)
{
    const int64_t n = h->B.r.tiles, w = side(h, k);
    const int prio = (int)k * STEP;
    orr_insert_hegv_potrf(h->req, TASK(prio, w * w * w / 3), k * h->B.r.T,
                          (_Atomic int64_t *)&h->minor, l_of(h, k, k));
    for (int64_t i = k + 1; i < n; i++)
        orr_insert_hegv_triangle(h->req, TASK(prio, side(h, i) * w * w), 'R', 'C', 1, l_of(h, k, k),
                                 l_of(h, i, k));
    for (int64_t j = k + 1; j < n; j++)
        for (int64_t i = j; i < n; i++)
            orr_insert_hegv_multiply(
                h->req, TASK(prio + (j > k + 1) * UPDATE, 2 * side(h, i) * side(h, j) * w), 'N',
                'C', -1, l_of(h, i, k), l_of(h, j, k), l_of(h, i, j));
}

/* A(.,k) := L^-1 A(.,k), rows behind k. */
static void solve_column(const struct orr_hegv *h, int64_t k)
{
    const int64_t n = h->B.r.tiles, w = side(h, k);
    const int prio = (int)k * STEP + REST;
    for (int64_t i = k + 1; i < n; i++) {
        orr_insert_hegv_triangle(h->req, TASK(prio, side(h, i) * side(h, i) * w), 'L', 'N', 1,
                                 l_of(h, i, i), a_of(h, i, k));
        for (int64_t j = i + 1; j < n; j++)
            orr_insert_hegv_multiply(h->req, TASK(prio, 2 * side(h, j) * side(h, i) * w), 'N', 'N',
                                     -1, l_of(h, j, i), a_of(h, i, k), a_of(h, j, k));
    }
}

static void reduce_step(const struct orr_hegv *h, int64_t k)
{
    const int64_t n = h->B.r.tiles, w = side(h, k);
    const int prio = (int)k * STEP;
    orr_insert_hegv_gst(h->req, TASK(prio, w * w * w), 1, a_of(h, k, k), l_of(h, k, k));
    for (int64_t i = k + 1; i < n; i++) {
        orr_insert_hegv_triangle(h->req, TASK(prio, side(h, i) * w * w), 'R', 'C', 1, l_of(h, k, k),
                                 a_of(h, i, k));
        orr_insert_hegv_hermitian(h->req, TASK(prio, 2 * side(h, i) * w * w), 'R', -0.5,
                                  a_of(h, k, k), l_of(h, i, k), a_of(h, i, k));
    }
    for (int64_t j = k + 1; j < n; j++)
        for (int64_t i = j; i < n; i++)
            orr_insert_hegv_update(
                h->req, TASK(prio + (j > k + 1) * UPDATE, 4 * side(h, i) * side(h, j) * w), 'N', -1,
                a_of(h, i, k), l_of(h, i, k), a_of(h, j, k), l_of(h, j, k), a_of(h, i, j));
    for (int64_t i = k + 1; i < n; i++)
        orr_insert_hegv_hermitian(h->req, TASK(prio + REST, 2 * side(h, i) * w * w), 'R', -0.5,
                                  a_of(h, k, k), l_of(h, i, k), a_of(h, i, k));
    solve_column(h, k);
}

/* A(k,.) := A(k,.) L, columns before k. */
static void multiply_row(const struct orr_hegv *h, int64_t k)
{
    const int64_t w = side(h, k);
    const int prio = (int)k * STEP;
    for (int64_t j = 0; j < k; j++) {
        orr_insert_hegv_triangle(h->req, TASK(prio, w * side(h, j) * side(h, j)), 'R', 'N', 0,
                                 l_of(h, j, j), a_of(h, k, j));
        for (int64_t i = j + 1; i < k; i++)
            orr_insert_hegv_multiply(h->req, TASK(prio, 2 * w * side(h, i) * side(h, j)), 'N', 'N',
                                     1, a_of(h, k, i), l_of(h, i, j), a_of(h, k, j));
    }
}

static void product_step(const struct orr_hegv *h, int64_t k)
{
    const int64_t w = side(h, k);
    const int prio = (int)k * STEP;
    multiply_row(h, k);
    for (int64_t j = 0; j < k; j++)
        orr_insert_hegv_hermitian(h->req, TASK(prio, 2 * side(h, j) * w * w), 'L', 0.5,
                                  a_of(h, k, k), l_of(h, k, j), a_of(h, k, j));
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = j; i < k; i++)
            orr_insert_hegv_update(h->req, TASK(prio + UPDATE, 4 * side(h, i) * side(h, j) * w),
                                   'C', 1, a_of(h, k, i), l_of(h, k, i), a_of(h, k, j),
                                   l_of(h, k, j), a_of(h, i, j));
    for (int64_t j = 0; j < k; j++) {
        orr_insert_hegv_hermitian(h->req, TASK(prio, 2 * side(h, j) * w * w), 'L', 0.5,
                                  a_of(h, k, k), l_of(h, k, j), a_of(h, k, j));
        orr_insert_hegv_triangle(h->req, TASK(prio, side(h, j) * w * w), 'L', 'C', 0, l_of(h, k, k),
                                 a_of(h, k, j));
    }
    orr_insert_hegv_gst(h->req, TASK(prio, w * w * w), h->problem, a_of(h, k, k), l_of(h, k, k));
}

void orr_hegv_submit_reduction(const struct orr_hegv *h)
{
    const int64_t n = h->B.r.tiles;
    orr_he2hb_submit_load(h->req, &h->B, 0);
    orr_he2hb_submit_load(h->req, &h->A, 0);
    for (int64_t k = 0; k < n && !orr_request_failed(h->req); k++)
        factor_step(h, k);
    for (int64_t k = 0; k < n && !orr_request_failed(h->req); k++)
        (h->problem == 1 ? reduce_step : product_step)(h, k);
}

/* ---- Vectors ---------------------------------------------------------------------------------- */

static int64_t panel_columns(const struct orr_hegv *h, int64_t p)
{
    return orr_least(h->width, h->columns - p * h->width);
}
static starpu_data_handle_t z_of(const struct orr_hegv *h, int64_t i, int64_t p)
{
    return h->Z[i * h->panels + p];
}

/* Problems 1 and 2: X := L^-H X. */
static void solve_panel(const struct orr_hegv *h, int64_t p)
{
    const int64_t c = panel_columns(h, p);
    for (int64_t k = h->B.r.tiles - 1; k >= 0; k--) {
        orr_insert_hegv_triangle(h->req, TASK(0, side(h, k) * side(h, k) * c), 'L', 'C', 1,
                                 l_of(h, k, k), z_of(h, k, p));
        for (int64_t i = 0; i < k; i++)
            orr_insert_hegv_multiply(h->req, TASK(0, 2 * side(h, k) * side(h, i) * c), 'C', 'N', -1,
                                     l_of(h, k, i), z_of(h, k, p), z_of(h, i, p));
    }
}

/* Problem 3: X := L X. */
static void multiply_panel(const struct orr_hegv *h, int64_t p)
{
    const int64_t c = panel_columns(h, p);
    for (int64_t i = h->B.r.tiles - 1; i >= 0; i--) {
        orr_insert_hegv_triangle(h->req, TASK(0, side(h, i) * side(h, i) * c), 'L', 'N', 0,
                                 l_of(h, i, i), z_of(h, i, p));
        for (int64_t j = 0; j < i; j++)
            orr_insert_hegv_multiply(h->req, TASK(0, 2 * side(h, i) * side(h, j) * c), 'N', 'N', 1,
                                     l_of(h, i, j), z_of(h, j, p), z_of(h, i, p));
    }
}

void orr_hegv_make_panels(struct orr_hegv *h, void *z, int64_t ldz, int z_on)
{
    enum { PANELS = 4, NARROW = 32 };
    const size_t size = orr_type_size(h->B.r.type);
    const int64_t T = h->B.r.T, wanted = h->columns / (PANELS * orr_most(h->ctx->info.cpu, 1));
    h->width = h->B.r.tiles == 1 && h->B.r.n <= orr_hegv_whole(h->B.r.type)
                   ? h->columns
                   : orr_least(orr_most(wanted, NARROW), T > NARROW ? T : NARROW);
    h->panels = (h->columns + h->width - 1) / h->width;
    h->Z = calloc((size_t)(h->B.r.tiles * h->panels) + 1, sizeof *h->Z);
    if (!h->Z)
        orr_request_fail(h->req, ORR_E_NOMEM, "hegv");
    if (h->where != ORR_ON_CPU && !z_on)
        orr_request_pin(h->req, z, orr_pin_bytes(h->B.r.n, h->columns, ldz, size), ORR_PIN_USERS);
    for (int64_t i = 0; i < h->B.r.tiles; i++)
        for (int64_t p = 0; p < h->panels && !orr_request_failed(h->req); p++)
            h->Z[i * h->panels + p] = orr_request_matrix_on(
                h->req, z_on, (char *)z + (size_t)(i * T + p * h->width * ldz) * size, ldz,
                side(h, i), panel_columns(h, p), size);
}

void orr_hegv_submit_vectors(const struct orr_hegv *h)
{
    for (int64_t p = 0; p < h->panels && !orr_request_failed(h->req); p++)
        (h->problem == 3 ? multiply_panel : solve_panel)(h, p);
}
