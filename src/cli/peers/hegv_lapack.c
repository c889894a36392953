/* See hegv_lapack.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/peers/hegv_lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/numbers.h"
#include "src/cli/data/grid.h"
#include "src/cli/peers/workspace.h"

typedef double complex number;
typedef void real_gvd_fn(const int *, const char *, const char *, const int *, void *, const int *,
                         void *, const int *, void *, void *, const int *, int *, const int *,
                         int *);
typedef void complex_gvd_fn(const int *, const char *, const char *, const int *, void *,
                            const int *, void *, const int *, void *, void *, const int *, void *,
                            const int *, int *, const int *, int *);
void zgemm_(const char *, const char *, const int *, const int *, const int *, const number *,
            const number *, const int *, const number *, const int *, const number *, number *,
            const int *);
void zpotrf_(const char *, const int *, number *, const int *, int *);
void zpocon_(const char *, const int *, number *, const int *, const double *, double *, number *,
             double *, int *);
void ztrsm_(const char *, const char *, const char *, const char *, const int *, const int *,
            const number *, const number *, const int *, number *, const int *);

const char *hegv_reference_name(const void *problem, int reference)
{
    static const char *const name[ORR_NTYPES] = {"ssygvd", "dsygvd", "chegvd", "zhegvd"};
    const hegv_problem *p = problem;
    (void)reference;
    return p->part ? NULL : name[p->type];
}

/* ---- LAPACK ------------------------------------------------------------------------------ */

struct room {
    int n;
    void *a, *b, *w;
    workspace k;
    cli_routine *routine;
};

static int call(const hegv_problem *p, struct room *r)
{
    const char *jobz = p->vectors ? "V" : "N";
    const int ld = r->n > 0 ? r->n : 1;
    int info = -1;
    if (number_is_complex(p->type))
        ((complex_gvd_fn *)r->routine)(&p->which, jobz, &p->uplo, &r->n, r->a, &ld, r->b, &ld, r->w,
                                       r->k.work, &r->k.lwork, r->k.rwork, &r->k.lrwork, r->k.iwork,
                                       &r->k.liwork, &info);
    else
        ((real_gvd_fn *)r->routine)(&p->which, jobz, &p->uplo, &r->n, r->a, &ld, r->b, &ld, r->w,
                                    r->k.work, &r->k.lwork, r->k.iwork, &r->k.liwork, &info);
    return info;
}

static int prepare(const cli_lapack *lapack, const hegv_problem *p, struct room *r)
{
    const size_t n = (size_t)p->n, size = orr_type_size(p->type);
    *r = (struct room){.n = (int)n,
                       .routine = cli_lapack_routine(lapack, hegv_reference_name(p, 0))};
    workspace_query(&r->k);
    r->a = lapack_room((n + 1) * n * size); /* a column more: see stack.h */
    r->b = lapack_room((n + 1) * n * size);
    r->w = lapack_room(n * sizeof(double));
    const int info = r->routine && r->a && r->b && r->w ? call(p, r) : -1;
    const int roomy = workspace_make(&r->k, p->type, p->n);
    if (r->a && r->b) {
        memcpy(r->a, p->a, n * n * size);
        memcpy(r->b, p->b, n * n * size);
    }
    return info == 0 && roomy;
}

static void release(struct room *r)
{
    free(r->a);
    free(r->b);
    free(r->w);
    workspace_free(&r->k);
}

double hegv_reference(const void *problem, const cli_lapack *lapack, int reference, int threads)
{
    const hegv_problem *p = problem;
    struct room r;
    double seconds = -1;
    (void)reference;
    cli_lapack_threads(lapack, threads);
    if (prepare(lapack, p, &r)) {
        const double start = cli_now();
        if (call(p, &r) == 0)
            seconds = cli_now() - start;
    }
    cli_lapack_threads(lapack, 1);
    release(&r);
    return seconds;
}

/* ---- Check figures -------------------------------------------------------------------------- */

static number *room_for(int64_t count) { return malloc((size_t)count * sizeof(number) + 1); }

