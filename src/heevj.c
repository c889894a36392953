/* heevj: eigenvalues and eigenvectors of a batch of Hermitian matrices.
 *
 * The batch is cut into chunks of matrices of one order. A chunk is solved in one of two
 * ways, both graphs of tasks that read and write only the chunk's own data, so that chunks
 * run side by side on whatever worker is free:
 *
 *   whole    A --> chunk --> A, w, info                 (small n, and LAPACK for any n)
 *
 *   block    A --> start --> sweep --> compact --> sweep --> compact --> ... --> finish --> A, w
 *                                         |                     |
 *                                      how many are left? --> one more sweep, or finish
 *
 * In the block form a sweep is always submitted before the count of the sweep before it is
 * known, so that no processor waits for the answer; a sweep with nothing left to do is
 * empty. Matrices of mixed sizes are sorted by order, gathered into chunks and scattered
 * back by tasks.
 *
 * Source: R. Huang, S. Liu, Y. Zhao, Batched eigenvalue decomposition algorithms for
 * Hermitian matrices on GPU, Computer Science 50(4), 397-403, 2023.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/internal.h"

enum {
    MAX_N = 1024,
    MAX_BLOCK_N = 512,        /* above, LAPACK is the better use of a node */
    PILOTS = 2,               /* chunks of each method that are timed before the rest */
    LANES = 16,               /* the CPU kernel takes matrices by so many at most */
    LOOKAHEAD = 1             /* sweeps submitted before the last count is known */
};
static const double CHUNK_SECONDS = 2e-3;  /* long against the cost of a task */
static const double LEAST_SECONDS = 1e-4;  /* no chunk is made shorter than this to balance */
static const int64_t CHUNK_BYTES = 64 << 20;

/* Matrices of one order: a range of the batch, or (index) of its permutation. */
struct bucket {
    int64_t n, first, count;
    int64_t next;         /* the first matrix not yet submitted */
    orr_method method;
    int accelerators;     /* 1: devices may take its tasks */
    double seconds;       /* expected per matrix on one CPU */
    int64_t chunks;
};

struct heevj {
    orr_context *ctx;
    orr_request *req;
    orr_batch A, w;
    orr_heevj_opts o;
    orr_matrix_info *info;
    int own_info;
    int64_t *index;       /* mixed sizes: the batch in descending order of n */
    struct bucket *bucket;
    int64_t buckets;
};

/* ---- What the caller may ask for ------------------------------------------------------------- */

static const char *check_uniform(const orr_batch *b, int64_t rows, int64_t cols)
{
    int64_t ld = b->ld ? b->ld : rows, stride = b->stride ? b->stride : ld * cols, all;
    if (ld < rows)
        return "leading dimension is smaller than the number of rows";
    if (b->batch > 1 && stride < ld * cols)
        return "stride is smaller than one matrix";
    if (__builtin_mul_overflow(stride, b->batch, &all) || all > INT64_MAX / 16)
        return "the batch is larger than the address space";
    if (ld > UINT32_MAX / (cols > 0 ? cols : 1))
        return "one matrix spans more than 2^32 elements";
    return b->a || all == 0 ? NULL : "array is NULL";
}

/* NULL, or what is wrong. */
static const char *check_arguments(const orr_batch *A, const orr_batch *w, const orr_heevj_opts *o)
{
    if (!A || !w)
        return "A or w is NULL";
    if ((int)A->type < 0 || A->type >= ORR_NTYPES)
        return "A has no type of s, d, c, z";
    if (w->type != orr_type_real(A->type))
        return "w is not of the real type of A";
    if (A->batch < 0 || w->batch != A->batch)
        return "A and w are not batches of the same size";
    if (o->jobz && o->jobz != 'N' && o->jobz != 'V')
        return "jobz is not 'N' or 'V'";
    if (o->uplo && o->uplo != 'L' && o->uplo != 'U')
        return "uplo is not 'L' or 'U'";
    if (o->max_sweeps < 0 || o->chunk < 0 || !(o->tol >= 0))
        return "max_sweeps, chunk or tol is negative";
    if ((int)o->method < 0 || o->method >= ORR_NMETHODS)
        return "no such method";
    if (o->check && o->jobz == 'N')
        return "check needs the eigenvectors (jobz 'V')";
    if (!A->as != !w->as && A->batch > 0)
        return "A and w are not both of mixed sizes";
    if (!A->as) {
        if (A->n < 0 || A->n > MAX_N || A->m != A->n)
            return "A is not square of order 0 to 1024";
        if (w->m != A->n || w->n != 1)
            return "w is not n x 1";
        const char *wrong = check_uniform(A, A->n, A->n);
        return wrong ? wrong : check_uniform(w, A->n, 1);
    }
    for (int64_t k = 0; k < A->batch; k++) {
        int64_t n = A->ns ? A->ns[k] : -1;
        if (n < 0 || n > MAX_N || (A->ms && A->ms[k] != n))
            return "a matrix is not square of order 0 to 1024";
        if ((A->lds && A->lds[k] < n) || (n > 0 && (!A->as[k] || !w->as[k])))
            return "a matrix has a NULL array or too small a leading dimension";
    }
    return NULL;
}

