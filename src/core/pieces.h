/* Data that only the tasks of one operation see: nobody wants them home when its request is done. Where there
 * is no memory the request fails, and `who` is its culprit.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_PIECES_H
#define ORR_SRC_PIECES_H

#include "src/core/internal.h"

/* For free(), page-locked where accelerators may copy it; `alignment` as orr_request_memory has it. NULL: the
 * request has failed. */
void *orr_own_memory(orr_request *, enum orr_where, size_t alignment, size_t bytes,
                     const char *who);
/* A vector in such memory, or (NULL) wherever StarPU has it: no CPU need see it then. NULL: the request has
 * failed. */
starpu_data_handle_t orr_own_vector(orr_request *, void *memory, int64_t elements, size_t element);
/* Room for so many handles, for free(): each NULL. NULL: the request has failed. */
starpu_data_handle_t *orr_own_handles(orr_request *, int64_t count, const char *who);
/* `count` vectors of `length` elements, one behind the other. On failure the request has failed. */
starpu_data_handle_t *orr_own_vectors(orr_request *, void *memory, int64_t count, int64_t length,
                                      size_t element, const char *who);

#endif
