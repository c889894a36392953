/* heev of one small real matrix, without StarPU, for every instruction set and both types.
 *
 *   values   max |w - w_syev| / (n eps |A|_F)                        <= 20, LAPACK's QL in double
 *   Z        |A Z - Z diag(w)|_F / (n eps |A|_F), |Z'Z - I|_F / (n eps) <= 20
 *   some     the same bits of values, whatever the range; of an interval, too
 *
 * The other triangle is NaN; beyond the workspace, w and Z nothing is written.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/lanes.h"

/* The kernel's source, to reach its version for every instruction set. */
static int level = 4;
static int forced_level(void)
{
    const int has = lanes_level();
    return level < has ? level : has;
}
#define lanes_level forced_level
#include "kernels/cpu/heev_small.c"
#include "canary.h"
#include "check.h"
#include "numbers.h"
#undef lanes_level

void dsyev_(const char *, const char *, const int32_t *, double *, const int32_t *, double *,
            double *, const int32_t *, int32_t *);

static const double LIMIT = 20;

enum kind {
    RANDOM,
    GRADED,
    DIAGONAL,
    CLUSTER,
    RANK_ONE,
    TRIDIAGONAL,
    GLUED,
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
    case DIAGONAL: return i == j ? x : 0;
    case CLUSTER: /* all but one value in a few */ return i == j ? 1 + 1e-6 * x : 1e-7 * x;
    case RANK_ONE: return 1;
    case TRIDIAGONAL: /* pairs that agree to all digits */
        return i == j ? fabs((double)i - 10) : i - j == 1 || j - i == 1;
    case GLUED: /* Wilkinson's of order 21, each loosely held to the next: clusters of clusters */
        return i == j       ? fabs((double)(i % 21) - 10)
               : i - j == 1 ? (i % 21 == 0 ? 0x1p-14 : 1)
               : j - i == 1 ? (j % 21 == 0 ? 0x1p-14 : 1)
                            : 0;
    case TINY: return x * 0x1p-100;
    case HUGE_ENTRIES: return x * 0x1p100;
    default: return kind == ZERO ? 0 : x;
    }
}

static double at(orr_type t, const void *a, int64_t i) { return creal(get(t, a, i)); }

/* The largest of |A Z - Z diag(w)| and |Z'Z - I| as above. */
static double vectors_error(orr_type t, int64_t n, const double *A, double norm, const void *w,
                            const void *z, int64_t ldz, double eps)
{
    double off = 0, orthogonal = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double r = -at(t, z, j * ldz + i) * at(t, w, j), q = -(double)(i == j);
            for (int64_t k = 0; k < n; k++) {
                r += A[k * n + i] * at(t, z, j * ldz + k);
                q += at(t, z, i * ldz + k) * at(t, z, j * ldz + k);
            }
            off += r * r, orthogonal += q * q;
        }
    return fmax(norm > 0 ? sqrt(off) / norm : sqrt(off), sqrt(orthogonal)) / eps / (double)n;
}

