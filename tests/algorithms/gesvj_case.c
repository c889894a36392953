/* See gesvj_case.h. SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gesvj_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

int accelerators;
struct svd_ratios worst;

void *allocate(int64_t count, size_t size)
{
    size_t bytes = (size_t)count * size + 64;
    void *p = malloc(bytes);
    if (!p)
        exit(99);
    memset(p, 0x5a, bytes);
    return p;
}

void judge(orr_type t, int64_t m, int64_t n, const void *a, int64_t ld, const void *s,
           const void *u, int64_t ldu, const void *v, int64_t ldv, const char *what)
{
    struct svd_ratios r = svd_judge(t, m, n, a, ld, s, u, ldu, v, ldv);
    CHECK(r.residual <= LIMIT && r.left <= LIMIT && r.right <= LIMIT && r.sorted,
          "%c %s %lld x %lld: residual %.3g left %.3g right %.3g sorted %d", orr_type_letter(t),
          what, (long long)m, (long long)n, r.residual, r.left, r.right, r.sorted);
    worst.residual = fmax(worst.residual, r.residual);
    worst.left = fmax(worst.left, r.left);
    worst.right = fmax(worst.right, r.right);
}

orr_batch array(orr_type t, int64_t batch, int64_t m, int64_t n, int64_t pad)
{
    orr_batch b = {.type = t, .batch = batch, .m = m, .n = n, .ld = m + pad};
    b.stride = b.ld * n + 2 * pad;
    b.a = allocate(b.stride * batch, orr_type_size(t));
    return b;
}

char *matrix(const orr_batch *b, int64_t k)
{
    return (char *)b->a + (size_t)(k * b->stride) * orr_type_size(b->type);
}

void colourful(int64_t i, int64_t *m, int64_t *n)
{
    static const int64_t shapes[][2] = {{70, 70}, {3, 8},   {90, 20},  {1, 1},  {66, 80},
                                        {0, 4},   {33, 33}, {129, 70}, {8, 100}};
    *m = shapes[i % 9][0];
    *n = shapes[i % 9][1];
}
