/* What calibration takes from a context. SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "orrery/models.h"
#include "src/core/internal.h"

orr_status orr_samples_take(orr_context *c, orr_sample **out, size_t *count)
{
    struct orr_samples *s = c ? c->samples : NULL;
    if (!s || !out || !count)
        return ORR_E_ARG;
    if (orr_forked())
        return ORR_E_NOWORKER;
    STARPU_PTHREAD_MUTEX_LOCK(&s->lock);
    const orr_status st = s->lost ? ORR_E_NOMEM : ORR_OK;
    *out = s->sample;
    *count = s->count;
    s->sample = NULL;
    s->count = s->room = s->lost = 0;
    STARPU_PTHREAD_MUTEX_UNLOCK(&s->lock);
    return st;
}
