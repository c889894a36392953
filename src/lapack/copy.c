/* Copies of matrices of four types.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE /* madvise */
#include <complex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "src/lapack/shim.h"

size_t orr_bytes(orr_type t)
{
    static const size_t bytes[] = {[ORR_S] = 4, [ORR_D] = 8, [ORR_C] = 8, [ORR_Z] = 16};
    return bytes[t];
}

int orr_times(orr_type t) { return t == ORR_C || t == ORR_Z ? 4 : 1; }

/* As orr_large_memory, which is in liborrery: this library loads that when it has something to do. */
void *orr_room(size_t bytes)
{
    const size_t page = (size_t)2 << 20;
    if (bytes < 2 * page)
        return malloc(bytes);
    const size_t whole = (bytes + page - 1) / page * page;
    void *p = aligned_alloc(page, whole);
#ifdef MADV_HUGEPAGE
    if (p)
        madvise(p, whole, MADV_HUGEPAGE); /* a wish: small pages do as well */
#endif
    return p;
}

static void make_real(orr_type t, void *x)
{
    if (t == ORR_C)
        ((float *)x)[1] = 0;
    if (t == ORR_Z)
        ((double *)x)[1] = 0;
}

void orr_copy(const struct orr_matrix *x, void *to, int64_t ld)
{
    const size_t size = orr_bytes(x->type);
    for (int64_t j = 0; j < x->n; j++) {
        const int64_t first = x->uplo == 'L' ? j : 0, last = x->uplo == 'U' ? j + 1 : x->m;
        char *column = (char *)to + (size_t)(j * ld) * size;
        memcpy(column + (size_t)first * size,
               (const char *)x->a + (size_t)(first + j * x->ld) * size,
               (size_t)(last - first) * size);
        if (x->uplo)
            make_real(x->type, column + (size_t)j * size);
    }
}

static void conjugate_entry(orr_type t, const void *from, int64_t i, void *to, int64_t k)
{
    switch (t) {
    case ORR_S: ((float *)to)[k] = ((const float *)from)[i]; break;
    case ORR_D: ((double *)to)[k] = ((const double *)from)[i]; break;
    case ORR_C: ((float _Complex *)to)[k] = conjf(((const float _Complex *)from)[i]); break;
    default: ((double _Complex *)to)[k] = conj(((const double _Complex *)from)[i]);
    }
}

enum { BLOCK = 32 }; /* of both matrices fit the first cache */

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }

void orr_adjoint(const struct orr_matrix *x, void *to, int64_t ld)
{
    for (int64_t jb = 0; jb < x->n; jb += BLOCK)
        for (int64_t ib = 0; ib < x->m; ib += BLOCK)
            for (int64_t j = jb; j < least(jb + BLOCK, x->n); j++)
                for (int64_t i = ib; i < least(ib + BLOCK, x->m); i++)
                    if (!x->uplo || (x->uplo == 'L' ? i >= j : i <= j))
                        conjugate_entry(x->type, x->a, i + j * x->ld, to, j + i * ld);
}
