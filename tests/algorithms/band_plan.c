/* What hb2st and gb2bd choose, and from what: D, G and the place.
 *
 *   predicted, one worker, one block:   sum over sweeps s of (n - s) / b hops, each of its size
 *                                       times the planted seconds per unit, and 5 %
 *   place, planted speeds of a CPU and a device:  that of the faster one; both, if they are equal
 *
 * Without models the plan names the estimate. The same models give the same plan in another
 * context. Without a model of the device, place gpu is one task of the chase for all sweeps of a
 * stage, that is, one launch; where its memory forbids it, blocks as wide as it allows.
 *
 * Arguments: opencl, or cuda: the part with such a device, which is skipped where there is none.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "codelets/codelets.h"
#include "numbers.h"
#include "orrery/models.h"
#include "orrery/plan.h"

static const char host[] = "orrtest"; /* what the models are named after, set in main */

/* ---- Models that somebody made up ----------------------------------------------------------- */

enum { RUNS = 12, CLASSES = 40 };

/* A directory of models in which a unit of hb2st_chase_d and gb2bd_chase_d takes so many seconds;
 * 0: there is no model of that kind. same: of the bandwidth b, else of nobody's. */
static void plant(char dir[64], double cpu, double device, int64_t b, int same)
{
    static orr_sample s[2 * 2 * CLASSES * RUNS];
    static const char *const name[] = {"hb2st_chase_d", "gb2bd_chase_d"};
    size_t count = 0;
    strcpy(dir, "/tmp/orrery-plan-XXXXXX");
    CHECK(mkdtemp(dir), "no directory in /tmp");
    for (int k = 0; k < 4 * CLASSES * RUNS; k++) {
        const int kind = k % 2, gb2bd = k / 2 % 2;
        const int64_t hops = k / 4 % CLASSES + 1;
        const int64_t work =
            gb2bd ? orr_gb2bd_step_work(ORR_D, b, b - 1) : orr_hb2st_hop_work(ORR_D, b);
        const uint32_t key = gb2bd ? orr_gb2bd_chase_key(b, b - 1, hops * work, 0)
                                   : orr_hb2st_chase_key(b, hops * work, 0);
        const double unit = kind ? device : cpu;
        if (unit > 0)
            s[count++] = (orr_sample){.model = name[gb2bd],
                                      .cores = 1,
                                      .kind = kind ? ORR_KIND_OPENCL : ORR_KIND_CPU,
                                      .key = same ? key : (uint32_t)hops,
                                      .size = (double)(hops * work),
                                      .us = 1e6 * unit * (double)(hops * work)};
    }
    orr_models m;
    char message[ORR_MESSAGE] = "";
    CHECK(count == 0 || (orr_models_make(s, count, &m) == ORR_OK &&
                         orr_models_write(dir, host, &m, message) == ORR_OK),
          "models: %s", message);
    if (count)
        orr_models_free(&m);
}

static void remove_directory(const char *dir)
{
    char command[96];
    snprintf(command, sizeof command, "rm -r %s", dir);
    if (system(command) != 0)
        printf("%s stays\n", dir);
}

static int with_cuda; /* devices are CUDA's */

static orr_context *open_with(const char *dir, int cpus, int devices)
{
    orr_context *ctx = NULL;
    const orr_context_opts opts = {.cpus = cpus,
                                   .cudas = with_cuda && devices ? devices : -1,
                                   .opencls = with_cuda ? -1 : devices,
                                   .model_dir = dir};
    const orr_status st = orr_open(&opts, &ctx);
    if (st != ORR_OK) {
        printf("no StarPU: %s\n", orr_strerror(st));
        exit(77);
    }
    return ctx;
}

/* ---- Plans ---------------------------------------------------------------------------------- */

struct outcome {
    orr_report rep;
    double d[2048];
};

