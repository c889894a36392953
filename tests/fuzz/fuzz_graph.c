/* libFuzzer: bytes as a recorded graph. SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "files.h"
#include "src/sim/graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct sim_graph g;
    const int code = sim_graph_read(&g, fuzz_save("a.graph", data, n));
    for (size_t t = 0; code == 0 && t < g.tasks; t++) {
        const struct sim_task *x = &g.task[t];
        if (x->cost < g.cost || x->cost >= g.cost + g.costs ||
            x->first + x->accesses > g.accesses || x->sync > 1)
            abort();
        for (size_t i = 0; i < x->accesses; i++)
            if (g.access[x->first + i].data < 1 || g.access[x->first + i].data > g.data)
                abort();
    }
    if (code == 0)
        sim_graph_free(&g);
    return 0;
}
