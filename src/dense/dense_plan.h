/* What heev and gesvd choose before their first task: a direct reduction or two stages, the band
 * between these, tiles, and whether one device has them all.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_DENSE_PLAN_H
#define ORR_SRC_DENSE_PLAN_H

#include "src/core/internal.h"

enum { ORR_FROM = 192 }; /* room for what told a method */
/* Tiles of a column, about: the task of a panel has them all, in arrays on the stack of a thread, some 50 bytes
 * for each. */
enum { ORR_MOST_TILES = 8192 };

/* Some values are asked for by an interval. */
static inline int orr_heev_has_interval(const orr_heev_opts *o) { return o->vl != 0 || o->vu != 0; }

/* Of order n: whether it is reduced directly; what told so, "asked", or below which order it is. */
int orr_heev_is_direct(const orr_context *, orr_type, int64_t n, int vectors,
                       const orr_heev_opts *);
void orr_heev_direct_from(const orr_context *, orr_type, int64_t n, int vectors,
                          const orr_heev_opts *, char from[ORR_FROM]);
/* Whether workers share a direct reduction; otherwise one task does all of it, sooner. */
int orr_heev_is_shared(const orr_context *, orr_type, int64_t n, int vectors,
                       const orr_heev_opts *);
/* Fills b, T, a multiple of b, steps and tiles from type and n; and whole from owners, with which `where`
 * may change. */
void orr_heev_shape(const orr_context *, const orr_heev_opts *, struct orr_he2hb *);

/* The same of m x n, m >= n. */
enum orr_gesvd_way { ORR_GESVD_STAGES, ORR_GESVD_DIRECT, ORR_GESVD_TSQR };
enum orr_gesvd_way orr_gesvd_way(const orr_context *, orr_type, int64_t m, int64_t n, int vectors,
                                 const orr_gesvd_opts *);
void orr_gesvd_way_from(const orr_context *, orr_type, int64_t m, int64_t n, int vectors,
                        const orr_gesvd_opts *, char from[ORR_FROM]);
/* How many parts the levels of TSQR have, 0 behind the last. */
enum { ORR_GESVD_LEVELS = 4 };
void orr_gesvd_parts(orr_type, int64_t m, int64_t n, int64_t parts[ORR_GESVD_LEVELS]);
/* Values alone by several tasks. */
int orr_gesvd_has_pieces(const orr_context *, int64_t n);
int orr_gesvd_has_qr(const orr_gesvd_opts *, int64_t m, int64_t n);
/* Fills b, T, a multiple of b, steps and tiles from type, m and n, of a matrix that is made a band, or without
 * two_sided a triangle; and whole as above. m: rows of what there was before any triangle. */
void orr_gesvd_shape(const orr_context *, const orr_gesvd_opts *, int64_t m, int two_sided,
                     struct orr_ge2gb *);

#endif
