/* gesvd_tsqr, without StarPU, for every instruction set and type.
 *
 *   Q R      |scale A - Q R|_F / (rows eps |scale A|_F), Q from E = I            <= 20
 *   Q        |Q'Q - I|_F / (rows eps)                                            <= 20
 *   Q E      |u - Q E|_F / (rows eps |E|_F)                                      <= 20
 *   R        is upper triangular, and the same bits without reflectors
 *   adjoint  the same bits of R and Q as of the matrix itself
 *
 * Beyond a, the factors, R and u nothing is written.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel's source, to reach its version for every instruction set. */
#include "level.h"
#include "kernels/cpu/gesvd_tsqr.c"
#include "canary.h"
#include "check.h"
#include "columns.h"
#include "numbers.h"
#undef lanes_level

static const double LIMIT = 20;

enum kind {
    RANDOM,
    GRADED, /* columns */
    DOWN,   /* rows */
    ONES,   /* of rank one */
    ZERO,   /* all reflectors are the identity */
    HEAD,   /* only the first n rows are not zero */
    TAIL,   /* the last one alone is not */
    SPARSE, /* most columns of most blocks are zero */
    TINY,   /* below the first rows so small that squares vanish */
    LARGE,  /* to be scaled */
    KINDS
};

static double entry(int kind, int64_t i, int64_t j, int64_t m, int64_t n, uint64_t *state)
{
    const double x = next_uniform(state);
    switch (kind) {
    case GRADED: return x * pow(2, -(double)j);
    case DOWN: return x * pow(2, -(double)(i % 60));
    case ONES: return 1;
    case ZERO: return 0;
    case HEAD: return i < n ? x : 0;
    case TAIL: return i == m - 1 ? x : 0;
    case SPARSE: return (i + 3 * j) % 97 == 0 ? x : 0;
    case TINY: return i < n ? x : x * 0x1p-70;
    case LARGE: return x * 0x1p20;
    default: return x;
    }
}

/* |C - op(A) B|_F, op(A) rows x k, B k x n; adjoint: A is k x rows. C: NULL, the identity. */
static double differ(int adjoint, int64_t rows, int64_t k, int64_t n, const double complex *A,
                     const double complex *B, const double complex *C)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < rows; i++) {
            double complex x = C ? -C[j * rows + i] : -(i == j);
            for (int64_t l = 0; l < k; l++)
                x += (adjoint ? conj(A[i * k + l]) : A[l * rows + i]) * B[j * k + l];
            sum += creal(x * conj(x));
        }
    return sqrt(sum);
}

static int same_columns(const char *x, const char *y, int64_t rows, int64_t ld, int64_t n,
                        size_t size)
{
    int same = 1;
    for (int64_t j = 0; j < n; j++)
        same &=
            !memcmp(x + (size_t)(ld * j) * size, y + (size_t)(ld * j) * size, (size_t)rows * size);
    return same;
}

