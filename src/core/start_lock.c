/* Processes of a user start StarPU one after another: where it is started for the first time it
 * writes files, and dies of those that another process has only half written.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/core/start.h"

/* A file of ours alone: one that another user put there could be locked for ever. */
static int open_lock(const char *path)
{
    struct stat st;
    const int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()))
        return fd;
    close(fd);
    return -1;
}

/* Who has the lock may be of a container whose processes have no number here. */
static void tell(const struct orr_start_wait *wait, int fd, const char *path)
{
    char what[700];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const int known = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0;
    if (!wait->tell)
        return;
    if (known)
        snprintf(what, sizeof what, "waiting for process %ld, which has locked %s",
                 (long)lock.l_pid, path);
    else
        snprintf(what, sizeof what, "waiting for the process that has locked %s", path);
    wait->tell(what, wait->arg);
}

int orr_start_lock(const char *model_dir, const struct orr_start_wait *wait)
{
    char path[600];
    snprintf(path, sizeof path, "/tmp/orrery-start-%lu.lock", (unsigned long)geteuid());
    int fd = open_lock(path);
    if (fd < 0) {
        snprintf(path, sizeof path, "%s/orrery-start.lock", model_dir);
        fd = open_lock(path);
    }
    const struct timespec pause = {.tv_nsec = 10000000};
    for (int tries = 0; fd >= 0 && tries < 6000; tries++) {
        if (lockf(fd, F_TLOCK, 0) == 0 || (errno != EACCES && errno != EAGAIN))
            break;
        if (tries == 200)
            tell(wait, fd, path);
        nanosleep(&pause, NULL);
    }
    return fd;
}
