/* Families of graphs. A family is what its tasks do with their data, as a program would submit them; edges
 * follow from that.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/graph_make.h"

#include <math.h>
#include <stdlib.h>

#include "src/graph/dag_random.h"

enum { R = ORR_ACCESS_R, W = ORR_ACCESS_W, RW = ORR_ACCESS_RW };

struct maker {
    struct orr_dag *d;
    graph_recipe *r;
    int64_t n, depth;
    uint64_t *data; /* of a matrix of n x n tiles, or n of a layer */
};

static void task(struct maker *m, const char *name, double cubes)
{
    struct orr_dag_task *t = orr_dag_task(m->d, name, "-");
    if (t && cubes > 0)
        t->flops = m->r->operations * cubes * pow((double)m->r->tile, 3);
}

static void use(struct maker *m, uint64_t data, int mode)
{
    orr_dag_access(m->d, data, mode, m->r->bytes);
}
static uint64_t piece(struct maker *m) { return orr_dag_data(m->d, m->r->bytes); }

static void pieces(struct maker *m, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        m->data[k] = piece(m);
}

/* ---- Without a matrix ------------------------------------------------------------------------------ */

static void chain(struct maker *m)
{
    const uint64_t x = piece(m);
    for (int64_t i = 0; i < m->n; i++) {
        task(m, "link", 0);
        use(m, x, RW);
    }
}

/* heevj: the chunks of a batch. */
static void independent(struct maker *m)
{
    for (int64_t i = 0; i < m->n; i++) {
        task(m, "work", 0);
        use(m, piece(m), RW);
    }
}

/* powm, pagerank: the parts of a product, then one task that joins them. */
static void fork_join(struct maker *m)
{
    const uint64_t x = piece(m);
    task(m, "fork", 0);
    use(m, x, W);
    for (int64_t s = 0; s < m->depth; s++) {
        pieces(m, m->n);
        for (int64_t i = 0; i < m->n; i++) {
            task(m, "work", 0);
            use(m, x, R);
            use(m, m->data[i], W);
        }
        task(m, "join", 0);
        use(m, x, RW);
        for (int64_t i = 0; i < m->n; i++)
            use(m, m->data[i], R);
    }
}

/* Each task reads `degree` different results of the layer before, chosen by the seed (R. Floyd's sampling). */
static void layered(struct maker *m)
{
    uint64_t *before = m->data, *now = m->data + m->n;
    uint64_t *taken = m->data + 2 * m->n; /* by which task, counted from 1 */
    const uint64_t n = (uint64_t)m->n, degree = (uint64_t)m->r->degree;
    for (int64_t l = 0; l < m->depth; l++) {
        for (uint64_t i = 0; i < n; i++) {
            now[i] = piece(m);
            task(m, "work", 0);
            const uint64_t self = m->d->tasks;
            for (uint64_t k = n - degree; l > 0 && k < n; k++) {
                uint64_t x = orr_random_bits((uint64_t)m->r->seed, self, k) % (k + 1);
                x = taken[x] == self ? k : x;
                taken[x] = self;
                use(m, before[x], R);
            }
            use(m, now[i], W);
        }
        uint64_t *const swap = before;
        before = now;
        now = swap;
    }
}

/* ---- Factorizations of a matrix of n x n tiles --------------------------------------------------------- */

static uint64_t at(const struct maker *m, int64_t i, int64_t j) { return m->data[i * m->n + j]; }

static void cholesky(struct maker *m)
{
    for (int64_t i = 0; i < m->n; i++)
        for (int64_t j = 0; j <= i; j++)
            m->data[i * m->n + j] = piece(m);
    for (int64_t k = 0; k < m->n; k++) {
        task(m, "potrf", 1. / 3);
        use(m, at(m, k, k), RW);
        for (int64_t i = k + 1; i < m->n; i++) {
            task(m, "trsm", 1);
            use(m, at(m, k, k), R);
            use(m, at(m, i, k), RW);
        }
        for (int64_t i = k + 1; i < m->n; i++) {
            task(m, "syrk", 1);
            use(m, at(m, i, k), R);
            use(m, at(m, i, i), RW);
            for (int64_t j = k + 1; j < i; j++) {
                task(m, "gemm", 2);
                use(m, at(m, i, k), R);
                use(m, at(m, j, k), R);
                use(m, at(m, i, j), RW);
            }
        }
    }
}

