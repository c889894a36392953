/* A plan of a study: commands that differ in the values of factors, how often each is run, what is measured and
 * compared. docs/studies.md describes the file.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_STUDY_PLAN_H
#define ORR_CLI_STUDY_PLAN_H

#include <stdint.h>

#include "src/cli/study/tree.h"

enum { STUDY_FACTORS = 12, STUDY_RUNS = 1000000, STUDY_BLOCKS = 10000, STUDY_LOOKS = 16 };

typedef struct {
    char **v;
    int n;
    int line, column; /* in the plan; 0: none */
} study_words;

typedef struct {
    char *name;
    study_words label; /* of its values, in the order of the plan */
    study_words value; /* what stands for them in commands */
    int split;         /* values are words for a command each, not one word */
    int line, column;
} study_factor;

/* A figure from elsewhere: of the measure at a point, or of its ratio to the baseline in the same case. */
typedef struct {
    int at[STUDY_FACTORS];
    double value, within; /* within: the share of it that does not matter */
    int ratio;
    char *source;
} study_published;

typedef struct {
    const char *path;
    char *name, *question; /* question may be NULL */
    uint64_t seed;
    int blocks;
    study_words run, prepare; /* with placeholders; prepare: may be empty */
    study_words files;        /* likewise: what runs read */
    study_words env;          /* NAME=VALUE */
    study_factor factor[STUDY_FACTORS];
    int factors;
    char *measure;         /* points_of_runner, or where in the record, "seconds.median" */
    char *pattern;         /* its first group is the measure, in what a run prints; or NULL */
    double timeout;        /* seconds */
    int compare, baseline; /* which factor, which of its values; -1: none, all pairs */
    int exact;             /* runs of a point do not differ: one block tells all */
    int look[STUDY_LOOKS],
        looks;     /* after how many blocks it may end, all of them last; 0: no such thing */
    double margin; /* a difference that does not matter: 0.02 */
    double spread; /* of a run's time, as a share; NaN: not given */
    study_published *published;
    int published_n;
} study_plan;

/* CLI_OK, CLI_FILE with file and line told, CLI_MEMORY or CLI_SKIPPED (tree_read). */
int plan_read(study_plan *, const char *path);
void plan_free(study_plan *);

int words_add(study_words *, const char *); /* 0: no memory */
void words_free(study_words *);
/* Words between blanks, with quotes as a shell has them, appended. 0: a quote that does not end, -1: no memory. */
int words_split(study_words *, const char *text);

#endif
