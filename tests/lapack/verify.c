/* What ORRERY_CHECK accepts and what it refuses, of results that are known: with Z a product of
 * reflectors and w chosen, A = Z w Z', and so for each of its judges.
 *
 *   accepted   what is right, and what is off by half of what verify.h allows: of a residual
 *              30 sqrt(n) eps |A|_F, of orthogonality, sums and traces 30 n eps
 *   refused    what is off by twice of it, in the words of the test that has to see it
 *
 * Errors that cancel in one of the sums are among them. Of arrays only what is named may be read:
 * the rest is NaN.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "lapack/verify_case.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* ---- Eigenvalues and eigenvectors ------------------------------------------------------------- */

struct eigen {
    orr_type type;
    int64_t n, first, k;
    double scale, w[MOST], norm;
    dense z, a;
    char uplo;
};

static void judge_eigen(struct eigen *x, const char *what, const double *w, const number *z,
                        const char *words)
{
    int64_t lda, ldz = 1;
    void *a = array(x->type, x->n, x->n, x->a, x->uplo, x->scale, &lda);
    void *v = z ? array(x->type, x->n, x->k, z + x->first * x->n, 0, 1, &ldz) : NULL;
    void *values = reals(x->type, x->k, w + x->first, x->scale);
    const struct orr_matrix A = {
        .type = x->type, .m = x->n, .n = x->n, .ld = lda, .a = a, .uplo = x->uplo};
    char why[ORR_WHY];
    const int wrong = orr_verify_eigen(&A, x->first, x->k, values, v, ldz, why);
    judged(what, x->type, x->n, wrong, why, words);
    free(a);
    free(v);
    free(values);
}

/* One value is looked at in each call, another one in the next: after a while each has been. */
static void each_in_turn(struct eigen *x)
{
    int64_t lda;
    void *a = array(x->type, x->n, x->n, x->a, x->uplo, x->scale, &lda);
    const struct orr_matrix A = {
        .type = x->type, .m = x->n, .n = x->n, .ld = lda, .a = a, .uplo = x->uplo};
    const int64_t k = x->n - 1; /* no sums */
    for (int64_t i = 0; i < k; i++) {
        double w[MOST];
        char why[ORR_WHY];
        memcpy(w, x->w, sizeof w);
        w[i] += (x->w[i + 1] - x->w[i]) / 2;
        void *values = reals(x->type, k, w, x->scale);
        int found = 0;
        for (int64_t call = 0; call < 4 * k; call++)
            found += orr_verify_eigen(&A, 0, k, values, NULL, 1, why);
        CHECK(found > 0 && found < 4 * k / 2, "value %lld of %lld: found by %d of %lld calls",
              (long long)i, (long long)k, found, (long long)(4 * k));
        free(values);
    }
    free(a);
}

/* Of an interval: which values they are nobody knows. */
static void of_an_interval(struct eigen *x)
{
    int64_t lda;
    void *a = array(x->type, x->n, x->n, x->a, x->uplo, x->scale, &lda);
    void *values = reals(x->type, 2, x->w + x->n - 2, x->scale);
    const struct orr_matrix A = {
        .type = x->type, .m = x->n, .n = x->n, .ld = lda, .a = a, .uplo = x->uplo};
    char why[ORR_WHY];
    for (int call = 0; call < 4; call++)
        judged("values of an interval", x->type, x->n,
               orr_verify_eigen(&A, -1, 2, values, NULL, 1, why), why, NULL);
    free(a);
    free(values);
}

/* Column j, and column i, so that their sum stays. */
static void spoil(int64_t n, number *z, int64_t i, int64_t j, double by, const number *along)
{
    for (int64_t l = 0; l < n; l++) {
        z[l + j * n] += by * along[l];
        z[l + i * n] -= by * along[l];
    }
}

