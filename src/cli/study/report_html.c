/* report.html: one file, nothing else is loaded. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/cli.h"
#include "src/cli/core/json.h"
#include "src/cli/core/record.h"
#include "src/cli/study/points.h"
#include "src/cli/study/report.h"

static const double DISTURBED = 0.05; /* of the processors that others had during a run */

static const char head[] =
    "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n<style>\n"
    "body { font: 15px/1.5 sans-serif; margin: 1.2em auto; padding: 0 1em; max-width: 66em; color: #222; background: #fff }\n"
    "h1 { font-size: 1.4em } h2 { font-size: 1.1em; margin-top: 1.6em } .wide { overflow-x: auto }\n"
    "table { border-collapse: collapse } td, th { padding: .15em .7em; text-align: right; border-bottom: 1px solid #ddd; "
    "white-space: nowrap }\n"
    "td:first-child, th:first-child { text-align: left } td.text { text-align: left; white-space: normal; min-width: 11em }\n"
    "pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f5f5f5; "
    "padding: .6em } svg { width: 100%; min-width: 57em; display: block }\n"
    ".FASTER { color: #00704f } .SLOWER { color: #a63f00 } .UNDECIDED { color: #005a8e }\n"
    "@media (max-width: 500px) { body { font-size: 13px; padding: 0 .4em } }\n"
    "@media print { svg { min-width: 0 } * { print-color-adjust: exact; -webkit-print-color-adjust: exact } h2 { break-after: avoid } }\n"
    "</style>\n";

/* Empty where the number is not known. */
static void put_cell(cli_text *t, int digits, double x)
{
    cli_put(t, "<td>");
    if (isfinite(x))
        cli_put(t, "%.*g", digits, x);
    cli_put(t, "</td>");
}

/* ---- What can be said ----------------------------------------------------------------------- */

static void put_sentence(cli_text *t, const study_report_data *d, const study_effect *e)
{
    static const char *const says[] = {"B takes less than A", "they differ by less than matters",
                                       "B takes more than A"};
    const int apart = e->ratio.low > 1 || e->ratio.high < 1;
    cli_text label = {0};
    report_effect_label(&label, d, e);
    cli_put(t, "<tr><td>");
    cli_put_html(t, label.s ? label.s : "");
    cli_text_free(&label);
    cli_put(t, "</td><td class=\"%s\"><b>%s</b></td>", compare_verdict_name[e->verdict],
            compare_verdict_name[e->verdict]);
    put_cell(t, 4, e->ratio.middle);
    cli_put(t, "<td>");
    if (isfinite(e->ratio.low) && !d->p->exact)
        cli_put(t, "%.4g to %.4g", e->ratio.low, e->ratio.high);
    cli_put(t, "</td><td>%d</td><td class=\"text\">%s%s</td></tr>\n", e->pairs,
            e->verdict != COMPARE_UNDECIDED ? says[e->verdict]
            : apart ? "they differ, but whether by more than matters is open"
                    : "they cannot be told apart",
            e->note ? ": " : "");
    if (e->note) {
        t->n -= strlen("</td></tr>\n");
        cli_put(t, "%s</td></tr>\n", e->note);
    }
}

static void put_effects(cli_text *t, const study_report_data *d)
{
    if (!d->effects) {
        cli_put(t, "<p>Nothing is compared in this study.</p>\n");
        return;
    }
    cli_put(t, "<p>B over A of the measure, in pairs of one block. ");
    if (d->p->exact)
        cli_put(t, "Runs are exact: no chance is in them.");
    else
        cli_put(
            t, "%s in 95 %% of such studies (Hodges and Lehmann; the level of each by Bonferroni).",
            d->effects > 1 ? "All intervals together hold" : "The interval holds");
    cli_put(
        t,
        " A difference of %.3g %% does not matter.</p>\n"
        "<div class=\"wide\"><table><tr><th>B over A</th><th>verdict</th><th>ratio</th><th>interval</th><th>blocks</th>"
        "<th></th></tr>\n",
        100 * d->p->margin);
    for (int k = 0; k < d->effects; k++)
        put_sentence(t, d, &d->effect[k]);
    cli_put(t, "</table></div>\n<div class=\"wide\">\n");
    chart_effects(t, d);
    cli_put(t, "</div>\n");
}

