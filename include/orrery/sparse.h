/* Sparse matrices and graphs: principal eigenpairs, principal singular pairs, PageRank.
 * Part of the API of <orrery/orrery.h>, with the same conventions.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SPARSE_H
#define ORR_SPARSE_H

#include "orrery/io.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Matrices ------------------------------------------------------------------------------ */

/* A sparse matrix cut into blocks of rows of about equal size, each stored in its own format
 * (docs/algorithms/powm.md). It does not change; several operations may use it at a time. */
typedef struct orr_sparse orr_sparse;

typedef struct {
    char type;         /* of values and vectors, 's', 'd', 'c', 'z'   0: 'z' if complex, else 'd' */
    orr_format format; /* 0: chosen per block */
    int64_t blocks;    /* blocks of rows                              0: chosen */
    int transpose;     /* 1: the transposed matrix */
    int graph;         /* 1: for orr_pagerank: entry (i,j) is a link from i to j; the transposed
                          matrix is stored, with the weights of the links out of each node */
    int unweighted;    /* 1: all entries count as 1, whatever their values */
    int keep_zeros;    /* 1: stored zeros stay */
    int full;          /* 1: values are stored in full width even if half or none would do */
    int rule_only;     /* 1: formats by rule, without timing: the same in every run */
    char order; /* graphs: how nodes are stored; results have the user's numbers all the same.
                   'n' as numbered, 'd' by degree    0: by degree where that promises speed */
} orr_sparse_opts;

/* Of coordinates, a file's or your own: symmetric, skew and Hermitian ones are expanded, duplicates are
 * summed. The arrays are in main memory and not needed afterwards. message: NULL, or what is wrong.
 * ORR_E_ARG: an index is out of range, or an array is missing, or not storable as asked for (2^31 columns
 * or more, complex values in a real type, a graph with complex or negative weights); ORR_E_NONFINITE;
 * ORR_E_NOMEM: memory, or a named format needs too much padding. */
ORR_API orr_status orr_sparse_from_mtx(orr_context *, const orr_mtx *, const orr_sparse_opts *,
                                       orr_sparse **, char message[256]);
/* Of compressed rows: row i has columns index[ptr[i] .. ptr[i+1]), in any order; val (doubles,
 * (re, im) pairs if complex_values) may be NULL: all 1. The three are in main memory. Errors as above;
 * ORR_E_ARG also where ptr does not ascend or a column is out of range. */
ORR_API orr_status orr_sparse_from_csr(orr_context *, int64_t rows, int64_t cols,
                                       const int64_t *ptr, const int64_t *index, const double *val,
                                       int complex_values, const orr_sparse_opts *, orr_sparse **,
                                       char message[256]);
ORR_API void orr_sparse_free(orr_sparse *); /* NULL is legal; before orr_close */

typedef struct {
    orr_type type;
    int64_t rows, cols, nnz;   /* entries after expansion, summing and dropping of zeros */
    int64_t duplicates, zeros; /* entries summed into others; stored zeros dropped */
    int64_t empty_rows, longest_row;
    int64_t slots; /* entries stored, with padding */
    int64_t bytes; /* of the blocks */
    int64_t blocks;
    int64_t by_format[ORR_NFORMATS]; /* blocks in each format */
    int64_t narrow, pattern;         /* blocks with values of half width; without values */
    int hermitian;                   /* 1: equal to its conjugate transpose */
    int skew;                        /* 1: equal to minus that */
    int nonnegative;                 /* 1: real, no entry below zero */
    int acyclic; /* 1: square, and its graph has no cycle: all eigenvalues are 0 */
    int graph;
    int by_degree;                     /* 1: nodes are stored by degree */
    double norm_1, norm_inf, norm_fro; /* infinite where a double cannot hold them */
} orr_sparse_info;
ORR_API void orr_sparse_query(const orr_sparse *, orr_sparse_info *);
ORR_API const char *orr_format_name(orr_format);          /* "csr"; "?" */
ORR_API int orr_format_parse(const char *, orr_format *); /* 0 if known; "crs" is "csr" */

