/* How a task uses a piece of data. Knows no StarPU: graphs are read where there is none.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_ACCESS_H
#define ORR_ACCESS_H

#include <stddef.h>
#include <stdint.h>

/* The values of StarPU's enum starpu_data_access_mode, which codelets/core/trace.c checks. */
enum orr_access_mode {
    ORR_ACCESS_R = 1,
    ORR_ACCESS_W = 2,
    ORR_ACCESS_RW = 3,
    ORR_ACCESS_SCRATCH = 4,
    ORR_ACCESS_REDUX = 8,
    ORR_ACCESS_COMMUTE = 16,
    ORR_ACCESS_SSEND = 32,
    ORR_ACCESS_LOCALITY = 64,
    ORR_ACCESS_OF_STARPU = 127, /* all of these */
    ORR_ACCESS_UNORDERED = 128, /* ours: no edge follows from it */
    /* ours: after the task, and before the next one, the program called starpu_data_wont_use for the data,
     * which copies them to main memory once they are written and links are idle, and gives up those copies first */
    ORR_ACCESS_HOME = 256,
};

struct orr_trace_access {
    uint64_t data; /* a number for each handle, never used again when the handle is gone */
    int mode;      /* of enum orr_access_mode */
    size_t bytes;
};

/* The accesses of a task: access[first .. first + count). */
struct orr_uses {
    size_t first;
    unsigned count;
};

#endif
