/* Arrays that are in a device's memory, of operations on one matrix and of gesvj: the bits are those
 * of the same call with arrays in main memory, what lies between columns stays as it was, and with place
 * gpu and one device those that are used where they are are not carried over the link.
 *
 *   guests [PLACE]      cpu, gpu or auto
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>

#include "arrays.h"
#include "guests.h"
#include "vgpu.h"

orr_context *ctx;
orr_place place;
static int devices;

static void bring(struct arrays *x, int k)
{
    const size_t bytes = (size_t)x->length[k] * sizeof(double);
    CHECK(cudaMemcpy(x->at[k], x->home[k], bytes, cudaMemcpyHostToDevice) == cudaSuccess, "there");
    x->filled += bytes;
}

void *array_at_home(struct arrays *x, int64_t length)
{
    const int k = x->count++;
    x->length[k] = length;
    return x->at[k] = x->home[k] = numbers(length, (uint64_t)k + 7);
}

int is_there(const struct arrays *x, int k) { return x->at[k] != (void *)x->home[k]; }

void *array(struct arrays *x, int64_t length)
{
    const int k = x->count;
    array_at_home(x, length);
    if (!x->there)
        return x->home[k];
    CHECK(cudaMalloc(&x->at[k], (size_t)length * sizeof(double)) == cudaSuccess, "cudaMalloc");
    bring(x, k);
    return x->at[k];
}

void refill(struct arrays *x, int k)
{
    if (is_there(x, k))
        bring(x, k);
}

void bring_home(struct arrays *x)
{
    for (int k = 0; k < x->count; k++) {
        if (!is_there(x, k))
            continue;
        CHECK(cudaMemcpy(x->home[k], x->at[k], (size_t)x->length[k] * sizeof(double),
                         cudaMemcpyDeviceToHost) == cudaSuccess,
              "home");
        CHECK(cudaFree(x->at[k]) == cudaSuccess, "cudaFree");
    }
}

void free_arrays(struct arrays *x)
{
    for (int k = 0; k < x->count; k++)
        free(x->home[k]);
}

static size_t bytes_of(const struct arrays *x, unsigned which)
{
    size_t bytes = 0;
    for (int k = 0; k < x->count; k++)
        bytes += which >> k & 1 && is_there(x, k) ? (size_t)x->length[k] * sizeof(double) : 0;
    return bytes;
}

/* What a plan has to say of them. */
static void check_staged(const struct test *t, const struct arrays *x, const char *plan)
{
    char text[64] = "";
    const size_t staged =
        bytes_of(x, place != ORR_PLACE_CPU || (t->stay & ALWAYS) ? ~t->stay : ~0u);
    if (staged > 0)
        snprintf(text, sizeof text, "\"staged\":%zu", staged);
    const char *told = strstr(plan, "\"staged\"");
    CHECK(staged > 0 ? told && !strncmp(told, text, strlen(text)) : !told, "%s: %s", t->name, plan);
}

/* One run of a case. Bytes that the library carried over links, either way. */
static size_t run(const struct test *t, struct arrays *x, orr_report *report)
{
    const size_t before = vgpu_carried(0) + vgpu_carried(1);
    const orr_status st = t->run(x, report);
    CHECK(st == ORR_OK, "%s: %s", t->name, report->message);
    return vgpu_carried(0) + vgpu_carried(1) - before - x->filled;
}

/* What is used where it is crosses the link once less; what is staged, twice more at most. A look takes a
 * number for each column. What has no place may be done by CPUs from main memory, and does not cross at all
 * on a device. */
static void check_spared(const struct test *t, const struct arrays *x, size_t all, size_t some)
{
    enum { LOOK = 64 * M };
    const size_t spared = bytes_of(x, t->spare), staged = bytes_of(x, ~t->stay);
    const size_t most = t->stay & ALWAYS ? bytes_of(x, t->stay) * 2 : all + 2 * staged + LOOK;
    CHECK(some + spared <= most,
          "%s: of %zu bytes %zu are spared, %zu staged, and %zu cross the link", t->name, all,
          spared, staged, some);
}

/* Bits; to rounding of what CPUs may do from main memory. */
static int same(const struct test *t, const double *x, const double *y, int64_t length)
{
    int fine = 1;
    if (!(t->stay & ALWAYS))
        return !memcmp(x, y, (size_t)length * sizeof *x);
    for (int64_t i = 0; i < length; i++)
        fine &= fabs(x[i] - y[i]) <= 1e-13 * N;
    return fine;
}

int main(int argc, char **argv)
{
    const char *where = argc > 1 ? argv[1] : "auto";
    place = !strcmp(where, "cpu")   ? ORR_PLACE_CPU
            : !strcmp(where, "gpu") ? ORR_PLACE_GPU
                                    : ORR_PLACE_AUTO;
    const orr_status opened = orr_open(NULL, &ctx);
    CHECK(opened == ORR_OK, "%s", orr_strerror(opened));
    CHECK(cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0, "no device");
    CHECK(cudaSetDevice(devices - 1) == cudaSuccess, "cudaSetDevice");
    for (const struct test *t = guests_cases; t < guests_cases + guests_count; t++) {
        struct arrays home = {0}, there = {.there = 1};
        orr_report report;
        const size_t all = run(t, &home, &report);
        CHECK(!strstr(report.plan, "staged"), "%s: %s", t->name, report.plan);
        const size_t some = run(t, &there, &report);
        check_staged(t, &there, report.plan);
        if (place == ORR_PLACE_GPU && devices == 1)
            check_spared(t, &there, all, some);
        bring_home(&there);
        for (int k = 0; k < t->results; k++)
            CHECK(same(t, home.home[k], there.home[k], home.length[k]),
                  "%s: other numbers in array %d", t->name, k);
        free_arrays(&home), free_arrays(&there);
    }
    guests_refused();
    orr_close(ctx);
    if (devices > 1) {
        const orr_status fewer = orr_open(&(orr_context_opts){.cudas = devices - 1}, &ctx);
        CHECK(fewer == ORR_OK, "%s", orr_strerror(fewer));
        guests_unused();
        orr_close(ctx);
    }
    return checked();
}
