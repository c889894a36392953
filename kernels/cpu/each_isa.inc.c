/* The body of a kernel once per type and instruction set (lanes.h): #define BODY
 * "name.inc.c", then include this, which forgets the name again. The body finds ISA (v4, v3,
 * v0) and LANE_BYTES, and calls what it defines VN(name). A body for one type only: include
 * kernels/as_d.h, say, and #define TYPES instead of BODY.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef TYPES
#define TYPES "four_types.inc.c"
#endif
#ifdef LANES_X86_V4
#define ISA        v4
#define LANE_BYTES 64
LANES_TARGET_V4
#include TYPES
LANES_TARGET_END
#undef ISA
#undef LANE_BYTES
#endif

#ifdef LANES_X86
#define ISA        v3
#define LANE_BYTES 32
LANES_TARGET_V3
#include TYPES
LANES_TARGET_END
#undef ISA
#undef LANE_BYTES
#endif

#define ISA        v0
#define LANE_BYTES 16
#include TYPES
#undef ISA
#undef LANE_BYTES
#undef TYPES
#undef BODY
