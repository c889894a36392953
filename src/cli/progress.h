/* Progress on stderr: a line that rewrites itself on a terminal once a run has taken two
 * seconds; elsewhere nothing, or with -v a plain line every five seconds.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_PROGRESS_H
#define ORR_CLI_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

typedef struct {
    char        label[64];
    double      start, last;
    int         terminal, plain, shown;
    atomic_flag busy;
} cli_progress;

void cli_progress_start(cli_progress *, const char *label, int verbose, int quiet);
/* Of the shape of the library's callbacks; from any thread. total <= 0: not known. */
void cli_progress_update(int64_t done, int64_t total, void *progress);
void cli_progress_end(cli_progress *);
int  cli_colour(int fd); /* 1: colours are welcome there */

#endif
