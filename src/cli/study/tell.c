/* What a plan asks for, and how far its study is. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/text.h"
#include "src/cli/core/units.h"
#include "src/cli/study/effects.h"
#include "src/cli/study/looks.h"
#include "src/cli/study/points.h"
#include "src/cli/study/store.h"
#include "src/cli/study/work.h"

static const double ASSUMED_SPREAD = 0.08; /* docs/studies.md tells where it is from */

const char *study_duration(double seconds, char out[32])
{
    cli_units_text digits;
    if (!isfinite(seconds))
        snprintf(out, 32, "an unknown time");
    else if (seconds < 120)
        snprintf(out, 32, "%.24s s", cli_units_digits(seconds, 2, digits));
    else if (seconds < 7200)
        snprintf(out, 32, "%.0f min", seconds / 60);
    else
        snprintf(out, 32, "%.1f h", seconds / 3600);
    return out;
}

static double mean_wall(const study_rows *rows)
{
    double sum = 0;
    for (int k = 0; k < rows->n; k++)
        sum += rows->v[k].wall;
    return rows->n ? sum / rows->n : NAN;
}

static double most_memory(const study_rows *rows)
{
    double most = NAN;
    for (int k = 0; k < rows->n; k++)
        most = fmax(most, rows->v[k].rss); /* which takes NaN for nothing */
    return most;
}

static double mean_bytes(const study_rows *rows)
{
    double sum = 0;
    for (int k = 0; k < rows->n; k++)
        sum += (double)rows->v[k].bytes;
    return rows->n ? sum / rows->n : NAN;
}

/* ---- plan ----------------------------------------------------------------------------------- */

struct outlook {
    int points, runs, done;
    double seconds; /* of a run; NaN: not known */
    double memory;  /* bytes, the most of a run; NaN: not known */
    double disk;    /* bytes of results.jsonl in the end; NaN: not known */
    double spread, detectable;
    int measured; /* the spread is that of runs */
};

static void put_factors(FILE *f, const study_plan *p)
{
    for (int k = 0; k < p->factors; k++) {
        fprintf(f, "  %-10s", p->factor[k].name);
        for (int v = 0; v < p->factor[k].label.n; v++)
            fprintf(f, " %s", p->factor[k].label.v[v]);
        fputs(k == p->compare ? "   (compared)\n" : "\n", f);
    }
}

static void put_looks(FILE *f, const study_plan *p)
{
    char text[128];
    if (!p->looks)
        return;
    fprintf(
        f,
        "it ends after %s blocks if everything is decided then; each of these looks has its share of the 5 %%\n",
        looks_text(p, p->looks, text));
    for (int k = 0; k < p->looks; k++)
        if (looks_blocks(p, k) < effects_least(p, k))
            fprintf(
                f,
                "the look after %d cannot tell anything apart: at least %d blocks would be needed there\n",
                looks_blocks(p, k), effects_least(p, k));
}

static void put_comparisons(FILE *f, const study_plan *p, const struct outlook *o)
{
    const int n = effects_count(p), least = effects_least(p, looks_count(p) - 1);
    if (!n) {
        fputs("nothing is compared\n", f);
        return;
    }
    if (p->exact) {
        fprintf(f, "%d comparison%s of %s; runs are exact\n", n, n > 1 ? "s" : "",
                p->factor[p->compare].name);
        return;
    }
    fprintf(
        f,
        "%d comparison%s of %s%s%s in pairs of one block; all intervals together hold in 95 %%\n",
        n, n > 1 ? "s" : "", p->factor[p->compare].name, p->baseline >= 0 ? " with " : "",
        p->baseline >= 0 ? p->factor[p->compare].label.v[p->baseline] : "");
    if (p->blocks < least)
        fprintf(f, "%d block%s cannot tell anything apart: at least %d are needed\n", p->blocks,
                p->blocks > 1 ? "s" : "", least);
    else
        fprintf(
            f,
            "a difference of %.3g %% gets a verdict in four of five studies, where runs spread by %.2g %% (%s) and "
            "%.3g %% does not matter\n",
            100 * o->detectable, 100 * o->spread,
            o->measured        ? "as those that are done"
            : isnan(p->spread) ? "assumed"
                               : "says the plan",
            100 * p->margin);
    put_looks(f, p);
}

static void put_plan(FILE *f, const study_plan *p, const struct outlook *o)
{
    char a[32], b[32];
    fprintf(f, "%s%s%s\n", p->name, p->question ? ": " : "", p->question ? p->question : "");
    put_factors(f, p);
    fprintf(f,
            "%d point%s, each once in %s%d block%s in an order of its own: %d run%s (seed %llu)\n",
            o->points, cli_plural(o->points), p->blocks > 1 ? "each of " : "", p->blocks,
            cli_plural(p->blocks), o->runs, cli_plural(o->runs), (unsigned long long)p->seed);
    fprintf(f, "measured: %s%s\n", p->pattern ? "what a run prints: " : "",
            p->pattern ? p->pattern : p->measure);
    if (isfinite(o->seconds)) {
        fprintf(f, "%d are done; the others take about %s; at most %s\n", o->done,
                study_duration(o->seconds * (o->runs - o->done), a),
                study_duration(p->timeout * (o->runs - o->done), b));
        fprintf(f, "a run has taken %s MiB of memory at most; results.jsonl will have %s MB\n",
                cli_units_digits(o->memory / (1 << 20), 3, a),
                cli_units_digits(1e-6 * o->disk, 2, b));
    } else
        fprintf(
            f,
            "no run has been made, so how long they take is not known; at most %s (timeout %g s)\n",
            study_duration(p->timeout * o->runs, a), p->timeout);
    put_comparisons(f, p, o);
}

