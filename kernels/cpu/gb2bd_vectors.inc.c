/* Bodies of gb2bd_vectors.c for one scalar type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "strip.inc.c"

static orr_status FN(orr_gb2bd_qr_apply_cpu)(int64_t rows, int64_t kl, int64_t first, int64_t count,
                                             const void *u, int64_t k, void *e_, int64_t lde)
{
    T *e = e_;
    const int64_t length = kl + 1, width = FN(strip_width)(length, count);
    FN(strip) w;
    if (count == 0 || k == 0)
        return ORR_OK;
    if (lde > INT32_MAX || k > INT32_MAX)
        return ORR_E_NOMEM;
    FN(strip_make)(&w, length, width, k);
    if (!w.V)
        return ORR_E_NOMEM;
    for (int64_t at = (count - 1) / width * width; at >= 0; at -= width) {
        const int64_t some = count - at < width ? count - at : width, row = first + at;
        const int64_t window = length + some - 1 < rows - row ? length + some - 1 : rows - row;
        const T *reflector[ORR_STRIP];
        for (int64_t i = 0; i < some; i++)
            reflector[i] = (const T *)u + (at + i) * length;
        if (FN(strip_combine)(&w, window, length, some, reflector, 0))
            FN(strip_apply)(&w, window, some, k, e + row, lde);
    }
    free(w.V);
    return ORR_OK;
}

#if IS_COMPLEX
/* x / |x|; numbers near the smallest have few digits, and are made larger first. */
static T FN(phase)(R re, R im)
{
    if (RABS(re) < SAFMIN / EPS && RABS(im) < SAFMIN / EPS) {
        re /= SAFMIN;
        im /= SAFMIN;
    }
    const R size = (R)hypot((double)re, (double)im);
    return size > 0 ? __builtin_complex(re / size, im / size) : (T)1;
}

/* d_i = left_i |d_i| conj(right_i), e_i = left_i |e_i| conj(right_i+1); right_0 = 1 */
static void FN(orr_gb2bd_phases_cpu)(const orr_gb2bd_band *g, int64_t first, int64_t count,
                                     const void *block, void *left_, void *right_)
{
    T *left = left_, *right = right_;
    for (int64_t i = first; i < first + count && i < g->n; i++) {
        const R *x = (const R *)block + (i - first) * g->ld + g->low;
        if (i == 0)
            right[0] = 1;
        left[i] = FN(multiply)(FN(phase)(x[0], x[g->plane]), right[i]);
        if (i + 1 < g->n)
            right[i + 1] = FN(multiply)(CONJ(FN(phase)(x[1], x[g->plane + 1])), left[i]);
    }
}
#endif
