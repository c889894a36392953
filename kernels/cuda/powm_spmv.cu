/* Launchers and tables of powm_spmv.cuh.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <algorithm>
#include <cstring>

#include "kernels/cuda/powm_formats.cuh"
#include "kernels/cuda/stream_memory.h"

using namespace orr;

namespace
{

/* A copy in device memory, and zeros, in the order of the stream. */
#ifdef ORR_NO_RUNTIME
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
orr_status work_zero(orr_stream stream, void *to, size_t bytes)
{
    return cudaMemsetAsync(to, 0, bytes, (cudaStream_t)stream) == cudaSuccess ? ORR_OK
                                                                              : ORR_E_DEVICE;
}
orr_status work_copy(orr_stream stream, void *to, const void *from, size_t bytes)
{
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, (cudaStream_t)stream) ==
                   cudaSuccess
               ? ORR_OK
               : ORR_E_DEVICE;
}
#endif

shape grid_of(int64_t items, int64_t of_block)
{
    const int64_t blocks = (items + of_block - 1) / of_block;
    return {dim3((unsigned)std::max<int64_t>(1, std::min<int64_t>(blocks, powm_most_blocks))),
            dim3(powm_threads), 0};
}

/* The power of two below the mean length of a row, 2 to 32. */
int threads_per_row(const orr_powm_block &b)
{
    int sub = 2;
    while (sub < 32 && 2 * sub * b.rows <= b.nnz)
        sub *= 2;
    return sub;
}

/* The pass over the entries; *blocks: blocks of threads that have sums. */
template <class T, class V> orr_status pass(orr_stream stream, powm_task t, int *blocks)
{
    const int64_t rows = t.b.rows;
    const int kind = t.kind;
    shape g = grid_of(rows, powm_threads);
    orr_status st;
    switch (t.b.format) {
    case ORR_FORMAT_CSR:
        t.sub = threads_per_row(t.b);
        g = grid_of(rows, powm_threads / t.sub);
        *blocks = (int)g.grid.x;
        return launch(powm_csr_kernel<T, V>, g, stream, t);
    case ORR_FORMAT_ELL:
    case ORR_FORMAT_GPU_ELL:
        *blocks = (int)g.grid.x;
        return launch(powm_ell_kernel<T, V>, g, stream, t);
    case ORR_FORMAT_BSR:
        *blocks = (int)g.grid.x;
        return launch(powm_bsr_kernel<T, V>, g, stream, t);
    case ORR_FORMAT_SELL:
        t.sub = 32;
        g = grid_of(t.b.slices, powm_warps);
        *blocks = (int)g.grid.x;
        if (t.b.longs == 0)
            return launch(powm_sell_kernel<T, V>, g, stream, t);
        break;
    case ORR_FORMAT_MERGE: break;
    default: return ORR_E_ARG;
    }
    double *const sums = t.sums;
    t.kind = POWM_STORE;
    t.sums = nullptr;
    if (t.b.format == ORR_FORMAT_SELL) {
        st = launch(powm_sell_kernel<T, V>, g, stream, t);
        if (st == ORR_OK)
            st = launch(powm_long_kernel<T, V>, grid_of(t.b.longs, 1), stream, t);
    } else {
        t.sub = threads_per_row(t.b);
        st = launch(powm_merge_kernel<T, V>, grid_of(t.b.pieces, 1), stream, t);
        if (st == ORR_OK)
            st = launch(powm_carry_kernel<T>,
                        shape{dim3((unsigned)((t.b.pieces + powm_threads - 1) / powm_threads)),
                              dim3(powm_threads), 0},
                        stream, t);
    }
    t.kind = kind;
    t.sums = sums;
    g = grid_of(rows, powm_threads);
    *blocks = (int)g.grid.x;
    return st == ORR_OK ? launch(powm_rows_kernel<T>, g, stream, t) : st;
}

template <class T> struct narrow_of {
    typedef float type;
};
template <class R> struct narrow_of<complex<R>> {
    typedef complex<float> type;
};

size_t lines(int64_t bytes) { return (size_t)((bytes + 255) / 256 * 256); }

/* What a call has besides the task. */
struct call {
    orr_stream stream;
    const orr_powm_block *head;
    const void *block;
    const orr_powm_pieces *x;
    const void *before;
    orr_pagerank_rule rule;
    int ritz;
    orr_powm_partial *out;
};

/* x in one piece: as it is, or copied together at `to`. Blocks of bsr reach columns of parts that
 * are not there, where their entries are zero: so must x be. */
template <class T> orr_status gather(const call &c, char *to, const void **x)
{
    orr_status st = ORR_OK;
    if (c.x->parts == 1) {
        *x = (const T *)c.x->at[0] - c.x->first[0];
        return st;
    }
    if (c.head->format == ORR_FORMAT_BSR)
        st = work_zero(c.stream, to, (size_t)c.head->cols * sizeof(T));
    for (int64_t i = 0; i < c.x->parts && st == ORR_OK; i++)
        st = work_copy(c.stream, to + (size_t)c.x->first[i] * sizeof(T), c.x->at[i],
                       (size_t)c.x->count[i] * sizeof(T));
    *x = to;
    return st;
}

