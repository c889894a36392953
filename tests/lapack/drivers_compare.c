/* Results of two calls of a driver: see drivers.h. SPDX-License-Identifier: BSD-3-Clause */
#include "lapack/drivers.h"
#include "larger.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* LAPACK's ?gvd leaves more than it asks for, what ?evd within it would like; ours what it asks for. */
int equal_work(const struct call *x, const struct call *y)
{
    for (int k = 0; k < 3 && x->s->kind[k]; k++)
        if (x->s->kind[k] >= 'a' && told_length(x, k) != told_length(y, k) &&
            !(x->s->b && told_length(x, k) == x->length[k]))
            return 0;
    return 1;
}

static void compare_values(const struct call *x, const struct call *y, int count)
{
    double largest = x->s->range && x->letter[1] == 'V' ? 1 : 0,
           error = 0; /* entries are of order 1 */
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, fabs(part(x->type, y->w, i)));
        error = larger(error, fabs(part(x->type, x->w, i) - part(x->type, y->w, i)));
    }
    const double eps = single(x->type) ? FLT_EPSILON : DBL_EPSILON;
    if (!(error <= 20 * (x->m + x->n) * eps * largest))
        fail(x->what, "values differ", error / largest);
}

/* count vectors of `rows`, entry i of vector j at i*step + j*stride. */
static void compare_vectors(const struct call *x, const void *a, const void *b, int rows, int count,
                            int64_t step, int64_t stride)
{
    const double tolerance = single(x->type) ? 1e-3 : 1e-8;
    double worst = 0;
    for (int j = 0; j < count; j++) {
        double _Complex sum = 0;
        double square = 0;
        for (int i = 0; i < rows; i++) {
            const double _Complex y = entry(x->type, b, i * step + j * stride);
            sum += conj(entry(x->type, a, i * step + j * stride)) * y;
            square += creal(y * conj(y));
        }
        worst = larger(worst, fabs(1 - cabs(sum) / square));
    }
    if (!(worst <= tolerance))
        fail(x->what, "vectors differ", worst);
}

/* Rows below the matrix, and with `triangle` the one that is not named. */
static void compare_rest(const struct call *x, const void *a, const void *b, int ld, int triangle)
{
    const int rows = x->s->svd ? x->m : x->n;
    const size_t size = size_of(x->type);
    int bad = 0;
    for (int j = 0; j < x->n; j++)
        for (int i = 0; i < ld; i++)
            if (i >= rows || (triangle && (x->letter[2] == 'L' ? i < j : i > j)))
                bad |= memcmp((const char *)a + (size_t)(i + j * ld) * size,
                              (const char *)b + (size_t)(i + j * ld) * size, size) != 0;
    if (bad)
        fail(x->what, "more was written than LAPACK writes", ld);
}

static void compare_factors(const struct call *x, const struct call *y)
{
    const double eps = single(x->type) ? FLT_EPSILON : DBL_EPSILON;
    double error = 0;
    for (int64_t j = 0; j < x->n; j++)
        for (int64_t i = 0; i < x->n; i++)
            if (x->letter[2] == 'L' ? i >= j : i <= j)
                error = larger(error, cabs(entry(x->type, x->b, i + j * x->ldb) -
                                           entry(x->type, y->b, i + j * x->ldb)));
    if (!(error <= 20 * x->n * eps))
        fail(x->what, "factors differ", error);
    compare_rest(x, x->b, y->b, x->ldb, 1);
}

void compare_eigen(const struct call *x, const struct call *y)
{
    const int vectors = x->letter[0] == 'V';
    const int count = !x->s->range || x->letter[1] == 'A' ? x->n
                      : x->letter[1] == 'I'               ? x->iu - x->il + 1
                                                          : y->found;
    compare_values(x, y, count);
    if (x->s->range && (x->found != y->found || x->found != count))
        fail(x->what, "m", x->found);
    if (vectors && x->s->range)
        compare_vectors(x, x->z, y->z, x->n, count, 1, x->ldz);
    else if (vectors)
        compare_vectors(x, x->a, y->a, x->n, count, 1, x->lda);
    compare_rest(x, x->a, y->a, x->lda, !(vectors && !x->s->range));
    if (x->s->b)
        compare_factors(x, y);
    if (vectors && x->s->ifail && memcmp(x->ifail, y->ifail, sizeof x->ifail) != 0)
        fail(x->what, "ifail", x->ifail[0]);
    for (int i = 0; vectors && x->s->range && x->letter[1] != 'V' && !x->s->ifail &&
                    count == x->n && i < count;
         i++)
        if (x->isuppz[2 * i] < 1 || x->isuppz[2 * i + 1] > x->n ||
            x->isuppz[2 * i] > y->isuppz[2 * i] || x->isuppz[2 * i + 1] < y->isuppz[2 * i + 1])
            fail(x->what, "isuppz", x->isuppz[2 * i]);
}

void compare_svd(const struct call *x, const struct call *y)
{
    const int k = x->m < x->n ? x->m : x->n;
    char left = x->letter[0], right = x->s->svd == 2 ? x->letter[1] : left;
    if (x->s->svd == 1 && left == 'O') {
        left = x->m >= x->n ? 'O' : 'S';
        right = x->m >= x->n ? 'S' : 'O';
    }
    compare_values(x, y, k);
    if (left == 'A' || left == 'S')
        compare_vectors(x, x->u, y->u, x->m, k, 1, x->ldu);
    if (left == 'O')
        compare_vectors(x, x->a, y->a, x->m, k, 1, x->lda);
    if (right == 'A' || right == 'S')
        compare_vectors(x, x->vt, y->vt, x->n, k, x->ldvt, 1);
    if (right == 'O')
        compare_vectors(x, x->a, y->a, x->n, k, x->lda, 1);
    compare_rest(x, x->a, y->a, x->lda, 0);
}
