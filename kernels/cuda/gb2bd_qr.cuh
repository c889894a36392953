/* orr_gb2bd_qr_cuda: some columns of a band made upper triangular (kernels/gb2bd.h).
 *
 * The columns are cut into strips, a warp for each column of a strip. A thread block takes a
 * strip by ticket (chase.cuh) and keeps its columns in shared memory:
 *
 *     reflectors of the strips before, in the order of columns:    applied as soon as they are
 *         there, by every warp to its own column, without a barrier of the block
 *     its own columns: warp q makes reflector q, the warps behind it apply it
 *
 * So reflectors are all that moves between thread blocks, and about (kl+ku)/width of these work
 * at a time. A reflector is in the place of what it annihilates until all strips are done:
 *
 *     v_1 .. v_kl   below the diagonal          tau          in front of the row, with the
 *                                               words        progress of the strip
 *
 * for kernels may use what is in front of a row (kernels/gb2bd.h keeps it zero); one launch
 * before clears it, and one at the end clears all of this.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_GB2BD_QR_CUH
#define ORR_CUDA_GB2BD_QR_CUH

#include "kernels/cuda/gb2bd_rows.cuh"

namespace orr
{

constexpr int gb2bd_qr_most_width = 8, gb2bd_qr_front = 3; /* reals in front of a row */
constexpr size_t gb2bd_qr_room = 160 * 1024; /* of shared memory is used, where there is as much */

template <class T> struct gb2bd_qr_task : gb2bd_rows<T> {
    typedef real_of<T> R;
    using gb2bd_rows<T>::g;
    int width; /* columns of a strip */
    orr_stall *told;

    static constexpr int stalls = ORR_STALL_GB2BD_QR;
    __device__ const int *first_word() const { return word(0); }
    __device__ int64_t words_apart() const
    {
        return g.band.ld * width * (int64_t)(sizeof(R) / sizeof(int));
    }
    __device__ int64_t first_sweep() const { return 0; } /* of strips */
    __host__ __device__ int64_t last_pivot() const { return g.sweep + g.sweeps - 1; }
    __host__ __device__ int64_t last_column() const
    {
        return orr_least(g.band.n - 1, last_pivot() + g.b + g.tw);
    }
    __device__ int length(int64_t j) const /* of reflector j */
    {
        return (int)orr_least(g.b + 1, g.band.rows - j);
    }
    __device__ bool reaches(int64_t j, int64_t column) const { return column - j <= g.b + g.tw; }
    /* In front of a row: tau, the progress of the strip that begins there, the ticket. */
    __device__ R *front(int64_t i) const { return this->row(i) + i - g.band.low; }
    __device__ int *word(int64_t strip) const
    {
        return (int *)(front(g.sweep + strip * width) + 1);
    }
    __device__ int *ticket() const { return (int *)(front(g.sweep) + 2); }
};

/* Rows of a strip that reflectors touch, at most; odd, for the banks of shared memory. */
template <class T> __host__ __device__ int64_t gb2bd_qr_height(const gb2bd_qr_task<T> &a)
{
    return (2 * a.g.b + a.g.tw + a.width) | 1;
}

template <class T> size_t gb2bd_qr_bytes(const gb2bd_qr_task<T> &a)
{
    return (size_t)(a.width * (gb2bd_qr_height(a) + a.g.b + 1)) * sizeof(T);
}

/* The widest strips that fit in the shared memory of a block; 0: not even a column. */
template <class T> int gb2bd_qr_width(gb2bd_qr_task<T> a, size_t room)
{
    a.width = gb2bd_qr_most_width;
    while (a.width > 0 && gb2bd_qr_bytes(a) > std::min(room, gb2bd_qr_room))
        a.width /= 2;
    return a.width;
}

template <class T> shape gb2bd_qr_shape(const gb2bd_qr_task<T> &a)
{
    const int64_t strips = (a.last_column() - a.g.sweep) / a.width + 1;
    const int64_t useful = (a.g.b + a.g.tw) / a.width + 2;
    return {dim3((unsigned)std::min(strips, useful)), dim3((unsigned)(32 * a.width)),
            gb2bd_qr_bytes(a)};
}

