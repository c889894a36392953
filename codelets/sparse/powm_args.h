/* What the codelets of powm share: the whole of x from its parts.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_POWM_ARGS_H
#define ORR_POWM_ARGS_H

#include <stdlib.h>
#include <string.h>

#include "codelets/core/buffers.h"
#include "codelets/core/task.h"
#include "codelets/sparse/powm.h"

/* What a product needs to know of its matrix. The arrays are the matrix object's. */
struct orr_powm_place {
    orr_type type;
    int64_t cols, rows, bytes, parts;
    int owner; /* as in struct orr_task */
    const int32_t *need;
    const int64_t *col_first;
    const void *head; /* of the block, in main memory */
    struct orr_powm_devices *devices;
};

static inline struct orr_powm_place orr_powm_place_of(const struct orr_powm_matrix *m, int64_t b)
{
    return (struct orr_powm_place){.type = m->type,
                                   .cols = m->cols,
                                   .rows = m->first[b + 1] - m->first[b],
                                   .bytes = m->bytes[b],
                                   .parts = m->need_at[b + 1] - m->need_at[b],
                                   .owner = m->owner ? m->owner[b] : 0,
                                   .need = m->need + m->need_at[b],
                                   .col_first = m->col_first,
                                   .head = m->block[b],
                                   .devices = m->devices};
}

/* x as one array. In main memory the parts lie side by side, with the zeros that kernels want
 * behind them; elsewhere they are copied together into *copy, to be freed. NULL: no memory. */
const void *orr_powm_whole(const struct orr_powm_place *, void **buf, void **copy);

#ifdef ORR_WITH_CUDA
#include "kernels/powm_spmv.h"
/* The block on the device of this worker. */
orr_powm_there orr_powm_here(const struct orr_powm_place *, const void *block);
/* x on a device, of buffers buf[0 .. parts). Its arrays are one piece of memory, to be freed with
 * first; NULL: no memory. */
void *orr_powm_pieces_make(const struct orr_powm_place *, void **buf, orr_powm_pieces *);
#endif

/* The parts of x that block b needs. */
void orr_powm_buffers_add_x(struct orr_buffers *, const struct orr_powm_matrix *, int64_t b,
                            const starpu_data_handle_t *x);

/* `steps` passes over a block: its bytes, and a read and a write of each row's entry of a vector.
 * Cost depends on the block, not on how many parts of x there are. */
static inline void orr_powm_cost(struct orr_task *t, const struct orr_powm_place *p, int64_t steps)
{
    const int64_t element = (int64_t)orr_element_size(p->type);
    orr_cost(t, steps * (p->bytes + 2 * p->rows * element), p->rows, p->bytes, p->cols, steps);
}

#endif
