/* Divide and conquer of the bidiagonal matrix as tasks. The tree of merges: gesvd_tree.h.
 *
 *   tree           B R, part[][0] W                              all of a few rows
 *   deflate        B R, parts of both halves RW, state W
 *   arrange        state R, copied[p] W
 *   secular        state R, copied[0 .. parts-1] R, part[][p] W
 *   weigh          part[][0 .. parts-1] R, state RW
 *   coefficients   state R, part[][p] RW
 *   product        state R, part[side][p] RW
 *   order          B RW, state or weight of the whole R, order W
 *
 * part[side][p] is the memory of some columns of U or V; [] stands for both sides. All of this is in main
 * memory, and on CPUs. Large merges are apart where there are accelerators, as in heev_merge.c; extra is
 * V's vector that is orthogonal to all others, of all but the last rows, corner its ends:
 *
 *   deflate        B R, ends and corner of a half R, or its parts R where it is not apart; told, index W
 *   arrange        told, index R, x2[side][] W, parts of both halves of a side R; of V their extra R, and
 *                  extra and corner W                              on accelerators
 *   secular        told R, part[][p], factor[p], root[p] W; x2[][] R where that memory is the halves', too
 *                                                                  on accelerators
 *   weigh          told R, factor[], root[] R, weight W
 *   product        told, index, weight, x2[side][] R, part[side][p] RW, scratch; of V ends[p] W where the
 *                  merge above is apart                            on accelerators
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/dense/gesvd_tree.h"

struct args {
    struct orr_task task;
    struct orr_bidiagonal b;
    struct orr_gesvd_tasks *x;
    struct orr_gesvd_node *node;
    int64_t which; /* part */
    int side;
};

#define MATRIX(i) ((void *)STARPU_MATRIX_GET_PTR(buf[i]))
#define LD(i)     ((int64_t)STARPU_MATRIX_GET_LD(buf[i]))

/* ---- Functions ------------------------------------------------------------------------------ */

static int stopped(const struct args *a)
{
    return orr_request_failed(a->task.req) || atomic_load(a->b.failed);
}

static void check(const struct args *a, orr_status st, const char *who)
{
    if (st == ORR_NOCONV)
        atomic_store(a->b.failed, 1);
    if (st < 0)
        orr_request_fail(a->task.req, st, who);
}

static void tree(void **buf, void *arg)
{
    struct args *a = arg;
    const orr_gesvd_merge *m = &a->node->m;
    (void)buf;
    if (stopped(a))
        return;
    orr_gesvd_begin(&a->b);
    check(a,
          orr_gesvd_tree_cpu[a->b.type](&a->x->t, m->first, m->n, a->b.d, a->b.e, a->node->factor),
          "gesvd_tree");
}

static int64_t first_of(const struct args *a) { return a->which * a->node->width; }

/* What accelerators will copy is page-locked by the first task that can (heev_merge.c). */
static void lock(const struct args *a, const void *memory, int64_t entries)
{
    orr_request_pin(a->task.req, memory, (size_t)entries * orr_real_size(a->b.type), ORR_PIN_OURS);
}

static void lock_tree(const struct args *a)
{
    const struct orr_gesvd_tasks *x = a->x;
    const int64_t n = x->t.n;
    lock(a, x->t.x[0], 2 * x->entries);
    lock(a, x->t.value, orr_gesvd_tree_reals(n));
    lock(a, x->factor, n * x->factors);
    orr_request_pin(a->task.req, x->t.order,
                    (size_t)(ORR_GESVD_TREE_INTEGERS * n) * sizeof *x->t.order, ORR_PIN_OURS);
}

static void deflate(void **buf, void *arg)
{
    struct args *a = arg;
    struct orr_gesvd_node *x = a->node;
    (void)buf;
    if (stopped(a))
        return;
    if (x->m.apart)
        lock_tree(a);
    for (int h = 0; h < 2 && x->m.apart; h++)
        if (!x->half[h]->m.apart)
            orr_gesvd_ends_cpu[a->b.type](&a->x->t, x->half[h]->m.first, x->half[h]->m.n);
    orr_gesvd_deflate_cpu[a->b.type](&a->x->t, &x->m, a->b.d, a->b.e);
}