static void put_ranks(cli_text *t, const study_report_data *d)
{
    const study_words *label = d->p->compare < 0 ? NULL : &d->p->factor[d->p->compare].label;
    int *low = label ? malloc(2 * (size_t)label->n * sizeof *low) : NULL, at[STUDY_FACTORS];
    if (!label || d->p->baseline >= 0 || !low) {
        t->failed |= label && !low;
        free(low);
        return;
    }
    cli_put(
        t,
        "<h2>Ranks</h2>\n<p>Of the values of %s in each case, 1 takes least. Values that were not told apart share "
        "ranks.</p>\n<div class=\"wide\"><table><tr><th>case</th>",
        d->p->factor[d->p->compare].name);
    for (int v = 0; v < label->n; v++) {
        cli_put(t, "<th>");
        cli_put_html(t, label->v[v]);
        cli_put(t, "</th>");
    }
    for (int k = 0; k < points_count(d->p); k++) {
        cli_text name = {0};
        points_at(d->p, k, at);
        if (at[d->p->compare])
            continue;
        points_label(&name, d->p, k, d->p->compare);
        report_ranks(d, k, low, low + label->n);
        cli_put(t, "</tr>\n<tr><td>");
        cli_put_html(t, name.s ? name.s : "");
        cli_text_free(&name);
        for (int v = 0; v < label->n; v++)
            cli_put(t, low[v] == low[label->n + v] ? "</td><td>%d" : "</td><td>%d to %d", low[v],
                    low[label->n + v]);
        cli_put(t, "</td>");
    }
    cli_put(t, "</tr></table></div>\n");
    free(low);
}

static void put_published(cli_text *t, const study_report_data *d)
{
    if (!d->p->published_n)
        return;
    cli_put(
        t,
        "<h2>Published, and here</h2>\n<div class=\"wide\"><table><tr><th>at</th><th>published</th><th>here</th>"
        "<th>difference</th><th></th><th>source</th></tr>\n");
    for (int k = 0; k < d->p->published_n; k++) {
        const study_published *q = &d->p->published[k];
        const double ours = report_ours(d, q), off = ours / q->value - 1;
        cli_text label = {0};
        points_label(&label, d->p, points_find(d->p, q->at), -1);
        cli_put(t, "<tr><td>");
        cli_put_html(t, label.s ? label.s : "");
        cli_put(t, "%s</td><td>%.6g</td>", q->ratio ? ", ratio" : "", q->value);
        put_cell(t, 6, ours);
        if (isfinite(off))
            cli_put(t, "<td>%+.2f %%</td><td>%s</td><td class=\"text\">", 100 * off,
                    fabs(off) <= q->within ? "agrees" : "does not agree");
        else
            cli_put(t, "<td></td><td>not known here</td><td class=\"text\">");
        cli_put_html(t, q->source);
        cli_put(t, "</td></tr>\n");
        cli_text_free(&label);
    }
    cli_put(t, "</table></div>\n");
}

/* ---- What was measured ---------------------------------------------------------------------- */

static void put_points(cli_text *t, const study_report_data *d)
{
    cli_put(t, "<h2>Measured</h2>\n<p>");
    cli_put_html(t, d->p->pattern ? "What runs print: " : "");
    cli_put_html(t, d->p->pattern ? d->p->pattern : d->p->measure);
    cli_put(t, "; samples.csv has every run.</p>\n<div class=\"wide\">\n");
    chart_values(t, d);
    if (points_count(d->p) > CHART_POINTS)
        cli_put(t, "<p>The first %d of %d points.</p>\n", CHART_POINTS, points_count(d->p));
    cli_put(
        t,
        "<table><tr><th>point</th><th>median</th><th>least</th><th>most</th><th>runs</th><th>not ok</th></tr>\n");
    for (int k = 0; k < points_count(d->p); k++) {
        const report_point *q = &d->point[k];
        cli_text label = {0};
        points_label(&label, d->p, k, -1);
        cli_put(t, "<tr><td>");
        cli_put_html(t, label.s ? label.s : "");
        cli_put(t, "</td>");
        put_cell(t, 5, q->median);
        put_cell(t, 5, q->min);
        put_cell(t, 5, q->max);
        cli_put(t, "<td>%d</td><td>%d</td></tr>\n", q->runs, q->bad);
        cli_text_free(&label);
    }
    cli_put(t, "</table></div>\n");
}

static void put_conditions(cli_text *t, const study_report_data *d)
{
    int disturbed = 0, known = 0;
    for (int k = 0; k < d->rows->n; k++) {
        known += isfinite(d->rows->v[k].other);
        disturbed += d->rows->v[k].other > DISTURBED;
    }
    cli_put(
        t,
        "<h2>Over time</h2>\n<p>Each run over the median of its point, in the order in which they were made. During %d of %d "
        "runs others had more than %.0f %% of the machine's processors%s.</p>\n<div class=\"wide\">\n",
        disturbed, known, 100 * DISTURBED,
        known < d->rows->n ? " (of shorter runs it is not known)" : "");
    chart_drift(t, d);
    cli_put(t, "</div>\n");
}

