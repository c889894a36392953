/* See hegv_case.h. SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/hegv_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/herm.h"
#include "canary.h"
#include "check.h"

void zhegvd_(const int32_t *, const char *, const char *, const int32_t *, number *,
             const int32_t *, number *, const int32_t *, double *, number *, const int32_t *,
             double *, const int32_t *, int32_t *, const int32_t *, int32_t *);
void zgemm_(const char *, const char *, const int32_t *, const int32_t *, const int32_t *,
            const number *, const number *, const int32_t *, const number *, const int32_t *,
            const number *, number *, const int32_t *);
void zposv_(const char *, const int32_t *, const int32_t *, number *, const int32_t *, number *,
            const int32_t *, int32_t *);

static number *whole(const struct problem *p, const char *a)
{
    number *x = allocate((size_t)(p->n * p->n) * sizeof *x);
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->n; i++) {
            const int stored = p->uplo == 'L' ? i >= j : i <= j;
            const number v = get(p->type, a, stored ? j * p->ld + i : i * p->ld + j);
            x[j * p->n + i] = i == j ? creal(v) : stored ? v : conj(v);
        }
    return x;
}

static double norm(int64_t count, const number *x)
{
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += creal(x[k] * conj(x[k]));
    return sqrt(sum);
}

struct problem make(orr_type t, char uplo, int64_t n)
{
    struct problem p = {.type = t,
                        .uplo = uplo,
                        .n = n,
                        .ld = (n > 0 ? n : 1) + n % 3,
                        .size = orr_type_size(t),
                        .real = orr_type_size(orr_type_real(t))};
    const size_t bytes = (size_t)(p.ld * n) * p.size;
    const double grade = p.real == 4 ? 1 : 3;
    rng r = {4000 + (uint64_t)n};
    p.a0 = allocate(bytes), p.b0 = allocate(bytes), p.a = allocate(bytes), p.b = allocate(bytes);
    p.w = allocate((size_t)n * p.real), p.x = allocate(bytes);
    p.ref = allocate((size_t)n * sizeof *p.ref);
    random_hermitian(&r, t, uplo, n, p.a0, p.ld);
    random_hermitian(&r, t, uplo, n, p.b0, p.ld);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const double d = pow(10, -grade * (double)((i * 5) % n + (j * 5) % n) / (double)n);
            const number v = get(t, p.b0, j * p.ld + i) / (double)n + 2 * (i == j);
            put(t, p.b0, j * p.ld + i, d * v);
        }
    p.A = whole(&p, p.a0);
    p.B = whole(&p, p.b0);
    p.norm_a = norm(n * n, p.A);
    p.norm_b = norm(n * n, p.B);
    reference_values(t, uplo, n, p.b0, p.ld, p.ref);
    p.cond = n ? p.norm_b / p.ref[0] : 1;
    return p;
}

void drop(struct problem *p)
{
    char *const all[] = {p->a0, p->b0,        p->a,         p->b,          p->w,
                         p->x,  (char *)p->A, (char *)p->B, (char *)p->ref};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
}

void refer(struct problem *p, int which)
{
    const int32_t n = (int32_t)p->n, lwork = 2 * n + 1, lrwork = n + 1, liwork = 1, itype = which;
    number *a = allocate((size_t)(n * n) * sizeof *a), *b = allocate((size_t)(n * n) * sizeof *b);
    number *work = allocate((size_t)lwork * sizeof *work);
    double *rwork = allocate((size_t)lrwork * sizeof *rwork);
    int32_t iwork, info = 0;
    memcpy(a, p->A, (size_t)(n * n) * sizeof *a);
    memcpy(b, p->B, (size_t)(n * n) * sizeof *b);
    if (n > 0)
        zhegvd_(&itype, "N", "L", &n, a, &n, b, &n, p->ref, work, &lwork, rwork, &lrwork, &iwork,
                &liwork, &info);
    CHECK(info == 0, "LAPACK's hegvd: info %d", info);
    free(a);
    free(b);
    free(work);
    free(rwork);
}

/* C := A B or A' B, without gaps. */
static number *product(char trans, int64_t m, int64_t n, int64_t k, const number *a,
                       const number *b)
{
    const int32_t m_ = (int32_t)m, n_ = (int32_t)n, k_ = (int32_t)k;
    const int32_t lda = trans == 'N' ? m_ : k_;
    const number one = 1, zero = 0;
    number *c = allocate((size_t)(m * n) * sizeof *c);
    if (m > 0 && n > 0)
        zgemm_(&trans, "N", &m_, &n_, &k_, &one, a, &lda, b, &k_, &zero, c, &m_);
    return c;
}

