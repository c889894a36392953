/* What `orrery gesvd` is compared with, LAPACK's drivers for one matrix, and its check figures. The
 * matrix is an svd_data of one, see gesvj_data.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GESVD_LAPACK_H
#define ORR_CLI_GESVD_LAPACK_H

#include "src/cli/data/gesvj_data.h"

/* A svd_data's routine SVD_GESVD or SVD_GESDD with its type, "dgesdd"; NULL: it is not worth comparing with. */
const char *gesvd_reference_name(const void *data, int which);
/* Seconds on a copy with `threads` BLAS threads, with vectors if data has room for both; negative
 * without memory or if it fails. A cli_peer_run. */
double gesvd_reference(const void *data, const cli_lapack *, int which, int threads);

/* max |s - s_ref| / (max(m,n) eps max s_ref), s_ref by LAPACK's gesdd in double. NaN without
 * memory. */
double gesvd_value_error(const svd_data *, int threads);
/* |A - U S V'|_F / (max(m,n) eps |A|_F), in double; NaN without memory. */
double gesvd_residual(const svd_data *, int threads);
/* The larger of |U'U - I|_F / (m eps) and |V'V - I|_F / (n eps). */
double gesvd_orthogonality(const svd_data *);

#endif
