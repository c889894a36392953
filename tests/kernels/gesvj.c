/* gesvj's kernels on whole matrices: four types, a set of hard matrices, awkward shapes,
 * against the definition by LAPACK's ddrvbd ratios (tests/svdgen.h), all <= 20; singular
 * values of graded matrices against a reference in long double,
 *
 *   max_i |s_i - ref_i| / ref_i <= 50 n eps     where LAPACK's gesdd loses everything;
 *
 * parts (values only, one side only), layouts with padding that must stay, NaN that must
 * not spread; every instruction set that this processor has. "long" as argument: more shapes.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel's source, to choose the instruction set. */
#include "kernels/cpu/lanes.h"
int level;        /* of gesvj_lanes.c, too */
static int lanes; /* 1: small matrices as lanes of vectors */
#define lanes_level() level
#include "kernels/cpu/gesvj_block.c"
#undef lanes_level

#include "svdgen.h"
#include "check.h"
#include "larger.h"

static const double LIMIT = 20;
void dgesdd_(const char *, const int *, const int *, double *, const int *, double *, double *,
             const int *, double *, const int *, double *, const int *, int *, int *);
void sgesdd_(const char *, const int *, const int *, float *, const int *, float *, float *,
             const int *, float *, const int *, float *, const int *, int *, int *);

static void *allocate(int64_t count, int size)
{
    void *p = malloc((size_t)(count * size) + 64);
    if (!p)
        exit(99);
    memset(p, 0x5a, (size_t)(count * size) + 64);
    return p;
}

/* Everything of `count` matrices, with room around each. */
struct batch {
    orr_type t;
    orr_gesvj_args g;
    char *a, *s, *u, *v;
    orr_matrix_info *info;
};

static struct batch make(orr_type t, int64_t m, int64_t n, int64_t count, int64_t pad)
{
    const int64_t k = m < n ? m : n;
    struct batch b = {.t = t};
    b.g = (orr_gesvj_args){.m = m,
                           .n = n,
                           .count = count,
                           .ld = m + pad,
                           .lds = k + pad,
                           .ldu = m + 2 * pad,
                           .ldv = n + pad,
                           .left = 1,
                           .right = 1,
                           .nb = 16,
                           .lanes = lanes,
                           .precondition = 1};
    b.g.stride = b.g.ld * n + pad;
    b.g.strideu = b.g.ldu * k + pad;
    b.g.stridev = b.g.ldv * k + pad;
    b.a = allocate(b.g.stride * count, svdgen_size(t));
    b.s = allocate(b.g.lds * count, svdgen_size(svdgen_real(t)));
    b.u = allocate(b.g.strideu * count, svdgen_size(t));
    b.v = allocate(b.g.stridev * count, svdgen_size(t));
    b.info = allocate(count, sizeof *b.info);
    return b;
}

static void drop(struct batch *b)
{
    free(b->a);
    free(b->s);
    free(b->u);
    free(b->v);
    free(b->info);
}

/* Bytes of an array outside its k-th matrices that no longer hold the pattern. */
static int64_t spoilt(const char *x, int size, int64_t rows, int64_t columns, int64_t ld,
                      int64_t stride, int64_t count)
{
    int64_t bad = 0;
    for (int64_t i = 0; i < stride * count; i++)
        if (i % stride / ld >= columns || i % stride % ld >= rows)
            for (int b = 0; b < size; b++)
                bad += x[i * size + b] != 0x5a;
    return bad;
}

static void padding_kept(const struct batch *b, const char *what)
{
    const orr_gesvj_args *g = &b->g;
    const int64_t k = g->m < g->n ? g->m : g->n;
    const int size = svdgen_size(b->t), real = svdgen_size(svdgen_real(b->t));
    CHECK(spoilt(b->s, real, k, 1, g->lds > 0 ? g->lds : 1, g->lds, g->count) == 0, "s, %s", what);
    CHECK(spoilt(b->u, size, g->m, k, g->ldu, g->strideu, g->count) == 0, "U, %s", what);
    CHECK(spoilt(b->v, size, g->n, k, g->ldv, g->stridev, g->count) == 0, "V, %s", what);
}

