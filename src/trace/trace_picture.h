/* A trace as pictures and graphs are made of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TRACE_PICTURE_H
#define ORR_TRACE_PICTURE_H

#include "src/core/internal.h"
#include "src/picture/picture.h"

/* What StarPU, this process and the trace, which stays its owner's, say of it; `last` may be NULL. 0: out of
 * memory; it is to be freed all the same. */
int orr_trace_picture(struct orr_picture *, const struct orr_trace *, const orr_context_info *,
                      const orr_analysis *last);
void orr_trace_picture_free(struct orr_picture *);
/* StarPU's workers, to be freed; NULL: no memory. How many there are. */
struct orr_picture_worker *orr_trace_workers(int *workers);

/* The run that was analysed last, or the last one. */
int orr_trace_run_shown(const struct orr_trace *);
/* That run. 0: out of memory. */
int orr_trace_write_graph(FILE *, const struct orr_trace *);

#endif
