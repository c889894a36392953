/* A plan's sums of tasks whose times are known (codelets/core/plan.h): of those that a model knows, by
 * shapes; of those that it does not, by rates.
 *
 *   flops     units times the codelet's operations, times four of complex matrices
 *   seconds   of one worker; of the call, on no more workers than there are tasks
 *   bytes     memory, handles, and tasks in flight, of which no more than there are
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/open.h"
#include "check.h"
#include "codelets/core/submit.h"

enum { WORKERS = 2, TASK = 3000 };

static void nothing(void *buffers[], void *arg) { (void)buffers, (void)arg; }

/* Ten microseconds times the shape's number, and no matter how much work. */
static double cost(struct starpu_task *task, unsigned implementation)
{
    (void)implementation;
    return 10. * ((const struct orr_task *)task->cl_arg)->key;
}

static struct starpu_perfmodel known = {
    .type = STARPU_COMMON, .cost_function = cost, .symbol = "planner_d"};
static struct starpu_codelet modelled = {
    .cpu_funcs = {nothing}, .name = "modelled", .model = &known};
static struct starpu_perfmodel complex_model = {
    .type = STARPU_COMMON, .cost_function = cost, .symbol = "hegv_multiply_z"};
static struct starpu_codelet product = {
    .cpu_funcs = {nothing}, .name = "hegv_multiply", .model = &complex_model};
static struct starpu_codelet real_product = {
    .cpu_funcs = {nothing}, .name = "heev_product", .model = &complex_model};
static struct starpu_codelet rated = {.cpu_funcs = {nothing}, .name = "hegv_potrf"};

static void expect(struct orr_request *r, struct starpu_codelet *cl, double work, uint32_t shape,
                   double seconds)
{
    struct orr_task *t = calloc(1, sizeof *t);
    if (!t)
        exit(99);
    t->req = r;
    orr_cost_set(t, work, shape);
    t->expected = seconds;
    CHECK(orr_plan_task(r, cl, t) == 0, "planned");
}

static void task(struct orr_request *r, struct starpu_codelet *cl, double work, uint32_t shape)
{
    expect(r, cl, work, shape, 0);
}

static struct orr_request begin(void)
{
    struct orr_request r = {.plan = orr_planner_make(), .in_flight = 1000};
    if (!r.plan)
        exit(99);
    return r;
}

static orr_plan end(struct orr_request *r)
{
    orr_plan plan = {0};
    orr_planner_result(r->plan, &plan);
    orr_planner_free(r->plan);
    return plan;
}

static int near(double x, double y) { return fabs(x - y) <= 1e-9 * fabs(y); }

static void times(void)
{
    struct orr_request r = begin();
    task(&r, &modelled, 100, 1);
    task(&r, &modelled, 100, 3);
    orr_plan_alike(&r, 2, 2, 7); /* five of them */
    task(&r, &modelled, 200, 1);
    task(&r, &modelled, 100, 3);
    orr_plan p = end(&r);
    CHECK(p.tasks == 8 && p.rows == 1 && p.row[0].tasks == 8 &&
              near(p.row[0].seconds, 1e-6 * (10 + 30 + 5 * 20 + 30)),
          "%lld tasks, %g s", (long long)p.tasks, p.row[0].seconds);
    CHECK(near(p.seconds, p.row[0].seconds / WORKERS) && p.source == ORR_PLAN_MODEL, "%g s, %d",
          p.seconds, (int)p.source);

    r = begin(); /* one task is one worker's */
    task(&r, &modelled, 100, 4);
    p = end(&r);
    CHECK(near(p.seconds, 40e-6), "%g s", p.seconds);

    r = begin(); /* shapes that meet in the table of shapes */
    task(&r, &modelled, 100, 1);
    task(&r, &modelled, 100, 1 + (1 << 14));
    p = end(&r);
    CHECK(near(p.row[0].seconds, 1e-5 * (2 + (1 << 14))), "%g s", p.row[0].seconds);

    r = begin(); /* tasks that wait for each other */
    for (int i = 0; i < 4; i++)
        task(&r, &modelled, 100, 1);
    orr_plan_wall(&r, "modelled", 35e-6);
    p = end(&r);
    CHECK(near(p.seconds, 35e-6), "%g s", p.seconds);
}

static void sources(void)
{
    struct orr_request r = begin();
    task(&r, &modelled, 100, 100);
    task(&r, &rated, 1000, 1); /* 0.045 s of a billion */
    orr_plan p = end(&r);
    CHECK(p.rows == 2 && near(p.row[1].seconds, 0.045e-6) && p.row[1].source == ORR_PLAN_ESTIMATE &&
              near(p.row[1].flops, 1000),
          "%g s, %g operations, %d", p.row[1].seconds, p.row[1].flops, (int)p.row[1].source);
    CHECK(p.source == ORR_PLAN_MODEL, "what does not matter makes it %d", (int)p.source);
    r = begin();
    task(&r, &modelled, 100, 1);
    task(&r, &rated, 1e6, 1);
    p = end(&r);
    CHECK(p.source == ORR_PLAN_ESTIMATE, "what matters leaves it %d", (int)p.source);
    r = begin();
    task(&r, &product, 500, 1);
    task(&r, &real_product, 500, 1);
    p = end(&r);
    CHECK(near(p.row[0].flops, 2000) && near(p.row[1].flops, 500), "%g, %g operations",
          p.row[0].flops, p.row[1].flops);
    r = begin(); /* what the task says goes before the rate, but not before a model */
    expect(&r, &rated, 1000, 1, 3e-3);
    expect(&r, &modelled, 100, 100, 7);
    p = end(&r);
    CHECK(near(p.row[0].seconds, 3e-3) && near(p.row[1].seconds, 1e-3), "%g and %g s",
          p.row[0].seconds, p.row[1].seconds);
}

static void bytes(void)
{
    struct orr_request r = begin();
    task(&r, &rated, 1, 1);
    orr_plan p = end(&r);
    CHECK(p.bytes == TASK, "%g bytes of a task", p.bytes);
    r = begin();
    free(orr_request_memory(&r, 0, 12345));
    orr_plan_bytes(&r, 7);
    p = end(&r);
    CHECK(p.bytes == 12352, "%g bytes of 12352", p.bytes);
    r = begin();
    r.in_flight = 10;
    for (int i = 0; i < 20; i++)
        task(&r, &rated, 1, 1);
    p = end(&r);
    CHECK(p.bytes == 10 * TASK, "%g bytes of ten tasks", p.bytes);
    r = begin();
    for (int i = 0; i < 5; i++)
        orr_request_vector(&r, NULL, 10, 8);
    p = end(&r);
    CHECK(p.bytes >= 5 * 1000, "%g bytes of five handles", p.bytes);
}

static void refusals(void)
{
    struct orr_request r = begin();
    orr_plan_refuse(&r, NULL, 3);
    orr_plan_refuse(&r, "first", 5);
    orr_plan_refuse(&r, "second", 7);
    const orr_plan p = end(&r);
    CHECK(!strcmp(p.refused, "first") && p.most == 5, "'%s', %lld", p.refused, (long long)p.most);
}

int main(void)
{
    orr_context *c;
    if (orr_open(&(orr_context_opts){.cpus = WORKERS}, &c) != ORR_OK)
        return 77;
    orr_context_info info;
    orr_context_query(c, &info);
    if (info.cpu == WORKERS)
        times();
    sources();
    bytes();
    refusals();
    orr_close(c);
    return checked();
}
