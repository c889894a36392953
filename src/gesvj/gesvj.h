/* What the files of gesvj share: the operation, and what the stream asks of it.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_GESVJ_H
#define ORR_SRC_GESVJ_H

#include "src/core/internal.h"

/* What matrices that are in flight together share: the bundles that go to accelerators, and, with
 * the place auto, who takes the next (src/gesvj/gesvj_hub.c). NULL: each goes its own way. */
struct orr_gesvj_hub;

/* orr_submit_gesvj; `tag` numbers the first matrix in the trace. hub NULL: its own, if it needs
 * one. */
orr_status orr_gesvj_submit(struct orr_call *, const orr_batch *A, const orr_batch *s,
                            const orr_batch *U, const orr_batch *V, const orr_gesvj_opts *,
                            orr_matrix_info *, struct orr_gesvj_hub *hub, int64_t tag,
                            orr_request **);

/* ---- Between the files of one operation ---------------------------------------------------- */

/* NULL, or what is wrong with a call. */
const char *orr_gesvj_wrong(const orr_batch *A, const orr_batch *s, const orr_batch *U,
                            const orr_batch *V, const orr_gesvj_opts *);
/* The same of options that hold whatever the arrays. */
const char *orr_gesvj_wrong_options(const orr_gesvj_opts *);

/* Matrix k of a batch that is laid out. rows: of one of mixed sizes whose ms is not given. */
struct orr_view {
    char *a;
    int64_t m, n, ld;
};
struct orr_view orr_view_of(const orr_batch *, int64_t k, int64_t rows);

/* Where each stage of the graph runs. */
struct orr_gesvj_places {
    enum orr_where whole, angle, update;
    int apart;  /* 1: gram where update is, evd on CPUs */
    int staged; /* 1: small matrices are a graph, too */
};

struct orr_gesvj {
    orr_context *ctx;
    orr_request *req;
    orr_batch A, s, U, V; /* laid out */
    int A_on, U_on, V_on; /* StarPU's numbers of the memories that they are in */
    int left, right;      /* U, V are wanted */
    orr_gesvj_opts o;
    orr_place place; /* what o.place came to */
    struct orr_gesvj_places where;
    struct orr_gesvj_hub *hub; /* or NULL */
    orr_matrix_info *info;
    int own_info;
    int64_t tag;
    atomic_llong chunks;
    int64_t planned,
        sweeps;     /* in a plan: matrices that are graphs, and what they are taken to need */
    int block;      /* the widest there was */
    int64_t bundle; /* likewise: matrices in one, if there was room */
    int64_t room;   /* small matrices that devices have room for in a chunk; -1: not known yet */
    int ends;       /* 1: devices start and finish some */
};

/* What devices have room for, of matrices of one shape that are graphs. */
struct orr_gesvj_room {
    int64_t capacity; /* matrices in a bundle; 0: not even one is whole there, ... */
    int64_t pairs;    /* ... and of one in blocks, pairs that a task has; 0: no pair fits */
    int ends;         /* 1: a device starts and finishes those that it sweeps */
};

/* A matrix that is a graph, between start and finish. */
struct orr_gesvj_matrix {
    struct orr_gesvj *g;
    struct orr_gesvj_room room;
    struct orr_gesvj_block b;
    struct orr_gesvj_bundle *bundle;
    struct orr_gesvj_matrix *next; /* in whatever list it is */
    int kind;                      /* of processor that drew it, for the hub */
    int64_t submitted, read;       /* its sweeps; those whose measures have come */
    int settled;                   /* what is submitted is enough */
    int32_t sweeps;                /* that rotated something */
    double off;
};

/* ---- What becomes of a batch (src/gesvj/gesvj_plan.c) -------------------------------------- */

/* What a place comes to here. */
orr_place orr_gesvj_place(const orr_gesvj_opts *, orr_type, struct orr_gesvj_places *);
/* Matrices first .. first+count, which have one shape, without handles. */
struct orr_gesvj_chunk orr_gesvj_layout(const struct orr_gesvj *, int64_t first, int64_t count);
/* 1: matrices with k = min(m, n) are one task each, and not a graph. */
int orr_gesvj_is_whole(const struct orr_gesvj *, int64_t k);
/* 1: the batch is one core's work for a moment, which no device may do, and no matrix is a graph. */
int orr_gesvj_is_small(const struct orr_gesvj *);
/* 1: CPUs and devices draw from a batch of small matrices, ... */
int orr_gesvj_is_shared(struct orr_gesvj *);
/* ... in these pieces. */
struct orr_gesvj_cut {
    int64_t at_once;    /* matrices that a CPU takes together */
    int64_t for_cpu;    /* in its first piece */
    int64_t for_device; /* in each of its pieces, at least; and at most */
    int64_t most;
    double cpu, device; /* matrices a second of one worker, a guess */
};
struct orr_gesvj_cut orr_gesvj_cut_of(struct orr_gesvj *);
/* Matrices in the chunk that begins with this one, which is whole. */
int64_t orr_gesvj_chunk_size(struct orr_gesvj *, int64_t first);
/* 0: this one, which is whole, has to go to a device, and none has room for it. */
int orr_gesvj_fits(struct orr_gesvj *, int64_t first);
/* 1: devices have room for the matrices of a uniform batch. */
int orr_gesvj_devices_can(struct orr_gesvj *);

/* ---- Small matrices ------------------------------------------------------------------------- */

