/* See gesvd_tree.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/dense/gesvd_tree.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/least.h"

enum { ROWS = 128 }; /* of one task, at most */

static int64_t up(int64_t x, int64_t y) { return (x + y - 1) / y; }

/* 1: a merge of n rows is apart. */
static int is_apart(const struct orr_bidiagonal *b, int64_t n)
{
    const int64_t rows = n + 1, wide = rows * orr_least(n, ORR_MERGE_WIDE),
                  half = rows * up(rows, 2);
    const int64_t arrange[] = {half, half, up(half, 2), up(half, 2), 4 * rows, 4 * rows};
    const int64_t product[] = {half, half, wide, wide, 4 * rows, 4 * rows};
    const size_t real = orr_real_size(b->type);
    return orr_merge_may_be_apart(b->where, n) &&
           (b->where != ORR_ANYWHERE ||
            (orr_merge_fits(arrange, sizeof arrange / sizeof *arrange, real) &&
             orr_merge_fits(product, sizeof product / sizeof *product, real)));
}

static int64_t parts_of(const struct orr_bidiagonal *b, int64_t n)
{
    return n <= ROWS ? 1 : up(n, is_apart(b, n) ? ORR_MERGE_WIDE : ORR_GESVD_COLUMNS);
}

/* What there is of n rows and below. */
struct total {
    int64_t nodes, parts;
    int64_t rows;    /* and columns of the largest node that is not apart */
    int64_t factors; /* of a row */
};

static void count(const struct orr_bidiagonal *b, int64_t n, struct total *c)
{
    const orr_gesvd_merge m = orr_gesvd_merge_of(0, n);
    c->nodes += 1;
    c->parts += parts_of(b, n);
    c->factors = orr_most(c->factors, parts_of(b, n) + is_apart(b, n));
    if (!is_apart(b, n))
        c->rows = orr_most(c->rows, orr_least(n + 1, b->n));
    if (n > ROWS) {
        count(b, m.n1, c);
        count(b, n - m.n1 - 1, c);
    }
}

/* What CPUs and devices tell each other of a merge that is apart. */
static void grow_apart(struct orr_gesvd_tasks *x, struct orr_gesvd_node *node)
{
    struct orr_merge_handles *h = &x->handles;
    const orr_gesvd_tree *t = &x->t;
    const int64_t n = node->m.n, first = node->m.first, parts = node->parts, width = node->width;
    char *const roots = node->factor + (size_t)(parts * n) * h->real;
    char *const ends = (char *)t->ends + (size_t)(2 * first) * h->real;
    node->told = orr_merge_reals(h, t->told, orr_gesvd_told(&node->m), ORR_MERGE_TOLD * n);
    node->index = orr_request_vector(h->req, t->numbers + orr_gesvd_numbers(&node->m),
                                     ORR_MERGE_INDEX * n, sizeof *t->numbers);
    node->weight = orr_merge_reals(h, t->weight, first, n);
    node->factors = orr_merge_pieces(h, node->factor, parts * n, parts, n);
    node->roots = orr_merge_pieces(h, roots, n, parts, width);
    if (node->below)
        node->ends = orr_merge_pieces(h, ends, 2 * n, parts, 2 * width);
    if (orr_gesvd_has_extra(x, node))
        node->corner = orr_merge_reals(h, ends, 2 * n, 2);
}

/* Vectors of a node in main memory, in the blocks of the tree. */
static void grow_parts(struct orr_gesvd_tasks *x, struct orr_gesvd_node *node)
{
    struct orr_merge_handles *h = &x->handles;
    const int64_t n = node->m.n, ld = x->t.ld, at = node->m.first * (ld + 1);
    for (int64_t i = 0; i < 2 * node->parts; i++) {
        const int side = i >= node->parts;
        const int64_t p = i % node->parts;
        node->part[i] = orr_request_matrix(
            h->req, (char *)x->t.x[side] + (size_t)(at + p * node->width * ld) * h->real, ld,
            orr_gesvd_rows_of(x, node, side), orr_gesvd_columns_of(node, p), h->real);
    }
    if (orr_gesvd_has_extra(x, node) && (node->m.apart || node->below))
        node->extra = orr_merge_reals(h, x->t.x[1], at + n * ld, n + 1);
}

