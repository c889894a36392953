/* Other routines on the same problem, each at the number of threads at which it is fastest,
 * measured in turn with ours.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_PEERS_H
#define ORR_CLI_PEERS_H

#include "record.h"

/* Of whatever BLAS this process has got, if it can be told. */
void cli_blas_threads(int threads);

/* By its name, because not every LAPACK has the newer ones; NULL: this one has not. */
void *cli_lapack_routine(const char *name);

/* Seconds of routine `which` with so many threads; negative: it failed. */
typedef double cli_peer_run(const void *problem, int which, int threads);

typedef struct {
    cli_peer_run *run;
    const void   *problem;
    int           repeat, count;
    struct {
        int     which, threads;
        char    name[40];
        double *seconds; /* [repeat] */
    } peer[CLI_MAX_REFS];
} cli_peers;

/* Tries it with one thread and with `cpus`. CLI_OK or CLI_MEMORY. */
int cli_peers_add(cli_peers *, int which, const char *name, int cpus);
/* One run of each, the k-th. */
void cli_peers_round(cli_peers *, int k);
/* Into the record (NULL: nowhere), and frees. A peer that failed is told and left out. */
void cli_peers_end(cli_peers *, cli_record *);

#endif
