/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/analysis.h"

#include <math.h>

#include "src/cli/core/cli.h"
#include "src/cli/core/units.h"

static const char *const kinds[ORR_NKINDS] = {"cpu", "cuda", "opencl"};

/* ---- JSON ------------------------------------------------------------------------------- */

void cli_put_bound(cli_text *t, const orr_analysis *a)
{
    cli_put(t, "{");
    cli_member_number(t, "area", a ? a->area : NAN);
    cli_member_number(t, "critical_path", a ? a->critical_path : NAN);
    cli_member_number(t, "lp", a ? a->lp : NAN);
    cli_member_number(t, "makespan", a ? a->makespan : NAN);
    cli_member_number(t, "ratio", a && a->lp > 0 ? a->makespan / a->lp : NAN);
    cli_put(t, ",\"solver\":%s}", a && isfinite(a->lp) ? "\"own\"" : "null");
}

static void put_kind(cli_text *t, const char *name, const orr_analysis_kind *k)
{
    cli_put(t, "\"%s\":{\"workers\":%d,\"tasks\":%lld", name, k->workers, (long long)k->tasks);
    cli_member_number(t, "busy", k->busy);
    cli_member_number(t, "stalled", k->stalled);
    cli_member_number(t, "starved", k->starved);
    cli_member_number(t, "unserved", k->unserved);
    cli_put(t, "}");
}

static void put_codelet(cli_text *t, const orr_analysis_codelet *c)
{
    cli_put(t, "{\"name\":\"%s\"", c->name);
    for (int k = 0; k < ORR_NKINDS; k++)
        if (c->tasks[k]) {
            cli_put(t, ",\"%s\":{\"tasks\":%lld", kinds[k], (long long)c->tasks[k]);
            cli_member_number(t, "seconds", c->seconds[k]);
            cli_put(t, "}");
        }
    cli_member_number(t, "wait", c->wait);
    cli_member_number(t, "stall", c->stall);
    cli_member_number(t, "factor", c->factor);
    cli_put(t, "}");
}

void cli_put_trace(cli_text *t, const orr_analysis *a)
{
    if (!a) {
        cli_put(t, "null");
        return;
    }
    cli_put(t, "{\"tasks\":%lld,\"edges\":%lld,\"lost\":%lld,\"workers\":{", (long long)a->tasks,
            (long long)a->edges, (long long)a->lost);
    int count = 0;
    for (int k = 0; k < ORR_NKINDS; k++)
        if (a->kind[k].workers) {
            cli_put(t, count++ ? "," : "");
            put_kind(t, kinds[k], &a->kind[k]);
        }
    cli_put(t, "},\"links\":[");
    for (int i = 0; i < a->links; i++) {
        const orr_analysis_link *l = &a->link[i];
        cli_put(t, i ? ",{" : "{");
        cli_member_json(t, "from", l->from);
        cli_member_json(t, "to", l->to);
        cli_put(t, ",\"bytes\":%lld,\"transfers\":%lld}", (long long)l->bytes,
                (long long)l->transfers);
    }
    cli_put(t, "],\"codelets\":[");
    for (int i = 0; i < a->codelets; i++) {
        cli_put(t, i ? "," : "");
        put_codelet(t, &a->codelet[i]);
    }
    cli_put(t, "]}");
}

/* ---- For people ------------------------------------------------------------------------- */

static void say_bounds(const orr_analysis *a)
{
    cli_units_text all, times, area, path, both;
    if (a->lost || !(a->lp > 0))
        cli_say("trace: %lld task%s in %s; no bounds%s", (long long)a->tasks, cli_plural(a->tasks),
                cli_units_seconds(a->makespan, all),
                a->lost ? ": memory for the trace ran out" : "");
    else
        cli_say(
            "trace: %lld task%s in %s, %s times the bound: area %s, critical path %s, both (LP) "
            "%s",
            (long long)a->tasks, cli_plural(a->tasks), cli_units_seconds(a->makespan, all),
            cli_units_digits(a->makespan / a->lp, 3, times), cli_units_seconds(a->area, area),
            cli_units_seconds(a->critical_path, path), cli_units_seconds(a->lp, both));
}

static void say_workers(const orr_analysis *a)
{
    for (int k = 0; k < ORR_NKINDS; k++) {
        const orr_analysis_kind *x = &a->kind[k];
        const double all = x->workers * a->makespan;
        if (all > 0)
            cli_say(
                "  %-6s x %-2d %8lld tasks: busy %4.1f %%, waiting for data %4.1f %%, idle %4.1f "
                "%% without and %4.1f %% with ready tasks",
                kinds[k], x->workers, (long long)x->tasks, 100 * x->busy / all,
                100 * x->stalled / all, 100 * x->starved / all, 100 * x->unserved / all);
    }
}

void cli_say_analysis(const orr_analysis *a)
{
    say_bounds(a);
    say_workers(a);
    cli_units_text text, wait, stall;
    for (int i = 0; i < a->links; i++)
        cli_say("  %s to %s: %s MB in %lld transfer%s", a->link[i].from, a->link[i].to,
                cli_units_digits(1e-6 * (double)a->link[i].bytes, 4, text),
                (long long)a->link[i].transfers, cli_plural(a->link[i].transfers));
    for (int i = 0; i < a->codelets; i++) {
        const orr_analysis_codelet *c = &a->codelet[i];
        char means[128] = "", factor[48] = "";
        size_t n = 0;
        for (int k = 0; k < ORR_NKINDS; k++)
            if (c->tasks[k])
                n += (size_t)snprintf(means + n, sizeof means - n, " %lld on %s, mean %s;",
                                      (long long)c->tasks[k], kinds[k],
                                      cli_units_seconds(c->seconds[k] / (double)c->tasks[k], text));
        if (isfinite(c->factor))
            snprintf(factor, sizeof factor, "; acceleration %.3g (measured)", c->factor);
        cli_say("  %-18s%s ready to start %s, of it data %s%s", c->name, means,
                cli_units_seconds(c->wait, wait), cli_units_seconds(c->stall, stall), factor);
    }
}