static void reduce(orr_context *ctx, int gb2bd, int64_t n, int64_t b, const orr_hb2st_opts *o,
                   struct outcome *x)
{
    double *ab = malloc((size_t)((b + 1) * n + 1) * sizeof *ab), e[2048];
    uint64_t state = 9;
    for (int64_t k = 0; ab && k < (b + 1) * n; k++)
        ab[k] = next_uniform(&state);
    const orr_gb2bd_opts g = {.rows = o->D, .sweeps = o->G, .place = o->place, .split = o->split};
    const orr_status st = gb2bd ? orr_gb2bd(ctx, ORR_D, n, n, 0, b, ab, b + 1, x->d, e, &g, &x->rep)
                                : orr_hb2st(ctx, ORR_D, 'L', n, b, ab, b + 1, x->d, e, o, &x->rep);
    CHECK(st == ORR_OK, "n %lld b %lld: %s", (long long)n, (long long)b, x->rep.message);
    free(ab);
}

static double number(const char *plan, const char *key)
{
    const char *at = strstr(plan, key);
    return at ? atof(at + strlen(key)) : NAN;
}

static int says(const struct outcome *x, const char *member)
{
    return strstr(x->rep.plan, member) != NULL;
}

static double width(const struct outcome *x, int gb2bd)
{
    return number(x->rep.plan, gb2bd ? "\"rows\":" : "\"D\":");
}

/* ---- Without models ------------------------------------------------------------------------- */

static void estimated(void)
{
    static const int64_t sizes[][2] = {{0, 0},     {1, 0},   {2, 1},    {3, 1},
                                       {9, 8},     {33, 32}, {97, 5},   {129, 128},
                                       {257, 128}, {500, 3}, {1501, 40}};
    static struct outcome x, y;
    const orr_hb2st_opts none = {0};
    char dir[64];
    plant(dir, 0, 0, 8, 0);
    for (int workers = 1; workers <= 2; workers++) {
        orr_context *ctx = open_with(dir, workers, 0);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
            for (int gb2bd = 0; gb2bd < 2; gb2bd++) {
                const char *from =
                    sizes[k][1] > 1 ? "\"from\":\"estimate\"" : "\"from\":\"nothing to chase\"";
                reduce(ctx, gb2bd, sizes[k][0], sizes[k][1], &none, &x);
                reduce(ctx, gb2bd, sizes[k][0], sizes[k][1], &none, &y);
                CHECK(!strcmp(x.rep.plan, y.rep.plan), "%s then %s", x.rep.plan, y.rep.plan);
                const int narrow = sizes[k][1] > 1 && sizes[k][1] < 8;
                CHECK(says(&x, "\"method\":\"lapack\"") == narrow, "%s", x.rep.plan);
                if (narrow)
                    continue;
                CHECK(says(&x, from) && says(&x, "\"place\":\"cpu\""), "%s", x.rep.plan);
                CHECK(number(x.rep.plan, "\"predicted\":") >= 0, "%s", x.rep.plan);
            }
        orr_close(ctx);
    }
    remove_directory(dir);
}

/* Two workers want narrower blocks than one, and what the caller says is done. */
static void widths(void)
{
    static struct outcome x, y, z;
    const orr_hb2st_opts none = {0}, own = {.D = 208, .G = 4};
    char dir[64];
    plant(dir, 2.5e-10, 0, 32, 0);
    orr_context *one = open_with(dir, 1, 0);
    for (int gb2bd = 0; gb2bd < 2; gb2bd++) {
        reduce(one, gb2bd, 1501, 32, &none, &x);
        reduce(one, gb2bd, 1501, 32, &own, &z);
        CHECK(width(&z, gb2bd) == 208, "%s", z.rep.plan);
        CHECK(says(&z, gb2bd ? "\"sweeps\":4" : "\"G\":4"), "%s", z.rep.plan);
        CHECK(number(z.rep.plan, "\"predicted\":") > number(x.rep.plan, "\"predicted\":"),
              "%s should take longer than %s", z.rep.plan, x.rep.plan);
        CHECK(says(&x, "other bandwidths"), "%s", x.rep.plan);
    }
    orr_close(one);
    orr_context *two = open_with(dir, 2, 0);
    orr_context_info info;
    orr_context_query(two, &info);
    reduce(two, 0, 1501, 32, &none, &y);
    reduce(two, 1, 1501, 32, &none, &z);
    if (info.cpu == 2) {
        CHECK(width(&z, 1) < width(&x, 1), "gb2bd: %s, one worker: %s", z.rep.plan, x.rep.plan);
        CHECK(width(&y, 0) < 512, "hb2st: %s", y.rep.plan);
    }
    orr_close(two);
    remove_directory(dir);
}

