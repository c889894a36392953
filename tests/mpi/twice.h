/* A context over all ranks and one of this rank alone, and a matrix in both. Part of a program.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_MPI_TWICE_H
#define ORR_TESTS_MPI_TWICE_H

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "orrery/orrery.h"
#include "orrery/sparse.h"

static orr_context *all, *alone;
static int me, all_of_us;

/* After MPI_Init_thread. */
static void open_both(void)
{
    MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF;
    char message[512] = "";
    orr_context_info info;
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &all_of_us);
    const orr_status st =
        orr_open(&(orr_context_opts){.mpi_comm = &world, .message = message}, &all);
    if (st != ORR_OK) {
        printf("%s: %s\n", orr_strerror(st), message);
        MPI_Abort(world, 1);
    }
    CHECK(orr_open(&(orr_context_opts){.mpi_comm = &self}, &alone) == ORR_OK);
    orr_context_query(all, &info);
    CHECK(info.rank == me && info.ranks == all_of_us && info.mpi[0], "%d of %d by '%s'", info.rank,
          info.ranks, info.mpi);
    orr_context_query(alone, &info);
    CHECK(info.rank == 0 && info.ranks == 1);
}

static void close_both(void)
{
    orr_close(alone);
    orr_close(all);
}

/* The same matrix twice; 0: refused, which the caller did not expect. m: of rank 0. */
static int build(const char *what, const orr_mtx *m, const orr_sparse_opts *o, orr_sparse *A[2])
{
    char message[256];
    const orr_status st = orr_sparse_from_mtx(all, me == 0 ? m : NULL, o, &A[0], message);
    CHECK(st == ORR_OK, "%s: %s", what, message);
    const orr_status own = orr_sparse_from_mtx(alone, m, o, &A[1], message);
    CHECK(own == ORR_OK, "%s: %s", what, message);
    if (st != ORR_OK || own != ORR_OK)
        return 0;
    orr_sparse_info a, b;
    orr_sparse_query(A[0], &a);
    orr_sparse_query(A[1], &b);
    CHECK(memcmp(&a, &b, sizeof a) == 0 || !o->blocks, "%s: what is told of it", what);
    return 1;
}

static void drop(orr_sparse *A[2])
{
    orr_sparse_free(A[0]);
    orr_sparse_free(A[1]);
}

static int same(const void *a, const void *b, size_t bytes) { return memcmp(a, b, bytes) == 0; }

#endif
