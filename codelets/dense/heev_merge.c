/* Divide and conquer of the tridiagonal matrix as tasks. The tree of merges depends on n alone.
 *
 *   leaf           T R, part[0] W                                  all of a few rows
 *   deflate        T R, parts of both halves RW, state W
 *   arrange        state R, copied[p] W
 *   secular        state R, copied[0 .. parts-1] R, part[p] W
 *   weigh          part[0 .. parts-1] R, state RW
 *   coefficients   state R, part[p] RW
 *   product        state R, part[p] RW
 *   order          T R, state or weight of the whole R, order W
 *
 * part[p] is the memory of some columns of the vectors. All of this is in main memory, and on CPUs. Large
 * merges are apart where there are accelerators: their vectors are there, and stay from level to level.
 * h is a half, and vectors[h] its parts:
 *
 *   deflate        T R, ends of a half's parts R, or vectors[h] R where it is not apart; told, index W
 *   arrange        told, index R, vectors[h] R, q2[h] W            on accelerators
 *   secular        told R, part[p], factor[p], root[p] W           on accelerators
 *   weigh          told R, factor[], root[] R, weight W
 *   product        index, weight, q2[0], q2[1] R, part[p] RW, scratch; ends[p] W where the merge above
 *                  is apart                                        on accelerators
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev_merge.h"

#include <stdlib.h>
#include <string.h>

#include "codelets/core/room.h"
#include "codelets/core/task.h"
#include "codelets/dense/heev.h"

/* Some rows. */
struct node {
    orr_heev_merge m;
    int64_t parts, width;       /* columns of a part */
    int below;                  /* 1: of a merge that is apart */
    const struct node *half[2]; /* NULL: one task does it */
    char *factor;               /* of the weights, [parts * m.n]; then roots, [m.n] */
    starpu_data_handle_t state, *part, *copied; /* [parts] */
    /* of a merge that is apart, the last three [parts] */
    starpu_data_handle_t told, index, weight, *factors, *roots, *ends;
};

struct orr_merge {
    orr_heev_tree t;
    int64_t nodes;
    struct node *node;                   /* halves before what they are halves of */
    starpu_data_handle_t *handle, order; /* t.order */
    char *factor;                        /* [t.n * factors] */
    int64_t factors;                     /* of a row: parts, and roots, at most */
    char *mark;                          /* of every handle without memory of its own */
    int64_t entries;                     /* of t.q */
};

struct args {
    struct orr_task task;
    struct orr_tridiagonal t;
    struct orr_merge *x;
    struct node *node;
    int64_t which; /* part, or half */
};

enum {
    COLUMNS = 160,      /* of a part, at most */
    ROWS = 191,         /* of one task, at most: ORR_HEEV_SPLIT is torn once */
    ACCELERATORS = 384, /* from this order on a merge may be apart */
    WIDE = 1024         /* columns of a part then, at most: a launch of them fills a device */
};

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t most(int64_t x, int64_t y) { return x > y ? x : y; }
static int64_t up(int64_t x, int64_t y) { return (x + y - 1) / y; }

/* 1: a merge of n rows is apart. */
static int is_apart(const struct orr_tridiagonal *t, int64_t n)
{
    struct orr_need need = {0};
    const size_t real = orr_real_size(t->type);
    if (n < ACCELERATORS || t->where == ORR_ON_CPU ||
        starpu_cuda_worker_get_count() + starpu_opencl_worker_get_count() == 0)
        return 0;
    const int64_t wide = n * least(n, WIDE), half = n * up(n, 2);
    const int64_t buffer[] = {half, half, wide, wide, 2 * n, 2 * n}; /* of a product */
    for (size_t i = 0; i < sizeof buffer / sizeof *buffer; i++)
        orr_need_add(&need, (size_t)buffer[i] * real);
    return t->where != ORR_ANYWHERE || orr_accelerators_fit(&need);
}

#define MATRIX(i) ((void *)STARPU_MATRIX_GET_PTR(buf[i]))
#define LD(i)     ((int64_t)STARPU_MATRIX_GET_LD(buf[i]))

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
static int64_t columns_of(const struct node *x, int64_t part)
{
    return least(x->width, x->m.n - part * x->width);
}

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

/* What accelerators will copy is page-locked by the first task that can: locking holds back launches,
 * and now devices that worked on the matrix are done with it. Whole: a copy must not reach over what
 * was locked in two steps. */
