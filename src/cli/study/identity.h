/* What a run depends on besides its plan: the programs, the files that it reads, the machine, the environment.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_STUDY_IDENTITY_H
#define ORR_CLI_STUDY_IDENTITY_H

#include "src/cli/core/text.h"
#include "src/cli/study/plan.h"
#include "src/energy/energy.h"

enum { IDENTITY_PATH = 4096 };

/* The directory that the plan is in: that of all runs. */
void plan_directory(const study_plan *, char out[IDENTITY_PATH]);
/* The file of a program: "orrery" is this one, a name with a / is relative to the plan, others are looked for in
 * $PATH. 0: there is none that can be run. */
int program_find(const study_plan *, const char *name, char out[IDENTITY_PATH]);

uint64_t identity_hash(uint64_t seed, const void *bytes,
                       size_t n); /* FNV-1a; the first seed is 0 */

/* What must not change within a study, one member of a JSON object a line: what the plan asks for (but for the
 * number of blocks), and with `files` sums of its programs and files. CLI_OK, CLI_FILE with the reason told, or
 * CLI_MEMORY. */
int identity_lock(const study_plan *, const char *store, int files, cli_text *out);
/* The counters of this machine, to be closed whatever is returned: CLI_SKIPPED with the reason told where the plan
 * measures joules that they do not have, or CLI_MEMORY. */
int identity_energy(const study_plan *, struct orr_energy **out);
/* A JSON object without its closing bracket: machine, kernel, processor, counters of energy, versions, the variables that
 * matter. */
void identity_provenance(const study_plan *, const struct orr_energy *, cli_text *out);

#endif
