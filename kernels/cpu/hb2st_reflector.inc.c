/* Householder reflectors for hb2st, for one scalar type and one instruction set: LAPACK's larfg
 * on a padded column, with care for columns so small that their squares underflow.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

/* The norm of y without its first entry, squared. */
LANES_INLINE R VN(tail2)(const PADDED *y)
{
    V even = VN(keep_from)(y->x[0], y->shift + 1), odd = {0};
    if (y->shift + 1 == WIDTH)
        even = (V){0};
    even *= even;
    int64_t k = 1;
    for (; k + 1 < y->count; k += 2) {
        odd = VN(fma)(y->x[k], y->x[k], odd);
        even = VN(fma)(y->x[k + 1], y->x[k + 1], even);
    }
    if (k < y->count)
        odd = VN(fma)(y->x[k], y->x[k], odd);
    return VN(sum)(even + odd);
}

/* Scales y, all of it tiny, to order 1, and returns the exponent that was taken out; the
 * tail of y is zero: *zero := 1 and nothing is done. */
static int VN(normalize)(PADDED *y, int *zero)
{
    R *part = (R *)(VN(at)(y->x) + y->shift), top = 0;
    int exponent = 0;
    for (int64_t i = PARTS; i < y->m * PARTS; i++)
        top = RABS(part[i]) > top ? RABS(part[i]) : top;
    *zero = top == 0;
    for (int64_t i = 0; i < PARTS; i++)
        top = RABS(part[i]) > top ? RABS(part[i]) : top;
    if (top == 0)
        return 0;
    frexp((double)top, &exponent);
    for (int64_t i = 0; i < y->m * PARTS; i++)
        part[i] = (R)ldexp((double)part[i], -exponent);
    return exponent;
}

/* Column y becomes v, with (I - conj(tau) v v') y = beta e1. real_beta: also where nothing is
 * to be annihilated, beta shall be real. Returns beta. */
LANES_INLINE T VN(reflector)(PADDED *y, int real_beta, T *tau)
{
    T *e = VN(at)(y->x) + y->shift;
    T alpha = e[0];
    int exponent = 0;
    R tail = VN(tail2)(y);
    if (!(tail > TINY)) { /* zero, or squares that underflow */
        int zero;
        exponent = VN(normalize)(y, &zero);
        if (zero && !(IS_COMPLEX && real_beta && IMAG(alpha) != 0)) {
            *tau = 0;
            memset(y->x, 0, (size_t)y->count * sizeof(V));
            e[0] = 1;
            VN(turn)(y);
            return alpha;
        }
        alpha = e[0];
        tail = VN(tail2)(y);
    }
    const R norm = SQRT(REAL(alpha) * REAL(alpha) + IMAG(alpha) * IMAG(alpha) + tail);
    const R beta = REAL(alpha) > 0 ? -norm : norm;
    *tau = VN(number)((beta - REAL(alpha)) / beta, -IMAG(alpha) / beta);
    /* times 1 / (alpha - beta): the real parts add up, nothing cancels */
    const R re = REAL(alpha) - beta, im = IMAG(alpha);
    const T s = IS_COMPLEX ? VN(number)(re / (re * re + im * im), -im / (re * re + im * im))
                           : VN(number)(1 / re, 0);
    for (int64_t k = 0; k < y->count; k++) {
        V x = y->x[k] * VN(all)(REAL(s));
#if IS_COMPLEX
        x = VN(fma)(VN(times_i)(y->x[k]), VN(all)(IMAG(s)), x);
#endif
        y->x[k] = x;
    }
    y->x[0] = VN(put)(y->x[0], y->shift, 1);
    VN(turn)(y);
    return exponent ? (R)ldexp((double)beta, exponent) : beta;
}