static double one(orr_type t, int kind, int64_t m, int64_t n)
{
    const int64_t lda = m + 3, ldr = n + 1, ldu = m + 2, lda2 = n + 2;
    const int complex_one = is_complex(t);
    const size_t real_size = t == ORR_S || t == ORR_C ? sizeof(float) : sizeof(double);
    const size_t size = (size_t)(1 + complex_one) * real_size;
    const double eps = real_size == sizeof(float) ? (double)FLT_EPSILON : DBL_EPSILON;
    char *a = allocate((size_t)(lda * n) * size), *r = allocate((size_t)(ldr * n) * size);
    char *a2 = allocate((size_t)(lda2 * m) * size), *r2 = allocate((size_t)(ldr * n) * size);
    char *a3 = allocate((size_t)(lda * n) * size);
    char *u = allocate((size_t)(ldu * n) * size), *u2 = allocate((size_t)(ldu * n) * size);
    char *e = allocate((size_t)(n * n) * size);
    uint64_t state = (uint64_t)(m + 100 * n + kind);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            double complex x = entry(kind, i, j, m, n, &state);
            if (complex_one && kind != ONES)
                x *= cexp(I * (4 * next_uniform(&state)));
            put(t, a, j * lda + i, x);
            put(t, a2, i * lda2 + j, conj(get(t, a, j * lda + i)));
        }
    memcpy(a3, a, (size_t)(lda * n) * size);
    const double scale = kind == LARGE ? 0x1p-20 : 1;
    double complex *A = packed(t, m, n, a, lda);
    for (int64_t i = 0; i < m * n; i++)
        A[i] *= scale;

    const orr_tsqr_part p = {.type = t, .rows = m, .n = n, .lda = lda, .scale = scale, .a = a};
    const orr_tsqr_part p2 = {
        .type = t, .rows = m, .n = n, .lda = lda2, .adjoint = 1, .scale = scale, .a = a2};
    const orr_tsqr_part p3 = {.type = t, .rows = m, .n = n, .lda = lda, .scale = scale, .a = a3};
    const size_t bytes = orr_tsqr_bytes(&p);
    char *s = aligned_alloc(64, (bytes + PAST + 63) / 64 * 64);
    memset(s + bytes, CANARY, PAST);
    orr_status st = orr_tsqr_factor(&p3, NULL, r2, ldr);
    const int kept = same_columns(a, a3, m, lda, n, size);
    st = st == ORR_OK ? orr_tsqr_factor(&p, s, r, ldr) : st;
    CHECK(st == ORR_OK && kept && same_columns(r, r2, n, ldr, n, size),
          "type %d kind %d %lld x %lld: status %d, a changed, or another R", t, kind, (long long)m,
          (long long)n, st);

    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            put(t, e, j * n + i, i == j);
    st = orr_tsqr_apply(&p, s, e, n, u, ldu);
    CHECK(st == ORR_OK && untouched(s + bytes, PAST) && untouched_between(u, m, ldu, n, size) &&
              untouched_between(r, n, ldr, n, size) && untouched_between(a, m, lda, n, size),
          "type %d kind %d %lld x %lld: status %d, or past an end", t, kind, (long long)m,
          (long long)n, st);
    double complex *R_ = packed(t, n, n, r, ldr), *Q = packed(t, m, n, u, ldu);
    const double norm = norm_of(m * n, A), unit = eps * (double)m;
    double worst = differ(0, m, n, n, Q, R_, A) / (unit * (norm > 0 ? norm : 1));
    worst = fmax(worst, differ(1, n, m, n, Q, Q, NULL) / unit);
    int upper = 1;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j + 1; i < n; i++)
            upper &= R_[j * n + i] == 0;

    st = orr_tsqr_factor(&p2, s, r2, ldr);
    st = st == ORR_OK ? orr_tsqr_apply(&p2, s, e, n, u2, ldu) : st;
    CHECK(st == ORR_OK && untouched_between(a2, n, lda2, m, size) &&
              same_columns(r, r2, n, ldr, n, size) && same_columns(u, u2, m, ldu, n, size),
          "type %d kind %d %lld x %lld: the adjoint", t, kind, (long long)m, (long long)n);

    for (int64_t i = 0; i < n * n; i++)
        put(t, e, i, next_uniform(&state));
    st = orr_tsqr_apply(&p2, s, e, n, u2, ldu);
    double complex *E_ = packed(t, n, n, e, n), *U = packed(t, m, n, u2, ldu);
    worst = fmax(worst, differ(0, m, n, n, Q, E_, U) / (unit * norm_of(n * n, E_)));
    CHECK(st == ORR_OK && upper && worst <= LIMIT,
          "type %d kind %d %lld x %lld: status %d, upper %d, %g", t, kind, (long long)m,
          (long long)n, st, upper, worst);
    free(a), free(a2), free(a3), free(r), free(r2), free(u), free(u2), free(e), free(s);
    free(A), free(R_), free(Q), free(E_), free(U);
    return worst;
}

int main(void)
{
    static const int levels[] = {0, 3, 4};
    static const int64_t shape[][2] = {
        {1, 1},    {2, 1},    {9, 1},    {9000, 1}, {2, 2},    {3, 2},        {5000, 2}, {3000, 3},
        {40, 4},   {2100, 5}, {1400, 7}, {1025, 8}, {1026, 8}, {700, 9},      {16, 15},  {17, 16},
        {530, 17}, {333, 31}, {400, 33}, {900, 40}, {257, 64}, {258 + 64, 64}};
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
                    worst[t] = fmax(worst[t], one((orr_type)t, kind, shape[i][0], shape[i][1]));
        printf("v%d: s %.3g, d %.3g, c %.3g, z %.3g (limit %g)\n", level, worst[ORR_S],
               worst[ORR_D], worst[ORR_C], worst[ORR_Z], LIMIT);
    }
    return checked();
}