/* Without pivoting. */
static void lu(struct maker *m)
{
    pieces(m, m->n * m->n);
    for (int64_t k = 0; k < m->n; k++) {
        task(m, "getrf", 2. / 3);
        use(m, at(m, k, k), RW);
        for (int64_t i = k + 1; i < m->n; i++)
            for (int side = 0; side < 2; side++) {
                task(m, "trsm", 1);
                use(m, at(m, k, k), R);
                use(m, side ? at(m, k, i) : at(m, i, k), RW);
            }
        for (int64_t i = k + 1; i < m->n; i++)
            for (int64_t j = k + 1; j < m->n; j++) {
                task(m, "gemm", 2);
                use(m, at(m, i, k), R);
                use(m, at(m, k, j), R);
                use(m, at(m, i, j), RW);
            }
    }
}

/* Flat tree; operations as in H. Bouwmeester, M. Jacquelin, J. Langou, Y. Robert, Tiled QR factorization algorithms, SC 2011. The
 * reflectors of a diagonal tile are data of their own: its triangle goes on changing while they are applied. */
static void qr(struct maker *m)
{
    pieces(m, m->n * m->n);
    for (int64_t k = 0; k < m->n; k++) {
        const uint64_t v = piece(m);
        task(m, "geqrt", 4. / 3);
        use(m, at(m, k, k), RW);
        use(m, v, W);
        for (int64_t j = k + 1; j < m->n; j++) {
            task(m, "unmqr", 2);
            use(m, v, R);
            use(m, at(m, k, j), RW);
        }
        for (int64_t i = k + 1; i < m->n; i++) {
            task(m, "tsqrt", 2);
            use(m, at(m, k, k), RW);
            use(m, at(m, i, k), RW);
            for (int64_t j = k + 1; j < m->n; j++) {
                task(m, "tsmqr", 4);
                use(m, at(m, i, k), R);
                use(m, at(m, k, j), RW);
                use(m, at(m, i, j), RW);
            }
        }
    }
}

/* ---- Orrery's own ------------------------------------------------------------------------------------------ */

/* hb2st, gb2bd: group g of sweeps goes through blocks g, g+1, ... of the band, each time with the block before. */
static void bulge(struct maker *m)
{
    pieces(m, m->n);
    for (int64_t g = 0; g < m->n; g++) {
        const uint64_t carry = piece(m);
        for (int64_t b = g; b < m->n; b++) {
            task(m, "chase", 0);
            if (b > 0)
                use(m, m->data[b - 1], RW);
            use(m, m->data[b], RW);
            use(m, carry, RW);
        }
    }
}

/* gesvj: sweeps over all pairs of n blocks of columns, in rounds of disjoint pairs (one block stands still, the others
 * go round). */
static void jacobi(struct maker *m)
{
    const int64_t n = m->n, turn = n - 1;
    pieces(m, n);
    for (int64_t s = 0; s < m->depth; s++)
        for (int64_t round = 0; round < turn; round++)
            for (int64_t k = 0; k < n / 2; k++) {
                const uint64_t p = m->data[k ? (round + k) % turn : turn];
                const uint64_t q = m->data[(round + turn - k) % turn];
                const uint64_t g = piece(m);
                task(m, "angle", 0);
                use(m, p, R);
                use(m, q, R);
                use(m, g, W);
                task(m, "update", 0);
                use(m, p, RW);
                use(m, q, RW);
                use(m, g, R);
            }
}

/* ---- All --------------------------------------------------------------------------------------------------- */

static double triangle(double n) { return n * (n + 1) / 2; }
static double pyramid(double n) { return n * (n + 1) * (2 * n + 1) / 6; }

