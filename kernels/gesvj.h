/* gesvj: singular value decomposition A = U diag(s) V' by the one-sided Jacobi method of
 * Hestenes on blocks of columns. A is m x n; with k = min(m,n), U is m x k, V is n x k, and
 * s has k entries, descending.
 *
 *   A(i,j) of matrix l is   a[l*stride + j*ld + i]      (U and V likewise; s: s[l*lds + i])
 *
 * One matrix is worked on as B = A, or B = A' when m < n: B is big x small, big >= small.
 *
 *   start     B := 2^shift B, so that squares of its entries neither over- nor underflow
 *             with `precondition`:  B P = Q R (column pivoting), R' = Q2 L', X := L
 *             without:              X := B P, columns by descending norm
 *             and J := I
 *             with `precondition` 2:  L'L V = V diag, X := L V, J := V;
 *               directly, if columns of B are of nearly one length and B is not ill conditioned:
 *                                     B'B V = V diag, X := B V, J := V  (tall: R V, B = Q R)
 *   sweeps    over pairs (p,q) of column blocks of X and J, nb columns each:
 *               gram    H := [Xp Xq]' [Xp Xq]
 *               evd     H G = G diag, descending, by Jacobi; G unitary of order 2 nb
 *               rotate  [Xp Xq] := [Xp Xq] G,  [Jp Jq] := [Jp Jq] G
 *   finish    the columns of X are now orthogonal, X = W diag(sigma):
 *             with `precondition`:  B = (Q W) diag(sigma) (P Q2 J)'
 *             without:              B = W diag(sigma) (P J)'
 *             directly:             B = W diag(sigma) J', or (Q W) diag(sigma) J'
 *
 * Pivoted QR brings a spectrum that is graded, in whatever way, into descending columns of
 * a triangle, the second QR makes it nearly diagonal, and Jacobi needs about half the sweeps; a
 * tall matrix becomes a square one (Drmac, Veselic, SIAM J. Matrix Anal. Appl. 29, 2008).
 * Where L, its rows brought to one length, is well conditioned, J = L^-1 X in the end and no
 * sweep touches J, which is what most matrices come to. It keeps what Jacobi is used for:
 * singular values of B D, D diagonal, have relative errors of kappa(B) eps however large
 * kappa(D). So does H, because entries are compared with their own rows and columns only,
 *
 *   rotate (i,j) if  |h_ij| > tol sqrt(h_ii h_jj),     tol = sqrt(rows of X) eps,
 *
 * where B'B, formed once, would have lost everything below sqrt(eps). So its eigenvectors are no
 * more than a start for the sweeps (`precondition` 2), two of which are left to do then. X := B V
 * has errors of eps |B|, which keep that promise only if kappa(D) is small: lengths of columns
 * within a factor of four.
 *
 * gram with full = 0 takes Xp'Xp and Xq'Xq for diagonal, which they are after a pair that
 * each took part in was rotated; a sweep's first round looks at everything.
 *
 * Where sigma is zero the columns of W are any that complete an orthonormal set. A matrix
 * with NaN or infinity gets status ORR_NONFINITE, s, U, V all NaN. Nothing outside the
 * named squares is written. Results do not depend on the other matrices of a chunk.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_GESVJ_H
#define ORR_KERNELS_GESVJ_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int64_t m, n, count;
    int64_t ld, stride; /* of A, in elements */
    int64_t lds;        /* from one s to the next */
    int64_t ldu, strideu, ldv, stridev;
    int32_t left, right;  /* 1: U, V is wanted */
    int32_t nb;           /* columns per block: 16, 32 or 64 */
    int32_t precondition; /* 1: two QR first; 2: and eigenvectors, on CPUs */
    int32_t max_sweeps;   /* 0: 30 */
    int32_t lanes;        /* 1: small matrices, as many at once as vectors have lanes (CPUs) */
    double tol;           /* relative rotation threshold; 0: sqrt(rows) eps */
} orr_gesvj_args;

