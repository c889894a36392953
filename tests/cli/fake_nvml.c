/* NVML with two devices, whose counters (mJ) stand in the file $FAKE_NVML, one a line. Without it, no device; with "error" in
 * it, the counters cannot be read. SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *);
int nvmlDeviceGetHandleByIndex_v2(unsigned, void **);
int nvmlDeviceGetTotalEnergyConsumption(void *, unsigned long long *);
const char *nvmlErrorString(int);

enum { DEVICES = 2, NOT_SUPPORTED = 3 };
static int device[DEVICES], started;

int nvmlInit_v2(void) { return started++ ? NOT_SUPPORTED : 0; }

int nvmlShutdown(void) { return started-- == 1 ? 0 : NOT_SUPPORTED; }

int nvmlDeviceGetCount_v2(unsigned *n)
{
    *n = getenv("FAKE_NVML") ? DEVICES : 0;
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned k, void **d)
{
    *d = &device[k];
    return k < DEVICES ? 0 : NOT_SUPPORTED;
}

int nvmlDeviceGetTotalEnergyConsumption(void *d, unsigned long long *mj)
{
    const char *path = getenv("FAKE_NVML");
    FILE *f = path ? fopen(path, "r") : NULL;
    int status = NOT_SUPPORTED;
    for (int k = 0; f && k < DEVICES; k++) {
        unsigned long long x;
        if (fscanf(f, "%llu", &x) == 1 && d == &device[k]) {
            *mj = x;
            status = 0;
        }
    }
    if (f)
        fclose(f);
    return status;
}

const char *nvmlErrorString(int status)
{
    return status == NOT_SUPPORTED ? "Not Supported" : "Success";
}
