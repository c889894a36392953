/* See powm_scalars.h. SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/powm_scalars.h"

#include "kernels/powm_combine.h"

void orr_powm_scalars_start(orr_powm_scalars *s, double bound)
{
    const double scale = orr_power_of_two(bound);
    *s = (orr_powm_scalars){.step = -1,
                            .next = {scale, scale},
                            .norm = 1,
                            .growth = bound,
                            .used = scale,
                            .residual = INFINITY,
                            .mass = 1};
}

void orr_powm_ritz_values(const orr_powm_scalars *s, double t1[2], double t2[2])
{
    orr_number a, b;
    orr_powm_ritz_pair(s, &a, &b);
    orr_number_put(t1, a);
    orr_number_put(t2, b);
}

static orr_powm_partial sum(const orr_powm_partial *const *parts, int64_t blocks)
{
    orr_powm_partial s = {.low = INFINITY, .high = -INFINITY};
    for (int64_t b = 0; b < blocks; b++) {
        const orr_powm_partial *a = parts[b];
        s.xx += a->xx;
        s.yy += a->yy;
        s.ww += a->ww;
        s.ee += a->ee;
        for (int i = 0; i < 2; i++) {
            s.xy[i] += a->xy[i];
            s.we[i] += a->we[i];
            s.wg[i] += a->wg[i];
            s.eg[i] += a->eg[i];
        }
        s.r1 += a->r1;
        s.r2 += a->r2;
        s.low = fmin(s.low, a->low);
        s.high = fmax(s.high, a->high);
        s.change += a->change;
        s.mass += a->mass;
        s.dangling += a->dangling;
    }
    return s;
}

void orr_powm_combine(const orr_powm_combine_args *g, const orr_powm_partial *const *parts,
                      int64_t blocks, const orr_powm_scalars *before, orr_powm_scalars *out)
{
    const orr_powm_partial s = sum(parts, blocks);
    orr_powm_combine_sums(g, &s, before, out);
}

/* ---- Start vectors ------------------------------------------------------------------------- */

/* splitmix64 of a counter: any part of the vector can be made anywhere. */
static double uniform(uint64_t seed, uint64_t i)
{
    uint64_t z = seed * 0xd1342543de82ef95u + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

void orr_powm_random(orr_type type, int64_t first, int64_t rows, uint64_t seed, int symmetric,
                     void *x)
{
    for (int64_t i = 0; i < rows; i++) {
        double u = uniform(seed, (uint64_t)(first + i));
        u = symmetric ? 2 * u - 1 : u;
        switch (type) {
        case ORR_S: ((float *)x)[i] = (float)u; break;
        case ORR_D: ((double *)x)[i] = u; break;
        case ORR_C: ((float _Complex *)x)[i] = (float _Complex)u; break;
        default: ((double _Complex *)x)[i] = u;
        }
    }
}
