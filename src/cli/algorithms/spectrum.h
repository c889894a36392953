/* What the commands heev and hegv share: eigenvalues, and eigenvectors, of one problem of dense
 * Hermitian matrices.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_SPECTRUM_H
#define ORR_CLI_SPECTRUM_H

#include "src/cli/algorithms/selection.h"
#include "src/cli/algorithms/single.h"
#include "src/cli/data/hermitian.h"
#include "src/cli/data/stack.h"

enum { SPECTRUM_MAX_N = INT32_MAX / 16 }; /* of orr_heev */

typedef struct {
    cli_run run;
    const char *values, *vectors;
    selection part;
    int kind;    /* of heev; -1: not given */
    int problem; /* of hegv, less 1 */
    hermitian_choice hermitian;
    single_shape shape;
    cli_sizes n;
    cli_words type, ref;
} spectrum_args;

extern const spectrum_args spectrum_defaults;
/* --values and --vectors, of spectrum_args as a whole. */
extern const cli_option spectrum_outputs[];

/* The stack holds the matrices; the library, column major, is told their other triangles. */
typedef struct {
    cli_stack s;
    char *work;           /* what a run destroys: the stack's own matrices, or a copy */
    void *w, *x;          /* x NULL: no vectors */
    int64_t first, count; /* of the values that are wanted, or were found, from 0 */
    int64_t found[2];     /* numbers of the first and the last, from 1 */
} spectrum;

/* The parts of a family whose state begins with a spectrum. */
const char *spectrum_wrong(cli_job *);
void spectrum_options(family_case *);
void spectrum_prepare(family_case *);
int spectrum_deliver(const family_case *, cli_text *results);
void spectrum_drop(family_case *);

int64_t spectrum_wanted(const family_case *);
double spectrum_columns(const family_case *); /* of vectors */
int spectrum_random(family_case *, int kind, int64_t matrices, uint64_t seed);
int spectrum_fits(const family_case *);
int spectrum_make(family_case *, int copies); /* results, and a copy if `copies` */
char spectrum_uplo(const family_case *);
orr_heev_opts spectrum_opts(family_case *, cli_progress *);
void spectrum_found(family_case *); /* after the call */

/* Of the table of a family. */
#define SPECTRUM_FAMILY                                                                            \
    .args_size = sizeof(spectrum_args), .defaults = &spectrum_defaults,                            \
    .axis = {{"n", offsetof(family_case, n), -1, 1}, SINGLE_AXES},                                 \
    .output = {"values", "vectors"}, .wrong = spectrum_wrong, .options = spectrum_options,         \
    .fits = spectrum_fits, .prepare = spectrum_prepare, .deliver = spectrum_deliver,               \
    .drop = spectrum_drop

#endif
