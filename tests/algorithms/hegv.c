/* hegv: the three problems, types, triangles, subsets and sizes that are awkward for the tiles, against
 * LAPACK's hegvd in double precision; |.| Frobenius, x the longest column of X, K = |B| |B^-1|.
 *
 *   values         max |w - w_lapack| / (n eps K max|w|)                                       <= 20
 *   residual       |A X - B X D| / (n eps (|A| + |B| max|w|) x)   A x = w B x                  <= 20
 *                  |A B X - X D|, |B A X - X D| / (n eps |A| |B| x)  the others                <= 20
 *   orthogonality  |X'B X - I| / (n eps max(1, |B| x^2)), |X'B^-1 X - I| / (n eps K) of B A x  <= 20
 *
 * The same of matrices near the ends of the range, or ORR_RANGE.
 *
 * Arguments: "opencl": with an OpenCL worker as a second memory node, "few": without; a part of the cases.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/herm.h"
#include "algorithms/open.h"
#include "canary.h"
#include "check.h"
#include "larger.h"

static const double LIMIT = 20;
typedef double complex number;

void zhegvd_(const int32_t *, const char *, const char *, const int32_t *, number *,
             const int32_t *, number *, const int32_t *, double *, number *, const int32_t *,
             double *, const int32_t *, int32_t *, const int32_t *, int32_t *);
void zgemm_(const char *, const char *, const int32_t *, const int32_t *, const int32_t *,
            const number *, const number *, const int32_t *, const number *, const int32_t *,
            const number *, number *, const int32_t *);
void zposv_(const char *, const int32_t *, const int32_t *, number *, const int32_t *, number *,
            const int32_t *, int32_t *);

struct problem {
    orr_type type;
    char uplo;
    int64_t n, ld;
    size_t size, real;
    char *a0, *b0, *a, *b, *w, *x; /* a0, b0 as made */
    number *A, *B;                 /* the same, whole, without gaps */
    double *ref, norm_a, norm_b, cond;
};

static number *whole(const struct problem *p, const char *a)
{
    number *x = allocate((size_t)(p->n * p->n) * sizeof *x);
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->n; i++) {
            const int stored = p->uplo == 'L' ? i >= j : i <= j;
            const number v = get(p->type, a, stored ? j * p->ld + i : i * p->ld + j);
            x[j * p->n + i] = i == j ? creal(v) : stored ? v : conj(v);
        }
    return x;
}

static double norm(int64_t count, const number *x)
{
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += creal(x[k] * conj(x[k]));
    return sqrt(sum);
}

/* B = D (2 + R/n) D, D from 1 down to a condition of some hundreds or 10^6. */
static struct problem make(orr_type t, char uplo, int64_t n)
{
    struct problem p = {.type = t,
                        .uplo = uplo,
                        .n = n,
                        .ld = (n > 0 ? n : 1) + n % 3,
                        .size = orr_type_size(t),
                        .real = orr_type_size(orr_type_real(t))};
    const size_t bytes = (size_t)(p.ld * n) * p.size;
    const double grade = p.real == 4 ? 1 : 3;
    rng r = {4000 + (uint64_t)n};
    p.a0 = allocate(bytes), p.b0 = allocate(bytes), p.a = allocate(bytes), p.b = allocate(bytes);
    p.w = allocate((size_t)n * p.real), p.x = allocate(bytes);
    p.ref = allocate((size_t)n * sizeof *p.ref);
    random_hermitian(&r, t, uplo, n, p.a0, p.ld);
    random_hermitian(&r, t, uplo, n, p.b0, p.ld);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const double d = pow(10, -grade * (double)((i * 5) % n + (j * 5) % n) / (double)n);
            const number v = get(t, p.b0, j * p.ld + i) / (double)n + 2 * (i == j);
            put(t, p.b0, j * p.ld + i, d * v);
        }
    p.A = whole(&p, p.a0);
    p.B = whole(&p, p.b0);
    p.norm_a = norm(n * n, p.A);
    p.norm_b = norm(n * n, p.B);
    reference_values(t, uplo, n, p.b0, p.ld, p.ref);
    p.cond = n ? p.norm_b / p.ref[0] : 1;
    return p;
}