static double one(orr_type t, int kind, int64_t n, int upper)
{
    const int64_t lda = n + 3, ldz = n + 1;
    const size_t size = t == ORR_S ? sizeof(float) : sizeof(double);
    const double eps = t == ORR_S ? (double)FLT_EPSILON : DBL_EPSILON;
    char *a = allocate((size_t)(lda * n) * size), *z = allocate((size_t)(ldz * n) * size);
    char *w = allocate((size_t)n * size), *part = allocate((size_t)n * size);
    double *A = allocate((size_t)(n * n) * sizeof *A), *B = allocate((size_t)(n * n) * sizeof *B);
    double *ref = allocate((size_t)n * sizeof *ref),
           *work = allocate((size_t)(70 * n) * sizeof *work);
    uint64_t state = 7 + (uint64_t)(n + kind);
    double norm = 0, worst = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            const int64_t here = upper ? i * lda + j : j * lda + i;
            put(t, a, j * lda + i, NAN), put(t, a, i * lda + j, NAN);
            put(t, a, here, entry(kind, i, j, &state));
            const double x = A[j * n + i] = A[i * n + j] = at(t, a, here);
            norm = hypot(norm, i == j ? x : sqrt(2) * x);
        }
    orr_heev_direct g = {.type = t,
                         .upper = upper,
                         .n = n,
                         .lda = lda,
                         .count = n,
                         .ldz = ldz,
                         .scale = 1,
                         .a = a,
                         .w = w,
                         .z = z};
    const size_t bytes = orr_heev_small_bytes(&g);
    char *memory = aligned_alloc(64, (bytes + PAST + 63) / 64 * 64);
    memset(memory + bytes, CANARY, PAST);
    orr_status st = orr_heev_small(&g, memory);
    CHECK(st == ORR_OK && untouched(memory + bytes, PAST) &&
              untouched(w + (size_t)n * size, PAST) &&
              untouched(z + (size_t)(ldz * (n - 1) + n) * size, size),
          "%d kind %d n %lld: status %d, or past an end", t, kind, (long long)n, st);
    worst = vectors_error(t, n, A, norm, w, z, ldz, eps);

    const int32_t n_ = (int32_t)n, lwork = 70 * n_;
    int32_t info;
    memcpy(B, A, (size_t)(n * n) * sizeof *B);
    dsyev_("N", "L", &n_, B, &n_, ref, work, &lwork, &info);
    g.z = NULL;
    memset(w, CANARY, (size_t)n * size);
    st = orr_heev_small(&g, memory);
    for (int64_t i = 0; i < n; i++)
        worst = fmax(worst, fabs(at(t, w, i) - ref[i]) / (norm > 0 ? norm : 1) / eps / (double)n);
    CHECK(st == ORR_OK && worst <= LIMIT, "type %d kind %d n %lld upper %d: status %d, %g", t, kind,
          (long long)n, upper, st, worst);

    g.w = part, g.first = n / 3, g.count = (n + 3) / 4;
    orr_heev_small(&g, memory);
    CHECK(!memcmp(part, w + (size_t)g.first * size, (size_t)g.count * size) &&
              untouched(part + (size_t)g.count * size, (size_t)(n - g.count) * size),
          "type %d kind %d n %lld: some values", t, kind, (long long)n);
    int64_t found[2];
    g.found = found, g.low = -INFINITY, g.high = INFINITY;
    orr_heev_small(&g, memory);
    CHECK(found[0] == 0 && found[1] == n && !memcmp(part, w, (size_t)n * size),
          "type %d kind %d n %lld: an interval", t, kind, (long long)n);
    free(a), free(z), free(w), free(part), free(A), free(B), free(ref), free(work), free(memory);
    return worst;
}

int main(void)
{
    static const int levels[] = {0, 3, 4};
    static const int64_t n[] = {1,  2,  3,  4,  7,  8,   9,   15,  17,  31,  33,
                                40, 63, 64, 65, 90, 127, 128, 129, 191, 250, 256};
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
        double worst[2] = {0};
        level = levels[k];
        if (forced_level() != level) {
            printf("instruction set v%d: not on this processor\n", level);
            continue;
        }
        for (size_t i = 0; i < sizeof n / sizeof *n; i++)
            for (int kind = 0; kind < KINDS; kind++)
                for (int t = 0; t < 2; t++)
                    worst[t] = fmax(worst[t], one(t ? ORR_D : ORR_S, kind, n[i], (int)i % 2));
        printf("v%d: s %.3g, d %.3g (limit %g)\n", level, worst[0], worst[1], LIMIT);
    }
    const orr_heev_direct large = {.type = ORR_D, .n = 257, .count = 257},
                          imaginary = {.type = ORR_Z, .n = 64, .count = 64};
    CHECK(!orr_heev_small_takes(&large) && !orr_heev_small_takes(&imaginary), "not for these");
    return checked();
}
