/* orr_heevj_jacobi_cuda: a small Hermitian matrix per team of threads (kernels/heevj.h).
 *
 * A team is a few lanes of a warp for n <= 8 (several matrices per warp, in step), a warp for
 * n <= 16, and a thread block of up to 16 warps above. The matrix is loaded and screened, scaled
 * by a power of two, diagonalised in shared memory (heevj_core.cuh), sorted, written back. The
 * arithmetic on a matrix does not depend on the size of its team nor on its neighbours.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CUDA_HEEVJ_JACOBI_CUH
#define ORR_CUDA_HEEVJ_JACOBI_CUH

#include "kernels/cuda/heevj_core.cuh"
#include "kernels/heevj.h"

namespace orr
{

/* Double complex takes 96 KB at this order, which a block may have on sm_80 as well. */
constexpr int64_t heevj_jacobi_max_n = 64;
constexpr int heevj_default_sweeps = 30;

/* Where the largest component is brought, as on CPUs: squares of 40 decades of graded entries, 400
 * in double precision, are in range. */
template <class R> __host__ __device__ constexpr int heevj_top_exponent()
{
    return sizeof(R) == sizeof(float) ? 40 : 400;
}

/* Threads per matrix. What limits occupancy is shared memory per matrix, so large types take
 * more threads. */
template <class T> constexpr int heevj_jacobi_threads(int64_t n)
{
    return n <= 4    ? 4
           : n <= 8  ? 8
           : n <= 16 ? 32
           : n <= 32 ? (sizeof(T) > 4 ? 64 : 32)
                     : (sizeof(T) > 8 ? 512 : 256);
}

/* The order up to which a kernel is made: eigenvectors have a row per thread. */
constexpr int heevj_jacobi_rows(int64_t n)
{
    return n <= 4 ? 4 : n <= 8 ? 8 : n <= 16 ? 16 : n <= 32 ? 32 : 64;
}

/* Blocks that a processor shall hold: 168 registers per thread, 128 in large blocks. */
constexpr int heevj_jacobi_resident(int threads)
{
    return threads > 256 ? 1 : threads > 64 ? 2 : 6;
}

template <class T, int Rows>
using heevj_jacobi_vectors = register_vectors<T, team<heevj_jacobi_threads<T>(Rows)>, Rows>;

template <class T> int heevj_jacobi_mail(int64_t n)
{
    switch (heevj_jacobi_rows(n)) {
    case 16: return heevj_jacobi_vectors<T, 16>::mail_entries();
    case 32: return heevj_jacobi_vectors<T, 32>::mail_entries();
    case 64: return heevj_jacobi_vectors<T, 64>::mail_entries();
    default: return 0;
    }
}

template <class T> shape heevj_jacobi_shape(const orr_heevj_args &a)
{
    const round_robin order((int)a.n);
    const int threads = heevj_jacobi_threads<T>(a.n), block = threads < 64 ? 64 : threads;
    const int64_t per_block = block / threads;
    const size_t plan = sizeof(plan_entry) * (size_t)order.blocks;
    const size_t one = jacobi_memory<T>::bytes(order, heevj_jacobi_mail<T>(a.n), threads);
    return {dim3((unsigned)((a.count + per_block - 1) / per_block)), dim3((unsigned)block),
            plan + (size_t)per_block * one};
}

/* The exponent e with max |entry| = f 2^e, 1/2 <= f < 1; `finite` is cleared for NaN and Inf.
 * Diagonal entries count with their real part. */
template <class T, class Team>
ORR_DEV int screen(Team team, const T *a, int n, int64_t ld, bool upper, bool present,
                   real_of<T> *scratch, bool *finite)
{
    typedef real_of<T> R;
    R most = 0;
    for (int e = team.rank(); present && e < n * n; e += Team::size) {
        const int i = e % n, j = e / n;
        if (upper ? i > j : i < j)
            continue;
        const T x = a[j * ld + i];
        const R part = i == j ? std::fabs(real(x)) : max_part(x);
        most = most > part || most != most ? most : part;
    }
    scratch[team.rank()] = most;
    team.sync();
    for (int c = 0; c < Team::size; c++)
        most = most > scratch[c] || most != most ? most : scratch[c];
    team.sync();
    *finite = most <= (R)(sizeof(R) == 4 ? FLT_MAX : DBL_MAX);
    int e = 0;
    if (*finite)
        (void)std::frexp(most, &e);
    return e;
}

