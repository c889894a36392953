/* Values of a plan, read with their place, so that what is wrong with one can be told.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_STUDY_VALUES_H
#define ORR_CLI_STUDY_VALUES_H

#include <stdint.h>

#include "src/cli/study/plan.h"

struct plan_reader {
    study_plan *p;
    int code; /* of the first thing that was wrong, which was told */
};

/* All return 1, or 0 with code set. */
int value_wrong(struct plan_reader *, const tree *, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int value_no_memory(struct plan_reader *);
/* Members of the map are words of a list "a|b|c". */
int value_known(struct plan_reader *, const tree *map, const char *keys);
int value_text(struct plan_reader *, const tree *, char **);
/* "0.02", and "2%" where shares are meant. */
int value_real(struct plan_reader *, const tree *, int share, double min, double max, double *);
int value_whole(struct plan_reader *, const tree *, int64_t min, int64_t max, int64_t *);
/* A list of texts, or a text: one word, or split into words. */
int value_words(struct plan_reader *, const tree *, int one, study_words *);

/* published.c: figures from elsewhere, after factors and comparison have been read. */
int plan_published(struct plan_reader *, const tree *);

#endif
