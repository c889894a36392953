/* hb2st_apply: the reflectors of `groups` consecutive groups of sweeps, from group g on,
 * applied from the left to some columns of a matrix E of n rows:
 *
 *   adjoint = 0   E := Q_g Q_g+1 ... E       adjoint = 1   E := ... Q_g+1' Q_g' E
 *
 * with Q_g the product of the H(s,t) of group g in the order in which they were made. With
 * all groups Q takes the band matrix to Q' A Q = T.
 *
 *   v[i]   the reflectors of group g+i (hb2st.h), in
 *   e      n x k, column major, leading dimension lde >= n, in out; rows n..lde-1 are neither
 *          read nor written
 *
 * Hops of neighbouring sweeps are combined to I - V S V'; E is passed over once. Of the shape only n, b, G and sweeps are used.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_HB2ST_APPLY_H
#define ORR_KERNELS_HB2ST_APPLY_H

#include "kernels/hb2st.h"
#ifdef __cplusplus
extern "C" {
#endif

/* Returns ORR_OK or ORR_E_NOMEM (workspace of order (b + 100) (b + k)). Reentrant. From b = 8 on
 * (complex: not beyond 96) a column's result does not depend on the columns beside it. */
typedef orr_status orr_hb2st_apply_fn(const orr_hb2st_shape *, int64_t g, int64_t groups,
                                      const void *const *v, int adjoint, int64_t k, void *e,
                                      int64_t lde);
extern orr_hb2st_apply_fn *const orr_hb2st_apply_cpu[ORR_NTYPES];

/* How a device applies diamonds, all forms with the same result but for rounding:
 *
 *   PRODUCTS   those that do not meet by two batches of products of cuBLAS (hb2st_apply.cuh)
 *   FUSED      those of at_once groups by one launch, with columns of E in shared memory; where that is too small, or
 *              the band too wide, by products (hb2st_fused.cuh)
 *   HELD       the same with columns of E in registers, for b = 32 or 64 and 64 sweeps of a real type or 32 of a
 *              complex one; else fused (hb2st_fused_held.cuh)
 *
 * The last two round sweeps up to a multiple of 8. */
typedef enum {
    ORR_HB2ST_PRODUCTS,
    ORR_HB2ST_FUSED,
    ORR_HB2ST_HELD,
    ORR_HB2ST_FORMS
} orr_hb2st_form;

/* How a device cuts its work: a hop of `sweeps` neighbouring sweeps is a diamond, I - V S V'; those of
 * `at_once` such groups of sweeps are packed together, and in turn as many of these diamonds as do not
 * meet are applied side by side. Both at least 1, sweeps at most ORR_HB2ST_MOST_DIAMOND. */
typedef struct {
    int64_t sweeps, at_once;
    orr_hb2st_form form;
} orr_hb2st_blocking;
enum { ORR_HB2ST_MOST_DIAMOND = 64, ORR_HB2ST_MOST_GROUPS = 256 };

/* Elements of a piece of the workspace, which begins at 256 bytes where the workspace does. */
static inline int64_t orr_hb2st_apply_lines(int64_t elements) { return (elements + 63) / 64 * 64; }
/* Rows of the copy of E: zeros below, which the last diamonds reach, and room to begin where their
 * columns are aligned. */
static inline int64_t orr_hb2st_apply_rows(const orr_hb2st_shape *s, const orr_hb2st_blocking *by)
{
    return (s->n + s->b + by->sweeps + 31) / 32 * 32;
}
/* Sweeps of a diamond that is fused, tiles of 8 rows that one spans, and rows and columns of the copy of E, where what
 * is more than of E is zero. */
static inline int64_t orr_hb2st_fused_sweeps(const orr_hb2st_blocking *by)
{
    return (by->sweeps + 7) / 8 * 8;
}
static inline int64_t orr_hb2st_fused_tiles(const orr_hb2st_shape *s, const orr_hb2st_blocking *by)
{
    const int64_t above = s->b % 8 == 0 ? 0 : 7; /* most rows of a tile above the first one */
    return (above + s->b + orr_hb2st_fused_sweeps(by) - 1 + 7) / 8;
}
static inline int64_t orr_hb2st_fused_rows(const orr_hb2st_shape *s, const orr_hb2st_blocking *by)
{
    return (s->n + 8 * orr_hb2st_fused_tiles(s, by) + 31) / 32 * 32;
}
static inline int64_t orr_hb2st_fused_columns(int64_t k) { return (k + 63) / 64 * 64; }

