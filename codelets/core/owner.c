/* See owner.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/owner.h"

#include <math.h>
#include <starpu.h>

/* Devices that are as fast as each other do not measure the same. */
static const double ALIKE = 1.25;

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
    orr_owners_deal(&o);
    return o;
}

void orr_owners_deal(struct orr_owners *o)
{
    o->period = 2 * o->count;
    for (int j = 0; j < o->period; j++)
        o->column[j] = (signed char)(j < o->count ? j : o->period - 1 - j);
}

void orr_owners_limit(struct orr_owners *o, int64_t most)
{
    if (!orr_owners_alike(o) || o->count <= most)
        return;
    o->count = (int)most;
    orr_owners_deal(o);
}

/* Of the 16 places of orr_owner_rank, by rates: the largest remainders are rounded up. */
static void share_places(const struct orr_owners *o, const double *us, int *places)
{
    double rates = 0, part[ORR_MOST_OWNERS];
    int left = ORR_MOST_OWNERS;
    for (int i = 0; i < o->count; i++)
        rates += 1 / us[i];
    for (int i = 0; i < o->count; i++) {
        part[i] = ORR_MOST_OWNERS / us[i] / rates;
        places[i] = (int)part[i];
        left -= places[i];
    }
    for (; left > 0; left--) {
        int next = 0;
        for (int i = 1; i < o->count; i++)
            if (part[i] - places[i] > part[next] - places[next])
                next = i;
        places[next]++;
    }
}

/* Places in a row are one owner's, so its terms of a sum follow each other. */
void orr_owners_share(struct orr_owners *o, const double *us)
{
    double least = INFINITY, most = 0;
    int places[ORR_MOST_OWNERS], owner[ORR_MOST_OWNERS], at = 0, count = 0;
    for (int i = 0; i < o->count; i++) {
        least = fmin(least, us[i]);
        most = fmax(most, us[i]);
        o->unit[i] = us[i];
    }
    if (o->count < 2 || least <= 0 || most <= ALIKE * least)
        return;
    share_places(o, us, places);
    for (int i = 0; i < o->count; i++) {
        for (int end = at + places[i]; at < end; at++)
            owner[at] = count;
        if (places[i] > 0) {
            o->unit[count] = o->unit[i];
            o->node[count++] = o->node[i];
        }
    }
    o->count = count;
    o->period = 2 * ORR_MOST_OWNERS;
    for (int j = 0; j < o->period; j++)
        o->column[j] = (signed char)owner[orr_owner_rank(j)];
}
