/* What the files of heevj share: heevj.c cuts the batch, heevj_choose.c chooses methods and chunks,
 * heevj_chunk.c submits the graph of a chunk, heevj_share.c divides a batch between CPUs and devices
 * while it runs.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_HEEVJ_H
#define ORR_SRC_HEEVJ_H

#include "src/core/internal.h"

/* Matrices of one order: a range of the batch, or (index) of its permutation. */
struct orr_heevj_bucket {
    int64_t n, first, count;
    int64_t next; /* the first matrix not yet submitted */
    orr_method method;
    orr_method on_device; /* JACOBI or LANES, start to finish; AUTO: by the block form if at all */
    enum orr_where where; /* its tasks may run */
    int shared;           /* 1: CPUs by `method` and devices draw from it */
    double seconds;       /* expected per matrix on one CPU */
    atomic_llong chunks;
};

struct orr_heevj {
    orr_context *ctx;
    orr_request *req;
    orr_batch A, w;
    int A_on, w_on; /* StarPU's numbers of the memories that they are in */
    orr_heevj_opts o;
    orr_matrix_info *info;
    int own_info;
    struct orr_heevj_rates *rates; /* the context's */
    int64_t *index;                /* mixed sizes: the batch in descending order of n */
    struct orr_heevj_bucket *bucket;
    int64_t buckets;
};

/* A few chunks by each of two methods of CPUs, by turns; what they cost decides for the rest. They
 * are part of the work, not extra. */
struct orr_heevj_pilots {
    int chunks; /* of both; 0: nothing is to be measured */
    orr_method method[2];
    int64_t size; /* matrices in each */
};
/* Fills what is chosen in the bucket: by guess, or by what was measured since. */
struct orr_heevj_pilots orr_heevj_choose(const struct orr_heevj *, struct orr_heevj_bucket *);
/* Expected of a matrix of order n on one CPU: by what ran here, else by a guess. */
double orr_heevj_seconds(const struct orr_heevj *, orr_method, int64_t n);
/* 1: one core's work for a moment (ORR_HERE_SECONDS), of which no device may do or has anything. */
int orr_heevj_is_small(const struct orr_heevj *);
/* Matrices of the bucket's next chunk: as many as run for some milliseconds, but not so many that a
 * worker sits idle at the end. */
int64_t orr_heevj_next_chunk(const struct orr_heevj *, const struct orr_heevj_bucket *);

/* How a chunk is to be solved, and whom to tell. */
struct orr_heevj_way {
    orr_method method;
    enum orr_where where;
    /* NULL, or called once by any thread when the chunk is solved, or when the request has
     * failed and the chunk will not be. May submit. */
    void (*solved)(void *arg);
    void *arg;
};

/* Matrices [first, first + count) of the bucket's range. From any thread. */
void orr_heevj_submit_chunk(struct orr_heevj *, const struct orr_heevj_bucket *, int64_t first,
                            int64_t count, const struct orr_heevj_way *);

/* The most matrices of a bucket in a chunk that every device can hold; 0: not even one. */
int64_t orr_heevj_device_room(const struct orr_heevj *, const struct orr_heevj_bucket *);

/* Submits what is left of the bucket, piece after piece, to whoever has finished the last;
 * chunk: matrices of the first piece for a CPU. */
void orr_heevj_share(struct orr_heevj *, struct orr_heevj_bucket *, int64_t chunk);
/* In a plan: as the guessed rates would divide it. */
void orr_heevj_share_plan(struct orr_heevj *, struct orr_heevj_bucket *, int64_t chunk);
/* Matrices of a bucket, solved start to finish, that make a task of some length for a device. */
int64_t orr_heevj_device_chunk(const struct orr_heevj *, const struct orr_heevj_bucket *);

#endif
