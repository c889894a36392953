/* The products for each kind of values of the type of as_?.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#if IS_COMPLEX
#define ACC                      double _Complex
#define SIMD_UNLESS_COMPLEX
#define TIMES(v, xk)             multiply(v, xk)
#else
#define ACC                      double
#define SIMD_UNLESS_COMPLEX      _Pragma("omp simd")
#define TIMES(v, xk)             ((double)(v) * (double)(xk))
#endif

#define KIND        full
#define VTYPE       T
#define VAL(k, xk)  TIMES(val[k], xk)
#define SLOT_VALUES 1
#include "powm_products.inc.c"

#define KIND        narrow
#define VTYPE       NARROW
#define VAL(k, xk)  TIMES(val[k], xk)
#define SLOT_VALUES 1
#include "powm_products.inc.c"

#define KIND        pattern
#define VTYPE       T
#define VAL(k, xk)  ((ACC)(xk))
#define SLOT_VALUES 0
#include "powm_products.inc.c"
