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

int orr_heev_tree_make(orr_heev_tree *t, int64_t n, int64_t element)
{
    char *memory = malloc((size_t)(ORR_HEEV_TREE_REALS * n * element));
    *t = (orr_heev_tree){.n = n, .ld = n};
    t->order = malloc((size_t)(ORR_HEEV_TREE_INTEGERS * n) * sizeof *t->order);
    if (!memory || !t->order) {
        free(memory);
        free(t->order);
        t->order = NULL;
        return 0;
    }
    void **const vector[] = {&t->d, &t->z, &t->poles, &t->zk, &t->weight};
    for (int64_t i = 0; i < 5; i++)
        *vector[i] = memory + i * n * element;
    t->ends = memory + 5 * n * element;
    t->told = memory + 7 * n * element;
    int32_t **const index[] = {&t->sorted, &t->at, &t->chosen, &t->type};
    for (int64_t i = 0; i < 4; i++)
        *index[i] = t->order + (i + 1) * n;
    t->index = t->order + 5 * n;
    return 1;
}

void orr_heev_tree_free(orr_heev_tree *t)
{
    free(t->d);
    free(t->order);
}

orr_heev_merge orr_heev_merge_of(int64_t first, int64_t n)
{
    return (orr_heev_merge){.first = first, .n = n, .n1 = n / 2};
}

#include "kernels/as_s.h"
#include "merge.inc.c"
#include "heev_merge.inc.c"
#include "heev_merge_apart.inc.c"
#include "kernels/as_d.h"
#include "merge.inc.c"
#include "heev_merge.inc.c"
#include "heev_merge_apart.inc.c"

#define TABLE(name)                                                                                \
    orr_heev_##name##_fn *const orr_heev_##name##_cpu[ORR_NTYPES] = {                              \
        orr_heev_##name##_cpu_s, orr_heev_##name##_cpu_d, orr_heev_##name##_cpu_s,                 \
        orr_heev_##name##_cpu_d}
TABLE(leaf);
TABLE(ends);
TABLE(deflate);
TABLE(arrange);
TABLE(secular);
TABLE(weigh);
TABLE(coefficients);
TABLE(product);
TABLE(order);
TABLE(arrange_apart);
TABLE(secular_apart);
TABLE(product_apart);
