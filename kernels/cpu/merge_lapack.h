/* The Fortran LAPACK routine of the merges of heev and gesvd. See lapack.h for the conventions.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_MERGE_LAPACK_H
#define ORR_CPU_MERGE_LAPACK_H

#include "lapack.h"
#include "thin.h"

/* n1, n2, a, the two strides, index */
#define ORR_MERGE_ROUTINES(T, lamrg)                                                               \
    void lamrg(const int32_t *, const int32_t *, const T *, const int32_t *, const int32_t *,      \
               int32_t *)
ORR_MERGE_ROUTINES(float, slamrg_);
ORR_MERGE_ROUTINES(double, dlamrg_);

#endif
