/* A batch divided among ranks: rank 0 has all matrices, each rank its part of them, and rank 0 all
 * results. A matrix has the same bits alone or in a batch as long as the same method is chosen for
 * it, and methods are chosen by the order and by whether there are a few or many of it: small
 * matrices are divided so many at a time that every part is many, or is all there are.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_PARTS_H
#define ORR_CLI_PARTS_H

#include "src/cli/core/clock.h"

typedef struct {
    int64_t batch; /* matrices of all ranks */
    int64_t mine;
    int *owner; /* [batch] ranks */
} cli_parts;

/* order: [batch], the shorter side of each matrix. Equal on all ranks, which need not talk.
 * CLI_OK or CLI_MEMORY. */
int cli_parts_make(cli_parts *, int64_t batch, const int64_t *order);
void cli_parts_free(cli_parts *);

/* Collective. Matrix k has elements at[k] .. at[k+1] (at NULL: element k) of rank 0's array `all`; in
 * `mine` those of a rank follow each other. all is not looked at by other ranks. */
void cli_parts_scatter(const cli_parts *, const size_t *at, size_t element, const void *all,
                       void *mine);
void cli_parts_gather(const cli_parts *, const size_t *at, size_t element, void *all,
                      const void *mine);

/* Collective. What each rank measured becomes, at rank 0, what all did: of figures of checks and of
 * the seconds of each run the worst, of tasks the sum. The turns are those of the record. */
void cli_parts_record(cli_record *, cli_turns *);

#endif
