/* heevj's kernel for many matrices at once, with the instruction set that tests/kernels/heevj.c
 * chooses.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cpu/lanes.h"
extern int level;
#define lanes_level()       level
#define orr_heevj_lanes_cpu heevj_lanes_at_level
#include "kernels/cpu/heevj_lanes.c"
