/* Singular vectors of gb2bd. With one stage (tw = b-1) step t of sweep s makes a reflector from
 * the left and one from the right, both of rows or columns J(t) = s+1+(t-1)b .. s+tb: what a
 * hop of hb2st makes. So the products
 *
 *     L = u(0,1) u(0,2) ... u(1,1) ...        R = v(0,1) v(0,2) ... v(1,1) ...
 *
 * are applied by the tasks of hb2st (src/band/hb2st_product.c), and a matrix A that is reduced is
 *
 *     A = Q L diag(l) |B| diag(r)' R'         Q: of A = QR, reflectors of length kl+1
 *
 * with the phases l and r that make a complex bidiagonal matrix B real (1 in real types):
 * U = Q L diag(l) and V = R diag(r), computed from diag(l) and diag(r) on. If it was A' that was
 * reduced, A = V |B|' U': a lower bidiagonal matrix. With rows and columns in reverse order it is
 * an upper one, so d, e and the columns of U and V are stored backwards, and U and V change
 * places.
 *
 * Half precision has its reflectors, and U and V, in single precision.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "codelets/core/least.h"
#include "src/band/gb2bd_vectors.h"
#include "src/core/pieces.h"

static void *memory_for(orr_request *req, const struct orr_gb2bd_vectors *x, int64_t elements,
                        orr_type type)
{
    const size_t bytes = (size_t)(elements + 1) * orr_type_size(type);
    return orr_own_memory(req, x->where, 0, bytes, "gb2bd");
}

static void make_side(orr_request *req, const struct orr_gb2bd_vectors *x, struct orr_gb2bd_side *s,
                      int64_t band, int64_t G)
{
    const struct orr_gb2bd *a = x->a;
    const int64_t sweeps = band > 1 && a->order > 2 ? a->order - 2 : 0;
    s->r = (struct orr_hb2st){.type = orr_gb2bd_vector_type(a->type),
                              .n = a->order,
                              .b = band,
                              .D = a->order,
                              .G = G,
                              .sweeps = sweeps,
                              .groups = (sweeps + G - 1) / G,
                              .blocks = 1};
    s->memory = x->apart ? NULL : memory_for(req, x, orr_hb2st_all_reflectors(&s->r), s->r.type);
    s->r.V = orr_hb2st_reflectors(req, &s->r, s->memory, 0);
}

static void make_phases(orr_request *req, const struct orr_gb2bd_vectors *x,
                        struct orr_gb2bd_side *s)
{
    const struct orr_gb2bd *a = x->a;
    s->phases = memory_for(req, x, a->order, a->type);
    if (s->phases)
        s->phases_handle = orr_request_vector(req, s->phases, a->order, orr_type_size(a->type));
}

static void make_qr(orr_request *req, struct orr_gb2bd_vectors *x)
{
    const int64_t piece = orr_gb2bd_qr_length(x->a);
    const orr_type type = orr_gb2bd_vector_type(x->a->type);
    x->qr_memory = memory_for(req, x, x->blocks * piece, type);
    x->qr = orr_own_vectors(req, x->qr_memory, x->blocks, piece, orr_type_size(type), "gb2bd");
}

void orr_gb2bd_vectors_make(orr_request *req, struct orr_gb2bd_vectors *x,
                            const struct orr_gb2bd *a, int64_t band, int64_t G)
{
    const int complex = orr_is_complex(a->type);
    x->a = a;
    x->blocks = (a->order + a->D - 1) / a->D;
    if (a->order == 0 || (!x->left.keep && !x->right.keep))
        return;
    if (x->left.keep)
        make_side(req, x, &x->left, band, G);
    if (x->right.keep)
        make_side(req, x, &x->right, band, G);
    if (complex) { /* one follows from the other */
        make_phases(req, x, &x->left);
        make_phases(req, x, &x->right);
    }
    if (x->left.keep && a->low > 0)
        make_qr(req, x);
}

/* E := Q E, the last block first. */
static void then_qr(orr_request *req, void *arg, const struct orr_hb2st_panel *p)
{
    const struct orr_gb2bd_vectors *x = arg;
    for (int64_t m = x->blocks - 1; m >= 0; m--)
        orr_insert_gb2bd_qr_apply(req, 0, x->a, m, p, x->qr[m]);
}

static void submit_side(orr_request *req, struct orr_gb2bd_vectors *x,
                        const struct orr_gb2bd_side *s, const orr_context *ctx)
{
    const int qr = s == &x->left && x->qr;
    struct orr_product product = {.rows = s->rows,
                                  .k = x->a->order,
                                  .lde = s->ld,
                                  .E = s->E,
                                  .on = s->on,
                                  .unit = 1,
                                  .backwards = x->a->transposed,
                                  .diagonal = s->phases_handle,
                                  .then = qr ? then_qr : NULL,
                                  .beside = qr ? orr_gb2bd_qr_apply_bytes(x->a, x->a->order) : 0,
                                  .arg = x,
                                  .where = x->where};
    if (s->E)
        orr_submit_product(ctx, req, &s->r, &product);
}

void orr_gb2bd_vectors_submit(const orr_context *ctx, orr_request *req, struct orr_gb2bd_vectors *x,
                              const starpu_data_handle_t *H)
{
    for (int64_t m = 0; x->left.phases_handle && m < x->blocks; m++)
        orr_insert_gb2bd_phases(req, 0, x->a, m, H[m], x->left.phases_handle,
                                x->right.phases_handle);
    submit_side(req, x, &x->left, ctx);
    submit_side(req, x, &x->right, ctx);
}

static void free_side(struct orr_gb2bd_side *s)
{
    free(s->r.V);
    free(s->memory);
    free(s->phases);
}

void orr_gb2bd_vectors_free(struct orr_gb2bd_vectors *x)
{
    free_side(&x->left);
    free_side(&x->right);
    free(x->qr);
    free(x->qr_memory);
}