/* ---- Where it is from ----------------------------------------------------------------------- */

static void put_bad(cli_text *t, const study_report_data *d)
{
    int n = 0;
    for (int k = 0; k < d->rows->n; k++) {
        json_text j;
        cli_text label = {0};
        if (d->rows->v[k].ok)
            continue;
        if (!n++)
            cli_put(t, "<h2>Runs that were not ok</h2>\n");
        const char *said = json_text_of(json_read(&j, d->rows->text[k]), "said");
        points_label(&label, d->p, d->rows->v[k].point, -1);
        cli_put(t, "<p>Block %d, ", d->rows->v[k].block);
        cli_put_html(t, label.s ? label.s : "");
        cli_put(t, ": ");
        cli_put_html(t, d->rows->v[k].status);
        cli_put(t, "</p>\n");
        if (*said) {
            cli_put(t, "<pre>");
            cli_put_html(t, said);
            cli_put(t, "</pre>\n");
        }
        cli_text_free(&label);
        json_free(&j);
    }
}

/* A row's provenance without its time, which is its last member. */
static void provenance_of(const char *row, const char **begin, size_t *n)
{
    static const char key[] = "\"provenance\":{", last[] = ",\"time\":";
    const char *end = NULL;
    *begin = strstr(row, key);
    for (const char *s = *begin; s && (s = strstr(s, last)); s++)
        end = s;
    *n = end ? (size_t)(end - *begin) - strlen(key) : 0;
    *begin = *begin ? *begin + strlen(key) : row;
}

static void put_provenance(cli_text *t, const study_report_data *d)
{
    cli_put(t, "<h2>Where it is from</h2>\n");
    for (int k = 0, before = -1; k < d->rows->n; k++) {
        const char *a, *b = "";
        size_t n, m = 0;
        provenance_of(d->rows->text[k], &a, &n);
        if (before >= 0)
            provenance_of(d->rows->text[before], &b, &m);
        if (before >= 0 && n == m && !memcmp(a, b, n))
            continue;
        cli_put(t, "<p>From the run in line %d of results.jsonl on:</p>\n<pre>",
                d->rows->v[k].line);
        cli_text one = {0};
        cli_put_bytes(&one, a, n);
        cli_put_html(t, one.s ? one.s : "");
        cli_text_free(&one);
        cli_put(t, "</pre>\n");
        before = k;
    }
    cli_put(t, "<p>The command of a run, with seed %llu:</p>\n<pre>",
            (unsigned long long)d->p->seed);
    for (int k = 0; k < d->p->run.n; k++) {
        cli_put(t, "%s", k ? " " : "");
        cli_put_html(t, d->p->run.v[k]);
    }
    cli_put(t, "</pre>\n");
    for (int k = 0; k < d->p->factors; k++) {
        const study_factor *f = &d->p->factor[k];
        cli_put(t, "<p>%s:", f->name);
        for (int v = 0; v < f->label.n; v++) {
            cli_put(t, "%s ", v ? "," : "");
            cli_put_html(t, f->label.v[v]);
        }
        cli_put(t, "</p>\n");
    }
    cli_put(t, "<p>Programs and files are in plan.lock with their sums. Written by orrery %s",
            ORR_VERSION);
    cli_put_html(t, *cli_git() ? " " : "");
    cli_put_html(t, cli_git());
    cli_put(t, ".</p>\n");
}

void report_html(cli_text *t, const study_report_data *d)
{
    cli_text standing = {0};
    cli_put_bytes(t, head, sizeof head - 1);
    cli_put(t, "<title>%s</title></head><body>\n<h1>%s</h1>\n<p>", d->p->name, d->p->name);
    cli_put_html(t, d->p->question ? d->p->question : "");
    cli_put(t, "</p>\n<p>%d of %d block%s whole, %d run%s", d->whole, d->p->blocks,
            d->p->blocks == 1 ? " is" : "s are", d->rows->n, cli_plural(d->rows->n));
    report_standing(&standing, d);
    if (standing.n) {
        cli_put(t, "; <b>");
        cli_put_html(t, standing.s);
        cli_put(t, "</b>");
    }
    cli_text_free(&standing);
    cli_put(t, ".</p>\n<h2>What can be said</h2>\n");
    put_effects(t, d);
    put_ranks(t, d);
    put_published(t, d);
    put_points(t, d);
    put_conditions(t, d);
    put_bad(t, d);
    put_provenance(t, d);
    cli_put(t, "</body></html>\n");
}
