/* Workspaces of LAPACK's divide and conquer drivers, as they ask for them.
 *
 *     workspace k;
 *     workspace_query(&k);              a call with lwork = -1 ...
 *     if (workspace_make(&k, type, n))  ... and one that computes
 *     workspace_free(&k);
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_WORKSPACE_H
#define ORR_CLI_WORKSPACE_H

#include <stddef.h>

#include <orrery/orrery.h>

typedef struct {
    int lwork, lrwork, liwork;
    void *work, *rwork;
    int *iwork;
    double first[2], rfirst[2]; /* what a query answers */
    int ifirst;
} workspace;

/* Memory for a routine's arrays and workspace, to be freed, or NULL. All of it has been written: else a
 * routine's time would have the first use of each page in it, which Orrery's arrays had in an earlier
 * run; more than a quarter of the time of a singular value decomposition of order 1000. */
void *lapack_room(size_t bytes);

void workspace_query(workspace *); /* where it is then, it stays */
/* 0: no memory. A column of n more than asked: there are matrices in it, and see stack.h. */
int workspace_make(workspace *, orr_type, int64_t n);
void workspace_free(workspace *);

#endif
