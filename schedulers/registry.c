/* The policies that come with Orrery: one line each. SPDX-License-Identifier: BSD-3-Clause */
#include "schedulers/schedulers.h"

#include <string.h>

#define POLICIES(ROW)                                                                              \
    ROW(orr_sched_affine)                                                                          \
    ROW(orr_sched_lookahead)                                                                       \
    ROW(orr_sched_pipeline)                                                                        \
    ROW(orr_sched_chaos)

#define DECLARE(policy) extern struct starpu_sched_policy policy;
#define ADDRESS(policy) &policy,
POLICIES(DECLARE)
struct starpu_sched_policy *const orr_sched_policies[] = {POLICIES(ADDRESS) NULL};

/* What StarPU offers and a program like Orrery must not use. */
static const struct {
    const char *name, *why;
} refused[] = {
    {"heteroprio", "stops the process: takes priorities for buckets that the program describes"},
    {"modular-heteroprio-heft", "was seen to wait for ever with tasks for CPUs only"},
    {"graph_test", "begins only when the program waits for all tasks of StarPU"},
};

const char *orr_sched_refused(const char *name)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strcmp(refused[i].name, name) == 0)
            return refused[i].why;
    return NULL;
}

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
    if (orr_sched_refused(name))
        return NULL;
    return p ? p : search(starpu_sched_get_predefined_policies(), name);
}