static void values_alone(struct eigen *x)
{
    double w[MOST];
    const int64_t n = x->n;
    const double allowed = for_residual(x->type, n) * x->norm, sum = for_sum(x->type, n) * x->norm;
#define ALONE(what, words, ...)                                                                    \
    do {                                                                                           \
        memcpy(w, x->w, sizeof w);                                                                 \
        __VA_ARGS__;                                                                               \
        judge_eigen(x, what, w, NULL, words);                                                      \
    } while (0)
    ALONE("values", NULL, );
    ALONE("a value that is NaN", "out of order", w[n / 2] = NAN);
    ALONE("values in another order", "value 2 is out of order", w[0] = x->w[1], w[1] = x->w[0]);
    ALONE("a value, by twice the sum's tolerance", "the sum of squares",
          w[n - 1] += 2 * sum * x->norm / (2 * w[n - 1]));
    /* the sum of squares is that of the values with other signs */
    ALONE("signs", "the sum less the trace",
          for (int64_t i = 0; i < n; i++) w[i] = -x->w[n - 1 - i]);
    x->first = 1, x->k = n - 1;
    ALONE("a part", NULL, );
    ALONE("a part, by less than is allowed", NULL,
          for (int64_t i = 0; i < n; i++) w[i] += 0.5 * allowed);
    ALONE("a part, by more than is allowed", "not within",
          for (int64_t i = 0; i < n; i++) w[i] += 2 * allowed);
    ALONE("a part, by less", "not within", for (int64_t i = 0; i < n; i++) w[i] -= 2 * allowed);
    x->first = 0;
    x->k = 1;
    ALONE("one value", NULL, );
    ALONE("the next value", "value 1 over", w[0] = w[1]);
    x->first = n - 1;
    ALONE("the last value", NULL, );
    ALONE("the value before", "not within", w[n - 1] = w[n - 2]);
    x->first = 0, x->k = n;
#undef ALONE
}

static void with_vectors(struct eigen *x)
{
    static dense z;
    double w[MOST];
    const int64_t n = x->n, j = n / 2;
    const double allowed = for_residual(x->type, n) * x->norm;
    number sum[MOST] = {0}, along[MOST];
    double square = 0, overlap = 0;
#define VECTORS(what, words, ...)                                                                  \
    do {                                                                                           \
        memcpy(w, x->w, sizeof w);                                                                 \
        memcpy(z, x->z, sizeof z);                                                                 \
        __VA_ARGS__;                                                                               \
        judge_eigen(x, what, w, z, words);                                                         \
    } while (0)
    VECTORS("vectors", NULL, );
    VECTORS("two vectors in each other's place", "the residual",
            for (int64_t i = 0; i < n; i++) z[i] = x->z[i + (n - 1) * n],
            z[i + (n - 1) * n] = x->z[i]);
    VECTORS("a vector that is too long", "the loss of orthogonality",
            for (int64_t i = 0; i < n; i++) z[i + j * n] *= 1 + for_sum(x->type, n));
    VECTORS("a vector that is hardly too long", NULL,
            for (int64_t i = 0; i < n; i++) z[i + j * n] *= 1 + for_sum(x->type, n) / 20);
    VECTORS("NaN in a vector", "the residual", z[j + j * n] = NAN);
    x->first = 1, x->k = n - 1; /* no sums */
    VECTORS("a part", NULL, );
    VECTORS("a value, by half of what is allowed", NULL, w[j] += 0.5 * allowed);
    VECTORS("a value, by twice of what is allowed", "the residual", w[j] += 2 * allowed);
    x->first = 0, x->k = n;
    /* of vectors 0 and 1, whose values are equal; across the sum of all of them, so that neither A Z x
     * nor Z'Z x is changed where all signs are equal */
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < n; k++)
            sum[i] += x->z[i + k * n];
        square += check_square(sum[i]);
        along[i] = x->z[i + j * n];
    }
    number inner = 0;
    for (int64_t i = 0; i < n; i++)
        inner += conj(sum[i]) * along[i];
    for (int64_t i = 0; i < n; i++) {
        along[i] -= sum[i] * inner / square;
        overlap += check_square(along[i]);
    }
    CHECK(overlap > 0.1, "%g", overlap);
    if (n > 3)
        VECTORS("errors of opposite signs", "", spoil(n, z, 0, 1, 0.1, along));
