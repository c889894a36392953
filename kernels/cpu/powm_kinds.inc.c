/* The products for each kind of values of the type of as_?.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#if IS_COMPLEX
#define ACC double _Complex
#define SIMD_UNLESS_COMPLEX
#define TIMES(v, xk) multiply(v, xk)
#else
#define ACC                 double
#define SIMD_UNLESS_COMPLEX _Pragma("omp simd")
#define TIMES(v, xk)        ((double)(v) * (double)(xk))

/* Eight at a time. The compiler makes them of what registers there are. */
typedef double VN(sum8) __attribute__((vector_size(8 * sizeof(double))));
typedef T VN(x8) __attribute__((vector_size(8 * sizeof(T))));
typedef NARROW VN(narrow8) __attribute__((vector_size(8 * sizeof(NARROW))));

/* x at eight places, by eight loads: processors take longer for their gather instruction. */
static inline
    __attribute__((always_inline)) void VN(gather)(const T *x, const int32_t *i, VN(x8) *out)
{
    *out = (VN(x8)){x[i[0]], x[i[1]], x[i[2]], x[i[3]], x[i[4]], x[i[5]], x[i[6]], x[i[7]]};
}
static inline
    __attribute__((always_inline)) void VN(gather16)(const T *x, const uint16_t *i, VN(x8) *out)
{
    *out = (VN(x8)){x[i[0]], x[i[1]], x[i[2]], x[i[3]], x[i[4]], x[i[5]], x[i[6]], x[i[7]]};
}
static inline __attribute__((always_inline)) double VN(total)(const VN(sum8) *s)
{
    const double *v = (const double *)s;
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}
#endif

#define KIND          full
#define VTYPE         T
#define V8            VN(x8)
#define VAL(v, k, xk) TIMES((v)[k], xk)
#define SLOT_VALUES   1
#include "powm_products.inc.c"

#define KIND          narrow
#define VTYPE         NARROW
#define V8            VN(narrow8)
#define VAL(v, k, xk) TIMES((v)[k], xk)
#define SLOT_VALUES   1
#include "powm_products.inc.c"

#define KIND          pattern
#define VTYPE         T
#define VAL(v, k, xk) ((void)(v), (ACC)(xk))
#define SLOT_VALUES   0
#include "powm_products.inc.c"
