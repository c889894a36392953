/* Divide and conquer of the tridiagonal matrix as tasks. Products of large merges are for accelerators
 * where there are some; everything else is in main memory, and on CPUs. The tree of merges depends on n
 * alone.
 *
 *   leaf           T R, part[0] W                                  all of a few rows
 *   deflate        T R, parts of both halves RW, state W
 *   arrange        state R, copied[p] W
 *   secular        state R, copied[0 .. parts-1] R, part[p] W
 *   weigh          part[0 .. parts-1] R, state RW, q2 W
 *   coefficients   state R, part[p] RW
 *   product        q2 R, part[p] RW; scratch for accelerators
 *   order          T R, state of the whole R, order W
 *
 * part[p] is the memory of some columns of the vectors, q2 that of the vectors which are multiplied.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev_merge.h"

#include <stdlib.h>

#include "codelets/core/task.h"
#include "codelets/dense/heev.h"

/* Some rows. */
struct node {
    orr_heev_merge m;
    int64_t parts, width;                           /* columns of a part */
    const struct node *half[2];                     /* NULL: one task does it */
    char *factor;                                   /* of the weights, [parts * m.n] */
    starpu_data_handle_t state, q2, *part, *copied; /* [parts] */
};

struct orr_merge {
    orr_heev_tree t;
    int64_t nodes;
    struct node *node;                   /* halves before what they are halves of */
    starpu_data_handle_t *handle, order; /* t.order */
    char *factor, *mark;                 /* of every handle without memory of its own */
};

struct args {
    struct orr_task task;
    struct orr_tridiagonal t;
    struct orr_merge *x;
    struct node *node;
    int64_t which; /* part */
    int work;      /* 1: there is scratch */
};

enum {
    COLUMNS = 160,      /* of a part, at most */
    ROWS = 191,         /* of one task, at most: ORR_HEEV_SPLIT is torn once */
    ACCELERATORS = 384, /* from this order on accelerators multiply: a millisecond of a core */
    WIDE = 512          /* columns of a part then, at most */
};

/* Where the product of a merge is made. */
static enum orr_where where_of(const struct orr_tridiagonal *t, int64_t n)
{
    if (n < ACCELERATORS || starpu_cuda_worker_get_count() + starpu_opencl_worker_get_count() == 0)
        return ORR_ON_CPU;
    return t->where == ORR_ANYWHERE ? ORR_ON_ACCELERATOR_IF_FITS : t->where;
}

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

static void deflate(void **buf, void *arg)
{
    struct args *a = arg;
    (void)buf;
    if (!stopped(a))
        orr_heev_deflate_cpu[a->t.type](&a->x->t, &a->node->m, a->t.d, a->t.e);
}

static void arrange(void **buf, void *arg)
{
    struct args *a = arg;
    (void)buf;
    if (!stopped(a))
        orr_heev_arrange_cpu[a->t.type](&a->x->t, &a->node->m, first_of(a), a->node->width);
}

static void secular(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    char *part = x->factor + (size_t)(a->which * x->m.n) * orr_real_size(a->t.type);
    (void)buf;
    if (stopped(a))
        return;
    a->task.idle = first_of(a) >= x->m.k;
    check(a, orr_heev_secular_cpu[a->t.type](&a->x->t, &x->m, first_of(a), x->width, part),
          "heev_secular");
}

/* What accelerators will copy is page-locked, by the first merge that wants it: locking holds back
 * launches, and now devices that worked on the matrix are done with it. Whole: a copy must not reach
 * over what was locked in two steps. */
static void lock(const struct args *a)
{
    const orr_heev_tree *t = &a->x->t;
    const size_t bytes = (size_t)(t->n * t->n) * orr_real_size(a->t.type);
    orr_request_pin(a->task.req, t->q, bytes, ORR_PIN_OURS);
    orr_request_pin(a->task.req, t->q2, bytes, ORR_PIN_OURS);
}

