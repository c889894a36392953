/* The first stage of heev: a dense Hermitian matrix to a band, in the user's array.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_HE2HB_H
#define ORR_SRC_HE2HB_H

#include "src/core/internal.h"

/* What has memory of its own. */
enum orr_he2hb_memory {
    ORR_HE2HB_X,
    ORR_HE2HB_P,
    ORR_HE2HB_S,
    ORR_HE2HB_M,
    ORR_HE2HB_B,
    ORR_HE2HB_N,
    ORR_HE2HB_MEMORIES
};

struct orr_he2hb_stage {
    struct orr_he2hb r;
    struct orr_dense user;
    double scale; /* a power of two: what is reduced is the user's matrix times this */
    void *memory[ORR_HE2HB_MEMORIES];
};

/* Memory and handles for a matrix of order n, whose r.type, shape, where, owners, whole, user and scale
 * are set; with several owners panels are found apart from their tiles. On failure the request has
 * failed; free it all the same. */
void orr_he2hb_make(orr_request *, struct orr_he2hb_stage *);
void orr_he2hb_free(struct orr_he2hb_stage *);
/* Of it the tiles alone, r.A. wanted: what they hold when the request is done. */
void orr_he2hb_make_tiles(orr_request *, struct orr_he2hb_stage *, int wanted);
/* Page-locks them where devices copy them. */
void orr_he2hb_lock_tiles(orr_request *, const struct orr_he2hb_stage *);
/* The end of it, before that of the request: if devices alone have all of them when the gate opens. */
void orr_he2hb_unlock_tiles(orr_request *, const struct orr_he2hb_stage *, struct orr_gate *);
/* The tasks that bring the user's triangle into the tiles of the lower one; and locks. */
void orr_he2hb_submit_load(orr_request *, const struct orr_he2hb_stage *, int prio);

/* All tasks. Step k counts m^2 parts, m = n - (k+1)b; orr_he2hb_parts is their sum. */
void orr_he2hb_submit(orr_request *, struct orr_he2hb_stage *);
int64_t orr_he2hb_parts(const struct orr_he2hb *);
/* Priorities of the tasks are at least this. */
int orr_he2hb_least_priority(const struct orr_he2hb *);

/* What holds columns first .. first+count-1 of the band. An orr_hb2st_part.after. */
int orr_he2hb_band(void *stage, int64_t first, int64_t count, starpu_data_handle_t *handle);

/* E := Q E, the last step first; parts: of each row and column. */
void orr_he2hb_submit_apply(orr_request *, const struct orr_he2hb *, const struct orr_hb2st_panel *,
                            int64_t parts);

#endif
