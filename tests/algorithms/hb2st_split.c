/* hb2st with --place split on a node with an OpenCL worker, whose memory is its own: d, e and Q
 * are those of the CPUs, bit for bit, wherever the band is cut; and of the band only what must move
 * does. In bytes to the device, and as many from it, with blocks H, carries C, and g groups whose
 * first sweep is in the device's columns (without vectors):
 *
 *   <= (cut + g) H + g C       its blocks once, the border and a carry once for every group
 *
 * There are no performance models: those that other tests have left could give the device nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/hermband.h"
#include "check.h"

static void *allocate(size_t bytes)
{
    void *p = calloc(bytes + 1, 1);
    if (!p)
        exit(99);
    return p;
}

/* Bytes moved since the last call, from main memory to all others (or back). */
static long long moved(int back)
{
    long long bytes = 0;
    for (int bus = 0; bus < starpu_bus_get_count(); bus++) {
        const int home = back ? starpu_bus_get_dst(bus) : starpu_bus_get_src(bus);
        struct starpu_profiling_bus_info info;
        if (home == STARPU_MAIN_RAM && starpu_bus_get_profiling_info(bus, &info) == 0)
            bytes += info.transferred_bytes;
    }
    return bytes;
}

static long long from_plan(const char *plan, const char *key)
{
    const char *at = strstr(plan, key);
    return at ? atoll(at + strlen(key)) : -1;
}

static void one(orr_context *ctx, rng *r, orr_type t, int64_t n, int64_t b, int64_t split,
                char vect)
{
    const size_t size = orr_type_size(t), real = orr_type_size(orr_type_real(t));
    double complex *a = allocate((size_t)(n * n) * sizeof *a);
    char *ab = allocate((size_t)((b + 1) * n) * size);
    char *out[2];
    const size_t T = 2 * (size_t)n * real, Q = (size_t)(n * n) * size;
    orr_report rep = {0};
    band_fill(r, 0, t, n, b, a);
    band_pack(t, 'L', n, b, a, ab, b + 1);
    long long to = 0, from = 0;
    for (int k = 0; k < 2; k++) {
        out[k] = allocate(T + Q);
        const orr_hb2st_opts o = {.place = k ? ORR_PLACE_SPLIT : ORR_PLACE_CPU,
                                  .D = 4 * b,
                                  .G = 3,
                                  .split = split,
                                  .vect = vect,
                                  .q = out[k] + T,
                                  .ldq = n};
        moved(0);
        moved(1);
        const orr_status st =
            orr_hb2st(ctx, t, 'L', n, b, ab, b + 1, out[k], out[k] + (size_t)n * real, &o, &rep);
        to = moved(0);
        from = moved(1);
        CHECK(st == ORR_OK, "status %d %s", st, rep.message);
    }
    CHECK(!memcmp(out[0], out[1], T + Q), "%c n %lld b %lld split %lld: results differ",
          orr_type_letter(t), (long long)n, (long long)b, (long long)split);
    const long long cut = from_plan(rep.plan, "\"split\":"), g = (cut * 4 * b + 2) / 3;
    const long long blocks = from_plan(rep.plan, "\"blocks\":");
    /* columns of 2b entries with at most two lines (64 bytes) between them, and a line before */
    const long long H = (long long)(4 * b * (2 * b * (int64_t)size + 128) + 64);
    const long long C = (long long)(3 * (b + 1) * (int64_t)size) + 64;
    const long long most = (cut + g) * H + g * C;
    printf("%c n %lld b %lld: %lld of %lld blocks on the device, %lld bytes to it, %lld from it "
           "(limit %lld)\n",
           orr_type_letter(t), (long long)n, (long long)b, cut, blocks, to, from, most);
    CHECK(cut > 0 && cut < blocks, "split %lld of %lld", cut, blocks);
    CHECK(vect == 'Q' || (to > 0 && to <= most), "%lld bytes to the device", to);
    CHECK(vect == 'Q' || (from > 0 && from <= most), "%lld bytes from the device", from);
    free(a);
    free(ab);
    free(out[0]);
    free(out[1]);
}

int main(void)
{
    char dir[] = "/tmp/orrery-split-XXXXXX", command[96];
    orr_context *ctx;
    CHECK(mkdtemp(dir), "no directory in /tmp");
    orr_status st = orr_open(&(orr_context_opts){.opencls = 1, .model_dir = dir}, &ctx);
    snprintf(command, sizeof command, "rm -r %s", dir);
    if (st != ORR_OK) {
        printf("no StarPU: %s\n", orr_strerror(st));
        return system(command) ? 1 : 77;
    }
    orr_context_info ci;
    orr_context_query(ctx, &ci);
    if (ci.opencl == 0) {
        printf("no OpenCL device (PoCL is not installed)\n");
        orr_close(ctx);
        return system(command) ? 1 : 77;
    }
    starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
    rng r = {7};
    for (int t = 0; t < ORR_NTYPES; t++)
        for (int64_t split = 0; split < 150; split += 50)
            one(ctx, &r, (orr_type)t, 170 + split / 7, 5, split, split == 50 ? 'Q' : 'N');
    orr_close(ctx);
    CHECK(system(command) == 0, "%s", command);

    double ab[4 * 60] = {0}, d[60], e[60]; /* no accelerator */
    orr_report rep;
    for (int k = 0; k < 4 * 60; k++)
        ab[k] = k % 5;
    if (orr_open(NULL, &ctx) == ORR_OK) {
        orr_context_query(ctx, &ci);
        st = orr_hb2st(ctx, ORR_D, 'L', 60, 3, ab, 4, d, e,
                       &(orr_hb2st_opts){.place = ORR_PLACE_SPLIT, .D = 12}, &rep);
        CHECK(ci.opencl + ci.cuda > 0 || st == ORR_E_NOWORKER, "status %d", st);
        orr_close(ctx);
    }
    return checked();
}
