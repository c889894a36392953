/* The work of gb2bd on CPUs: chase and qr. A step is three products with rows of the band and two
 * passes that write them (gb2bd_chase.inc.c), compiled for each instruction set; half precision is
 * widened to single for the length of a task.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gb2bd.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gb2bd_half.h"
#include "lanes.h"

#define BODY "gb2bd_chase.inc.c"
#include "each_isa.inc.c"

/* ---- Rows that are adjacent in memory ------------------------------------------------ */

/* The two blocks as one: where they lie if they are adjacent, else a copy. NULL: no memory. */
static void *adjacent(const orr_gb2bd_args *g, size_t real, void *top, void *bottom)
{
    const size_t bytes = (size_t)(g->count * g->band.ld) * real;
    if (!bottom || (char *)bottom == (char *)top + bytes)
        return top;
    char *both = aligned_alloc(64, (2 * bytes + 63) / 64 * 64);
    if (both) {
        memcpy(both, top, bytes);
        memcpy(both + bytes, bottom, bytes);
    }
    return both;
}

static void apart(const orr_gb2bd_args *g, size_t real, void *both, void *top, void *bottom)
{
    const size_t bytes = (size_t)(g->count * g->band.ld) * real;
    if (both == top)
        return;
    memcpy(top, both, bytes);
    memcpy(bottom, (char *)both + bytes, bytes);
    free(both);
}

/* Where vectors are halved, short rows are faster by AVX2: measured, 6 to 25 % on a Zen 4. */
static int level_of(orr_type type, int64_t b)
{
    enum { SHORT_BYTES = 256 };
    const int64_t bytes = type == ORR_Z ? 16 : type == ORR_D || type == ORR_C ? 8 : 4;
    return lanes_halved() && b * bytes <= SHORT_BYTES ? 3 : lanes_level();
}

/* The body for one type: what the wrappers below differ in. */
#define RUN(R, type, body)                                                                         \
    R *rows = adjacent(g, sizeof *rows, top, bottom);                                              \
    if (!rows)                                                                                     \
        return ORR_E_NOMEM;                                                                        \
    body[level_of(type, g->b)](g, rows, carry);                                                    \
    apart(g, sizeof *rows, rows, top, bottom)

typedef void float_fn(const orr_gb2bd_args *, float *, float *);
typedef void double_fn(const orr_gb2bd_args *, double *, double *);

/* By level_of(). */
#ifdef LANES_X86
#define LEVELS(f, t)                                                                               \
    {                                                                                              \
        [0] = f##_v0_##t, [3] = f##_v3_##t, [4] = LANES_V4(f##_v4_##t)                             \
    }
#else
#define LEVELS(f, t)                                                                               \
    {                                                                                              \
        [0] = f##_v0_##t                                                                           \
    }
#endif
static float_fn *const chase_s[5] = LEVELS(chase, s), *const chase_c[5] = LEVELS(chase, c);
static double_fn *const chase_d[5] = LEVELS(chase, d), *const chase_z[5] = LEVELS(chase, z);
static float_fn *const qr_s[5] = LEVELS(qr, s), *const qr_c[5] = LEVELS(qr, c);
static double_fn *const qr_d[5] = LEVELS(qr, d), *const qr_z[5] = LEVELS(qr, z);

int orr_gb2bd_carry_lanes(orr_type type, int64_t b)
{
    static const int bytes[5] = {[0] = 16, [3] = 32, [4] = 64};
    return bytes[level_of(type, b)] / (type == ORR_D || type == ORR_Z ? 8 : 4);
}

/* ---- Half precision ------------------------------------------------------------------ */

/* The rows as floats, the work, and the rows rounded. */
static orr_status through_float(const orr_gb2bd_args *g, uint16_t *top, uint16_t *bottom,
                                float *carry, float_fn *work)
{
    const int64_t block = g->count * g->band.ld, blocks = bottom ? 2 : 1;
    float *rows = aligned_alloc(64, ((size_t)(blocks * block) * sizeof *rows + 63) / 64 * 64);
    if (!rows)
        return ORR_E_NOMEM;
    orr_half_widen(block, top, rows);
    if (bottom)
        orr_half_widen(block, bottom, rows + block);
    work(g, rows, carry);
    orr_half_round(block, rows, top);
    if (bottom)
        orr_half_round(block, rows + block, bottom);
    free(rows);
    return ORR_OK;
}

/* ---- The tables ---------------------------------------------------------------------- */

static orr_status orr_gb2bd_chase_cpu_s(const orr_gb2bd_args *g, void *top, void *bottom,
                                        void *carry)
{
    RUN(float, ORR_S, chase_s);
    return ORR_OK;
}

static orr_status orr_gb2bd_chase_cpu_d(const orr_gb2bd_args *g, void *top, void *bottom,
                                        void *carry)
{
    RUN(double, ORR_D, chase_d);
    return ORR_OK;
}

static orr_status orr_gb2bd_chase_cpu_c(const orr_gb2bd_args *g, void *top, void *bottom,
                                        void *carry)
{
    RUN(float, ORR_C, chase_c);
    return ORR_OK;
}

static orr_status orr_gb2bd_chase_cpu_z(const orr_gb2bd_args *g, void *top, void *bottom,
                                        void *carry)
{
    RUN(double, ORR_Z, chase_z);
    return ORR_OK;
}

static orr_status orr_gb2bd_chase_cpu_h(const orr_gb2bd_args *g, void *top, void *bottom,
                                        void *carry)
{
    return through_float(g, top, bottom, carry, chase_s[level_of(ORR_S, g->b)]);
}

orr_gb2bd_fn *const orr_gb2bd_chase_cpu[ORR_GB2BD_NTYPES] = {
    orr_gb2bd_chase_cpu_s, orr_gb2bd_chase_cpu_d, orr_gb2bd_chase_cpu_c,
    orr_gb2bd_chase_cpu_z, orr_gb2bd_chase_cpu_h,
};

static orr_status orr_gb2bd_qr_cpu_s(const orr_gb2bd_args *g, void *top, void *bottom, void *carry)
{
    RUN(float, ORR_S, qr_s);
    return ORR_OK;
}

static orr_status orr_gb2bd_qr_cpu_d(const orr_gb2bd_args *g, void *top, void *bottom, void *carry)
{
    RUN(double, ORR_D, qr_d);
    return ORR_OK;
}

static orr_status orr_gb2bd_qr_cpu_c(const orr_gb2bd_args *g, void *top, void *bottom, void *carry)
{
    RUN(float, ORR_C, qr_c);
    return ORR_OK;
}

static orr_status orr_gb2bd_qr_cpu_z(const orr_gb2bd_args *g, void *top, void *bottom, void *carry)
{
    RUN(double, ORR_Z, qr_z);
    return ORR_OK;
}

static orr_status orr_gb2bd_qr_cpu_h(const orr_gb2bd_args *g, void *top, void *bottom, void *carry)
{
    return through_float(g, top, bottom, carry, qr_s[level_of(ORR_S, g->b)]);
}

orr_gb2bd_fn *const orr_gb2bd_qr_cpu[ORR_GB2BD_NTYPES] = {
    orr_gb2bd_qr_cpu_s, orr_gb2bd_qr_cpu_d, orr_gb2bd_qr_cpu_c,
    orr_gb2bd_qr_cpu_z, orr_gb2bd_qr_cpu_h,
};