static void drop(struct problem *p)
{
    char *const all[] = {p->a0, p->b0,        p->a,         p->b,          p->w,
                         p->x,  (char *)p->A, (char *)p->B, (char *)p->ref};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
}

static void refer(struct problem *p, int which)
{
    const int32_t n = (int32_t)p->n, lwork = 2 * n + 1, lrwork = n + 1, liwork = 1, itype = which;
    number *a = allocate((size_t)(n * n) * sizeof *a), *b = allocate((size_t)(n * n) * sizeof *b);
    number *work = allocate((size_t)lwork * sizeof *work);
    double *rwork = allocate((size_t)lrwork * sizeof *rwork);
    int32_t iwork, info = 0;
    memcpy(a, p->A, (size_t)(n * n) * sizeof *a);
    memcpy(b, p->B, (size_t)(n * n) * sizeof *b);
    if (n > 0)
        zhegvd_(&itype, "N", "L", &n, a, &n, b, &n, p->ref, work, &lwork, rwork, &lrwork, &iwork,
                &liwork, &info);
    CHECK(info == 0, "LAPACK's hegvd: info %d", info);
    free(a);
    free(b);
    free(work);
    free(rwork);
}

/* C := A B or A' B, without gaps. */
static number *product(char trans, int64_t m, int64_t n, int64_t k, const number *a,
                       const number *b)
{
    const int32_t m_ = (int32_t)m, n_ = (int32_t)n, k_ = (int32_t)k;
    const int32_t lda = trans == 'N' ? m_ : k_;
    const number one = 1, zero = 0;
    number *c = allocate((size_t)(m * n) * sizeof *c);
    if (m > 0 && n > 0)
        zgemm_(&trans, "N", &m_, &n_, &k_, &one, a, &lda, b, &k_, &zero, c, &m_);
    return c;
}

static number *solved(const struct problem *p, int64_t k, const number *x)
{
    const int32_t n = (int32_t)p->n, k_ = (int32_t)k;
    int32_t info = 0;
    number *b = allocate((size_t)(n * n) * sizeof *b);
    number *y = allocate((size_t)(n * k) * sizeof *y);
    memcpy(b, p->B, (size_t)(n * n) * sizeof *b);
    memcpy(y, x, (size_t)(n * k) * sizeof *y);
    zposv_("L", &n, &k_, b, &n, y, &n, &info);
    free(b);
    return y;
}

struct worst {
    double values, residual, orthogonality;
};

static void check_vectors(const struct problem *p, int which, int64_t k, const char *what,
                          struct worst *worst)
{
    const int64_t n = p->n;
    const double eps = (double)n * orr_type_eps(p->type);
    number *x = allocate((size_t)(n * k) * sizeof *x);
    double longest = 0, top = fmax(fabs(p->ref[0]), fabs(p->ref[n - 1]));
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < n; i++)
            x[j * n + i] = get(p->type, p->x, j * p->ld + i);
        longest = fmax(longest, norm(n, x + j * n));
    }
    number *bx = product('N', n, k, n, p->B, x), *ax = product('N', n, k, n, p->A, x);
    number *left =
        which == 1 ? ax : product('N', n, k, n, which == 2 ? p->A : p->B, which == 2 ? bx : ax);
    const number *right = which == 1 ? bx : x;
    number *difference = allocate((size_t)(n * k) * sizeof *difference);
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < n; i++)
            difference[j * n + i] =
                left[j * n + i] - creal(get(orr_type_real(p->type), p->w, j)) * right[j * n + i];
    const double scale = which == 1 ? p->norm_a + p->norm_b * top : p->norm_a * p->norm_b;
    const double res = norm(n * k, difference) / (eps * scale * longest);
    number *other = which == 3 ? solved(p, k, x) : bx;
    number *gram = product('C', k, k, n, x, other);
    for (int64_t j = 0; j < k; j++)
        gram[j * k + j] -= 1;
    const double orth =
        norm(k * k, gram) / (eps * (which == 3 ? p->cond : fmax(1, p->norm_b * longest * longest)));
    CHECK(res <= LIMIT && orth <= LIMIT, "%s: residual %g, orthogonality %g", what, res, orth);
    worst->residual = fmax(worst->residual, res);
    worst->orthogonality = fmax(worst->orthogonality, orth);
    if (left != ax)
        free(left);
    if (other != bx)
        free(other);
    free(x), free(ax), free(bx), free(difference), free(gram);
}

