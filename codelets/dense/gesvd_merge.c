/* Divide and conquer of the bidiagonal matrix as tasks. Products of large merges are for accelerators
 * where there are some; everything else is in main memory, and on CPUs. The tree of merges depends on n
 * alone.
 *
 *   tree           B R, part[][0] W                              all of a few rows
 *   deflate        B R, parts of both halves RW, state W
 *   arrange        state R, copied[p] W
 *   secular        state R, copied[0 .. parts-1] R, part[][p] W
 *   weigh          part[][0 .. parts-1] R, state RW, x2[] W
 *   coefficients   state R, part[][p] RW
 *   product        x2[side] R, part[side][p] RW; scratch for accelerators
 *   order          part[][0 .. parts-1] of the whole R, B RW, X[0] W, X[1] W
 *
 * part[side][p] is the memory of some columns of U or V, x2[side] that of the vectors which are
 * multiplied; [] stands for both sides.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd_merge.h"

#include <stdlib.h>

#include "codelets/core/task.h"
#include "codelets/dense/gesvd.h"

/* Some rows. */
struct node {
    orr_gesvd_merge m;
    int64_t parts, width;                /* columns of a part */
    const struct node *half[2];          /* NULL: one task does it */
    char *factor;                        /* of the weights, [parts * m.n] */
    starpu_data_handle_t state, *copied; /* [parts] */
    starpu_data_handle_t *part, x2[2];   /* part: [2 * parts], those of V behind those of U */
};

struct orr_gesvd_tasks {
    orr_gesvd_tree t;
    int64_t nodes;
    struct node *node; /* halves before what they are halves of */
    starpu_data_handle_t *handle;
    char *factor, *mark; /* of every handle without memory of its own */
};

struct args {
    struct orr_task task;
    struct orr_bidiagonal b;
    struct orr_gesvd_tasks *x;
    struct node *node;
    int64_t which; /* part */
    int side;
    int work; /* 1: there is scratch */
};

enum {
    COLUMNS = 128,      /* of a part, at most */
    ROWS = 128,         /* of one task, at most */
    ACCELERATORS = 384, /* from this order on accelerators multiply, as in heev */
    WIDE = 512          /* columns of a part then, at most */
};

/* Where the products of a merge are made. */
static enum orr_where where_of(const struct orr_bidiagonal *b, int64_t n)
{
    if (n < ACCELERATORS || starpu_cuda_worker_get_count() + starpu_opencl_worker_get_count() == 0)
        return ORR_ON_CPU;
    return b->where == ORR_ANYWHERE ? ORR_ON_ACCELERATOR_IF_FITS : b->where;
}

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

static void deflate(void **buf, void *arg)
{
    struct args *a = arg;
    (void)buf;
    if (!stopped(a))
        orr_gesvd_deflate_cpu[a->b.type](&a->x->t, &a->node->m, a->b.d, a->b.e);
}

static void arrange(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    (void)buf;
    if (!stopped(a))
        orr_gesvd_arrange_cpu[a->b.type](&a->x->t, &x->m, a->which * x->width, x->width);
}

static void secular(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    char *part = x->factor + (size_t)(a->which * x->m.n) * orr_real_size(a->b.type);
    (void)buf;
    if (stopped(a))
        return;
    a->task.idle = a->which * x->width >= x->m.k;
    check(a, orr_gesvd_secular_cpu[a->b.type](&a->x->t, &x->m, a->which * x->width, x->width, part),
          "gesvd_secular");
}

/* What accelerators will copy is page-locked by the first merge that wants it (heev_merge.c). */
static void lock(const struct args *a)
{
    const orr_gesvd_tree *t = &a->x->t;
    const size_t bytes = (size_t)(t->n * t->n) * orr_real_size(a->b.type);
    for (int side = 0; side < 2; side++)
        orr_request_pin(a->task.req, t->x[side], bytes, ORR_PIN_OURS);
    orr_request_pin(a->task.req, t->x2[0], 2 * bytes, ORR_PIN_OURS); /* both */
}

static void weigh(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    (void)buf;
    if (stopped(a))
        return;
    orr_gesvd_weigh_cpu[a->b.type](&a->x->t, &x->m, x->factor, x->parts);
    if (where_of(&a->b, x->m.n) != ORR_ON_CPU)
        lock(a);
}

