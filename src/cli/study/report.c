/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/study/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/outputs.h"
#include "src/cli/study/looks.h"
#include "src/cli/core/sorted.h"
#include "src/cli/study/points.h"
#include "src/cli/study/work.h"

/* ---- What rows come to ---------------------------------------------------------------------- */

static int make_points(study_report_data *d)
{
    const int points = points_count(d->p);
    double *v = malloc((size_t)(d->rows->n + 1) * sizeof *v);
    d->point = calloc((size_t)points, sizeof *d->point);
    for (int k = 0; v && d->point && k < points; k++) {
        report_point *q = &d->point[k];
        int n = 0;
        for (int r = 0; r < d->rows->n; r++) {
            const study_row *row = &d->rows->v[r];
            if (row->point == k && row->ok)
                v[n++] = row->value;
            q->runs += row->point == k;
            q->bad += row->point == k && !row->ok;
        }
        cli_sort(v, n);
        q->median = n ? cli_middle(v, n) : NAN;
        q->min = n ? v[0] : NAN;
        q->max = n ? v[n - 1] : NAN;
    }
    free(v);
    return v && d->point;
}

void report_effect_label(cli_text *t, const study_report_data *d, const study_effect *e)
{
    const study_words *label = &d->p->factor[d->p->compare].label;
    if (e->point < 0)
        cli_put(t, "over all cases");
    else if (d->p->factors > 1)
        points_label(t, d->p, e->point, d->p->compare);
    if (t->n)
        cli_put(t, ": ");
    cli_put(t, "%s over %s", label->v[e->b], label->v[e->a]);
}

void report_standing(cli_text *t, const study_report_data *d)
{
    char text[128];
    const int reached = looks_reached(d->p, d->rows);
    if (d->p->looks && reached)
        cli_put(t, "looked at after %s of %d blocks, for which the intervals allow%s",
                looks_text(d->p, reached, text), d->p->blocks,
                reached < d->p->looks ? "; blocks after that do not count yet" : "");
    else if (d->p->looks)
        cli_put(t, "the first look is after %d block%s", looks_blocks(d->p, 0),
                cli_plural(looks_blocks(d->p, 0)));
    else if (d->whole < d->p->blocks && !d->p->exact)
        cli_put(
            t,
            "the study is not finished, and its plan has no 'looks': who looks at it again and again until a "
            "verdict pleases has no 95 %%");
}

double report_ours(const study_report_data *d, const study_published *q)
{
    int at[STUDY_FACTORS];
    const report_point *mine = &d->point[points_find(d->p, q->at)];
    if (!q->ratio)
        return mine->median;
    memcpy(at, q->at, sizeof at);
    at[d->p->compare] = d->p->baseline;
    return mine->median / d->point[points_find(d->p, at)].median;
}

void report_ranks(const study_report_data *d, int point, int *low, int *high)
{
    const int n = d->p->factor[d->p->compare].label.n;
    int at[STUDY_FACTORS];
    for (int v = 0; v < n; v++) {
        low[v] = 1;
        high[v] = n;
    }
    for (int k = 0; k < d->effects; k++) {
        const study_effect *e = &d->effect[k];
        if (e->point < 0)
            continue;
        points_at(d->p, e->point, at);
        at[d->p->compare] = 0;
        if (points_find(d->p, at) != point ||
            (e->verdict != COMPARE_FASTER && e->verdict != COMPARE_SLOWER))
            continue;
        const int slow = e->verdict == COMPARE_SLOWER ? e->b : e->a,
                  fast = e->verdict == COMPARE_SLOWER ? e->a : e->b;
        low[slow]++;
        high[fast]--;
    }
}

/* ---- The table ------------------------------------------------------------------------------ */

static void put_effects(FILE *f, const study_report_data *d)
{
    if (!d->effects) {
        fputs("nothing is compared\n", f);
        return;
    }
    fprintf(f, "ratios%s; SAME: within %.3g %%\n%-9s %7s %-18s %6s  %s\n",
            d->p->exact ? ", which are exact" : " with intervals that hold together in 95 %",
            100 * d->p->margin, "verdict", "ratio", "interval", "blocks", "case");
    for (int k = 0; k < d->effects; k++) {
        const study_effect *e = &d->effect[k];
        char interval[64] = "", ratio[32] = "-";
        cli_text label = {0};
        report_effect_label(&label, d, e);
        if (isfinite(e->ratio.middle))
            snprintf(ratio, sizeof ratio, "%.4g", e->ratio.middle);
        if (isfinite(e->ratio.low) && !d->p->exact)
            snprintf(interval, sizeof interval, "[%.4g, %.4g]", e->ratio.low, e->ratio.high);
        fprintf(f, "%-9s %7s %-18s %6d  %s%s%s%s\n", compare_verdict_name[e->verdict], ratio,
                interval, e->pairs, label.s ? label.s : "", e->note ? " (" : "",
                e->note ? e->note : "", e->note ? ")" : "");
        cli_text_free(&label);
    }
}

static void put_standing(FILE *f, const study_report_data *d)
{
    cli_text t = {0};
    report_standing(&t, d);
    if (t.n)
        fprintf(f, "%s\n", t.s);
    cli_text_free(&t);
}

