/* What the packing of the formats shares. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_POWM_PACK_H
#define ORR_CPU_POWM_PACK_H

#include <stdlib.h>

#include "kernels/least.h"
#include "kernels/powm_spmv.h"

enum { STRIP = 1024 }; /* rows of which a product's sums stay in the cache */

static inline int64_t length(const orr_powm_rows *r, int64_t i)
{
    return r->ptr[i + 1] - r->ptr[i];
}

/* Bytes of a stored value. */
size_t orr_powm_value_size(const orr_powm_block *);
/* Room for an array behind those planned before; its offset. */
int64_t orr_powm_place(orr_powm_block *, int64_t count, size_t size);
/* More slots than are worth it, or than 32 bits count. */
int orr_powm_too_much(const orr_powm_block *);

struct orr_powm_writer {
    const orr_powm_rows *r;
    const orr_powm_block *b;
    int32_t *index;
    void *val;
};
/* Slot `to` of the block := the value of entry k of the rows. */
void orr_powm_put_value(const struct orr_powm_writer *, int64_t to, int64_t k);
void orr_powm_zero_values(const struct orr_powm_writer *, int64_t from, int64_t count);

/* sell, behind the head that all formats share. ORR_E_NOMEM: too much padding, no workspace */
orr_status orr_powm_plan_sell(const orr_powm_rows *, const orr_powm_form *, orr_powm_block *);
orr_status orr_powm_pack_sell(const struct orr_powm_writer *, char *block);

/* tiles, likewise */
orr_status orr_powm_plan_tiles(const orr_powm_rows *, const orr_powm_form *, orr_powm_block *);
orr_status orr_powm_pack_tiles(const struct orr_powm_writer *, char *block);

#endif
