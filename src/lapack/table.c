/* The orders from which calls are taken over, as `orrery calibrate lapack` measured them on this
 * machine: a file MACHINE.lapack (src/models/orders.h), with the lines
 *
 *     dsyevd N = 1000           values: faster from order 1000 on
 *     dsyevd V = >1500          vectors: not faster up to 1500; above, the built-in order counts
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "src/lapack/routines.h"
#include "src/lapack/shim.h"
#include "src/models/orders.h"

#define NAME(name, type, family, args, strings) #name,
static const char *const names[] = {ORR_ROUTINES(NAME)};
#undef NAME
enum { NAMES = sizeof names / sizeof *names };

static orr_orders table;

static const char *wrong(const char *key)
{
    const char *job = strchr(key, ' ');
    const size_t length = (size_t)(job - key);
    int id = 0;
    while (id < NAMES && (strlen(names[id]) != length || strncmp(names[id], key, length) != 0))
        id++;
    if (id == NAMES)
        return "no routine of this library";
    return strcmp(job, " N") && strcmp(job, " V") ? "neither N (values) nor V (vectors)" : NULL;
}

static void say(const char *path, int line, const char *reason)
{
    fprintf(stderr, "orrery: %s:%d: %s; it is not used\n", path, line, reason);
}

static void look(void)
{
    char path[1024];
    const int found = orr_orders_find(".lapack", wrong, say, &table, path, sizeof path);
    if (orr_logging())
        fprintf(stderr, "orrery: orders from which calls are taken over: %s\n",
                found ? path : "built in; 'orrery calibrate lapack' measures this machine's");
}

int64_t orr_measured(const struct orr_routine *r, int vectors, int64_t built_in)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char key[ORR_ORDER_KEY];
    int beyond = 0;
    pthread_once(&once, look);
    snprintf(key, sizeof key, "%s %c", r->name, vectors ? 'V' : 'N');
    const int64_t order = orr_orders_of(&table, key, &beyond);
    return order && !beyond ? order : order >= built_in ? order + 1 : built_in;
}
