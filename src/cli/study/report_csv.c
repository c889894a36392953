/* Tables of a study, for other programs. SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "src/cli/core/json.h"
#include "src/cli/study/points.h"
#include "src/cli/study/report.h"

/* ---- samples.csv ---------------------------------------------------------------------------- */

static void csv_value(cli_text *t, const json_value *v, const char *key)
{
    const json_value *m = json_member(v, key);
    cli_put(t, ",");
    if (m && m->kind == JSON_STRING)
        cli_put_csv(t, m->text);
    else if (m && m->kind == JSON_NUMBER)
        cli_put(t, "%.*s", (int)m->length, m->text);
}

static const char *const of_run[] = {"study", "id", "block", "order", "point"};
static const char *const of_row[] = {"status", "value", "wall", "cpu",  "rss",        "other",
                                     "steal",  "load",  "mhz",  "exit", "cpu_joules", "gpu_joules"};
static const char *const of_machine[] = {"time",      "machine", "kernel",
                                         "processor", "version", "git"};

static int among(const char *const *names, size_t n, const char *name)
{
    while (n > 0 && strcmp(names[n - 1], name))
        n--;
    return n > 0;
}

static int own_column(const char *name)
{
    return among(of_run, sizeof of_run / sizeof *of_run, name) ||
           among(of_row, sizeof of_row / sizeof *of_row, name) ||
           among(of_machine, sizeof of_machine / sizeof *of_machine, name);
}

/* Each after a comma; a factor may be called "machine". */
static void put_factor_names(cli_text *t, const study_report_data *d, int (*own)(const char *))
{
    for (int k = 0; k < d->p->factors; k++)
        cli_put(t, ",%s%s", own(d->p->factor[k].name) ? "factor_" : "", d->p->factor[k].name);
}

void report_samples(cli_text *t, const study_report_data *d)
{
    cli_put(t, "study,id,block,order,point");
    put_factor_names(t, d, own_column);
    for (size_t k = 0; k < sizeof of_row / sizeof *of_row; k++)
        cli_put(t, ",%s", of_row[k]);
    for (size_t k = 0; k < sizeof of_machine / sizeof *of_machine; k++)
        cli_put(t, ",%s", of_machine[k]);
    cli_put(t, "\n");
    for (int r = 0; r < d->rows->n; r++) {
        json_text j;
        const json_value *v = json_read(&j, d->rows->text[r]), *factors = json_member(v, "factors");
        cli_put(t, "%s", d->p->name);
        csv_value(t, v, "id");
        csv_value(t, v, "block");
        csv_value(t, v, "order");
        csv_value(t, v, "point");
        for (int k = 0; k < d->p->factors; k++)
            csv_value(t, factors, d->p->factor[k].name);
        for (size_t k = 0; k < sizeof of_row / sizeof *of_row; k++)
            csv_value(t, v, of_row[k]);
        for (size_t k = 0; k < sizeof of_machine / sizeof *of_machine; k++)
            csv_value(t, json_member(v, "provenance"), of_machine[k]);
        cli_put(t, "\n");
        t->failed |= !v;
        json_free(&j);
    }
}

/* ---- The figures of the page ---------------------------------------------------------------- */

static void csv_number(cli_text *t, double x)
{
    cli_put(t, ",");
    if (isfinite(x))
        cli_put_number(t, x);
}

static void csv_text(cli_text *t, const char *text)
{
    cli_put(t, ",");
    cli_put_csv(t, text ? text : "");
}

void report_effects(cli_text *t, const study_report_data *d)
{
    cli_put(t, "study,compare,a,b,ratio,low,high,blocks,verdict,note\n");
    for (int k = 0; k < d->effects; k++) {
        const study_effect *e = &d->effect[k];
        const char *const *label = (const char *const *)d->p->factor[d->p->compare].label.v;
        cli_text name = {0};
        report_effect_label(&name, d, e);
        cli_put(t, "%s", d->p->name);
        csv_text(t, name.s);
        csv_text(t, label[e->a]);
        csv_text(t, label[e->b]);
        csv_number(t, e->ratio.middle);
        csv_number(t, d->p->exact ? NAN : e->ratio.low);
        csv_number(t, d->p->exact ? NAN : e->ratio.high);
        cli_put(t, ",%d,%s", e->pairs, compare_verdict_name[e->verdict]);
        csv_text(t, e->note);
        cli_put(t, "\n");
        cli_text_free(&name);
    }
}

static const char *const of_point[] = {"study", "point", "median", "least",
                                       "most",  "runs",  "not_ok"};

static int points_column(const char *name)
{
    return among(of_point, sizeof of_point / sizeof *of_point, name);
}

void report_points(cli_text *t, const study_report_data *d)
{
    int at[STUDY_FACTORS];
    cli_put(t, "study,point");
    put_factor_names(t, d, points_column);
    cli_put(t, ",median,least,most,runs,not_ok\n");
    for (int k = 0; k < points_count(d->p); k++) {
        const report_point *q = &d->point[k];
        points_at(d->p, k, at);
        cli_put(t, "%s,%d", d->p->name, k);
        for (int f = 0; f < d->p->factors; f++)
            csv_text(t, d->p->factor[f].label.v[at[f]]);
        csv_number(t, q->median);
        csv_number(t, q->min);
        csv_number(t, q->max);
        cli_put(t, ",%d,%d\n", q->runs, q->bad);
    }
}
