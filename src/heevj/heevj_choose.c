/* By which method heevj solves matrices of one order, on which processors, and how many in a chunk.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/heevj/heevj.h"

#include "codelets/core/least.h"

enum {
    MAX_BLOCK_N = 512, /* above, LAPACK is the better use of a node */
    PILOTS = 2,        /* chunks of each method that are timed before the rest */
    LANES = 32,        /* the CPU kernels take matrices by so many at most */
    ALONE = 64,
    FILLED = 4 /* of larger orders lanes take so many at least: empty ones cost as much */
};
static const double CHUNK_SECONDS = 2e-3; /* long against the cost of a task */
static const double LEAST_SECONDS = 1e-4; /* no chunk is made shorter than this to balance */
static const int64_t CHUNK_BYTES = 64 << 20;

/* Seconds of a matrix on a core with AVX-512, where nothing was measured yet: unit n^2 (n + more), and
 * without vectors a part of it. The size of the first chunks hangs on it, and which part of them
 * devices get. */
static const struct guess {
    double unit[ORR_NTYPES];
    int64_t more;
    double values;
} guesses[ORR_NMETHODS] = {
    [ORR_METHOD_JACOBI] = {{6.4e-10, 1.4e-9, 0.9e-9, 2e-9}, 0, 0.67},
    [ORR_METHOD_LAPACK] = {{5.6e-11, 8.9e-11, 1.5e-10, 2.6e-10}, 400, 0.44},
    [ORR_METHOD_LANES] = {{0.7e-10, 1.1e-10, 1.1e-10, 1.6e-10}, 64, 0.45},
};

static double guess_seconds(const struct orr_heevj *h, orr_method method, int64_t n)
{
    const int known = method == ORR_METHOD_JACOBI || method == ORR_METHOD_LANES;
    const struct guess *g = &guesses[known ? method : ORR_METHOD_LAPACK];
    const double part = h->o.jobz == 'V' ? 1 : g->values, order = (double)n;
    return 1e-7 + part * g->unit[h->A.type] * order * order * (order + (double)g->more);
}

double orr_heevj_seconds(const struct orr_heevj *h, orr_method method, int64_t n)
{
    const struct orr_heevj_rate rate =
        orr_heevj_rates_get(h->rates, h->A.type, n, h->o.jobz == 'V');
    return rate.seconds[method] > 0 ? rate.seconds[method] : guess_seconds(h, method, n);
}

/* Up to which order Jacobi on a CPU was faster than LAPACK where it was first measured
 * (AVX-512, OpenBLAS 0.3.21). Other machines differ, so a large batch near a border is measured. */
static const int64_t crossover[ORR_NTYPES] = {
    [ORR_S] = 80, [ORR_D] = 56, [ORR_C] = 70, [ORR_Z] = 45};

/* From which order on QL in lanes was faster than Jacobi, measured likewise. */
static const int64_t least_lanes[ORR_NTYPES] = {
    [ORR_S] = 10, [ORR_D] = 8, [ORR_C] = 8, [ORR_Z] = 6};

/* Up to which order devices take Jacobi, lanes above: where the kernel ends that has eight threads for
 * a matrix, or one before. Measured on an H200 (docs/gpu-status.md); orders 5 to 7 were not. */
static const int64_t most_jacobi[ORR_NTYPES] = {[ORR_S] = 8, [ORR_D] = 7, [ORR_C] = 7, [ORR_Z] = 7};

struct choice {
    orr_method first, second; /* methods of a CPU: the guess, and what may be faster */
    int measure;              /* 1: if the batch is large */
};

