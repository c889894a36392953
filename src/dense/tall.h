/* The QR factorization of a tall matrix, a first stage from the left only: as a tree.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_TALL_H
#define ORR_SRC_TALL_H

#include "src/dense/ge2gb.h"

struct orr_tall_node {
    struct orr_ge2gb_stage stage;
    int64_t child, children; /* those whose triangles it is a stack of; none: rows of the matrix */
    void *own;               /* memory of a stack */
};

struct orr_tall {
    struct orr_ge2gb_stage as;  /* the matrix as one stage, from the left */
    struct orr_tall_node *node; /* children first, the root last */
    int64_t count, leaves;
};

/* Memory and handles for a matrix whose `as` is set as orr_ge2gb_make wants it. On failure the request
 * has failed; free it all the same. */
void orr_tall_make(orr_request *, struct orr_tall *);
void orr_tall_free(struct orr_tall *);

/* All tasks, the most urgent with this priority; user: NULL, or what is loaded first. Returns the
 * priority of what comes next. */
int orr_tall_submit(orr_request *, int priority, const struct orr_tall *,
                    const struct orr_ge2gb_source *user);
int64_t orr_tall_parts(const struct orr_tall *);
/* What has R, n x n, at its top. */
const struct orr_ge2gb_stage *orr_tall_root(const struct orr_tall *);

/* E := Q E; below row n it has zeros. As orr_ge2gb_submit_apply. */
void orr_tall_submit_apply(orr_request *, const struct orr_tall *, const struct orr_hb2st_panel *,
                           int64_t parts);
int64_t orr_tall_apply_parts(const struct orr_tall *, int64_t columns);

#endif
