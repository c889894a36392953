/* Memory of blocks and vectors. Reads of x are scattered: with pages of 2 MiB fewer of them miss
 * the processor's table of pages. And what tasks on devices need besides: taken once for a matrix,
 * not by each task.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* madvise */
#include <stdlib.h>
#include <sys/mman.h>

#include "codelets/sparse/powm_args.h"

void *orr_powm_large(size_t bytes)
{
    const size_t page = (size_t)2 << 20, line = 64;
    const size_t align = bytes >= 2 * page ? page : line;
    const size_t whole = (bytes + align) / align * align;
    void *p = aligned_alloc(align, whole);
#ifdef MADV_HUGEPAGE
    if (p && align == page)
        madvise(p, whole, MADV_HUGEPAGE); /* a wish: small pages do as well */
#endif
    return p;
}

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
