/* What `orrery calibrate` runs: every algorithm at a grid of sizes and types, so that each of its
 * codelets is seen at the shapes that it really meets.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_CALIBRATE_CASES_H
#define ORR_CLI_CALIBRATE_CASES_H

#include <orrery/sparse.h>

#include "src/cli/algorithms/family_alone.h"
#include "src/cli/data/gesvj_data.h"
#include "src/cli/data/stack.h"

extern const char cal_algorithms[]; /* "heevj|gesvj|..." */
extern const char cal_words[];      /* and what else the command measures */

typedef struct {
    int algo;          /* index into cal_algorithms */
    int variant;       /* of the algorithm: which codelets it reaches */
    const char *words; /* of a command line, or "" */
    orr_type type;
    int64_t n, second; /* size; bandwidth or matrices per task, by the algorithm */
    char name[64];     /* a file name: "hb2st-vectors-d-1024-32" */
} cal_case;

typedef struct {
    cal_case *v;
    int64_t n;
} cal_cases;

/* The cases of the algorithms in `algos` (none: all). grid 0: quick, 1: full, 2: between the
 * sizes of the others, for verification. n: sizes instead of the grid's, or empty. 0: no memory. */
int cal_cases_make(cal_cases *, const cli_files *algos, const cli_words *types, int grid,
                   const cli_sizes *n);
void cal_cases_free(cal_cases *);

/* A case at work: its input, made once. */
typedef struct {
    const cal_case *c;
    int device; /* 1: on accelerators where the algorithm can be told so */
    uint64_t seed;
    family_alone alone; /* of commands of one matrix */
    cli_stack stack;    /* heevj */
    svd_data svd;       /* gesvj */
    orr_sparse *sparse; /* powm, pagerank */
    void *copy, *results;
    orr_matrix_info *info;
} cal_state;

orr_status cal_prepare(cal_state *, orr_context *);
orr_status cal_run(cal_state *, orr_context *); /* positive: the tasks ran all the same */
void cal_release(cal_state *);                  /* before the context is closed */

#endif
