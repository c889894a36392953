/* The buffers of a task whose number is known when it is submitted only:
 *
 *   orr_submit(a, sizeof *a, &codelet, prio, STARPU_DATA_MODE_ARRAY, b.d, b.n)
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_BUFFERS_H
#define ORR_BUFFERS_H

#include "codelets/core/request.h"

struct orr_buffers {
    struct starpu_data_descr *d; /* room for them */
    int n;
};

/* Room for so many, to be freed. 0: no memory, and the request has failed. */
int orr_buffers_make(struct orr_request *, struct orr_buffers *, int64_t room);

static inline void orr_buffers_add(struct orr_buffers *b, starpu_data_handle_t h,
                                   enum starpu_data_access_mode mode)
{
    b->d[b->n++] = (struct starpu_data_descr){h, mode};
}

/* These handles, all with one mode. */
static inline void orr_buffers_add_all(struct orr_buffers *b, const starpu_data_handle_t *h,
                                       int64_t count, enum starpu_data_access_mode mode)
{
    for (int64_t i = 0; i < count; i++)
        orr_buffers_add(b, h[i], mode);
}

#endif
