/* The handles of a tree of merges, of its vectors too, which may be on accelerators.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_MERGE_HANDLES_H
#define ORR_CODELETS_MERGE_HANDLES_H

#include "codelets/band/hb2st.h"
#include "codelets/core/buffers.h"
#include "codelets/core/task.h"
#include "kernels/vectors.h"

/* The handles of a tree, which its nodes take in their order. */
struct orr_merge_handles {
    struct orr_request *req;
    size_t real;
    starpu_data_handle_t *all, *next;
    char *mark; /* of every handle without memory of its own */
};
/* Room for `count`. 0: no memory. */
int orr_merge_handles_make(struct orr_merge_handles *, struct orr_request *, int64_t count,
                           size_t real);
void orr_merge_handles_free(struct orr_merge_handles *);
/* The next `count`. */
starpu_data_handle_t *orr_merge_handles_take(struct orr_merge_handles *, int64_t count);
/* ... without memory of their own. */
starpu_data_handle_t *orr_merge_marks(struct orr_merge_handles *, int64_t count);
/* ... of a vector of `length` reals that follow each other in this memory, cut into `count` pieces of
 * `piece`, the last one perhaps shorter. */
starpu_data_handle_t *orr_merge_pieces(struct orr_merge_handles *, void *memory, int64_t length,
                                       int64_t count, int64_t piece);
/* A handle of its own, of so many reals of this memory from the `at`-th on. */
starpu_data_handle_t orr_merge_reals(struct orr_merge_handles *, void *memory, int64_t at,
                                     int64_t length);

/* What the tasks of a tree leave: the order of the values, from 1, and vectors in pieces, columns of
 * each. */
struct orr_merge_vectors {
    starpu_data_handle_t order, *piece;
    int64_t pieces, width;
    int kept; /* 1: on accelerators, and not in main memory */
};
/* Where a task may put them into a panel. */
enum orr_where orr_merge_place(const struct orr_merge_vectors *, const struct orr_hb2st_panel *);
/* For such a task: what its buffers from buf[0] on have, `pieces` matrices of `width` columns and n in
 * all; no pieces: a vector has all of them. */
orr_vectors orr_merge_vectors_of(void **buf, int64_t pieces, int64_t width, int64_t n);

#endif
