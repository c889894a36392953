/* Every algorithm with its tasks on CUDA devices: a line per array of its results,
 *
 *     case type array bits            bits: a hash of the bytes
 *
 * so that runs on other devices, in other orders and under other policies can be compared.
 *
 *   answers POLICY TYPES CASE[:SIZE]...      TYPES: some of sdcz
 *
 * POLICY `devices`: StarPU runs before the library and gives each task that a device can run to one
 * of them, by chance (ANSWERS_SEED): for algorithms without a place.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <starpu.h>
#include <starpu_scheduler.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "numbers.h"
#include "vgpu/answers.h"

/* ---- What cases share ----------------------------------------------------------------------- */

void *numbers(orr_type t, int64_t n, uint64_t state)
{
    const int64_t reals = n * (is_complex(t) ? 2 : 1);
    char *x = malloc((size_t)(n + 1) * orr_type_size(t));
    if (!x)
        exit(99);
    for (int64_t i = 0; i < reals; i++) {
        const double u = next_signed(&state);
        if (orr_type_real(t) == ORR_S)
            ((float *)x)[i] = (float)u;
        else
            ((double *)x)[i] = u;
    }
    return x;
}

void make_real(orr_type t, void *a, int64_t n, int64_t step)
{
    for (int64_t i = 0; i < n && is_complex(t); i++)
        if (t == ORR_C)
            ((float *)a)[2 * i * step + 1] = 0;
        else
            ((double *)a)[2 * i * step + 1] = 0;
}

const char *name;
int64_t size;

int64_t size_or(int64_t n) { return size ? size : n; }

void tell(orr_type t, const char *array, orr_type of, const void *x, int64_t n)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < (size_t)n * orr_type_size(of); i++)
        h = (h ^ ((const unsigned char *)x)[i]) * 0x100000001b3u;
    printf("%s %c %s %016llx\n", name, orr_type_letter(t), array, (unsigned long long)h);
}

void done(orr_status st, const orr_report *r)
{
    CHECK(st == ORR_OK, "%s: %s %s", name, orr_strerror(st), r->message);
}

/* ---- Cases ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    answers_case *run;
} cases[] = {
    {"hb2st", hb2st},
    {"hb2st_blocks", hb2st_blocks},
    {"gb2bd", gb2bd},
    {"gb2bd_vectors", gb2bd_vectors},
    {"heevj", heevj},
    {"heevj_block", heevj_block},
    {"heevj_lanes", heevj_lanes},
    {"gesvj", gesvj},
    {"gesvj_blocks", gesvj_blocks},
    {"gesvj_pipeline", gesvj_pipeline},
    {"gesvj_mirror", gesvj_mirror},
    {"heev", heev},
    {"hbev", hbev},
    {"heev_merge", heev_merge},
    {"heev_values", heev_values},
    {"heev_tiles", heev_tiles},
    {"heev_steps", heev_steps},
    {"hegv", hegv},
    {"gesvd", gesvd},
    {"gesvd_values", gesvd_values},
    {"gesvj_stream", gesvj_stream},
    {"gesvj_shapes", gesvj_shapes},
    {"powm", powm},
    {"powm_ritz", powm_ritz},
    {"powm_steps", powm_steps},
    {"powm_blocks", powm_blocks},
    {"pagerank", pagerank},
    {"pagerank_steps", pagerank_steps},
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- The policy `devices` ------------------------------------------------------------------- */

static struct {
    starpu_pthread_mutex_t lock;
    struct starpu_task_list queue[STARPU_NMAXWORKERS];
    unsigned state;
} pol;

static void pol_init(unsigned ctx)
{
    const char *seed = getenv("ANSWERS_SEED");
    (void)ctx;
    STARPU_PTHREAD_MUTEX_INIT(&pol.lock, NULL);
    pol.state = seed ? (unsigned)atoi(seed) : 1;
    for (int w = 0; w < STARPU_NMAXWORKERS; w++)
        starpu_task_list_init(&pol.queue[w]);
}

