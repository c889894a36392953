/* The work of gesvj on pairs of blocks as tasks: of the pairs of a round, or some of them, of one
 * matrix or a bundle; one after the other on a CPU and side by side on a device. Buffers, each
 * group as often as the sets of pairs need it (struct args):
 *
 *   angle      X[p], X[q] R; G W; seen RW or W       gram and evd at once
 *   gram       X[p], X[q] R; H W
 *   evd        H RW; G W; seen RW or W                on CPUs only
 *   update     X[p], X[q] RW; G R
 *   update_v   J[p], J[q] RW; G R
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <stdlib.h>

#include "codelets/core/task.h"
#include "codelets/gesvj/gesvj_args.h"

/* Groups of buffers, in this order. */
enum { COLUMNS = 1, GRAM = 2, ROTATION = 4, SEEN = 8 };

/* Sets are pairs, each with two blocks of columns and buffers of its own; or (whole) matrices,
 * each with one buffer of columns, and a place in the other buffers, which all share. */
struct args {
    struct orr_task task;
    orr_type type;
    int first; /* a sweep's first round: the whole Gram matrix, and `seen` starts anew */
    int groups, whole;
    int64_t sets, blocks, round; /* blocks: of a set */
    int64_t rows;                /* of the columns */
    int64_t element;             /* bytes */
    orr_gesvj_args kernel;
    struct orr_gesvj_users users;
    uint8_t place[ORR_GESVJ_MAX_BUNDLE]; /* of the matrix in what all share */
};
static_assert(ORR_GESVJ_MAX_PAIRS <= ORR_GESVJ_MAX_BUNDLE, "sets of a task");

static int check(const struct args *a, orr_status st, const char *name)
{
    return orr_gesvj_check(&a->users, st, name);
}

static int usable(const struct args *a) { return orr_gesvj_usable(&a->users); }

/* Set number i of the task. */
static orr_gesvj_pointers set_of(void **buf, const struct args *a, int64_t i)
{
    const int64_t nb = a->kernel.nb, before = a->whole ? a->place[i] * (a->blocks / 2) : 0;
    const int64_t at = a->whole ? 0 : i, step = a->whole ? 1 : a->sets;
    orr_gesvj_pointers x = {0};
    int64_t next = 0;
    if (a->groups & COLUMNS) {
        x.xp = a->whole ? ORR_PTR(i) : ORR_PTR(2 * i);
        x.xq = a->whole ? (char *)x.xp + a->rows * nb * a->element : ORR_PTR(2 * i + 1);
        next = a->whole ? a->sets : 2 * a->sets;
    }
    if (a->groups & GRAM) {
        x.H = (char *)ORR_PTR(next + at) + before * 4 * nb * nb * a->element;
        next += step;
    }
    if (a->groups & ROTATION) {
        x.rotation = (char *)ORR_PTR(next + at) + before * orr_gesvj_rotation_bytes(nb, a->element);
        next += step;
    }
    if (a->groups & SEEN)
        x.seen = (orr_gesvj_seen *)ORR_PTR(next + at) + before;
    return x;
}

/* ---- CPU ---------------------------------------------------------------------------------- */

/* Pair number i of the task. */
static orr_gesvj_pointers pair_of(void **buf, const struct args *a, int64_t i)
{
    const int64_t each = a->blocks / 2;
    const orr_gesvj_pointers set = set_of(buf, a, i / each);
    return orr_gesvj_pair_of(&set, a->blocks, a->round, i % each, a->rows, a->kernel.nb,
                             a->element);
}

static int64_t pairs_of(const struct args *a) { return a->sets * (a->blocks / 2); }

static void angle(void **buf, void *arg)
{
    struct args *a = arg;
    for (int64_t i = 0; i < pairs_of(a); i++) {
        const orr_gesvj_pointers x = pair_of(buf, a, i);
        if (a->first)
            *x.seen = (orr_gesvj_seen){0};
        if (usable(a))
            check(
                a,
                orr_gesvj_angle_cpu[a->type](&a->kernel, a->first, x.xp, x.xq, x.rotation, x.seen),
                "gesvj_angle");
    }
}

static void gram(void **buf, void *arg)
{
    struct args *a = arg;
    for (int64_t i = 0; i < pairs_of(a) && usable(a); i++) {
        const orr_gesvj_pointers x = pair_of(buf, a, i);
        check(a, orr_gesvj_gram_cpu[a->type](&a->kernel, a->first, x.xp, x.xq, x.H), "gesvj_gram");
    }
}

static void evd(void **buf, void *arg)
{
    struct args *a = arg;
    for (int64_t i = 0; i < pairs_of(a); i++) {
        const orr_gesvj_pointers x = pair_of(buf, a, i);
        if (a->first)
            *x.seen = (orr_gesvj_seen){0};
        if (usable(a) && check(a, orr_gesvj_evd_cpu[a->type](&a->kernel, a->first, x.H, x.rotation),
                               "gesvj_evd"))
            orr_gesvj_join(x.seen, x.rotation);
    }
}

