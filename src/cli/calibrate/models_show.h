/* Models as lines. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_MODELS_SHOW_H
#define ORR_CLI_MODELS_SHOW_H

#include "src/cli/core/options.h"

/* A line for each model of a machine (NULL: this one); of those named every shape. Exit code. */
int models_show(const char *machine, const cli_files *names);

#endif
