/* An unfinished calibration on disk: DIR/MACHINE.part holds the options, and the samples of each
 * visit to a case as it is done, so that a killed run loses one visit at most.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_CALIBRATE_JOURNAL_H
#define ORR_CLI_CALIBRATE_JOURNAL_H

#include <orrery/models.h>

#include "src/cli/core/text.h"

typedef struct {
    char dir[768];   /* DIR/MACHINE.part */
    char final[700]; /* DIR/MACHINE */
    int guard;       /* of one calibration at a time: the locked directory */
} cal_journal;

/* Samples whose model names are owned by a table of their own. */
typedef struct {
    orr_sample *v;
    size_t n, room;
    char **name;
    size_t names;
} cal_samples;

/* Exit code, the reason told; refused where another process is at it (CLI_RUNTIME). options: one line; what an
 * unfinished calibration must agree with to be gone on with. force: an existing MACHINE will be replaced, an
 * unfinished one with other options forgotten. *resumed: visits that are done already. */
int journal_open(cal_journal *, const char *dir, const char *machine, const char *options,
                 int force, int *resumed);
void journal_close(cal_journal *);
/* A visit is the case's name and the pass, from 1. */
int journal_has(const cal_journal *, const char *name, int pass); /* 1: it is done */
int journal_put(const cal_journal *, const char *name, int pass, const orr_sample *, size_t n);
int journal_get(const cal_journal *, const char *name, int pass, cal_samples *); /* appends */
int journal_all(const cal_journal *, cal_samples *);                             /* of all visits */
/* The directory `from` becomes MACHINE, and the journal goes. */
int journal_finish(const cal_journal *, const char *from);

int cal_samples_add(cal_samples *, const orr_sample *); /* 0: no memory */
void cal_samples_free(cal_samples *);

#endif
