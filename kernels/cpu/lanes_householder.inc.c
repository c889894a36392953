/* One Householder reflector, rows across lanes, of a vector whose entries are of order 1 at most; for one
 * real type and one instruction set. After lanes_rotation.inc.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */

#undef TINY_COLUMN
/* The square of a vector below this is nothing beside 1. */
#define TINY_COLUMN ((R)(sizeof(R) == sizeof(float) ? 0x1p-80 : 0x1p-900))

LANES_INLINE R VN(total)(V x)
{
    R s = 0;
    for (int i = 0; i < LANES; i++)
        s += x[i];
    return s;
}

/* c below entry k becomes v with (I - v v') c = (its entry of T) e_1 and
 * |v|^2 = 2, zero above; 0 where c counts as zero, and where it has one entry as it is: a diagonal matrix has
 * the identity as vectors, without a rounding. */
LANES_INLINE R VN(reflector)(int64_t k, int64_t vectors, const V *c, V *v)
{
    const int64_t first = (k + 1) / LANES;
    V sum = VN(splat)(0);
    for (int64_t i = 0; i < first; i++)
        v[i] = VN(splat)(0);
    const MASK below = VN(lane_numbers)() > (MASK){0} + (LANE_INT)((k + 1) % LANES);
    for (int64_t i = first; i < vectors; i++) {
        v[i] = i == first ? VN(select)(below, c[i], VN(splat)(0)) : c[i];
        sum = VN(fma)(v[i], v[i], sum);
    }
    const R others = VN(total)(sum), top = ((const R *)c)[k + 1], square = others + top * top;
    const R sigma = square > TINY_COLUMN ? SQRT(square) : 0;
    const R scale = sigma > 0 && others > 0 ? 1 / SQRT(sigma * (sigma + RABS(top))) : 0;
    for (int64_t i = first; i < vectors; i++)
        v[i] *= scale;
    ((R *)v)[k + 1] = (top < 0 ? -1 : 1) * (RABS(top) + sigma) * scale;
    return sigma > 0 && others == 0 ? top : top < 0 ? sigma : -sigma;
}