static orr_status solve(orr_context *ctx, struct problem *p, orr_hegv_opts o, int vectors,
                        orr_report *rep)
{
    const size_t bytes = (size_t)(p->ld * p->n) * p->size + PAST;
    memcpy(p->a, p->a0, bytes);
    memcpy(p->b, p->b0, bytes);
    memset(p->x, CANARY, bytes);
    memset(p->w, CANARY, (size_t)p->n * p->real);
    return orr_hegv(ctx, p->type, p->uplo, p->n, p->a, p->ld, p->b, p->ld, p->w,
                    vectors ? p->x : NULL, p->ld, &o, rep);
}

/* Nothing written below row n, nor behind the k vectors and values. */
static void check_surroundings(const struct problem *p, int64_t k, int64_t columns,
                               const char *what)
{
    int kept = untouched(p->w + (size_t)k * p->real, (size_t)(p->n - k) * p->real + PAST) &&
               untouched(p->x + (size_t)(columns * p->ld) * p->size,
                         (size_t)((p->n - columns) * p->ld) * p->size + PAST);
    for (int64_t j = 0; j < p->n; j++) {
        const size_t at = (size_t)(j * p->ld + p->n) * p->size,
                     rest = (size_t)(p->ld - p->n) * p->size;
        kept &= !memcmp(p->a + at, p->a0 + at, rest) && !memcmp(p->b + at, p->b0 + at, rest) &&
                untouched(p->x + at, rest);
    }
    CHECK(kept, "%s: written outside", what);
}

static void one(orr_context *ctx, orr_type t, char uplo, int64_t n, orr_hegv_opts o, int vectors,
                struct worst *worst)
{
    char what[128];
    snprintf(what, sizeof what, "%c %c n %lld problem %d tile %lld", orr_type_letter(t), uplo,
             (long long)n, o.problem, (long long)o.heev.tile);
    struct problem p = make(t, uplo, n);
    int64_t found[2] = {1, n};
    orr_report rep;
    o.heev.found = found;
    const orr_status st = solve(ctx, &p, o, vectors, &rep);
    const int64_t k = found[1] - found[0] + 1, first = found[0] - 1;
    CHECK(st == ORR_OK && first >= 0 && k >= 0 && first + k <= n, "%s: status %d %s", what, st,
          rep.message);
    refer(&p, o.problem ? o.problem : 1);
    double e = 0, top = 0;
    for (int64_t i = 0; i < n; i++)
        top = fmax(top, fabs(p.ref[i]));
    const double eps = (double)n * orr_type_eps(t) * p.cond * top;
    for (int64_t i = 0; i < k && st == ORR_OK; i++) {
        const double w = creal(get(orr_type_real(t), p.w, i));
        e = larger(e, fabs(w - p.ref[first + i]) / eps);
        CHECK(!o.heev.vu || (w > o.heev.vl && w <= o.heev.vu), "%s: %g is outside", what, w);
    }
    for (int64_t i = 0; o.heev.vu && i < n; i++) { /* nothing inside was left out */
        const int in = p.ref[i] > o.heev.vl + LIMIT * eps && p.ref[i] < o.heev.vu - LIMIT * eps;
        CHECK(!in || (i >= first && i < first + k), "%s: value %lld is missing", what,
              (long long)i);
    }
    CHECK(e <= LIMIT, "%s: values %g", what, e);
    worst->values = fmax(worst->values, e);
    check_surroundings(&p, k, vectors ? k : 0, what);
    if (vectors && k > 0 && st == ORR_OK)
        check_vectors(&p, o.problem ? o.problem : 1, k, what, worst);
    drop(&p);
}