#undef VECTORS
}

static void eigen(orr_type t, int64_t n, char uplo, double scale)
{
    static struct eigen x;
    x = (struct eigen){.type = t, .n = n, .k = n, .scale = scale, .uplo = uplo};
    for (int64_t i = 0; i < n; i++)
        x.w[i] = 1 + 3 * (double)i / (double)n;
    x.w[1] = x.w[0];
    unitary(t, n, x.z);
    product(n, n, n, x.z, x.w, x.z, x.a);
    x.norm = norm_of(n * n, x.a);
    with_vectors(&x);
    x.w[1] += 2. / (double)n;
    product(n, n, n, x.z, x.w, x.z, x.a);
    values_alone(&x);
    of_an_interval(&x);
    if (n == 33 && scale == 1)
        each_in_turn(&x);
}

/* A Hermitian matrix without a real part beside its diagonal: imaginary parts are entries, too. */
static void imaginary(double scale)
{
    static struct eigen x;
    x = (struct eigen){.type = ORR_Z, .n = 2, .k = 2, .scale = scale, .uplo = 'L', .w = {-1, 1}};
    x.a[1] = I, x.a[2] = -I, x.norm = sqrt(2);
    judge_eigen(&x, "[0 -i; i 0]", x.w, NULL, NULL);
    judge_eigen(&x, "[0 -i; i 0], values 0", (const double[]){0, 0}, NULL, "the sum of squares");
}

/* ---- Singular values and vectors -------------------------------------------------------------- */

struct svd {
    orr_type type;
    int64_t m, n, k;
    double scale, s[MOST], norm;
    dense u, v, a;
};

static void judge_svd(const struct svd *x, const char *what, const double *s, const number *u,
                      const number *v, const char *words)
{
    int64_t lda, ldu = 1, ldv = 1;
    void *a = array(x->type, x->m, x->n, x->a, 0, x->scale, &lda);
    void *left = u ? array(x->type, x->m, x->k, u, 0, 1, &ldu) : NULL;
    void *right = v ? array(x->type, x->n, x->k, v, 0, 1, &ldv) : NULL;
    void *values = reals(x->type, x->k, s, x->scale);
    const struct orr_matrix A = {.type = x->type, .m = x->m, .n = x->n, .ld = lda, .a = a};
    char why[ORR_WHY];
    const int wrong = orr_verify_svd(&A, values, left, ldu, right, ldv, why);
    judged(what, x->type, x->n, wrong, why, words);
    free(a);
    free(left);
    free(right);
    free(values);
}

