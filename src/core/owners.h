/* Whose the parts of a matrix are. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_OWNERS_H
#define ORR_SRC_OWNERS_H

#include "codelets/core/owner.h"
#include "src/core/internal.h"

/* The accelerators of this place; codelet: whose tasks tell how fast they are. */
struct orr_owners orr_context_owners(orr_context *, orr_place, const char *codelet, orr_type);

#endif
