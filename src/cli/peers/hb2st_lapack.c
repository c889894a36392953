/* See hb2st_lapack.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/peers/hb2st_lapack.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/numbers.h"
#include "src/cli/data/grid.h"
#include "src/cli/peers/workspace.h"

typedef void sbtrd_fn(const char *vect, const char *uplo, const int *n, const int *kd, void *ab,
                      const int *ldab, void *d, void *e, void *q, const int *ldq, void *work,
                      int *info);
typedef void sb2st_fn(const char *stage1, const char *vect, const char *uplo, const int *n,
                      const int *kd, void *ab, const int *ldab, void *d, void *e, void *hous,
                      const int *lhous, void *work, const int *lwork, int *info);
void dsterf_(const int *, double *, double *, int *);
void ssyrk_(const char *, const char *, const int *, const int *, const float *, const float *,
            const int *, const float *, float *, const int *);
void dsyrk_(const char *, const char *, const int *, const int *, const double *, const double *,
            const int *, const double *, double *, const int *);
void cherk_(const char *, const char *, const int *, const int *, const float *, const void *,
            const int *, const float *, void *, const int *);
void zherk_(const char *, const char *, const int *, const int *, const double *, const void *,
            const int *, const double *, void *, const int *);

const char *hb2st_reference_name(int reference, orr_type type)
{
    static const char *const name[HB2ST_REFERENCES][ORR_NTYPES] = {
        [HB2ST_SBTRD] = {"ssbtrd", "dsbtrd", "chbtrd", "zhbtrd"},
        [HB2ST_SB2ST] = {"ssytrd_sb2st", "dsytrd_sb2st", "chetrd_hb2st", "zhetrd_hb2st"},
    };
    return name[reference][type];
}

static cli_routine *routine(const cli_lapack *lapack, int reference, orr_type type)
{
    return cli_lapack_routine(lapack, hb2st_reference_name(reference, type));
}

static void *copy(const void *from, size_t bytes)
{
    void *p = malloc(bytes + 1);
    return p ? memcpy(p, from, bytes) : NULL;
}

static double run_sbtrd(const cli_lapack *lapack, const hb2st_band *b, void *ab, void *d, void *e,
                        void *q)
{
    const int n = (int)b->n, kd = (int)b->b, ld = kd + 1, ldq = n > 0 ? n : 1;
    void *work = lapack_room((size_t)n * orr_type_size(b->type));
    sbtrd_fn *f = (sbtrd_fn *)routine(lapack, HB2ST_SBTRD, b->type);
    int info = -1;
    const double start = cli_now();
    if (work)
        f(q ? "V" : "N", &b->uplo, &n, &kd, ab, &ld, d, e, q, &ldq, work, &info);
    const double seconds = cli_now() - start;
    free(work);
    return info == 0 ? seconds : -1;
}

static double run_sb2st(const cli_lapack *lapack, const hb2st_band *b, void *ab, void *d, void *e)
{
    const int n = (int)b->n, kd = (int)b->b, ld = kd + 1, ask = -1;
    const orr_type real = orr_type_real(b->type); /* a size is the real part of an entry */
    sb2st_fn *f = (sb2st_fn *)routine(lapack, HB2ST_SB2ST, b->type);
    double sizes[4] = {0};
    int info = 0;
    f("N", "N", &b->uplo, &n, &kd, ab, &ld, d, e, sizes, &ask, sizes + 2, &ask, &info);
    const int lhous = (int)number_real(real, sizes, 0);
    const int lwork = (int)number_real(real, sizes + 2, 0);
    void *hous = lapack_room((size_t)lhous * orr_type_size(b->type));
    void *work = lapack_room((size_t)lwork * orr_type_size(b->type));
    double seconds = -1;
    if (info == 0 && hous && work) {
        const double start = cli_now();
        f("N", "N", &b->uplo, &n, &kd, ab, &ld, d, e, hous, &lhous, work, &lwork, &info);
        seconds = info == 0 ? cli_now() - start : -1;
    }
    free(hous);
    free(work);
    return seconds;
}

