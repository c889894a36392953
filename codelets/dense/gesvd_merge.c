/* Divide and conquer of the bidiagonal matrix as tasks. The tree of merges depends on n alone.
 *
 *   tree           B R, part[][0] W                              all of a few rows
 *   deflate        B R, parts of both halves RW, state W
 *   arrange        state R, copied[p] W
 *   secular        state R, copied[0 .. parts-1] R, part[][p] W
 *   weigh          part[][0 .. parts-1] R, state RW
 *   coefficients   state R, part[][p] RW
 *   product        state R, part[side][p] RW
 *   order          part[][0 .. parts-1] of the whole R, B RW, X[0] W, X[1] W
 *
 * part[side][p] is the memory of some columns of U or V; [] stands for both sides. All of this is in main
 * memory, and on CPUs. Large merges are apart where there are accelerators, as in heev_merge.c; extra is
 * V's vector that is orthogonal to all others, of all but the last rows, corner its ends:
 *
 *   deflate        B R, ends and corner of a half R, or its parts R where it is not apart; told, index W
 *   arrange        told, index R, x2[side][] W, parts of both halves of a side R; of V their extra R, and
 *                  extra and corner W                              on accelerators
 *   secular        told R, part[][p], factor[p], root[p] W; x2[][] R where that memory is the halves', too
 *                                                                  on accelerators
 *   weigh          told R, factor[], root[] R, weight W
 *   product        told, index, weight, x2[side][] R, part[side][p] RW, scratch; of V ends[p] W where the
 *                  merge above is apart                            on accelerators
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd_merge.h"

#include <stdlib.h>

#include "codelets/core/room.h"
#include "codelets/core/task.h"
#include "codelets/dense/gesvd.h"

/* Some rows. */
struct node {
    orr_gesvd_merge m;
    int64_t parts, width;                /* columns of a part */
    int below;                           /* 1: of a merge that is apart */
    const struct node *half[2];          /* NULL: one task does it */
    char *factor;                        /* of the weights, [parts * m.n]; then roots, [m.n] */
    starpu_data_handle_t state, *copied; /* [parts] */
    starpu_data_handle_t *part;          /* [2 * parts], those of V behind those of U */
    starpu_data_handle_t extra;          /* where accelerators use it */
    /* of a merge that is apart, the last three [parts] */
    starpu_data_handle_t told, index, weight, corner, *factors, *roots, *ends;
};

struct orr_gesvd_tasks {
    orr_gesvd_tree t;
    int64_t nodes;
    struct node *node; /* halves before what they are halves of */
    starpu_data_handle_t *handle;
    char *factor;     /* [t.n * factors] */
    int64_t factors;  /* of a row: parts, and roots, at most */
    char *mark;       /* of every handle without memory of its own */
    void *own;        /* x of the tree, both sides, if it is not the caller's, and ... */
    int64_t entries;  /* ... how long a side is */
    void *vectors[2]; /* the caller's, n x n */
};

struct args {
    struct orr_task task;
    struct orr_bidiagonal b;
    struct orr_gesvd_tasks *x;
    struct node *node;
    int64_t which; /* part */
    int side;
};

enum {
    COLUMNS = 128,      /* of a part, at most */
    ROWS = 128,         /* of one task, at most */
    ACCELERATORS = 384, /* from this order on a merge may be apart, as in heev */
    WIDE = 1024         /* columns of a part then, at most */
};

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t most(int64_t x, int64_t y) { return x > y ? x : y; }
static int64_t up(int64_t x, int64_t y) { return (x + y - 1) / y; }

static int fit(const int64_t *buffer, size_t count, size_t real)
{
    struct orr_need need = {0};
    for (size_t i = 0; i < count; i++)
        orr_need_add(&need, (size_t)buffer[i] * real);
    return orr_accelerators_fit(&need);
}

/* 1: a merge of n rows is apart. */
static int is_apart(const struct orr_bidiagonal *b, int64_t n)
{
    const int64_t rows = n + 1, wide = rows * least(n, WIDE), half = rows * up(rows, 2);
    const int64_t arrange[] = {half, half, up(half, 2), up(half, 2), 4 * rows, 4 * rows};
    const int64_t product[] = {half, half, wide, wide, 4 * rows, 4 * rows};
    const size_t real = orr_real_size(b->type);
    if (n < ACCELERATORS || b->where == ORR_ON_CPU ||
        starpu_cuda_worker_get_count() + starpu_opencl_worker_get_count() == 0)
        return 0;
    return b->where != ORR_ANYWHERE || (fit(arrange, sizeof arrange / sizeof *arrange, real) &&
                                        fit(product, sizeof product / sizeof *product, real));
}

