/* Pencils whose values and vectors are known: B = L L', C = Q w Q', and
 *
 *   problem   1  A x = w B x     2  A B x = w x     3  B A x = w x
 *   A         L C L'             L^-H C L^-1        L^-H C L^-1
 *   Z         L^-H Q             L^-H Q             L Q
 *
 * See verify.c. SPDX-License-Identifier: BSD-3-Clause */
#include "lapack/verify_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pencil {
    orr_type type;
    int64_t n, k;
    int itype;
    double a_scale, b_scale, w[MOST], norm_a, norm_b;
    dense a, b, l, z;
};

/* y := L^-H y, columns of y. */
static void solve_adjoint(int64_t n, const number *l, number *y)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = n - 1; i >= 0; i--) {
            for (int64_t k = i + 1; k < n; k++)
                y[i + j * n] -= conj(l[k + i * n]) * y[k + j * n];
            y[i + j * n] /= conj(l[i + i * n]);
        }
}

/* y := L y. */
static void times(int64_t n, const number *l, number *y)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = n - 1; i >= 0; i--) {
            y[i + j * n] *= l[i + i * n];
            for (int64_t k = 0; k < i; k++)
                y[i + j * n] += l[i + k * n] * y[k + j * n];
        }
}

static void make(struct pencil *p, orr_type t, int64_t n, int itype)
{
    static dense q, x;
    double one[MOST];
    *p = (struct pencil){.type = t, .n = n, .k = n, .itype = itype};
    for (int64_t j = 0; j < n; j++) {
        one[j] = 1;
        p->w[j] = -1 + 4 * (double)(j + 1) / (double)n;
        for (int64_t i = j; i < n; i++)
            p->l[i + j * n] = i == j ? j == 1 ? 0.2 : 1 + 0.3 * next_real() : draw(t) / (double)n;
    }
    unitary(t, n, q);
    product(n, n, n, p->l, one, p->l, p->b);
    memcpy(x, q, sizeof q);
    if (itype == 1)
        times(n, p->l, x);
    else
        solve_adjoint(n, p->l, x);
    product(n, n, n, x, p->w, x, p->a);
    memcpy(p->z, q, sizeof q);
    if (itype == 3)
        times(n, p->l, p->z);
    else
        solve_adjoint(n, p->l, p->z);
    p->norm_a = norm_of(n * n, p->a);
    p->norm_b = norm_of(n * n, p->b);
}

static void judge(const struct pencil *p, const char *what, const double *w, const number *z,
                  const number *l, const char *words)
{
    static const char *const of[] = {"", "problem 1", "problem 2", "problem 3"};
    const double ab = p->itype == 1 ? p->a_scale / p->b_scale : p->a_scale * p->b_scale;
    const double of_z = p->itype == 3 ? sqrt(p->b_scale) : 1 / sqrt(p->b_scale);
    int64_t lda, ldb, ldz = 1;
    char why[ORR_WHY], text[96], *factor = calloc((size_t)(p->n * p->n), orr_bytes(p->type));
    if (!factor)
        exit(99);
    void *a = array(p->type, p->n, p->n, p->a, 'L', p->a_scale, &lda);
    void *b = array(p->type, p->n, p->n, p->b, 'L', p->b_scale, &ldb);
    void *v = z ? array(p->type, p->n, p->k, z, 0, of_z, &ldz) : NULL;
    void *values = reals(p->type, p->k, w, ab);
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->n; i++)
            put(p->type, factor, i + j * p->n, i < j ? NAN : sqrt(p->b_scale) * l[i + j * p->n]);
    const struct orr_matrix A = {
        .type = p->type, .m = p->n, .n = p->n, .ld = lda, .a = a, .uplo = 'L'};
    const struct orr_matrix B = {
        .type = p->type, .m = p->n, .n = p->n, .ld = ldb, .a = b, .uplo = 'L'};
    const int wrong = orr_verify_pencil(p->itype, &A, &B, factor, p->k, values, v, ldz, why);
    snprintf(text, sizeof text, "%s, %s", of[p->itype], what);
    judged(text, p->type, p->n, wrong, why, words);
    free(a);
    free(b);
    free(v);
    free(values);
    free(factor);
}

/* Of a part of the values, so that only a bound is known of the largest: by half and twice of what is
 * allowed. */
