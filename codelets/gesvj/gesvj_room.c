/* How many matrices of gesvj an accelerator has room for: the buffers of every task that it may get,
 * counted as they are when the task is submitted (codelets/core/room.h).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "codelets/core/room.h"
#include "codelets/core/task.h"
#include "codelets/gesvj/gesvj_args.h"

/* 1: tasks of `count` fit. */
typedef int fits_fn(const void *, int64_t count);

/* The largest count up to `most` that fits; if some do, fewer do, too. */
static int64_t largest(fits_fn *fits, const void *arg, int64_t most)
{
    int64_t found = 0, next = most;
    while (found < most) {
        if (fits(arg, next))
            found = next;
        else
            most = next - 1;
        next = found + (most - found + 1) / 2;
    }
    return found;
}

static void add(struct orr_need *need, int64_t buffers, size_t bytes)
{
    for (int64_t i = 0; i < buffers && bytes > 0; i++)
        orr_need_add(need, bytes);
}

/* Buffers that are not there take no bytes. */
static size_t bytes_of(int64_t elements, int64_t size)
{
    return elements > 0 ? orr_buffer_bytes(elements, (size_t)size) : 0;
}

/* ---- Arrays of the user ------------------------------------------------------------------------ */

struct arrays {
    size_t a, s, u, v, info;
};

static struct arrays arrays_of(const struct orr_gesvj_chunk *c, const orr_gesvj_args *g)
{
    const int64_t k = orr_gesvj_values(c), size = orr_element_size(c->type), last = c->count - 1;
    return (struct arrays){
        .a = bytes_of(last * c->stride + (c->n - 1) * c->ld + c->m, size),
        .s = bytes_of(last * c->lds + k, orr_real_size(c->type)),
        .u = g->left ? bytes_of(last * c->strideu + (k - 1) * c->ldu + c->m, size) : 0,
        .v = g->right ? bytes_of(last * c->stridev + (k - 1) * c->ldv + c->n, size) : 0,
        .info = bytes_of(c->count, sizeof(orr_matrix_info))};
}

/* ---- Small ones, in a chunk -------------------------------------------------------------------- */

static int chunk_fits(const void *arg, int64_t count)
{
    struct orr_gesvj_chunk c = *(const struct orr_gesvj_chunk *)arg;
    c.count = count;
    const orr_gesvj_args g = orr_gesvj_kernel_args(&c);
    const struct arrays x = arrays_of(&c, &g);
    struct orr_need need = {0};
    const size_t all[] = {x.a, x.s,    x.u,
                          x.v, x.info, bytes_of(orr_gesvj_chunk_scratch(c.type, &g), 1)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        add(&need, 1, all[i]);
    return orr_accelerators_fit(&need);
}

int64_t orr_gesvj_room_chunk(const struct orr_gesvj_chunk *c, int64_t most)
{
    return !orr_gesvj_accelerator_has(c) ? 0 : largest(chunk_fits, c, most);
}

/* ---- Whole ones, in a bundle ------------------------------------------------------------------- */

/* Of one matrix. */
struct bundle {
    orr_type type;
    orr_gesvj_args kernel;
    struct arrays user;
    size_t factors, head, x, j;
    int64_t pairs, rotation; /* bytes of the rotation of a pair */
};

/* The tasks of a sweep have X or J, and the rotations of all pairs of a round; the others belong to
 * one end of a matrix. */
static int bundle_fits(const void *arg, int64_t count)
{
    const struct bundle *b = arg;
    struct orr_need start = {0}, finish = {0}, sweep = {0};
    const size_t from[] = {b->user.a, b->factors, b->head, b->user.info, b->x, b->j};
    const size_t to[] = {b->factors, b->head,      b->user.s, b->user.u,
                         b->user.v,  b->user.info, b->x,      b->j};
    const size_t work = bytes_of(count * orr_gesvj_ends_scratch(b->type, &b->kernel), 1);
    for (size_t i = 0; i < sizeof from / sizeof *from; i++)
        add(&start, count, from[i]);
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        add(&finish, count, to[i]);
    add(&start, 1, work);
    add(&finish, 1, work);
    add(&sweep, count, b->x > b->j ? b->x : b->j);
    add(&sweep, 1, bytes_of(count * b->pairs * b->rotation, 1));
    add(&sweep, 1, bytes_of(count * b->pairs, sizeof(orr_gesvj_seen)));
    return orr_accelerators_fit(&start) && orr_accelerators_fit(&finish) &&
           orr_accelerators_fit(&sweep);
}

int64_t orr_gesvj_room_whole(const struct orr_gesvj_chunk *c, int64_t most)
{
    const int64_t size = orr_element_size(c->type);
    if (c->nb > orr_gesvj_accelerator_max_nb(c->type))
        return 0;
    struct bundle b = {.type = c->type, .kernel = orr_gesvj_kernel_args(c)};
    const orr_gesvj_shape s = orr_gesvj_shape_of(&b.kernel);
    const int64_t columns = s.blocks * c->nb;
    b.user = arrays_of(c, &b.kernel);
    b.factors = bytes_of(orr_gesvj_factors(&b.kernel), size);
    b.head = bytes_of(ORR_GESVJ_PIVOTS + s.small, sizeof(int32_t));
    b.x = bytes_of(s.rows * columns, size);
    b.j = s.accumulate ? bytes_of(s.small * columns, size) : 0;
    b.pairs = s.blocks / 2;
    b.rotation = orr_gesvj_rotation_bytes(c->nb, size);
    return largest(bundle_fits, &b, most);
}

/* ---- One that is not whole, some pairs of blocks at a time --------------------------------------- */

struct pair {
    size_t columns, rotation, gram, seen;
    int apart;
};

static int pairs_fit(const void *arg, int64_t count)
{
    const struct pair *p = arg;
    struct orr_need angle = {0}, gram = {0};
    add(&angle, 2 * count, p->columns);
    add(&angle, count, p->rotation);
    add(&angle, p->apart ? 0 : count, p->seen);
    add(&gram, 2 * count, p->columns);
    add(&gram, p->apart ? count : 0, p->gram);
    return orr_accelerators_fit(&angle) && orr_accelerators_fit(&gram);
}

int64_t orr_gesvj_room_pairs(const struct orr_gesvj_chunk *c, int apart, int64_t most)
{
    const int64_t size = orr_element_size(c->type), nb = c->nb;
    if (nb > orr_gesvj_accelerator_max_nb(c->type))
        return 0;
    const orr_gesvj_args g = orr_gesvj_kernel_args(c);
    const orr_gesvj_shape s = orr_gesvj_shape_of(&g);
    const int64_t rows = s.accumulate && s.small > s.rows ? s.small : s.rows;
    const struct pair p = {.columns = bytes_of(rows * nb, size),
                           .rotation = bytes_of(orr_gesvj_rotation_bytes(nb, size), 1),
                           .gram = bytes_of(4 * nb * nb, size),
                           .seen = bytes_of(1, sizeof(orr_gesvj_seen)),
                           .apart = apart};
    return largest(pairs_fit, &p, most);
}
