/* The schedule of a replay as a graph: that of the recording with other times and workers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_REPLAY_OUTPUT_H
#define ORR_CLI_REPLAY_OUTPUT_H

#include "src/cli/core/options.h"
#include "src/cli/simulate/replay_point.h"

/* CLI_OK, or CLI_USAGE with the reason told: --output is for one schedule, and no file is read and written. */
int replay_check_output(const struct replay_args *, const cli_files *inputs);
/* Writes p->place to the file; p->d becomes that graph. CLI_OK, CLI_FILE or CLI_MEMORY, the reason told. */
int replay_output(struct replay_point *p, const char *sched, const char *path);

#endif