struct worst {
    double residual, left, right;
    int sweeps;
};

static void judge(const struct batch *b, int64_t l, const char *name, struct worst *w)
{
    const orr_gesvj_args *g = &b->g;
    const int size = svdgen_size(b->t), real = svdgen_size(svdgen_real(b->t));
    struct svd_ratios r =
        svd_judge(b->t, g->m, g->n, b->a + l * g->stride * size, g->ld, b->s + l * g->lds * real,
                  b->u + l * g->strideu * size, g->ldu, b->v + l * g->stridev * size, g->ldv);
    CHECK(r.residual <= LIMIT && r.left <= LIMIT && r.right <= LIMIT && r.sorted,
          "%c %s %lld x %lld nb %d lanes %d precondition %d: residual %.3g left %.3g right %.3g "
          "sorted %d",
          "sdcz"[b->t], name, (long long)g -> m, (long long)g -> n, g -> nb, g -> lanes,
          g -> precondition, r.residual, r.left, r.right, r.sorted);
    CHECK(b->info[l].status == ORR_OK,
          "%c %s %lld x %lld nb %d lanes %d precondition %d: status %d sweeps %d", "sdcz"[b->t],
          name, (long long)g -> m, (long long)g -> n, g -> nb, g -> lanes, g -> precondition,
          b -> info[l].status, b->info[l].sweeps);
    w->residual = fmax(w->residual, r.residual);
    w->left = fmax(w->left, r.left);
    w->right = fmax(w->right, r.right);
    w->sweeps = b->info[l].sweeps > w->sweeps ? b->info[l].sweeps : w->sweeps;
}

/* Every kind of matrix as one chunk. */
static void hard_set(orr_type t, int64_t m, int64_t n, int nb, int precondition, struct worst *w)
{
    const int count = svdgen_kinds();
    struct batch b = make(t, m, n, count, 3);
    b.g.nb = nb;
    b.g.precondition = precondition;
    for (int64_t l = 0; l < count; l++)
        svdgen((int)l, t, m, n, (uint64_t)(m * 1000 + n), b.a + l * b.g.stride * svdgen_size(t),
               b.g.ld);
    orr_status st = orr_gesvj_cpu[t](&b.g, b.a, b.s, b.u, b.v, b.info);
    CHECK(st == ORR_OK, "status %d", st);
    for (int64_t l = 0; l < count; l++)
        judge(&b, l, svdgen_name((int)l), w);
    padding_kept(&b, "hard set");
    st = orr_gesvj_check_cpu[t](&b.g, b.a, b.s, b.u, b.v, b.info);
    for (int64_t l = 0; l < count && m * n > 0; l++)
        CHECK(strcmp(svdgen_name((int)l), "denormals") == 0 ||
                  (b.info[l].residual <= LIMIT && b.info[l].orthogonality <= LIMIT),
              "own check of %s: %g %g", svdgen_name((int)l), b.info[l].residual,
              b.info[l].orthogonality);
    drop(&b);
}

