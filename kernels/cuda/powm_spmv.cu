/* Launchers and tables of powm_spmv.cuh. A step is a pass over the entries and the sum over its
 * thread blocks; merge needs three passes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "kernels/cuda/powm_formats.cuh"
#include "kernels/cuda/stream_memory.h"

using namespace orr;

namespace
{

/* A copy in device memory, and zeros, in the order of the stream. And the device's processors. */
#ifdef ORR_NO_RUNTIME
int processors() { return 2; } /* so few that threads of tests have several rows */
orr_status work_zero(orr_stream, void *to, size_t bytes)
{
    std::memset(to, 0, bytes);
    return ORR_OK;
}
orr_status work_copy(orr_stream, void *to, const void *from, size_t bytes)
{
    std::memcpy(to, from, bytes);
    return ORR_OK;
}
#else
/* 0: the device does not say. */
int processors()
{
    int device = 0, n = 0;
    if (went_well(cudaGetDevice(&device)))
        (void)went_well(cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, device));
    return n;
}
orr_status work_zero(orr_stream stream, void *to, size_t bytes)
{
    return went_well(cudaMemsetAsync(to, 0, bytes, (cudaStream_t)stream)) ? ORR_OK : ORR_E_DEVICE;
}
orr_status work_copy(orr_stream stream, void *to, const void *from, size_t bytes)
{
    return went_well(
               cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, (cudaStream_t)stream))
               ? ORR_OK
               : ORR_E_DEVICE;
}
#endif

/* A device, of which all blocks of a launch are resident: more would come in a second wave, at
 * whose end most processors have nothing to do. */
struct grids {
    int64_t most;
    shape of(int64_t threads, size_t shared = 0) const
    {
        const int64_t blocks = (threads + powm_threads - 1) / powm_threads;
        return {dim3((unsigned)std::max<int64_t>(1, std::min(blocks, most))), dim3(powm_threads),
                shared};
    }
};

/* Of merge: 2^k, 2 to 32, so that a thread has no more entries than it can have under way. */
template <class T> int threads_per_row(const orr_powm_block &b)
{
    int sub = 2;
    while (sub < 32 && sub * powm_entries<T> * b.rows <= b.nnz)
        sub *= 2;
    return sub;
}

/* Of csr: 2^k, at most 32, so that all warps have rows if these are longer than what a warp holds. */
template <class T> int rows_per_warp(const grids &g, const orr_powm_block &b)
{
    int tile = 32;
    while (tile > 1 && b.rows < tile * powm_warps * g.most &&
           tile * b.nnz > b.rows * powm_chunk<T>::entries)
        tile /= 2;
    return tile;
}

/* The passes over the entries; *blocks: thread blocks that have sums. */
template <class T, class V>
orr_status pass(orr_stream stream, const grids &g, powm_task t, int *blocks)
{
    const size_t columns = (size_t)(powm_sums<T>(t.kind, t.ritz) * powm_threads) * sizeof(double);
    int64_t threads = t.b.rows;
    if (t.b.format == ORR_FORMAT_CSR) {
        t.tile = rows_per_warp<T>(g, t.b);
        threads *= 32 / t.tile;
    } else if (t.b.format == ORR_FORMAT_SELL) {
        threads = std::max(threads, t.b.longs * powm_threads);
    }
    const shape rows = g.of(threads, columns);
    *blocks = (int)rows.grid.x;
    switch (t.b.format) {
    case ORR_FORMAT_CSR: return launch(powm_csr_kernel<T, V>, rows, stream, t);
    case ORR_FORMAT_ELL:
    case ORR_FORMAT_GPU_ELL: return launch(powm_ell_kernel<T, V>, rows, stream, t);
    case ORR_FORMAT_SELL: return launch(powm_sell_kernel<T, V>, rows, stream, t);
    case ORR_FORMAT_BSR:
        if constexpr (!std::is_void_v<V>)
            return launch(powm_bsr_kernel<T, V>, rows, stream, t);
        return ORR_E_ARG;
    case ORR_FORMAT_MERGE: break;
    default: return ORR_E_ARG;
    }
    t.sub = threads_per_row<T>(t.b);
    orr_status st = launch(powm_merge_kernel<T, V>, g.of(t.b.pieces * powm_threads), stream, t);
    if (st == ORR_OK)
        st = launch(powm_carry_kernel<acc_of<T>>,
                    shape{dim3((unsigned)((t.b.pieces + powm_threads - 1) / powm_threads)),
                          dim3(powm_threads), 0},
                    stream, t);
    return st == ORR_OK ? launch(powm_rows_kernel<T>, rows, stream, t) : st;
}

