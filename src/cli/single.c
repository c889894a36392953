/* SPDX-License-Identifier: BSD-3-Clause */
#include "single.h"

#include <math.h>
#include <stdlib.h>

const double SINGLE_LIMIT = 20;

/* ---- Options -------------------------------------------------------------------------------- */

#define AT(field) .at = offsetof(single_shape, field)

const cli_option single_options[] = {
    {.kind = OPT_GROUP, .help = "Computation"},
    {"jobz", 'j', OPT_CHOICE, "N|V", "values only (default), or vectors too", "N|V", AT(jobz)},
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
    return s->tile.n && !s->band.n ? cli_usage(command, "--tile needs --band") : CLI_OK;
}

orr_place single_place(const single_shape *s)
{
    static const orr_place place[] = { ORR_PLACE_AUTO, ORR_PLACE_CPU, ORR_PLACE_GPU };
    return place[s->place];
}

int single_type(const cli_words *words, int64_t k)
{
    orr_type type;
    return words->n && orr_type_parse(words->v[k], &type) == 0 ? (int)type : -1;
}

/* ---- A run ----------------------------------------------------------------------------------- */

static int failed(const single *x, orr_status st, const orr_report *r)
{
    const char *what = x->job->files.n ? x->job->files.v[0] : x->algo;
    if (st == ORR_E_NONFINITE) /* the library's columns are the user's rows */
        cli_say("%s: entry (%lld, %lld), counted from 0, is NaN or infinite", what,
                (long long)(r->index / x->columns), (long long)(r->index % x->columns));
    else
        cli_say("%s: %s", what, r->message[0] ? r->message : orr_strerror(st));
    return st == ORR_E_NONFINITE ? CLI_FILE : cli_exit_code(st, 0);
}

/* Runs the solver and the peers in turn; fills the record. */
static int measure(single *x, int warm_up, int repeat, cli_record *rec, orr_report *report)
{
    const cli_run *run = x->job->run;
    cli_peers peers = { .run = x->peer, .problem = x->problem, .repeat = repeat };
    double *ours = calloc((size_t)repeat, sizeof *ours);
    int code = ours ? CLI_OK : CLI_MEMORY;
    for (int which = 0; which < x->peers && code == CLI_OK; which++) {
        const char *name = x->peer_name(x->problem, which);
        if (name)
            code = cli_peers_add(&peers, which, name, x->info->cpu);
    }
    for (int k = -warm_up; k < repeat && code == CLI_OK; k++) {
        if (k >= 0)
            cli_peers_round(&peers, k);
        cli_before_run(run, x->context, k == repeat - 1);
        const orr_status st = x->compute(x, report);
        if (k >= 0)
            ours[k] = report->seconds;
        if (st != ORR_OK)
            code = failed(x, st, report);
    }
    if (code == CLI_OK) {
        rec->seconds = cli_statistics(ours, repeat);
        rec->gflops = x->operations / rec->seconds.median * 1e-9;
        cli_after_run(run, x->context, rec);
    }
    cli_peers_end(&peers, code == CLI_OK ? rec : NULL);
    free(ours);
    return code;
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
    cli_describe(&rec, x->algo, x->info, job->command, job->files.n ? -1 : run->seed);
    int code = measure(x, warm_up, repeat, &rec, &report);
    if (code != CLI_OK)
        return code;
    x->describe(x, &rec);
    rec.tasks = report.tasks;
    rec.plan = report.plan;
    rec.status = "ok";
    if (run->check)
        code = verify(x, &rec);
    if (run->explain || run->verbose)
        cli_say("plan: {%s}", report.plan);
    return cli_worse(code, cli_sink_write(&x->job->sink, &rec));
}
