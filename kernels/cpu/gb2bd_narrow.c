/* gb2bd_narrow on CPUs. The body is gb2bd_narrow.inc.c, once per type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gb2bd_narrow.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "kernels/least.h"
#include "lapack.h"

/* vect, m, n, ncc, kl, ku, ab, ldab, d, e, q, ldq, pt, ldpt, c, ldc, work, [rwork,] info */
#define GBBRD(T, R, gbbrd, ...)                                                                    \
    void gbbrd(const char *, const int32_t *, const int32_t *, const int32_t *, const int32_t *,   \
               const int32_t *, T *, const int32_t *, R *, R *, T *, const int32_t *, T *,         \
               const int32_t *, T *, const int32_t *, T *, __VA_ARGS__)
GBBRD(float, float, sgbbrd_, int32_t *);
GBBRD(double, double, dgbbrd_, int32_t *);
GBBRD(float _Complex, float, cgbbrd_, float *, int32_t *);
GBBRD(double _Complex, double, zgbbrd_, double *, int32_t *);

#define BODY "gb2bd_narrow.inc.c"
#include "each_type.inc.c"

orr_gb2bd_narrow_fn *const orr_gb2bd_narrow_cpu[ORR_NTYPES] = {
    orr_gb2bd_narrow_cpu_s,
    orr_gb2bd_narrow_cpu_d,
    orr_gb2bd_narrow_cpu_c,
    orr_gb2bd_narrow_cpu_z,
};