/* ---- Planning: method and size of chunks ---------------------------------------------------------- */

static int is_complex(orr_type t) { return t == ORR_C || t == ORR_Z; }

/* Where nothing was measured yet: LAPACK's 9 n^3 (complex 4 times that) at 10 GFlop/s. Only
 * the size of the first chunks hangs on it. */
static double guess_seconds(orr_type type, int64_t n)
{
    return 1e-7 + 9.0 * (is_complex(type) ? 4 : 1) * (double)n * n * n / 1e10;
}

/* Up to which order Jacobi on a CPU was faster than LAPACK where it was first measured
 * (AVX-512, OpenBLAS 0.3.21). Other machines differ, so around it a large batch is measured. */
static const int64_t crossover[ORR_NTYPES] = {
    [ORR_S] = 80, [ORR_D] = 56, [ORR_C] = 70, [ORR_Z] = 45};

static orr_method guess_method(orr_type type, int64_t n)
{
    return n <= crossover[type] ? ORR_METHOD_JACOBI : ORR_METHOD_LAPACK;
}

static int worth_measuring(orr_type type, int64_t n, int64_t count)
{
    return n > crossover[type] / 4 && n < 2 * crossover[type] && count >= 16 * 2 * PILOTS * LANES;
}

/* Returns 1 if the bucket's CPU method is still to be measured. */
static int choose_method(const struct heevj *h, struct bucket *b)
{
    int devices = h->ctx->info.cuda + h->ctx->info.opencl > 0;
    int fits = orr_heevj_fits_cuda_block(h->A.type, b->n, h->o.jobz == 'V');
    struct orr_heevj_rate rate =
        orr_heevj_rates_get(&h->ctx->heevj_rates, h->A.type, b->n, h->o.jobz == 'V');
    double jacobi = rate.seconds[ORR_METHOD_JACOBI], lapack = rate.seconds[ORR_METHOD_LAPACK];
    int measure = 0;

    b->method = h->o.method;
    if (b->method == ORR_METHOD_AUTO && devices && !fits && b->n <= MAX_BLOCK_N) {
        b->method = ORR_METHOD_BLOCK;
    } else if (b->method == ORR_METHOD_AUTO) {
        if (jacobi > 0 && lapack > 0)
            b->method = jacobi < lapack ? ORR_METHOD_JACOBI : ORR_METHOD_LAPACK;
        else
            b->method = guess_method(h->A.type, b->n);
        measure = worth_measuring(h->A.type, b->n, b->count) && !(jacobi > 0 && lapack > 0) &&
                  h->ctx->info.cpu > 0;
    }
    b->accelerators = devices && h->o.method != ORR_METHOD_LAPACK &&
                      (b->method == ORR_METHOD_BLOCK || fits);
    b->seconds = rate.seconds[b->method] > 0 ? rate.seconds[b->method]
                                             : guess_seconds(h->A.type, b->n);
    return measure;
}

/* As many as run for `seconds`, but not so many that a worker sits idle at the end. */
static int64_t chunk_size(const struct heevj *h, const struct bucket *b, double seconds)
{
    int64_t left = b->first + b->count - b->next;
    int64_t workers = h->ctx->info.cpu + h->ctx->info.cuda + h->ctx->info.opencl;
    int64_t bytes = b->n * b->n * (int64_t)orr_type_size(h->A.type);
    if (!h->A.as && h->A.stride * (int64_t)orr_type_size(h->A.type) > bytes)
        bytes = h->A.stride * (int64_t)orr_type_size(h->A.type);
    int64_t most = bytes ? CHUNK_BYTES / bytes : left;
    int64_t size = (int64_t)(seconds / b->seconds);
    int64_t least = (int64_t)(LEAST_SECONDS / b->seconds);
    if (b->method == ORR_METHOD_JACOBI && least < LANES) { /* fewer would leave lanes empty */
        least = LANES;
        size = size > LANES ? size : LANES;
    }
    int64_t fair = left / (2 * (workers > 0 ? workers : 1)); /* guided: shrinks at the tail */
    if (h->o.chunk)
        size = h->o.chunk;
    else if (size > fair)
        size = fair > least ? fair : least;
    if (!h->o.chunk && size > LANES)
        size = (size + LANES - 1) / LANES * LANES;
    if (size > most)
        size = most;
    if (size < 1)
        size = 1;
    return size < left ? size : left;
}