/* Both triangles. */
static void fill_whole(const hegv_problem *p, const void *a, number *x)
{
    const int64_t n = p->n;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const int stored = p->uplo == 'L' ? i >= j : i <= j;
            const number v = number_get(p->type, a, stored ? j * n + i : i * n + j);
            x[j * n + i] = i == j ? creal(v) : stored ? v : conj(v);
        }
}

static double norm(int64_t count, const number *x)
{
    double sum = 0;
    for (int64_t k = 0; k < count; k++)
        sum += creal(x[k] * conj(x[k]));
    return sqrt(sum);
}

static void multiply(char ta, int64_t m, int64_t n, int64_t k, const number *a, const number *b,
                     number *c)
{
    const int m_ = (int)m, n_ = (int)n, k_ = (int)k, lda = ta == 'N' ? m_ : k_;
    const number one = 1, zero = 0;
    zgemm_(&ta, "N", &m_, &n_, &k_, &one, a, &lda, b, &k_, &zero, c, &m_);
}

/* x := x / 2^exponent. */
static void unscale(int64_t count, number *x, int exponent)
{
    for (int64_t k = 0; exponent && k < count; k++)
        x[k] = ldexp(creal(x[k]), -exponent) + I * ldexp(cimag(x[k]), -exponent);
}

/* Divides by a power of two, so that the largest entry is near 1 and squares are in range. Returns its
 * exponent. */
static int normalise(int64_t count, number *x)
{
    double largest = 0;
    int exponent;
    for (int64_t k = 0; k < count; k++)
        largest = fmax(largest, fmax(fabs(creal(x[k])), fabs(cimag(x[k]))));
    frexp(largest, &exponent);
    exponent -= exponent % 2; /* its root is a power of 2, too */
    unscale(count, x, exponent);
    return exponent;
}

/* What a check works with: whole matrices, the Cholesky factor, values, and those of LAPACK. */
struct check {
    const hegv_problem *p;
    number *A, *B, *L, *x, *ax, *bx, *y, *gram;
    double *w, *ref, norm_a, norm_b, cond;
};

/* The problem with A and B near 1, whose values and vectors are ours times powers of two. */
static void load(struct check *c, const void *w, const void *x, int64_t columns)
{
    const hegv_problem *p = c->p;
    const int64_t n = p->n;
    fill_whole(p, p->a, c->A);
    fill_whole(p, p->b, c->B);
    const int a = normalise(n * n, c->A), b = normalise(n * n, c->B);
    const int of_values = p->which == 1 ? a - b : a + b;
    for (int64_t i = 0; i < p->count; i++)
        c->w[i] = ldexp(number_real(orr_type_real(p->type), w, i), -of_values);
    for (int64_t i = 0; i < n * columns; i++)
        c->x[i] = number_get(p->type, x, i);
    unscale(n * columns, c->x, p->which == 3 ? b / 2 : -b / 2);
    c->norm_a = norm(n * n, c->A);
    c->norm_b = norm(n * n, c->B);
}

static double condition(const struct check *c)
{
    const int n = (int)c->p->n;
    double norm_1 = 0, rcond = 0;
    int info;
    number *work = room_for(2 * n);
    double *rwork = malloc((size_t)n * sizeof *rwork + 1);
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += cabs(c->B[j * n + i]);
        norm_1 = fmax(norm_1, sum);
    }
    memcpy(c->L, c->B, (size_t)n * (size_t)n * sizeof(number));
    zpotrf_("L", &n, c->L, &n, &info);
    if (info == 0 && work && rwork)
        zpocon_("L", &n, c->L, &n, &norm_1, &rcond, work, rwork, &info);
    free(work);
    free(rwork);
    return rcond > 0 ? 1 / rcond : NAN;
}

