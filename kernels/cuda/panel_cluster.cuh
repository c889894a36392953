/* The panel of panel.cuh by one cluster: its blocks tell each other by distributed shared memory, with one
 * barrier of the cluster to a column, in place of a release, a poll and a load through the L2 cache. Its
 * rows must fit in the shared memory of 16 processors.
 *
 * Nothing but rows of R goes to memory before the end, since the barrier waits for what is on its way
 * there: S is in shared memory, too, row i in block i % blocks.
 *
 * No block gives up a wait: a device starts all of a cluster or refuses the launch.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_PANEL_CLUSTER_CUH
#define ORR_CUDA_PANEL_CLUSTER_CUH

#include "kernels/cuda/cluster.cuh"
#include "kernels/cuda/panel.cuh"

namespace orr
{

/* Of a block, if there is another. A barrier takes about as long for few blocks as for many. */
constexpr int64_t panel_least_cluster_rows = 64;

template <class T> struct panel_cluster {
    const panel_task<T> &a;
    T *told; /* [2][columns + 1] sums, [2][columns] a row */
    T *kept; /* [ceil(columns / blocks)][columns] rows of S */

    static __host__ __device__ int elements(int columns, int blocks)
    {
        return 4 * columns + 2 + (columns + blocks - 1) / blocks * columns;
    }
    __device__ __forceinline__ panel_cluster(const panel_task<T> &task, T *memory)
        : a(task), told(memory), kept(memory + 4 * task.columns + 2)
    {
    }
    __device__ __forceinline__ T *sums(int half) const { return told + half * (a.columns + 1); }
    __device__ __forceinline__ T *row(int half) const
    {
        return told + 2 * (a.columns + 1) + half * a.columns;
    }
    __device__ __forceinline__ T sum_of(int half, int g, int k) const
    {
        return ld_cluster(sums(half) + k, g);
    }
    __device__ __forceinline__ T row_of(int half, int j, int k) const
    {
        return ld_cluster(row(half) + k, j / a.rows);
    }
    __device__ __forceinline__ void come(int) const { cluster_arrive(); }
    __device__ __forceinline__ void wait(int) const { cluster_wait(); }
    __device__ __forceinline__ int row_of_s() const
    {
        return cluster_rank() + a.blocks * (int)threadIdx.x;
    }
    __device__ __forceinline__ T &s(int i, int j) const
    {
        return kept[i / a.blocks * a.columns + j];
    }
    __device__ __forceinline__ void store() const
    {
        cluster_arrive();
        for (int j = (int)threadIdx.x; j < a.reflectors; j += panel_threads)
            for (int i = cluster_rank(); i < a.reflectors; i += a.blocks)
                a.s[i + j * a.lds] = s(i, j);
    }
    __device__ __forceinline__ void leave() const { cluster_wait(); }
};

template <class T>
__global__ void __launch_bounds__(panel_threads, 1) panel_cluster_kernel(panel_task<T> a)
{
    ORR_DYN_SHARED(memory);
    factor_panel<T, panel_cluster>(a, memory);
}

} // namespace orr

#endif