/* How a chunk of small matrices is to be solved, and whom to tell. */
struct orr_gesvj_way {
    enum orr_where where;
    /* NULL, or called once by any thread when the chunk is solved, or when the request has failed
     * and the chunk will not be. May submit. */
    void (*solved)(void *arg);
    void *arg;
};
/* Matrices first .. first+count of a uniform batch, which are small. From any thread. */
void orr_gesvj_submit_chunk(struct orr_gesvj *, int64_t first, int64_t count,
                            const struct orr_gesvj_way *);
/* Submits a uniform batch of small matrices, piece after piece, to whoever has finished the last
 * (src/gesvj/gesvj_share.c). */
void orr_gesvj_share(struct orr_gesvj *, const struct orr_gesvj_cut *);

/* One matrix as a graph of stages, by itself, or by way of the hub; its check (src/gesvj/gesvj_way.c). */
void orr_gesvj_submit_graph(struct orr_gesvj *, const struct orr_gesvj_chunk *);
/* In a plan: what becomes of `count` matrices like this one. */
void orr_gesvj_plan_graphs(struct orr_gesvj *, const struct orr_gesvj_chunk *, int64_t count);
void orr_gesvj_submit_check(struct orr_gesvj *, const struct orr_gesvj_chunk *);

/* ---- Bundles (src/gesvj/gesvj_graph.c) ------------------------------------------------------------ */

/* Matrices of one shape whose sweeps are submitted together: those that are ready when it submits
 * the next; one leaves when it has converged, another comes in. */
struct orr_gesvj_bundle {
    struct orr_gesvj_bundle *next; /* of the hub */
    struct orr_gesvj_hub *hub;     /* NULL: of one matrix, and gone with it */
    orr_context *ctx;
    struct orr_gesvj_places where;
    int64_t pairs; /* that a device's task has if they are not whole */
    int ends; /* 1: start and finish are where the sweeps are, too, of several matrices at once */
    struct orr_gesvj_rounds rounds;
    struct orr_gesvj_chunk shape; /* of its matrices */
    int64_t members;              /* that were sent to it and have not left; under the hub's lock */

    starpu_pthread_mutex_t lock; /* of the next five: what the driver has not seen yet */
    struct orr_gesvj_matrix *fresh, *ready, *finished; /* to be started, started, finished */
    int arrived;      /* 1: the measure that was asked for is there */
    int driven;       /* 1: a thread is in the driver, which has what follows */
    int64_t starting; /* matrices of the start that is under way */
    struct orr_gesvj_matrix *active, *waiting; /* lists; waiting: there is no room */
    int64_t actives;
    int64_t steps, read, asked; /* submitted; whose measures have come, were asked for */
    struct orr_gesvj_measure came[ORR_GESVJ_MAX_BUNDLE]; /* of the step that is read next */
    int64_t step_size[2]; /* matrices of the steps that are under way, by turns */
    struct orr_gesvj_matrix *step[2][ORR_GESVJ_MAX_BUNDLE];
};

/* NULL without memory. Whole if there is room for that. */
struct orr_gesvj_bundle *orr_gesvj_bundle_make(orr_context *, struct orr_gesvj_hub *,
                                               const struct orr_gesvj_chunk *,
                                               const struct orr_gesvj_places *,
                                               const struct orr_gesvj_room *);
void orr_gesvj_bundle_free(struct orr_gesvj_bundle *);
/* Submits its start; from then on it is the bundle's, until it has left, and gone. */
void orr_gesvj_bundle_start(struct orr_gesvj_bundle *, struct orr_gesvj_matrix *);
/* The tasks of one round of a step. */
void orr_gesvj_submit_round(const struct orr_gesvj_bundle *, struct orr_gesvj_pairs *);

/* ---- Rates (src/gesvj/gesvj_rates.c) -------------------------------------------------------------- */

/* 1: CPUs and devices together are faster if devices start and finish what they sweep, in bundles
 * of `bundle`; 0: if CPUs do it for them. */
int orr_gesvj_ends_pay(const struct orr_gesvj_chunk *, int64_t bundle, int cpus, int devices);

/* ---- The hub (src/gesvj/gesvj_hub.c) -------------------------------------------------------------- */

/* NULL: no memory, or what the options come to needs none. req: of all matrices, or NULL. No more
 * are added after close, with which the hub goes when it is empty. */
struct orr_gesvj_hub *orr_gesvj_hub_open(orr_context *, struct orr_request *,
                                         const orr_gesvj_opts *);
void orr_gesvj_hub_close(struct orr_gesvj_hub *);
struct orr_gesvj_room orr_gesvj_hub_room(struct orr_gesvj_hub *, const struct orr_gesvj_chunk *);
/* 1: CPUs take some, too. */
int orr_gesvj_hub_draws(const struct orr_gesvj_hub *);
/* A bundle for matrices of this shape on a device, which is not the hub's. NULL: no memory. */
struct orr_gesvj_bundle *orr_gesvj_hub_make(struct orr_gesvj_hub *, const struct orr_gesvj_chunk *,
                                            const struct orr_gesvj_room *);
/* Matrices in flight that fill bundles of order 512, and the next ones. */
int64_t orr_gesvj_hub_fill(const struct orr_gesvj_hub *);
/* The matrix is the hub's, until it has left. */
void orr_gesvj_hub_add(struct orr_gesvj_hub *, struct orr_gesvj_matrix *);
/* From a bundle: a matrix, which is gone, has left it. */
void orr_gesvj_hub_left(struct orr_gesvj_hub *, struct orr_gesvj_bundle *, int kind);

#endif
