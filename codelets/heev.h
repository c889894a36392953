/* The tasks of heev besides those of he2hb and hb2st: what src/heev.c may submit.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_HEEV_H
#define ORR_CODELETS_HEEV_H

#include "codelets/request.h"

/* The tridiagonal matrix, in main memory: n diagonal and n-1 off-diagonal entries of the real
 * type. T stands for both. */
struct orr_tridiagonal {
    orr_type type; /* of the dense matrix */
    int64_t n;
    double scale;  /* the values are those of the user's matrix times this */
    void *d, *e;
    starpu_data_handle_t T;
    int *failed;          /* set to 1 if the solver gives up */
    double *begun, *ended; /* set to orr_now() */
};

/* d := its eigenvalues, ascending, divided by scale. On a CPU. Buffers: T RW. */
void orr_insert_heev_values(struct orr_request *, int prio, const struct orr_tridiagonal *);

#endif
