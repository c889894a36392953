/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/single.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double SINGLE_LIMIT = 20;

/* ---- Options -------------------------------------------------------------------------------- */

#define AT(field) .at = offsetof(single_shape, field)

const cli_option single_options[] = {
    {.kind = OPT_GROUP, .help = "Computation"},
    {"jobz", 'j', OPT_CHOICE, "N|V", "values only (default), or vectors too", "N|V", AT(jobz)},
    {"method", 'm', OPT_CHOICE, "M", "auto: the faster; two-stage; lapack: one task",
     "auto|two-stage|lapack", AT(method)},
    {"band", 'b', OPT_SIZES, "B", "bandwidth between the stages (default: chosen)", NULL, AT(band),
     2, 4096},
    {"tile", 0, OPT_SIZES, "T", "rows of a tile, a multiple of B (default: chosen)", NULL,
     AT(tile), 16, 65536},
    {"place", 0, OPT_CHOICE, "P", "auto (default): devices too; cpu; gpu: but panels",
     "auto|cpu|gpu", AT(place)},
    {.kind = OPT_END},
};

int single_check(const char *command, const single_shape *s)
{
    for (int64_t i = 0; i < s->tile.n; i++)
        for (int64_t k = 0; k < s->band.n; k++)
            if (s->tile.v[i] % s->band.v[k])
                return cli_usage(command, "--tile is a multiple of --band");
    if (single_method(s) == ORR_DENSE_LAPACK && (s->band.n || single_place(s) == ORR_PLACE_GPU))
        return cli_usage(command, "--method lapack has no --band, and runs on a CPU");
    return s->tile.n && !s->band.n ? cli_usage(command, "--tile needs --band") : CLI_OK;
}

orr_place single_place(const single_shape *s)
{
    static const orr_place place[] = { ORR_PLACE_AUTO, ORR_PLACE_CPU, ORR_PLACE_GPU };
    return place[s->place];
}

orr_dense_method single_method(const single_shape *s)
{
    static const orr_dense_method method[] = { ORR_DENSE_AUTO, ORR_DENSE_TWO_STAGE,
                                               ORR_DENSE_LAPACK };
    return method[s->method];
}

int single_type(const cli_words *words, int64_t k)
{
    orr_type type;
    return words->n && orr_type_parse(words->v[k], &type) == 0 ? (int)type : -1;
}

/* ---- A run ----------------------------------------------------------------------------------- */

static int failed(const single *x, orr_status st, const orr_report *r)
{
    const int second = x->job->files.n > 1 && (st == ORR_E_DEFINITE || (r->culprit && !strcmp(r->culprit, "b")));
    const char *what = x->job->files.n ? x->job->files.v[second] : x->algo;
    if (st == ORR_E_NONFINITE) /* the library's columns are the user's rows */
        cli_say("%s: entry (%lld, %lld), counted from 0, is NaN or infinite", what,
                (long long)(r->index / x->columns), (long long)(r->index % x->columns));
    else
        cli_say("%s: %s", what, r->message[0] ? r->message : orr_strerror(st));
    return st == ORR_E_NONFINITE || st == ORR_E_DEFINITE ? CLI_FILE : cli_exit_code(st, 0);
}

struct turn {
    single     *x;
    orr_report *report;
};

static int turn(void *arg, int k, cli_clock *clock)
{
    const struct turn *t = arg;
    (void)k;
    const orr_status st = t->x->compute(t->x, t->report, clock);
    return st == ORR_OK ? CLI_OK : failed(t->x, st, t->report);
}

static int verify(const single *x, cli_record *rec)
{
    x->verify(x, x->info->cpu > 0 ? x->info->cpu : 1, rec);
    if (rec->values <= SINGLE_LIMIT &&
        (!x->vectors || (rec->residual <= SINGLE_LIMIT && rec->orthogonality <= SINGLE_LIMIT)))
        return CLI_OK;
    cli_say("check failed: values %.3g, residual %.3g, orthogonality %.3g n eps |A| (limit %g)",
            rec->values, rec->residual, rec->orthogonality, SINGLE_LIMIT);
    rec->status = "check failed";
    return CLI_CHECK;
}

int single_solve(single *x, int warm_up, int repeat)
{
    const cli_job *job = x->job;
    const cli_run *run = job->run;
    cli_record rec = CLI_RECORD;
    orr_report report = { 0 };
    struct turn t = { x, &report };
    cli_turns turns = { .run = run, .context = x->context, .warm_up = warm_up, .repeat = repeat,
                        .ours = turn, .arg = &t, .peer = x->peer, .problem = x->problem };
    cli_describe(&rec, x->algo, x->info, job->command, job->files.n ? -1 : run->seed);
    int code = cli_turns_add_routines(&turns, &job->lapacks, x->peers, x->peer_name, x->info->cpu);
    if (code == CLI_OK)
        code = cli_turns_run(&turns, &rec);
    if (code != CLI_OK) {
        cli_turns_free(&turns);
        return code;
    }
    rec.gflops = x->operations / rec.seconds.median * 1e-9;
    x->describe(x, &rec);
    rec.tasks = report.tasks;
    rec.plan = report.plan;
    rec.status = "ok";
    if (run->check)
        code = verify(x, &rec);
    if (run->verbose)
        cli_say("plan: {%s}", report.plan);
    cli_text results = { 0 };
    if (x->deliver)
        code = cli_worse(code, x->deliver(x, &rec, &results));
    rec.results = results.s;
    code = cli_worse(code, cli_sink_write(&x->job->sink, &rec));
    cli_text_free(&results);
    cli_turns_free(&turns);
    return code;
}
