/* Where tasks may run, what a device is worth beside a core, and how large tiles are, on machines that are made up.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "check.h"
#include "machine.h"

static void places(void)
{
    static const struct {
        int cpus, devices;
        orr_place place;
        enum orr_where where;
        const char *told;
        int devices_take_part;
    } of[] = {{2, 0, ORR_PLACE_AUTO, ORR_ANYWHERE, "cpu", 0},
              {2, 1, ORR_PLACE_AUTO, ORR_ANYWHERE, "any", 1},
              {2, 1, ORR_PLACE_CPU, ORR_ON_CPU, "cpu", 0},
              {0, 1, ORR_PLACE_CPU, ORR_ANYWHERE, "any", 0},
              {2, 1, ORR_PLACE_GPU, ORR_ON_ACCELERATOR, "accelerators", 1},
              {2, 0, ORR_PLACE_SPLIT, ORR_ANYWHERE, "cpu", 0}};
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        const orr_context *c = machine(of[k].cpus, of[k].devices);
        CHECK(orr_place_where(c, of[k].place) == of[k].where &&
                  !strcmp(orr_place_told(c, of[k].place), of[k].told) &&
                  orr_place_devices(c, of[k].place) == of[k].devices_take_part,
              "case %zu: %s", k, orr_place_told(c, of[k].place));
        c = with_cuda(of[k].cpus, of[k].devices, 1, 90);
        CHECK(!strcmp(orr_place_told(c, of[k].place), of[k].told) &&
                  orr_place_devices(c, of[k].place) == of[k].devices_take_part,
              "case %zu, CUDA: %s", k, orr_place_told(c, of[k].place));
    }
}

/* Who is there: CPUs, OpenCL devices, CUDA devices. */
static void refused(void)
{
    for (int there = 0; there < 8; there++) {
        orr_context *c = machine(there & 1, there >> 1 & 1);
        c->info.cuda = there >> 2;
        for (int place = 0; place <= ORR_PLACE_SPLIT; place++) {
            struct orr_request r = {0};
            orr_place_check(c, (orr_place)place, &r, "nobody");
            const int lacks = place == ORR_PLACE_GPU     ? there < 2
                              : place == ORR_PLACE_SPLIT ? there < 2 || !(there & 1)
                                                         : 0;
            CHECK(orr_request_failed(&r) == lacks, "workers %d, place %d", there, place);
        }
    }
}

/* A device counts as the newest class that is no newer than it. One that is twice as many, or has twice the
 * processors, makes a core half as much; alone is who has four times what all cores do. */
static void rates(void)
{
    static const int known[] = {0, 80, 86, 90, 120};
    for (int t = 0; t < ORR_NTYPES; t++)
        for (int capability = 50; capability < 140; capability++) {
            const orr_type type = (orr_type)t, real = orr_type_real(type);
            int class = 0;
            for (int k = 0; k < 5; k++)
                class = known[k] <= capability ? known[k] : class;
            const double rate = orr_place_processor(capability, type);
            CHECK(rate == orr_place_processor(class, real) && rate >= 1e9, "%d: %g", capability,
                  rate);
            const double core = orr_place_core(with_cuda(4, 1, 40, capability), type);
            CHECK(fabs(orr_place_core(with_cuda(4, 2, 40, capability), type) / core - 0.5) < 1e-9 &&
                      fabs(orr_place_core(with_cuda(4, 1, 80, capability), type) / core - 0.5) <
                          1e-9 &&
                      fabs(core * 40 * rate / (real == ORR_D ? 50e9 : 100e9) - 1) < 1e-9,
                  "%d: a core is %g", capability, core);
            const int most = (int)ceil(1 / (4 * core)) - 1; /* cores that are still little */
            CHECK(orr_place_alone(with_cuda(most, 1, 40, capability), ORR_PLACE_AUTO, type) &&
                      !orr_place_alone(with_cuda(most + 2, 1, 40, capability), ORR_PLACE_AUTO,
                                       type) &&
                      orr_place_alone(with_cuda(most + 2, 1, 40, capability), ORR_PLACE_GPU, type),
                  "%d: %d cores", capability, most);
        }
    CHECK(orr_place_processor(90, ORR_D) > orr_place_processor(86, ORR_D) &&
              orr_place_processor(86, ORR_S) > orr_place_processor(86, ORR_D),
          "classes");
    CHECK(!orr_place_alone(machine(0, 0), ORR_PLACE_AUTO, ORR_D) &&
              !orr_place_alone(with_cuda(1, 1, 132, 90), ORR_PLACE_CPU, ORR_D) &&
              !orr_place_alone(machine(1, 1), ORR_PLACE_AUTO, ORR_D),
          "nobody is alone where no CUDA device takes part");
}

/* A third of one device's; of several an eighth, or half of an owner's share; `least` rows of several. */
static void tiles(void)
{
    for (int64_t length = 1; length < 200000; length += length / 3 + 1)
        for (int devices = 0; devices <= ORR_MOST_OWNERS; devices++)
            for (int64_t least = 0; least < 5000; least += 2048) {
                const double parts = devices < 2 ? 3 : devices > 4 ? 2 * devices : 8;
                double wanted = ceil((double)length / parts);
                if (devices > 1)
                    wanted = fmax(wanted, (double)least);
                const int64_t T = orr_place_tile(length, 8, devices, least);
                CHECK((double)T == within(wanted, 512, 8192), "%lld rows, %d devices: %lld, not %g",
                      (long long)length, devices, (long long)T, within(wanted, 512, 8192));
            }
}

int main(void)
{
    places();
    refused();
    rates();
    tiles();
    return checked();
}