static void lock(const struct args *a, const void *memory, int64_t entries)
{
    orr_request_pin(a->task.req, memory, (size_t)entries * orr_real_size(a->t.type), ORR_PIN_OURS);
}

static void lock_tree(const struct args *a)
{
    const struct orr_merge *x = a->x;
    const int64_t n = x->t.n;
    lock(a, x->t.q, x->entries);
    lock(a, x->t.d, ORR_HEEV_TREE_REALS * n);
    lock(a, x->factor, n * x->factors);
    orr_request_pin(a->task.req, x->t.order,
                    (size_t)(ORR_HEEV_TREE_INTEGERS * n) * sizeof *x->t.order, ORR_PIN_OURS);
}

static void deflate(void **buf, void *arg)
{
    struct args *a = arg;
    struct node *x = a->node;
    (void)buf;
    if (stopped(a))
        return;
    if (x->m.apart)
        lock_tree(a);
    for (int h = 0; h < 2 && x->m.apart; h++)
        if (!x->half[h]->m.apart)
            orr_heev_ends_cpu[a->t.type](&a->x->t, x->half[h]->m.first, x->half[h]->m.n);
    orr_heev_deflate_cpu[a->t.type](&a->x->t, &x->m, a->t.d, a->t.e);
}

static void arrange_by(void **buf, struct args *a, orr_heev_arrange_apart_fn *const *kernel,
                       orr_stream stream)
{
    const struct node *half = a->node->half[a->which];
    orr_merge_columns have = {.width = half->width};
    if (stopped(a))
        return;
    for (int64_t p = 0; p < half->parts; p++) {
        have.part[p] = MATRIX(3 + p);
        have.ld[p] = LD(3 + p);
    }
    check(a,
          kernel[a->t.type](stream, &a->node->m, (int)a->which, &have, ORR_PTR(0), ORR_PTR(1),
                            ORR_PTR(2)),
          "heev_arrange");
}

static void arrange(void **buf, void *arg)
{
    struct args *a = arg;
    if (a->node->m.apart)
        arrange_by(buf, a, orr_heev_arrange_apart_cpu, NULL);
    else if (!stopped(a))
        orr_heev_arrange_cpu[a->t.type](&a->x->t, &a->node->m, first_of(a), a->node->width);
}

static void secular_by(void **buf, struct args *a, orr_heev_secular_apart_fn *const *kernel,
                       orr_stream stream)
{
    const struct node *x = a->node;
    if (stopped(a))
        return;
    a->task.idle = first_of(a) >= x->m.k;
    check(a,
          kernel[a->t.type](stream, &x->m, first_of(a), columns_of(x, a->which), ORR_PTR(0),
                            MATRIX(1), LD(1), ORR_PTR(2), ORR_PTR(3)),
          "heev_secular");
}

static void secular(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    char *part = x->factor + (size_t)(a->which * x->m.n) * orr_real_size(a->t.type);
    if (x->m.apart) {
        secular_by(buf, a, orr_heev_secular_apart_cpu, NULL);
    } else if (!stopped(a)) {
        a->task.idle = first_of(a) >= x->m.k;
        check(a, orr_heev_secular_cpu[a->t.type](&a->x->t, &x->m, first_of(a), x->width, part),
              "heev_secular");
    }
}

