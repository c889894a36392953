/* What the stream needs of gesvj. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_GESVJ_H
#define ORR_SRC_GESVJ_H

#include "src/internal.h"

/* orr_submit_gesvj; `tag` numbers the first matrix in the trace. *wrong, if not NULL: why
 * ORR_E_ARG, static. */
orr_status orr_gesvj_submit(orr_context *, const orr_batch *A, const orr_batch *s,
                            const orr_batch *U, const orr_batch *V, const orr_gesvj_opts *,
                            orr_matrix_info *, int64_t tag, const char **wrong, orr_request **);

#endif
