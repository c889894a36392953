/* ranks.h by MPI. What is told at once goes by plain calls, what belongs into the graph through
 * messages.h: two threads of a rank may call MPI at a time, hence MPI_THREAD_MULTIPLE.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <hwloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "orrery/models.h"
#include "src/core/ranks.h"
#include "src/mpi/messages.h"

void orr_ranks_library(char *name, size_t room)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    snprintf(name, room, "%.*s", (int)strcspn(text, ",\n"), text);
}

/* All ranks call orr_ranks_move in the same order and count the calls; the count modulo `tags`, as many as
 * MPI has, is the tag. Messages of a few steps are under way at most, of each block to each rank: 10^5 from
 * hundreds of ranks. MPI promises 2^15 tags, and usual ones have 2^23 or more. */
struct orr_ranks {
    MPI_Comm at_once, graph;
    struct orr_messages *messages;
    int connected; /* both communicators are there */
    int64_t moves, tags;
};

/* MPI polls while it waits, which keeps other ranks of a full node from what is waited for. */
static void wait_asleep(MPI_Request *request)
{
    enum { EAGER = 100, SHORT = 1000 };
    const struct timespec nap = {.tv_nsec = 20000}, rest = {.tv_nsec = 500000};
    int done = 0;
    for (int polls = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE), !done; polls++)
        if (polls > EAGER)
            nanosleep(polls > SHORT ? &rest : &nap, NULL);
}

/* NULL, or why this process cannot use MPI. */
static const char *wrong_mpi(void)
{
    int begun, ended, level;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    if (!begun || ended)
        return ended ? "MPI has been finalised" : "MPI is not initialised";
    MPI_Query_thread(&level);
    return level < MPI_THREAD_MULTIPLE ? "MPI was not initialised with MPI_THREAD_MULTIPLE" : NULL;
}

/* ---- Processors ---------------------------------------------------------------------------- */

enum { WORDS = 32 }; /* of 64 processors */

/* The processors that this process may use, and how many cores they are. */
static int processors(unsigned long long mask[WORDS])
{
    hwloc_topology_t topology;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int cores = 0;
    memset(mask, 0, WORDS * sizeof *mask);
    if (set && hwloc_topology_init(&topology) == 0) {
        if (hwloc_topology_load(topology) == 0 &&
            hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_PROCESS) == 0) {
            hwloc_obj_t core = NULL;
            while ((core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)))
                cores += hwloc_bitmap_intersects(core->cpuset, set);
            for (int pu = hwloc_bitmap_first(set); pu >= 0 && pu < 64 * WORDS;
                 pu = hwloc_bitmap_next(set, pu))
                mask[pu / 64] |= 1ull << pu % 64;
        }
        hwloc_topology_destroy(topology);
    }
    hwloc_bitmap_free(set);
    return cores;
}

struct orr_ranks_place orr_ranks_place(const void *comm)
{
    unsigned long long mine[WORDS];
    int size, sharing = 0;
    MPI_Comm node;
    if (!comm || wrong_mpi())
        return (struct orr_ranks_place){0};
    MPI_Comm_size(*(const MPI_Comm *)comm, &size);
    if (size == 1)
        return (struct orr_ranks_place){0};
    const int cores = processors(mine);
    MPI_Comm_split_type(*(const MPI_Comm *)comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &size);
    unsigned long long(*all)[WORDS] = malloc((size_t)size * sizeof *all);
    if (!all)
        MPI_Abort(*(const MPI_Comm *)comm, 5);
    MPI_Allgather(mine, WORDS, MPI_UNSIGNED_LONG_LONG, all, WORDS, MPI_UNSIGNED_LONG_LONG, node);
    for (int r = 0; r < size; r++) {
        int common = 0;
        for (int w = 0; w < WORDS; w++)
            common |= (mine[w] & all[r][w]) != 0;
        sharing += common;
    }
    free(all);
    MPI_Comm_free(&node);
    if (sharing < 2)
        return (struct orr_ranks_place){.reserve = cores > 2, .crowded = cores <= 2};
    const int share = cores / sharing;
    return (struct orr_ranks_place){.share = share < 1   ? 1
                                             : share > 2 ? share - 1
                                                         : share,
                                    .crowded = share <= 2};
}

/* ---- Open and close ------------------------------------------------------------------------ */

orr_status orr_ranks_agree(orr_context *c, orr_status st, char *message)
{
    if (c->info.ranks == 1)
        return st;
    /* errors are negative, the worst of them wins; then outcomes; then success */
    struct {
        int value, rank;
    } mine = {st < 0 ? st - 1000 : -st, c->info.rank}, worst;
    MPI_Request request;
    MPI_Iallreduce(&mine, &worst, 1, MPI_2INT, MPI_MINLOC, c->with->at_once, &request);
    wait_asleep(&request);
    if (message && worst.value != 0)
        orr_ranks_bcast(c, worst.rank, message, 256);
    return (orr_status)(worst.value < -1000 ? worst.value + 1000 : -worst.value);
}

/* The worst of all, and why the first rank that has it says so: before there is a context. why: of
 * ORR_MESSAGE bytes. */
