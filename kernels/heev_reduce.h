/* heev: the direct reduction to tridiagonal form, by several threads at once. Half of its 4/3 n^3
 * operations are products of the rest of the matrix and a vector, one for every column: too short
 * to be tasks. So a team shares them: every member calls `reduce`, the first to come does the
 * reduction and the others take parts of its products and updates, which lie in their caches from
 * one column to the next. Nobody waits for a member that has not come; what nobody has taken the
 * first one does itself.
 *
 *     a column      v, tau        w := A v - V W'v - W V'v, ...      (LAPACK's latrd)
 *     24 columns    A := A - V W' - W V'
 *
 * Then `rest`, by one thread, the same for what is too small to be shared. The result is that of LAPACK's sytrd
 * for a lower triangle but for rounding, and does not depend on who came.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HEEV_REDUCE_H
#define ORR_KERNELS_HEEV_REDUCE_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

enum { ORR_HEEV_TEAM = 4 }; /* the most members that find something to do */

typedef struct {
    orr_type type;
    int upper, members; /* members: how many will call reduce */
    int64_t n, lda, ld; /* ld: of b, by set */
    double scale;
    const void *a; /* the named triangle is read, times scale */
    void *d, *e;   /* the tridiagonal matrix, real */
    void *b; /* reflectors as LAPACK's sytrd leaves them, 'L', with tau in place of the leading 1 */
    void *x; /* workspace */
    struct orr_heev_team *team;
    int (*stopped)(const void *whose); /* asked every 24 to 96 columns: give up? NULL: never */
    const void *whose;
} orr_heev_reduction;

/* Memory for b, x and the team; set points them there. Aligned as malloc does. */
size_t orr_heev_reduction_bytes(orr_type, int64_t n);
void orr_heev_reduction_set(orr_heev_reduction *, void *memory);

typedef void orr_heev_reduce_fn(orr_heev_reduction *);
extern orr_heev_reduce_fn *const orr_heev_reduce_cpu[ORR_NTYPES];
extern orr_heev_reduce_fn *const orr_heev_rest_cpu[ORR_NTYPES]; /* when all have returned */

/* E := Q E, n x k. ORR_E_NOMEM. */
typedef orr_status orr_heev_back_fn(const orr_heev_reduction *, int64_t k, void *e, int64_t lde);
orr_heev_back_fn orr_heev_back_cpu;

#ifdef __cplusplus
}
#endif
#endif