template <class T> struct narrow_of {
    typedef float type;
};
template <class R> struct narrow_of<complex<R>> {
    typedef complex<float> type;
};

size_t lines(int64_t bytes) { return (size_t)((bytes + 255) / 256 * 256); }

constexpr int powm_ring = 4; /* scalars of steps of one call */

/* Where the parts of the memory of a stream are. */
struct work {
    grids g;
    orr_powm_scalars *ring;
    double *sums;
    char *x, *acc, *carry;
};

/* Memory for steps on x in so many parts. */
template <class T> orr_status reserve(const orr_powm_there &c, int64_t parts, work *w)
{
    const orr_powm_block &b = *c.head;
    w->g.most = (int64_t)processors() * powm_resident;
    if (w->g.most == 0)
        return ORR_E_DEVICE;
    const bool merge = b.format == ORR_FORMAT_MERGE;
    const size_t ring = lines(powm_ring * (int64_t)sizeof(orr_powm_scalars)),
                 sums = lines(w->g.most * powm_most_sums * 8),
                 x = parts == 1 ? 0 : lines(b.cols * (int64_t)sizeof(T)),
                 acc = merge ? lines(b.rows * (int64_t)sizeof(acc_of<T>)) : 0,
                 carry = merge ? lines(b.pieces * (int64_t)sizeof(acc_of<T>)) : 0;
    const size_t all = ring + sums + x + acc + carry;
    if (c.memory->bytes < all) {
        stream_free(c.stream, c.memory->at);
        c.memory->at = stream_alloc(c.stream, all);
        c.memory->bytes = c.memory->at ? all : 0;
    }
    if (!c.memory->at)
        return ORR_E_NOMEM;
    char *const at = (char *)c.memory->at;
    w->ring = (orr_powm_scalars *)at;
    w->sums = (double *)(at + ring);
    w->x = at + ring + sums;
    w->acc = w->x + x;
    w->carry = w->acc + acc;
    return ORR_OK;
}

/* x in one piece: as it is, or copied together. Blocks of bsr reach columns of parts that are not
 * there, where their entries are zero: so must x be. */
template <class T>
orr_status gather(const orr_powm_there &c, const orr_powm_pieces &x, char *to, const void **whole)
{
    orr_status st = ORR_OK;
    if (x.parts == 1) {
        *whole = (const T *)x.at[0] - x.first[0];
        return st;
    }
    if (c.head->format == ORR_FORMAT_BSR)
        st = work_zero(c.stream, to, (size_t)c.head->cols * sizeof(T));
    for (int64_t i = 0; i < x.parts && st == ORR_OK; i++)
        st = work_copy(c.stream, to + (size_t)x.first[i] * sizeof(T), x.at[i],
                       (size_t)x.count[i] * sizeof(T));
    *whole = to;
    return st;
}

/* A task without x and y. */
powm_task task_of(const orr_powm_there &c, powm_kind kind)
{
    powm_task t = {};
    t.b = *c.head;
    t.block = (const char *)c.block;
    t.kind = kind;
    t.scale = t.b.values == ORR_VALUES_PATTERN ? t.b.value : 1;
    return t;
}

/* The task with x in one piece, and the sum over its thread blocks if somebody wants it. */
template <class T> orr_status launch_step(const orr_powm_there &c, const work &w, powm_task t)
{
    typedef typename narrow_of<T>::type N;
    int blocks = 1;
    t.sums = w.sums;
    t.acc = w.acc;
    t.carry = w.carry;
    const orr_status st = t.b.values == ORR_VALUES_FULL ? pass<T, T>(c.stream, w.g, t, &blocks)
                          : t.b.values == ORR_VALUES_NARROW
                              ? pass<T, N>(c.stream, w.g, t, &blocks)
                              : pass<T, void>(c.stream, w.g, t, &blocks);
    if (st != ORR_OK || (!t.out && !t.next))
        return st;
    const unsigned threads = (unsigned)(32 * powm_sums<T>(t.kind, t.ritz));
    return launch(powm_join_kernel<acc_of<T>>, shape{dim3(1), dim3(threads), 0}, c.stream, t,
                  blocks);
}

template <class T> orr_status run(const orr_powm_there &c, const orr_powm_pieces &x, powm_task t)
{
    work w;
    orr_status st = reserve<T>(c, x.parts, &w);
    if (st == ORR_OK)
        st = gather<T>(c, x, w.x, &t.x);
    return st == ORR_OK ? launch_step<T>(c, w, t) : st;
}

