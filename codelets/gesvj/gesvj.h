/* The tasks of gesvj: what src/gesvj/gesvj.c may submit. See kernels/gesvj.h for the letters.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_GESVJ_H
#define ORR_CODELETS_GESVJ_H

#include "codelets/core/request.h"

/* `count` matrices of one shape and the handles of their data: A spans (count-1)*stride +
 * (n-1)*ld + m elements, U and V likewise; s (count-1)*lds + min(m,n), info count records.
 * U, V: NULL if not wanted. */
struct orr_gesvj_chunk {
    orr_type type;
    int64_t m, n, count, ld, stride, lds, ldu, strideu, ldv, stridev;
    int left, right; /* 1: U, V is wanted */
    int nb, precondition, max_sweeps;
    int lanes; /* whole matrices: several at once, as lanes of vectors */
    double tol;
    int64_t tag; /* whose tasks these are, for the trace */
    starpu_data_handle_t A, s, U, V, info;
};

/* Workers that are not CPUs and can run the tasks that take a `where`, and the widest blocks
 * that they can take; a whole matrix may have two of these. */
int orr_gesvj_accelerators(void);
int orr_gesvj_accelerator_max_nb(orr_type);

/* Whole matrices, start to finish, one after the other.
 * Buffers: A R; s W; U, V W if wanted (RW where something lies between matrices); info W. Returns 1
 * if the task was accepted. */
int orr_insert_gesvj_chunk(struct orr_request *, int prio, const struct orr_gesvj_chunk *,
                           enum orr_where, int64_t parts);
/* Residual and orthogonality, on a CPU. Buffers: A, s, U, V R; info RW. */
void orr_insert_gesvj_check(struct orr_request *, int prio, const struct orr_gesvj_chunk *,
                            int64_t parts);

/* The pairs of blocks that the accelerators work on at once; at least 1. */
int64_t orr_gesvj_accelerator_pairs(void);

/* ---- Matrices as graphs -------------------------------------------------------------------- */

/* What the sweeps of a matrix have come to: written by the measure task. */
struct orr_gesvj_measure {
    double off;      /* the largest relative entry that the sweep found */
    int64_t rotated; /* pairs that it rotated */
    int32_t settled; /* 1: one more sweep at most is worth its while */
};

/* A matrix between start and finish. The columns of X and J are one handle per block, so that
 * a pair waits for the two pairs before that its blocks were in, and for nothing else; or
 * (whole) one handle each, for a device that has all pairs of a round at once. */
struct orr_gesvj_block {
    struct orr_gesvj_chunk chunk; /* count 1 */
    int64_t blocks;               /* even */
    int whole;
    int on_device;  /* 1: sweeps are made by an accelerator, for info */
    int accumulate; /* 1: update_v rotates J; from what the start task found */
    starpu_data_handle_t factors, head;
    starpu_data_handle_t *X, *J; /* [whole ? 1 : blocks]; J NULL if no vectors come from it */
};

orr_status orr_gesvj_block_register(struct orr_gesvj_block *);
void orr_gesvj_block_unregister_submit(struct orr_gesvj_block *);
/* Its bytes on a device: its X and J and a round's rotations, or what comes with its start or its
 * finish. */
int64_t orr_gesvj_block_bytes(const struct orr_gesvj_chunk *);
/* Of such matrices those, `most` at most, that every accelerator has room for: whole, started,
 * swept and finished together; by task, of one that is not whole, pairs of blocks (apart: their H
 * besides); small ones in a chunk. 0: not even one. */
int64_t orr_gesvj_room_whole(const struct orr_gesvj_chunk *, int64_t most);
int64_t orr_gesvj_room_pairs(const struct orr_gesvj_chunk *, int apart, int64_t most);
int64_t orr_gesvj_room_chunk(const struct orr_gesvj_chunk *, int64_t most);

/* To the memory of the accelerator that owns it, while nobody waits for it. After the start. */
void orr_gesvj_block_prefetch(const struct orr_gesvj_block *, int owner);

/* What the start task found out. The caller has acquired b->head. */
struct orr_gesvj_started {
    int finite;     /* 0: NaN or infinity, and X is zero */
    int accumulate; /* 1: J is to be rotated with X */
};
struct orr_gesvj_started orr_gesvj_started(const struct orr_gesvj_block *);

