/* Memory for reals of the five types of gb2bd, in tests of its device code.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SIMT_GB2BD_NUMBERS_H
#define ORR_SIMT_GB2BD_NUMBERS_H

#include <vector>

#include "tests/gb2bd_numbers.h"

/* Bytes in vectors of doubles: aligned for every type. */
typedef std::vector<double> bytes;
static bytes room_for(size_t count) { return bytes(count / sizeof(double) + 8); }

#endif
