/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/peers/gb2bd_lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/numbers.h"
#include "src/cli/data/grid.h"
#include "src/cli/peers/hb2st_lapack.h"
#include "src/cli/peers/workspace.h"

typedef const int *arg;
/* vect, m, n, ncc, kl, ku, ab, ldab, d, e, q, ldq, pt, ldpt, c, ldc, work, [rwork,] info */
typedef void real_gbbrd(const char *, arg, arg, arg, arg, arg, void *, arg, void *, void *, void *,
                        arg, void *, arg, void *, arg, void *, int *);
typedef void complex_gbbrd(const char *, arg, arg, arg, arg, arg, void *, arg, void *, void *,
                           void *, arg, void *, arg, void *, arg, void *, void *, int *);
void dbdsqr_(const char *, arg, arg, arg, arg, double *, double *, double *, arg, double *, arg,
             double *, arg, double *, int *);

static const char *routine_name(orr_type t)
{
    static const char *const name[] = {
        [ORR_S] = "sgbbrd", [ORR_D] = "dgbbrd", [ORR_C] = "cgbbrd", [ORR_Z] = "zgbbrd", [ORR_H] = "sgbbrd"};
    return name[t];
}

const char *gb2bd_reference_name(const void *band, int which)
{
    (void)which;
    return routine_name(((const gb2bd_band *)band)->type);
}

/* Half precision is stored as IEEE binary16. */
static double half_value(uint16_t h)
{
    const int e = h >> 10 & 31;
    const double f = h & 0x3ff;
    const double x = e == 31 ? (f != 0 ? NAN : INFINITY)
                     : e     ? ldexp(1 + f / 1024, e - 15)
                             : ldexp(f, -24);
    return h & 0x8000 ? -x : x;
}

/* Real number k of the band's array. */
static double number(const gb2bd_band *a, int64_t k)
{
    return a->type == ORR_H ? half_value(((const uint16_t *)a->ab)[k])
                            : number_real(orr_type_real(a->type), a->ab, k);
}

/* gbbrd on a copy of ab, which has real numbers of `single` or double precision. d, e: of
 * that precision. */
static double gbbrd(const cli_lapack *lapack, const gb2bd_band *a, const void *ab, int single,
                    void *d, void *e)
{
    const int m = (int)a->m, n = (int)a->n, kl = (int)a->kl, ku = (int)a->ku, none = 0, one = 1;
    const int ld = kl + ku + 1, parts = 1 + number_is_complex(a->type);
    const size_t real = single ? 4 : 8, bytes = (size_t)gb2bd_entries(a) * (size_t)parts * real;
    void *copy = malloc(bytes + 1), *work = lapack_room((size_t)(m + n + 1) * 2 * 2 * real);
    void *rwork = lapack_room((size_t)(m + n + 1) * real);
    const orr_type type = number_is_complex(a->type) ? (single ? ORR_C : ORR_Z)
                          : single                   ? ORR_S
                                                     : ORR_D;
    cli_routine *f = cli_lapack_routine(lapack, routine_name(type));
    double x[2];
    int info;
    double seconds = -1;
    if (f && copy && work && rwork) {
        memcpy(copy, ab, bytes);
        const double start = cli_now();
        if (parts == 1)
            ((real_gbbrd *)f)("N", &m, &n, &none, &kl, &ku, copy, &ld, d, e, x, &one, x, &one, x,
                              &one, work, &info);
        else
            ((complex_gbbrd *)f)("N", &m, &n, &none, &kl, &ku, copy, &ld, d, e, x, &one, x, &one, x,
                                 &one, work, rwork, &info);
        seconds = cli_now() - start;
    }
    free(copy);
    free(work);
    free(rwork);
    return seconds;
}

/* The band's numbers as floats or doubles; malloc'ed. */
static void *converted(const gb2bd_band *a, int single)
{
    const int64_t count = gb2bd_entries(a) * (1 + number_is_complex(a->type));
    void *out = malloc((size_t)count * (single ? 4 : 8) + 1);
    for (int64_t k = 0; out && k < count; k++)
        if (single)
            ((float *)out)[k] = (float)number(a, k);
        else
            ((double *)out)[k] = number(a, k);
    return out;
}

double gb2bd_reference(const void *band, const cli_lapack *lapack, int which, int threads)
{
    const gb2bd_band *a = band;
    (void)which;
    const int single = a->type != ORR_D && a->type != ORR_Z;
    const size_t least = (size_t)(a->m < a->n ? a->m : a->n);
    void *ab = converted(a, single), *d = lapack_room(8 * least), *e = lapack_room(8 * least);
    cli_lapack_threads(lapack, threads);
    const double seconds = ab && d && e ? gbbrd(lapack, a, ab, single, d, e) : -1;
    cli_lapack_threads(lapack, 1);
    free(ab);
    free(d);
    free(e);
    return seconds;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* d := singular values, descending. 0: bdsqr failed. */
static int bidiagonal_values(int n, double *d, double *e)
{
    const int zero = 0, one = 1;
    int info = -1;
    double x, *work = malloc((size_t)(4 * n + 4) * sizeof *work);
    if (work && n > 0)
        dbdsqr_("U", &n, &zero, &zero, &zero, d, e, &x, &one, &x, &one, &x, &one, work, &info);
    free(work);
    if (n > 0)
        qsort(d, (size_t)n, sizeof *d, descending);
    return n == 0 || info == 0;
}

static double complex entry(orr_type t, const void *a, int64_t k)
{
    return t == ORR_H ? half_value(((const uint16_t *)a)[k]) : number_get(t, a, k);
}

/* The largest part of A, 1 if it is zero, and |A|_F divided by that. */
static double norm_of(const gb2bd_band *a, double *unit)
{
    const int64_t ld = a->kl + a->ku + 1;
    double sum = 0;
    *unit = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t k = 0; k < gb2bd_entries(a); k++) {
            const int64_t j = k / ld, i = j - a->ku + k % ld;
            if (i < 0 || i >= a->m)
                continue;
            const double complex z = entry(a->type, a->ab, k);
            if (pass == 0)
                *unit = fmax(*unit, fmax(fabs(creal(z)), fabs(cimag(z))));
            else
                sum += creal(z / *unit * conj(z / *unit));
        }
        *unit = *unit > 0 ? *unit : 1;
    }
    return sqrt(sum);
}

