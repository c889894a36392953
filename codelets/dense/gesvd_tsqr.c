/* gesvd of a matrix of few columns, by parts of its rows. The triangles R_i of the parts, one above the
 * other, are such a matrix again, of the next level, until that is small; of the last level's it is done as
 * a whole:
 *
 *   level 0   A_0    = Q_0 R_0             R_0
 *             A_1    = Q_1 R_1             R_1    = Q' R',    R'       = (U_0) diag(s) V'
 *             ...                          ...                R''  ...   (U_1)
 *
 * and back: level by level, U of rows i are Q_i times those of R_i.
 *
 * CPU only; A, s, u, v and what lies between the tasks are in main memory, and all handles but A say who
 * waits for whom.
 *
 *   factor    A RW, done W                of level 0
 *             done of its triangles R, done W
 *   top       done of the last level R, ended W
 *   apply     A R, back of its parent R   of level 0
 *             back of its parent R, back W; of the last level ended R
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd_tsqr.h"

#include <stdlib.h>

#include "codelets/core/buffers.h"
#include "codelets/core/task.h"
#include "codelets/dense/gesvd.h"
#include "kernels/gesvd_direct.h"

struct part {
    orr_tsqr_part rows;
    void *s;     /* its reflectors' factors */
    char *r, *e; /* n x n of its level's stack and left vectors */
    int64_t ld;  /* of both */
    char *u;     /* its left vectors in the end */
    int64_t ldu;
    int64_t children;
    struct part *child;                         /* of level 0: NULL */
    starpu_data_handle_t A, done, back, *after; /* after: whom apply waits for */
};

struct orr_gesvd_tsqr {
    struct orr_gesvd_user user;
    int keep;            /* u is wanted */
    int64_t count, last; /* parts of all levels, of the last one */
    char *memory;
    starpu_data_handle_t ended;
    char unused;        /* what handles stand for */
    struct part part[]; /* level by level */
};

struct args {
    struct orr_task task;
    struct orr_bidiagonal b;
    const struct part *part;
    const struct orr_gesvd_tsqr *x;
};

/* ---- Functions ------------------------------------------------------------------------------- */

static void factor(void **buf, void *arg)
{
    const struct args *a = arg;
    const struct part *p = a->part;
    (void)buf;
    if (!orr_request_failed(a->task.req))
        orr_task_check(a, orr_tsqr_factor(&p->rows, p->s, p->r, p->ld), "gesvd_factor");
}

static orr_gesvd_direct problem(const struct orr_gesvd_tsqr *x, const struct orr_bidiagonal *b)
{
    const struct part *p = &x->part[x->count - x->last];
    return (orr_gesvd_direct){.type = b->type,
                              .m = p->ld,
                              .n = b->n,
                              .lda = p->ld,
                              .ldu = p->ld,
                              .ldv = x->user.ldv,
                              .scale = 1,
                              .before = b->scale,
                              .a = p->r,
                              .s = b->s,
                              .u = x->keep ? p->e : NULL,
                              .v = x->user.v};
}

static void top(void **buf, void *arg)
{
    const struct args *a = arg;
    orr_gesvd_direct g = problem(a->x, &a->b);
    (void)buf;
    if (orr_request_failed(a->task.req))
        return;
    void *memory = orr_spare_take(NULL, orr_gesvd_direct_bytes(&g));
    orr_solver_begin(&a->b.solver);
    orr_solver_end(&a->b.solver, a->task.req,
                   memory ? orr_gesvd_direct_cpu[g.type](&g, memory) : ORR_E_NOMEM, "gesvd_top");
    orr_spare_give(NULL, memory);
}

static void apply(void **buf, void *arg)
{
    const struct args *a = arg;
    const struct part *p = a->part;
    (void)buf;
    if (!orr_request_failed(a->task.req) && !atomic_load(a->b.solver.failed))
        orr_task_check(a, orr_tsqr_apply(&p->rows, p->s, p->e, p->ld, p->u, p->ldu), "gesvd_apply");
}

