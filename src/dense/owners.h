/* Whose the tile columns of a first stage are. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_DENSE_OWNERS_H
#define ORR_SRC_DENSE_OWNERS_H

#include "codelets/core/owner.h"
#include "src/core/internal.h"

/* The accelerators of this place; update: the codelet whose tasks tell how fast they are. */
struct orr_owners orr_dense_owners(orr_context *, orr_place, const char *update, orr_type);

#endif