static void sizes(orr_context *ctx, int step)
{
    static const int64_t n[] = {0, 1, 2, 3, 5, 15, 16, 17, 31, 33, 48, 49, 65, 97, 130};
    static const orr_heev_opts shape[] = {
        {0}, {.band = 4, .tile = 16}, {.band = 8, .tile = 24}, {.method = ORR_DENSE_LAPACK}};
    for (int t = 0; t < ORR_NTYPES; t++) {
        struct worst worst = {0};
        for (int i = t % step; i < (int)(sizeof n / sizeof *n); i += step)
            for (int which = 1 + i % step; which <= 3; which += step)
                one(ctx, (orr_type)t, (i + which) % 2 ? 'U' : 'L', n[i],
                    (orr_hegv_opts){.problem = which, .heev = shape[(i + which + t) % 4]},
                    (i + t + which) % 4 != 0, &worst);
        for (int which = 1 + t % step; which <= 3;
             which += step) { /* several panels and tiles; subsets */
            const orr_hegv_opts o = {.problem = which, .heev = {.band = 16, .tile = 48}};
            orr_hegv_opts some = o, within = o;
            one(ctx, (orr_type)t, "UL"[which % 2], 201, o, 1, &worst);
            some.heev.il = 7, some.heev.iu = 40;
            one(ctx, (orr_type)t, 'L', 111, some, 1, &worst);
            one(ctx, (orr_type)t, 'U', 111, some, 0, &worst);
            within.heev.vl = -0.4, within.heev.vu = 1.7;
            one(ctx, (orr_type)t, 'U', 90, within, 1, &worst);
            within.heev.vl = 1e20, within.heev.vu = 1e21;
            one(ctx, (orr_type)t, 'L', 33, within, 1, &worst);
        }
        one(ctx, (orr_type)t, 'L', 300, (orr_hegv_opts){0}, 1, &worst);
        printf("%c: worst values %.3g, residual %.3g, orthogonality %.3g (limit %g)\n",
               orr_type_letter((orr_type)t), worst.values, worst.residual, worst.orthogonality,
               LIMIT);
    }
}

/* ---- Near the ends of the range ---------------------------------------------------------------- */

static void rescale(orr_type t, int64_t count, char *x, int exponent)
{
    for (int64_t k = 0; k < count; k++) {
        const number v = get(t, x, k);
        /* in two steps, each within the range of double precision */
        put(t, x, k, v * pow(10, exponent / 2) * pow(10, exponent - exponent / 2));
    }
}

/* A times 10^ea, B times 10^eb: values times 10^(ea - eb) or 10^(ea + eb), and the same vectors but for
 * their lengths; or, where the largest value is beyond the range, on either side, a status. */