ORR_CODELETS(factor, "gesvd_factor", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(top, "gesvd_top", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(apply, "gesvd_apply", ORR_SDCZ, ORR_CPU);

/* ---- Parts ----------------------------------------------------------------------------------- */

/* Of the matrix, which is upright or lies. */
static void make_leaf(struct orr_request *req, struct orr_gesvd_tsqr *x,
                      const struct orr_bidiagonal *b, int64_t i, int64_t parts)
{
    const struct orr_gesvd_user *u = &x->user;
    const int adjoint = u->m < u->n;
    const int64_t m = orr_most(u->m, u->n), first = i * m / parts,
                  rows = (i + 1) * m / parts - first;
    const size_t size = orr_element_size(b->type);
    struct part *p = &x->part[i];
    p->rows = (orr_tsqr_part){.type = b->type,
                              .rows = rows,
                              .n = b->n,
                              .lda = u->lda,
                              .adjoint = adjoint,
                              .scale = b->scale,
                              .a = (char *)u->a + (size_t)(first * (adjoint ? u->lda : 1)) * size};
    p->u = x->keep ? (char *)u->u + (size_t)first * size : NULL;
    p->ldu = u->ldu;
    p->A = orr_request_matrix(req, p->rows.a, u->lda, adjoint ? b->n : rows, adjoint ? rows : b->n,
                              size);
}

/* Of the triangles of the level below, which are part[begin .. end-1]. */
static void make_node(struct orr_gesvd_tsqr *x, const struct orr_bidiagonal *b, int64_t begin,
                      int64_t end, int64_t i, int64_t parts)
{
    const int64_t below = end - begin, first = i * below / parts, next = (i + 1) * below / parts;
    struct part *p = &x->part[end + i];
    p->child = &x->part[begin + first];
    p->children = next - first;
    p->rows = (orr_tsqr_part){.type = b->type,
                              .rows = p->children * b->n,
                              .n = b->n,
                              .lda = below * b->n,
                              .scale = 1,
                              .a = p->child->r};
    p->u = p->child->e;
    p->ldu = below * b->n;
    for (int64_t c = 0; c < p->children; c++)
        p->child[c].after = &p->back;
}

/* The stack of a level, its left vectors, and room for each part's factors: of `from` on, or NULL; how
 * many bytes. */
static size_t lay_out(struct orr_gesvd_tsqr *x, const struct orr_bidiagonal *b, struct part *part,
                      int64_t parts, char *from)
{
    enum { LINE = 64 };
    const size_t size = orr_element_size(b->type);
    const size_t stack = ((size_t)(parts * b->n * b->n) * size + LINE - 1) / LINE * LINE;
    size_t at = (1 + (size_t)x->keep) * stack;
    for (int64_t i = 0; i < parts; i++) {
        struct part *p = &part[i];
        const size_t down = (size_t)(i * b->n) * size;
        p->ld = parts * b->n;
        p->r = from ? from + down : NULL;
        p->e = from && x->keep ? from + stack + down : NULL;
        p->s = from && x->keep ? from + at : NULL;
        if (x->keep)
            at += (orr_tsqr_bytes(&p->rows) + LINE - 1) / LINE * LINE;
    }
    return at;
}

/* All levels; 1, or the request has failed. The memory is there when its size is known: the second time. */
static int make_parts(struct orr_request *req, struct orr_gesvd_tsqr *x,
                      const struct orr_bidiagonal *b, const int64_t *parts)
{
    for (int64_t i = 0; i < parts[0] && !orr_request_failed(req); i++)
        make_leaf(req, x, b, i, parts[0]);
    for (int pass = 0; pass < 2 && !orr_request_failed(req); pass++) {
        size_t bytes = 0;
        int64_t begin = 0, end = 0;
        for (int level = 0; parts[level]; level++) {
            for (int64_t i = 0; level && i < parts[level]; i++)
                make_node(x, b, begin, end, i, parts[level]);
            begin = end, end += parts[level];
            bytes += lay_out(x, b, &x->part[begin], parts[level],
                             x->memory && !req->plan ? x->memory + bytes : NULL);
        }
        if (!x->memory && !(x->memory = orr_request_memory(req, 64, bytes)))
            orr_request_fail(req, ORR_E_NOMEM, "gesvd");
    }
    x->ended = orr_request_vector(req, &x->unused, 1, 1);
    for (int64_t i = 0; i < x->count; i++) {
        x->part[i].done = orr_request_vector(req, &x->unused, 1, 1);
        x->part[i].back = orr_request_vector(req, &x->unused, 1, 1);
        if (i >= x->count - x->last)
            x->part[i].after = &x->ended;
    }
    return !orr_request_failed(req);
}

/* ---- Insertion --------------------------------------------------------------------------------- */

static struct args *make_args(struct orr_request *req, const struct orr_bidiagonal *b,
                              const struct orr_gesvd_tsqr *x, const struct part *p)
{
    struct args *a = orr_task_args(req, sizeof *a, ORR_ON_CPU);
    if (!a)
        return NULL;
    a->task.parts = !p ? b->n : p->child ? 0 : p->rows.rows;
    a->b = *b;
    a->x = x;
    a->part = p;
    return a;
}

/* Its memory is read in the time of MEMORY operations for each number. */
static double work(const struct part *p)
{
    enum { MEMORY = 20 };
    return (double)(p->rows.rows * p->rows.n) * (double)(p->rows.n + MEMORY);
}

static void insert_factor(struct orr_request *req, const struct orr_bidiagonal *b,
                          const struct orr_gesvd_tsqr *x, const struct part *p)
{
    struct starpu_data_descr data[p->children + 2];
    struct orr_buffers d = {.d = data};
    struct args *a = make_args(req, b, x, p);
    if (!a)
        return;
    if (p->A)
        orr_buffers_add(&d, p->A, STARPU_RW);
    for (int64_t c = 0; c < p->children; c++)
        orr_buffers_add(&d, p->child[c].done, STARPU_R);
    orr_buffers_add(&d, p->done, STARPU_W);
    orr_cost(&a->task, work(p), p->rows.rows, b->n, x->keep);
    orr_submit(a, sizeof *a, &factor_codelet[b->type], 1, STARPU_DATA_MODE_ARRAY, d.d, d.n);
}

static void insert_top(struct orr_request *req, const struct orr_bidiagonal *b,
                       const struct orr_gesvd_tsqr *x)
{
    struct starpu_data_descr data[x->last + 1];
    struct orr_buffers d = {.d = data};
    orr_gesvd_direct g = problem(x, b);
    struct args *a = make_args(req, b, x, NULL);
    if (!a)
        return;
    for (int64_t i = x->count - x->last; i < x->count; i++)
        orr_buffers_add(&d, x->part[i].done, STARPU_R);
    orr_buffers_add(&d, x->ended, STARPU_W);
    orr_plan_bytes(req, (double)orr_gesvd_direct_bytes(&g));
    orr_cost(&a->task, g.n * g.n * (g.m + 5 * g.n), g.m, g.n, x->keep || x->user.v);
    orr_submit(a, sizeof *a, &top_codelet[b->type], 1, STARPU_DATA_MODE_ARRAY, d.d, d.n);
}

static void insert_apply(struct orr_request *req, const struct orr_bidiagonal *b,
                         const struct orr_gesvd_tsqr *x, const struct part *p)
{
    struct starpu_data_descr data[2];
    struct orr_buffers d = {.d = data};
    struct args *a = make_args(req, b, x, p);
    if (!a)
        return;
    orr_buffers_add(&d, *p->after, STARPU_R);
    orr_buffers_add(&d, p->A ? p->A : p->back, p->A ? STARPU_R : STARPU_W);
    orr_cost(&a->task, work(p), p->rows.rows, b->n);
    orr_submit(a, sizeof *a, &apply_codelet[b->type], 0, STARPU_DATA_MODE_ARRAY, d.d, d.n);
}

struct orr_gesvd_tsqr *orr_insert_gesvd_tsqr(struct orr_request *req,
                                             const struct orr_bidiagonal *b,
                                             const struct orr_gesvd_user *user,
                                             const int64_t *parts)
{
    int64_t count = 0, last = 0;
    for (int level = 0; parts[level]; level++)
        count += last = parts[level];
    struct orr_gesvd_tsqr *x = calloc(1, sizeof *x + (size_t)count * sizeof x->part[0]);
    if (!x) {
        orr_request_fail(req, ORR_E_NOMEM, "gesvd");
        return NULL;
    }
    x->user = *user;
    x->keep = user->u != NULL;
    x->count = count;
    x->last = last;
    if (!make_parts(req, x, b, parts))
        return x;
    for (int64_t i = 0; i < count; i++)
        insert_factor(req, b, x, &x->part[i]);
    insert_top(req, b, x);
    for (int64_t i = count - 1; x->keep && i >= 0; i--)
        insert_apply(req, b, x, &x->part[i]);
    return x;
}

void orr_gesvd_tsqr_drop(struct orr_gesvd_tsqr *x)
{
    if (x)
        free(x->memory);
    free(x);
}
