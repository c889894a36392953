/* The work of gesvj on a pair of blocks as tasks.
 *
 *   angle      X[p], X[q] R; G W; seen RW or W       gram and evd at once
 *   gram       X[p], X[q] R; H W
 *   evd        H RW; G W; seen RW or W
 *   update     G R; X[p], X[q] RW
 *   update_v   G R; J[p], J[q] RW
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/gesvj_args.h"
#include "codelets/submit.h"

struct args {
    struct orr_task task;
    orr_type type;
    int first; /* a sweep's first round: the whole Gram matrix, and `seen` starts anew */
    orr_gesvj_args kernel;
};

static int check(const struct args *a, orr_status st, const char *name)
{
    if (st != ORR_OK)
        orr_request_fail(a->task.req, st, name);
    return st == ORR_OK;
}

static void angle(void **buf, void *arg)
{
    struct args *a = arg;
    orr_gesvj_seen *seen = ORR_PTR(3);
    if (a->first)
        *seen = (orr_gesvj_seen){0};
    if (!orr_request_failed(a->task.req))
        check(a,
              orr_gesvj_angle_cpu[a->type](&a->kernel, a->first, ORR_PTR(0), ORR_PTR(1), ORR_PTR(2),
                                           seen),
              "gesvj_angle");
}
ORR_OPENCL(angle)

static void gram(void **buf, void *arg)
{
    struct args *a = arg;
    if (!orr_request_failed(a->task.req))
        check(a,
              orr_gesvj_gram_cpu[a->type](&a->kernel, a->first, ORR_PTR(0), ORR_PTR(1), ORR_PTR(2)),
              "gesvj_gram");
}
ORR_OPENCL(gram)

static void evd(void **buf, void *arg)
{
    struct args *a = arg;
    orr_gesvj_seen *all = ORR_PTR(2);
    if (a->first)
        *all = (orr_gesvj_seen){0};
    if (!orr_request_failed(a->task.req) &&
        check(a, orr_gesvj_evd_cpu[a->type](&a->kernel, a->first, ORR_PTR(0), ORR_PTR(1)),
              "gesvj_evd"))
        orr_gesvj_join(all, ORR_PTR(1));
}
ORR_OPENCL(evd)

static void rotate(void **buf, const struct args *a, int64_t rows, const char *name)
{
    if (!orr_request_failed(a->task.req))
        check(a,
              orr_gesvj_rotate_cpu[a->type](&a->kernel, rows, ORR_PTR(0), ORR_PTR(1), ORR_PTR(2)),
              name);
}

static void update(void **buf, void *arg)
{
    const struct args *a = arg;
    rotate(buf, a, orr_gesvj_shape_of(&a->kernel).rows, "gesvj_update");
}
ORR_OPENCL(update)

static void update_v(void **buf, void *arg)
{
    const struct args *a = arg;
    rotate(buf, a, orr_gesvj_shape_of(&a->kernel).small, "gesvj_update_v");
}
ORR_OPENCL(update_v)

/* ---- Codelets ----------------------------------------------------------------------------- */

/* The first round's Gram matrix costs three times as much. */
static uint32_t footprint(struct starpu_task *task)
{
    const struct args *a = task->cl_arg;
    uint32_t what[4] = {(uint32_t)orr_gesvj_shape_of(&a->kernel).rows,
                        (uint32_t)orr_gesvj_shape_of(&a->kernel).small, (uint32_t)a->kernel.nb,
                        (uint32_t)a->first};
    return starpu_hash_crc32c_be_n(what, sizeof what, 0);
}

#define MODEL(name)                                                                                \
    {                                                                                              \
        .type = STARPU_HISTORY_BASED, .symbol = name, .footprint = footprint                       \
    }
static struct starpu_perfmodel angle_model[ORR_NTYPES] = {
    MODEL("gesvj_angle_s"), MODEL("gesvj_angle_d"), MODEL("gesvj_angle_c"), MODEL("gesvj_angle_z")};
static struct starpu_perfmodel gram_model[ORR_NTYPES] = {
    MODEL("gesvj_gram_s"), MODEL("gesvj_gram_d"), MODEL("gesvj_gram_c"), MODEL("gesvj_gram_z")};
static struct starpu_perfmodel evd_model[ORR_NTYPES] = {MODEL("gesvj_evd_s"), MODEL("gesvj_evd_d"),
                                                        MODEL("gesvj_evd_c"), MODEL("gesvj_evd_z")};
static struct starpu_perfmodel update_model[ORR_NTYPES] = {
    MODEL("gesvj_update_s"), MODEL("gesvj_update_d"), MODEL("gesvj_update_c"),
    MODEL("gesvj_update_z")};
static struct starpu_perfmodel update_v_model[ORR_NTYPES] = {
    MODEL("gesvj_update_v_s"), MODEL("gesvj_update_v_d"), MODEL("gesvj_update_v_c"),
    MODEL("gesvj_update_v_z")};

/* Modes are given with each task: `seen` is written first and read-written afterwards. */
#define CODELET(label, f, t)                                                                       \
    {                                                                                              \
        .name = label, .model = &f##_model[t], .nbuffers = STARPU_VARIABLE_NBUFFERS,               \
        .cpu_funcs = {f}, ORR_OPENCL_FUNC(f) ORR_CODELET_COMMON                                    \
    }
