/* The orders from which calls are taken over, as `orrery calibrate lapack` measured them on this
 * machine: a file MACHINE.lapack where models of machines are looked for.
 *
 *     format = 1
 *     cpu = ...                 what must be equal here
 *     cores = 2
 *     devices = 0
 *     dsyevd N = 1000           values: faster from order 1000 on
 *     dsyevd V = >1500          vectors: not faster up to 1500; above, the built-in order counts
 *
 * Other keys before the first routine are for readers. A file that is malformed is told and passed
 * over, one of another machine is passed over.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/models.h"
#include "src/lapack/routines.h"
#include "src/lapack/shim.h"

#define NAME(name, type, family, args, strings) #name,
static const char *const names[] = {ORR_ROUTINES(NAME)};
#undef NAME
enum { NAMES = sizeof names / sizeof *names };

struct table {
    int64_t from[NAMES][2], slower[NAMES][2]; /* by values or vectors; 0: nothing is known */
    int format, cpu, cores, devices;          /* lines that were there */
    int other;                                /* of another machine */
};

static struct table table;

/* ---- Lines ----------------------------------------------------------------------------------- */

static int number(const char *text, int64_t *value)
{
    char *end;
    *value = strtoll(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && *value > 0 && *value <= INT32_MAX;
}

static int whole(const char *text, int wanted)
{
    char *end;
    const long value = strtol(text, &end, 10);
    return end > text && *end == '\0' && value == wanted;
}

/* NULL, or what is wrong. */
static const char *read_head(struct table *t, const orr_machine *here, const char *key,
                             const char *value)
{
    if (strcmp(key, "format") == 0) {
        t->format = whole(value, 1);
        return t->format ? NULL : "a format that this library does not know";
    }
    if (strcmp(key, "cpu") == 0) {
        t->cpu = 1;
        t->other |= strcmp(value, here->cpu) != 0;
    } else if (strcmp(key, "cores") == 0) {
        t->cores = 1;
        t->other |= !whole(value, here->cores);
    } else if (strcmp(key, "devices") == 0) {
        t->devices = 1;
        t->other |= !whole(value, here->devices);
    }
    return NULL;
}

static const char *read_order(struct table *t, const char *routine, char job, const char *value)
{
    int id = 0;
    while (id < NAMES && strcmp(names[id], routine) != 0)
        id++;
    if (id == NAMES)
        return "no routine of this library";
    if (job != 'N' && job != 'V')
        return "neither N (values) nor V (vectors)";
    if (!t->format || !t->cpu || !t->cores || !t->devices)
        return "format, cpu, cores or devices is missing before it";
    const int slower = value[0] == '>', vectors = job == 'V';
    int64_t order;
    if (!number(value + slower, &order))
        return "no order";
    (slower ? t->slower : t->from)[id][vectors] = order;
    return NULL;
}

static const char *read_line(struct table *t, const orr_machine *here, char *line)
{
    char *end = strchr(line, '\n');
    if (!end)
        return "the line is cut off or too long";
    *end = '\0';
    if (line[0] == '\0' || line[0] == '#')
        return NULL;
    char *equals = strstr(line, " = ");
    if (!equals)
        return "neither KEY = VALUE nor ROUTINE JOB = ORDER";
    *equals = '\0';
    char *job = strchr(line, ' ');
    if (!job)
        return read_head(t, here, line, equals + 3);
    *job++ = '\0';
    return read_order(t, line, job[1] == '\0' ? job[0] : '\0', equals + 3);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* 1: it is of this machine, and whole. */
static int read_file(const char *path, const orr_machine *here, struct table *t)
{
    char line[1024];
    const char *wrong = NULL;
    int at = 0;
    FILE *f = fopen(path, "r");
    *t = (struct table){.other = 0};
    while (f && !wrong && !t->other && fgets(line, sizeof line, f)) {
        at++;
        wrong = read_line(t, here, line);
    }
    if (f && !wrong && !t->other && !(t->format && t->cpu && t->cores && t->devices))
        wrong = "format, cpu, cores or devices is missing";
    if (wrong)
        fprintf(stderr, "orrery: %s:%d: %s; it is not used\n", path, at, wrong);
    if (f)
        fclose(f);
    return f && !wrong && !t->other;
}

static int is_table(const struct dirent *e)
{
    static const char suffix[] = ".lapack";
    const size_t length = strlen(e->d_name), end = sizeof suffix - 1;
    return length > end && e->d_name[0] != '.' && strcmp(e->d_name + length - end, suffix) == 0;
}

static int search(char *path, size_t room)
{
    char place[512];
    orr_machine here;
    int found = 0;
    orr_machine_query(&here);
    for (int k = 0; !found && orr_models_place(k, place, sizeof place); k++) {
        struct dirent **list = NULL;
        const int n = *place ? scandir(place, &list, is_table, alphasort) : 0;
        for (int i = 0; i < n; i++) {
            if (!found && (size_t)snprintf(path, room, "%s/%s", place, list[i]->d_name) < room)
                found = read_file(path, &here, &table);
            free(list[i]);
        }
        free(list);
    }
    if (!found)
        table = (struct table){.other = 0};
    return found;
}

static void look(void)
{
    char path[1024];
    const int found = search(path, sizeof path);
    if (orr_logging())
        fprintf(stderr, "orrery: orders from which calls are taken over: %s\n",
                found ? path : "built in; 'orrery calibrate lapack' measures this machine's");
}

int64_t orr_measured(const struct orr_routine *r, int vectors, int64_t built_in)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look);
    for (int id = 0; id < NAMES; id++)
        if (strcmp(names[id], r->name) == 0) {
            const int64_t slower = table.slower[id][vectors], from = table.from[id][vectors];
            return from ? from : slower >= built_in ? slower + 1 : built_in;
        }
    return built_in;
}
