/* Preloaded beside the stand-ins: tells them what is freed (pages.cpp).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <malloc.h>

void vgpu_freed(const void *, size_t bytes) __attribute__((weak));
void __libc_free(void *);
void free(void *);

void free(void *p)
{
    if (p && vgpu_freed)
        vgpu_freed(p, malloc_usable_size(p));
    __libc_free(p);
}