static void scaled(orr_context *ctx, orr_type t, int which, int64_t n, int ea, int eb, int interval,
                   struct worst *worst)
{
    struct problem p = make(t, "LU"[n % 2], n);
    const orr_type real = orr_type_real(t);
    const int shift = which == 1 ? ea - eb : ea + eb, ends = p.real == 4 ? 38 : 308;
    orr_hegv_opts o = {.problem = which};
    int64_t found[2] = {1, n};
    orr_report rep;
    char what[96];
    if (n > 40)
        o.heev.band = 8, o.heev.tile = 16;
    refer(&p, which);
    const double top = fmax(fabs(p.ref[0]), fabs(p.ref[n - 1]));
    const int within = log10(top) + shift < ends && log10(top) + shift > -ends + 1;
    if (interval && within) { /* all of them */
        o.heev.vl = -2 * top * pow(10, shift);
        o.heev.vu = 2 * top * pow(10, shift);
    }
    o.heev.found = found;
    rescale(t, p.ld * n, p.a0, ea);
    rescale(t, p.ld * n, p.b0, eb);
    snprintf(what, sizeof what, "%c n %lld problem %d A 1e%d B 1e%d", orr_type_letter(t),
             (long long)n, which, ea, eb);
    const orr_status st = solve(ctx, &p, o, 1, &rep);
    CHECK(st == (within ? ORR_OK : ORR_RANGE) && (within || rep.message[0]), "%s: status %d %s",
          what, st, rep.message);
    CHECK(found[0] == 1 && found[1] == n, "%s: values %lld to %lld", what, (long long)found[0],
          (long long)found[1]);
    if (st == ORR_OK && within && found[1] == n) {
        const double eps = (double)n * orr_type_eps(t) * p.cond * top;
        double e = 0;
        rescale(real, n, p.w, -shift);
        rescale(t, p.ld * n, p.x, which == 3 ? -eb / 2 : eb / 2);
        for (int64_t i = 0; i < n; i++)
            e = larger(e, fabs(creal(get(real, p.w, i)) - p.ref[i]) / eps);
        CHECK(e <= LIMIT, "%s: values %g", what, e);
        check_vectors(&p, which, n, what, worst);
        /* b has become L */
        rescale(t, p.ld * n, p.b, -eb / 2);
        double off = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) {
                number sum = -p.B[j * n + i];
                for (int64_t k = 0; k <= j; k++)
                    sum += get(t, p.b, k * p.ld + i) * conj(get(t, p.b, k * p.ld + j));
                off = larger(off, cabs(sum));
            }
        CHECK(off <= LIMIT * (double)n * orr_type_eps(t) * p.norm_b, "%s: L L' is off by %g", what,
              off);
    }
    drop(&p);
}

static void ends_of_range(orr_context *ctx)
{
    static const int part[] = {-2, -1, 0, 1, 2};
    for (int t = 0; t < ORR_NTYPES; t++) {
        const int unit = t == ORR_S || t == ORR_C ? 14 : 146;
        struct worst worst = {0};
        for (int a = 0; a < 5; a++)
            for (int b = 0; b < 5; b++)
                for (int which = 1; which <= 3; which++)
                    if ((a + b + which) % 2)
                        scaled(ctx, (orr_type)t, which, a == b ? 50 : 21, part[a] * unit,
                               part[b] * unit, b % 2, &worst);
        printf("%c scaled: residual %.3g, orthogonality %.3g (limit %g)\n",
               orr_type_letter((orr_type)t), worst.residual, worst.orthogonality, LIMIT);
    }
}

/* One small value of a spectrum that is within the range, B = I: it may be subnormal, as its error may;
 * if all are, it is not passed off. */
static void subnormal_part(orr_context *ctx)
{
    for (int t = 0; t < ORR_NTYPES; t++)
        for (int all = 0; all < 2; all++) {
            struct problem p = make((orr_type)t, 'L', 9);
            const double least = p.real == 4 ? 0x1p-126 : 0x1p-1022;
            const orr_hegv_opts o = {.heev = {.il = 3, .iu = 3}};
            orr_report rep;
            for (int64_t j = 0; j < 9; j++)
                for (int64_t i = 0; i < 9; i++) {
                    const double value = i < 5 ? least / 512 * (double)i : 64 * least * (double)i;
                    put((orr_type)t, p.a0, j * p.ld + i,
                        i == j ? all ? least / 512 * (double)i : value : 0);
                    put((orr_type)t, p.b0, j * p.ld + i, i == j);
                }
            const orr_status st = solve(ctx, &p, o, 1, &rep);
            CHECK(st == (all ? ORR_RANGE : ORR_OK), "%c %d: status %d %s", orr_type_letter(p.type),
                  all, st, rep.message);
            CHECK(fabs(creal(get(orr_type_real(p.type), p.w, 0)) - least / 256) < least / 4096,
                  "%c: %g", orr_type_letter(p.type), creal(get(orr_type_real(p.type), p.w, 0)));
            drop(&p);
        }
}

