/* A case of a family without its driver: the random matrix of a command line, computed as often as it
 * is asked for.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_FAMILY_ALONE_H
#define ORR_CLI_FAMILY_ALONE_H

#include "src/cli/algorithms/family.h"

typedef struct {
    const cli_command *command;
    cli_job job;
    family_case c;
    char line[256]; /* the command line, to whose words the args point */
} family_alone;

/* words: "--n 512 --jobz V". Exit code, the reason told; to be freed in any case. */
int family_alone_make(family_alone *, const cli_command *, const char *words, uint64_t seed);
orr_status family_alone_run(family_alone *, orr_context *);
void family_alone_free(family_alone *);

#endif
