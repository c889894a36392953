/* The tasks of hegv besides those of heev: tiles of A, B = L L' and X, each a StarPU matrix. What
 * they do is said in kernels/hegv.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_HEGV_H
#define ORR_CODELETS_HEGV_H

#include <stdatomic.h>

#include "codelets/core/request.h"

/* One task: the type of its tiles, where it may run, the parts that it counts as done. */
struct orr_hegv_task {
    orr_type type;
    enum orr_where where;
    int prio;
    int64_t parts;
};

/* B := L. Where it fails the request does, with ORR_E_DEFINITE, and *minor becomes before + the
 * order of the leading minor that is not positive. On a CPU. Buffers: B RW. */
void orr_insert_hegv_potrf(struct orr_request *, const struct orr_hegv_task *, int64_t before,
                           _Atomic int64_t *minor, starpu_data_handle_t B);
/* A := L^-1 A L^-H or L' A L. On a CPU. Buffers: A RW, L R (problem 1), RW. */
void orr_insert_hegv_gst(struct orr_request *, const struct orr_hegv_task *, int problem,
                         starpu_data_handle_t A, starpu_data_handle_t L);
/* C := op(L) C or C op(L), or with the inverse. Buffers: L R, C RW. */
void orr_insert_hegv_triangle(struct orr_request *, const struct orr_hegv_task *, char side,
                              char trans, int inverse, starpu_data_handle_t L,
                              starpu_data_handle_t C);
/* C := C + alpha op(A) op(B). Buffers: A R, B R (if another), C RW. */
void orr_insert_hegv_multiply(struct orr_request *, const struct orr_hegv_task *, char ta, char tb,
                              double alpha, starpu_data_handle_t A, starpu_data_handle_t B,
                              starpu_data_handle_t C);
/* C := C + alpha H B or C + alpha B H. Buffers: H R, B R, C RW. */
void orr_insert_hegv_hermitian(struct orr_request *, const struct orr_hegv_task *, char side,
                               double alpha, starpu_data_handle_t H, starpu_data_handle_t B,
                               starpu_data_handle_t C);
/* C := C + alpha (Ai Bj' + Bi Aj') or C + alpha (Ai' Bj + Bi' Aj). Buffers: Ai R, Bi R, Aj R, Bj R
 * (unless they are the same, which is the diagonal), C RW. */
void orr_insert_hegv_update(struct orr_request *, const struct orr_hegv_task *, char trans,
                            double alpha, starpu_data_handle_t Ai, starpu_data_handle_t Bi,
                            starpu_data_handle_t Aj, starpu_data_handle_t Bj,
                            starpu_data_handle_t C);

#endif
