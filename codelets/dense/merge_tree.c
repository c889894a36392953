/* See merge_tree.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/dense/merge_tree.h"

#include <stdlib.h>
#include <string.h>

#include "codelets/core/room.h"
#include "codelets/dense/merge_tasks.h"
#include "kernels/least.h"

enum { APART = 384 }; /* from this order on a merge may be apart */

int orr_merge_fits(const int64_t *reals, size_t count, size_t real)
{
    struct orr_need need = {0};
    for (size_t i = 0; i < count; i++)
        orr_need_add(&need, (size_t)reals[i] * real);
    return orr_accelerators_fit(&need);
}

/* 1: a merge of n rows is apart. */
static int is_apart(const struct orr_merge_tasks *x, int64_t n)
{
    const struct orr_merge_matrix *a = &x->matrix;
    return n >= APART && a->where != ORR_ON_CPU &&
           starpu_cuda_worker_get_count() + starpu_opencl_worker_get_count() > 0 &&
           (a->where != ORR_ANYWHERE || x->of->fits(n, orr_real_size(a->type)));
}

/* 1: n rows are solved as one. The whole is torn in any case: who asks for a tree wants both workers. */
static int is_leaf(const struct orr_merge_tasks *x, int64_t n)
{
    return n <= x->of->rows && n < x->matrix.n;
}

static int64_t parts_of(const struct orr_merge_tasks *x, int64_t n)
{
    return is_leaf(x, n) ? 1 : orr_merge_up(n, is_apart(x, n) ? ORR_MERGE_WIDE : x->of->columns);
}

/* What there is of n rows and below. */
struct total {
    int64_t nodes, parts;
    int64_t rows;    /* and columns of the largest node that is not apart */
    int64_t factors; /* of a row */
};

static void count(const struct orr_merge_tasks *x, int64_t n, struct total *c)
{
    const orr_merge m = orr_merge_of(x->of->sides, 0, n);
    c->nodes += 1;
    c->parts += parts_of(x, n);
    c->factors = orr_most(c->factors, parts_of(x, n) + is_apart(x, n));
    if (!is_apart(x, n))
        c->rows = orr_most(c->rows, orr_least(n + x->of->sides - 1, x->matrix.n));
    if (!is_leaf(x, n)) {
        count(x, m.n1, c);
        count(x, n - m.cut, c);
    }
}

/* What CPUs and devices tell each other of a merge that is apart. */
static void grow_apart(struct orr_merge_tasks *x, struct orr_merge_node *node)
{
    struct orr_merge_handles *h = &x->handles;
    const orr_merge_tree *t = &x->t;
    const int64_t n = node->m.n, first = node->m.first, parts = node->parts, width = node->width;
    char *const roots = node->factor + (size_t)(parts * n) * h->real;
    char *const ends = (char *)t->ends + (size_t)(2 * first) * h->real;
    node->told = orr_merge_reals(h, t->told, orr_merge_told(&node->m), ORR_MERGE_TOLD * n);
    node->index = orr_request_vector(h->req, t->index + orr_merge_index(&node->m),
                                     ORR_MERGE_INDEX * n, sizeof *t->index);
    node->weight = orr_merge_reals(h, t->weight, first, n);
    node->factors = orr_merge_pieces(h, node->factor, parts * n, parts, n);
    node->roots = orr_merge_pieces(h, roots, n, parts, width);
    if (node->below)
        node->ends = orr_merge_pieces(h, ends, 2 * n, parts, 2 * width);
    if (orr_merge_has_extra(x, node))
        node->corner = orr_merge_reals(h, ends, 2 * n, 2);
}

/* Vectors of a node in main memory, in the blocks of the tree. */
static void grow_parts(struct orr_merge_tasks *x, struct orr_merge_node *node)
{
    struct orr_merge_handles *h = &x->handles;
    const int64_t n = node->m.n, ld = x->t.ld, at = node->m.first * (ld + 1);
    for (int64_t i = 0; i < x->t.sides * node->parts; i++) {
        const int side = i >= node->parts;
        const int64_t p = i % node->parts;
        node->part[i] = orr_request_matrix(
            h->req, (char *)x->t.x[side] + (size_t)(at + p * node->width * ld) * h->real, ld,
            orr_merge_rows_of(x, node, side), orr_merge_columns_of(node, p), h->real);
    }
    if (orr_merge_has_extra(x, node) && (node->m.apart || node->below))
        node->extra = orr_merge_reals(h, x->t.x[1], at + n * ld, n + 1);
}