static void coefficients(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    (void)buf;
    if (stopped(a))
        return;
    a->task.idle = a->which * x->width >= x->m.k;
    check(a, orr_gesvd_coefficients_cpu[a->b.type](&a->x->t, &x->m, a->which * x->width, x->width),
          "gesvd_coefficients");
}

static void product_by(void **buf, struct args *a, orr_gesvd_product_fn *const *kernel,
                       orr_stream stream)
{
    const struct node *x = a->node;
    if (stopped(a))
        return;
    a->task.idle = a->which * x->width >= x->m.k;
    check(a,
          kernel[a->b.type](stream, &x->m, orr_gesvd_rows(&a->x->t, x->m.first, x->m.n, a->side),
                            a->which * x->width, x->width, (void *)STARPU_MATRIX_GET_PTR(buf[0]),
                            (int64_t)STARPU_MATRIX_GET_LD(buf[0]),
                            (void *)STARPU_MATRIX_GET_PTR(buf[1]),
                            (int64_t)STARPU_MATRIX_GET_LD(buf[1]), a->work ? ORR_PTR(2) : NULL),
          "gesvd_product");
}

ORR_CPU_AND_CUDA(product, orr_gesvd_product_cpu, orr_gesvd_product_cuda)

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
ORR_CODELETS(arrange, "gesvd_arrange", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(secular, "gesvd_secular", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(weigh, "gesvd_weigh", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(coefficients, "gesvd_coefficients", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(product, "gesvd_product", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(order, "gesvd_order", ORR_SDCZ, ORR_CPU);

/* ---- The tree -------------------------------------------------------------------------------- */

static int64_t up(int64_t x, int64_t y) { return (x + y - 1) / y; }

static int64_t parts_of(const struct orr_bidiagonal *b, int64_t n)
{
    return n <= ROWS ? 1 : up(n, where_of(b, n) == ORR_ON_CPU ? COLUMNS : WIDE);
}

/* Nodes of n rows, and all their parts. */
static void count(const struct orr_bidiagonal *b, int64_t n, int64_t *nodes, int64_t *parts)
{
    const orr_gesvd_merge m = orr_gesvd_merge_of(0, n);
    *nodes += 1;
    *parts += parts_of(b, n);
    if (n > ROWS) {
        count(b, m.n1, nodes, parts);
        count(b, n - m.n1 - 1, nodes, parts);
    }
}

/* The next handles of a node, without memory of their own. */
static starpu_data_handle_t *marks(struct orr_request *req, struct orr_gesvd_tasks *x,
                                   starpu_data_handle_t **next, int64_t number)
{
    starpu_data_handle_t *const first = *next;
    for (int64_t i = 0; i < number; i++)
        first[i] = orr_request_vector(req, x->mark + (first - x->handle) + i, 1, 1);
    *next += number;
    return first;
}

/* Some columns of a node, in U, V (x), or where they are multiplied (x2). */
static starpu_data_handle_t columns_of(struct orr_request *req, const struct orr_gesvd_tasks *x,
                                       const struct node *node, void *const memory[2], int side,
                                       int64_t first, int64_t number, size_t real)
{
    const int64_t ld = x->t.n, at = node->m.first * (ld + 1) + first * ld;
    return orr_request_matrix(req, (char *)memory[side] + (size_t)at * real, ld,
                              orr_gesvd_rows(&x->t, node->m.first, node->m.n, side), number, real);
}

/* A node, whose handles are the next ones of x; halves come first. */
static const struct node *grow(struct orr_request *req, const struct orr_bidiagonal *b,
                               struct orr_gesvd_tasks *x, int64_t first, int64_t n,
                               starpu_data_handle_t **next)
{
    const struct node *half[2] = {NULL, NULL};
    const orr_gesvd_merge m = orr_gesvd_merge_of(first, n);
    const size_t real = orr_real_size(b->type);
    if (n > ROWS) {
        half[0] = grow(req, b, x, first, m.n1, next);
        half[1] = grow(req, b, x, first + m.n1 + 1, n - m.n1 - 1, next);
    }
    struct node *node = &x->node[x->nodes++];
    *node = (struct node){.m = m, .parts = parts_of(b, n), .half = {half[0], half[1]}};
    node->width = up(n, node->parts);
    node->factor = x->factor + (size_t)(first * up(b->n, COLUMNS)) * real;
    node->part = *next;
    for (int64_t i = 0; i < 2 * node->parts; i++) {
        const int64_t at = i % node->parts * node->width, left = n - at;
        node->part[i] = columns_of(req, x, node, x->t.x, i >= node->parts, at,
                                   left < node->width ? left : node->width, real);
    }
    *next += 2 * node->parts;
    node->copied = marks(req, x, next, node->parts);
    node->state = *marks(req, x, next, 1);
    for (int side = 0; side < 2 && half[0]; side++)
        node->x2[side] = columns_of(req, x, node, x->t.x2, side, 0, n, real);
    return node;
}

struct orr_gesvd_tasks *orr_gesvd_split(struct orr_request *req, const struct orr_bidiagonal *b,
                                        void *u, void *v)
{
    struct orr_gesvd_tasks *x = calloc(1, sizeof *x);
    const size_t real = orr_real_size(b->type);
    const int64_t n = b->n;
    int64_t nodes = 0, parts = 0;
    count(b, n, &nodes, &parts);
    const int64_t handles = 3 * parts + nodes;
    if (x && req->plan) { /* as orr_gesvd_tree_make; of a product on each worker */
        orr_plan_bytes(req, 6.0 * (double)n * (double)real + 24.0 * (double)n);
        orr_plan_bytes(req, (double)(starpu_cpu_worker_get_count() * n * COLUMNS) * (double)real);
        x->t.n = n;
    } else if (!x || !orr_gesvd_tree_make(&x->t, n, (int64_t)real)) {
        free(x);
        orr_request_fail(req, ORR_E_NOMEM, "gesvd");
        return NULL;
    }
    x->t.x[0] = u;
    x->t.x[1] = v;
    x->t.x2[0] = orr_request_memory(req, 0, (size_t)(2 * n * n) * real);
    x->factor = orr_request_memory(req, 0, (size_t)(n * up(n, COLUMNS)) * real);
    x->mark = calloc((size_t)handles, 1);
    x->node = calloc((size_t)nodes, sizeof *x->node);
    x->handle = calloc((size_t)handles, sizeof *x->handle);
    if (!x->t.x2[0] || !x->factor || !x->mark || !x->node || !x->handle) {
        orr_request_fail(req, ORR_E_NOMEM, "gesvd");
        return x;
    }
    x->t.x2[1] = (char *)x->t.x2[0] + (size_t)(n * n) * real;
    starpu_data_handle_t *next = x->handle;
    grow(req, b, x, 0, n, &next);
    return x;
}

const int32_t *orr_gesvd_split_order(const struct orr_gesvd_tasks *x) { return x->t.order; }

void orr_gesvd_split_drop(struct orr_gesvd_tasks *x)
{
    if (!x)
        return;
    orr_gesvd_tree_free(&x->t);
    free(x->t.x2[0]); /* and [1] */
    free(x->factor);
    free(x->mark);
    free(x->node);
    free(x->handle);
    free(x);
}

/* ---- Insertion ------------------------------------------------------------------------------ */

/* What has been submitted of the solver. */
struct submission {
    struct orr_request *req;
    const struct orr_bidiagonal *b;
    struct orr_gesvd_tasks *x;
    struct starpu_data_descr *data; /* room for those of any task */
    int64_t parts;                  /* that count as done */
};

/* One task; work: as orr_cost takes it; the first `count` of data. */
static void insert(struct submission *s, struct starpu_codelet *codelet, enum orr_where where,
                   struct node *node, int64_t which, int side, double work, int64_t parts,
                   int64_t count)
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
    a->work = where != ORR_ON_CPU;
    s->parts += parts;
    orr_cost(&a->task, work, node->m.n, node->width);
    orr_submit(a, sizeof *a, &codelet[s->b->type], 0, STARPU_DATA_MODE_ARRAY, s->data, (int)count);
}

static void insert_on_cpu(struct submission *s, struct starpu_codelet *codelet, struct node *node,
                          int64_t which, double work, int64_t parts, int64_t count)
{
    insert(s, codelet, ORR_ON_CPU, node, which, 0, work, parts, count);
}

/* These handles, all with one mode, behind the first `at` of data. Returns how many there are then. */
static int64_t all_of(struct submission *s, int64_t at, const starpu_data_handle_t *handle,
                      int64_t count, enum starpu_data_access_mode mode)
{
    for (int64_t i = 0; i < count; i++)
        s->data[at + i] = (struct starpu_data_descr){handle[i], mode};
    return at + count;
}

/* Part p of both sides. */
static int64_t both(struct submission *s, int64_t at, const struct node *x, int64_t p,
                    enum starpu_data_access_mode mode)
{
    return all_of(s, all_of(s, at, x->part + p, 1, mode), x->part + x->parts + p, 1, mode);
}

static void insert_products(struct submission *s, struct node *x, int64_t parts)
{
    const double n = (double)x->m.n, width = (double)x->width;
    const enum orr_where where = where_of(s->b, x->m.n);
    /* CPUs have none: StarPU makes that of several at once without a lock */
    const starpu_data_handle_t work =
        where != ORR_ON_CPU
            ? orr_request_temporary(s->req, x->m.n * x->width, orr_real_size(s->b->type))
            : NULL;
    for (int64_t p = 0; p < x->parts; p++) {
        s->data[0] = (struct starpu_data_descr){x->state, STARPU_R};
        insert_on_cpu(s, coefficients_codelet, x, p, n * width, 0, both(s, 1, x, p, STARPU_RW));
        for (int side = 0; side < 2; side++) {
            s->data[0] = (struct starpu_data_descr){x->x2[side], STARPU_R};
            s->data[1] = (struct starpu_data_descr){x->part[side * x->parts + p], STARPU_RW};
            s->data[2] = (struct starpu_data_descr){work, STARPU_SCRATCH};
            insert(s, product_codelet, where, x, p, side, n * n * width, parts / (2 * x->parts),
                   work ? 3 : 2);
        }
    }
    if (work)
        orr_request_forget(s->req, work);
}

static void insert_merge(struct submission *s, struct node *x, int64_t parts)
{
    const double n = (double)x->m.n, width = (double)x->width;
    int64_t at = 1;
    s->data[0] = (struct starpu_data_descr){s->b->B, STARPU_R};
    for (int h = 0; h < 2; h++)
        at = all_of(s, at, x->half[h]->part, 2 * x->half[h]->parts, STARPU_RW);
    s->data[at++] = (struct starpu_data_descr){x->state, STARPU_W};
    insert_on_cpu(s, deflate_codelet, x, 0, n * n, 0, at);

    s->data[0] = (struct starpu_data_descr){x->state, STARPU_R};
    for (int64_t p = 0; p < x->parts; p++) {
        s->data[1] = (struct starpu_data_descr){x->copied[p], STARPU_W};
        insert_on_cpu(s, arrange_codelet, x, p, n * width, 0, 2);
    }
    at = all_of(s, 1, x->copied, x->parts, STARPU_R);
    for (int64_t p = 0; p < x->parts; p++)
        insert_on_cpu(s, secular_codelet, x, p, n * width, 0, both(s, at, x, p, STARPU_W));
    at = all_of(s, 0, x->part, 2 * x->parts, STARPU_R);
    s->data[at++] = (struct starpu_data_descr){x->state, STARPU_RW};
    at = all_of(s, at, x->x2, 2, STARPU_W);
    insert_on_cpu(s, weigh_codelet, x, 0, n * (double)x->parts, 0, at);
    insert_products(s, x, parts);
}

void orr_insert_gesvd_tree(struct orr_request *req, const struct orr_bidiagonal *b,
                           struct orr_gesvd_tasks *x)
{
    struct node *last = &x->node[x->nodes - 1];
    struct starpu_data_descr data[4 * up(b->n, COLUMNS) + 8];
    struct submission s = {.req = req, .b = b, .x = x, .data = data};
    for (int64_t i = 0; i < x->nodes; i++) {
        struct node *node = &x->node[i];
        const double n = (double)node->m.n, part = n / (double)b->n;
        const int64_t parts = (int64_t)(0.75 * part * part * part * (double)b->parts);
        data[0] = (struct starpu_data_descr){b->B, STARPU_R};
        if (node->half[0])
            insert_merge(&s, node, parts);
        else
            insert_on_cpu(&s, tree_codelet, node, 0, n * n * n, parts,
                          both(&s, 1, node, 0, STARPU_W));
    }
    int64_t at = all_of(&s, 0, last->part, 2 * last->parts, STARPU_R);
    data[at++] = (struct starpu_data_descr){b->B, STARPU_RW};
    at = all_of(&s, at, b->X, 2, STARPU_W);
    insert_on_cpu(&s, order_codelet, last, 0, (double)b->n, b->parts - s.parts, at);
}
