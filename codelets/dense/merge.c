/* Divide and conquer of a tridiagonal or a bidiagonal matrix M as tasks. The tree of merges: merge_tree.h.
 *
 *   leaf           M R, part[][0] W                               all of a few rows
 *   deflate        M R, parts of both halves RW, state W
 *   arrange        state R, copied[p] W
 *   secular        state R, copied[0 .. parts-1] R, part[][p] W
 *   weigh          part[][0 .. parts-1] R, state RW
 *   coefficients   state R, part[][p] RW
 *   product        state R, part[side][p] RW
 *   order          M R, or RW where the values replace d, state or weight of the whole R, order W
 *
 * part[side][p] is the memory of some columns of the vectors; [] stands for all sides. All of this is in
 * main memory, and on CPUs. Large merges are apart where there are accelerators: their vectors are there,
 * and stay from level to level. extra is V's vector that is orthogonal to all others, of all but the last
 * rows, corner its ends:
 *
 *   deflate        M R, ends and corner of a half R, or its parts R where it is not apart; told, index W
 *   arrange        told, index R, x2[][] W, and what an algorithm adds    on accelerators
 *   secular        told R, part[][p], factor[p], root[p] W; x2[][] R where that memory is the halves', too
 *                                                                  on accelerators
 *   weigh          told R, factor[], root[] R, weight W
 *   product        told, index, weight, x2[side][] R, part[side][p] RW, scratch; of the last side ends[p] W
 *                  where the merge above is apart                  on accelerators
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/dense/merge_tasks.h"

/* ---- Functions ------------------------------------------------------------------------------ */

int orr_merge_stopped(const struct orr_merge_args *a)
{
    return orr_request_failed(a->task.req) || atomic_load(a->x->matrix.solver.failed);
}

void orr_merge_check(const struct orr_merge_args *a, orr_status st,
                     const struct starpu_codelet *who)
{
    orr_solver_check(&a->x->matrix.solver, a->task.req, st, who->name);
}

static orr_type type_of(const struct orr_merge_args *a) { return a->x->matrix.type; }
static int64_t first_of(const struct orr_merge_args *a) { return a->which * a->node->width; }

void orr_merge_leaf(void **buf, void *arg)
{
    struct orr_merge_args *a = arg;
    const struct orr_merge_algorithm *of = a->x->of;
    const struct orr_merge_matrix *in = &a->x->matrix;
    const orr_merge *m = &a->node->m;
    (void)buf;
    if (orr_merge_stopped(a))
        return;
    orr_solver_begin(&in->solver);
    orr_merge_check(a,
                    of->cpu.leaf[in->type](&a->x->t, m->first, m->n, in->d, in->e, a->node->factor),
                    of->leaf);
}

/* What accelerators will copy is page-locked by the first task that can: locking holds back launches,
 * and now devices that worked on the matrix are done with it. Whole: a copy must not reach over what
 * was locked in two steps. */
static void lock(const struct orr_merge_args *a, const void *memory, int64_t entries)
{
    orr_request_pin(a->task.req, memory, (size_t)entries * orr_real_size(type_of(a)), ORR_PIN_OURS);
}

static void lock_tree(const struct orr_merge_args *a)
{
    const struct orr_merge_tasks *x = a->x;
    const int64_t n = x->t.n;
    lock(a, x->t.x[0], x->t.sides * x->entries);
    lock(a, x->t.value, orr_merge_tree_reals(n));
    lock(a, x->factor, n * x->factors);
    orr_request_pin(a->task.req, x->t.order,
                    (size_t)(ORR_MERGE_TREE_INTEGERS * n) * sizeof *x->t.order, ORR_PIN_OURS);
}

