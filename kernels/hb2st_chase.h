/* hb2st_chase: task T(g,m), the hops of group g that end in the window of column block m.
 *
 *   for the sweeps s = gG + i, i = 0 .. G-1, in this order
 *       for the hops t = done(s, m-1) .. done(s, m) - 1
 *           t = 0:  make H(s,0) from column s:  H' A(s+1.., s) = beta e1
 *           (D)     A(J,J) := H' A(J,J) H               H = H(s,t), J = J(s,t)
 *           (O)     B := B H                            B = A(J + b, J), the block below
 *                   make H+ = H(s,t+1) from B's first column:  H+' B e1 = beta e1
 *                   B := H+' B
 *
 * done() is orr_hb2st_done of hb2st.h. The sums are in an order that depends on n, b and the
 * hop alone: the result is the same bit for bit whatever D and G are.
 *
 * Late, hop (s,t) finds v, A v, B v and the next reflector, but of A and B updates column 0 alone,
 * which hop (s+1,t-1) needs, and leaves the rest to (s+1,t), which reads these entries anyway. A kernel
 * that has no use for that updates all at once.
 *
 *   h0     block m-1, in out; NULL if m = 0
 *   h1     block m, in out
 *   carry  of group g, in out: written for sweeps that stop between two blocks (the rest never
 *          does)
 *   v      the reflectors of group g, out: the hops done here; or NULL
 *
 * beta is real in the complex types, and so is the diagonal. A reflector is I (tau = 0) if
 * what it should annihilate is zero; at t = 0 the complex types then still make beta real.
 * The largest entry must be of order 1; columns as small as the smallest number are safe.
 *
 * b = 1, complex: only the phases are to be removed. A sweep is then its hop 0, of length 1,
 * and D = n, G = sweeps.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HB2ST_CHASE_H
#define ORR_KERNELS_HB2ST_CHASE_H

#include "kernels/hb2st.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Returns ORR_OK or ORR_E_NOMEM (workspace of some vectors of length b). Reentrant. */
typedef orr_status orr_hb2st_chase_fn(const orr_hb2st_shape *, int64_t g, int64_t m, void *h0,
                                      void *h1, void *carry, void *v);
extern orr_hb2st_chase_fn *const orr_hb2st_chase_cpu[ORR_NTYPES];
/* 1: such bands are faster late on this processor. */
int orr_hb2st_chase_cpu_late(orr_type, int64_t b);

/* ---- CUDA: pointers into device memory; returns when the work is on the stream ------------ */

/* The same task of a shape without a rest, and also a whole reduction in one launch: D = n, G =
 * sweeps. scratch is orr_hb2st_chase_cuda_scratch bytes, aligned to 16, not shared with another
 * launch that may run at the same time; its contents are of no interest. Results differ from the
 * CPU's in the last bits, and do not depend on D, G or the device's schedule. ORR_E_ARG: b is larger
 * than orr_hb2st_chase_cuda_max_b. */
typedef orr_status orr_hb2st_chase_cuda_fn(orr_stream, const orr_hb2st_shape *, int64_t g,
                                           int64_t m, void *h0, void *h1, void *carry, void *v,
                                           void *scratch);
extern orr_hb2st_chase_cuda_fn *const orr_hb2st_chase_cuda[ORR_NTYPES];
/* The same, bit for bit, without the kernels that are for one b: to compare them with. */
extern orr_hb2st_chase_cuda_fn *const orr_hb2st_chase_cuda_any_b[ORR_NTYPES];
/* The same, bit for bit, of a whole reduction (D = n, G = sweeps, b > 1) whose sweeps find the data of the
 * sweep before by a number in each word: no fence, twice the band. carry is not used, scratch is
 * orr_hb2st_chase_cuda_numbered_scratch bytes. ORR_E_ARG: also if a window does not fit shared memory. */
extern orr_hb2st_chase_cuda_fn *const orr_hb2st_chase_cuda_numbered[ORR_NTYPES];
int64_t orr_hb2st_chase_cuda_numbered_scratch(orr_type, const orr_hb2st_shape *);
/* 1: a device of so many processors does this shape faster so, as far as that was measured
 * (docs/gpu-status.md). */
int orr_hb2st_chase_cuda_prefers_numbers(orr_type, const orr_hb2st_shape *, int64_t processors);
int64_t orr_hb2st_chase_cuda_scratch(const orr_hb2st_shape *);
int64_t orr_hb2st_chase_cuda_max_b(orr_type);

#ifdef __cplusplus
}
#endif
#endif
