/* A stream over several ranks: rank 0 reads the arrays and deals their frames, to itself too; each
 * rank pushes what it gets into a stream of its own, and its results go back in that order.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GESVJ_DEALT_H
#define ORR_CLI_GESVJ_DEALT_H

#include "src/cli/algorithms/gesvj_job.h"

typedef struct svd_dealer svd_dealer;

/* A frame of rank 0: matrix `index` of d. What follows belongs to the dealer. */
typedef struct svd_dealt {
    const svd_data *d;
    int64_t index;
    void *array; /* the caller's */
    int64_t head[6];
    struct svd_dealt *next;
} svd_dealt;

/* Of rank 0. limit: frames that a rank has at once. done: an answer has come, its results are where
 * frame `index` of d has them. NULL: no memory. */
svd_dealer *svd_dealer_open(int limit, void (*done)(svd_dealt *, const orr_gesvj_result *, void *),
                            void *arg);
/* The rank with the least to do, `own` frames being under way here; -1: all have enough. */
int svd_dealer_choose(const svd_dealer *, int64_t own);
/* To a rank other than 0. The frame and its matrix stay until it is done. */
void svd_dealer_send(svd_dealer *, int rank, svd_dealt *);
/* Answers that are there; how many. */
int svd_dealer_take(svd_dealer *);
int64_t svd_dealer_under_way(const svd_dealer *);
/* Nothing is under way any more: the others end. Adds what they did to the report. */
void svd_dealer_close(svd_dealer *, orr_gesvj_stream_report *);

/* Of the other ranks, until rank 0 closes. */
int svd_serve_dealt(cli_job *, orr_context *);

/* A pause of whoever polls. */
void svd_nap(void);

#endif
