/* NumPy arrays to files. A file is written under a temporary name beside its own and
 * renamed when complete, so a reader never sees half of one and a full disk leaves the old
 * one. Pipes and devices, which cannot be renamed over, are written directly; a link is
 * followed, and what it points to is replaced.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/io/internal.h"

enum { HEADER = 256, ALIGN = 64, TRIES = 100 };

/* Magic, version 1.0 and dictionary, padded to a multiple of 64; at most 4 dimensions of
 * 19 digits always fit. Returns its length. */
static size_t make_header(char *out, orr_type type, int ndim, const int64_t *shape, int fortran)
{
    static const char *const names[] = {
        [ORR_S] = "f4", [ORR_D] = "f8", [ORR_C] = "c8", [ORR_Z] = "c16", [ORR_H] = "f2"};
    char order = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? '>' : '<';
    size_t n = 10;
    n += (size_t)snprintf(out + n, HEADER - n, "{'descr': '%c%s', 'fortran_order': %s, 'shape': (",
                          order, names[type], fortran ? "True" : "False");
    for (int k = 0; k < ndim; k++)
        n += (size_t)snprintf(out + n, HEADER - n, "%s%" PRId64 "%s", k ? " " : "", shape[k],
                              k < ndim - 1 || ndim == 1 ? "," : "");
    n += (size_t)snprintf(out + n, HEADER - n, "), }");
    size_t length = (n + 1 + ALIGN - 1) / ALIGN * ALIGN;
    memset(out + n, ' ', length - n - 1);
    out[length - 1] = '\n';
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)((length - 10) & 0xff);
    out[9] = (char)((length - 10) >> 8);
    return length;
}

static orr_status cannot(orr_io_error *err, const char *name, const char *what, int error)
{
    char why[96];
    return orr_io_fail(err, ORR_E_FILE, name, -1, -1, "cannot %s: %s", what,
                       orr_io_strerror(why, sizeof why, error ? error : EIO));
}

/* 0, or an errno. Closes the file unless it is stdout. */
static int put(FILE *file, const char *header, size_t n, const void *data, size_t bytes)
{
    int error = 0;
    errno = 0;
    if (fwrite(header, 1, n, file) != n || (bytes && fwrite(data, 1, bytes, file) != bytes))
        error = errno ? errno : EIO;
    if (fflush(file) && !error)
        error = errno ? errno : EIO;
    if (file != stdout && fclose(file) && !error)
        error = errno ? errno : EIO;
    return error;
}

/* A new file beside path that nobody else has: O_EXCL opens no file and no link that is
 * there already. The name is returned (free), NULL: see errno. */
static char *make_temporary(const char *path, int *fd)
{
    size_t cap = strlen(path) + 64;
    char *name = malloc(cap);
    if (!name) {
        errno = ENOMEM;
        return NULL;
    }
    for (int k = 0; k < TRIES; k++) {
        struct timespec now = {0};
        clock_gettime(CLOCK_MONOTONIC, &now);
        snprintf(name, cap, "%s.orr-tmp-%ld-%08lx", path, (long)getpid(),
                 (unsigned long)now.tv_nsec ^ (unsigned long)k << 16);
        *fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (*fd >= 0)
            return name;
        if (errno != EEXIST)
            break;
    }
    int error = errno;
    free(name);
    errno = error;
    return NULL;
}

static orr_status write_regular(const char *path, const struct stat *old, const char *header,
                                size_t n, const void *data, size_t bytes, orr_io_error *err)
{
    int fd = -1;
    char *temporary = make_temporary(path, &fd);
    if (!temporary)
        return cannot(err, path, "create a file beside it", errno);
    if (old) /* a file that others could not read stays so; failure leaves it stricter */
        (void)!fchmod(fd, old->st_mode & 0777);
    FILE *file = fdopen(fd, "wb");
    int error = file ? put(file, header, n, data, bytes) : errno;
    if (!file)
        close(fd);
    if (!error && rename(temporary, path))
        error = errno;
    orr_status s = ORR_OK;
    if (error) {
        unlink(temporary);
        s = cannot(err, path, "write", error);
    }
    free(temporary);
    return s;
}

orr_status orr_npy_write(const char *path, orr_type type, int ndim, const int64_t *shape,
                         int fortran, const void *data, orr_io_error *err)
{
    char header[HEADER + ALIGN];
    struct stat st, link;
    orr_io_clear(err);
    if (!path || (int)type < 0 || type > ORR_H || ndim < 0 || ndim > ORR_NPY_MAXDIM ||
        (ndim > 0 && !shape))
        return ORR_E_ARG;
    int64_t bytes = (int64_t)orr_io_type_size(type);
    for (int k = 0; k < ndim; k++)
        if (shape[k] < 0)
            return ORR_E_ARG;
    if (orr_io_product(ndim, shape, bytes) < 0)
        return ORR_E_ARG;
    for (int k = 0; k < ndim; k++)
        bytes *= shape[k];
    if (bytes > 0 && !data)
        return ORR_E_ARG;
    size_t n = make_header(header, type, ndim, shape, fortran);

    if (strcmp(path, "-") == 0) {
        int error = put(stdout, header, n, data, (size_t)bytes);
        return error ? cannot(err, "(stdout)", "write", error) : ORR_OK;
    }
    if (lstat(path, &link)) {
        if (errno != ENOENT)
            return cannot(err, path, "write", errno);
        return write_regular(path, NULL, header, n, data, (size_t)bytes, err);
    }
    if (stat(path, &st))
        return cannot(err, path, "follow the link", errno);
    if (S_ISDIR(st.st_mode))
        return cannot(err, path, "write", EISDIR);
    if (!S_ISREG(st.st_mode)) {
        FILE *file = fopen(path, "wb");
        int error = file ? put(file, header, n, data, (size_t)bytes) : errno;
        return error ? cannot(err, path, "write", error) : ORR_OK;
    }
    char *target = S_ISLNK(link.st_mode) ? realpath(path, NULL) : NULL;
    if (S_ISLNK(link.st_mode) && !target)
        return cannot(err, path, "follow the link", errno);
    orr_status s = write_regular(target ? target : path, &st, header, n, data, (size_t)bytes, err);
    free(target);
    return s;
}
