/* The shared reduction of heev on CPUs; see heev_reduce.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev_reduce.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "heev_lapack.h"
#include "lanes.h"
#include "thin.h"

/* larfg: n, alpha, x, incx, tau; trd: as in heev_direct.c */
#define ROUTINES(T, R, larfg, trd)                                                                 \
    void larfg(const int32_t *, T *, T *, const int32_t *, T *);                                   \
    void trd(const char *, const int32_t *, T *, const int32_t *, R *, R *, T *, T *,              \
             const int32_t *, int32_t *)
ROUTINES(float, float, slarfg_, ssytrd_);
ROUTINES(double, double, dlarfg_, dsytrd_);
ROUTINES(float _Complex, float, clarfg_, chetrd_);
ROUTINES(double _Complex, double, zlarfg_, zhetrd_);
#define GEMV(T, gemv)                                                                              \
    void gemv(const char *, const int32_t *, const int32_t *, const T *, const T *,                \
              const int32_t *, const T *, const int32_t *, const T *, T *, const int32_t *)
GEMV(float, sgemv_);
GEMV(double, dgemv_);
GEMV(float _Complex, cgemv_);
GEMV(double _Complex, zgemv_);

enum {
    PANEL = 32,              /* columns between updates */
    STREAMS = ORR_HEEV_TEAM, /* parts of a job: each every STREAMS-th block of columns */
    BLOCK = 32,
    ALONE = 160, /* shorter than that is not worth telling others */
    REST = 128,  /* rows and columns for one thread */
    FEW = 16     /* reflectors for which LAPACK makes the triangular factor */
};

/* Reflectors that the back-transformation takes at a time, the inner side of its products: more of them
 * need more for their triangles than they gain. Of 32 to 256, n = 300 to 2000, on a Zen 3. */
static int64_t at_once(int64_t n) { return n < 800 ? 48 : 64; }

static int stopped(const orr_heev_reduction *g) { return g->stopped && g->stopped(g->whose); }

/* ---- The team ------------------------------------------------------------------------------ */

enum job { LOAD, PRODUCT, UPDATE };

/* A stream of a job belongs to the member that moved taken[stream] to the job's number. The first
 * member makes a new job only when all streams of the last one are done, so whoever has taken one
 * may read what it is about. */
struct orr_heev_team {
    _Alignas(64) _Atomic int64_t told; /* the number of the last job, from 1 */
    atomic_int ended;
    enum job job;
    int64_t first;                     /* its first row and column */
    int64_t column;                    /* of V, of a product */
    _Alignas(64) _Atomic int64_t done; /* streams, of all jobs */
    _Alignas(64) _Atomic int64_t taken[STREAMS];
    _Alignas(64) atomic_int came;
};

static void rest_a_little(int64_t *spins)
{
    enum { OFTEN = 50 };
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
    if (++*spins % OFTEN == 0) /* whoever is waited for may need this processor */
        sched_yield();
}

static size_t up(size_t bytes) { return (bytes + 63) / 64 * 64; }

size_t orr_heev_reduction_bytes(orr_type t, int64_t n)
{
    static const size_t size[ORR_NTYPES] = {4, 8, 8, 16};
    const size_t columns = (size_t)(n + 1) + 1 + 3 * PANEL + STREAMS + 1;
    return up(columns * (size_t)n * size[t]) + up(sizeof(struct orr_heev_team)) + 64;
}

void orr_heev_reduction_set(orr_heev_reduction *g, void *memory)
{
    static const size_t size[ORR_NTYPES] = {4, 8, 8, 16};
    const size_t column = (size_t)g->n * size[g->type];
    char *at = (char *)up((size_t)(uintptr_t)memory);
    g->team = (struct orr_heev_team *)(void *)at;
    memset(at, 0, sizeof *g->team);
    at += up(sizeof *g->team);
    g->b = at;
    g->tau = at + (size_t)(g->n + 1) * column; /* OpenBLAS's zgemv reads a column beyond b */
    g->x = (char *)g->tau + column;
}

#define BODY "heev_reduce_columns.inc.c"
#include "each_isa.inc.c"

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
#define COLUMNS(T, t)                                                                              \
    typedef void columns_##t(int64_t n, int64_t from, int64_t to, const T *A, const T *v, T *y);   \
    static columns_##t *const by_level_##t[5] = LEVELS(multiply_columns, t)
COLUMNS(float, s);
COLUMNS(double, d);
COLUMNS(float _Complex, c);
COLUMNS(double _Complex, z);

#define BODY "heev_reduce.inc.c"
#include "each_type.inc.c"
#define BODY "heev_back.inc.c"
#include "each_type.inc.c"

#define TABLE(name)                                                                                \
    orr_heev_reduce_fn *const orr_heev_##name##_cpu[ORR_NTYPES] = {                                \
        orr_heev_##name##_cpu_s, orr_heev_##name##_cpu_d, orr_heev_##name##_cpu_c,                 \
        orr_heev_##name##_cpu_z}
TABLE(reduce);
TABLE(rest);
orr_heev_back_fn *const orr_heev_back_cpu[ORR_NTYPES] = {
    orr_heev_back_cpu_s,
    orr_heev_back_cpu_d,
    orr_heev_back_cpu_c,
    orr_heev_back_cpu_z,
};
