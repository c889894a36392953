/* Eigenvalues and eigenvectors of a Hermitian matrix: see verify.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/lapack/verify.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- The place of a value -------------------------------------------------------------------- */

static void put(orr_type t, void *x, int64_t i, number z)
{
    switch (t) {
    case ORR_S: ((float *)x)[i] = (float)creal(z); break;
    case ORR_D: ((double *)x)[i] = creal(z); break;
    case ORR_C: ((float _Complex *)x)[i] = (float _Complex)z; break;
    default: ((double _Complex *)x)[i] = z;
    }
}

/* f: the lower triangle of A - shift. */
static void shifted(const struct check *c, double shift, void *f)
{
    const struct orr_matrix *a = c->a;
    for (int64_t j = 0; j < a->n; j++) {
        int64_t first, count;
        check_rows(a, j, &first, &count);
        check_column(a, j, c->scale, c->column);
        c->column[j] -= shift;
        for (int64_t i = first; i < first + count; i++)
            put(a->type, f, a->uplo == 'L' ? i + j * a->n : j + i * a->n,
                a->uplo == 'L' ? c->column[i] : conj(c->column[i]));
    }
}

/* Values below `shift`, by Sylvester: negative ones of D in A - shift = L D L', whose blocks of two
 * have one each (Bunch and Kaufman). Negative: no memory. */
static int64_t count_values(const struct check *c, double shift, void *f, int32_t *pivot)
{
    const int64_t n = c->a->n;
    int64_t count = 0;
    shifted(c, shift, f);
    if (!orr_do_factor(c->a->type, n, f, pivot))
        return -1;
    for (int64_t k = 0; k < n; k++) {
        number d;
        check_load(c->a->type, f, k + k * n, 1, 1, &d);
        count += pivot[k] < 0 || creal(d) < 0;
        k += pivot[k] < 0;
    }
    return count;
}

/* One of the values, another one in every call; they are numbers first .. of the matrix. */
static int judge_place(const struct check *c, int64_t first, char why[ORR_WHY])
{
    static atomic_uint calls;
    const uint64_t draw = (uint64_t)atomic_fetch_add(&calls, 1) * 0x9e3779b97f4a7c15u;
    const int64_t i = (int64_t)((draw >> 32) % (uint64_t)c->k), n = c->a->n;
    const double tolerance = check_for_residual(c) * (c->norm > 0 ? c->norm : 1);
    void *f =
        malloc((size_t)(n * (n + 1)) * orr_bytes(c->a->type)); /* a column more: orr_do_factor */
    int32_t *pivot = malloc((size_t)n * sizeof *pivot);
    int64_t below = -1, with = -1;
    if (f && pivot) {
        below = count_values(c, c->w[i] - tolerance, f, pivot);
        with = count_values(c, c->w[i] + tolerance, f, pivot);
    }
    free(f);
    free(pivot);
    if (below < 0 || with < 0) {
        snprintf(why, ORR_WHY, "check: out of memory");
        return 1;
    }
    if (below <= first + i && with > first + i)
        return 0;
    snprintf(why, ORR_WHY, "check: value %lld over |A| is not within %.2g of its place",
             (long long)(first + i) + 1, check_for_residual(c));
    return 1;
}

/* ---- All values ---------------------------------------------------------------------------- */

static int probe_eigen(struct check *c, const struct orr_matrix *z, char why[ORR_WHY])
{
    check_draw(c, c->k);
    check_times_values(c);
    return check_probe(c, z, why);
}

int orr_verify_eigen(const struct orr_matrix *a, int64_t first, int64_t k, const void *w,
                     const void *z, int64_t ldz, char why[ORR_WHY])
{
    struct check c;
    double trace;
    snprintf(why, ORR_WHY, "check: out of memory");
    if (!check_begin(&c, a, k, w, &trace))
        return check_end(&c, 1);
    const struct orr_matrix vectors = {.type = a->type, .m = a->n, .n = k, .ld = ldz, .a = z};
    int wrong = check_order(&c, 1, why);
    if (!wrong && k == a->n)
        wrong = check_sums(&c, trace, why);
    if (!wrong && !z && k > 0 && first >= 0)
        wrong = judge_place(&c, first, why);
    for (int i = 0; z && !wrong && i < PROBES; i++)
        wrong = probe_eigen(&c, &vectors, why);
    return check_end(&c, wrong);
}
