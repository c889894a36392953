/* The trace as one page that needs nothing else: no network, no other file. Data as JSON, the
 * tables of the analysis, then the script of trace_page.c, which draws them.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/trace/trace_run.h"

static void put_lines(FILE *f, const char *const *line)
{
    for (; *line; line++)
        fputs(*line, f);
}

/* As JSON within <script>: neither quotes nor the end of the element may come through. */
static void put_string(FILE *f, const char *s)
{
    fputc('"', f);
    for (; *s; s++)
        if (*s == '"' || *s == '\\' || *s == '<' || (unsigned char)*s < 0x20)
            fprintf(f, "\\u%04x", (unsigned char)*s);
        else
            fputc(*s, f);
    fputc('"', f);
}

/* ---- Runs ----------------------------------------------------------------------------------- */

static void put_tasks(FILE *f, const struct orr_trace_run *x, double t0,
                      struct orr_trace_names *names, const char **comma)
{
    for (size_t i = 0; i < x->n; i++) {
        const struct orr_trace_record *r = &x->r[i];
        fprintf(f, "%s[%d,%d,%.1f,%.1f,%.1f,%.1f,%d,%lld,%d,%lld,%lld,%lld,%lld,%d,%lld,%d]",
                *comma, orr_trace_name(names, r->name), r->worker, r->ready - t0, r->acquire - t0,
                r->start - t0, r->end - t0, r->impl, (long long)r->parts, r->run, (long long)r->tag,
                (long long)r->row, (long long)r->span, (long long)r->group, r->priority,
                (long long)x->data[i], x->critical[i]);
        *comma = ",\n";
    }
}

static void put_run(FILE *f, const struct orr_trace_run *x, double t0, const char *comma)
{
    struct orr_trace_line line[ORR_TRACE_LINES];
    char verdict[256];
    orr_trace_verdict(x, verdict, sizeof verdict);
    fprintf(f, "%s{\"number\":%d,\"begin\":%.1f,\"end\":%.1f,\"verdict\":", comma, x->number,
            x->begin - t0, x->end - t0);
    put_string(f, verdict);
    fprintf(f, ",\"bounds\":[");
    const int n = orr_trace_lines(x, line);
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
static int put_runs(FILE *f, const struct orr_trace_view *v)
{
    struct orr_trace_names names = {0};
    const char *comma = "";
    char *text = NULL;
    size_t size = 0;
    int last = -1, shown = 0, count = 0, ok = 1;
    FILE *runs = open_memstream(&text, &size);
    if (!runs)
        return 0;
    fprintf(f, "\"tasks\":[\n");
    for (size_t i = 0; i < v->trace->count && ok; i++) {
        struct orr_trace_run x;
        if (v->trace->record[i].run == last) /* runs follow one another */
            continue;
        last = v->trace->record[i].run;
        ok = orr_trace_run_make(&x, v, last);
        if (ok) {
            put_tasks(f, &x, v->t0, &names, &comma);
            put_run(runs, &x, v->t0, count ? ",\n" : "");
            shown = last == orr_trace_run_shown(v->trace) ? count : shown;
            count++;
            orr_trace_run_free(&x);
        }
    }
    fprintf(f, "],\n\"names\":[");
    for (int i = 0; i < names.count; i++) {
        fputs(i ? "," : "", f);
        put_string(f, i == ORR_TRACE_NAMES - 1 ? "others" : names.name[i]);
    }
    ok = fclose(runs) == 0 && ok;
    fprintf(f, "],\n\"shown\":%d,\"runs\":[%s],\n", shown, ok ? text : "");
    free(text);
    return ok;
}

static void put_names(FILE *f, const char *key, int count, void (*name)(int, char *, size_t))
{
    fprintf(f, "\"%s\":[", key);
    for (int i = 0; i < count; i++) {
        char text[64];
        name(i, text, sizeof text);
        fputs(i ? "," : "", f);
        put_string(f, text);
    }
    fprintf(f, "],\n");
}

static void put_head(FILE *f, const struct orr_trace_view *v)
{
    char words[4096];
    orr_trace_command(words, sizeof words);
    fprintf(f, "\"command\":");
    put_string(f, words);
    orr_trace_machine(v, words, sizeof words);
    fprintf(f, ",\n\"machine\":");
    put_string(f, words);
    fprintf(f, ",\n");
    put_names(f, "workers", (int)starpu_worker_get_count(), orr_trace_worker);
    put_names(f, "nodes", (int)starpu_memory_nodes_get_count(), orr_trace_node);
}

/* ---- Tables --------------------------------------------------------------------------------- */

static void put_digits(FILE *f, double x)
{
    char digits[ORR_TRACE_DIGITS];
    fprintf(f, ",\"%s\"", orr_trace_digits(digits, x));
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
        fprintf(f, "%s[\"%s\"", i ? "," : "", c->name);
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
        put_string(f, l->from);
        fputc(',', f);
        put_string(f, l->to);
        put_digits(f, 1e-6 * (double)l->bytes);
        fprintf(f, ",\"%lld\"]", (long long)l->transfers);
    }
    fprintf(f, "]}");
}

int orr_trace_write_html(FILE *f, const struct orr_trace_view *v)
{
    put_lines(f, orr_trace_page);
    fprintf(f, "<script type=\"application/json\" id=\"data\">{\n");
    put_head(f, v);
    const int ok = put_runs(f, v);
    fprintf(f, "\"tables\":[");
    if (v->last) {
        put_bounds(f, v->last);
        put_workers(f, v->last);
        put_codelets(f, v->last);
        put_links(f, v->last);
    }
    fprintf(f, "]}\n</script>\n<script>\n");
    put_lines(f, orr_trace_script);
    fprintf(f, "</script>\n</body></html>\n");
    return ok;
}
