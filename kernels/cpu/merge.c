/* Memory of a tree of merges; see merge.h. SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/merge.h"

#include <stdlib.h>

int orr_merge_tree_make(orr_merge_tree *t, int sides, int64_t n, int64_t element)
{
    char *memory = malloc((size_t)(orr_merge_tree_reals(n) * element));
    *t = (orr_merge_tree){.sides = sides, .n = n, .ld = n};
    t->order = malloc((size_t)(ORR_MERGE_TREE_INTEGERS * n) * sizeof *t->order + 1);
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
    int32_t **const index[] = {&t->column, &t->from, &t->row, &t->type, &t->chosen};
    for (int64_t i = 0; i < 5; i++)
        *index[i] = t->order + (i + 1) * n;
    t->index = t->order + 6 * n;
    return 1;
}

void orr_merge_tree_free(orr_merge_tree *t)
{
    free(t->value);
    free(t->order);
}
