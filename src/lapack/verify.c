/* ORRERY_CHECK: whether a result can be right, for little more than reading it.
 *
 * With vectors: residual and orthogonality are applied to signs x = (+-1, ...): |A Z x - Z L x| is
 * |R x| for R = A Z - Z L, of size |R|_F on average over the signs, and of one or two wrong columns
 * it is at least the longer one. Values alone: their sum is the trace, their squares' sum |A|_F^2, which
 * sees a wrong one, and one of them has as many below it as its number says, which sees values of
 * another matrix; of a tridiagonal matrix each is counted.
 *
 * Sums are double, of entries that were divided by a power of two near the largest.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/lapack/shim.h"

typedef double _Complex number;

enum { PROBES = 3, SLACK = 30 };

/* What is needed of one check. */
struct check {
    const struct orr_matrix *a;
    int64_t k;
    double scale; /* of a and the values */
    double *w;    /* [k] scaled */
    number *x, *y, *p, *q, *column;
    double norm; /* |A|_F, scaled */
    uint64_t seed;
};

static double eps_of(orr_type t) { return t == ORR_S || t == ORR_C ? FLT_EPSILON : DBL_EPSILON; }
static int64_t most(int64_t x, int64_t y) { return x > y ? x : y; }
static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
static double square(number z) { return creal(z) * creal(z) + cimag(z) * cimag(z); }

static void load(orr_type t, const void *from, int64_t first, int64_t count, double scale,
                 number *to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = scale * (t == ORR_S   ? ((const float *)from)[first + i]
                         : t == ORR_D ? ((const double *)from)[first + i]
                         : t == ORR_C ? ((const float _Complex *)from)[first + i]
                                      : ((const double _Complex *)from)[first + i]);
}

/* Rows of column j that count. */
static void rows(const struct orr_matrix *a, int64_t j, int64_t *first, int64_t *count)
{
    const int64_t reach = a->diagonals - 1; /* of a triangle */
    int64_t from = a->uplo == 'L' ? j : 0, to = a->uplo == 'U' ? j + 1 : a->m;
    if (a->diagonals) {
        from = most(from, j - (a->uplo ? reach : a->above));
        to = least(to, j + 1 + (a->uplo ? reach : a->below));
    }
    *first = from;
    *count = most(to - from, 0);
}

static void load_column(const struct orr_matrix *a, int64_t j, double scale, number *column)
{
    int64_t first, count;
    rows(a, j, &first, &count);
    load(a->type, a->a, first + j * a->ld, count, scale, column + first);
    if (a->uplo)
        column[j] = creal(column[j]);
}

/* A power of two that makes the largest entry about 1. */
static double choose_scale(const struct orr_matrix *a, number *column)
{
    double largest = 0;
    for (int64_t j = 0; j < a->n; j++) {
        int64_t first, count;
        rows(a, j, &first, &count);
        load_column(a, j, 1, column);
        for (int64_t i = first; i < first + count; i++)
            largest = fmax(largest, fmax(fabs(creal(column[i])), fabs(cimag(column[i]))));
    }
    int exponent = 0;
    frexp(largest, &exponent);
    return isfinite(largest) && largest > 0 ? ldexp(1, -(exponent < -1000 ? -1000 : exponent)) : 1;
}

/* |A|_F, and the trace in *trace. */
static double frobenius(const struct check *c, double *trace)
{
    double sum = 0;
    *trace = 0;
    for (int64_t j = 0; j < c->a->n; j++) {
        int64_t first, count;
        rows(c->a, j, &first, &count);
        load_column(c->a, j, c->scale, c->column);
        for (int64_t i = first; i < first + count; i++)
            sum += (c->a->uplo && i != j ? 2 : 1) * square(c->column[i]);
        if (first <= j && j < first + count)
            *trace += creal(c->column[j]);
    }
    return sqrt(sum);
}