/* What follows from the arguments. */
typedef struct {
    int64_t big, small; /* B is big x small */
    int64_t rows;       /* of X */
    int64_t blocks;     /* of nb columns; an even number: the last columns may be padding */
    int transposed;     /* B = A' */
    int accumulate;     /* J may be needed, not only X; J has `small` rows */
} orr_gesvj_shape;

ORR_BOTH static inline orr_gesvj_shape orr_gesvj_shape_of(const orr_gesvj_args *g)
{
    orr_gesvj_shape s;
    s.transposed = g->m < g->n;
    s.big = s.transposed ? g->n : g->m;
    s.small = s.transposed ? g->m : g->n;
    s.rows = g->precondition ? s.small : s.big;
    s.blocks = (s.small + 2 * g->nb - 1) / (2 * g->nb) * 2;
    s.accumulate = s.transposed ? g->left : g->right;
    return s;
}

/* Pair i of round r of a sweep, by the circle method: p < q, every pair of blocks once in
 * blocks-1 rounds of blocks/2 pairs. */
ORR_BOTH static inline void orr_gesvj_pairing(int64_t blocks, int64_t r, int64_t i, int64_t *p,
                                              int64_t *q)
{
    const int64_t ring = blocks - 1;
    const int64_t x = (r + i) % ring, y = i == 0 ? ring : (r - i + ring) % ring;
    *p = x < y ? x : y;
    *q = x < y ? y : x;
}

/* What a pair, or the pairs of a sweep so far, saw: the worst is kept. */
typedef struct {
    double off;      /* the largest |h_ij| / sqrt(h_ii h_jj) before rotating */
    double sine;     /* the largest |sin| of a rotation */
    int64_t rotated; /* pairs that were rotated */
} orr_gesvj_seen;

ORR_BOTH static inline void orr_gesvj_join(orr_gesvj_seen *all, const orr_gesvj_seen *one)
{
    all->off = one->off > all->off ? one->off : all->off;
    all->sine = one->sine > all->sine ? one->sine : all->sine;
    all->rotated += one->rotated;
}

/* The rotation of a pair in memory: the record, then G, order 2 nb, column major. */
enum { ORR_GESVJ_G_OFFSET = 64 }; /* bytes */
ORR_BOTH static inline int64_t orr_gesvj_rotation_bytes(int64_t nb, int64_t element)
{
    return ORR_GESVJ_G_OFFSET + 4 * nb * nb * element;
}

/* 1: by dgesvj's rule the sweep that saw this was the last but one at most: it rotated
 * nothing, or convergence is quadratic by now and what is left will be below tol. */
ORR_BOTH static inline int orr_gesvj_settled(const orr_gesvj_seen *s, int64_t n, double tol)
{
    return s->rotated == 0 ||
           (s->off * s->off < (double)n * tol * tol && (double)n * s->off * s->sine < tol);
}
double orr_gesvj_tolerance(orr_type, const orr_gesvj_args *);

/* Pairs to work on: of each of `count` sets of blocks all pairs of a round. Of a pair, or of
 * a set the first of what lies in a row: blocks from xp on, and an H, a rotation and a record
 * for every pair. Where a set has two blocks only, which are a pair, xq is the second, wherever
 * it lies. Members that a function has no argument for may be NULL. */
typedef struct {
    void *xp, *xq, *H, *rotation;
    orr_gesvj_seen *seen;
} orr_gesvj_pointers;

typedef struct {
    int64_t count, blocks, round;
    const orr_gesvj_pointers *set;
} orr_gesvj_list;

/* Pair i of a set. */
ORR_BOTH static inline orr_gesvj_pointers orr_gesvj_pair_of(const orr_gesvj_pointers *set,
                                                            int64_t blocks, int64_t round,
                                                            int64_t i, int64_t rows, int64_t nb,
                                                            int64_t element)
{
    orr_gesvj_pointers x = *set;
    if (blocks == 2)
        return x;
    int64_t p, q;
    orr_gesvj_pairing(blocks, round, i, &p, &q);
    x.xp = (char *)set->xp + p * rows * nb * element;
    x.xq = (char *)set->xp + q * rows * nb * element;
    x.H = (char *)set->H + i * 4 * nb * nb * element;
    x.rotation = (char *)set->rotation + i * orr_gesvj_rotation_bytes(nb, element);
    x.seen = set->seen + i;
    return x;
}

