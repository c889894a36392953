/* What other operations take of hb2st: the checks of a band, the reduction as a part of theirs, and products
 * of bulge chasing's reflectors, also of those of gb2bd, with matrices.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_HB2ST_H
#define ORR_SRC_HB2ST_H

#include "codelets/core/owner.h"
#include "src/core/internal.h"

/* What is wrong with a caller's band, or NULL. */
const char *orr_hb2st_wrong_band(orr_type, char uplo, int64_t n, int64_t b, const void *ab,
                                 int64_t ldab);
/* What is wrong with a call of hb2st, or NULL. */
const char *orr_hb2st_wrong(orr_type, char uplo, int64_t n, int64_t b, const void *ab, int64_t ldab,
                            const void *d, const void *e, const orr_hb2st_opts *);
/* 1: the call is refused, for an entry is NaN or infinite. Else *look has what there is to know. */
struct orr_call;
int orr_hb2st_refused_entry(struct orr_call *, orr_type, int64_t n, const struct orr_hb2st_band *,
                            struct orr_hb2st_look *look);

/* Kept reflectors. */
struct orr_hb2st_factor {
    struct orr_hb2st r; /* without handles */
    void *v;            /* the reflectors of all groups, one after the other */
    int planned;        /* 1: by a plan, without them */
};

/* A reduction whose tasks belong to the request of another operation. */
struct orr_hb2st_part {
    orr_type type;
    int64_t n, b;               /* 0 <= b < n: as which it is chased */
    int64_t width;              /* beyond, all is zero, if somebody looked; else 0 */
    struct orr_hb2st_band band; /* in main memory when a load task has what it waits for */
    double scale; /* the largest entry times this is of order 1; T is that of A times this */
    void *d, *e;
    starpu_data_handle_t into; /* written by every task that stores into d or e; NULL: none */
    int keep;                  /* 1: the reflectors are kept */
    orr_place place;
    int64_t weight;     /* parts that a hop counts as done */
    int first_priority; /* of its most urgent task */
    /* What the columns first .. first+count-1 of the band wait for: fills handle[], returns how
     * many, at most ORR_HB2ST_AFTER(count). NULL: nothing. */
    int (*after)(void *arg, int64_t first, int64_t count, starpu_data_handle_t *handle);
    void *arg;
};
#define ORR_HB2ST_AFTER(count) ((count) / 8 + 4)
struct hb2st;
/* Submits it. NULL, or not all of it: the request has failed. */
struct hb2st *orr_hb2st_attach(orr_context *, orr_request *, const struct orr_hb2st_part *);
const struct orr_hb2st *orr_hb2st_attached(const struct hb2st *); /* with the reflectors V */
void orr_hb2st_detach(struct hb2st *); /* when the request is done; NULL is legal */

/* The longest leading dimension that a panel of columns may have. */
int64_t orr_product_most_ld(void);

/* Reflectors in memory, or (NULL) where StarPU has them, as handles of r, V[g] for the groups: r->V is
 * malloc'ed. Returns it; on failure the request has failed. wanted: they are to be in memory when the
 * request is done. */
starpu_data_handle_t *orr_hb2st_reflectors(orr_request *, const struct orr_hb2st *r, void *memory,
                                           int wanted);
/* Elements of all groups. */
int64_t orr_hb2st_all_reflectors(const struct orr_hb2st *r);

/* E := Q E or, adjoint, Q'E; Q is the product of all reflectors of r. */
struct orr_product {
    int adjoint;
    int64_t rows, k, lde; /* E is rows x k, rows >= r->n */
    void *E;
    int on;                        /* StarPU's number of the memory that E is in */
    int unit;                      /* 1: E is the unit matrix to begin with, k <= r->n; ... */
    int backwards;                 /* ... 1: its columns from the last one to the first */
    starpu_data_handle_t diagonal; /* ... not NULL: what it has in the place of its ones */
    /* not NULL: called for each panel, whose first column is `first`, before Q is submitted */
    void (*before)(orr_request *, void *arg, int64_t first, const struct orr_hb2st_panel *);
    /* not NULL: called for each panel when Q has been submitted */
    void (*then)(orr_request *, void *arg, const struct orr_hb2st_panel *);
    void *arg;
    int64_t beside; /* the most bytes that one of these tasks needs on a device, beside E */
    enum orr_where where;
    const struct orr_owners
        *owners; /* not NULL: panels are dealt to these, if all get equally many */
    struct orr_hb2st_panel *panels; /* NULL, or as orr_make_panels made them */
};
/* Makes the panels of an E that nothing touches before `after` was written, by tasks that are submitted
 * already: for devices E is page-locked then, by a task, and not at once; or when the gate opens.
 * orr_submit_product must follow, also if the request has failed. */
void orr_make_panels(const orr_context *, orr_request *, const struct orr_hb2st *r,
                     struct orr_product *, struct orr_gate *, starpu_data_handle_t after);
void orr_submit_product(const orr_context *, orr_request *, const struct orr_hb2st *r,
                        struct orr_product *);

#endif
