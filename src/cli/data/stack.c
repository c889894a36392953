/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/data/stack.h"
#include "src/cli/core/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int stack_layout(cli_stack *s, orr_type type, int64_t batch, const int64_t *n, int64_t orders)
{
    const size_t count = (size_t)batch, room = count + 1;
    *s = (cli_stack){.type = type, .batch = batch};
    s->n = malloc(room * sizeof *s->n);
    s->at = malloc(room * sizeof *s->at);
    s->w_at = malloc(room * sizeof *s->w_at);
    s->ones = malloc(room * sizeof *s->ones);
    s->a_ptr = malloc(room * sizeof *s->a_ptr);
    s->w_ptr = malloc(room * sizeof *s->w_ptr);
    if (!s->n || !s->at || !s->w_at || !s->ones || !s->a_ptr || !s->w_ptr) {
        stack_free(s);
        cli_say("out of memory for a batch of %lld", (long long)batch);
        return CLI_MEMORY;
    }
    s->at[0] = s->w_at[0] = 0;
    s->n_min = s->n_max = batch ? n[0] : 0;
    for (size_t k = 0; k < count; k++) {
        const int64_t order = s->n[k] = n[k % (size_t)orders];
        s->ones[k] = 1;
        s->at[k + 1] = s->at[k] + (size_t)order * (size_t)order;
        s->w_at[k + 1] = s->w_at[k] + (size_t)order;
        s->n_min = order < s->n_min ? order : s->n_min;
        s->n_max = order > s->n_max ? order : s->n_max;
    }
    return CLI_OK;
}

int stack_random(cli_stack *s, orr_type type, int64_t batch, int64_t n, int kind, uint64_t seed)
{
    const int code = stack_layout(s, type, batch, &n, 1);
    if (code != CLI_OK)
        return code;
    s->a = malloc(stack_room(s));
    if (!s->a)
        return CLI_MEMORY;
    stack_fill(s, kind, seed);
    return CLI_OK;
}

void stack_free(cli_stack *s)
{
    free(s->n);
    free(s->at);
    free(s->w_at);
    free(s->a);
    free(s->ones);
    free(s->a_ptr);
    free(s->w_ptr);
    *s = (cli_stack){0};
}

size_t stack_bytes(const cli_stack *s) { return s->at[s->batch] * orr_type_size(s->type); }

size_t stack_room(const cli_stack *s)
{
    return stack_bytes(s) + (size_t)s->n_max * orr_type_size(s->type) + 1;
}

size_t stack_w_bytes(const cli_stack *s)
{
    return s->w_at[s->batch] * orr_type_size(orr_type_real(s->type));
}

void stack_view(cli_stack *s, void *a, void *w, orr_batch *A, orr_batch *W)
{
    const orr_type real = orr_type_real(s->type);
    const int64_t n = s->n_max, ld = n > 0 ? n : 1;
    *A = (orr_batch){.type = s->type, .batch = s->batch};
    *W = (orr_batch){.type = real, .batch = s->batch};
    if (s->n_min == s->n_max && !s->one_by_one) {
        A->m = A->n = W->m = n;
        W->n = 1;
        A->a = a;
        W->a = w;
        A->ld = W->ld = ld;
        return;
    }
    for (int64_t k = 0; k < s->batch; k++) {
        s->a_ptr[k] = (char *)a + s->at[k] * orr_type_size(s->type);
        s->w_ptr[k] = (char *)w + s->w_at[k] * orr_type_size(real);
    }
    A->ms = A->ns = W->ms = s->n;
    W->ns = s->ones;
    A->as = s->a_ptr;
    W->as = s->w_ptr;
}

char stack_uplo(char uplo) { return uplo == 'U' ? 'L' : 'U'; }

/* ---- Conjugate transposition --------------------------------------------------------- */

