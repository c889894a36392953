/* a b for one scalar type: C's product of complex numbers would look for NaN.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

static inline T FN(multiply)(T a, T b)
{
#if IS_COMPLEX
    return __builtin_complex(REAL(a) * REAL(b) - IMAG(a) * IMAG(b),
                             REAL(a) * IMAG(b) + IMAG(a) * REAL(b));
#else
    return a * b;
#endif
}
