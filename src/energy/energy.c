/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/energy/energy.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, NAME = 64, PATH = 1024, TEXT = 512 };

struct zone {
    char name[NAME], path[PATH];
    uint64_t last, range; /* uJ */
    double joules;
};

/* What is used of NVML. 0 is success everywhere. */
struct nvml {
    void *library;
    int (*init)(void), (*shutdown)(void);
    int (*count)(unsigned *);
    int (*device)(unsigned, void **);
    int (*energy)(void *, unsigned long long *); /* mJ since the driver was loaded */
    const char *(*error)(int);
};

struct orr_energy {
    struct zone zone[MOST];
    int zones;
    struct nvml nvml;
    void *device[MOST];
    unsigned long long first[MOST]; /* mJ */
    int devices;
    char cpu[TEXT], gpu[TEXT];
};

/* ---- RAPL ----------------------------------------------------------------------------------- */

static int read_number(const char *path, uint64_t *x)
{
    unsigned long long value;
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    errno = 0;
    const int good = fscanf(f, "%llu", &value) == 1;
    const int why = errno ? errno : EINVAL;
    fclose(f);
    errno = why;
    *x = value;
    return good;
}

/* Packages, and the memory beside them; cores are within a package, "psys" has packages within it. */
static int counts(const char *directory, char name[NAME])
{
    char path[PATH + 8];
    snprintf(path, sizeof path, "%s/name", directory);
    FILE *f = fopen(path, "r");
    const int good = f && fgets(name, NAME, f);
    if (f)
        fclose(f);
    if (!good)
        return 0;
    name[strcspn(name, "\n")] = '\0';
    return !strncmp(name, "package", 7) || !strcmp(name, "dram");
}

static void lose_cpu(struct orr_energy *e, const char *path)
{
    const int denied = errno == EACCES || errno == EPERM;
    snprintf(e->cpu, sizeof e->cpu, "%.300s: %s%s", path, strerror(errno),
             denied ? "; only root may read it, unless its mode is changed" : "");
    e->zones = 0;
}

static void add_zone(struct orr_energy *e, const char *directory, const char *entry)
{
    struct zone z = {.joules = 0};
    char at[PATH], path[PATH + 32];
    if (e->zones == MOST ||
        snprintf(at, sizeof at, "%s/%s", directory, entry) >= (int)sizeof at - 16 ||
        !counts(at, z.name))
        return;
    snprintf(z.path, sizeof z.path, "%.1000s/energy_uj", at);
    snprintf(path, sizeof path, "%s/max_energy_range_uj", at);
    if (!read_number(path, &z.range))
        z.range = 0;
    e->zone[e->zones++] = z;
}

static void open_cpu(struct orr_energy *e)
{
    const char *given = getenv("ORRERY_POWERCAP");
    const char *directory = given && *given ? given : "/sys/class/powercap";
    DIR *d = opendir(directory);
    if (!d) {
        snprintf(e->cpu, sizeof e->cpu, "%.300s: %s", directory, strerror(errno));
        return;
    }
    for (const struct dirent *entry; (entry = readdir(d)) != NULL;)
        if (!strncmp(entry->d_name, "intel-rapl:",
                     11)) /* AMD's are called so, too; intel-rapl-mmio are the same again */
            add_zone(e, directory, entry->d_name);
    closedir(d);
    if (!e->zones)
        snprintf(e->cpu, sizeof e->cpu, "%.300s: no counters of RAPL (virtual machines have none)",
                 directory);
    for (int k = 0; k < e->zones; k++)
        if (!read_number(e->zone[k].path, &e->zone[k].last)) {
            lose_cpu(e, e->zone[k].path);
            return;
        }
    for (int k = 0; k < e->zones; k++) {
        const size_t used = strlen(e->cpu);
        snprintf(e->cpu + used, sizeof e->cpu - used, "%s%s", k ? ", " : "RAPL: ", e->zone[k].name);
    }
}

static double read_cpu(struct orr_energy *e)
{
    double sum = 0;
    for (int k = 0; k < e->zones; k++) {
        struct zone *z = &e->zone[k];
        uint64_t now;
        if (!read_number(z->path, &now)) {
            lose_cpu(e, z->path);
            return NAN;
        }
        const uint64_t until_zero = now >= z->last        ? 0
                                    : z->range >= z->last ? z->range - z->last
                                                          : 0;
        z->joules += 1e-6 * (double)(now >= z->last ? now - z->last : until_zero + now);
        z->last = now;
        sum += z->joules;
    }
    return e->zones ? sum : NAN;
}