/* y := M x. */
static void multiply(const struct check *c, const struct orr_matrix *m, double scale,
                     const number *x, number *y)
{
    memset(y, 0, (size_t)m->m * sizeof *y);
    for (int64_t j = 0; j < m->n; j++) {
        int64_t first, count;
        rows(m, j, &first, &count);
        load_column(m, j, scale, c->column);
        for (int64_t i = first; i < first + count; i++)
            y[i] += c->column[i] * x[j];
        for (int64_t i = first; m->uplo && i < first + count; i++)
            if (i != j)
                y[j] += conj(c->column[i]) * x[i];
    }
}

/* y := M' x. */
static void multiply_adjoint(const struct check *c, const struct orr_matrix *m, double scale,
                             const number *x, number *y)
{
    for (int64_t j = 0; j < m->n; j++) {
        load_column(m, j, scale, c->column);
        y[j] = 0;
        for (int64_t i = 0; i < m->m; i++)
            y[j] += conj(c->column[i]) * x[i];
    }
}

static double distance(int64_t n, const number *x, const number *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += square(x[i] - y[i]);
    return sqrt(sum);
}

static void draw_signs(struct check *c, int64_t count)
{
    for (int64_t i = 0; i < count; i++) { /* xorshift64 */
        c->seed ^= c->seed << 13;
        c->seed ^= c->seed >> 7;
        c->seed ^= c->seed << 17;
        c->x[i] = c->seed >> 63 ? 1 : -1;
    }
}

/* c->p := values times signs. */
static void times_values(struct check *c)
{
    for (int64_t i = 0; i < c->k; i++)
        c->p[i] = c->w[i] * c->x[i];
}

/* Not "found > allowed", which NaN is not. */
static int exceeds(double found, double allowed) { return !(found <= allowed); }

static int judge(const char *what, double found, double allowed, char why[ORR_WHY])
{
    if (exceeds(found, allowed))
        snprintf(why, ORR_WHY, "check: %s is %.2g, more than %.2g", what, found, allowed);
    return exceeds(found, allowed);
}

/* ---- Tolerances ------------------------------------------------------------------------------ */

