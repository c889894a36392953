/* The scale of a matrix that gesvj begins with, for one scalar type T (real type R).
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* Where the largest component is brought: sums of squares of up to 2^40 numbers of this
 * size are in range, and so are squares of the smallest ones that can matter. */
#define TOP_EXPONENT (sizeof(R) == sizeof(float) ? 40 : 400)

/* x 2^shift is x * first * second, both powers of two in range though 2^shift may not be. */
typedef struct {
    R first, second;
} FN(power);

static FN(power) FN(power_of)(int shift)
{
    return (FN(power)){(R)ldexp(1.0, shift / 2), (R)ldexp(1.0, shift - shift / 2)};
}

/* The largest |component|; NaN or infinity if there is one. */
static R FN(largest)(const orr_gesvj_args *g, const T *a)
{
    R top = 0;
    int bad = 0;
    for (int64_t j = 0; j < g->n; j++) {
        const R *x = (const R *)(a + j * g->ld);
        for (int64_t i = 0; i < g->m * (1 + IS_COMPLEX); i++) {
            const R v = RABS(x[i]);
            bad |= !(v <= (R)(sizeof(R) == sizeof(float) ? (double)FLT_MAX : DBL_MAX));
            top = v > top ? v : top;
        }
    }
    return bad ? (R)NAN : top;
}

/* *shift: the power of two that brings A there. Fills what is known of info so far; returns 1 if
 * A is finite. */
static int FN(inspect)(const orr_gesvj_args *g, const T *a, int *shift, orr_matrix_info *info)
{
    const R top = FN(largest)(g, a);
    const int finite = isfinite(top);
    int exponent = 0;
    if (finite && top > 0)
        frexp((double)top, &exponent);
    *shift = top > 0 ? TOP_EXPONENT - exponent : 0;
    *info = (orr_matrix_info){.status = finite ? ORR_OK : ORR_NONFINITE,
                              .off = finite ? 0 : NAN,
                              .residual = NAN,
                              .orthogonality = NAN,
                              .norm = finite ? 0 : NAN};
    return finite;
}

/* B := 2^shift A or its conjugate transpose. Returns |B|_F. */
static double FN(load_scaled)(const orr_gesvj_args *g, const orr_gesvj_shape *s, const T *a,
                              int shift, T *B)
{
    const FN(power) f = FN(power_of)(shift);
    const double down = ldexp(1.0, -TOP_EXPONENT); /* so that squares are in range */
    double squares = 0;
    for (int64_t j = 0; j < g->n; j++)
        for (int64_t i = 0; i < g->m; i++) {
            const T x = a[j * g->ld + i] * f.first * f.second;
            const double re = (double)REAL(x) * down, im = (double)IMAG(x) * down;
            squares += re * re + im * im;
            B[s->transposed ? i * s->big + j : j * s->big + i] = s->transposed ? CONJ(x) : x;
        }
    return ldexp(sqrt(squares), TOP_EXPONENT);
}

/* Columns of X that are shorter are not made orthogonal: their squares are out of range. */
static double FN(least_length)(void) { return ldexp(sqrt((double)SAFMIN / (double)EPS), 1); }
#undef TOP_EXPONENT