/* H x on `count` entries of x; v has tau in the place of its 1. */
template <class T> ORR_DEV void apply_one(const T *v, int count, T *x)
{
    const int lane = (int)threadIdx.x % 32;
    const T tau = v[0];
    if (is_zero(tau))
        return;
    T dot = make<T>(0);
    for (int i = lane; i < count; i += 32)
        dot = mad_conj(i == 0 ? make<T>(1) : v[i], x[i], dot);
    const T by = negative(times(tau, warp_sum(dot)));
    for (int i = lane; i < count; i += 32)
        x[i] = mad(i == 0 ? make<T>(1) : v[i], by, x[i]);
    __syncwarp();
}

/* A strip in shared memory: columns c0 .. c1, rows r0 .. r1. */
template <class T> struct gb2bd_strip {
    int64_t c0, c1, r0, r1, height;
    T *columns, *panel; /* panel: `width` reflectors, with tau in the place of their 1 */

    __device__ gb2bd_strip(const gb2bd_qr_task<T> &a, int64_t number, T *shared)
    {
        const int64_t b = a.g.b + a.g.tw;
        c0 = a.g.sweep + number * a.width;
        c1 = orr_least(c0 + a.width - 1, a.last_column());
        r0 = c0 - b > a.g.sweep ? c0 - b : a.g.sweep;
        r1 = orr_least(orr_least(c1, a.last_pivot()) + a.g.b, a.g.band.rows - 1);
        height = gb2bd_qr_height(a);
        columns = shared;
        panel = shared + a.width * height;
    }
    __device__ T *at(int64_t i, int64_t j) const { return columns + (j - c0) * height + (i - r0); }
};

/* visit(i, j) for the entries of a strip that are in the band, a thread for each, row by row. */
template <class T, class Visit>
ORR_DEV void each_entry(const gb2bd_qr_task<T> &a, const gb2bd_strip<T> &s, Visit visit)
{
    const int64_t j = s.c0 + (int)threadIdx.x % a.width;
    for (int64_t i = s.r0 + (int)threadIdx.x / a.width; i <= s.r1; i += 32)
        if (j <= s.c1 && a.reaches(i, j) && i - j <= a.g.b)
            visit(i, j);
}

/* Reflectors of columns from .. to-1 from the band to the panel. */
template <class T>
ORR_DEV void read_reflectors(const gb2bd_qr_task<T> &a, const gb2bd_strip<T> &s, int64_t from,
                             int64_t to)
{
    const int64_t j = from + (int)threadIdx.x % a.width, first = (int)threadIdx.x / a.width;
    if (j >= to)
        return;
    T *const v = s.panel + (j - from) * (a.g.b + 1);
    if (first == 0)
        v[0] = make<T>(*a.front(j));
    const int64_t end = j + a.length(j);
    for (int64_t i = from + 1 + first; i < end; i += 32)
        if (i > j)
            v[i - j] = a.get(i, j);
}

/* The reflectors of the strips before, applied to column s.c0 + warp. */
template <class T>
ORR_DEV void apply_before(const gb2bd_qr_task<T> &a, const gb2bd_strip<T> &s, int64_t number,
                          int *ready)
{
    const block_team<> team;
    const int64_t mine = s.c0 + team.warp(), last = a.last_pivot();
    for (int64_t p = (s.r0 - a.g.sweep) / a.width; p < number; p++) {
        const int64_t first = a.g.sweep + p * a.width;
        const int count = (int)orr_least(a.width, last - first + 1);
        int done = (int)(s.r0 > first ? s.r0 - first : 0);
        while (done < count) {
            int seen = 0;
            await(team, a, a.word(p), done + 1, seen);
            if (team.rank() == 0)
                *ready = seen;
            team.sync();
            const int upto = (int)orr_least(*ready, count);
            read_reflectors(a, s, first + done, first + upto);
            team.sync();
            for (int q = done; mine <= s.c1 && q < upto; q++)
                if (a.reaches(first + q, mine))
                    apply_one(s.panel + (q - done) * (a.g.b + 1), a.length(first + q),
                              s.at(first + q, mine));
            done = upto;
        }
    }
    team.sync(); /* the panel is free */
}

