/* The graph of one chunk of heevj; heevj.c shows it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/heevj/heevj.h"

enum { LOOKAHEAD = 1 }; /* sweeps submitted before the last count is known */

/* ---- When a chunk is solved ------------------------------------------------------------- */

/* Waits for the records of a chunk, to tell somebody. */
struct watch {
    orr_request *req;
    starpu_data_handle_t info;
    struct orr_heevj_way way;
};

static void on_solved(void *arg)
{
    struct watch w = *(struct watch *)arg;
    free(arg);
    starpu_data_release(w.info);
    w.way.solved(w.way.arg);
    orr_request_release(w.req);
}

/* accepted: the last task of the chunk is in StarPU and will write its records. */
static void tell(struct orr_heevj *h, const struct orr_heevj_chunk *c,
                 const struct orr_heevj_way *way, int accepted)
{
    if (!way->solved || h->req->plan)
        return;
    struct watch *w = accepted ? malloc(sizeof *w) : NULL;
    if (w) {
        *w = (struct watch){.req = h->req, .info = c->info, .way = *way};
        orr_request_hold(h->req);
        starpu_data_acquire_cb(c->info, STARPU_R, on_solved, w);
        return;
    }
    if (accepted)
        orr_request_fail(h->req, ORR_E_NOMEM, "heevj");
    way->solved(way->arg);
}

/* ---- The way home ------------------------------------------------------------------------ */

struct arrival {
    struct orr_request *req;
    starpu_data_handle_t handle;
};

static void arrived(void *arg)
{
    const struct arrival a = *(struct arrival *)arg;
    free(arg);
    starpu_data_release(a.handle);
    orr_request_release(a.req);
}

/* Results in main memory leave a device as soon as they are there, beside the tasks of other chunks and
 * devices. Without memory for it they do when the request is waited for. */
static void bring_home(struct orr_heevj *h, starpu_data_handle_t handle)
{
    struct arrival *a = h->req->plan ? NULL : malloc(sizeof *a);
    if (!a)
        return;
    *a = (struct arrival){h->req, handle};
    orr_request_hold(h->req);
    starpu_data_acquire_cb(handle, STARPU_R, arrived, a);
}

/* ---- One way or the other --------------------------------------------------------------- */

/* What follows a solved chunk, whichever way it was solved. */
static void submit_epilogue(struct orr_heevj *h, const struct orr_heevj_chunk *c,
                            starpu_data_handle_t before, const struct orr_heevj_scattered *user,
                            int64_t parts)
{
    if (before) {
        orr_insert_heevj_check(h->req, 0, c, before, user ? 0 : parts);
        orr_request_forget(h->req, before);
    }
    if (user) {
        orr_insert_heevj_scatter(h->req, 0, c, user, parts);
        orr_request_forget(h->req, c->A);
        orr_request_forget(h->req, c->w);
        orr_request_forget(h->req, c->info);
    } else if (h->ctx->info.cuda + h->ctx->info.opencl > 0) {
        if (c->vectors)
            bring_home(h, c->A);
        bring_home(h, c->w);
        bring_home(h, c->info);
    }
}

/* A chunk in block form. It goes on submitting when counts come, by one thread at a time
 * (`submitting`), so that its sweeps and tests keep their order; a count that comes while
 * another thread submits leaves it its wish. */
struct block_run {
    struct orr_heevj *h;
    struct orr_heevj_block b;
    starpu_data_handle_t left, before;
    struct orr_heevj_scattered user;
    int mixed;
    struct orr_heevj_way way;
    starpu_pthread_mutex_t lock; /* of the following */
    int submitting;
    int wanted;  /* sweeps to be submitted */
    int waiting; /* counts that were asked for and have not come */
    int stop;
};

