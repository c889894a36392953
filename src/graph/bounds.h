/* Lower bounds of the time in which a graph of tasks can run, from the durations of the tasks
 * on each kind of worker and the edges between them. No schedule is faster:
 *
 *   area            the work, spread over the workers as well as kinds allow, edges forgotten
 *   critical path   the longest chain, each task on the kind that is fastest for it
 *   LP              both at once: a task of a long chain that is sent to the fast kind is work
 *                   there. Never below the other two.
 *
 * The LP, with x_ik the share of task i that runs on kind k and s_i its start:
 *
 *   min T:  sum_k x_ik = 1;  sum_i t_ik x_ik <= P_k T;
 *           s_j >= s_i + sum_k t_ik x_ik for each edge (i,j);  T >= s_i + sum_k t_ik x_ik
 *
 * (E. Agullo, O. Beaumont, L. Eyraud-Dubois, S. Kumar, "Are static schedules so bad? A case
 * study on Cholesky factorization", IPDPS 2016, call its first two rows with one chain the mixed
 * bound.) SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_BOUNDS_H
#define ORR_BOUNDS_H

#include <stddef.h>
#include <stdint.h>

#include "codelets/core/access.h"

struct orr_graph {
    size_t tasks;
    int kinds;
    const int *workers; /* [kinds], each > 0 */
    double *t;          /* [tasks][kinds] seconds; INFINITY: cannot run there; one is finite */
    size_t *before_at;  /* [tasks + 1] */
    uint32_t *before;   /* task i waits for before[before_at[i] .. before_at[i+1]), all < i */
};

/* Edges that StarPU's sequential consistency makes of the accesses of tasks given in the order
 * of their submission: a reader waits for the writers before it, a writer for these and for the
 * readers since; those who commute, or reduce, do not wait for each other. Each edge is there once, however
 * many data make it. 0: out of memory. */
int orr_graph_edges(struct orr_graph *, const struct orr_uses *, size_t tasks,
                    const struct orr_trace_access *);
void orr_graph_free(struct orr_graph *); /* the edges, not t */

/* Seconds; 0 without tasks, NaN if memory ran out. The area is exact with up to two kinds, and never less than the work
 * that only one kind, or set of kinds, can do; else area and LP are computed to within one percent, from below. */
double orr_bound_area(const struct orr_graph *);
double orr_bound_path(const struct orr_graph *);
double orr_bound_lp(const struct orr_graph *);

#endif
