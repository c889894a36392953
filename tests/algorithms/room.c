/* What of a device's memory tasks may have. The oracle hands out buffers as StarPU does, in the
 * worst case that the arithmetic allows for.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdint.h>

#include "check.h"
#include "codelets/core/room.h"

static const int64_t KIB = 1 << 10, MIB = 1 << 20;

static struct orr_need need_of(int buffers, int64_t bytes)
{
    struct orr_need need = {0};
    for (int i = 0; i < buffers; i++)
        orr_need_add(&need, (size_t)bytes);
    return need;
}

/* Chunks in which so many equal buffers are placed, one after another. */
static int64_t chunks(int64_t buffers, int64_t bytes)
{
    const int64_t block = 16 * KIB, each = 32 * MIB / ((bytes + block - 1) / block * block);
    return (buffers + each - 1) / each;
}

/* Equal buffers, small or large; the 4 chunks that were kept cannot be had for large ones. */
static int really_fits(int64_t total, int buffers, int64_t bytes)
{
    const int64_t all = (int64_t)ORR_TASKS_HELD * buffers;
    if (bytes <= 4 * MIB)
        return chunks(all, bytes) * 32 * MIB <= total;
    return 4 * 32 * MIB + all * bytes <= total;
}

static void cases(void)
{
    static const struct {
        int64_t mib;
        int buffers;
        int64_t kib;
        int fits, without_chunks;
    } c[] = {
        /* below one chunk nothing can be had, which was accepted */
        {16, 1, 1, 0, 1},     {31, 1, 4, 0, 1},        {16, 3, 1024, 0, 1},
        {32, 1, 1, 1, 1},     {32, 1, 4096, 1, 1},     {32, 2, 4096, 0, 1},
        {40, 1, 4097, 0, 1},  {40, 1, 5120, 0, 1},     {63, 2, 4096, 0, 1},
        {64, 2, 4096, 1, 1},  {64, 1, 16384, 0, 1},    {160, 1, 8192, 1, 1},
        {160, 1, 8193, 0, 1}, {1024, 1, 229376, 1, 1}, {1024, 1, 229377, 0, 1},
        {32, 8, 1024, 0, 1},  {32, 7, 1024, 1, 1},     {32, 448, 16, 1, 1},
        {32, 449, 1, 0, 1},   {32, 0, 0, 1, 1},
    };
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        const struct orr_need need = need_of(c[i].buffers, c[i].kib * KIB);
        CHECK(orr_room_fits(c[i].mib * MIB, 1, &need) == c[i].fits,
              "CUDA, %lld MiB, %d of %lld KiB", (long long)c[i].mib, c[i].buffers,
              (long long)c[i].kib);
        CHECK(orr_room_fits(c[i].mib * MIB, 0, &need) == c[i].without_chunks,
              "%lld MiB, %d of %lld KiB", (long long)c[i].mib, c[i].buffers, (long long)c[i].kib);
    }
    CHECK(orr_room_bytes(31 * MIB, 1) == 0 && orr_room_bytes(32 * MIB, 1) == 4 * MIB,
          "one chunk, and less");
    CHECK(orr_room_bytes(16 * MIB, 0) == 4 * MIB, "no chunks");
    const struct orr_need tiny = need_of(100, 8); /* blocks of 16 KiB are a CUDA device's only */
    CHECK(orr_room_fits(MIB, 0, &tiny), "100 buffers of 8 bytes in 1 MiB");
}

int main(void)
{
    cases();
    for (int64_t total = MIB; total < 3000 * MIB; total += total / 7 + 123457) {
        const int64_t room = orr_room_bytes(total, 1);
        CHECK(room >= 0 && room <= total / ORR_TASKS_HELD + 4 * MIB &&
                  (room == 0) == (total < 32 * MIB),
              "room %lld", (long long)room);
        for (int buffers = 1; buffers < 40; buffers += 3)
            for (int64_t bytes = 1; bytes < 1000 * MIB; bytes += bytes / 3 + 4567) {
                const struct orr_need need = need_of(buffers, bytes);
                const int fits = orr_room_fits(total, 1, &need);
                CHECK(!fits || really_fits(total, buffers, bytes),
                      "%lld bytes have no room for %d of %lld", (long long)total, buffers,
                      (long long)bytes);
                CHECK(fits || need.small + need.large > room,
                      "%lld bytes: %d of %lld are within the room, %lld", (long long)total, buffers,
                      (long long)bytes, (long long)room);
            }
        /* a part of the room in small buffers, the rest in large ones */
        for (int part = 0; part <= 10; part++) {
            struct orr_need need = need_of((int)(room * part / 10 / (3 * MIB)), 3 * MIB);
            if (room - need.small > 4 * MIB)
                orr_need_add(&need, (size_t)(room - need.small));
            CHECK(total < 32 * MIB || orr_room_fits(total, 1, &need), "%lld bytes, part %d",
                  (long long)total, part);
        }
    }
    struct orr_need need = need_of(1, MIB);
    for (int i = 0; i < 3; i++) {
        orr_need_add(&need, INT64_MAX);
        CHECK(need.bytes == INT64_MAX / 2 && need.small + need.large == INT64_MAX / 2, "too many");
    }
    orr_need_add(&need, SIZE_MAX);
    CHECK(!orr_room_fits(INT64_MAX - 1, 1, &need) && !orr_room_fits(INT64_MAX - 1, 0, &need),
          "more than there is");
    CHECK(orr_room_bytes(INT64_MAX, 1) > 0, "no overflow");
    return checked();
}