static double order(const struct check *c) { return (double)most(c->a->m, c->a->n); }
static double for_residual(const struct check *c)
{
    return SLACK * sqrt(order(c)) * eps_of(c->a->type);
}
static double for_orthogonality(const struct check *c)
{
    return SLACK * order(c) * eps_of(c->a->type);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

static int judge_residual(const struct check *c, double residual, char why[ORR_WHY])
{
    return judge("the residual over |A|", c->norm > 0 ? residual / c->norm : residual,
                 for_residual(c), why);
}

/* Against c->x; Z x is in c->y. */
static int judge_orthogonality(const struct check *c, const struct orr_matrix *z, char why[ORR_WHY])
{
    multiply_adjoint(c, z, 1, c->y, c->q);
    return judge("the loss of orthogonality", distance(c->k, c->q, c->x), for_orthogonality(c),
                 why);
}

/* A Z x against Z (L x), L x being in c->p. */
static int judge_probe(struct check *c, const struct orr_matrix *z, char why[ORR_WHY])
{
    multiply(c, z, 1, c->p, c->y);
    memcpy(c->p, c->y, (size_t)z->m * sizeof *c->p);
    multiply(c, z, 1, c->x, c->y);
    multiply(c, c->a, c->scale, c->y, c->q);
    return judge_residual(c, distance(z->m, c->q, c->p), why) || judge_orthogonality(c, z, why);
}

static int probe_eigen(struct check *c, const struct orr_matrix *z, char why[ORR_WHY])
{
    draw_signs(c, c->k);
    times_values(c);
    return judge_probe(c, z, why);
}

/* A Y against X L x, for either side: A V = U S, and with the adjoint A'U = V S. */
static int probe_side(struct check *c, const struct orr_matrix *x, const struct orr_matrix *y,
                      int adjoint, char why[ORR_WHY])
{
    times_values(c);
    multiply(c, x, 1, c->p, c->y);
    memcpy(c->p, c->y, (size_t)x->m * sizeof *c->p);
    multiply(c, y, 1, c->x, c->y);
    if (adjoint)
        multiply_adjoint(c, c->a, c->scale, c->y, c->q);
    else
        multiply(c, c->a, c->scale, c->y, c->q);
    return judge_residual(c, distance(x->m, c->q, c->p), why) || judge_orthogonality(c, y, why);
}

/* Ascending (sign 1) or descending (-1), and numbers. */
static int judge_order(const struct check *c, int sign, char why[ORR_WHY])
{
    for (int64_t i = 0; i < c->k; i++)
        if (!isfinite(c->w[i]) || (i > 0 && sign * (c->w[i] - c->w[i - 1]) < 0)) {
            snprintf(why, ORR_WHY, "check: value %lld is out of order", (long long)i + 1);
            return 1;
        }
    return 0;
}

static double sum_of(const struct check *c, int power)
{
    double sum = 0;
    for (int64_t i = 0; i < c->k; i++)
        sum += power == 2 ? c->w[i] * c->w[i] : c->w[i];
    return sum;
}

static int judge_sums(const struct check *c, double trace, char why[ORR_WHY])
{
    const double size = c->norm > 0 ? c->norm : 1, tolerance = for_orthogonality(c);
    return judge("the sum of squares over |A|^2 less 1",
                 fabs(sum_of(c, 2) - c->norm * c->norm) / (size * size), tolerance, why) ||
           (c->a->uplo && judge("the sum less the trace, over |A|",
                                fabs(sum_of(c, 1) - trace) / size, tolerance, why));
}

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
        rows(a, j, &first, &count);
        load_column(a, j, c->scale, c->column);
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
        load(c->a->type, f, k + k * n, 1, 1, &d);
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
    const double tolerance = for_residual(c) * c->norm;
    void *f = malloc((size_t)(n * n) * orr_bytes(c->a->type));
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
             (long long)(first + i) + 1, for_residual(c));
    return 1;
}

/* ---- Setting up ------------------------------------------------------------------------------ */

static int set_up(struct check *c, const struct orr_matrix *a, int64_t k, const void *w,
                  double *trace)
{
    const size_t room = (size_t)most(a->m, a->n);
    *c = (struct check){.a = a,
                        .k = k,
                        .seed = 88172645463325252u,
                        .w = malloc((size_t)k * sizeof *c->w),
                        .x = malloc(5 * room * sizeof *c->x)};
    if (!c->w || !c->x)
        return 0;
    c->y = c->x + room;
    c->p = c->y + room;
    c->q = c->p + room;
    c->column = c->q + room;
    c->scale = choose_scale(a, c->column);
    c->norm = frobenius(c, trace);
    const int single = a->type == ORR_S || a->type == ORR_C;
    for (int64_t i = 0; i < k; i++)
        c->w[i] = c->scale * (single ? ((const float *)w)[i] : ((const double *)w)[i]);
    return 1;
}

static int tear_down(struct check *c, int wrong)
{
    free(c->w);
    free(c->x);
    return wrong;
}

int orr_verify_eigen(const struct orr_matrix *a, int64_t first, int64_t k, const void *w,
                     const void *z, int64_t ldz, char why[ORR_WHY])
{
    struct check c;
    double trace;
    snprintf(why, ORR_WHY, "check: out of memory");
    if (!set_up(&c, a, k, w, &trace))
        return tear_down(&c, 1);
    const struct orr_matrix vectors = {.type = a->type, .m = a->n, .n = k, .ld = ldz, .a = z};
    int wrong = judge_order(&c, 1, why);
    if (!wrong && k == a->n)
        wrong = judge_sums(&c, trace, why);
    if (!wrong && !z && k > 0 && first >= 0)
        wrong = judge_place(&c, first, why);
    for (int i = 0; z && !wrong && i < PROBES; i++)
        wrong = probe_eigen(&c, &vectors, why);
    return tear_down(&c, wrong);
}

