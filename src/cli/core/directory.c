/* SPDX-License-Identifier: BSD-3-Clause */
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "src/cli/core/directory.h"

#include <errno.h>
#include <ftw.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "src/cli/core/cli.h"

int cli_make_directory(const char *path)
{
    char part[1024];
    if (!*path || (size_t)snprintf(part, sizeof part, "%s", path) >= sizeof part) {
        cli_say("'%.80s': no name of a directory", path);
        return CLI_FILE;
    }
    for (char *p = part + 1;; p++)
        if (*p == '/' || !*p) {
            const char was = *p;
            *p = 0;
            if (mkdir(part, 0777) != 0 && errno != EEXIST) {
                cli_say("%s: %s", part, strerror(errno));
                return CLI_FILE;
            }
            if (!was)
                return CLI_OK;
            *p = was;
        }
}

static int remove_one(const char *path, const struct stat *st, int what, struct FTW *at)
{
    (void)st, (void)what, (void)at;
    return remove(path);
}

int cli_remove_tree(const char *path)
{
    return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT ? 0 : -1;
}

int cli_lock(int fd)
{
    const struct timespec nap = {.tv_nsec = 20000000};
    int code;
    for (int k = 0; (code = flock(fd, LOCK_EX | LOCK_NB)) != 0 && k < 100; k++) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            break;
        nanosleep(&nap, NULL);
    }
    return code;
}
