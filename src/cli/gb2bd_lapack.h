/* What `orrery gb2bd` is compared with: LAPACK gbbrd, which is sequential, and singular values
 * of bidiagonal matrices by bdsqr.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GB2BD_LAPACK_H
#define ORR_CLI_GB2BD_LAPACK_H

#include "cli.h"

/* A band in LAPACK's storage: (i,j) at ab[j*(kl+ku+1) + ku + i - j]. */
typedef struct {
    orr_type type;
    int64_t  m, n, kl, ku;
    void    *ab;
} gb2bd_band;

int64_t gb2bd_entries(const gb2bd_band *);

/* "dgbbrd"; for half precision, which LAPACK does not have, "sgbbrd" */
const char *gb2bd_reference_name(orr_type);
/* Seconds that gbbrd takes, values only, on a copy of the band; negative without memory. */
double gb2bd_reference(const gb2bd_band *);

/* max |s - s_ref| / (k eps max s_ref), k = min(m, n): s of (d, e), real type of the band, and
 * s_ref of the band by gbbrd, both in double. NaN if bdsqr fails or without memory. */
double gb2bd_value_error(const gb2bd_band *, const void *d, const void *e);

#endif
