/* A request by itself (codelets/core/request.h): the first failure is what it ends with, after which
 * nobody is told of progress, and what tasks took is no measurement; it is computed at once only if
 * nothing is recorded; no more of its tasks than allowed are in flight.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "codelets/core/submit.h"
#include "orrery/models.h"
#include "src/core/internal.h"

static void count(int64_t done, int64_t total, void *times)
{
    ++*(int *)times;
    CHECK(done == 1 && total == 3, "%lld of %lld", (long long)done, (long long)total);
}

static void failures_of(void)
{
    int told = 0;
    struct orr_request r = {.progress = count, .progress_arg = &told, .parts_total = 3};
    orr_request_begin(&r);
    orr_request_did(&r, 1);
    CHECK(!orr_request_failed(&r) && told == 1, "told %d times", told);
    orr_request_fail(&r, ORR_E_NOMEM, "first");
    orr_request_fail(&r, ORR_E_DEVICE, "second");
    orr_request_did(&r, 1);
    CHECK(orr_request_failed(&r) && told == 1, "told %d times", told);
    const orr_status st = orr_request_end(&r);
    CHECK(st == ORR_E_NOMEM && !strcmp(r.culprit, "first"), "status %d, %s", st, r.culprit);
}

static void here(void)
{
    struct orr_trace trace;
    struct orr_samples samples;
    struct orr_request at_once = {0}, traced = {.trace = &trace}, timed = {.samples = &samples};
    orr_request_here(&at_once);
    orr_request_here(&traced);
    orr_request_here(&timed);
    CHECK(at_once.here && !traced.here && !timed.here, "here: %d %d %d", at_once.here, traced.here,
          timed.here);
}

static int gone;
static void go(struct orr_request *r) { gone += r != NULL; }

static void goes(void)
{
    struct orr_request r = {.go = go};
    orr_request_begin(&r);
    orr_request_go(&r);
    orr_request_go(&r); /* workers that are awake are not woken */
    CHECK(gone == 1 && orr_request_end(&r) == ORR_OK && gone == 1, "gone %d times", gone);
}

static void refused(void)
{
    static const struct {
        int rc;
        orr_status st;
    } cases[] = {{-ENOMEM, ORR_E_NOMEM}, {-ENODEV, ORR_E_NOWORKER}};
    static const struct starpu_codelet cl = {.name = "refused"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orr_request r = {0};
        orr_request_begin(&r);
        orr_request_hold(&r); /* what orr_submit_begin takes for the task */
        CHECK(!orr_submit_end(&r, cases[i].rc, &cl), "accepted");
        const orr_status st = orr_request_end(&r);
        CHECK(st == cases[i].st && !strcmp(r.culprit, "refused"), "status %d, %s", st, r.culprit);
    }
}

/* ---- Tasks ---------------------------------------------------------------------------------- */

static atomic_llong most;

static void look(void *buffers[], void *arg)
{
    const long long pending = atomic_load(&((struct orr_task *)arg)->req->pending);
    (void)buffers;
    if (pending > atomic_load(&most)) /* one after the other, by one handle */
        atomic_store(&most, pending);
}

static void fail(void *buffers[], void *arg)
{
    (void)buffers;
    orr_request_fail(((struct orr_task *)arg)->req, ORR_E_DEVICE, "fail");
}

static double one(struct starpu_task *task, unsigned implementation)
{
    (void)task, (void)implementation;
    return 1;
}

static struct starpu_perfmodel model = {
    .type = STARPU_COMMON, .cost_function = one, .symbol = "request_d"};
static struct starpu_codelet looks = {
    .cpu_funcs = {look}, .name = "look", .model = &model, .nbuffers = 1};
static struct starpu_codelet fails = {
    .cpu_funcs = {fail}, .name = "fail", .model = &model, .nbuffers = 1};

static void submit(orr_request *r, struct starpu_codelet *cl, starpu_data_handle_t h, int count)
{
    for (int i = 0; i < count; i++) {
        struct orr_task *t = orr_task_args(r, sizeof *t, ORR_ON_CPU);
        if (t)
            orr_submit(t, sizeof *t, cl, 0, STARPU_RW, h);
    }
}

static size_t twelve(struct starpu_task *task, unsigned implementation)
{
    (void)task, (void)implementation;
    return 12;
}

/* From one second to the next, and of the size that the model says; or nothing, where memory ran out. */
static void a_sample(orr_context *c)
{
    static struct starpu_perfmodel sized = {
        .type = STARPU_COMMON, .cost_function = one, .size_base = twelve, .symbol = "request_s"};
    static struct starpu_codelet cl = {.cpu_funcs = {look}, .name = "sized", .model = &sized};
    struct starpu_profiling_task_info times = {.start_time = {.tv_sec = 7, .tv_nsec = 999000000},
                                               .end_time = {.tv_sec = 9, .tv_nsec = 1000000}};
    struct starpu_task *task = starpu_task_create();
    orr_sample *s;
    size_t n;
    starpu_perfmodel_init(&sized);
    task->cl = &cl;
    task->profiling_info = &times;
    task->destroy = 0;
    orr_sample_take(c->samples, task);
    CHECK(orr_samples_take(c, &s, &n) == ORR_OK && n == 1, "%zu samples", n);
    CHECK(n == 1 && s->us > 1001999 && s->us < 1002001 && s->size == 12 &&
              !strcmp(s->model, "request_s"),
          "%g us of %s, size %g", s->us, s->model, s->size);
    free(s);
    task->profiling_info = NULL;
    orr_sample_take(c->samples, task);
    c->samples->lost = 1;
    CHECK(orr_samples_take(c, &s, &n) == ORR_E_NOMEM && n == 0, "%zu samples, one lost", n);
    CHECK(orr_samples_take(c, &s, &n) == ORR_OK && n == 0, "%zu samples of none", n);
    starpu_task_destroy(task);
}

static void tasks(void)
{
    enum { IN_FLIGHT = 20, COUNT = 300 };
    static double x[1];
    orr_context *c;
    orr_report rep;
    if (orr_open(&(orr_context_opts){.samples = 1, .in_flight = IN_FLIGHT}, &c) != ORR_OK)
        exit(77);
    for (int bad = 0; bad < 2; bad++) {
        orr_sample *s;
        size_t n;
        orr_request *r = orr_context_request(c, orr_context_entered(c));
        starpu_data_handle_t h = orr_request_vector(r, x, 1, sizeof *x);
        submit(r, bad ? &fails : &looks, h, bad ? 1 : COUNT);
        const orr_status st = orr_wait(r, &rep);
        CHECK(st == (bad ? ORR_E_DEVICE : ORR_OK) && rep.tasks == (bad ? 1 : COUNT),
              "status %d, %lld tasks", st, (long long)rep.tasks);
        CHECK(orr_samples_take(c, &s, &n) == ORR_OK && n == (bad ? 0 : COUNT), "%zu samples", n);
        free(s);
    }
    CHECK(atomic_load(&most) > 2 && atomic_load(&most) <= IN_FLIGHT + 2, "%lld in flight",
          atomic_load(&most));
    a_sample(c);
    orr_close(c);
}

int main(void)
{
    failures_of();
    here();
    goes();
    refused();
    tasks();
    return checked();
}
