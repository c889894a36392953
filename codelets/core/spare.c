/* See spare.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/spare.h"

#include <stdlib.h>

enum { HEAD = 64 };

/* In the first HEAD bytes. */
struct block {
    size_t bytes; /* behind them */
};

void *orr_spare_take(struct orr_spare *s, size_t bytes)
{
    struct block *b = s ? atomic_exchange(&s->block, NULL) : NULL;
    if (!b || b->bytes < bytes) {
        free(b);
        bytes = (bytes + HEAD - 1) / HEAD * HEAD;
        b = aligned_alloc(HEAD, HEAD + bytes);
        if (!b)
            return NULL;
        b->bytes = bytes;
    }
    return (char *)b + HEAD;
}

void orr_spare_give(struct orr_spare *s, void *memory)
{
    if (!memory)
        return;
    struct block *b = (struct block *)(void *)((char *)memory - HEAD);
    free(s && b->bytes <= ORR_SPARE_MOST ? atomic_exchange(&s->block, b) : b);
}

void orr_spare_drop(struct orr_spare *s) { free(atomic_exchange(&s->block, NULL)); }