static void json_plan(cli_text *t, const study_plan *p, const struct outlook *o)
{
    cli_put(t, "{");
    cli_member_json(t, "study", p->name);
    cli_put(
        t,
        ",\"points\":%d,\"blocks\":%d,\"runs\":%d,\"done\":%d,\"comparisons\":%d,\"least_blocks\":%d",
        o->points, p->blocks, o->runs, o->done, effects_count(p),
        effects_least(p, looks_count(p) - 1));
    cli_member_number(t, "seconds", o->seconds * (o->runs - o->done));
    cli_member_number(t, "seconds_most", p->timeout * (o->runs - o->done));
    cli_member_number(t, "memory", o->memory);
    cli_member_number(t, "disk", o->disk);
    cli_member_number(t, "spread", o->spread);
    cli_put(t, ",\"spread_measured\":%s", o->measured ? "true" : "false");
    cli_member_number(t, "margin", p->margin);
    cli_member_number(t, "detectable", o->detectable);
    cli_put(t, "}\n");
}

int study_plan_tell(const study_plan *p, const study_how *how, cli_sink *sink)
{
    study_store store;
    study_rows rows = {0};
    cli_text t = {0}, lock = {0};
    struct outlook o = {.points = points_count(p)};
    int code = store_look(&store, p, how->out);
    if (code == CLI_OK)
        code = store.begun ? store_rows(&store, p, 0, &rows)
                           : identity_lock(p, store.dir, 1, &lock); /* could it begin? */
    cli_text_free(&lock);
    if (code == CLI_OK) {
        o.runs = o.points * p->blocks;
        o.done = rows.n;
        o.seconds = mean_wall(&rows);
        o.memory = most_memory(&rows);
        o.disk = mean_bytes(&rows) * o.runs;
        o.spread = rows.n ? effects_spread(p, &rows) : NAN;
        o.measured = o.spread > 0;
        if (!o.measured)
            o.spread = isnan(p->spread) ? ASSUMED_SPREAD : p->spread;
        o.detectable = effects_count(p) ? effects_detectable(p, o.spread) : NAN;
        if (sink->table)
            put_plan(sink->table, p, &o);
        json_plan(&t, p, &o);
        code = cli_sink_line(sink, &t);
    }
    if (code == CLI_OK && o.done < o.runs) { /* could they be made here? */
        struct orr_energy *energy;
        code = identity_energy(p, &energy);
        orr_energy_close(energy);
    }
    store_rows_free(&rows);
    return code;
}

/* ---- status --------------------------------------------------------------------------------- */

static void put_bad(FILE *f, const study_plan *p, const study_rows *rows)
{
    enum { MOST = 10 };
    int n = 0;
    for (int k = 0; k < rows->n; k++) {
        const study_row *r = &rows->v[k];
        cli_text label = {0};
        if (r->ok || n++ >= MOST)
            continue;
        points_label(&label, p, r->point, -1);
        fprintf(f, "  not ok: line %d, block %d, %s: %s\n", r->line, r->block,
                label.s ? label.s : "", r->status);
        cli_text_free(&label);
    }
    if (n > MOST)
        fprintf(f, "  and %d more\n", n - MOST);
}

int study_status(const study_plan *p, const study_how *how, cli_sink *sink)
{
    study_store store;
    study_rows rows = {0};
    cli_text t = {0};
    cli_plain_text plain;
    char text[32];
    const int runs = p->blocks * points_count(p);
    int code = store_look(&store, p, how->out);
    if (code == CLI_OK)
        code = store_rows(&store, p, 0, &rows);
    const int decided = code == CLI_OK ? looks_decided(p, &rows) : 0;
    if (decided < 0)
        code = CLI_MEMORY;
    if (code == CLI_OK) {
        const int blocks = store_whole(p, &rows), bad = store_bad(&rows);
        const double left = decided ? 0 : mean_wall(&rows) * (runs - rows.n);
        if (sink->table) {
            fprintf(sink->table, "%s: %d of %d run%s, %d not ok; %d of %d block%s whole", p->name,
                    rows.n, runs, cli_plural(runs), bad, blocks, p->blocks,
                    p->blocks == 1 ? " is" : "s are");
            if (decided)
                fprintf(sink->table, "; everything is decided after %d block%s", decided,
                        cli_plural(decided));
            else if (rows.n && rows.n < runs)
                fprintf(sink->table, "; about %s left", study_duration(left, text));
            fprintf(sink->table, "; %s\n", cli_plain(store.dir, plain));
            put_bad(sink->table, p, &rows);
        }
        cli_put(&t, "{");
        cli_member_json(&t, "study", p->name);
        cli_member_json(&t, "dir", store.dir);
        cli_put(&t, ",\"runs\":%d,\"done\":%d,\"bad\":%d,\"blocks\":%d,\"whole\":%d", runs, rows.n,
                bad, p->blocks, blocks);
        if (p->looks)
            cli_put(&t, ",\"decided\":%d", decided);
        cli_member_number(&t, "seconds_left", left);
        cli_put(&t, "}\n");
        code = cli_sink_line(sink, &t);
    }
    store_rows_free(&rows);
    return code;
}
