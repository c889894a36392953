/* malloc for tests: behind every block of 16 KiB (GUARDED_LEAST) and more lies a page that nobody may touch,
 * and what was freed stays out of reach. Libraries that read beyond a caller's array, as OpenBLAS's zgemv does
 * by a column (0.3.21), are found wherever it lies. Preloaded it serves a whole process; as a part of a library
 * that does not export it, that library alone.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

#ifndef GUARDED_LEAST
#define GUARDED_LEAST 16384
#endif
enum { PAGE = 4096, LEAST = GUARDED_LEAST };
static const size_t REACH = (size_t)1 << 40; /* addresses, which are not used twice */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *arena, *next;

/* The first page of a block: where its memory begins and ends. */
struct head {
    size_t bytes, pages;
};

static int is_guarded(const void *p)
{
    return arena && (const char *)p >= arena && (const char *)p < arena + REACH;
}

static struct head *head_of(const void *p)
{
    return (struct head *)(((uintptr_t)p & ~(uintptr_t)(PAGE - 1)) - PAGE);
}

/* Room that ends at the end of a page, as far as the alignment lets it, then a page without rights. */
static void *guarded(size_t bytes, size_t align)
{
    const size_t rounded = (bytes + align - 1) / align * align;
    const size_t pages = 1 + (rounded + PAGE - 1) / PAGE;
    char *first = NULL;
    pthread_mutex_lock(&lock);
    if (!arena) {
        void *p = mmap(NULL, REACH, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        arena = next = p == MAP_FAILED ? NULL : p;
    }
    if (arena && next + (pages + 1) * PAGE <= arena + REACH) {
        first = next;
        next += (pages + 1) * PAGE;
    }
    pthread_mutex_unlock(&lock);
    if (!first || bytes > REACH / 2 || mprotect(first, pages * PAGE, PROT_READ | PROT_WRITE)) {
        errno = ENOMEM;
        return NULL;
    }
    char *p = first + pages * PAGE - rounded;
    *head_of(p) = (struct head){.bytes = bytes, .pages = pages};
    return p;
}

static int wants_guard(size_t bytes, size_t align) { return bytes >= LEAST && align <= PAGE; }

void *malloc(size_t bytes)
{
    return wants_guard(bytes, 16) ? guarded(bytes, 16) : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return wants_guard(bytes, 16) ? guarded(bytes, 16) : __libc_calloc(count, size);
}

void free(void *p)
{
    if (!is_guarded(p)) {
        __libc_free(p);
        return;
    }
    const int was = errno;
    struct head *h = head_of(p);
    const size_t bytes = h->pages * PAGE;
    if (mmap(h, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) ==
        MAP_FAILED)
        __builtin_trap();
    errno = was;
}

size_t malloc_usable_size(void *p)
{
    /* as the C library has it: the size stands before the block, with three flags */
    return is_guarded(p) ? head_of(p)->bytes
           : p           ? (((size_t *)p)[-1] & ~(size_t)7) - 2 * sizeof(size_t)
                         : 0;
}

void *realloc(void *p, size_t bytes)
{
    if (!is_guarded(p) && !(p && wants_guard(bytes, 16)))
        return p || !wants_guard(bytes, 16) ? __libc_realloc(p, bytes) : guarded(bytes, 16);
    const size_t had = malloc_usable_size(p);
    void *q = malloc(bytes ? bytes : 1);
    if (q) {
        memcpy(q, p, had < bytes ? had : bytes);
        free(p);
    }
    return q;
}

void *memalign(size_t align, size_t bytes)
{
    return wants_guard(bytes, align) ? guarded(bytes, align < 16 ? 16 : align)
                                     : __libc_memalign(align, bytes);
}

void *aligned_alloc(size_t align, size_t bytes) { return memalign(align, bytes); }

int posix_memalign(void **p, size_t align, size_t bytes)
{
    *p = memalign(align, bytes);
    return *p ? 0 : ENOMEM;
}
