/* Workers are paused while nothing is in flight, as idle ones poll, and run while something is. A
 * StarPU that its owner has started is never paused, nor resumed.
 *
 * The calls are counted on their way to StarPU.  SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <starpu.h>
#include <stdatomic.h>

#include "check.h"
#include "orrery/orrery.h"

static atomic_int pauses, resumes;

#pragma GCC visibility push(default)
void starpu_pause(void)
{
    atomic_fetch_add(&pauses, 1);
    ((__typeof__(&starpu_pause))dlsym(RTLD_NEXT, "starpu_pause"))();
}

void starpu_resume(void)
{
    atomic_fetch_add(&resumes, 1);
    ((__typeof__(&starpu_resume))dlsym(RTLD_NEXT, "starpu_resume"))();
}
#pragma GCC visibility pop

/* Since the last question. */
static void called(const char *when, int paused, int resumed)
{
    const int p = atomic_exchange(&pauses, 0), r = atomic_exchange(&resumes, 0);
    CHECK(p == paused && r == resumed, "%s: paused %d times, not %d; resumed %d times, not %d",
          when, p, paused, r, resumed);
}

enum { N = 200, FRAMES = 2 };
static double a[FRAMES][N * N], w[FRAMES][N];

static orr_request *submit(orr_context *c, int k)
{
    const orr_batch A = {.type = ORR_D, .batch = 1, .m = N, .n = N, .a = a[k]};
    const orr_batch W = {.type = ORR_D, .batch = 1, .m = N, .n = 1, .a = w[k]};
    orr_request *r = NULL;
    for (int i = 0; i < N * N; i++)
        a[k][i] = i % (N + 1) == 0 ? 1 + i : 0;
    CHECK(orr_submit_heevj(c, &A, &W, NULL, NULL, &r) == ORR_OK, "refused");
    return r;
}

static void in_flight(orr_context *c, int owned)
{
    orr_request *r[FRAMES];
    r[0] = submit(c, 0);
    called("one is in flight", 0, owned);
    r[1] = submit(c, 1);
    CHECK(orr_wait(r[0], NULL) == ORR_OK, "one");
    called("another one is", 0, 0);
    CHECK(orr_wait(r[1], NULL) == ORR_OK, "the other");
    called("nothing is", owned, 0);
    for (int k = 0; k < FRAMES; k++)
        CHECK(fabs(w[k][0] - 1) < 1e-9, "%g", w[k][0]);
}

int main(void)
{
    orr_context *c, *second;
    if (orr_open(&(orr_context_opts){.cpus = 1}, &c) != ORR_OK)
        return 77;
    called("opened", 1, 0);
    in_flight(c, 1);
    CHECK(orr_open(NULL, &second) == ORR_OK, "a second context");
    called("opened twice", 0, 0);
    in_flight(second, 1);
    orr_close(c);
    called("closed once", 0, 0);
    in_flight(second, 1);
    orr_close(second);
    called("closed", 0, 1); /* paused, it cannot shut down */

    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = 1;
    conf.nopencl = 0;
    CHECK(starpu_init(&conf) == 0, "somebody else's");
    CHECK(orr_open(NULL, &c) == ORR_OK, "borrowed");
    in_flight(c, 0);
    orr_close(c);
    called("given back", 0, 0);
    starpu_shutdown();
    return checked();
}