/* What the sweeps of a bundle of matrices of one shape need besides: not whole, of one matrix, with
 * a handle for every pair, or whole, with one for all pairs of all matrices. Steps are the sweeps
 * of the bundle; measures and `seen` are used by turns. */
enum { ORR_GESVJ_MAX_BUNDLE = 64, ORR_GESVJ_MAX_PAIRS = 16 };
struct orr_gesvj_rounds {
    int64_t blocks, capacity; /* of a matrix; matrices */
    int64_t depth;            /* rounds that updates of J may lag behind */
    int whole;
    int owner;                       /* the memory that has its data; 0: any */
    starpu_data_handle_t measure[2]; /* [capacity] each */
    starpu_data_handle_t *G, *H;     /* [depth*handles]; H NULL unless gram and evd are apart */
    starpu_data_handle_t *seen;      /* [2*handles] */
};
/* `apart` 1: H too. chunk: of any of the matrices. */
orr_status orr_gesvj_rounds_register(struct orr_gesvj_rounds *, const struct orr_gesvj_chunk *,
                                     int apart);
void orr_gesvj_rounds_unregister_submit(struct orr_gesvj_rounds *);

/* What a task works on: of every matrix pairs first .. first+count of a round of a step; all of
 * them if whole, and of one matrix if not. `turn` counts rounds over all steps. `users` are the
 * requests of the matrices; the first has the task, all of them fail with it. */
struct orr_gesvj_pairs {
    const struct orr_gesvj_rounds *rounds;
    int64_t matrices;
    const struct orr_gesvj_block *matrix[ORR_GESVJ_MAX_BUNDLE];
    struct orr_request *user[ORR_GESVJ_MAX_BUNDLE];
    int64_t step, round, turn;
    int64_t first, count;
};

/* Matrices of one shape that a task starts or finishes: one, or several that are whole. The first
 * of their requests has the task, all of them fail with it. */
struct orr_gesvj_ends {
    int64_t matrices;
    int owner; /* as above */
    const struct orr_gesvj_block *matrix[ORR_GESVJ_MAX_BUNDLE];
    struct orr_request *user[ORR_GESVJ_MAX_BUNDLE];
    struct orr_gesvj_outcome { /* of the sweeps, for info */
        double off;
        int32_t status, sweeps;
    } outcome[ORR_GESVJ_MAX_BUNDLE];
};
/* Of each: A R; factors, head, X[*], J[*], info W. Returns 1 if the task was accepted. */
int orr_insert_gesvj_start(int prio, const struct orr_gesvj_ends *, enum orr_where);
/* Of every pair (p,q): X[p], X[q] R; G W; seen RW (W in a sweep's first round). H G = G diag. */
void orr_insert_gesvj_angle(int prio, const struct orr_gesvj_pairs *, enum orr_where);
/* The same as two tasks: X[p], X[q] R, H W; then H RW, G W, seen RW. */
void orr_insert_gesvj_gram(int prio, const struct orr_gesvj_pairs *, enum orr_where);
void orr_insert_gesvj_evd(int prio, const struct orr_gesvj_pairs *, enum orr_where);
/* G R; X[p], X[q] RW. */
void orr_insert_gesvj_update(int prio, const struct orr_gesvj_pairs *, enum orr_where);
/* G R; J[p], J[q] RW, of the matrices that accumulate; no task if none does. */
void orr_insert_gesvj_update_v(int prio, const struct orr_gesvj_pairs *, enum orr_where);
/* seen[*] of the step R; measure[step % 2] W, one for each matrix. On a CPU. Returns 1 if the task
 * was accepted. */
int orr_insert_gesvj_measure(int prio, const struct orr_gesvj_pairs *);
/* Measure number k of a step, which the caller has acquired. */
struct orr_gesvj_measure orr_gesvj_measured(const struct orr_gesvj_rounds *, int64_t step,
                                            int64_t k);
/* Of each: factors, head, X[*], J[*] R; s, U, V as above; info RW. The outcome goes into info. Returns 1 if
 * the task was accepted. parts: of the first request, done with it. */
int orr_insert_gesvj_finish(int prio, const struct orr_gesvj_ends *, enum orr_where, int64_t parts);

#endif