static void arrange_by(void **buf, struct args *a, orr_gesvd_arrange_apart_fn *const *kernel,
                       orr_stream stream)
{
    const struct orr_gesvd_node *x = a->node;
    void *const x2[2] = {ORR_PTR(2), ORR_PTR(3)};
    orr_merge_columns have[2];
    const void *extra[2] = {NULL, NULL};
    void *last = NULL, *corner = NULL;
    int64_t at = 4;
    if (stopped(a))
        return;
    for (int h = 0; h < 2; h++) {
        have[h].width = x->half[h]->width;
        for (int64_t p = 0; p < x->half[h]->parts; p++, at++) {
            have[h].part[p] = MATRIX(at);
            have[h].ld[p] = LD(at);
        }
    }
    for (int h = 0; h < 2 && a->side == 1; h++)
        if (x->half[h]->extra)
            extra[h] = ORR_PTR(at++);
    if (a->side == 1 && x->extra)
        last = ORR_PTR(at++);
    if (a->side == 1 && x->extra)
        corner = ORR_PTR(at);
    check(a,
          kernel[a->b.type](stream, &x->m, a->side, orr_gesvd_rows_of(a->x, x, a->side), have,
                            extra, ORR_PTR(0), ORR_PTR(1), x2, last, corner),
          "gesvd_arrange");
}

static void arrange(void **buf, void *arg)
{
    struct args *a = arg;
    const struct orr_gesvd_node *x = a->node;
    if (x->m.apart)
        arrange_by(buf, a, orr_gesvd_arrange_apart_cpu, NULL);
    else if (!stopped(a))
        orr_gesvd_arrange_cpu[a->b.type](&a->x->t, &x->m, first_of(a), x->width);
}

static void secular_by(void **buf, struct args *a, orr_gesvd_secular_apart_fn *const *kernel,
                       orr_stream stream)
{
    const struct orr_gesvd_node *x = a->node;
    void *const part[2] = {MATRIX(1), MATRIX(2)};
    const int64_t ld[2] = {LD(1), LD(2)};
    if (stopped(a))
        return;
    a->task.idle = first_of(a) >= x->m.k;
    check(a,
          kernel[a->b.type](stream, &x->m, first_of(a), orr_gesvd_columns_of(x, a->which),
                            ORR_PTR(0), part, ld, ORR_PTR(3), ORR_PTR(4)),
          "gesvd_secular");
}

static void secular(void **buf, void *arg)
{
    struct args *a = arg;
    const struct orr_gesvd_node *x = a->node;
    char *part = x->factor + (size_t)(a->which * x->m.n) * orr_real_size(a->b.type);
    if (x->m.apart) {
        secular_by(buf, a, orr_gesvd_secular_apart_cpu, NULL);
    } else if (!stopped(a)) {
        a->task.idle = first_of(a) >= x->m.k;
        check(a, orr_gesvd_secular_cpu[a->b.type](&a->x->t, &x->m, first_of(a), x->width, part),
              "gesvd_secular");
    }
}

static void weigh(void **buf, void *arg)
{
    struct args *a = arg;
    const struct orr_gesvd_node *x = a->node;
    (void)buf;
    if (stopped(a))
        return;
    check(a, orr_gesvd_weigh_cpu[a->b.type](&a->x->t, &x->m, x->factor, x->parts), "gesvd_weigh");
}

static void coefficients(void **buf, void *arg)
{
    struct args *a = arg;
    const struct orr_gesvd_node *x = a->node;
    (void)buf;
    if (stopped(a))
        return;
    a->task.idle = first_of(a) >= x->m.k;
    check(a, orr_gesvd_coefficients_cpu[a->b.type](&a->x->t, &x->m, first_of(a), x->width),
          "gesvd_coefficients");
}

