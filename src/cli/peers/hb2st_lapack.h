/* What `orrery hb2st` is compared with, LAPACK sbtrd/hbtrd and sytrd_sb2st/hetrd_hb2st, and
 * its check figures.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_HB2ST_LAPACK_H
#define ORR_CLI_HB2ST_LAPACK_H

#include "src/cli/core/lapack.h"
#include "src/cli/data/hb2st_band.h"

enum { HB2ST_SBTRD, HB2ST_SB2ST, HB2ST_REFERENCES };

/* "dsbtrd", "dsytrd_sb2st", "zhetrd_hb2st" ... */
const char *hb2st_reference_name(int reference, orr_type);
/* Seconds that it takes on a copy of the band with `threads` BLAS threads; negative without
 * memory or if it fails. */
double hb2st_reference(const cli_lapack *, int reference, const hb2st_band *, int vectors,
                       int threads);

/* max |w - w_ref| / (n eps max|w_ref|), w of T and w_ref of the band by sbtrd and sterf, both
 * in double. */
double hb2st_value_error(const hb2st_band *, const void *d, const void *e);

/* The same of values number first .., from 0, which `values` stores, divided by unit, in order; it has
 * room for all. It returns 0 if it cannot. NaN without memory. */
typedef int hb2st_values(const void *of, double unit, double *w);
double hb2st_value_errors(const hb2st_band *, int64_t first, int64_t count, hb2st_values *,
                          const void *of);

/* |A Q - Q T|_F / (n eps |A|_F) and |Q'Q - I|_F / (n eps); q is n x columns, ld n. e NULL: T is
 * diagonal; else all columns are there. NaN without memory. */
void hb2st_vector_errors(const hb2st_band *, int64_t columns, const void *d, const void *e,
                         const void *q, double *residual, double *orthogonality);
/* |Q'Q - I|_F of a column major rows x columns matrix without gaps. NaN without memory. */
double hb2st_departure(orr_type, int64_t rows, int64_t columns, const void *q);

#endif
