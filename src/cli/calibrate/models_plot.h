/* Time against size as a picture. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_MODELS_PLOT_H
#define ORR_CLI_MODELS_PLOT_H

#include <orrery/models.h>

#include "src/cli/core/text.h"

/* SVG, both axes logarithmic: a mark and its standard deviation per shape, the curve of each
 * part, dashed where StarPU does not use it. */
void models_plot(cli_text *, const orr_model *, const char *machine);

#endif
