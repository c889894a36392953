/* See tile_sum.h; the bodies are in tile_sum.inc.c, once per type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "tile_sum.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/least.h"
#include "lanes.h"
#include "reflectors.h"

enum { FIRST_CACHE = 24 << 10, LINE = 64 }; /* bytes: of V, the rest is for A and P */

#ifdef LANES_X86_V4
int orr_tile_sum_pays(void) { return lanes_level() == 4; }

#define ISA        v4
#define LANE_BYTES 64
LANES_TARGET_V4
#define BODY "tile_sum.inc.c"
#include "each_type.inc.c"
LANES_TARGET_END
#else
int orr_tile_sum_pays(void) { return 0; }

/* Not called. */
#define NOTHING(t, T)                                                                              \
    int orr_tile_sum_begin_##t(orr_tile_sum *s, int64_t rows, int64_t w, int64_t most,             \
                               int adjoint, const T *p, int64_t ldp)                               \
    {                                                                                              \
        (void)s, (void)rows, (void)w, (void)most, (void)adjoint, (void)p, (void)ldp;               \
        return 0;                                                                                  \
    }                                                                                              \
    void orr_tile_sum_add_##t(const orr_tile_sum *s, enum orr_tile_form form, int64_t terms,       \
                              const T *a, int64_t lda, const T *v, int64_t ldv)                    \
    {                                                                                              \
        (void)s, (void)form, (void)terms, (void)a, (void)lda, (void)v, (void)ldv;                  \
    }                                                                                              \
    void orr_tile_sum_end_##t(orr_tile_sum *s, T *p, int64_t ldp) { (void)s, (void)p, (void)ldp; }
NOTHING(s, float)
NOTHING(d, double)
NOTHING(c, float _Complex)
NOTHING(z, double _Complex)
#endif
