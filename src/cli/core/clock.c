/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/clock.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "src/cli/core/units.h"

void cli_clock_start(cli_clock *c) { *c = (cli_clock){NAN, NAN, cli_now()}; }

void cli_clock_stop(cli_clock *c, double graph)
{
    c->call = cli_now() - c->start;
    c->graph = graph;
}

/* ---- Peers ---------------------------------------------------------------------------------- */

/* Threads of some libraries spin for up to 200 ms after a call (KMP_BLOCKTIME), which ours would
 * otherwise pay for. */
static void let_rest(const cli_lapack *l, int threads)
{
    const struct timespec quarter = {.tv_nsec = 250 * 1000 * 1000};
    if (l && l->handle && threads > 1)
        nanosleep(&quarter, NULL);
}

/* What takes less than this is timed right after a run that is not: the pause, and what others left
 * in the caches, would be much of its time. */
static const double BRIEF = 0.02;

static double shorter(double least, double seconds)
{
    return seconds >= 0 && seconds < least ? seconds : least; /* of one that failed there is none */
}

static double run_peer(const cli_turns *t, cli_peer *p)
{
    if (p->least < BRIEF)
        t->peer(t->problem, p->lapack, p->which, p->threads);
    const double seconds = t->peer(t->problem, p->lapack, p->which, p->threads);
    p->least = shorter(p->least, seconds);
    let_rest(p->lapack, p->threads);
    return seconds;
}

int cli_turns_add(cli_turns *t, const cli_lapack *l, int which, const char *name, int threads)
{
    if (t->count == CLI_MAX_REFS) {
        cli_say("%s is left out: %d routines to compare with at most", name, CLI_MAX_REFS);
        return CLI_OK;
    }
    double *room = calloc(2 * (size_t)t->repeat + 1, sizeof *room);
    if (!room)
        return CLI_MEMORY;
    cli_peer *p = &t->peers[t->count++];
    *p = (cli_peer){.lapack = l,
                    .which = which,
                    .threads = threads,
                    .least = INFINITY,
                    .seconds = room,
                    .ratio = room + t->repeat};
    snprintf(p->name, sizeof p->name, "%s", name);
    return CLI_OK;
}

/* A library's first call may load kernels, and start its threads: a short one is tried again. */
static double try_threads(const cli_turns *t, const cli_lapack *l, int which, int threads)
{
    const double again = 0.5;
    double least = shorter(INFINITY, t->peer(t->problem, l, which, threads));
    if (least < again)
        least = shorter(least, t->peer(t->problem, l, which, threads));
    let_rest(l, threads);
    return least;
}

/* With one thread or all; the tries are its warm-up. */
static void choose_threads(const cli_turns *t, cli_peer *p, int cpus)
{
    p->least = try_threads(t, p->lapack, p->which, 1);
    p->tried = 1;
    const double all = cpus > 1 && cli_lapack_threads(p->lapack, 1)
                           ? try_threads(t, p->lapack, p->which, cpus)
                           : INFINITY;
    if (all < p->least) {
        p->least = all;
        p->threads = cpus;
    }
}

int cli_turns_add_routines(cli_turns *t, const cli_lapacks *from, int routines,
                           const char *(*name)(const void *, int), int cpus)
{
    int code = CLI_OK;
    for (int i = 0; i < from->count && code == CLI_OK; i++) {
        const cli_lapack *l = &from->one[i];
        int there = 0, wanted = 0;
        for (int which = 0; which < routines && code == CLI_OK; which++) {
            const char *routine = name(t->problem, which);
            char whole[64];
            if (!routine)
                continue;
            wanted++;
            if (!cli_lapack_routine(l, routine)) {
                if (l->handle)
                    cli_say("%s has no %s_: left out", l->path, routine);
                continue;
            }
            snprintf(whole, sizeof whole, "%s %s", l->label, routine);
            const int before = t->count;
            code = cli_turns_add(t, l, which, whole, 1);
            if (t->count > before)
                choose_threads(t, &t->peers[before], cpus);
            there++;
        }
        if (l->handle && wanted && !there && code == CLI_OK)
            code = CLI_FILE;
    }
    return code;
}