/* The leading minor that is not positive is told, wherever it is in its tile. */
static void indefinite(orr_context *ctx)
{
    static const int64_t at[] = {1, 2, 15, 16, 17, 33, 50};
    for (int t = 0; t < ORR_NTYPES; t++)
        for (size_t k = 0; k < sizeof at / sizeof *at; k++)
            for (int tiled = 0; tiled < 2; tiled++) {
                struct problem p = make((orr_type)t, k % 2 ? 'U' : 'L', 50);
                const int64_t i = at[k] - 1;
                char expected[64];
                orr_report rep;
                put((orr_type)t, p.b0, i * p.ld + i, -1e-3);
                if (at[k] < 50) /* a later one is not the first */
                    put((orr_type)t, p.b0, 49 * (p.ld + 1), -5);
                orr_hegv_opts o = {.problem = 1 + (int)k % 3};
                if (tiled)
                    o.heev.band = 8, o.heev.tile = 16;
                const orr_status st = solve(ctx, &p, o, 1, &rep);
                snprintf(expected, sizeof expected, "order %lld (LAPACK: info = %lld ",
                         (long long)at[k], (long long)at[k] + 50);
                CHECK(st == ORR_E_DEFINITE && rep.index == at[k] && strstr(rep.message, expected),
                      "minor %lld: status %d, index %lld, '%s'", (long long)at[k], st,
                      (long long)rep.index, rep.message);
                CHECK(untouched(p.w, 50 * p.real) && untouched(p.x, (size_t)(50 * p.ld) * p.size),
                      "w or z was written");
                drop(&p);
            }
}

static void nonfinite(orr_context *ctx)
{
    for (int which = 0; which < 2; which++)
        for (int t = 0; t < ORR_NTYPES; t++) {
            struct problem p = make((orr_type)t, 'L', 20);
            orr_report rep;
            put((orr_type)t, which ? p.b0 : p.a0, 3 * p.ld + 7, which ? INFINITY : NAN);
            const orr_status st = solve(ctx, &p, (orr_hegv_opts){0}, 1, &rep);
            CHECK(st == ORR_E_NONFINITE && rep.index == 3 * p.ld + 7 &&
                      strstr(rep.message, which ? "(7, 3) of B" : "(7, 3) of A") &&
                      !strcmp(rep.culprit, which ? "b" : "a"),
                  "status %d, index %lld, '%s'", st, (long long)rep.index, rep.message);
            CHECK(!memcmp(p.a, p.a0, (size_t)(p.ld * 20) * p.size) &&
                      !memcmp(p.b, p.b0, (size_t)(p.ld * 20) * p.size),
                  "something was written");
            drop(&p);
        }
}

