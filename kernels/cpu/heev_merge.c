/* The last merge of divide and conquer on CPUs; see heev_merge.h.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/heev_merge.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heev_lapack.h"

/* What a column of the halves has entries in; GONE: it is a vector already. */
enum { UPPER, BOTH, LOWER, GONE, TYPES };

int orr_heev_merge_make(orr_heev_merge *m, int64_t n, int64_t element)
{
    char *memory = malloc((size_t)((n * n + 5 * n) * element));
    *m = (orr_heev_merge){.n = n, .n1 = n / 2};
    m->order = malloc((size_t)(5 * n + 4) * sizeof *m->order);
    if (!memory || !m->order) {
        free(memory);
        free(m->order);
        m->order = NULL;
        return 0;
    }
    m->q2 = memory;
    void **const vector[] = {&m->d, &m->z, &m->poles, &m->zk, &m->weight};
    for (int64_t i = 0; i < 5; i++)
        *vector[i] = memory + (n * n + i * n) * element;
    return 1;
}

void orr_heev_merge_free(orr_heev_merge *m)
{
    free(m->q2);
    free(m->order);
}

#include "kernels/as_s.h"
#include "merge.inc.c"
#include "heev_merge.inc.c"
#include "kernels/as_d.h"
#include "merge.inc.c"
#include "heev_merge.inc.c"

#define TABLE(name)                                                                                \
    orr_heev_##name##_fn *const orr_heev_##name##_cpu[ORR_NTYPES] = {                              \
        orr_heev_##name##_cpu_s, orr_heev_##name##_cpu_d, orr_heev_##name##_cpu_s,                 \
        orr_heev_##name##_cpu_d}
TABLE(half);
TABLE(deflate);
TABLE(secular);
TABLE(weigh);
TABLE(columns);
TABLE(order);