static void end_block(struct block_run *r)
{
    const struct orr_heevj_chunk *c = &r->b.chunk;
    int last = !r->before && !r->mixed;
    int accepted =
        orr_insert_heevj_block_finish(r->h->req, 1, &r->b, r->way.where, last ? c->count : 0);
    tell(r->h, c, &r->way, accepted);
    submit_epilogue(r->h, c, r->before, r->mixed ? &r->user : NULL, c->count);
    orr_heevj_block_unregister_submit(&r->b);
    starpu_data_unregister_submit(r->left);
    STARPU_PTHREAD_MUTEX_DESTROY(&r->lock);
    orr_request_release(r->h->req);
    free(r);
}

static void on_count(void *run);

/* Submits what is wanted; ends the run when every count that was asked for has come. */
static void submit_wanted(struct block_run *r)
{
    STARPU_PTHREAD_MUTEX_LOCK(&r->lock);
    while (r->wanted > 0 && !r->stop) {
        r->wanted--;
        r->waiting++;
        STARPU_PTHREAD_MUTEX_UNLOCK(&r->lock); /* on_count may be called from in here */
        orr_insert_heevj_block_sweep(r->h->req, 1, &r->b, r->way.where);
        int counted = orr_insert_heevj_block_compact(r->h->req, 2, &r->b, r->way.where, r->left);
        if (counted)
            starpu_data_acquire_cb(r->left, STARPU_R, on_count, r);
        STARPU_PTHREAD_MUTEX_LOCK(&r->lock);
        if (!counted) { /* the request has failed: nobody will write the count */
            r->waiting--;
            r->stop = 1;
        }
    }
    r->submitting = 0;
    int end = r->waiting == 0;
    STARPU_PTHREAD_MUTEX_UNLOCK(&r->lock);
    if (end)
        end_block(r);
}

/* The count was acquired in main memory; the thread that runs the callback may be the
 * worker of a device, whose "local" memory is another one. */
static int32_t matrices_left(const struct block_run *r)
{
    const struct starpu_variable_interface *v =
        starpu_data_get_interface_on_node(r->left, STARPU_MAIN_RAM);
    return *(const int32_t *)v->ptr;
}

/* A sweep's count has come: one more sweep, or no more. */
static void on_count(void *arg)
{
    struct block_run *r = arg;
    starpu_data_handle_t left = r->left; /* unless ours, r may be gone after the unlock */
    int stop = orr_request_failed(r->h->req) || matrices_left(r) == 0;
    STARPU_PTHREAD_MUTEX_LOCK(&r->lock);
    r->waiting--;
    r->stop |= stop;
    r->wanted++;
    int ours = !r->submitting;
    r->submitting = 1;
    STARPU_PTHREAD_MUTEX_UNLOCK(&r->lock);
    starpu_data_release(left);
    if (ours)
        submit_wanted(r);
}

enum { SWEEPS = 8 }; /* of a plan; runs of orders 100 to 500 take 6 to 9 */

static void plan_block(struct orr_heevj *h, const struct orr_heevj_chunk *c,
                       const struct orr_heevj_way *way)
{
    struct orr_heevj_block b = {.chunk = *c};
    orr_plan_note(h->req, "eight sweeps of the block form; a run makes as many as it needs");
    orr_insert_heevj_block_start(h->req, 0, &b, way->where);
    orr_plan_group(h->req, SWEEPS);
    orr_insert_heevj_block_sweep(h->req, 1, &b, way->where);
    orr_insert_heevj_block_compact(h->req, 2, &b, way->where, c->info);
    orr_plan_group(h->req, 1);
    orr_insert_heevj_block_finish(h->req, 1, &b, way->where, c->count);
}

static void submit_block(struct orr_heevj *h, const struct orr_heevj_chunk *c,
                         const struct orr_heevj_way *way, starpu_data_handle_t before,
                         const struct orr_heevj_scattered *user)
{
    struct block_run *r = calloc(1, sizeof *r);
    if (!r) {
        orr_request_fail(h->req, ORR_E_NOMEM, "heevj_block");
        tell(h, c, way, 0);
        submit_epilogue(h, c, before, user, 0);
        return;
    }
    *r = (struct block_run){.h = h,
                            .b.chunk = *c,
                            .before = before,
                            .mixed = user != NULL,
                            .way = *way,
                            .submitting = 1,
                            .wanted = 1 + LOOKAHEAD};
    STARPU_PTHREAD_MUTEX_INIT(&r->lock, NULL);
    if (user)
        r->user = *user;
    orr_request_hold(h->req);
    orr_heevj_block_register(&r->b);
    r->b.home = orr_request_home(h->req);
    starpu_variable_data_register(&r->left, -1, 0, sizeof(int32_t));
    orr_insert_heevj_block_start(h->req, 0, &r->b, r->way.where);

    submit_wanted(r);
}

