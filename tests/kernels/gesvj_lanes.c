/* gesvj's kernel for many small matrices, with the instruction set that tests/kernels/gesvj.c
 * chooses.
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cpu/lanes.h"
extern int level;
#define lanes_level() level
#include "kernels/cpu/gesvj_lanes.c"
