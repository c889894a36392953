/* The tasks of gesvd besides those of ge2gb and gb2bd: what src/dense/gesvd.c may submit.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_GESVD_H
#define ORR_CODELETS_GESVD_H

#include "codelets/band/hb2st.h"
#include "codelets/core/request.h"
#include "codelets/dense/merge.h"
#include "codelets/dense/solver.h"

/* The bidiagonal matrix, in main memory: n diagonal entries and n-1 above them, of the real type. B
 * stands for both. */
struct orr_bidiagonal {
    orr_type type; /* of the dense matrix */
    int64_t n;
    double scale; /* the values are those of the user's matrix times this */
    void *d, *e;
    void *s; /* [n] where the values go; d, or other memory */
    starpu_data_handle_t B;
    starpu_data_handle_t X[2]; /* its left singular vectors, columns, and its right ones, rows: n x n
                                  of the real type, by one task; NULL: by several, or not wanted */
    enum orr_where where;      /* of large products */
    int64_t parts;             /* that all tasks of the solver count as done */
    struct orr_solver solver;
};

/* d := its singular values, descending, divided by scale. On a CPU. Buffers: B RW. */
void orr_insert_gesvd_values(struct orr_request *, int prio, const struct orr_bidiagonal *);
/* s[from .. from+count-1], descending but for differences of rounding; s is not d. On a CPU. Buffers:
 * B R. */
void orr_insert_gesvd_piece(struct orr_request *, int prio, const struct orr_bidiagonal *,
                            int64_t from, int64_t count);
/* So many values make a task of some length; independent of it all the same. */
int64_t orr_gesvd_at_once(int64_t n);
/* Sorts nearly descending s, at once. */
void orr_gesvd_descend(const struct orr_bidiagonal *);
/* Its singular vectors, too; the right ones are rows of X[1]. On a CPU. Buffers: B RW, X[0] W,
 * X[1] W. */
void orr_insert_gesvd_vectors(struct orr_request *, int prio, const struct orr_bidiagonal *);
/* E := left or right (side 1) vectors first .. first+k-1, row i times the i-th of phases, and zeros
 * below: those that the tasks of a tree have made, or (NULL) orr_insert_gesvd_vectors in X. On a CPU, or
 * where the vectors are. Buffers: E W, or RW where there are gaps between columns; X[side] R, or the
 * tree's order and vectors R; phases R (or NULL). */
void orr_insert_gesvd_place(struct orr_request *, int prio, const struct orr_bidiagonal *, int side,
                            const struct orr_merge_tasks *, int64_t first,
                            starpu_data_handle_t phases, const struct orr_hb2st_panel *);

/* All of gesvd in one task, without B, e and X: d, and u and v unless they are NULL, of the m x n
 * matrix a, whose shorter side is n of the bidiagonal matrix. On a CPU. Buffers: A RW. */
struct orr_gesvd_user {
    int64_t m, n, lda, ldu, ldv;
    const void *a;
    starpu_data_handle_t A; /* of a */
    void *u, *v;
};
void orr_insert_gesvd_direct(struct orr_request *, const struct orr_bidiagonal *,
                             const struct orr_gesvd_user *);
/* The same, in three tasks: the vectors of u and those of v are made at the same time, after all
 * else. orr_gesvd_apart_drop what is returned when all have ended. */
int orr_gesvd_may_come_apart(const struct orr_bidiagonal *, const struct orr_gesvd_user *);
struct orr_gesvd_apart *orr_insert_gesvd_apart(struct orr_request *, const struct orr_bidiagonal *,
                                               const struct orr_gesvd_user *);
void orr_gesvd_apart_drop(struct orr_gesvd_apart *);

/* The same of a matrix of few columns, or few rows, by parts of the longer side; u and v of the user: of the
 * longer and of the shorter side. parts: how many, then how many the triangles of these, n x n, are dealt
 * to, and so on; behind the last one 0. Of each at least n rows. On a CPU, in main memory.
 * orr_gesvd_tsqr_drop what is returned when all tasks have ended. */
struct orr_gesvd_tsqr *orr_insert_gesvd_tsqr(struct orr_request *, const struct orr_bidiagonal *,
                                             const struct orr_gesvd_user *, const int64_t *parts);
void orr_gesvd_tsqr_drop(struct orr_gesvd_tsqr *);

/* d and all vectors by divide and conquer; B RW. On failure the request has failed; orr_merge_drop what
 * is returned. */
struct orr_merge_tasks *orr_gesvd_split(struct orr_request *, const struct orr_bidiagonal *);

#endif
