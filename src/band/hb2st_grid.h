/* The memory and the handles that sweeps of hb2st work on: blocks of the band, carries, reflectors.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_HB2ST_GRID_H
#define ORR_SRC_HB2ST_GRID_H

#include "src/band/hb2st.h"

/* Sweeps on blocks of D columns: all, or those that are not the tail, or the tail. */
struct orr_hb2st_grid {
    struct orr_hb2st r;               /* shape, handles */
    int64_t first_block, first_group; /* those before are not used and have no handles */
    void *H, *carry;                  /* memory of all blocks, of all carries */
};

/* Blocks and carries. alone: nobody but a device sees what is passed on and kept, which then has no main
 * memory, that would have to be page-locked while the device works. On failure the request has failed;
 * in any case orr_hb2st_grid_free is due. */
void orr_hb2st_grid_make(orr_request *, enum orr_where, int alone, struct orr_hb2st_grid *);
/* Reflectors are kept, until orr_hb2st_drop; wanted: in memory when the request is done. NULL, or without
 * handles: the request has failed. */
orr_hb2st_factor *orr_hb2st_grid_keep(orr_request *, enum orr_where, int alone, int wanted,
                                      struct orr_hb2st_grid *);
/* Not the handles V. */
void orr_hb2st_grid_free(struct orr_hb2st_grid *);

#endif
