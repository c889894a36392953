/* The tasks of hb2st: what src/band/hb2st.c may submit. The layout of the data is in
 * kernels/hb2st.h; here it is enough to know how long each piece is.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_HB2ST_H
#define ORR_CODELETS_HB2ST_H

#include "codelets/core/request.h"

/* A reduction: a band of order n and bandwidth b in blocks of D columns, and its sweeps in
 * groups of G. b = 1 needs D >= n and G >= sweeps. Data are StarPU vectors of the type. Only the
 * first `sweeps` sweeps are done, the last `rest` of them by one task, the last block's, on a CPU
 * and not kept; what no task uses may be NULL. */
struct orr_hb2st {
    orr_type type;
    int64_t n, b, D, G;
    int64_t rest;                   /* 0, or a multiple of G is sweeps - rest */
    int late;                       /* 1: hops may leave updates to the next sweep; on CPUs alone */
    int64_t first;                  /* late: the first sweep */
    int64_t weight;                 /* parts that a hop counts as done; 0: one */
    int64_t processors;             /* of a CUDA device, if one may do it; or 0 */
    int64_t sweeps, groups, blocks; /* orr_hb2st_shape_of fills them: all there are */
    starpu_data_handle_t *H;        /* [blocks] the band */
    starpu_data_handle_t *carry;    /* [groups] reflectors on their way to the next block; groups
                                       that are never under way together may share one */
    starpu_data_handle_t *V;        /* [groups] all reflectors; NULL: not kept */
    struct orr_gate *launched;      /* NULL, or opens when a device has begun to chase */
};

/* Fills sweeps, groups and blocks from type, n, b, D, G and rest. */
void orr_hb2st_shape_of(struct orr_hb2st *);
int64_t orr_hb2st_block_length(const struct orr_hb2st *); /* of every H[m] */
int64_t orr_hb2st_carry_length(const struct orr_hb2st *); /* of every carry[g] */
int64_t orr_hb2st_v_length(const struct orr_hb2st *, int64_t g);
int64_t orr_hb2st_all_hops(const struct orr_hb2st *);

/* What the models know of a chase task: the work of a hop (less at the band's end), the key of a
 * shape. cpu_only: 1: no accelerator can chase such a band. */
int64_t orr_hb2st_hop_work(orr_type, int64_t b);
uint32_t orr_hb2st_chase_key(int64_t b, int64_t work, int vectors);
int orr_hb2st_cpu_only(orr_type, int64_t b);
/* 1: CPUs are faster with `late`. */
int orr_hb2st_late(orr_type, int64_t b);
/* What `late` hops take of the time of others. */
#define ORR_HB2ST_LATE_TIME 0.8

/* The user's band, LAPACK's layout, `width` stored off-diagonals. */
struct orr_hb2st_band {
    const void *ab;
    int64_t ldab, width;
    int upper;
};

/* A look at every entry, in the calling thread. row, column: of the first that is not finite,
 * or -1; b: the bandwidth that is not all zero; scale: a power of two that brings the
 * largest entry to order 1. */
struct orr_hb2st_look {
    int64_t row, column, b;
    double scale;
};
struct orr_hb2st_look orr_hb2st_screen(orr_type, int64_t n, const struct orr_hb2st_band *);

/* H[m] := scale times the user's entries. On a CPU. Buffers: H[m] W, after[count] R: what must be
 * in the user's memory first. */
void orr_insert_hb2st_load(struct orr_request *, int prio, const struct orr_hb2st *, int64_t m,
                           const struct orr_hb2st_band *, double scale,
                           const starpu_data_handle_t *after, int count);
/* All of a narrow band's reduction, by LAPACK: d and e of the user's entries times scale, over unscale. b: beyond,
 * all is zero. On a CPU. Buffers: into RW, unless NULL. */
void orr_insert_hb2st_narrow(struct orr_request *, orr_type, int64_t n, int64_t b,
                             const struct orr_hb2st_band *, double scale, double unscale, void *d,
                             void *e, starpu_data_handle_t into, int64_t parts);
/* Half m % 2 of a block of `from`, whose D is twice that of r, as block m of r. On a CPU.
 * Buffers: r's H[m] W, from's H[m/2] R. */
void orr_insert_hb2st_halve(struct orr_request *, int prio, const struct orr_hb2st *r, int64_t m,
                            const struct orr_hb2st *from);
/* T(g,m), if it has hops. Buffers: H[m-1] RW (m > 0), H[m] RW, carry[g] RW (W in the group's first
 * task), V[g] likewise (if kept). */
void orr_insert_hb2st_chase(struct orr_request *, int prio, const struct orr_hb2st *, int64_t g,
                            int64_t m, enum orr_where);
/* The user's d and e of block m, divided by scale. On a CPU. Buffers: H[m] R, into RW: what stands
 * for d and e, or NULL. */
void orr_insert_hb2st_store(struct orr_request *, int prio, const struct orr_hb2st *, int64_t m,
                            double scale, void *d, void *e, starpu_data_handle_t into);

/* E := Q E or Q'E for `groups` groups from g on, at most ORR_HB2ST_APPLY_GROUPS of them. E:
 * k columns of a matrix of `rows` >= n rows, a vector of (k-1)*lde + rows elements, of which
 * columns from .. to-1 are worked on. Of the shape type, n, b, G, sweeps and V are used.
 * Buffers: E RW, V[g..g+groups-1] R; on CUDA devices scratch. */
enum { ORR_HB2ST_APPLY_GROUPS = 256 };
struct orr_hb2st_panel {
    starpu_data_handle_t E;
    int64_t rows, k, lde, from, to;
    enum orr_where where; /* all products with it */
    int owner; /* 0, or the memory of the accelerator that makes all of it, if it fits there */
    struct orr_home *home; /* NULL, or the accelerator of its first hb2st_apply makes all others */
};
/* What a CUDA device makes products of matrices of: `sweeps` of them, at most ORR_HB2ST_MOST_SWEEPS, and a
 * hop together, `at_once` such groups of sweeps packed at a time. A task needs so many bytes for it. */
enum { ORR_HB2ST_MOST_SWEEPS = 64 };
struct orr_hb2st_blocks {
    int64_t sweeps, at_once;
    int fused; /* by one launch for at_once groups */
};
int64_t orr_hb2st_apply_bytes(const struct orr_hb2st *, const struct orr_hb2st_blocks *,
                              int64_t columns);
/* Whether that is faster than products on a device of so many processors, as far as it was measured. */
int orr_hb2st_apply_fused(const struct orr_hb2st *, int64_t sweeps, int64_t columns,
                          int64_t processors, int capability);
void orr_insert_hb2st_apply(struct orr_request *, int prio, const struct orr_hb2st *, int64_t g,
                            int64_t groups, int adjoint, const struct orr_hb2st_panel *,
                            const struct orr_hb2st_blocks *, int64_t parts);
/* Column c of E := column first + c*step of the unit matrix, or of diag(diagonal).
 * Buffers: E W (RW: gaps between columns), diagonal R (or NULL). */
void orr_insert_hb2st_unit(struct orr_request *, int prio, orr_type, int64_t first, int64_t step,
                           starpu_data_handle_t diagonal, const struct orr_hb2st_panel *);

#endif
