/* What tasks of powm on devices need besides: taken once for a matrix, not by each task.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "codelets/sparse/powm_args.h"

#ifdef ORR_WITH_CUDA
struct orr_powm_devices {
    orr_powm_memory of[STARPU_NMAXWORKERS];
};

orr_status orr_powm_devices_make(struct orr_powm_devices **d)
{
    *d = NULL;
    if (starpu_cuda_worker_get_count() == 0)
        return ORR_OK;
    *d = calloc(1, sizeof **d);
    return *d ? ORR_OK : ORR_E_NOMEM;
}

void orr_powm_devices_drop(struct orr_powm_devices *d)
{
    for (int w = 0; d && w < STARPU_NMAXWORKERS; w++)
        if (d->of[w].at)
            orr_powm_memory_end(&d->of[w]);
    free(d);
}

orr_powm_there orr_powm_here(const struct orr_powm_place *p, const void *block)
{
    return (orr_powm_there){.stream = ORR_STREAM(),
                            .head = p->head,
                            .block = block,
                            .memory = &p->devices->of[starpu_worker_get_id()]};
}
#else
orr_status orr_powm_devices_make(struct orr_powm_devices **d)
{
    *d = NULL;
    return ORR_OK;
}
void orr_powm_devices_drop(struct orr_powm_devices *d) { (void)d; }
#endif
