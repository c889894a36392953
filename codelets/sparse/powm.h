/* The tasks of powm and pagerank: what src/powm*.c, src/sparse/pagerank.c and src/sparse/sparse.c may use.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_POWM_H
#define ORR_CODELETS_POWM_H

#include "codelets/core/request.h"
#include "orrery/sparse.h"

/* ---- Blocks of a matrix: made by the caller's thread, then registered ---------------------- */

/* Rows first .. first+rows-1 in compressed rows; val NULL: all are `value`. */
struct orr_powm_source {
    int64_t first, rows, cols;
    const int64_t *ptr;
    const int32_t *index;
    const double *val;
    double value;
    int complex_values;
};

struct orr_powm_built {
    void *block; /* from orr_large_memory, the caller's to free */
    int64_t bytes, slots;
    orr_format format;
    int values;                   /* 0 full, 1 narrow, 2 pattern */
    double seconds[ORR_NFORMATS]; /* of a product in each format that was tried, 0: was not */
};

/* values: the least that holds them without loss. format AUTO: by the lengths of the rows, and
 * with x, a vector of zeros with its pad, by trying the best few; not those that only CPUs have
 * where `devices`. ORR_E_NOMEM: too much padding, or memory. Thread-safe. */
orr_status orr_powm_build(const struct orr_powm_source *, orr_type, orr_format, int values,
                          const void *x, int devices, struct orr_powm_built *);

/* ---- Tasks --------------------------------------------------------------------------------- */

/* Zero elements that must lie behind a vector in main memory. */
enum { ORR_POWM_VECTOR_PAD = 8 };

/* What tasks of a matrix on CUDA devices leave to one another: memory on each. NULL where there are
 * none; ORR_E_NOMEM. Dropped when all tasks are done. */
struct orr_powm_devices;
orr_status orr_powm_devices_make(struct orr_powm_devices **);
void orr_powm_devices_drop(struct orr_powm_devices *);

/* A matrix whose blocks are registered. x is cut at col_first, y at first. Block b reads the
 * parts need[need_at[b] .. need_at[b+1]) of x, its own among them if it has one. */
struct orr_powm_matrix {
    orr_type type;
    int64_t rows, cols, blocks, col_blocks;
    int64_t mine, mine_end;           /* blocks that are here; the others are on other ranks */
    const int64_t *first, *col_first; /* [blocks+1], [col_blocks+1] */
    starpu_data_handle_t *A;          /* [blocks] */
    const int64_t *bytes;             /* [blocks] */
    void *const *block;               /* [blocks] the same in main memory */
    const int32_t *need;
    const int64_t *need_at;
    const int *owner;   /* [blocks] as in struct orr_task: whose the tasks of a block are */
    const char *wanted; /* [col_blocks * ranks] 1: this part of x is read there; NULL: one rank */
    struct orr_powm_devices *devices; /* the caller's; NULL: there are none */
};

size_t orr_powm_scalars_size(void);
size_t orr_powm_partial_size(void);

struct orr_powm_rule {
    double tol;
    int ritz, pagerank;
    int64_t steps; /* no stop before this step */
};

/* What the host may see of the scalars. */
enum orr_powm_seen_state {
    ORR_SEEN_RUNNING,
    ORR_SEEN_CONVERGED,
    ORR_SEEN_ZERO, /* the iterate is zero */
    ORR_SEEN_LOST  /* or not finite, or the request has failed */
};
struct orr_powm_seen {
    int64_t step;
    enum orr_powm_seen_state state;
    int by_ritz;
    double used, next;                             /* scale of this step and of the one after */
    double theta[2], t1[2], t2[2], residual, mass; /* t1, t2: Ritz values */
};
void orr_powm_first_scalars(void *scalars, double bound);
void orr_powm_first_rank(void *scalars, double dangling); /* of pagerank's start vector */
struct orr_powm_seen orr_powm_look(const void *scalars);

/* x W := random numbers of rows first .. first+rows-1 */
void orr_insert_powm_random(struct orr_request *, int prio, orr_type, int64_t first, int64_t rows,
                            uint64_t seed, int symmetric, starpu_data_handle_t x);
/* y RW := scale A x;  A, lagged, x R;  partial W */
void orr_insert_powm_spmv(struct orr_request *, int prio, const struct orr_powm_matrix *, int64_t b,
                          int ritz, starpu_data_handle_t lagged, const starpu_data_handle_t *x,
                          starpu_data_handle_t y, starpu_data_handle_t partial);
/* `count` steps on a matrix of one block, the first of them step k, from x[k % 2] to the other
 * and back: what so many tasks would do, the scalars included; on CPUs to the last bit. A pair
 * holds those of the last step and of the one before. A, before R; out W; x RW. 1: accepted. */
size_t orr_powm_pair_size(void);
void orr_powm_first_pair(void *pair, double bound);
int orr_insert_powm_steps(struct orr_request *, int prio, const struct orr_powm_matrix *,
                          const struct orr_powm_rule *, int64_t k, int64_t count,
                          starpu_data_handle_t before, starpu_data_handle_t out,
                          const starpu_data_handle_t x[2]);
/* y RW := A x, without sums (another matrix with the same x may follow). state NULL, or the
 * Krylov state whose step j this is, and whose scale is used if `scaled`. */
