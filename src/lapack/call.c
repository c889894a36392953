/* A call: whether it is taken over, and what is said about it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "src/lapack/shim.h"

static int wide(const struct orr_call *c)
{
    return c->form == ORR_PLAIN_64 || c->form == ORR_SCIPY_64;
}

char orr_letter(const struct orr_call *c, int place)
{
    return (char)toupper(*(const unsigned char *)c->arg[place]);
}

int64_t orr_integer(const struct orr_call *c, int place)
{
    return wide(c) ? *(const int64_t *)c->arg[place] : *(const int32_t *)c->arg[place];
}

void orr_put_integer(const struct orr_call *c, int place, int64_t index, int64_t value)
{
    if (wide(c))
        ((int64_t *)c->arg[place])[index] = value;
    else
        ((int32_t *)c->arg[place])[index] = (int32_t)value;
}

void orr_name(const struct orr_routine *r, enum orr_form form, char out[40])
{
    static const char *const forms[] = {[ORR_PLAIN] = "%s_",
                                        [ORR_PLAIN_64] = "%s_64_",
                                        [ORR_SCIPY] = "scipy_%s_",
                                        [ORR_SCIPY_64] = "scipy_%s_64_"};
    snprintf(out, 40, forms[form], r->name);
}

int orr_accepted(const struct orr_call *c)
{
    const int *length = c->routine->family->length;
    void *arg[ORR_MOST_ARGS];
    int64_t query = -1; /* its first half is -1, too */
    memcpy(arg, c->arg, (size_t)c->routine->args * sizeof *arg);
    for (int k = 0; k < ORR_LENGTHS && length[k]; k++)
        arg[length[k]] = &query;
    orr_original(c, arg);
    return orr_integer(c, c->routine->args - 1) == 0;
}

int orr_lengths_suffice(const struct orr_call *c, const struct orr_bound *least, int64_t n)
{
    const int *length = c->routine->family->length;
    for (int k = 0; k < ORR_LENGTHS && length[k]; k++)
        if (orr_integer(c, length[k]) < least[k].c0 + (least[k].c1 + least[k].c2 * n) * n)
            return 0;
    return 1;
}

static int is_query(const struct orr_call *c)
{
    const int *length = c->routine->family->length;
    for (int k = 0; k < ORR_LENGTHS && length[k]; k++)
        if (orr_integer(c, length[k]) == -1)
            return 1;
    return 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void say(const struct orr_call *c, const char *why, double seconds)
{
    char name[40];
    orr_name(c->routine, c->form, name);
    if (why)
        fprintf(stderr, "orrery: %s %s: passed on: %s\n", name, c->what, why);
    else
        fprintf(stderr, "orrery: %s %s: taken over, %.3g s\n", name, c->what, seconds);
}

void orr_lapack(const struct orr_routine *r, int id, enum orr_form form, const void *caller,
                void **arg)
{
    struct orr_call c = {.routine = r, .id = id, .form = form, .caller = caller, .arg = arg};
    if (orr_inside() || is_query(&c)) {
        orr_original(&c, arg);
        return;
    }
    const double begun = now();
    const char *why = r->family->take(&c);
    if (orr_logging() || c.wrong)
        say(&c, why, now() - begun);
    if (why)
        orr_original(&c, arg);
    if (c.deferred)
        orr_deferred_end();
}
