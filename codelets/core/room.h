/* How much of a device's memory a task may have, so that StarPU never waits for memory that it
 * cannot free: a worker holds the data of the task that runs and of those it has prefetched.
 *
 * Of a CUDA device StarPU hands out buffers up to 4 MiB from chunks of 32 MiB,
 *
 *     | chunk: b b b . b b | chunk: b . . | empty chunk, kept | a large buffer | free |
 *
 * and keeps up to 4 chunks that have become empty. So a device with less than one chunk can give
 * nothing, and what large buffers may have is what 4 chunks leave. Nothing of StarPU in here.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_ROOM_H
#define ORR_ROOM_H

#include <stddef.h>
#include <stdint.h>

enum { ORR_TASKS_HELD = 4 };

/* Buffers of one task. */
struct orr_need {
    int64_t bytes;        /* of all, as they are */
    int64_t small, large; /* on a CUDA device: small ones come from chunks, in blocks of 16 KiB */
};

void orr_need_add(struct orr_need *, size_t bytes);

/* 1: ORR_TASKS_HELD such tasks fit into `total` bytes. chunked: it is a CUDA device. */
int orr_room_fits(int64_t total, int chunked, const struct orr_need *);

/* Bytes that a task may have however they are cut into buffers. */
int64_t orr_room_bytes(int64_t total, int chunked);

#endif
