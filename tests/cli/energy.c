/* Joules by counters that are files here: energy FAKE_NVML.so. Sums of zones, counters that start again (also twice between
 * the ends of a run, where they were read meanwhile), what is no counter of its own, what cannot be read and why, runs too
 * short for a counter.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "src/energy/energy.h"

static char tree[] = "/tmp/orrery-energy-XXXXXX";

static void put(const char *entry, const char *file, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", tree, entry);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", tree, entry, file);
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(text, f) >= 0);
    if (f)
        fclose(f);
}

static void zone(const char *entry, const char *name, const char *uj, const char *range)
{
    put(entry, "name", name);
    put(entry, "energy_uj", uj);
    put(entry, "max_energy_range_uj", range);
}

static int near(double x, double y) { return fabs(x - y) <= 1e-9; }

static void processors(void)
{
    struct orr_energy *e = orr_energy_open(0);
    CHECK(e && strstr(orr_energy_cpu(e), "no counters of RAPL") && isnan(orr_energy_read(e).cpu));
    CHECK(!*orr_energy_gpu(e) && isnan(orr_energy_read(e).gpu));
    orr_energy_close(e);

    zone("intel-rapl:0", "package-0\n", "1000000\n", "10000000\n");
    zone("intel-rapl:0:0", "core\n", "1\n", "10000000\n"); /* within the package */
    zone("intel-rapl:0:1", "dram\n", "500000\n", "10000000\n");
    zone("intel-rapl:1", "package-1\n", "9000000\n", "10000000\n");
    zone("intel-rapl:2", "psys\n", "7\n", "10000000\n"); /* the packages and more */
    zone("intel-rapl-mmio:0", "package-0\n", "1000000\n", "10000000\n");
    put("intel-rapl", "enabled", "1\n");
    e = orr_energy_open(0);
    const char *text = orr_energy_cpu(e);
    CHECK(!strncmp(text, "RAPL: ", 6) &&
          strlen(text) == strlen("RAPL: package-0, dram, package-1") && strstr(text, "package-0") &&
          strstr(text, "dram") && strstr(text, "package-1"));
    CHECK(near(orr_energy_read(e).cpu, 0));
    zone("intel-rapl:0", "package-0\n", "3000000\n", "10000000\n");
    zone("intel-rapl:0:0", "core\n", "1000001\n", "10000000\n");
    zone("intel-rapl:0:1", "dram\n", "750000\n", "10000000\n");
    zone("intel-rapl:2", "psys\n", "5000007\n", "10000000\n");
    CHECK(near(orr_energy_read(e).cpu, 2.25));
    zone("intel-rapl:1", "package-1\n", "500000\n", "10000000\n"); /* from 9 J over 10 J to 0.5 J */
    CHECK(near(orr_energy_read(e).cpu, 2.25 + 1.5));
    zone("intel-rapl:1", "package-1\n", "9500000\n", "10000000\n");
    CHECK(near(orr_energy_read(e).cpu, 3.75 + 9));
    zone("intel-rapl:1", "package-1\n", "250000\n", "10000000\n"); /* and again */
    CHECK(near(orr_energy_read(e).cpu, 12.75 + 0.75));
    put("intel-rapl:1", "energy_uj", "no number\n");
    CHECK(isnan(orr_energy_read(e).cpu) && strstr(orr_energy_cpu(e), "intel-rapl:1/energy_uj: "));
    put("intel-rapl:1", "energy_uj", "250000\n"); /* what it missed meanwhile nobody knows */
    CHECK(isnan(orr_energy_read(e).cpu));
    orr_energy_close(e);

    if (geteuid() != 0) {
        char path[256];
        snprintf(path, sizeof path, "%s/intel-rapl:0/energy_uj", tree);
        chmod(path, 0);
        e = orr_energy_open(0);
        CHECK(strstr(orr_energy_cpu(e), "only root may read it"));
        chmod(path, 0644);
        orr_energy_close(e);
    }
    setenv("ORRERY_POWERCAP", "/nowhere", 1);
    e = orr_energy_open(0);
    CHECK(!strcmp(orr_energy_cpu(e), "/nowhere: No such file or directory"));
    orr_energy_close(e);
}

static void devices(const char *library)
{
    char path[256];
    setenv("ORRERY_NVML", "/nowhere/libnvidia-ml.so", 1);
    struct orr_energy *e = orr_energy_open(1);
    CHECK(e && strstr(orr_energy_gpu(e), "/nowhere/libnvidia-ml.so") &&
          isnan(orr_energy_read(e).gpu));
    orr_energy_close(e);
    setenv("ORRERY_NVML", "libm.so.6", 1);
    e = orr_energy_open(1);
    CHECK(!strcmp(orr_energy_gpu(e), "libm.so.6 has no counters of energy"));
    orr_energy_close(e);
    setenv("ORRERY_NVML", library, 1);
    e = orr_energy_open(1);
    CHECK(!strcmp(orr_energy_gpu(e), "NVML: no device"));
    orr_energy_close(e);
    snprintf(path, sizeof path, "%s/nvml/mj", tree);
    setenv("FAKE_NVML", path, 1);
    put("nvml", "mj", "1000\n");
    e = orr_energy_open(1);
    CHECK(!strcmp(orr_energy_gpu(e), "NVML: Not Supported"));
    orr_energy_close(e);
    put("nvml", "mj", "1000\n2000\n");
    e = orr_energy_open(1);
    CHECK(!strcmp(orr_energy_gpu(e), "NVML: 2 devices") && near(orr_energy_read(e).gpu, 0));
    put("nvml", "mj", "1500\n7000\n");
    CHECK(near(orr_energy_read(e).gpu, 5.5));
    put("nvml", "mj", "");
    CHECK(isnan(orr_energy_read(e).gpu) && !strcmp(orr_energy_gpu(e), "NVML: Not Supported"));
    orr_energy_close(e);
}

static void runs(void)
{
    const struct orr_joules none = {NAN, NAN}, a = {1, 2}, b = {4, 8};
    CHECK(near(orr_energy_between(a, b, 20).cpu, 3) && near(orr_energy_between(a, b, 20).gpu, 6));
    CHECK(near(orr_energy_between(a, b, 0.3).cpu, 3) && isnan(orr_energy_between(a, b, 0.3).gpu));
    CHECK(isnan(orr_energy_between(a, b, 0.1).cpu) && isnan(orr_energy_between(a, a, 20).cpu));
    CHECK(isnan(orr_energy_between(a, none, 20).cpu) && isnan(orr_energy_between(none, b, 20).gpu));
    CHECK(isnan(orr_energy_read(NULL).cpu));
    orr_energy_close(NULL);
}

int main(int argc, char **argv)
{
    char command[300];
    if (argc != 2 || !mkdtemp(tree))
        return 2;
    setenv("ORRERY_POWERCAP", tree, 1);
    processors();
    devices(argv[1]);
    runs();
    snprintf(command, sizeof command, "rm -rf %s", tree);
    CHECK(system(command) == 0);
    printf("energy: %d failed\n", failures);
    return failures != 0;
}
