/* One step of power iteration and of PageRank, against SuiteSparse:GraphBLAS in the same process.
 *
 *   powm_graphblas NAME|FILE.mtx [FILE.mtx]      NAME as for --generate; two: Kronecker product
 *
 * GraphBLAS does what its users write: y = A x, |y|, x = y/|y| (values; or plus_second where only
 * the pattern counts), and LAGraph's PageRank with sinks, in double. It runs with 1 and with all
 * threads, the faster counts. Rounds alternate; medians. Built where libgraphblas is found
 * (Debian: libgraphblas-dev); Orrery does not need it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <GraphBLAS.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "orrery/sparse.h"

enum { STEPS = 10, TIMES = 5, ROUNDS = 5, KINDS = 3 };
static const double ALPHA = 0.85;
static const char *const kind_name[KINDS] = {"power, values", "power, pattern", "pagerank"};

static void try(int info, const char *what)
{
    if (info != GrB_SUCCESS) {
        fprintf(stderr, "powm_graphblas: %s: status %d\n", what, info);
        exit(1);
    }
}

/* ---- GraphBLAS ----------------------------------------------------------------------------- */

struct peer {
    GrB_Index n;
    GrB_Matrix A;          /* by rows; of a graph the transposed one */
    GrB_Vector x, y, t, d; /* d: links out over alpha */
    GrB_Vector sinks;      /* present where no link leads out */
};

/* Entries of symmetric files in full; pattern: all are 1. */
static GrB_Matrix matrix_of(const orr_mtx *m, int pattern, int transpose)
{
    const size_t room = 2 * (size_t)m->entries + 1;
    GrB_Index *i = malloc(room * sizeof *i), *j = malloc(room * sizeof *j), n = 0;
    double *v = malloc(room * sizeof *v);
    GrB_Matrix A;
    if (!i || !j || !v)
        exit(5);
    for (int64_t k = 0; k < m->entries; k++)
        for (int mirror = 0; mirror < 2; mirror++) {
            if (mirror && (m->symmetry == ORR_MTX_GENERAL || m->row[k] == m->col[k]))
                continue;
            const int swap = mirror != transpose;
            i[n] = (GrB_Index)(swap ? m->col[k] : m->row[k]);
            j[n] = (GrB_Index)(swap ? m->row[k] : m->col[k]);
            v[n++] = m->val && !pattern ? m->val[k] : 1;
        }
    try(GrB_Matrix_new(&A, GrB_FP64, (GrB_Index)m->rows, (GrB_Index)m->cols), "matrix");
    if (pattern) {
        GrB_Scalar one;
        try(GrB_Scalar_new(&one, GrB_FP64), "scalar");
        try(GrB_Scalar_setElement_FP64(one, 1), "scalar");
        try(GxB_Matrix_build_Scalar(A, i, j, one, n), "build");
        GrB_Scalar_free(&one);
    } else {
        try(GrB_Matrix_build_FP64(A, i, j, v, n, GrB_PLUS_FP64), "build");
    }
    try(GrB_Matrix_wait(A, GrB_MATERIALIZE), "build");
    free(i);
    free(j);
    free(v);
    return A;
}

/* value, and a little more in every second place if `uneven`: of a vector of equal numbers
 * GraphBLAS keeps one, and 7.4 writes beyond its end when it is the output of an operation. */
static GrB_Vector full(GrB_Index n, double value, int uneven)
{
    GrB_Index *i = malloc((n + 1) * sizeof *i);
    double *a = malloc((n + 1) * sizeof *a);
    GrB_Vector v;
    if (!i || !a)
        exit(5);
    for (GrB_Index k = 0; k < n; k++) {
        i[k] = k;
        a[k] = value * (uneven && k % 2 ? 1.001 : 1);
    }
    try(GrB_Vector_new(&v, GrB_FP64, n), "vector");
    try(GrB_Vector_build_FP64(v, i, a, n, GrB_PLUS_FP64), "vector");
    free(i);
    free(a);
    return v;
}

static struct peer peer_of(const orr_mtx *m, int kind)
{
    struct peer p = {.n = (GrB_Index)m->rows, .A = matrix_of(m, kind > 0, kind == 2)};
    p.x = full(p.n, 1.0 / (double)p.n, kind < 2);
    p.d = full(p.n, 1, 1); /* of sinks: anything but 0 */
    try(GrB_Vector_new(&p.y, GrB_FP64, p.n), "vector");
    try(GrB_Vector_new(&p.t, GrB_FP64, p.n), "vector");
    try(GrB_Vector_new(&p.sinks, GrB_BOOL, p.n), "vector");
    if (kind == 2) { /* columns of the transposed matrix: links out */
        GrB_Vector out;
        try(GrB_Vector_new(&out, GrB_FP64, p.n), "vector");
        try(GrB_Matrix_reduce_Monoid(out, NULL, NULL, GrB_PLUS_MONOID_FP64, p.A, GrB_DESC_T0),
            "degrees");
        try(GrB_Vector_assign_BOOL(p.sinks, out, NULL, true, GrB_ALL, p.n, GrB_DESC_SC), "sinks");
        try(GrB_Vector_apply_BinaryOp2nd_FP64(p.d, out, NULL, GrB_DIV_FP64, out, ALPHA, GrB_DESC_S),
            "degrees");
        GrB_Vector_free(&out);
    }
    return p;
}

