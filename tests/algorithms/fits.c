/* Where tasks go whose data do, and do not, fit into the memory of a device (codelets/core/submit.h), an
 * OpenCL worker's, which the test limits to 8 MiB.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "algorithms/open.h"
#include "check.h"
#include "codelets/core/submit.h"
#include "src/core/internal.h"

enum { SMALL = 1 << 16, LARGE = 1 << 22, LIMIT = 8 << 20 }; /* numbers; bytes */

static atomic_int on_cpu, on_device;

static void cpu(void *buffers[], void *arg)
{
    (void)buffers, (void)arg;
    atomic_fetch_add(&on_cpu, 1);
}

static void device(void *buffers[], void *arg)
{
    (void)buffers, (void)arg;
    atomic_fetch_add(&on_device, 1);
}

static double one(struct starpu_task *task, unsigned implementation)
{
    (void)task, (void)implementation;
    return 1;
}

static struct starpu_perfmodel model = {
    .type = STARPU_COMMON, .cost_function = one, .symbol = "fits_d"};
static struct starpu_codelet both = {.cpu_funcs = {cpu},
                                     .opencl_funcs = {device},
                                     .can_execute = orr_can_execute,
                                     .name = "both",
                                     .model = &model,
                                     .nbuffers = 1};

static orr_status run(orr_context *c, double *x, int64_t numbers, enum orr_where where,
                      orr_report *rep)
{
    orr_request *r = orr_context_request(c, orr_context_entered(c));
    starpu_data_handle_t h = orr_request_vector(r, x, numbers, sizeof *x);
    struct orr_task *t = orr_task_args(r, sizeof *t, where);
    on_cpu = on_device = 0;
    orr_submit(t, sizeof *t, &both, 0, STARPU_RW, h);
    return orr_wait(r, rep);
}

int main(void)
{
    orr_context *c = open_context(1);
    orr_report rep;
    double *x = calloc(LARGE, sizeof *x);
    const int64_t room = orr_accelerator_room();
    CHECK(room > 0 && room <= LIMIT, "room for %lld bytes", (long long)room);
    CHECK(run(c, x, SMALL, ORR_ON_CPU, &rep) == ORR_OK && on_cpu == 1, "on a CPU: %s", rep.message);
    CHECK(run(c, x, SMALL, ORR_ON_ACCELERATOR, &rep) == ORR_OK && on_device == 1,
          "small, on the device: %s", rep.message);
    CHECK(run(c, x, SMALL, ORR_ON_ACCELERATOR_IF_FITS, &rep) == ORR_OK && on_device == 1,
          "small, if it fits: %s", rep.message);
    CHECK(run(c, x, LARGE, ORR_ON_ACCELERATOR_IF_FITS, &rep) == ORR_OK && on_cpu == 1,
          "large, if it fits: %s", rep.message);
    CHECK(run(c, x, LARGE, ORR_ON_ACCELERATOR, &rep) == ORR_E_NOWORKER && on_cpu + on_device == 0 &&
              !strcmp(rep.message, "the data do not fit into the memory of the devices (in both)"),
          "large, on the device: %d, %s", rep.status, rep.message);
    free(x);
    orr_close(c);
    return checked();
}
