/* powm_spmv: products with one block of rows of a sparse matrix, and the vector work of an
 * iteration fused into the same pass.
 *
 * A block is one piece of memory: this head, then its arrays, each at an offset in bytes
 * that is a multiple of 64. It holds `rows` consecutive rows of a matrix with `cols` columns;
 * column indices are those of the whole matrix. x always has ORR_POWM_PAD readable elements
 * behind the last one, all zero: padding slots and blocks of BSR that stick out point there.
 *
 *   format    arrays
 *   csr       ptr[rows+1], index[nnz], val[nnz]
 *   merge     the same, and piece[2*(pieces+1)]: (row, entry) where each piece begins
 *   ell       index[width*rows], val[...]: slot s of row i at s*rows + i
 *   gpu-ell   the same, and len[rows]
 *   sell      slices of ORR_POWM_SLICE rows: ptr[slices+1] in slots, the value of slot s of lane l
 *             of a slice at ptr + s*SLICE + l; perm[slices*SLICE] is the row of each lane (-1:
 *             none, or a long one), in order or (sorted = 1) by length within windows of `strip`
 *             rows. at[slices] says where a slice's columns begin in index: at >= 0: the column of
 *             slot s of lane l at + s*SLICE + l; at < 0: from ~at on two numbers per slot, the
 *             column of lane 0 and a bit for each lane that has an entry: those of lane l are l
 *             columns further (each slot is a piece of a diagonal). Rows longer than `width` are left
 *             out and stored like csr: long_id[longs], long_ptr[longs+1] into long_index and long_val
 *   tiles     (CPUs only) strips of `strip` rows, cut at multiples of `width` columns, at most 2^16 both, so
 *             that 16 bits name a row or a column of a tile and its part of x stays in a cache:
 *             ptr[strips+1] into piece[pieces], which say where in index, words of 16 bits, and val a
 *             tile begins. There stand, one after another: `pairs` of row and column, by columns;
 *             `longs`: row, length (low and high word), columns; `slices` of ORR_POWM_LANES rows, the
 *             longest first: slots that all have, slots, rows, and for each slot its columns, before
 *             them, if not all have it, how many have. index has ORR_POWM_AHEAD pairs more
 *   bsr       blocks of bs x bs on a grid from (first row of the block, column 0):
 *             ptr[block rows+1], index[blocks] = first column, val[blocks*bs*bs] row by row
 *
 * Values are stored as the type of the vectors (full), as half of that without loss
 * (narrow: float for d, float _Complex for z), or not at all where all are equal (pattern,
 * `value`; only csr, merge, gpu-ell, sell and tiles). Sums are formed in double.
 *
 * Methods: Wang, Chen, Zeng, Yu, Tan, J. Frontiers of CS&T 6(2), 2012 (gpu-ell); Kreutzer et
 * al., SIAM J. Sci. Comput. 36(5), 2014 (sell); Merrill, Garland, SC16 (merge);
 * Buluc, Fineman, Frigo, Gilbert, Leiserson, SPAA 2009 (16 bits in a block, here tiles).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_KERNELS_POWM_SPMV_H
#define ORR_KERNELS_POWM_SPMV_H

#include "kernels/kernel.h"
#ifdef __cplusplus
extern "C" {
#endif

enum {
    ORR_POWM_PAD = 8,
    ORR_POWM_SLICE = 32,
    ORR_POWM_PIECE = 4096,
    ORR_POWM_LANES = 8,
    ORR_POWM_AHEAD = 32 /* pairs */
};
enum { ORR_VALUES_FULL, ORR_VALUES_NARROW, ORR_VALUES_PATTERN, ORR_NVALUES };

/* Rows first .. first+rows-1 of a matrix in compressed rows: entry k of row i (local) is in
 * column index[k], ptr[i] <= k < ptr[i+1], ascending and unique within a row. */