static orr_status agree_on_start(MPI_Comm comm, orr_status st, char *why)
{
    struct {
        int value, rank;
    } mine = {.value = st}, worst;
    MPI_Comm_rank(comm, &mine.rank);
    MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MINLOC, comm);
    if (worst.value == ORR_OK)
        return ORR_OK;
    if (worst.rank == mine.rank && mine.rank > 0) { /* rank 0 may be all who speaks */
        char own[ORR_MESSAGE];
        memcpy(own, why, sizeof own);
        const int n =
            snprintf(why, ORR_MESSAGE, "rank %d%s", mine.rank, own[0] ? ": " : " could not start");
        snprintf(why + n, ORR_MESSAGE - (size_t)n, "%s", own);
    }
    MPI_Bcast(why, ORR_MESSAGE, MPI_CHAR, worst.rank, comm);
    return (orr_status)worst.value;
}

static orr_status connect(orr_context *c, MPI_Comm comm, int crowded)
{
    MPI_Comm_dup(comm, &c->with->at_once);
    MPI_Comm_dup(comm, &c->with->graph);
    c->with->connected = 1;
    int *last = NULL, known = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &last, &known);
    c->with->tags = known ? (int64_t)*last + 1 : 1 << 15;
    c->with->messages = orr_messages_start(c->with->graph, !crowded);
    return c->with->messages ? ORR_OK : ORR_E_NOMEM;
}

orr_status orr_ranks_open(orr_context *c, const void *comm, int crowded, orr_status st,
                          char *message)
{
    int64_t cpus = starpu_is_initialized() ? starpu_cpu_worker_get_count() : 0;
    char why[ORR_MESSAGE] = "";
    if (!comm)
        return st;
    const char *wrong = wrong_mpi();
    if (wrong) { /* nobody to tell it to */
        if (message && st == ORR_OK)
            snprintf(message, ORR_MESSAGE, "%s", wrong);
        return st == ORR_OK ? ORR_E_ARG : st;
    }
    const MPI_Comm given = *(const MPI_Comm *)comm;
    if (message)
        snprintf(why, sizeof why, "%s", message);
    if (st == ORR_OK && !(c->with = calloc(1, sizeof *c->with)))
        st = ORR_E_NOMEM;
    st = agree_on_start(given, st, why);
    if (st == ORR_OK)
        st = agree_on_start(given, connect(c, given, crowded), why);
    if (st != ORR_OK) {
        if (message)
            snprintf(message, ORR_MESSAGE, "%s", why);
        return st;
    }
    MPI_Comm_rank(given, &c->info.rank);
    MPI_Comm_size(given, &c->info.ranks);
    orr_ranks_sum(c, &cpus, 1);
    c->cpus_of_all = (int)cpus;
    return ORR_OK;
}

void orr_ranks_close(orr_context *c)
{
    if (!c->with)
        return;
    orr_messages_end(c->with->messages);
    if (c->with->connected) {
        MPI_Comm_free(&c->with->at_once);
        MPI_Comm_free(&c->with->graph);
    }
    free(c->with);
    c->with = NULL;
}

/* ---- At once ------------------------------------------------------------------------------- */

enum { MOST = 1 << 30 }; /* bytes of a message: MPI counts in int */

static int part(size_t left) { return left < MOST ? (int)left : MOST; }

void orr_ranks_bcast(orr_context *c, int from, void *p, size_t bytes)
{
    if (c->info.ranks == 1)
        return;
    MPI_Request request;
    for (size_t at = 0; at < bytes; at += MOST) {
        MPI_Ibcast((char *)p + at, part(bytes - at), MPI_BYTE, from, c->with->at_once, &request);
        wait_asleep(&request);
    }
}

void orr_ranks_send(orr_context *c, int to, const void *p, size_t bytes)
{
    MPI_Request request;
    for (size_t at = 0; at < bytes; at += MOST) {
        MPI_Isend((const char *)p + at, part(bytes - at), MPI_BYTE, to, 0, c->with->at_once,
                  &request);
        wait_asleep(&request);
    }
}

void orr_ranks_receive(orr_context *c, int from, void *p, size_t bytes)
{
    MPI_Request request;
    for (size_t at = 0; at < bytes; at += MOST) {
        MPI_Irecv((char *)p + at, part(bytes - at), MPI_BYTE, from, 0, c->with->at_once, &request);
        wait_asleep(&request);
    }
}

void orr_ranks_sum(orr_context *c, int64_t *v, int count)
{
    if (c->info.ranks == 1)
        return;
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, v, count, MPI_INT64_T, MPI_SUM, c->with->at_once, &request);
    wait_asleep(&request);
}

/* ---- Failure ------------------------------------------------------------------------------- */

void orr_ranks_end(orr_context *c, orr_status st, const char *culprit)
{
    if (c->info.ranks == 1 || st >= 0)
        return;
    fprintf(stderr, "orrery: rank %d: %s (in %s)\n", c->info.rank, orr_strerror(st),
            culprit ? culprit : "?");
    MPI_Abort(c->with->at_once, st == ORR_E_NOMEM ? 5 : 6); /* exit codes of the command */
}

void orr_ranks_check(orr_context *c, struct orr_request *r)
{
    if (orr_request_failed(r))
        orr_ranks_end(c, (orr_status)atomic_load(&r->status), r->culprit);
}

/* ---- In the graph of tasks ----------------------------------------------------------------- */

void orr_ranks_move(orr_context *c, struct orr_request *r, starpu_data_handle_t h, int from, int to)
{
    if (from == to)
        return;
    const int tag = (int)(c->with->moves++ % c->with->tags), rank = c->info.rank;
    if (rank != from && rank != to)
        return;
    orr_ranks_check(c, r);
    orr_messages_add(c->with->messages, r, h, rank == from ? to : from, tag, rank == from);
}
