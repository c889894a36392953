/* gesvd in one step on CPUs: a kernel for small matrices, else LAPACK's gesdd.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd_direct.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gesvd_small.h"
#include "lapack.h"

/* jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, [rwork,] iwork, info */
#define ROUTINE(T, R, gesdd, ...)                                                                  \
    void gesdd(const char *, const int32_t *, const int32_t *, T *, const int32_t *, R *, T *,     \
               const int32_t *, T *, const int32_t *, T *, const int32_t *, __VA_ARGS__ int32_t *, \
               int32_t *)
ROUTINE(float, float, sgesdd_, );
ROUTINE(double, double, dgesdd_, );
ROUTINE(float _Complex, float, cgesdd_, float *, );
ROUTINE(double _Complex, double, zgesdd_, double *, );

#define BODY "gesvd_direct.inc.c"
#include "each_type.inc.c"

typedef size_t bytes_fn(orr_gesvd_direct *);
static bytes_fn *const bytes_of[ORR_NTYPES] = {bytes_s, bytes_d, bytes_c, bytes_z};

size_t orr_gesvd_direct_bytes(orr_gesvd_direct *g)
{
    return orr_gesvd_small_takes(g) ? orr_gesvd_small_bytes(g) : bytes_of[g->type](g);
}

int orr_gesvd_comes_apart(const orr_gesvd_direct *g)
{
    return orr_gesvd_small_takes(g) && g->u && g->v;
}

orr_gesvd_direct_fn *const orr_gesvd_direct_cpu[ORR_NTYPES] = {
    orr_gesvd_direct_cpu_s,
    orr_gesvd_direct_cpu_d,
    orr_gesvd_direct_cpu_c,
    orr_gesvd_direct_cpu_z,
};
