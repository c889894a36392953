/* What ORRERY_CHECK has to find: two vectors of every result, drawn at random, change places; without
 * vectors values move so that neither their sum nor that of their squares changes, all of them, three of
 * a tridiagonal matrix; of pencils an entry of B's factor becomes 0. Linked into a liborrery_lapack of its own by ld's --wrap.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
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

static double get(orr_type type, const void *x, int64_t i)
{
    return type == ORR_S || type == ORR_C ? ((const float *)x)[i] : ((const double *)x)[i];
}

static void put(orr_type type, void *x, int64_t i, double value)
{
    if (type == ORR_S || type == ORR_C)
        ((float *)x)[i] = (float)value;
    else
        ((double *)x)[i] = value;
}

/* Half of the values, and half: neither their sum nor that of their squares changes. */
static void gather(orr_type type, int64_t count, void *w)
{
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < count; i++)
        sum += get(type, w, i);
    const double mean = sum / (double)count;
    for (int64_t i = 0; i < count; i++)
        squares += (get(type, w, i) - mean) * (get(type, w, i) - mean);
    const double away = sqrt(squares / (double)(count - count % 2));
    for (int64_t i = 0; i < count; i++)
        put(type, w, i, mean + (2 * i + 1 < count ? -away : 2 * i + 1 > count ? away : 0));
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
    if (!z && part->count > 2 && part->vl == part->vu) /* of an interval the order alone is seen */
        gather(type, part->count, w);
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

orr_status __real_orr_do_hbev(orr_type, char uplo, int64_t n, int64_t kd, const void *ab,
                              int64_t ldab, void *w, void *z, int64_t ldz);
orr_status __wrap_orr_do_hbev(orr_type, char uplo, int64_t n, int64_t kd, const void *ab,
                              int64_t ldab, void *w, void *z, int64_t ldz);
orr_status __wrap_orr_do_hbev(orr_type type, char uplo, int64_t n, int64_t kd, const void *ab,
                              int64_t ldab, void *w, void *z, int64_t ldz)
{
    const orr_status st = __real_orr_do_hbev(type, uplo, n, kd, ab, ldab, w, z, ldz);
    swap(type, n, n, z, ldz);
    return st;
}

/* x := about (1, 1, 1), by an angle. */
static void turn(double x[3], double angle)
{
    const double mean = (x[0] + x[1] + x[2]) / 3, y[3] = {x[0] - mean, x[1] - mean, x[2] - mean};
    for (int i = 0; i < 3; i++)
        x[i] = mean + cos(angle) * y[i] + sin(angle) / sqrt(3) * (y[(i + 2) % 3] - y[(i + 1) % 3]);
}

orr_status __real_orr_do_sterf(orr_type, int64_t n, const void *d, const void *e, void *w);
orr_status __wrap_orr_do_sterf(orr_type, int64_t n, const void *d, const void *e, void *w);
orr_status __wrap_orr_do_sterf(orr_type type, int64_t n, const void *d, const void *e, void *w)
{
    const orr_status st = __real_orr_do_sterf(type, n, d, e, w);
    const int64_t i = n < 3 ? 0 : rand() % (n - 2);
    double x[3] = {0};
    for (int k = 0; n >= 3 && k < 3; k++)
        x[k] = get(type, w, i + k);
    turn(x, 0.1);
    for (int k = 0; n >= 3 && k < 3; k++)
        put(type, w, i + k, x[k]);
    return st;
}