/* y := A x, once; x has cols, y rows elements of the matrix's type, both in main memory; y may be x.
 * ORR_E_ARG: an argument is NULL; ORR_E_NOMEM. */
ORR_API orr_status orr_sparse_multiply(orr_context *, const orr_sparse *, const void *x, void *y,
                                       orr_report *);

/* Coordinates of a matrix by name, as orr_mtx_free frees them:
 *   laplace3d:N        7-point Laplacian on a grid of N^3, Dirichlet; symmetric
 *   rmat:SCALE:DEGREE  Graph500 Kronecker graph, 2^SCALE nodes, DEGREE links per node, directed
 *   sbm:N:K:DIN:DOUT   stochastic block model, K communities, mean degrees inside and outside;
 *                      symmetric pattern
 * message: what is wrong, after ORR_E_ARG. */
ORR_API orr_status orr_generate(const char *name, uint64_t seed, orr_mtx *, char message[256]);
/* The Kronecker product: eigenvalues are the products of those of A and B. ORR_E_ARG: coordinates that
 * orr_sparse_from_mtx would refuse; ORR_E_NOMEM, also beyond 2^40 entries. */
ORR_API orr_status orr_kronecker(const orr_mtx *A, const orr_mtx *B, orr_mtx *);

/* ---- powm: principal and extreme eigenpairs ------------------------------------------------ */

typedef enum {
    ORR_POWM_METHOD_AUTO = 0, /* krylov */
    ORR_POWM_METHOD_POWER,    /* the smallest memory; one simple dominant eigenvalue */
    ORR_POWM_METHOD_RITZ,     /* power iteration seen through span{v, Av}: also a pair */
    ORR_POWM_METHOD_KRYLOV,   /* thick-restart Lanczos or Krylov-Schur */
    ORR_NPOWM_METHODS
} orr_powm_method;

/* Which eigenvalues; in this order they are returned. LA and SA by krylov only; of a matrix that is
 * not Hermitian by the real part. */
typedef enum {
    ORR_POWM_LM = 0, /* largest modulus */
    ORR_POWM_LA,     /* algebraically largest */
    ORR_POWM_SA,     /* algebraically smallest */
    ORR_NPOWM_WHICH
} orr_powm_which;

typedef struct {
    orr_powm_method method;
    orr_powm_which which;
    int k;                /* eigenpairs                         0: 1 */
    int basis;            /* krylov: vectors kept               0: max(20, 2k+8) */
    double tol;           /* of `relative`, below               0: 1e-10, or 1e-4 for s and c */
    int64_t max_products; /* give up after so many              0: 20000. A step of singular pairs,
                             which makes two, is always made */
    int64_t fixed_steps;  /* power, ritz: do exactly so many; for measurements */
    int lookahead;        /* power, ritz: steps submitted ahead 0: 8 */
    int64_t steps_per_task; /* power, ritz, matrices of one block: steps of a task   0: for about a
                               millisecond. The numbers are the same */
    uint64_t seed;          /* of the start vector */
    /* A', made with .transpose: the singular triplets of A, by krylov */
    const orr_sparse *transposed;
    void (*progress)(int64_t done, int64_t total, void *arg); /* products; from a worker */
    void *progress_arg;
} orr_powm_opts;

/* One eigenpair, with what is certain about it. */
typedef struct {
    double re, im;    /* lambda, or the singular value */
    double residual;  /* |Av - lambda v|_2, of the vector as returned, |v| = 1, computed anew */
    double relative;  /* the same divided by |lambda|; of LA and SA by the largest modulus that the
                         iteration saw (orr_powm_result.largest): the wanted value may be 0 */
    double low, high; /* certain: an eigenvalue lies here (Hermitian: lambda -+ residual; positive
                         v of a nonnegative A: the spectral radius, by Collatz and Wielandt);
                         NaN: no such statement */
    int dominant; /* 1: proved to be of largest modulus, to 10 tol (1e-6 at least, 1 % at most) */
} orr_eigenpair;

