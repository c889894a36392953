/* gesvd of one small matrix, without StarPU, for every instruction set and type.
 *
 *   values   max |s - s_gesvd| / (k eps |A|_F)                                <= 20, LAPACK's QR in double
 *   U, V     |A V - U diag(s)|_F / (k eps |A|_F), |U'U - I|_F, |V'V - I|_F / (k eps) <= 20
 *   alone    the values, again
 *   of zero and of an identity U and V are identities
 *   one side the same bits, whether the other is wanted or not
 *
 * Beyond the workspace, s, U and V nothing is written.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel's source, to reach its version for every instruction set. */
#include "level.h"
#include "kernels/cpu/gesvd_small.c"
#include "canary.h"
#include "check.h"
#include "columns.h"
#include "numbers.h"
#undef lanes_level

void zgesvd_(const char *, const char *, const int32_t *, const int32_t *, double complex *,
             const int32_t *, double *, double complex *, const int32_t *, double complex *,
             const int32_t *, double complex *, const int32_t *, double *, int32_t *);
void zgemm_(const char *, const char *, const int32_t *, const int32_t *, const int32_t *,
            const double complex *, const double complex *, const int32_t *, const double complex *,
            const int32_t *, const double complex *, double complex *, const int32_t *);

static const double LIMIT = 20;

enum kind {
    RANDOM,
    GRADED, /* down rows and columns */
    UPWARD, /* up them */
    DIAGONAL,
    IDENTITY,
    CLUSTER, /* all but one value in a few */
    RANK_ONE,
    BIDIAGONAL, /* Kahan's: values agree to all digits */
    STEEP,      /* bidiagonal, up its diagonals: many rotations */
    NILPOTENT,  /* zeros on the diagonal */
    HALF,       /* half of the rows are zero */
    SIGNS,      /* orthogonal but for a factor, where k is a power of two */
    NEARLY,     /* as SIGNS, values apart by 4e-12 of themselves: rotations are all alike */
    TINY,
    HUGE_ENTRIES,
    ZERO,
    KINDS
};

static double entry(int kind, int64_t i, int64_t j, uint64_t *state)
{
    const double x = next_uniform(state);
    switch (kind) {
    case GRADED: return x * pow(2, -(double)(i + j) / 3);
    case UPWARD: return x * pow(2, fmin((double)(i + j) / 3, 160) - 60);
    case DIAGONAL: return i == j ? x : 0;
    case IDENTITY: return i == j;
    case CLUSTER: return i == j ? 1 + 1e-6 * x : 1e-7 * x;
    case RANK_ONE: return 1;
    case BIDIAGONAL: return i == j ? 1 : j - i == 1 ? -1 : 0;
    case STEEP: return i == j || j - i == 1 ? x * pow(2, fmin((double)(i + j) / 2, 100)) : 0;
    case NILPOTENT: return j - i == 1 ? 1 : j - i == 2 && i % 7 == 0 ? x : 0;
    case HALF: return i % 2 ? x : 0;
    case SIGNS: return __builtin_parityll((unsigned long long)(i & j)) ? -1 : 1;
    case NEARLY: return entry(SIGNS, i, j, state) * (1 + 4e-12 * (double)j);
    case TINY: return x * 0x1p-100;
    case HUGE_ENTRIES: return x * 0x1p100;
    default: return kind == ZERO ? 0 : x;
    }
}

/* What a complex matrix has in place of a number x: as large, and where values depend on it, similar. */
static double complex turned(int kind, int64_t i, int64_t j, double x, uint64_t *state)
{
    static const double complex powers[4] = {1, I, -1, -I};
    if (kind == IDENTITY)
        return x;
    if (kind == RANK_ONE || kind == SIGNS || kind == NEARLY)
        return x * powers[(i * i + j) & 3];
    return x * cexp(I * (4 * next_uniform(state)));
}

static const double complex ONE = 1, MINUS = -1;

/* |X'X - I|_F */
static double not_orthogonal(orr_type t, int64_t rows, int64_t k, const void *x, int64_t ld)
{
    const int32_t rows_ = (int32_t)rows, k_ = (int32_t)k;
    double complex *X = packed(t, rows, k, x, ld), *G = allocate((size_t)(k * k) * sizeof *G);
    for (int64_t i = 0; i < k * k; i++)
        G[i] = i % (k + 1) == 0;
    zgemm_("C", "N", &k_, &k_, &rows_, &ONE, X, &rows_, X, &rows_, &MINUS, G, &k_);
    const double off = norm_of(k * k, G);
    free(X), free(G);
    return off;
}

