/* A request by itself (codelets/core/request.h): the first failure is what it ends with, after which
 * nobody is told of progress; it is computed at once only if nothing is recorded.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "check.h"
#include "codelets/core/request.h"

static void count(int64_t done, int64_t total, void *times)
{
    ++*(int *)times;
    CHECK(done == 1 && total == 3, "%lld of %lld", (long long)done, (long long)total);
}

static void failures_of(void)
{
    int told = 0;
    struct orr_request r = {.progress = count, .progress_arg = &told, .parts_total = 3};
    orr_request_begin(&r);
    orr_request_did(&r, 1);
    CHECK(!orr_request_failed(&r) && told == 1, "told %d times", told);
    orr_request_fail(&r, ORR_E_NOMEM, "first");
    orr_request_fail(&r, ORR_E_DEVICE, "second");
    orr_request_did(&r, 1);
    CHECK(orr_request_failed(&r) && told == 1, "told %d times", told);
    const orr_status st = orr_request_end(&r);
    CHECK(st == ORR_E_NOMEM && !strcmp(r.culprit, "first"), "status %d, %s", st, r.culprit);
}

static void here(void)
{
    struct orr_trace trace;
    struct orr_samples samples;
    struct orr_request at_once = {0}, traced = {.trace = &trace}, timed = {.samples = &samples};
    orr_request_here(&at_once);
    orr_request_here(&traced);
    orr_request_here(&timed);
    CHECK(at_once.here && !traced.here && !timed.here, "here: %d %d %d", at_once.here, traced.here,
          timed.here);
}

int main(void)
{
    failures_of();
    here();
    return checked();
}