/* ---- The graph of one chunk -------------------------------------------------------------------------- */

/* What follows a solved chunk, whichever way it was solved. */
static void submit_epilogue(struct heevj *h, const struct orr_heevj_chunk *c,
                            starpu_data_handle_t before, const struct orr_heevj_scattered *user,
                            int64_t parts)
{
    if (before) {
        orr_insert_heevj_check(h->req, 0, c, before, user ? 0 : parts);
        starpu_data_unregister_submit(before);
    }
    if (user) {
        orr_insert_heevj_scatter(h->req, 0, c, user, parts);
        starpu_data_unregister_submit(c->A);
        starpu_data_unregister_submit(c->w);
        starpu_data_unregister_submit(c->info);
    }
}

/* A chunk in block form. It goes on submitting when counts come, by one thread at a time
 * (`submitting`), so that its sweeps and tests keep their order; a count that comes while
 * another thread submits leaves it its wish. */
struct block_run {
    struct heevj *h;
    struct orr_heevj_block b;
    starpu_data_handle_t left, before;
    struct orr_heevj_scattered user;
    int mixed, accelerators;
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
    orr_insert_heevj_block_finish(r->h->req, 1, &r->b, r->accelerators, last ? c->count : 0);
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
        orr_insert_heevj_block_sweep(r->h->req, 1, &r->b, r->accelerators);
        int counted = orr_insert_heevj_block_compact(r->h->req, 2, &r->b, r->accelerators, r->left);
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

static void submit_block(struct heevj *h, const struct bucket *b, const struct orr_heevj_chunk *c,
                         starpu_data_handle_t before, const struct orr_heevj_scattered *user)
{
    struct block_run *r = calloc(1, sizeof *r);
    if (!r) {
        orr_request_fail(h->req, ORR_E_NOMEM, "heevj_block");
        submit_epilogue(h, c, before, user, 0);
        return;
    }
    *r = (struct block_run){.h = h, .b.chunk = *c, .before = before, .mixed = user != NULL,
                            .accelerators = b->accelerators, .submitting = 1,
                            .wanted = 1 + LOOKAHEAD};
    STARPU_PTHREAD_MUTEX_INIT(&r->lock, NULL);
    if (user)
        r->user = *user;
    orr_request_hold(h->req);
    orr_heevj_block_register(&r->b);
    starpu_variable_data_register(&r->left, -1, 0, sizeof(int32_t));
    orr_insert_heevj_block_start(h->req, 0, &r->b, r->accelerators);

    submit_wanted(r);
}

static starpu_data_handle_t temporary(int64_t elements, size_t size)
{
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, -1, 0, (uint32_t)elements, size);
    return handle;
}

/* The user's memory, until the request ends. NULL (and a failed request) without memory. */
static starpu_data_handle_t users(struct heevj *h, void *base, int64_t first, int64_t elements,
                                  size_t size)
{
    starpu_data_handle_t handle;
    starpu_vector_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)base + first * size,
                                (uint32_t)elements, size);
    if (orr_request_keep(h->req, handle) == ORR_OK)
        return handle;
    starpu_data_unregister(handle);
    return NULL;
}

