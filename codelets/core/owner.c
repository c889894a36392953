/* See owner.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/owner.h"

#include <starpu.h>

struct orr_owners orr_owners_look(void)
{
    struct orr_owners o = {0};
    for (unsigned w = 0; w < starpu_worker_get_count() && o.count < ORR_MOST_OWNERS; w++) {
        const int node = (int)starpu_worker_get_memory_node(w);
        int known = starpu_worker_get_type((int)w) == STARPU_CPU_WORKER;
        for (int k = 0; k < o.count; k++)
            known |= o.node[k] == node;
        if (!known)
            o.node[o.count++] = node;
    }
    return o;
}