void orr_insert_powm_product(struct orr_request *, int prio, const struct orr_powm_matrix *,
                             int64_t b, starpu_data_handle_t state, int j, int scaled,
                             const starpu_data_handle_t *x, starpu_data_handle_t y);
/* |A x - theta x + omega z|^2, |x|^2, bounds;  A, x, z R (z NULL: none);  partial W */
void orr_insert_powm_residual(struct orr_request *, int prio, const struct orr_powm_matrix *,
                              int64_t b, double theta, double omega, int bounds,
                              const starpu_data_handle_t *x, starpu_data_handle_t z,
                              starpu_data_handle_t partial);
struct orr_powm_sums {
    double r1, xx, xy[2], low, high;
};
struct orr_powm_sums orr_powm_sum_partials(const void *partials, int64_t blocks);

/* partials, before R; out W. Returns 1 if the task was accepted. */
int orr_insert_powm_combine(struct orr_request *, int prio, const struct orr_powm_rule *,
                            const starpu_data_handle_t *partials, int64_t blocks,
                            starpu_data_handle_t before, starpu_data_handle_t out);

/* A step of PageRank; see kernels/powm_spmv.h. A, before, z, d, p R (p NULL: none);
 * znew RW; partial W. dangling: 0 spread like p, 1 spread evenly, 2 lost. */
struct orr_pagerank_rule {
    double alpha;
    int dangling, personal;
    int64_t n;
};
void orr_insert_pagerank_step(struct orr_request *, int prio, const struct orr_powm_matrix *,
                              int64_t b, const struct orr_pagerank_rule *,
                              starpu_data_handle_t before, const starpu_data_handle_t *z,
                              starpu_data_handle_t d, starpu_data_handle_t p,
                              starpu_data_handle_t znew, starpu_data_handle_t partial);

/* `count` such steps on a matrix of one block, from z to znew and back: what so many tasks would
 * do, on CPUs to the last bit. A, before, d, p R; z, znew RW; out W. Returns 1 if the task was
 * accepted. */
int orr_insert_pagerank_steps(struct orr_request *, int prio, const struct orr_powm_matrix *,
                              const struct orr_pagerank_rule *, const struct orr_powm_rule *,
                              int64_t count, starpu_data_handle_t before, starpu_data_handle_t z,
                              starpu_data_handle_t d, starpu_data_handle_t p,
                              starpu_data_handle_t znew, starpu_data_handle_t out);

/* Extrapolation from four iterates; see kernels/pagerank_extrapolate.h. A mixing handle begins
 * as zeros. s: the scalars of z_1, z_2 (R) and z_3 (RW). */
size_t orr_pagerank_mixing_size(void);
size_t orr_pagerank_dots_size(void);
void orr_insert_pagerank_dots(struct orr_request *, int prio, orr_type, int64_t rows,
                              const starpu_data_handle_t z[4], starpu_data_handle_t d,
                              starpu_data_handle_t dots);
void orr_insert_pagerank_mixing(struct orr_request *, int prio, double alpha, int period,
                                const starpu_data_handle_t *dots, int64_t blocks,
                                const starpu_data_handle_t s[3], starpu_data_handle_t mixing);
void orr_insert_pagerank_mix(struct orr_request *, int prio, orr_type, int64_t rows,
                             starpu_data_handle_t mixing, const starpu_data_handle_t z[3]);

/* ---- Krylov -------------------------------------------------------------------------------- */

size_t orr_powm_krylov_bytes(orr_type, int64_t n, int m, int k);
void orr_powm_krylov_first(orr_type, int64_t n, int m, int k, int hermitian, orr_powm_which,
                           double tol, void *state);
struct orr_powm_krylov_seen {
    int start, stop, done, converged, columns, fresh;
    const double *values, *estimates; /* (re, im) and relative residuals, inside the state */
    double largest;                   /* modulus of a Ritz value */
};
struct orr_powm_krylov_seen orr_powm_krylov_look(const void *state);

/* One block of the basis, and the rows it spans. */
struct orr_krylov_block {
    orr_type type;
    int64_t rows;
    starpu_data_handle_t V;
};
/* state, x, y R; V RW; part W */
void orr_insert_krylov_dot(struct orr_request *, int prio, const struct orr_krylov_block *, int j,
                           starpu_data_handle_t state, starpu_data_handle_t x,
                           starpu_data_handle_t y, starpu_data_handle_t part);
/* state, V R; y RW; part W. fresh: y is not A x; pass: see kernels/powm_krylov.h */
void orr_insert_krylov_update(struct orr_request *, int prio, const struct orr_krylov_block *,
                              int j, int pass, int fresh, starpu_data_handle_t state,
                              starpu_data_handle_t y, starpu_data_handle_t part);
/* parts R; state RW */
void orr_insert_krylov_reduce(struct orr_request *, int prio, orr_type, int j, int phase, int fresh,
                              const starpu_data_handle_t *parts, int64_t blocks,
                              starpu_data_handle_t state);
/* state RW. `columns` of V have been made unless the space closed before. Returns 1 if the task was
 * accepted. */
int orr_insert_krylov_rayleigh(struct orr_request *, int prio, orr_type, int columns, int last,
                               starpu_data_handle_t state);
/* state R, V RW */
void orr_insert_krylov_restart(struct orr_request *, int prio, const struct orr_krylov_block *,
                               starpu_data_handle_t state);

#endif
