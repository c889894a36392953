/* What the kernels of orr_heevj_lanes_cuda share (kernels/heevj.h): tridiagonalisation and QL of a
 * batch, each part spread over the device as it can be.
 *
 *   reduce   A = Q T Q' by Householder, a thread block per matrix          (heevj_lanes_reduce.cuh)
 *            or, up to order 32, in the registers of half a warp or a warp   (heevj_lanes_rows.cuh)
 *   values   eigenvalues of T by bisection, a thread for each           (heevj_lanes_values.cuh)
 *   waves    rotations of T, a warp per matrix, a lane per sweep         (heevj_lanes_waves.cuh)
 *   ql       both up to order 32, a thread per matrix: a chain of n^2 roots and divisions, which as
 *            many matrices as there are go through side by side             (heevj_lanes_ql.cuh)
 *   turn     Z := Z times the rotations, a thread per row              (heevj_lanes_vectors.cuh)
 *            from values to turn again, for the few matrices that are not done
 *   order    values sorted and scaled back
 *   back     Q Z, a thread block for some columns of a matrix or, up to order 32, a thread for one
 *
 * As on a CPU (kernels/cpu/heevj_lanes.inc.c): reflectors I - u u' with |u|^2 = 2; up to order 32 QL
 * without roots first, whose values are the shifts of the other; T from the bottom up, row i of T is n-1-i of A.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HEEVJ_LANES_CUH
#define ORR_CUDA_HEEVJ_LANES_CUH

#include "kernels/cuda/heevj_jacobi.cuh"

namespace orr
{

/* Of columns i and i+1. */
template <class R> struct alignas(2 * sizeof(R)) turn {
    R c, s;
};

/* A sweep of QL: rotations lo <= i < hi, list[at + i]. */
struct lanes_sweep {
    int lo, hi, at;
};

/* Where QL of a matrix is, between two rounds. */
struct lanes_state {
    int finite, exponent; /* A is 2^exponent times what was reduced */
    int lo, hi, tried;    /* the block; where its eigenvalue was the shift */
    int over, failed;
    int sweeps; /* in the list */
};

constexpr int lanes_rows_most = 32; /* order that a part of a warp has in registers */
constexpr int lanes_wave = 8;       /* sweeps that go through Z together */
constexpr int lanes_block =
    128; /* threads of turn and order, of several matrices if these are small */

/* The part of the work memory that belongs to one matrix. */
template <class T> struct lanes_memory {
    typedef real_of<T> R;

    T *packed; /* the lower triangle of A, column after column; below the diagonal u_k in column k */
    T *phase;  /* [n], that make e real */
    R *d, *e;  /* of T */
    R *values;  /* that QL without roots found, where it found them */
    int *order; /* of the values, ascending */
    lanes_state *state;
    lanes_sweep *sweep;
    turn<R> *list;
    double *pivots; /* n by n, ldz apart, in place of the list: until there is one */
    R *Z;           /* column i at (i + lanes_wave) ldz, between columns of zeros */
    int ldz;
    size_t bytes;

    __host__ __device__ lanes_memory(unsigned char *base, const orr_heevj_args &g,
                                     const orr_heevj_rounds &rounds)
        : ldz(((int)g.n + 15) / 16 * 16), bytes(0)
    {
        const size_t n = (size_t)g.n, vectors = g.vectors != 0;
        packed = (T *)take(base, n * (n + 1) / 2 * sizeof(T));
        phase = (T *)take(base, n * sizeof(T));
        d = (R *)take(base, n * sizeof(R));
        e = (R *)take(base, n * sizeof(R));
        values = (R *)take(base, n * sizeof(R));
        order = (int *)take(base, n * sizeof(int));
        state = (lanes_state *)take(base, sizeof(lanes_state));
        sweep = (lanes_sweep *)take(base, vectors * (size_t)rounds.sweeps * sizeof(lanes_sweep));
        const size_t listed = (size_t)rounds.rotations * sizeof(turn<R>);
        const size_t square = n > lanes_rows_most ? n * (size_t)ldz * sizeof(double) : 0;
        pivots = (double *)take(base, vectors * (listed > square ? listed : square));
        list = (turn<R> *)pivots;
        Z = (R *)take(base, vectors * (n + 2 * lanes_wave) * (size_t)ldz * sizeof(R));
    }

  private:
    __host__ __device__ unsigned char *take(unsigned char *base, size_t count)
    {
        unsigned char *const p = base + bytes;
        bytes += (count + 15) / 16 * 16;
        return p;
    }
};

template <class T>
ORR_DEV lanes_memory<T> lanes_memory_of(unsigned char *work, const orr_heevj_args &g,
                                        const orr_heevj_rounds &rounds, int64_t k)
{
    const size_t each = lanes_memory<T>(work, g, rounds).bytes;
    return lanes_memory<T>(work + (size_t)k * each, g, rounds);
}

/* Entry (i,j), i >= j, of a packed triangle is at column(j) + i. */
static __host__ __device__ __forceinline__ int lanes_column(int n, int j)
{
    return j * n - j * (j + 1) / 2;
}

} // namespace orr

#endif
