/* How wide the blocks of a band are best, on CPUs, on devices, or divided between both.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_BAND_WIDTH_H
#define ORR_SRC_BAND_WIDTH_H

#include "src/band/band_model.h"
#include "src/band/band_wave.h"
#include "src/core/internal.h"

/* What is faster by no more than this part is as fast. */
static const double ORR_BAND_EQUAL = 0.005;

enum orr_band_where { ORR_BAND_CPUS, ORR_BAND_DEVICES, ORR_BAND_BOTH };

/* One band on this node. */
struct orr_band {
    struct orr_wave w;                           /* but D, split and move */
    struct orr_wave_stage *stage;                /* w.stage; but G */
    enum orr_pace_source source[ORR_WAVE_KINDS]; /* the least certain of all stages */
    struct orr_band_kernel kernel;               /* of the first stage */
    const struct orr_hb2st *hb2st;               /* what is reduced: one of the two */
    const struct orr_gb2bd *gb2bd;
    int node;           /* the memory of a device; -1: none may do it */
    int64_t height;     /* elements of a column, about */
    int64_t least_D, D; /* D: the caller's, or 0 */
    int64_t most_G;     /* the caller's, or INT64_MAX */
    int64_t columns;    /* the caller's split, or 0 */
};

/* The least width, not below D, whose blocks begin at cache lines. */
int64_t orr_band_aligned(int64_t D);
/* What G sweeps need: hb2st (G-1)(b-1) + b columns, gb2bd G(b-1) rows. */
int64_t orr_band_columns_for(const struct orr_band *, int64_t G, int64_t b);
int64_t orr_band_blocks(const struct orr_band *, int64_t D);
/* How many of these blocks are a device's. */
int64_t orr_band_split(const struct orr_band *, int64_t D, enum orr_band_where);
/* Into blocks of D columns, of which devices have `split`: fills D, split and move of w, and G of the stages. */
void orr_band_cut(struct orr_band *, int64_t D, int64_t split);
/* 1: the tasks of the plan that was cut last may run on a device. */
int orr_band_fits(const struct orr_band *, int64_t D);

struct orr_band_choice {
    int64_t D;
    double seconds, tasks;
};
/* The widest of those that are fastest; the band is cut so. */
struct orr_band_choice orr_band_best_width(struct orr_band *, enum orr_band_where);

#endif
