/* Every dense and band operation on one matrix times 10^e, over the whole range of its type: the
 * same digits, or a status. For each, in long double, whose range has room for all squares:
 *
 *   residual   |A V - U M|_F / (k eps |A|_F + grid)                  <= 20
 *   U, V       |I - U'U|_F / (k eps)                                 <= 20
 *   values     max |x - 10^e x_lapack| / (k eps max x + grid)        <= 20
 *
 * M is what the operation makes of A: diagonal, tridiagonal or bidiagonal; k = max(m,n), and the
 * grid is that of the subnormal numbers, to which A and the results are rounded. A matrix whose
 * values are beyond the range gets ORR_RANGE, or ORR_OK where none is. A zero among the results,
 * also of matrices of 0, of -0 and of rank one, is not -0.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/open.h"
#include "check.h"
#include "numbers.h"

typedef long double complex wide;

static const long double LIMIT = 20;

void zgesdd_(const char *, const int *, const int *, double complex *, const int *, double *,
             double complex *, const int *, double complex *, const int *, double complex *,
             const int *, double *, int *, int *);
void zheevd_(const char *, const char *, const int *, double complex *, const int *, double *,
             double complex *, const int *, double *, const int *, int *, const int *, int *);

static int is_single(orr_type t) { return orr_type_real(t) == ORR_S; }

/* ---- Numbers of five types ---------------------------------------------------------------- */

static wide number(orr_type t, const void *a, int64_t i) { return get(t, a, i); }

/* Of d, e, s and of vectors. */
static orr_type result(orr_type t) { return t == ORR_H ? ORR_S : t; }

static long double grid(orr_type t)
{
    return t == ORR_H ? 0x1p-24L : is_single(t) ? 0x1p-149L : 0x1p-1074L;
}

static long double greatest(orr_type t) { return is_single(result(t)) ? FLT_MAX : DBL_MAX; }

static void *room(int64_t count) { return calloc((size_t)count + 1, sizeof(double complex)); }

/* ---- A case --------------------------------------------------------------------------------- */

enum kind { HERMITIAN, GENERAL, HERMITIAN_BAND, GENERAL_BAND };

/* A is m x n, (i,j) at a[j*ld + i] or, a band, at a[j*ld + ku + i - j]. What comes out: U (m x k),
 * V (n x k), and the diagonals of M, of which `below` may be that above it, or NULL. */
struct problem {
    orr_type type;
    enum kind kind;
    int64_t m, n, k, kl, ku, ld;
    wide *base;  /* m x n, entries of order 1 */
    double *ref; /* its values */
    void *a, *kept, *d, *above, *below, *u, *v;
    int vectors;
};

static int in_band(const struct problem *p, int64_t i, int64_t j)
{
    return p->kind < HERMITIAN_BAND || (i - j <= p->kl && j - i <= p->ku);
}

static int64_t at(const struct problem *p, int64_t i, int64_t j)
{
    return j * p->ld + i +
           (p->kind < HERMITIAN_BAND    ? 0
            : p->kind == HERMITIAN_BAND ? -j
                                        : p->ku - j);
}

/* Hermitian: of the lower triangle. */
static wide entry(const struct problem *p, int64_t i, int64_t j)
{
    const int mirror = (p->kind == HERMITIAN || p->kind == HERMITIAN_BAND) && i < j;
    if (!in_band(p, i, j))
        return 0;
    const wide x = number(p->type, p->kept, mirror ? at(p, j, i) : at(p, i, j));
    return mirror ? conjl(x) : x;
}

static int64_t elements(const struct problem *p) { return p->ld * p->n; }

static void scale_to(struct problem *p, int e)
{
    const long double power = powl(10, e);
    memset(p->a, 0, (size_t)elements(p) * orr_type_size(p->type));
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = p->kind == GENERAL || p->kind == GENERAL_BAND ? 0 : j; i < p->m; i++)
            if (in_band(p, i, j))
                put(p->type, p->a, at(p, i, j), (double complex)(p->base[j * p->m + i] * power));
    memcpy(p->kept, p->a, (size_t)elements(p) * orr_type_size(p->type));
}

