/* Owners by StarPU's models, which are planted: two devices, whose tasks of one codelet take
 *
 *   us = unit[device] * work
 *
 * so a device has that many of the 16 ranks of columns that its rate is of both rates, 16 / (1 + 3) of one that takes
 * three times as long. They are equal without a model, with one of another codelet or type, and if there are less than
 * ten tasks of one of them; and as long as a context lives they stay what they were. The same devices have little
 * memory: a row of tiles, as wide as the matrix, and as much besides, fits what a task may have.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "codelets/core/submit.h"
#include "orrery/models.h"
#include "src/core/owners.h"
#include "src/dense/dense_plan.h"

enum { SIZES = 12, DEVICES = 2 };
static const double units[DEVICES] = {2e-3, 6e-3};
static char dir[] = "/tmp/orrery-paces-XXXXXX";

/* Models of a codelet with so many tasks of each device. */
static void plant(const char *model, const int *tasks)
{
    orr_sample s[DEVICES * SIZES];
    size_t count = 0;
    char message[ORR_MESSAGE] = "";
    orr_models m;
    for (int device = 0; device < DEVICES; device++)
        for (int k = 0; k < tasks[device]; k++) {
            const double work = 1e4 * (1 + k);
            s[count++] = (orr_sample){.model = model,
                                      .cores = 1,
                                      .kind = ORR_KIND_OPENCL,
                                      .device = device,
                                      .key = (uint32_t)k + 1,
                                      .size = work,
                                      .us = units[device] * work};
        }
    CHECK(orr_models_make(s, count, &m) == ORR_OK &&
              orr_models_write(dir, "orrtest", &m, message) == ORR_OK,
          "models: %s", message);
    orr_models_free(&m);
}

static orr_context *open_here(void)
{
    orr_context *ctx;
    orr_context_info info;
    setenv("STARPU_HOSTNAME", "orrtest", 1);
    if (orr_open(&(orr_context_opts){.cpus = 1, .cudas = -1, .opencls = DEVICES, .model_dir = dir},
                 &ctx) != ORR_OK)
        exit(77);
    orr_context_query(ctx, &info);
    if (info.opencl != DEVICES) {
        printf("%d OpenCL devices, not %d\n", info.opencl, DEVICES);
        orr_close(ctx);
        exit(77);
    }
    return ctx;
}

/* Two equal owners. */
static void equal(orr_context *ctx, const char *codelet, orr_type type)
{
    const struct orr_owners o = orr_context_owners(ctx, ORR_PLACE_AUTO, codelet, type);
    CHECK(o.count == DEVICES && orr_owners_even(&o) && o.node[0] != o.node[1],
          "%s, %c: %d owners, even %d", codelet, orr_type_letter(type), o.count,
          orr_owners_even(&o));
}

/* The first takes a third of the time. */
static void shared(orr_context *ctx, const char *codelet)
{
    const struct orr_owners o = orr_context_owners(ctx, ORR_PLACE_AUTO, codelet, ORR_D);
    CHECK(o.count == DEVICES && fabs(orr_owner_share(&o, 0) - 12. / 16) < 1e-9,
          "%s: %d owners, the first has %g", codelet, o.count, orr_owner_share(&o, 0));
    for (int i = 0; i < o.count; i++)
        CHECK(fabs(o.unit[i] / units[i] - 1) < 1e-4, "%s: owner %d takes %g us for a unit", codelet,
              i, o.unit[i]);
}

static void owners(void)
{
    plant("he2hb_update_d", (int[]){SIZES, SIZES});
    plant("ge2gb_update_d", (int[]){10, 10});
    plant("hegv_update_d", (int[]){9, SIZES});
    orr_context *ctx = open_here();
    for (int again = 0; again < 2; again++) { /* what was read is remembered */
        shared(ctx, "he2hb_update");
        shared(ctx, "ge2gb_update");
        equal(ctx, "he2hb_update", ORR_S);
        equal(ctx, "he2hb_panel", ORR_D);
        equal(ctx, "hegv_update", ORR_D);
    }
    CHECK(orr_context_owners(ctx, ORR_PLACE_CPU, "he2hb_update", ORR_D).count == 0,
          "owners at place cpu");
    plant("he2hb_panel_d", (int[]){SIZES, SIZES});
    equal(ctx, "he2hb_panel", ORR_D); /* too late */
    shared(ctx, "he2hb_update");
    orr_close(ctx);
    ctx = open_here();
    shared(ctx, "he2hb_panel");
    orr_close(ctx);
}

static void little_memory(void)
{
    setenv("STARPU_LIMIT_OPENCL_MEM", "4", 1); /* MiB */
    orr_context *ctx = open_here();
    const int64_t room = orr_accelerator_room();
    CHECK(room > 0 && room <= 4 << 20, "room for %lld bytes", (long long)room);
    for (int64_t n = 100; n < 40000; n += n / 2) {
        const int64_t T = orr_place_tile(n, 8, DEVICES, 0);
        CHECK(T > 0 && 2 * T * n * 8 <= room && (T >= 512 || 2 * (T + 2) * (n + 1) * 8 > room),
              "%lld rows: tiles of %lld, room for %lld bytes", (long long)n, (long long)T,
              (long long)room);
        for (int band = 2; band < 70; band += 11) {
            struct orr_he2hb r = {.type = ORR_D, .n = n};
            orr_heev_shape(ctx, &(orr_heev_opts){.band = band, .place = ORR_PLACE_GPU}, &r);
            CHECK(r.T % band == 0 && r.T >= 16 && r.T >= T && (r.T < T + band || r.T < 16 + band),
                  "n %lld, band %d: tiles of %lld, not %lld", (long long)n, band, (long long)r.T,
                  (long long)T);
        }
    }
    /* where a row does not fit, tiles are as if there were room */
    CHECK(orr_place_tile(room, 8, DEVICES, 0) == 8192, "tiles of %lld",
          (long long)orr_place_tile(room, 8, DEVICES, 0));
    orr_close(ctx);
    unsetenv("STARPU_LIMIT_OPENCL_MEM");
}

int main(void)
{
    CHECK(mkdtemp(dir), "no directory in /tmp");
    owners();
    little_memory();
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", dir);
    CHECK(system(command) == 0, "%s stays", dir);
    return checked();
}
