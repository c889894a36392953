/* One of several ranks, as mpirun starts them: rank 0 reads, speaks and writes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_RANKS_H
#define ORR_CLI_RANKS_H

#include "src/cli/core/run.h"

/* What mpirun or srun tell in the environment; 0 of 1 without. */
int cli_rank(void);
int cli_ranks(void);

/* For main: with MPI, ranks but the first lose their standard output, and cli_say is silent. */
void cli_ranks_hush(void);
int cli_ranks_hushed(void);
void cli_ranks_speak(void); /* from now on: something has happened that rank 0 cannot tell */
/* Its last act: mpirun ends all ranks when one fails, so that a silent one waits a little for what
 * rank 0 has to say. Returns code. */
int cli_ranks_leave(int code);

/* After parsing. CLI_OK, or a refusal: of what cannot be done by several ranks. `able`: the
 * command can. Ranks but the first forget the outputs in `run`. */
int cli_ranks_check(cli_run *run, int able);

/* In the process that computes, by commands that are able. start: MPI_Init, an exit code; that of a wrong
 * command line, on all ranks, if they say to do different work. end: MPI_Finalize. On one rank they do nothing. */
int cli_ranks_start(const char *work);
void cli_ranks_end(void);
const void *cli_ranks_comm(void); /* for orr_context_opts.mpi_comm; NULL: one rank */

/* Collective. The worst exit code of all ranks; rank 0 tells of others'. Bytes of rank 0 to all.
 * Who waits sleeps: rank 0 may read a file meanwhile. */
int cli_ranks_code(int code);
void cli_ranks_bytes(void *, size_t);
/* Of one rank to another, in the order of the calls. */
void cli_ranks_send(int to, const void *, size_t);
void cli_ranks_receive(int from, void *, size_t);
/* The same without waiting: the bytes stay as they are until the receiver has answered. */
void cli_ranks_post(int to, const void *, size_t);
int cli_ranks_waiting(int from); /* 1: something that this rank sent can be received */
/* Of a rank that cannot go on: the line is written whoever it is, and all ranks end. */
_Noreturn void cli_ranks_abort(const char *why, int code);

#endif
