/* orrery gesvj --n: a stream of random matrices, measured and compared with LAPACK
 * and cuSOLVER.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gesvj_job.h"

enum { MAX_K = 8192 }; /* of orr_gesvj */

static void keep_info(const orr_gesvj_result *r, void *arg)
{
    ((svd_data *)arg)->info[r->number] = r->info;
}

static int exit_code(orr_status status)
{
    if (status >= 0)
        return CLI_OK;
    cli_say("gesvj: %s", orr_strerror(status));
    return cli_exit_code(status, 0);
}

static int as_batch(orr_context *context, const orr_gesvj_opts *o, const svd_data *d,
                    orr_gesvj_stream_report *out)
{
    orr_report rep;
    const double begin = cli_now();
    const orr_status status = svd_solve(context, d, o, &rep);
    *out = (orr_gesvj_stream_report){
        .frames = d->count, .seconds = cli_now() - begin, .tasks = rep.tasks};
    memcpy(out->plan, rep.plan, sizeof out->plan);
    return exit_code(status);
}

/* The stack as a stream, or as a batch. */
static int one_run(orr_context *context, const struct svd_args *a, svd_data *d, int check,
                   orr_gesvj_stream_report *rep)
{
    const orr_gesvj_opts o = svd_options(a, check);
    if (a->at_once)
        return as_batch(context, &o, d, rep);
    orr_gesvj_stream *stream;
    orr_status status =
        orr_gesvj_stream_open(context, &o, (int)a->in_flight, keep_info, d, &stream);
    if (status != ORR_OK)
        return CLI_MEMORY;
    for (int64_t l = 0; l < d->count && status == ORR_OK; l++) {
        const orr_gesvj_frame f = svd_frame(d, l);
        status = orr_gesvj_stream_push(stream, &f);
    }
    const orr_status worst = orr_gesvj_stream_close(stream, rep);
    if (status == ORR_OK)
        status = worst;
    return exit_code(status);
}

/* The peers: LAPACK's routines, then cuSOLVER's. */
enum { PEERS = SVD_ROUTINES + SVD_CUSOLVER_ROUTINES };

static int wants(const cli_words *ref, const svd_data *d, int peer)
{
    const int lapack = peer < SVD_ROUTINES;
    if (!lapack && !svd_cusolver_takes(d, peer - SVD_ROUTINES))
        return 0;
    for (int64_t k = 0; k < ref->n; k++)
        if (!strcmp(ref->v[k], lapack ? "lapack" : "cusolver") ||
            (lapack && !strcmp(ref->v[k], svd_routine[peer])))
            return 1;
    return 0;
}

static int run_peer(const svd_data *d, int peer, int threads, void *s, double *seconds)
{
    if (peer < SVD_ROUTINES)
        return svd_lapack(d, peer, threads, s, seconds) < 0 ? CLI_MEMORY : CLI_OK;
    *seconds = svd_cusolver(d, peer - SVD_ROUTINES);
    return CLI_OK;
}

static void add_peer(cli_record *r, const svd_data *d, int peer, int threads, double *seconds,
                     int runs)
{
    const int lapack = peer < SVD_ROUTINES;
    cli_reference x = {.threads = lapack ? threads : 1, .seconds = cli_statistics(seconds, runs)};
    snprintf(x.name, sizeof x.name, "%s %c%s", lapack ? "lapack" : "cusolver",
             orr_type_letter(d->type),
             lapack ? svd_routine[peer] : svd_cusolver_routine[peer - SVD_ROUTINES]);
    if (isfinite(x.seconds.max))
        r->ref[r->refs++] = x;
    else
        cli_say("%s refused this stream", x.name);
}

