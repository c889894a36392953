/* The points of a plan, every combination of values, as commands, and the order in which they are run.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_STUDY_POINTS_H
#define ORR_CLI_STUDY_POINTS_H

#include "src/cli/core/text.h"
#include "src/cli/study/plan.h"

/* What {dir}, {record}, {store}, {block} and {seed} stand for. */
typedef struct {
    const char *dir, *record, *store;
    int block;
} points_place;

int points_count(const study_plan *);
/* Which value of each factor; the last factor moves fastest. */
void points_at(const study_plan *, int point, int at[STUDY_FACTORS]);
/* The point with such values. */
int points_find(const study_plan *, const int at[STUDY_FACTORS]);
/* "n=1024 sched=lws"; without factor `but` (-1: all). */
void points_label(cli_text *, const study_plan *, int point, int but);

/* `words` of a plan with values in place of {...}, appended to out. 0: no memory. */
int points_words(const study_plan *, const study_words *words, int point, const points_place *,
                 study_words *out);
/* CLI_OK, or CLI_FILE and told: a placeholder that means nothing, a factor that is not used, what is measured
 * is not known. Chooses p->measure where it was not given. */
int points_check(study_plan *);
/* CLI_OK, or CLI_FILE and told: a program of `run` or `prepare` that does not exist. */
int points_programs(const study_plan *);

/* The points of a block in its order, [points]: every one once, shuffled by the plan's seed and the block. */
void points_order(const study_plan *, int block, int *order);

/* What the runner measures itself: "wall", "cpu_joules", "gpu_joules". */
int points_of_runner(const char *measure);

#endif