static void reference(struct problem *p)
{
    const int m = (int)p->m, n = (int)p->n, lwork = 20000, lrwork = 20000, liwork = 4000, one = 1;
    double complex *a = room(p->m * p->n + p->m), *work = room(lwork), none[1];
    double *rwork = calloc((size_t)lrwork, 8);
    int *iwork = calloc((size_t)liwork, 4), info;
    for (int64_t i = 0; i < p->m * p->n; i++)
        a[i] = (double complex)p->base[i];
    if (p->kind == HERMITIAN || p->kind == HERMITIAN_BAND)
        zheevd_("N", "L", &n, a, &n, p->ref, work, &lwork, rwork, &lrwork, iwork, &liwork, &info);
    else
        zgesdd_("N", &m, &n, a, &m, p->ref, none, &one, none, &one, work, &lwork, rwork, iwork,
                &info);
    CHECK(info == 0, "LAPACK %d", info);
    free(a);
    free(work);
    free(rwork);
    free(iwork);
}

static struct problem make(orr_type t, enum kind kind, int64_t m, int64_t n, int64_t kl, int64_t ku)
{
    struct problem p = {.type = t,
                        .kind = kind,
                        .m = m,
                        .n = n,
                        .k = m < n ? m : n,
                        .kl = kl,
                        .ku = ku,
                        .ld = kind < HERMITIAN_BAND ? m : kl + 1 + (kind == GENERAL_BAND ? ku : 0)};
    uint64_t state = (uint64_t)(100 * m + n + kind);
    p.base = calloc((size_t)(m * n), sizeof *p.base);
    p.ref = calloc((size_t)p.k, sizeof *p.ref);
    const int64_t most = (m > n ? m : n) * p.k;
    p.a = room(elements(&p));
    p.kept = room(elements(&p));
    p.d = room(p.k);
    p.above = room(p.k);
    p.u = room(most);
    p.v = room(most);
    const int hermitian = kind == HERMITIAN || kind == HERMITIAN_BAND;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            const double re = next_uniform(&state), im = next_uniform(&state);
            wide x = re + (t == ORR_C || t == ORR_Z ? I * (long double)im : 0);
            if (hermitian && i < j)
                x = conjl(p.base[i * m + j]);
            else if (hermitian && i == j)
                x = re;
            p.base[j * m + i] = in_band(&p, i, j) ? x : 0;
        }
    reference(&p);
    return p;
}

static void drop(struct problem *p)
{
    void *const all[] = {p->base, p->ref, p->a, p->kept, p->d, p->above, p->u, p->v};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

/* ---- Judging -------------------------------------------------------------------------------- */

static long double square(wide x) { return creall(x) * creall(x) + cimagl(x) * cimagl(x); }

static long double norm(const struct problem *p)
{
    long double sum = 0;
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++)
            sum += square(entry(p, i, j));
    return sqrtl(sum);
}

/* Column j of U M, row i. */
static wide product(const struct problem *p, int64_t i, int64_t j)
{
    const orr_type t = result(p->type), real = orr_type_real(t);
    wide x = number(t, p->u, j * p->m + i) * number(real, p->d, j);
    if (p->above && j > 0)
        x += number(t, p->u, (j - 1) * p->m + i) * number(real, p->above, j - 1);
    if (p->below && j + 1 < p->k)
        x += number(t, p->u, (j + 1) * p->m + i) * number(real, p->below, j);
    return x;
}

static long double residual(const struct problem *p)
{
    const orr_type t = result(p->type);
    const int64_t most = p->m > p->n ? p->m : p->n;
    long double sum = 0;
    for (int64_t j = 0; j < p->k; j++)
        for (int64_t i = 0; i < p->m; i++) {
            wide x = -product(p, i, j);
            for (int64_t c = 0; c < p->n; c++)
                if (in_band(p, i, c))
                    x += entry(p, i, c) * number(t, p->v, j * p->n + c);
            sum += square(x);
        }
    return sqrtl(sum) / ((long double)most * orr_type_eps(p->type) * norm(p) +
                         (long double)p->k * grid(result(p->type)));
}

static long double departure(const struct problem *p, int64_t rows, const void *x)
{
    const orr_type t = result(p->type);
    long double sum = 0;
    for (int64_t j = 0; j < p->k; j++)
        for (int64_t i = 0; i <= j; i++) {
            wide y = -(i == j);
            for (int64_t r = 0; r < rows; r++)
                y += conjl(number(t, x, i * rows + r)) * number(t, x, j * rows + r);
            sum += (i == j ? 1 : 2) * square(y);
        }
    return sqrtl(sum) / ((long double)rows * orr_type_eps(t));
}