static number *solved(const struct problem *p, int64_t k, const number *x)
{
    const int32_t n = (int32_t)p->n, k_ = (int32_t)k;
    int32_t info = 0;
    number *b = allocate((size_t)(n * n) * sizeof *b);
    number *y = allocate((size_t)(n * k) * sizeof *y);
    memcpy(b, p->B, (size_t)(n * n) * sizeof *b);
    memcpy(y, x, (size_t)(n * k) * sizeof *y);
    zposv_("L", &n, &k_, b, &n, y, &n, &info);
    free(b);
    return y;
}

void check_vectors(const struct problem *p, int which, int64_t k, const char *what,
                   struct worst *worst)
{
    const int64_t n = p->n;
    const double eps = (double)n * orr_type_eps(p->type);
    number *x = allocate((size_t)(n * k) * sizeof *x);
    double longest = 0, top = fmax(fabs(p->ref[0]), fabs(p->ref[n - 1]));
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < n; i++)
            x[j * n + i] = get(p->type, p->x, j * p->ld + i);
        longest = fmax(longest, norm(n, x + j * n));
    }
    number *bx = product('N', n, k, n, p->B, x), *ax = product('N', n, k, n, p->A, x);
    number *left =
        which == 1 ? ax : product('N', n, k, n, which == 2 ? p->A : p->B, which == 2 ? bx : ax);
    const number *right = which == 1 ? bx : x;
    number *difference = allocate((size_t)(n * k) * sizeof *difference);
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < n; i++)
            difference[j * n + i] =
                left[j * n + i] - creal(get(orr_type_real(p->type), p->w, j)) * right[j * n + i];
    const double scale = which == 1 ? p->norm_a + p->norm_b * top : p->norm_a * p->norm_b;
    const double res = norm(n * k, difference) / (eps * scale * longest);
    number *other = which == 3 ? solved(p, k, x) : bx;
    number *gram = product('C', k, k, n, x, other);
    for (int64_t j = 0; j < k; j++)
        gram[j * k + j] -= 1;
    const double orth =
        norm(k * k, gram) / (eps * (which == 3 ? p->cond : fmax(1, p->norm_b * longest * longest)));
    CHECK(res <= LIMIT && orth <= LIMIT, "%s: residual %g, orthogonality %g", what, res, orth);
    worst->residual = fmax(worst->residual, res);
    worst->orthogonality = fmax(worst->orthogonality, orth);
    if (left != ax)
        free(left);
    if (other != bx)
        free(other);
    free(x), free(ax), free(bx), free(difference), free(gram);
}

orr_status solve(orr_context *ctx, struct problem *p, orr_hegv_opts o, int vectors, orr_report *rep)
{
    const size_t bytes = (size_t)(p->ld * p->n) * p->size + PAST;
    memcpy(p->a, p->a0, bytes);
    memcpy(p->b, p->b0, bytes);
    memset(p->x, CANARY, bytes);
    memset(p->w, CANARY, (size_t)p->n * p->real);
    return orr_hegv(ctx, p->type, p->uplo, p->n, p->a, p->ld, p->b, p->ld, p->w,
                    vectors ? p->x : NULL, p->ld, &o, rep);
}

void check_surroundings(const struct problem *p, int64_t k, int64_t columns, const char *what)
{
    int kept = untouched(p->w + (size_t)k * p->real, (size_t)(p->n - k) * p->real + PAST) &&
               untouched(p->x + (size_t)(columns * p->ld) * p->size,
                         (size_t)((p->n - columns) * p->ld) * p->size + PAST);
    for (int64_t j = 0; j < p->n; j++) {
        const size_t at = (size_t)(j * p->ld + p->n) * p->size,
                     rest = (size_t)(p->ld - p->n) * p->size;
        kept &= !memcmp(p->a + at, p->a0 + at, rest) && !memcmp(p->b + at, p->b0 + at, rest) &&
                untouched(p->x + at, rest);
    }
    CHECK(kept, "%s: written outside", what);
}