static void tolerances(const struct pencil *p)
{
    static dense z;
    const int64_t n = p->n;
    double w[MOST], all = norm_of(n * p->k, p->z), longest = 0, largest = 0, pivot = INFINITY;
    number bz[MOST] = {0};
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            bz[i] += p->b[i + j * n] * p->z[j];
    for (int64_t j = 0; j < n; j++) {
        longest = fmax(longest, j < p->k ? norm_of(n, p->z + j * n) : 0);
        largest = fmax(largest, j < p->k ? fabs(p->w[j]) : 0);
        pivot = fmin(pivot, check_square(p->l[j + j * n]));
    }
    largest = p->itype == 1 ? fmax(largest, p->norm_a / pivot) : largest;
    const double eps = 30 * check_eps(p->type);
    const double residual = p->itype == 1
                                ? eps * (p->norm_a + p->norm_b * largest) * all / norm_of(n, bz)
                                : eps * p->norm_a * p->norm_b * all / norm_of(n, p->z);
    /* a vector times 1 + x: its diagonal entry is 2 x more, of 1, or of its value */
    const double basis =
        p->itype == 3
            ? eps * (double)n * (p->norm_a * longest * longest + largest) / fabs(p->w[0]) / 2
            : eps * (double)n * fmax(1, p->norm_b * longest * longest) / 2;
    for (int k = 1; k <= 4; k *= 4) {
        memcpy(w, p->w, sizeof w);
        w[0] -= 0.5 * k * residual;
        judge(p, "a value, by half or twice", w, p->z, p->l, k > 1 ? "the residual" : NULL);
        memcpy(z, p->z, sizeof z);
        for (int64_t i = 0; i < n && basis < 0.1; i++)
            z[i] *= 1 + 0.5 * k * basis;
        if (basis < 0.1)
            judge(p, "a vector's length, by half or twice", p->w, z, p->l,
                  k > 1 ? "the loss of orthogonality" : NULL);
    }
}

static void pencil(orr_type t, int64_t n, int itype, double a_scale, double b_scale)
{
    static struct pencil p;
    static dense z, l;
    double w[MOST];
    make(&p, t, n, itype);
    p.a_scale = a_scale;
    p.b_scale = b_scale;
    const double eps = 30 * check_eps(t), last = p.w[n - 1];
#define PENCIL(what, vectors, words, ...)                                                          \
    do {                                                                                           \
        memcpy(w, p.w, sizeof w);                                                                  \
        memcpy(z, p.z, sizeof z);                                                                  \
        memcpy(l, p.l, sizeof l);                                                                  \
        __VA_ARGS__;                                                                               \
        judge(&p, what, w, vectors ? z : NULL, l, words);                                          \
    } while (0)
    PENCIL("values", 0, NULL, );
    PENCIL("values and vectors", 1, NULL, );
    PENCIL("values in another order", 0, "value 2 is out of order", w[0] = p.w[1], w[1] = p.w[0]);
    PENCIL("a value that is NaN", 0, "out of order", w[n / 2] = NAN);
    PENCIL("another factor", 0, "the residual of the factor",
           l[n - 1] += 2 * for_residual(t, n) * p.norm_b / fabs(creal(l[0])));
    PENCIL("values that are all the same", 0, "", for (int64_t i = 0; i < n; i++) w[i] = last);
    PENCIL("values of less than all there are", 0, "",
           for (int64_t i = 0; i < n; i++) w[i] = p.w[0]);
    if (itype != 1) {
        const double trace = eps * (double)n * p.norm_a * p.norm_b;
        PENCIL("the trace, by twice what is allowed", 0, "the sum less the trace",
               w[n - 1] += 2 * trace);
        PENCIL("the trace, by half of it", 0, NULL, w[n - 1] += 0.5 * trace);
    }
    PENCIL("two vectors in each other's place", 1, "the residual",
           for (int64_t i = 0; i < n; i++) z[i] = p.z[i + (n - 1) * n],
           z[i + (n - 1) * n] = p.z[i]);
    PENCIL("vectors of other signs, and lengths", 1, "the loss of orthogonality",
           for (int64_t i = 0; i < n * n; i++) z[i] *= -2);
    PENCIL("vectors of other signs", 1, NULL, for (int64_t i = 0; i < n * n; i++) z[i] = -z[i]);
    PENCIL("NaN in a vector", 1, "", z[n + 1] = NAN);
    p.k = n / 2;
    PENCIL("a part", 1, NULL, );
    tolerances(&p);
#undef PENCIL
}

void pencils(void)
{
    for (int t = 0; t < ORR_NTYPES; t++)
        for (int itype = 1; itype <= 3; itype++)
            for (int k = 0; k < 5; k++) {
                const int far = is_single((orr_type)t) ? 20 : 200;
                pencil((orr_type)t, k == 0 ? 90 : 8 * k, itype, ldexp(1, (k % 3 - 1) * far),
                       ldexp(1, 2 * (k / 3) * far));
            }
}
