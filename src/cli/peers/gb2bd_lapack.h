/* What `orrery gb2bd` is compared with: LAPACK gbbrd, which is sequential, and singular values
 * of bidiagonal matrices by bdsqr.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GB2BD_LAPACK_H
#define ORR_CLI_GB2BD_LAPACK_H

#include "src/cli/core/lapack.h"
#include "src/cli/data/gb2bd_band.h"

/* "dgbbrd" for a gb2bd_band; for half precision, which LAPACK does not have, "sgbbrd". There is one
 * routine. */
const char *gb2bd_reference_name(const void *band, int which);
/* Seconds that gbbrd takes, values only, on a copy of the band; negative without memory. A
 * cli_peer_run. */
double gb2bd_reference(const void *band, const cli_lapack *, int which, int threads);

/* max |s - s_ref| / (k eps max s_ref), k = min(m, n): s of (d, e), real type of the band, and
 * s_ref of the band by gbbrd, both in double. NaN if bdsqr fails or without memory. */
double gb2bd_value_error(const gb2bd_band *, const void *d, const void *e);

/* |A V - U B|_F, or |A'U - V B'|_F if m < n, over max(m,n) eps |A|_F; and the larger of
 * |U'U - I|_F and |V'V - I|_F, over max(m,n) eps of their type. U is m x k, V n x k, without
 * gaps. NaN without memory. */
void gb2bd_vector_errors(const gb2bd_band *, const void *d, const void *e, const void *u,
                         const void *v, double *residual, double *orthogonality);

#endif