/* Reflector q of the strip, from its column j, to the panel; by a warp. */
template <class T>
ORR_DEV void make_pivot(const gb2bd_qr_task<T> &a, const gb2bd_strip<T> &s, int64_t j, T *v)
{
    T *const f = s.at(j, j);
    const int m = a.length(j), lane = (int)threadIdx.x % 32;
    const gb2bd_reflector<T> h = make_gb2bd_reflector(f, m);
    for (int k = lane; k < m; k += 32)
        v[k] = k == 0 ? make<T>(h.tau) : entry_of_v(h, f, k);
    __syncwarp();
    if (lane == 0)
        *f = h.beta;
    __syncwarp();
}

/* From the panel to the band, and to where it is kept; by a warp. */
template <class T> ORR_DEV void give_reflector(const gb2bd_qr_task<T> &a, int64_t j, const T *v)
{
    T *const kept = a.g.u ? (T *)a.g.u + (j - a.g.sweep) * (a.g.b + 1) : nullptr;
    for (int k = (int)threadIdx.x % 32; k < a.length(j); k += 32) {
        if (k == 0)
            *a.front(j) = real(v[0]);
        else
            a.put(j + k, j, v[k]);
        if (kept)
            kept[k] = v[k];
    }
}

template <class T>
ORR_DEV void gb2bd_qr_one(const gb2bd_qr_task<T> &a, int64_t number, T *shared, int *ready)
{
    const block_team<> team;
    const gb2bd_strip<T> s(a, number, shared);
    const int64_t last = orr_least(s.c1, a.last_pivot()), mine = s.c0 + team.warp();
    each_entry(a, s, [&](int64_t i, int64_t j) { *s.at(i, j) = a.get(i, j); });
    team.sync();
    apply_before(a, s, number, ready);
    for (int64_t j = s.c0; j <= last; j++) {
        T *const v = s.panel + (j - s.c0) * (a.g.b + 1);
        if (mine == j)
            make_pivot(a, s, j, v);
        team.sync();
        if (mine == j) {
            give_reflector(a, j, v);
            publish(warp_team(), a.word(number), (int)(j - s.c0) + 1);
        } else if (mine > j && mine <= s.c1 && a.reaches(j, mine)) {
            apply_one(v, a.length(j), s.at(j, mine));
        }
    }
    team.sync();
    /* What is below the diagonal of a pivot is a reflector now. */
    each_entry(a, s, [&](int64_t i, int64_t j) {
        if (i <= j || j > last)
            a.put(i, j, *s.at(i, j));
    });
}

template <class T>
__global__ void __launch_bounds__(gb2bd_qr_most_width * 32, 1) gb2bd_qr_kernel(gb2bd_qr_task<T> a)
{
    ORR_DYN_SHARED(shared);
    ORR_SHARED(int, words, 2);
    for (;;) {
        const int64_t strip = chase_take(a.ticket(), words);
        if (a.g.sweep + strip * a.width > a.last_column())
            return;
        gb2bd_qr_one(a, strip, (T *)shared, words + 1);
    }
}

/* What is in front of the rows, and, at the end, the reflectors. */
template <class T> __global__ void gb2bd_qr_clear_kernel(gb2bd_qr_task<T> a, int at_the_end)
{
    const int64_t each = at_the_end ? a.g.b + 1 : 1;
    for (int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; x < a.g.sweeps * each;
         x += (int64_t)gridDim.x * blockDim.x) {
        const int64_t j = a.g.sweep + x / each, k = x % each;
        if (k == 0)
            for (int i = 0; i < gb2bd_qr_front; i++)
                a.front(j)[i] = 0;
        else if (k < a.length(j))
            a.put(j + k, j, make<T>(0));
    }
}

} // namespace orr

#endif