typedef struct {
    int64_t first, rows, cols;
    const int64_t *ptr;
    const int32_t *index;
    const double *val; /* (re, im) pairs if complex_values; NULL: all are `value` */
    double value;
    int32_t complex_values;
    int32_t unused;
} orr_powm_rows;

typedef struct {
    int64_t bytes; /* of head and arrays */
    int64_t first, rows, cols;
    int64_t nnz, slots; /* entries; entries stored, with padding */
    int64_t strip;      /* rows that are worked on at a time */
    int32_t type, format, values, bs;
    int64_t width, pieces, longs, slices, sorted;
    double value;
    int64_t ptr, index, val, piece, len, perm, at; /* offsets; 0: absent */
    int64_t long_id, long_ptr, long_index, long_val;
} orr_powm_block;

/* Of the format tiles. */
typedef struct {
    int64_t code, val; /* where in index and val */
    int32_t column;    /* the first */
    int32_t pairs, longs, slices;
} orr_powm_tile;

typedef struct {
    orr_format format;
    int values;       /* raised to what the format can store */
    int64_t long_row; /* sell: rows with more entries are cut out; 0: none */
    int64_t window;   /* sell: rows are sorted within so many; 0: within 1024 if that saves memory.
                       tiles: of so many rows and columns; 0: chosen */
    int64_t most;     /* bsr: blocks are counted up to so many bytes, and then refused; 0: all */
} orr_powm_form;

/* What a block needs. ORR_E_NOMEM: 2^31 slots or more, or more than 64 slots per entry and
 * 2^20 in all, or `most` bytes, or no workspace; ORR_E_ARG: no such format. */
orr_status orr_powm_plan(const orr_powm_rows *, orr_type, const orr_powm_form *,
                         orr_powm_block *head);
/* Writes the block that `head` describes; returns ORR_E_NOMEM without workspace. */
orr_status orr_powm_pack(const orr_powm_rows *, const orr_powm_block *head, void *block);

/* What a step accumulates over the rows of a block. x is the input, y = scale A x the
 * output, w what stood in y before (the input of the step before). e = x - before w and
 * f = y - theta x are (A - shift) w and (A - shift) x up to their scales if theta and before
 * are that shift times the scales; g = f - theta e is then (A - shift)^2 w. They are formed
 * row by row: from inner products of x, y, w the same numbers would be differences of
 * almost equal ones. */
typedef struct {
    double xx, yy, ww, ee;
    double xy[2], we[2], wg[2], eg[2]; /* x'y = sum conj(x_i) y_i, re and im */
    double r1, r2;                     /* |f|^2, |g - P e - Q w|^2 */
    double low, high;                  /* least and largest y_i/x_i (real types, bounds) */
    double change, mass, dangling;     /* pagerank: |x' - x|_1, |x'|_1, its part on dangling rows */
    double unused;
} orr_powm_partial;

typedef struct {
    double scale;
    double theta[2], before[2], P[2], Q[2]; /* in units of y, x, y, y */
    int32_t ritz;                           /* 1: w, before, P and Q are used */
    int32_t bounds;                         /* 1: low and high are computed; x must be positive */
} orr_powm_step_args;

/* y := scale A x on the block's rows, and the partial sums. x: the whole vector; y: the
 * block's part. Sums are of the numbers as stored, in an order that only the block decides. */
typedef orr_status orr_powm_step_fn(const orr_powm_step_args *, const void *block, const void *x,
                                    void *y, orr_powm_partial *);
extern orr_powm_step_fn *const orr_powm_step_cpu[ORR_NTYPES];

/* y := scale A x. */
typedef orr_status orr_powm_product_fn(double scale, const void *block, const void *x, void *y);
extern orr_powm_product_fn *const orr_powm_product_cpu[ORR_NTYPES];

/* r1 := |A x - theta x + omega z|^2 for real types (z: the block's part of another vector, or
 * NULL); |A x - (theta + i omega) x|^2 for complex ones. Also xx, xy, low and high. */