static double of_chain(double n, double depth) { return (void)depth, n; }
static double of_fork_join(double n, double depth) { return 1 + depth * (n + 1); }
static double of_layered(double n, double depth) { return n * depth; }
static double of_cholesky(double n, double depth) { return (void)depth, n * (n + 1) * (n + 2) / 6; }
static double of_squares(double n, double depth) { return (void)depth, pyramid(n); }
static double of_bulge(double n, double depth) { return (void)depth, triangle(n); }
static double of_jacobi(double n, double depth) { return depth * n * (n - 1); }

static const struct family {
    const char *name;
    void (*make)(struct maker *);
    double (*tasks)(double n, double depth);
    int64_t size, depth, degree; /* if they are not given; 0: the family has none */
    int tiles;
} families[] = {
    {"chain", chain, of_chain, 10, 0, 0, 0},
    {"independent", independent, of_chain, 10, 0, 0, 0},
    {"fork-join", fork_join, of_fork_join, 10, 10, 0, 0},
    {"layered", layered, of_layered, 10, 10, 2, 0},
    {"cholesky", cholesky, of_cholesky, 10, 0, 0, 1},
    {"lu", lu, of_squares, 10, 0, 0, 1},
    {"qr", qr, of_squares, 10, 0, 0, 1},
    {"bulge", bulge, of_bulge, 10, 0, 0, 0},
    {"jacobi", jacobi, of_jacobi, 10, 2, 0, 0},
};

int graph_has_tiles(int family) { return families[family].tiles; }

static int wrong(const struct family *f, const char *what)
{
    cli_say("graph make %s: %s", f->name, what);
    return CLI_USAGE;
}

static int check(const struct family *f, graph_recipe *r)
{
    if (r->depth >= 0 && !f->depth)
        return wrong(f, "--depth means nothing here");
    if (r->degree >= 0 && !f->degree)
        return wrong(f, "--degree means nothing here");
    r->size = r->size < 0 ? f->size : r->size;
    r->depth = r->depth < 0 ? f->depth : r->depth;
    if (r->degree < 0)
        r->degree = f->degree < r->size ? f->degree : r->size;
    if (f->make == jacobi && r->size % 2)
        return wrong(f, "--size has to be even: blocks meet in pairs");
    if (r->degree > r->size)
        return wrong(f, "--degree is more than the --size of a layer");
    if (f->make == fork_join && r->size >= ORR_DAG_MOST_ACCESSES)
        return wrong(f, "--size is more than a task can have data");
    if (f->tasks((double)r->size, (double)r->depth) > (double)ORR_DAG_MOST_TASKS)
        return wrong(f, "more tasks than a graph can have, 16777216");
    if ((double)r->degree * (double)r->size * (double)r->depth > 1e8)
        return wrong(f, "more than 100000000 accesses");
    return CLI_OK;
}

/* Priority: how many tasks the longest chain has that begins with it. 0: no memory. */
static int set_priorities(struct orr_dag *d)
{
    struct orr_graph e = {.kinds = 0};
    if (!orr_dag_access_edges(d, &e))
        return 0;
    for (size_t i = d->tasks; i-- > 0;) {
        const int below = ++d->task[i].priority;
        for (size_t k = e.before_at[i]; k < e.before_at[i + 1]; k++) {
            int *p = &d->task[e.before[k]].priority;
            *p = *p < below ? below : *p;
        }
    }
    orr_graph_free(&e);
    return 1;
}

int graph_make(struct orr_dag *d, int family, graph_recipe *r)
{
    const struct family *f = &families[family];
    const int code = check(f, r);
    if (code != CLI_OK)
        return code;
    struct maker m = {.d = d, .r = r, .n = r->size, .depth = r->depth};
    const size_t room = (size_t)m.n * (f->tiles ? (size_t)m.n : 3);
    m.data = calloc(room, sizeof *m.data);
    orr_dag_init(d);
    snprintf(d->host, sizeof d->host, "made:%s", f->name);
    if (m.data)
        f->make(&m);
    const int ok = m.data && !d->failed && set_priorities(d);
    free(m.data);
    if (!ok)
        orr_dag_free(d);
    return ok ? CLI_OK : CLI_MEMORY;
}
