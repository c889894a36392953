/* A file for output is written beside its target, without a name where the system can do that
 * (then a kill leaves nothing), and replaces the target when complete: a reader never sees half
 * of it and a full disk leaves the old one. Pipes and devices, which cannot be replaced, are
 * written directly; a link is followed, and what it points to is replaced.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifdef __linux__
#define _GNU_SOURCE /* O_TMPFILE */
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/io/internal.h"

enum { TRIES = 100, SUFFIX = 64, PROC = 32, NAME = 200 };

/* A name beside the target that nobody else has made: made(name) says 0 or an errno. A long name is cut,
 * to have room for more behind it. */
static int make_name(orr_output *o, int (*made)(const char *name, int *fd), int *fd)
{
    const char *slash = strrchr(o->target, '/');
    const size_t n = strlen(o->target), room = n + SUFFIX;
    const size_t last = strlen(slash ? slash + 1 : o->target);
    const int keep = (int)(last > NAME ? n - last + NAME : n);
    int error = ENOMEM;
    o->name = malloc(room);
    for (int k = 0; o->name && k < TRIES; k++) {
        struct timespec now = {0};
        clock_gettime(CLOCK_MONOTONIC, &now);
        snprintf(o->name, room, "%.*s.orr-tmp-%ld-%08lx", keep, o->target, (long)getpid(),
                 (unsigned long)now.tv_nsec ^ (unsigned long)k << 16);
        error = made(o->name, fd);
        if (error != EEXIST)
            break;
    }
    return error;
}

/* O_EXCL opens no file and no link that is there already. */
static int create(const char *name, int *fd)
{
    *fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    return *fd < 0 ? errno : 0;
}

#ifdef O_TMPFILE
static void proc_name(char out[PROC], int fd) { snprintf(out, PROC, "/proc/self/fd/%d", fd); }

static int give_name(const char *name, int *fd)
{
    char self[PROC];
    proc_name(self, *fd);
    return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW) ? errno : 0;
}

/* A file in the target's directory that has no name; -1: not possible here. */
static int open_unnamed(const char *target)
{
    char self[PROC], *directory = strdup(target), *slash;
    if (!directory)
        return -1;
    slash = strrchr(directory, '/');
    if (slash)
        slash[slash == directory] = '\0';
    int fd = open(slash ? directory : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    free(directory);
    if (fd < 0)
        return -1;
    proc_name(self, fd);
    if (access(self, F_OK) == 0)
        return fd;
    close(fd); /* without /proc it could never be named */
    return -1;
}
#else
static int give_name(const char *name, int *fd) { return (void)name, (void)fd, ENOSYS; }
static int open_unnamed(const char *target) { return (void)target, -1; }
#endif

static int open_beside(orr_output *o, const struct stat *old)
{
    int fd = open_unnamed(o->target), error = 0;
    o->unnamed = fd >= 0;
    if (!o->unnamed)
        error = make_name(o, create, &fd);
    if (error) {
        o->doing = "create a file beside it";
        return error;
    }
    if (old) /* a file that others could not read stays so; failure leaves it stricter */
        (void)!fchmod(fd, old->st_mode & 0777);
    o->file = fdopen(fd, "wb");
    if (o->file)
        return 0;
    error = errno;
    close(fd);
    if (!o->unnamed)
        unlink(o->name);
    return error;
}

static int open_path(orr_output *o, const char *path)
{
    struct stat link, old;
    if (strcmp(path, "-") == 0) {
        o->file = stdout;
        return 0;
    }
    if (lstat(path, &link)) {
        if (errno != ENOENT)
            return errno;
        o->target = strdup(path);
        return o->target ? open_beside(o, NULL) : ENOMEM;
    }
    if (stat(path, &old)) {
        o->doing = "follow the link";
        return errno;
    }
    if (S_ISDIR(old.st_mode))
        return EISDIR;
    if (!S_ISREG(old.st_mode)) {
        o->file = fopen(path, "wb");
        return o->file ? 0 : errno;
    }
    o->target = S_ISLNK(link.st_mode) ? realpath(path, NULL) : strdup(path);
    if (!o->target) {
        o->doing = S_ISLNK(link.st_mode) ? "follow the link" : o->doing;
        return errno;
    }
    return open_beside(o, &old);
}

int orr_output_open(orr_output *o, const char *path)
{
    *o = (orr_output){.doing = "write"};
    const int error = open_path(o, path);
    if (error) {
        free(o->target);
        free(o->name);
    }
    return error;
}

int orr_output_close(orr_output *o)
{
    FILE *file = o->file;
    int error = 0, named = !o->unnamed;
    errno = 0;
    if (fflush(file) || ferror(file))
        error = errno ? errno : EIO;
    if (file == stdout)
        clearerr(file); /* of this output only */
    if (o->unnamed && !error) {
        int fd = fileno(file);
        error = make_name(o, give_name, &fd);
        named = !error;
    }
    errno = 0;
    if (file != stdout && fclose(file) && !error)
        error = errno ? errno : EIO;
    if (o->target && !error && rename(o->name, o->target))
        error = errno;
    if (o->target && error && named)
        unlink(o->name);
    free(o->target);
    free(o->name);
    return error;
}
