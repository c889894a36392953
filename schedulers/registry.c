/* The policies that come with Orrery: one line each. SPDX-License-Identifier: BSD-3-Clause */
#include "schedulers/schedulers.h"

#include <string.h>

#define POLICIES(ROW)          \
    ROW(orr_sched_wavefront)   \
    ROW(orr_sched_affine)      \
    ROW(orr_sched_lookahead)   \
    ROW(orr_sched_pipeline)    \
    ROW(orr_sched_chaos)

#define DECLARE(policy) extern struct starpu_sched_policy policy;
#define ADDRESS(policy) &policy,
POLICIES(DECLARE)
struct starpu_sched_policy *const orr_sched_policies[] = {POLICIES(ADDRESS) NULL};

static struct starpu_sched_policy *search(struct starpu_sched_policy *const *list, const char *name)
{
    for (; *list; list++)
        if (strcmp((*list)->policy_name, name) == 0)
            return *list;
    return NULL;
}

struct starpu_sched_policy *orr_sched_find(const char *name)
{
    struct starpu_sched_policy *p = search(orr_sched_policies, name);
    return p ? p : search(starpu_sched_get_predefined_policies(), name);
}