int orr_verify_svd(const struct orr_matrix *a, const void *s, const void *u, int64_t ldu,
                   const void *v, int64_t ldv, char why[ORR_WHY])
{
    struct check c;
    double trace;
    const int64_t k = a->m < a->n ? a->m : a->n;
    snprintf(why, ORR_WHY, "check: out of memory");
    if (!set_up(&c, a, k, s, &trace))
        return tear_down(&c, 1);
    const struct orr_matrix left = {.type = a->type, .m = a->m, .n = k, .ld = ldu, .a = u};
    const struct orr_matrix right = {.type = a->type, .m = a->n, .n = k, .ld = ldv, .a = v};
    int wrong = judge_order(&c, -1, why) || judge_sums(&c, trace, why);
    for (int i = 0; u && !wrong && i < PROBES; i++) {
        draw_signs(&c, c.k);
        wrong = probe_side(&c, &left, &right, 0, why) || probe_side(&c, &right, &left, 1, why);
    }
    return tear_down(&c, wrong);
}

/* ---- Pencils --------------------------------------------------------------------------------- */

/* A and B have scales of their own, the values that of A/B (problem 1) or A B, the vectors that which
 * keeps them normalized. */
struct pencil {
    struct check c; /* of A, and the values */
    const struct orr_matrix *b, *z;
    const void *l;
    int itype;
    double b_scale, b_norm, z_scale, z_norm, z_longest;
    double largest; /* of all values, a bound */
};

static double product_trace(const struct pencil *p)
{
    number *of_b = p->c.q;
    double sum = 0;
    for (int64_t j = 0; j < p->b->n; j++) {
        int64_t first, count;
        rows(p->b, j, &first, &count);
        load_column(p->c.a, j, p->c.scale, p->c.column);
        load_column(p->b, j, p->b_scale, of_b);
        for (int64_t i = first; i < first + count; i++)
            sum += (i != j ? 2 : 1) * creal(p->c.column[i] * conj(of_b[i]));
    }
    return sum;
}

/* Column j of L. */
static void load_factor(const struct pencil *p, int64_t j, number *column)
{
    const int64_t n = p->b->n;
    load(p->b->type, p->l, j + j * n, n - j, sqrt(p->b_scale), column + j);
}

static void measure(struct pencil *p)
{
    const int64_t n = p->b->n;
    struct check of_b = p->c;
    double unused, pivot = INFINITY;
    of_b.a = p->b;
    of_b.scale = p->b_scale = choose_scale(p->b, p->c.column);
    p->b_norm = frobenius(&of_b, &unused);
    p->z_scale = p->itype == 3 ? sqrt(p->b_scale) : 1 / sqrt(p->b_scale);
    for (int64_t i = 0; i < p->c.k; i++) {
        p->c.w[i] = p->itype == 1 ? p->c.w[i] / p->b_scale : p->c.w[i] * p->b_scale;
        p->largest = fmax(p->largest, fabs(p->c.w[i]));
    }
    for (int64_t j = 0; j < n; j++) {
        load_factor(p, j, p->c.column);
        pivot = fmin(pivot, square(p->c.column[j]));
    }
    p->largest = fmax(p->largest, p->itype == 1 ? p->c.norm / pivot : 0);
    for (int64_t j = 0; p->z && j < p->c.k; j++) {
        double sum = 0;
        load_column(p->z, j, p->z_scale, p->c.column);
        for (int64_t i = 0; i < n; i++)
            sum += square(p->c.column[i]);
        p->z_norm += sum;
        p->z_longest = fmax(p->z_longest, sqrt(sum));
    }
    p->z_norm = sqrt(p->z_norm);
}

