/* Files for the test of `orrery gesvj`.
 *
 *   make FILE TYPE COUNT M N [L]   a random array of shape (COUNT, M, N), or (M, N) if COUNT is 0;
 *                                  matrix L has a NaN
 *   split STREAM PREFIX            concatenated .npy arrays to PREFIX0.npy, PREFIX1.npy, ...;
 *                                  prints how many
 *   mtx FILE A                     the one matrix of A.npy, sparse, as Matrix Market
 *   judge A S U V                  max over matrices of |A - U diag(s) V'|_F / (max(m,n) eps
 * |A|_F), |U'U - I|_F and |V'V - I|_F / (max(m,n) eps) <= 20, s descending; matrices of A with a
 * NaN are to have NaN results
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"

static const double LIMIT = 20;

static int make(char **v, int64_t with_nan)
{
    const int64_t count = atoll(v[2]), m = atoll(v[3]), n = atoll(v[4]), all = count ? count : 1;
    orr_npy a = {.ndim = count ? 3 : 2};
    if (orr_type_parse(v[1], &a.type) != 0)
        return die("type", v[1]);
    a.shape[0] = count;
    a.shape[a.ndim - 2] = m;
    a.shape[a.ndim - 1] = n;
    a.data = calloc((size_t)(all * m * n) + 1, orr_type_size(a.type));
    for (int64_t i = 0; i < all * m * n; i++)
        set(&a, i, draw() + I * draw());
    if (with_nan >= 0)
        set(&a, with_nan * m * n + n / 2, NAN);
    const int code = write_array(v[0], &a);
    free(a.data);
    return code;
}

static int split(const char *stream, const char *prefix)
{
    FILE *f = fopen(stream, "rb");
    int count = 0, code = 0;
    for (int end = !f; !end && code == 0;) {
        orr_npy a;
        orr_io_error e = {0};
        char path[512];
        if (orr_npy_read_stream(f, stream, 0, &a, &end, &e) != ORR_OK)
            code = die(stream, e.message);
        else if (!end) {
            snprintf(path, sizeof path, "%s%d.npy", prefix, count++);
            code = write_array(path, &a);
            orr_npy_free(&a);
        }
    }
    if (f)
        fclose(f);
    printf("%d\n", count);
    return f ? code : die(stream, "cannot be opened");
}

/* |Q'Q - I|_F of matrix l of a stack of rows x k. */
static double departure(const orr_npy *q, int64_t l, int64_t rows, int64_t k)
{
    double sum = 0;
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) {
            double complex x = i == j ? -1 : 0;
            for (int64_t r = 0; r < rows; r++)
                x += conj(at(q, (l * rows + r) * k + i)) * at(q, (l * rows + r) * k + j);
            sum += creal(x * conj(x));
        }
    return sqrt(sum);
}

static int judge_matrix(const orr_npy x[4], int64_t l, int64_t m, int64_t n, double worst[2])
{
    const int64_t k = m < n ? m : n;
    double norm = 0, residual = 0;
    int nan_in = 0, nan_out = 0, wrong = 0;
    for (int64_t i = 0; i < k; i++) {
        const double s = creal(at(&x[1], l * k + i));
        nan_out += isnan(s) != 0;
        wrong |= s < 0 || (i > 0 && s > creal(at(&x[1], l * k + i - 1)));
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            const double complex a = at(&x[0], (l * m + i) * n + j);
            double complex r = -a;
            nan_in |= isnan(creal(a)) || isnan(cimag(a));
            for (int64_t p = 0; p < k; p++)
                r += at(&x[2], (l * m + i) * k + p) * at(&x[1], l * k + p) *
                     conj(at(&x[3], (l * n + j) * k + p));
            norm += creal(a * conj(a));
            residual += creal(r * conj(r));
        }
    if (nan_in)
        return nan_out == k;
    const double unit = (double)(m > n ? m : n) * orr_type_eps(x[0].type);
    residual = norm > 0 ? sqrt(residual / norm) / unit : sqrt(residual);
    const double orthogonality =
        k ? fmax(departure(&x[2], l, m, k), departure(&x[3], l, n, k)) / unit : 0;
    worst[0] = fmax(worst[0], residual);
    worst[1] = fmax(worst[1], orthogonality);
    return residual <= LIMIT && orthogonality <= LIMIT && !wrong && !nan_out;
}

static int judge(char **path)
{
    orr_npy x[4];
    double worst[2] = {0, 0};
    for (int i = 0; i < 4; i++) {
        orr_io_error e = {0};
        if (orr_npy_read(path[i], 0, &x[i], &e) != ORR_OK)
            return die(path[i], e.message);
    }
    const int more = x[0].ndim - 2; /* 1: a stack */
    const int64_t m = x[0].shape[more], n = x[0].shape[more + 1], k = m < n ? m : n;
    const int64_t count = more ? x[0].shape[0] : 1;
    const int shapes = x[1].ndim == more + 1 && x[2].ndim == more + 2 && x[3].ndim == more + 2 &&
                       x[1].shape[more] == k && x[2].shape[more] == m &&
                       x[2].shape[more + 1] == k && x[3].shape[more] == n &&
                       x[3].shape[more + 1] == k;
    if (!shapes || x[1].type != orr_type_real(x[0].type) || x[2].type != x[0].type)
        return die(path[0], "results of a wrong shape or type");
    int64_t wrong = 0;
    for (int64_t l = 0; l < count; l++)
        wrong += !judge_matrix(x, l, m, n, worst);
    printf("%lld of %lld matrices wrong; residual %.3g, orthogonality %.3g, limit %g\n",
           (long long)wrong, (long long)count, worst[0], worst[1], LIMIT);
    for (int i = 0; i < 4; i++)
        orr_npy_free(&x[i]);
    return wrong != 0;
}

static int mtx(const char *path, const char *from)
{
    orr_npy a;
    orr_io_error error;
    if (orr_npy_read(from, 0, &a, &error) != ORR_OK || a.ndim != 2)
        return die("not one matrix", from);
    const int is_complex = a.type == ORR_C || a.type == ORR_Z;
    const long long m = a.shape[0], n = a.shape[1];
    FILE *f = fopen(path, "w");
    if (!f)
        return die("cannot write", path);
    fprintf(f, "%%%%MatrixMarket matrix coordinate %s general\n%lld %lld %lld\n",
            is_complex ? "complex" : "real", m, n, m * n);
    for (long long k = m * n - 1; k >= 0; k--) {
        const double complex x = at(&a, k);
        fprintf(f, "%lld %lld %.17g", k / n + 1, k % n + 1, creal(x));
        fprintf(f, is_complex ? " %.17g\n" : "\n", cimag(x));
    }
    orr_npy_free(&a);
    return fclose(f) == 0 ? 0 : die("cannot write", path);
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    if (!strcmp(command, "make") && argc >= 7)
        return make(argv + 2, argc > 7 ? atoll(argv[7]) : -1);
    if (!strcmp(command, "split") && argc == 4)
        return split(argv[2], argv[3]);
    if (!strcmp(command, "mtx") && argc == 4)
        return mtx(argv[2], argv[3]);
    if (!strcmp(command, "judge") && argc == 6)
        return judge(argv + 2);
    return die("unknown command", command);
}