static double values_figure(const struct check *c)
{
    const hegv_problem *p = c->p;
    hegv_problem q = {
        .type = ORR_Z, .uplo = 'L', .which = p->which, .n = p->n, .a = c->A, .b = c->B};
    struct room r;
    double top = 0, error = 0;
    const int made = prepare(cli_own_lapack(), &q, &r) && call(&q, &r) == 0;
    for (int64_t i = 0; made && i < p->n; i++) {
        c->ref[i] = ((const double *)r.w)[i];
        top = fmax(top, fabs(c->ref[i]));
    }
    for (int64_t i = 0; made && i < p->count; i++) {
        const double e = fabs(c->w[i] - c->ref[p->first + i]);
        error = cli_larger(error, e);
    }
    release(&r);
    return !made     ? NAN
           : top > 0 ? error / ((double)p->n * orr_type_eps(p->type) * c->cond * top)
                     : error;
}

static double residual_figure(const struct check *c, double *longest)
{
    const hegv_problem *p = c->p;
    const int64_t n = p->n, k = p->count;
    const double top = fmax(fabs(c->ref[0]), fabs(c->ref[n - 1]));
    *longest = 0;
    for (int64_t j = 0; j < k; j++)
        *longest = fmax(*longest, norm(n, c->x + j * n));
    multiply('N', n, k, n, c->A, c->x, c->ax);
    multiply('N', n, k, n, c->B, c->x, c->bx);
    if (p->which != 1)
        multiply('N', n, k, n, p->which == 2 ? c->A : c->B, p->which == 2 ? c->bx : c->ax, c->y);
    else
        memcpy(c->y, c->ax, (size_t)(n * k) * sizeof(number));
    const number *right = p->which == 1 ? c->bx : c->x;
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < n; i++)
            c->y[j * n + i] -= c->w[j] * right[j * n + i];
    const double scale = p->which == 1 ? c->norm_a + c->norm_b * top : c->norm_a * c->norm_b;
    const double unit = (double)n * orr_type_eps(p->type) * scale * *longest;
    return unit > 0 ? norm(n * k, c->y) / unit : norm(n * k, c->y);
}

static double orthogonality_figure(const struct check *c, double longest)
{
    const hegv_problem *p = c->p;
    const int64_t n = p->n, k = p->count;
    const int n_ = (int)n, k_ = (int)k;
    const number one = 1;
    double unit = fmax(1, c->norm_b * longest * longest);
    if (p->which == 3) { /* X'B^-1 X = (L^-1 X)'(L^-1 X) */
        ztrsm_("L", "L", "N", "N", &n_, &k_, &one, c->L, &n_, c->x, &n_);
        memcpy(c->bx, c->x, (size_t)(n * k) * sizeof(number));
        unit = c->cond;
    }
    multiply('C', k, k, n, c->x, c->bx, c->gram);
    for (int64_t j = 0; j < k; j++)
        c->gram[j * k + j] -= 1;
    return norm(k * k, c->gram) / ((double)n * orr_type_eps(p->type) * unit);
}

hegv_figures hegv_check(const hegv_problem *p, const void *w, const void *x, int threads)
{
    const int64_t n = p->n, k = x ? p->count : 0;
    struct check c = {.p = p,
                      .A = room_for(n * n),
                      .B = room_for(n * n),
                      .L = room_for(n * n),
                      .x = room_for(n * k),
                      .ax = room_for(n * k),
                      .bx = room_for(n * k),
                      .y = room_for(n * k),
                      .gram = room_for(k * k),
                      .w = malloc((size_t)n * sizeof(double) + 1),
                      .ref = malloc((size_t)n * sizeof(double) + 1)};
    hegv_figures f = {NAN, x ? NAN : 0, x ? NAN : 0};
    if (n == 0)
        f = (hegv_figures){0, 0, 0};
    if (n > 0 && c.A && c.B && c.L && c.x && c.ax && c.bx && c.y && c.gram && c.w && c.ref) {
        double longest;
        cli_lapack_threads(cli_own_lapack(), threads);
        load(&c, w, x, k);
        c.cond = condition(&c);
        f.values = values_figure(&c);
        if (k > 0) {
            f.residual = residual_figure(&c, &longest);
            f.orthogonality = orthogonality_figure(&c, longest);
        } else {
            f.residual = f.orthogonality = 0;
        }
        cli_lapack_threads(cli_own_lapack(), 1);
    }
    void *const all[] = {c.A, c.B, c.L, c.x, c.ax, c.bx, c.y, c.gram, c.w, c.ref};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    return f;
}
