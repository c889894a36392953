/* A block of memory that is kept from one small call to the next: fresh memory costs a page fault
 * for every 4 KiB, in a call of 100 us as much as the work. One block at most, of MOST bytes at most;
 * calls at the same time take others, of which one stays.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SPARE_H
#define ORR_SPARE_H

#include <stdatomic.h>
#include <stddef.h>

struct orr_spare { /* zero is empty */
    _Atomic(void *) block;
};

enum { ORR_SPARE_MOST = 16 << 20 };

/* At least so many bytes, with anything in them, at a multiple of 64; NULL: no memory. The spare may
 * be NULL: memory that nobody keeps. */
void *orr_spare_take(struct orr_spare *, size_t bytes);
void orr_spare_give(struct orr_spare *, void *memory); /* NULL is legal */
void orr_spare_drop(struct orr_spare *);

#endif
