/* hb2st_narrow on CPUs. The body is hb2st_narrow.inc.c, once per type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/hb2st_narrow.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "lapack.h"

/* vect, uplo, n, kd, ab, ldab, d, e, q, ldq, work, info */
#define SBTRD(T, R, sbtrd)                                                                         \
    void sbtrd(const char *, const char *, const int32_t *, const int32_t *, T *, const int32_t *, \
               R *, R *, T *, const int32_t *, T *, int32_t *)
SBTRD(float, float, ssbtrd_);
SBTRD(double, double, dsbtrd_);
SBTRD(float _Complex, float, chbtrd_);
SBTRD(double _Complex, double, zhbtrd_);
#define csbtrd_ chbtrd_
#define zsbtrd_ zhbtrd_

enum { TYPE_s = ORR_S, TYPE_d = ORR_D, TYPE_c = ORR_C, TYPE_z = ORR_Z };

#define BODY "hb2st_narrow.inc.c"
#include "each_type.inc.c"

orr_hb2st_narrow_fn *const orr_hb2st_narrow_cpu[ORR_NTYPES] = {
    orr_hb2st_narrow_cpu_s,
    orr_hb2st_narrow_cpu_d,
    orr_hb2st_narrow_cpu_c,
    orr_hb2st_narrow_cpu_z,
};
