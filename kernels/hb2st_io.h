/* hb2st_io: between the user's band and the blocks of hb2st.h.
 *
 * The user's band of `width` off-diagonals is LAPACK's: column j at ab + j*ldab, with
 *
 *     lower   A(i,j), j <= i <= j+width   at  i - j
 *     upper   A(i,j), j-width <= i <= j   at  width + i - j
 *
 * The imaginary part of the diagonal is not read.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HB2ST_IO_H
#define ORR_KERNELS_HB2ST_IO_H

#include "kernels/hb2st.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const void *ab;
    int64_t ldab, width;
    int32_t upper, unused;
} orr_hb2st_user;

/* What a look at every entry says. */
typedef struct {
    int64_t row, column; /* of the first entry (by columns) that is not finite, or -1, -1 */
    int64_t b;           /* of the off-diagonal farthest out that is not all zero; 0 if none */
    double scale;        /* a power of two, with its inverse normal in the type: times this, the
                            largest entry is of order 1 (less where it was denormal) */
} orr_hb2st_screened;
typedef void orr_hb2st_screen_fn(const orr_hb2st_user *, int64_t n, orr_hb2st_screened *);
extern orr_hb2st_screen_fn *const orr_hb2st_screen_cpu[ORR_NTYPES];

/* Block m, all of it: h := scale times the user's entries, of which the off-diagonals beyond
 * shape.b are zero; zeros elsewhere. shape.b may be more than the user's width. */
typedef void orr_hb2st_load_fn(const orr_hb2st_shape *, int64_t m, const orr_hb2st_user *,
                               double scale, void *h);
extern orr_hb2st_load_fn *const orr_hb2st_load_cpu[ORR_NTYPES];

/* Block m, all of it: half m % 2 of block m/2 of the same band in blocks of twice the columns. */
typedef void orr_hb2st_halve_fn(const orr_hb2st_shape *, int64_t m, const void *wide, void *h);
extern orr_hb2st_halve_fn *const orr_hb2st_halve_cpu[ORR_NTYPES];

/* d[j] := A(j,j) / scale for the columns of block m, e[j] := A(j+1,j) / scale for those with
 * j < n-1; both of the real type. */
typedef void orr_hb2st_store_fn(const orr_hb2st_shape *, int64_t m, const void *h, double scale,
                                void *d, void *e);
extern orr_hb2st_store_fn *const orr_hb2st_store_cpu[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
