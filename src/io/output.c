/* A file for output is written beside its target, without a name where the system can do that
 * (then a kill leaves nothing), and replaces the target when complete: a reader never sees half
 * of it and a full disk leaves the old one. Pipes and devices, which cannot be replaced, are
 * written directly; a link is followed, and what it points to is replaced or made. A file that may
 * not be written is not replaced either.
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

#include "src/io/output.h"

enum { TRIES = 100, SUFFIX = 64, PROC = 32, NAME = 200, LINKS = 40, PATH = 4096 };

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

/* The name of what a link points to, beside the link if it is relative. */
static char *linked(const char *name, const char *link, size_t n)
{
    const char *slash = strrchr(name, '/');
    const size_t keep = slash && *link != '/' ? (size_t)(slash + 1 - name) : 0;
    char *next = malloc(keep + n + 1);
    if (next) {
        memcpy(next, name, keep);
        memcpy(next + keep, link, n);
        next[keep + n] = '\0';
    }
    return next;
}

char *orr_output_target(const char *path)
{
    struct stat st;
    if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && stat(path, &st) == 0)
        return realpath(path, NULL);
    char link[PATH], *name = strdup(path);
    for (int k = 0; name && k < LINKS; k++) {
        const ssize_t n = readlink(name, link, sizeof link);
        if (n < 0)
            return name;
        char *next = n < PATH ? linked(name, link, (size_t)n) : NULL;
        free(name);
        name = next;
    }
    if (name)
        errno = ELOOP;
    free(name);
    return NULL;
}

static int open_path(orr_output *o, const char *path)
{
    struct stat old;
    if (strcmp(path, "-") == 0) {
        o->file = stdout;
        return 0;
    }
    const int there = stat(path, &old) == 0;
    if (!there && errno != ENOENT)
        return errno;
    if (there && S_ISDIR(old.st_mode))
        return EISDIR;
    if (there && !S_ISREG(old.st_mode)) {
        o->file = fopen(path, "wb");
        return o->file ? 0 : errno;
    }
    if (there && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS))
        return errno;
    o->target = orr_output_target(path);
    return o->target ? open_beside(o, there ? &old : NULL) : errno;
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