/* L (L' x) against B x. */
static int judge_factor(struct pencil *p, char why[ORR_WHY])
{
    struct check *c = &p->c;
    const int64_t n = p->b->n;
    draw_signs(c, n);
    multiply(c, p->b, p->b_scale, c->x, c->q);
    memset(c->p, 0, (size_t)n * sizeof *c->p);
    for (int64_t j = 0; j < n; j++) {
        number sum = 0;
        load_factor(p, j, c->column);
        for (int64_t i = j; i < n; i++)
            sum += conj(c->column[i]) * c->x[i];
        for (int64_t i = j; i < n; i++)
            c->p[i] += c->column[i] * sum;
    }
    return judge("the residual of the factor over |B|", distance(n, c->p, c->q) / p->b_norm,
                 for_residual(c), why);
}

/* Problem 1: quotients x'A x / x'B x lie between the ends. 2 and 3: the trace of A B. */
static int judge_values(struct pencil *p, char why[ORR_WHY])
{
    struct check *c = &p->c;
    const int64_t n = p->b->n;
    const double tolerance = for_orthogonality(c);
    if (p->itype != 1) {
        const double size = c->norm * p->b_norm;
        return judge("the sum less the trace, over |A| |B|",
                     fabs(sum_of(c, 1) - product_trace(p)) / (size > 0 ? size : 1), tolerance, why);
    }
    for (int probe = 0; probe < PROBES; probe++) {
        number a = 0, b = 0;
        draw_signs(c, n);
        multiply(c, c->a, c->scale, c->x, c->p);
        multiply(c, p->b, p->b_scale, c->x, c->q);
        for (int64_t i = 0; i < n; i++) {
            a += conj(c->x[i]) * c->p[i];
            b += conj(c->x[i]) * c->q[i];
        }
        const double quotient = creal(a) / creal(b);
        const double beyond = fmax(c->w[0] - quotient, quotient - c->w[n - 1]);
        if (judge("a quotient's way beyond the values, over the largest,",
                  fmax(beyond, 0) / (p->largest > 0 ? p->largest : 1), tolerance, why))
            return 1;
    }
    return 0;
}

/* y := M y, by c->q. */
static void apply(const struct check *c, const struct orr_matrix *m, double scale, number *y)
{
    multiply(c, m, scale, y, c->q);
    memcpy(y, c->q, (size_t)m->m * sizeof *y);
}

static int judge_pencil_residual(struct pencil *p, char why[ORR_WHY])
{
    struct check *c = &p->c;
    const double size =
        (p->itype == 1 ? c->norm + p->b_norm * p->largest : c->norm * p->b_norm) * p->z_norm;
    times_values(c);
    multiply(c, p->z, p->z_scale, c->p, c->y);
    memcpy(c->p, c->y, (size_t)p->b->n * sizeof *c->p);
    multiply(c, p->z, p->z_scale, c->x, c->y);
    if (p->itype == 2)
        apply(c, p->b, p->b_scale, c->y);
    apply(c, c->a, c->scale, c->y);
    if (p->itype == 3)
        apply(c, p->b, p->b_scale, c->y);
    if (p->itype == 1)
        apply(c, p->b, p->b_scale, c->p);
    return judge("the residual over |A|, |B| and |Z|",
                 distance(p->b->n, c->y, c->p) / (size > 0 ? size : 1), SLACK * eps_of(c->a->type),
                 why);
}

