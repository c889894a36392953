/* Body of hb2st_apply for one scalar type; see hb2st_apply.h.
 *
 * Reflectors of sweeps s and s' > s meet in rows only if the hops satisfy t >= t', so the
 * product of a group may be taken hop by hop, the last hop first:
 *
 *     H(s,0) H(s,1) .. H(s+1,0) H(s+1,1) ..  =  ( H(s,t) H(s+1,t) .. ) .. ( H(s,0) H(s+1,0) .. )
 *
 * Each bracket is cut into strips of a few sweeps, a parallelogram V of b + count - 1 rows:
 *
 *     sweep   s   s+1  s+2          The strip's product is I - V S V', S upper triangular
 *             1                     (Schreiber, Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989).
 *             x    1                A window of E of about b + (sweeps of the group) rows is
 *             x    x    1           worked on until it is done, then the next hop's.
 *                  x    x
 *                       x
 *
 * SPDX-License-Identifier: BSD-3-Clause */

typedef struct {
    const orr_hb2st_shape *shape;
    int64_t g;
    const void *const *v;
    T *V, *VS, *S, *W; /* rows x strip, rows x strip, strip x strip, strip x k */
} FN(apply_work);

static inline T FN(multiply)(T a, T b)
{
#if IS_COMPLEX
    return __builtin_complex(REAL(a) * REAL(b) - IMAG(a) * IMAG(b),
                             REAL(a) * IMAG(b) + IMAG(a) * REAL(b));
#else
    return a * b;
#endif
}

/* The reflectors of sweep s, packed. */
static const T *FN(packed)(const FN(apply_work) *w, int64_t s)
{
    const orr_hb2st_shape *a = w->shape;
    const int64_t g = s / a->G;
    return (const T *)w->v[g - w->g] + orr_hb2st_v_offset(a, s) - orr_hb2st_v_offset(a, g * a->G);
}

/* V, and VS := V S or V S', of hop t of the sweeps s .. s+count-1. Returns the number of rows;
 * 0 if all these reflectors are I. */
static int64_t FN(strip)(FN(apply_work) *w, int64_t s, int64_t count, int64_t t, int adjoint)
{
    const int64_t n = w->shape->n, b = w->shape->b, first = s + 1 + t * b;
    const int64_t rows = orr_hb2st_least(b + count - 1, n - first);
    T tau[ORR_HB2ST_STRIP];
    int any = 0;
    memset(w->V, 0, (size_t)(rows * count) * sizeof(T));
    for (int64_t i = 0; i < count; i++) {
        const T *v = FN(packed)(w, s + i) + t * b;
        memcpy(w->V + i * rows + i, v, (size_t)orr_hb2st_least(b, rows - i) * sizeof(T));
        w->V[i * rows + i] = 1;
        tau[i] = v[0];
        any |= tau[i] != 0;
    }
    if (!any)
        return 0;
    /* S(:,i) = -tau_i S V(:,0..i-1)' v_i,  S(i,i) = tau_i */
    const T one = 1, zero = 0;
    const int32_t r = (int32_t)rows, c = (int32_t)count;
    LAPACK(gemm_)(IS_COMPLEX ? "C" : "T", "N", &c, &c, &r, &one, w->V, &r, w->V, &r, &zero, w->S,
                  &c);
    for (int64_t i = 0; i < count; i++) {
        T *Si = w->S + i * count;
        for (int64_t p = 0; p < i; p++) {
            T sum = 0;
            for (int64_t q = p; q < i; q++)
                sum += FN(multiply)(w->S[q * count + p], Si[q]);
            Si[p] = -FN(multiply)(tau[i], sum);
        }
        Si[i] = tau[i];
        for (int64_t p = i + 1; p < count; p++)
            Si[p] = 0;
    }
    LAPACK(gemm_)("N", adjoint ? (IS_COMPLEX ? "C" : "T") : "N", &r, &c, &c, &one, w->V, &r, w->S,
                  &c, &zero, w->VS, &r);
    return rows;
}

/* b = 1: row s+1 times 1 - tau. */
static void FN(apply_phases)(const FN(apply_work) *w, int64_t s0, int64_t s1, int adjoint,
                             int64_t k, T *e, int64_t lde)
{
    for (int64_t c = 0; c < k; c++)
        for (int64_t s = s0; s < s1; s++) {
            const T phase = 1 - *FN(packed)(w, s);
            T *x = e + c * lde + s + 1;
            *x = FN(multiply)(adjoint ? CONJ(phase) : phase, *x);
        }
}

static orr_status FN(orr_hb2st_apply_cpu)(const orr_hb2st_shape *a, int64_t g, int64_t groups,
                                          const void *const *v, int adjoint, int64_t k, void *e_,
                                          int64_t lde)
{
    T *e = e_;
    const int64_t s0 = g * a->G, s1 = orr_hb2st_least((g + groups) * a->G, a->sweeps);
    FN(apply_work) w = {.shape = a, .g = g, .v = v};
    if (s0 >= s1 || k == 0)
        return ORR_OK;
    if (a->b == 1) {
        FN(apply_phases)(&w, s0, s1, adjoint, k, e, lde);
        return ORR_OK;
    }
    if (lde > INT32_MAX || k > INT32_MAX)
        return ORR_E_NOMEM;
    int64_t width = a->b / 4; /* more: longer inner loops, but (b + width)/b as many operations */
    width = width < 8 ? 8 : width > ORR_HB2ST_STRIP ? ORR_HB2ST_STRIP : width;
    width = orr_hb2st_least(width, s1 - s0);
    const int64_t rows = a->b + width - 1;
    T *memory = malloc((size_t)((2 * rows + width + k) * width) * sizeof(T));
    if (!memory)
        return ORR_E_NOMEM;
    w.V = memory;
    w.VS = w.V + rows * width;
    w.S = w.VS + rows * width;
    w.W = w.S + width * width;

    const T one = 1, minus = -1, zero = 0;
    const int64_t hops = orr_hb2st_hops(a, s0), strips = (s1 - s0 + width - 1) / width;
    const int32_t ld = (int32_t)lde, kk = (int32_t)k;
    for (int64_t step = 0; step < hops * strips; step++) {
        const int64_t order = adjoint ? hops * strips - 1 - step : step;
        const int64_t t = order / strips, i = strips - 1 - order % strips;
        const int64_t s = s0 + i * width;
        int64_t count = orr_hb2st_least(width, s1 - s);
        while (count > 0 && t >= orr_hb2st_hops(a, s + count - 1))
            count--; /* the later sweeps are shorter */
        const int64_t have = count > 0 ? FN(strip)(&w, s, count, t, adjoint) : 0;
        if (have == 0)
            continue;
        /* E -= (V S) (V' E) */
        T *rows_of_e = e + s + 1 + t * a->b;
        const int32_t r = (int32_t)have, c = (int32_t)count;
        LAPACK(gemm_)(IS_COMPLEX ? "C" : "T", "N", &c, &kk, &r, &one, w.V, &r, rows_of_e, &ld,
                      &zero, w.W, &c);
        LAPACK(gemm_)("N", "N", &r, &kk, &c, &minus, w.VS, &r, w.W, &c, &one, rows_of_e, &ld);
    }
    free(memory);
    return ORR_OK;
}

static void FN(orr_hb2st_unit_cpu)(int64_t n, int64_t first, int64_t k, void *e_, int64_t lde)
{
    T *e = e_;
    for (int64_t c = 0; c < k; c++) {
        memset(e + c * lde, 0, (size_t)n * sizeof(T));
        e[c * lde + first + c] = 1;
    }
}
