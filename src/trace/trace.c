/* The tasks that ran, as a file: .csv for programs, .json for Chrome's and Perfetto's
 * viewers, .svg and .html for people, .paje for ViTE. Times are from the first submission.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/numbers.h"
#include "src/io/internal.h"
#include "src/trace/trace_write.h"

static double first_time(const struct orr_trace *t)
{
    double t0 = t->count ? t->record[0].submit : 0;
    for (size_t i = 1; i < t->count; i++)
        if (t->record[i].submit < t0)
            t0 = t->record[i].submit;
    return t0;
}

static void worker_name(int worker, char *out, size_t room)
{
    starpu_worker_get_name(worker, out, room);
}

static int write_csv(FILE *f, const struct orr_trace_view *v)
{
    const struct orr_trace *t = v->trace;
    const double t0 = v->t0;
    fprintf(f, "codelet,implementation,worker,parts,submit_us,acquire_us,start_us,end_us,ready_us,"
               "wait_us,stall_us,number,run,matrix,row,rows,group,priority\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct orr_trace_record *r = &t->record[i];
        char name[64];
        worker_name(r->worker, name, sizeof name);
        fprintf(f,
                "%s,%d,%s,%lld,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%lld,%d,%lld,%lld,%lld,%lld,%d\n",
                r->name, r->impl, name, (long long)r->parts, r->submit - t0, r->acquire - t0,
                r->start - t0, r->end - t0, r->ready - t0, r->start - r->ready,
                r->acquired - r->acquire, (long long)r->number, r->run, (long long)r->tag,
                (long long)r->row, (long long)r->span, (long long)r->group, r->priority);
    }
    return 1;
}

static int write_chrome(FILE *f, const struct orr_trace_view *v)
{
    const struct orr_trace *t = v->trace;
    const double t0 = v->t0;
    fprintf(f, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
        char name[64];
        worker_name((int)w, name, sizeof name);
        fprintf(f,
                "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":%u,\"args\":{\"name\":"
                "\"%s\"}},\n",
                w, name);
    }
    for (size_t i = 0; i < t->count; i++) {
        const struct orr_trace_record *r = &t->record[i];
        fprintf(f,
                "{\"name\":\"%s\",\"ph\":\"X\",\"pid\":0,\"tid\":%d,\"ts\":%.1f,\"dur\":%.1f,"
                "\"args\":{\"implementation\":%d,\"parts\":%lld,\"wait\":%.1f,\"stall\":%.1f}}%s\n",
                r->name, r->worker, r->start - t0, r->end - r->start, r->impl, (long long)r->parts,
                r->start - r->ready, r->acquired - r->acquire, i + 1 < t->count ? "," : "");
    }
    fprintf(f, "]}\n");
    return 1;
}

/* One colour per codelet, in order of appearance; colour-blind safe (Okabe, Ito 2008). */
const char *const orr_trace_palette[ORR_TRACE_COLOURS] = {
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#999999"};

int orr_trace_name(struct orr_trace_names *seen, const char *name)
{
    for (int i = 0; i < seen->count; i++)
        if (strcmp(seen->name[i], name) == 0)
            return i;
    if (seen->count < ORR_TRACE_NAMES)
        seen->name[seen->count++] = name;
    return seen->count - 1;
}

orr_status orr_trace_write(orr_context *c, const char *path)
{
    static const struct {
        const char *suffix;
        int (*write)(FILE *, const struct orr_trace_view *);
    } formats[] = {{".csv", write_csv},
                   {".json", write_chrome},
                   {".svg", orr_trace_write_svg},
                   {".html", orr_trace_write_html},
                   {".paje", orr_trace_write_paje},
                   {".graph", orr_trace_write_graph}};
    const char *suffix = path ? strrchr(path, '.') : NULL;
    if (!c || !c->trace || !suffix)
        return ORR_E_ARG;
    if (orr_forked())
        return ORR_E_NOWORKER;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (strcmp(suffix, formats[i].suffix) != 0)
            continue;
        orr_output out;
        int error = orr_output_open(&out, path);
        if (error) {
            errno = error;
            return error == ENOMEM ? ORR_E_NOMEM : ORR_E_FILE;
        }
        STARPU_PTHREAD_MUTEX_LOCK(&c->trace->lock);
        const struct orr_trace_view v = {c->trace, first_time(c->trace), c->last, &c->info};
        const locale_t locale = orr_numbers_begin();
        const int written = formats[i].write(out.file, &v);
        orr_numbers_end(locale);
        STARPU_PTHREAD_MUTEX_UNLOCK(&c->trace->lock);
        error = orr_output_close(&out);
        errno = error;
        return error && error != ENOMEM ? ORR_E_FILE : error || !written ? ORR_E_NOMEM : ORR_OK;
    }
    return ORR_E_ARG;
}
