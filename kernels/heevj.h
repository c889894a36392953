/* heevj: eigenvalues and eigenvectors of a chunk of small Hermitian matrices,
 * all of one order n, each solved on its own.
 *
 *   A(i,j) of matrix k is   a[k*stride + j*ld + i],   ld >= n, stride >= ld*n
 *   eigenvalue i of k is    w[k*ldw + i],             ldw >= n, ascending, real type
 *
 * in:  the triangle of A that `upper` names; the other one and the imaginary
 *      part of the diagonal are not read.
 * out: w; and with `vectors`, A := Q with A_in Q = Q diag(w), Q'Q = I. Without
 *      `vectors` the content of the n x n square of A is destroyed. Nothing
 *      outside the n x n squares is read or written.
 * info[k]: status, sweeps, method, off, norm (residual and orthogonality := NaN).
 *
 * Every matrix is scaled by a power of two first (so that 1e+-300 and denormals
 * work) and the eigenvalues are scaled back. A matrix with NaN or Inf in the
 * triangle that is read gets status ORR_NONFINITE, w and A all NaN; the others do
 * not notice. A matrix that is not converged after max_sweeps gets ORR_NOCONV and
 * the best values so far. n = 0 and count = 0 are legal. Results of a matrix do
 * not depend on the others in the chunk: bit for bit the same alone.
 *
 * Jacobi. With A scaled and F = |A|_F its Frobenius norm, a sweep visits every pair (p,q)
 * once and rotates it if
 *
 *   |a_pq|^2 > tol^2 max(|a_pp a_qq|, floor^2)
 *
 * floor is next to 0 as long as the matrix may be definite, so that a graded definite matrix
 * D B D gets its tiny eigenvalues to relative accuracy kappa(B) eps (Demmel, Veselic,
 * SIAM J. Matrix Anal. Appl. 13, 1992) as far as its largest entry, which is brought to 2^400
 * (2^40 in single precision), leaves room above the least normal number; and rounding errors,
 * which are then relative to the diagonal entries too, cannot keep the test from being met. It becomes F/n, for
 * good, at the first pair seen with a_pp a_qq < |a_pq|^2: then A is not definite, its
 * small eigenvalues carry errors of eps |A| whatever one does, and rotating entries
 * below that would be rotating noise. (The one-sided method, whose a_pq are inner
 * products with errors of eps |A|, takes floor = 4 F from the start.) Converged: a whole
 * sweep rotated nothing. ORR_NOCONV: sweep number max_sweeps still rotated.
 *
 * The angle is the small one (|t| <= 1), sign(0) = +1. The update is Rutishauser's or its
 * equivalent in shears: p, q change by small multiples (Numer. Math. 9, 1966). Ordering:
 * Round-Robin (Huang, Liu, Zhao, Computer Science 50(4), 2023).
 *
 * info.sweeps counts the sweeps that rotated something. info.off is the largest value of
 * |a_pq| / max(sqrt|a_pp a_qq|, floor) left, so at most tol if converged (the one-sided
 * method: seen by its last sweep before it rotated).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HEEVJ_H
#define ORR_KERNELS_HEEVJ_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int64_t n, count;
    int64_t ld, stride, ldw; /* in elements */
    int32_t vectors;         /* 0: values only */
    int32_t upper;           /* 0: the lower triangle is read; 1: the upper */
    int32_t max_sweeps;      /* 0: 30 */
    int32_t unused;
    double tol; /* relative rotation threshold; 0: the machine epsilon of the type */
} orr_heevj_args;

/* Returns ORR_OK, or ORR_E_NOMEM when it could not allocate workspace (the only
 * failure that is not about one matrix). Reentrant. */
typedef orr_status orr_heevj_fn(const orr_heevj_args *, void *a, void *w, orr_matrix_info *info);

/* Two-sided Jacobi, vectorised across the matrices of the chunk; any n, meant for
 * n <= 32. */
extern orr_heevj_fn *const orr_heevj_jacobi_cpu[ORR_NTYPES];

/* Tridiagonalisation and QL, vectorised across the matrices of the chunk: n at most
 * ORR_HEEVJ_LANES_MAX_N, else ORR_E_ARG. Errors are of order eps |A|, also of small eigenvalues.
 * Neither max_sweeps nor tol is read. sweeps := 0, off := NaN. */
enum { ORR_HEEVJ_LANES_MAX_N = 128 };
extern orr_heevj_fn *const orr_heevj_lanes_cpu[ORR_NTYPES];

/* One-sided block Jacobi on BLAS 3 (heevj_block.h run start to finish); any n. */
extern orr_heevj_fn *const orr_heevj_block_cpu[ORR_NTYPES];

/* LAPACK heevd, after screening and scaling. sweeps := 0, off := NaN. */
extern orr_heevj_fn *const orr_heevj_lapack_cpu[ORR_NTYPES];

/* Two-sided Jacobi on a device, one thread block or warp per matrix, the matrix in
 * shared memory: n <= orr_heevj_cuda_max_n(type, vectors). All pointers are device
 * pointers; returns at once. Returns ORR_E_DEVICE if the launch failed. */
typedef orr_status orr_heevj_cuda_fn(orr_stream, const orr_heevj_args *, void *a, void *w,
                                     orr_matrix_info *info);
extern orr_heevj_cuda_fn *const orr_heevj_jacobi_cuda[ORR_NTYPES];
int64_t orr_heevj_cuda_max_n(orr_type, int vectors);

/* Tridiagonalisation and QL on a device, a matrix to a thread block or, up to order 32, to a part of
 * one or, in QL, to a thread: n at most
 * ORR_HEEVJ_LANES_CUDA_MAX_N, else ORR_E_ARG. As orr_heevj_lanes_cpu, but work is the caller's:
 * orr_heevj_lanes_cuda_work() bytes of the device, aligned to 16, whose content means nothing before or after. All
 * pointers are device pointers but the first two; returns at once.
 *
 * QL keeps its rotations in a list, which is applied to the eigenvectors when it is full, `rounds` times at
 * most: a matrix that is not done then gets ORR_NOCONV. One round is enough in general, and rounds in
 * which nothing is left to do are not free where matrices are small. Above order 32 sweeps with shifts
 * that are known before are in the first half of the rounds, and if one of them leaves its value
 * unfound the next round goes on. */
enum { ORR_HEEVJ_LANES_CUDA_MAX_N = 512 };
typedef struct {
    int32_t rotations, sweeps; /* of a matrix, that the list has room for; n - 1 and 1 at least */
    int32_t rounds;
} orr_heevj_rounds;

static inline orr_heevj_rounds orr_heevj_lanes_rounds(int64_t n)
{
    const orr_heevj_rounds r = {(int32_t)(n * n + 32 * n), (int32_t)(4 * n + 32), n <= 32 ? 2 : 4};
    return r;
}

typedef orr_status orr_heevj_lanes_cuda_fn(orr_stream, const orr_heevj_args *,
                                           const orr_heevj_rounds *, void *a, void *w,
                                           orr_matrix_info *info, void *work);
extern orr_heevj_lanes_cuda_fn *const orr_heevj_lanes_cuda[ORR_NTYPES];
int64_t orr_heevj_lanes_cuda_work(orr_type, const orr_heevj_args *, const orr_heevj_rounds *);

#ifdef __cplusplus
}
#endif
#endif
