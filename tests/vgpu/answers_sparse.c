/* Answers: sparse matrices. SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "numbers.h"
#include "orrery/sparse.h"
#include "vgpu/answers.h"

static orr_sparse *sparse(orr_context *ctx, const char *what, orr_type t, int graph, int blocks)
{
    orr_mtx m;
    orr_sparse *A = NULL;
    const orr_sparse_opts o = {
        .type = orr_type_letter(t), .blocks = blocks, .rule_only = 1, .graph = graph};
    CHECK(orr_generate(what, 3, &m, NULL) == ORR_OK, "%s", what);
    CHECK(orr_sparse_from_mtx(ctx, &m, &o, &A, NULL) == ORR_OK, "%s", what);
    orr_mtx_free(&m);
    return A;
}

/* What links.py must know. */
static void tell_work(orr_type t, const orr_sparse *A, int64_t steps, int vectors)
{
    orr_sparse_info i;
    orr_sparse_query(A, &i);
    printf("%s %c %lld blocks of %lld bytes, %lld steps, %d vectors\n", name, orr_type_letter(t),
           (long long)i.blocks, (long long)i.bytes, (long long)steps, vectors);
}

static void powm_at(orr_context *ctx, orr_type t, orr_powm_method method, int blocks)
{
    const int64_t side = size_or(5), n = side * side * side;
    orr_eigenpair pair[2];
    orr_powm_result found;
    orr_report r;
    char grid[32];
    snprintf(grid, sizeof grid, "laplace3d:%d", (int)side);
    orr_sparse *A = sparse(ctx, grid, t, 0, blocks);
    const int few = blocks > 5; /* steps: every block is a task of each */
    const orr_powm_opts o = {.k = 1,
                             .method = method,
                             .tol = few                         ? 10
                                    : orr_type_real(t) == ORR_S ? 1e-3
                                                                : 1e-4,
                             .fixed_steps = few ? 4 : 0,
                             .steps_per_task = 5};
    void *x = numbers(t, 2 * n, 1);
    done(orr_powm(ctx, A, &o, pair, x, &found, &r), &r);
    tell(t, "value", ORR_D, &pair[0].re, 1);
    tell(t, "residual", ORR_D, &pair[0].residual, 1);
    tell(t, "vector", t, x, n);
    tell_work(t, A, found.steps, found.found);
    orr_sparse_free(A);
    free(x);
}

void powm(orr_context *ctx, orr_type t) { powm_at(ctx, t, ORR_POWM_METHOD_KRYLOV, 5); }
void powm_ritz(orr_context *ctx, orr_type t) { powm_at(ctx, t, ORR_POWM_METHOD_RITZ, 5); }
/* A task is several steps. */
void powm_steps(orr_context *ctx, orr_type t) { powm_at(ctx, t, ORR_POWM_METHOD_RITZ, 1); }
/* More blocks than four tasks have. */
void powm_blocks(orr_context *ctx, orr_type t) { powm_at(ctx, t, ORR_POWM_METHOD_RITZ, 40); }

static void pagerank_at(orr_context *ctx, orr_type t, int blocks, int64_t steps, void *x)
{
    orr_pagerank_result found;
    orr_report r;
    char graph[32];
    snprintf(graph, sizeof graph, "rmat:%d:8", (int)size_or(9));
    orr_sparse *A = sparse(ctx, graph, t, 1, blocks);
    done(orr_pagerank(ctx, A, &(orr_pagerank_opts){.steps_per_task = steps}, x, &found, &r), &r);
    tell_work(t, A, found.steps, 1);
    orr_sparse_free(A);
}

void pagerank(orr_context *ctx, orr_type t)
{
    if (is_complex(t))
        return;
    const int64_t n = (int64_t)1 << size_or(9);
    void *x = numbers(t, n, 1);
    pagerank_at(ctx, t, 5, 0, x);
    tell(t, "scores", t, x, n);
    free(x);
}

/* A task is several steps: as many as of one each, and the same scores. */
void pagerank_steps(orr_context *ctx, orr_type t)
{
    if (is_complex(t))
        return;
    const size_t bytes = ((size_t)1 << 9) * orr_type_size(t);
    void *x = numbers(t, 1 << 9, 1), *y = numbers(t, 1 << 9, 2);
    pagerank_at(ctx, t, 1, 3, x);
    pagerank_at(ctx, t, 1, 1, y);
    CHECK(memcmp(x, y, bytes) == 0, "three steps to a task give other scores than one");
    tell(t, "scores", t, x, 1 << 9);
    free(x);
    free(y);
}
