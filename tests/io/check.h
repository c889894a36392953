/* What the tests of matrix files share: counting failures, temporary files, and bad inputs
 * with the message they must give.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_IO_CHECK_H
#define ORR_TESTS_IO_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/io/internal.h"
#include "../check.h"

static char directory[64];

static inline void remove_directory(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    if (directory[0] && system(command))
        printf("could not remove %s\n", directory);
}

/* A path in a directory that is removed at exit; valid until the fourth call from here. */
static inline const char *temporary(const char *name)
{
    static char path[4][128];
    static int next;
    if (!directory[0]) {
        strcpy(directory, "/tmp/orr-io-XXXXXX");
        if (!mkdtemp(directory)) {
            perror("mkdtemp");
            exit(1);
        }
        atexit(remove_directory);
    }
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", directory, name);
    return path[next];
}

static inline void save(const char *path, const void *data, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, n, f) != n || fclose(f)) {
        perror(path);
        exit(1);
    }
}

#endif
