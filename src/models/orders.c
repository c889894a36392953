/* See orders.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/models/orders.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/models.h"

typedef const char *wrong_fn(const char *key);
typedef void say_fn(const char *path, int line, const char *reason);

/* Lines of a file that were there. */
struct head {
    int format, cpu, cores, devices, other; /* other: of another machine */
};

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
static const char *read_head(struct head *t, const orr_machine *here, const char *key,
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

static const char *read_order(orr_orders *o, const struct head *t, const char *key,
                              const char *value)
{
    const int beyond = value[0] == '>';
    int64_t order;
    if (!t->format || !t->cpu || !t->cores || !t->devices)
        return "format, cpu, cores or devices is missing before it";
    if (!number(value + beyond, &order))
        return "no order";
    if (o->count == ORR_MOST_ORDERS)
        return "there are too many lines";
    snprintf(o->line[o->count].key, ORR_ORDER_KEY, "%.*s", ORR_ORDER_KEY - 1, key);
    o->line[o->count].order = order;
    o->line[o->count++].beyond = beyond;
    return NULL;
}

static const char *read_line(orr_orders *o, struct head *t, const orr_machine *here,
                             wrong_fn *wrong, char *line)
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
    if (!strchr(line, ' '))
        return read_head(t, here, line, equals + 3);
    const char *const reason = wrong(line);
    return reason ? reason : read_order(o, t, line, equals + 3);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static void keep_reason(orr_orders *o, const char *path, int line, const char *reason)
{
    if (*o->wrong)
        return;
    snprintf(o->wrong, sizeof o->wrong, "%s:%d: %s", strrchr(path, '/') + 1, line, reason);
    for (char *c = o->wrong; *c; c++)
        if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\')
            *c = '?';
}

/* 1: it is of this machine, and whole. */
static int read_file(const char *path, const orr_machine *here, wrong_fn *wrong, say_fn *say,
                     orr_orders *o)
{
    char line[1024];
    const char *reason = NULL;
    struct head t = {0};
    int at = 0;
    FILE *f = fopen(path, "r");
    o->count = 0;
    while (f && !reason && !t.other && fgets(line, sizeof line, f)) {
        at++;
        reason = read_line(o, &t, here, wrong, line);
    }
    if (!f || (!reason && !t.other && ferror(f)))
        reason = strerror(errno);
    if (f && !reason && !t.other && !(t.format && t.cpu && t.cores && t.devices))
        reason = "format, cpu, cores or devices is missing";
    if (reason)
        keep_reason(o, path, at, reason);
    if (reason && say)
        say(path, at, reason);
    if (f)
        fclose(f);
    return f && !reason && !t.other;
}

/* One place, names in their order. */
static int look_in(const char *place, const char *suffix, const orr_machine *here, wrong_fn *wrong,
                   say_fn *say, orr_orders *o, char *path, size_t room)
{
    struct dirent **list = NULL;
    const int n = *place ? scandir(place, &list, NULL, alphasort) : 0;
    const size_t end = strlen(suffix);
    int found = 0;
    for (int i = 0; i < n; i++) {
        const char *name = list[i]->d_name;
        const size_t length = strlen(name);
        if (!found && length > end && name[0] != '.' && strcmp(name + length - end, suffix) == 0 &&
            (size_t)snprintf(path, room, "%s/%s", place, name) < room)
            found = read_file(path, here, wrong, say, o);
        free(list[i]);
    }
    free(list);
    return found;
}

int orr_orders_find(const char *suffix, wrong_fn *wrong, say_fn *say, orr_orders *o, char *path,
                    size_t room)
{
    char place[512];
    orr_machine here;
    int found = 0;
    o->wrong[0] = '\0';
    orr_machine_query(&here);
    for (int k = 0; !found && orr_models_place(k, place, sizeof place); k++)
        found = look_in(place, suffix, &here, wrong, say, o, path, room);
    if (!found)
        o->count = 0;
    return found;
}

int64_t orr_orders_of(const orr_orders *o, const char *key, int *beyond)
{
    for (int k = o->count - 1; k >= 0; k--)
        if (strcmp(o->line[k].key, key) == 0) {
            *beyond = o->line[k].beyond;
            return o->line[k].order;
        }
    return 0;
}