/* A power of two that is normal, like its inverse, in R. */
template <class R> ORR_DEV int clamp_exponent(int e)
{
    constexpr int limit = sizeof(R) == 4 ? 125 : 1021;
    return e > limit ? limit : e < -limit ? -limit : e;
}

template <class T, int Rows, int Threads = heevj_jacobi_threads<T>(Rows)>
__global__ void __launch_bounds__(Threads < 64 ? 64 : Threads, heevj_jacobi_resident(Threads))
    heevj_jacobi_kernel(orr_heevj_args args, T *a, real_of<T> *values, orr_matrix_info *info)
{
    typedef real_of<T> R;
    ORR_DYN_SHARED(shared);
    const team<Threads> me;
    typedef heevj_jacobi_vectors<T, Rows> vectors_type;
    const int n = (int)args.n;
    const bool upper = args.upper;
    const round_robin order(n);
    plan_entry *const plan = (plan_entry *)shared;
    for (int b = (int)threadIdx.x; b < order.blocks; b += (int)blockDim.x)
        plan[b] = order.plan(b);

    const int local = (int)threadIdx.x / Threads;
    const size_t one = jacobi_memory<T>::bytes(order, vectors_type::mail_entries(), Threads);
    const jacobi_memory<T> w(shared + sizeof(plan_entry) * (size_t)order.blocks +
                                 (size_t)local * one,
                             order, vectors_type::mail_entries(), Threads);
    const int64_t k = (int64_t)blockIdx.x * (blockDim.x / Threads) + local;
    const bool present = k < args.count;
    a += present ? k * args.stride : 0;
    values += present ? k * args.ldw : 0;

    bool finite;
    const int e =
        screen(me, a, n, args.ld, upper, present, w.scratch, &finite) - heevj_top_exponent<R>();
    for (int t = me.rank(); t < n * n; t += Threads) {
        const int i = t % n, j = t / n;
        if (upper ? i <= j : i >= j)
            put(w, order, i, j, present && finite ? scale2(a[j * args.ld + i], -e) : make<T>(0));
    }
    put_padding(me, w, order);
    vectors_type vectors(me, w.v, args.vectors, order);
    __syncthreads(); /* the plan, too */

    const R norm = frobenius(me, w, order), absolute = norm / (R)(n > 0 ? n : 1);
    const R tol = args.tol > 0 ? (R)args.tol : machine<R>::eps;
    const int limit = args.max_sweeps > 0 ? args.max_sweeps : heevj_default_sweeps;
    hermitian_rule<R> rule = {tol, absolute, machine<R>::safmin}; /* floor: what is denormal */
    int now;
    const int sweeps =
        jacobi_sweeps(me, w, order, plan, vectors, rule, limit, present && finite, &now);
    const R off = off_diagonal(me, w, order, now, rule, plan);
    sort_diagonal(me, w, order, now, n, false);
    if (!present)
        return;

    const R nan = quiet_nan<R>();
    for (int j = me.rank(); j < n; j += Threads)
        values[w.rank[j]] = finite ? scale2(w.d(now)[order.position(j)], e) + (R)0 : nan;
    if (args.vectors && finite)
        vectors.give(order, [&](int i, int j, T x) { a[w.rank[j] * args.ld + i] = x; });
    for (int t = me.rank(); !finite && t < n * n; t += Threads)
        a[t / n * args.ld + t % n] = make<T>(nan, nan);
    if (me.rank() == 0) {
        orr_matrix_info out;
        out.status = !finite ? ORR_NONFINITE : sweeps < 0 ? ORR_NOCONV : ORR_OK;
        out.sweeps = !finite ? 0 : sweeps < 0 ? -sweeps : sweeps;
        out.method = ORR_METHOD_JACOBI;
        out.device = 1;
        out.off = finite ? (double)off : quiet_nan<double>();
        out.residual = quiet_nan<double>();
        out.orthogonality = quiet_nan<double>();
        out.norm = finite ? std::ldexp((double)norm, e) : quiet_nan<double>();
        info[k] = out;
    }
}

} // namespace orr

#endif