/* ---- Models of this bandwidth --------------------------------------------------------------- */

static void predicted(void)
{
    static struct outcome x;
    const int64_t n = 700, b = 8;
    const double unit[] = {1e-9, 1e-8};
    for (int k = 0; k < 2; k++) {
        char dir[64];
        plant(dir, unit[k], 0, b, 1);
        orr_context *ctx = open_with(dir, 1, 0);
        reduce(ctx, 0, n, b, &(orr_hb2st_opts){.D = n}, &x);
        double hops = 0;
        for (int64_t s = 0; s < n - 2; s++)
            hops += (double)(n - s) / (double)b;
        const double expected = hops * (double)orr_hb2st_hop_work(ORR_D, b) * unit[k];
        const double told = number(x.rep.plan, "\"predicted\":");
        CHECK(fabs(told - expected) <= 0.05 * expected, "%s: not %g", x.rep.plan, expected);
        CHECK(says(&x, "\"from\":\"model hb2st_chase_d\""), "%s", x.rep.plan);
        orr_close(ctx);
        remove_directory(dir);
    }
}

/* ---- Places --------------------------------------------------------------------------------- */

static void one_place(int gb2bd, double cpu, double device, const orr_hb2st_opts *o,
                      const char *place, struct outcome *x)
{
    char dir[64], member[32];
    plant(dir, cpu, device, 32, 1);
    orr_context *ctx = open_with(dir, 1, 1);
    reduce(ctx, gb2bd, 1501, 32, o, x);
    snprintf(member, sizeof member, "\"place\":\"%s\"", place);
    CHECK(says(x, member), "CPU %g s, device %g s per unit: %s", cpu, device, x->rep.plan);
    printf("%s\n", x->rep.plan);
    orr_close(ctx);
    remove_directory(dir);
}

static void places(int gb2bd)
{
    static struct outcome cpu, x;
    const orr_hb2st_opts none = {0};
    const double fast = 1e-9, slow = 1e-7;
    one_place(gb2bd, fast, slow, &none, "cpu", &cpu);
    CHECK(number(cpu.rep.plan, "\"cpu_seconds\":") < number(cpu.rep.plan, "\"gpu_seconds\":"), "%s",
          cpu.rep.plan);
    one_place(gb2bd, slow, fast, &none, "gpu", &x);
    CHECK(!memcmp(cpu.d, x.d, sizeof x.d), "cpu and gpu differ");
    one_place(gb2bd, slow, fast / 10, &none, "gpu", &x); /* no split that leaves CPUs nothing */
    one_place(gb2bd, slow, slow, &none, "split", &x);
    CHECK(!memcmp(cpu.d, x.d, sizeof x.d), "cpu and split differ");
    const double even = number(x.rep.plan, "\"split\":") / number(x.rep.plan, "\"blocks\":");
    CHECK(even > 0.5 && even < 0.9, "equal speeds: the first sqrt(1/2) of the columns, not %g",
          even);
    one_place(gb2bd, slow, slow / 4, &(orr_hb2st_opts){.place = ORR_PLACE_SPLIT}, "split", &x);
    CHECK(number(x.rep.plan, "\"split\":") / number(x.rep.plan, "\"blocks\":") >= even,
          "a faster device gets no fewer columns: %s", x.rep.plan);
    one_place(gb2bd, slow, fast, &(orr_hb2st_opts){.place = ORR_PLACE_CPU}, "cpu", &x);
    /* so many columns as whole blocks: 1000 are 4.8 of 208, and 950 are 4.6; 900 are 4.3 */
    for (int64_t split = 900; split <= 1000; split += 50) {
        const orr_hb2st_opts whole = {.place = ORR_PLACE_SPLIT, .D = 208, .split = split};
        one_place(gb2bd, slow, fast, &whole, "split", &x);
        CHECK(number(x.rep.plan, "\"split\":") == (split > 936 ? 5 : 4), "%s", x.rep.plan);
        CHECK(!memcmp(cpu.d, x.d, sizeof x.d), "cpu and split differ");
    }
    one_place(gb2bd, fast, 0, &none, "scheduler", &x);
    CHECK(says(&x, "device: no model") && !says(&x, "predicted"), "%s", x.rep.plan);
}

