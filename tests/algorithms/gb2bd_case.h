/* Band matrices for the tests of gb2bd, and their entries in any type.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_GB2BD_CASE_H
#define ORR_TESTS_GB2BD_CASE_H

#include <stddef.h>

#include "numbers.h"
#include "orrery/orrery.h"

int64_t below(int64_t bound);
void *allocate(size_t bytes); /* and 64 more, all 0x5a; ends the program without memory */

orr_type result_type(orr_type); /* of d and e */

/* m x n in LAPACK's storage: (i,j) at ab[j*ld + ku + i - j]. */
typedef struct {
    orr_type type;
    int64_t m, n, kl, ku, ld;
    void *ab;
} band;

enum kind { RANDOM, ZERO, DIAGONAL, BIDIAGONAL, BLOCKS, ONE_ROW, ONES, GRADED, SPARSE, KINDS };
extern const char *const kind_name[];

/* Entries outside the matrix, and `pad` more per column, are NaN: nobody may look at them. */
band make(orr_type, enum kind, double scale, int64_t m, int64_t n, int64_t kl, int64_t ku,
          int64_t pad);

#endif
