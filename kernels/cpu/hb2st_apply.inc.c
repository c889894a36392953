/* Body of hb2st_apply for one scalar type; see hb2st_apply.h.
 *
 * Reflectors of sweeps s and s' > s meet in rows only if the hops satisfy t >= t', so the
 * product of a group may be taken hop by hop, the last hop first:
 *
 *     H(s,0) H(s,1) .. H(s+1,0) H(s+1,1) ..  =  ( H(s,t) H(s+1,t) .. ) .. ( H(s,0) H(s+1,0) .. )
 *
 * Each bracket is cut into strips of a few sweeps (strip.inc.c), parallelograms of
 * b + count - 1 rows. A window of E of about b + (sweeps of the group) rows is worked on until
 * it is done, then the next hop's.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "strip.inc.c"

/* The reflectors of sweep s, packed. v: those of group g and the next ones. */
static const T *FN(packed)(const orr_hb2st_shape *a, int64_t g, const void *const *v, int64_t s)
{
    const int64_t of = s / a->G;
    return (const T *)v[of - g] + orr_hb2st_v_offset(a, s) - orr_hb2st_v_offset(a, of * a->G);
}

/* b = 1: row s+1 times 1 - tau. */
static void FN(apply_phases)(const orr_hb2st_shape *a, int64_t g, const void *const *v, int64_t s0,
                             int64_t s1, int adjoint, int64_t k, T *e, int64_t lde)
{
    for (int64_t c = 0; c < k; c++)
        for (int64_t s = s0; s < s1; s++) {
            const T phase = 1 - *FN(packed)(a, g, v, s);
            T *x = e + c * lde + s + 1;
            *x = FN(multiply)(adjoint ? CONJ(phase) : phase, *x);
        }
}

static orr_status FN(products)(const orr_hb2st_shape *a, int64_t g, int64_t groups,
                               const void *const *v, int adjoint, int64_t k, void *e_, int64_t lde)
{
    T *e = e_;
    const int64_t b = a->b, s0 = g * a->G, s1 = orr_least((g + groups) * a->G, a->sweeps);
    if (s0 >= s1 || k == 0)
        return ORR_OK;
    if (b == 1) {
        FN(apply_phases)(a, g, v, s0, s1, adjoint, k, e, lde);
        return ORR_OK;
    }
    if (lde > INT32_MAX || k > INT32_MAX)
        return ORR_E_NOMEM;
    const int64_t width = FN(strip_width)(b, s1 - s0);
    FN(strip) w;
    FN(strip_make)(&w, b, width, k);
    if (!w.V)
        return ORR_E_NOMEM;

    const int64_t hops = orr_hb2st_hops(a, s0), strips = (s1 - s0 + width - 1) / width;
    for (int64_t step = 0; step < hops * strips; step++) {
        const int64_t order = adjoint ? hops * strips - 1 - step : step;
        const int64_t t = order / strips, s = s0 + (strips - 1 - order % strips) * width;
        const int64_t first = s + 1 + t * b; /* row */
        const T *reflector[ORR_STRIP];
        int64_t count = orr_least(width, s1 - s);
        while (count > 0 && t >= orr_hb2st_hops(a, s + count - 1))
            count--; /* the later sweeps are shorter */
        for (int64_t i = 0; i < count; i++)
            reflector[i] = FN(packed)(a, g, v, s + i) + t * b;
        const int64_t rows = orr_least(b + count - 1, a->n - first);
        if (count > 0 && FN(strip_combine)(&w, rows, b, count, reflector, adjoint))
            FN(strip_apply)(&w, rows, count, k, e + first, lde);
    }
    free(w.V);
    return ORR_OK;
}

static void FN(orr_hb2st_unit_cpu)(int64_t n, int64_t first, int64_t step, const void *diagonal,
                                   int64_t k, void *e_, int64_t lde)
{
    T *e = e_;
    for (int64_t c = 0; c < k; c++) {
        const int64_t i = first + c * step;
        memset(e + c * lde, 0, (size_t)n * sizeof(T));
        e[c * lde + i] = diagonal ? ((const T *)diagonal)[i] : 1;
    }
}