static void pol_deinit(unsigned ctx)
{
    (void)ctx;
    STARPU_PTHREAD_MUTEX_DESTROY(&pol.lock);
}

/* Workers of this kind that can run it. */
static int able(struct starpu_task *task, enum starpu_worker_archtype kind, unsigned *found,
                unsigned *impl)
{
    int n = 0;
    for (unsigned w = 0; w < starpu_worker_get_count(); w++)
        if (starpu_worker_get_type((int)w) == kind &&
            starpu_worker_can_execute_task_first_impl(w, task, impl))
            found[n++] = w;
    return n;
}

static int pol_push(struct starpu_task *task)
{
    unsigned found[STARPU_NMAXWORKERS], impl = 0;
    int n = able(task, STARPU_CUDA_WORKER, found, &impl);
    if (n == 0)
        n = able(task, STARPU_CPU_WORKER, found, &impl);
    STARPU_PTHREAD_MUTEX_LOCK(&pol.lock);
    pol.state = pol.state * 1103515245u + 12345u;
    const unsigned w = found[(pol.state >> 16) % (unsigned)(n ? n : 1)];
    starpu_worker_can_execute_task_first_impl(w, task, &impl);
    starpu_task_set_implementation(task, impl);
    starpu_task_list_push_back(&pol.queue[w], task);
    starpu_push_task_end(task);
    STARPU_PTHREAD_MUTEX_UNLOCK(&pol.lock);
    starpu_wake_worker_relax_light(w);
    return 0;
}

static struct starpu_task *pol_pop(unsigned ctx)
{
    const unsigned w = (unsigned)starpu_worker_get_id();
    (void)ctx;
    STARPU_PTHREAD_MUTEX_LOCK(&pol.lock);
    struct starpu_task *task =
        starpu_task_list_empty(&pol.queue[w]) ? NULL : starpu_task_list_pop_front(&pol.queue[w]);
    STARPU_PTHREAD_MUTEX_UNLOCK(&pol.lock);
    return task;
}

static struct starpu_sched_policy devices_policy = {.init_sched = pol_init,
                                                    .deinit_sched = pol_deinit,
                                                    .push_task = pol_push,
                                                    .pop_task = pol_pop,
                                                    .policy_name = "devices",
                                                    .policy_description = "devices first"};

/* ---- Running them --------------------------------------------------------------------------- */

/* Without a CPU where no task needs one: it would share the batch with the devices. */
static int without_cpus(const char *c) { return !strncmp(c, "heevj", 5); }

static void run_case(const char *policy, const char *types, const char *which)
{
    const int own = !strcmp(policy, "devices"), cpus = without_cpus(which) ? -1 : 1;
    const size_t length = strcspn(which, ":");
    orr_context *ctx;
    int known = 0;
    size = which[length] ? atoll(which + length + 1) : 0;
    if (own) {
        struct starpu_conf conf;
        starpu_conf_init(&conf);
        conf.ncpus = cpus < 0 ? 0 : cpus;
        conf.nopencl = 0;
        conf.sched_policy = &devices_policy;
        CHECK(starpu_init(&conf) == 0, "starpu_init");
    }
    const orr_status st =
        orr_open(&(orr_context_opts){.cpus = cpus, .sched = own ? NULL : policy}, &ctx);
    CHECK(st == ORR_OK, "%s: %s", policy, orr_strerror(st));
    for (int i = 0; i < CASES && st == ORR_OK; i++)
        for (const char *t = types;
             strlen(cases[i].name) == length && !strncmp(which, cases[i].name, length) && *t; t++) {
            orr_type type;
            known = 1;
            name = cases[i].name;
            CHECK(orr_type_parse((char[]){*t, 0}, &type) == 0, "no type %c", *t);
            cases[i].run(ctx, type);
        }
    CHECK(known, "no case %s", which);
    if (st == ORR_OK)
        orr_close(ctx);
    if (own)
        starpu_shutdown();
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    for (int i = 3; i < argc; i++)
        run_case(argv[1], argv[2], argv[i]);
    if (failures)
        checked();
    return failures != 0;
}
