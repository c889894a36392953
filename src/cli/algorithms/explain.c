/* See explain.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/core/units.h"
#include "src/cli/data/dense.h"

/* Tasks are counted one by one. Where what the command itself needs is so many times what there is nobody will run
 * them, and there may be more than can be counted in a day. */
enum { FAR = 100 };

/* What a plan makes of one size. */
struct outcome {
    orr_plan plan;
    orr_status status;
    orr_report report;
    double holds, needs, program, limit;
    int far; /* too far beyond the limit: there is no plan */
    char refused[512];
};

/* ---- Memory ------------------------------------------------------------------------------------ */

/* This process with the library open and nothing to do. */
static double program_bytes(void)
{
    long long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*d %lld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

/* ---- One size ---------------------------------------------------------------------------------- */

static double peak(const struct outcome *o) { return o->holds + o->plan.bytes + o->program; }

static void judge(const cli_planned *p, struct outcome *o)
{
    const cli_run *run = p->job->run;
    const double most = fmax(o->needs, peak(o) - o->program);
    cli_units_text need, have;
    if (o->status != ORR_OK)
        snprintf(o->refused, sizeof o->refused, "%s",
                 o->report.message[0] ? o->report.message : orr_strerror(o->status));
    else if (*o->plan.refused)
        snprintf(o->refused, sizeof o->refused, "%s", o->plan.refused);
    else if (o->limit >= 0 && most > o->limit)
        snprintf(o->refused, sizeof o->refused, "it needs %s, %s %s", cli_units_bytes(most, need),
                 run->max_memory > 0 ? "--max-memory allows" : "free are",
                 cli_units_bytes(o->limit, have));
}

static void plan_one(const cli_planned *p, double limit, double program, struct outcome *o)
{
    *o = (struct outcome){
        .limit = limit, .program = program, .holds = p->holds(p), .needs = p->needs(p)};
    o->far = limit >= 0 && o->needs > FAR * limit;
    if (o->far)
        snprintf(o->plan.note, sizeof o->plan.note,
                 "matrices and results need more than %d times the memory: tasks are not counted",
                 FAR);
    else if ((o->status = orr_plan_begin(p->context)) == ORR_OK) {
        o->status = p->call(p, &o->report);
        orr_plan_end(p->context, &o->plan);
    }
    judge(p, o);
}

/* The largest n of the same shape that would not be refused, to two digits; -1: none is known. */
static int64_t what_fits(const cli_planned *p, const struct outcome *o)
{
    int64_t n = p->n;
    for (int tries = 0; tries < 6; tries++) {
        cli_planned smaller = *p;
        struct outcome there;
        const double most = fmax(o->needs, peak(o) - o->program);
        const double part = o->limit > 0 && most > o->limit ? sqrt(o->limit / most) : 1;
        n = tries == 0 ? (int64_t)((double)n * part) : n * 9 / 10;
        if (tries == 0 && o->plan.most > 0 && n > o->plan.most)
            n = o->plan.most;
        for (int64_t step = 10; n >= 10 * step; step *= 10)
            n -= n % step;
        if (n < 1)
            return -1;
        smaller.n = n;
        if (p->m >= 0)
            smaller.m = (int64_t)((double)p->m * ((double)n / (double)p->n));
        plan_one(&smaller, o->limit, o->program, &there);
        if (!*there.refused)
            return n;
        if (there.status == ORR_OK && !*there.plan.refused && o->limit < 0)
            return -1;
    }
    return -1;
}

/* ---- Telling ----------------------------------------------------------------------------------- */

/* "the models of 'box'", "models that StarPU has learnt here", ... */
static void source_text(const orr_context_info *i, orr_plan_source s, char *text, size_t room)
{
    char models[128];
    if (*i->model_source)
        snprintf(models, sizeof models, "the models of '%s'", i->model_machine);
    else
        snprintf(models, sizeof models, "what StarPU has measured here");
    if (s == ORR_PLAN_MODEL)
        snprintf(text, room, "by %s", models);
    else if (s == ORR_PLAN_PARTLY)
        snprintf(text, room, "partly by %s, else estimated", models);
    else
        snprintf(text, room, "estimated; 'orrery calibrate' measures this machine");
}

static const char *source_word(orr_plan_source s)
{
    static const char *const word[] = {"unknown", "estimate", "model, estimate", "model"};
    return word[s];
}

static void put_size(cli_text *t, const char *name, int64_t value)
{
    if (value >= 0)
        cli_put(t, ", %s %lld", name, (long long)value);
}

static void text(cli_text *t, const cli_planned *p, const struct outcome *o, int64_t fits)
{
    cli_units_text a, b, c, d, e;
    char source[256];
    const orr_plan *plan = &o->plan;
    cli_put(t, "%s, type %c", p->algo, orr_type_letter(p->type));
    put_size(t, "m", p->m);
    put_size(t, "n", p->n);
    put_size(t, "band", p->band);
    put_size(t, "batch", p->batch);
    cli_put(t, "%s, policy %s, %d CPU, %d CUDA workers\n", p->vectors ? ", with vectors" : "",
            p->info->sched, p->info->cpu, p->info->cuda);
    if (*plan->plan)
        cli_put(t, "plan      {%s}\n", plan->plan);
    if (plan->rows)
        cli_put(t, "\n%-20s %12s %12s %12s  %s\n", "codelet", "tasks", "Gflop", "time", "from");
    for (int k = 0; k < plan->rows; k++)
        cli_put(t, "%-20s %12lld %12s %12s  %s\n", plan->row[k].codelet,
                (long long)plan->row[k].tasks, cli_units_digits(1e-9 * plan->row[k].flops, 4, a),
                cli_units_seconds(plan->row[k].seconds, b), source_word(plan->row[k].source));
    if (plan->rows)
        cli_put(t, "%-20s %12lld %12s\n\n", "all", (long long)plan->tasks,
                cli_units_digits(1e-9 * plan->flops, 4, a));
    if (plan->note[0])
        cli_put(t, "note      %s\n", plan->note);
    if (o->far)
        cli_put(t, "memory    matrices and results %s", cli_units_bytes(o->holds, a));
    else
        cli_put(t,
                "memory    %s at most: matrices and results %s, the computation %s, the program %s",
                cli_units_bytes(peak(o), a), cli_units_bytes(o->holds, b),
                cli_units_bytes(plan->bytes, c), cli_units_bytes(o->program, d));
    cli_put(t, o->limit >= 0 ? "; %s %s\n" : "\n",
            p->job->run->max_memory > 0 ? "allowed are" : "free are", cli_units_bytes(o->limit, e));
    if (plan->seconds > 0) {
        source_text(p->info, plan->source, source, sizeof source);
        cli_put(t, "time      %s, %s\n", cli_units_seconds(plan->seconds, a), source);
    }
    if (*o->refused && fits > 0)
        cli_put(t, "refused   %s; n = %lld would do\n", o->refused, (long long)fits);
    else if (*o->refused)
        cli_put(t, "refused   %s\n", o->refused);
}

static const char *or_null(const char *text) { return *text ? text : NULL; }

static void json(cli_text *t, const cli_planned *p, const struct outcome *o, int64_t fits)
{
    const orr_plan *plan = &o->plan;
    cli_put(t, "{\"explain\":true,\"algo\":\"%s\",\"type\":\"%c\"", p->algo,
            orr_type_letter(p->type));
    cli_member_count(t, "n", p->n);
    cli_member_count(t, "m", p->m);
    cli_member_count(t, "band", p->band);
    cli_member_count(t, "batch", p->batch);
    cli_put(t,
            ",\"jobz\":\"%c\",\"sched\":\"%s\",\"workers\":{\"cpu\":%d,\"cuda\":%d,"
            "\"opencl\":%d},\"plan\":{%s},\"tasks\":%lld,\"flops\":%.6g,\"codelets\":[",
            p->vectors ? 'V' : 'N', p->info->sched, p->info->cpu, p->info->cuda, p->info->opencl,
            plan->plan, (long long)plan->tasks, plan->flops);
    for (int k = 0; k < plan->rows; k++)
        cli_put(t,
                "%s{\"codelet\":\"%s\",\"tasks\":%lld,\"flops\":%.6g,\"seconds\":%.6g,"
                "\"from\":\"%s\"}",
                k ? "," : "", plan->row[k].codelet, (long long)plan->row[k].tasks,
                plan->row[k].flops, plan->row[k].seconds, source_word(plan->row[k].source));
    cli_put(t,
            "],\"memory\":{\"peak\":%.0f,\"matrices\":%.0f,\"computation\":%.0f,"
            "\"program\":%.0f,\"limit\":",
            peak(o), o->holds, plan->bytes, o->program);
    cli_put(t, o->limit >= 0 ? "%.0f}" : "null}", o->limit);
    if (plan->seconds > 0)
        cli_put(t, ",\"predicted\":%.6g", plan->seconds);
    else
        cli_put(t, ",\"predicted\":null");
    cli_member_json(t, "from", source_word(plan->source));
    cli_member_json(t, "models", or_null(p->info->model_machine));
    cli_member_json(t, "note", or_null(plan->note));
    cli_member_json(t, "refused", or_null(o->refused));
    cli_member_count(t, "fits", fits);
    cli_put(t, "}\n");
}

int cli_explain(const cli_planned *p)
{
    struct outcome o;
    cli_text t = {0};
    const cli_run *run = p->job->run;
    const double limit = (double)(run->max_memory > 0 ? run->max_memory : cli_free_memory());
    plan_one(p, limit, program_bytes() - p->resident, &o);
    const int64_t fits = *o.refused && p->n > 1 && p->resident == 0 ? what_fits(p, &o) : -1;
    if (run->json) {
        json(&t, p, &o, fits);
        return cli_sink_line(&p->job->sink, &t);
    }
    text(&t, p, &o, fits);
    return cli_text_print(&t);
}

/* ---- Files ------------------------------------------------------------------------------------- */

int cli_shape_read(const char *path, orr_shape *shape)
{
    orr_io_error error = {0};
    const orr_status st = orr_shape_read(path, shape, &error);
    if (st == ORR_OK)
        return CLI_OK;
    cli_say("%s", error.message[0] ? error.message : path);
    return cli_exit_code(st, 1);
}
