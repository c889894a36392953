/* The body of a kernel once per type: #define BODY "name.inc.c", then include this, which
 * forgets the name again.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "four_types.inc.c"
#undef BODY
