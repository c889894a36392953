/* See pieces.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/core/pieces.h"

#include <stdlib.h>

#include "codelets/core/plan.h"

void *orr_own_memory(orr_request *req, enum orr_where where, size_t alignment, size_t bytes,
                     const char *who)
{
    void *memory = orr_request_memory(req, alignment, bytes);
    if (!memory)
        orr_request_fail(req, ORR_E_NOMEM, who);
    else if (where != ORR_ON_CPU)
        orr_request_pin(req, memory, bytes, ORR_PIN_OURS);
    return memory;
}

starpu_data_handle_t orr_own_vector(orr_request *req, void *memory, int64_t elements,
                                    size_t element)
{
    const starpu_data_handle_t h =
        orr_request_vector_on(req, memory ? STARPU_MAIN_RAM : -1, memory, elements, element);
    orr_request_spent(req, h);
    return h;
}

starpu_data_handle_t *orr_own_handles(orr_request *req, int64_t count, const char *who)
{
    starpu_data_handle_t *h = calloc((size_t)count + 1, sizeof *h);
    if (!h)
        orr_request_fail(req, ORR_E_NOMEM, who);
    return h;
}

starpu_data_handle_t *orr_own_vectors(orr_request *req, void *memory, int64_t count, int64_t length,
                                      size_t element, const char *who)
{
    starpu_data_handle_t *h = orr_own_handles(req, count, who);
    for (int64_t i = 0; h && i < count && !orr_request_failed(req); i++) {
        char *at = memory ? (char *)memory + (size_t)(i * length) * element : NULL;
        h[i] = orr_own_vector(req, at, length, element);
    }
    return h;
}
