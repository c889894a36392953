/* See heev_lapack.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/peers/heev_lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/numbers.h"
#include "src/cli/data/grid.h"
#include "src/cli/peers/workspace.h"

typedef void real_evd_fn(const char *, const char *, const int *, void *, const int *, void *,
                         void *, const int *, int *, const int *, int *);
typedef void complex_evd_fn(const char *, const char *, const int *, void *, const int *, void *,
                            void *, const int *, void *, const int *, int *, const int *, int *);
/* jobz, range, uplo, n, a, lda, vl, vu, il, iu, abstol, m, w, z, ldz, isuppz, work, lwork,
 * [rwork, lrwork,] iwork, liwork, info */
typedef void real_evr_fn(const char *, const char *, const char *, const int *, void *, const int *,
                         const void *, const void *, const int *, const int *, const void *, int *,
                         void *, void *, const int *, int *, void *, const int *, int *,
                         const int *, int *);
typedef void complex_evr_fn(const char *, const char *, const char *, const int *, void *,
                            const int *, const void *, const void *, const int *, const int *,
                            const void *, int *, void *, void *, const int *, int *, void *,
                            const int *, void *, const int *, int *, const int *, int *);
void dsymm_(const char *, const char *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
void zhemm_(const char *, const char *, const int *, const int *, const double complex *,
            const double complex *, const int *, const double complex *, const int *,
            const double complex *, double complex *, const int *);

static const char *routine_name(int reference, orr_type type)
{
    static const char *const name[HEEV_REFERENCES][ORR_NTYPES] = {
        [HEEV_D] = {"ssyevd", "dsyevd", "cheevd", "zheevd"},
        [HEEV_R] = {"ssyevr", "dsyevr", "cheevr", "zheevr"},
        [HEEV_2STAGE] = {"ssyevd_2stage", "dsyevd_2stage", "cheevd_2stage", "zheevd_2stage"},
    };
    return name[reference][type];
}

const char *heev_reference_name(const void *problem, int reference)
{
    const heev_problem *p = problem;
    const int part = p->count < p->n || p->interval;
    const int worth = (reference != HEEV_R || p->vectors || part) &&
                      (reference == HEEV_R || !part) && (reference != HEEV_2STAGE || !p->vectors);
    return worth ? routine_name(reference, p->type) : NULL;
}

/* ---- LAPACK ------------------------------------------------------------------------------ */

struct room {
    int n, *support;
    void *a, *w, *z;
    workspace k;
    cli_routine *routine;
};

static int call(int reference, const heev_problem *p, struct room *r)
{
    const char *jobz = p->vectors ? "V" : "N";
    const char *range = p->interval ? "V" : p->count < p->n ? "I" : "A";
    const int ld = r->n > 0 ? r->n : 1, il = (int)p->first + 1, iu = (int)(p->first + p->count);
    const double none = 0;
    const float vl_s = (float)p->vl, vu_s = (float)p->vu;
    const int single = orr_type_real(p->type) == ORR_S;
    const void *vl = single ? (const void *)&vl_s : &p->vl,
               *vu = single ? (const void *)&vu_s : &p->vu;
    int info = -1, found;
    if (reference == HEEV_R && number_is_complex(p->type)) {
        complex_evr_fn *g = (complex_evr_fn *)r->routine;
        g(jobz, range, &p->uplo, &r->n, r->a, &ld, vl, vu, &il, &iu, &none, &found, r->w, r->z, &ld,
          r->support, r->k.work, &r->k.lwork, r->k.rwork, &r->k.lrwork, r->k.iwork, &r->k.liwork,
          &info);
    } else if (reference == HEEV_R) {
        real_evr_fn *g = (real_evr_fn *)r->routine;
        g(jobz, range, &p->uplo, &r->n, r->a, &ld, vl, vu, &il, &iu, &none, &found, r->w, r->z, &ld,
          r->support, r->k.work, &r->k.lwork, r->k.iwork, &r->k.liwork, &info);
    } else if (number_is_complex(p->type)) {
        complex_evd_fn *g = (complex_evd_fn *)r->routine;
        g(jobz, &p->uplo, &r->n, r->a, &ld, r->w, r->k.work, &r->k.lwork, r->k.rwork, &r->k.lrwork,
          r->k.iwork, &r->k.liwork, &info);
    } else {
        real_evd_fn *g = (real_evd_fn *)r->routine;
        g(jobz, &p->uplo, &r->n, r->a, &ld, r->w, r->k.work, &r->k.lwork, r->k.iwork, &r->k.liwork,
          &info);
    }
    return info;
}

static int prepare(const cli_lapack *lapack, int reference, const heev_problem *p, struct room *r)
{
    const size_t n = (size_t)p->n, size = orr_type_size(p->type);
    *r = (struct room){.n = (int)n,
                       .routine = cli_lapack_routine(lapack, routine_name(reference, p->type))};
    workspace_query(&r->k);
    r->a = lapack_room((n + 1) * n * size); /* a column more: see stack.h */
    r->w = lapack_room(n * sizeof(double));
    r->z = reference == HEEV_R ? lapack_room(n * n * size) : NULL;
    r->support = lapack_room(2 * n * sizeof *r->support);
    const int info = r->routine && r->a && r->w && r->support ? call(reference, p, r) : -1;
    const int roomy = workspace_make(&r->k, p->type, p->n);
    if (r->a)
        memcpy(r->a, p->a, n * n * size);
    return info == 0 && roomy && (r->z || reference != HEEV_R);
}

static void release(struct room *r)
{
    free(r->a);
    free(r->w);
    free(r->z);
    workspace_free(&r->k);
    free(r->support);
}

double heev_reference(const void *problem, const cli_lapack *lapack, int reference, int threads)
{
    const heev_problem *p = problem;
    struct room r;
    double seconds = -1;
    cli_lapack_threads(lapack, threads);
    if (prepare(lapack, reference, p, &r)) {
        const double start = cli_now();
        if (call(reference, p, &r) == 0)
            seconds = cli_now() - start;
    }
    cli_lapack_threads(lapack, 1);
    release(&r);
    return seconds;
}

/* ---- Check figures -------------------------------------------------------------------------- */

/* Columns of n entries divided by unit, as D or Z. NULL without memory. */
static void *in_double(const heev_problem *p, const void *x, int64_t columns, double unit)
{
    const int64_t count = p->n * columns;
    double complex *z = malloc((size_t)(count + p->n) * (number_is_complex(p->type) ? 16 : 8) + 1);
    for (int64_t k = 0; z && k < count; k++) {
        const double complex v = number_get(p->type, x, k) / unit;
        if (number_is_complex(p->type))
            z[k] = v;
        else
            ((double *)z)[k] = creal(v);
    }
    return z;
}

/* The largest entry of the triangle; at least the smallest number. */
static double largest(const heev_problem *p, double *norm)
{
    double top = 0, sum = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t j = 0; j < p->n; j++)
            for (int64_t i = p->uplo == 'L' ? j : 0; i < (p->uplo == 'L' ? p->n : j + 1); i++) {
                double complex v = number_get(p->type, p->a, j * p->n + i);
                v = i == j ? creal(v) : v;
                const double m = fmax(fabs(creal(v)), fabs(cimag(v)));
                if (pass == 0)
                    top = fmax(top, m);
                else if (top > 0)
                    sum += (i == j ? 1 : 2) * pow(cabs(v / top), 2);
            }
    *norm = sqrt(sum);
    return top > 0 ? top : 1;
}

