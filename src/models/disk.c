/* Files that are whole or not there. SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "src/models/internal.h"

orr_status orr_refuse(char message[ORR_MESSAGE], orr_status st, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (message)
        vsnprintf(message, ORR_MESSAGE, format, list);
    va_end(list);
    return st;
}

orr_status orr_missing(char message[ORR_MESSAGE], const char *name)
{
    return orr_refuse(message, ORR_E_ARG, "%s is NULL", name);
}

/* The name while it is written; the process's number keeps two writers apart. It is opened only if
 * it is new, so that a link which somebody put there is not followed. */
static void part_name(const char *path, char *name, size_t room)
{
    snprintf(name, room, "%s.%ld.part", path, (long)getpid());
}

FILE *orr_part_open(const char *path, char message[ORR_MESSAGE])
{
    char name[1100];
    part_name(path, name, sizeof name);
    unlink(name); /* of a process of this number that was killed */
    const int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!f) {
        orr_refuse(message, ORR_E_FILE, "%s: %s", name, strerror(errno));
        if (fd >= 0) {
            close(fd);
            unlink(name);
        }
    }
    return f;
}

orr_status orr_part_close(FILE *f, const char *path, char message[ORR_MESSAGE])
{
    char name[1100];
    part_name(path, name, sizeof name);
    int bad = fflush(f) != 0 || ferror(f) || fsync(fileno(f)) != 0;
    int why = errno;
    if (fclose(f) != 0 && !bad)
        bad = 1, why = errno;
    if (!bad && rename(name, path) == 0)
        return ORR_OK;
    if (!bad)
        why = errno;
    unlink(name);
    return orr_refuse(message, ORR_E_FILE, "%s: cannot be written: %s", path, strerror(why));
}

void orr_part_drop(FILE *f, const char *path)
{
    char name[1100];
    part_name(path, name, sizeof name);
    fclose(f);
    unlink(name);
}

int orr_make_path(const char *given)
{
    char path[PATH_MAX];
    const size_t length = strlen(given);
    if (length == 0 || length >= sizeof path) {
        errno = length ? ENAMETOOLONG : ENOENT;
        return -1;
    }
    memcpy(path, given, length + 1);
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            if (mkdir(path, 0777) != 0 && errno != EEXIST)
                return -1;
            *p = '/';
        }
    struct stat st;
    if (mkdir(path, 0777) == 0)
        return 0;
    if (errno != EEXIST || stat(path, &st) != 0)
        return -1;
    errno = ENOTDIR;
    return S_ISDIR(st.st_mode) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    remove(path);
    return 0;
}

void orr_remove_tree(const char *path)
{
    enum { OPEN_AT_ONCE = 8 };
    nftw(path, remove_one, OPEN_AT_ONCE, FTW_DEPTH | FTW_PHYS);
}

orr_status orr_file_sum(const char *path, unsigned long *crc, long long *bytes)
{
    unsigned char block[16384];
    FILE *f = fopen(path, "rb");
    if (!f)
        return ORR_E_FILE;
    *crc = crc32(0, NULL, 0);
    *bytes = 0;
    for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0; *bytes += (long long)n)
        *crc = crc32(*crc, block, (unsigned)n);
    const int bad = ferror(f);
    fclose(f);
    return bad ? ORR_E_FILE : ORR_OK;
}

void orr_hostname(char *name, size_t room)
{
    const char *set = getenv("STARPU_HOSTNAME");
    if (set && *set) {
        snprintf(name, room, "%s", set);
        return;
    }
    if (gethostname(name, room) != 0)
        snprintf(name, room, "localhost");
    name[room - 1] = 0;
    name[strcspn(name, ".")] = 0;
}
