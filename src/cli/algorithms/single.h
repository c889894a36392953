/* What the commands for one large dense matrix share: options of the reduction, and a run from the
 * solver to the record, in turn with its peers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_SINGLE_H
#define ORR_CLI_SINGLE_H

#include "src/cli/core/clock.h"
#include "src/cli/core/job.h"

/* ---- Options: --jobz, --method, --band, --tile, --place -------------------------------------- */

typedef struct {
    int       jobz, method, place; /* indices into their choices; jobz -1: not given */
    cli_sizes band, tile;
} single_shape;
extern const cli_option single_options[];

/* CLI_OK, or CLI_USAGE with the reason told: tiles that are no multiples of bands, a band without
 * two stages. */
int single_check(const char *command, const single_shape *);
/* What --place and --method say. */
orr_place single_place(const single_shape *);
orr_dense_method single_method(const single_shape *);

/* The k-th word of --type, or -1 without any. */
int single_type(const cli_words *, int64_t k);

/* ---- A run ----------------------------------------------------------------------------------- */

extern const double SINGLE_LIMIT; /* of check figures */

typedef struct single {
    cli_job                *job;
    orr_context            *context;
    const orr_context_info *info;
    const char             *algo;
    double                  operations;
    int                     vectors; /* 0: values only */
    int64_t                 columns; /* of the user's matrix, which is row major */
    void                   *matrix; /* the command's own */
    /* One run on a copy of the matrix if there will be others. */
    orr_status (*compute)(struct single *, orr_report *, cli_clock *);
    /* Sizes and type. */
    void (*describe)(const struct single *, cli_record *);
    /* Check figures: values, and with vectors residual and orthogonality. */
    void (*verify)(const struct single *, int threads, cli_record *);
    /* With a FILE, else NULL: writes and prints the results, and puts them into the record. */
    int (*deliver)(const struct single *, const cli_record *, cli_text *results);
    /* Routines 0 .. peers-1 of each LAPACK on `problem`, see clock.h. */
    int           peers;
    const void   *problem;
    cli_peer_run *peer;
    const char *(*peer_name)(const void *problem, int which);
} single;

/* Solves `repeat` times, checks, writes the record. Exit code, the reason told. */
int single_solve(single *, int warm_up, int repeat);

#endif
