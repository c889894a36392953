/* gb2bd within another operation.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_GB2BD_H
#define ORR_SRC_GB2BD_H

#include "src/band/gb2bd_vectors.h"

/* The reduction of an upper band of order n, whose tasks belong to that operation's request. */
struct orr_gb2bd_part {
    orr_type type;
    int64_t n, ku;  /* 0 <= ku < n, ku <= 512 */
    const void *ab; /* as orr_gb2bd takes it, in main memory when a load task has what */
    int64_t ldab;   /* it waits for */
    int by_rows;    /* 1: ab is the lower band of the conjugate transpose */
    double scale;   /* a power of two: the largest entry times this is of order 1 */
    void *d, *e;
    starpu_data_handle_t into; /* written by every task that stores into d or e */
    int keep;                  /* 1: the reflectors, and phases, are kept */
    orr_place place;
    int64_t weight;     /* parts that a sweep counts as done */
    int first_priority; /* of its most urgent task */
    /* What rows first .. first+count-1 of the band wait for: fills handle[], returns how many. */
    int (*after)(void *arg, int64_t first, int64_t count, starpu_data_handle_t *handle);
    void *arg;
};
#define ORR_GB2BD_AFTER(count) ((count) / 8 + 4) /* at most */
/* The power of two that brings the largest part near 1; it and its inverse are normal doubles. */
double orr_gb2bd_scale(double largest);

struct gb2bd;
/* What all its tasks count as done; of p only n, ku, type, d, keep and weight. */
int64_t orr_gb2bd_attached_parts(const struct orr_gb2bd_part *p);
/* Submits it. NULL, or not all of it: the request has failed. */
struct gb2bd *orr_gb2bd_attach(orr_context *, orr_request *, const struct orr_gb2bd_part *);
/* The reflectors and phases from the left and from the right. */
const struct orr_gb2bd_vectors *orr_gb2bd_attached(const struct gb2bd *);
void orr_gb2bd_detach(struct gb2bd *); /* when the request is done; NULL is legal */

#endif