/* A node, whose handles are the next ones of x; halves come first. below: of a merge that is apart. */
static const struct orr_gesvd_node *grow(struct orr_gesvd_tasks *x, const struct orr_bidiagonal *b,
                                         int64_t first, int64_t n, int below)
{
    const struct orr_gesvd_node *half[2] = {NULL, NULL};
    orr_gesvd_merge m = orr_gesvd_merge_of(first, n);
    m.apart = is_apart(b, n);
    if (n > ROWS) {
        half[0] = grow(x, b, first, m.n1, m.apart);
        half[1] = grow(x, b, first + m.n1 + 1, n - m.n1 - 1, m.apart);
    }
    struct orr_gesvd_node *node = &x->node[x->nodes++];
    *node = (struct orr_gesvd_node){
        .m = m, .parts = parts_of(b, n), .below = below, .half = {half[0], half[1]}};
    node->kept = m.apart && (below || n == b->n);
    node->width = up(n, node->parts);
    node->factor = x->factor + (size_t)(first * x->factors) * x->handles.real;
    node->part = orr_merge_handles_take(&x->handles, 2 * node->parts);
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

/* Memory of both sides, one behind the other; a plan has none. */
static void make_sides(struct orr_request *req, void *side[2], int64_t entries, size_t real)
{
    side[0] = orr_request_memory(req, 0, (size_t)(2 * entries) * real);
    if (side[0])
        side[1] = (char *)side[0] + (size_t)(req->plan ? 0 : entries) * real;
}

/* Memory of the vectors that CPUs make; `rows`: of the largest block. Several blocks are zero. */
static void make_vectors(struct orr_request *req, struct orr_gesvd_tasks *x, int64_t rows,
                         size_t real)
{
    const int64_t n = x->t.n;
    x->t.ld = rows;
    x->entries = rows < n ? n * (rows + 1) : n * n;
    make_sides(req, x->t.x, x->entries, real);
    make_sides(req, x->t.x2, x->entries, real);
    if (x->t.x[0] && rows < n && !req->plan)
        memset(x->t.x[0], 0, (size_t)(2 * x->entries) * real);
}

struct orr_gesvd_tasks *orr_gesvd_split(struct orr_request *req, const struct orr_bidiagonal *b)
{
    struct orr_gesvd_tasks *x = calloc(1, sizeof *x);
    const size_t real = orr_real_size(b->type);
    const int64_t n = b->n;
    struct total c = {0};
    count(b, n, &c);
    if (x && req->plan) { /* as orr_gesvd_tree_make; of a product on each worker */
        orr_plan_bytes(req, (double)orr_gesvd_tree_reals(n) * (double)real);
        orr_plan_bytes(req, (double)(ORR_GESVD_TREE_INTEGERS * n * 4));
        orr_plan_bytes(req, (double)(starpu_cpu_worker_get_count() * n * ORR_GESVD_COLUMNS) *
                                (double)real);
        x->t.n = n;
    } else if (!x || !orr_gesvd_tree_make(&x->t, n, (int64_t)real)) {
        free(x);
        orr_request_fail(req, ORR_E_NOMEM, "gesvd");
        return NULL;
    }
    make_vectors(req, x, c.rows, real);
    x->factors = c.factors;
    x->factor = orr_request_memory(req, 0, (size_t)(n * x->factors) * real);
    x->node = calloc((size_t)c.nodes, sizeof *x->node);
    if (!orr_merge_handles_make(&x->handles, req, 5 * c.parts + c.nodes, real) || !x->t.x[0] ||
        !x->t.x2[0] || !x->factor || !x->node) {
        orr_request_fail(req, ORR_E_NOMEM, "gesvd");
        return x;
    }
    grow(x, b, 0, n, 0);
    x->order = orr_request_vector(req, x->t.order, n, sizeof *x->t.order);
    return x;
}

struct orr_merge_vectors orr_gesvd_split_vectors(const struct orr_gesvd_tasks *x, int side)
{
    const struct orr_gesvd_node *whole = &x->node[x->nodes - 1];
    return (struct orr_merge_vectors){.order = x->order,
                                      .piece = whole->part + side * whole->parts,
                                      .pieces = whole->parts,
                                      .width = whole->width,
                                      .kept = whole->kept};
}

void orr_gesvd_split_forget(struct orr_request *req, const struct orr_gesvd_tasks *x)
{
    const struct orr_gesvd_node *whole = &x->node[x->nodes - 1];
    for (int64_t i = 0; i < 2 * whole->parts && whole->kept; i++)
        if (whole->part[i])
            orr_request_forget(req, whole->part[i]);
}

void orr_gesvd_split_drop(struct orr_gesvd_tasks *x)
{
    if (!x)
        return;
    orr_gesvd_tree_free(&x->t);
    free(x->t.x[0]);
    free(x->t.x2[0]);
    free(x->factor);
    free(x->node);
    orr_merge_handles_free(&x->handles);
    free(x);
}