void orr_merge_deflate(void **buf, void *arg)
{
    struct orr_merge_args *a = arg;
    struct orr_merge_node *node = a->node;
    const struct orr_merge_algorithm *of = a->x->of;
    (void)buf;
    if (orr_merge_stopped(a))
        return;
    if (node->m.apart)
        lock_tree(a);
    for (int h = 0; h < 2 && node->m.apart; h++)
        if (!node->half[h]->m.apart)
            of->cpu.ends[type_of(a)](&a->x->t, node->half[h]->m.first, node->half[h]->m.n);
    of->cpu.deflate[type_of(a)](&a->x->t, &node->m, a->x->matrix.d, a->x->matrix.e);
}

orr_merge_columns orr_merge_have(void **buf, const struct orr_merge_node *half)
{
    orr_merge_columns have = {.width = half->width};
    for (int64_t p = 0; p < half->parts; p++) {
        have.part[p] = ORR_MATRIX(p);
        have.ld[p] = ORR_LD(p);
    }
    return have;
}

void orr_merge_arrange(void **buf, void *arg)
{
    struct orr_merge_args *a = arg;
    const struct orr_merge_algorithm *of = a->x->of;
    if (a->node->m.apart)
        of->arrange_apart(buf, a);
    else if (!orr_merge_stopped(a))
        of->cpu.arrange[type_of(a)](&a->x->t, &a->node->m, first_of(a), a->node->width);
}

void orr_merge_secular_by(void **buf, void *arg, orr_merge_secular_apart_fn *const *kernel,
                          orr_stream stream)
{
    struct orr_merge_args *a = arg;
    const struct orr_merge_node *node = a->node;
    const int sides = a->x->t.sides;
    void *part[2] = {NULL, NULL};
    int64_t ld[2] = {0, 0};
    if (orr_merge_stopped(a))
        return;
    for (int side = 0; side < sides; side++) {
        part[side] = ORR_MATRIX(1 + side);
        ld[side] = ORR_LD(1 + side);
    }
    a->task.idle = first_of(a) >= node->m.k;
    orr_merge_check(a,
                    kernel[type_of(a)](stream, &node->m, first_of(a),
                                       orr_merge_columns_of(node, a->which), ORR_PTR(0), part, ld,
                                       ORR_PTR(1 + sides), ORR_PTR(2 + sides)),
                    a->x->of->secular);
}

void orr_merge_secular(void **buf, void *arg)
{
    struct orr_merge_args *a = arg;
    const struct orr_merge_node *node = a->node;
    const struct orr_merge_algorithm *of = a->x->of;
    char *part = node->factor + (size_t)(a->which * node->m.n) * orr_real_size(type_of(a));
    if (node->m.apart) {
        orr_merge_secular_by(buf, a, of->cpu.secular_apart, NULL);
    } else if (!orr_merge_stopped(a)) {
        a->task.idle = first_of(a) >= node->m.k;
        orr_merge_check(
            a, of->cpu.secular[type_of(a)](&a->x->t, &node->m, first_of(a), node->width, part),
            of->secular);
    }
}

void orr_merge_weigh(void **buf, void *arg)
{
    struct orr_merge_args *a = arg;
    const struct orr_merge_node *node = a->node;
    const struct orr_merge_algorithm *of = a->x->of;
    (void)buf;
    if (!orr_merge_stopped(a))
        orr_merge_check(a, of->cpu.weigh[type_of(a)](&a->x->t, &node->m, node->factor, node->parts),
                        of->weigh);
}

void orr_merge_coefficients(void **buf, void *arg)
{
    struct orr_merge_args *a = arg;
    const struct orr_merge_node *node = a->node;
    const struct orr_merge_algorithm *of = a->x->of;
    (void)buf;
    if (orr_merge_stopped(a))
        return;
    a->task.idle = first_of(a) >= node->m.k;
    orr_merge_check(a,
                    of->cpu.coefficients[type_of(a)](&a->x->t, &node->m, first_of(a), node->width),
                    of->coefficients);
}

