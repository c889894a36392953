/* See powm_krylov.h. The vector work is powm_krylov.inc.c, once per type; the small dense
 * problems, in double, are powm_rayleigh.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/powm_krylov.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "powm_lapack.h"

enum { STRIP = 1024 };

#define BODY "powm_krylov.inc.c"
#include "each_type.inc.c"

orr_krylov_dot_fn *const orr_krylov_dot_cpu[ORR_NTYPES] = {
    orr_krylov_dot_cpu_s,
    orr_krylov_dot_cpu_d,
    orr_krylov_dot_cpu_c,
    orr_krylov_dot_cpu_z,
};
orr_krylov_update_fn *const orr_krylov_update_cpu[ORR_NTYPES] = {
    orr_krylov_update_cpu_s,
    orr_krylov_update_cpu_d,
    orr_krylov_update_cpu_c,
    orr_krylov_update_cpu_z,
};
orr_krylov_restart_fn *const orr_krylov_restart_cpu[ORR_NTYPES] = {
    orr_krylov_restart_cpu_s,
    orr_krylov_restart_cpu_d,
    orr_krylov_restart_cpu_c,
    orr_krylov_restart_cpu_z,
};

static int64_t place(int64_t *at, int64_t bytes)
{
    const int64_t here = *at;
    *at += (bytes + 63) / 64 * 64;
    return here;
}

int64_t orr_krylov_start(orr_type type, int64_t n, int m, int k, int hermitian,
                         enum orr_krylov_which which, double tol, orr_krylov_state *state)
{
    const int complex_numbers = type == ORR_C || type == ORR_Z;
    const int64_t number = complex_numbers ? 16 : 8;
    int64_t at = (sizeof *state + 63) / 64 * 64;
    orr_krylov_state s = {.m = m,
                          .k = k,
                          .hermitian = hermitian,
                          .complex_numbers = complex_numbers,
                          .which = which,
                          .tol = tol,
                          .inv = 1,
                          .stop = m,
                          .n = n};
    s.H = place(&at, number * (m + 1) * m);
    s.h = place(&at, number * (m + 1));
    s.Q = place(&at, number * m * (m + 1));
    s.values = place(&at, 16 * (m + 1));
    s.estimates = place(&at, 8 * (m + 1));
    s.before = place(&at, 8 * k);
    s.bytes = at;
    if (state) {
        memset(state, 0, (size_t)at);
        *state = s;
    }
    return at;
}

/* Below this the square of a norm loses digits, or its inverse is no float. Rounding of matrices
 * whose entries are where the sparse operations scale them to is far above. */
static double least_norm(double eps) { return eps < FLT_EPSILON ? 0x1p-416 : 0x1p-92; }

/* V(:,i)'A v_j for i < j: the conjugate of what stands across the diagonal. */
static void known(const orr_krylov_state *s, int j, double *h)
{
    const int w = s->complex_numbers ? 2 : 1;
    const double *H = orr_krylov_array(s, s->H);
    for (int i = 0; i < j; i++) {
        const double *across = H + ((int64_t)i * (s->m + 1) + j) * w;
        h[i * w] = across[0];
        if (w == 2)
            h[i * w + 1] = -across[1];
    }
}

void orr_krylov_reduce(const orr_krylov_args *g, double eps, const void *const *parts,
                       int64_t blocks, orr_krylov_state *s)
{
    if (!orr_krylov_active(s, g->j, g->fresh))
        return;
    const int w = s->complex_numbers ? 2 : 1; /* doubles per number */
    const int count = g->phase == 3 ? 1 : w * (g->j + 1), ld = w * (s->m + 1);
    double *h = orr_krylov_array(s, s->h);
    double *column = g->fresh ? NULL : (double *)orr_krylov_array(s, s->H) + (int64_t)g->j * ld;
    double sum[2 * (ORR_KRYLOV_MOST + 1)] = {0};
    for (int64_t b = 0; b < blocks; b++)
        for (int i = 0; i < count; i++)
            sum[i] += ((const double *)parts[b])[i];
    if (g->phase == 1 && s->hermitian && !g->fresh)
        known(s, g->j, sum);
    if (g->phase == 2 && !g->fresh) { /* part also had |y|^2 */
        double left = 0;
        s->square = 0;
        for (int64_t b = 0; b < blocks; b++)
            s->square += ((const double *)parts[b])[count];
        for (int i = 0; i < count; i++)
            left += sum[i] * sum[i];
        s->clean = left <= 100 * eps * eps * s->square;
    }
    if (g->phase == 3 && s->clean && !g->fresh)
        sum[0] = s->square;
    if (g->phase < 3) {
        for (int i = 0; i < count; i++) {
            if (!g->fresh)
                column[i] = g->phase == 1 ? sum[i] : column[i] + sum[i];
            h[i] = sum[i];
        }
        return;
    }
    double norm = sqrt(sum[0]), size = 0;
    for (int i = 0; i < w * (g->j + 1) && !g->fresh; i++)
        size += column[i] * column[i];
    if (g->fresh) { /* a vector that is independent of the others, and tied to none */
        s->inv = norm > 0 ? 1 / norm : 0;
        s->fresh = 0;
        s->stop = s->m;
        return;
    }
    size = sqrt(size + sum[0]);
    if (!isfinite(size)) {
        s->stop = g->j + 1;
        s->last = NAN;
        return;
    }
    if (!(norm > 100 * eps * size) || norm < least_norm(eps) || g->j + 1 == s->n) {
        norm = 0;
        s->stop = g->j + 1;
    }
    column[w * (g->j + 1)] = norm;
    s->inv = norm > 0 ? 1 / norm : 0;
    s->last = norm;
}
