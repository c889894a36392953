/* The values of what the band commands compute: eigenvalues of a tridiagonal matrix, singular
 * values of a bidiagonal one, by LAPACK's sterf and bdsqr in double precision.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_BAND_VALUES_H
#define ORR_CLI_BAND_VALUES_H

#include "src/cli/core/answer.h"

/* Of d[n] and e[n-1], of type `real`: eigenvalues, ascending, or, if singular, singular values,
 * descending. values->v is the caller's to free. CLI_OK, CLI_NOCONV or CLI_MEMORY, the reason
 * told. */
int band_values(int singular, orr_type real, int64_t n, const void *d, const void *e,
                answer_values *values);

#endif
