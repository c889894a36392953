/* The trace as one page that needs nothing else: no network, no other file. Data as JSON, the
 * tables of the analysis, then the script of trace_page.c, which draws them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/picture/run.h"

static void put_lines(FILE *f, const char *const *line)
{
    for (; *line; line++)
        fputs(*line, f);
}

/* ---- Runs ----------------------------------------------------------------------------------- */

static void put_tasks(FILE *f, const struct orr_picture_run *x, double t0,
                      struct orr_picture_names *names, const char **comma)
{
    for (size_t i = 0; i < x->n; i++) {
        const struct orr_trace_record *r = &x->r[i];
        fprintf(f, "%s[%d,%d,%.1f,%.1f,%.1f,%.1f,", *comma, orr_picture_name(names, r->name),
                r->worker, r->ready - t0, r->acquire - t0, r->start - t0, r->end - t0);
        if (r->impl < 0) /* the script tells them as they are */
            fprintf(f, "\"not known\",\"not known\"");
        else
            fprintf(f, "%d,%lld", r->impl, (long long)r->parts);
        fprintf(f, ",%d,%lld,%lld,%lld,%lld,%d,%lld,%d]", r->run, (long long)r->tag,
                (long long)r->row, (long long)r->span, (long long)r->group, r->priority,
                (long long)x->data[i], x->critical[i]);
        *comma = ",\n";
    }
}

static void put_run(FILE *f, const struct orr_picture_run *x, double t0, const char *comma)
{
    struct orr_picture_line line[ORR_PICTURE_LINES];
    char verdict[256];
    orr_picture_verdict(x, verdict, sizeof verdict);
    fprintf(f, "%s{\"number\":%d,\"begin\":%.1f,\"end\":%.1f,\"verdict\":", comma, x->number,
            x->begin - t0, x->end - t0);
    orr_picture_string(f, verdict);
    fprintf(f, ",\"bounds\":[");
    const int n = orr_picture_lines(x, line);
    for (int i = 0; i < n; i++)
        fprintf(f, "%s[\"%s\",%.1f]", i ? "," : "", line[i].name, line[i].us);
    fprintf(f, "],\n\"moves\":[");
    for (size_t i = 0; i < x->moves; i++)
        fprintf(f, "%s[%d,%d,%.1f,%.1f,%zu]", i ? "," : "", x->move[i].from, x->move[i].to,
                x->move[i].begin - t0, x->move[i].end - t0, x->move[i].bytes);
    fprintf(f, "]}");
}

/* Tasks and what is told of each run go into two members: the second is kept until then. 0: no
 * memory. */
static int put_runs(FILE *f, const struct orr_picture *p)
{
    struct orr_picture_names names = p->names;
    const char *comma = "";
    char *text = NULL;
    size_t size = 0;
    int last = -1, shown = 0, count = 0, ok = 1;
    FILE *runs = open_memstream(&text, &size);
    if (!runs)
        return 0;
    fprintf(f, "\"tasks\":[\n");
    for (size_t i = 0; i < p->count && ok; i++) {
        struct orr_picture_run x;
        if (p->record[i].run == last) /* runs follow one another */
            continue;
        last = p->record[i].run;
        ok = orr_picture_run_make(&x, p, last);
        if (ok) {
            put_tasks(f, &x, p->t0, &names, &comma);
            put_run(runs, &x, p->t0, count ? ",\n" : "");
            shown = last == p->shown ? count : shown;
            count++;
            orr_picture_run_free(&x);
        }
    }
    fprintf(f, "],\n\"names\":[");
    for (int i = 0; i < names.count; i++) {
        fputs(i ? "," : "", f);
        orr_picture_string(f, i == ORR_PICTURE_NAMES - 1 ? "others" : names.name[i]);
    }
    ok = fclose(runs) == 0 && ok;
    fprintf(f, "],\n\"shown\":%d,\"runs\":[%s],\n", shown, ok ? text : "");
    free(text);
    return ok;
}

static void put_name(FILE *f, int number, const char *name)
{
    char plain[ORR_PICTURE_NAME];
    fputs(number ? "," : "", f);
    orr_picture_string(f, orr_picture_plain(plain, name));
}

static void put_head(FILE *f, const struct orr_picture *p)
{
    fprintf(f, "\"command\":");
    orr_picture_string(f, p->command);
    fprintf(f, ",\n\"machine\":");
    orr_picture_string(f, p->machine);
    fprintf(f, ",\n\"begin\":");
    orr_picture_string(f, p->begin);
    fprintf(f, ",\n\"workers\":[");
    for (int w = 0; w < p->workers; w++)
        put_name(f, w, p->worker[w].name);
    fprintf(f, "],\n\"nodes\":[");
    for (int n = 0; n < p->nodes; n++)
        put_name(f, n, p->node[n]);
    fprintf(f, "],\n");
}