typedef struct {
    int64_t products; /* products with A (and with A') */
    int64_t steps;
    int found;      /* eigenpairs returned: k, k+1 where k would split a conjugate pair of
                       a real matrix, fewer for small matrices and after few products */
    int converged;  /* of them, with relative <= tol and a value that a double can hold */
    char name[32];  /* "simple", "plus-minus pair", "complex pair", "nilpotent", "zero", ... */
    char note[256]; /* what the caller should know, in a sentence */
    double tol;     /* what `relative` was compared with */
    double largest; /* krylov: the largest modulus of a Ritz value, at most the spectral radius if A
                       is Hermitian; singular: of a singular value. power, ritz: |lambda| */
} orr_powm_result;

/* A v = lambda v, |v| = 1, A n x n; with opts.transposed the singular triplets of A, n its columns.
 *
 *   pairs    k+1 records in the order of opts.which, LM by falling modulus; `found` are filled
 *   vectors  NULL, or n x (k+1) of A's type, column-major. Of a conjugate pair of a real matrix
 *            the columns are real and imaginary part of the vector for +im, as LAPACK's geev has
 *            it. Singular: right vectors.
 * ORR_OK: relative <= tol for every pair; ORR_NOCONV: not so, or a pair that power iteration cannot
 * separate (result.name says which), or no pair at all (found 0) where numbers left their range; the
 * note says why. Rectangular A without opts.transposed: ORR_E_ARG. docs/algorithms/powm.md has the
 * sources. */
ORR_API orr_status orr_powm(orr_context *, const orr_sparse *A, const orr_powm_opts *,
                            orr_eigenpair *pairs, void *vectors, orr_powm_result *, orr_report *);
/* The same in the background, by a thread that only looks on (orr_wait ends it). */
ORR_API orr_status orr_submit_powm(orr_context *, const orr_sparse *A, const orr_powm_opts *,
                                   orr_eigenpair *pairs, void *vectors, orr_powm_result *,
                                   orr_request **);

/* ---- pagerank ------------------------------------------------------------------------------ */

typedef struct {
    double alpha;           /* damping                                   0: 0.85 */
    double tol;             /* stop when |x_k+1 - x_k|_1 <= tol          0: 1e-10, s: 1e-6 */
    int64_t max_steps;      /*                                           0: 10000 */
    int64_t fixed_steps;    /* do exactly so many; for measurements */
    char dangling;          /* 'p': nodes without links lead where one jumps (personalisation),
                               'u': to all nodes, 'n': nowhere (scores do not sum to 1)  0: 'p' */
    const double *personal; /* NULL: even; else n weights >= 0, not all 0, in main memory */
    char extrapolate;       /* 'y', 'n': quadratic extrapolation every ten steps
                                                                         0: from alpha 0.9 on */
    int lookahead;          /* steps submitted ahead, at most            0: 8 */
    int64_t steps_per_task; /* graphs of one block                       0: for a millisecond */
    void (*progress)(int64_t done, int64_t total, void *arg);
    void *progress_arg;
} orr_pagerank_opts;

typedef struct {
    int64_t steps;
    double change;    /* the last |x_k+1 - x_k|_1 */
    double bound;     /* |x - exact|_1 is at most this: alpha/(1-alpha) change */
    double sum;       /* of the scores */
    int64_t dangling; /* nodes without links out */
    int extrapolated; /* 1: by extrapolation */
    char note[256];
} orr_pagerank_result;

/* x = alpha P'x + (1 - alpha (sum of x at nodes with links)) p: P(i,j) is the weight of the link from i to
 * j, divided by those of all links out of i, and p opts.personal, divided by its sum (with dangling 'p').
 *
 *   scores   [n] of the graph's real type: x; may be opts.personal
 *
 * ORR_NOCONV: after max_steps; the bound holds. ORR_E_NONFINITE: the sum of the scores is not finite.
 * docs/algorithms/pagerank.md has the method. */
ORR_API orr_status orr_pagerank(orr_context *, const orr_sparse *graph, const orr_pagerank_opts *,
                                void *scores, orr_pagerank_result *, orr_report *);
/* The same in the background, likewise. */
ORR_API orr_status orr_submit_pagerank(orr_context *, const orr_sparse *graph,
                                       const orr_pagerank_opts *, void *scores,
                                       orr_pagerank_result *, orr_request **);

#ifdef __cplusplus
}
#endif
#endif