static void peer_free(struct peer *p)
{
    GrB_Matrix_free(&p->A);
    GrB_Vector_free(&p->x);
    GrB_Vector_free(&p->y);
    GrB_Vector_free(&p->t);
    GrB_Vector_free(&p->d);
    GrB_Vector_free(&p->sinks);
}

static void power_step(struct peer *p, int pattern)
{
    double square;
    try(GrB_mxv(p->y, NULL, NULL, pattern ? GxB_PLUS_SECOND_FP64 : GrB_PLUS_TIMES_SEMIRING_FP64,
                p->A, p->x, NULL),
        "mxv");
    try(GrB_Vector_eWiseMult_BinaryOp(p->t, NULL, NULL, GrB_TIMES_FP64, p->y, p->y, NULL),
        "square");
    try(GrB_Vector_reduce_FP64(&square, NULL, GrB_PLUS_MONOID_FP64, p->t, NULL), "norm");
    try(GrB_Vector_apply_BinaryOp2nd_FP64(p->x, NULL, NULL, GrB_DIV_FP64, p->y, sqrt(square), NULL),
        "scale");
}

/* LAGr_PageRank: x the scores, y the ones before. Returns the L1 change. */
static double rank_step(struct peer *p)
{
    const double n = (double)p->n;
    double lost = 0, change;
    GrB_Index sinks;
    try(GrB_Vector_nvals(&sinks, p->sinks), "sinks");
    if (sinks > 0) {
        GrB_Vector r;
        try(GrB_Vector_new(&r, GrB_FP64, p->n), "sinks");
        try(GrB_Vector_assign(r, p->sinks, NULL, p->x, GrB_ALL, p->n, GrB_DESC_S), "sinks");
        try(GrB_Vector_reduce_FP64(&lost, NULL, GrB_PLUS_MONOID_FP64, r, NULL), "sinks");
        GrB_Vector_free(&r);
    }
    const GrB_Vector swap = p->y;
    p->y = p->x;
    p->x = swap;
    try(GrB_Vector_eWiseMult_BinaryOp(p->t, NULL, NULL, GrB_DIV_FP64, p->y, p->d, NULL), "w");
    try(GrB_Vector_assign_FP64(p->x, NULL, NULL, (1 - ALPHA + ALPHA * lost) / n, GrB_ALL, p->n,
                               NULL),
        "teleport");
    try(GrB_mxv(p->x, NULL, GrB_PLUS_FP64, GxB_PLUS_SECOND_FP64, p->A, p->t, NULL), "mxv");
    try(GrB_Vector_assign(p->y, NULL, GrB_MINUS_FP64, p->x, GrB_ALL, p->n, NULL), "change");
    try(GrB_Vector_apply(p->y, NULL, NULL, GrB_ABS_FP64, p->y, NULL), "change");
    try(GrB_Vector_reduce_FP64(&change, NULL, GrB_PLUS_MONOID_FP64, p->y, NULL), "change");
    return change;
}

static double peer_seconds(struct peer *p, int kind)
{
    const double start = now();
    for (int s = 0; s < STEPS; s++)
        if (kind == 2)
            rank_step(p);
        else
            power_step(p, kind);
    return (now() - start) / STEPS;
}

/* ---- Orrery -------------------------------------------------------------------------------- */

static void run(orr_context *ctx, const orr_sparse *A, int kind, int64_t steps, double *x)
{
    orr_report rep;
    orr_status st;
    if (kind == 2) {
        const orr_pagerank_opts o = {.alpha = ALPHA, .extrapolate = 'n', .fixed_steps = steps};
        orr_pagerank_result r;
        st = orr_pagerank(ctx, A, &o, x, &r, &rep);
    } else {
        const orr_powm_opts o = {.method = ORR_POWM_METHOD_POWER, .fixed_steps = steps};
        orr_eigenpair e[2];
        orr_powm_result r;
        st = orr_powm(ctx, A, &o, e, NULL, &r, &rep);
    }
    if (st < 0) {
        fprintf(stderr, "powm_graphblas: %s\n", rep.message);
        exit(1);
    }
}

