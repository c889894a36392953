/* dsyevd_64_ by a trampoline that forwards to liborrery_lapack, as Julia's does after
 * lbt_set_forward: what is passed on goes to the LAPACK behind it, not to the trampoline again.
 *
 *   trampolined SHIM TRAMPOLINE LAPACK
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void routine(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                     void *);

static routine *look_up(void *handle, const char *name)
{
    void *symbol = handle ? dlsym(handle, name) : NULL;
    routine *found;
    if (!symbol) {
        printf("%s: %s\n", name, dlerror());
        exit(99);
    }
    memcpy(&found, &symbol, sizeof found);
    return found;
}

static int wrong(routine *dsyevd, const char *from)
{
    double a[] = {2, 1, 1, 2}, w[2] = {0}, work[200];
    int64_t n = 2, lwork = 200, iwork[100], liwork = 100, info = -99;
    setenv("ORRERY_LAPACK_MIN", from, 1);
    dsyevd("N", "L", &n, a, &n, w, work, &lwork, iwork, &liwork, &info);
    printf("taken over from order %s on: info %lld, eigenvalues %.15g %.15g\n", from,
           (long long)info, w[0], w[1]);
    return info != 0 || !(fabs(w[0] - 1) < 1e-14 && fabs(w[1] - 3) < 1e-14);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    void *trampoline = dlopen(argv[2], RTLD_LAZY | RTLD_GLOBAL);
    void *lapack = dlopen(argv[3], RTLD_LAZY | RTLD_LOCAL);
    void *shim = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
    routine *const dsyevd = look_up(trampoline, "dsyevd_64_");
    void (*set)(routine *);
    routine *const setter = look_up(trampoline, "trampoline_set");
    memcpy(&set, &setter, sizeof set);
    look_up(lapack, "dsyevd_64_");
    set(look_up(shim, "dsyevd_64_"));
    return wrong(dsyevd, "1000") + wrong(dsyevd, "1");
}
