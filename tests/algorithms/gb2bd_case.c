/* See gb2bd_case.h. SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/gb2bd_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252u;
static double uniform(void) { return next_signed(&state); }
int64_t below(int64_t bound) { return (int64_t)((uniform() + 1) / 2 * (double)bound); }

void *allocate(size_t bytes)
{
    void *p = malloc(bytes + 64);
    if (!p)
        exit(99);
    memset(p, 0x5a, bytes + 64);
    return p;
}

orr_type result_type(orr_type t) { return t == ORR_H ? ORR_S : orr_type_real(t); }

/* ---- Matrices ------------------------------------------------------------------------ */

const char *const kind_name[] = {"random",  "zero", "diagonal", "bidiagonal", "blocks",
                                 "one row", "ones", "graded",   "sparse"};

static double complex entry(enum kind k, const band *a, int64_t i, int64_t j)
{
    const double complex x = uniform() + I * uniform();
    const int64_t w = a->kl + a->ku + 1;
    switch (k) {
    case ZERO: return 0;
    case DIAGONAL: return i == j ? x : 0;
    case BIDIAGONAL: return i == j || i + 1 == j ? x : 0;
    case BLOCKS: return i / w == j / w ? x : 0;
    case ONE_ROW: return i == a->m / 2 ? x : 0;
    case ONES: return 1;
    case GRADED: return x * pow(10, -12.0 * (double)(i + j) / (double)(a->m + a->n));
    case SPARSE: return below(10) ? 0 : x;
    default: return x;
    }
}

/* Entries outside the matrix, and padding, are NaN: nobody may look at them. */
band make(orr_type t, enum kind k, double scale, int64_t m, int64_t n, int64_t kl, int64_t ku,
          int64_t pad)
{
    band a = {.type = t, .m = m, .n = n, .kl = kl, .ku = ku, .ld = kl + ku + 1 + pad};
    a.ab = allocate((size_t)(a.ld * n) * orr_type_size(t));
    for (int64_t j = 0; j < n; j++)
        for (int64_t r = 0; r < a.ld; r++) {
            const int64_t i = j - ku + r;
            const int inside = i >= 0 && i < m && r <= kl + ku;
            put(t, a.ab, j * a.ld + r, inside ? entry(k, &a, i, j) * scale : NAN + I * NAN);
        }
    return a;
}
