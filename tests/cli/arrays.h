/* Arrays, for the tools of these tests. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_CLI_ARRAYS_H
#define ORR_TESTS_CLI_ARRAYS_H

#include <stdio.h>
#include <stdlib.h>

#include <orrery/io.h>

#include "tests/numbers.h"

static int die(const char *what, const char *more)
{
    fprintf(stderr, "%s%s%s\n", what, more ? ": " : "", more ? more : "");
    return 2;
}

static double complex at(const orr_npy *a, int64_t k) { return get(a->type, a->data, k); }
static void set(orr_npy *a, int64_t k, double complex x) { put(a->type, a->data, k, x); }

static double draw(void) { return 2.0 * rand() / RAND_MAX - 1; }

static int write_array(const char *path, const orr_npy *a)
{
    orr_io_error e = {0};
    if (orr_npy_write(path, a->type, a->ndim, a->shape, 0, a->data, &e) != ORR_OK)
        return die(path, e.message);
    return 0;
}

#endif
