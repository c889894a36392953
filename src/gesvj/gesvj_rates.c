/* Who starts and finishes the matrices of gesvj that a device sweeps. If CPUs do, the device has
 * only sweeps to make, but no more of them than CPUs can feed, and CPUs have less time for matrices
 * of their own. With seconds a matrix of both parts, e (ends) and w (sweeps), on a CPU and on a
 * device that has a bundle of them, the matrices a second are
 *
 *   device ends    D / (e_d + w_d) + C / (e_c + w_c)
 *   CPUs end       x + (C - x e_c) / (e_c + w_c),   x = min(D / w_d, C / e_c)
 *
 * The seconds are estimates: of CPUs from docs/algorithms/gesvj.md, of devices from their number of
 * launches, of steps in which thread blocks meet, and what an H200 promises; they have not been measured on a device.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "src/gesvj/gesvj.h"

enum { SWEEPS = 8, ENDS_LAUNCHES = 21, AT_ONCE = 36 /* matrices that such a launch takes */ };

static const double launch = 3e-6, step = 2e-6; /* s; a step of a QR factorization */
static const double copy = 1e13, rate = 1e13;   /* bytes, operations a second */
static const double angle = 130e-6; /* of pairs of blocks of 32, however many there are */

/* Complex products cost four real ones, double precision twice as much as single. */
static const double factor[] = {[ORR_S] = 1, [ORR_D] = 2, [ORR_C] = 4, [ORR_Z] = 8};
static const double bytes[] = {[ORR_S] = 4, [ORR_D] = 8, [ORR_C] = 8, [ORR_Z] = 16};

struct seconds {
    double ends, sweeps;
};

/* On one core: start and finish of order 512 take 26 ms, its sweeps 49 ms. */
static struct seconds on_cpu(const struct orr_gesvj_chunk *c)
{
    const double big = (double)(c->m > c->n ? c->m : c->n), n = (double)(c->m > c->n ? c->n : c->m);
    return (struct seconds){.ends = factor[c->type] * n * n * (1.4e-10 * big + 0.55e-10 * n),
                            .sweeps = factor[c->type] * n * n * n * 3.7e-10};
}

/* A matrix's share of a bundle: launches, the steps of two QR, and their columns, read in each. */
static struct seconds on_device(const struct orr_gesvj_chunk *c, int64_t bundle)
{
    const double big = (double)(c->m > c->n ? c->m : c->n), n = (double)(c->m > c->n ? c->n : c->m);
    const double rounds = 2 * ceil(n / (2 * c->nb)) - 1, turns = SWEEPS * rounds;
    const double times = ceil((double)bundle / AT_ONCE);
    return (struct seconds){
        .ends = times * (ENDS_LAUNCHES * launch + 2 * n * step) / (double)bundle +
                bytes[c->type] * n * n * big / copy + factor[c->type] * 12 * n * n * big / rate,
        .sweeps = turns * (angle * sqrt(factor[c->type]) + 2 * launch) / (double)bundle +
                  factor[c->type] * SWEEPS * 6 * n * n * n / rate};
}

int orr_gesvj_ends_pay(const struct orr_gesvj_chunk *c, int64_t bundle, int cpus, int devices)
{
    const struct seconds cpu = on_cpu(c), device = on_device(c, bundle);
    const double whole = cpu.ends + cpu.sweeps;
    const double fed = fmin(devices / device.sweeps, cpus / cpu.ends);
    return devices / (device.ends + device.sweeps) + cpus / whole >=
           fed + (cpus - fed * cpu.ends) / whole;
}
