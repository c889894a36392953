/* Arrays of a call that are in main memory or on a device, and the cases of guests.c.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_VGPU_GUESTS_H
#define ORR_TESTS_VGPU_GUESTS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "orrery/orrery.h"
#include "orrery/sparse.h"

enum { N = 70, M = 90, GAP = 3, BAND = 5, BATCH = 3 };
extern orr_context *ctx;
extern orr_place place;

/* The arrays of a call, filled alike: in main memory, or on the last device, or some of them. */
enum { MOST = 5 };
struct arrays {
    int count, there;
    int64_t length[MOST];
    double *home[MOST];
    void *at[MOST];
    size_t filled; /* bytes that this program brought to the device */
};
/* The next one, of so many numbers from its first element to its last. */
void *array(struct arrays *, int64_t length);
void *array_at_home(struct arrays *, int64_t length);
int is_there(const struct arrays *, int k);
/* What was changed at home is there, too. */
void refill(struct arrays *, int k);
void bring_home(struct arrays *);
void free_arrays(struct arrays *);

/* Each does the same with arrays at home and on the device, and tells which of them are results. */
typedef orr_status run_fn(struct arrays *, orr_report *);
#define AT(k)  (1u << (k))
#define ALWAYS AT(31)
struct test {
    const char *name;
    run_fn *run;
    int results; /* so many of its first arrays are */
    /* AT(k) of those that are used where they are if tasks run on devices; ALWAYS: whatever the place, or it
     * tells no plan. */
    unsigned stay;
    /* Of them those that do not travel then; the others have gaps that CPUs have to keep, or are not all of
     * results. */
    unsigned spare;
};
extern const struct test guests_cases[];
extern const size_t guests_count;

/* A path of N nodes, from one to the next, and back if `both`. */
orr_sparse *path(int both, const orr_sparse_opts *);

/* Calls that are refused, or end early; the second with a context that does not use the last device. */
void guests_refused(void);
void guests_unused(void);

#endif
