/* The work of gesvj on pairs of blocks as tasks: of some pairs of a round, one after the other
 * on a CPU and side by side on a device. Buffers of every pair in turn:
 *
 *   angle      X[p], X[q] R; G W; seen RW or W       gram and evd at once
 *   gram       X[p], X[q] R; H W
 *   evd        H RW; G W; seen RW or W
 *   update     X[p], X[q] RW; G R
 *   update_v   J[p], J[q] RW; G R
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/gesvj_args.h"
#include "codelets/submit.h"

struct args {
    struct orr_task task;
    orr_type type;
    int first; /* a sweep's first round: the whole Gram matrix, and `seen` starts anew */
    int64_t pairs;
    orr_gesvj_args kernel;
};

enum { ANGLE_BUFFERS = 4, GRAM_BUFFERS = 3, EVD_BUFFERS = 3, UPDATE_BUFFERS = 3 };

static int check(const struct args *a, orr_status st, const char *name)
{
    if (st != ORR_OK)
        orr_request_fail(a->task.req, st, name);
    return st == ORR_OK;
}

/* ---- CPU ---------------------------------------------------------------------------------- */

static void angle(void **buf, void *arg)
{
    struct args *a = arg;
    for (int64_t i = 0; i < a->pairs; i++, buf += ANGLE_BUFFERS) {
        orr_gesvj_seen *seen = ORR_PTR(3);
        if (a->first)
            *seen = (orr_gesvj_seen){0};
        if (!orr_request_failed(a->task.req))
            check(a,
                  orr_gesvj_angle_cpu[a->type](&a->kernel, a->first, ORR_PTR(0), ORR_PTR(1),
                                               ORR_PTR(2), seen),
                  "gesvj_angle");
    }
}
ORR_OPENCL(angle)

static void gram(void **buf, void *arg)
{
    struct args *a = arg;
    for (int64_t i = 0; i < a->pairs && !orr_request_failed(a->task.req); i++, buf += GRAM_BUFFERS)
        check(a,
              orr_gesvj_gram_cpu[a->type](&a->kernel, a->first, ORR_PTR(0), ORR_PTR(1), ORR_PTR(2)),
              "gesvj_gram");
}
ORR_OPENCL(gram)

static void evd(void **buf, void *arg)
{
    struct args *a = arg;
    for (int64_t i = 0; i < a->pairs; i++, buf += EVD_BUFFERS) {
        orr_gesvj_seen *all = ORR_PTR(2);
        if (a->first)
            *all = (orr_gesvj_seen){0};
        if (!orr_request_failed(a->task.req) &&
            check(a, orr_gesvj_evd_cpu[a->type](&a->kernel, a->first, ORR_PTR(0), ORR_PTR(1)),
                  "gesvj_evd"))
            orr_gesvj_join(all, ORR_PTR(1));
    }
}
ORR_OPENCL(evd)

static void rotate(void **buf, struct args *a, int64_t rows, const char *name)
{
    int64_t rotated = 0;
    for (int64_t i = 0; i < a->pairs && !orr_request_failed(a->task.req);
         i++, buf += UPDATE_BUFFERS) {
        rotated += ((const orr_gesvj_seen *)ORR_PTR(2))->rotated;
        check(a,
              orr_gesvj_rotate_cpu[a->type](&a->kernel, rows, ORR_PTR(2), ORR_PTR(0), ORR_PTR(1)),
              name);
    }
    a->task.idle = rotated == 0; /* all pairs had converged */
}

static void update(void **buf, void *arg)
{
    struct args *a = arg;
    rotate(buf, a, orr_gesvj_shape_of(&a->kernel).rows, "gesvj_update");
}
ORR_OPENCL(update)

static void update_v(void **buf, void *arg)
{
    struct args *a = arg;
    rotate(buf, a, orr_gesvj_shape_of(&a->kernel).small, "gesvj_update_v");
}
ORR_OPENCL(update_v)

/* ---- CUDA --------------------------------------------------------------------------------- */

#ifdef ORR_WITH_CUDA
typedef orr_status pairs_cuda_fn(orr_stream, const orr_gesvj_args *, int, int64_t,
                                 const orr_gesvj_pointers *);

/* The kernel on the pairs that `of` finds in the buffers, `step` apart. */
static void on_device(void **buf, const struct args *a, int step, pairs_cuda_fn *kernel,
                      orr_gesvj_pointers (*of)(void **), const char *name)
{
    orr_gesvj_pointers pairs[ORR_GESVJ_MAX_PAIRS];
    if (orr_request_failed(a->task.req))
        return;
    for (int64_t i = 0; i < a->pairs; i++, buf += step)
        pairs[i] = of(buf);
    check(a, kernel(ORR_STREAM(), &a->kernel, a->first, a->pairs, pairs), name);
}