static void submit_chunk(struct heevj *h, struct bucket *b, int64_t count, orr_method method)
{
    int64_t n = b->n, first = b->next;
    size_t size = orr_type_size(h->A.type), real = orr_type_size(h->w.type);
    struct orr_heevj_scattered user = {.as = h->A.as, .ws = h->w.as, .lds = h->A.lds,
                                       .infos = h->info};
    struct orr_heevj_chunk c = {.type = h->A.type, .n = n, .count = count,
                                .vectors = h->o.jobz == 'V', .upper = h->o.uplo == 'U',
                                .max_sweeps = h->o.max_sweeps, .tol = h->o.tol};
    starpu_data_handle_t before = NULL;
    b->next += count;
    b->chunks++;
    if (orr_request_failed(h->req))
        return;

    if (h->index) {
        user.index = h->index + first;
        c.ld = c.ldw = n;
        c.stride = n * n;
        c.A = temporary(count * n * n, size);
        c.w = temporary(count * n, real);
        c.info = temporary(count, sizeof *h->info);
        orr_insert_heevj_gather(h->req, 0, &c, &user);
    } else {
        c.ld = h->A.ld;
        c.stride = h->A.stride;
        c.ldw = h->w.stride;
        /* not past the last element of the last matrix: that may be the end of the array */
        c.A = users(h, h->A.a, first * c.stride,
                    n ? (count - 1) * c.stride + (n - 1) * c.ld + n : 0, size);
        c.w = users(h, h->w.a, first * c.ldw, n ? (count - 1) * c.ldw + n : 0, real);
        c.info = users(h, h->info, first, count, sizeof *h->info);
        if (!c.A || !c.w || !c.info)
            return;
    }
    if (h->o.check) {
        before = temporary(h->index ? count * n * n : n ? (count - 1) * c.stride + (n - 1) * c.ld + n : 0,
                           size);
        orr_insert_heevj_copy(h->req, 0, &c, before);
    }

    const struct orr_heevj_scattered *scattered = h->index ? &user : NULL;
    if (method == ORR_METHOD_BLOCK) {
        submit_block(h, b, &c, before, scattered);
    } else {
        int last = !before && !scattered;
        orr_insert_heevj_chunk(h->req, 0, &c, method, b->accelerators, &h->ctx->heevj_rates,
                               last ? count : 0);
        submit_epilogue(h, &c, before, scattered, count);
    }
}

/* ---- The whole batch -------------------------------------------------------------------------------- */

/* A few chunks by each CPU method; what they cost decides for the rest. They are part of
 * the work, not extra. */
static void submit_pilots(struct heevj *h, struct bucket *b)
{
    for (int i = 0; i < 2 * PILOTS; i++)
        submit_chunk(h, b, LANES, i % 2 ? ORR_METHOD_LAPACK : ORR_METHOD_JACOBI);
}

/* Matrices of order 0 are solved by saying so. */
static void settle_empty(struct heevj *h, struct bucket *b)
{
    for (; b->next < b->first + b->count; b->next++) {
        int64_t k = h->index ? h->index[b->next] : b->next;
        h->info[k] = (orr_matrix_info){.method = ORR_METHOD_JACOBI};
        if (!h->o.check)
            h->info[k].residual = h->info[k].orthogonality = NAN;
    }
}

static void submit_all(struct heevj *h)
{
    int pilots = 0;
    for (int64_t i = 0; i < h->buckets; i++) {
        struct bucket *b = &h->bucket[i];
        if (b->n == 0)
            settle_empty(h, b);
        int measure = choose_method(h, b);
        if (measure) {
            submit_pilots(h, b);
            pilots = 1;
        }
    }
    if (pilots)
        orr_request_drain(h->req, 1);
    for (int64_t i = 0; i < h->buckets; i++) {
        struct bucket *b = &h->bucket[i];
        choose_method(h, b);
        while (b->next < b->first + b->count)
            submit_chunk(h, b, chunk_size(h, b, CHUNK_SECONDS), b->method);
    }
}

struct order {
    int64_t n, k;
};

static int descending(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n) - (x->n > y->n) : (x->k > y->k) - (x->k < y->k);
}

/* Largest matrices first: the short tasks are left to fill the gaps at the end. */
static orr_status make_buckets(struct heevj *h)
{
    int64_t batch = h->A.batch;
    if (!h->A.as) {
        h->bucket = calloc(1, sizeof *h->bucket);
        if (!h->bucket)
            return ORR_E_NOMEM;
        h->bucket[0] = (struct bucket){.n = h->A.n, .count = batch};
        h->buckets = 1;
        return ORR_OK;
    }
    struct order *order = malloc((size_t)batch * sizeof *order);
    h->index = malloc((size_t)batch * sizeof *h->index);
    h->bucket = calloc(MAX_N + 1, sizeof *h->bucket);
    if (!order || !h->index || !h->bucket) {
        free(order);
        return ORR_E_NOMEM;
    }
    for (int64_t k = 0; k < batch; k++)
        order[k] = (struct order){h->A.ns[k], k};
    qsort(order, (size_t)batch, sizeof *order, descending);
    for (int64_t i = 0; i < batch; i++) {
        h->index[i] = order[i].k;
        if (i == 0 || order[i].n != order[i - 1].n)
            h->bucket[h->buckets++] = (struct bucket){.n = order[i].n, .first = i, .next = i};
        h->bucket[h->buckets - 1].count++;
    }
    free(order);
    return ORR_OK;
}

static const char *const method_name[ORR_NMETHODS] = {
    [ORR_METHOD_JACOBI] = "jacobi", [ORR_METHOD_BLOCK] = "block", [ORR_METHOD_LAPACK] = "lapack"};

