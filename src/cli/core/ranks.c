/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/ranks.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef ORR_WITH_MPI
#include <mpi.h>
#endif

/* The number in the first of these variables that is there: of Open MPI, PMI, Slurm. */
static int number_of(const char *const *names, int otherwise)
{
    for (; *names; names++) {
        const char *value = getenv(*names);
        if (value && *value)
            return atoi(value);
    }
    return otherwise;
}

int cli_ranks(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS",
                                        NULL};
    const int n = number_of(names, 1);
    return n > 1 ? n : 1;
}

int cli_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", NULL};
    return cli_ranks() > 1 ? number_of(names, 0) : 0;
}

#ifdef ORR_WITH_MPI

static MPI_Comm world;
static int hushed, started;

void cli_ranks_hush(void)
{
    hushed = cli_rank() > 0;
    if (hushed && !freopen("/dev/null", "w", stdout))
        exit(CLI_RUNTIME);
}

int cli_ranks_hushed(void) { return hushed; }
void cli_ranks_speak(void) { hushed = 0; }

int cli_ranks_leave(int code)
{
    const struct timespec most = {.tv_sec = 3};
    if (hushed && code != CLI_OK)
        nanosleep(&most, NULL);
    return code;
}

int cli_ranks_check(cli_run *run, int able)
{
    if (cli_ranks() == 1)
        return CLI_OK;
    if (!able) {
        cli_say("started as %d ranks, but only powm, pagerank, heevj and gesvj divide their work",
                cli_ranks());
        return CLI_USAGE;
    }
    if (run->trace) {
        cli_say("--trace shows one process, and here are %d ranks", cli_ranks());
        return CLI_USAGE;
    }
    if (cli_rank() > 0) {
        run->json = run->csv = NULL;
        run->verbose = run->explain = 0;
        run->quiet = 1;
    }
    return CLI_OK;
}

int cli_ranks_start(const char *work)
{
    char first[256] = "";
    int level, size;
    if (cli_ranks() == 1)
        return CLI_OK;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS) {
        cli_say("MPI does not start");
        return CLI_RUNTIME;
    }
    world = MPI_COMM_WORLD;
    MPI_Comm_size(world, &size);
    if (size != cli_ranks()) {
        cli_say("started as %d ranks, but MPI knows %d: another MPI's mpirun, or srun without "
                "--mpi=pmix?",
                cli_ranks(), size);
        MPI_Abort(world, CLI_RUNTIME);
    }
    started = 1;
    snprintf(first, sizeof first, "%s", work);
    cli_ranks_bytes(first, sizeof first);
    const int code = cli_ranks_code(strncmp(first, work, sizeof first - 1) ? CLI_USAGE : CLI_OK);
    if (code != CLI_OK) {
        cli_say("its command line asks for other work than that of rank 0");
        cli_ranks_end();
    }
    return code;
}

void cli_ranks_end(void)
{
    if (started) {
        fflush(stdout); /* before a rank that fails as well has left */
        MPI_Finalize();
    }
    started = 0;
}

const void *cli_ranks_comm(void) { return started ? &world : NULL; }

static void wait_asleep(MPI_Request *request)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    for (int done = 0; MPI_Test(request, &done, MPI_STATUS_IGNORE), !done;)
        nanosleep(&nap, NULL);
}

enum { MOST = 1 << 30 }; /* MPI counts in int */

static int part(size_t left) { return left < MOST ? (int)left : MOST; }

void cli_ranks_bytes(void *p, size_t bytes)
{
    for (size_t at = 0; started && at < bytes; at += MOST) {
        MPI_Request request;
        MPI_Ibcast((char *)p + at, part(bytes - at), MPI_BYTE, 0, world, &request);
        wait_asleep(&request);
    }
}

void cli_ranks_send(int to, const void *p, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += MOST) {
        MPI_Request request;
        MPI_Isend((const char *)p + at, part(bytes - at), MPI_BYTE, to, 0, world, &request);
        wait_asleep(&request);
    }
}

void cli_ranks_receive(int from, void *p, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += MOST) {
        MPI_Request request;
        MPI_Irecv((char *)p + at, part(bytes - at), MPI_BYTE, from, 0, world, &request);
        wait_asleep(&request);
    }
}

void cli_ranks_post(int to, const void *p, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += MOST) {
        MPI_Request request;
        MPI_Isend((const char *)p + at, part(bytes - at), MPI_BYTE, to, 0, world, &request);
        MPI_Request_free(&request);
    }
}

int cli_ranks_waiting(int from)
{
    int there = 0;
    MPI_Iprobe(from, 0, world, &there, MPI_STATUS_IGNORE);
    return there;
}

void cli_ranks_abort(const char *why, int code)
{
    fprintf(stderr, "orrery: rank %d: %s\n", cli_rank(), why);
    MPI_Abort(world, code);
    exit(code);
}

int cli_ranks_code(int code)
{
    MPI_Request request;
    int *all = started ? calloc((size_t)cli_ranks(), sizeof *all) : NULL;
    if (!started)
        return code;
    if (!all)
        MPI_Abort(world, CLI_MEMORY);
    MPI_Iallgather(&code, 1, MPI_INT, all, 1, MPI_INT, world, &request);
    wait_asleep(&request);
    for (int r = 0; r < cli_ranks(); r++) {
        if (all[r] != CLI_OK && all[0] == CLI_OK)
            cli_say("rank %d fails with exit code %d", r, all[r]);
        code = cli_worse(code, all[r]);
    }
    free(all);
    return code;
}

#else

void cli_ranks_hush(void) {}
int cli_ranks_hushed(void) { return 0; }
void cli_ranks_speak(void) {}
int cli_ranks_leave(int code) { return code; }

int cli_ranks_check(cli_run *run, int able)
{
    (void)run;
    if (cli_ranks() == 1 || !able)
        return CLI_OK;
    if (cli_rank() == 0)
        cli_say("started as %d ranks, but this orrery is built without MPI (docs/nodes.md)",
                cli_ranks());
    return CLI_SKIPPED;
}

int cli_ranks_start(const char *work)
{
    (void)work;
    return CLI_OK;
}

void cli_ranks_end(void) {}
const void *cli_ranks_comm(void) { return NULL; }
int cli_ranks_code(int code) { return code; }
void cli_ranks_post(int to, const void *p, size_t bytes) { (void)to, (void)p, (void)bytes; }

int cli_ranks_waiting(int from)
{
    (void)from;
    return 0;
}

void cli_ranks_abort(const char *why, int code)
{
    fprintf(stderr, "orrery: %s\n", why);
    exit(code);
}

void cli_ranks_bytes(void *p, size_t bytes) { (void)p, (void)bytes; }
void cli_ranks_send(int to, const void *p, size_t bytes) { (void)to, (void)p, (void)bytes; }
void cli_ranks_receive(int from, void *p, size_t bytes) { (void)from, (void)p, (void)bytes; }

#endif
