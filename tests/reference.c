/* See reference.h: the textbook method, row-cyclic, nothing clever.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

typedef long double _Complex W;

static W entry(orr_type type, const void *a, int64_t at)
{
    switch (type) {
    case ORR_S: return ((const float *)a)[at];
    case ORR_D: return ((const double *)a)[at];
    case ORR_C: return ((const float _Complex *)a)[at];
    default: return ((const double _Complex *)a)[at];
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A := J'AJ with J in the plane (p,q) such that a_pq = 0. */
static void rotate(int64_t n, W *A, int64_t p, int64_t q)
{
    const W a = A[q * n + p];
    const long double r = cabsl(a), h = creall(A[q * n + q] - A[p * n + p]);
    const long double t = (h < 0 ? -1 : 1) * 2 * r / (fabsl(h) + hypotl(h, 2 * r));
    const long double c = 1 / sqrtl(1 + t * t);
    const W s = c * t * (a / r);
    const long double dp = creall(A[p * n + p]) - t * r, dq = creall(A[q * n + q]) + t * r;
    for (int64_t k = 0; k < n; k++) {
        const W x = A[p * n + k], y = A[q * n + k];
        A[p * n + k] = c * x - conjl(s) * y;
        A[q * n + k] = s * x + c * y;
    }
    for (int64_t k = 0; k < n; k++) {
        A[k * n + p] = conjl(A[p * n + k]);
        A[k * n + q] = conjl(A[q * n + k]);
    }
    A[p * n + p] = dp;
    A[q * n + q] = dq;
    A[p * n + q] = A[q * n + p] = 0;
}

void orr_reference_heev(orr_type type, int64_t n, const void *a, int64_t ld, double *w)
{
    W *A = malloc(sizeof *A * (size_t)(n * n + 1));
    if (!A)
        abort();
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            const W x = entry(type, a, j * ld + i);
            A[j * n + i] = i == j ? creall(x) : x;
            A[i * n + j] = i == j ? creall(x) : conjl(x);
        }
    int rotated = 1;
    for (int sweep = 0; sweep < 60 && rotated; sweep++) {
        rotated = 0;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                const long double limit = sqrtl(fabsl(creall(A[p * n + p]) * creall(A[q * n + q])));
                if (cabsl(A[q * n + p]) > 1e-18L * limit) {
                    rotate(n, A, p, q);
                    rotated = 1;
                }
            }
    }
    for (int64_t i = 0; i < n; i++)
        w[i] = (double)creall(A[i * n + i]);
    qsort(w, (size_t)n, sizeof *w, ascending);
    free(A);
}
