/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "codelets/core/numbers.h"
#include "src/graph/dag.h"

/* Nanoseconds, but never a time that reads as zero. */
static void put_us(FILE *f, const char *key, double us)
{
    if (!isnan(us))
        fprintf(f, us > 0 && us < 0.001 ? " %s=%.9g" : " %s=%.3f", key, us);
}

static void put_count(FILE *f, const char *key, double x)
{
    if (!isnan(x))
        fprintf(f, " %s=%.17g", key, x);
}

static void put_known(FILE *f, const char *key, int x)
{
    if (x >= 0)
        fprintf(f, " %s=%d", key, x);
}

static void put_kinds(FILE *f, const char *key, unsigned kinds)
{
    char before = '=';
    if (kinds)
        fprintf(f, " %s", key);
    for (int k = 0; k < ORR_DAG_COUNT; k++)
        if (kinds >> k & 1) {
            fprintf(f, "%c%s", before, orr_dag_kind_name[k]);
            before = ',';
        }
}

static void put_access(FILE *f, const struct orr_dag *g, const struct orr_trace_access *a)
{
    static const char letters[] = "RWSXCMLUH"; /* of bit 1 << k */
    fprintf(f, " %llu:", (unsigned long long)a->data);
    for (int k = 0; letters[k]; k++)
        if (a->mode >> k & 1)
            putc(letters[k], f);
    if (a->bytes != g->data[a->data - 1].bytes)
        fprintf(f, ":%zu", a->bytes);
}

static void put_task(FILE *f, const struct orr_dag *g, const struct orr_dag_task *t)
{
    static const char *const wants[] = {"", " wants=cpu", " wants=accelerator"};
    if (t->pause > 0)
        fprintf(f, "pause %.3f\n", t->pause);
    fprintf(f, "task %s", t->name);
    if (t->model[0] != '-' || t->model[1])
        fprintf(f, " model=%s", t->model);
    if (t->footprint)
        fprintf(f, " footprint=%llx", (unsigned long long)t->footprint);
    if (t->phase)
        fprintf(f, " phase=%d", t->phase);
    if (t->priority)
        fprintf(f, " priority=%d", t->priority);
    put_kinds(f, "where", t->where);
    if (!t->where)
        fputs(" where=none", f);
    put_kinds(f, "sync", t->sync);
    fputs(wants[t->wants], f);
    put_known(f, "owner", t->owner);
    if (t->kind >= 0)
        fprintf(f, " ran=%s", orr_dag_kind_name[t->kind]);
    put_known(f, "worker", t->worker);
    put_known(f, "rank", t->rank);
    put_known(f, "node", t->node);
    put_us(f, "submit", t->submit);
    put_us(f, "ready", t->ready);
    put_us(f, "start", t->start);
    put_us(f, "end", t->end);
    put_count(f, "flops", t->flops);
    put_count(f, "joules", t->joules);
    for (int k = 0; k < ORR_DAG_COUNT; k++)
        put_us(f, orr_dag_kind_name[k], t->t[k]);
    for (unsigned i = 0; i < t->afters; i++)
        fprintf(f, "%s%lu", i ? "," : " after=", (unsigned long)g->before[t->after + i] + 1);
    for (unsigned i = 0; i < t->accesses; i++)
        put_access(f, g, &g->access[t->first + i]);
    putc('\n', f);
}

size_t orr_dag_beyond(const struct orr_dag *g)
{
    for (size_t i = 0; i < g->tasks; i++) {
        const struct orr_dag_task *t = &g->task[i];
        const double clock[] = {t->submit, t->ready, t->start, t->end};
        int good = 1;
        for (size_t k = 0; k < sizeof clock / sizeof *clock; k++)
            good &= isnan(clock[k]) || orr_dag_is_clock(clock[k]);
        for (int k = 0; k < ORR_DAG_COUNT; k++)
            good &= isnan(t->t[k]) || orr_dag_is_time(t->t[k]);
        if (!good)
            return i + 1;
    }
    return 0;
}

int orr_dag_write(const struct orr_dag *g, FILE *f)
{
    const locale_t locale = orr_numbers_begin(); /* not that of a program which is recorded */
    fprintf(f, "orrery graph 2\nrecorded on %s", g->host);
    for (int k = 0; k < ORR_DAG_COUNT; k++)
        if (k < ORR_DAG_HIP || g->workers[k])
            fprintf(f, " %s %d", orr_dag_kind_name[k], g->workers[k]);
    fprintf(f, "\ntasks %zu\n", g->tasks);
    for (size_t k = 0; k < g->all_data; k++)
        fprintf(f, "data %zu %zu\n", k + 1, g->data[k].bytes);
    for (size_t i = 0; i < g->tasks; i++)
        put_task(f, g, &g->task[i]);
    fprintf(f, "end\n");
    orr_numbers_end(locale);
    return !ferror(f);
}
