/* Roots of secular equations; see secular.h. A root is counted from the nearer pole, so that its
 * distances to all of them are exact to a few roundings. Each step puts a pole on either side in the
 * place of the sum, as in LAPACK's laed4 and lasd4: the sums over all poles are what takes time, and
 * they are made in the lanes of vectors, where theirs wait for each other. A step that leaves the
 * bracket is a bisection; what takes too many is left to LAPACK.
 *
 * Source: R.-C. Li, Solving secular equations stably and efficiently, LAPACK Working Note 89, 1994.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "secular.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "lanes.h"
#include "lanes_turn.h" /* UNROLL */

enum { MOST_STEPS = 24 };

#include "kernels/as_s.h"
#define TYPES "secular.inc.c"
#include "each_isa.inc.c"
#include "kernels/as_d.h"
#define TYPES "secular.inc.c"
#include "each_isa.inc.c"

#ifdef LANES_X86
#define BY_LEVEL(f, t)                                                                             \
    {                                                                                              \
        [0] = f##_v0_##t, [3] = f##_v3_##t, [4] = LANES_V4(f##_v4_##t)                             \
    }
#else
#define BY_LEVEL(f, t)                                                                             \
    {                                                                                              \
        [0] = f##_v0_##t                                                                           \
    }
#endif

#define OF_TYPE(T, t)                                                                              \
    int orr_secular_##t(int64_t k, int64_t j, const T *pole, const T *z, T rho, T *delta,          \
                        T *value, T *part)                                                         \
    {                                                                                              \
        static int (*const f[5])(int64_t, int64_t, const T *, const T *, T, T *, T *, T *) =       \
            BY_LEVEL(secular, t);                                                                  \
        return f[lanes_level()](k, j, pole, z, rho, delta, value, part);                           \
    }                                                                                              \
    int orr_secular_squares_##t(int64_t k, int64_t j, const T *pole, const T *z, T rho, T *minus,  \
                                T *plus, T *value, T *part)                                        \
    {                                                                                              \
        static int (*const f[5])(int64_t, int64_t, const T *, const T *, T, T *, T *, T *, T *) =  \
            BY_LEVEL(secular_squares, t);                                                          \
        return f[lanes_level()](k, j, pole, z, rho, minus, plus, value, part);                     \
    }
OF_TYPE(float, s)
OF_TYPE(double, d)