#define MATRIX(i) ((void *)STARPU_MATRIX_GET_PTR(buf[i]))
#define LD(i)     ((int64_t)STARPU_MATRIX_GET_LD(buf[i]))

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

static int64_t first_of(const struct args *a) { return a->which * a->node->width; }
static int64_t columns_of(const struct node *x, int64_t part)
{
    return least(x->width, x->m.n - part * x->width);
}
static int64_t rows_of(const struct orr_gesvd_tasks *x, const struct node *node, int side)
{
    return orr_gesvd_rows(&x->t, node->m.first, node->m.n, side);
}
static int has_extra(const struct orr_gesvd_tasks *x, const struct node *node)
{
    return rows_of(x, node, 1) > node->m.n;
}

/* What accelerators will copy is page-locked by the first task that can (heev_merge.c). */
static void lock(const struct args *a, const void *memory, int64_t entries)
{
    orr_request_pin(a->task.req, memory, (size_t)entries * orr_real_size(a->b.type), ORR_PIN_OURS);
}

static void lock_tree(const struct args *a)
{
    const struct orr_gesvd_tasks *x = a->x;
    const int64_t n = x->t.n;
    lock(a, x->t.x[0], x->own ? 2 * x->entries : x->entries);
    if (!x->own)
        lock(a, x->t.x[1], x->entries);
    lock(a, x->t.value, orr_gesvd_tree_reals(n));
    lock(a, x->factor, n * x->factors);
    orr_request_pin(a->task.req, x->t.order,
                    (size_t)(ORR_GESVD_TREE_INTEGERS * n) * sizeof *x->t.order, ORR_PIN_OURS);
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
            orr_gesvd_ends_cpu[a->b.type](&a->x->t, x->half[h]->m.first, x->half[h]->m.n);
    orr_gesvd_deflate_cpu[a->b.type](&a->x->t, &x->m, a->b.d, a->b.e);
}

static void arrange_by(void **buf, struct args *a, orr_gesvd_arrange_apart_fn *const *kernel,
                       orr_stream stream)
{
    const struct node *x = a->node;
    void *const x2[2] = {ORR_PTR(2), ORR_PTR(3)};
    orr_merge_columns have[2];
    const void *extra[2] = {NULL, NULL};
    void *last = NULL, *corner = NULL;
    int64_t at = 4;
    if (stopped(a))
        return;
    for (int h = 0; h < 2; h++) {
        have[h].width = x->half[h]->width;
        for (int64_t p = 0; p < x->half[h]->parts; p++, at++) {
            have[h].part[p] = MATRIX(at);
            have[h].ld[p] = LD(at);
        }
    }
    for (int h = 0; h < 2 && a->side == 1; h++)
        if (x->half[h]->extra)
            extra[h] = ORR_PTR(at++);
    if (a->side == 1 && x->extra)
        last = ORR_PTR(at++);
    if (a->side == 1 && x->extra)
        corner = ORR_PTR(at);
    check(a,
          kernel[a->b.type](stream, &x->m, a->side, rows_of(a->x, x, a->side), have, extra,
                            ORR_PTR(0), ORR_PTR(1), x2, last, corner),
          "gesvd_arrange");
}

static void arrange(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    if (x->m.apart)
        arrange_by(buf, a, orr_gesvd_arrange_apart_cpu, NULL);
    else if (!stopped(a))
        orr_gesvd_arrange_cpu[a->b.type](&a->x->t, &x->m, first_of(a), x->width);
}

static void secular_by(void **buf, struct args *a, orr_gesvd_secular_apart_fn *const *kernel,
                       orr_stream stream)
{
    const struct node *x = a->node;
    void *const part[2] = {MATRIX(1), MATRIX(2)};
    const int64_t ld[2] = {LD(1), LD(2)};
    if (stopped(a))
        return;
    a->task.idle = first_of(a) >= x->m.k;
    check(a,
          kernel[a->b.type](stream, &x->m, first_of(a), columns_of(x, a->which), ORR_PTR(0), part,
                            ld, ORR_PTR(3), ORR_PTR(4)),
          "gesvd_secular");
}

