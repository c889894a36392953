/* Memory with known bytes in it and behind it, so that a test sees who wrote where.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_CANARY_H
#define ORR_TESTS_CANARY_H

#include <stdlib.h>
#include <string.h>

enum { CANARY = 0x5a, PAST = 64 };

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes + PAST);
    if (!p)
        exit(99);
    memset(p, CANARY, bytes + PAST);
    return p;
}

/* Are these bytes as allocate left them? */
static inline int untouched(const void *p, size_t bytes)
{
    const unsigned char *c = p;
    for (size_t i = 0; i < bytes; i++)
        if (c[i] != CANARY)
            return 0;
    return 1;
}

#endif
