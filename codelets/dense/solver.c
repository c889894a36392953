/* See solver.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/dense/solver.h"

void orr_solver_begin(const struct orr_solver *s)
{
    double never = 0;
    atomic_compare_exchange_strong(s->begun, &never, orr_now());
}

void orr_solver_check(const struct orr_solver *s, struct orr_request *req, orr_status st,
                      const char *who)
{
    if (st == ORR_NOCONV)
        atomic_store(s->failed, 1);
    if (st < 0)
        orr_request_fail(req, st, who);
}

void orr_solver_end(const struct orr_solver *s, struct orr_request *req, orr_status st,
                    const char *who)
{
    orr_solver_check(s, req, st, who);
    atomic_store(s->ended, orr_now());
}
