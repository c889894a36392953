/* Preloaded: an OpenBLAS that does not know this processor unless it is told what to take.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

const char *openblas_get_corename(void);

const char *openblas_get_corename(void)
{
    return getenv("OPENBLAS_CORETYPE") ? "Haswell" : "Prescott";
}
