/* heevj by two-sided Jacobi with one matrix per SIMD lane; see heevj_jacobi.inc.c for
 * the method. The body is compiled for each scalar type and each instruction set.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heevj.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"

/* What all the instantiations share: the chunk is cut into groups of `lanes` matrices. */
typedef orr_status group_fn(const orr_heevj_args *, void *a, void *w, orr_matrix_info *info);

#include "kernels/as_s.h"
#include "heevj_common.inc.c"
#include "kernels/as_d.h"
#include "heevj_common.inc.c"
#include "kernels/as_c.h"
#include "heevj_common.inc.c"
#include "kernels/as_z.h"
#include "heevj_common.inc.c"

#ifdef LANES_X86
#define ISA v4
#define LANE_BYTES 64
LANES_TARGET_V4
#include "kernels/as_s.h"
#include "heevj_jacobi.inc.c"
#include "kernels/as_d.h"
#include "heevj_jacobi.inc.c"
#include "kernels/as_c.h"
#include "heevj_jacobi.inc.c"
#include "kernels/as_z.h"
#include "heevj_jacobi.inc.c"
LANES_TARGET_END
#undef ISA
#undef LANE_BYTES

#define ISA v3
#define LANE_BYTES 32
LANES_TARGET_V3
#include "kernels/as_s.h"
#include "heevj_jacobi.inc.c"
#include "kernels/as_d.h"
#include "heevj_jacobi.inc.c"
#include "kernels/as_c.h"
#include "heevj_jacobi.inc.c"
#include "kernels/as_z.h"
#include "heevj_jacobi.inc.c"
LANES_TARGET_END
#undef ISA
#undef LANE_BYTES
#endif

#define ISA v0
#define LANE_BYTES 16
#include "kernels/as_s.h"
#include "heevj_jacobi.inc.c"
#include "kernels/as_d.h"
#include "heevj_jacobi.inc.c"
#include "kernels/as_c.h"
#include "heevj_jacobi.inc.c"
#include "kernels/as_z.h"
#include "heevj_jacobi.inc.c"
#undef ISA
#undef LANE_BYTES

/* By lanes_level(), then by type. */
static group_fn *const solve[5][ORR_NTYPES] = {
    [0] = {solve_v0_s, solve_v0_d, solve_v0_c, solve_v0_z},
#ifdef LANES_X86
    [3] = {solve_v3_s, solve_v3_d, solve_v3_c, solve_v3_z},
    [4] = {solve_v4_s, solve_v4_d, solve_v4_c, solve_v4_z},
#endif
};

static orr_status orr_heevj_jacobi_cpu_s(const orr_heevj_args *g, void *a, void *w,
                                         orr_matrix_info *info)
{
    return solve[lanes_level()][ORR_S](g, a, w, info);
}

static orr_status orr_heevj_jacobi_cpu_d(const orr_heevj_args *g, void *a, void *w,
                                         orr_matrix_info *info)
{
    return solve[lanes_level()][ORR_D](g, a, w, info);
}

static orr_status orr_heevj_jacobi_cpu_c(const orr_heevj_args *g, void *a, void *w,
                                         orr_matrix_info *info)
{
    return solve[lanes_level()][ORR_C](g, a, w, info);
}

static orr_status orr_heevj_jacobi_cpu_z(const orr_heevj_args *g, void *a, void *w,
                                         orr_matrix_info *info)
{
    return solve[lanes_level()][ORR_Z](g, a, w, info);
}

orr_heevj_fn *const orr_heevj_jacobi_cpu[ORR_NTYPES] = {
    orr_heevj_jacobi_cpu_s,
    orr_heevj_jacobi_cpu_d,
    orr_heevj_jacobi_cpu_c,
    orr_heevj_jacobi_cpu_z,
};