static void svd(orr_type t, int64_t m, int64_t n, double scale)
{
    static struct svd x;
    static dense u, v;
    double s[MOST];
    const int64_t k = m < n ? m : n, least = k - 1, most = m > n ? m : n;
    x = (struct svd){.type = t, .m = m, .n = n, .k = k, .scale = scale};
    for (int64_t i = 0; i < k; i++)
        x.s[i] = 4 - 3 * (double)i / (double)k;
    unitary(t, m, x.u);
    unitary(t, n, x.v);
    product(m, n, k, x.u, x.s, x.v, x.a);
    x.norm = norm_of(m * n, x.a);
#define SVD(what, vectors, words, ...)                                                             \
    do {                                                                                           \
        memcpy(s, x.s, sizeof s);                                                                  \
        memcpy(u, x.u, sizeof u);                                                                  \
        memcpy(v, x.v, sizeof v);                                                                  \
        __VA_ARGS__;                                                                               \
        judge_svd(&x, what, s, vectors ? u : NULL, vectors ? v : NULL, words);                     \
    } while (0)
    SVD("singular values", 0, NULL, );
    SVD("with vectors", 1, NULL, );
    SVD("values in another order", 0, "value 2 is out of order", s[0] = x.s[1], s[1] = x.s[0]);
    SVD("a value, by twice the sum's tolerance", 0, "the sum of squares",
        s[0] += for_sum(t, most) * x.norm * x.norm / s[0]);
    SVD("a value, by half of it", 0, NULL,
        s[0] += 0.25 * for_sum(t, most) * x.norm * x.norm / s[0]);
    SVD("a vector of the left", 1, "the residual",
        for (int64_t i = 0; i < m; i++) u[i] = x.u[i + m], u[i + m] = x.u[i]);
    SVD("a left vector of the least value", 1, "",
        for (int64_t i = 0; i < m; i++) u[i + least * m] *= 1 + for_sum(t, most));
    SVD("a right vector of the least value", 1, "",
        for (int64_t i = 0; i < n; i++) v[i + least * n] *= 1 + for_sum(t, most));
    if (m > n) /* A'U = V S holds */
        SVD("a vector of the null space", 1, "",
            for (int64_t i = 0; i < m; i++) u[i] += 3 * for_sum(t, most) * x.u[i + n * m]);
    if (n > m) /* A V = U S holds */
        SVD("a vector of the null space", 1, "",
            for (int64_t i = 0; i < n; i++) v[i] += 3 * for_sum(t, most) * x.v[i + m * n]);
#undef SVD
}

/* ---- Reduced forms, tridiagonal values ---------------------------------------------- */

static void tridiagonal(orr_type t, int64_t n, double scale)
{
    static dense q, p, a, b;
    double d[MOST], e[MOST], dd[MOST], ee[MOST];
    char why[ORR_WHY];
    unitary(t, n, q);
    memset(b, 0, sizeof b);
    for (int64_t i = 0; i < n; i++) {
        d[i] = 1 + 0.5 * next_real();
        e[i] = i + 1 < n ? 1 + 0.5 * next_real() : NAN;
        b[i + i * n] = d[i];
    }
    for (int64_t i = 0; i + 1 < n; i++)
        b[i + 1 + i * n] = b[i + (i + 1) * n] = e[i];
    /* a := q b q' */
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            p[i + j * n] = 0;
            for (int64_t k = j > 0 ? j - 1 : 0; k <= j + 1 && k < n; k++)
                p[i + j * n] += q[i + k * n] * b[k + j * n];
        }
    double one[MOST];
    for (int64_t i = 0; i < n; i++)
        one[i] = 1;
    product(n, n, n, p, one, q, a);
    const double norm = norm_of(n * n, a), sum = for_sum(t, n);
#define REDUCED(what, vectors, words, ...)                                                         \
    do {                                                                                           \
        int64_t lda, ldq;                                                                          \
        memcpy(dd, d, sizeof d);                                                                   \
        memcpy(ee, e, sizeof e);                                                                   \
        memcpy(p, q, sizeof p);                                                                    \
        __VA_ARGS__;                                                                               \
        void *x = array(t, n, n, a, "LU"[n % 2], scale, &lda), *y = array(t, n, n, p, 0, 1, &ldq), \
             *diagonal = reals(t, n, dd, scale), *beside = reals(t, n - 1, ee, scale);             \
        const struct orr_matrix A = {                                                              \
            .type = t, .m = n, .n = n, .ld = lda, .a = x, .uplo = "LU"[n % 2]};                    \
        const int wrong =                                                                          \
            orr_verify_tridiagonal(&A, diagonal, beside, vectors ? y : NULL, ldq, why);            \
        judged(what, t, n, wrong, why, words);                                                     \
        free(x), free(y), free(diagonal), free(beside);                                            \
    } while (0)
    REDUCED("T", 0, NULL, );
    REDUCED("T and Q", 1, NULL, );
    REDUCED("an entry beside the diagonal, by twice what is allowed", 0, "the sum of squares",
            ee[n - 2] += sum * norm * norm / (2 * e[n - 2]));
    REDUCED("an entry beside the diagonal, by half of it", 0, NULL,
            ee[n - 2] += sum * norm * norm / (8 * e[n - 2]));
    REDUCED("other signs", 0, "the sum less the trace",
            for (int64_t i = 0; i < n; i++) dd[i] = -d[i]);
    REDUCED("T in reverse", 1, "the residual",
            for (int64_t i = 0; i < n; i++) dd[i] = d[n - 1 - i]);
    REDUCED("the sign of one beside the diagonal", 1, "the residual", ee[n / 2] = -e[n / 2]);
    REDUCED("a vector that is too long", 1, "", for (int64_t i = 0; i < n; i++) p[i] *= 1 + sum);
