/* Makes and judges the files that the tests of hb2st and gb2bd need.
 *
 *   make FILE TYPE ROWS N [nan R C]      random diagonals, shape (ROWS, N); one entry NaN
 *   tri FILE UPLO D E Q                  |A - Q T Q'|_F / (n eps |A|_F)   <= 20
 *   bi FILE KL M D E U V                 |A - U B V'|_F / (n eps |A|_F)   <= 20
 *   same FILE FILE                       the same numbers
 *
 * and |X'X - I|_F / (n eps) <= 20 for Q, U and V, n the longest side. FILE is .npy, diagonals as
 * the command takes them (UPLO - or KL -: none said), or .mtx, all of the matrix.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <orrery/io.h>

#include "tests/numbers.h"

static const double LIMIT = 20;

static void die(const char *what, const char *more)
{
    fprintf(stderr, "band_tool: %s: %s\n", what, more);
    exit(2);
}

/* m x n, column major; eps: of the file's numbers, 0 if they are text */
typedef struct {
    int64_t m, n;
    double complex *a;
    double eps;
} matrix;

static matrix zeros(int64_t m, int64_t n)
{
    matrix x = {m, n, calloc((size_t)(m * n) + 1, sizeof *x.a), 0};
    if (!x.a)
        die("out of memory", "");
    return x;
}

static double complex *at(const matrix *x, int64_t i, int64_t j) { return &x->a[j * x->m + i]; }

static orr_npy read_npy(const char *path)
{
    orr_npy f;
    orr_io_error e = {0};
    if (orr_npy_read(path, 0, &f, &e) != ORR_OK)
        die(path, e.message);
    return f;
}

/* The array of the file, n x 1 if it has one dimension; the reader gives rows one by one. */
static matrix read_matrix(const char *path)
{
    orr_npy f = read_npy(path);
    matrix x = zeros(f.shape[0], f.ndim == 2 ? f.shape[1] : 1);
    x.eps = orr_type_eps(f.type);
    for (int64_t i = 0; i < x.m; i++)
        for (int64_t j = 0; j < x.n; j++)
            *at(&x, i, j) = get(f.type, f.data, i * x.n + j);
    orr_npy_free(&f);
    return x;
}

static matrix read_mtx(const char *path)
{
    orr_mtx f;
    orr_io_error e = {0};
    if (orr_mtx_read(path, 0, NULL, NULL, &f, &e) != ORR_OK)
        die(path, e.message);
    matrix x = zeros(f.rows, f.cols);
    for (int64_t k = 0; k < f.entries; k++) {
        const int64_t i = f.row[k], j = f.col[k];
        const double complex z = !f.val ? 1
                                 : f.field == ORR_MTX_COMPLEX
                                     ? CMPLX(f.val[2 * k], f.val[2 * k + 1])
                                     : f.val[k];
        *at(&x, i, j) += z;
        if (i != j && f.symmetry != ORR_MTX_GENERAL)
            *at(&x, j, i) += f.symmetry == ORR_MTX_HERMITIAN ? conj(z)
                             : f.symmetry == ORR_MTX_SKEW    ? -z
                                                             : z;
    }
    orr_mtx_free(&f);
    return x;
}

static int is_mtx(const char *path) { return strstr(path, ".mtx") != NULL; }

static matrix read_general(const char *path, const char *kl_text, const char *m_text)
{
    if (is_mtx(path))
        return read_mtx(path);
    matrix f = read_matrix(path);
    const int64_t kl = atoll(kl_text), m = *m_text == '-' ? f.n : atoll(m_text);
    const int64_t ku = f.m - 1 - kl;
    matrix x = zeros(m, f.n);
    x.eps = f.eps;
    for (int64_t j = 0; j < f.n; j++)
        for (int64_t i = j > ku ? j - ku : 0; i < m && i <= j + kl; i++)
            *at(&x, i, j) = *at(&f, ku + i - j, j);
    free(f.a);
    return x;
}

static matrix read_hermitian(const char *path, const char *uplo)
{
    if (is_mtx(path))
        return read_mtx(path);
    matrix f = read_matrix(path), x = zeros(f.n, f.n);
    for (int64_t j = 0; j < f.n; j++)
        for (int64_t i = j; i < f.n && i < j + f.m; i++) {
            double complex z = *uplo == 'U' ? conj(*at(&f, f.m - 1 + j - i, i)) : *at(&f, i - j, j);
            z = i == j ? creal(z) : z;
            *at(&x, i, j) = z;
            *at(&x, j, i) = conj(z);
        }
    free(f.a);
    return x;
}

/* |X'X - I|_F */
static double departure(const matrix *x)
{
    double sum = 0;
    for (int64_t i = 0; i < x->n; i++)
        for (int64_t j = 0; j < x->n; j++) {
            double complex s = -(i == j);
            for (int64_t k = 0; k < x->m; k++)
                s += conj(*at(x, k, i)) * *at(x, k, j);
            sum += creal(s * conj(s));
        }
    return sqrt(sum);
}