/* x: ascending or descending values of p->k, in long double and divided by 10^e. */
static long double value_error(const struct problem *p, const long double *x, int e)
{
    const int64_t most = p->m > p->n ? p->m : p->n;
    long double top = 0, error = 0;
    for (int64_t i = 0; i < p->k; i++)
        top = fmaxl(top, fabsl((long double)p->ref[i]));
    for (int64_t i = 0; i < p->k; i++) {
        const long double off = fabsl(x[i] - p->ref[i]);
        error = off <= error ? error : off;
    }
    return error / ((long double)most * orr_type_eps(p->type) * top +
                    (long double)most * grid(p->type) / powl(10, e));
}

static void values(const struct problem *p, int e, const char *what)
{
    long double *x = calloc((size_t)p->k + 1, sizeof *x);
    for (int64_t i = 0; i < p->k; i++)
        x[i] = creall(number(orr_type_real(result(p->type)), p->d, i)) / powl(10, e);
    const long double off = value_error(p, x, e);
    CHECK(off <= LIMIT, "%s: values %Lg", what, off);
    free(x);
}

/* ---- The operations --------------------------------------------------------------------------- */

struct operation {
    const char *name;
    enum kind kind;
    int64_t m, n, kl, ku;
    int half;   /* it takes half precision */
    int method; /* an orr_method, or a variant */
    orr_status (*run)(orr_context *, struct problem *, int method, orr_report *);
};

static orr_status run_heevj(orr_context *ctx, struct problem *p, int method, orr_report *rep)
{
    const orr_batch A = {.type = p->type, .batch = 1, .m = p->n, .n = p->n, .a = p->a};
    const orr_batch w = {.type = orr_type_real(p->type), .batch = 1, .m = p->n, .n = 1, .a = p->d};
    orr_matrix_info info;
    const orr_status st = orr_heevj(
        ctx, &A, &w, &(orr_heevj_opts){.check = 1, .method = (orr_method)method}, &info, rep);
    CHECK(info.status == st, "heevj: the record says %d, the call %d", info.status, st);
    CHECK(st != ORR_OK || (info.residual <= 20 && info.orthogonality <= 20),
          "heevj: its own residual %g, orthogonality %g", info.residual, info.orthogonality);
    memcpy(p->u, p->a, (size_t)(p->n * p->n) * orr_type_size(p->type));
    memcpy(p->v, p->u, (size_t)(p->n * p->n) * orr_type_size(p->type));
    return st;
}

/* Variants: 0 two stages, 1 those of a chosen shape, 2 LAPACK's reduction. */
static orr_dense_method dense_method(int variant)
{
    return variant == 2 ? ORR_DENSE_LAPACK : ORR_DENSE_TWO_STAGE;
}

static orr_status run_heev(orr_context *ctx, struct problem *p, int variant, orr_report *rep)
{
    const orr_heev_opts o = {
        .band = variant ? 0 : 8, .tile = variant ? 0 : 16, .method = dense_method(variant)};
    const orr_status st = orr_heev(ctx, p->type, 'L', p->n, p->a, p->ld, p->d, p->u, p->n, &o, rep);
    memcpy(p->v, p->u, (size_t)(p->n * p->n) * orr_type_size(p->type));
    return st;
}

static orr_status run_heev_values(orr_context *ctx, struct problem *p, int variant, orr_report *rep)
{
    const orr_heev_opts o = {.method = dense_method(variant)};
    p->vectors = 0;
    return orr_heev(ctx, p->type, 'L', p->n, p->a, p->ld, p->d, NULL, 1, &o, rep);
}

static orr_status run_gesvd(orr_context *ctx, struct problem *p, int variant, orr_report *rep)
{
    const orr_gesvd_opts o = {
        .band = variant ? 0 : 8, .tile = variant ? 0 : 16, .method = dense_method(variant)};
    return orr_gesvd(ctx, p->type, p->m, p->n, p->a, p->ld, p->d, p->u, p->m, p->v, p->n, &o, rep);
}

static orr_status run_gesvd_values(orr_context *ctx, struct problem *p, int variant,
                                   orr_report *rep)
{
    const orr_gesvd_opts o = {.method = dense_method(variant)};
    p->vectors = 0;
    return orr_gesvd(ctx, p->type, p->m, p->n, p->a, p->ld, p->d, NULL, 1, NULL, 1, &o, rep);
}

