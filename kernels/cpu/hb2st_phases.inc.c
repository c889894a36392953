/* A complex tridiagonal matrix made real: sweep s is H = 1 - tau of length 1 on row s+1, with
 * conj(1 - tau) a(s+1,s) = beta; it then meets a(s+2,s+1) from the right. For one type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

static orr_status FN(phases)(const orr_hb2st_shape *a, void *h1, void *packed)
{
    T *h = (T *)h1 + a->lead, *taus = packed;
    for (int64_t s = 0; s < a->sweeps; s++) {
        T *e = h + s * a->ldh + 1;
        const R size = ABS(*e);
        T phase = 1; /* 1 - tau */
        if (size > 0)
            phase = __builtin_complex(REAL(*e) / size, IMAG(*e) / size);
        *e = size;
        if (s + 1 < a->sweeps)
            e[a->ldh] *= phase;
        if (taus)
            taus[s] = 1 - phase;
    }
    return ORR_OK;
}
