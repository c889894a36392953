/* Preloaded: a disk or a memory that fails where a test wants it.
 *
 *   FAULT_READ=END:BYTES:K     the K-th opened file of those whose names end so gives so many bytes, then EIO
 *   FAULT_SETENV=NAME          setenv has no memory for this variable
 *   FAULT_SHRINK=END:BYTES         a file whose name ends so has so many bytes when it is read, whatever it had before
 *   FAULT_GROW=END                 a line is appended to it when it is read first
 *   FAULT_RENAME=SIGNAL        the process gets this signal after each rename
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_NEXT, fopencookie */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

FILE *fopen(const char *restrict path, const char *restrict mode);
int setenv(const char *name, const char *value, int overwrite);
int rename(const char *from, const char *to);

struct failing {
    FILE *file;
    size_t left;
};

static ssize_t give(void *cookie, char *to, size_t n)
{
    struct failing *f = cookie;
    const size_t got = fread(to, 1, n < f->left ? n : f->left, f->file);
    f->left -= got;
    errno = EIO;
    return got ? (ssize_t)got : -1;
}

static int end(void *cookie)
{
    struct failing *f = cookie;
    const int bad = fclose(f->file);
    free(f);
    return bad;
}

static int ends_with(const char *path, const char *with, size_t n)
{
    const size_t length = strlen(path);
    return length >= n && !strncmp(path + length - n, with, n);
}

FILE *fopen(const char *restrict path, const char *restrict mode)
{
    static FILE *(*real)(const char *, const char *);
    static int opened;
    const char *fault = getenv("FAULT_READ"), *colon = fault ? strchr(fault, ':') : NULL;
    size_t bytes;
    int which;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "fopen");
    FILE *file = real(path, mode);
    if (!file || !colon || *mode != 'r' || !ends_with(path, fault, (size_t)(colon - fault)) ||
        sscanf(colon, ":%zu:%d", &bytes, &which) != 2 || ++opened != which)
        return file;
    struct failing *f = malloc(sizeof *f);
    if (!f)
        abort();
    *f = (struct failing){file, bytes};
    return fopencookie(f, "r", (cookie_io_functions_t){.read = give, .close = end});
}

/* 1: what is open there has a name that ends so. */
static int is_open_as(int fd, const char *end, size_t n)
{
    char link[32], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return ends_with(path, end, n);
}

ssize_t read(int fd, void *to, size_t n)
{
    static ssize_t (*real)(int, void *, size_t);
    static int grown;
    const char *shrink = getenv("FAULT_SHRINK"), *grow = getenv("FAULT_GROW"),
               *colon = shrink ? strchr(shrink, ':') : NULL;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "read");
    if (grow && !grown && is_open_as(fd, grow, strlen(grow))) {
        FILE *f = fopen(grow, "a");
        grown = f && fprintf(f, "1 2\n") > 0;
        if (f)
            fclose(f);
    }
    if (colon && is_open_as(fd, shrink, (size_t)(colon - shrink))) {
        const off_t left = atol(colon + 1) - lseek(fd, 0, SEEK_CUR);
        n = left <= 0 ? 0 : (off_t)n < left ? n : (size_t)left;
    }
    return real(fd, to, n);
}

int setenv(const char *name, const char *value, int overwrite)
{
    static int (*real)(const char *, const char *, int);
    const char *fault = getenv("FAULT_SETENV");
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "setenv");
    if (fault && !strcmp(fault, name)) {
        errno = ENOMEM;
        return -1;
    }
    return real(name, value, overwrite);
}

int rename(const char *from, const char *to)
{
    static int (*real)(const char *, const char *);
    const char *fault = getenv("FAULT_RENAME");
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "rename");
    const int code = real(from, to);
    if (fault)
        raise(atoi(fault));
    return code;
}
