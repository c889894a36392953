/* How long tasks take on a core where no model knows, and how many operations they are.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_RATES_H
#define ORR_CODELETS_RATES_H

#include "orrery/types.h"

/* Of tasks of this codelet with so much work altogether, in the units of orr_cost: seconds of one
 * core, and operations of real numbers. 0: not known. */
double orr_rate_seconds(const char *codelet, orr_type, double work);
double orr_rate_operations(const char *codelet, orr_type, double work);

#endif
