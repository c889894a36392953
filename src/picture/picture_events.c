/* Runs as events for Chrome's and Perfetto's viewers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/picture/run.h"

static void put_task(FILE *f, const struct orr_trace_record *r, double t0)
{
    fprintf(f, "{\"name\":");
    orr_picture_string(f, r->name);
    fprintf(f, ",\"ph\":\"X\",\"pid\":0,\"tid\":%d,\"ts\":%.1f,\"dur\":%.1f,\"args\":{", r->worker,
            r->start - t0, r->end - r->start);
    if (r->impl < 0)
        fprintf(f, "\"task\":%lld,\"priority\":%d,\"wait\":%.1f}}", (long long)r->number + 1,
                r->priority, r->start - r->ready);
    else
        fprintf(f, "\"implementation\":%d,\"parts\":%lld,\"wait\":%.1f,\"stall\":%.1f}}", r->impl,
                (long long)r->parts, r->start - r->ready, r->acquired - r->acquire);
}

int orr_picture_events(FILE *f, const struct orr_picture *p)
{
    fprintf(f, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n");
    for (int w = 0; w < p->workers; w++) {
        fprintf(
            f,
            "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":%d,\"args\":{\"name\":", w);
        orr_picture_string(f, p->worker[w].name);
        fprintf(f, "}},\n");
    }
    for (size_t i = 0; i < p->count; i++) {
        put_task(f, &p->record[i], p->t0);
        fprintf(f, "%s\n", i + 1 < p->count ? "," : "");
    }
    fprintf(f, "]}\n");
    return 1;
}
