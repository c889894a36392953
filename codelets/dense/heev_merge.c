/* Divide and conquer of the tridiagonal matrix: what is heev's alone of merge.c. Of a merge that is apart,
 *
 *   arrange        told, index R, x2[h] W, vectors[h] R            on accelerators
 *
 * h is a half, and vectors[h] its parts.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev_merge.h"

#include "codelets/dense/heev.h"
#include "codelets/dense/merge_tasks.h"
#include "kernels/least.h"

static const struct orr_merge_algorithm heev;

static void arrange_by(void **buf, struct orr_merge_args *a,
                       orr_heev_arrange_apart_fn *const *kernel, orr_stream stream)
{
    if (orr_merge_stopped(a))
        return;
    const orr_merge_columns have = orr_merge_have(buf + 3, a->node->half[a->which]);
    orr_merge_check(a,
                    kernel[a->x->matrix.type](stream, &a->node->m, (int)a->which, &have, ORR_PTR(0),
                                              ORR_PTR(1), ORR_PTR(2)),
                    heev.arrange);
}

static void arrange_apart(void **buf, struct orr_merge_args *a)
{
    arrange_by(buf, a, orr_heev_arrange_apart_cpu, NULL);
}

#ifdef ORR_WITH_CUDA
static void orr_merge_arrange_cuda(void **buf, void *arg)
{
    arrange_by(buf, arg, orr_heev_arrange_apart_cuda, ORR_STREAM());
}
#endif
ORR_CUDA(orr_merge_secular, orr_heev_secular_apart_cuda)
ORR_CUDA(orr_merge_product, orr_heev_product_apart_cuda)

ORR_CODELETS(orr_merge_leaf, "heev_leaf", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(orr_merge_deflate, "heev_deflate", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(orr_merge_arrange, "heev_arrange", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(orr_merge_secular, "heev_secular", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(orr_merge_weigh, "heev_weigh", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(orr_merge_coefficients, "heev_coefficients", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(orr_merge_product, "heev_product", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(orr_merge_order, "heev_order", ORR_SDCZ, ORR_CPU);

static void insert_arrange_apart(struct orr_merge_submission *s, struct orr_merge_node *x,
                                 const starpu_data_handle_t *x2)
{
    for (int h = 0; h < 2; h++) {
        const struct orr_merge_node *half = x->half[h];
        orr_merge_begin(s, x->told, STARPU_R);
        orr_merge_add(s, &x->index, 1, STARPU_R);
        orr_merge_add(s, &x2[h], 1, STARPU_W);
        orr_merge_add(s, half->part, half->parts, STARPU_R);
        orr_merge_insert(s, heev.arrange, ORR_ON_ACCELERATOR, x, h, 0,
                         (double)x->m.n * (double)half->m.n, 0);
    }
}

static int fits(int64_t n, size_t real)
{
    const int64_t wide = n * orr_least(n, ORR_MERGE_WIDE), half = n * orr_merge_up(n, 2);
    const int64_t product[] = {half, half, wide, wide, 4 * n, 4 * n};
    return orr_merge_fits(product, sizeof product / sizeof *product, real);
}

static double deflation(double n) { return n; }

static const struct orr_merge_algorithm heev = {
    .name = "heev",
    .sides = 1,
    .rows = 191,
    .columns = 160,
    .leaf = orr_merge_leaf_codelet,
    .deflate = orr_merge_deflate_codelet,
    .arrange = orr_merge_arrange_codelet,
    .secular = orr_merge_secular_codelet,
    .weigh = orr_merge_weigh_codelet,
    .coefficients = orr_merge_coefficients_codelet,
    .product = orr_merge_product_codelet,
    .order = orr_merge_order_codelet,
    .cpu = {.leaf = orr_heev_leaf_cpu,
            .ends = orr_heev_ends_cpu,
            .deflate = orr_heev_deflate_cpu,
            .arrange = orr_heev_arrange_cpu,
            .secular = orr_heev_secular_cpu,
            .weigh = orr_heev_weigh_cpu,
            .coefficients = orr_heev_coefficients_cpu,
            .product = orr_heev_product_cpu,
            .order = orr_heev_order_cpu,
            .secular_apart = orr_heev_secular_apart_cpu,
            .product_apart = orr_heev_product_apart_cpu},
    .fits = fits,
    .deflation = deflation,
    .arrange_apart = arrange_apart,
    .insert_arrange_apart = insert_arrange_apart};

struct orr_merge_tasks *orr_heev_split(struct orr_request *req, const struct orr_tridiagonal *t)
{
    const struct orr_merge_matrix m = {.type = t->type,
                                       .n = t->n,
                                       .scale = t->scale,
                                       .d = t->d,
                                       .e = t->e,
                                       .values = t->w,
                                       .M = t->T,
                                       .where = t->where,
                                       .parts = t->parts,
                                       .solver = t->solver};
    return orr_merge_split(req, &heev, &m);
}