/* |A V - U diag(s)|_F */
static double residual(orr_type t, const orr_gesvd_direct *g, const double *s,
                       const double complex *A)
{
    const int64_t k = g->m < g->n ? g->m : g->n;
    const int32_t m_ = (int32_t)g->m, n_ = (int32_t)g->n, k_ = (int32_t)k;
    double complex *U = packed(t, g->m, k, g->u, g->ldu), *V = packed(t, g->n, k, g->v, g->ldv);
    for (int64_t i = 0; i < g->m * k; i++)
        U[i] *= s[i / g->m];
    zgemm_("N", "N", &m_, &k_, &n_, &ONE, A, &m_, V, &n_, &MINUS, U, &m_);
    const double off = norm_of(g->m * k, U);
    free(U), free(V);
    return off;
}

static double one(orr_type t, int kind, int64_t m, int64_t n, uint64_t seed)
{
    const int64_t k = m < n ? m : n, lda = m + 3, ldu = m + 2, ldv = n + 1;
    const int complex_one = t == ORR_C || t == ORR_Z;
    const orr_type real = t == ORR_S || t == ORR_C ? ORR_S : ORR_D;
    const size_t real_size = real == ORR_S ? sizeof(float) : sizeof(double);
    const size_t size = (size_t)(1 + complex_one) * real_size;
    const double eps = real == ORR_S ? (double)FLT_EPSILON : DBL_EPSILON;
    char *a = allocate((size_t)(lda * n) * size), *s = allocate((size_t)k * real_size);
    char *u = allocate((size_t)(ldu * k) * size), *v = allocate((size_t)(ldv * k) * size);
    char *u2 = allocate((size_t)(ldu * k) * size), *v2 = allocate((size_t)(ldv * k) * size);
    const int32_t m_ = (int32_t)m, n_ = (int32_t)n, lwork = 70 * (m_ + n_), one_ = 1;
    double complex *B = allocate((size_t)(m * n) * sizeof *B);
    double complex *work = allocate((size_t)lwork * sizeof *work);
    double *ref = allocate((size_t)k * sizeof *ref), *found = allocate((size_t)k * sizeof *found);
    double *more = allocate((size_t)(5 * k) * sizeof *more);
    uint64_t state = 7 * seed + (uint64_t)(m + n + kind);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            const double x = entry(kind, i, j, &state);
            put(t, a, j * lda + i, complex_one ? turned(kind, i, j, x, &state) : x);
        }
    double complex *A = packed(t, m, n, a, lda);
    const double norm = norm_of(m * n, A);
    orr_gesvd_direct g = {.type = t,
                          .m = m,
                          .n = n,
                          .lda = lda,
                          .ldu = ldu,
                          .ldv = ldv,
                          .scale = 1,
                          .a = a,
                          .s = s,
                          .u = u,
                          .v = v};
    const size_t bytes = orr_gesvd_small_bytes(&g);
    char *memory = aligned_alloc(64, (bytes + PAST + 63) / 64 * 64);
    memset(memory + bytes, CANARY, PAST);
    orr_status st = orr_gesvd_small(&g, memory);
    CHECK(st == ORR_OK && untouched(memory + bytes, PAST) &&
              untouched(s + (size_t)k * real_size, PAST) && untouched_between(u, m, ldu, k, size) &&
              untouched_between(v, n, ldv, k, size),
          "type %d kind %d %lld x %lld: status %d, or past an end", t, kind, (long long)m,
          (long long)n, st);

    int32_t info;
    memcpy(B, A, (size_t)(m * n) * sizeof *B);
    memcpy(B, A, (size_t)(m * n) * sizeof *B);
    zgesvd_("N", "N", &m_, &n_, B, &m_, ref, NULL, &one_, NULL, &one_, work, &lwork, more, &info);
    for (int64_t i = 0; i < k; i++)
        found[i] = creal(get(real, s, i));
    const double unit = (norm > 0 ? norm : 1) * eps * (double)k;
    double worst = residual(t, &g, found, A) / unit;
    worst = fmax(worst, not_orthogonal(t, m, k, u, ldu) / eps / (double)k);
    worst = fmax(worst, not_orthogonal(t, n, k, v, ldv) / eps / (double)k);
    for (int64_t i = 0; i < k; i++)
        worst = fmax(worst, fabs(found[i] - ref[i]) / unit);
    int sorted = 1;
    for (int64_t i = 0; i < k; i++)
        sorted &= !signbit(found[i]) && (i == 0 || found[i - 1] >= found[i]);
    CHECK(sorted && worst <= LIMIT, "type %d kind %d %lld x %lld: sorted %d, %g", t, kind,
          (long long)m, (long long)n, sorted, worst);

    int trivial = 1;
    for (int64_t j = 0; j < k && (kind == ZERO || kind == IDENTITY); j++) {
        for (int64_t i = 0; i < m; i++)
            trivial &= get(t, u, j * ldu + i) == (i == j);
        for (int64_t i = 0; i < n; i++)
            trivial &= get(t, v, j * ldv + i) == (i == j);
    }
    CHECK(trivial, "type %d kind %d %lld x %lld: no identity", t, kind, (long long)m, (long long)n);

    g.u = g.v = NULL;
    memset(s, CANARY, (size_t)k * real_size);
    st = orr_gesvd_small(&g, memory);
    double alone = 0;
    for (int64_t i = 0; i < k; i++)
        alone = fmax(alone, fabs(creal(get(real, s, i)) - ref[i]) / unit);
    CHECK(st == ORR_OK && alone <= LIMIT, "type %d kind %d %lld x %lld: values alone, %g", t, kind,
          (long long)m, (long long)n, alone);
    g.u = NULL, g.v = v2;
    const orr_status right = orr_gesvd_small(&g, memory);
    g.u = u2, g.v = NULL;
    const orr_status left = orr_gesvd_small(&g, memory);
    int same = 1;
    for (int64_t j = 0; j < k; j++)
        same &=
            !memcmp(u + (size_t)(j * ldu) * size, u2 + (size_t)(j * ldu) * size,
                    (size_t)m * size) &&
            !memcmp(v + (size_t)(j * ldv) * size, v2 + (size_t)(j * ldv) * size, (size_t)n * size);
    CHECK(left == ORR_OK && right == ORR_OK && same, "type %d kind %d %lld x %lld: one side", t,
          kind, (long long)m, (long long)n);
    free(a), free(s), free(u), free(v), free(u2), free(v2);
    free(A), free(B), free(ref), free(found), free(more), free(work), free(memory);
    return worst;
}