static void rotate(void **buf, struct args *a, const char *name)
{
    int64_t rotated = 0;
    for (int64_t i = 0; i < pairs_of(a) && usable(a); i++) {
        const orr_gesvj_pointers x = pair_of(buf, a, i);
        rotated += ((const orr_gesvj_seen *)x.rotation)->rotated;
        check(a, orr_gesvj_rotate_cpu[a->type](&a->kernel, a->rows, x.rotation, x.xp, x.xq), name);
    }
    a->task.idle = rotated == 0; /* all pairs had converged */
}

static void update(void **buf, void *arg) { rotate(buf, arg, "gesvj_update"); }

static void update_v(void **buf, void *arg) { rotate(buf, arg, "gesvj_update_v"); }

/* ---- CUDA --------------------------------------------------------------------------------- */

#ifdef ORR_WITH_CUDA
/* The sets of a task; set: room for them. */
static orr_gesvj_list list_of(void **buf, const struct args *a, orr_gesvj_pointers *set)
{
    for (int64_t i = 0; i < a->sets; i++)
        set[i] = set_of(buf, a, i);
    return (orr_gesvj_list){.count = a->sets, .blocks = a->blocks, .round = a->round, .set = set};
}

typedef orr_status on_device_fn(orr_stream, const orr_gesvj_args *, int full,
                                const orr_gesvj_list *);
static void on_device(void **buf, const struct args *a, on_device_fn *kernel, const char *name)
{
    orr_gesvj_pointers set[ORR_GESVJ_MAX_BUNDLE];
    const orr_gesvj_list list = list_of(buf, a, set);
    if (usable(a))
        check(a, kernel(ORR_STREAM(), &a->kernel, a->first, &list), name);
}

static void angle_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    on_device(buf, a, orr_gesvj_angle_cuda[a->type], "gesvj_angle");
}

static void gram_cuda(void **buf, void *arg)
{
    const struct args *a = arg;
    on_device(buf, a, orr_gesvj_gram_cuda[a->type], "gesvj_gram");
}

static void rotate_cuda(void **buf, const struct args *a, const char *name)
{
    orr_gesvj_pointers set[ORR_GESVJ_MAX_BUNDLE];
    const orr_gesvj_list list = list_of(buf, a, set);
    if (usable(a))
        check(a, orr_gesvj_rotate_cuda[a->type](ORR_STREAM(), &a->kernel, a->rows, &list), name);
}

static void update_cuda(void **buf, void *arg) { rotate_cuda(buf, arg, "gesvj_update"); }

static void update_v_cuda(void **buf, void *arg) { rotate_cuda(buf, arg, "gesvj_update_v"); }
#endif

/* ---- Codelets ----------------------------------------------------------------------------- */

