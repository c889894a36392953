/* Where the bands of orrery hb2st and hbev come from: functions of their families (family.h), whose state begins
 * with an hb2st_band and whose arguments with these.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_HERMITIAN_BAND_H
#define ORR_CLI_HERMITIAN_BAND_H

#include "src/cli/algorithms/family.h"
#include "src/cli/data/hb2st_band.h"

struct hermitian_band_args {
    cli_run run;
    hermitian_choice hermitian;
    cli_sizes n, band;
};

/* Of what --help says of FILE. */
#define HERMITIAN_BAND_FILE                                                                        \
    "FILE is an array of shape (b+1, n), .npy, .npz or text (.txt, .csv), as\n"                    \
    "scipy.linalg.eig_banded takes it: A[i,j] in row i-j, column j (lower), or with --uplo U in\n" \
    "row b+i-j. Or it is a sparse symmetric or Hermitian .mtx matrix, whose rows are put into\n"

/* The band of a benchmark that --band does not tell is what fits. */
void hermitian_band_options(family_case *);
int hermitian_band_fits(const family_case *);
int hermitian_band_read(family_case *);
int hermitian_band_look(family_case *, const orr_shape *);
int hermitian_band_random(family_case *, uint64_t seed);
/* 6 n^2 b, with vectors `cubes` n^3 more; four times that if complex. */
double hermitian_band_operations(const family_case *, double cubes);

#endif
