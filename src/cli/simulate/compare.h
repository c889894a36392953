/* Records of two files, case by case: which belong together, and what their times tell.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_COMPARE_H
#define ORR_CLI_COMPARE_H

#include "src/cli/core/options.h"
#include "src/cli/core/text.h"
#include "src/cli/simulate/interval.h"

#define COMPARE_ACROSS "sched|workers|options"

typedef struct {
    char *what;    /* "hb2st d n 4096 band 64 lws 2cpu", then options that are not in the record; or
                    * "replay graph x.graph lws 2cpu kernel spin" */
    char *command; /* whole, of its provenance */
    char *machine, *time, *status;
    double *samples; /* seconds, [runs], all above zero */
    int runs, line;
    int taken; /* it belongs to a case already */
} compare_record;

typedef struct {
    const char *path;
    compare_record *v;
    int n;
} compare_file;

typedef enum { COMPARE_FASTER, COMPARE_SAME, COMPARE_SLOWER, COMPARE_UNDECIDED } compare_verdict;
extern const char *const compare_verdict_name[];

typedef struct {
    const compare_record *a, *b; /* the first of each */
    int records[2], units[2];
    double seconds[2];      /* medians of the units */
    int of_records, paired; /* a unit is a record, not a sample */
    cli_interval ratio;     /* of B over A */
    compare_verdict verdict;
    const char *note; /* why it is undecided, or NULL */
} compare_case;

/* What an interval of a ratio tells; note: why it is undecided. */
compare_verdict compare_judge(const cli_interval *ratio, double threshold, const char **note);

/* across: of COMPARE_ACROSS, what need not agree. CLI_OK, CLI_FILE with file and line told, or
 * CLI_MEMORY. */
int compare_read(compare_file *, const char *path, const cli_words *across);
void compare_free(compare_file *);
/* The next case that both files have, from a's records on; 0: there is none. code: CLI_OK or
 * CLI_MEMORY. threshold: 0.02 is 2 %. */
int compare_next(compare_file *a, compare_file *b, double threshold, compare_case *, int *code);

#endif
