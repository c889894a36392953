/* The band that `orrery gb2bd` works on: from a .npy array of diagonals, from a sparse .mtx
 * matrix, or random.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GB2BD_BAND_H
#define ORR_CLI_GB2BD_BAND_H

#include "src/cli/core/run.h"

/* A band in LAPACK's storage: (i,j) at ab[j*(kl+ku+1) + ku + i - j]. */
typedef struct {
    orr_type type;
    int64_t m, n, kl, ku;
    void *ab;
    int64_t *order; /* NULL, or: row and column k are number order[k] of the file's matrix */
} gb2bd_band;

/* Of U and V, and, real, of d and e: single precision if the band is half. */
static inline orr_type gb2bd_vector_type(orr_type t) { return t == ORR_H ? ORR_S : t; }

int64_t gb2bd_entries(const gb2bd_band *);
int64_t gb2bd_order(const gb2bd_band *); /* min(m, n) */

/* Reads FILE. Of a .npy array: kl of its rows are subdiagonals, m rows (-1: as many as columns).
 * Exit code, the reason told; ab and order are to be freed in any case. */
int gb2bd_band_read(gb2bd_band *, const cli_run *, const char *path, int64_t kl, int64_t m);

/* Uniform entries in [-1, 1). CLI_OK or CLI_MEMORY. */
int gb2bd_band_random(gb2bd_band *, orr_type, int64_t n, int64_t kl, int64_t ku, uint64_t seed);

void gb2bd_band_free(gb2bd_band *);

/* Bytes of it, of what orr_gb2bd allocates, and of matrices of vectors if wanted. */
double gb2bd_band_bytes(const gb2bd_band *, int vectors);

#endif
