/* See heev_tree.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/dense/heev_tree.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/least.h"

enum { ROWS = 191 }; /* of one task, at most: ORR_HEEV_SPLIT is torn once */

static int64_t up(int64_t x, int64_t y) { return (x + y - 1) / y; }

/* 1: a merge of n rows is apart. */
static int is_apart(const struct orr_tridiagonal *t, int64_t n)
{
    const int64_t wide = n * orr_least(n, ORR_MERGE_WIDE), half = n * up(n, 2);
    const int64_t product[] = {half, half, wide, wide, 2 * n, 2 * n};
    return orr_merge_may_be_apart(t->where, n) &&
           (t->where != ORR_ANYWHERE ||
            orr_merge_fits(product, sizeof product / sizeof *product, orr_real_size(t->type)));
}

static int64_t parts_of(const struct orr_tridiagonal *t, int64_t n)
{
    return n <= ROWS ? 1 : up(n, is_apart(t, n) ? ORR_MERGE_WIDE : ORR_HEEV_COLUMNS);
}

/* What there is of n rows and below. */
struct total {
    int64_t nodes, parts;
    int64_t rows;    /* of the largest node that is not apart */
    int64_t factors; /* of a row */
};

static void count(const struct orr_tridiagonal *t, int64_t n, struct total *c)
{
    const orr_heev_merge m = orr_heev_merge_of(0, n);
    c->nodes += 1;
    c->parts += parts_of(t, n);
    c->factors = orr_most(c->factors, parts_of(t, n) + is_apart(t, n));
    if (!is_apart(t, n))
        c->rows = orr_most(c->rows, n);
    if (n > ROWS) {
        count(t, m.n1, c);
        count(t, n - m.n1, c);
    }
}

/* What CPUs and devices tell each other of a merge that is apart. */
static void grow_apart(struct orr_heev_tasks *x, struct orr_heev_node *node)
{
    struct orr_merge_handles *h = &x->handles;
    const orr_heev_tree *t = &x->t;
    const int64_t n = node->m.n, first = node->m.first, parts = node->parts, width = node->width;
    char *const roots = node->factor + (size_t)(parts * n) * h->real;
    node->told = orr_merge_reals(h, t->told, orr_heev_told(&node->m), ORR_MERGE_TOLD * n);
    node->index = orr_request_vector(h->req, t->index + orr_heev_index(&node->m),
                                     ORR_MERGE_INDEX * n, sizeof *t->index);
    node->weight = orr_merge_reals(h, t->weight, first, n);
    node->factors = orr_merge_pieces(h, node->factor, parts * n, parts, n);
    node->roots = orr_merge_pieces(h, roots, n, parts, width);
    if (node->below)
        node->ends = orr_merge_pieces(h, (char *)t->ends + (size_t)(2 * first) * h->real, 2 * n,
                                      parts, 2 * width);
}

/* Vectors of a node in main memory, in the blocks of the tree. */
static void grow_parts(struct orr_heev_tasks *x, struct orr_heev_node *node)
{
    const struct orr_merge_handles *h = &x->handles;
    const int64_t n = node->m.n, ld = x->t.ld;
    for (int64_t p = 0; p < node->parts; p++) {
        const int64_t at = node->m.first * (ld + 1) + p * node->width * ld;
        node->part[p] = orr_request_matrix(h->req, (char *)x->t.q + (size_t)at * h->real, ld, n,
                                           orr_heev_columns_of(node, p), h->real);
    }
}