/* Without U, or V, or both: the same values to a few units, the rest untouched. */
static void parts(orr_type t, int64_t m, int64_t n, int precondition)
{
    const int real = svdgen_size(svdgen_real(t));
    const int64_t k = m < n ? m : n;
    struct batch whole = make(t, m, n, 1, 0);
    whole.g.precondition = precondition;
    svdgen(0, t, m, n, 7, whole.a, whole.g.ld);
    orr_gesvj_cpu[t](&whole.g, whole.a, whole.s, whole.u, whole.v, whole.info);
    for (int which = 0; which < 3; which++) {
        struct batch b = make(t, m, n, 1, 0);
        b.g.precondition = precondition;
        b.g.left = which == 1;
        b.g.right = which == 2;
        memcpy(b.a, whole.a, (size_t)(b.g.stride * svdgen_size(t)));
        orr_gesvj_cpu[t](&b.g, b.a, b.s, b.g.left ? b.u : NULL, b.g.right ? b.v : NULL, b.info);
        CHECK(memcmp(b.s, whole.s, (size_t)(k * real)) == 0, "values of part %d differ", which);
        if (which == 1)
            CHECK(memcmp(b.u, whole.u, (size_t)(b.g.strideu * svdgen_size(t))) == 0, "U differs");
        if (which == 2)
            CHECK(memcmp(b.v, whole.v, (size_t)(b.g.stridev * svdgen_size(t))) == 0, "V differs");
        drop(&b);
    }
    drop(&whole);
}

/* NaN and infinity stay with their matrix, and the others are what they are alone. */
static void not_finite(orr_type t, int64_t m, int64_t n)
{
    const int size = svdgen_size(t), real = svdgen_size(svdgen_real(t));
    struct batch b = make(t, m, n, 5, 2), one = make(t, m, n, 1, 2);
    for (int64_t l = 0; l < 5; l++)
        svdgen(0, t, m, n, (uint64_t)l, b.a + l * b.g.stride * size, b.g.ld);
    put(t, b.a, b.g.stride + (n - 1) * b.g.ld + m - 1, NAN);
    put(t, b.a, 3 * b.g.stride, INFINITY);
    CHECK(orr_gesvj_cpu[t](&b.g, b.a, b.s, b.u, b.v, b.info) == ORR_OK, "chunk with NaN");
    for (int64_t l = 0; l < 5; l++) {
        int bad = l == 1 || l == 3;
        CHECK(b.info[l].status == (bad ? ORR_NONFINITE : ORR_OK), "matrix %d: status %d", (int)l,
              b.info[l].status);
        CHECK(!bad || (isnan(creal(get(svdgen_real(t), b.s, l * b.g.lds))) &&
                       isnan(creal(get(t, b.u, l * b.g.strideu))) &&
                       isnan(creal(get(t, b.v, l * b.g.stridev)))),
              "results of a matrix with NaN are NaN");
    }
    svdgen(0, t, m, n, 4, one.a, one.g.ld);
    orr_gesvj_cpu[t](&one.g, one.a, one.s, one.u, one.v, one.info);
    CHECK(memcmp(one.s, b.s + 4 * b.g.lds * real, (size_t)((m < n ? m : n) * real)) == 0,
          "alone it is another");
    padding_kept(&b, "with NaN");
    drop(&b);
    drop(&one);
}

static double relative(orr_type t, int64_t k, const void *s, const double *ref)
{
    double worst = 0;
    for (int64_t i = 0; i < k; i++) {
        double e = fabs(creal(get(svdgen_real(t), s, i)) - ref[i]) / ref[i];
        worst = larger(worst, e);
    }
    return worst;
}

/* A = B D with D over twelve decades. */
static void high_relative_to(const double *ref, orr_type t, int64_t m, int64_t n, int precondition)
{
    const int64_t k = m < n ? m : n;
    const double unit = (double)k * svdgen_eps(t);
    struct batch b = make(t, m, n, 1, 0);
    b.g.precondition = precondition;
    svdgen(svdgen_find(m < n ? "graded rows" : "graded columns"), t, m, n, 3, b.a, b.g.ld);
    orr_gesvj_cpu[t](&b.g, b.a, b.s, b.u, b.v, b.info);
    double ours = relative(t, k, b.s, ref), lapack = NAN;
    const int mi = (int)m, ni = (int)n, one = 1, lwork = 100 * (mi + ni);
    int info, *iwork = allocate(8 * k, sizeof *iwork);
    void *work = allocate(lwork, 8);
    if (t == ORR_D)
        dgesdd_("N", &mi, &ni, (double *)b.a, &mi, (double *)b.s, NULL, &one, NULL, &one, work,
                &lwork, iwork, &info);
    if (t == ORR_S)
        sgesdd_("N", &mi, &ni, (float *)b.a, &mi, (float *)b.s, NULL, &one, NULL, &one, work,
                &lwork, iwork, &info);
    if (t == ORR_S || t == ORR_D)
        lapack = relative(t, k, b.s, ref);
    printf("%c %lld x %lld graded over 1e12, precondition %d: relative error %.2g = %.2f n eps",
           "sdcz"[t], (long long)m, (long long)n, precondition, ours, ours / unit);
    if (isfinite(lapack))
        printf("; LAPACK gesdd %.2g", lapack);
    printf("\n");
    CHECK(ours <= 50 * unit, "relative error %g", ours);
    free(iwork);
    free(work);
    drop(&b);
}

