/* gesvj of as many small matrices at once as a vector has lanes, on CPUs: orr_gesvj_fn where
 * orr_gesvj_by_lanes() says so.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CPU_GESVJ_LANES_H
#define ORR_CPU_GESVJ_LANES_H

#include "kernels/gesvj.h"

/* 1: asked for, with preconditioning, and what a group needs stays in the L2 cache. */
int orr_gesvj_by_lanes(const orr_gesvj_args *);
orr_gesvj_fn *orr_gesvj_lanes_cpu(orr_type);

#endif