/* Several in flight, from one thread: every bit as one after the other; reports too. */
static void submitted(orr_context *ctx)
{
    enum { AT_ONCE = 4, INDEFINITE = 3 };
    struct problem p[AT_ONCE], q[AT_ONCE];
    orr_hegv_opts o[AT_ONCE] = {{0}, {.problem = 2}, {.problem = 3}, {0}};
    orr_request *req[AT_ONCE];
    orr_report rep;
    for (int k = 0; k < AT_ONCE; k++) {
        const int64_t n = 90 + 13 * k;
        p[k] = make((orr_type)k, "LU"[k % 2], n);
        q[k] = make((orr_type)k, "LU"[k % 2], n);
        o[k].heev.band = 8, o[k].heev.tile = 24;
        if (k == INDEFINITE) {
            put((orr_type)k, p[k].b0, 40 * (p[k].ld + 1), -1);
            put((orr_type)k, q[k].b0, 40 * (q[k].ld + 1), -1);
        }
        memcpy(p[k].a, p[k].a0, (size_t)(p[k].ld * n) * p[k].size);
        memcpy(p[k].b, p[k].b0, (size_t)(p[k].ld * n) * p[k].size);
        const orr_status st = orr_submit_hegv(ctx, p[k].type, p[k].uplo, n, p[k].a, p[k].ld, p[k].b,
                                              p[k].ld, p[k].w, p[k].x, p[k].ld, &o[k], &req[k]);
        CHECK(st == ORR_OK, "number %d is refused: %d", k, st);
    }
    for (int k = AT_ONCE - 1; k >= 0; k--) {
        orr_report there;
        const orr_status st = orr_wait(req[k], &rep), want = solve(ctx, &q[k], o[k], 1, &there);
        CHECK(st == want && rep.status == st && rep.index == there.index &&
                  (st < 0 || rep.tasks == there.tasks) && !strcmp(rep.message, there.message),
              "number %d: status %d, not %d; index %lld, %lld tasks, '%s'", k, st, want,
              (long long)rep.index, (long long)rep.tasks, rep.message);
        CHECK((k == INDEFINITE) == (st == ORR_E_DEFINITE) && rep.seconds > 0 &&
                  strstr(rep.plan, "\"seconds\":{\"reduction\":"),
              "number %d: status %d, %s", k, st, rep.plan);
        int same = 1;
        for (int64_t j = 0; st == ORR_OK && j < p[k].n; j++)
            same &= !memcmp(p[k].x + (size_t)(j * p[k].ld) * p[k].size,
                            q[k].x + (size_t)(j * q[k].ld) * q[k].size, (size_t)p[k].n * p[k].size);
        CHECK(st != ORR_OK || (same && !memcmp(p[k].w, q[k].w, (size_t)p[k].n * p[k].real)),
              "number %d: other bits", k);
        drop(&p[k]);
        drop(&q[k]);
    }
    double a[4] = {1, NAN, 0, 1}, b[4] = {1, 0, 0, 1}, w[2];
    CHECK(orr_submit_hegv(ctx, ORR_D, 'L', 2, a, 2, b, 2, w, NULL, 2, NULL, req) == ORR_E_NONFINITE,
          "NaN is submitted");
    CHECK(orr_submit_hegv(ctx, ORR_D, 'L', 2, a, 2, b, 1, w, NULL, 2, NULL, req) == ORR_E_ARG,
          "ldb");
    CHECK(orr_submit_hegv(ctx, ORR_D, 'U', 2, a, 2, b, 2, w, NULL, 2, NULL, NULL) == ORR_E_ARG,
          "no request");
}

/* Cancelled: both that are in flight say so, or are done. */
static void cancelled(orr_context *ctx)
{
    struct problem p = make(ORR_Z, 'L', 300), q = make(ORR_D, 'L', 300);
    orr_request *req[2];
    const size_t bytes = (size_t)(p.ld * 300) * p.size, half = (size_t)(q.ld * 300) * q.size;
    memcpy(p.a, p.a0, bytes), memcpy(p.b, p.b0, bytes);
    memcpy(q.a, q.a0, half), memcpy(q.b, q.b0, half);
    CHECK(orr_submit_hegv(ctx, p.type, 'L', 300, p.a, p.ld, p.b, p.ld, p.w, p.x, p.ld, NULL,
                          &req[0]) == ORR_OK,
          "refused");
    CHECK(orr_submit_hegv(ctx, q.type, 'L', 300, q.a, q.ld, q.b, q.ld, q.w, q.x, q.ld, NULL,
                          &req[1]) == ORR_OK,
          "refused");
    orr_cancel(ctx);
    for (int k = 0; k < 2; k++) {
        orr_report rep;
        const orr_status st = orr_wait(req[k], &rep);
        CHECK(st == ORR_E_CANCELLED || st == ORR_OK, "status %d %s", st, rep.message);
    }
    drop(&p);
    drop(&q);
}

