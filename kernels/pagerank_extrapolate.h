/* pagerank_extrapolate: quadratic extrapolation of PageRank iterates.
 *
 * Of four iterates x_0 .. x_3 (vectors hold z = x / |d|, see powm_spmv.h) let y_i = x_i - x_0. If
 * x_0 were a sum of three eigenvectors, y_3 + g_2 y_2 + g_1 y_1 = 0 would hold with the
 * coefficients of their characteristic polynomial. g is found by least squares from
 *
 *   dots    y_1'y_1, y_1'y_2, y_2'y_2, y_1'y_3, y_2'y_3 of a block of rows
 *   mix     z_3 := b_0 z_1 + b_1 z_2 + b_2 z_3
 *
 * and b_0 = g_1 + g_2 + 1, b_1 = g_2 + 1, b_2 = 1, divided such that the sum of x is kept.
 *
 * Source: Kamvar, Haveliwala, Manning, Golub, WWW 2003, algorithms 4 and 5.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_PAGERANK_EXTRAPOLATE_H
#define ORR_KERNELS_PAGERANK_EXTRAPOLATE_H

#include "kernels/powm_scalars.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { ORR_PAGERANK_DOTS = 5 };

/* z: four vectors of n rows, the oldest first; d as in powm_spmv.h. */
typedef void orr_pagerank_dots_fn(int64_t n, const void *const z[4], const void *d,
                                  double dots[ORR_PAGERANK_DOTS]);
extern orr_pagerank_dots_fn *const orr_pagerank_dots_cpu[ORR_NTYPES]; /* NULL for c and z */

typedef struct {
    double b[3];          /* of z_1, z_2, z_3 */
    double mark;          /* the change when it was last done; 0: never */
    int32_t plain, harms; /* 1: not done last time; how often it did harm */
} orr_pagerank_mixing;

typedef void orr_pagerank_mix_fn(int64_t n, const orr_pagerank_mixing *, const void *z1,
                                 const void *z2, void *z3);
extern orr_pagerank_mix_fn *const orr_pagerank_mix_cpu[ORR_NTYPES];

/* The coefficients from the sums over all blocks, added in their order, and mass and dangling
 * sum of what mix will make of s[2] (the scalars of z_1, z_2, z_3). `period` plain steps shrink
 * the change by alpha^period at least: where those since the last extrapolation did not, it did
 * harm, and plain steps (b = 0, 0, 1) follow until they have; for good after eight times. Plain
 * steps, too, if the sums say nothing. */
void orr_pagerank_mixing_find(const double (*const *dots)[ORR_PAGERANK_DOTS], int64_t blocks,
                              double alpha, int period, const orr_powm_scalars *const s[2],
                              orr_powm_scalars *last, orr_pagerank_mixing *);

#ifdef __cplusplus
}
#endif
#endif