#undef REDUCED
}

/* A band with kl below and ku above its diagonal, and what has the same sum of squares. */
static void bidiagonal(orr_type t, int64_t m, int64_t n, int64_t kl, int64_t ku)
{
    const int64_t ld = kl + ku + 2, k = m < n ? m : n;
    double square = 0, d[MOST], e[MOST];
    char why[ORR_WHY], *ab = malloc((size_t)(ld * n) * orr_bytes(t));
    if (!ab)
        exit(99);
    for (int64_t j = 0; j < n; j++)
        for (int64_t r = 0; r < ld; r++) {
            const int64_t i = j - ku + r;
            const int there = i >= 0 && i < m && i <= j + kl;
            const number x = there ? draw(t) : NAN;
            put(t, ab, r + j * ld, x);
            number back = 0;
            if (there)
                check_load(t, ab, r + j * ld, 1, 1, &back);
            square += check_square(back);
        }
    const struct orr_matrix A = {.type = t,
                                 .m = m,
                                 .n = n,
                                 .ld = ld - 1,
                                 .a = ab + (size_t)ku * orr_bytes(t),
                                 .diagonals = 1,
                                 .below = kl,
                                 .above = ku};
    static const char *const words[] = {"the sum of squares", NULL, "the sum of squares"};
    for (int by = -1; by <= 1; by++)
        for (int half = 0; half < 2; half++) {
            const double all = square * (1 + by * (half ? 0.5 : 2) * for_sum(t, m > n ? m : n)),
                         each = sqrt(all / (double)(2 * k - 1));
            for (int64_t i = 0; i < k; i++)
                d[i] = i % 2 ? each : -each, e[i] = i + 1 < k ? each : NAN;
            void *x = reals(t, k, d, 1), *y = reals(t, k - 1, e, 1);
            const int wrong = orr_verify_bidiagonal(&A, x, y, why);
            judged("a bidiagonal", t, n, wrong, why, half ? NULL : words[by + 1]);
            free(x);
            free(y);
        }
    free(ab);
}

/* d = 2, e = -1: 2 - 2 cos(pi i / (n + 1)). */
static void values(orr_type t, int64_t n, double scale)
{
    double d[MOST], e[MOST], w[MOST], v[MOST];
    char why[ORR_WHY];
    for (int64_t i = 0; i < n; i++) {
        d[i] = 2, e[i] = i + 1 < n ? -1 : NAN;
        w[i] = 2 - 2 * cos(acos(-1) * (double)(i + 1) / (double)(n + 1));
    }
    const double allowed = 30 * check_eps(t) * (n > 2 ? 4 : n > 1 ? 3 : 2);
    for (int64_t i = -1; i < n; i++)
        for (int by = -2; by <= 2; by++) {
            memcpy(v, w, sizeof v);
            if (i >= 0)
                v[i] += (by % 2 ? 0.5 * by : by) * allowed;
            void *x = reals(t, n, d, scale), *y = reals(t, n - 1, e, scale),
                 *z = reals(t, n, v, scale);
            const int wrong = orr_verify_values(t, n, x, y, z, why);
            char words[64];
            snprintf(words, sizeof words, "value %lld is not within", (long long)i + 1);
            judged("a value of T", t, n, wrong, why, i >= 0 && by % 2 == 0 && by ? words : NULL);
            free(x);
            free(y);
            free(z);
        }
    if (n < 3)
        return;
    void *x = reals(t, n, d, scale), *y = reals(t, n - 1, e, scale), *z = reals(t, n, w, scale);
    put(t, z, n - 1, scale * w[n - 2]);
    put(t, z, n - 2, scale * w[n - 1]);
    judged("values of T in another order", t, n, orr_verify_values(t, n, x, y, z, why), why,
           "out of order");
    put(t, z, n - 1, NAN);
    judged("a value of T that is NaN", t, n, orr_verify_values(t, n, x, y, z, why), why,
           "out of order");
    free(x);
    free(y);
    free(z);
}

