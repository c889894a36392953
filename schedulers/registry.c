/* One line per policy. SPDX-License-Identifier: BSD-3-Clause */
#include "schedulers/schedulers.h"

#include <string.h>

struct starpu_sched_policy *const orr_sched_policies[] = {
    NULL,
};

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
