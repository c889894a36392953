/* What is asked of the processor, against what Linux says of it; and how the built-in times of tasks depend on it, on
 * the type and on the work.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "codelets/core/processor.h"
#include "codelets/core/rates.h"

/* The value of the first line of /proc/cpuinfo with this key, or "". */
static void told(const char *key, char *value, size_t room)
{
    static char line[16384];
    FILE *f = fopen("/proc/cpuinfo", "r");
    value[0] = 0;
    while (f && !value[0] && fgets(line, sizeof line, f))
        if (!strncmp(line, key, strlen(key)) && strchr(line, ':'))
            snprintf(value, room, "%s", strchr(line, ':') + 1);
    if (f)
        fclose(f);
}

static void processor(void)
{
    static char flags[16384], vendor[64], family[64];
    int number = 0;
    told("flags", flags, sizeof flags);
    told("vendor_id", vendor, sizeof vendor);
    told("cpu family", family, sizeof family);
    if (!flags[0] || sscanf(family, "%d", &number) != 1) {
        printf("left out: no x86 that /proc/cpuinfo describes\n");
        return;
    }
    const int wide = strstr(flags, " avx512f ") && strstr(flags, " avx512dq ");
    const int halves = wide && strstr(vendor, "AuthenticAMD") && number == 0x19;
    printf("AVX-512: %d, in halves: %d\n", wide, halves);
    CHECK(orr_has_avx512() == wide, "AVX-512: %d", orr_has_avx512());
    CHECK(orr_halves_avx512() == halves, "AVX-512 in halves: %d", orr_halves_avx512());
}

/* In proportion to the work. Complex operations count for four, but not those of a solver of real matrices. */
static void rates(void)
{
    const double real = orr_rate_operations("hegv_gst", ORR_D, 50),
                 solver = orr_rate_operations("heev_values", ORR_D, 50);
    CHECK(real > 0 && solver > 0, "%g and %g operations", real, solver);
    for (int t = 0; t < ORR_NTYPES; t++) {
        const double got = orr_rate_seconds("heev_values", (orr_type)t, 1e9);
        CHECK(got > 0 && orr_rate_seconds("heev_values", (orr_type)t, 0) == 0 &&
                  fabs(orr_rate_seconds("heev_values", (orr_type)t, 3e9) - 3 * got) < 1e-9,
              "type %d: not in proportion to the work", t);
        const double flops = orr_rate_operations("hegv_gst", (orr_type)t, 50);
        CHECK(flops == (t == ORR_C || t == ORR_Z ? 4 : 1) * real, "type %d: %g operations", t,
              flops);
        CHECK(orr_rate_operations("heev_values", (orr_type)t, 50) == solver,
              "type %d: a real solver's operations", t);
        CHECK(orr_rate_operations("heev_deflate", (orr_type)t, 50) == 0, "type %d: copies", t);
        CHECK(orr_rate_seconds("heev_value", (orr_type)t, 1) == 0 &&
                  orr_rate_operations("heev_value", (orr_type)t, 1) == 0,
              "type %d: what nobody knows", t);
    }
}

int main(void)
{
    processor();
    rates();
    return checked();
}
