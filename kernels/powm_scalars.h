/* The scalars of power iteration and PageRank: from the partial sums of all blocks to the
 * numbers that steps two iterations later use, and to the decision to stop.
 *
 * Step k makes x_{k+1} = s_k A x_k with s_k a power of two, so that scaling never rounds. It
 * uses the scalars of step k-2: its own neighbours' sums would be a wait for everybody. The
 * growth of |x| is therefore predicted: s_{k+2} is chosen such that |x_{k+3}| is about 1 if
 * |A x|/|x| stays what it was in step k.
 *
 *   theta    Rayleigh quotient x'Ax / x'x of step k
 *   p, q     with B = A - shift, where x = A w: B^2 w - p B w - q w is orthogonal to w and B w, so
 *            the Ritz values of span{w, A w} are shift + the roots of t^2 - p t - q. shift is a
 *            Rayleigh quotient: w and B w are then far from parallel, however near the end is
 *   residual |A x - theta' x| / (|theta| |x|), or of the better Ritz vector u = A w - t2 w:
 *            |B^2 w - p' B w - q' w| / (|t1| |u|), with theta', p', q' of step k-2. Any theta'
 *            gives at least the residual of the best one, so this is an upper bound.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_POWM_SCALARS_H
#define ORR_KERNELS_POWM_SCALARS_H

#include "kernels/powm_spmv.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { ORR_POWM_RUN, ORR_POWM_CONVERGED, ORR_POWM_ZERO, ORR_POWM_BAD };

typedef struct {
    int64_t step;    /* these are of step number `step`; -1 before the first */
    int32_t state;   /* once not RUN it stays, and later steps do nothing */
    int32_t by_ritz; /* the residual is that of the Ritz vector */
    double used;     /* s_k */
    double next[2];  /* s_{k+1}, s_{k+2} */
    double norm;     /* |x_{k+1}| */
    double growth;   /* |A x_k| / |x_k| */
    double theta[2], theta_before[2];
    double shift[2], p[2], q[2];
    int32_t has_ritz, unused;
    double residual;
    double change, mass, dangling; /* pagerank */
} orr_powm_scalars;

typedef struct {
    double tol;
    int32_t ritz, pagerank;
    int64_t steps; /* states change only from this step on; for measurements */
} orr_powm_combine_args;

/* Before the first step: `bound` is an upper bound of the growth. */
void orr_powm_scalars_start(orr_powm_scalars *, double bound);
/* Sums over the blocks in their order; before: of the step before. */
void orr_powm_combine(const orr_powm_combine_args *, const orr_powm_partial *const *parts,
                      int64_t blocks, const orr_powm_scalars *before, orr_powm_scalars *out);
/* The Ritz values, |t1| >= |t2|; (re, im) pairs. */
void orr_powm_ritz_values(const orr_powm_scalars *, double t1[2], double t2[2]);

/* x[i] := a number in (0, 1) that depends on seed and first + i only; symmetric: (-1, 1). */
void orr_powm_random(orr_type, int64_t first, int64_t rows, uint64_t seed, int symmetric, void *x);

/* ---- CUDA ---------------------------------------------------------------------------------- */

/* `count` steps on a matrix of one block without anybody else: each with the sums and the scalars
 * that so many calls and orr_powm_combine would have made, from x[0] to x[1] and back. before and
 * out: the scalars of the last step and of the one before. Nothing changes once these say that all
 * is done. As in powm_spmv.h pointers are into device memory, but for the arrays of two. */
typedef orr_status orr_powm_steps_cuda_fn(const orr_powm_there *, const orr_powm_combine_args *,
                                          int64_t count, const orr_powm_scalars *before,
                                          void *const x[2], orr_powm_scalars *out);
extern orr_powm_steps_cuda_fn *const orr_powm_steps_cuda[ORR_NTYPES];
/* The same of PageRank, whose next step takes the scalars of the last one. */
typedef orr_status orr_pagerank_steps_cuda_fn(const orr_powm_there *, const orr_pagerank_rule *,
                                              const orr_powm_combine_args *, int64_t count,
                                              const orr_powm_scalars *before, const void *d,
                                              const void *p, void *const z[2],
                                              orr_powm_scalars *out);
extern orr_pagerank_steps_cuda_fn *const orr_pagerank_steps_cuda[ORR_NTYPES]; /* NULL for c, z */

#ifdef __cplusplus
}
#endif
#endif
