/* powm_krylov: the parts of a restarted Krylov iteration (thick-restart Lanczos for Hermitian
 * matrices, Krylov-Schur for others) that are not the product with the matrix.
 *
 *   A V_m = V_m H + v_{m+1} b',   V = [v_1 ... v_m] orthonormal
 *
 * V is cut into blocks of rows, each rows x (m+1) column-major. Everything small is in one
 * piece of memory, the state: H, the coefficients of the current column, and after `rayleigh`
 * the rotation Q of the restart. Small numbers are double or double _Complex for every type.
 *
 * Step j, for a start vector x = v_j / inv, y = inv A x:
 *   dot      V(:,j) = inv x;  part = V(:,0..j)'y           reduce 1:  h = sum of parts
 *   update   y -= V h;        part = V'y, y'y              reduce 2:  H(:,j) = h + g, h = g
 *   update   y -= V h;        part = y'y                   reduce 3:  H(j+1,j) = |y|, inv = 1/|y|
 * Classical Gram-Schmidt, twice unless V'y is rounding already after once: V is large, and reading it
 * is what a step costs. Of a Hermitian matrix all of h but its last number is known from H (Lanczos),
 * and all but two are 0, but in the first step of a cycle: `dot` and the first `update` read two
 * columns, and V is read once, to see that y is orthogonal to it. y is the start vector of step j+1.
 *
 * If |y| is nothing but rounding the space is invariant: `stop` := j+1 and later steps do
 * nothing until the next rayleigh. That asks for a `fresh` vector if more eigenvalues are wanted,
 * and also if there are enough of them but more than one: such a space has only one vector of a
 * multiple eigenvalue, and what is orthogonal to it has the others. So it does where k vectors of a
 * Hermitian matrix have converged: they are kept, and all else is dropped. The caller makes the
 * vector at random and orthogonalises it with passes 0, 1, 2 of `update` on step p-1 in mode fresh
 * (nothing enters H); then `stop` is m again. So is the very first: pass 2 on step -1. Enough is
 * enough when a space that was begun so brings none of the wanted values.
 *
 * Source: Stewart, SIAM J. Matrix Anal. Appl. 23(3), 2002; Wu, Simon, ibid. 22(2), 2000.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_POWM_KRYLOV_H
#define ORR_KERNELS_POWM_KRYLOV_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { ORR_KRYLOV_MOST = 400 }; /* m at most */

/* Which Ritz values are wanted; their order. */
enum orr_krylov_which { ORR_KRYLOV_LM, ORR_KRYLOV_LA, ORR_KRYLOV_SA };

typedef struct {
    int32_t m, k, hermitian, complex_numbers;
    int32_t which;  /* enum orr_krylov_which: modulus, real part, minus the real part */
    double largest; /* modulus of a Ritz value so far */
    double tol, inv;
    int32_t start;     /* columns of V in place when a cycle begins: its first step */
    int32_t stop;      /* columns in place when it ends */
    int32_t done;      /* rayleigh: nothing more to do. Without columns: the small problem is not
                          finite, or its solver gave it up */
    int32_t converged; /* of the first k, how many in a row */
    int32_t columns;   /* done: columns of the answer (k, or k+1 not to split a pair) */
    int32_t fresh;     /* the start vector of the next cycle is to be made at random; with done, it
                          would have been */
    int64_t n;
    int32_t clean;             /* y is orthogonal after one pass: the second has nothing to do */
    int32_t closed;            /* how many spaces were invariant, or had what is wanted */
    int32_t known;             /* columns that were kept of the last of them */
    int32_t converged_before;  /* of the last of them */
    double last, square;       /* |y| of the last step, |y|^2 after one pass of this one */
    int64_t bytes, H, h, Q;    /* offsets */
    int64_t values, estimates; /* (re, im) and relative residual of each column */
    int64_t before;            /* what ordered the first k of the last space that was settled */
} orr_krylov_state;

/* Bytes of a state; fills it in if state is not NULL. k <= m <= min(n, MOST). */
int64_t orr_krylov_start(orr_type, int64_t n, int m, int k, int hermitian,
                         enum orr_krylov_which which, double tol, orr_krylov_state *);

typedef struct {
    int64_t rows;
    int32_t j;    /* step; in mode fresh: number of columns - 1 */
    int32_t pass; /* update: 0 inner products only, 1 y -= V h too, 2 that and |y|^2 only */
    int32_t fresh;
    int32_t phase; /* reduce: 1, 2, 3 */
} orr_krylov_args;

/* part: (m+2) numbers; of passes 0 and 1 the last is |y|^2. Return ORR_OK or ORR_E_NOMEM. */
typedef orr_status orr_krylov_dot_fn(const orr_krylov_args *, const orr_krylov_state *, void *V,
                                     const void *x, const void *y, void *part);
typedef orr_status orr_krylov_update_fn(const orr_krylov_args *, const orr_krylov_state *,
                                        const void *V, void *y, void *part);
/* V(:,0..columns-1) := V Q; columns is `start`, or `columns` when done. */
typedef orr_status orr_krylov_restart_fn(int64_t rows, const orr_krylov_state *, void *V);
extern orr_krylov_dot_fn *const orr_krylov_dot_cpu[ORR_NTYPES];
extern orr_krylov_update_fn *const orr_krylov_update_cpu[ORR_NTYPES];
extern orr_krylov_restart_fn *const orr_krylov_restart_cpu[ORR_NTYPES];

/* parts: one pointer per block, summed in their order. eps: of the vectors' type. */
void orr_krylov_reduce(const orr_krylov_args *, double eps, const void *const *parts,
                       int64_t blocks, orr_krylov_state *);
/* Of the first `columns` of V, or `stop` if there are fewer: Ritz values, their residuals |y| |s_m|
 * relative to their moduli (of LA and SA to the largest), and the rotation to the next start. last:
 * there is no next start, so the answer is what there is: 1: unless the space closed before, 2: in
 * any case. ORR_E_NOMEM. */
orr_status orr_krylov_rayleigh(int columns, int last, orr_krylov_state *);

static inline int orr_krylov_active(const orr_krylov_state *s, int j, int fresh)
{
    return !s->done && (fresh || j < s->stop);
}
static inline void *orr_krylov_array(const orr_krylov_state *s, int64_t offset)
{
    return (char *)s + offset;
}

#ifdef __cplusplus
}
#endif
#endif
