/* Divide and conquer of the bidiagonal matrix as tasks, all on CPUs; their arrays are in main memory
 * and the handles say who waits for whom. The tree of merges depends on n alone.
 *
 *   tree      B R, part[0] W                             all of a few rows
 *   deflate   B R, parts of both halves R, state W
 *   arrange   state R, copied[p] W
 *   secular   state R, copied[0 .. parts-1] R, part[p] W
 *   weigh     part[0 .. parts-1] R, state RW
 *   columns   state R, part[p] RW
 *   order     part[0 .. parts-1] of the whole R, B RW, X[0] W, X[1] W
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd_merge.h"

#include <stdlib.h>

#include "codelets/core/task.h"
#include "codelets/dense/gesvd.h"

/* Some rows. */
struct node {
    orr_gesvd_merge m;
    int64_t parts, width;                       /* columns of a part */
    const struct node *half[2];                 /* NULL: one task does it */
    char *factor;                               /* of the weights, [parts * m.n] */
    starpu_data_handle_t state, *part, *copied; /* [parts] */
};

struct orr_gesvd_tasks {
    orr_gesvd_tree t;
    int64_t nodes;
    struct node *node; /* halves before what they are halves of */
    starpu_data_handle_t *handle;
    char *factor, *mark; /* of every handle */
};

struct args {
    struct orr_task task;
    struct orr_bidiagonal b;
    struct orr_gesvd_tasks *x;
    struct node *node;
    int64_t which; /* part */
};

enum { COLUMNS = 128 }; /* of a part, at most */
enum { ROWS = 128 };    /* of one task, at most */

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

static void weigh(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    (void)buf;
    if (!stopped(a))
        orr_gesvd_weigh_cpu[a->b.type](&a->x->t, &x->m, x->factor, x->parts);
}