static double own_seconds(orr_context *ctx, const orr_sparse *A, int kind, int64_t steps, double *x)
{
    const double start = now();
    run(ctx, A, kind, steps, x);
    return now() - start;
}

/* ---- Side by side -------------------------------------------------------------------------- */

/* Both walk the same path: the largest difference of the scores, relative to their sum. */
static double difference(orr_context *ctx, const orr_sparse *G, struct peer *p, double *x)
{
    double sum = 0;
    run(ctx, G, 2, STEPS, x);
    GrB_Vector_free(&p->x);
    p->x = full(p->n, 1.0 / (double)p->n, 0);
    peer_seconds(p, 2);
    for (GrB_Index i = 0; i < p->n; i++) {
        double v = 0;
        try(GrB_Vector_extractElement_FP64(&v, p->x, i), "scores");
        sum += fabs(v - x[i]);
    }
    return sum;
}

static void compare(orr_context *ctx, const orr_mtx *m, int kind)
{
    const orr_sparse_opts o = {.graph = kind == 2, .unweighted = kind > 0, .full = kind == 0};
    double few[ROUNDS], many[ROUNDS], theirs[2][ROUNDS],
        *x = malloc(((size_t)m->rows + 1) * sizeof *x);
    orr_context_info ci;
    orr_sparse_info info;
    orr_sparse *A;
    char message[256];
    orr_context_query(ctx, &ci);
    if (!x || orr_sparse_from_mtx(ctx, m, &o, &A, message) != ORR_OK) {
        fprintf(stderr, "powm_graphblas: %s\n", message);
        exit(1);
    }
    orr_sparse_query(A, &info);
    struct peer p = peer_of(m, kind);
    const double off = kind == 2 ? difference(ctx, A, &p, x) : 0;
    for (int r = -1; r < ROUNDS; r++) { /* the first one warms up */
        const int at = r < 0 ? 0 : r;
        for (int who = 0; who < 2; who++) {
            GxB_Global_Option_set(GxB_GLOBAL_NTHREADS, who == 0 ? 1 : ci.cpu);
            theirs[who][at] = peer_seconds(&p, kind);
        }
        few[at] = own_seconds(ctx, A, kind, STEPS, x);
        many[at] = own_seconds(ctx, A, kind, TIMES * STEPS, x);
    }
    const double one = median(theirs[0], ROUNDS), all = median(theirs[1], ROUNDS);
    /* what a call does once cancels */
    const double mine = (median(many, ROUNDS) - median(few, ROUNDS)) / ((TIMES - 1) * STEPS);
    const double best = one < all ? one : all;
    printf("%-15s %11lld %12.3f %12.3f %12.3f %8.2f", kind_name[kind], (long long)info.nnz,
           1e3 * mine, 1e3 * one, 1e3 * all, best / mine);
    if (kind == 2)
        printf("   (scores differ by %.1e)", off);
    printf("\n");
    fflush(stdout);
    peer_free(&p);
    orr_sparse_free(A);
    free(x);
}

static int load(const char *name, orr_mtx *m)
{
    const size_t n = strlen(name);
    char message[256] = "";
    orr_io_error error = {0};
    const int file = strstr(name, ".mtx") != NULL && n > 4;
    const orr_status st =
        file ? orr_mtx_read(name, 0, NULL, NULL, m, &error) : orr_generate(name, 0, m, message);
    if (st != ORR_OK)
        fprintf(stderr, "powm_graphblas: %s\n", file ? error.message : message);
    return st == ORR_OK;
}

int main(int argc, char **argv)
{
    orr_mtx m, b, product;
    orr_context *ctx;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: powm_graphblas NAME|FILE.mtx [FILE.mtx]\n");
        return 2;
    }
    if (!load(argv[1], &m))
        return 3;
    if (argc == 3) {
        if (!load(argv[2], &b) || orr_kronecker(&m, &b, &product) != ORR_OK)
            return 3;
        orr_mtx_free(&m);
        orr_mtx_free(&b);
        m = product;
    }
    if (m.rows != m.cols || m.field == ORR_MTX_COMPLEX || m.symmetry == ORR_MTX_SKEW) {
        fprintf(stderr, "powm_graphblas: square real matrices only, not skew\n");
        return 3;
    }
    if (orr_open(NULL, &ctx) != ORR_OK)
        return 5;
    try(GrB_init(GrB_NONBLOCKING), "GraphBLAS");
    printf("%lld rows; milliseconds per step\n%-15s %11s %12s %12s %12s %8s\n", (long long)m.rows,
           "", "entries", "orrery", "grb 1", "grb all", "ratio");
    for (int kind = m.val ? 0 : 1; kind < KINDS; kind++)
        compare(ctx, &m, kind);
    GrB_finalize();
    orr_close(ctx);
    orr_mtx_free(&m);
    return 0;
}
