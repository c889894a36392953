/* Several ranks: what they have to tell one another. Everything here is collective: all ranks
 * call it in the same order with the same arguments. On one rank it does nothing.
 * mpi/ranks.c, or in a build without MPI mpi/none.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_RANKS_H
#define ORR_SRC_RANKS_H

#include "src/core/internal.h"

/* ---- Blocks: each rank has some in a row --------------------------------------------------- */

static inline int64_t orr_ranks_first(const orr_context *c, int rank, int64_t blocks)
{
    return rank * blocks / c->info.ranks;
}
static inline int orr_ranks_owner(const orr_context *c, int64_t block, int64_t blocks)
{
    return (int)(((block + 1) * c->info.ranks - 1) / blocks);
}

/* What mpi.h calls the library, and its version. */
void orr_ranks_library(char *name, size_t room);

/* How the ranks of a node divide its processors. */
struct orr_ranks_place {
    int share;   /* several ranks may use the same cores: CPU workers for each, not to be bound
                    to any core; 0: this rank has cores of its own */
    int reserve; /* cores of its own to leave to the thread of messages */
    int crowded; /* there is no core for that thread: nobody should poll eagerly */
};
struct orr_ranks_place orr_ranks_place(const void *comm); /* all 0 without comm */

/* Sets rank, ranks and everybody's CPU workers. st: how it went so far, on this rank. The worst
 * of all is returned, on all. */
orr_status orr_ranks_open(orr_context *, const void *comm, int crowded, orr_status st,
                          char *message);
void orr_ranks_close(orr_context *);

/* ---- At once ------------------------------------------------------------------------------- */

/* The worst of all statuses; message (256 bytes) of the first rank that has it. */
orr_status orr_ranks_agree(orr_context *, orr_status, char *message);
void orr_ranks_bcast(orr_context *, int from, void *, size_t bytes);
void orr_ranks_send(orr_context *, int to, const void *, size_t bytes);
void orr_ranks_receive(orr_context *, int from, void *, size_t bytes);
void orr_ranks_sum(orr_context *, int64_t *, int count);

/* ---- In the graph of tasks ----------------------------------------------------------------- */

/* What h holds on rank `from` after all tasks so far is what it holds on rank `to` for all tasks
 * after. Counted in the request. */
void orr_ranks_move(orr_context *, struct orr_request *, starpu_data_handle_t h, int from, int to);

/* This rank cannot go on while the others wait for it: ends all, after a line on stderr. On one
 * rank, or if st is no error, it returns. */
void orr_ranks_end(orr_context *, orr_status st, const char *culprit);
/* The same if the request has failed. Part of orr_ranks_move. */
void orr_ranks_check(orr_context *, struct orr_request *);

#endif
