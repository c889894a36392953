/* See pin.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/pin.h"

#include <pthread.h>
#include <starpu.h>
#include <stdint.h>
#include <stdlib.h>

#include "codelets/core/device.h"

/* What is locked, in the order of addresses, without overlaps. Arrays that overlap share pieces, and
 * the later one adds what is missing: CUDA refuses copies from memory that is locked in part. */
struct piece {
    uintptr_t from, end;
    int users;
    struct piece *next;
};

static struct {
    pthread_mutex_t lock;
    struct piece *first;
} locked = {.lock = PTHREAD_MUTEX_INITIALIZER}; /* per process, as page tables are */

struct orr_pins {
    struct piece *piece;
    const void *of; /* the array that it was added for */
    struct orr_pins *next;
};

static struct piece *make(uintptr_t from, uintptr_t end)
{
    struct piece *p = malloc(sizeof *p);
    if (p && starpu_memory_pin((void *)from, end - from) != 0) {
        orr_device_forget();
        free(p);
        return NULL;
    }
    if (p)
        *p = (struct piece){.from = from, .end = end};
    return p;
}

static void drop(struct piece *p)
{
    struct piece **at = &locked.first;
    if (--p->users > 0)
        return;
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    if (starpu_memory_unpin((void *)p->from, p->end - p->from) != 0)
        orr_device_forget();
    free(p);
}

static void use(struct orr_pins **pins, struct piece *p, const void *of)
{
    struct orr_pins *one = malloc(sizeof *one);
    p->users++;
    if (!one) {
        drop(p);
        return;
    }
    *one = (struct orr_pins){.piece = p, .of = of, .next = *pins};
    *pins = one;
}

void orr_pin(struct orr_pins **pins, const void *memory, size_t bytes, size_t least)
{
    uintptr_t at = (uintptr_t)memory;
    const uintptr_t end = at + bytes;
    if (!memory || bytes < least || starpu_cuda_worker_get_count() == 0)
        return;
    pthread_mutex_lock(&locked.lock);
    for (struct piece **next = &locked.first; at < end;) {
        struct piece *p = *next;
        if (p && p->end <= at) {
            next = &p->next;
            continue;
        }
        if (!p || p->from > at) {
            const uintptr_t upto = p && p->from < end ? p->from : end;
            struct piece *missing = make(at, upto);
            at = upto;
            if (!missing)
                continue;
            missing->next = p;
            *next = p = missing;
        }
        at = p->end;
        use(pins, p, memory);
    }
    pthread_mutex_unlock(&locked.lock);
}

void orr_unpin_array(struct orr_pins **pins, const void *memory)
{
    pthread_mutex_lock(&locked.lock);
    for (struct orr_pins **at = pins; *at;) {
        struct orr_pins *one = *at;
        if (one->of != memory) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        drop(one->piece);
        free(one);
    }
    pthread_mutex_unlock(&locked.lock);
}

void orr_unpin(struct orr_pins **pins)
{
    pthread_mutex_lock(&locked.lock);
    for (struct orr_pins *one = *pins, *next; one; one = next) {
        next = one->next;
        drop(one->piece);
        free(one);
    }
    *pins = NULL;
    pthread_mutex_unlock(&locked.lock);
}
