/* The tasks of heev besides those of he2hb and hb2st: what src/dense/heev.c may submit.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_HEEV_H
#define ORR_CODELETS_HEEV_H

#include "codelets/core/request.h"
#include "codelets/dense/he2hb.h"
#include "codelets/dense/merge.h"
#include "codelets/dense/solver.h"

/* The tridiagonal matrix, in main memory: n diagonal and n-1 off-diagonal entries of the real
 * type. T stands for both. */
struct orr_tridiagonal {
    orr_type type; /* of the dense matrix */
    int64_t n;
    double scale; /* the values are those of the user's matrix times this */
    void *d, *e;
    int64_t first, count; /* the eigenvalues wanted, from 0 */
    double low, high;     /* those in (low, high] of the user's matrix are wanted, ... */
    int64_t *found;       /* ... and first and count are to be stored here; NULL: they are known */
    void *w;              /* [count] divided by scale */
    starpu_data_handle_t T;
    starpu_data_handle_t S; /* their vectors, n x count of the real type; NULL: not wanted */
    enum orr_where where;   /* of large products */
    int64_t parts;          /* that all tasks of the solver count as done */
    struct orr_solver solver;
};

/* Stores first and count of an interval. On a CPU. Buffers: T R. */
void orr_insert_heev_count(struct orr_request *, int prio, const struct orr_tridiagonal *);
/* w[from .. from+count-1], ascending but for differences of rounding; T is not used where the request is
 * `here`. On a CPU. Buffers: T R. */
void orr_insert_heev_values(struct orr_request *, int prio, const struct orr_tridiagonal *,
                            int64_t from, int64_t count);
/* So many values make a task of some length; independent of it all the same. */
int64_t orr_heev_values_at_once(int64_t n);
const char *orr_heev_values_method(int64_t n); /* "bisection" or "sterf" */
/* Sorts nearly ascending values of a dense matrix's type, and puts those of an interval into it, at
 * once. */
void orr_heev_ascend(const struct orr_tridiagonal *, int64_t count);
/* All of w, and the vectors. d and e are destroyed. On a CPU. Buffers: T RW, S W. */
void orr_insert_heev_vectors(struct orr_request *, int prio, const struct orr_tridiagonal *);
/* E := columns first .. first+k-1 of the vectors, which the tasks of a merge have made, or (NULL) one in
 * S. Where the panel is, if accelerators made the vectors; else on a CPU. Buffers: E W, or RW where
 * there are gaps between columns; S R, or the merge's order and vectors R. */
void orr_insert_heev_place(struct orr_request *, int prio, const struct orr_tridiagonal *,
                           const struct orr_merge_tasks *, int64_t first,
                           const struct orr_hb2st_panel *);

/* All of heev in one task, without T and S: w, and z if it is not NULL, n x count, of the Hermitian
 * matrix a, in A, of which one triangle is read. On a CPU. Buffers: A RW. */
void orr_insert_heev_direct(struct orr_request *, const struct orr_tridiagonal *, int upper,
                            starpu_data_handle_t A, const void *a, int64_t lda, void *z,
                            int64_t ldz);

/* The direct reduction by several tasks at once, one for each of at most `workers` CPU workers, and
 * what is left of it in the way of vectors. user: the dense matrix. On failure the request has failed;
 * drop what is returned when it is done. */
struct orr_reduction;
struct orr_reduction *orr_heev_one_stage(struct orr_request *, const struct orr_tridiagonal *,
                                         const struct orr_dense *user, int64_t workers);
void orr_heev_one_stage_drop(struct orr_reduction *); /* NULL is legal */
/* d and e, all its tasks; *ended is set to orr_now() by the last. On CPUs. Buffers: A R, T RW. */
void orr_insert_heev_reduce(struct orr_request *, const struct orr_tridiagonal *,
                            struct orr_reduction *, starpu_data_handle_t A, int64_t parts,
                            double *ended);
/* E := Q E. On a CPU. Buffers: T R, E RW. */
void orr_insert_heev_back(struct orr_request *, const struct orr_tridiagonal *,
                          struct orr_reduction *, const struct orr_hb2st_panel *, int64_t parts);

/* w and all vectors by divide and conquer. On failure the request has failed; orr_merge_drop what is
 * returned. */
struct orr_merge_tasks *orr_heev_split(struct orr_request *, const struct orr_tridiagonal *);

#endif
