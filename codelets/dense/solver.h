/* A solver of tridiagonal or bidiagonal matrices, in one task or in many: whether it gave up, and when it
 * began and ended.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_SOLVER_H
#define ORR_CODELETS_SOLVER_H

#include <stdatomic.h>

#include "codelets/core/request.h"

struct orr_solver {
    atomic_int *failed;            /* set to 1 if it gives up */
    _Atomic double *begun, *ended; /* set to orr_now(), by the first and by the last task */
};

/* A task begins. */
void orr_solver_begin(const struct orr_solver *);
/* What came of one; who: a static string. */
void orr_solver_check(const struct orr_solver *, struct orr_request *, orr_status, const char *who);
/* The last one has ended so. */
void orr_solver_end(const struct orr_solver *, struct orr_request *, orr_status, const char *who);

#endif