double hb2st_reference(const cli_lapack *lapack, int reference, const hb2st_band *b, int vectors,
                       int threads)
{
    const size_t size = orr_type_size(b->type), n = (size_t)b->n;
    void *ab = copy(b->ab, (size_t)(b->b + 1) * n * size);
    void *d = lapack_room(n * size), *e = lapack_room(n * size);
    void *q = vectors ? lapack_room(n * n * size) : NULL;
    double seconds = -1;
    cli_lapack_threads(lapack, threads);
    if (ab && d && e && (q || !vectors))
        seconds = reference == HB2ST_SBTRD ? run_sbtrd(lapack, b, ab, d, e, q)
                                           : run_sb2st(lapack, b, ab, d, e);
    cli_lapack_threads(lapack, 1);
    free(ab);
    free(d);
    free(e);
    free(q);
    return seconds;
}

/* ---- Check figures --------------------------------------------------------------------- */

/* The lower band in double complex, without the imaginary part of the diagonal, divided by
 * its largest entry so that squares are safe. NULL without memory. */
static double complex *in_double(const hb2st_band *b, double *unit)
{
    const int64_t ld = b->b + 1;
    double complex *ab = calloc((size_t)(ld * b->n) + 1, sizeof *ab);
    double top = 0;
    for (int64_t j = 0; ab && j < b->n; j++)
        for (int64_t r = 0; r <= b->b && j + r < b->n; r++) {
            double complex z = b->uplo == 'L'
                                   ? number_get(b->type, b->ab, j * ld + r)
                                   : conj(number_get(b->type, b->ab, (j + r) * ld + b->b - r));
            z = r == 0 ? creal(z) : z;
            ab[j * ld + r] = z;
            top = fmax(top, fmax(fabs(creal(z)), fabs(cimag(z))));
        }
    *unit = top > 0 ? top : 1;
    for (int64_t k = 0; ab && k < ld * b->n; k++)
        ab[k] /= *unit;
    return ab;
}

double hb2st_value_errors(const hb2st_band *b, int64_t first, int64_t count, hb2st_values *values,
                          const void *of)
{
    const int n = (int)b->n;
    double unit, error = NAN, top = 0;
    int info = -1;
    if (n == 0)
        return 0;
    double complex *ab = in_double(b, &unit);
    double *w = calloc((size_t)(3 * n), sizeof *w), *ref = w + n;
    const hb2st_band z = {.type = ORR_Z, .uplo = 'L', .n = b->n, .b = b->b};
    if (ab && w && values(of, unit, w) &&
        run_sbtrd(cli_own_lapack(), &z, ab, ref, ref + n, NULL) >= 0)
        dsterf_(&n, ref, ref + n, &info);
    for (int i = 0; info == 0 && i < n; i++)
        top = fmax(top, fabs(ref[i]));
    if (info == 0)
        error = 0;
    for (int64_t i = 0; info == 0 && i < count; i++)
        error = cli_larger(error, fabs(w[i] - ref[first + i]));
    if (top > 0)
        error /= n * orr_type_eps(b->type) * top + cli_grid(b->type) / unit;
    free(ab);
    free(w);
    return error;
}

struct tridiagonal {
    orr_type type;
    int64_t n;
    const void *d, *e;
};

static int of_tridiagonal(const void *of, double unit, double *w)
{
    const struct tridiagonal *t = of;
    const int n = (int)t->n;
    int info = -1;
    double *off = malloc((size_t)n * sizeof *off);
    for (int i = 0; off && i < n; i++) {
        w[i] = number_real(t->type, t->d, i) / unit;
        off[i] = i + 1 < n ? number_real(t->type, t->e, i) / unit : 0;
    }
    if (off)
        dsterf_(&n, w, off, &info);
    free(off);
    return info == 0;
}

double hb2st_value_error(const hb2st_band *b, const void *d, const void *e)
{
    const struct tridiagonal t = {orr_type_real(b->type), b->n, d, e};
    return hb2st_value_errors(b, 0, b->n, of_tridiagonal, &t);
}