static void weigh(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    (void)buf;
    if (stopped(a))
        return;
    orr_heev_weigh_cpu[a->t.type](&a->x->t, &x->m, x->factor, x->parts);
    if (where_of(&a->t, x->m.n) != ORR_ON_CPU)
        lock(a);
}

static void coefficients(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    (void)buf;
    if (stopped(a))
        return;
    a->task.idle = first_of(a) >= x->m.k;
    check(a, orr_heev_coefficients_cpu[a->t.type](&a->x->t, &x->m, first_of(a), x->width),
          "heev_coefficients");
}

static void product_by(void **buf, struct args *a, orr_heev_product_fn *const *kernel,
                       orr_stream stream)
{
    const struct node *x = a->node;
    if (stopped(a))
        return;
    a->task.idle = first_of(a) >= x->m.k;
    check(a,
          kernel[a->t.type](stream, &x->m, first_of(a), x->width, ORR_PTR(0),
                            (void *)STARPU_MATRIX_GET_PTR(buf[1]),
                            (int64_t)STARPU_MATRIX_GET_LD(buf[1]), a->work ? ORR_PTR(2) : NULL),
          "heev_product");
}

ORR_CPU_AND_CUDA(product, orr_heev_product_cpu, orr_heev_product_cuda)

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
ORR_CODELETS(arrange, "heev_arrange", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(secular, "heev_secular", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(weigh, "heev_weigh", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(coefficients, "heev_coefficients", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(product, "heev_product", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(order, "heev_order", ORR_SDCZ, ORR_CPU);

/* ---- The tree -------------------------------------------------------------------------------- */

static int64_t up(int64_t x, int64_t y) { return (x + y - 1) / y; }

static int64_t parts_of(const struct orr_tridiagonal *t, int64_t n)
{
    return n <= ROWS ? 1 : up(n, where_of(t, n) == ORR_ON_CPU ? COLUMNS : WIDE);
}

/* Nodes of n rows, and all their parts. */
static void count(const struct orr_tridiagonal *t, int64_t n, int64_t *nodes, int64_t *parts)
{
    const orr_heev_merge m = orr_heev_merge_of(0, n);
    *nodes += 1;
    *parts += parts_of(t, n);
    if (n > ROWS) {
        count(t, m.n1, nodes, parts);
        count(t, n - m.n1, nodes, parts);
    }
}

/* The next handles of a node, without memory of their own. */
static starpu_data_handle_t *marks(struct orr_request *req, struct orr_merge *x,
                                   starpu_data_handle_t **next, int64_t number)
{
    starpu_data_handle_t *const first = *next;
    for (int64_t i = 0; i < number; i++)
        first[i] = orr_request_vector(req, x->mark + (first - x->handle) + i, 1, 1);
    *next += number;
    return first;
}

/* A node, whose handles are the next ones of x; halves come first. */
static const struct node *grow(struct orr_request *req, const struct orr_tridiagonal *t,
                               struct orr_merge *x, int64_t first, int64_t n,
                               starpu_data_handle_t **next)
{
    const struct node *half[2] = {NULL, NULL};
    const orr_heev_merge m = orr_heev_merge_of(first, n);
    const size_t real = orr_real_size(t->type);
    if (n > ROWS) {
        half[0] = grow(req, t, x, first, m.n1, next);
        half[1] = grow(req, t, x, first + m.n1, n - m.n1, next);
    }
    struct node *node = &x->node[x->nodes++];
    *node = (struct node){.m = m, .parts = parts_of(t, n), .half = {half[0], half[1]}};
    node->width = up(n, node->parts);
    node->factor = x->factor + (size_t)(first * up(t->n, COLUMNS)) * real;
    node->part = *next;
    for (int64_t p = 0; p < node->parts; p++) {
        const int64_t at = first * (t->n + 1) + p * node->width * t->n, left = n - p * node->width;
        node->part[p] = orr_request_matrix(req, (char *)x->t.q + (size_t)at * real, t->n, n,
                                           left < node->width ? left : node->width, real);
    }
    *next += node->parts;
    node->copied = marks(req, x, next, node->parts);
    node->state = *marks(req, x, next, 1);
    if (half[0])
        node->q2 = orr_request_vector(
            req, (char *)x->t.q2 + (size_t)orr_heev_arranged(&x->t, &m) * real, n * n, real);
    return node;
}

struct orr_merge *orr_heev_split(struct orr_request *req, const struct orr_tridiagonal *t, void *q)
{
    struct orr_merge *x = calloc(1, sizeof *x);
    const int64_t real = (int64_t)orr_real_size(t->type), n = t->n;
    int64_t nodes = 0, parts = 0;
    count(t, n, &nodes, &parts);
    const int64_t handles = 2 * parts + nodes;
    if (x && req->plan) { /* as orr_heev_tree_make; of a product on each worker */
        orr_plan_bytes(req, (double)(starpu_cpu_worker_get_count() * n * COLUMNS * real));
        orr_plan_bytes(req, (double)(5 * n * real + 5 * n * 4));
        x->t.n = n;
    } else if (!x || !orr_heev_tree_make(&x->t, n, real)) {
        free(x);
        orr_request_fail(req, ORR_E_NOMEM, "heev");
        return NULL;
    }
    x->t.q = q;
    x->t.q2 = orr_request_memory(req, 0, (size_t)(n * n * real));
    x->factor = orr_request_memory(req, 0, (size_t)(n * up(n, COLUMNS) * real));
    x->mark = calloc((size_t)handles, 1);
    x->node = calloc((size_t)nodes, sizeof *x->node);
    x->handle = calloc((size_t)handles, sizeof *x->handle);
    if (!x->t.q2 || !x->factor || !x->mark || !x->node || !x->handle) {
        orr_request_fail(req, ORR_E_NOMEM, "heev");
        return x;
    }
    starpu_data_handle_t *next = x->handle;
    grow(req, t, x, 0, n, &next);
    x->order = orr_request_vector(req, x->t.order, n, sizeof *x->t.order);
    return x;
}

struct orr_heev_vectors orr_heev_split_vectors(const struct orr_tridiagonal *t,
                                               const struct orr_merge *x)
{
    const struct node *whole = &x->node[x->nodes - 1];
    return (struct orr_heev_vectors){.order = x->order,
                                     .piece = whole->part,
                                     .pieces = whole->parts,
                                     .width = whole->width,
                                     .made = where_of(t, t->n)};
}

void orr_heev_split_drop(struct orr_merge *x)
{
    if (!x)
        return;
    orr_heev_tree_free(&x->t);
    free(x->t.q2);
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
    const struct orr_tridiagonal *t;
    struct orr_merge *x;
    struct starpu_data_descr *data; /* room for those of any task */
    int64_t parts;                  /* that count as done */
};

/* One task; work: as orr_cost takes it; the first `count` of data. */
static void insert(struct submission *s, struct starpu_codelet *codelet, enum orr_where where,
                   struct node *node, int64_t which, double work, int64_t parts, int64_t count)
{
    struct args *a = orr_task_args(s->req, sizeof *a, where);
    if (!a)
        return;
    a->task.parts = parts;
    a->t = *s->t;
    a->x = s->x;
    a->node = node;
    a->which = which;
    a->work = where != ORR_ON_CPU;
    s->parts += parts;
    orr_cost(&a->task, work, node->m.n, node->width);
    orr_submit(a, sizeof *a, &codelet[s->t->type], 0, STARPU_DATA_MODE_ARRAY, s->data, (int)count);
}

/* These handles, all with one mode, behind the first `at` of data. Returns how many there are then. */
static int64_t all_of(struct submission *s, int64_t at, starpu_data_handle_t *handle, int64_t count,
                      enum starpu_data_access_mode mode)
{
    for (int64_t i = 0; i < count; i++)
        s->data[at + i] = (struct starpu_data_descr){handle[i], mode};
    return at + count;
}

static void insert_merge(struct submission *s, struct node *x, int64_t parts)
{
    const double n = (double)x->m.n, width = (double)x->width;
    const enum orr_where where = where_of(s->t, x->m.n);
    const size_t real = orr_real_size(s->t->type);
    int64_t at = 1;
    s->data[0] = (struct starpu_data_descr){s->t->T, STARPU_R};
    for (int h = 0; h < 2; h++)
        at = all_of(s, at, x->half[h]->part, x->half[h]->parts, STARPU_RW);
    s->data[at++] = (struct starpu_data_descr){x->state, STARPU_W};
    insert(s, deflate_codelet, ORR_ON_CPU, x, 0, n, 0, at);

    s->data[0] = (struct starpu_data_descr){x->state, STARPU_R};
    for (int64_t p = 0; p < x->parts; p++) {
        s->data[1] = (struct starpu_data_descr){x->copied[p], STARPU_W};
        insert(s, arrange_codelet, ORR_ON_CPU, x, p, n * width, 0, 2);
    }
    at = all_of(s, 1, x->copied, x->parts, STARPU_R);
    for (int64_t p = 0; p < x->parts; p++) {
        s->data[at] = (struct starpu_data_descr){x->part[p], STARPU_W};
        insert(s, secular_codelet, ORR_ON_CPU, x, p, n * width, 0, at + 1);
    }
    at = all_of(s, 0, x->part, x->parts, STARPU_R);
    s->data[at++] = (struct starpu_data_descr){x->state, STARPU_RW};
    s->data[at++] = (struct starpu_data_descr){x->q2, STARPU_W};
    insert(s, weigh_codelet, ORR_ON_CPU, x, 0, n * (double)x->parts, 0, at);
    /* CPUs have none: StarPU makes that of several at once without a lock */
    const starpu_data_handle_t work =
        where != ORR_ON_CPU ? orr_request_temporary(s->req, x->m.n * x->width, real) : NULL;
    for (int64_t p = 0; p < x->parts; p++) {
        s->data[0] = (struct starpu_data_descr){x->state, STARPU_R};
        s->data[1] = (struct starpu_data_descr){x->part[p], STARPU_RW};
        insert(s, coefficients_codelet, ORR_ON_CPU, x, p, n * width, 0, 2);
        s->data[0] = (struct starpu_data_descr){x->q2, STARPU_R};
        s->data[2] = (struct starpu_data_descr){work, STARPU_SCRATCH};
        insert(s, product_codelet, where, x, p, n * n * width, parts / x->parts, work ? 3 : 2);
    }
    if (work)
        orr_request_forget(s->req, work);
}

void orr_insert_heev_merge(struct orr_request *req, const struct orr_tridiagonal *t,
                           struct orr_merge *x)
{
    struct node *last = &x->node[x->nodes - 1];
    struct starpu_data_descr data[2 * parts_of(t, t->n) + 2 * up(t->n, COLUMNS) + 4];
    struct submission s = {.req = req, .t = t, .x = x, .data = data};
    for (int64_t i = 0; i < x->nodes; i++) {
        struct node *node = &x->node[i];
        const double n = (double)node->m.n, part = n / (double)t->n;
        const int64_t parts = (int64_t)(0.75 * part * part * part * (double)t->parts);
        data[0] = (struct starpu_data_descr){t->T, STARPU_R};
        data[1] = (struct starpu_data_descr){node->part[0], STARPU_W};
        if (node->half[0])
            insert_merge(&s, node, parts);
        else
            insert(&s, leaf_codelet, ORR_ON_CPU, node, 0, n * n * n, parts, 2);
    }
    data[0] = (struct starpu_data_descr){t->T, STARPU_R};
    data[1] = (struct starpu_data_descr){last->state, STARPU_R};
    data[2] = (struct starpu_data_descr){x->order, STARPU_W};
    insert(&s, order_codelet, ORR_ON_CPU, last, 0, (double)t->n, t->parts - s.parts, 3);
}
