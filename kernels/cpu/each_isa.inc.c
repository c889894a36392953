/* The body of a kernel once per type and instruction set (lanes.h): #define BODY
 * "name.inc.c", then include this, which forgets the name again. The body finds ISA (v4, v3,
 * v0) and LANE_BYTES, and calls what it defines VN(name).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifdef LANES_X86
#define ISA v4
#define LANE_BYTES 64
LANES_TARGET_V4
#include "kernels/as_s.h"
#include BODY
#include "kernels/as_d.h"
#include BODY
#include "kernels/as_c.h"
#include BODY
#include "kernels/as_z.h"
#include BODY
LANES_TARGET_END
#undef ISA
#undef LANE_BYTES

#define ISA v3
#define LANE_BYTES 32
LANES_TARGET_V3
#include "kernels/as_s.h"
#include BODY
#include "kernels/as_d.h"
#include BODY
#include "kernels/as_c.h"
#include BODY
#include "kernels/as_z.h"
#include BODY
LANES_TARGET_END
#undef ISA
#undef LANE_BYTES
#endif

#define ISA v0
#define LANE_BYTES 16
#include "kernels/as_s.h"
#include BODY
#include "kernels/as_d.h"
#include BODY
#include "kernels/as_c.h"
#include BODY
#include "kernels/as_z.h"
#include BODY
#undef ISA
#undef LANE_BYTES
#undef BODY