void orr_merge_product_by(void **buf, void *arg, orr_merge_product_apart_fn *const *kernel,
                          orr_stream stream)
{
    struct orr_merge_args *a = arg;
    const struct orr_merge_node *node = a->node;
    const void *const x2[2] = {ORR_PTR(3), ORR_PTR(4)};
    if (orr_merge_stopped(a))
        return;
    orr_merge_check(
        a,
        kernel[type_of(a)](stream, &node->m, a->side, orr_merge_rows_of(a->x, node, a->side),
                           first_of(a), orr_merge_columns_of(node, a->which), ORR_PTR(0),
                           ORR_PTR(1), ORR_PTR(2), x2, ORR_MATRIX(5), ORR_LD(5), ORR_PTR(6),
                           node->below && a->side == a->x->t.sides - 1 ? ORR_PTR(7) : NULL),
        a->x->of->product);
}

void orr_merge_product(void **buf, void *arg)
{
    struct orr_merge_args *a = arg;
    const struct orr_merge_node *node = a->node;
    const struct orr_merge_algorithm *of = a->x->of;
    if (node->m.apart) {
        orr_merge_product_by(buf, a, of->cpu.product_apart, NULL);
    } else if (!orr_merge_stopped(a)) {
        a->task.idle = first_of(a) >= node->m.k;
        orr_merge_check(
            a, of->cpu.product[type_of(a)](&a->x->t, &node->m, a->side, first_of(a), node->width),
            of->product);
    }
}

void orr_merge_order(void **buf, void *arg)
{
    struct orr_merge_args *a = arg;
    const struct orr_merge_matrix *in = &a->x->matrix;
    (void)buf;
    if (!orr_merge_stopped(a))
        a->x->of->cpu.order[in->type](&a->x->t, in->scale, in->d, in->e, in->values);
    atomic_store(in->solver.ended, orr_now());
}

/* ---- Insertion ------------------------------------------------------------------------------ */

void orr_merge_insert(struct orr_merge_submission *s, struct starpu_codelet *codelet,
                      enum orr_where where, struct orr_merge_node *node, int64_t which, int side,
                      double work, int64_t parts)
{
    struct orr_merge_args *a = orr_task_args(s->req, sizeof *a, where);
    if (!a)
        return;
    a->task.parts = parts;
    a->x = s->x;
    a->node = node;
    a->which = which;
    a->side = side;
    s->parts += parts;
    orr_cost(&a->task, work, node->m.n, node->width);
    orr_submit(a, sizeof *a, &codelet[s->x->matrix.type], 0, STARPU_DATA_MODE_ARRAY, s->b.d,
               s->b.n);
}

static void insert_on_cpu(struct orr_merge_submission *s, struct starpu_codelet *codelet,
                          struct orr_merge_node *node, int64_t which, double work, int64_t parts)
{
    orr_merge_insert(s, codelet, ORR_ON_CPU, node, which, 0, work, parts);
}

void orr_merge_begin(struct orr_merge_submission *s, starpu_data_handle_t h,
                     enum starpu_data_access_mode mode)
{
    s->b.n = 0;
    orr_buffers_add(&s->b, h, mode);
}

void orr_merge_add(struct orr_merge_submission *s, const starpu_data_handle_t *h, int64_t count,
                   enum starpu_data_access_mode mode)
{
    orr_buffers_add_all(&s->b, h, count, mode);
}

static void add(struct orr_merge_submission *s, starpu_data_handle_t h,
                enum starpu_data_access_mode mode)
{
    orr_buffers_add(&s->b, h, mode);
}

/* Part p of all sides. */
static void add_part(struct orr_merge_submission *s, const struct orr_merge_node *x, int64_t p,
                     enum starpu_data_access_mode mode)
{
    for (int side = 0; side < s->x->t.sides; side++)
        add(s, x->part[side * x->parts + p], mode);
}