/* Z'B Z = I; of problem 3 Z'A Z = L, which with the residual is the same as Z'B^-1 Z = I. */
static int judge_pencil_basis(struct pencil *p, char why[ORR_WHY])
{
    struct check *c = &p->c;
    const double longest = p->z_longest * p->z_longest;
    const double size =
        p->itype == 3 ? c->norm * longest + p->largest : fmax(1, p->b_norm * longest);
    multiply(c, p->z, p->z_scale, c->x, c->y);
    if (p->itype == 3)
        apply(c, c->a, c->scale, c->y);
    else
        apply(c, p->b, p->b_scale, c->y);
    multiply_adjoint(c, p->z, p->z_scale, c->y, c->q);
    if (p->itype == 3)
        times_values(c);
    else
        memcpy(c->p, c->x, (size_t)c->k * sizeof *c->p);
    return judge("the loss of orthogonality", distance(c->k, c->q, c->p) / (size > 0 ? size : 1),
                 for_orthogonality(c), why);
}

int orr_verify_pencil(int itype, const struct orr_matrix *a, const struct orr_matrix *b,
                      const void *l, int64_t k, const void *w, const void *z, int64_t ldz,
                      char why[ORR_WHY])
{
    struct pencil p = {.b = b, .l = l, .itype = itype};
    double trace;
    snprintf(why, ORR_WHY, "check: out of memory");
    if (!set_up(&p.c, a, k, w, &trace))
        return tear_down(&p.c, 1);
    const struct orr_matrix vectors = {.type = a->type, .m = a->n, .n = k, .ld = ldz, .a = z};
    p.z = z ? &vectors : NULL;
    measure(&p);
    int wrong = judge_order(&p.c, 1, why) || judge_factor(&p, why);
    if (!wrong && k == a->n)
        wrong = judge_values(&p, why);
    for (int i = 0; z && !wrong && i < PROBES; i++) {
        draw_signs(&p.c, k);
        wrong = judge_pencil_residual(&p, why) || judge_pencil_basis(&p, why);
    }
    return tear_down(&p.c, wrong);
}

/* ---- Reduced matrices ------------------------------------------------------------------------ */

/* Entry i of reals. */
static double real_entry(const struct check *c, const void *x, int64_t i)
{
    const int single = c->a->type == ORR_S || c->a->type == ORR_C;
    return c->scale * (single ? ((const float *)x)[i] : ((const double *)x)[i]);
}

/* |d|^2 + 2 or 1 times |e|^2, which a reduction keeps, and of a symmetric matrix the trace. */
static int judge_reduced(const struct check *c, const void *d, const void *e, double trace,
                         char why[ORR_WHY])
{
    const double size = c->norm > 0 ? c->norm : 1, tolerance = for_orthogonality(c);
    double squares = 0, sum = 0;
    for (int64_t i = 0; i < c->k; i++) {
        const double x = real_entry(c, d, i), y = i + 1 < c->k ? real_entry(c, e, i) : 0;
        squares += x * x + (c->a->uplo ? 2 : 1) * y * y;
        sum += x;
    }
    return judge("the sum of squares over |A|^2 less 1",
                 fabs(squares - c->norm * c->norm) / (size * size), tolerance, why) ||
           (c->a->uplo &&
            judge("the sum less the trace, over |A|", fabs(sum - trace) / size, tolerance, why));
}

/* c->p := T x. */
static void times_tridiagonal(struct check *c, const void *d, const void *e)
{
    for (int64_t i = 0; i < c->k; i++) {
        c->p[i] = real_entry(c, d, i) * c->x[i];
        if (i > 0)
            c->p[i] += real_entry(c, e, i - 1) * c->x[i - 1];
        if (i + 1 < c->k)
            c->p[i] += real_entry(c, e, i) * c->x[i + 1];
    }
}

int orr_verify_tridiagonal(const struct orr_matrix *a, const void *d, const void *e, const void *q,
                           int64_t ldq, char why[ORR_WHY])
{
    struct check c;
    double trace;
    snprintf(why, ORR_WHY, "check: out of memory");
    if (!set_up(&c, a, a->n, d, &trace))
        return tear_down(&c, 1);
    const struct orr_matrix basis = {.type = a->type, .m = a->n, .n = a->n, .ld = ldq, .a = q};
    int wrong = judge_reduced(&c, d, e, trace, why);
    for (int i = 0; q && !wrong && i < PROBES; i++) {
        draw_signs(&c, c.k);
        times_tridiagonal(&c, d, e);
        wrong = judge_probe(&c, &basis, why);
    }
    return tear_down(&c, wrong);
}