static struct choice guess_methods(const struct orr_heevj *h, const struct orr_heevj_bucket *b)
{
    const int64_t n = b->n, border = crossover[h->A.type], least = least_lanes[h->A.type];
    const orr_method jacobi = ORR_METHOD_JACOBI, lapack = ORR_METHOD_LAPACK,
                     lanes = ORR_METHOD_LANES;
    if (h->o.accuracy == ORR_ACCURACY_RELATIVE)
        return (struct choice){jacobi, jacobi, 0};
    if (n > ORR_HEEVJ_LANES_MOST_N || (n > ALONE && b->count < FILLED))
        return n <= border ? (struct choice){jacobi, lapack, 1}
                           : (struct choice){lapack, jacobi, n < 2 * border};
    if (n < least)
        return (struct choice){jacobi, lanes, 2 * n >= least};
    return n < 4 * least ? (struct choice){lanes, jacobi, n < 2 * least}
                         : (struct choice){lanes, lapack, n > ALONE};
}

/* All pilots are a sixteenth of the batch at most. */
static int worth_measuring(int64_t count) { return count >= 16 * 2 * PILOTS * LANES; }

/* A pilot of 32 matrices of order 10 would be over before caches and branches have seen a method:
 * they are half as long as a chunk, if the batch is large. */
static int64_t pilot_size(const struct orr_heevj *h, const struct orr_heevj_bucket *b,
                          const struct choice *choice)
{
    const double first = guess_seconds(h, choice->first, b->n);
    const double second = guess_seconds(h, choice->second, b->n);
    const double seconds = first > second ? first : second;
    const int64_t wanted = (int64_t)(CHUNK_SECONDS / 2 / seconds) / LANES * LANES;
    const int64_t most = b->count / (16 * 2 * PILOTS) / LANES * LANES;
    return wanted < LANES || most < LANES ? LANES : wanted < most ? wanted : most;
}

/* 1: CPUs take part, of which what is on a device is too far. */
static int draws(const struct orr_heevj *h) { return h->ctx->info.cpu > 0 && !h->A_on; }

static int device_has(const struct orr_heevj *h, orr_method method, int64_t n)
{
    return orr_heevj_device_has(method, h->A.type, n, h->o.jobz == 'V');
}

/* By which method devices solve matrices of order n start to finish; AUTO: by none. */
static orr_method method_on_device(const struct orr_heevj *h, int64_t n)
{
    orr_method method = h->o.method;
    if (method == ORR_METHOD_AUTO) {
        const int lanes = n > most_jacobi[h->A.type] && h->o.accuracy != ORR_ACCURACY_RELATIVE &&
                          device_has(h, ORR_METHOD_LANES, n);
        method = lanes ? ORR_METHOD_LANES : ORR_METHOD_JACOBI;
    }
    return device_has(h, method, n) ? method : ORR_METHOD_AUTO;
}

struct orr_heevj_pilots orr_heevj_choose(const struct orr_heevj *h, struct orr_heevj_bucket *b)
{
    const int devices = h->ctx->info.cuda + h->ctx->info.opencl > 0;
    struct orr_heevj_rate rate = orr_heevj_rates_get(h->rates, h->A.type, b->n, h->o.jobz == 'V');
    const struct choice choice = guess_methods(h, b);
    const double first = rate.seconds[choice.first], second = rate.seconds[choice.second];
    int measure = 0;

    b->method = h->o.method;
    if (b->method == ORR_METHOD_LANES && b->n > ORR_HEEVJ_LANES_MOST_N)
        b->method = ORR_METHOD_LAPACK;
    const int in_blocks = b->method == ORR_METHOD_AUTO && b->n <= MAX_BLOCK_N &&
                          h->o.accuracy != ORR_ACCURACY_RELATIVE;
    b->on_device = devices ? method_on_device(h, b->n) : ORR_METHOD_AUTO;
    const int whole = b->on_device != ORR_METHOD_AUTO;
    b->shared = devices && (whole || in_blocks) && b->count > 1 && draws(h) &&
                orr_heevj_device_room(h, b) > 0;
    if (b->shared && !whole) {
        b->method = ORR_METHOD_LAPACK; /* of the CPUs */
    } else if (h->A_on && whole) {
        b->method = b->on_device;
    } else if (b->method == ORR_METHOD_AUTO && h->o.accuracy != ORR_ACCURACY_RELATIVE && !whole &&
               (h->ctx->info.cpu == 0 || (h->A_on && in_blocks))) {
        b->method = ORR_METHOD_BLOCK;
    } else if (b->method == ORR_METHOD_AUTO) {
        const int known = first > 0 && second > 0;
        b->method = known && second < first ? choice.second : choice.first;
        measure = choice.measure && worth_measuring(b->count) && !known && h->ctx->info.cpu > 0 &&
                  !b->shared; /* a device would wait for it */
    }
    /* QL of one matrix is slow on a device: many at once are what it is for. */
    const int single = b->on_device == ORR_METHOD_LANES && h->o.method == ORR_METHOD_AUTO &&
                       !b->shared && draws(h);
    const int for_devices = b->method == ORR_METHOD_BLOCK || (whole && !single);
    b->where = !devices || !for_devices ? ORR_ON_CPU : h->A_on ? ORR_ON_ACCELERATOR : ORR_ANYWHERE;
    b->seconds = orr_heevj_seconds(h, b->method, b->n);
    return (struct orr_heevj_pilots){.chunks = measure ? 2 * PILOTS : 0,
                                     .method = {choice.first, choice.second},
                                     .size = measure ? pilot_size(h, b, &choice) : 0};
}

