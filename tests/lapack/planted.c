/* What ORRERY_CHECK has to find: two vectors of every result, drawn at random, change places; without
 * vectors an entry of B's factor becomes 0. Linked into a liborrery_lapack of its own by ld's --wrap.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "src/lapack/shim.h"

static void swap(orr_type type, int64_t rows, int64_t count, char *z, int64_t ld)
{
    const size_t bytes = (size_t)rows * orr_bytes(type), column = (size_t)ld * orr_bytes(type);
    void *kept = malloc(bytes);
    if (kept && z && count > 1) {
        const int64_t i = rand() % count, j = (i + 1 + rand() % (count - 1)) % count;
        memcpy(kept, z + (size_t)i * column, bytes);
        memcpy(z + (size_t)i * column, z + (size_t)j * column, bytes);
        memcpy(z + (size_t)j * column, kept, bytes);
    }
    free(kept);
}

orr_status __real_orr_do_heev(orr_type, char uplo, int64_t n, void *a, int64_t lda, void *w,
                              void *z, int64_t ldz, struct orr_part *part);
orr_status __wrap_orr_do_heev(orr_type, char uplo, int64_t n, void *a, int64_t lda, void *w,
                              void *z, int64_t ldz, struct orr_part *part);
orr_status __real_orr_do_hegv(orr_type, int itype, char uplo, int64_t n, void *a, int64_t lda,
                              void *b, int64_t ldb, void *w, void *z, int64_t ldz,
                              struct orr_part *part);
orr_status __wrap_orr_do_hegv(orr_type, int itype, char uplo, int64_t n, void *a, int64_t lda,
                              void *b, int64_t ldb, void *w, void *z, int64_t ldz,
                              struct orr_part *part);
orr_status __real_orr_do_gesvd(orr_type, int64_t m, int64_t n, void *a, int64_t lda, void *s,
                               void *u, int64_t ldu, void *v, int64_t ldv);
orr_status __wrap_orr_do_gesvd(orr_type, int64_t m, int64_t n, void *a, int64_t lda, void *s,
                               void *u, int64_t ldu, void *v, int64_t ldv);

orr_status __wrap_orr_do_heev(orr_type type, char uplo, int64_t n, void *a, int64_t lda, void *w,
                              void *z, int64_t ldz, struct orr_part *part)
{
    const orr_status st = __real_orr_do_heev(type, uplo, n, a, lda, w, z, ldz, part);
    swap(type, n, part->count, z, ldz);
    return st;
}

orr_status __wrap_orr_do_hegv(orr_type type, int itype, char uplo, int64_t n, void *a, int64_t lda,
                              void *b, int64_t ldb, void *w, void *z, int64_t ldz,
                              struct orr_part *part)
{
    const orr_status st = __real_orr_do_hegv(type, itype, uplo, n, a, lda, b, ldb, w, z, ldz, part);
    swap(type, n, part->count, z, ldz);
    if (!z)
        memset(b, 0, orr_bytes(type));
    return st;
}

orr_status __wrap_orr_do_gesvd(orr_type type, int64_t m, int64_t n, void *a, int64_t lda, void *s,
                               void *u, int64_t ldu, void *v, int64_t ldv)
{
    const orr_status st = __real_orr_do_gesvd(type, m, n, a, lda, s, u, ldu, v, ldv);
    if (u && (!v || rand() % 2))
        swap(type, m, m < n ? m : n, u, ldu);
    else
        swap(type, n, m < n ? m : n, v, ldv);
    return st;
}

orr_status __real_orr_do_hb2st(orr_type, char uplo, int64_t n, int64_t kd, const void *ab,
                               int64_t ldab, void *d, void *e, void *q, int64_t ldq);
orr_status __wrap_orr_do_hb2st(orr_type, char uplo, int64_t n, int64_t kd, const void *ab,
                               int64_t ldab, void *d, void *e, void *q, int64_t ldq);
orr_status __wrap_orr_do_hb2st(orr_type type, char uplo, int64_t n, int64_t kd, const void *ab,
                               int64_t ldab, void *d, void *e, void *q, int64_t ldq)
{
    const orr_status st = __real_orr_do_hb2st(type, uplo, n, kd, ab, ldab, d, e, q, ldq);
    swap(type, n, n, q, ldq);
    return st;
}
