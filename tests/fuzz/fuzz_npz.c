/* libFuzzer: bytes as an archive of scipy.sparse or of arrays, read from a file in memory. Checksums
 * stop most changes within members; the directory, headers and lengths are what this reaches.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* memfd_create */
#include "coordinates.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char path[64];
    orr_mtx m;
    orr_io_error e;
    const int fd = memfd_create("fuzz", 0);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n)
        abort();
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