/* ---- Values of a tridiagonal matrix ---------------------------------------------------------- */

/* T, its values, and how many of these are below so many points: pivots of T - x that are negative. */
enum { POINTS = 16 };
static void count_below(const struct check *c, const double *d, const double *e2, const double *x,
                        int64_t *below)
{
    double pivot[POINTS];
    for (int p = 0; p < POINTS; p++) {
        pivot[p] = 1;
        below[p] = 0;
    }
    for (int64_t i = 0; i < c->k; i++)
        for (int p = 0; p < POINTS; p++) {
            const double q = d[i] - x[p] - e2[i] / pivot[p];
            pivot[p] = fabs(q) < DBL_MIN / DBL_EPSILON ? -DBL_MIN / DBL_EPSILON : q;
            below[p] += pivot[p] < 0;
        }
}

/* Value i has at most i values below w_i - tolerance, and at least i + 1 below w_i + tolerance. */
static int judge_counts(const struct check *c, const double *d, const double *e2, double tolerance,
                        char why[ORR_WHY])
{
    for (int64_t i = 0; i < c->k; i += POINTS / 2) {
        double x[POINTS] = {0};
        int64_t below[POINTS];
        const int64_t count = least(POINTS / 2, c->k - i);
        for (int64_t p = 0; p < count; p++) {
            x[p] = c->w[i + p] - tolerance;
            x[p + POINTS / 2] = c->w[i + p] + tolerance;
        }
        count_below(c, d, e2, x, below);
        for (int64_t p = 0; p < count; p++)
            if (below[p] > i + p || below[p + POINTS / 2] <= i + p) {
                snprintf(why, ORR_WHY, "check: value %lld is not within %.2g of its place",
                         (long long)(i + p) + 1, tolerance);
                return 1;
            }
    }
    return 0;
}

static double at(orr_type t, const void *x, int64_t i)
{
    return t == ORR_S ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

int orr_verify_values(orr_type type, int64_t n, const void *d, const void *e, const void *w,
                      char why[ORR_WHY])
{
    struct check c = {.k = n, .w = malloc(3 * (size_t)n * sizeof *c.w)};
    double *diagonal = c.w + n, *e2 = diagonal + n, largest = 0, norm = 0, before = 0;
    int exponent;
    snprintf(why, ORR_WHY, "check: out of memory");
    if (!c.w)
        return 1;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fmax(fabs(at(type, d, i)), i + 1 < n ? fabs(at(type, e, i)) : 0));
    frexp(largest, &exponent);
    c.scale = ldexp(1, -(exponent < -1000 ? -1000 : exponent));
    for (int64_t i = 0; i < n; i++) {
        const double after = i + 1 < n ? fabs(c.scale * at(type, e, i)) : 0;
        diagonal[i] = c.scale * at(type, d, i);
        e2[i] = before * before;
        norm = fmax(norm, before + fabs(diagonal[i]) + after);
        c.w[i] = c.scale * at(type, w, i);
        before = after;
    }
    const int wrong =
        judge_order(&c, 1, why) || judge_counts(&c, diagonal, e2, SLACK * eps_of(type) * norm, why);
    return tear_down(&c, wrong);
}

int orr_verify_bidiagonal(const struct orr_matrix *a, const void *d, const void *e,
                          char why[ORR_WHY])
{
    struct check c;
    double trace;
    snprintf(why, ORR_WHY, "check: out of memory");
    if (!set_up(&c, a, least(a->m, a->n), d, &trace))
        return tear_down(&c, 1);
    return tear_down(&c, judge_reduced(&c, d, e, trace, why));
}
