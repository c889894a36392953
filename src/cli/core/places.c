/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

int place_self(char *out, size_t size)
{
    const ssize_t n = readlink("/proc/self/exe", out, size - 1);
    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

int place_find(const char *variable, const char *const *places, const char *name, char *out,
               size_t size)
{
    char self[4096];
    const char *set = getenv(variable), *joint = *name ? "/" : "";
    const int length = place_self(self, sizeof self) ? (int)(strrchr(self, '/') - self) : 0;
    if (set)
        return (size_t)snprintf(out, size, "%s%s%s", set, joint, name) < size && is_file(out);
    for (int k = 0; places[k]; k++) {
        const int here = places[k][0] == '.' ? 0 : length;
        if ((size_t)snprintf(out, size, "%.*s%s%s%s", here, self, places[k], joint, name) < size &&
            is_file(out))
            return 1;
    }
    return 0;
}