/* Runs in the waiting thread when everything is back: what came of it, and what was chosen. */
static orr_status finish(orr_request *req)
{
    struct orr_operation *op = (struct orr_operation *)req;
    struct heevj *h = req->state;
    int64_t by_method[ORR_NMETHODS] = {0}, bad[3] = {0}, devices = 0, chunks = 0;
    int64_t first[3] = {-1, -1, -1};
    orr_status st = ORR_OK;

    for (int64_t k = 0; k < h->A.batch && !orr_request_failed(req); k++) {
        const orr_matrix_info *i = &h->info[k];
        if (i->method > 0 && i->method < ORR_NMETHODS)
            by_method[i->method]++;
        devices += i->device != 0;
        if (i->status > 0 && i->status < 3 && bad[i->status]++ == 0)
            first[i->status] = k;
    }
    for (int64_t i = 0; i < h->buckets; i++)
        chunks += h->bucket[i].chunks;
    int at = snprintf(op->plan, sizeof op->plan, "\"chunks\":%lld,\"on_device\":%lld",
                      (long long)chunks, (long long)devices);
    for (int m = 1; m < ORR_NMETHODS; m++)
        if (by_method[m])
            at += snprintf(op->plan + at, sizeof op->plan - (size_t)at, ",\"%s\":%lld",
                           method_name[m], (long long)by_method[m]);

    if (bad[ORR_NOCONV]) {
        st = ORR_NOCONV;
        op->index = first[st];
        snprintf(op->message, sizeof op->message,
                 "%lld of %lld matrices did not converge, the first is number %lld",
                 (long long)bad[st], (long long)h->A.batch, (long long)first[st]);
    }
    if (bad[ORR_NONFINITE]) { /* the graver one is reported; info has both */
        st = ORR_NONFINITE;
        op->index = first[st];
        snprintf(op->message, sizeof op->message,
                 "%lld of %lld matrices have NaN or infinite entries, the first is number %lld",
                 (long long)bad[st], (long long)h->A.batch, (long long)first[st]);
    }
    if (h->own_info)
        free(h->info);
    free(h->index);
    free(h->bucket);
    free(h);
    return st;
}

static void progress(int64_t done, int64_t total, void *arg)
{
    struct heevj *h = arg;
    h->o.progress(done, total, h->o.progress_arg);
}

orr_status orr_submit_heevj(orr_context *ctx, const orr_batch *A, const orr_batch *w,
                            const orr_heevj_opts *opts, orr_matrix_info *info, orr_request **out)
{
    orr_heevj_opts o = opts ? *opts : (orr_heevj_opts){0};
    if (!ctx || !out || check_arguments(A, w, &o))
        return ORR_E_ARG;
    struct heevj *h = calloc(1, sizeof *h);
    orr_request *req = h ? orr_context_request(ctx) : NULL;
    if (!req) {
        free(h);
        return ORR_E_NOMEM;
    }
    *h = (struct heevj){.ctx = ctx, .req = req, .A = *A, .w = *w, .o = o, .info = info};
    if (!h->o.jobz)
        h->o.jobz = 'V';
    if (!h->A.as) {
        h->A.ld = A->ld ? A->ld : A->n;
        h->A.stride = A->stride ? A->stride : h->A.ld * A->n;
        h->w.stride = w->stride ? w->stride : w->ld ? w->ld : A->n;
    }
    if (!info) {
        h->own_info = 1;
        h->info = calloc(A->batch ? (size_t)A->batch : 1, sizeof *h->info);
    }
    req->finish = finish;
    req->state = h;
    req->parts_total = A->batch;
    if (o.progress) {
        req->progress = progress;
        req->progress_arg = h;
    }
    if (!h->info || make_buckets(h) != ORR_OK) {
        orr_request_fail(req, ORR_E_NOMEM, "heevj");
        return orr_wait(req, NULL);
    }
    submit_all(h);
    orr_request_go(req);
    *out = req;
    return ORR_OK;
}

orr_status orr_heevj(orr_context *ctx, const orr_batch *A, const orr_batch *w,
                     const orr_heevj_opts *opts, orr_matrix_info *info, orr_report *report)
{
    orr_heevj_opts o = opts ? *opts : (orr_heevj_opts){0};
    orr_request *req;
    orr_status st = orr_submit_heevj(ctx, A, w, opts, info, &req);
    if (st == ORR_OK)
        return orr_wait(req, report);
    if (report) {
        const char *wrong = st == ORR_E_ARG ? check_arguments(A, w, &o) : NULL;
        *report = (orr_report){.status = st, .culprit = "heevj", .index = -1};
        snprintf(report->message, sizeof report->message, "%s",
                 wrong ? wrong : orr_strerror(st));
    }
    return st;
}
