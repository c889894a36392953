/* The tasks of heevj: what src/heevj/heevj.c may submit.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CODELETS_HEEVJ_H
#define ORR_CODELETS_HEEVJ_H

#include "codelets/core/request.h"

/* A chunk: `count` matrices of order n, and the handles of their data. A spans
 * (count-1)*stride + (n-1)*ld + n elements, w (count-1)*ldw + n, info count records. */
struct orr_heevj_chunk {
    orr_type type;
    int64_t n, count, ld, stride, ldw;
    int vectors, upper, max_sweeps;
    int owner; /* 0, or the memory of the one accelerator that may solve it */
    double tol;
    double seconds; /* of a matrix on a CPU, for a plan; 0: not known */
    starpu_data_handle_t A, w, info;
};

/* How fast each method was on a CPU here, per matrix of one (type, n, vectors): filled by
 * the tasks themselves, read by whoever plans the next chunks. */
struct orr_heevj_rate {
    orr_type type;
    int64_t n;
    int vectors;
    double seconds[ORR_NMETHODS]; /* best seen, per matrix; 0: never ran */
};
struct orr_heevj_rates {
    starpu_pthread_mutex_t lock;
    struct orr_heevj_rate *rate;
    size_t count, room;
};
struct orr_heevj_rates *orr_heevj_rates_make(void); /* NULL: no memory */
void orr_heevj_rates_free(struct orr_heevj_rates *);
struct orr_heevj_rate orr_heevj_rates_get(struct orr_heevj_rates *, orr_type, int64_t n,
                                          int vectors);

/* Matrices up to this order may be solved by ORR_METHOD_LANES. */
enum { ORR_HEEVJ_LANES_MOST_N = 128 };

/* 1 if a device solves matrices of this order start to finish by that method: JACOBI or LANES. */
int orr_heevj_device_has(orr_method, orr_type, int64_t n, int vectors);

/* A chunk start to finish. cpu_method: JACOBI, LAPACK, LANES, or AUTO for JACOBI or LAPACK,
 * whatever the scheduler's model prefers; device_method: JACOBI or LANES, of no consequence with
 * ORR_ON_CPU. 1 if the task was accepted. Buffers: A RW, w RW, info W; with LANES scratch. */
int orr_insert_heevj_chunk(struct orr_request *, int prio, const struct orr_heevj_chunk *,
                           orr_method cpu_method, orr_method device_method, enum orr_where where,
                           struct orr_heevj_rates *, int64_t parts);
/* Bytes of that task per matrix on a device (of n, type, stride and vectors). */
int64_t orr_heevj_chunk_bytes(const struct orr_heevj_chunk *, orr_method device_method);

/* One-sided block Jacobi of a chunk, sweep by sweep; see kernels/heevj_block.h. */
struct orr_heevj_block {
    struct orr_heevj_chunk chunk;
    starpu_data_handle_t G, Q, scale, active;
    struct orr_home *home; /* or NULL */
};
/* Bytes of the largest of its tasks per matrix (of n, type and stride). */
int64_t orr_heevj_block_bytes(const struct orr_heevj_chunk *);
/* Registers G, Q, scale and active as temporaries. */
void orr_heevj_block_register(struct orr_heevj_block *);
void orr_heevj_block_unregister_submit(struct orr_heevj_block *);
/* A R; G, Q, scale, active, info W */
void orr_insert_heevj_block_start(struct orr_request *, int prio, const struct orr_heevj_block *,
                                  enum orr_where where);
/* G, Q, active, info RW */
void orr_insert_heevj_block_sweep(struct orr_request *, int prio, const struct orr_heevj_block *,
                                  enum orr_where where);
/* active, info RW; left W: one int32_t, the number of matrices still active. Returns 1 if
 * the task was accepted, so that left will be written. */
int orr_insert_heevj_block_compact(struct orr_request *, int prio, const struct orr_heevj_block *,
                                   enum orr_where where, starpu_data_handle_t left);
/* G, Q, scale R; A, w, info RW. Counts `parts` as done. 1 if the task was accepted. */
int orr_insert_heevj_block_finish(struct orr_request *, int prio, const struct orr_heevj_block *,
                                  enum orr_where where, int64_t parts);

/* copy := A, on a CPU. Buffers: A R, copy W. */
void orr_insert_heevj_copy(struct orr_request *, int prio, const struct orr_heevj_chunk *,
                           starpu_data_handle_t copy);
/* Residual and orthogonality, on a CPU. Buffers: before R, A R, w R, info RW. */
void orr_insert_heevj_check(struct orr_request *, int prio, const struct orr_heevj_chunk *,
                            starpu_data_handle_t before, int64_t parts);

/* Matrices that lie scattered in the user's memory, into a chunk and back. index[0..count)
 * are the matrices' numbers; as, lds and ws are the user's arrays of pointers, infos the
 * user's records. All must live until the request ends.
 * gather: A, w W.  scatter: A R, w R, info R. */
struct orr_heevj_scattered {
    const int64_t *index;
    void *const *as, *const *ws;
    const int64_t *lds;
    orr_matrix_info *infos;
};
void orr_insert_heevj_gather(struct orr_request *, int prio, const struct orr_heevj_chunk *,
                             const struct orr_heevj_scattered *);
void orr_insert_heevj_scatter(struct orr_request *, int prio, const struct orr_heevj_chunk *,
                              const struct orr_heevj_scattered *, int64_t parts);

#endif
