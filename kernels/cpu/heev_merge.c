/* Divide and conquer on CPUs; see heev_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev_merge.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heev_lapack.h"
#include "secular.h"

/* What a column of the halves has entries in; GONE: it is a vector already. */
enum { UPPER, BOTH, LOWER, GONE, TYPES };

#include "kernels/as_s.h"
#include "merge.inc.c"
#include "heev_merge.inc.c"
#include "heev_merge_apart.inc.c"
#include "kernels/as_d.h"
#include "merge.inc.c"
#include "heev_merge.inc.c"
#include "heev_merge_apart.inc.c"

#define ROW(f)                                                                                     \
    {                                                                                              \
        f##_s, f##_d, f##_s, f##_d                                                                 \
    }
orr_merge_leaf_fn *const orr_heev_leaf_cpu[ORR_NTYPES] = ROW(leaf);
orr_merge_ends_fn *const orr_heev_ends_cpu[ORR_NTYPES] = ROW(ends_of);
orr_merge_deflate_fn *const orr_heev_deflate_cpu[ORR_NTYPES] = ROW(deflate);
orr_merge_arrange_fn *const orr_heev_arrange_cpu[ORR_NTYPES] = ROW(arrange);
orr_merge_secular_fn *const orr_heev_secular_cpu[ORR_NTYPES] = ROW(secular);
orr_merge_weigh_fn *const orr_heev_weigh_cpu[ORR_NTYPES] = ROW(weigh);
orr_merge_coefficients_fn *const orr_heev_coefficients_cpu[ORR_NTYPES] = ROW(coefficients);
orr_merge_product_fn *const orr_heev_product_cpu[ORR_NTYPES] = ROW(product);
orr_merge_order_fn *const orr_heev_order_cpu[ORR_NTYPES] = ROW(order);
orr_heev_arrange_apart_fn *const orr_heev_arrange_apart_cpu[ORR_NTYPES] = ROW(arrange_apart);
orr_merge_secular_apart_fn *const orr_heev_secular_apart_cpu[ORR_NTYPES] = ROW(secular_apart);
orr_merge_product_apart_fn *const orr_heev_product_apart_cpu[ORR_NTYPES] = ROW(product_apart);
