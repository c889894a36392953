/* From which order on calls are taken over, and what the environment says.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <locale.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/lapack/shim.h"

/* Without a table of this machine: where Orrery was faster, medians of runs in turn on two cores with
 * AVX2, OpenBLAS 0.3.21 with one or two threads, whichever was faster (docs/lapack.md). */
static const struct {
    const char *name; /* without the letter of the type */
    int64_t values, vectors;
} table[] = {
    {"syev", 64, 64},  {"syevd", 64, 64}, {"syevr", 64, 64}, {"syevx", 64, 64}, {"heev", 64, 64},
    {"heevd", 64, 64}, {"heevr", 64, 64}, {"heevx", 64, 64}, {"sygv", 64, 64},  {"sygvd", 64, 64},
    {"sygvx", 64, 64}, {"hegv", 64, 64},  {"hegvd", 64, 64}, {"hegvx", 64, 64}, {"gesvd", 64, 64},
    {"gesdd", 64, 64}, {"sbev", 64, 64},  {"sbevd", 64, 64}, {"sbevx", 64, 0},  {"sbtrd", 96, 0},
    {"hbev", 64, 64},  {"hbevd", 64, 64}, {"hbevx", 64, 0},  {"hbtrd", 96, 0},  {"gbbrd", 64, 0},
    {"sterf", 128, 0}, {"stev", 128, 0},  {"stevd", 128, 0},
};
/* NARROW: the least where vectors have fewer than 32 bytes; small matrices are LAPACK's there. */
enum { BANDWIDTH = 16, NARROW = 1000 };

static int64_t built_in(const struct orr_routine *r, int vectors)
{
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (strcmp(table[k].name, r->name + 1) == 0) {
            const int64_t order = vectors ? table[k].vectors : table[k].values;
            return order < NARROW && !orr_core_type() ? NARROW : order;
        }
    return INT64_MAX;
}

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
    return orr_measured(r, vectors, built_in(r, vectors));
}

int orr_asked(const struct orr_routine *r)
{
    return asked_for(getenv("ORRERY_LAPACK_MIN"), r->name) >= 0;
}

/* 0.3 s, of which 60 ms are gained: what starting takes. */
double orr_worth_starting(void)
{
    static atomic_int told;
    const char *text = getenv("ORRERY_LAPACK_START");
    char *end;
    if (!text || !*text)
        return 0.3;
    const locale_t locale = uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
    const double seconds =
        strtod(text, &end); /* with a point, whatever the program's numbers have */
    uselocale(locale);
    if (*end == '\0' && seconds >= 0)
        return seconds;
    if (!atomic_exchange(&told, 1))
        fprintf(stderr, "orrery: ORRERY_LAPACK_START: '%s' is no number of seconds\n", text);
    return 0.3;
}

int64_t orr_bandwidth(const struct orr_routine *r) { return orr_asked(r) ? 0 : BANDWIDTH; }
