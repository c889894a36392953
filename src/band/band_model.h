/* How long a chase task takes: from the performance models that this run has, or an estimate.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_BAND_MODEL_H
#define ORR_SRC_BAND_MODEL_H

#include <starpu.h>

#include "orrery/orrery.h"

/* A stage of hb2st (tw = b - 1) or gb2bd. */
struct orr_band_kernel {
    int gb2bd;
    orr_type type;
    int64_t n, b, tw;
    int vectors; /* reflectors are kept */
};

enum orr_pace_source {
    ORR_PACE_UNKNOWN, /* an accelerator without a model, which does not say what it is */
    ORR_PACE_ESTIMATE, /* rates of CPUs in docs/algorithms/hb2st.md, of an H200 in docs/gpu-status.md */
    ORR_PACE_CURVE,  /* the curve of a model */
    ORR_PACE_OTHERS, /* a model, but of other bandwidths */
    ORR_PACE_SHAPES  /* what a model has of this bandwidth */
};

/* Seconds of a hop. */
struct orr_pace {
    double hop;
    enum orr_pace_source source;
};

/* On workers of this kind. The first call of a context for a type reads its model. */
struct orr_pace orr_band_pace(orr_context *, orr_kind, const struct orr_band_kernel *);

/* What StarPU and the submitting thread take for a task besides, in seconds; with several workers
 * it also waits for locks, and for data from another core's cache. */
double orr_band_overhead(int gb2bd, int workers);

/* "model hb2st_chase_d", "model hb2st_chase_d, other bandwidths", "estimate", ... */
void orr_pace_name(const struct orr_band_kernel *, enum orr_pace_source, char *name, size_t room);

#endif
