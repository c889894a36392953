/* What is kept of a program's tasks, and how it becomes a graph.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_RECORD_H
#define ORR_SRC_RECORD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct starpu_perfmodel;

/* What an edge ends at: a task, whose number is known once it is submitted. */
struct node {
    long number; /* -1: not submitted */
};

struct edge {
    struct node *after, *before;
    struct edge *next;
};

struct use {
    uint64_t data; /* numbered from 1 */
    int mode;
    size_t bytes;
};

struct record {
    struct record *next;
    long number;
    struct node *node;
    void (*callback)(void *), (*taken)(void *); /* the program's own */
    void *callback_arg, *taken_arg;
    int callback_free, taken_free, callback_of_codelet;
    char name[64], model[64];
    struct starpu_perfmodel *perfmodel;
    uint32_t footprint;
    int priority, kind, worker, memory, ended;
    unsigned where, sync;
    double submit, ready, start, end; /* us */
    unsigned uses;
    struct use use[];
};

struct recorded {
    pthread_mutex_t lock;
    struct record *first, **last;
    struct edge *edge;
    long tasks, gone, lost; /* of these did not run; for want of memory */
    uint64_t data;
    size_t *bytes, room;   /* of data k: bytes[k - 1] */
    struct use **last_use; /* the same */
    atomic_int state; /* 0: StarPU was not looked at; 1: recording; -1: not; -2: not any more */
};

/* To the file $ORRERY_RECORD, if it says one. */
void orr_record_write(struct recorded *);

#endif
