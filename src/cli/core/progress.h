/* Progress on stderr: a line that rewrites itself on a terminal once a run has taken two
 * seconds; elsewhere nothing, or with -v a plain line every five seconds.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_PROGRESS_H
#define ORR_CLI_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

#include <stddef.h>

/* What remains, from call to call. */
typedef struct {
    int known;
    double left, shown, at; /* seconds; `at`: spent when it was asked for last */
} cli_estimate;

/* Seconds that are left when `spent` have brought done of total: smoothed, and what is shown only
 * grows if it was wrong by a quarter. -1: total is 0, or it is too early to say. */
double cli_progress_left(cli_estimate *, int64_t done, int64_t total, double spent);
/* "heev: dense to band, 25 %, 3 min left"; without a total, or too early (left < 0), the seconds
 * spent. stage may be "". */
void cli_progress_render(char *line, size_t room, const char *label, const char *stage,
                         int64_t done, int64_t total, double spent, double left);

typedef struct {
    char label[64];
    double start, last, measured, left;
    cli_estimate estimate;
    double seen[16]; /* when a task of each stage was done last, in seconds spent */
    int terminal, plain, shown;
    int open; /* set it to 1 if the end is a convergence, not the total */
    atomic_flag busy;
} cli_progress;

int cli_progress_shown(int verbose, int quiet); /* 1: on a terminal, or as plain lines */
void cli_progress_start(cli_progress *, const char *label, int verbose, int quiet);
/* Of the shape of the library's callbacks; from any thread. total <= 0: not known. */
void cli_progress_update(int64_t done, int64_t total, void *progress);
void cli_progress_end(cli_progress *);
int cli_colour(int fd); /* 1: colours are welcome there */

#endif