static orr_gesvj_pointers of_angle(void **buf)
{
    return (orr_gesvj_pointers){
        .xp = ORR_PTR(0), .xq = ORR_PTR(1), .rotation = ORR_PTR(2), .seen = ORR_PTR(3)};
}

static orr_gesvj_pointers of_gram(void **buf)
{
    return (orr_gesvj_pointers){.xp = ORR_PTR(0), .xq = ORR_PTR(1), .H = ORR_PTR(2)};
}

static orr_gesvj_pointers of_evd(void **buf)
{
    return (orr_gesvj_pointers){.H = ORR_PTR(0), .rotation = ORR_PTR(1), .seen = ORR_PTR(2)};
}

static void angle_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    on_device(buf, a, ANGLE_BUFFERS, orr_gesvj_angle_cuda[a->type], of_angle, "gesvj_angle");
}

static void gram_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    on_device(buf, a, GRAM_BUFFERS, orr_gesvj_gram_cuda[a->type], of_gram, "gesvj_gram");
}

static void evd_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    on_device(buf, a, EVD_BUFFERS, orr_gesvj_evd_cuda[a->type], of_evd, "gesvj_evd");
}

static void rotate_cuda(void **buf, const struct args *a, int64_t rows, const char *name)
{
    orr_gesvj_pointers pairs[ORR_GESVJ_MAX_PAIRS];
    if (orr_request_failed(a->task.req))
        return;
    for (int64_t i = 0; i < a->pairs; i++, buf += UPDATE_BUFFERS)
        pairs[i] = (orr_gesvj_pointers){.xp = ORR_PTR(0), .xq = ORR_PTR(1), .rotation = ORR_PTR(2)};
    check(a, orr_gesvj_rotate_cuda[a->type](ORR_STREAM(), &a->kernel, rows, a->pairs, pairs), name);
}

static void update_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    rotate_cuda(buf, a, orr_gesvj_shape_of(&a->kernel).rows, "gesvj_update");
}

static void update_v_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    rotate_cuda(buf, a, orr_gesvj_shape_of(&a->kernel).small, "gesvj_update_v");
}
#endif

/* ---- Codelets ----------------------------------------------------------------------------- */

static struct starpu_perfmodel angle_model[ORR_NTYPES] = ORR_MODELS("gesvj_angle");
static struct starpu_perfmodel gram_model[ORR_NTYPES] = ORR_MODELS("gesvj_gram");
static struct starpu_perfmodel evd_model[ORR_NTYPES] = ORR_MODELS("gesvj_evd");
static struct starpu_perfmodel update_model[ORR_NTYPES] = ORR_MODELS("gesvj_update");
static struct starpu_perfmodel update_v_model[ORR_NTYPES] = ORR_MODELS("gesvj_update_v");

