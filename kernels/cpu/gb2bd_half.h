/* IEEE half precision as 16 bits, on any compiler: the type _Float16 is not everywhere, and
 * arithmetic is done in single precision anyway.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_GB2BD_HALF_H
#define ORR_CPU_GB2BD_HALF_H

#include <stdint.h>
#include <string.h>

static inline float orr_half_to_float(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, rest = h & 0x7fff;
    uint32_t bits;
    float f;
    if (rest >= 0x7c00) /* infinity, NaN */
        bits = sign | 0x7f800000u | (rest & 0x3ff) << 13;
    else if (rest >= 0x400)
        bits = sign | ((rest << 13) + (112u << 23));
    else { /* zero and subnormal: rest times 2^-24 */
        f = (float)rest * 0x1p-24f;
        memcpy(&bits, &f, sizeof bits);
        bits |= sign;
    }
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* To nearest, ties to even; overflow gives infinity. */
static inline uint16_t orr_float_to_half(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    bits &= 0x7fffffffu;
    if (bits >= 0x7f800000u)
        return sign | 0x7c00 | (bits > 0x7f800000u ? 0x200 : 0);
    if (bits >= 0x47800000u) /* 65536 */
        return sign | 0x7c00;
    if (bits < 0x38800000u) { /* below 2^-14: a multiple of 2^-24, rounded by an addition */
        float x;
        memcpy(&x, &bits, sizeof x);
        x += 0.5f; /* units in the last place of [0.5, 1) are 2^-24 */
        memcpy(&bits, &x, sizeof bits);
        return (uint16_t)(sign | (bits - 0x3f000000u));
    }
    bits += 0xfff + (bits >> 13 & 1);
    return (uint16_t)(sign | ((bits - (112u << 23)) >> 13));
}

void orr_half_widen(int64_t n, const uint16_t *h, float *f);
void orr_half_round(int64_t n, const float *f, uint16_t *h);

#endif