/* A node, whose handles are the next ones of x; halves come first. below: of a merge that is apart. */
static const struct orr_merge_node *grow(struct orr_merge_tasks *x, int64_t first, int64_t n,
                                         int below)
{
    const struct orr_merge_node *half[2] = {NULL, NULL};
    orr_merge m = orr_merge_of(x->of->sides, first, n);
    m.apart = is_apart(x, n);
    if (!is_leaf(x, n)) {
        half[0] = grow(x, first, m.n1, m.apart);
        half[1] = grow(x, first + m.cut, n - m.cut, m.apart);
    }
    struct orr_merge_node *node = &x->node[x->nodes++];
    *node = (struct orr_merge_node){
        .m = m, .parts = parts_of(x, n), .below = below, .half = {half[0], half[1]}};
    node->kept = m.apart && (below || n == x->t.n);
    node->width = orr_merge_up(n, node->parts);
    node->factor = x->factor + (size_t)(first * x->factors) * x->handles.real;
    node->part = orr_merge_handles_take(&x->handles, x->t.sides * node->parts);
    if (!node->kept)
        grow_parts(x, node);
    if (m.apart) {
        grow_apart(x, node);
    } else {
        node->copied = orr_merge_marks(&x->handles, node->parts);
        node->state = *orr_merge_marks(&x->handles, 1);
    }
    return node;
}

/* Memory of the sides, one behind the other; a plan has none. */
static void make_sides(struct orr_request *req, int sides, void *side[2], int64_t entries,
                       size_t real)
{
    side[0] = orr_request_memory(req, 0, (size_t)(sides * entries) * real);
    if (side[0] && sides == 2)
        side[1] = (char *)side[0] + (size_t)(req->plan ? 0 : entries) * real;
}

/* Memory of the vectors that CPUs make; `rows`: of the largest block. Several blocks are zero. */
static void make_vectors(struct orr_request *req, struct orr_merge_tasks *x, int64_t rows,
                         size_t real)
{
    const int64_t n = x->t.n;
    x->t.ld = rows;
    x->entries = rows < n ? n * (rows + 1) : n * n;
    make_sides(req, x->t.sides, x->t.x, x->entries, real);
    make_sides(req, x->t.sides, x->t.x2, n * rows, real);
    if (x->t.x[0] && rows < n && !req->plan)
        memset(x->t.x[0], 0, (size_t)(x->t.sides * x->entries) * real);
}

struct orr_merge_tasks *orr_merge_split(struct orr_request *req,
                                        const struct orr_merge_algorithm *of,
                                        const struct orr_merge_matrix *a)
{
    struct orr_merge_tasks *x = calloc(1, sizeof *x);
    const size_t real = orr_real_size(a->type);
    const int64_t n = a->n;
    struct total c = {0};
    if (!x) {
        orr_request_fail(req, ORR_E_NOMEM, of->name);
        return NULL;
    }
    x->of = of;
    x->matrix = *a;
    count(x, n, &c);
    if (req->plan) { /* as orr_merge_tree_make; of a product on each worker */
        orr_plan_bytes(req, (double)orr_merge_tree_reals(n) * (double)real);
        orr_plan_bytes(req, (double)(ORR_MERGE_TREE_INTEGERS * n * 4));
        orr_plan_bytes(req,
                       (double)(starpu_cpu_worker_get_count() * n * of->columns) * (double)real);
        x->t.sides = of->sides;
        x->t.n = n;
    } else if (!orr_merge_tree_make(&x->t, of->sides, n, (int64_t)real)) {
        free(x);
        orr_request_fail(req, ORR_E_NOMEM, of->name);
        return NULL;
    }
    make_vectors(req, x, c.rows, real);
    x->factors = c.factors;
    x->factor = orr_request_memory(req, 0, (size_t)(n * x->factors) * real);
    x->node = calloc((size_t)c.nodes, sizeof *x->node);
    if (!orr_merge_handles_make(&x->handles, req, (3 + of->sides) * c.parts + c.nodes, real) ||
        !x->t.x[0] || !x->t.x2[0] || !x->factor || !x->node) {
        orr_request_fail(req, ORR_E_NOMEM, of->name);
        return x;
    }
    grow(x, 0, n, 0);
    x->order = orr_request_vector(req, x->t.order, n, sizeof *x->t.order);
    return x;
}

struct orr_merge_vectors orr_merge_vectors(const struct orr_merge_tasks *x, int side)
{
    const struct orr_merge_node *whole = &x->node[x->nodes - 1];
    return (struct orr_merge_vectors){.order = x->order,
                                      .piece = whole->part + side * whole->parts,
                                      .pieces = whole->parts,
                                      .width = whole->width,
                                      .kept = whole->kept};
}

void orr_merge_forget(const struct orr_merge_tasks *x)
{
    if (x->nodes == 0) /* memory ran out */
        return;
    const struct orr_merge_node *whole = &x->node[x->nodes - 1];
    for (int64_t i = 0; i < x->t.sides * whole->parts && whole->kept; i++)
        if (whole->part[i])
            orr_request_forget(x->handles.req, whole->part[i]);
}

void orr_merge_drop(struct orr_merge_tasks *x)
{
    if (!x)
        return;
    orr_merge_tree_free(&x->t);
    free(x->t.x[0]);
    free(x->t.x2[0]);
    free(x->factor);
    free(x->node);
    orr_merge_handles_free(&x->handles);
    free(x);
}
