/* The lesser and the greater of two numbers, and whether a type is complex, for whom kernels are none of
 * their business.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_LEAST_H
#define ORR_CODELETS_LEAST_H

#include "kernels/least.h"

#endif