static void secular(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    char *part = x->factor + (size_t)(a->which * x->m.n) * orr_real_size(a->b.type);
    if (x->m.apart) {
        secular_by(buf, a, orr_gesvd_secular_apart_cpu, NULL);
    } else if (!stopped(a)) {
        a->task.idle = first_of(a) >= x->m.k;
        check(a, orr_gesvd_secular_cpu[a->b.type](&a->x->t, &x->m, first_of(a), x->width, part),
              "gesvd_secular");
    }
}

static void weigh(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    (void)buf;
    if (stopped(a))
        return;
    check(a, orr_gesvd_weigh_cpu[a->b.type](&a->x->t, &x->m, x->factor, x->parts), "gesvd_weigh");
    for (int side = 0; side < 2 && x->m.apart && !x->below; side++)
        lock(a, a->x->vectors[side], a->x->t.n * a->x->t.n);
}

static void coefficients(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    (void)buf;
    if (stopped(a))
        return;
    a->task.idle = first_of(a) >= x->m.k;
    check(a, orr_gesvd_coefficients_cpu[a->b.type](&a->x->t, &x->m, first_of(a), x->width),
          "gesvd_coefficients");
}

static void product_by(void **buf, struct args *a, orr_gesvd_product_apart_fn *const *kernel,
                       orr_stream stream)
{
    const struct node *x = a->node;
    const void *const x2[2] = {ORR_PTR(3), ORR_PTR(4)};
    if (stopped(a))
        return;
    check(a,
          kernel[a->b.type](stream, &x->m, a->side, rows_of(a->x, x, a->side), first_of(a),
                            columns_of(x, a->which), ORR_PTR(0), ORR_PTR(1), ORR_PTR(2), x2,
                            MATRIX(5), LD(5), ORR_PTR(6),
                            x->below && a->side == 1 ? ORR_PTR(7) : NULL),
          "gesvd_product");
}

static void product(void **buf, void *arg)
{
    struct args *a = arg;
    const struct node *x = a->node;
    if (x->m.apart) {
        product_by(buf, a, orr_gesvd_product_apart_cpu, NULL);
    } else if (!stopped(a)) {
        a->task.idle = first_of(a) >= x->m.k;
        check(a, orr_gesvd_product_cpu[a->b.type](&a->x->t, &x->m, a->side, first_of(a), x->width),
              "gesvd_product");
    }
}

