/* heev in one step on CPUs, around LAPACK's sytrd and ormtr.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev_direct.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/heev.h"
#include "kernels/vectors.h"
#include "heev_small.h"
#include "lapack.h"

/* trd: uplo, n, a, lda, d, e, tau, work, lwork, info
 * mtr: side, uplo, trans, m, n, a, lda, tau, c, ldc, work, lwork, info */
#define ROUTINES(T, R, trd, mtr)                                                                   \
    void trd(const char *, const int32_t *, T *, const int32_t *, R *, R *, T *, T *,              \
             const int32_t *, int32_t *);                                                          \
    void mtr(const char *, const char *, const char *, const int32_t *, const int32_t *,           \
             const T *, const int32_t *, const T *, T *, const int32_t *, T *, const int32_t *,    \
             int32_t *)
ROUTINES(float, float, ssytrd_, sormtr_);
ROUTINES(double, double, dsytrd_, dormtr_);
ROUTINES(float _Complex, float, chetrd_, cunmtr_);
ROUTINES(double _Complex, double, zhetrd_, zunmtr_);

enum { NB = 64, FACTOR = 65 * NB }; /* LAPACK's largest block, and where ormtr keeps its T */

size_t orr_heev_direct_bytes(const orr_heev_direct *g)
{
    static const size_t size[ORR_NTYPES] = {4, 8, 8, 16}, real[ORR_NTYPES] = {4, 8, 4, 8};
    const int64_t n = g->n, vectors = !g->z ? 0 : g->found ? n : g->count;
    if (orr_heev_small_takes(g))
        return orr_heev_small_bytes(g);
    return (size_t)(n * (n + 2) + NB * n + FACTOR) * size[g->type] +
           (size_t)(n * (2 + vectors)) * real[g->type];
}

#define BODY "heev_direct.inc.c"
#include "each_type.inc.c"

orr_heev_direct_fn *const orr_heev_direct_cpu[ORR_NTYPES] = {
    orr_heev_direct_cpu_s,
    orr_heev_direct_cpu_d,
    orr_heev_direct_cpu_c,
    orr_heev_direct_cpu_z,
};
