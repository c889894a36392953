/* Divide and conquer of bidiagonal matrices on CPUs; see gesvd_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/gesvd_merge.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gesvd_lapack.h"
#include "secular.h"

/* What a column of the halves has entries in. */
enum { UPPER, BOTH, LOWER };

int orr_gesvd_tree_make(orr_gesvd_tree *t, int64_t n, int64_t element)
{
    char *memory = malloc((size_t)(orr_gesvd_tree_reals(n) * element));
    *t = (orr_gesvd_tree){.n = n, .ld = n};
    t->order = malloc((size_t)(ORR_GESVD_TREE_INTEGERS * n) * sizeof *t->order + 1);
    if (!memory || !t->order) {
        free(memory);
        free(t->order);
        t->order = NULL;
        return 0;
    }
    void **const vector[] = {&t->value, &t->sorted, &t->z, &t->pole, &t->zk, &t->weight};
    for (int64_t i = 0; i < 6; i++)
        *vector[i] = memory + i * n * element;
    t->ends = memory + 6 * n * element;
    t->told = memory + (8 * n + 2) * element;
    int32_t **const index[] = {&t->index, &t->column, &t->type, &t->at, &t->row};
    for (int64_t i = 0; i < 5; i++)
        *index[i] = t->order + (i + 1) * n;
    t->numbers = t->order + 6 * n;
    return 1;
}

void orr_gesvd_tree_free(orr_gesvd_tree *t)
{
    free(t->value);
    free(t->order);
}

orr_gesvd_merge orr_gesvd_merge_of(int64_t first, int64_t n)
{
    return (orr_gesvd_merge){.first = first, .n = n, .n1 = n / 2};
}

#include "kernels/as_s.h"
#include "merge.inc.c"
#include "gesvd_merge.inc.c"
#include "gesvd_merge_apart.inc.c"
#include "kernels/as_d.h"
#include "merge.inc.c"
#include "gesvd_merge.inc.c"
#include "gesvd_merge_apart.inc.c"

#define TABLE(name)                                                                                \
    orr_gesvd_##name##_fn *const orr_gesvd_##name##_cpu[ORR_NTYPES] = {                            \
        orr_gesvd_##name##_cpu_s, orr_gesvd_##name##_cpu_d, orr_gesvd_##name##_cpu_s,              \
        orr_gesvd_##name##_cpu_d}
TABLE(tree);
TABLE(deflate);
TABLE(arrange);
TABLE(secular);
TABLE(weigh);
TABLE(coefficients);
TABLE(product);
TABLE(order);
TABLE(ends);
TABLE(arrange_apart);
TABLE(secular_apart);
TABLE(product_apart);