ORR_CUDA(arrange, orr_gesvd_arrange_apart_cuda)
ORR_CUDA(secular, orr_gesvd_secular_apart_cuda)
ORR_CUDA(product, orr_gesvd_product_apart_cuda)

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
ORR_CODELETS(arrange, "gesvd_arrange", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(secular, "gesvd_secular", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(weigh, "gesvd_weigh", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(coefficients, "gesvd_coefficients", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(product, "gesvd_product", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(order, "gesvd_order", ORR_SDCZ, ORR_CPU);

/* ---- The tree -------------------------------------------------------------------------------- */

static int64_t parts_of(const struct orr_bidiagonal *b, int64_t n)
{
    return n <= ROWS ? 1 : up(n, is_apart(b, n) ? WIDE : COLUMNS);
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
    c->factors = most(c->factors, parts_of(b, n) + is_apart(b, n));
    if (!is_apart(b, n))
        c->rows = most(c->rows, least(n + 1, b->n));
    if (n > ROWS) {
        count(b, m.n1, c);
        count(b, n - m.n1 - 1, c);
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
static void grow_apart(struct orr_request *req, struct orr_gesvd_tasks *x, struct node *node,
                       size_t real, starpu_data_handle_t **next)
{
    const orr_gesvd_tree *t = &x->t;
    const int64_t n = node->m.n, first = node->m.first;
    char *const ends = (char *)t->ends + (size_t)(2 * first) * real;
    node->told = orr_request_vector(req, (char *)t->told + (size_t)orr_gesvd_told(&node->m) * real,
                                    ORR_MERGE_TOLD * n, real);
    node->index = orr_request_vector(req, t->numbers + orr_gesvd_numbers(&node->m),
                                     ORR_MERGE_INDEX * n, sizeof *t->numbers);
    node->weight = orr_request_vector(req, (char *)t->weight + (size_t)first * real, n, real);
    node->factors = *next;
    for (int64_t p = 0; p < node->parts; p++)
        node->factors[p] = orr_request_vector(req, node->factor + (size_t)(p * n) * real, n, real);
    *next += node->parts;
    node->roots = pieces(req, node, node->factor + (size_t)(node->parts * n) * real, 1, real, next);
    if (node->below)
        node->ends = pieces(req, node, ends, 2, real, next);
    if (has_extra(x, node))
        node->corner = orr_request_vector(req, ends + (size_t)(2 * n) * real, 2, real);
}

/* Vectors of a node in main memory: in the blocks of the tree, or where the caller wants them. */
static void grow_parts(struct orr_request *req, struct orr_gesvd_tasks *x, struct node *node,
                       size_t real, starpu_data_handle_t **next)
{
    const int apart = node->m.apart;
    const int64_t n = node->m.n, ld = apart ? x->t.n : x->t.ld, at = node->m.first * (ld + 1);
    char *const v = (char *)(apart ? x->vectors[1] : x->t.x[1]) + (size_t)(at + n * ld) * real;
    node->part = *next;
    for (int64_t i = 0; i < 2 * node->parts; i++) {
        const int side = i >= node->parts;
        const int64_t p = i % node->parts;
        char *const q = apart ? x->vectors[side] : x->t.x[side];
        node->part[i] = orr_request_matrix(req, q + (size_t)(at + p * node->width * ld) * real, ld,
                                           rows_of(x, node, side), columns_of(node, p), real);
    }
    *next += 2 * node->parts;
    if (has_extra(x, node) && (apart || node->below))
        node->extra = orr_request_vector(req, v, n + 1, real);
}

/* A node, whose handles are the next ones of x; halves come first. below: of a merge that is apart. */
static const struct node *grow(struct orr_request *req, const struct orr_bidiagonal *b,
                               struct orr_gesvd_tasks *x, int64_t first, int64_t n, int below,
                               starpu_data_handle_t **next)
{
    const struct node *half[2] = {NULL, NULL};
    const int apart = is_apart(b, n);
    const size_t real = orr_real_size(b->type);
    orr_gesvd_merge m = orr_gesvd_merge_of(first, n);
    m.apart = apart;
    if (n > ROWS) {
        half[0] = grow(req, b, x, first, m.n1, apart, next);
        half[1] = grow(req, b, x, first + m.n1 + 1, n - m.n1 - 1, apart, next);
    }
    struct node *node = &x->node[x->nodes++];
    *node =
        (struct node){.m = m, .parts = parts_of(b, n), .below = below, .half = {half[0], half[1]}};
    node->width = up(n, node->parts);
    node->factor = x->factor + (size_t)(first * x->factors) * real;
    if (apart && below) { /* StarPU has them where they are made: see insert_apart */
        node->part = *next;
        *next += 2 * node->parts;
    } else {
        grow_parts(req, x, node, real, next);
    }
    if (apart) {
        grow_apart(req, x, node, real, next);
    } else {
        node->copied = marks(req, x, next, node->parts);
        node->state = *marks(req, x, next, 1);
    }
    return node;
}

/* Memory of the tree's vectors, whose blocks are zero; `rows`: of the largest of them. */
static void make_vectors(struct orr_request *req, struct orr_gesvd_tasks *x, int64_t rows, void *u,
                         void *v, size_t real)
{
    const int64_t n = x->t.n;
    x->vectors[0] = x->t.x[0] = u;
    x->vectors[1] = x->t.x[1] = v;
    x->t.ld = rows;
    x->entries = rows < n ? n * (rows + 1) : n * n;
    if (rows < n && req->plan)
        orr_plan_bytes(req, 2 * (double)x->entries * (double)real);
    if (rows < n) {
        x->t.x[0] = x->own = calloc(req->plan ? 1 : 2 * (size_t)x->entries, real);
        if (x->own)
            x->t.x[1] = (char *)x->own + (size_t)(req->plan ? 0 : x->entries) * real;
    }
    x->t.x2[0] = orr_request_memory(req, 0, (size_t)(2 * x->entries) * real);
    if (x->t.x2[0])
        x->t.x2[1] = (char *)x->t.x2[0] + (size_t)(req->plan ? 0 : x->entries) * real;
}

struct orr_gesvd_tasks *orr_gesvd_split(struct orr_request *req, const struct orr_bidiagonal *b,
                                        void *u, void *v)
{
    struct orr_gesvd_tasks *x = calloc(1, sizeof *x);
    const size_t real = orr_real_size(b->type);
    const int64_t n = b->n;
    struct total c = {0};
    count(b, n, &c);
    const int64_t handles = 5 * c.parts + c.nodes;
    if (x && req->plan) { /* as orr_gesvd_tree_make; of a product on each worker */
        orr_plan_bytes(req, (double)orr_gesvd_tree_reals(n) * (double)real);
        orr_plan_bytes(req, (double)(ORR_GESVD_TREE_INTEGERS * n * 4));
        orr_plan_bytes(req, (double)(starpu_cpu_worker_get_count() * n * COLUMNS) * (double)real);
        x->t.n = n;
    } else if (!x || !orr_gesvd_tree_make(&x->t, n, (int64_t)real)) {
        free(x);
        orr_request_fail(req, ORR_E_NOMEM, "gesvd");
        return NULL;
    }
    make_vectors(req, x, c.rows, u, v, real);
    x->factors = c.factors;
    x->factor = orr_request_memory(req, 0, (size_t)(n * x->factors) * real);
    x->mark = calloc((size_t)handles, 1);
    x->node = calloc((size_t)c.nodes, sizeof *x->node);
    x->handle = calloc((size_t)handles, sizeof *x->handle);
    if (!x->t.x[0] || !x->t.x2[0] || !x->factor || !x->mark || !x->node || !x->handle) {
        orr_request_fail(req, ORR_E_NOMEM, "gesvd");
        return x;
    }
    starpu_data_handle_t *next = x->handle;
    grow(req, b, x, 0, n, 0, &next);
    return x;
}

const int32_t *orr_gesvd_split_order(const struct orr_gesvd_tasks *x) { return x->t.order; }

void orr_gesvd_split_drop(struct orr_gesvd_tasks *x)
{
    if (!x)
        return;
    orr_gesvd_tree_free(&x->t);
    free(x->own);
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

static void insert_merge(struct submission *s, struct node *x, int64_t parts)
{
    const double n = (double)x->m.n, width = (double)x->width;
    int64_t at = 1;
    s->data[0] = (struct starpu_data_descr){s->b->B, STARPU_R};
    for (int h = 0; h < 2; h++) {
        at = all_of(s, at, x->half[h]->part, 2 * x->half[h]->parts, STARPU_RW);
        if (x->half[h]->extra)
            at = all_of(s, at, &x->half[h]->extra, 1, STARPU_RW);
    }
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
    insert_on_cpu(s, weigh_codelet, x, 0, n * (double)x->parts, 0, at);
    for (int64_t p = 0; p < x->parts; p++) {
        s->data[0] = (struct starpu_data_descr){x->state, STARPU_R};
        insert_on_cpu(s, coefficients_codelet, x, p, n * width, 0, both(s, 1, x, p, STARPU_RW));
        for (int side = 0; side < 2; side++) {
            s->data[1] = (struct starpu_data_descr){x->part[side * x->parts + p], STARPU_RW};
            insert(s, product_codelet, ORR_ON_CPU, x, p, side, n * n * width,
                   parts / (2 * x->parts), 2);
        }
    }
}

/* x2: of both sides, of both halves of each. Until the roots are known. */
static void insert_roots(struct submission *s, struct node *x, starpu_data_handle_t *x2)
{
    const double n = (double)x->m.n, width = (double)x->width;
    int64_t at = 1;
    s->data[0] = (struct starpu_data_descr){s->b->B, STARPU_R};
    for (int h = 0; h < 2; h++) {
        const struct node *half = x->half[h];
        at = half->m.apart ? all_of(s, at, half->ends, half->parts, STARPU_R)
                           : all_of(s, at, half->part, 2 * half->parts, STARPU_R);
        if (half->corner)
            at = all_of(s, at, &half->corner, 1, STARPU_R);
    }
    at = all_of(s, at, &x->told, 1, STARPU_W);
    insert_on_cpu(s, deflate_codelet, x, 0, n * n, 0, all_of(s, at, &x->index, 1, STARPU_W));

    s->data[0] = (struct starpu_data_descr){x->told, STARPU_R};
    s->data[1] = (struct starpu_data_descr){x->index, STARPU_R};
    for (int side = 0; side < 2; side++) {
        at = all_of(s, 2, x2 + 2 * side, 2, STARPU_W);
        for (int h = 0; h < 2; h++) {
            const struct node *half = x->half[h];
            at = all_of(s, at, half->part + side * half->parts, half->parts, STARPU_R);
        }
        for (int h = 0; h < 2 && side == 1; h++)
            if (x->half[h]->extra)
                at = all_of(s, at, &x->half[h]->extra, 1, STARPU_R);
        if (side == 1 && x->extra)
            at = all_of(s, all_of(s, at, &x->extra, 1, STARPU_W), &x->corner, 1, STARPU_W);
        insert(s, arrange_codelet, ORR_ON_ACCELERATOR, x, 0, side, n * n, 0, at);
    }
    for (int64_t p = 0; p < x->parts; p++) {
        at = both(s, 1, x, p, STARPU_W);
        at = all_of(s, all_of(s, at, x->factors + p, 1, STARPU_W), x->roots + p, 1, STARPU_W);
        if (!s->x->own) /* part[][p] is where the halves' are */
            at = all_of(s, at, x2, 4, STARPU_R);
        insert(s, secular_codelet, ORR_ON_ACCELERATOR, x, p, 0, n * width, 0, at);
    }
}

/* A half's vectors have been copied. */
static void forget_half(struct submission *s, const struct node *half)
{
    for (int64_t i = 0; i < 2 * half->parts; i++)
        orr_request_forget(s->req, half->part[i]);
    if (half->extra)
        orr_request_forget(s->req, half->extra);
}

/* A merge on accelerators. Vectors that nobody wants in main memory are StarPU's, until the merge
 * above has copied them. */
static void insert_apart(struct submission *s, struct node *x, int64_t parts)
{
    const double n = (double)x->m.n, width = (double)x->width;
    const size_t real = orr_real_size(s->b->type);
    const int64_t upper = x->m.n1 + 1;
    starpu_data_handle_t x2[4];
    for (int i = 0; i < 4; i++)
        x2[i] = orr_request_temporary(
            s->req, (i % 2 == 0 ? upper : rows_of(s->x, x, i / 2) - upper) * x->m.n, real);
    for (int64_t i = 0; i < 2 * x->parts && x->below; i++)
        x->part[i] = orr_request_temporary_matrix(s->req, rows_of(s->x, x, i >= x->parts),
                                                  columns_of(x, i % x->parts), real);
    if (x->below && has_extra(s->x, x))
        x->extra = orr_request_temporary(s->req, x->m.n + 1, real);
    insert_roots(s, x, x2);
    for (int h = 0; h < 2; h++)
        if (x->half[h]->m.apart)
            forget_half(s, x->half[h]);

    s->data[0] = (struct starpu_data_descr){x->told, STARPU_R};
    int64_t at = all_of(s, 1, x->factors, x->parts, STARPU_R);
    at = all_of(s, at, x->roots, x->parts, STARPU_R);
    at = all_of(s, at, &x->weight, 1, STARPU_W);
    insert_on_cpu(s, weigh_codelet, x, 0, n * (double)x->parts, 0, at);

    const starpu_data_handle_t work = orr_request_temporary(s->req, x->m.n * x->width, real);
    for (int64_t i = 0; i < 2 * x->parts; i++) {
        const int side = i >= x->parts;
        const int64_t p = i % x->parts;
        s->data[0] = (struct starpu_data_descr){x->told, STARPU_R};
        s->data[1] = (struct starpu_data_descr){x->index, STARPU_R};
        s->data[2] = (struct starpu_data_descr){x->weight, STARPU_R};
        at = all_of(s, 3, x2 + 2 * side, 2, STARPU_R);
        at = all_of(s, at, x->part + i, 1, STARPU_RW);
        at = all_of(s, at, &work, 1, STARPU_SCRATCH);
        if (x->below && side == 1)
            at = all_of(s, at, x->ends + p, 1, STARPU_W);
        insert(s, product_codelet, ORR_ON_ACCELERATOR, x, p, side, n * n * width,
               parts / (2 * x->parts), at);
    }
    orr_request_forget(s->req, work);
    for (int i = 0; i < 4; i++)
        orr_request_forget(s->req, x2[i]);
}

void orr_insert_gesvd_tree(struct orr_request *req, const struct orr_bidiagonal *b,
                           struct orr_gesvd_tasks *x)
{
    struct node *last = &x->node[x->nodes - 1];
    struct starpu_data_descr data[4 * up(b->n, COLUMNS) + 16];
    struct submission s = {.req = req, .b = b, .x = x, .data = data};
    for (int64_t i = 0; i < x->nodes; i++) {
        struct node *node = &x->node[i];
        const double n = (double)node->m.n, part = n / (double)b->n;
        const int64_t parts = (int64_t)(0.75 * part * part * part * (double)b->parts);
        data[0] = (struct starpu_data_descr){b->B, STARPU_R};
        if (node->m.apart)
            insert_apart(&s, node, parts);
        else if (node->half[0])
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
