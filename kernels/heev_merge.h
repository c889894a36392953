/* heev: the last merge of divide and conquer, in pieces that tasks can share. T, of norm 1, is torn
 * into halves of n1 and n - n1 rows and a correction of rank one,
 *
 *     T = diag(T1, T2) + rho u u'        Ti = Qi Di Qi'        z = diag(Q1, Q2)' u
 *     D + rho z z' = S diag(d) S'        vectors of T: diag(Q1, Q2) S
 *
 * A call for each half; deflate; secular and, when all parts have it, weigh; columns of every
 * part; order. A part is columns first .. first+count-1 of S; what is deflated is in none.
 *
 * Sources: J. J. M. Cuppen, Numer. Math. 36, 177-195, 1981; M. Gu, S. Eisenstat, SIAM J. Matrix
 * Anal. Appl. 16(1), 172-191, 1995; LAPACK's laed1 to laed4.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HEEV_MERGE_H
#define ORR_KERNELS_HEEV_MERGE_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Arrays of the real type. q: n x n, the vectors in the end, columns in the order `order`. */
typedef struct {
    int64_t n, n1;
    int32_t k;        /* columns that are not deflated */
    int32_t *order;   /* [n] from 1; then four more index arrays of n, and 4 counts */
    double rho, norm; /* T is the matrix that was given, divided by norm */
    void *q;
    void *d, *z, *poles, *zk, *weight; /* [n] */
    void *q2;                          /* [n * n] */
} orr_heev_merge;

/* Memory for everything but q. Returns 0, and nothing to free, without memory. */
int orr_heev_merge_make(orr_heev_merge *, int64_t n, int64_t element);
void orr_heev_merge_free(orr_heev_merge *);

/* d, e: T as it was given, in. which: 0 or 1. The first writes norm and rho, too. ORR_NOCONV. */
typedef orr_status orr_heev_half_fn(orr_heev_merge *, int which, const void *d, const void *e);
extern orr_heev_half_fn *const orr_heev_half_cpu[ORR_NTYPES];
typedef void orr_heev_deflate_fn(orr_heev_merge *);
extern orr_heev_deflate_fn *const orr_heev_deflate_cpu[ORR_NTYPES];
/* Roots of the secular equation; part: [n] their factors of the weights. ORR_NOCONV. */
typedef orr_status orr_heev_secular_fn(orr_heev_merge *, int64_t first, int64_t count, void *part);
extern orr_heev_secular_fn *const orr_heev_secular_cpu[ORR_NTYPES];
typedef void orr_heev_weigh_fn(orr_heev_merge *, const void *part, int64_t parts);
extern orr_heev_weigh_fn *const orr_heev_weigh_cpu[ORR_NTYPES];
/* ORR_E_NOMEM: workspace of k count. */
typedef orr_status orr_heev_columns_fn(orr_heev_merge *, int64_t first, int64_t count);
extern orr_heev_columns_fn *const orr_heev_columns_cpu[ORR_NTYPES];
/* order, and w: all values ascending, divided by scale. */
typedef void orr_heev_order_fn(orr_heev_merge *, double scale, void *w);
extern orr_heev_order_fn *const orr_heev_order_cpu[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