/* ---- In turn -------------------------------------------------------------------------------- */

/* As a peer's. Without peers there is nothing between runs, and several ranks, whose clocks differ,
 * have no peers. */
static int untimed(const cli_turns *t, double least)
{
    cli_clock unused;
    return t->count > 0 && least < BRIEF ? t->ours(t->arg, -1, &unused) : CLI_OK;
}

/* least: of our runs so far */
static int turn(cli_turns *t, int k, double *least)
{
    cli_clock clock = {NAN, NAN, 0};
    for (int i = 0; i < t->count; i++) {
        cli_peer *p = &t->peers[i];
        if (k >= 0)
            p->seconds[k] = run_peer(t, p);
        else if (!p->tried)
            run_peer(t, p);
    }
    int code = untimed(t, *least);
    if (code != CLI_OK)
        return code;
    t->analysed_apart = t->repeat > 1 && *least < BRIEF && !t->run->trace && cli_recorded(t->run);
    cli_before_run(t->run, t->context, k == t->repeat - 1 && !t->analysed_apart);
    code = t->ours(t->arg, k, &clock);
    *least = shorter(*least, clock.call);
    if (k >= 0) {
        t->call[k] = clock.call;
        t->graph[k] = clock.graph;
    }
    return code;
}

static int failed(const cli_turns *t, const cli_peer *p)
{
    for (int k = 0; k < t->repeat; k++)
        if (!(p->seconds[k] >= 0))
            return 1;
    return 0;
}

static void describe_peer(const cli_turns *t, const cli_peer *p, cli_record *r)
{
    if (failed(t, p)) {
        cli_say("%s failed", p->name);
        return;
    }
    for (int k = 0; k < t->repeat; k++)
        p->ratio[k] = p->seconds[k] / t->call[k];
    r->ref[r->refs++] = (cli_reference){.name = p->name,
                                        .threads = p->threads,
                                        .seconds = cli_statistics(p->seconds, t->repeat),
                                        .ratio = cli_statistics(p->ratio, t->repeat),
                                        .library = p->lapack ? p->lapack->path : NULL,
                                        .version = p->lapack ? p->lapack->version : NULL};
}

int cli_turns_run(cli_turns *t, cli_record *r)
{
    t->call = calloc(2 * (size_t)t->repeat + 1, sizeof *t->call);
    t->graph = t->call ? t->call + t->repeat : NULL;
    int code = t->call ? CLI_OK : CLI_MEMORY;
    double least = INFINITY;
    for (int k = -t->warm_up; k < t->repeat && code == CLI_OK; k++)
        code = turn(t, k, &least);
    if (code == CLI_OK && t->analysed_apart) {
        cli_clock unused;
        cli_before_run(t->run, t->context, 1);
        code = t->ours(t->arg, -1, &unused);
    }
    if (code != CLI_OK)
        return code;
    r->seconds = cli_statistics(t->call, t->repeat);
    r->seconds_graph = cli_statistics(t->graph, t->repeat);
    cli_units_text call, graph;
    if (t->run->verbose)
        cli_say("seconds %s, seconds_graph %s, medians of %d run%s",
                cli_units_digits(r->seconds.median, 4, call),
                cli_units_digits(r->seconds_graph.median, 4, graph), t->repeat,
                cli_plural(t->repeat));
    cli_after_run(t->run, t->context, r);
    for (int i = 0; i < t->count; i++)
        describe_peer(t, &t->peers[i], r);
    return CLI_OK;
}

void cli_turns_free(cli_turns *t)
{
    for (int i = 0; i < t->count; i++)
        free(t->peers[i].seconds);
    t->count = 0;
    free(t->call);
    t->call = NULL;
}