static void high_relative(orr_type t, int64_t m, int64_t n, int from, int to)
{
    struct batch b = make(t, m, n, 1, 0);
    double *ref = allocate(m < n ? m : n, sizeof *ref);
    svdgen(svdgen_find(m < n ? "graded rows" : "graded columns"), t, m, n, 3, b.a, b.g.ld);
    svd_reference(t, m, n, b.a, b.g.ld, ref);
    for (int precondition = from; precondition <= to; precondition++)
        high_relative_to(ref, t, m, n, precondition);
    free(ref);
    drop(&b);
}

/* Which matrices begin without the two QR factorizations. */
static void directly(orr_type t, int64_t m, int64_t n, const char *kind, int direct)
{
    struct batch b = make(t, m, n, 1, 1);
    b.g.precondition = 2;
    const orr_gesvj_shape s = orr_gesvj_shape_of(&b.g);
    const int size = svdgen_size(t);
    const int64_t block = s.big * b.g.nb;
    char *x = allocate(2 * s.blocks * block, size);
    void **X = allocate(2 * s.blocks, sizeof *X),
         *factors = allocate(orr_gesvj_factors(&b.g), size);
    int32_t *head = allocate(ORR_GESVJ_PIVOTS + s.small, sizeof *head);
    for (int64_t i = 0; i < 2 * s.blocks; i++)
        X[i] = x + i * block * size;
    svdgen(svdgen_find(kind), t, m, n, 5, b.a, b.g.ld);
    CHECK(orr_gesvj_start_cpu[t](&b.g, b.a, factors, head, X, X + s.blocks, b.info) == ORR_OK,
          "start");
    CHECK(head[ORR_GESVJ_DIRECT] == direct, "%c %s %lld x %lld: directly %d", "sdcz"[t], kind,
          (long long)m, (long long)n, head[ORR_GESVJ_DIRECT]);
    free(x);
    free(X);
    free(factors);
    free(head);
    drop(&b);
}

/* Matrices as lanes of vectors: the same hard set, fewer matrices than lanes and more. */
static void small_ones(orr_type t, int lengthy)
{
    static const int64_t shapes[][2] = {
        {1, 1}, {2, 2},    {3, 3},    {8, 8},   {5, 4},   {16, 16}, {31, 31}, {33, 33}, {1, 9},
        {9, 1}, {129, 33}, {33, 129}, {200, 5}, {5, 200}, {64, 64}, {48, 64}, {256, 64}};
    const size_t count = sizeof shapes / sizeof *shapes - (lengthy ? 0 : 2);
    struct worst w = {0};
    lanes = 1;
    for (size_t i = 0; i < count; i++)
        hard_set(t, shapes[i][0], shapes[i][1], 16, 1, &w);
    parts(t, 40, 20, 1);
    parts(t, 20, 40, 1);
    high_relative(t, 64, 64, 1, 1);
    high_relative(t, 33, 80, 1, 1);
    not_finite(t, 7, 4);
    not_finite(t, 40, 62);
    lanes = 0;
    printf("%c: by lanes |A-USV'| %.2f, |I-U'U| %.2f, |I-V'V| %.2f (limit %g), sweeps %d\n",
           "sdcz"[t], w.residual, w.left, w.right, LIMIT, w.sweeps);
}