static void product_by(void **buf, struct args *a, orr_gesvd_product_apart_fn *const *kernel,
                       orr_stream stream)
{
    const struct orr_gesvd_node *x = a->node;
    const void *const x2[2] = {ORR_PTR(3), ORR_PTR(4)};
    if (stopped(a))
        return;
    check(a,
          kernel[a->b.type](stream, &x->m, a->side, orr_gesvd_rows_of(a->x, x, a->side),
                            first_of(a), orr_gesvd_columns_of(x, a->which), ORR_PTR(0), ORR_PTR(1),
                            ORR_PTR(2), x2, MATRIX(5), LD(5), ORR_PTR(6),
                            x->below && a->side == 1 ? ORR_PTR(7) : NULL),
          "gesvd_product");
}

static void product(void **buf, void *arg)
{
    struct args *a = arg;
    const struct orr_gesvd_node *x = a->node;
    if (x->m.apart) {
        product_by(buf, a, orr_gesvd_product_apart_cpu, NULL);
    } else if (!stopped(a)) {
        a->task.idle = first_of(a) >= x->m.k;
        check(a, orr_gesvd_product_cpu[a->b.type](&a->x->t, &x->m, a->side, first_of(a), x->width),
              "gesvd_product");
    }
}

ORR_CUDA(arrange, orr_gesvd_arrange_apart_cuda)
ORR_CUDA(secular, orr_gesvd_secular_apart_cuda)
ORR_CUDA(product, orr_gesvd_product_apart_cuda)

static void order(void **buf, void *arg)
{
    struct args *a = arg;
    (void)buf;
    if (!stopped(a))
        orr_gesvd_order_cpu[a->b.type](&a->x->t, a->b.scale, a->b.d, a->b.e, a->b.d);
    atomic_store(a->b.ended, orr_now());
}

/* ---- Codelets -------------------------------------------------------------------------------- */

