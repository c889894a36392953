/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/simulate/replay_point.h"

void replay_make_truth(struct replay_point *p, uint64_t seed)
{
    const size_t kinds = (size_t)p->c.g.kinds;
    struct orr_graph g = p->c.g;
    p->truth.seed = seed;
    for (size_t i = 0; i < g.tasks; i++)
        for (size_t k = 0; k < kinds; k++)
            p->times[i * kinds + k] =
                p->c.g.t[i * kinds + k] *
                orr_truth_factor(&p->truth, p->d.task[i].name, i, p->c.kind[k]);
    g.t = p->times;
    p->area = orr_bound_area(&g);
    p->chain = orr_bound_path(&g);
    p->lp = orr_bound_lp(&g);
}
