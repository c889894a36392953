/* hegv on CPUs: BLAS and LAPACK on the tiles. The body is hegv.inc.c, once per type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/hegv.h"

#include <complex.h>
#include <float.h>
#include <math.h>

#include "heev_lapack.h"

/* potrf: uplo, n, a, lda, info; gst: itype, uplo, n, a, lda, b, ldb, info */
#define ROUTINES(T, potrf, gst)                                                                    \
    void potrf(const char *, const int32_t *, T *, const int32_t *, int32_t *);                    \
    void gst(const int32_t *, const char *, const int32_t *, T *, const int32_t *, const T *,      \
             const int32_t *, int32_t *)
ROUTINES(float, spotrf_, ssygst_);
ROUTINES(double, dpotrf_, dsygst_);
ROUTINES(float _Complex, cpotrf_, chegst_);
ROUTINES(double _Complex, zpotrf_, zhegst_);

#define BODY "hegv.inc.c"
#include "each_type.inc.c"

orr_hegv_potrf_fn *const orr_hegv_potrf_cpu[ORR_NTYPES] = {
    orr_hegv_potrf_cpu_s,
    orr_hegv_potrf_cpu_d,
    orr_hegv_potrf_cpu_c,
    orr_hegv_potrf_cpu_z,
};
orr_hegv_gst_fn *const orr_hegv_gst_cpu[ORR_NTYPES] = {
    orr_hegv_gst_cpu_s,
    orr_hegv_gst_cpu_d,
    orr_hegv_gst_cpu_c,
    orr_hegv_gst_cpu_z,
};
orr_hegv_triangle_fn *const orr_hegv_triangle_cpu[ORR_NTYPES] = {
    orr_hegv_triangle_cpu_s,
    orr_hegv_triangle_cpu_d,
    orr_hegv_triangle_cpu_c,
    orr_hegv_triangle_cpu_z,
};
orr_hegv_multiply_fn *const orr_hegv_multiply_cpu[ORR_NTYPES] = {
    orr_hegv_multiply_cpu_s,
    orr_hegv_multiply_cpu_d,
    orr_hegv_multiply_cpu_c,
    orr_hegv_multiply_cpu_z,
};
orr_hegv_hermitian_fn *const orr_hegv_hermitian_cpu[ORR_NTYPES] = {
    orr_hegv_hermitian_cpu_s,
    orr_hegv_hermitian_cpu_d,
    orr_hegv_hermitian_cpu_c,
    orr_hegv_hermitian_cpu_z,
};
orr_hegv_update_fn *const orr_hegv_update_cpu[ORR_NTYPES] = {
    orr_hegv_update_cpu_s,
    orr_hegv_update_cpu_d,
    orr_hegv_update_cpu_c,
    orr_hegv_update_cpu_z,
};
