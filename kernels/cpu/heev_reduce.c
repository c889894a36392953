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
#include "lanes_sum.h"
#include "lanes_turn.h"
#include "thin.h"

/* n, alpha, x, incx, tau */
#define ROUTINE(T, larfg) void larfg(const int32_t *, T *, T *, const int32_t *, T *)
ROUTINE(float, slarfg_);
ROUTINE(double, dlarfg_);
ROUTINE(float _Complex, clarfg_);
ROUTINE(double _Complex, zlarfg_);

enum {
    PANEL = 24,              /* columns between updates */
    STREAMS = ORR_HEEV_TEAM, /* parts of a job: each every STREAMS-th block of columns */
    BLOCK = 32,
    ALONE = 160 /* rows and columns that are not worth telling others */
};

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

static const size_t entry_bytes[ORR_NTYPES] = {4, 8, 8, 16};

/* Whole lines of a cache, and not whole pages, in which columns would share few lines of the first one. */
static int64_t leading(orr_type t, int64_t n)
{
    const int64_t line = 64 / (int64_t)entry_bytes[t], ld = (n + line - 1) / line * line;
    return ld % (8 * line) ? ld : ld + line;
}

size_t orr_heev_reduction_bytes(orr_type t, int64_t n)
{
    const size_t ld = (size_t)leading(t, n), columns = ld + 3 * PANEL + STREAMS;
    return columns * ld * entry_bytes[t] + up(sizeof(struct orr_heev_team)) + 64;
}

void orr_heev_reduction_set(orr_heev_reduction *g, void *memory)
{
    g->ld = leading(g->type, g->n);
    const size_t column = (size_t)g->ld * entry_bytes[g->type];
    char *at = (char *)up((size_t)(uintptr_t)memory);
    g->team = (struct orr_heev_team *)(void *)at;
    memset(at, 0, sizeof *g->team);
    at += up(sizeof *g->team);
    g->b = at;
    g->x = at + (size_t)g->ld * column;
}

/* For one scalar type: see heev_reduce_columns.inc.c. */
#define COLUMNS(T, t)                                                                              \
    typedef struct {                                                                               \
        void (*multiply)(int64_t ld, int64_t from, int64_t to, const T *A, const T *v, T *y);      \
        void (*inner)(int64_t ld, int64_t from, int64_t i, const T *V, const T *W, const T *v,     \
                      T *p, T *q);                                                                 \
        T(*subtract)                                                                               \
        (int64_t ld, int64_t from, int64_t i, const T *V, const T *W, T (*p)[PANEL], const T *y,   \
         T *w, T *next, const T *v);                                                               \
        void (*finish)(int64_t ld, int64_t from, T tau, T factor, const T *v, T *w, T *next);      \
    } columns_##t
COLUMNS(float, s);
COLUMNS(double, d);
COLUMNS(float _Complex, c);
COLUMNS(double _Complex, z);

#define BODY "heev_reduce_columns.inc.c"
#include "each_isa.inc.c"

#ifdef LANES_X86
#define LEVELS(t)                                                                                  \
    {                                                                                              \
        [0] = &columns_v0_##t, [3] = &columns_v3_##t, [4] = LANES_V4(&columns_v4_##t)              \
    }
#else
#define LEVELS(t)                                                                                  \
    {                                                                                              \
        [0] = &columns_v0_##t                                                                      \
    }
#endif
static const columns_s *const by_level_s[5] = LEVELS(s);
static const columns_d *const by_level_d[5] = LEVELS(d);
static const columns_c *const by_level_c[5] = LEVELS(c);
static const columns_z *const by_level_z[5] = LEVELS(z);

#define BODY "heev_reduce.inc.c"
#include "each_type.inc.c"

#define TABLE(name)                                                                                \
    orr_heev_reduce_fn *const orr_heev_##name##_cpu[ORR_NTYPES] = {                                \
        orr_heev_##name##_cpu_s, orr_heev_##name##_cpu_d, orr_heev_##name##_cpu_c,                 \
        orr_heev_##name##_cpu_z}
TABLE(reduce);
TABLE(rest);
