/* What hb2st and gb2bd share: products of bulge chasing's reflectors with matrices.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_HB2ST_H
#define ORR_SRC_HB2ST_H

#include "src/internal.h"

/* Kept reflectors. */
struct orr_hb2st_factor {
    struct orr_hb2st r; /* without handles */
    void *v;            /* the reflectors of all groups, one after the other */
};

/* The status and the message of a call that submits nothing; wrong: NULL or what is wrong. */
orr_status orr_hb2st_refused(orr_status, const char *wrong, orr_report *);

/* The longest leading dimension that a panel of columns may have. */
int64_t orr_product_most_ld(void);

/* Reflectors in memory as handles of r, V[g] for the groups: r->V is malloc'ed. Returns it; on
 * failure the request has failed. */
starpu_data_handle_t *orr_hb2st_reflectors(orr_request *, const struct orr_hb2st *r, void *memory);
/* Elements of all groups. */
int64_t orr_hb2st_all_reflectors(const struct orr_hb2st *r);

/* E := Q E or, adjoint, Q'E; Q is the product of all reflectors of r. */
struct orr_product {
    int adjoint;
    int64_t rows, k, lde; /* E is rows x k, rows >= r->n */
    void *E;
    int unit;      /* 1: E is the unit matrix to begin with, k <= r->n; ... */
    int backwards; /* ... 1: its columns from the last one to the first */
    starpu_data_handle_t diagonal; /* ... not NULL: what it has in the place of its ones */
    /* not NULL: called for each panel when Q has been submitted */
    void (*then)(orr_request *, void *arg, const struct orr_hb2st_panel *);
    void *arg;
    enum orr_where where;
};
void orr_submit_product(orr_request *, const struct orr_hb2st *r, const struct orr_product *,
                        int64_t workers);

#endif
