/* heev of one small matrix, without StarPU, for every instruction set and type.
 *
 *   values   max |w - w_heev| / (n eps |A|_F)                        <= 20, LAPACK's QL in double
 *   Z        |A Z - Z diag(w)|_F / (n eps |A|_F), |Z'Z - I|_F / (n eps) <= 20
 *   some     the same bits of values, whatever the range; of an interval, too
 *
 * The other triangle and the diagonal's imaginary parts are NaN; beyond the workspace, w and Z nothing is written.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel's source, to reach its version for every instruction set. */
#include "level.h"
#include "kernels/cpu/heev_small.c"
#include "canary.h"
#include "check.h"
#include "numbers.h"
#undef lanes_level

void zheev_(const char *, const char *, const int32_t *, double complex *, const int32_t *,
            double *, double complex *, const int32_t *, double *, int32_t *);
void zgemm_(const char *, const char *, const int32_t *, const int32_t *, const int32_t *,
            const double complex *, const double complex *, const int32_t *, const double complex *,
            const int32_t *, const double complex *, double complex *, const int32_t *);

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

/* What a complex matrix has in place of a number x off the diagonal: as large, and where values depend
 * on it, or are equal, similar. */
static double complex turned(int kind, int64_t i, int64_t j, double x, uint64_t *state)
{
    static const double complex powers[4] = {1, I, -1, -I};
    if (i == j)
        return CMPLX(x, NAN);
    if (kind == RANK_ONE || kind == TRIDIAGONAL || kind == GLUED)
        return x * powers[(i * i - j * j) & 3];
    return x * cexp(I * (4 * next_uniform(state)));
}

/* The largest of |A Z - Z diag(w)| and |Z'Z - I| as above. */
static double vectors_error(orr_type t, orr_type real, int64_t n, const double complex *A,
                            double norm, const void *w, const void *z, int64_t ldz, double eps)
{
    const double complex one = 1, minus = -1;
    const int32_t n_ = (int32_t)n;
    const size_t bytes = (size_t)(n * n) * sizeof(double complex);
    double complex *Z = allocate(bytes), *ZW = allocate(bytes), *G = allocate(bytes);
    double off = 0, orthogonal = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            Z[j * n + i] = get(t, z, j * ldz + i);
            ZW[j * n + i] = Z[j * n + i] * creal(get(real, w, j));
            G[j * n + i] = i == j;
        }
    zgemm_("N", "N", &n_, &n_, &n_, &one, A, &n_, Z, &n_, &minus, ZW, &n_);
    zgemm_("C", "N", &n_, &n_, &n_, &one, Z, &n_, Z, &n_, &minus, G, &n_);
    for (int64_t i = 0; i < n * n; i++)
        off += creal(ZW[i] * conj(ZW[i])), orthogonal += creal(G[i] * conj(G[i]));
    free(Z), free(ZW), free(G);
    return fmax(sqrt(off) / (norm > 0 ? norm : 1), sqrt(orthogonal)) / eps / (double)n;
}

static double one(orr_type t, int kind, int64_t n, int upper)
{
    const int64_t lda = n + 3, ldz = n + 1;
    const int complex_one = t == ORR_C || t == ORR_Z;
    const orr_type real = t == ORR_S || t == ORR_C ? ORR_S : ORR_D;
    const size_t size = real == ORR_S ? sizeof(float) : sizeof(double);
    const size_t entry_size = (size_t)(1 + complex_one) * size;
    const double eps = real == ORR_S ? (double)FLT_EPSILON : DBL_EPSILON;
    char *a = allocate((size_t)(lda * n) * entry_size);
    char *z = allocate((size_t)(ldz * n) * entry_size);
    char *w = allocate((size_t)n * size), *part = allocate((size_t)n * size);
    double complex *A = allocate((size_t)(n * n) * sizeof *A);
    double complex *work = allocate((size_t)(70 * n) * sizeof *work);
    double *ref = allocate((size_t)n * sizeof *ref),
           *more = allocate((size_t)(3 * n) * sizeof *more);
    uint64_t state = 7 + (uint64_t)(n + kind);
    double norm = 0, worst = 0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            const int64_t here = upper ? i * lda + j : j * lda + i;
            put(t, a, j * lda + i, NAN), put(t, a, i * lda + j, NAN);
            double complex x = entry(kind, i, j, &state);
            if (complex_one)
                x = turned(kind, i, j, creal(x), &state);
            put(t, a, here, x);
            x = i == j ? creal(get(t, a, here)) : get(t, a, here);
            A[j * n + i] = upper ? conj(x) : x, A[i * n + j] = upper ? x : conj(x);
            norm = hypot(norm, i == j ? cabs(x) : sqrt(2) * cabs(x));
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
              untouched(z + (size_t)(ldz * (n - 1) + n) * entry_size, entry_size),
          "%d kind %d n %lld: status %d, or past an end", t, kind, (long long)n, st);
    worst = vectors_error(t, real, n, A, norm, w, z, ldz, eps);

    const int32_t n_ = (int32_t)n, lwork = 70 * n_;
    int32_t info;
    zheev_("N", "L", &n_, A, &n_, ref, work, &lwork, more, &info);
    g.z = NULL;
    memset(w, CANARY, (size_t)n * size);
    st = orr_heev_small(&g, memory);
    for (int64_t i = 0; i < n; i++)
        worst = fmax(worst, fabs(creal(get(real, w, i)) - ref[i]) / (norm > 0 ? norm : 1) / eps /
                                (double)n);
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
    free(a), free(z), free(w), free(part), free(A), free(ref), free(work), free(more), free(memory);
    return worst;
}

int main(void)
{
    enum { EACH = 40 }; /* all orders up to this */
    static const int levels[] = {0, 3, 4},
                     more[] = {63, 64, 65, 90, 127, 128, 129, 130, 191, 250, 255, 256, 300, 401};
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
        double worst[ORR_NTYPES] = {0};
        level = levels[k];
        if (forced_level() != level) {
            printf("instruction set v%d: not on this processor\n", level);
            continue;
        }
        for (int i = 0; i < EACH + (int)(sizeof more / sizeof *more); i++)
            for (int kind = 0; kind < KINDS; kind++)
                for (int t = 0; t < ORR_NTYPES; t++)
                    worst[t] =
                        fmax(worst[t], one((orr_type)t, kind, i < EACH ? i + 1 : more[i - EACH],
                                           (i + kind) % 2));
        printf("v%d: s %.3g, d %.3g, c %.3g, z %.3g (limit %g)\n", level, worst[ORR_S],
               worst[ORR_D], worst[ORR_C], worst[ORR_Z], LIMIT);
    }
    const orr_heev_direct large = {.type = ORR_D, .n = 701, .count = 701};
    const orr_heev_direct some = {.type = ORR_Z, .n = 64, .count = 63, .z = &level};
    CHECK(!orr_heev_small_takes(&large) && !orr_heev_small_takes(&some), "not for these");
    return checked();
}
