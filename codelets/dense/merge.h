/* The tasks of heev's and gesvd's divide and conquer, a tree of merges: what src/dense may do with what
 * orr_heev_split and orr_gesvd_split make.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_MERGE_H
#define ORR_CODELETS_MERGE_H

struct orr_merge_tasks;
/* All tasks, on CPUs; products of large matrices where the matrix says. They leave the values, and the
 * vectors in another order, in pieces; the matrix is read. */
void orr_insert_merge(struct orr_merge_tasks *);
/* No more tasks will read the vectors. */
void orr_merge_forget(const struct orr_merge_tasks *);
void orr_merge_drop(struct orr_merge_tasks *); /* when the request is done; NULL is legal */

#endif
