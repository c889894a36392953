/* Divide and conquer of the tridiagonal matrix as tasks. The tree of merges: heev_tree.h.
 *
 *   leaf           T R, part[0] W                                  all of a few rows
 *   deflate        T R, parts of both halves RW, state W
 *   arrange        state R, copied[p] W
 *   secular        state R, copied[0 .. parts-1] R, part[p] W
 *   weigh          part[0 .. parts-1] R, state RW
 *   coefficients   state R, part[p] RW
 *   product        state R, part[p] RW
 *   order          T R, state or weight of the whole R, order W
 *
 * part[p] is the memory of some columns of the vectors. All of this is in main memory, and on CPUs. Large
 * merges are apart where there are accelerators: their vectors are there, and stay from level to level.
 * h is a half, and vectors[h] its parts:
 *
 *   deflate        T R, ends of a half's parts R, or vectors[h] R where it is not apart; told, index W
 *   arrange        told, index R, vectors[h] R, q2[h] W            on accelerators
 *   secular        told R, part[p], factor[p], root[p] W; q2[] R where that memory is the halves', too
 *                                                                  on accelerators
 *   weigh          told R, factor[], root[] R, weight W
 *   product        index, weight, q2[0], q2[1] R, part[p] RW, scratch; ends[p] W where the merge above
 *                  is apart                                        on accelerators
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/dense/heev_tree.h"

struct args {
    struct orr_task task;
    struct orr_tridiagonal t;
    struct orr_heev_tasks *x;
    struct orr_heev_node *node;
    int64_t which; /* part, or half */
};

#define MATRIX(i) ((void *)STARPU_MATRIX_GET_PTR(buf[i]))
#define LD(i)     ((int64_t)STARPU_MATRIX_GET_LD(buf[i]))

/* ---- Functions ------------------------------------------------------------------------------ */

static int stopped(const struct args *a)
{
    return orr_request_failed(a->task.req) || atomic_load(a->t.failed);
}

static void check(const struct args *a, orr_status st, const char *who)
{
    if (st == ORR_NOCONV)
        atomic_store(a->t.failed, 1);
    if (st < 0)
        orr_request_fail(a->task.req, st, who);
}

static int64_t first_of(const struct args *a) { return a->which * a->node->width; }

static void leaf(void **buf, void *arg)
{
    struct args *a = arg;
    const orr_heev_merge *m = &a->node->m;
    (void)buf;
    if (stopped(a))
        return;
    orr_heev_begin(&a->t);
    check(a, orr_heev_leaf_cpu[a->t.type](&a->x->t, m->first, m->n, a->t.d, a->t.e), "heev_leaf");
}

/* What accelerators will copy is page-locked by the first task that can: locking holds back launches,
 * and now devices that worked on the matrix are done with it. Whole: a copy must not reach over what
 * was locked in two steps. */
static void lock(const struct args *a, const void *memory, int64_t entries)
{
    orr_request_pin(a->task.req, memory, (size_t)entries * orr_real_size(a->t.type), ORR_PIN_OURS);
}

static void lock_tree(const struct args *a)
{
    const struct orr_heev_tasks *x = a->x;
    const int64_t n = x->t.n;
    lock(a, x->t.q, x->entries);
    lock(a, x->t.d, ORR_HEEV_TREE_REALS * n);
    lock(a, x->factor, n * x->factors);
    orr_request_pin(a->task.req, x->t.order,
                    (size_t)(ORR_HEEV_TREE_INTEGERS * n) * sizeof *x->t.order, ORR_PIN_OURS);
}

static void deflate(void **buf, void *arg)
{
    struct args *a = arg;
    struct orr_heev_node *x = a->node;
    (void)buf;
    if (stopped(a))
        return;
    if (x->m.apart)
        lock_tree(a);
    for (int h = 0; h < 2 && x->m.apart; h++)
        if (!x->half[h]->m.apart)
            orr_heev_ends_cpu[a->t.type](&a->x->t, x->half[h]->m.first, x->half[h]->m.n);
    orr_heev_deflate_cpu[a->t.type](&a->x->t, &x->m, a->t.d, a->t.e);
}

