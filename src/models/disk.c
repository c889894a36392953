/* Files that are whole or not there. SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
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
    vsnprintf(message, ORR_MESSAGE, format, list);
    va_end(list);
    return st;
}

/* The name while it is written; the process's number keeps two writers apart. */
static void part_name(const char *path, char *name, size_t room)
{
    snprintf(name, room, "%s.%ld.part", path, (long)getpid());
}

FILE *orr_part_open(const char *path, char message[ORR_MESSAGE])
{
    char name[1100];
    part_name(path, name, sizeof name);
    FILE *f = fopen(name, "w");
    if (!f)
        orr_refuse(message, ORR_E_FILE, "%s: %s", name, strerror(errno));
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

int orr_make_path(const char *given)
{
    char *path = strdup(given);
    if (!path)
        return -1;
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            const int rc = mkdir(path, 0777);
            *p = '/';
            if (rc != 0 && errno != EEXIST) {
                free(path);
                return -1;
            }
        }
    struct stat st;
    int why = mkdir(path, 0777) == 0 ? 0 : errno;
    if (why == EEXIST)
        why = stat(path, &st) != 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
    free(path);
    errno = why;
    return why ? -1 : 0;
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
