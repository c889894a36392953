/* One measured run of heevj: a stack of matrices, solved R times, compared and checked.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_HEEVJ_CASE_H
#define ORR_CLI_HEEVJ_CASE_H

#include "src/cli/core/clock.h"
#include "src/cli/data/stack.h"

/* Check figures (residual, orthogonality, values, in n eps |A|) above this fail. */
static const double heevj_check_limit = 10;

typedef struct {
    const cli_run *run;
    char jobz, uplo; /* the user's triangle */
    orr_method method;
    int64_t chunk;
    int max_sweeps;
    double tol;
    orr_accuracy accuracy;
    int64_t repeat;
    int warm_up;
    const cli_words *ref;
    const cli_lapacks *lapacks; /* of ref */
    const char *what;           /* what to call the input in messages: "batch", or the file */
    const char *command;        /* for the record */
    int64_t seed;               /* -1: the matrices come from files */
} heevj_setup;

typedef struct {
    void *q, *w;                       /* as the library gives them; q == NULL with jobz 'N' */
    int own_q;                         /* q is not the stack's own array */
    orr_matrix_info *info;             /* [batch] */
    int64_t noconv, nonfinite, beyond; /* statuses of matrices */
    int64_t first_noconv, first_nonfinite, first_beyond; /* or -1 */
    int checked;                                         /* CLI_OK, or CLI_CHECK */
    cli_record record;
    cli_turns turns; /* to which the record points */
    char plan[512], extra[512], status[24];
} heevj_result;

#define HEEVJ_METHODS "auto|jacobi|block|lapack|lanes" /* in the order of orr_method */
/* The word of a method that was used: "none" if none was. */
const char *heevj_method_name(int method);

/* Bytes that heevj_case allocates besides the stack's matrices. */
double heevj_case_bytes(const cli_stack *, const heevj_setup *);

/* Order of things: a warm-up, then R times {each reference, ours} so that both see the same
 * state of the machine, then with --check one more run whose results are verified and kept.
 * The stack's matrices are overwritten only if one run is all there is. CLI_OK, CLI_CHECK,
 * CLI_NOCONV or CLI_FILE (not finite) when there are results; others when there are none. The
 * caller tells which matrices failed (result), all else is told. */
int heevj_case(orr_context *, const orr_context_info *, const heevj_setup *, cli_stack *,
               heevj_result *);
/* Fills statuses and the record from info, seconds and figures; the code with that of statuses. Part
 * of heevj_case. */
int heevj_outcome(heevj_result *, const heevj_setup *, const cli_stack *, const orr_context_info *,
                  int code);
void heevj_result_free(heevj_result *);

#endif