static void arguments(orr_context *ctx)
{
    double a[4] = {1, 0, 0, 1}, b[4] = {1, 0, 0, 1}, w[2];
    orr_report rep;
#define REFUSED(why, n, a, b, ldb, w, ...)                                                         \
    do {                                                                                           \
        const orr_status st = orr_hegv(ctx, ORR_D, 'L', n, a, 2, b, ldb, w, NULL, 2,               \
                                       &(orr_hegv_opts){__VA_ARGS__}, &rep);                       \
        CHECK(st == ORR_E_ARG && strstr(rep.message, why), "status %d '%s'", st, rep.message);     \
    } while (0)
    REFUSED("problem", 2, a, b, 2, w, .problem = 4);
    REFUSED("problem", 2, a, b, 2, w, .problem = -1);
    REFUSED("ldb", 2, a, b, 1, w, .problem = 1);
    REFUSED("ldb", 2, a, b, INT32_MAX + (int64_t)1, w, .problem = 1);
    REFUSED("b is NULL", 2, a, NULL, 2, w, .problem = 1);
    REFUSED("a is NULL", 2, NULL, a, 2, w, .problem = 1);
    REFUSED("w is NULL", 2, a, b, 2, NULL, .problem = 1);
    REFUSED("negative", -1, a, b, 2, w, .problem = 1);
    REFUSED("il and iu are", 2, a, b, 2, w, .heev = {.il = 3, .iu = 3});
    REFUSED("vl and vu are", 2, a, b, 2, w, .heev = {.vl = 1, .vu = 1});
    CHECK(orr_hegv(ctx, ORR_D, 'X', 2, a, 2, b, 2, w, NULL, 2, NULL, NULL) == ORR_E_ARG, "uplo");
}

/* Every place gives right vectors. Places that use a device agree in every bit, unless it is a CUDA
 * device; CPUs alone add in another order. Without a device place gpu fails, and the others agree. */
static void places(orr_context *ctx)
{
    orr_context_info info;
    orr_context_query(ctx, &info);
    for (int t = 0; t < ORR_NTYPES; t++) {
        struct problem p = make((orr_type)t, t % 2 ? 'U' : 'L', 85);
        const size_t bytes = (size_t)(p.ld * 85) * p.size;
        char *x = allocate(bytes);
        struct worst worst = {0};
        refer(&p, 1 + t % 3);
        static const orr_place place[] = {ORR_PLACE_CPU, ORR_PLACE_GPU, ORR_PLACE_AUTO};
        for (int k = 0; k < 3; k++) {
            orr_report rep;
            const orr_hegv_opts o = {.problem = 1 + t % 3,
                                     .heev = {.band = 8, .tile = 24, .place = place[k]}};
            const orr_status st = solve(ctx, &p, o, 1, &rep);
            if (info.cuda + info.opencl == 0 && place[k] == ORR_PLACE_GPU) {
                CHECK(st == ORR_E_NOWORKER, "place gpu without a device: status %d", st);
                continue;
            }
            CHECK(st == ORR_OK, "place %d: status %d %s", place[k], st, rep.message);
            check_vectors(&p, 1 + t % 3, 85, "a place", &worst);
            CHECK(k < 2 || info.cuda || !memcmp(x, p.x, bytes), "place %d gives other bits", k);
            memcpy(x, p.x, bytes);
        }
        free(x);
        drop(&p);
    }
}

int main(int argc, char **argv)
{
    const int opencl = argc > 1 && strcmp(argv[1], "opencl") == 0;
    orr_context *ctx = open_context(opencl);
    sizes(ctx, argc > 1 ? 3 : 1);
    if (argc == 1) {
        indefinite(ctx);
        ends_of_range(ctx);
        subnormal_part(ctx);
    }
    nonfinite(ctx);
    submitted(ctx);
    cancelled(ctx);
    arguments(ctx);
    places(ctx);
    orr_close(ctx);
    return checked();
}
