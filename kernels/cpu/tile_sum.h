/* P = sum of op(A) V over some tiles A, of which V has few columns, w: the width of a band. The products
 * of the first stages of heev and gesvd.
 *
 * A BLAS copies A into the order in which its inner loop reads it, which here takes up to a quarter of the time,
 * as every entry is used for w operations only. Here a row of P, w numbers, is kept in vectors, and entries
 * of A are read once, where they are: each times a row of V. So V and P are copied instead, transposed,
 * which is little.
 *
 * The order of a sum depends on the tiles and on w only.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_TILE_SUM_H
#define ORR_CPU_TILE_SUM_H

#include "kernels/kernel.h"

enum orr_tile_form {
    ORR_TILE,           /* rows x terms */
    ORR_TILE_ADJOINT,   /* the conjugate transpose of a tile, terms x rows */
    ORR_TILE_HERMITIAN, /* rows x rows, of which there is the lower triangle */
};

typedef struct {
    int64_t rows, w; /* of P */
    int64_t width;   /* w, and zeros up to whole vectors */
    int64_t most;    /* the most terms of a tile */
    int64_t block;   /* of terms: as many rows of V as stay in the first cache */
    int adjoint;     /* P is handed over as its conjugate transpose, w x rows */
    void *p, *v, *square;
} orr_tile_sum;

/* Whether this processor has them: with AVX-512; without, BLAS was measured to be as fast. */
int orr_tile_sum_pays(void);

/* begin: P, rows x w, or NULL for zeros; 0 if there is no memory. end: P to where it belongs. adjoint: p is
 * the conjugate transpose of P, w x rows, here and there. */
#define ORR_TILE_SUM(t, T)                                                                         \
    int orr_tile_sum_begin_##t(orr_tile_sum *, int64_t rows, int64_t w, int64_t most, int adjoint, \
                               const T *p, int64_t ldp);                                           \
    void orr_tile_sum_add_##t(const orr_tile_sum *, enum orr_tile_form, int64_t terms, const T *a, \
                              int64_t lda, const T *v, int64_t ldv);                               \
    void orr_tile_sum_end_##t(orr_tile_sum *, T *p, int64_t ldp)
ORR_TILE_SUM(s, float);
ORR_TILE_SUM(d, double);
ORR_TILE_SUM(c, float _Complex);
ORR_TILE_SUM(z, double _Complex);
#undef ORR_TILE_SUM

#endif
