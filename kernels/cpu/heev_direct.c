/* heev in one step on CPUs, by one thread.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev_direct.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/heev.h"
#include "kernels/heev_reduce.h"
#include "kernels/vectors.h"
#include "heev_small.h"
#include "lapack.h"

size_t orr_heev_direct_bytes(const orr_heev_direct *g)
{
    static const size_t real[ORR_NTYPES] = {4, 8, 4, 8};
    const int64_t n = g->n, vectors = !g->z ? 0 : g->found ? n : g->count;
    if (orr_heev_small_takes(g))
        return orr_heev_small_bytes(g);
    return orr_heev_reduction_bytes(g->type, n) + (size_t)(n * (2 + vectors)) * real[g->type];
}

#define BODY "heev_direct.inc.c"
#include "each_type.inc.c"

orr_heev_direct_fn *const orr_heev_direct_cpu[ORR_NTYPES] = {
    orr_heev_direct_cpu_s,
    orr_heev_direct_cpu_d,
    orr_heev_direct_cpu_c,
    orr_heev_direct_cpu_z,
};