int orr_heevj_is_small(const struct orr_heevj *h)
{
    double seconds = 0;
    for (int64_t i = 0; i < h->buckets && seconds <= ORR_HERE_SECONDS; i++) {
        struct orr_heevj_bucket b = {.n = h->bucket[i].n, .count = h->bucket[i].count};
        orr_heevj_choose(h, &b);
        if (b.where != ORR_ON_CPU || h->A_on || h->w_on)
            return 0;
        seconds += b.seconds * (double)b.count;
    }
    return seconds <= ORR_HERE_SECONDS;
}

int64_t orr_heevj_device_room(const struct orr_heevj *h, const struct orr_heevj_bucket *b)
{
    const struct orr_heevj_chunk c = {.type = h->A.type,
                                      .n = b->n,
                                      .count = 1,
                                      .vectors = h->o.jobz == 'V',
                                      .stride = h->A.as ? b->n * b->n : h->A.stride};
    return orr_accelerator_room() / (b->on_device == ORR_METHOD_AUTO
                                         ? orr_heevj_block_bytes(&c)
                                         : orr_heevj_chunk_bytes(&c, b->on_device));
}

int64_t orr_heevj_next_chunk(const struct orr_heevj *h, const struct orr_heevj_bucket *b)
{
    int64_t left = b->first + b->count - b->next;
    int64_t workers = h->ctx->info.cpu + h->ctx->info.cuda + h->ctx->info.opencl;
    int64_t bytes = b->n * b->n * (int64_t)orr_type_size(h->A.type);
    if (!h->A.as && h->A.stride * (int64_t)orr_type_size(h->A.type) > bytes)
        bytes = h->A.stride * (int64_t)orr_type_size(h->A.type);
    int64_t most = bytes ? CHUNK_BYTES / bytes : left;
    int64_t size = (int64_t)(CHUNK_SECONDS / b->seconds);
    int64_t least = (int64_t)(LEAST_SECONDS / b->seconds);
    const int in_lanes = b->method == ORR_METHOD_JACOBI || b->method == ORR_METHOD_LANES;
    if (in_lanes && least < LANES) { /* fewer would leave lanes empty */
        least = LANES;
        size = size > LANES ? size : LANES;
    }
    int64_t fair = left / (2 * (workers > 0 ? workers : 1)); /* guided: shrinks at the tail */
    if (h->o.chunk)
        size = h->o.chunk;
    else if (h->req->here)
        size = left;
    else if (size > fair)
        size = fair > least ? fair : least;
    if (!h->o.chunk && size > LANES)
        size = (size + LANES - 1) / LANES * LANES;
    if (size > most)
        size = most;
    if (!h->o.chunk && b->on_device != ORR_METHOD_AUTO && !draws(h) &&
        size < orr_heevj_device_chunk(h, b))
        size = orr_heevj_device_chunk(h, b);
    if (size < 1)
        size = 1;
    return size < left ? size : left;
}