#define FOUR(label, f)                                                                             \
    {                                                                                              \
        CODELET(label, f, ORR_S), CODELET(label, f, ORR_D), CODELET(label, f, ORR_C),              \
            CODELET(label, f, ORR_Z)                                                               \
    }
static struct starpu_codelet angle_codelet[ORR_NTYPES] = FOUR("gesvj_angle", angle);
static struct starpu_codelet gram_codelet[ORR_NTYPES] = FOUR("gesvj_gram", gram);
static struct starpu_codelet evd_codelet[ORR_NTYPES] = FOUR("gesvj_evd", evd);
static struct starpu_codelet update_codelet[ORR_NTYPES] = FOUR("gesvj_update", update);
static struct starpu_codelet update_v_codelet[ORR_NTYPES] = FOUR("gesvj_update_v", update_v);

/* ---- Insertion ---------------------------------------------------------------------------- */

struct orr_gesvj_pair orr_gesvj_pair_of(const struct orr_gesvj_block *b, int64_t sweep,
                                        int64_t round, int64_t i)
{
    struct orr_gesvj_pair x = {
        .i = i, .round = round, .sweep = sweep, .turn = sweep * (b->blocks - 1) + round};
    orr_gesvj_pairing(b->blocks, round, i, &x.p, &x.q);
    return x;
}

static void insert(struct orr_request *req, int prio, struct starpu_codelet *four,
                   const struct orr_gesvj_block *b, const struct orr_gesvj_pair *x,
                   enum orr_gesvj_where where, struct starpu_data_descr *buffers, int count)
{
    struct args *a = orr_task_args(req, sizeof *a);
    if (!a)
        return;
    a->task.tag = b->chunk.tag;
    a->task.cpu_only = where == ORR_GESVJ_ON_CPU;
    a->task.accel_only = where == ORR_GESVJ_ON_ACCELERATOR;
    a->type = b->chunk.type;
    a->first = x->round == 0;
    a->kernel = orr_gesvj_kernel_args(&b->chunk);
    orr_submit(a, sizeof *a, &four[b->chunk.type], prio, STARPU_DATA_MODE_ARRAY, buffers, count);
}

/* The rotation (or Gram matrix) of a pair; it is used again `depth` rounds later. */
static starpu_data_handle_t slot(const struct orr_gesvj_block *b, starpu_data_handle_t *pool,
                                 const struct orr_gesvj_pair *x)
{
    return pool[x->turn % b->depth * (b->blocks / 2) + x->i];
}

static struct starpu_data_descr seen_of(const struct orr_gesvj_block *b,
                                        const struct orr_gesvj_pair *x)
{
    return (struct starpu_data_descr){b->seen[x->sweep % 2 * (b->blocks / 2) + x->i],
                                      x->round == 0 ? STARPU_W : STARPU_RW};
}

void orr_insert_gesvj_angle(struct orr_request *req, int prio, const struct orr_gesvj_block *b,
                            const struct orr_gesvj_pair *x, enum orr_gesvj_where where)
{
    struct starpu_data_descr buffers[] = {{b->X[x->p], STARPU_R},
                                          {b->X[x->q], STARPU_R},
                                          {slot(b, b->G, x), STARPU_W},
                                          seen_of(b, x)};
    insert(req, prio, angle_codelet, b, x, where, buffers, 4);
}

void orr_insert_gesvj_gram(struct orr_request *req, int prio, const struct orr_gesvj_block *b,
                           const struct orr_gesvj_pair *x, enum orr_gesvj_where where)
{
    struct starpu_data_descr buffers[] = {
        {b->X[x->p], STARPU_R}, {b->X[x->q], STARPU_R}, {slot(b, b->H, x), STARPU_W}};
    insert(req, prio, gram_codelet, b, x, where, buffers, 3);
}

void orr_insert_gesvj_evd(struct orr_request *req, int prio, const struct orr_gesvj_block *b,
                          const struct orr_gesvj_pair *x, enum orr_gesvj_where where)
{
    struct starpu_data_descr buffers[] = {
        {slot(b, b->H, x), STARPU_RW}, {slot(b, b->G, x), STARPU_W}, seen_of(b, x)};
    insert(req, prio, evd_codelet, b, x, where, buffers, 3);
}

void orr_insert_gesvj_update(struct orr_request *req, int prio, const struct orr_gesvj_block *b,
                             const struct orr_gesvj_pair *x, enum orr_gesvj_where where)
{
    struct starpu_data_descr buffers[] = {
        {slot(b, b->G, x), STARPU_R}, {b->X[x->p], STARPU_RW}, {b->X[x->q], STARPU_RW}};
    insert(req, prio, update_codelet, b, x, where, buffers, 3);
}

void orr_insert_gesvj_update_v(struct orr_request *req, int prio, const struct orr_gesvj_block *b,
                               const struct orr_gesvj_pair *x, enum orr_gesvj_where where)
{
    struct starpu_data_descr buffers[] = {
        {slot(b, b->G, x), STARPU_R}, {b->J[x->p], STARPU_RW}, {b->J[x->q], STARPU_RW}};
    insert(req, prio, update_v_codelet, b, x, where, buffers, 3);
}