static void adjoint(orr_type type, void *q, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            const double complex x = number_get(type, q, i * n + j);
            number_put(type, q, i * n + j, conj(number_get(type, q, j * n + i)));
            number_put(type, q, j * n + i, conj(x));
        }
}

void stack_adopt_vectors(const cli_stack *s, void *q)
{
    for (int64_t k = 0; k < s->batch; k++)
        adjoint(s->type, (char *)q + s->at[k] * orr_type_size(s->type), s->n[k]);
}

/* ---- Entries ----------------------------------------------------------------------------- */

void stack_screen(const cli_stack *s, const void *a, char uplo, unsigned char *bad)
{
    for (int64_t k = 0; k < s->batch; k++) {
        const int64_t n = s->n[k];
        bad[k] = 0;
        for (int64_t i = 0; i < n && !bad[k]; i++)
            for (int64_t j = uplo == 'L' ? 0 : i; j < (uplo == 'L' ? i + 1 : n); j++) {
                const double complex x = number_get(s->type, a, (int64_t)s->at[k] + i * n + j);
                bad[k] |= !(isfinite(creal(x)) && isfinite(cimag(x)));
            }
    }
}

/* ---- Matrices to measure with ------------------------------------------------------------ */

const char stack_kinds[] = "random|posdef|identity|zero|diagonal|graded|clustered|laplace|"
                           "wilkinson|nan";
enum { RANDOM, POSDEF, IDENTITY, ZERO, DIAGONAL, GRADED, CLUSTERED, LAPLACE, WILKINSON, WITH_NAN };

/* splitmix64 of a counter: any entry can be had without the ones before it. */
static double uniform(uint64_t seed, uint64_t matrix, uint64_t entry)
{
    uint64_t x = seed * 0x9E3779B97F4A7C15u + matrix * 0xD1B54A32D192ED03u + entry;
    for (int round = 0; round < 2; round++) {
        x += 0x9E3779B97F4A7C15u;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
        x ^= x >> 31;
    }
    return (double)(x >> 11) * 0x1p-52 - 1;
}

/* Entry (i, j), i >= j, of matrix k; the imaginary part in *im. */
static double entry(int kind, uint64_t seed, int64_t k, int64_t n, int64_t i, int64_t j, double *im)
{
    const uint64_t place = 2 * (uint64_t)(i * (i + 1) / 2 + j);
    const int diagonal = i == j, beside = i == j + 1;
    double re = uniform(seed, (uint64_t)k, place);
    *im = diagonal ? 0 : uniform(seed, (uint64_t)k, place + 1);
    double factor = 1, shift = 0;
    switch (kind) {
    case POSDEF: shift = diagonal ? 2.0 * (double)n : 0; break;
    case IDENTITY:
        factor = 0;
        shift = diagonal;
        break;
    case ZERO: factor = 0; break;
    case DIAGONAL: factor = diagonal; break;
    case GRADED: factor = pow(10, -6.0 * (double)(i + j) / (double)(2 * n)); break;
    case CLUSTERED:
        factor = 1e-5;
        shift = diagonal;
        break;
    case LAPLACE:
        factor = 0;
        shift = 2 * diagonal - beside;
        break;
    case WILKINSON:
        factor = 0;
        shift = diagonal ? fabs((double)i - 0.5 * (double)(n - 1)) : beside;
        break;
    default: break;
    }
    *im *= factor;
    if (kind == WITH_NAN && k % 7 == 3 && i == n / 2 && j == n / 3)
        return NAN;
    return re * factor + shift;
}

void stack_fill(cli_stack *s, int kind, uint64_t seed)
{
    for (int64_t k = 0; k < s->batch; k++) {
        const int64_t n = s->n[k];
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) {
                double im;
                const double re = entry(kind, seed, k, n, i, j, &im);
                number_put(s->type, s->a, (int64_t)s->at[k] + i * n + j, CMPLX(re, im));
                number_put(s->type, s->a, (int64_t)s->at[k] + j * n + i, CMPLX(re, -im));
            }
    }
}