template <class T>
orr_status step(const orr_powm_there *c, int ritz, const void *before, const orr_powm_pieces *x,
                void *y, orr_powm_partial *out)
{
    powm_task t = task_of(*c, POWM_STEP);
    t.ritz = ritz;
    t.before = (const orr_powm_scalars *)before;
    t.y = y;
    t.out = out;
    return run<T>(*c, *x, t);
}

template <class T>
orr_status product_of(const orr_powm_there *c, double scale, const orr_powm_pieces *x, void *y)
{
    powm_task t = task_of(*c, POWM_PRODUCT);
    t.scale *= scale;
    t.y = y;
    return run<T>(*c, *x, t);
}

template <class T>
orr_status residual(const orr_powm_there *c, const orr_powm_residual_args *g,
                    const orr_powm_pieces *x, const void *z, orr_powm_partial *out)
{
    powm_task t = task_of(*c, POWM_RESIDUAL);
    t.residual = *g;
    t.z = z;
    t.out = out;
    return run<T>(*c, *x, t);
}

template <class T>
orr_status rank_step(const orr_powm_there *c, const orr_pagerank_rule *rule, const void *before,
                     const orr_powm_pieces *z, const void *d, const void *p, void *znew,
                     orr_powm_partial *out)
{
    powm_task t = task_of(*c, POWM_RANK);
    t.rank = *rule;
    t.before = (const orr_powm_scalars *)before;
    t.d = d;
    t.p = p;
    t.y = znew;
    t.out = out;
    return run<T>(*c, *z, t);
}

/* Step i reads the scalars of step i-1 and, with `lag` 2, is made with those of step i-2. */
template <class T>
orr_status steps(const orr_powm_there &c, powm_task t, int lag, int64_t count,
                 const orr_powm_scalars *before, void *const x[2], orr_powm_scalars *out)
{
    const orr_powm_scalars *made[2] = {before, lag == 2 ? before + 1 : before}; /* last, before */
    work w;
    orr_status st = reserve<T>(c, 1, &w);
    if (st == ORR_OK && lag == 2 && count == 1)
        st = work_copy(c.stream, out + 1, before, sizeof *out);
    for (int64_t i = 0; i < count && st == ORR_OK; i++) {
        t.x = x[i % 2];
        t.y = x[(i + 1) % 2];
        t.before = made[lag - 1];
        t.last = made[0];
        t.next = count - 1 - i < lag ? out + (count - 1 - i) : w.ring + i % powm_ring;
        st = launch_step<T>(c, w, t);
        made[1] = made[0];
        made[0] = t.next;
    }
    return st;
}

template <class T>
orr_status powm_steps(const orr_powm_there *c, const orr_powm_combine_args *g, int64_t count,
                      const orr_powm_scalars *before, void *const x[2], orr_powm_scalars *out)
{
    powm_task t = task_of(*c, POWM_STEP);
    t.ritz = g->ritz;
    t.combine = *g;
    return steps<T>(*c, t, 2, count, before, x, out);
}

template <class T>
orr_status rank_steps(const orr_powm_there *c, const orr_pagerank_rule *rule,
                      const orr_powm_combine_args *g, int64_t count, const orr_powm_scalars *before,
                      const void *d, const void *p, void *const z[2], orr_powm_scalars *out)
{
    powm_task t = task_of(*c, POWM_RANK);
    t.rank = *rule;
    t.combine = *g;
    t.d = d;
    t.p = p;
    return steps<T>(*c, t, 1, count, before, z, out);
}

} // namespace

#define ORR_EACH(f)                                                                                \
    {                                                                                              \
        f<float>, f<double>, f<complex<float>>, f<complex<double>>                                 \
    }
extern "C" {
orr_powm_step_cuda_fn *const orr_powm_step_cuda[ORR_NTYPES] = ORR_EACH(step);
orr_powm_product_cuda_fn *const orr_powm_product_cuda[ORR_NTYPES] = ORR_EACH(product_of);
orr_powm_residual_cuda_fn *const orr_powm_residual_cuda[ORR_NTYPES] = ORR_EACH(residual);
orr_powm_steps_cuda_fn *const orr_powm_steps_cuda[ORR_NTYPES] = ORR_EACH(powm_steps);
orr_pagerank_step_cuda_fn *const orr_pagerank_step_cuda[ORR_NTYPES] = {rank_step<float>,
                                                                       rank_step<double>};
orr_pagerank_steps_cuda_fn *const orr_pagerank_steps_cuda[ORR_NTYPES] = {rank_steps<float>,
                                                                         rank_steps<double>};

void orr_powm_memory_end(orr_powm_memory *m)
{
#ifdef ORR_NO_RUNTIME
    std::free(m->at);
#else
    (void)went_well(cudaFree(m->at));
#endif
    *m = {};
}
}
