/* See room.h. SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/room.h"

/* As StarPU has them in src/datawizard/malloc.c. */
static const int64_t CHUNK = 32 << 20, SMALL = 4 << 20, BLOCK = 16 << 10;
enum { KEPT = 4 };

void orr_need_add(struct orr_need *need, size_t bytes)
{
    if (bytes > INT64_MAX / 2 - (size_t)(need->small + need->large)) {
        need->bytes = INT64_MAX / 2; /* no device has as much */
        need->large = INT64_MAX / 2 - need->small;
        return;
    }
    need->bytes += (int64_t)bytes;
    if ((int64_t)bytes > SMALL)
        need->large += (int64_t)bytes;
    else
        need->small += ((int64_t)bytes + BLOCK - 1) / BLOCK * BLOCK;
}

/* Chunks in which so many bytes of small buffers always find a place: the end of a chunk may be too
 * short for the next buffer. */
static int64_t chunks_for(int64_t bytes)
{
    const int64_t usable = CHUNK - SMALL;
    return bytes / usable + (bytes % usable > 0);
}

int orr_room_fits(int64_t total, int chunked, const struct orr_need *need)
{
    if (need->bytes > total / ORR_TASKS_HELD)
        return 0;
    if (!chunked)
        return 1;
    int64_t chunks = chunks_for(ORR_TASKS_HELD * need->small);
    if (need->large > 0 && chunks < KEPT)
        chunks = KEPT;
    return ORR_TASKS_HELD * need->large <= total - chunks * CHUNK;
}

int64_t orr_room_bytes(int64_t total, int chunked)
{
    if (!chunked)
        return total / ORR_TASKS_HELD;
    if (total < CHUNK)
        return 0;
    /* what 4 chunks leave, less the end of each chunk; or small buffers alone */
    const int64_t left = total - KEPT * CHUNK;
    const int64_t any = left > 0 ? left / 32 * 7 : 0; /* (32 - 4) MiB / (4 tasks, 32 MiB) */
    return any > SMALL ? any : SMALL;
}