double gb2bd_value_error(const gb2bd_band *a, const void *d, const void *e)
{
    const int64_t order = a->m < a->n ? a->m : a->n;
    double unit;
    norm_of(a, &unit);
    const orr_type real = orr_type_real(gb2bd_vector_type(a->type));
    double *s = malloc((size_t)(order + 1) * 8), *f = malloc((size_t)(order + 1) * 8);
    double *sr = malloc((size_t)(order + 1) * 8), *fr = malloc((size_t)(order + 1) * 8);
    double *ab = converted(a, 0);
    double worst = NAN;
    if (s && f && sr && fr && ab) {
        for (int64_t k = 0; k < gb2bd_entries(a) * (1 + number_is_complex(a->type)); k++)
            ab[k] /= unit;
        for (int64_t i = 0; i < order; i++) {
            s[i] = number_real(real, d, i) / unit;
            if (i + 1 < order)
                f[i] = number_real(real, e, i) / unit;
        }
        if (gbbrd(cli_own_lapack(), a, ab, 0, sr, fr) >= 0 && bidiagonal_values((int)order, s, f) &&
            bidiagonal_values((int)order, sr, fr)) {
            worst = 0;
            for (int64_t i = 0; i < order; i++) {
                const double diff = fabs(s[i] - sr[i]);
                const double x = diff == 0 ? 0
                                           : diff / ((double)order * orr_type_eps(a->type) * sr[0] +
                                                     cli_grid(a->type) / unit);
                worst = cli_larger(worst, x);
            }
        }
    }
    free(s);
    free(f);
    free(sr);
    free(fr);
    free(ab);
    return worst;
}

/* ---- Vectors ------------------------------------------------------------------------------- */

/* y := A x, or A'x; entries divided by `unit`. */
static void multiply(const gb2bd_band *a, int adjoint, double unit, const double complex *x,
                     double complex *y)
{
    const int64_t ld = a->kl + a->ku + 1;
    for (int64_t i = 0; i < (adjoint ? a->n : a->m); i++)
        y[i] = 0;
    for (int64_t j = 0; j < a->n; j++) {
        const int64_t i0 = j > a->ku ? j - a->ku : 0;
        const int64_t i1 = j + a->kl + 1 < a->m ? j + a->kl + 1 : a->m;
        for (int64_t i = i0; i < i1; i++) {
            const double complex z = entry(a->type, a->ab, j * ld + a->ku + i - j) / unit;
            if (adjoint)
                y[j] += conj(z) * x[i];
            else
                y[i] += z * x[j];
        }
    }
}

void gb2bd_vector_errors(const gb2bd_band *a, const void *d, const void *e, const void *u,
                         const void *v, double *residual, double *orthogonality)
{
    const orr_type t = gb2bd_vector_type(a->type), real = orr_type_real(t);
    const int64_t k = gb2bd_order(a), m = a->m, n = a->n, longest = m > n ? m : n;
    const int adjoint = m < n; /* the side of which all columns are there */
    const void *in = adjoint ? u : v, *out = adjoint ? v : u;
    const int64_t rows = adjoint ? n : m, columns = adjoint ? m : n;
    const double size = (double)(longest > 0 ? longest : 1);
    double unit, sum = 0, norm = norm_of(a, &unit);
    double complex *x = malloc((size_t)(2 * longest + 1) * sizeof *x), *y = x + longest;
    *residual = *orthogonality = NAN;
    for (int64_t j = 0; x && j < k; j++) {
        /* A V = U B:  A v_j = d_j u_j + e_j-1 u_j-1;  A'U = V B':  A'u_j = d_j v_j + e_j v_j+1 */
        const int64_t next = adjoint ? j + 1 : j - 1, off = adjoint ? j : j - 1;
        const double dj = number_real(real, d, j) / unit;
        const double ej = next >= 0 && next < k ? number_real(real, e, off) / unit : 0;
        for (int64_t i = 0; i < columns; i++)
            x[i] = entry(t, in, j * columns + i);
        multiply(a, adjoint, unit, x, y);
        for (int64_t i = 0; i < rows; i++) {
            double complex r = y[i] - dj * entry(t, out, j * rows + i);
            if (next >= 0 && next < k)
                r -= ej * entry(t, out, next * rows + i);
            sum += creal(r * conj(r));
        }
    }
    if (x) {
        const double left = hb2st_departure(t, m, k, u), right = hb2st_departure(t, n, k, v);
        *residual = sqrt(sum) / ((norm > 0 ? norm : 1) * size * orr_type_eps(a->type) +
                                 sqrt((double)k) * cli_grid(a->type) / unit);
        *orthogonality = (right <= left ? left : right) / (size * orr_type_eps(t));
    }
    free(x);
}