int main(int argc, char **argv)
{
    static const int64_t few[][2] = {{1, 1},    {2, 2},   {3, 3},     {5, 5}, {31, 31}, {33, 33},
                                     {64, 64},  {65, 65}, {100, 100}, {1, 9}, {9, 1},   {129, 33},
                                     {33, 129}, {200, 5}, {5, 200},   {0, 3}, {3, 0}};
    static const int64_t more[][2] = {{32, 32},   {63, 63},   {129, 129}, {128, 128},
                                      {257, 100}, {100, 257}, {1000, 17}, {17, 1000}};
    const int lengthy = argc > 1 && !strcmp(argv[1], "long");
    const int best = lanes_level();
    for (level = 0; level <= best; level += level == 0 && best > 0 ? 3 : 1)
        for (int t = 0; t < ORR_NTYPES; t++) {
            struct worst w = {0};
            hard_set((orr_type)t, 65, 65, 16, 1, &w);
            hard_set((orr_type)t, 40, 90, 32, 0, &w);
            /* Four blocks of 64 columns, or two. */
            if (lengthy || (t + level) % 2 == 0)
                hard_set((orr_type)t, 131, 129, 64, 1, &w);
            else
                hard_set((orr_type)t, 71, 67, 64, 1, &w);
            lanes = 1;
            hard_set((orr_type)t, 19, 17, 16, 1, &w);
            lanes = 0;
            printf("instruction set %d, %c: %.2f %.2f %.2f\n", level, "sdcz"[t], w.residual, w.left,
                   w.right);
        }
    level = best;
    for (int t = 0; t < ORR_NTYPES; t++) {
        struct worst w = {0};
        for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
            const int wide = i % 3 == 2;
            hard_set((orr_type)t, few[i][0], few[i][1], wide ? 32 : 16, 1, &w);
            if (i % 2 == 0 || lengthy)
                hard_set((orr_type)t, few[i][0], few[i][1], wide ? 16 : 32, 0, &w);
        }
        for (size_t i = 0; lengthy && i < sizeof more / sizeof *more; i++)
            for (int nb = 16; nb <= 64; nb *= 2)
                hard_set((orr_type)t, more[i][0], more[i][1], nb, nb != 32, &w);
        if (lengthy)
            hard_set((orr_type)t, 129, 129, 64, 1, &w);
        if (lengthy || t % 2 == 0)
            hard_set((orr_type)t, 129, 129, 32, 2, &w);
        hard_set((orr_type)t, 90, 70, 16, 2, &w);
        hard_set((orr_type)t, 67, 150, 32, 2, &w);
        for (int precondition = 0; precondition < 3; precondition++) {
            parts((orr_type)t, 40, 20, precondition);
            parts((orr_type)t, 20, 40, precondition);
        }
        high_relative((orr_type)t, 100, 100, 0, 2);
        high_relative((orr_type)t, 150, 65, 0, 2);
        high_relative((orr_type)t, 33, 80, 0, 2);
        directly((orr_type)t, 100, 100, "random", 1);
        directly((orr_type)t, 150, 65, "random", 1);
        directly((orr_type)t, 33, 80, "random", 1);
        directly((orr_type)t, 100, 100, "graded columns", 0);
        directly((orr_type)t, 100, 100, "rank half", 0);
        not_finite((orr_type)t, 7, 4);
        not_finite((orr_type)t, 40, 70);
        small_ones((orr_type)t, lengthy);
        printf("%c: worst |A-USV'| %.2f, |I-U'U| %.2f, |I-V'V| %.2f (limit %g), sweeps %d\n",
               "sdcz"[t], w.residual, w.left, w.right, LIMIT, w.sweeps);
    }
    return checked();
}
