/* The scheduling policies that come with Orrery. They know only StarPU: any StarPU program
 * may use them through starpu_conf.sched_policy.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SCHEDULERS_H
#define ORR_SCHEDULERS_H

#include <starpu.h>

/* NULL-terminated. */
extern struct starpu_sched_policy *const orr_sched_policies[];

/* The policy of this name, ours or StarPU's; NULL if there is none, or if it is refused. */
struct starpu_sched_policy *orr_sched_find(const char *name);

/* Why a policy of StarPU is not used; NULL: it may be. */
const char *orr_sched_refused(const char *name);

#endif
