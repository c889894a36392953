/* The Hermitian band that `orrery hb2st` works on: from a .npy array of diagonals, from a
 * sparse .mtx matrix, or random.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_HB2ST_BAND_H
#define ORR_CLI_HB2ST_BAND_H

#include "src/cli/data/hermitian.h"

typedef struct {
    orr_type type;
    char uplo; /* how it is stored, as orr_hb2st takes it, ldab = b + 1 */
    int64_t n, b;
    void *ab;
    int64_t *order; /* NULL, or: row k of the band is row order[k] of the file's matrix */
} hb2st_band;

/* Reads FILE. The choice is of the triangle that an array holds, or that is taken of a .mtx matrix
 * with both: if none is made they have to agree but for rounding. most: refuse a band that is
 * wider, or -1. Exit code, the reason told; b->ab and b->order are the caller's to free in any
 * case. */
int hb2st_band_read(hb2st_band *b, const cli_run *, const char *path, const hermitian_choice *,
                    int64_t most);

/* n and b of a FILE of that shape, without reading it all; most: as above, what a .mtx matrix is
 * planned for. Exit code, the reason told. */
int hb2st_band_look(const orr_shape *, const char *path, int64_t most, int64_t *n, int64_t *b);

/* Uniform entries in [-1, 1). CLI_OK or CLI_MEMORY. */
int hb2st_band_random(hb2st_band *b, orr_type, int64_t n, int64_t width, uint64_t seed);

void hb2st_band_free(hb2st_band *);

/* Bytes of what orr_hb2st allocates for it, and of Q if wanted. */
double hb2st_band_bytes(const hb2st_band *, int vectors);

#endif
