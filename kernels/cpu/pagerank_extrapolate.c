/* See pagerank_extrapolate.h. SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/pagerank_extrapolate.h"

#include <float.h>
#include <math.h>

#include "kernels/as_s.h"
#include "pagerank_extrapolate.inc.c"
#include "kernels/as_d.h"
#include "pagerank_extrapolate.inc.c"

orr_pagerank_dots_fn *const orr_pagerank_dots_cpu[ORR_NTYPES] = {
    [ORR_S] = dots_s, [ORR_D] = dots_d};
orr_pagerank_mix_fn *const orr_pagerank_mix_cpu[ORR_NTYPES] = {[ORR_S] = mix_s, [ORR_D] = mix_d};

enum { MOST_HARMS = 8 };

/* g of least squares; 0 if y_1 and y_2 are parallel to rounding. */
static int solve(const double t[ORR_PAGERANK_DOTS], double g[2])
{
    const double det = t[0] * t[2] - t[1] * t[1];
    if (!(det > 64 * DBL_EPSILON * t[0] * t[2]))
        return 0;
    g[0] = -(t[2] * t[3] - t[1] * t[4]) / det;
    g[1] = -(t[0] * t[4] - t[1] * t[3]) / det;
    return isfinite(g[0]) && isfinite(g[1]);
}

void orr_pagerank_mixing_find(const double (*const *dots)[ORR_PAGERANK_DOTS], int64_t blocks,
                              double alpha, int period, const orr_powm_scalars *const s[2],
                              orr_powm_scalars *last, orr_pagerank_mixing *m)
{
    double t[ORR_PAGERANK_DOTS] = {0}, g[2];
    m->b[0] = m->b[1] = 0;
    m->b[2] = 1;
    const int plain = m->plain;
    m->plain = 1;
    if (last->state != ORR_POWM_RUN || m->harms >= MOST_HARMS)
        return;
    if (m->mark > 0 && !plain)
        m->harms += last->change > pow(alpha, period) * m->mark ? 1 : -(m->harms > 0);
    if (m->harms >= MOST_HARMS || (m->mark > 0 && last->change > m->mark))
        return;
    m->plain = 0;
    m->mark = last->change;
    for (int64_t b = 0; b < blocks; b++)
        for (int k = 0; k < ORR_PAGERANK_DOTS; k++)
            t[k] += (*dots[b])[k];
    if (!solve(t, g))
        return;
    const double b[3] = {g[0] + g[1] + 1, g[1] + 1, 1};
    const double mass = b[0] * s[0]->mass + b[1] * s[1]->mass + b[2] * last->mass;
    const double dangling = b[0] * s[0]->dangling + b[1] * s[1]->dangling + b[2] * last->dangling;
    if (!(fabs(mass) > 1e-8 * (fabs(b[0]) + fabs(b[1]) + 1) * last->mass))
        return;
    const double scale = last->mass / mass;
    for (int k = 0; k < 3; k++)
        m->b[k] = scale * b[k];
    last->dangling = scale * dangling;
}
