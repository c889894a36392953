/* The first stage of gesvd: a dense matrix to an upper band, or to a triangle.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_GE2GB_H
#define ORR_SRC_GE2GB_H

#include "src/core/internal.h"

struct orr_ge2gb_stage {
    struct orr_ge2gb r;
    void *a; /* r.m x r.n, where it works */
    int64_t lda;
    int on;          /* StarPU's number of the memory that it is in; 0: main memory; -1: there is no
                        `a`, tiles are where they are worked on */
    int two_sided;   /* 0: a triangle, A = Q R */
    int keep[2];     /* whether the reflectors of a side are wanted afterwards */
    void *memory[7]; /* of V, S and Y of either side, and of the band */
};

/* Memory and handles for a stage whose other members, and r.type, m, n, b, T, where, owners and whole, are
 * set; with owners, but not whole, panels are found apart from their tiles. On failure the request has failed; free
 * it all the same. */
void orr_ge2gb_make(orr_request *, struct orr_ge2gb_stage *);
void orr_ge2gb_free(struct orr_ge2gb_stage *);
/* The end of the tiles' page-locking, before that of the request: if a single device has all of them when
 * the gate opens. */
void orr_ge2gb_unlock_tiles(orr_request *, const struct orr_ge2gb_stage *, struct orr_gate *);

/* The tiles from elsewhere, or what becomes of them where they are: a source that is not its adjoint is the
 * stage's own matrix. from: NULL, or the stage whose tiles are the source. */
void orr_ge2gb_submit_load(orr_request *, int priority, const struct orr_ge2gb_stage *,
                           const struct orr_ge2gb_source *, const struct orr_ge2gb_stage *from);
/* All steps, the most urgent task with this priority. orr_ge2gb_parts: what they count. */
void orr_ge2gb_submit(orr_request *, int priority, const struct orr_ge2gb_stage *);
void orr_ge2gb_submit_step(orr_request *, int priority, const struct orr_ge2gb_stage *, int64_t k);
/* After steps that were submitted one by one: what orr_ge2gb_submit_apply needs of them. */
void orr_ge2gb_submit_joins(orr_request *, const struct orr_ge2gb_stage *);
int64_t orr_ge2gb_parts(const struct orr_ge2gb *);
/* How far its priorities go below the first one. */
int orr_ge2gb_priorities(const struct orr_ge2gb *);

/* What holds rows first .. first+count-1 of the band. An orr_gb2bd_part.after. */
int orr_ge2gb_band(void *stage, int64_t first, int64_t count, starpu_data_handle_t *handle);

/* E := Q E with the reflectors of one side, the last step first; each row and column counts as
 * so many parts. orr_ge2gb_apply_parts: of k columns, one part each. */
void orr_ge2gb_submit_apply(orr_request *, const struct orr_ge2gb *, int side,
                            const struct orr_hb2st_panel *, int64_t parts);
int64_t orr_ge2gb_apply_parts(const struct orr_ge2gb *, int side, int64_t k);

#endif
