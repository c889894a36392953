/* tall: A = Q R of a tall matrix by a tree.
 *
 * A panel is one task, and the next one waits for it: of a matrix much taller than wide panels are
 * most of the time, one after the other. So its rows are cut into parts, factored side by side, and
 * their triangles, up to eight at once, one above the other, are factored likewise:
 *
 *     A1 = Q1 R1                 the rows of R1, R2, ... in turn, b at a time: the stack has the
 *     A2 = Q2 R2   +-- Q' R'     operations of one that spares its zeros (kernels/ge2gb.h), and all
 *     A3 = Q3 R3   |             of it together those of A as a whole, 2 m n^2 - 2/3 n^3
 *     ...
 *
 * E := Q E goes the other way, from the root to the parts: rows of E follow the triangles.
 *
 * How many parts there are depends on m, n and the tile only, and so do the results.
 *
 * Source: J. Demmel, L. Grigori, M. Hoemmen, J. Langou, Communication-optimal parallel and sequential
 * QR and LU factorizations, SIAM J. Sci. Comput. 34(1), A206-A239, 2012.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/dense/tall.h"

#include <stdlib.h>

#include "codelets/core/least.h"
#include "src/core/pieces.h"
#include "src/dense/dense_plan.h"

enum { ROWS = 4 }; /* of a part, times n: a triangle is a small part of it */
enum { LEAST_ROWS = 1024 };
enum { LEAST_WORK = 1 << 20 }; /* rows times n^2: a panel is 100 us or more */

/* On a device a panel is of all rows: its tiles have owners, which a stack has not. */
static int64_t choose_leaves(const struct orr_ge2gb_stage *x)
{
    const int64_t m = x->r.m, n = orr_most(x->r.n, 1), square = n < LEAST_WORK ? n * n : LEAST_WORK;
    const int64_t rows = orr_most(orr_most(ROWS * n, LEAST_ROWS), LEAST_WORK / square);
    const int64_t most = ORR_MOST_TILES * x->r.T;
    return x->r.owners.count > 0 ? 1 : orr_most(m / orr_least(rows, most), 1);
}

/* A parent for every eight, or somewhat fewer, until one is left. */
static int64_t parents(int64_t nodes) { return (nodes + ORR_STACKED - 1) / ORR_STACKED; }

static int64_t count_nodes(int64_t leaves)
{
    int64_t all = leaves;
    for (int64_t level = leaves; level > 1; all += level)
        level = parents(level);
    return all;
}

static void make_leaf(orr_request *req, const struct orr_tall *x, int64_t l)
{
    struct orr_ge2gb_stage *s = &x->node[l].stage;
    const int64_t rows = x->as.r.m / x->leaves, row = l * rows;
    *s = x->as;
    s->r.m = l + 1 < x->leaves ? rows : x->as.r.m - row;
    s->r.row = row;
    s->a = (char *)s->a + (size_t)row * orr_type_size(s->r.type);
    orr_ge2gb_make(req, s);
}

static void make_stack(orr_request *req, const struct orr_tall *x, struct orr_tall_node *node)
{
    struct orr_ge2gb_stage *s = &node->stage;
    *s = x->as;
    s->r.m = s->lda = node->children * s->r.n;
    s->r.stacked = (int)node->children;
    s->r.row = x->node[node->child].stage.r.row;
    const size_t bytes = (size_t)(s->r.m * s->r.n) * orr_type_size(s->r.type) + 1;
    s->a = node->own = orr_own_memory(req, ORR_ON_CPU, 0, bytes, "gesvd");
    if (s->a)
        orr_ge2gb_make(req, s);
}

void orr_tall_make(orr_request *req, struct orr_tall *x)
{
    x->leaves = choose_leaves(&x->as);
    const int64_t count = count_nodes(x->leaves);
    x->node = calloc((size_t)count, sizeof *x->node);
    if (!x->node) {
        orr_request_fail(req, ORR_E_NOMEM, "gesvd");
        return;
    }
    x->count = count;
    for (int64_t l = 0; l < x->leaves && !orr_request_failed(req); l++)
        make_leaf(req, x, l);
    int64_t begin = 0, end = x->leaves;
    while (end < count && !orr_request_failed(req)) {
        const int64_t nodes = end - begin, above = parents(nodes);
        for (int64_t p = 0; p < above && !orr_request_failed(req); p++) {
            struct orr_tall_node *node = &x->node[end + p];
            node->child = begin + p * nodes / above;
            node->children = begin + (p + 1) * nodes / above - node->child;
            make_stack(req, x, node);
        }
        begin = end;
        end += above;
    }
    for (int64_t i = 0; i + 1 < count; i++) /* side by side; the root ends last */
        x->node[i].stage.r.ended = NULL;
}

