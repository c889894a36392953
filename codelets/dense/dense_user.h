/* The user's dense matrix before the first task: src/dense looks at every entry, and scales what may be
 * beyond the range in which products neither overflow nor lose digits.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_DENSE_USER_H
#define ORR_CODELETS_DENSE_USER_H

#include "codelets/core/request.h"

/* The user's matrix, of which the triangle `upper` or the lower one is read, or all. */
struct orr_dense {
    void *a;
    int64_t lda;
    int upper;
    int on; /* StarPU's number of the memory that it is in; 0: main memory */
};

/* A look at every entry, in the calling thread or on the device that has it. row, column: of the first by
 * columns that is not finite, or -1; status: ORR_OK, or why there was no look. */
struct orr_dense_look {
    int64_t row, column;
    double scale;   /* of a triangle: a power of two to multiply it with, 1: none */
    double largest; /* of a whole matrix: |real or imaginary part| */
    orr_status status;
};
struct orr_dense_look orr_he2hb_screen(orr_type, int64_t n, const struct orr_dense *);
struct orr_dense_look orr_ge2gb_screen(orr_type, int64_t m, int64_t n, const struct orr_dense *);
/* For a matrix that is on a device: all of orr_insert_he2hb_load, done when it returns. */
orr_status orr_he2hb_load_there(orr_type, int64_t n, const struct orr_dense *, double scale);

#endif
