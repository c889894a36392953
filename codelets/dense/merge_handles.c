/* See merge_handles.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/dense/merge_handles.h"

#include <stdlib.h>

int orr_merge_handles_make(struct orr_merge_handles *h, struct orr_request *req, int64_t count,
                           size_t real)
{
    *h = (struct orr_merge_handles){.req = req,
                                    .real = real,
                                    .all = calloc((size_t)count, sizeof *h->all),
                                    .mark = calloc((size_t)count, 1)};
    h->next = h->all;
    return h->all && h->mark;
}

void orr_merge_handles_free(struct orr_merge_handles *h)
{
    free(h->all);
    free(h->mark);
}

starpu_data_handle_t *orr_merge_handles_take(struct orr_merge_handles *h, int64_t count)
{
    starpu_data_handle_t *const first = h->next;
    h->next += count;
    return first;
}

starpu_data_handle_t *orr_merge_marks(struct orr_merge_handles *h, int64_t count)
{
    starpu_data_handle_t *const first = orr_merge_handles_take(h, count);
    for (int64_t i = 0; i < count; i++)
        first[i] = orr_request_vector(h->req, h->mark + (first - h->all) + i, 1, 1);
    return first;
}

starpu_data_handle_t orr_merge_reals(struct orr_merge_handles *h, void *memory, int64_t at,
                                     int64_t length)
{
    return orr_request_vector(h->req, (char *)memory + (size_t)at * h->real, length, h->real);
}

starpu_data_handle_t *orr_merge_pieces(struct orr_merge_handles *h, void *memory, int64_t length,
                                       int64_t count, int64_t piece)
{
    starpu_data_handle_t *const first = orr_merge_handles_take(h, count);
    for (int64_t p = 0; p < count; p++) {
        const int64_t rest = length - p * piece;
        first[p] = orr_merge_reals(h, memory, p * piece, rest < piece ? rest : piece);
    }
    return first;
}

enum orr_where orr_merge_place(const struct orr_merge_vectors *x, const struct orr_hb2st_panel *p)
{
    /* Each accelerator takes all pieces: only where they are on one already. */
    if (!x->kept || x->pieces > ORR_VECTORS_PIECES)
        return ORR_ON_CPU;
    return p->where == ORR_ON_ACCELERATOR ? ORR_ON_ACCELERATOR_IF_FITS : p->where;
}

orr_vectors orr_merge_vectors_of(void **buf, int64_t pieces, int64_t width, int64_t n)
{
    /* Main memory has them without gaps, however many pieces there are. */
    orr_vectors x = {.width = pieces > 0 && pieces <= ORR_VECTORS_PIECES ? width : n};
    if (pieces == 0)
        x.at[0] = ORR_PTR(0);
    for (int64_t i = 0; i < pieces && i < ORR_VECTORS_PIECES; i++)
        x.at[i] = (void *)STARPU_MATRIX_GET_PTR(buf[i]);
    return x;
}