static void arrange_by(void **buf, struct args *a, orr_heev_arrange_apart_fn *const *kernel,
                       orr_stream stream)
{
    const struct orr_heev_node *half = a->node->half[a->which];
    orr_merge_columns have = {.width = half->width};
    if (stopped(a))
        return;
    for (int64_t p = 0; p < half->parts; p++) {
        have.part[p] = MATRIX(3 + p);
        have.ld[p] = LD(3 + p);
    }
    check(a,
          kernel[a->t.type](stream, &a->node->m, (int)a->which, &have, ORR_PTR(0), ORR_PTR(1),
                            ORR_PTR(2)),
          "heev_arrange");
}

static void arrange(void **buf, void *arg)
{
    struct args *a = arg;
    if (a->node->m.apart)
        arrange_by(buf, a, orr_heev_arrange_apart_cpu, NULL);
    else if (!stopped(a))
        orr_heev_arrange_cpu[a->t.type](&a->x->t, &a->node->m, first_of(a), a->node->width);
}

static void secular_by(void **buf, struct args *a, orr_heev_secular_apart_fn *const *kernel,
                       orr_stream stream)
{
    const struct orr_heev_node *x = a->node;
    if (stopped(a))
        return;
    a->task.idle = first_of(a) >= x->m.k;
    check(a,
          kernel[a->t.type](stream, &x->m, first_of(a), orr_heev_columns_of(x, a->which),
                            ORR_PTR(0), MATRIX(1), LD(1), ORR_PTR(2), ORR_PTR(3)),
          "heev_secular");
}

static void secular(void **buf, void *arg)
{
    struct args *a = arg;
    const struct orr_heev_node *x = a->node;
    char *part = x->factor + (size_t)(a->which * x->m.n) * orr_real_size(a->t.type);
    if (x->m.apart) {
        secular_by(buf, a, orr_heev_secular_apart_cpu, NULL);
    } else if (!stopped(a)) {
        a->task.idle = first_of(a) >= x->m.k;
        check(a, orr_heev_secular_cpu[a->t.type](&a->x->t, &x->m, first_of(a), x->width, part),
              "heev_secular");
    }
}

static void weigh(void **buf, void *arg)
{
    struct args *a = arg;
    const struct orr_heev_node *x = a->node;
    (void)buf;
    if (stopped(a))
        return;
    check(a, orr_heev_weigh_cpu[a->t.type](&a->x->t, &x->m, x->factor, x->parts), "heev_weigh");
}

static void coefficients(void **buf, void *arg)
{
    struct args *a = arg;
    const struct orr_heev_node *x = a->node;
    (void)buf;
    if (stopped(a))
        return;
    a->task.idle = first_of(a) >= x->m.k;
    check(a, orr_heev_coefficients_cpu[a->t.type](&a->x->t, &x->m, first_of(a), x->width),
          "heev_coefficients");
}

static void product_by(void **buf, struct args *a, orr_heev_product_apart_fn *const *kernel,
                       orr_stream stream)
{
    const struct orr_heev_node *x = a->node;
    const void *const q2[2] = {ORR_PTR(2), ORR_PTR(3)};
    if (stopped(a))
        return;
    check(a,
          kernel[a->t.type](stream, &x->m, first_of(a), orr_heev_columns_of(x, a->which),
                            ORR_PTR(0), ORR_PTR(1), q2, MATRIX(4), LD(4), ORR_PTR(5),
                            x->below ? ORR_PTR(6) : NULL),
          "heev_product");
}

static void product(void **buf, void *arg)
{
    struct args *a = arg;
    const struct orr_heev_node *x = a->node;
    if (x->m.apart) {
        product_by(buf, a, orr_heev_product_apart_cpu, NULL);
    } else if (!stopped(a)) {
        a->task.idle = first_of(a) >= x->m.k;
        check(a, orr_heev_product_cpu[a->t.type](&a->x->t, &x->m, first_of(a), x->width),
              "heev_product");
    }
}

ORR_CUDA(arrange, orr_heev_arrange_apart_cuda)
ORR_CUDA(secular, orr_heev_secular_apart_cuda)
ORR_CUDA(product, orr_heev_product_apart_cuda)

static void order(void **buf, void *arg)
{
    struct args *a = arg;
    (void)buf;
    if (!stopped(a))
        orr_heev_order_cpu[a->t.type](&a->x->t, a->t.scale, a->t.d, a->t.e, a->t.w);
    atomic_store(a->t.ended, orr_now());
}

/* ---- Codelets -------------------------------------------------------------------------------- */