void orr_tall_free(struct orr_tall *x)
{
    for (int64_t i = 0; i < x->count; i++) {
        orr_ge2gb_free(&x->node[i].stage);
        free(x->node[i].own);
    }
    free(x->node);
}

const struct orr_ge2gb_stage *orr_tall_root(const struct orr_tall *x)
{
    return &x->node[x->count - 1].stage;
}

/* ---- The graph ----------------------------------------------------------------------------- */

static void load(orr_request *req, int prio, const struct orr_tall *x, int64_t l,
                 const struct orr_ge2gb_source *user)
{
    const struct orr_ge2gb_stage *s = &x->node[l].stage;
    const int64_t step = user->adjoint ? user->lda : 1;
    struct orr_ge2gb_source part = *user;
    part.a = (char *)user->a + (size_t)(s->r.row * step) * orr_type_size(s->r.type);
    orr_ge2gb_submit_load(req, prio, s, &part, NULL);
}

static void triangles(const struct orr_tall *x, const struct orr_tall_node *node,
                      struct orr_ge2gb_triangle *R)
{
    for (int64_t c = 0; c < node->children; c++) {
        const struct orr_ge2gb_stage *s = &x->node[node->child + c].stage;
        R[c] = (struct orr_ge2gb_triangle){.of = &s->r, .a = s->a, .lda = s->lda};
    }
}

static void stack(orr_request *req, int prio, const struct orr_tall *x,
                  const struct orr_tall_node *node)
{
    const struct orr_ge2gb *r = &node->stage.r;
    struct orr_ge2gb_triangle R[ORR_STACKED];
    triangles(x, node, R);
    for (int64_t i = 0; i < r->tile_rows; i++)
        for (int64_t j = 0; j < r->tile_columns; j++)
            orr_insert_ge2gb_stack(req, prio, r, i, j, R);
}

/* Nodes begin .. end-1, step by step: none waits for another's tasks to be submitted. */
static void factor(orr_request *req, int prio, const struct orr_tall *x, int64_t begin, int64_t end)
{
    const struct orr_tall_node *node = x->node;
    for (int64_t k = 0; k < node[begin].stage.r.side[ORR_LEFT].steps; k++)
        for (int64_t i = begin; i < end && !orr_request_failed(req); i++)
            orr_ge2gb_submit_step(req, prio, &node[i].stage, k);
    for (int64_t i = begin; i < end; i++)
        orr_ge2gb_submit_joins(req, &node[i].stage);
}

int orr_tall_submit(orr_request *req, int prio, const struct orr_tall *x,
                    const struct orr_ge2gb_source *user)
{
    int64_t begin = 0, end = x->leaves;
    for (;;) {
        for (int64_t i = begin; i < end; i++)
            if (x->node[i].children)
                stack(req, prio, x, &x->node[i]);
            else if (user)
                load(req, prio, x, i, user);
        factor(req, prio, x, begin, end);
        prio -= orr_ge2gb_priorities(&x->node[begin].stage.r);
        if (end == x->count)
            return prio;
        const int64_t above = parents(end - begin);
        begin = end;
        end += above;
    }
}

int64_t orr_tall_parts(const struct orr_tall *x)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < x->count; i++)
        sum += orr_ge2gb_parts(&x->node[i].stage.r);
    return sum;
}

void orr_tall_submit_apply(orr_request *req, const struct orr_tall *x,
                           const struct orr_hb2st_panel *p, int64_t parts)
{
    for (int64_t i = x->count - 1; i >= 0; i--) {
        const struct orr_tall_node *node = &x->node[i];
        struct orr_ge2gb_triangle R[ORR_STACKED];
        orr_ge2gb_submit_apply(req, &node->stage.r, ORR_LEFT, p, parts);
        triangles(x, node, R);
        if (node->children)
            orr_insert_ge2gb_unstack(req, 0, &node->stage.r, R, p);
    }
}

int64_t orr_tall_apply_parts(const struct orr_tall *x, int64_t columns)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < x->count; i++)
        sum += orr_ge2gb_apply_parts(&x->node[i].stage.r, ORR_LEFT, columns);
    return sum;
}
