/* The policies as a plugin, for StarPU programs that do not use Orrery. StarPU 1.4:
 *
 *     STARPU_SCHED_LIB=.../orrery_sched.so STARPU_SCHED=affine ./program
 *
 * StarPU 1.3 has no such variable: dlopen the file, ask it for a policy by name, and put
 * the answer into starpu_conf.sched_policy. The StarPU must be the one this was built with.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "schedulers/schedulers.h"

#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT struct starpu_sched_policy **starpu_get_sched_lib_policies(void);
EXPORT struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name);

struct starpu_sched_policy **starpu_get_sched_lib_policies(void)
{
    return (struct starpu_sched_policy **)orr_sched_policies;
}

struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name)
{
    for (struct starpu_sched_policy *const *p = orr_sched_policies; *p; p++)
        if (strcmp((*p)->policy_name, name) == 0)
            return *p;
    return NULL;
}
