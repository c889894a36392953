/* --range: which eigenvalues.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_SELECTION_H
#define ORR_CLI_SELECTION_H

#include "src/cli/core/options.h"

typedef struct {
    const char *text; /* of --range; NULL: all */
    int64_t il, iu;   /* IL:IU, from 1; 0: not so */
    int interval;     /* 1: VL..VU */
    double vl, vu;
} selection;

extern const cli_option selection_options[];
/* Fills the rest from the text. NULL, or what is wrong with it. */
const char *selection_parse(selection *);
/* "eigenvalues", "eigenvalues 2 to 9", "eigenvalues in (0.5, 2]". */
void selection_name(const selection *, char *text, size_t room);

#endif