template <class T> orr_status run(const call &c, powm_task t)
{
    const orr_powm_block &b = *c.head;
    const bool stored = b.format == ORR_FORMAT_MERGE || b.longs > 0;
    const size_t scratch = lines(sizeof(powm_scratch)),
                 sums = lines((int64_t)powm_most_blocks * powm_fields * 8),
                 x = c.x->parts == 1 ? 0 : lines(b.cols * (int64_t)sizeof(T)),
                 acc = stored ? lines(b.rows * (int64_t)sizeof(acc_of<T>)) : 0,
                 carry = lines(b.pieces * (int64_t)sizeof(acc_of<T>));
    char *const work = (char *)stream_alloc(c.stream, scratch + sums + x + acc + carry);
    int blocks = 1;
    if (!work)
        return ORR_E_NOMEM;
    t.b = b;
    t.block = (const char *)c.block;
    t.scratch = (powm_scratch *)work;
    t.sums = c.out ? (double *)(work + scratch) : nullptr;
    t.acc = work + scratch + sums + x;
    t.carry = work + scratch + sums + x + acc;
    if (b.values == ORR_VALUES_PATTERN)
        t.scale *= b.value;
    orr_status st = gather<T>(c, work + scratch + sums, &t.x);
    if (st == ORR_OK)
        st = launch(powm_prepare_kernel, shape{dim3(1), dim3(1), 0}, c.stream, t.scratch,
                    (const orr_powm_scalars *)c.before, c.ritz, c.rule, t.kind == POWM_RANK);
    if (st == ORR_OK)
        st = b.values == ORR_VALUES_FULL ? pass<T, T>(c.stream, t, &blocks)
             : b.values == ORR_VALUES_NARROW
                 ? pass<T, typename narrow_of<T>::type>(c.stream, t, &blocks)
                 : pass<T, void>(c.stream, t, &blocks);
    if (st == ORR_OK && c.out)
        st = launch(powm_join_kernel, shape{dim3(powm_fields), dim3(32), 0}, c.stream,
                    (const powm_scratch *)t.scratch, (const double *)t.sums, blocks, c.out);
    stream_free(c.stream, work);
    return st;
}

template <class T>
orr_status step(orr_stream stream, const orr_powm_block *head, int ritz, const void *before,
                const void *block, const orr_powm_pieces *x, void *y, orr_powm_partial *out)
{
    powm_task t = {};
    t.kind = POWM_STEP;
    t.scale = 1;
    t.y = y;
    return run<T>({stream, head, block, x, before, {}, ritz, out}, t);
}

template <class T>
orr_status product_of(orr_stream stream, const orr_powm_block *head, double scale,
                      const void *block, const orr_powm_pieces *x, void *y)
{
    powm_task t = {};
    t.kind = POWM_PRODUCT;
    t.scale = scale;
    t.y = y;
    return run<T>({stream, head, block, x, nullptr, {}, 0, nullptr}, t);
}

template <class T>
orr_status residual(orr_stream stream, const orr_powm_block *head, const orr_powm_residual_args *g,
                    const void *block, const orr_powm_pieces *x, const void *z,
                    orr_powm_partial *out)
{
    powm_task t = {};
    t.kind = POWM_RESIDUAL;
    t.scale = 1;
    t.residual = *g;
    t.z = z;
    return run<T>({stream, head, block, x, nullptr, {}, 0, out}, t);
}

template <class T>
orr_status rank_step(orr_stream stream, const orr_powm_block *head, const orr_pagerank_rule *rule,
                     const void *before, const void *block, const orr_powm_pieces *z, const void *d,
                     const void *p, void *znew, orr_powm_partial *out)
{
    powm_task t = {};
    t.kind = POWM_RANK;
    t.scale = 1;
    t.d = d;
    t.p = p;
    t.y = znew;
    return run<T>({stream, head, block, z, before, *rule, 0, out}, t);
}

} // namespace

static orr_status orr_powm_step_cuda_s(orr_stream stream, const orr_powm_block *head, int ritz,
                                       const void *before, const void *block,
                                       const orr_powm_pieces *x, void *y, orr_powm_partial *s)
{
    return step<float>(stream, head, ritz, before, block, x, y, s);
}
static orr_status orr_powm_product_cuda_s(orr_stream stream, const orr_powm_block *head,
                                          double scale, const void *block, const orr_powm_pieces *x,
                                          void *y)
{
    return product_of<float>(stream, head, scale, block, x, y);
}
static orr_status orr_powm_residual_cuda_s(orr_stream stream, const orr_powm_block *head,
                                           const orr_powm_residual_args *g, const void *block,
                                           const orr_powm_pieces *x, const void *z,
                                           orr_powm_partial *s)
{
    return residual<float>(stream, head, g, block, x, z, s);
}

