/* Arithmetic of vectors of numbers, real or complex; for one scalar type and one instruction set. After
 * lanes_rotation.inc.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

LANES_INLINE E VN(madd)(E x, E a, E b) /* x + a b */
{
    x.re = VN(fma)(a.re, b.re, x.re);
#if IS_COMPLEX
    x.re = VN(fnma)(a.im, b.im, x.re);
    x.im = VN(fma)(a.im, b.re, VN(fma)(a.re, b.im, x.im));
#endif
    return x;
}

LANES_INLINE E VN(maddc)(E x, E a, E b) /* x + conj(a) b */
{
    x.re = VN(fma)(a.re, b.re, x.re);
#if IS_COMPLEX
    x.re = VN(fma)(a.im, b.im, x.re);
    x.im = VN(fnma)(a.im, b.re, VN(fma)(a.re, b.im, x.im));
#endif
    return x;
}

LANES_INLINE E VN(msubc)(E x, E a, E b) /* x - a conj(b) */
{
    x.re = VN(fnma)(a.re, b.re, x.re);
#if IS_COMPLEX
    x.re = VN(fnma)(a.im, b.im, x.re);
    x.im = VN(fnma)(a.im, b.re, VN(fma)(a.re, b.im, x.im));
#endif
    return x;
}

LANES_INLINE E VN(times)(E x, V r)
{
    x.re *= r;
#if IS_COMPLEX
    x.im *= r;
#endif
    return x;
}

LANES_INLINE V VN(abs2)(E x)
{
#if IS_COMPLEX
    return VN(fma)(x.im, x.im, x.re * x.re);
#else
    return x.re * x.re;
#endif
}

/* Vector i of a column at a, whose imaginary parts are ld numbers on. */
LANES_INLINE E VN(get)(const R *a, int64_t ld, int64_t i)
{
    E x = {.re = ((const V *)a)[i]};
#if IS_COMPLEX
    x.im = ((const V *)(a + ld))[i];
#endif
    (void)ld;
    return x;
}

LANES_INLINE void VN(put)(R *a, int64_t ld, int64_t i, E x)
{
    ((V *)a)[i] = x.re;
#if IS_COMPLEX
    ((V *)(a + ld))[i] = x.im;
#endif
    (void)ld;
}
