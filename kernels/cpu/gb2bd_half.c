/* Rows of halves to floats and back, with the processor's instructions where it has them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "gb2bd_half.h"

#include "lanes.h"

#ifdef LANES_X86
LANES_TARGET_V3
static int64_t widen_v3(int64_t n, const uint16_t *h, float *f)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(f + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(h + i))));
    return i;
}

static int64_t round_v3(int64_t n, const float *f, uint16_t *h)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(h + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(f + i), _MM_FROUND_TO_NEAREST_INT));
    return i;
}
LANES_TARGET_END
#endif

void orr_half_widen(int64_t n, const uint16_t *h, float *f)
{
    int64_t i = 0;
#ifdef LANES_X86
    if (lanes_level() >= 3)
        i = widen_v3(n, h, f);
#endif
    for (; i < n; i++)
        f[i] = orr_half_to_float(h[i]);
}

void orr_half_round(int64_t n, const float *f, uint16_t *h)
{
    int64_t i = 0;
#ifdef LANES_X86
    if (lanes_level() >= 3)
        i = round_v3(n, f, h);
#endif
    for (; i < n; i++)
        h[i] = orr_float_to_half(f[i]);
}