/* A warm-up, then R times {each peer, ours}, so that all see the same machine. */
static int bench_case(cli_job *job, orr_context *context, const orr_context_info *info,
                      svd_data *d)
{
    const struct svd_args *a = job->args;
    const int64_t runs = a->run.repeat > 0 ? a->run.repeat : 5;
    const int threads = svd_threads(info);
    double *seconds = malloc((size_t)(runs * (1 + PEERS)) * sizeof *seconds);
    void *ref = malloc((size_t)(d->count * d->k) * sizeof(double) + 1);
    orr_gesvj_stream_report rep = {0};
    cli_record r = CLI_RECORD;
    cli_before_run(&a->run, context, 0);
    int code = seconds && ref ? one_run(context, a, d, 0, &rep) : CLI_MEMORY;
    for (int64_t k = 0; k < runs && code == CLI_OK; k++) {
        for (int i = 0; i < PEERS && code == CLI_OK; i++)
            if (wants(&a->ref, d, i))
                code = run_peer(d, i, threads, ref, &seconds[(1 + i) * runs + k]);
        cli_before_run(&a->run, context, k == runs - 1);
        if (code == CLI_OK)
            code = one_run(context, a, d, 0, &rep);
        seconds[k] = rep.seconds;
    }
    if (code == CLI_OK) {
        cli_after_run(&a->run, context, &r);
        char extra[512];
        svd_put_stream(extra, sizeof extra, &rep);
        r.extra = a->at_once ? NULL : extra;
        r.plan = rep.plan;
        r.tasks = rep.tasks;
        r.seconds = cli_statistics(seconds, (int)runs);
        for (int i = 0; i < PEERS; i++)
            if (wants(&a->ref, d, i))
                add_peer(&r, d, i, threads, seconds + (1 + i) * runs, (int)runs);
        code = svd_statuses(d->info, d->count, "benchmark");
        orr_gesvj_stream_report unused;
        if (a->run.check)
            code = cli_worse(code, one_run(context, a, d, d->x != NULL, &unused));
        if (a->run.check)
            code = cli_worse(code, svd_verify(d, threads, &r));
        svd_describe(&r, job, d, info, code);
        code = cli_worse(code, svd_report(job, &r));
    }
    free(seconds);
    free(ref);
    return code;
}

/* All combinations under one policy. */
static int bench_policy(cli_job *job, const char *sched)
{
    static int64_t count_default[] = {16};
    struct svd_args *a = job->args;
    enum { TYPE, M, N, COUNT, AXES };
    const cli_sizes many = a->count.n ? a->count : (cli_sizes){count_default, 1};
    const int64_t counts[AXES] = {a->type.n ? a->type.n : 1, a->m.n ? a->m.n : 1, a->n.n, many.n};
    int64_t at[AXES] = {0};
    orr_context *context = NULL;
    orr_context_info info;
    int code = cli_open(&a->run, sched, &context, &info);
    if (code != CLI_OK)
        return code;
    do {
        const int type = svd_type_of(&a->type, at[TYPE]), vectors = a->jobz != 0;
        const orr_type t = type < 0 ? ORR_D : (orr_type)type;
        const int64_t n = a->n.v[at[N]], m = a->m.n ? a->m.v[at[M]] : n, count = many.v[at[COUNT]];
        svd_data d;
        int one = (m < n ? m : n) > MAX_K || m > INT32_MAX / n ? CLI_USAGE : CLI_OK;
        if (one != CLI_OK)
            cli_say("gesvj: %lld x %lld is too large", (long long)m, (long long)n);
        else
            one = cli_check_memory(&a->run, svd_bytes(t, count, m, n, vectors, vectors),
                                   "the stream");
        void *room = one == CLI_OK ? malloc((size_t)(count * m * n) * orr_type_size(t)) : NULL;
        if (one == CLI_OK)
            one = room ? svd_allocate(&d, t, count, m, n, room, vectors, vectors) : CLI_MEMORY;
        if (one == CLI_OK) {
            one = svd_fill(&d, a->kind, (uint64_t)a->run.seed);
            if (one == CLI_OK)
                one = bench_case(job, context, &info, &d);
            svd_free(&d);
        }
        code = cli_worse(code, one);
    } while (code != CLI_RUNTIME && cli_next(at, counts, AXES));
    return cli_worse(code, cli_close(&a->run, context));
}

int svd_bench(cli_job *job) { return cli_each_policy(job, bench_policy); }