/* ---- Tables --------------------------------------------------------------------------------- */

static void put_digits(FILE *f, double x)
{
    char digits[ORR_PICTURE_DIGITS];
    fprintf(f, ",\"%s\"", orr_picture_digits(digits, x));
}

static void put_ms(FILE *f, double seconds)
{
    if (isfinite(seconds))
        put_digits(f, 1e3 * seconds);
    else
        fprintf(f, ",\"not known\"");
}

static void put_bounds(FILE *f, const orr_analysis *a)
{
    fprintf(f,
            "{\"title\":\"The last run against the best possible\",\"head\":[\"ms\",\"makespan\","
            "\"bound: work\",\"bound: longest chain\",\"bound: both (LP)\"],\"rows\":[[\"\"");
    put_ms(f, a->makespan);
    put_ms(f, a->area);
    put_ms(f, a->critical_path);
    put_ms(f, a->lp);
    fprintf(f, "]]}");
}

static void put_workers(FILE *f, const orr_analysis *a)
{
    static const char *const kinds[ORR_NKINDS] = {"CPU", "CUDA", "OpenCL"};
    const char *comma = "";
    fprintf(
        f,
        ",\n{\"title\":\"Where the workers' time went\",\"head\":[\"kind\",\"workers\",\"tasks\","
        "\"busy %%\",\"waiting for data %%\",\"idle, no task ready %%\","
        "\"idle, tasks ready %%\"],\"rows\":[");
    for (int k = 0; k < ORR_NKINDS; k++) {
        const orr_analysis_kind *x = &a->kind[k];
        const double all = x->workers * a->makespan;
        if (!(all > 0))
            continue;
        fprintf(f, "%s[\"%s\",\"%d\",\"%lld\",\"%.1f\",\"%.1f\",\"%.1f\",\"%.1f\"]", comma,
                kinds[k], x->workers, (long long)x->tasks, 100 * x->busy / all,
                100 * x->stalled / all, 100 * x->starved / all, 100 * x->unserved / all);
        comma = ",";
    }
    fprintf(f, "]}");
}

static void put_codelets(FILE *f, const orr_analysis *a)
{
    fprintf(f, ",\n{\"title\":\"Codelets\",\"head\":[\"codelet\",\"CPU tasks\",\"CPU ms\","
               "\"CUDA tasks\",\"CUDA ms\",\"OpenCL tasks\",\"OpenCL ms\",\"mean wait us\","
               "\"of it data us\",\"acceleration, measured\"],\"rows\":[");
    for (int i = 0; i < a->codelets; i++) {
        const orr_analysis_codelet *c = &a->codelet[i];
        fputs(i ? ",[" : "[", f);
        orr_picture_string(f, c->name);
        for (int k = 0; k < ORR_NKINDS; k++) {
            fprintf(f, ",\"%lld\"", (long long)c->tasks[k]);
            put_ms(f, c->seconds[k]);
        }
        put_digits(f, 1e6 * c->wait);
        put_digits(f, 1e6 * c->stall);
        if (isfinite(c->factor))
            fprintf(f, ",\"%.3g\"]", c->factor);
        else
            fprintf(f, ",\"\"]");
    }
    fprintf(f, "]}");
}

static void put_links(FILE *f, const orr_analysis *a)
{
    if (!a->links)
        return;
    fprintf(f,
            ",\n{\"title\":\"Links\",\"head\":[\"from\",\"to\",\"MB\",\"transfers\"],\"rows\":[");
    for (int i = 0; i < a->links; i++) {
        const orr_analysis_link *l = &a->link[i];
        fputs(i ? ",[" : "[", f);
        orr_picture_string(f, l->from);
        fputc(',', f);
        orr_picture_string(f, l->to);
        put_digits(f, 1e-6 * (double)l->bytes);
        fprintf(f, ",\"%lld\"]", (long long)l->transfers);
    }
    fprintf(f, "]}");
}

int orr_picture_html(FILE *f, const struct orr_picture *p)
{
    put_lines(f, orr_picture_page);
    fprintf(f, "<script type=\"application/json\" id=\"data\">{\n");
    put_head(f, p);
    const int ok = put_runs(f, p);
    fprintf(f, "\"tables\":[");
    if (p->last) {
        put_bounds(f, p->last);
        put_workers(f, p->last);
        put_codelets(f, p->last);
        put_links(f, p->last);
    }
    fprintf(f, "]}\n</script>\n<script>\n");
    put_lines(f, orr_picture_script);
    fprintf(f, "</script>\n</body></html>\n");
    return ok;
}
