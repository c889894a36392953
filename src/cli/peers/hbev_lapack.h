/* What `orrery hbev` is compared with, LAPACK's sbevd and hbevd, and its check figures.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_HBEV_LAPACK_H
#define ORR_CLI_HBEV_LAPACK_H

#include "src/cli/core/lapack.h"
#include "src/cli/data/hb2st_band.h"

enum { HBEV_REFERENCES = 1 };

/* A band, and which of its values: `count` from number `first`, from 0. */
typedef struct {
    const hb2st_band *band;
    int vectors;
    int64_t first, count;
} hbev_problem;

const char *hbev_reference_name(const void *problem, int which); /* "dsbevd"; of parts NULL */
/* Seconds that it takes on a copy of the band with `threads` BLAS threads; negative without memory or
 * if it fails. */
double hbev_reference(const void *problem, const cli_lapack *, int which, int threads);

/* max |w - w_ref| / (n eps max|w_ref|), w_ref by sbtrd and sterf in double. NaN without memory. */
double hbev_value_error(const hbev_problem *, const void *w);

#endif