static void insert_merge(struct orr_merge_submission *s, struct orr_merge_node *x, int64_t parts)
{
    const struct orr_merge_algorithm *of = s->x->of;
    const double n = (double)x->m.n, width = (double)x->width;
    const int sides = of->sides;
    orr_merge_begin(s, s->x->matrix.M, STARPU_R);
    for (int h = 0; h < 2; h++) {
        orr_merge_add(s, x->half[h]->part, sides * x->half[h]->parts, STARPU_RW);
        if (x->half[h]->extra)
            add(s, x->half[h]->extra, STARPU_RW);
    }
    add(s, x->state, STARPU_W);
    insert_on_cpu(s, of->deflate, x, 0, of->deflation(n), 0);

    for (int64_t p = 0; p < x->parts; p++) {
        orr_merge_begin(s, x->state, STARPU_R);
        add(s, x->copied[p], STARPU_W);
        insert_on_cpu(s, of->arrange, x, p, n * width, 0);
    }
    for (int64_t p = 0; p < x->parts; p++) {
        orr_merge_begin(s, x->state, STARPU_R);
        orr_merge_add(s, x->copied, x->parts, STARPU_R);
        add_part(s, x, p, STARPU_W);
        insert_on_cpu(s, of->secular, x, p, n * width, 0);
    }
    orr_merge_begin(s, x->state, STARPU_RW);
    orr_merge_add(s, x->part, sides * x->parts, STARPU_R);
    insert_on_cpu(s, of->weigh, x, 0, n * (double)x->parts, 0);
    for (int64_t p = 0; p < x->parts; p++) {
        orr_merge_begin(s, x->state, STARPU_R);
        add_part(s, x, p, STARPU_RW);
        insert_on_cpu(s, of->coefficients, x, p, n * width, 0);
        for (int side = 0; side < sides; side++) {
            orr_merge_begin(s, x->state, STARPU_R);
            add(s, x->part[side * x->parts + p], STARPU_RW);
            orr_merge_insert(s, of->product, ORR_ON_CPU, x, p, side, n * n * width,
                             parts / (sides * x->parts));
        }
    }
}

/* x2: of the halves of each side. Until the roots are known. */
static void insert_roots(struct orr_merge_submission *s, struct orr_merge_node *x,
                         const starpu_data_handle_t *x2)
{
    const struct orr_merge_algorithm *of = s->x->of;
    const double n = (double)x->m.n, width = (double)x->width;
    orr_merge_begin(s, s->x->matrix.M, STARPU_R);
    for (int h = 0; h < 2; h++) {
        const struct orr_merge_node *half = x->half[h];
        if (half->m.apart)
            orr_merge_add(s, half->ends, half->parts, STARPU_R);
        else
            orr_merge_add(s, half->part, of->sides * half->parts, STARPU_R);
        if (half->corner)
            add(s, half->corner, STARPU_R);
    }
    add(s, x->told, STARPU_W);
    add(s, x->index, STARPU_W);
    insert_on_cpu(s, of->deflate, x, 0, of->deflation(n), 0);

    of->insert_arrange_apart(s, x, x2);
    for (int64_t p = 0; p < x->parts; p++) {
        orr_merge_begin(s, x->told, STARPU_R);
        add_part(s, x, p, STARPU_W);
        add(s, x->factors[p], STARPU_W);
        add(s, x->roots[p], STARPU_W);
        if (!x->kept) /* part[][p] is where the halves' are */
            orr_merge_add(s, x2, 2 * of->sides, STARPU_R);
        orr_merge_insert(s, of->secular, ORR_ON_ACCELERATOR, x, p, 0, n * width, 0);
    }
}

/* A half's vectors have been copied. */
static void forget_half(struct orr_merge_submission *s, const struct orr_merge_node *half)
{
    for (int64_t i = 0; i < s->x->t.sides * half->parts; i++)
        orr_request_forget(s->req, half->part[i]);
    if (half->extra)
        orr_request_forget(s->req, half->extra);
}

/* A merge on accelerators. Vectors that nobody wants in main memory are StarPU's, until the merge
 * above has copied them. */