static orr_status orr_powm_step_cuda_d(orr_stream stream, const orr_powm_block *head, int ritz,
                                       const void *before, const void *block,
                                       const orr_powm_pieces *x, void *y, orr_powm_partial *s)
{
    return step<double>(stream, head, ritz, before, block, x, y, s);
}
static orr_status orr_powm_product_cuda_d(orr_stream stream, const orr_powm_block *head,
                                          double scale, const void *block, const orr_powm_pieces *x,
                                          void *y)
{
    return product_of<double>(stream, head, scale, block, x, y);
}
static orr_status orr_powm_residual_cuda_d(orr_stream stream, const orr_powm_block *head,
                                           const orr_powm_residual_args *g, const void *block,
                                           const orr_powm_pieces *x, const void *z,
                                           orr_powm_partial *s)
{
    return residual<double>(stream, head, g, block, x, z, s);
}

static orr_status orr_powm_step_cuda_c(orr_stream stream, const orr_powm_block *head, int ritz,
                                       const void *before, const void *block,
                                       const orr_powm_pieces *x, void *y, orr_powm_partial *s)
{
    return step<complex<float>>(stream, head, ritz, before, block, x, y, s);
}
static orr_status orr_powm_product_cuda_c(orr_stream stream, const orr_powm_block *head,
                                          double scale, const void *block, const orr_powm_pieces *x,
                                          void *y)
{
    return product_of<complex<float>>(stream, head, scale, block, x, y);
}
static orr_status orr_powm_residual_cuda_c(orr_stream stream, const orr_powm_block *head,
                                           const orr_powm_residual_args *g, const void *block,
                                           const orr_powm_pieces *x, const void *z,
                                           orr_powm_partial *s)
{
    return residual<complex<float>>(stream, head, g, block, x, z, s);
}

static orr_status orr_powm_step_cuda_z(orr_stream stream, const orr_powm_block *head, int ritz,
                                       const void *before, const void *block,
                                       const orr_powm_pieces *x, void *y, orr_powm_partial *s)
{
    return step<complex<double>>(stream, head, ritz, before, block, x, y, s);
}
static orr_status orr_powm_product_cuda_z(orr_stream stream, const orr_powm_block *head,
                                          double scale, const void *block, const orr_powm_pieces *x,
                                          void *y)
{
    return product_of<complex<double>>(stream, head, scale, block, x, y);
}
static orr_status orr_powm_residual_cuda_z(orr_stream stream, const orr_powm_block *head,
                                           const orr_powm_residual_args *g, const void *block,
                                           const orr_powm_pieces *x, const void *z,
                                           orr_powm_partial *s)
{
    return residual<complex<double>>(stream, head, g, block, x, z, s);
}

static orr_status orr_pagerank_step_cuda_s(orr_stream stream, const orr_powm_block *head,
                                           const orr_pagerank_rule *rule, const void *before,
                                           const void *block, const orr_powm_pieces *z,
                                           const void *d, const void *p, void *znew,
                                           orr_powm_partial *s)
{
    return rank_step<float>(stream, head, rule, before, block, z, d, p, znew, s);
}

static orr_status orr_pagerank_step_cuda_d(orr_stream stream, const orr_powm_block *head,
                                           const orr_pagerank_rule *rule, const void *before,
                                           const void *block, const orr_powm_pieces *z,
                                           const void *d, const void *p, void *znew,
                                           orr_powm_partial *s)
{
    return rank_step<double>(stream, head, rule, before, block, z, d, p, znew, s);
}

extern "C" {
orr_powm_step_cuda_fn *const orr_powm_step_cuda[ORR_NTYPES] = {
    orr_powm_step_cuda_s,
    orr_powm_step_cuda_d,
    orr_powm_step_cuda_c,
    orr_powm_step_cuda_z,
};
orr_powm_product_cuda_fn *const orr_powm_product_cuda[ORR_NTYPES] = {
    orr_powm_product_cuda_s,
    orr_powm_product_cuda_d,
    orr_powm_product_cuda_c,
    orr_powm_product_cuda_z,
};
orr_powm_residual_cuda_fn *const orr_powm_residual_cuda[ORR_NTYPES] = {
    orr_powm_residual_cuda_s,
    orr_powm_residual_cuda_d,
    orr_powm_residual_cuda_c,
    orr_powm_residual_cuda_z,
};
orr_pagerank_step_cuda_fn *const orr_pagerank_step_cuda[ORR_NTYPES] = {
    orr_pagerank_step_cuda_s,
    orr_pagerank_step_cuda_d,
    nullptr,
    nullptr,
};
}
