/* See heev_case.h. SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/heev_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canary.h"
#include "check.h"
#include "matgen.h"

struct heev_problem heev_make(int kind, orr_type t, char uplo, int64_t n, int64_t lda,
                              uint64_t seed)
{
    struct heev_problem p = {.type = t,
                             .uplo = uplo,
                             .n = n,
                             .lda = lda,
                             .size = orr_type_size(t),
                             .real = orr_type_size(orr_type_real(t))};
    p.a0 = allocate((size_t)(lda * n) * p.size);
    p.a = allocate((size_t)(lda * n) * p.size);
    p.w = allocate((size_t)n * p.real);
    p.ldz = (n > 0 ? n : 1) + (int64_t)(seed % 3);
    p.z = allocate((size_t)(p.ldz * n) * p.size);
    double *unused = allocate((size_t)n * sizeof *unused);
    orr_matgen(kind, t, n, seed, p.a0, lda, unused);
    free(unused);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            if (uplo == 'L' ? i < j : i > j)
                put(t, p.a0, j * lda + i, NAN);
    return p;
}

void heev_drop(struct heev_problem *p)
{
    free(p->a0);
    free(p->a);
    free(p->w);
    free(p->z);
}

orr_status heev_solve(orr_context *ctx, struct heev_problem *p, orr_heev_opts o, int vectors,
                      orr_report *rep)
{
    memcpy(p->a, p->a0, (size_t)(p->lda * p->n) * p->size + PAST);
    return orr_heev(ctx, p->type, p->uplo, p->n, p->a, p->lda, p->w, vectors ? p->z : NULL, p->ldz,
                    &o, rep);
}

/* x := 2^shift x, count entries. */
static char *shifted(orr_type t, const void *x, int64_t count, int shift)
{
    char *y = allocate((size_t)count * orr_type_size(t));
    for (int64_t k = 0; k < count; k++) {
        const double complex v = get(t, x, k);
        put(t, y, k, ldexp(creal(v), shift) + I * ldexp(cimag(v), shift));
    }
    return y;
}

void heev_check_vectors(const struct heev_problem *p, int64_t columns, double top, int exact,
                        const char *what, struct heev_worst *worst)
{
    int exponent;
    frexp(top, &exponent);
    char *a = shifted(p->type, p->a0, p->lda * p->n, -exponent);
    char *w = shifted(orr_type_real(p->type), p->w, p->n, -exponent);
    const double res = exact ? residual(p->type, p->uplo, p->n, a, p->lda, p->z, p->ldz, w) : 0;
    free(a);
    free(w);
    const double orth = orthogonality_of(p->type, p->n, columns, p->z, p->ldz);
    CHECK(res <= LIMIT && orth <= LIMIT, "%s: residual %g, orthogonality %g", what, res, orth);
    worst->residual = fmax(worst->residual, res);
    worst->orthogonality = fmax(worst->orthogonality, orth);
}
