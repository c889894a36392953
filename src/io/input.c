/* Where bytes come from: a file, a stream, or memory.
 *
 * A regular file has a size, which bounds what its header may claim. Pipes and terminals
 * have none: readers then ask for memory only as data arrives. A file is read, not
 * mapped: one that shrinks or grows meanwhile gives an error, not a signal.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/io/internal.h"

static int64_t read_fd(orr_input *in, void *to, size_t n)
{
    const size_t most = (size_t)1 << 30; /* Linux reads less than 2 GiB at once */
    ssize_t got;
    do
        got = read(in->fd, to, n < most ? n : most);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        in->error = errno;
    else
        in->pos += got;
    if (got || !n || in->size <= 0 || in->pos == in->size)
        return got;
    in->error = ORR_INPUT_CHANGED; /* half of what was, or of what will be, is no matrix */
    return -1;
}

static int64_t read_file(orr_input *in, void *to, size_t n)
{
    size_t got = fread(to, 1, n, in->file);
    if (got == 0 && ferror((FILE *)in->file)) {
        in->error = errno ? errno : EIO;
        return -1;
    }
    in->pos += (int64_t)got;
    return (int64_t)got;
}

static int64_t read_memory(orr_input *in, void *to, size_t n)
{
    size_t left = (size_t)(in->size - in->pos);
    n = n < left ? n : left;
    if (n)
        memcpy(to, in->memory + in->pos, n);
    in->pos += (int64_t)n;
    return (int64_t)n;
}

orr_status orr_input_open(orr_input *in, const char *path, orr_io_error *err)
{
    char why[96];
    struct stat st;
    *in = (orr_input){.read = read_fd, .name = path, .size = -1, .fd = -1};
    if (strcmp(path, "-") == 0) {
        orr_input_stream(in, stdin, "standard input");
        return ORR_OK;
    }
    in->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (in->fd < 0 || fstat(in->fd, &st)) {
        orr_io_fail(err, ORR_E_FILE, path, -1, -1, "cannot open: %s",
                    orr_io_strerror(why, sizeof why, errno));
    } else if (S_ISDIR(st.st_mode)) {
        orr_io_fail(err, ORR_E_FILE, path, -1, -1, "is a directory");
    } else if (S_ISBLK(st.st_mode)) {
        orr_io_fail(err, ORR_E_FILE, path, -1, -1, "is a block device");
    } else {
        if (S_ISREG(st.st_mode))
            in->size = st.st_size;
        return ORR_OK;
    }
    orr_input_close(in);
    return ORR_E_FILE;
}

void orr_input_stream(orr_input *in, void *file, const char *name)
{
    *in = (orr_input){.read = read_file, .name = name, .size = -1, .fd = -1, .file = file};
    struct stat st;
    int fd = fileno(file);
    off_t at = ftello(file);
    if (at >= 0)
        in->pos = at;
    if (at >= 0 && fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= at)
        in->size = st.st_size;
}

void orr_input_memory(orr_input *in, const void *data, size_t n, const char *name)
{
    *in = (orr_input){
        .read = read_memory, .name = name, .size = (int64_t)n, .fd = -1, .memory = data};
}

void orr_input_close(orr_input *in)
{
    if (in->fd >= 0)
        close(in->fd);
    in->fd = -1;
}

size_t orr_input_fill(orr_input *in, void *to, size_t n)
{
    size_t done = 0;
    while (done < n) {
        int64_t got = in->read(in, (char *)to + done, n - done);
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}
