/* orrery gesvj --n: a stream of random matrices, measured and compared with LAPACK
 * and cuSOLVER.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/algorithms/gesvj_job.h"

enum { MAX_K = 8192 }; /* of orr_gesvj */

static void keep_info(const orr_gesvj_result *r, void *arg)
{
    ((svd_data *)arg)->info[r->number] = r->info;
}

static int exit_code(orr_status status, const char *message)
{
    if (status >= 0)
        return CLI_OK;
    cli_say("gesvj: %s", message);
    return cli_exit_code(status, 0);
}

static int as_batch(orr_context *context, const orr_gesvj_opts *o, const svd_data *d,
                    orr_gesvj_stream_report *out, cli_clock *clock)
{
    orr_report rep;
    cli_clock_start(clock);
    const orr_status status = svd_solve(context, d, o, &rep);
    cli_clock_stop(clock, rep.seconds);
    *out =
        (orr_gesvj_stream_report){.frames = d->count, .seconds = rep.seconds, .tasks = rep.tasks};
    memcpy(out->plan, rep.plan, sizeof out->plan);
    return exit_code(status, rep.message);
}

/* The stack as a stream, or as a batch. */
static int one_run(orr_context *context, const struct svd_args *a, svd_data *d, int check,
                   orr_gesvj_stream_report *rep, cli_clock *clock)
{
    const orr_gesvj_opts o = svd_options(a, check);
    if (a->at_once)
        return as_batch(context, &o, d, rep, clock);
    orr_gesvj_stream *stream;
    cli_clock_start(clock);
    orr_status status =
        orr_gesvj_stream_open(context, &o, (int)a->in_flight, keep_info, d, &stream);
    if (status != ORR_OK)
        return CLI_MEMORY;
    for (int64_t l = 0; l < d->count && status == ORR_OK; l++) {
        const orr_gesvj_frame f = svd_frame(d, l);
        status = orr_gesvj_stream_push(stream, &f);
    }
    const orr_status worst = orr_gesvj_stream_close(stream, rep);
    cli_clock_stop(clock, rep->seconds);
    if (status == ORR_OK)
        status = worst;
    return exit_code(status, orr_strerror(status));
}

/* ---- Peers ---------------------------------------------------------------------------------- */

/* What they work on. */
struct bench {
    const svd_data *d;
    void *values; /* room for theirs */
};

/* LAPACK's routines, then cuSOLVER's. */
static double run_peer(const void *problem, const cli_lapack *lapack, int peer, int threads)
{
    const struct bench *b = problem;
    double seconds = NAN;
    if (!lapack)
        return svd_cusolver(b->d, peer - SVD_ROUTINES);
    return svd_lapack(b->d, lapack, peer, threads, b->values, &seconds) < 0 ? NAN : seconds;
}

/* "lapack" and files: all routines, or those named. */
static int wants_routine(const cli_words *ref, int routine)
{
    int named = 0, all = 0;
    for (int64_t k = 0; k < ref->n; k++) {
        if (!strcmp(ref->v[k], svd_routine[routine]))
            return 1;
        all |= !strcmp(ref->v[k], "lapack");
        for (int i = 0; i < SVD_ROUTINES; i++)
            named |= !strcmp(ref->v[k], svd_routine[i]);
    }
    return all || !named;
}

static int add_lapack(cli_turns *t, const cli_lapack *l, const cli_words *ref, orr_type type,
                      int threads)
{
    int code = CLI_OK, there = 0;
    for (int i = 0; i < SVD_ROUTINES && code == CLI_OK; i++) {
        const char *routine = svd_routine_name(type, i);
        char name[64];
        if (!wants_routine(ref, i))
            continue;
        if (!cli_lapack_routine(l, routine)) {
            cli_say("%s has no %s_: left out", l->path, routine);
            continue;
        }
        snprintf(name, sizeof name, "%s %s", l->label, routine);
        code = cli_turns_add(t, l, i, name, threads);
        there = 1;
    }
    return code == CLI_OK && !there ? CLI_FILE : code;
}

static int add_peers(cli_turns *t, const cli_job *job, const svd_data *d, int threads)
{
    const cli_words *ref = &((const struct svd_args *)job->args)->ref;
    int code = CLI_OK, cusolver = 0, routines = 0;
    for (int64_t k = 0; k < ref->n; k++) {
        cusolver |= !strcmp(ref->v[k], "cusolver");
        for (int i = 0; i < SVD_ROUTINES; i++)
            routines |= !strcmp(ref->v[k], svd_routine[i]);
    }
    for (int k = 0; k < job->lapacks.count && code == CLI_OK; k++) {
        code = add_lapack(t, &job->lapacks.one[k], ref, d->type, threads);
        routines &= job->lapacks.one[k].handle != NULL; /* ours is among them */
    }
    if (code == CLI_OK && routines)
        code = add_lapack(t, cli_own_lapack(), ref, d->type, threads);
    for (int i = 0; i < SVD_CUSOLVER_ROUTINES && cusolver && code == CLI_OK; i++) {
        char name[64];
        snprintf(name, sizeof name, "cusolver %c%s", orr_type_letter(d->type),
                 svd_cusolver_routine[i]);
        if (svd_cusolver_takes(d, i))
            code = cli_turns_add(t, NULL, SVD_ROUTINES + i, name, 1);
    }
    return code;
}