/* A against L M R', M having d on its diagonal, e above and, if symmetric, below it. The residual
 * is in units of the less precise of both files. */
static int judge(const matrix *a, char **v, int symmetric, const char *left, const char *right)
{
    const matrix d = read_matrix(v[0]), e = read_matrix(v[1]);
    const matrix l = read_matrix(left), r = read_matrix(right);
    const int64_t k = d.m;
    double sum = 0, norm = 0, top = 0;
    if (l.m != a->m || l.n != k || r.m != a->n || r.n != k || (k > 0 && e.m != k - 1))
        die(left, "the shapes do not fit");
    for (int64_t i = 0; i < a->m; i++)
        for (int64_t j = 0; j < a->n; j++)
            top = fmax(top, cabs(*at(a, i, j)));
    top = top > 0 ? top : 1;
    for (int64_t i = 0; i < a->m; i++)
        for (int64_t j = 0; j < a->n; j++) {
            double complex z = -*at(a, i, j) / top;
            norm += creal(z * conj(z));
            for (int64_t p = 0; p < k; p++) {
                z += *at(&l, i, p) * (d.a[p] / top) * conj(*at(&r, j, p));
                if (p + 1 < k)
                    z += *at(&l, i, p) * (e.a[p] / top) * conj(*at(&r, j, p + 1));
                if (p + 1 < k && symmetric)
                    z += *at(&l, i, p + 1) * (e.a[p] / top) * conj(*at(&r, j, p));
            }
            sum += creal(z * conj(z));
        }
    const double longest = (double)(a->m > a->n ? a->m : a->n > 0 ? a->n : 1);
    const double unit = l.eps * longest;
    const double residual = sqrt(sum / (norm > 0 ? norm : 1)) / (fmax(l.eps, a->eps) * longest);
    const double dl = departure(&l) / unit, dr = departure(&r) / unit;
    printf("residual %.2f, orthogonality %.2f, %.2f (limit %g)\n", residual, dl, dr, LIMIT);
    free(d.a);
    free(e.a);
    free(l.a);
    free(r.a);
    return !(residual <= LIMIT && dl <= LIMIT && dr <= LIMIT);
}

static int same(const char *x, const char *y)
{
    orr_npy f = read_npy(x), g = read_npy(y);
    int64_t count = 1;
    int equal = f.type == g.type && f.ndim == g.ndim;
    for (int k = 0; equal && k < f.ndim; k++) {
        equal = f.shape[k] == g.shape[k];
        count *= f.shape[k];
    }
    equal = equal && !memcmp(f.data, g.data, (size_t)count * orr_type_size(f.type));
    orr_npy_free(&f);
    orr_npy_free(&g);
    return !equal;
}

static int make(char **v, int count)
{
    orr_npy f = {.ndim = 2, .shape = {atoll(v[2]), atoll(v[3])}};
    orr_io_error e = {0};
    if (orr_type_parse(v[1], &f.type) != 0)
        die("no such type", v[1]);
    const int64_t n = f.shape[1], all = f.shape[0] * n;
    const int64_t bad = count > 6 ? atoll(v[5]) * n + atoll(v[6]) : -1;
    const int parts = f.type == ORR_C || f.type == ORR_Z ? 2 : 1;
    f.data = malloc((size_t)all * orr_type_size(f.type) + 1);
    for (int64_t k = 0; f.data && k < all * parts; k++) {
        const double x = k / parts == bad ? NAN : 2.0 * rand() / RAND_MAX - 1;
        if (f.type == ORR_H)
            ((uint16_t *)f.data)[k] = (uint16_t)(isnan(x) ? 0x7e00 : 0x3800 + rand() % 0x400);
        else if (f.type == ORR_S || f.type == ORR_C)
            ((float *)f.data)[k] = (float)x;
        else
            ((double *)f.data)[k] = x;
    }
    if (orr_npy_write(v[0], f.type, 2, f.shape, 0, f.data, &e) != ORR_OK)
        die(v[0], e.message);
    free(f.data);
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "make") && argc > 5)
        return make(argv + 2, argc - 2);
    if (!strcmp(what, "same") && argc == 4)
        return same(argv[2], argv[3]);
    if (!strcmp(what, "tri") && argc == 7) {
        const matrix a = read_hermitian(argv[2], argv[3]);
        const int bad = judge(&a, argv + 4, 1, argv[6], argv[6]);
        free(a.a);
        return bad;
    }
    if (!strcmp(what, "bi") && argc == 9) {
        const matrix a = read_general(argv[2], argv[3], argv[4]);
        const int bad = judge(&a, argv + 5, 0, argv[7], argv[8]);
        free(a.a);
        return bad;
    }
    die("usage", "see the head of band_tool.c");
    return 2;
}