/* Modes are given with each task: `seen` is written first and read-written afterwards. */
#define CODELET(label, f, t)                                                                       \
    {                                                                                              \
        .name = label, .model = &f##_model[t], .nbuffers = STARPU_VARIABLE_NBUFFERS,               \
        .cpu_funcs = {f}, ORR_CUDA_FUNC(f##_cuda) ORR_OPENCL_FUNC(f) ORR_CODELET_COMMON            \
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

/* Where pair i of the task is found. */
struct place {
    int64_t p, q; /* blocks */
    int64_t slot; /* of its rotation or Gram matrix, which is used again `depth` rounds later */
    int64_t seen;
};

static struct place place_of(const struct orr_gesvj_block *b, const struct orr_gesvj_pairs *x,
                             int64_t i)
{
    const int64_t half = b->blocks / 2, pair = x->first + i;
    struct place at = {.slot = x->turn % b->depth * half + pair,
                       .seen = x->sweep % 2 * half + pair};
    orr_gesvj_pairing(b->blocks, x->round, pair, &at.p, &at.q);
    return at;
}

static int64_t rows_of(const struct orr_gesvj_block *b, int accumulated)
{
    const orr_gesvj_args g = orr_gesvj_kernel_args(&b->chunk);
    const orr_gesvj_shape s = orr_gesvj_shape_of(&g);
    return accumulated ? s.small : s.rows;
}

/* rows: of the blocks that the task works on; 0: of none, only on the small matrix. The first
 * round's Gram matrix costs three times as much as others. */
static void insert(struct orr_request *req, int prio, struct starpu_codelet *four,
                   const struct orr_gesvj_block *b, const struct orr_gesvj_pairs *x, int64_t rows,
                   enum orr_gesvj_where where, struct starpu_data_descr *buffers, int64_t count)
{
    struct args *a = orr_task_args(req, sizeof *a);
    if (!a)
        return;
    a->task.tag = b->chunk.tag;
    a->task.cpu_only = where == ORR_GESVJ_ON_CPU;
    a->task.accel_only = where == ORR_GESVJ_ON_ACCELERATOR;
    a->type = b->chunk.type;
    a->first = x->round == 0;
    a->pairs = x->count;
    a->kernel = orr_gesvj_kernel_args(&b->chunk);
    const int64_t nb = a->kernel.nb, gram = four == gram_codelet || four == angle_codelet;
    const int64_t small = four == evd_codelet || four == angle_codelet ? 16 * nb : 0;
    orr_cost(&a->task,
             (double)(x->count * nb * nb) * (double)((gram && a->first ? 3 : 1) * rows + small),
             rows, nb, a->first, x->count);
    orr_submit(a, sizeof *a, &four[b->chunk.type], prio, STARPU_DATA_MODE_ARRAY, buffers,
               (int)count);
}

static enum starpu_data_access_mode seen_mode(const struct orr_gesvj_pairs *x)
{
    return x->round == 0 ? STARPU_W : STARPU_RW;
}

void orr_insert_gesvj_angle(struct orr_request *req, int prio, const struct orr_gesvj_block *b,
                            const struct orr_gesvj_pairs *x, enum orr_gesvj_where where)
{
    struct starpu_data_descr buffers[ORR_GESVJ_MAX_PAIRS * ANGLE_BUFFERS], *to = buffers;
    for (int64_t i = 0; i < x->count; i++) {
        const struct place at = place_of(b, x, i);
        *to++ = (struct starpu_data_descr){b->X[at.p], STARPU_R};
        *to++ = (struct starpu_data_descr){b->X[at.q], STARPU_R};
        *to++ = (struct starpu_data_descr){b->G[at.slot], STARPU_W};
        *to++ = (struct starpu_data_descr){b->seen[at.seen], seen_mode(x)};
    }
    insert(req, prio, angle_codelet, b, x, rows_of(b, 0), where, buffers, to - buffers);
}

void orr_insert_gesvj_gram(struct orr_request *req, int prio, const struct orr_gesvj_block *b,
                           const struct orr_gesvj_pairs *x, enum orr_gesvj_where where)
{
    struct starpu_data_descr buffers[ORR_GESVJ_MAX_PAIRS * GRAM_BUFFERS], *to = buffers;
    for (int64_t i = 0; i < x->count; i++) {
        const struct place at = place_of(b, x, i);
        *to++ = (struct starpu_data_descr){b->X[at.p], STARPU_R};
        *to++ = (struct starpu_data_descr){b->X[at.q], STARPU_R};
        *to++ = (struct starpu_data_descr){b->H[at.slot], STARPU_W};
    }
    insert(req, prio, gram_codelet, b, x, rows_of(b, 0), where, buffers, to - buffers);
}

void orr_insert_gesvj_evd(struct orr_request *req, int prio, const struct orr_gesvj_block *b,
                          const struct orr_gesvj_pairs *x, enum orr_gesvj_where where)
{
    struct starpu_data_descr buffers[ORR_GESVJ_MAX_PAIRS * EVD_BUFFERS], *to = buffers;
    for (int64_t i = 0; i < x->count; i++) {
        const struct place at = place_of(b, x, i);
        *to++ = (struct starpu_data_descr){b->H[at.slot], STARPU_RW};
        *to++ = (struct starpu_data_descr){b->G[at.slot], STARPU_W};
        *to++ = (struct starpu_data_descr){b->seen[at.seen], seen_mode(x)};
    }
    insert(req, prio, evd_codelet, b, x, 0, where, buffers, to - buffers);
}

static void insert_rotation(struct orr_request *req, int prio, struct starpu_codelet *four,
                            const struct orr_gesvj_block *b, starpu_data_handle_t *columns,
                            const struct orr_gesvj_pairs *x, enum orr_gesvj_where where)
{
    struct starpu_data_descr buffers[ORR_GESVJ_MAX_PAIRS * UPDATE_BUFFERS], *to = buffers;
    for (int64_t i = 0; i < x->count; i++) {
        const struct place at = place_of(b, x, i);
        *to++ = (struct starpu_data_descr){columns[at.p], STARPU_RW};
        *to++ = (struct starpu_data_descr){columns[at.q], STARPU_RW};
        *to++ = (struct starpu_data_descr){b->G[at.slot], STARPU_R};
    }
    insert(req, prio, four, b, x, rows_of(b, columns == b->J), where, buffers, to - buffers);
}

void orr_insert_gesvj_update(struct orr_request *req, int prio, const struct orr_gesvj_block *b,
                             const struct orr_gesvj_pairs *x, enum orr_gesvj_where where)
{
    insert_rotation(req, prio, update_codelet, b, b->X, x, where);
}

void orr_insert_gesvj_update_v(struct orr_request *req, int prio, const struct orr_gesvj_block *b,
                               const struct orr_gesvj_pairs *x, enum orr_gesvj_where where)
{
    insert_rotation(req, prio, update_v_codelet, b, b->J, x, where);
}