/* ---- Launches ------------------------------------------------------------------------------- */

struct band_case {
    int gb2bd;
    orr_type type;
    int64_t n, kl, b; /* hb2st: kl = 0 */
    int vectors;
};

/* What a run would do, from the plan alone. */
static void plan_of(orr_context *ctx, const struct band_case *c, orr_place place, orr_plan *plan)
{
    static double any[1];
    orr_hb2st_factor *factor;
    const orr_hb2st_opts h = {.place = place, .vect = c->vectors ? 'V' : 'N', .factor = &factor};
    orr_gb2bd_opts g = {.place = place};
    if (c->vectors) {
        g.u = g.v = any;
        g.ldu = g.ldv = c->n;
    }
    CHECK(orr_plan_begin(ctx) == ORR_OK, "no plan");
    const orr_status st =
        c->gb2bd ? orr_gb2bd(ctx, c->type, c->n, c->n, c->kl, c->b, any, c->kl + c->b + 1, any, any,
                             &g, NULL)
                 : orr_hb2st(ctx, c->type, 'L', c->n, c->b, any, c->b + 1, any, any, &h, NULL);
    orr_plan_end(ctx, plan);
    CHECK(st == ORR_OK, "n %lld b %lld: %d", (long long)c->n, (long long)c->b, (int)st);
    if (c->vectors && !c->gb2bd && st == ORR_OK)
        orr_hb2st_drop(factor);
}

static int64_t tasks_of(const orr_plan *plan, const char *codelet)
{
    for (int k = 0; k < plan->rows; k++)
        if (!strcmp(plan->row[k].codelet, codelet))
            return plan->row[k].tasks;
    return 0;
}

/* So many times the width goes down in a stage of the plan. */
static int64_t stages_of(const orr_plan *plan)
{
    int64_t stages = 0;
    for (const char *at = plan->plan; (at = strstr(at, "\"times\":")); at++)
        stages += atoll(at + strlen("\"times\":"));
    return stages;
}

static void launches(void)
{
    static const struct band_case cases[] = {
        {0, ORR_D, 5, 0, 2, 0},       {0, ORR_Z, 300, 0, 7, 0},    {0, ORR_S, 2000, 0, 64, 0},
        {0, ORR_D, 4099, 0, 32, 0},   {0, ORR_D, 32768, 0, 32, 0}, {0, ORR_C, 32768, 0, 64, 0},
        {0, ORR_D, 3001, 0, 32, 1},   {1, ORR_D, 5, 0, 2, 0},      {1, ORR_S, 2000, 0, 33, 0},
        {1, ORR_H, 4099, 0, 64, 0},   {1, ORR_D, 32768, 0, 32, 0}, {1, ORR_S, 32768, 0, 128, 0},
        {1, ORR_Z, 32768, 0, 128, 0}, {1, ORR_D, 2000, 5, 9, 0},   {1, ORR_D, 3001, 0, 32, 1}};
    char dir[64];
    plant(dir, 0, 0, 8, 0);
    orr_context *ctx = open_with(dir, 1, 1);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const struct band_case *c = &cases[k];
        static orr_plan cpu, gpu;
        plan_of(ctx, c, ORR_PLACE_GPU, &gpu);
        plan_of(ctx, c, ORR_PLACE_CPU, &cpu);
        const char *chase = c->gb2bd ? "gb2bd_chase" : "hb2st_chase";
        const int64_t wanted = c->gb2bd ? stages_of(&gpu) : 1;
        CHECK(wanted > 0 && tasks_of(&gpu, chase) == wanted, "%s: %lld tasks, not %lld: %s", chase,
              (long long)tasks_of(&gpu, chase), (long long)wanted, gpu.plan);
        CHECK(number(gpu.plan, "\"blocks\":") == 1, "%s", gpu.plan);
        CHECK(strstr(gpu.plan, with_cuda ? "\"from\":\"estimate\"" : "\"from\":\"no model\""), "%s",
              gpu.plan);
        CHECK(c->kl == 0 || tasks_of(&gpu, "gb2bd_qr") == 1, "qr: %s", gpu.plan);
        CHECK(c->n < 4096 || tasks_of(&cpu, chase) > 100, "place cpu: %s", cpu.plan);
        printf("%s n %lld b %lld: %lld task(s), %.3g bytes; place cpu: %lld\n", chase,
               (long long)c->n, (long long)c->b, (long long)tasks_of(&gpu, chase), gpu.bytes,
               (long long)tasks_of(&cpu, chase));
    }
    orr_close(ctx);
    remove_directory(dir);
}

