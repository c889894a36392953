/* Copies of matrices of four types: what is copied, what is left as it was, and that a diagonal is real. There
 * is as much room as was asked for.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lapack/verify_case.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static number entry(orr_type t, const void *x, int64_t i)
{
    number z;
    check_load(t, x, i, 1, 1, &z);
    return z;
}

static number value(orr_type t, int64_t i, int64_t j)
{
    return (double)(100 * i + j) + (is_complex(t) ? (double)(i + 1) * I : 0);
}

/* m x n, of which `uplo` counts, and 7 beyond it; the results are NaN before. */
static void copies(orr_type t, int64_t m, int64_t n, char uplo)
{
    const int64_t ld = m + 2, ldc = m + 1, lda = n + 3;
    char *x = malloc((size_t)(ld * n) * orr_bytes(t));
    char *copy = malloc((size_t)(ldc * n) * orr_bytes(t));
    char *adjoint = malloc((size_t)(lda * m) * orr_bytes(t));
    if (!x || !copy || !adjoint)
        exit(99);
    int64_t wrong = 0;
    for (int64_t i = 0; i < ldc * n; i++)
        put(t, copy, i, NAN);
    for (int64_t i = 0; i < lda * m; i++)
        put(t, adjoint, i, NAN);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < ld; i++)
            put(t, x, i + j * ld,
                i >= m || (uplo == 'L' && i < j) || (uplo == 'U' && i > j) ? 7 : value(t, i, j));
    const struct orr_matrix X = {.type = t, .m = m, .n = n, .ld = ld, .a = x, .uplo = uplo};
    orr_copy(&X, copy, ldc);
    orr_adjoint(&X, adjoint, lda);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            const number z = value(t, i, j), of_copy = entry(t, copy, i + j * ldc),
                         of_adjoint = entry(t, adjoint, j + i * lda);
            if ((uplo == 'L' && i < j) || (uplo == 'U' && i > j))
                wrong += !isnan(creal(of_copy)) || !isnan(creal(of_adjoint));
            else
                wrong += of_copy != (uplo && i == j ? creal(z) : z) || of_adjoint != conj(z);
        }
    for (int64_t j = 0; j < n; j++)
        wrong += !isnan(creal(entry(t, copy, m + j * ldc)));
    CHECK(wrong == 0, "type %d, %d x %d, '%c': %d entries are wrong", t, (int)m, (int)n,
          uplo ? uplo : '-', (int)wrong);
    free(x);
    free(copy);
    free(adjoint);
}

static void rooms(void)
{
    const size_t page = (size_t)2 << 20;
    const size_t bytes[] = {1, page, 2 * page - 1, 2 * page, 2 * page + 1, 3 * page - 1, 5 * page};
    for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++) {
        char *p = orr_room(bytes[k]);
        CHECK(p && malloc_usable_size(p) >= bytes[k], "%zu bytes", bytes[k]);
        free(p);
    }
}

int main(void)
{
    for (int t = 0; t < ORR_NTYPES; t++) {
        copies((orr_type)t, 1, 1, 'L');
        copies((orr_type)t, 70, 70, 'L');
        copies((orr_type)t, 70, 70, 'U');
        copies((orr_type)t, 70, 33, 0);
        copies((orr_type)t, 31, 64, 0);
    }
    rooms();
    return checked();
}