/* The user's memory, until the request ends. NULL (and a failed request) without memory. */
static starpu_data_handle_t users(struct orr_heevj *h, int node, void *base, int64_t first,
                                  int64_t elements, size_t size)
{
    return orr_request_vector_on(h->req, node, (char *)base + (size_t)first * size, elements, size);
}

void orr_heevj_submit_chunk(struct orr_heevj *h, const struct orr_heevj_bucket *b, int64_t first,
                            int64_t count, const struct orr_heevj_way *way)
{
    int64_t n = b->n;
    size_t size = orr_type_size(h->A.type), real = orr_type_size(h->w.type);
    struct orr_heevj_scattered user = {
        .as = h->A.as, .ws = h->w.as, .lds = h->A.lds, .infos = h->info};
    struct orr_heevj_chunk c = {.type = h->A.type,
                                .n = n,
                                .count = count,
                                .vectors = h->o.jobz == 'V',
                                .upper = h->o.uplo == 'U',
                                .max_sweeps = h->o.max_sweeps,
                                .tol = h->o.tol,
                                .owner = b->where == ORR_ON_ACCELERATOR ? h->A_on : 0};
    starpu_data_handle_t before = NULL;
    if (h->req->plan)
        c.seconds = orr_heevj_seconds(h, way->method, n);
    if (orr_request_failed(h->req)) {
        tell(h, &c, way, 0);
        return;
    }

    if (h->index) {
        user.index = h->index + first;
        c.ld = c.ldw = n;
        c.stride = n * n;
        c.A = orr_request_temporary(h->req, count * n * n, size);
        c.w = orr_request_temporary(h->req, count * n, real);
        c.info = orr_request_temporary(h->req, count, sizeof *h->info);
        orr_insert_heevj_gather(h->req, 0, &c, &user);
    } else {
        c.ld = h->A.ld;
        c.stride = h->A.stride;
        c.ldw = h->w.stride;
        /* not past the last element of the last matrix: that may be the end of the array */
        c.A = users(h, h->A_on, h->A.a, first * c.stride,
                    n ? (count - 1) * c.stride + (n - 1) * c.ld + n : 0, size);
        c.w = users(h, h->w_on, h->w.a, first * c.ldw, n ? (count - 1) * c.ldw + n : 0, real);
        c.info = users(h, STARPU_MAIN_RAM, h->info, first, count, sizeof *h->info);
        if (!c.A || !c.w || !c.info) {
            tell(h, &c, way, 0);
            return;
        }
    }
    if (h->o.check) {
        before = orr_request_temporary(h->req, n ? (count - 1) * c.stride + (n - 1) * c.ld + n : 0,
                                       size);
        orr_insert_heevj_copy(h->req, 0, &c, before);
    }

    const struct orr_heevj_scattered *scattered = h->index ? &user : NULL;
    if (way->method == ORR_METHOD_BLOCK && h->req->plan) {
        plan_block(h, &c, way);
        submit_epilogue(h, &c, before, scattered, count);
    } else if (way->method == ORR_METHOD_BLOCK) {
        submit_block(h, &c, way, before, scattered);
    } else {
        int last = !before && !scattered;
        int accepted = orr_insert_heevj_chunk(h->req, 0, &c, way->method, b->on_device, way->where,
                                              h->rates, last ? count : 0);
        tell(h, &c, way, accepted);
        submit_epilogue(h, &c, before, scattered, count);
    }
}
