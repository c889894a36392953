/* What the sparse operations share. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_SPARSE_H
#define ORR_SRC_SPARSE_H

#include "orrery/sparse.h"
#include "src/core/internal.h"

struct orr_sparse {
    orr_context *ctx;
    orr_sparse_info info;
    struct orr_powm_matrix m; /* m.first, m.A ... point to what follows */
    int64_t *first, *col_first, *bytes, *need_at;
    int32_t *need;
    char *wanted;
    int *owner;
    starpu_data_handle_t *A;
    void **block;
    struct orr_pins *pins; /* where devices may copy the blocks */
    struct orr_powm_devices *devices;
    double *degree; /* graphs: weight of the links out of a node, -1: none */
    int64_t dangling;
    int64_t source; /* acyclic: a node without links into it */
    int32_t *given; /* graphs by degree: the user's number of node i; NULL: i */
    /* What is stored is 2^shift times the matrix, column j of a graph 2^column_shift[j] times its
       own (NULL: none is changed), so that sums of squares neither overflow nor vanish. */
    int shift;
    int16_t *column_shift;
    double norm;          /* of what is stored: no eigenvalue is larger */
    double norm_singular; /* likewise, nor any singular value */
};

/* The user's number of stored node i. */
static inline int64_t orr_sparse_given(const orr_sparse *A, int64_t i)
{
    return A->given ? A->given[i] : i;
}

/* Entries from which on a loop over them is shared among threads. Of 370000, two threads take a tenth off the time to
 * build a matrix, and on a busy machine multiply it: the one waits for the other. */
enum { ORR_WORTH_THREADS = 1000000 };

/* Compressed rows on the way from coordinates to blocks. */
struct orr_csr {
    int64_t rows, cols, nnz;
    int64_t *ptr;
    int32_t *index;
    double *val; /* NULL: all are `value` */
    double value;
    int complex_values;
    int64_t before; /* rows of the whole matrix that are not here: these come behind them */
};
void orr_csr_free(struct orr_csr *);
/* Sorts rows, sums duplicates (unweighted: counts them once), drops zeros; says how many. */
orr_status orr_csr_tidy(struct orr_csr *, int keep_zeros, int unweighted, int64_t *duplicates,
                        int64_t *zeros);
/* NULL, or why these coordinates, which a program may have made, are none of a matrix. */
const char *orr_mtx_wrong(const orr_mtx *);
/* Of coordinates that are right. */
orr_status orr_csr_from_mtx(const orr_mtx *, int transpose, int unweighted, struct orr_csr *);
/* Compressed rows as a caller has them, of valid indices: rows may be in any order, with duplicates. */
struct orr_csr_given {
    int64_t rows, cols;
    const int64_t *ptr, *index;
    const double *val; /* NULL: all are 1 */
    int complex_values;
};
orr_status orr_csr_from_rows(const struct orr_csr_given *, int transpose, int unweighted,
                             struct orr_csr *);
/* 1: equal to its conjugate transpose, -1: to minus that, 0: neither. Of tidy rows. ORR_E_NOMEM */
orr_status orr_csr_symmetry(const struct orr_csr *, int *symmetry);
/* 1 if the graph of the (square) matrix has no cycle; *source: a column without entries.
 * 0 too if memory ran out. */
int orr_csr_acyclic(const struct orr_csr *, int64_t *source);

/* 1: no value is NaN or infinite. */
int orr_csr_finite(const struct orr_csr *);
/* Multiplies the values by a power of two that brings those of an extreme matrix near 1, and says
 * which: 0 for others. */
int orr_csr_scale(struct orr_csr *, orr_type);
/* The same for each column by itself. *shift, to be freed: by what; NULL: nothing was done. */
orr_status orr_csr_scale_columns(struct orr_csr *, orr_type, int16_t **shift);
/* How values are to be stored, 0: full, 1: narrow, 2: not at all, all are equal (val is freed). */
int orr_csr_values(struct orr_csr *, int full);
/* Norms, signs, lengths of rows. */
orr_status orr_csr_measure(const struct orr_csr *, orr_sparse *);
/* Of a graph: degree and dangling. ORR_E_ARG and a message if a weight is negative. */
orr_status orr_sparse_degrees(orr_sparse *, const struct orr_csr *, char *message);
/* How many blocks, if asked for 0; else as many as asked for, within reason. */
int64_t orr_sparse_blocks(const orr_sparse *, const struct orr_csr *, int values, int64_t asked);
/* 1: a step on it is a moment, whose tasks follow one another: they belong into the calling thread. */
int orr_sparse_is_small(const orr_sparse *);
/* Cuts the rows into info.blocks blocks and finds which parts of x each reads. */
orr_status orr_sparse_cut(orr_sparse *, const struct orr_csr *);
/* Packs and registers the blocks of this rank; values: see orr_csr_values. */
orr_status orr_sparse_build(orr_sparse *, const struct orr_csr *, const orr_sparse_opts *,
                            int values);