/* State between start and finish. head: int32_t, what the names say, then `small` pivots.
 * factors: the reflectors of Q and their scalars, then those of Q2, with L' in the triangle; one
 * element without preconditioning. X[b]: rows x nb. J[b]: small x nb, or J is NULL; neither
 * written nor read unless head says that it accumulates rotations. */
enum orr_gesvj_head {
    ORR_GESVJ_SHIFT,
    ORR_GESVJ_FINITE,      /* 1: no NaN, no infinity */
    ORR_GESVJ_ACCUMULATES, /* 1: J is to be rotated with X */
    ORR_GESVJ_DIRECT,      /* 1: of the factors there is Q alone, and none if B is square */
    ORR_GESVJ_PIVOTS
};
ORR_BOTH static inline int64_t orr_gesvj_factors(const orr_gesvj_args *g)
{
    const orr_gesvj_shape s = orr_gesvj_shape_of(g);
    return g->precondition ? (s.big + s.small + 2) * s.small : 1;
}
typedef orr_status orr_gesvj_start_fn(const orr_gesvj_args *, const void *a, void *factors,
                                      int32_t *head, void *const *X, void *const *J,
                                      orr_matrix_info *info);
/* H := Gram matrix of the pair, order 2 nb, lower triangle. */
typedef orr_status orr_gesvj_gram_fn(const orr_gesvj_args *, int full, const void *xp,
                                     const void *xq, void *H);
/* rotation := that of H, made with the same `full`; G is not written if record.rotated is 0. */
typedef orr_status orr_gesvj_evd_fn(const orr_gesvj_args *, int full, void *H, void *rotation);
/* gram and evd at once; *seen joins the record. */
typedef orr_status orr_gesvj_angle_fn(const orr_gesvj_args *, int full, const void *xp,
                                      const void *xq, void *rotation, orr_gesvj_seen *seen);
/* [xp xq] := [xp xq] G, `rows` rows; returns at once if the record says nothing rotates. */
typedef orr_status orr_gesvj_rotate_fn(const orr_gesvj_args *, int64_t rows, const void *rotation,
                                       void *xp, void *xq);
/* s, and U, V if wanted. info: status NOCONV, sweeps and off are the caller's. */
typedef orr_status orr_gesvj_finish_fn(const orr_gesvj_args *, const void *factors,
                                       const int32_t *head, void *const *X, void *const *J, void *s,
                                       void *u, void *v);
/* Start to finish, matrix by matrix. info[l]: status, sweeps, method (ORR_METHOD_JACOBI),
 * off, norm; residual and orthogonality := NaN. */
typedef orr_status orr_gesvj_fn(const orr_gesvj_args *, const void *a, void *s, void *u, void *v,
                                orr_matrix_info *info);
/* With U and V wanted, in double precision (with e = max(m,n) eps):
 *   residual := |A - U diag(s) V'|_F / (e |A|_F)
 *   orthogonality := max(|U'U - I|_F, |V'V - I|_F) / e */
typedef orr_status orr_gesvj_check_fn(const orr_gesvj_args *, const void *a, const void *s,
                                      const void *u, const void *v, orr_matrix_info *info);

