/* A study on disk: DIR/plan.lock, what must not change; DIR/results.jsonl, a line for each run that has ended, in one
 * write each; DIR/runs, what the run under way writes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_STUDY_STORE_H
#define ORR_CLI_STUDY_STORE_H

#include "src/cli/study/identity.h"
#include "src/cli/study/plan.h"

enum { STORE_ID = 17 };

typedef struct {
    char dir[2048];     /* whole */
    int begun;          /* there is a plan.lock */
    int guard, results; /* descriptors, or -1 */
    uint64_t identity;
} study_store;

typedef struct {
    int point, block, order, line;
    int ok;
    char status[48];
    double value, wall, other, rss; /* value NaN: none */
    size_t bytes;                   /* of its line */
} study_row;

typedef struct {
    study_row *v;
    int n;
    char *done;  /* [block * points + point] */
    char **text; /* [n], the lines; only where they were asked for */
} study_rows;

/* For reading. out: the directory, NULL: NAME.study. CLI_OK, CLI_FILE with the reason told (another plan), CLI_MEMORY. */
int store_look(study_store *, const study_plan *, const char *out);
/* CLI_OK, or CLI_USAGE with the reason told: the name is of one of the study's own files. */
int store_spares(const study_plan *, const char *out, const char *name);
/* For writing, too: makes it, keeps a second runner out, cuts a last line that is not whole. */
int store_open(study_store *, const study_plan *, const char *out);
void store_close(study_store *);

/* Every run has a name that follows from what it is. */
void store_id(const study_store *, const study_plan *, int point, int block, char id[STORE_ID]);
int store_append(study_store *, const cli_text *line); /* CLI_OK or CLI_FILE, told */
int store_rows(const study_store *, const study_plan *, int keep_text, study_rows *);
void store_rows_free(study_rows *);
int store_whole(const study_plan *, const study_rows *); /* blocks of which all runs are there */
int store_bad(const study_rows *);                       /* runs that were not ok */

#endif