/* ---- One case ------------------------------------------------------------------------------- */

struct turn {
    orr_context *context;
    const struct svd_args *args;
    svd_data *d;
    orr_gesvj_stream_report report;
};

static int turn(void *arg, int k, cli_clock *clock)
{
    struct turn *t = arg;
    (void)k;
    return one_run(t->context, t->args, t->d, 0, &t->report, clock);
}

/* A warm-up, then R times {each peer, ours}, so that all see the same machine. */
static int measure(cli_job *job, orr_context *context, const orr_context_info *info, svd_data *d)
{
    const struct svd_args *a = job->args;
    const int threads = svd_threads(info);
    void *values = malloc((size_t)(d->count * d->k) * sizeof(double) + 1);
    const struct bench problem = {d, values};
    struct turn t = {.context = context, .args = a, .d = d};
    cli_turns turns = {.run = &a->run,
                       .context = context,
                       .warm_up = 1,
                       .repeat = a->run.repeat > 0 ? (int)a->run.repeat : 5,
                       .ours = turn,
                       .arg = &t,
                       .peer = run_peer,
                       .problem = &problem};
    cli_record r = CLI_RECORD;
    int code = values ? add_peers(&turns, job, d, threads) : CLI_MEMORY;
    if (code == CLI_OK)
        code = cli_turns_run(&turns, &r);
    if (code == CLI_OK) {
        char extra[512];
        svd_put_stream(extra, sizeof extra, &t.report, r.seconds.samples[r.seconds.runs - 1]);
        r.extra = a->at_once ? NULL : extra;
        r.plan = t.report.plan;
        r.tasks = t.report.tasks;
        code = svd_statuses(d->info, d->count, "benchmark");
        orr_gesvj_stream_report unused;
        cli_clock none;
        int checked = CLI_OK;
        if (a->run.check)
            checked = one_run(context, a, d, d->x != NULL, &unused, &none);
        if (a->run.check)
            checked = cli_worse(checked, svd_verify(d, threads, &r));
        svd_describe(&r, job, d, info, checked);
        code = cli_worse(cli_worse(code, checked), svd_report(job, &r));
    }
    cli_turns_free(&turns);
    free(values);
    return code;
}

enum { TYPE, M, N, COUNT, AXES };

struct sizes {
    orr_type type;
    int64_t m, n, count;
    int vectors;
};

static struct sizes sizes_at(const struct svd_args *a, const int64_t *at)
{
    const int type = cli_type_word(&a->type, at[TYPE]);
    const int64_t n = a->n.v[at[N]];
    return (struct sizes){.type = type < 0 ? ORR_D : (orr_type)type,
                          .m = a->m.n ? a->m.v[at[M]] : n,
                          .n = n,
                          .count = a->count.n ? a->count.v[at[COUNT]] : 16,
                          .vectors = a->jobz != 0};
}

static int fits_memory(const cli_run *run, const struct sizes *s)
{
    const double bytes = svd_bytes(s->type, s->count, s->m, s->n, s->vectors, s->vectors);
    char what[96];
    snprintf(what, sizeof what, "type %c, %lld of %lld x %lld", orr_type_letter(s->type),
             (long long)s->count, (long long)s->m, (long long)s->n);
    return cli_check_memory(run, bytes, what);
}

static int bench_fits(cli_job *job, const int64_t *at)
{
    const struct sizes s = sizes_at(job->args, at);
    if ((s.m < s.n ? s.m : s.n) <= MAX_K && s.m <= INT32_MAX / s.n)
        return fits_memory(job->run, &s);
    cli_say("gesvj: %lld x %lld is too large", (long long)s.m, (long long)s.n);
    return CLI_USAGE;
}

static int bench_case(cli_job *job, orr_context *context, const orr_context_info *info,
                      const int64_t *at)
{
    const struct svd_args *a = job->args;
    const struct sizes s = sizes_at(a, at);
    svd_data d;
    if (a->run.explain)
        return svd_explain(job, context, info, s.type, s.m, s.n, s.count, s.vectors, s.vectors);
    int code = fits_memory(&a->run, &s); /* others may have taken some since */
    if (code != CLI_OK)
        return code;
    void *room = malloc((size_t)(s.count * s.m * s.n) * orr_type_size(s.type));
    code =
        room ? svd_allocate(&d, s.type, s.count, s.m, s.n, room, s.vectors, s.vectors) : CLI_MEMORY;
    if (code != CLI_OK)
        return code;
    code = svd_fill(&d, a->kind, (uint64_t)a->run.seed);
    if (code == CLI_OK)
        code = measure(job, context, info, &d);
    svd_free(&d);
    return code;
}

int svd_bench(cli_job *job)
{
    const struct svd_args *a = job->args;
    const int64_t counts[AXES] = {[TYPE] = a->type.n ? a->type.n : 1,
                                  [M] = a->m.n ? a->m.n : 1,
                                  [N] = a->n.n,
                                  [COUNT] = a->count.n ? a->count.n : 1};
    return cli_bench(job, counts, AXES, bench_fits, bench_case);
}