/* Whose each block of this rank is. */
orr_status orr_sparse_deal(orr_sparse *);

/* Renumbers the nodes of a graph by degree; automatic: only if that promises to be faster. *given,
 * to be freed: the number that node i had, NULL if nothing was done. */
orr_status orr_csr_by_degree(struct orr_csr *, int automatic, int32_t **given);

/* Several ranks: what rank 0 knows of the whole matrix (st: or why it does not) to all, and to
 * each its rows; see sparse_ranks.c. On one rank st is returned. */
orr_status orr_sparse_spread(orr_context *, orr_status st, orr_sparse **, struct orr_csr *,
                             orr_sparse_opts *, int *values, char *message);
/* Slots, bytes and formats of all ranks' blocks. */
void orr_sparse_count(orr_sparse *);

/* A vector of the matrix's columns in main memory, cut into registered blocks, with the zeros
 * behind it that products want. */
struct orr_powm_vector {
    char *data;
    starpu_data_handle_t *h;
    int64_t blocks;
    struct orr_pins *pins;
};
orr_status orr_powm_vector_make(struct orr_powm_vector *, orr_type, int64_t n, const int64_t *first,
                                int64_t blocks);
/* An iteration by the calling thread, which waits for its tasks itself; small: it runs them, too. *outcome is what
 * the request's status will be, if nothing fails. */
void orr_powm_begin(struct orr_request *, int small, int64_t total,
                    void (*progress)(int64_t, int64_t, void *), void *arg, orr_status *outcome);
void orr_powm_vector_register(struct orr_powm_vector *, orr_type, const int64_t *first);
void orr_powm_vector_unregister(struct orr_powm_vector *); /* data is in main memory then */
void orr_powm_vector_free(struct orr_powm_vector *);

/* Steps that one task makes: as asked for if not 0, else for about a millisecond; 1 unless the
 * matrix has one block and there is a CPU or a CUDA device. */
int64_t orr_powm_steps_per_task(const orr_sparse *, int64_t asked);
/* How many steps a plan counts, which it notes: at most `most`. */
int64_t orr_powm_plan_steps(struct orr_request *, int64_t most);

/* Small handles: count of `size` bytes each. NULL: no memory. */
starpu_data_handle_t *orr_powm_small(int64_t count, size_t size);
void orr_powm_small_drop(starpu_data_handle_t *, int64_t count);

/* Waits for the scalars of a step without stopping the steps behind it. */
struct orr_powm_watch {
    struct orr_request *req;
    starpu_pthread_mutex_t lock;
    starpu_pthread_cond_t changed;
    int64_t asked, seen;
    struct orr_powm_seen last; /* of the newest answer, or of the first that was not RUN */
};
void orr_powm_watch_start(struct orr_powm_watch *, struct orr_request *);
void orr_powm_watch_ask(struct orr_powm_watch *, starpu_data_handle_t scalars);
/* Returns when at most `behind` answers are missing. */
struct orr_powm_seen orr_powm_watch_wait(struct orr_powm_watch *, int64_t behind);
void orr_powm_watch_end(struct orr_powm_watch *);

/* Several ranks; nothing happens on one. In the graph: the parts of x, which their owners have
 * written, to the ranks whose blocks of m read them; sums of all blocks to rank 0, which adds
 * them in their order; what rank 0 has made of them to all. */
void orr_powm_share(orr_context *, struct orr_request *, const struct orr_powm_matrix *m,
                    const starpu_data_handle_t *x);
void orr_powm_collect(orr_context *, struct orr_request *, const starpu_data_handle_t *part,
                      int64_t blocks);
void orr_powm_tell(orr_context *, struct orr_request *, starpu_data_handle_t);
/* At once: the rows of a vector from their owners to all. */
void orr_powm_complete(orr_context *, orr_type, void *vector, const int64_t *first, int64_t blocks);
/* What is wrong with the arguments of an operation: of this rank, of another one (the same on all), or
 * that those of `same`, which this rank hashed, differ. NULL: nothing. say: 256 bytes. A and B (NULL is
 * legal) are of this context, or no ranks are in play. */
const char *orr_sparse_wrong(orr_context *, const char *wrong, const orr_sparse *A,
                             const orr_sparse *B, uint64_t same, char *say);
/* FNV-1a; the first hash is 0. */
uint64_t orr_sparse_hash(uint64_t hash, const void *, size_t);
/* Which blocks of x each rank reads: [col_blocks * ranks]. NULL: no memory, or one rank. */
char *orr_powm_wanted(const orr_context *, int64_t blocks, int64_t col_blocks, const int32_t *need,
                      const int64_t *need_at);

#endif
