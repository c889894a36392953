/* The product of a strip of reflectors I - tau v v' for one scalar type: reflector i is
 * `length` long and begins in row i (cut off at the last row), a parallelogram V:
 *
 *     1                     (I - tau_0 v_0 v_0') (I - tau_1 v_1 v_1') ... = I - V S V',
 *     x    1                S upper triangular
 *     x    x    1           (Schreiber, Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989).
 *          x    x
 *               x
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#include "multiply.inc.c"

typedef struct {
    T *V, *VS, *S, *W; /* rows x strip, rows x strip, strip x strip, strip x k; V: to be freed */
} FN(strip);

/* How many to combine: more make longer inner loops, but (length + width) / length as many
 * operations. */
static int64_t FN(strip_width)(int64_t length, int64_t count)
{
    int64_t width = length / 4;
    width = width < 8 ? 8 : width > ORR_STRIP ? ORR_STRIP : width;
    return width < count ? width : count;
}

/* For `width` reflectors and k columns. V is NULL without memory. */
static void FN(strip_make)(FN(strip) *w, int64_t length, int64_t width, int64_t k)
{
    const int64_t rows = length + width - 1;
    w->V = malloc((size_t)((2 * rows + width + k) * width) * sizeof(T));
    w->VS = w->V + rows * width;
    w->S = w->VS + rows * width;
    w->W = w->S + width * width;
}

/* V, and VS := V S or V S'. v[i]: reflector i, with tau in the place of its leading 1.
 * 0 if all of them are I. */
static int FN(strip_combine)(FN(strip) *w, int64_t rows, int64_t length, int64_t count,
                             const T *const *v, int adjoint)
{
    T tau[ORR_STRIP];
    int any = 0;
    memset(w->V, 0, (size_t)(rows * count) * sizeof(T));
    for (int64_t i = 0; i < count; i++) {
        const int64_t have = length < rows - i ? length : rows - i;
        memcpy(w->V + i * rows + i, v[i], (size_t)have * sizeof(T));
        w->V[i * rows + i] = 1;
        tau[i] = v[i][0];
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
    return 1;
}

/* E -= (V S) (V' E), E being `rows` rows of k columns. */
static void FN(strip_apply)(const FN(strip) *w, int64_t rows, int64_t count, int64_t k, T *e,
                            int64_t lde)
{
    const T one = 1, minus = -1, zero = 0;
    const int32_t r = (int32_t)rows, c = (int32_t)count, kk = (int32_t)k, ld = (int32_t)lde;
    LAPACK(gemm_)(IS_COMPLEX ? "C" : "T", "N", &c, &kk, &r, &one, w->V, &r, e, &ld, &zero, w->W,
                  &c);
    LAPACK(gemm_)("N", "N", &r, &kk, &c, &minus, w->VS, &r, w->W, &c, &one, e, &ld);
}
