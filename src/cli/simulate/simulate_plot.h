/* Speedup against devices or cores as a picture. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_SIMULATE_PLOT_H
#define ORR_CLI_SIMULATE_PLOT_H

#include <stdint.h>

#include "src/cli/core/text.h"

struct point {
    const char *sched;
    int cpus, gpus;
    double makespan; /* seconds */
    uint64_t seed;
};

/* SVG: a line per policy and number of CPUs over the number of GPUs; if that never changes, a
 * line per policy over the number of CPUs. Speedups are against the first point; dashed: what as
 * many times more workers could give. */
void simulate_plot(cli_text *, const struct point *, int points, const char *title);

#endif