/* All return ORR_OK, or ORR_E_NOMEM when workspace could not be had. Reentrant. */
extern orr_gesvj_start_fn *const orr_gesvj_start_cpu[ORR_NTYPES];
extern orr_gesvj_gram_fn *const orr_gesvj_gram_cpu[ORR_NTYPES];
extern orr_gesvj_evd_fn *const orr_gesvj_evd_cpu[ORR_NTYPES];
extern orr_gesvj_angle_fn *const orr_gesvj_angle_cpu[ORR_NTYPES];
extern orr_gesvj_rotate_fn *const orr_gesvj_rotate_cpu[ORR_NTYPES];
extern orr_gesvj_finish_fn *const orr_gesvj_finish_cpu[ORR_NTYPES];
extern orr_gesvj_fn *const orr_gesvj_cpu[ORR_NTYPES];
extern orr_gesvj_check_fn *const orr_gesvj_check_cpu[ORR_NTYPES];

/* ---- On a device ---------------------------------------------------------------------------
 *
 * The same with device pointers, on the stream; they return at once. One pair occupies one
 * processor of the device; therefore the work on pairs comes for all pairs of a list, which
 * are disjoint. Besides, ORR_E_ARG if nb is neither 16 nor 32. */
typedef orr_status orr_gesvj_gram_cuda_fn(orr_stream, const orr_gesvj_args *, int full,
                                          const orr_gesvj_list *);
/* *seen joins the record, or becomes it if full (a sweep's first round). H is not used. */
typedef orr_status orr_gesvj_angle_cuda_fn(orr_stream, const orr_gesvj_args *, int full,
                                           const orr_gesvj_list *);
/* rows: of the blocks. */
typedef orr_status orr_gesvj_rotate_cuda_fn(orr_stream, const orr_gesvj_args *, int64_t rows,
                                            const orr_gesvj_list *);
/* Whole matrices, a thread block each, min(m,n) up to orr_gesvj_cuda_max_small. Columns are
 * ordered by norm and never preconditioned. work: orr_gesvj_cuda_work() bytes. */
typedef orr_status orr_gesvj_cuda_fn(orr_stream, const orr_gesvj_args *, const void *a, void *s,
                                     void *u, void *v, void *work, orr_matrix_info *info);

/* Start and finish of several matrices of one shape, which are like those on CPUs: what one does
 * the other can go on with. X and J: all blocks in a row; u, v, J: NULL where there is none. */
typedef struct {
    const void *a; /* of start */
    void *factors, *X, *J;
    int32_t *head;
    orr_matrix_info *info;
    void *s, *u, *v; /* of finish, as the next three, which go into info if that says ORR_OK */
    double off;
    int32_t status, sweeps;
} orr_gesvj_member;
/* work: orr_gesvj_cuda_member_work() bytes for every matrix, undefined before and after. Besides,
 * ORR_E_ARG if the processors of the device together have no room for the coefficients of a
 * matrix's columns, some 150 bytes each in double complex. */
typedef orr_status orr_gesvj_ends_cuda_fn(orr_stream, const orr_gesvj_args *, int64_t count,
                                          const orr_gesvj_member *, void *work);

/* The widest blocks, and the largest min(m,n) of a whole matrix, where a thread block may have so many bytes of shared
 * memory. */
int orr_gesvj_cuda_max_nb(orr_type, int64_t shared);
int64_t orr_gesvj_cuda_max_small(orr_type, int64_t shared);
/* Thread blocks that a device works on at once; each has a pair. At least 1. */
int64_t orr_gesvj_cuda_pairs(void);
int64_t orr_gesvj_cuda_work(orr_type, const orr_gesvj_args *);
int64_t orr_gesvj_cuda_member_work(orr_type, const orr_gesvj_args *);
extern orr_gesvj_ends_cuda_fn *const orr_gesvj_start_cuda[ORR_NTYPES];
extern orr_gesvj_ends_cuda_fn *const orr_gesvj_finish_cuda[ORR_NTYPES];
extern orr_gesvj_gram_cuda_fn *const orr_gesvj_gram_cuda[ORR_NTYPES];
extern orr_gesvj_angle_cuda_fn *const orr_gesvj_angle_cuda[ORR_NTYPES];
extern orr_gesvj_rotate_cuda_fn *const orr_gesvj_rotate_cuda[ORR_NTYPES];
extern orr_gesvj_cuda_fn *const orr_gesvj_cuda[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
