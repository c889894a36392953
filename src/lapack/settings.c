/* From which order on calls are taken over, and what the environment says.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <locale.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/lapack/shim.h"

/* Without a table of this machine: where Orrery was at least as fast, medians of runs in turn on two cores with AVX-512, OpenBLAS
 * 0.3.21 with one or two threads, whichever was faster (docs/lapack.md). Of pencils a guess from above:
 * what their originals call is taken over before. */
static const struct {
    const char *name; /* without the letter of the type */
    int64_t values, vectors;
} table[] = {
    {"syev", 1000, 512},   {"syevd", 1000, 2000}, {"syevr", 1000, 512},  {"syevx", 1000, 512},
    {"heev", 512, 512},    {"heevd", 512, 512},   {"heevr", 512, 512},   {"heevx", 512, 512},
    {"sygv", 2000, 2000},  {"sygvd", 2000, 2000}, {"sygvx", 2000, 2000}, {"hegv", 2000, 2000},
    {"hegvd", 2000, 2000}, {"hegvx", 2000, 2000}, {"gesvd", 256, 256},   {"gesdd", 256, 1000},
    {"sbev", 1024, 512},   {"sbevd", 1024, 512},  {"sbevx", 1024, 0},    {"sbtrd", 512, 0},
    {"hbev", 512, 512},    {"hbevd", 512, 512},   {"hbevx", 512, 0},     {"hbtrd", 512, 0},
    {"gbbrd", 256, 0},     {"sterf", 512, 0},     {"stev", 512, 0},      {"stevd", 512, 0},
};
enum { BANDWIDTH = 16 };

static int flag(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

int orr_logging(void) { return flag("ORRERY_LAPACK_LOG"); }
int orr_checking(void) { return flag("ORRERY_CHECK"); }

/* One item of "300,syevd=1000,zgesdd=500": whom it means, or 0 if it is malformed. */
static int read_item(const char *item, size_t length, const char **name, size_t *name_length,
                     int64_t *value)
{
    const char *equals = memchr(item, '=', length), *digits = equals ? equals + 1 : item;
    char *end;
    *name = item;
    *name_length = equals ? (size_t)(equals - item) : 0;
    *value = strtoll(digits, &end, 10);
    return end == item + length && end > digits && *value >= 0;
}

static int means(const char *name, size_t length, const char *routine)
{
    return strlen(routine) == length && memcmp(name, routine, length) == 0;
}

/* -1: nothing about this routine. Of several items the last one that means it counts. */
static int64_t asked_for(const char *items, const char *routine)
{
    static atomic_int told;
    int64_t order = -1;
    for (const char *item = items, *next; item && *item; item = next) {
        const size_t length = strcspn(item, ",");
        const char *name;
        size_t name_length;
        int64_t value;
        next = item + length + (item[length] == ',');
        if (!read_item(item, length, &name, &name_length, &value)) {
            if (!atomic_exchange(&told, 1))
                fprintf(stderr, "orrery: ORRERY_LAPACK_MIN: '%.*s' is neither N nor ROUTINE=N\n",
                        (int)length, item);
        } else if (name_length == 0 || means(name, name_length, routine) ||
                   means(name, name_length, routine + 1)) {
            order = value;
        }
    }
    return order;
}

int64_t orr_threshold(const struct orr_routine *r, int vectors)
{
    const int64_t order = asked_for(getenv("ORRERY_LAPACK_MIN"), r->name);
    if (order >= 0)
        return order;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (strcmp(table[k].name, r->name + 1) == 0)
            return orr_measured(r, vectors, vectors ? table[k].vectors : table[k].values);
    return INT64_MAX;
}

int orr_asked(const struct orr_routine *r)
{
    return asked_for(getenv("ORRERY_LAPACK_MIN"), r->name) >= 0;
}

/* 0.2 s, of which 60 ms are gained. */
double orr_worth_starting(void)
{
    static atomic_int told;
    const char *text = getenv("ORRERY_LAPACK_START");
    char *end;
    if (!text || !*text)
        return 0.2;
    const locale_t locale = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    const double seconds =
        strtod(text, &end); /* with a point, whatever the program's numbers have */
    uselocale(locale);
    if (*end == '\0' && seconds >= 0)
        return seconds;
    if (!atomic_exchange(&told, 1))
        fprintf(stderr, "orrery: ORRERY_LAPACK_START: '%s' is no number of seconds\n", text);
    return 0.2;
}

int64_t orr_bandwidth(const struct orr_routine *r) { return orr_asked(r) ? 0 : BANDWIDTH; }
