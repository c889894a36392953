/* Sums of op(A) V over tiles against sums in double precision, all types: a whole tile, an adjoint one and
 * a Hermitian one, the sum begun with zeros or with a P; P or its adjoint; sizes up to some and some larger.
 *
 *   entries  |P - P_ref| <= 4 (terms + 3) eps: components of A and V are up to 1
 *   outside  entries between and behind the columns of P are not touched; of the Hermitian tile the upper
 *            triangle (NaN) and the diagonal's imaginary part are not read
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cpu/tile_sum.c"

#include <float.h>

#include "check.h"
#include "numbers.h"

enum { FORMS = 3, BESIDE = 5 }; /* BESIDE: rows between the columns */
static const size_t size_of[ORR_NTYPES] = {4, 8, 8, 16};
static uint64_t state = 11;

static void *random_array(orr_type t, int64_t entries)
{
    void *x = malloc((size_t)entries * size_of[t]);
    for (int64_t i = 0; i < entries; i++) {
        const double re = next_uniform(&state);
        put(t, x, i, t >= ORR_C ? re + I * next_uniform(&state) : re);
    }
    return x;
}

#define BY_TYPE(f, ...)                                                                            \
    (t == ORR_S   ? orr_tile_sum_##f##_s(__VA_ARGS__)                                              \
     : t == ORR_D ? orr_tile_sum_##f##_d(__VA_ARGS__)                                              \
     : t == ORR_C ? orr_tile_sum_##f##_c(__VA_ARGS__)                                              \
                  : orr_tile_sum_##f##_z(__VA_ARGS__))

static double complex entry(orr_type t, enum orr_tile_form form, const void *a, int64_t lda,
                            int64_t r, int64_t k)
{
    if (form == ORR_TILE)
        return get(t, a, r + k * lda);
    if (form == ORR_TILE_ADJOINT)
        return conj(get(t, a, k + r * lda));
    return r == k  ? creal(get(t, a, r + k * lda))
           : r > k ? get(t, a, r + k * lda)
                   : conj(get(t, a, k + r * lda));
}

static void one(orr_type t, int64_t rows, int64_t w, int64_t most, int with, int adjoint)
{
    const int64_t height = adjoint ? w : rows, columns = adjoint ? rows : w, ldp = height + BESIDE;
    void *p = random_array(t, ldp * columns), *begin = malloc((size_t)(ldp * columns) * size_of[t]);
    void *a[FORMS], *v[FORMS];
    int64_t terms[FORMS], lda[FORMS], ldv[FORMS], all = 0;
    memcpy(begin, p, (size_t)(ldp * columns) * size_of[t]);
    orr_tile_sum sum;
    CHECK(BY_TYPE(begin, &sum, rows, w, most > rows ? most : rows, adjoint, with ? p : NULL, ldp),
          "no memory");
    for (int f = 0; f < FORMS; f++) {
        terms[f] = f == ORR_TILE_HERMITIAN ? rows : f == ORR_TILE ? most : (most + 1) / 2;
        lda[f] = (f == ORR_TILE ? rows : terms[f]) + f;
        ldv[f] = terms[f] + 1;
        a[f] = random_array(t, lda[f] * (f == ORR_TILE ? terms[f] : rows));
        v[f] = random_array(t, ldv[f] * w);
        all += terms[f];
        for (int64_t k = 0; f == ORR_TILE_HERMITIAN && k < rows; k++)
            for (int64_t r = 0; r < k; r++)
                put(t, a[f], r + k * lda[f], NAN);
        BY_TYPE(add, &sum, (enum orr_tile_form)f, terms[f], a[f], lda[f], v[f], ldv[f]);
    }
    BY_TYPE(end, &sum, p, ldp);

    const double eps = t == ORR_S || t == ORR_C ? FLT_EPSILON : DBL_EPSILON;
    int64_t wrong = 0;
    for (int64_t j = 0; j < columns; j++)
        for (int64_t i = 0; i < ldp; i++) {
            const int64_t r = adjoint ? j : i, c = adjoint ? i : j;
            double complex x = 0, begun = with || i >= height ? get(t, begin, i + j * ldp) : 0;
            for (int f = 0; f < FORMS && i < height; f++)
                for (int64_t k = 0; k < terms[f]; k++)
                    x += entry(t, (enum orr_tile_form)f, a[f], lda[f], r, k) *
                         get(t, v[f], k + c * ldv[f]);
            const double off = cabs(begun + (adjoint ? conj(x) : x) - get(t, p, i + j * ldp));
            wrong += !(off <= (i < height ? 4 * (double)(all + 3) * eps : 0));
        }
    CHECK(wrong == 0, "type %d, %lld x %lld, %lld terms, %s%s: %lld entries are wrong", (int)t,
          (long long)rows, (long long)w, (long long)most, with ? "added" : "new",
          adjoint ? ", adjoint" : "", (long long)wrong);
    for (int f = 0; f < FORMS; f++) {
        free(a[f]);
        free(v[f]);
    }
    free(begin);
    free(p);
}

static void all_types(int64_t rows, int64_t w, int64_t most)
{
    for (int t = 0; t < ORR_NTYPES; t++)
        for (int how = 0; how < 4; how++)
            one((orr_type)t, rows, w, most, how % 2, how / 2);
}

int main(void)
{
    static const int64_t sizes[] = {1, 2, 3, 5, 8, 9, 16, 17, 33};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    if (!orr_tile_sum_pays())
        return checked(); /* there is nothing that would be used */
    for (int i = 0; i < SIZES; i++)
        for (int j = 0; j < SIZES; j++)
            for (int k = 0; k < SIZES; k++)
                all_types(sizes[i], sizes[j], sizes[k]);
    all_types(192, 48, 192);
    all_types(130, 64, 257);
    all_types(131, 100, 67);
    return checked();
}
