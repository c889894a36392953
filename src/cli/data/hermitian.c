/* See hermitian.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/data/hermitian.h"
#include "src/cli/core/numbers.h"

#include <math.h>

#define AT(field) .at = offsetof(hermitian_choice, field)

const cli_option hermitian_options[] = {
    {"uplo", 'u', OPT_CHOICE, "L|U", "triangle of A[i,j] that is read (default: L)", "L|U",
     AT(uplo)},
    {"symmetrize", 0, OPT_FLAG, NULL, "compute with (A + A')/2", NULL, AT(symmetrize)},
    {.kind = OPT_END},
};

char hermitian_uplo(const hermitian_choice *c) { return c->uplo == 1 ? 'U' : 'L'; }

/* Both triangles in squares, so that either side stays in cache: visit(i, j), j <= i. */
typedef struct {
    cli_stack *s;
    size_t at; /* of the matrix */
    int64_t n;
    double largest, difference; /* of finite entries; the largest |a_ij - conj(a_ji)| */
    int64_t row, column;
} matrix;

typedef void visitor(matrix *, int64_t i, int64_t j);

static void each_pair(matrix *m, visitor *visit)
{
    enum { SQUARE = 32 };
    for (int64_t i0 = 0; i0 < m->n; i0 += SQUARE)
        for (int64_t j0 = 0; j0 <= i0; j0 += SQUARE)
            for (int64_t i = i0; i < m->n && i < i0 + SQUARE; i++)
                for (int64_t j = j0; j <= i && j < j0 + SQUARE; j++)
                    visit(m, i, j);
}

static double complex entry(const matrix *m, int64_t i, int64_t j)
{
    return number_get(m->s->type, m->s->a, (int64_t)m->at + i * m->n + j);
}

/* Halves first: the sum of two large numbers may overflow. */
static void average(matrix *m, int64_t i, int64_t j)
{
    const double complex x = 0.5 * entry(m, i, j) + 0.5 * conj(entry(m, j, i));
    number_put(m->s->type, m->s->a, (int64_t)m->at + i * m->n + j, x);
    number_put(m->s->type, m->s->a, (int64_t)m->at + j * m->n + i, conj(x));
}

static double modulus(double complex x) { return fmax(fabs(creal(x)), fabs(cimag(x))); }

/* The solvers tell NaN and infinity in the lower triangle, which they read. */
static void compare(matrix *m, int64_t i, int64_t j)
{
    const double complex x = entry(m, i, j), y = conj(entry(m, j, i));
    const double a = modulus(x), b = modulus(y);
    if (!isfinite(creal(x)) || !isfinite(cimag(x)))
        return;
    double d = i == j ? fabs(cimag(x)) : modulus(x - y);
    if (!isfinite(creal(y)) || !isfinite(cimag(y)) || !isfinite(d)) /* modulus passes over a NaN */
        d = INFINITY;
    m->largest = fmax(m->largest, a);
    if (isfinite(b))
        m->largest = fmax(m->largest, b);
    if (d > m->difference) {
        m->difference = d;
        m->row = i;
        m->column = j;
    }
}

double hermitian_rounding(orr_type type, int64_t n, double largest)
{
    return fmax((double)n, 10) * orr_type_eps(type) * largest;
}

static int is_hermitian(const matrix *m)
{
    return m->difference <= hermitian_rounding(m->s->type, m->n, m->largest);
}

static void tell(const matrix *m, int64_t k, int64_t wrong, const cli_input *in)
{
    const int real = !number_is_complex(m->s->type);
    char which[96] = "", far[64] = "";
    if (in->ndim > 2)
        snprintf(which, sizeof which, "matrix %lld is ", (long long)(k - in->first));
    if (wrong > 1)
        snprintf(which, sizeof which, "%lld of %lld matrices, first matrix %lld, are ",
                 (long long)wrong, (long long)in->count, (long long)(k - in->first));
    if (m->largest > 0 && isfinite(m->difference))
        snprintf(far, sizeof far, ", %.2g of the largest entry", m->difference / m->largest);
    if (m->row == m->column)
        cli_say("%s: %snot Hermitian: entry (%lld, %lld), counted from 0, has the imaginary part "
                "%.3g%s; it is taken as real (--uplo L|U or --symmetrize: no such line)",
                in->path, which, (long long)m->row, (long long)m->column, m->difference, far);
    else
        cli_say("%s: %snot %s: entries (%lld, %lld) and (%lld, %lld), counted from 0, differ by "
                "%.3g%s; the lower triangle is read (--uplo L|U chooses, --symmetrize averages)",
                in->path, which, real ? "symmetric" : "Hermitian", (long long)m->row,
                (long long)m->column, (long long)m->column, (long long)m->row, m->difference, far);
}

static matrix matrix_of(cli_stack *s, int64_t k)
{
    return (matrix){.s = s, .at = s->at[k], .n = s->n[k]};
}

void hermitian_prepare(cli_stack *s, const hermitian_choice *choice, const cli_input *inputs,
                       int files)
{
    for (int64_t k = 0; choice->symmetrize && k < s->batch; k++) {
        matrix m = matrix_of(s, k);
        each_pair(&m, average);
    }
    if (choice->symmetrize || choice->uplo >= 0)
        return;
    for (int f = 0; f < files; f++) {
        int64_t wrong = 0, first = 0;
        matrix worst = {0};
        for (int64_t k = inputs[f].first; k < inputs[f].first + inputs[f].count; k++) {
            matrix m = matrix_of(s, k);
            each_pair(&m, compare);
            if (is_hermitian(&m))
                continue;
            if (wrong++ == 0) {
                first = k;
                worst = m;
            }
        }
        if (wrong)
            tell(&worst, first, wrong, &inputs[f]);
    }
}
