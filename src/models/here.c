/* Which machine this is, and where models of machines are looked for. liborrery_lapack has a copy of
 * this file, since it must know both before it loads liborrery.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* dladdr */
#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "orrery/models.h"

/* ---- This machine ---------------------------------------------------------------------------- */

/* The value of the first line "key : value" of a file of /proc. */
static int proc_value(const char *path, const char *key, char *value, size_t room)
{
    char line[512];
    int found = 0;
    FILE *f = fopen(path, "r");
    while (f && !found && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, strlen(key)) != 0)
            continue;
        char *from = colon + 1 + strspn(colon + 1, " \t");
        from[strcspn(from, "\r\n")] = 0;
        snprintf(value, room, "%s", from);
        found = 1;
    }
    if (f)
        fclose(f);
    return found;
}

static int by_text(const void *a, const void *b) { return strcmp(a, b); }

static void nvidia_devices(orr_machine *m)
{
    static const char root[] = "/proc/driver/nvidia/gpus";
    char path[512], model[96], found[ORR_MACHINE_DEVICES][256];
    int count = 0;
    DIR *d = opendir(root);
    for (struct dirent *e; d && count < ORR_MACHINE_DEVICES && (e = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s/information", root, e->d_name);
        if (e->d_name[0] != '.' && proc_value(path, "Model", model, sizeof model))
            snprintf(found[count++], sizeof *found, "%.60s %s", e->d_name, model);
    }
    if (d)
        closedir(d);
    qsort(found, (size_t)count, sizeof *found, by_text); /* by place on the bus, as CUDA may not */
    for (int i = 0; i < count; i++)
        snprintf(m->device[m->devices++], sizeof *m->device, "cuda %d %.90s", i,
                 strchr(found[i], ' ') + 1);
}

void orr_machine_query(orr_machine *m)
{
    *m = (orr_machine){.cores = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    if (!proc_value("/proc/cpuinfo", "model name", m->cpu, sizeof m->cpu) &&
        !proc_value("/proc/cpuinfo", "CPU part", m->cpu, sizeof m->cpu))
        snprintf(m->cpu, sizeof m->cpu, "unknown");
    nvidia_devices(m);
}

/* ---- Places ---------------------------------------------------------------------------------- */

/* share/orrery/perfmodels beside the directory that holds this library (or program). */
static int installed_place(char *dir, size_t room)
{
    Dl_info where;
    struct stat there;
    char base[512];
    if (dladdr((void *)(intptr_t)installed_place, &where) && where.dli_fname &&
        (size_t)snprintf(base, sizeof base, "%s", where.dli_fname) < sizeof base &&
        strchr(base, '/')) {
        /* lib, lib64, lib/x86_64-linux-gnu or bin below the prefix */
        for (int up = 0; up < 3 && strchr(base, '/'); up++) {
            *strrchr(base, '/') = 0;
            if (up == 0)
                continue;
            snprintf(dir, room, "%s/share/orrery/perfmodels", base);
            if (stat(dir, &there) == 0)
                return 1;
        }
    }
    return (size_t)snprintf(dir, room, "%s/perfmodels", ORR_DATADIR) < room;
}

int orr_models_place(int k, char *dir, size_t room)
{
    const char *set = getenv("ORRERY_PERFMODELS"), *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    if (k < 0 || k > 2)
        return 0;
    dir[0] = 0;
    if (k == 0)
        snprintf(dir, room, "%s", set ? set : "");
    else if (k == 1 && data && data[0] == '/')
        snprintf(dir, room, "%s/orrery/perfmodels", data);
    else if (k == 1 && home)
        snprintf(dir, room, "%s/.local/share/orrery/perfmodels", home);
    else if (k == 2)
        installed_place(dir, room);
    return 1; /* "" if there is none */
}
