/* What StarPU has measured of the machine's links.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/models/internal.h"

enum { FILES = 4 };
static const char *const what[FILES] = {"affinity", "bandwidth", "latency", "config"};

/* 1: there, and empty or without the end of its last line. */
static int is_cut(const char *path)
{
    struct stat st;
    char last = '\n';
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return 0;
    const int cut = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
                    (st.st_size == 0 || (pread(fd, &last, 1, st.st_size - 1) == 1 && last != '\n'));
    close(fd);
    return cut;
}

void orr_models_mend_bus(const char *dir)
{
    char host[128], path[700];
    int cut = 0;
    orr_hostname(host, sizeof host);
    for (int k = 0; k < FILES && !cut; k++) {
        snprintf(path, sizeof path, "%s/bus/%s.%s", dir, host, what[k]);
        cut = is_cut(path);
    }
    for (int k = 0; k < FILES && cut; k++) {
        snprintf(path, sizeof path, "%s/bus/%s.%s", dir, host, what[k]);
        unlink(path);
    }
}