double heev_value_error(const heev_problem *p, const void *w, int threads)
{
    double norm, top = 0, error = 0;
    const double unit = largest(p, &norm);
    heev_problem q = {.type = number_is_complex(p->type) ? ORR_Z : ORR_D,
                      .uplo = p->uplo,
                      .n = p->n,
                      .count = p->n};
    void *a = in_double(p, p->a, p->n, unit);
    struct room r = {0};
    q.a = a;
    cli_lapack_threads(cli_own_lapack(), threads);
    if (!a || !prepare(cli_own_lapack(), HEEV_D, &q, &r) || call(HEEV_D, &q, &r) != 0)
        error = NAN;
    cli_lapack_threads(cli_own_lapack(), 1);
    const double *ref = r.w;
    for (int64_t i = 0; i < p->n && !isnan(error); i++)
        top = fmax(top, fabs(ref[i]));
    for (int64_t i = 0; i < p->count && !isnan(error); i++) {
        const double e = fabs(number_real(orr_type_real(p->type), w, i) / unit - ref[p->first + i]);
        error = cli_larger(error, e);
    }
    if (p->interval && !isnan(error)) { /* nothing within it was left out */
        if (p->first > 0)
            error = fmax(error, ref[p->first - 1] - p->vl / unit);
        if (p->first + p->count < p->n)
            error = fmax(error, p->vu / unit - ref[p->first + p->count]);
    }
    if (r.n || r.a)
        release(&r);
    free(a);
    const double grid = cli_grid(p->type) / unit;
    return top > 0 ? error / ((double)p->n * orr_type_eps(p->type) * top + grid) : error;
}

double heev_residual(const heev_problem *p, const void *w, const void *z_, int threads)
{
    double norm, sum = 0;
    const int n = (int)p->n, k = (int)p->count, wide = number_is_complex(p->type);
    const double unit = largest(p, &norm), one = 1, zero = 0;
    const double complex one_z = 1, zero_z = 0;
    void *a = in_double(p, p->a, p->n, unit), *z = in_double(p, z_, p->count, 1),
         *y = in_double(p, z_, p->count, 1);
    if (a && z && y && n > 0) {
        cli_lapack_threads(cli_own_lapack(), threads);
        if (wide)
            zhemm_("L", &p->uplo, &n, &k, &one_z, a, &n, z, &n, &zero_z, y, &n);
        else
            dsymm_("L", &p->uplo, &n, &k, &one, a, &n, z, &n, &zero, y, &n);
        cli_lapack_threads(cli_own_lapack(), 1);
        const orr_type t = wide ? ORR_Z : ORR_D;
        for (int64_t j = 0; j < k; j++)
            for (int64_t i = 0; i < n; i++)
                sum += pow(
                    cabs(number_get(t, y, j * n + i) - number_real(orr_type_real(p->type), w, j) /
                                                           unit * number_get(t, z, j * n + i)),
                    2);
    }
    const int made = a && z && y;
    free(a);
    free(z);
    free(y);
    if (!made)
        return NAN;
    const double grid = sqrt(k) * cli_grid(p->type) / unit;
    return norm > 0 ? sqrt(sum) / (norm * n * orr_type_eps(p->type) + grid) : sum;
}