static void insert_apart(struct orr_merge_submission *s, struct orr_merge_node *x, int64_t parts)
{
    const struct orr_merge_algorithm *of = s->x->of;
    const double n = (double)x->m.n, width = (double)x->width;
    const size_t real = orr_real_size(s->x->matrix.type);
    const int64_t cut = x->m.cut;
    const int sides = of->sides;
    starpu_data_handle_t x2[4];
    for (int i = 0; i < 2 * sides; i++)
        x2[i] = orr_request_temporary(
            s->req, (i % 2 == 0 ? cut : orr_merge_rows_of(s->x, x, i / 2) - cut) * x->m.n, real);
    for (int64_t i = 0; i < sides * x->parts && x->kept; i++)
        x->part[i] = orr_request_temporary_matrix(s->req, orr_merge_rows_of(s->x, x, i >= x->parts),
                                                  orr_merge_columns_of(x, i % x->parts), real);
    if (x->below && orr_merge_has_extra(s->x, x))
        x->extra = orr_request_temporary(s->req, x->m.n + 1, real);
    insert_roots(s, x, x2);
    for (int h = 0; h < 2; h++)
        if (x->half[h]->kept)
            forget_half(s, x->half[h]);

    orr_merge_begin(s, x->told, STARPU_R);
    orr_merge_add(s, x->factors, x->parts, STARPU_R);
    orr_merge_add(s, x->roots, x->parts, STARPU_R);
    add(s, x->weight, STARPU_W);
    insert_on_cpu(s, of->weigh, x, 0, n * (double)x->parts, 0);

    const starpu_data_handle_t work = orr_request_temporary(s->req, x->m.n * x->width, real);
    for (int64_t i = 0; i < sides * x->parts; i++) {
        const int side = i >= x->parts;
        const int64_t p = i % x->parts;
        orr_merge_begin(s, x->told, STARPU_R);
        add(s, x->index, STARPU_R);
        add(s, x->weight, STARPU_R);
        orr_merge_add(s, x2 + 2 * side, 2, STARPU_R);
        add(s, x->part[i], STARPU_RW);
        add(s, work, STARPU_SCRATCH);
        if (x->below && side == sides - 1)
            add(s, x->ends[p], STARPU_W);
        orr_merge_insert(s, of->product, ORR_ON_ACCELERATOR, x, p, side, n * n * width,
                         parts / (sides * x->parts));
    }
    orr_request_forget(s->req, work);
    for (int i = 0; i < 2 * sides; i++)
        orr_request_forget(s->req, x2[i]);
}

void orr_insert_merge(struct orr_merge_tasks *x)
{
    const struct orr_merge_algorithm *of = x->of;
    const struct orr_merge_matrix *in = &x->matrix;
    struct orr_merge_node *last = &x->node[x->nodes - 1];
    const int64_t most = (in->n - 1) / of->columns + 1; /* parts of a node */
    struct starpu_data_descr data[4 * most + 16];
    struct orr_merge_submission s = {.req = x->handles.req, .x = x, .b.d = data};
    for (int64_t i = 0; i < x->nodes; i++) {
        struct orr_merge_node *node = &x->node[i];
        const double n = (double)node->m.n, part = n / (double)in->n;
        const int64_t parts = (int64_t)(0.75 * part * part * part * (double)in->parts);
        if (node->m.apart) {
            insert_apart(&s, node, parts);
        } else if (node->half[0]) {
            insert_merge(&s, node, parts);
        } else {
            orr_merge_begin(&s, in->M, STARPU_R);
            add_part(&s, node, 0, STARPU_W);
            insert_on_cpu(&s, of->leaf, node, 0, n * n * n, parts);
        }
    }
    orr_merge_begin(&s, in->M, of->replaces ? STARPU_RW : STARPU_R);
    add(&s, last->m.apart ? last->weight : last->state, STARPU_R);
    add(&s, x->order, STARPU_W);
    insert_on_cpu(&s, of->order, last, 0, (double)in->n, in->parts - s.parts);
}
