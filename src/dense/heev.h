/* What hegv needs of heev.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_HEEV_H
#define ORR_SRC_HEEV_H

#include "src/core/internal.h"

/* What orr_heev would refuse of these arguments; NULL: nothing. plans: what is too large is not. */
const char *orr_heev_wrong(orr_type, char uplo, int64_t n, const void *a, int64_t lda,
                           const void *w, const void *z, int64_t ldz, const orr_heev_opts *,
                           int plans);

/* orr_heev as a part of a call that was entered then: what cancels that cancels it. */
orr_status orr_heev_entered(orr_context *, unsigned entered, orr_type, char uplo, int64_t n,
                            void *a, int64_t lda, void *w, void *z, int64_t ldz,
                            const orr_heev_opts *, orr_report *);

#endif