int main(void)
{
    static const int levels[] = {0, 3, 4};
    static const int64_t shape[][2] = {
        {1, 1},     {1, 5},    {9, 1},     {2, 2},     {3, 3},     {4, 4},     {7, 7},
        {8, 8},     {9, 4},    {15, 15},   {17, 17},   {5, 31},    {31, 31},   {33, 32},
        {40, 40},   {63, 63},  {64, 64},   {65, 65},   {90, 100},  {127, 127}, {128, 128},
        {129, 129}, {300, 70}, {200, 256}, {256, 256}, {300, 301}, {401, 390}};
    for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
        double worst[ORR_NTYPES] = {0};
        level = levels[l];
        if (forced_level() != level) {
            printf("instruction set v%d: not on this processor\n", level);
            continue;
        }
        for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
            for (int kind = 0; kind < KINDS; kind++)
                for (int t = 0; t < ORR_NTYPES; t++)
                    worst[t] = fmax(worst[t], one((orr_type)t, kind, shape[i][0], shape[i][1], 1));
        for (uint64_t seed = 1; seed <= 300; seed++)
            for (int64_t k = 4; k <= 12; k++)
                for (int t = ORR_D; t <= ORR_Z; t += ORR_Z - ORR_D)
                    worst[t] = fmax(worst[t], one((orr_type)t, STEEP, k, k, seed));
        printf("v%d: s %.3g, d %.3g, c %.3g, z %.3g (limit %g)\n", level, worst[ORR_S],
               worst[ORR_D], worst[ORR_C], worst[ORR_Z], LIMIT);
    }
    char here;
    const orr_gesvd_direct large = {.type = ORR_D, .m = 361, .n = 361, .u = &here},
                           values = {.type = ORR_S, .m = 64, .n = 1000};
    CHECK(!orr_gesvd_small_takes(&large) && orr_gesvd_small_takes(&values), "not for these");
    return checked();
}
