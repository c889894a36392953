/* What every CPU implementation of heevj does to one matrix before and after the
 * work proper: screen it for NaN and infinity, choose the power of two that brings
 * its largest component near 1, read the triangle that was named, sort eigenvalues.
 * Included once per scalar type, after kernels/as_?.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

typedef struct {
    R scale;     /* a power of two; scale and 1/scale are normal numbers; 0: not finite */
    double norm; /* |scale * A|_F */
} FN(screened);

/* Entry (i,j), i >= j, of the Hermitian matrix whose `upper` or lower triangle is a. */
static inline T FN(lower_entry)(const orr_heevj_args *g, const T *a, int64_t i, int64_t j)
{
    if (i == j)
        return REAL(a[j * g->ld + j]);
    return g->upper ? CONJ(a[i * g->ld + j]) : a[j * g->ld + i];
}

/* 2^-e with the largest component in [2^(e-1), 2^e), kept within the normal numbers so
 * that neither it nor its inverse loses bits: denormals are then scaled less far. */
static inline R FN(power_of_two)(R largest)
{
    if (largest == 0)
        return 1;
    const int limit = sizeof(R) == sizeof(float) ? 126 : 1022;
    int e;
    frexp((double)largest, &e);
    e = e > limit ? limit : e < -limit ? -limit : e;
    return (R)ldexp(1.0, -e);
}

/* The bits of |x|. Compared as integers they order like the numbers, infinity and NaN
 * above all, so one integer maximum both screens and finds the largest. */
#define BITS_float  int32_t
#define BITS_double int64_t
#define BITS_(r)    BITS_##r
#define BITS_OF(r)  BITS_(r)
#define BITS        BITS_OF(R)
static inline BITS FN(magnitude_bits)(R x)
{
    const R v = RABS(x);
    BITS b;
    memcpy(&b, &v, sizeof b);
    return b;
}

static inline FN(screened) FN(screen)(const orr_heevj_args *g, const T *a)
{
    const int64_t parts = 1 + IS_COMPLEX;
    BITS top = 0;
    for (int64_t j = 0; j < g->n; j++) {
        const R *x = (const R *)(a + j * g->ld + (g->upper ? 0 : j + 1));
        const int64_t len = parts * (g->upper ? j : g->n - 1 - j);
        for (int64_t i = 0; i < len; i++) {
            const BITS v = FN(magnitude_bits)(x[i]);
            top = v > top ? v : top;
        }
        const BITS d = FN(magnitude_bits)(REAL(a[j * g->ld + j]));
        top = d > top ? d : top;
    }
    R largest;
    memcpy(&largest, &top, sizeof largest);
    if (!isfinite(largest))
        return (FN(screened)){.scale = 0, .norm = NAN};

    const R scale = FN(power_of_two)(largest);
    double squares = 0;
    for (int64_t j = 0; j < g->n; j++) {
        const R *x = (const R *)(a + j * g->ld + (g->upper ? 0 : j + 1));
        const int64_t len = parts * (g->upper ? j : g->n - 1 - j);
        double off = 0;
#pragma omp simd reduction(+ : off)
        for (int64_t i = 0; i < len; i++)
            off += (double)(scale * x[i]) * (double)(scale * x[i]);
        const double d = (double)(scale * REAL(a[j * g->ld + j]));
        squares += 2 * off + d * d;
    }
    return (FN(screened)){.scale = scale, .norm = sqrt(squares)};
}

/* The parts of info that are known before the work starts. */
static inline void FN(info_start)(orr_matrix_info *info, FN(screened) s, orr_method method)
{
    *info = (orr_matrix_info){
        .status = s.scale == 0 ? ORR_NONFINITE : ORR_OK,
        .method = method,
        .off = s.scale == 0 || method == ORR_METHOD_LAPACK ? NAN : 0,
        .residual = NAN,
        .orthogonality = NAN,
        .norm = s.scale == 0 ? NAN : s.norm / (double)s.scale,
    };
}

/* The result for a matrix that was not finite. */
static inline void FN(fill_nan)(const orr_heevj_args *g, T *a, R *w)
{
    for (int64_t i = 0; i < g->n; i++)
        w[i] = NAN;
    for (int64_t j = 0; j < g->n; j++) {
        R *x = (R *)(a + j * g->ld);
        for (int64_t i = 0; i < g->n * (1 + IS_COMPLEX); i++)
            x[i] = NAN;
    }
}

/* order[0..n) := the permutation that makes d ascending; stable, so that equal
 * eigenvalues keep their columns' order. Insertion: n is small or n^3 dwarfs it. */
static inline void FN(ascending)(int64_t n, const R *d, int64_t *order)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t k = i;
        for (; k > 0 && d[order[k - 1]] > d[i]; k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

#undef BITS
#undef BITS_OF
#undef BITS_
#undef BITS_double
#undef BITS_float