double hb2st_departure(orr_type type, int64_t rows, int64_t columns, const void *q)
{
    const int n = (int)columns, m = (int)rows;
    void *g = malloc((size_t)n * (size_t)n * orr_type_size(type) + 1);
    const double one = 1, zero = 0;
    const float one_s = 1, zero_s = 0;
    double sum = 0;
    if (!g)
        return NAN;
    if (n == 0) {
        free(g);
        return 0;
    }
    switch (type) {
    case ORR_S: ssyrk_("L", "T", &n, &m, &one_s, q, &m, &zero_s, g, &n); break;
    case ORR_D: dsyrk_("L", "T", &n, &m, &one, q, &m, &zero, g, &n); break;
    case ORR_C: cherk_("L", "C", &n, &m, &one_s, q, &m, &zero_s, g, &n); break;
    default: zherk_("L", "C", &n, &m, &one, q, &m, &zero, g, &n);
    }
#pragma omp parallel for reduction(+ : sum)
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            const double complex x = number_get(type, g, j * n + i) - (i == j);
            sum += (i == j ? 1 : 2) * creal(x * conj(x));
        }
    free(g);
    omp_pause_resource_all(omp_pause_hard); /* threads that would spin beside StarPU's */
    return sqrt(sum);
}

/* y := A x - (column j of Q T) of the scaled band; returns its squared norm. */
static double column_error(const double complex *ab, int64_t n, int64_t b, const double complex *x,
                           const double complex *qt, double complex *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        y[i] = -qt[i];
    for (int64_t c = 0; c < n; c++) {
        const double complex *a = ab + c * (b + 1);
        const int64_t m = c + b < n ? b : n - 1 - c;
        double complex s = a[0] * x[c];
        for (int64_t r = 1; r <= m; r++) {
            y[c + r] += a[r] * x[c];
            s += conj(a[r]) * x[c + r];
        }
        y[c] += s;
    }
    for (int64_t i = 0; i < n; i++)
        sum += creal(y[i] * conj(y[i]));
    return sum;
}

void hb2st_vector_errors(const hb2st_band *b, int64_t columns, const void *d, const void *e,
                         const void *q, double *residual, double *orthogonality)
{
    const int64_t n = b->n;
    const orr_type real = orr_type_real(b->type);
    double unit, norm = 0, sum = 0;
    int starved = 0;
    *residual = *orthogonality = 0;
    if (n == 0)
        return;
    *residual = *orthogonality = NAN;
    double complex *ab = in_double(b, &unit);
    if (!ab)
        return;
    for (int64_t k = 0; k < n * (b->b + 1); k++)
        norm += (k % (b->b + 1) ? 2 : 1) * creal(ab[k] * conj(ab[k]));
#pragma omp parallel reduction(+ : sum, starved)
    {
        double complex *work = malloc((size_t)(3 * n) * sizeof *work);
        double complex *x = work, *qt = work + n, *y = work + 2 * n;
        starved += !work;
#pragma omp for schedule(static)
        for (int64_t j = 0; j < columns; j++) {
            if (starved)
                continue;
            const double dj = number_real(real, d, j) / unit;
            const double before = e && j > 0 ? number_real(real, e, j - 1) / unit : 0;
            const double after = e && j + 1 < n ? number_real(real, e, j) / unit : 0;
            for (int64_t i = 0; i < n; i++) {
                x[i] = number_get(b->type, q, j * n + i);
                qt[i] = dj * x[i];
                if (e && j > 0)
                    qt[i] += before * number_get(b->type, q, (j - 1) * n + i);
                if (e && j + 1 < n)
                    qt[i] += after * number_get(b->type, q, (j + 1) * n + i);
            }
            sum += column_error(ab, n, b->b, x, qt, y);
        }
        free(work);
    }
    const double scale = (double)n * orr_type_eps(b->type);
    const double grid = sqrt((double)n) * cli_grid(b->type) / unit;
    norm = norm > 0 ? sqrt(norm) : 1;
    *residual = starved ? NAN : sqrt(sum) / (norm * scale + grid);
    *orthogonality = hb2st_departure(b->type, n, columns, q) / scale;
    free(ab);
}