ORR_CODELETS(leaf, "heev_leaf", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(deflate, "heev_deflate", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(arrange, "heev_arrange", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(secular, "heev_secular", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(weigh, "heev_weigh", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(coefficients, "heev_coefficients", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(product, "heev_product", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(order, "heev_order", ORR_SDCZ, ORR_CPU);

/* ---- Insertion ------------------------------------------------------------------------------ */

/* What has been submitted of the solver. */
struct submission {
    struct orr_request *req;
    const struct orr_tridiagonal *t;
    struct orr_heev_tasks *x;
    struct orr_buffers b; /* of the next task; room for those of any */
    int64_t parts;        /* that count as done */
};

/* One task with the buffers that are there; work: as orr_cost takes it. */
static void insert(struct submission *s, struct starpu_codelet *codelet, enum orr_where where,
                   struct orr_heev_node *node, int64_t which, double work, int64_t parts)
{
    struct args *a = orr_task_args(s->req, sizeof *a, where);
    if (!a)
        return;
    a->task.parts = parts;
    a->t = *s->t;
    a->x = s->x;
    a->node = node;
    a->which = which;
    s->parts += parts;
    orr_cost(&a->task, work, node->m.n, node->width);
    orr_submit(a, sizeof *a, &codelet[s->t->type], 0, STARPU_DATA_MODE_ARRAY, s->b.d, s->b.n);
}

/* The buffers of a new task, of which this is the first. */
static void begin(struct submission *s, starpu_data_handle_t h, enum starpu_data_access_mode mode)
{
    s->b.n = 0;
    orr_buffers_add(&s->b, h, mode);
}

static void add(struct submission *s, starpu_data_handle_t h, enum starpu_data_access_mode mode)
{
    orr_buffers_add(&s->b, h, mode);
}

/* All parts of a node. */
static void add_parts(struct submission *s, const struct orr_heev_node *x,
                      const starpu_data_handle_t *part, enum starpu_data_access_mode mode)
{
    orr_buffers_add_all(&s->b, part, x->parts, mode);
}

static void insert_merge(struct submission *s, struct orr_heev_node *x, int64_t parts)
{
    const double n = (double)x->m.n, width = (double)x->width;
    begin(s, s->t->T, STARPU_R);
    for (int h = 0; h < 2; h++)
        add_parts(s, x->half[h], x->half[h]->part, STARPU_RW);
    add(s, x->state, STARPU_W);
    insert(s, deflate_codelet, ORR_ON_CPU, x, 0, n, 0);

    for (int64_t p = 0; p < x->parts; p++) {
        begin(s, x->state, STARPU_R);
        add(s, x->copied[p], STARPU_W);
        insert(s, arrange_codelet, ORR_ON_CPU, x, p, n * width, 0);
    }
    for (int64_t p = 0; p < x->parts; p++) {
        begin(s, x->state, STARPU_R);
        add_parts(s, x, x->copied, STARPU_R);
        add(s, x->part[p], STARPU_W);
        insert(s, secular_codelet, ORR_ON_CPU, x, p, n * width, 0);
    }
    begin(s, x->state, STARPU_RW);
    add_parts(s, x, x->part, STARPU_R);
    insert(s, weigh_codelet, ORR_ON_CPU, x, 0, n * (double)x->parts, 0);
    for (int64_t p = 0; p < x->parts; p++) {
        begin(s, x->state, STARPU_R);
        add(s, x->part[p], STARPU_RW);
        insert(s, coefficients_codelet, ORR_ON_CPU, x, p, n * width, 0);
        insert(s, product_codelet, ORR_ON_CPU, x, p, n * n * width, parts / x->parts);
    }
}

/* Until the roots are known. */
static void insert_roots(struct submission *s, struct orr_heev_node *x, starpu_data_handle_t *q2)
{
    const double n = (double)x->m.n, width = (double)x->width;
    begin(s, s->t->T, STARPU_R);
    for (int h = 0; h < 2; h++) {
        const struct orr_heev_node *half = x->half[h];
        add_parts(s, half, half->m.apart ? half->ends : half->part, STARPU_R);
    }
    add(s, x->told, STARPU_W);
    add(s, x->index, STARPU_W);
    insert(s, deflate_codelet, ORR_ON_CPU, x, 0, n, 0);

    for (int h = 0; h < 2; h++) {
        begin(s, x->told, STARPU_R);
        add(s, x->index, STARPU_R);
        add(s, q2[h], STARPU_W);
        add_parts(s, x->half[h], x->half[h]->part, STARPU_R);
        insert(s, arrange_codelet, ORR_ON_ACCELERATOR, x, h, n * (double)x->half[h]->m.n, 0);
    }
    for (int64_t p = 0; p < x->parts; p++) {
        begin(s, x->told, STARPU_R);
        add(s, x->part[p], STARPU_W);
        add(s, x->factors[p], STARPU_W);
        add(s, x->roots[p], STARPU_W);
        if (!x->kept) { /* part[p] is where the halves' are */
            add(s, q2[0], STARPU_R);
            add(s, q2[1], STARPU_R);
        }
        insert(s, secular_codelet, ORR_ON_ACCELERATOR, x, p, n * width, 0);
    }
}

/* A merge on accelerators. Vectors that nobody wants in main memory are StarPU's, until the merge above
 * has copied them. */
static void insert_apart(struct submission *s, struct orr_heev_node *x, int64_t parts)
{
    const double n = (double)x->m.n, width = (double)x->width;
    const size_t real = orr_real_size(s->t->type);
    const int64_t rows[2] = {x->m.n1, x->m.n - x->m.n1};
    starpu_data_handle_t q2[2];
    for (int h = 0; h < 2; h++)
        q2[h] = orr_request_temporary(s->req, rows[h] * x->m.n, real);
    for (int64_t p = 0; p < x->parts && x->kept; p++)
        x->part[p] = orr_request_temporary_matrix(s->req, x->m.n, orr_heev_columns_of(x, p), real);
    insert_roots(s, x, q2);
    for (int h = 0; h < 2; h++)
        for (int64_t p = 0; p < x->half[h]->parts && x->half[h]->kept; p++)
            orr_request_forget(s->req, x->half[h]->part[p]);

    begin(s, x->told, STARPU_R);
    add_parts(s, x, x->factors, STARPU_R);
    add_parts(s, x, x->roots, STARPU_R);
    add(s, x->weight, STARPU_W);
    insert(s, weigh_codelet, ORR_ON_CPU, x, 0, n * (double)x->parts, 0);

    const starpu_data_handle_t work = orr_request_temporary(s->req, x->m.n * x->width, real);
    for (int64_t p = 0; p < x->parts; p++) {
        begin(s, x->index, STARPU_R);
        add(s, x->weight, STARPU_R);
        add(s, q2[0], STARPU_R);
        add(s, q2[1], STARPU_R);
        add(s, x->part[p], STARPU_RW);
        add(s, work, STARPU_SCRATCH);
        if (x->below)
            add(s, x->ends[p], STARPU_W);
        insert(s, product_codelet, ORR_ON_ACCELERATOR, x, p, n * n * width, parts / x->parts);
    }
    orr_request_forget(s->req, work);
    for (int h = 0; h < 2; h++)
        orr_request_forget(s->req, q2[h]);
}

void orr_insert_heev_merge(struct orr_request *req, const struct orr_tridiagonal *t,
                           struct orr_heev_tasks *x)
{
    struct orr_heev_node *last = &x->node[x->nodes - 1];
    const int64_t most = (t->n - 1) / ORR_HEEV_COLUMNS + 1; /* parts of a node */
    struct starpu_data_descr data[4 * most + 8];
    struct submission s = {.req = req, .t = t, .x = x, .b.d = data};
    for (int64_t i = 0; i < x->nodes; i++) {
        struct orr_heev_node *node = &x->node[i];
        const double n = (double)node->m.n, part = n / (double)t->n;
        const int64_t parts = (int64_t)(0.75 * part * part * part * (double)t->parts);
        if (node->m.apart) {
            insert_apart(&s, node, parts);
        } else if (node->half[0]) {
            insert_merge(&s, node, parts);
        } else {
            begin(&s, t->T, STARPU_R);
            add(&s, node->part[0], STARPU_W);
            insert(&s, leaf_codelet, ORR_ON_CPU, node, 0, n * n * n, parts);
        }
    }
    begin(&s, t->T, STARPU_R);
    add(&s, last->m.apart ? last->weight : last->state, STARPU_R);
    add(&s, x->order, STARPU_W);
    insert(&s, order_codelet, ORR_ON_CPU, last, 0, (double)t->n, t->parts - s.parts);
}
