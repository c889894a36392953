/* Large memory in pages of 2 MiB: fewer reads miss the processor's table of pages, and to touch it for
 * the first time and to page-lock it for devices takes less.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* madvise */
#include <stdlib.h>
#include <sys/mman.h>

#include "codelets/core/request.h"

void *orr_large_memory(size_t bytes)
{
    const size_t page = (size_t)2 << 20, line = 64;
    const size_t align = bytes >= 2 * page ? page : line;
    const size_t whole = (bytes + align) / align * align;
    void *p = aligned_alloc(align, whole);
#ifdef MADV_HUGEPAGE
    if (p && align == page)
        madvise(p, whole, MADV_HUGEPAGE); /* a wish: small pages do as well */
#endif
    return p;
}