static void weigh(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    (void)buf;
    if (stopped(a))
        return;
    check(a, orr_heev_weigh_cpu[a->t.type](&a->x->t, &x->m, x->factor, x->parts), "heev_weigh");
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

static void product_by(void **buf, struct args *a, orr_heev_product_apart_fn *const *kernel,
                       orr_stream stream)
{
    const struct node *x = a->node;
    const void *const q2[2] = {ORR_PTR(2), ORR_PTR(3)};
    if (stopped(a))
        return;
    check(a,
          kernel[a->t.type](stream, &x->m, first_of(a), columns_of(x, a->which), ORR_PTR(0),
                            ORR_PTR(1), q2, MATRIX(4), LD(4), ORR_PTR(5),
                            x->below ? ORR_PTR(6) : NULL),
          "heev_product");
}

static void product(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    if (x->m.apart) {
        product_by(buf, a, orr_heev_product_apart_cpu, NULL);
    } else if (!stopped(a)) {
        a->task.idle = first_of(a) >= x->m.k;
        check(a, orr_heev_product_cpu[a->t.type](&a->x->t, &x->m, first_of(a), x->width),
              "heev_product");
    }
}

ORR_CUDA(arrange, orr_heev_arrange_apart_cuda)
ORR_CUDA(secular, orr_heev_secular_apart_cuda)
ORR_CUDA(product, orr_heev_product_apart_cuda)

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
ORR_CODELETS(arrange, "heev_arrange", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(secular, "heev_secular", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(weigh, "heev_weigh", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(coefficients, "heev_coefficients", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(product, "heev_product", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(order, "heev_order", ORR_SDCZ, ORR_CPU);

/* ---- The tree -------------------------------------------------------------------------------- */

static int64_t parts_of(const struct orr_tridiagonal *t, int64_t n)
{
    return n <= ROWS ? 1 : up(n, is_apart(t, n) ? WIDE : COLUMNS);
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
    c->factors = most(c->factors, parts_of(t, n) + is_apart(t, n));
    if (!is_apart(t, n))
        c->rows = most(c->rows, n);
    if (n > ROWS) {
        count(t, m.n1, c);
        count(t, n - m.n1, c);
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

/* The next of a node's parts, `each` for a column, in this memory. */
static starpu_data_handle_t *pieces(struct orr_request *req, const struct node *node, char *memory,
                                    int64_t each, size_t real, starpu_data_handle_t **next)
{
    starpu_data_handle_t *const first = *next;
    for (int64_t p = 0; p < node->parts; p++)
        first[p] = orr_request_vector(req, memory + (size_t)(p * node->width * each) * real,
                                      columns_of(node, p) * each, real);
    *next += node->parts;
    return first;
}

/* What CPUs and devices tell each other of a merge that is apart. */
static void grow_apart(struct orr_request *req, struct orr_merge *x, struct node *node, size_t real,
                       starpu_data_handle_t **next)
{
    const orr_heev_tree *t = &x->t;
    const int64_t n = node->m.n, first = node->m.first;
    node->told = orr_request_vector(req, (char *)t->told + (size_t)orr_heev_told(&node->m) * real,
                                    ORR_MERGE_TOLD * n, real);
    node->index = orr_request_vector(req, t->index + orr_heev_index(&node->m), ORR_MERGE_INDEX * n,
                                     sizeof *t->index);
    node->weight = orr_request_vector(req, (char *)t->weight + (size_t)first * real, n, real);
    node->factors = *next;
    for (int64_t p = 0; p < node->parts; p++)
        node->factors[p] = orr_request_vector(req, node->factor + (size_t)(p * n) * real, n, real);
    *next += node->parts;
    node->roots = pieces(req, node, node->factor + (size_t)(node->parts * n) * real, 1, real, next);
    if (node->below)
        node->ends = pieces(req, node, (char *)t->ends + (size_t)(2 * first) * real, 2, real, next);
}

/* Vectors of a node in main memory, in the blocks of the tree. */
static void grow_parts(struct orr_request *req, struct orr_merge *x, struct node *node, size_t real)
{
    const int64_t n = node->m.n, ld = x->t.ld;
    for (int64_t p = 0; p < node->parts; p++) {
        const int64_t at = node->m.first * (ld + 1) + p * node->width * ld;
        node->part[p] = orr_request_matrix(req, (char *)x->t.q + (size_t)at * real, ld, n,
                                           columns_of(node, p), real);
    }
}

/* A node, whose handles are the next ones of x; halves come first. below: of a merge that is apart. */
static const struct node *grow(struct orr_request *req, const struct orr_tridiagonal *t,
                               struct orr_merge *x, int64_t first, int64_t n, int below,
                               starpu_data_handle_t **next)
{
    const struct node *half[2] = {NULL, NULL};
    const int apart = is_apart(t, n);
    const size_t real = orr_real_size(t->type);
    orr_heev_merge m = orr_heev_merge_of(first, n);
    m.apart = apart;
    if (n > ROWS) {
        half[0] = grow(req, t, x, first, m.n1, apart, next);
        half[1] = grow(req, t, x, first + m.n1, n - m.n1, apart, next);
    }
    struct node *node = &x->node[x->nodes++];
    *node =
        (struct node){.m = m, .parts = parts_of(t, n), .below = below, .half = {half[0], half[1]}};
    node->width = up(n, node->parts);
    node->factor = x->factor + (size_t)(first * x->factors) * real;
    node->part = *next;
    *next += node->parts;
    if (apart) { /* StarPU has the vectors, where they are made: see insert_apart */
        grow_apart(req, x, node, real, next);
    } else {
        grow_parts(req, x, node, real);
        node->copied = marks(req, x, next, node->parts);
        node->state = *marks(req, x, next, 1);
    }
    return node;
}

/* Memory of the vectors that CPUs make; `rows`: of the largest block. Several blocks are zero. */
static void make_vectors(struct orr_request *req, struct orr_merge *x, int64_t rows, size_t real)
{
    const int64_t n = x->t.n;
    x->t.ld = rows;
    x->entries = rows < n ? n * (rows + 1) : n * n;
    x->t.q = orr_request_memory(req, 0, (size_t)x->entries * real);
    x->t.q2 = orr_request_memory(req, 0, (size_t)(n * rows) * real);
    if (x->t.q && rows < n && !req->plan)
        memset(x->t.q, 0, (size_t)x->entries * real);
}

struct orr_merge *orr_heev_split(struct orr_request *req, const struct orr_tridiagonal *t)
{
    struct orr_merge *x = calloc(1, sizeof *x);
    const int64_t real = (int64_t)orr_real_size(t->type), n = t->n;
    struct total c = {0};
    count(t, n, &c);
    const int64_t handles = 4 * c.parts + c.nodes;
    if (x && req->plan) { /* as orr_heev_tree_make; of a product on each worker */
        orr_plan_bytes(req, (double)(starpu_cpu_worker_get_count() * n * COLUMNS * real));
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
    x->mark = calloc((size_t)handles, 1);
    x->node = calloc((size_t)c.nodes, sizeof *x->node);
    x->handle = calloc((size_t)handles, sizeof *x->handle);
    if (!x->t.q || !x->t.q2 || !x->factor || !x->mark || !x->node || !x->handle) {
        orr_request_fail(req, ORR_E_NOMEM, "heev");
        return x;
    }
    starpu_data_handle_t *next = x->handle;
    grow(req, t, x, 0, n, 0, &next);
    x->order = orr_request_vector(req, x->t.order, n, sizeof *x->t.order);
    return x;
}

struct orr_heev_vectors orr_heev_split_vectors(const struct orr_merge *x)
{
    const struct node *whole = &x->node[x->nodes - 1];
    return (struct orr_heev_vectors){.order = x->order,
                                     .piece = whole->part,
                                     .pieces = whole->parts,
                                     .width = whole->width,
                                     .apart = whole->m.apart};
}

void orr_heev_split_forget(struct orr_request *req, const struct orr_merge *x)
{
    const struct node *whole = &x->node[x->nodes - 1];
    for (int64_t p = 0; p < whole->parts && whole->m.apart; p++)
        if (whole->part[p])
            orr_request_forget(req, whole->part[p]);
}

void orr_heev_split_drop(struct orr_merge *x)
{
    if (!x)
        return;
    orr_heev_tree_free(&x->t);
    free(x->t.q);
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
    insert(s, weigh_codelet, ORR_ON_CPU, x, 0, n * (double)x->parts, 0, at);
    for (int64_t p = 0; p < x->parts; p++) {
        s->data[0] = (struct starpu_data_descr){x->state, STARPU_R};
        s->data[1] = (struct starpu_data_descr){x->part[p], STARPU_RW};
        insert(s, coefficients_codelet, ORR_ON_CPU, x, p, n * width, 0, 2);
        insert(s, product_codelet, ORR_ON_CPU, x, p, n * n * width, parts / x->parts, 2);
    }
}

/* Until the roots are known. */
static void insert_roots(struct submission *s, struct node *x, starpu_data_handle_t *q2)
{
    const double n = (double)x->m.n, width = (double)x->width;
    int64_t at = 1;
    s->data[0] = (struct starpu_data_descr){s->t->T, STARPU_R};
    for (int h = 0; h < 2; h++) {
        const struct node *half = x->half[h];
        at = all_of(s, at, half->m.apart ? half->ends : half->part, half->parts, STARPU_R);
    }
    s->data[at++] = (struct starpu_data_descr){x->told, STARPU_W};
    s->data[at++] = (struct starpu_data_descr){x->index, STARPU_W};
    insert(s, deflate_codelet, ORR_ON_CPU, x, 0, n, 0, at);

    s->data[0] = (struct starpu_data_descr){x->told, STARPU_R};
    s->data[1] = (struct starpu_data_descr){x->index, STARPU_R};
    for (int h = 0; h < 2; h++) {
        s->data[2] = (struct starpu_data_descr){q2[h], STARPU_W};
        at = all_of(s, 3, x->half[h]->part, x->half[h]->parts, STARPU_R);
        insert(s, arrange_codelet, ORR_ON_ACCELERATOR, x, h, n * (double)x->half[h]->m.n, 0, at);
    }
    for (int64_t p = 0; p < x->parts; p++) {
        s->data[1] = (struct starpu_data_descr){x->part[p], STARPU_W};
        s->data[2] = (struct starpu_data_descr){x->factors[p], STARPU_W};
        s->data[3] = (struct starpu_data_descr){x->roots[p], STARPU_W};
        insert(s, secular_codelet, ORR_ON_ACCELERATOR, x, p, n * width, 0, 4);
    }
}

/* A merge on accelerators. Its vectors are StarPU's, until the merge above has copied them. */
static void insert_apart(struct submission *s, struct node *x, int64_t parts)
{
    const double n = (double)x->m.n, width = (double)x->width;
    const size_t real = orr_real_size(s->t->type);
    const int64_t rows[2] = {x->m.n1, x->m.n - x->m.n1};
    starpu_data_handle_t q2[2];
    for (int h = 0; h < 2; h++)
        q2[h] = orr_request_temporary(s->req, rows[h] * x->m.n, real);
    for (int64_t p = 0; p < x->parts; p++)
        x->part[p] = orr_request_temporary_matrix(s->req, x->m.n, columns_of(x, p), real);
    insert_roots(s, x, q2);
    for (int h = 0; h < 2; h++)
        for (int64_t p = 0; p < x->half[h]->parts && x->half[h]->m.apart; p++)
            orr_request_forget(s->req, x->half[h]->part[p]);

    s->data[0] = (struct starpu_data_descr){x->told, STARPU_R};
    int64_t at = all_of(s, 1, x->factors, x->parts, STARPU_R);
    at = all_of(s, at, x->roots, x->parts, STARPU_R);
    s->data[at++] = (struct starpu_data_descr){x->weight, STARPU_W};
    insert(s, weigh_codelet, ORR_ON_CPU, x, 0, n * (double)x->parts, 0, at);

    const starpu_data_handle_t work = orr_request_temporary(s->req, x->m.n * x->width, real);
    for (int64_t p = 0; p < x->parts; p++) {
        s->data[0] = (struct starpu_data_descr){x->index, STARPU_R};
        s->data[1] = (struct starpu_data_descr){x->weight, STARPU_R};
        s->data[2] = (struct starpu_data_descr){q2[0], STARPU_R};
        s->data[3] = (struct starpu_data_descr){q2[1], STARPU_R};
        s->data[4] = (struct starpu_data_descr){x->part[p], STARPU_RW};
        s->data[5] = (struct starpu_data_descr){work, STARPU_SCRATCH};
        if (x->below)
            s->data[6] = (struct starpu_data_descr){x->ends[p], STARPU_W};
        insert(s, product_codelet, ORR_ON_ACCELERATOR, x, p, n * n * width, parts / x->parts,
               x->below ? 7 : 6);
    }
    orr_request_forget(s->req, work);
    for (int h = 0; h < 2; h++)
        orr_request_forget(s->req, q2[h]);
}

void orr_insert_heev_merge(struct orr_request *req, const struct orr_tridiagonal *t,
                           struct orr_merge *x)
{
    struct node *last = &x->node[x->nodes - 1];
    struct starpu_data_descr data[2 * parts_of(t, t->n) + 2 * up(t->n, COLUMNS) + 8];
    struct submission s = {.req = req, .t = t, .x = x, .data = data};
    for (int64_t i = 0; i < x->nodes; i++) {
        struct node *node = &x->node[i];
        const double n = (double)node->m.n, part = n / (double)t->n;
        const int64_t parts = (int64_t)(0.75 * part * part * part * (double)t->parts);
        data[0] = (struct starpu_data_descr){t->T, STARPU_R};
        data[1] = (struct starpu_data_descr){node->part[0], STARPU_W};
        if (node->m.apart)
            insert_apart(&s, node, parts);
        else if (node->half[0])
            insert_merge(&s, node, parts);
        else
            insert(&s, leaf_codelet, ORR_ON_CPU, node, 0, n * n * n, parts, 2);
    }
    data[0] = (struct starpu_data_descr){t->T, STARPU_R};
    data[1] = (struct starpu_data_descr){last->m.apart ? last->weight : last->state, STARPU_R};
    data[2] = (struct starpu_data_descr){x->order, STARPU_W};
    insert(&s, order_codelet, ORR_ON_CPU, last, 0, (double)t->n, t->parts - s.parts, 3);
}