ORR_CODELETS(tree, "gesvd_tree", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(deflate, "gesvd_deflate", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(arrange, "gesvd_arrange", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(secular, "gesvd_secular", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(weigh, "gesvd_weigh", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(coefficients, "gesvd_coefficients", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(product, "gesvd_product", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(order, "gesvd_order", ORR_SDCZ, ORR_CPU);

/* ---- Insertion ------------------------------------------------------------------------------ */

/* What has been submitted of the solver. */
struct submission {
    struct orr_request *req;
    const struct orr_bidiagonal *b;
    struct orr_gesvd_tasks *x;
    struct orr_buffers d; /* of the next task; room for those of any */
    int64_t parts;        /* that count as done */
};

/* One task with the buffers that are there; work: as orr_cost takes it. */
static void insert(struct submission *s, struct starpu_codelet *codelet, enum orr_where where,
                   struct orr_gesvd_node *node, int64_t which, int side, double work, int64_t parts)
{
    struct args *a = orr_task_args(s->req, sizeof *a, where);
    if (!a)
        return;
    a->task.parts = parts;
    a->b = *s->b;
    a->x = s->x;
    a->node = node;
    a->which = which;
    a->side = side;
    s->parts += parts;
    orr_cost(&a->task, work, node->m.n, node->width);
    orr_submit(a, sizeof *a, &codelet[s->b->type], 0, STARPU_DATA_MODE_ARRAY, s->d.d, s->d.n);
}

static void insert_on_cpu(struct submission *s, struct starpu_codelet *codelet,
                          struct orr_gesvd_node *node, int64_t which, double work, int64_t parts)
{
    insert(s, codelet, ORR_ON_CPU, node, which, 0, work, parts);
}

/* The buffers of a new task, of which this is the first. */
static void begin(struct submission *s, starpu_data_handle_t h, enum starpu_data_access_mode mode)
{
    s->d.n = 0;
    orr_buffers_add(&s->d, h, mode);
}

static void add(struct submission *s, starpu_data_handle_t h, enum starpu_data_access_mode mode)
{
    orr_buffers_add(&s->d, h, mode);
}

static void add_all(struct submission *s, const starpu_data_handle_t *h, int64_t count,
                    enum starpu_data_access_mode mode)
{
    orr_buffers_add_all(&s->d, h, count, mode);
}

/* Part p of both sides. */
static void add_both(struct submission *s, const struct orr_gesvd_node *x, int64_t p,
                     enum starpu_data_access_mode mode)
{
    add(s, x->part[p], mode);
    add(s, x->part[x->parts + p], mode);
}

static void insert_merge(struct submission *s, struct orr_gesvd_node *x, int64_t parts)
{
    const double n = (double)x->m.n, width = (double)x->width;
    begin(s, s->b->B, STARPU_R);
    for (int h = 0; h < 2; h++) {
        add_all(s, x->half[h]->part, 2 * x->half[h]->parts, STARPU_RW);
        if (x->half[h]->extra)
            add(s, x->half[h]->extra, STARPU_RW);
    }
    add(s, x->state, STARPU_W);
    insert_on_cpu(s, deflate_codelet, x, 0, n * n, 0);

    for (int64_t p = 0; p < x->parts; p++) {
        begin(s, x->state, STARPU_R);
        add(s, x->copied[p], STARPU_W);
        insert_on_cpu(s, arrange_codelet, x, p, n * width, 0);
    }
    for (int64_t p = 0; p < x->parts; p++) {
        begin(s, x->state, STARPU_R);
        add_all(s, x->copied, x->parts, STARPU_R);
        add_both(s, x, p, STARPU_W);
        insert_on_cpu(s, secular_codelet, x, p, n * width, 0);
    }
    begin(s, x->state, STARPU_RW);
    add_all(s, x->part, 2 * x->parts, STARPU_R);
    insert_on_cpu(s, weigh_codelet, x, 0, n * (double)x->parts, 0);
    for (int64_t p = 0; p < x->parts; p++) {
        begin(s, x->state, STARPU_R);
        add_both(s, x, p, STARPU_RW);
        insert_on_cpu(s, coefficients_codelet, x, p, n * width, 0);
        for (int side = 0; side < 2; side++) {
            begin(s, x->state, STARPU_R);
            add(s, x->part[side * x->parts + p], STARPU_RW);
            insert(s, product_codelet, ORR_ON_CPU, x, p, side, n * n * width,
                   parts / (2 * x->parts));
        }
    }
}

/* x2: of both sides, of both halves of each. Until the roots are known. */
static void insert_roots(struct submission *s, struct orr_gesvd_node *x, starpu_data_handle_t *x2)
{
    const double n = (double)x->m.n, width = (double)x->width;
    begin(s, s->b->B, STARPU_R);
    for (int h = 0; h < 2; h++) {
        const struct orr_gesvd_node *half = x->half[h];
        if (half->m.apart)
            add_all(s, half->ends, half->parts, STARPU_R);
        else
            add_all(s, half->part, 2 * half->parts, STARPU_R);
        if (half->corner)
            add(s, half->corner, STARPU_R);
    }
    add(s, x->told, STARPU_W);
    add(s, x->index, STARPU_W);
    insert_on_cpu(s, deflate_codelet, x, 0, n * n, 0);

    for (int side = 0; side < 2; side++) {
        begin(s, x->told, STARPU_R);
        add(s, x->index, STARPU_R);
        add_all(s, x2 + 2 * side, 2, STARPU_W);
        for (int h = 0; h < 2; h++) {
            const struct orr_gesvd_node *half = x->half[h];
            add_all(s, half->part + side * half->parts, half->parts, STARPU_R);
        }
        for (int h = 0; h < 2 && side == 1; h++)
            if (x->half[h]->extra)
                add(s, x->half[h]->extra, STARPU_R);
        if (side == 1 && x->extra) {
            add(s, x->extra, STARPU_W);
            add(s, x->corner, STARPU_W);
        }
        insert(s, arrange_codelet, ORR_ON_ACCELERATOR, x, 0, side, n * n, 0);
    }
    for (int64_t p = 0; p < x->parts; p++) {
        begin(s, x->told, STARPU_R);
        add_both(s, x, p, STARPU_W);
        add(s, x->factors[p], STARPU_W);
        add(s, x->roots[p], STARPU_W);
        if (!x->kept) /* part[][p] is where the halves' are */
            add_all(s, x2, 4, STARPU_R);
        insert(s, secular_codelet, ORR_ON_ACCELERATOR, x, p, 0, n * width, 0);
    }
}

/* A half's vectors have been copied. */
static void forget_half(struct submission *s, const struct orr_gesvd_node *half)
{
    for (int64_t i = 0; i < 2 * half->parts; i++)
        orr_request_forget(s->req, half->part[i]);
    if (half->extra)
        orr_request_forget(s->req, half->extra);
}

/* A merge on accelerators. Vectors that nobody wants in main memory are StarPU's, until the merge
 * above has copied them. */
static void insert_apart(struct submission *s, struct orr_gesvd_node *x, int64_t parts)
{
    const double n = (double)x->m.n, width = (double)x->width;
    const size_t real = orr_real_size(s->b->type);
    const int64_t upper = x->m.n1 + 1;
    starpu_data_handle_t x2[4];
    for (int i = 0; i < 4; i++)
        x2[i] = orr_request_temporary(
            s->req, (i % 2 == 0 ? upper : orr_gesvd_rows_of(s->x, x, i / 2) - upper) * x->m.n,
            real);
    for (int64_t i = 0; i < 2 * x->parts && x->kept; i++)
        x->part[i] = orr_request_temporary_matrix(s->req, orr_gesvd_rows_of(s->x, x, i >= x->parts),
                                                  orr_gesvd_columns_of(x, i % x->parts), real);
    if (x->below && orr_gesvd_has_extra(s->x, x))
        x->extra = orr_request_temporary(s->req, x->m.n + 1, real);
    insert_roots(s, x, x2);
    for (int h = 0; h < 2; h++)
        if (x->half[h]->kept)
            forget_half(s, x->half[h]);

    begin(s, x->told, STARPU_R);
    add_all(s, x->factors, x->parts, STARPU_R);
    add_all(s, x->roots, x->parts, STARPU_R);
    add(s, x->weight, STARPU_W);
    insert_on_cpu(s, weigh_codelet, x, 0, n * (double)x->parts, 0);

    const starpu_data_handle_t work = orr_request_temporary(s->req, x->m.n * x->width, real);
    for (int64_t i = 0; i < 2 * x->parts; i++) {
        const int side = i >= x->parts;
        const int64_t p = i % x->parts;
        begin(s, x->told, STARPU_R);
        add(s, x->index, STARPU_R);
        add(s, x->weight, STARPU_R);
        add_all(s, x2 + 2 * side, 2, STARPU_R);
        add(s, x->part[i], STARPU_RW);
        add(s, work, STARPU_SCRATCH);
        if (x->below && side == 1)
            add(s, x->ends[p], STARPU_W);
        insert(s, product_codelet, ORR_ON_ACCELERATOR, x, p, side, n * n * width,
               parts / (2 * x->parts));
    }
    orr_request_forget(s->req, work);
    for (int i = 0; i < 4; i++)
        orr_request_forget(s->req, x2[i]);
}

void orr_insert_gesvd_tree(struct orr_request *req, const struct orr_bidiagonal *b,
                           struct orr_gesvd_tasks *x)
{
    struct orr_gesvd_node *last = &x->node[x->nodes - 1];
    const int64_t most = (b->n - 1) / ORR_GESVD_COLUMNS + 1; /* parts of a node */
    struct starpu_data_descr data[4 * most + 16];
    struct submission s = {.req = req, .b = b, .x = x, .d.d = data};
    for (int64_t i = 0; i < x->nodes; i++) {
        struct orr_gesvd_node *node = &x->node[i];
        const double n = (double)node->m.n, part = n / (double)b->n;
        const int64_t parts = (int64_t)(0.75 * part * part * part * (double)b->parts);
        if (node->m.apart) {
            insert_apart(&s, node, parts);
        } else if (node->half[0]) {
            insert_merge(&s, node, parts);
        } else {
            begin(&s, b->B, STARPU_R);
            add_both(&s, node, 0, STARPU_W);
            insert_on_cpu(&s, tree_codelet, node, 0, n * n * n, parts);
        }
    }
    begin(&s, b->B, STARPU_RW);
    add(&s, last->m.apart ? last->weight : last->state, STARPU_R);
    add(&s, x->order, STARPU_W);
    insert_on_cpu(&s, order_codelet, last, 0, (double)b->n, b->parts - s.parts);
}
