/* The tasks of heev besides those of he2hb and hb2st: what src/heev.c may submit.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_HEEV_H
#define ORR_CODELETS_HEEV_H

#include "codelets/hb2st.h"
#include "codelets/request.h"

/* The tridiagonal matrix, in main memory: n diagonal and n-1 off-diagonal entries of the real
 * type. T stands for both. */
struct orr_tridiagonal {
    orr_type type; /* of the dense matrix */
    int64_t n;
    double scale;  /* the values are those of the user's matrix times this */
    void *d, *e;
    starpu_data_handle_t T;
    starpu_data_handle_t S; /* its eigenvectors, n x n of the real type; NULL: not wanted */
    int *failed;          /* set to 1 if the solver gives up */
    double *begun, *ended; /* set to orr_now() */
};

/* d := its eigenvalues, ascending, divided by scale. On a CPU. Buffers: T RW. */
void orr_insert_heev_values(struct orr_request *, int prio, const struct orr_tridiagonal *);
/* Its eigenvectors, too. On a CPU. Buffers: T RW, S W. */
void orr_insert_heev_vectors(struct orr_request *, int prio, const struct orr_tridiagonal *);
/* E := columns first .. first+k-1 of S. On a CPU. Buffers: E RW (gaps between columns), S R. */
void orr_insert_heev_place(struct orr_request *, int prio, const struct orr_tridiagonal *,
                           int64_t first, const struct orr_hb2st_panel *);

#endif