/* A device with little memory gets what it has room for, and the result is that of a CPU. */
static void little_memory(void)
{
    static struct outcome cpu, x;
    char dir[64];
    plant(dir, 0, 0, 8, 0);
    setenv("STARPU_LIMIT_OPENCL_MEM", "3", 1); /* MiB */
    orr_context *ctx = open_with(dir, 1, 1);
    for (int gb2bd = 0; gb2bd < 2; gb2bd++) {
        reduce(ctx, gb2bd, 2000, 32, &(orr_hb2st_opts){.place = ORR_PLACE_CPU}, &cpu);
        reduce(ctx, gb2bd, 2000, 32, &(orr_hb2st_opts){.place = ORR_PLACE_GPU}, &x);
        printf("%s\n", x.rep.plan);
        CHECK(number(x.rep.plan, "\"blocks\":") > 1, "%s", x.rep.plan);
        CHECK(!memcmp(cpu.d, x.d, sizeof x.d), "cpu and gpu differ");
    }
    orr_close(ctx);
    unsetenv("STARPU_LIMIT_OPENCL_MEM");
    remove_directory(dir);
}

/* A place that is none, and one that is not there. */
static void refused(void)
{
    double ab[3 * 40] = {1, 2, 3}, d[40], e[40];
    char dir[64];
    plant(dir, 0, 0, 8, 0);
    orr_context *ctx = open_with(dir, 1, 0);
    static const struct {
        orr_place place;
        orr_status status;
    } tries[] = {{ORR_PLACE_PIPELINE, ORR_E_ARG},   {(orr_place)-1, ORR_E_ARG},
                 {(orr_place)7, ORR_E_ARG},         {ORR_PLACE_GPU, ORR_E_NOWORKER},
                 {ORR_PLACE_SPLIT, ORR_E_NOWORKER}, {ORR_PLACE_CPU, ORR_OK}};
    for (size_t k = 0; k < sizeof tries / sizeof *tries; k++) {
        const orr_gb2bd_opts g = {.place = tries[k].place};
        const orr_hb2st_opts h = {.place = tries[k].place};
        orr_status st = orr_gb2bd(ctx, ORR_D, 40, 40, 0, 2, ab, 3, d, e, &g, NULL);
        CHECK(st == tries[k].status, "gb2bd, place %d: %d", (int)tries[k].place, st);
        st = orr_hb2st(ctx, ORR_D, 'L', 40, 2, ab, 3, d, e, &h, NULL);
        CHECK(st == tries[k].status, "hb2st, place %d: %d", (int)tries[k].place, st);
    }
    orr_close(ctx);
    remove_directory(dir);
}

/* The models planted here count, whatever the environment says of others. */
static void own_environment(void)
{
    static const char *const others[] = {"STARPU_PERF_MODEL_DIR", "STARPU_CALIBRATE",
                                         "STARPU_SCHED",          "STARPU_NCPU",
                                         "STARPU_NCUDA",          "STARPU_NOPENCL"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        unsetenv(others[k]);
    setenv("STARPU_HOSTNAME", host, 1);
}

int main(int argc, char **argv)
{
    own_environment();
    if (argc > 1) {
        with_cuda = !strcmp(argv[1], "cuda");
        orr_context *ctx = open_with(NULL, 1, 1);
        orr_context_info info;
        orr_context_query(ctx, &info);
        orr_close(ctx);
        if (info.opencl + info.cuda == 0) {
            printf("no device (%s)\n", with_cuda ? "CUDA" : "OpenCL: PoCL is not installed");
            return 77;
        }
        if (with_cuda) { /* its models are planted for OpenCL */
            launches();
            return checked();
        }
        launches();
        little_memory();
        places(0);
        places(1);
        return checked();
    }
    estimated();
    widths();
    predicted();
    refused();
    return checked();
}
