/* The order of tasks does not change a bit of a result: first come, first served, then the policy
 * of the environment. (Vectors depend on the number of workers, by the width of their panels.)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_ORDERS_H
#define ORR_TESTS_ORDERS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "open.h"
#include "orrery/orrery.h"

/* The results of the k-th random case, `length` bytes, to be freed. */
typedef char *random_case_fn(orr_context *, int64_t k, size_t *length);

static inline void same_in_any_order(random_case_fn *random_case, int64_t runs, const char *results)
{
    char **first = malloc((size_t)runs * sizeof *first);
    size_t length;
    orr_context *ctx;
    if (!first || orr_open(&(orr_context_opts){.sched = "eager"}, &ctx) != ORR_OK)
        exit(77);
    for (int64_t k = 0; k < runs; k++)
        first[k] = random_case(ctx, k, &length);
    orr_close(ctx);
    ctx = open_context(0);
    for (int64_t k = 0; k < runs; k++) {
        char *again = random_case(ctx, k, &length);
        CHECK(!memcmp(again, first[k], length), "case %lld: %s differ", (long long)k, results);
        free(again);
        free(first[k]);
    }
    orr_close(ctx);
    free(first);
    printf("%lld random cases: %s: no bit depends on the order\n", (long long)runs, results);
}

#endif