/* ---- NVML ----------------------------------------------------------------------------------- */

static int find_nvml(struct nvml *n, char why[TEXT])
{
    const char *given = getenv("ORRERY_NVML");
    const char *name = given && *given ? given : "libnvidia-ml.so.1";
    n->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!n->library) {
        snprintf(why, TEXT, "%.400s", dlerror());
        return 0;
    }
    *(void **)&n->init = dlsym(n->library, "nvmlInit_v2");
    *(void **)&n->shutdown = dlsym(n->library, "nvmlShutdown");
    *(void **)&n->count = dlsym(n->library, "nvmlDeviceGetCount_v2");
    *(void **)&n->device = dlsym(n->library, "nvmlDeviceGetHandleByIndex_v2");
    *(void **)&n->energy = dlsym(n->library, "nvmlDeviceGetTotalEnergyConsumption");
    *(void **)&n->error = dlsym(n->library, "nvmlErrorString");
    if (n->init && n->shutdown && n->count && n->device && n->energy && n->error)
        return 1;
    snprintf(why, TEXT, "%.400s has no counters of energy", name);
    return 0;
}

static void close_gpu(struct orr_energy *e, int started)
{
    if (started)
        e->nvml.shutdown();
    if (e->nvml.library)
        dlclose(e->nvml.library);
    e->nvml = (struct nvml){.library = NULL};
    e->devices = 0;
}

static void open_gpu(struct orr_energy *e)
{
    struct nvml *n = &e->nvml;
    unsigned count = 0;
    if (!find_nvml(n, e->gpu)) {
        close_gpu(e, 0);
        return;
    }
    int status = n->init();
    const int started = status == 0;
    if (started)
        status = n->count(&count);
    for (unsigned k = 0; status == 0 && k < count && k < MOST; k++) {
        status = n->device(k, &e->device[k]);
        if (status == 0)
            status = n->energy(e->device[k], &e->first[k]);
    }
    e->devices = status == 0 ? (int)(count < MOST ? count : MOST) : 0;
    if (e->devices)
        snprintf(e->gpu, sizeof e->gpu, "NVML: %d device%s", e->devices, e->devices > 1 ? "s" : "");
    else {
        snprintf(e->gpu, sizeof e->gpu, "NVML: %.300s", status ? n->error(status) : "no device");
        close_gpu(e, started);
    }
}

static double read_gpu(struct orr_energy *e)
{
    double sum = 0;
    for (int k = 0; k < e->devices; k++) {
        unsigned long long now;
        const int status = e->nvml.energy(e->device[k], &now);
        if (status) {
            snprintf(e->gpu, sizeof e->gpu, "NVML: %.300s", e->nvml.error(status));
            close_gpu(e, 1);
            return NAN;
        }
        sum += 1e-3 * (double)(now - e->first[k]);
    }
    return e->devices ? sum : NAN;
}

/* ---- Both ----------------------------------------------------------------------------------- */

struct orr_energy *orr_energy_open(int gpus)
{
    struct orr_energy *e = calloc(1, sizeof *e);
    if (!e)
        return NULL;
    open_cpu(e);
    if (gpus)
        open_gpu(e);
    return e;
}

void orr_energy_close(struct orr_energy *e)
{
    if (e)
        close_gpu(e, e->devices > 0);
    free(e);
}

struct orr_joules orr_energy_read(struct orr_energy *e)
{
    if (!e)
        return (struct orr_joules){NAN, NAN};
    return (struct orr_joules){read_cpu(e), read_gpu(e)};
}

static double between(double before, double after, double seconds, double least)
{
    return seconds >= least && after > before ? after - before : NAN;
}

struct orr_joules orr_energy_between(struct orr_joules before, struct orr_joules after,
                                     double seconds)
{
    return (struct orr_joules){between(before.cpu, after.cpu, seconds, 0.2),
                               between(before.gpu, after.gpu, seconds, 10)};
}

const char *orr_energy_cpu(const struct orr_energy *e) { return e ? e->cpu : ""; }
const char *orr_energy_gpu(const struct orr_energy *e) { return e ? e->gpu : ""; }