/* Modes are given with each task: `seen` is written first and read-written afterwards. */
ORR_CODELETS(angle, "gesvj_angle", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(gram, "gesvj_gram", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(evd, "gesvj_evd", ORR_SDCZ, ORR_CPU);
ORR_CODELETS(update, "gesvj_update", ORR_SDCZ, ORR_CPU_CUDA);
ORR_CODELETS(update_v, "gesvj_update_v", ORR_SDCZ, ORR_CPU_CUDA);

/* What a stage does with its groups; COLUMNS are those of J if `accumulated`. */
struct stage {
    struct starpu_codelet *four;
    int groups, accumulated;
    enum starpu_data_access_mode columns, gram, rotation;
};
static const struct stage angle_stage = {
    angle_codelet, COLUMNS | ROTATION | SEEN, 0, STARPU_R, STARPU_NONE, STARPU_W};
static const struct stage gram_stage = {gram_codelet, COLUMNS | GRAM, 0,
                                        STARPU_R,     STARPU_W,       STARPU_NONE};
static const struct stage evd_stage = {
    evd_codelet, GRAM | ROTATION | SEEN, 0, STARPU_NONE, STARPU_RW, STARPU_W};
static const struct stage update_stage = {update_codelet, COLUMNS | ROTATION, 0,
                                          STARPU_RW,      STARPU_NONE,        STARPU_R};
static const struct stage update_v_stage = {update_v_codelet, COLUMNS | ROTATION, 1,
                                            STARPU_RW,        STARPU_NONE,        STARPU_R};

/* ---- Insertion ---------------------------------------------------------------------------- */

/* One handle for each set of the task, or the one that all share. slot: of a turn, of those that
 * come round again. */
static struct starpu_data_descr *add(struct starpu_data_descr *to, const struct orr_gesvj_pairs *x,
                                     const starpu_data_handle_t *pool, int64_t slot,
                                     enum starpu_data_access_mode mode)
{
    const struct orr_gesvj_rounds *r = x->rounds;
    if (r->whole)
        *to++ = (struct starpu_data_descr){pool[slot], mode};
    for (int64_t i = 0; !r->whole && i < x->count; i++)
        *to++ = (struct starpu_data_descr){pool[slot * (r->blocks / 2) + x->first + i], mode};
    return to;
}

static struct starpu_data_descr *add_columns(struct starpu_data_descr *to, struct args *a,
                                             const struct orr_gesvj_pairs *x, const struct stage *s)
{
    for (int64_t k = 0; k < x->matrices; k++) {
        const struct orr_gesvj_block *b = x->matrix[k];
        starpu_data_handle_t *const columns = s->accumulated ? b->J : b->X;
        if (s->accumulated && !b->accumulate)
            continue;
        a->place[a->sets] = (uint8_t)k;
        a->sets += a->whole ? 1 : x->count;
        if (a->whole)
            *to++ = (struct starpu_data_descr){columns[0], s->columns};
        for (int64_t i = 0; !a->whole && i < x->count; i++) {
            int64_t p, q;
            orr_gesvj_pairing(b->blocks, x->round, x->first + i, &p, &q);
            *to++ = (struct starpu_data_descr){columns[p], s->columns};
            *to++ = (struct starpu_data_descr){columns[q], s->columns};
        }
    }
    return to;
}

/* Sets, or for a stage without columns the same. */
static void count_sets(struct args *a, const struct orr_gesvj_pairs *x)
{
    a->sets = a->whole ? x->matrices : x->count;
    for (int64_t k = 0; k < x->matrices; k++)
        a->place[k] = (uint8_t)k;
}

/* The first round's Gram matrix costs three times as much as others. */
static void estimate(struct args *a, const struct stage *s)
{
    const int64_t nb = a->kernel.nb, pairs = pairs_of(a), small = s->groups & SEEN ? 16 * nb : 0;
    const int64_t rows = s->groups & COLUMNS ? a->rows : 0;
    const int64_t passes = s->columns == STARPU_R && a->first ? 3 : 1;
    orr_cost(&a->task, (double)(pairs * nb * nb) * (double)(passes * rows + small), rows, nb,
             a->first, pairs);
}

static void insert(int prio, const struct stage *s, const struct orr_gesvj_pairs *x,
                   enum orr_where where)
{
    enum {
        MOST = ORR_GESVJ_MAX_BUNDLE + 2 > 4 * ORR_GESVJ_MAX_PAIRS ? ORR_GESVJ_MAX_BUNDLE + 2
                                                                  : 4 * ORR_GESVJ_MAX_PAIRS
    };
    struct starpu_data_descr buffers[MOST], *to = buffers;
    const struct orr_gesvj_chunk *c = &x->matrix[0]->chunk;
    struct args *a = orr_task_args(x->user[0], sizeof *a, where);
    if (!a)
        return;
    a->task.tag = c->tag;
    a->task.owner = x->rounds->owner;
    a->type = c->type;
    a->first = x->round == 0;
    a->groups = s->groups;
    a->whole = x->rounds->whole;
    a->blocks = a->whole ? x->rounds->blocks : 2;
    a->round = a->whole ? x->round : 0;
    a->kernel = orr_gesvj_kernel_args(c);
    const orr_gesvj_shape shape = orr_gesvj_shape_of(&a->kernel);
    a->rows = s->accumulated ? shape.small : shape.rows;
    a->element = orr_element_size(c->type);
    a->users.count = x->matrices;
    for (int64_t k = 0; k < x->matrices; k++)
        a->users.user[k] = x->user[k];
    if (s->groups & COLUMNS)
        to = add_columns(to, a, x, s);
    else
        count_sets(a, x);
    if (s->groups & GRAM)
        to = add(to, x, x->rounds->H, x->turn % x->rounds->depth, s->gram);
    if (s->groups & ROTATION)
        to = add(to, x, x->rounds->G, x->turn % x->rounds->depth, s->rotation);
    if (s->groups & SEEN)
        to = add(to, x, x->rounds->seen, x->step % 2, a->first ? STARPU_W : STARPU_RW);
    if (a->sets == 0) { /* no matrix accumulates */
        free(a);
        return;
    }
    estimate(a, s);
    orr_submit(a, sizeof *a, &s->four[c->type], prio, STARPU_DATA_MODE_ARRAY, buffers,
               (int)(to - buffers));
}

void orr_insert_gesvj_angle(int prio, const struct orr_gesvj_pairs *x, enum orr_where where)
{
    insert(prio, &angle_stage, x, where);
}

void orr_insert_gesvj_gram(int prio, const struct orr_gesvj_pairs *x, enum orr_where where)
{
    insert(prio, &gram_stage, x, where);
}

void orr_insert_gesvj_evd(int prio, const struct orr_gesvj_pairs *x, enum orr_where where)
{
    insert(prio, &evd_stage, x, where);
}

void orr_insert_gesvj_update(int prio, const struct orr_gesvj_pairs *x, enum orr_where where)
{
    insert(prio, &update_stage, x, where);
}

void orr_insert_gesvj_update_v(int prio, const struct orr_gesvj_pairs *x, enum orr_where where)
{
    insert(prio, &update_v_stage, x, where);
}
