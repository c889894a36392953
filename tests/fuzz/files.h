/* For readers that take a path: the input as a file in a directory of its own.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_FUZZ_FILES_H
#define ORR_FUZZ_FILES_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Its path, the same each time: in a directory where the fuzzer runs, which ends without leaving
 * it a chance to tidy up. The file is a link to memory: with one on a disk a fuzzer waits nine
 * tenths of its time. */
static inline const char *fuzz_save(const char *name, const uint8_t *data, size_t n)
{
    static char path[80];
    static int fd = -1;
    if (fd < 0) {
        char dir[64], memory[64];
        snprintf(dir, sizeof dir, "fuzz-%s", name);
        if (mkdir(dir, 0700) != 0 && errno != EEXIST)
            abort();
        snprintf(memory, sizeof memory, "/orrery-fuzz-%ld", (long)getpid());
        fd = shm_open(memory, O_RDWR | O_CREAT | O_EXCL, 0600);
        shm_unlink(memory);
        snprintf(memory, sizeof memory, "/proc/self/fd/%d", fd);
        snprintf(path, sizeof path, "%s/%s", dir, name);
        unlink(path);
        if (fd < 0 || symlink(memory, path) != 0)
            abort();
    }
    if (ftruncate(fd, 0) != 0 || pwrite(fd, data, n, 0) != (ssize_t)n)
        abort();
    return path;
}

#endif