typedef struct {
    double theta, omega;
    int32_t bounds, unused;
} orr_powm_residual_args;
typedef orr_status orr_powm_residual_fn(const orr_powm_residual_args *, const void *block,
                                        const void *x, const void *z, orr_powm_partial *);
extern orr_powm_residual_fn *const orr_powm_residual_cpu[ORR_NTYPES];

/* A step of PageRank on the transposed matrix, for real types only (NULL for c and z).
 * Vectors hold z_j = x_j / |d_j|; d_j is the weight of the links out of j, -1 if it has none.
 *   x'_i = alpha (A z)_i + personal p_i + constant,  z'_i = x'_i / |d_i|
 * p may be NULL. Sums: change, mass, dangling. */
typedef struct {
    double alpha, personal, constant;
} orr_pagerank_step_args;
typedef orr_status orr_pagerank_step_fn(const orr_pagerank_step_args *, const void *block,
                                        const void *z, const void *d, const void *p, void *znew,
                                        orr_powm_partial *);
extern orr_pagerank_step_fn *const orr_pagerank_step_cpu[ORR_NTYPES];

/* ---- CUDA ---------------------------------------------------------------------------------- */

/* x on a device: parts [first, first + count) of it; what no row of the block has an entry in
 * may be missing. The arrays are in main memory, `at` points into the device's. */
typedef struct {
    int64_t parts;
    const void *const *at;
    const int64_t *first, *count;
} orr_powm_pieces;

/* Memory of a device that calls on one stream share, one after the other: it grows to what they
 * need. Begins as zeros; ended when the stream has done all of them. */
typedef struct {
    void *at;
    size_t bytes;
} orr_powm_memory;
void orr_powm_memory_end(orr_powm_memory *);

/* A block on a device: its head, a copy in main memory, and all of it there. */
typedef struct {
    orr_stream stream;
    const orr_powm_block *head;
    const void *block;
    orr_powm_memory *memory;
} orr_powm_there;

/* The same contracts with pointers into device memory, but all arguments in main memory; they
 * return when the work is on the stream. Scalars are read on the device, so that nobody waits for
 * them: `before` is what orr_powm_next_step and orr_pagerank_next_step take. If its state is not
 * RUN, y stays as it is and the partial sums are zero. Sums are the same in every run on devices
 * with as many processors. ORR_E_NOMEM: no workspace; ORR_E_DEVICE. */
typedef orr_status orr_powm_step_cuda_fn(const orr_powm_there *, int ritz, const void *before,
                                         const orr_powm_pieces *x, void *y, orr_powm_partial *);
extern orr_powm_step_cuda_fn *const orr_powm_step_cuda[ORR_NTYPES];
typedef orr_status orr_powm_product_cuda_fn(const orr_powm_there *, double scale,
                                            const orr_powm_pieces *x, void *y);
extern orr_powm_product_cuda_fn *const orr_powm_product_cuda[ORR_NTYPES];
typedef orr_status orr_powm_residual_cuda_fn(const orr_powm_there *, const orr_powm_residual_args *,
                                             const orr_powm_pieces *x, const void *z,
                                             orr_powm_partial *);
extern orr_powm_residual_cuda_fn *const orr_powm_residual_cuda[ORR_NTYPES];
/* What is not handed on along links goes to where one jumps; dangling: 0 like jumps, 1 spread
 * evenly, 2 lost. */
typedef struct {
    double alpha;
    int32_t dangling, personal; /* 1: p is given */
    int64_t n;
} orr_pagerank_rule;
typedef orr_status orr_pagerank_step_cuda_fn(const orr_powm_there *, const orr_pagerank_rule *,
                                             const void *before, const orr_powm_pieces *z,
                                             const void *d, const void *p, void *znew,
                                             orr_powm_partial *);
extern orr_pagerank_step_cuda_fn *const orr_pagerank_step_cuda[ORR_NTYPES]; /* NULL for c, z */

#ifdef __cplusplus
}
#endif
#endif
