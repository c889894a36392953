/* The tasks that ran, as a file: .csv for programs, .json for Chrome's and Perfetto's
 * viewers, .svg and .html for people, .paje for ViTE. Times are from the first submission.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "codelets/core/numbers.h"
#include "src/io/internal.h"
#include "src/trace/trace_picture.h"

static int write_csv(FILE *f, const struct orr_picture *p)
{
    fprintf(f, "codelet,implementation,worker,parts,submit_us,acquire_us,start_us,end_us,ready_us,"
               "wait_us,stall_us,number,run,matrix,row,rows,group,priority\n");
    for (size_t i = 0; i < p->count; i++) {
        const struct orr_trace_record *r = &p->record[i];
        fprintf(f,
                "%s,%d,%s,%lld,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%.1f,%lld,%d,%lld,%lld,%lld,%lld,%d\n",
                r->name, r->impl, p->worker[r->worker].name, (long long)r->parts, r->submit - p->t0,
                r->acquire - p->t0, r->start - p->t0, r->end - p->t0, r->ready - p->t0,
                r->start - r->ready, r->acquired - r->acquire, (long long)r->number, r->run,
                (long long)r->tag, (long long)r->row, (long long)r->span, (long long)r->group,
                r->priority);
    }
    return 1;
}

/* 0: out of memory. */
static int draw(FILE *f, const orr_context *c, int (*write)(FILE *, const struct orr_picture *))
{
    struct orr_picture p;
    const int ok = orr_trace_picture(&p, c->trace, &c->info, c->last) && write(f, &p);
    orr_trace_picture_free(&p);
    return ok;
}

orr_status orr_trace_write(orr_context *c, const char *path)
{
    static const struct {
        const char *suffix;
        int (*write)(FILE *, const struct orr_picture *); /* NULL: a graph, which is no picture */
    } formats[] = {{".csv", write_csv},         {".json", orr_picture_events},
                   {".svg", orr_picture_svg},   {".html", orr_picture_html},
                   {".paje", orr_picture_paje}, {".graph", NULL}};
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
        const locale_t locale = orr_numbers_begin();
        const int written = formats[i].write ? draw(out.file, c, formats[i].write)
                                             : orr_trace_write_graph(out.file, c->trace);
        orr_numbers_end(locale);
        STARPU_PTHREAD_MUTEX_UNLOCK(&c->trace->lock);
        error = orr_output_close(&out);
        errno = error;
        return error && error != ENOMEM ? ORR_E_FILE : error || !written ? ORR_E_NOMEM : ORR_OK;
    }
    return ORR_E_ARG;
}
