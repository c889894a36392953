/* SPDX-License-Identifier: BSD-3-Clause */
#include "gesvd_judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canary.h"
#include "check.h"
#include "larger.h"
#include "svdgen.h"

void zgesdd_(const char *, const int *, const int *, double complex *, const int *, double *,
             double complex *, const int *, double complex *, const int *, double complex *,
             const int *, double *, int *, int *);

struct problem make(int kind, orr_type t, int64_t m, int64_t n, uint64_t seed)
{
    const int64_t pad = (int64_t)(seed % 3);
    struct problem p = {.type = t,
                        .m = m,
                        .n = n,
                        .k = m < n ? m : n,
                        .lda = (m > 0 ? m : 1) + pad,
                        .ldu = (m > 0 ? m : 1) + 2 * pad,
                        .ldv = (n > 0 ? n : 1) + pad,
                        .size = orr_type_size(t),
                        .real = orr_type_size(orr_type_real(t))};
    p.a0 = allocate((size_t)(p.lda * n) * p.size);
    p.a = allocate((size_t)(p.lda * n) * p.size);
    p.s = allocate((size_t)p.k * p.real);
    p.u = allocate((size_t)(p.ldu * p.k) * p.size);
    p.v = allocate((size_t)(p.ldv * p.k) * p.size);
    svdgen(kind, t, m, n, seed, p.a0, p.lda);
    return p;
}

void drop(struct problem *p)
{
    free(p->a0);
    free(p->a);
    free(p->s);
    free(p->u);
    free(p->v);
}

orr_status solve(orr_context *ctx, struct problem *p, const orr_gesvd_opts *o, int which,
                 orr_report *rep)
{
    memcpy(p->a, p->a0, (size_t)(p->lda * p->n) * p->size + PAST);
    return orr_gesvd(ctx, p->type, p->m, p->n, p->a, p->lda, p->s, which % 3 ? p->u : NULL, p->ldu,
                     which % 2 ? p->v : NULL, p->ldv, o, rep);
}

/* Nothing was written beside `rows` x `columns` of x. */
static int surroundings(const char *x, int64_t rows, int64_t columns, int64_t ld, size_t size)
{
    int kept = untouched(x + (size_t)(ld * columns) * size, PAST);
    for (int64_t j = 0; j < columns; j++)
        kept &= untouched(x + (size_t)(j * ld + rows) * size, (size_t)(ld - rows) * size);
    return kept;
}

void check_surroundings(const struct problem *p, const char *what)
{
    CHECK(surroundings(p->a, p->m, p->n, p->lda, p->size), "%s: padding of a", what);
    CHECK(surroundings(p->s, p->k, 1, p->k, p->real), "%s: past the end of s", what);
    CHECK(surroundings(p->u, p->m, p->k, p->ldu, p->size), "%s: padding of u", what);
    CHECK(surroundings(p->v, p->n, p->k, p->ldv, p->size), "%s: padding of v", what);
}

/* The matrix is brought near 1 first. */
double value_error(const struct problem *p)
{
    const int m = (int)p->m, n = (int)p->n, one = 1, lwork = 70 * (m + n) + 64;
    double top = 0, largest = 0, error = 0;
    int info, shift = 0;
    if (p->k == 0)
        return 0;
    /* a column more: OpenBLAS 0.3.21's zgemv, called by zgesdd, reads beyond the last */
    double complex *a = allocate((size_t)(m * n + m) * sizeof *a), none[1];
    double complex *work = allocate((size_t)lwork * sizeof *work);
    double *s = allocate((size_t)p->k * sizeof *s), *rwork = allocate((size_t)(7 * p->k) * 8 + 8);
    int *iwork = allocate((size_t)(8 * p->k) * sizeof *iwork);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            largest = fmax(largest, cabs(get(p->type, p->a0, j * p->lda + i)));
    frexp(largest, &shift);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            const double complex x = get(p->type, p->a0, j * p->lda + i);
            a[j * m + i] = ldexp(creal(x), -shift) + I * ldexp(cimag(x), -shift);
        }
    zgesdd_("N", &m, &n, a, &m, s, none, &one, none, &one, work, &lwork, rwork, iwork, &info);
    for (int64_t i = 0; i < p->k; i++) {
        const double e = fabs(ldexp(creal(get(orr_type_real(p->type), p->s, i)), -shift) - s[i]);
        top = fmax(top, s[i]);
        error = larger(error, e);
    }
    free(a);
    free(work);
    free(s);
    free(rwork);
    free(iwork);
    if (info)
        return NAN;
    /* what rounds to denormals has an absolute error */
    const double step = orr_type_real(p->type) == ORR_S ? 0x1p-149 : 0x1p-1074;
    error = larger(error - ldexp(4 * step, -shift), 0);
    return top > 0 ? error / (double)(m > n ? m : n) / orr_type_eps(p->type) / top : error;
}

void one(orr_context *ctx, int kind, orr_type t, int64_t m, int64_t n, orr_gesvd_opts o, int which,
         struct worst *worst)
{
    char what[128];
    snprintf(what, sizeof what, "%c %lld x %lld band %lld tile %lld qr %d %s", orr_type_letter(t),
             (long long)m, (long long)n, (long long)o.band, (long long)o.tile, o.qr,
             svdgen_name(kind));
    struct problem p = make(kind, t, m, n, (uint64_t)(m + n + kind + 1));
    orr_report rep;
    const orr_status st = solve(ctx, &p, &o, which, &rep);
    CHECK(st == ORR_OK, "%s: status %d %s", what, st, rep.message);
    check_surroundings(&p, what);
    const double e = value_error(&p);
    CHECK(e <= LIMIT, "%s: values %g", what, e);
    worst->values = fmax(worst->values, e);
    if (which == 1 && p.k > 0) {
        const struct svd_ratios r = svd_judge(t, m, n, p.a0, p.lda, p.s, p.u, p.ldu, p.v, p.ldv);
        CHECK(r.residual <= LIMIT && r.left <= LIMIT && r.right <= LIMIT && r.sorted,
              "%s: residual %g left %g right %g sorted %d", what, r.residual, r.left, r.right,
              r.sorted);
        worst->residual = fmax(worst->residual, r.residual);
        worst->orthogonality = fmax(worst->orthogonality, fmax(r.left, r.right));
    }
    if (which > 1) /* the same as with both */
    {
        struct problem q = make(kind, t, m, n, (uint64_t)(m + n + kind + 1));
        solve(ctx, &q, &o, 1, &rep);
        const char *x = which == 2 ? p.u : p.v, *y = which == 2 ? q.u : q.v;
        const size_t bytes = (size_t)((which == 2 ? p.ldu : p.ldv) * p.k) * p.size;
        CHECK(!memcmp(x, y, bytes) && !memcmp(p.s, q.s, (size_t)p.k * p.real),
              "%s: one side alone differs", what);
        drop(&q);
    }
    drop(&p);
}