/* Elements of the workspace for k columns: the copy of E, and of each diamond V, V S and S; for products V'E, too. */
static inline int64_t orr_hb2st_apply_work(const orr_hb2st_shape *s, const orr_hb2st_blocking *by,
                                           int64_t k)
{
    if (s->b <= 1)
        return 0;
    const int64_t all = by->at_once * ((s->n + s->b - 1) / s->b), w = by->sweeps;
    const int64_t products = orr_hb2st_apply_lines(orr_hb2st_apply_rows(s, by) * k) +
                             orr_hb2st_apply_lines(by->at_once * w * k) +
                             2 * orr_hb2st_apply_lines(all * (s->b + w) * w) +
                             orr_hb2st_apply_lines(all * w * w);
    if (by->form == ORR_HB2ST_PRODUCTS)
        return products;
    const int64_t f = orr_hb2st_fused_sweeps(by), of = all * 8 * orr_hb2st_fused_tiles(s, by) * f;
    const int64_t fused =
        orr_hb2st_apply_lines(orr_hb2st_fused_rows(s, by) * orr_hb2st_fused_columns(k)) +
        2 * orr_hb2st_apply_lines(of) + orr_hb2st_apply_lines(all * f * f);
    return fused > products ? fused : products;
}

/* Fused where such a kernel was measured to be faster than products: on an H200, with b = 64, 64 sweeps, and as many
 * columns as nearly fill the thread blocks, one on each processor, in one round or more (docs/gpu-status.md). */
static inline orr_hb2st_form orr_hb2st_apply_form(orr_type t, const orr_hb2st_shape *s,
                                                  int64_t sweeps, int64_t k, int64_t processors,
                                                  int capability)
{
    const int64_t full = (t == ORR_D ? 128 : 64) * processors, rounds = (k + full - 1) / full;
    return (t == ORR_D || t == ORR_Z) && capability == 90 && s->b == 64 && sweeps == 64 &&
                   8 * k >= 7 * rounds * full
               ? ORR_HB2ST_FUSED
               : ORR_HB2ST_PRODUCTS;
}

/* CUDA: pointers into device memory, but v itself, the array of pointers, in main memory; returns
 * when the work is on the stream. work: orr_hb2st_apply_work elements, for b = 1 none. Columns side by
 * side and the blocking change rounding. ORR_E_ARG: more than ORR_HB2ST_MOST_GROUPS, or such a blocking is not
 * allowed. */
typedef orr_status orr_hb2st_apply_cuda_fn(orr_stream, const orr_hb2st_shape *, int64_t g,
                                           int64_t groups, const void *const *v, int adjoint,
                                           int64_t k, void *e, int64_t lde,
                                           const orr_hb2st_blocking *, void *work);
extern orr_hb2st_apply_cuda_fn *const orr_hb2st_apply_cuda[ORR_NTYPES];

/* Column c = 0 .. k-1 of E, of n rows, := column i = first + c*step of the unit matrix, or of
 * diag(diagonal) if that is not NULL: n entries of the type. */
typedef void orr_hb2st_unit_fn(int64_t n, int64_t first, int64_t step, const void *diagonal,
                               int64_t k, void *e, int64_t lde);
extern orr_hb2st_unit_fn *const orr_hb2st_unit_cpu[ORR_NTYPES];
typedef orr_status orr_hb2st_unit_cuda_fn(orr_stream, int64_t n, int64_t first, int64_t step,
                                          const void *diagonal, int64_t k, void *e, int64_t lde);
extern orr_hb2st_unit_cuda_fn *const orr_hb2st_unit_cuda[ORR_NTYPES];

#ifdef __cplusplus
}
#endif
#endif
