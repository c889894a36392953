/* What reflectors.inc.c needs once per file.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_REFLECTORS_H
#define ORR_CPU_REFLECTORS_H

#include "lanes.h"

enum {
    AT_ONCE = 96, /* the most reflectors of a step; a multiple of every K */
    AHEAD = 192   /* rows that are copied at a time, at least */
};

/* Not unrolled, arrays of vectors would live in memory. */
#define UNROLL _Pragma("GCC unroll 16")

/* What the compiler may not take apart: a row, and an address that it would rather keep. */
#ifdef LANES_X86
#define IN_REGISTER(x) __asm__("" : "+v"(x))
#else
#define IN_REGISTER(x) __asm__("" : "+w"(x))
#endif
#define HIDE(pointer) __asm__("" : "+r"(pointer))

#endif