static orr_status run_gesvj(orr_context *ctx, struct problem *p, int precondition, orr_report *rep)
{
    const orr_type real = orr_type_real(p->type);
    const orr_batch A = {.type = p->type, .batch = 1, .m = p->m, .n = p->n, .a = p->a};
    const orr_batch s = {.type = real, .batch = 1, .m = p->k, .n = 1, .a = p->d};
    const orr_batch U = {.type = p->type, .batch = 1, .m = p->m, .n = p->k, .a = p->u};
    const orr_batch V = {.type = p->type, .batch = 1, .m = p->n, .n = p->k, .a = p->v};
    orr_matrix_info info;
    const orr_status st =
        orr_gesvj(ctx, &A, &s, &U, &V, &(orr_gesvj_opts){.check = 1, .precondition = precondition},
                  &info, rep);
    CHECK(info.status == st, "gesvj: the record says %d, the call %d", info.status, st);
    CHECK(st != ORR_OK || (info.residual <= 20 && info.orthogonality <= 20),
          "gesvj: its own residual %g, orthogonality %g", info.residual, info.orthogonality);
    return st;
}

static orr_status run_hb2st(orr_context *ctx, struct problem *p, int variant, orr_report *rep)
{
    (void)variant;
    const orr_hb2st_opts o = {.vect = 'Q', .q = p->u, .ldq = p->n};
    const orr_status st =
        orr_hb2st(ctx, p->type, 'L', p->n, p->kl, p->a, p->ld, p->d, p->above, &o, rep);
    memcpy(p->v, p->u, (size_t)(p->n * p->n) * orr_type_size(p->type));
    return st;
}

static orr_status run_gb2bd(orr_context *ctx, struct problem *p, int variant, orr_report *rep)
{
    (void)variant;
    const orr_gb2bd_opts o = {.u = p->u, .ldu = p->m, .v = p->v, .ldv = p->n};
    return orr_gb2bd(ctx, p->type, p->m, p->n, p->kl, p->ku, p->a, p->ld, p->d, p->above, &o, rep);
}

static const struct operation operations[] = {
    {"heevj jacobi", HERMITIAN, 21, 21, 0, 0, 0, ORR_METHOD_JACOBI, run_heevj},
    {"heevj block", HERMITIAN, 37, 37, 0, 0, 0, ORR_METHOD_BLOCK, run_heevj},
    {"heevj lanes", HERMITIAN, 39, 39, 0, 0, 0, ORR_METHOD_LANES, run_heevj},
    {"heevj lanes, two words", HERMITIAN, 69, 69, 0, 0, 0, ORR_METHOD_LANES, run_heevj},
    {"heevj lapack", HERMITIAN, 33, 33, 0, 0, 0, ORR_METHOD_LAPACK, run_heevj},
    {"heev", HERMITIAN, 45, 45, 0, 0, 0, 0, run_heev},
    {"heev by lapack", HERMITIAN, 43, 43, 0, 0, 0, 2, run_heev},
    {"heev, values", HERMITIAN, 61, 61, 0, 0, 0, 0, run_heev_values},
    {"heev by lapack, values", HERMITIAN, 57, 57, 0, 0, 0, 2, run_heev_values},
    {"gesvd", GENERAL, 45, 38, 0, 0, 0, 0, run_gesvd},
    {"gesvd tall", GENERAL, 71, 30, 0, 0, 0, 1, run_gesvd},
    {"gesvd wide", GENERAL, 29, 41, 0, 0, 0, 0, run_gesvd},
    {"gesvd, values", GENERAL, 51, 47, 0, 0, 0, 0, run_gesvd_values},
    {"gesvd by lapack", GENERAL, 44, 37, 0, 0, 0, 2, run_gesvd},
    {"gesvd by lapack, wide", GENERAL, 20, 57, 0, 0, 0, 2, run_gesvd},
    {"gesvd by lapack, values", GENERAL, 49, 46, 0, 0, 0, 2, run_gesvd_values},
    {"gesvj", GENERAL, 31, 22, 0, 0, 0, 0, run_gesvj},
    {"gesvj not preconditioned", GENERAL, 27, 33, 0, 0, 0, -1, run_gesvj},
    {"gesvj by blocks", GENERAL, 75, 70, 0, 0, 0, 0, run_gesvj},
    {"hb2st", HERMITIAN_BAND, 53, 53, 7, 7, 0, 0, run_hb2st},
    {"gb2bd", GENERAL_BAND, 43, 43, 0, 5, 1, 0, run_gb2bd},
    {"gb2bd qr", GENERAL_BAND, 47, 41, 2, 3, 1, 0, run_gb2bd},
};