static void columns(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    (void)buf;
    if (stopped(a))
        return;
    a->task.idle = a->which * x->width >= x->m.k;
    check(a, orr_gesvd_columns_cpu[a->b.type](&a->x->t, &x->m, a->which * x->width, x->width),
          "gesvd_columns");
}

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
ORR_CODELETS(columns, "gesvd_columns", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(order, "gesvd_order", ORR_SDCZ, ORR_CPU);

/* ---- The tree -------------------------------------------------------------------------------- */

static int64_t up(int64_t x, int64_t y) { return (x + y - 1) / y; }

static int64_t parts_of(int64_t n) { return n <= ROWS ? 1 : up(n, COLUMNS); }

/* Nodes of n rows, and all their parts. */
static void count(int64_t n, int64_t *nodes, int64_t *parts)
{
    const orr_gesvd_merge m = orr_gesvd_merge_of(0, n);
    *nodes += 1;
    *parts += parts_of(n);
    if (n > ROWS) {
        count(m.n1, nodes, parts);
        count(n - m.n1 - 1, nodes, parts);
    }
}

/* A node, whose handles are the next ones of x; halves come first. */
static const struct node *grow(struct orr_gesvd_tasks *x, int64_t first, int64_t n,
                               starpu_data_handle_t **next, size_t real)
{
    const struct node *half[2] = {NULL, NULL};
    const orr_gesvd_merge m = orr_gesvd_merge_of(first, n);
    if (n > ROWS) {
        half[0] = grow(x, first, m.n1, next, real);
        half[1] = grow(x, first + m.n1 + 1, n - m.n1 - 1, next, real);
    }
    struct node *node = &x->node[x->nodes++];
    *node = (struct node){.m = m, .parts = parts_of(n), .half = {half[0], half[1]}};
    node->width = up(n, node->parts);
    node->factor = x->factor + (size_t)(first * parts_of(x->t.n)) * real;
    node->part = *next;
    node->copied = node->part + node->parts;
    node->state = node->part[2 * node->parts];
    *next += 2 * node->parts + 1;
    return node;
}

struct orr_gesvd_tasks *orr_gesvd_split(struct orr_request *req, const struct orr_bidiagonal *b,
                                        void *u, void *v)
{
    struct orr_gesvd_tasks *x = calloc(1, sizeof *x);
    const size_t real = orr_real_size(b->type);
    const int64_t n = b->n;
    int64_t nodes = 0, parts = 0;
    count(n, &nodes, &parts);
    const int64_t handles = 2 * parts + nodes;
    if (x && req->plan) { /* as orr_gesvd_tree_make */
        orr_plan_bytes(req, (double)(2 * n * n + 6 * n) * (double)real + 24.0 * (double)n);
        x->t.n = n;
    } else if (!x || !orr_gesvd_tree_make(&x->t, n, (int64_t)real)) {
        free(x);
        orr_request_fail(req, ORR_E_NOMEM, "gesvd");
        return NULL;
    }
    x->t.u = u;
    x->t.v = v;
    x->factor = orr_request_memory(req, 0, (size_t)(n * parts_of(n)) * real);
    x->mark = calloc((size_t)handles, 1);
    x->node = calloc((size_t)nodes, sizeof *x->node);
    x->handle = calloc((size_t)handles, sizeof *x->handle);
    if (!x->factor || !x->mark || !x->node || !x->handle) {
        orr_request_fail(req, ORR_E_NOMEM, "gesvd");
        return x;
    }
    for (int64_t i = 0; i < handles; i++)
        x->handle[i] = orr_request_vector(req, x->mark + i, 1, 1);
    starpu_data_handle_t *next = x->handle;
    grow(x, 0, n, &next, real);
    return x;
}

const int32_t *orr_gesvd_split_order(const struct orr_gesvd_tasks *x) { return x->t.order; }

void orr_gesvd_split_drop(struct orr_gesvd_tasks *x)
{
    if (!x)
        return;
    orr_gesvd_tree_free(&x->t);
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
static void insert(struct submission *s, struct starpu_codelet *codelet, struct node *node,
                   int64_t which, double work, int64_t parts, int64_t count)
{
    struct args *a = orr_task_args(s->req, sizeof *a, ORR_ON_CPU);
    if (!a)
        return;
    a->task.parts = parts;
    a->b = *s->b;
    a->x = s->x;
    a->node = node;
    a->which = which;
    s->parts += parts;
    orr_cost(&a->task, work, node->m.n, node->width);
    orr_submit(a, sizeof *a, &codelet[s->b->type], 0, STARPU_DATA_MODE_ARRAY, s->data, (int)count);
}

/* These handles, all read, behind the first `at` of data. Returns how many there are then. */
static int64_t read_all(struct submission *s, int64_t at, starpu_data_handle_t *handle,
                        int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        s->data[at + i] = (struct starpu_data_descr){handle[i], STARPU_R};
    return at + count;
}

static void insert_merge(struct submission *s, struct node *x, int64_t parts)
{
    const double n = (double)x->m.n, width = (double)x->width;
    int64_t at = 1;
    s->data[0] = (struct starpu_data_descr){s->b->B, STARPU_R};
    for (int h = 0; h < 2; h++)
        at = read_all(s, at, x->half[h]->part, x->half[h]->parts);
    s->data[at++] = (struct starpu_data_descr){x->state, STARPU_W};
    insert(s, deflate_codelet, x, 0, n * n, 0, at);

    s->data[0] = (struct starpu_data_descr){x->state, STARPU_R};
    for (int64_t p = 0; p < x->parts; p++) {
        s->data[1] = (struct starpu_data_descr){x->copied[p], STARPU_W};
        insert(s, arrange_codelet, x, p, n * width, 0, 2);
    }
    at = read_all(s, 1, x->copied, x->parts);
    for (int64_t p = 0; p < x->parts; p++) {
        s->data[at] = (struct starpu_data_descr){x->part[p], STARPU_W};
        insert(s, secular_codelet, x, p, n * width, 0, at + 1);
    }
    at = read_all(s, 0, x->part, x->parts);
    s->data[at] = (struct starpu_data_descr){x->state, STARPU_RW};
    insert(s, weigh_codelet, x, 0, n * (double)x->parts, 0, at + 1);
    s->data[0] = (struct starpu_data_descr){x->state, STARPU_R};
    for (int64_t p = 0; p < x->parts; p++) {
        s->data[1] = (struct starpu_data_descr){x->part[p], STARPU_RW};
        insert(s, columns_codelet, x, p, n * n * width, parts / x->parts, 2);
    }
}

void orr_insert_gesvd_tree(struct orr_request *req, const struct orr_bidiagonal *b,
                           struct orr_gesvd_tasks *x)
{
    struct node *last = &x->node[x->nodes - 1];
    struct starpu_data_descr data[2 * last->parts + 4];
    struct submission s = {.req = req, .b = b, .x = x, .data = data};
    for (int64_t i = 0; i < x->nodes; i++) {
        struct node *node = &x->node[i];
        const double n = (double)node->m.n, part = n / (double)b->n;
        const int64_t parts = (int64_t)(0.75 * part * part * part * (double)b->parts);
        data[0] = (struct starpu_data_descr){b->B, STARPU_R};
        data[1] = (struct starpu_data_descr){node->part[0], STARPU_W};
        if (node->half[0])
            insert_merge(&s, node, parts);
        else
            insert(&s, tree_codelet, node, 0, n * n * n, parts, 2);
    }
    int64_t at = read_all(&s, 0, last->part, last->parts);
    data[at++] = (struct starpu_data_descr){b->B, STARPU_RW};
    for (int i = 0; i < 2; i++)
        data[at++] = (struct starpu_data_descr){b->X[i], STARPU_W};
    insert(&s, order_codelet, last, 0, (double)b->n, b->parts - s.parts, at);
}
