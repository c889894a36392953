/* Runs in Paje's format, as ViTE and pj_dump read it: one container per worker, whose state
 * is the codelet that runs, "Data" while it waits for data, or nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/picture/run.h"

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 2\n% Alias string\n% Type string\n% Name string\n"
    "% Color color\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 3\n% Time date\n% Alias string\n% Type string\n"
    "% Container string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeSetState 4\n% Time date\n% Type string\n% Container string\n% Value string\n"
    "%EndEventDef\n"
    "%EventDef PajeDestroyContainer 5\n% Time date\n% Type string\n% Name string\n%EndEventDef\n"
    "0 P 0 Program\n0 W P Worker\n1 S W State\n"
    "2 I S Idle \"0.95 0.95 0.95\"\n2 D S Data \"0.7 0.7 0.7\"\n";

/* The palette of the other formats. */
static const char *const colour[ORR_PICTURE_COLOURS] = {
    "0.00 0.45 0.70", "0.90 0.62 0.00", "0.00 0.62 0.45", "0.80 0.47 0.65",
    "0.34 0.71 0.91", "0.84 0.37 0.00", "0.94 0.89 0.26", "0.60 0.60 0.60"};

struct change {
    double time;
    int worker, state; /* a codelet's number, or one of these */
};
enum { IDLE = -1, DATA = -2 };

static int by_time(const void *x, const void *y)
{
    const struct change *a = x, *b = y;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return (b->state == IDLE) - (a->state == IDLE); /* an end comes before a beginning */
}

static void put_state(FILE *f, const struct change *c)
{
    fprintf(f, "4 %.7f S w%d ", 1e-6 * c->time, c->worker);
    if (c->state >= 0)
        fprintf(f, "c%d\n", c->state);
    else
        fprintf(f, c->state == DATA ? "D\n" : "I\n");
}

/* What would end a string of Paje. */
static void put_words(FILE *f, const char *s)
{
    for (; *s; s++)
        fputc(*s == '"' || *s == '\\' ? '\'' : *s, f);
}

static void put_name(FILE *f, int number, const char *name)
{
    fprintf(f, "2 c%d S ", number);
    put_words(f, number == ORR_PICTURE_NAMES - 1 ? "others" : name);
    fprintf(f, " \"%s\"\n", colour[orr_picture_colour(number)]);
}

int orr_picture_paje(FILE *f, const struct orr_picture *p)
{
    struct orr_picture_names names = p->names;
    struct change *change = malloc((3 * p->count + 1) * sizeof *change);
    size_t n = 0;
    double end = 0;
    fputs(header, f);
    for (int k = 0; k < names.count; k++)
        put_name(f, k, names.name[k]);
    for (size_t i = 0; change && i < p->count; i++) {
        const struct orr_trace_record *r = &p->record[i];
        const int known = names.count, name = orr_picture_name(&names, r->name);
        if (names.count > known)
            put_name(f, name, r->name);
        if (r->acquired > r->acquire)
            change[n++] = (struct change){r->acquire - p->t0, r->worker, DATA};
        if (r->end > r->start) { /* an end comes first where times are equal */
            change[n++] = (struct change){r->start - p->t0, r->worker, name};
            change[n++] = (struct change){r->end - p->t0, r->worker, IDLE};
        }
        end = r->end - p->t0 > end ? r->end - p->t0 : end;
    }
    fprintf(f, "3 0.0 p P 0 Orrery\n");
    for (int w = 0; w < p->workers; w++) {
        fprintf(f, "3 0.0 w%d W p \"", w);
        put_words(f, p->worker[w].name);
        fprintf(f, "\"\n4 0.0 S w%d I\n", w);
    }
    if (change) {
        qsort(change, n, sizeof *change, by_time);
        for (size_t i = 0; i < n; i++)
            put_state(f, &change[i]);
    }
    for (int w = 0; w < p->workers; w++)
        fprintf(f, "5 %.7f W w%d\n", 1e-6 * end, w);
    fprintf(f, "5 %.7f P p\n", 1e-6 * end);
    const int ok = change != NULL;
    free(change);
    return ok;
}