static void one(orr_context *ctx, const struct operation *op, struct problem *p, int e)
{
    char what[96];
    orr_report rep = {0};
    snprintf(what, sizeof what, "%s %c 1e%d", op->name, orr_type_letter(p->type), e);
    scale_to(p, e);
    for (int64_t i = 0; i < p->m * p->n; i++)
        if (!isfinite(creall(number(p->type, p->kept, i % elements(p)))))
            return; /* 10^e itself is beyond the range */
    p->vectors = 1;
    p->below = NULL;
    const orr_status st = op->run(ctx, p, op->method, &rep);
    if (op->kind == HERMITIAN_BAND)
        p->below = p->above;
    const int high = norm(p) > greatest(p->type); /* so may be some value */
    CHECK(st == ORR_OK || (st == ORR_RANGE && high), "%s: status %d %s", what, st, rep.message);
    CHECK(st != ORR_RANGE || strstr(rep.message, "range"), "%s: says %s", what, rep.message);
    if (st != ORR_OK)
        return;
    if (op->kind < HERMITIAN_BAND)
        values(p, e, what);
    if (p->vectors) {
        const long double r = residual(p), u = departure(p, p->m, p->u),
                          v = departure(p, p->n, p->v);
        CHECK(r <= LIMIT && u <= LIMIT && v <= LIMIT, "%s: residual %Lg, U %Lg, V %Lg", what, r, u,
              v);
    }
}

/* No -0 among `count` reals. */
static int unsigned_zeros(orr_type real, const void *x, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (creall(number(real, x, i)) == 0 && signbit(creall(number(real, x, i))))
            return 0;
    return 1;
}

static void zeros(orr_context *ctx, const struct operation *op, struct problem *p)
{
    static const char *const name[] = {"zero", "minus zero", "rank one"};
    const orr_type real = orr_type_real(result(p->type));
    for (int kind = 0; kind < 3; kind++) {
        orr_report rep = {0};
        for (int64_t i = 0; i < p->m * p->n; i++)
            p->base[i] = kind == 0 ? 0.0L : kind == 1 ? -0.0L : -1.0L;
        scale_to(p, 0);
        memset(p->above, 0, (size_t)p->k * orr_type_size(real));
        const orr_status st = op->run(ctx, p, op->method, &rep);
        CHECK(st == ORR_OK, "%s, %s: status %d", op->name, name[kind], st);
        CHECK(unsigned_zeros(real, p->d, p->k) && unsigned_zeros(real, p->above, p->k - 1),
              "%s %c, %s: a result is -0", op->name, orr_type_letter(p->type), name[kind]);
    }
}

int main(void)
{
    static const int of_double[] = {-323, -320, -315, -308, -307, -300, -240, -160, -100,
                                    0,    100,  154,  240,  300,  306,  307,  308};
    static const int of_single[] = {-45, -43, -40, -38, -37, -30, -22, -19, -10,
                                    0,   10,  18,  20,  30,  36,  37,  38};
    static const int of_half[] = {-7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4};
    enum { DOUBLES = sizeof of_double / sizeof *of_double };
    enum { SINGLES = sizeof of_single / sizeof *of_single };
    enum { HALVES = sizeof of_half / sizeof *of_half };
    static const struct {
        const int *e;
        int count;
    } range[] = {[ORR_S] = {of_single, SINGLES},
                 [ORR_D] = {of_double, DOUBLES},
                 [ORR_C] = {of_single, SINGLES},
                 [ORR_Z] = {of_double, DOUBLES},
                 [ORR_H] = {of_half, HALVES}};
    orr_context *ctx = open_context(0);
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        for (int t = 0; t <= ORR_H - !operations[k].half; t++) {
            const struct operation *op = operations + k;
            struct problem p = make((orr_type)t, op->kind, op->m, op->n, op->kl, op->ku);
            for (int i = 0; i < range[t].count; i++)
                one(ctx, op, &p, range[t].e[i]);
            zeros(ctx, op, &p);
            drop(&p);
        }
    orr_close(ctx);
    return checked();
}
