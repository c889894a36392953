/* powm_spmv on CPUs: the bodies of powm_products.inc.c and powm_steps.inc.c for each
 * instruction set and type, and the choice between them at run time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/powm_spmv.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"

enum { SMALL_STRIP = 1024 };

#define ARRAY(b, name) ((const void *)((const char *)(b) + (b)->name))

/* Without the checks for NaN that the operator makes. */
static inline
    __attribute__((always_inline)) double _Complex multiply(double _Complex a, double _Complex b)
{
    return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b),
                 creal(a) * cimag(b) + cimag(a) * creal(b));
}
static inline __attribute__((always_inline)) double square(double _Complex a)
{
    return creal(a) * creal(a) + cimag(a) * cimag(a);
}

#ifdef LANES_X86
#define ISA v4
LANES_TARGET_V4
#include "kernels/as_s.h"
#define NARROW float
#include "powm_steps.inc.c"
#include "powm_end.inc.c"
#include "kernels/as_d.h"
#define NARROW float
#include "powm_steps.inc.c"
#include "powm_end.inc.c"
#include "kernels/as_c.h"
#define NARROW float _Complex
#include "powm_steps.inc.c"
#include "powm_end.inc.c"
#include "kernels/as_z.h"
#define NARROW float _Complex
#include "powm_steps.inc.c"
#include "powm_end.inc.c"
LANES_TARGET_END
#undef ISA

#define ISA v3
LANES_TARGET_V3
#include "kernels/as_s.h"
#define NARROW float
#include "powm_steps.inc.c"
#include "powm_end.inc.c"
#include "kernels/as_d.h"
#define NARROW float
#include "powm_steps.inc.c"
#include "powm_end.inc.c"
#include "kernels/as_c.h"
#define NARROW float _Complex
#include "powm_steps.inc.c"
#include "powm_end.inc.c"
#include "kernels/as_z.h"
#define NARROW float _Complex
#include "powm_steps.inc.c"
#include "powm_end.inc.c"
LANES_TARGET_END
#undef ISA
#endif

#define ISA v0
#include "kernels/as_s.h"
#define NARROW float
#include "powm_steps.inc.c"
#include "powm_end.inc.c"
#include "kernels/as_d.h"
#define NARROW float
#include "powm_steps.inc.c"
#include "powm_end.inc.c"
#include "kernels/as_c.h"
#define NARROW float _Complex
#include "powm_steps.inc.c"
#include "powm_end.inc.c"
#include "kernels/as_z.h"
#define NARROW float _Complex
#include "powm_steps.inc.c"
#include "powm_end.inc.c"
#undef ISA

/* One literal function per type, which takes the widest instruction set there is. */
#ifdef LANES_X86
#define WIDEST(f, t) (level() == 4 ? f##_v4_##t : level() == 3 ? f##_v3_##t : f##_v0_##t)
#else
#define WIDEST(f, t) (f##_v0_##t)
#endif

static int level(void)
{
    static int known = -1; /* the same whoever writes it */
    int now = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (now < 0) {
        now = lanes_level();
        __atomic_store_n(&known, now, __ATOMIC_RELAXED);
    }
    return now;
}

static orr_status orr_powm_step_cpu_s(const orr_powm_step_args *g, const void *b, const void *x,
                                      void *y, orr_powm_partial *s)
{
    return WIDEST(step, s)(g, b, x, y, s);
}
static orr_status orr_powm_step_cpu_d(const orr_powm_step_args *g, const void *b, const void *x,
                                      void *y, orr_powm_partial *s)
{
    return WIDEST(step, d)(g, b, x, y, s);
}
static orr_status orr_powm_step_cpu_c(const orr_powm_step_args *g, const void *b, const void *x,
                                      void *y, orr_powm_partial *s)
{
    return WIDEST(step, c)(g, b, x, y, s);
}
static orr_status orr_powm_step_cpu_z(const orr_powm_step_args *g, const void *b, const void *x,
                                      void *y, orr_powm_partial *s)
{
    return WIDEST(step, z)(g, b, x, y, s);
}
orr_powm_step_fn *const orr_powm_step_cpu[ORR_NTYPES] = {
    orr_powm_step_cpu_s,
    orr_powm_step_cpu_d,
    orr_powm_step_cpu_c,
    orr_powm_step_cpu_z,
};

static orr_status orr_powm_product_cpu_s(double scale, const void *b, const void *x, void *y)
{
    return WIDEST(product, s)(scale, b, x, y);
}
static orr_status orr_powm_product_cpu_d(double scale, const void *b, const void *x, void *y)
{
    return WIDEST(product, d)(scale, b, x, y);
}
static orr_status orr_powm_product_cpu_c(double scale, const void *b, const void *x, void *y)
{
    return WIDEST(product, c)(scale, b, x, y);
}
static orr_status orr_powm_product_cpu_z(double scale, const void *b, const void *x, void *y)
{
    return WIDEST(product, z)(scale, b, x, y);
}
orr_powm_product_fn *const orr_powm_product_cpu[ORR_NTYPES] = {
    orr_powm_product_cpu_s,
    orr_powm_product_cpu_d,
    orr_powm_product_cpu_c,
    orr_powm_product_cpu_z,
};

static orr_status orr_powm_residual_cpu_s(const orr_powm_residual_args *g, const void *b,
                                          const void *x, const void *z, orr_powm_partial *s)
{
    return WIDEST(residual, s)(g, b, x, z, s);
}
static orr_status orr_powm_residual_cpu_d(const orr_powm_residual_args *g, const void *b,
                                          const void *x, const void *z, orr_powm_partial *s)
{
    return WIDEST(residual, d)(g, b, x, z, s);
}
static orr_status orr_powm_residual_cpu_c(const orr_powm_residual_args *g, const void *b,
                                          const void *x, const void *z, orr_powm_partial *s)
{
    return WIDEST(residual, c)(g, b, x, z, s);
}
static orr_status orr_powm_residual_cpu_z(const orr_powm_residual_args *g, const void *b,
                                          const void *x, const void *z, orr_powm_partial *s)
{
    return WIDEST(residual, z)(g, b, x, z, s);
}
orr_powm_residual_fn *const orr_powm_residual_cpu[ORR_NTYPES] = {
    orr_powm_residual_cpu_s,
    orr_powm_residual_cpu_d,
    orr_powm_residual_cpu_c,
    orr_powm_residual_cpu_z,
};

static orr_status orr_pagerank_step_cpu_s(const orr_pagerank_step_args *g, const void *b,
                                          const void *z, const void *d, const void *p, void *znew,
                                          orr_powm_partial *s)
{
    return WIDEST(pagerank, s)(g, b, z, d, p, znew, s);
}
static orr_status orr_pagerank_step_cpu_d(const orr_pagerank_step_args *g, const void *b,
                                          const void *z, const void *d, const void *p, void *znew,
                                          orr_powm_partial *s)
{
    return WIDEST(pagerank, d)(g, b, z, d, p, znew, s);
}
orr_pagerank_step_fn *const orr_pagerank_step_cpu[ORR_NTYPES] = {
    [ORR_S] = orr_pagerank_step_cpu_s,
    [ORR_D] = orr_pagerank_step_cpu_d,
};
