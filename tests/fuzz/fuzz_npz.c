/* libFuzzer: bytes as an archive of scipy.sparse or of arrays, read from a file in memory. Half of the inputs are read
 * with the check sums that their members have, and half with those that they should have, which would stop most
 * changes within members.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* memfd_create */
#include "coordinates.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

static size_t little(const uint8_t *p, int bytes)
{
    return bytes ? p[0] | little(p + 1, bytes - 1) << 8 : 0;
}

/* Of the first `size` bytes of what is packed. */
static uLong sum_of(const uint8_t *packed, size_t n, int deflated, size_t size)
{
    static uint8_t out[1 << 20];
    z_stream z = {.next_in = (uint8_t *)packed, .avail_in = (uInt)n, .next_out = out};
    if (!deflated)
        return crc32(0, packed, (uInt)n);
    z.avail_out = (uInt)(size < sizeof out ? size : sizeof out);
    if (inflateInit2(&z, -15) != Z_OK)
        return 0;
    inflate(&z, Z_SYNC_FLUSH);
    inflateEnd(&z);
    return crc32(0, out, (uInt)z.total_out);
}

/* Entries of directories (PKWARE's APPNOTE, 4.3.12), wherever there are some. */
static void mend_sums(uint8_t *data, size_t n)
{
    enum { ENTRY = 46, LOCAL = 30 };
    for (size_t i = 0; i + ENTRY <= n; i++) {
        uint8_t *e = data + i;
        const size_t packed = little(e + 20, 4), header = little(e + 42, 4);
        if (memcmp(e, "PK\1\2", 4) != 0 || header + LOCAL > n)
            continue;
        const size_t at =
            header + LOCAL + little(data + header + 26, 2) + little(data + header + 28, 2);
        if (at > n || packed > n - at)
            continue;
        const uLong sum = sum_of(data + at, packed, little(e + 10, 2) == 8, little(e + 24, 4));
        for (int k = 0; k < 4; k++)
            e[16 + k] = (uint8_t)(sum >> 8 * k);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char path[64];
    orr_mtx m;
    orr_io_error e;
    uint8_t *copy = malloc(n + 1);
    const int fd = memfd_create("fuzz", 0);
    if (!copy || fd < 0)
        abort();
    memcpy(copy, data, n);
    if (n % 2)
        mend_sums(copy, n);
    if (write(fd, copy, n) != (ssize_t)n)
        abort();
    free(copy);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    fuzz_check(orr_npz_read(path, 1 << 24, &m, &e), &m, &e);
    orr_mtx_free(&m);
    orr_npy a;
    const char *member = orr_npz_is_sparse(path) ? "data" : NULL;
    const orr_status s = orr_npz_array(path, member, 1 << 24, &a, &e);
    if ((s == ORR_OK) != (e.message[0] == '\0') || (s != ORR_OK && a.data))
        abort();
    orr_npy_free(&a);
    close(fd);
    return 0;
}
