/* --range: which eigenvalues.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_SELECTION_H
#define ORR_CLI_SELECTION_H

#include "src/cli/core/answer.h"

typedef struct {
    const char *text; /* of --range; NULL: all */
    int64_t il, iu;   /* IL:IU, from 1; 0: not so */
    int interval;     /* 1: VL..VU */
    double vl, vu;
} selection;

extern const cli_option selection_options[];
/* Fills the rest from the text. NULL, or what is wrong with it. */
const char *selection_parse(selection *);
/* How many of a problem of order n are found, all of them if by an interval, and before which. */
int64_t selection_count(const selection *, int64_t n);
int64_t selection_before(const selection *);
/* CLI_USAGE, told, if there are fewer than asked for; what: "matrix has". */
int selection_fits(const selection *, int64_t n, const char *what);
/* Prints and writes `count` values of type `real` that were found, the first of them number `first`, from 0, and puts them
 * into the results of a record. Exit code, the reason told. */
int selection_deliver(const selection *, const cli_job *, orr_type real, int64_t first,
                      int64_t count, const void *w, const char *path, cli_text *results);

#endif
