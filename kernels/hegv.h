/* hegv: the generalised Hermitian problem with B = L L' becomes an ordinary one, on square tiles of
 * the lower triangles:
 *
 *     A x = w B x                 (problem 1)  C = L^-1 A L^-H     x = L^-H y
 *     A B x = w x, B A x = w x    (2, 3)       C = L' A L          x = L^-H y, L y
 *
 * Matrices are column major with a leading dimension. Functions with a stream also run on a device.
 *
 * Source: E. Anderson et al., LAPACK Users' Guide, 3rd edition, SIAM 1999: potrf, hegst; their tiled
 * forms.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HEGV_H
#define ORR_KERNELS_HEGV_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    void *a;
    int64_t ld, rows, columns;
} orr_hegv_tile;

/* The lower triangle of b := L, b = L L'. Returns 0, or the order of the first leading minor that is
 * not positive. */
typedef int64_t orr_hegv_potrf_fn(orr_hegv_tile b);
extern orr_hegv_potrf_fn *const orr_hegv_potrf_cpu[ORR_NTYPES];

/* a, Hermitian, := L^-1 a L^-H (problem 1) or L' a L (2, 3), the lower triangle; with 2 and 3 l may not
 * be read meanwhile. */
typedef void orr_hegv_gst_fn(int problem, orr_hegv_tile a, orr_hegv_tile l);
extern orr_hegv_gst_fn *const orr_hegv_gst_cpu[ORR_NTYPES];

/* c := op(L) c with side 'L', c op(L) with 'R'; op(L) is L ('N') or L' ('C'), or its inverse. */
typedef struct {
    char side, trans;
    int inverse;
} orr_hegv_factor;
typedef orr_status orr_hegv_triangle_fn(orr_stream, const orr_hegv_factor *, orr_hegv_tile l,
                                        orr_hegv_tile c);
extern orr_hegv_triangle_fn *const orr_hegv_triangle_cpu[ORR_NTYPES];
extern orr_hegv_triangle_fn *const orr_hegv_triangle_cuda[ORR_NTYPES];

/* c := c + alpha op(a) op(b), the operations 'N' or 'C'. */
typedef orr_status orr_hegv_multiply_fn(orr_stream, char ta, char tb, double alpha, orr_hegv_tile a,
                                        orr_hegv_tile b, orr_hegv_tile c);
extern orr_hegv_multiply_fn *const orr_hegv_multiply_cpu[ORR_NTYPES];
extern orr_hegv_multiply_fn *const orr_hegv_multiply_cuda[ORR_NTYPES];

/* c := c + alpha h b with side 'L', c + alpha b h with 'R'; of h, Hermitian, the lower triangle. */
typedef orr_status orr_hegv_hermitian_fn(orr_stream, char side, double alpha, orr_hegv_tile h,
                                         orr_hegv_tile b, orr_hegv_tile c);
extern orr_hegv_hermitian_fn *const orr_hegv_hermitian_cpu[ORR_NTYPES];
extern orr_hegv_hermitian_fn *const orr_hegv_hermitian_cuda[ORR_NTYPES];

/* c := c + alpha (ai bj' + bi aj') with trans 'N', c + alpha (ai' bj + bi' aj) with 'C'; diagonal:
 * ai = aj, bi = bj, and of c the lower triangle. */
typedef orr_status orr_hegv_update_fn(orr_stream, char trans, double alpha, int diagonal,
                                      orr_hegv_tile ai, orr_hegv_tile bi, orr_hegv_tile aj,
                                      orr_hegv_tile bj, orr_hegv_tile c);
extern orr_hegv_update_fn *const orr_hegv_update_cpu[ORR_NTYPES];
extern orr_hegv_update_fn *const orr_hegv_update_cuda[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