/* Minors that are 0 where T falls apart, and values on the grid of subnormal numbers. */
static void singular(void)
{
    const double low = 1 - 30 * DBL_EPSILON, d[] = {1, low}, e[] = {0}, w[] = {low, 1};
    const double least[] = {DBL_TRUE_MIN, DBL_TRUE_MIN}, is[] = {0, 2 * DBL_TRUE_MIN};
    const double third[] = {DBL_TRUE_MIN, 2 * DBL_TRUE_MIN};
    char why[ORR_WHY];
    judged("diagonal", ORR_D, 2, orr_verify_values(ORR_D, 2, d, e, w, why), why, NULL);
    judged("subnormal", ORR_D, 2, orr_verify_values(ORR_D, 2, least, least, is, why), why, NULL);
    judged("off by one", ORR_D, 2, orr_verify_values(ORR_D, 2, least, least, third, why), why,
           NULL);
    const double none[3] = {0}, some[] = {0, 1e-3};
    judged("zeros", ORR_D, 3, orr_verify_values(ORR_D, 3, none, none, none, why), why, NULL);
    judged("zeros, a value", ORR_D, 2, orr_verify_values(ORR_D, 2, none, none, some, why), why,
           "is not within");
}

/* Of zeros: all values are 0, any vectors are right. */
static void zeros(void)
{
    static struct eigen x;
    for (int t = 0; t < ORR_NTYPES; t++) {
        x = (struct eigen){.type = (orr_type)t, .n = 9, .k = 9, .scale = 1, .uplo = 'L'};
        unitary(x.type, 9, x.z);
        judge_eigen(&x, "zeros", x.w, NULL, NULL);
        judge_eigen(&x, "zeros, with vectors", x.w, x.z, NULL);
        x.w[8] = 1e-3;
        judge_eigen(&x, "zeros, a value", x.w, x.z, "the sum");
        x.z[3] *= 2;
        x.w[8] = 0;
        judge_eigen(&x, "zeros, a vector", x.w, x.z, "the loss of orthogonality");
    }
}

int main(void)
{
    zeros();
    singular();
    for (int t = 0; t < ORR_NTYPES; t++) {
        const int far = is_single((orr_type)t) ? 60 : 500;
        for (int s = -1; s <= 1; s++) {
            const double scale = ldexp(1, s * far);
            eigen((orr_type)t, 33, "LU"[(t + s + 1) % 2], scale);
            eigen((orr_type)t, 4, 'L', scale);
            svd((orr_type)t, 30, 30, scale);
            svd((orr_type)t, 41, 17, scale);
            svd((orr_type)t, 17, 41, scale);
            tridiagonal((orr_type)t, 24 + s, scale);
            if (!is_complex((orr_type)t))
                for (int64_t n = 1; n < 20; n += n < 4 ? 1 : 4)
                    values((orr_type)t, n, scale);
        }
        eigen((orr_type)t, 128, 'U', 1);
        bidiagonal((orr_type)t, 40, 40, 0, 3);
        bidiagonal((orr_type)t, 50, 31, 4, 2);
        bidiagonal((orr_type)t, 20, 37, 1, 5);
    }
    for (int s = -900; s <= 900; s += 900)
        imaginary(ldexp(1, s));
    imaginary(ldexp(1, -1060)); /* subnormal */
    pencils();
    return checked();
}
