/* See gesvd_lapack.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/peers/gesvd_lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/numbers.h"
#include "src/cli/data/grid.h"
#include "src/cli/peers/hb2st_lapack.h"

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);
void zgemm_(const char *, const char *, const int *, const int *, const int *,
            const double complex *, const double complex *, const int *, const double complex *,
            const int *, const double complex *, double complex *, const int *);

/* ---- LAPACK ------------------------------------------------------------------------------ */

const char *gesvd_reference_name(const void *data, int which)
{
    enum { TOO_SLOW = 1500 }; /* with vectors QR iteration takes 20 times as long as gesdd */
    const svd_data *d = data;
    return which == SVD_GESVD && d->x && d->y && d->k >= TOO_SLOW
               ? NULL
               : svd_routine_name(d->type, which);
}

double gesvd_reference(const void *data, const cli_lapack *lapack, int which, int threads)
{
    cli_lapack_threads(lapack, threads);
    const double seconds = svd_lapack_one(data, lapack, which, NULL);
    cli_lapack_threads(lapack, 1);
    return seconds;
}

/* ---- Check figures -------------------------------------------------------------------------- */

static double largest(const svd_data *d)
{
    double top = 0;
    for (int64_t k = 0; k < d->m * d->n; k++) {
        const double complex x = number_get(d->type, d->a, k);
        top = fmax(top, fmax(fabs(creal(x)), fabs(cimag(x))));
    }
    return top > 0 ? top : 1;
}

/* Columns of `rows` entries divided by unit, as D or Z; column j also times s[j] if s is given.
 * NULL without memory. */
static void *in_double(orr_type t, const void *x, int64_t rows, int64_t columns, double unit,
                       const void *s)
{
    const int64_t count = rows * columns;
    void *z = malloc((size_t)count * (number_is_complex(t) ? 16 : 8) + 64);
    for (int64_t k = 0; z && k < count; k++) {
        /* 1/unit alone may be out of range */
        const double complex v =
            s ? number_get(t, x, k) * (number_real(orr_type_real(t), s, k / rows) / unit)
              : number_get(t, x, k) / unit;
        if (number_is_complex(t))
            ((double complex *)z)[k] = v;
        else
            ((double *)z)[k] = creal(v);
    }
    return z;
}

double gesvd_value_error(const svd_data *d, int threads)
{
    const double unit = largest(d);
    svd_data q = {.type = number_is_complex(d->type) ? ORR_Z : ORR_D,
                  .count = 1,
                  .m = d->m,
                  .n = d->n,
                  .k = d->k,
                  .a = in_double(d->type, d->a, d->n, d->m, unit, NULL)};
    double *ref = calloc((size_t)d->k + 1, sizeof *ref), top = 0, error = 0;
    cli_lapack_threads(cli_own_lapack(), threads);
    if (!q.a || !ref || (d->k > 0 && svd_lapack_one(&q, cli_own_lapack(), SVD_GESDD, ref) < 0))
        error = NAN;
    cli_lapack_threads(cli_own_lapack(), 1);
    for (int64_t i = 0; i < d->k && !isnan(error); i++) {
        const double s = number_real(orr_type_real(d->type), d->s, i) / unit;
        const double e = fabs(s - ref[i]);
        top = fmax(top, ref[i]);
        error = cli_larger(error, e);
    }
    free(q.a);
    free(ref);
    const double most = fmax((double)d->m, (double)d->n);
    return top > 0 ? error / (most * orr_type_eps(d->type) * top + cli_grid(d->type) / unit)
                   : error;
}

static double norm(orr_type t, const void *x, int64_t count)
{
    double sum = 0;
    for (int64_t k = 0; k < count; k++) {
        const double complex v = number_get(t, x, k);
        sum += creal(v * conj(v));
    }
    return sqrt(sum);
}

/* Of the library's view A' = X S Y', n x m. */
double gesvd_residual(const svd_data *d, int threads)
{
    const int m = (int)d->n, n = (int)d->m, k = (int)d->k;
    const double unit = largest(d), minus = -1, one = 1;
    const double complex minus_z = -1, one_z = 1;
    const orr_type wide = number_is_complex(d->type) ? ORR_Z : ORR_D;
    void *a = in_double(d->type, d->a, m, n, unit, NULL);
    void *x = in_double(d->type, d->x, m, k, unit, d->s),
         *y = in_double(d->type, d->y, n, k, 1, NULL);
    double result = NAN;
    if (a && x && y) {
        const double size = norm(wide, a, (int64_t)m * n);
        cli_lapack_threads(cli_own_lapack(), threads);
        if (k > 0 && wide == ORR_Z)
            zgemm_("N", "C", &m, &n, &k, &minus_z, x, &m, y, &n, &one_z, a, &m);
        else if (k > 0)
            dgemm_("N", "C", &m, &n, &k, &minus, x, &m, y, &n, &one, a, &m);
        cli_lapack_threads(cli_own_lapack(), 1);
        result = norm(wide, a, (int64_t)m * n);
        if (size > 0)
            result /=
                size * fmax(m, n) * orr_type_eps(d->type) + sqrt(k) * cli_grid(d->type) / unit;
    }
    free(a);
    free(x);
    free(y);
    return result;
}

double gesvd_orthogonality(const svd_data *d)
{
    const double eps = orr_type_eps(d->type);
    if (d->k == 0)
        return 0;
    return fmax(hb2st_departure(d->type, d->m, d->k, d->y) / ((double)d->m * eps),
                hb2st_departure(d->type, d->n, d->k, d->x) / ((double)d->n * eps));
}