static void put_published(FILE *f, const study_report_data *d)
{
    for (int k = 0; k < d->p->published_n; k++) {
        const study_published *q = &d->p->published[k];
        const double ours = report_ours(d, q), off = ours / q->value - 1;
        cli_text label = {0};
        points_label(&label, d->p, points_find(d->p, q->at), -1);
        fprintf(f, "%s: published %.6g%s, ", label.s ? label.s : "", q->value,
                q->ratio ? " (ratio)" : "");
        if (isfinite(off))
            fprintf(f, "here %.6g, %+.2f %%: %s (%s)\n", ours, 100 * off,
                    fabs(off) <= q->within ? "agrees" : "does not agree", q->source);
        else
            fprintf(f, "not known here (%s)\n", q->source);
        cli_text_free(&label);
    }
}

static int put_json(cli_sink *sink, const study_report_data *d)
{
    int code = CLI_OK;
    for (int k = 0; k < d->effects && code == CLI_OK && sink->json.path; k++) {
        const study_effect *e = &d->effect[k];
        const study_factor *f = &d->p->factor[d->p->compare];
        cli_text t = {0}, label = {0};
        report_effect_label(&label, d, e);
        cli_put(&t, "{");
        cli_member_json(&t, "compare", label.s);
        cli_member_json(&t, "a", f->label.v[e->a]);
        cli_member_json(&t, "b", f->label.v[e->b]);
        cli_put(&t, ",\"point\":%d,\"pairs\":%d,\"lacking\":%d,\"ratio\":{", e->point, e->pairs,
                e->lacking);
        cli_member_number(&t, "median", e->ratio.middle);
        cli_member_number(&t, "low", e->ratio.low);
        cli_member_number(&t, "high", e->ratio.high);
        cli_put(&t, "}");
        cli_member_json(&t, "verdict", compare_verdict_name[e->verdict]);
        cli_member_json(&t, "note", e->note);
        if (d->p->looks)
            cli_put(&t, ",\"looks\":%d", looks_reached(d->p, d->rows));
        cli_put(&t, "}\n");
        code = cli_sink_line(sink, &t);
        cli_text_free(&label);
    }
    return code;
}

/* ---- All of it ------------------------------------------------------------------------------ */

static const char svg[] = "<svg", name_space[] = "<svg xmlns=\"http://www.w3.org/2000/svg\"";

/* A picture within the page needs no name space, in a file of its own it does. */
static int write_one(const study_report_data *d, const char *name,
                     void (*make)(cli_text *, const study_report_data *))
{
    char path[IDENTITY_PATH];
    cli_text t = {0}, alone = {0};
    snprintf(path, sizeof path, "%s/%s", d->store->dir, name);
    make(&t, d);
    const int picture = t.s && !strncmp(t.s, svg, strlen(svg));
    if (picture)
        cli_put(&alone, "%s%s", name_space, t.s + strlen(svg));
    const int code =
        t.failed || alone.failed ? CLI_MEMORY : output_text(path, picture ? &alone : &t);
    cli_text_free(&t);
    cli_text_free(&alone);
    return code;
}

static const struct {
    const char *name;
    void (*make)(cli_text *, const study_report_data *);
    int of_effects; /* only where something is compared */
} written[] = {
    {"samples.csv", report_samples, 0}, {"points.csv", report_points, 0},
    {"points.svg", chart_values, 0},    {"drift.svg", chart_drift, 0},
    {"effects.csv", report_effects, 1}, {"effects.svg", chart_effects, 1},
    {"report.html", report_html, 0},
};

static int write_all(const study_report_data *d)
{
    int code = CLI_OK;
    for (size_t k = 0; k < sizeof written / sizeof *written && code == CLI_OK; k++)
        if (d->effects || !written[k].of_effects)
            code = write_one(d, written[k].name, written[k].make);
    return code;
}

static int make(study_report_data *d, cli_sink *sink)
{
    int code = CLI_OK;
    study_effect *effects = effects_make(d->p, d->rows);
    d->effect = effects;
    d->effects = effects ? effects_count(d->p) : 0;
    d->whole = store_whole(d->p, d->rows);
    if (!make_points(d) || (effects_count(d->p) && !effects))
        code = CLI_MEMORY;
    if (code == CLI_OK)
        code = write_all(d);
    if (code == CLI_OK && sink->table) {
        fprintf(sink->table, "%s: %d of %d block%s, %d run%s, %d not ok\n", d->p->name, d->whole,
                d->p->blocks, cli_plural(d->p->blocks), d->rows->n, cli_plural(d->rows->n),
                store_bad(d->rows));
        put_standing(sink->table, d);
        put_effects(sink->table, d);
        put_published(sink->table, d);
        fprintf(sink->table, "%s/report.html, its figures as .svg and .csv, and samples.csv\n",
                d->store->dir);
    }
    if (code == CLI_OK)
        code = put_json(sink, d);
    if (code == CLI_MEMORY)
        cli_say("out of memory");
    free(effects);
    free(d->point);
    return code;
}

int study_report(const study_plan *p, const study_how *how, cli_sink *sink)
{
    study_store store;
    study_rows rows = {0};
    study_report_data d = {.p = p, .store = &store, .rows = &rows};
    int code = store_look(&store, p, how->out);
    if (code == CLI_OK)
        code = store_rows(&store, p, 1, &rows);
    if (code == CLI_OK && !rows.n) {
        cli_say("%s: no runs: 'orrery study run %s' makes them", store.dir, p->path);
        code = CLI_FILE;
    }
    if (code == CLI_OK)
        code = make(&d, sink);
    store_rows_free(&rows);
    return code;
}