/* A node, whose handles are the next ones of x; halves come first. below: of a merge that is apart. */
static const struct orr_heev_node *grow(struct orr_heev_tasks *x, const struct orr_tridiagonal *t,
                                        int64_t first, int64_t n, int below)
{
    const struct orr_heev_node *half[2] = {NULL, NULL};
    orr_heev_merge m = orr_heev_merge_of(first, n);
    m.apart = is_apart(t, n);
    if (n > ROWS) {
        half[0] = grow(x, t, first, m.n1, m.apart);
        half[1] = grow(x, t, first + m.n1, n - m.n1, m.apart);
    }
    struct orr_heev_node *node = &x->node[x->nodes++];
    *node = (struct orr_heev_node){
        .m = m, .parts = parts_of(t, n), .below = below, .half = {half[0], half[1]}};
    node->kept = m.apart && (below || n == t->n);
    node->width = up(n, node->parts);
    node->factor = x->factor + (size_t)(first * x->factors) * x->handles.real;
    node->part = orr_merge_handles_take(&x->handles, node->parts);
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

/* Memory of the vectors that CPUs make; `rows`: of the largest block. Several blocks are zero. */
static void make_vectors(struct orr_request *req, struct orr_heev_tasks *x, int64_t rows,
                         size_t real)
{
    const int64_t n = x->t.n;
    x->t.ld = rows;
    x->entries = rows < n ? n * (rows + 1) : n * n;
    x->t.q = orr_request_memory(req, 0, (size_t)x->entries * real);
    x->t.q2 = orr_request_memory(req, 0, (size_t)(n * rows) * real);
    if (x->t.q && rows < n && !req->plan)
        memset(x->t.q, 0, (size_t)x->entries * real);
}

struct orr_heev_tasks *orr_heev_split(struct orr_request *req, const struct orr_tridiagonal *t)
{
    struct orr_heev_tasks *x = calloc(1, sizeof *x);
    const int64_t real = (int64_t)orr_real_size(t->type), n = t->n;
    struct total c = {0};
    count(t, n, &c);
    if (x && req->plan) { /* as orr_heev_tree_make; of a product on each worker */
        orr_plan_bytes(req, (double)(starpu_cpu_worker_get_count() * n * ORR_HEEV_COLUMNS * real));
        orr_plan_bytes(req, (double)(ORR_HEEV_TREE_REALS * n * real));
        orr_plan_bytes(req, (double)(ORR_HEEV_TREE_INTEGERS * n * 4));
        x->t.n = n;
    } else if (!x || !orr_heev_tree_make(&x->t, n, real)) {
        free(x);
        orr_request_fail(req, ORR_E_NOMEM, "heev");
        return NULL;
    }
    make_vectors(req, x, c.rows, (size_t)real);
    x->factors = c.factors;
    x->factor = orr_request_memory(req, 0, (size_t)(n * x->factors * real));
    x->node = calloc((size_t)c.nodes, sizeof *x->node);
    if (!orr_merge_handles_make(&x->handles, req, 4 * c.parts + c.nodes, (size_t)real) || !x->t.q ||
        !x->t.q2 || !x->factor || !x->node) {
        orr_request_fail(req, ORR_E_NOMEM, "heev");
        return x;
    }
    grow(x, t, 0, n, 0);
    x->order = orr_request_vector(req, x->t.order, n, sizeof *x->t.order);
    return x;
}

struct orr_merge_vectors orr_heev_split_vectors(const struct orr_heev_tasks *x)
{
    const struct orr_heev_node *whole = &x->node[x->nodes - 1];
    return (struct orr_merge_vectors){.order = x->order,
                                      .piece = whole->part,
                                      .pieces = whole->parts,
                                      .width = whole->width,
                                      .kept = whole->kept};
}

void orr_heev_split_forget(struct orr_request *req, const struct orr_heev_tasks *x)
{
    const struct orr_heev_node *whole = &x->node[x->nodes - 1];
    for (int64_t p = 0; p < whole->parts && whole->kept; p++)
        if (whole->part[p])
            orr_request_forget(req, whole->part[p]);
}

void orr_heev_split_drop(struct orr_heev_tasks *x)
{
    if (!x)
        return;
    orr_heev_tree_free(&x->t);
    free(x->t.q);
    free(x->t.q2);
    free(x->factor);
    free(x->node);
    orr_merge_handles_free(&x->handles);
    free(x);
}
