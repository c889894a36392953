/* Divide and conquer of the bidiagonal matrix: what is gesvd's alone of merge.c. Of a merge that is apart,
 *
 *   arrange        told, index R, x2[side][] W, parts of both halves of a side R; of V their extra R, and
 *                  extra and corner W                              on accelerators
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd_merge.h"

#include "codelets/dense/gesvd.h"
#include "codelets/dense/merge_tasks.h"
#include "kernels/least.h"

static const struct orr_merge_algorithm gesvd;

static void arrange_by(void **buf, struct orr_merge_args *a,
                       orr_gesvd_arrange_apart_fn *const *kernel, orr_stream stream)
{
    const struct orr_merge_node *x = a->node, *const *half = x->half;
    void *const x2[2] = {ORR_PTR(2), ORR_PTR(3)};
    const void *extra[2] = {NULL, NULL};
    void *last = NULL, *corner = NULL;
    int64_t at = 4 + half[0]->parts + half[1]->parts;
    if (orr_merge_stopped(a))
        return;
    const orr_merge_columns have[2] = {orr_merge_have(buf + 4, half[0]),
                                       orr_merge_have(buf + 4 + half[0]->parts, half[1])};
    for (int h = 0; h < 2 && a->side == 1; h++)
        if (half[h]->extra)
            extra[h] = ORR_PTR(at++);
    if (a->side == 1 && x->extra) {
        last = ORR_PTR(at);
        corner = ORR_PTR(at + 1);
    }
    orr_merge_check(a,
                    kernel[a->x->matrix.type](stream, &x->m, a->side,
                                              orr_merge_rows_of(a->x, x, a->side), have, extra,
                                              ORR_PTR(0), ORR_PTR(1), x2, last, corner),
                    gesvd.arrange);
}

static void arrange_apart(void **buf, struct orr_merge_args *a)
{
    arrange_by(buf, a, orr_gesvd_arrange_apart_cpu, NULL);
}

#ifdef ORR_WITH_CUDA
static void orr_merge_arrange_cuda(void **buf, void *arg)
{
    arrange_by(buf, arg, orr_gesvd_arrange_apart_cuda, ORR_STREAM());
}
#endif
ORR_CUDA(orr_merge_secular, orr_gesvd_secular_apart_cuda)
ORR_CUDA(orr_merge_product, orr_gesvd_product_apart_cuda)

ORR_CODELETS(orr_merge_leaf, "gesvd_tree", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(orr_merge_deflate, "gesvd_deflate", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(orr_merge_arrange, "gesvd_arrange", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(orr_merge_secular, "gesvd_secular", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(orr_merge_weigh, "gesvd_weigh", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(orr_merge_coefficients, "gesvd_coefficients", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(orr_merge_product, "gesvd_product", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(orr_merge_order, "gesvd_order", ORR_SDCZ, ORR_CPU);

static void insert_arrange_apart(struct orr_merge_submission *s, struct orr_merge_node *x,
                                 const starpu_data_handle_t *x2)
{
    const double n = (double)x->m.n;
    for (int side = 0; side < 2; side++) {
        orr_merge_begin(s, x->told, STARPU_R);
        orr_merge_add(s, &x->index, 1, STARPU_R);
        orr_merge_add(s, x2 + 2 * side, 2, STARPU_W);
        for (int h = 0; h < 2; h++) {
            const struct orr_merge_node *half = x->half[h];
            orr_merge_add(s, half->part + side * half->parts, half->parts, STARPU_R);
        }
        for (int h = 0; h < 2 && side == 1; h++)
            if (x->half[h]->extra)
                orr_merge_add(s, &x->half[h]->extra, 1, STARPU_R);
        if (side == 1 && x->extra) {
            orr_merge_add(s, &x->extra, 1, STARPU_W);
            orr_merge_add(s, &x->corner, 1, STARPU_W);
        }
        orr_merge_insert(s, gesvd.arrange, ORR_ON_ACCELERATOR, x, 0, side, n * n, 0);
    }
}

static int fits(int64_t n, size_t real)
{
    const int64_t rows = n + 1, wide = rows * orr_least(n, ORR_MERGE_WIDE),
                  half = rows * orr_merge_up(rows, 2), quarter = orr_merge_up(half, 2);
    const int64_t arrange[] = {half, half, quarter, quarter, 4 * rows, 4 * rows};
    const int64_t product[] = {half, half, wide, wide, 4 * rows, 4 * rows};
    return orr_merge_fits(arrange, sizeof arrange / sizeof *arrange, real) &&
           orr_merge_fits(product, sizeof product / sizeof *product, real);
}

static double deflation(double n) { return n * n; }

static const struct orr_merge_algorithm gesvd = {
    .name = "gesvd",
    .sides = 2,
    .rows = 128,
    .columns = 128,
    .replaces = 1,
    .leaf = orr_merge_leaf_codelet,
    .deflate = orr_merge_deflate_codelet,
    .arrange = orr_merge_arrange_codelet,
    .secular = orr_merge_secular_codelet,
    .weigh = orr_merge_weigh_codelet,
    .coefficients = orr_merge_coefficients_codelet,
    .product = orr_merge_product_codelet,
    .order = orr_merge_order_codelet,
    .cpu = {.leaf = orr_gesvd_tree_cpu,
            .ends = orr_gesvd_ends_cpu,
            .deflate = orr_gesvd_deflate_cpu,
            .arrange = orr_gesvd_arrange_cpu,
            .secular = orr_gesvd_secular_cpu,
            .weigh = orr_gesvd_weigh_cpu,
            .coefficients = orr_gesvd_coefficients_cpu,
            .product = orr_gesvd_product_cpu,
            .order = orr_gesvd_order_cpu,
            .secular_apart = orr_gesvd_secular_apart_cpu,
            .product_apart = orr_gesvd_product_apart_cpu},
    .fits = fits,
    .deflation = deflation,
    .arrange_apart = arrange_apart,
    .insert_arrange_apart = insert_arrange_apart};

struct orr_merge_tasks *orr_gesvd_split(struct orr_request *req, const struct orr_bidiagonal *b)
{
    const struct orr_merge_matrix m = {.type = b->type,
                                       .n = b->n,
                                       .scale = b->scale,
                                       .d = b->d,
                                       .e = b->e,
                                       .values = b->d,
                                       .M = b->B,
                                       .where = b->where,
                                       .parts = b->parts,
                                       .solver = b->solver};
    return orr_merge_split(req, &gesvd, &m);
}
