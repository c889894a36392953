/* See verify.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/lapack/verify.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double check_eps(orr_type t) { return t == ORR_S || t == ORR_C ? FLT_EPSILON : DBL_EPSILON; }

void check_load(orr_type t, const void *from, int64_t first, int64_t count, double scale,
                number *to)
{
    for (int64_t i = 0; i < count; i++)
        to[i] = scale * (t == ORR_S   ? ((const float *)from)[first + i]
                         : t == ORR_D ? ((const double *)from)[first + i]
                         : t == ORR_C ? ((const float _Complex *)from)[first + i]
                                      : ((const double _Complex *)from)[first + i]);
}

void check_rows(const struct orr_matrix *a, int64_t j, int64_t *first, int64_t *count)
{
    const int64_t reach = a->diagonals - 1; /* of a triangle */
    int64_t from = a->uplo == 'L' ? j : 0, to = a->uplo == 'U' ? j + 1 : a->m;
    if (a->diagonals) {
        from = check_most(from, j - (a->uplo ? reach : a->above));
        to = check_least(to, j + 1 + (a->uplo ? reach : a->below));
    }
    *first = from;
    *count = check_most(to - from, 0);
}

void check_column(const struct orr_matrix *a, int64_t j, double scale, number *column)
{
    int64_t first, count;
    check_rows(a, j, &first, &count);
    check_load(a->type, a->a, first + j * a->ld, count, scale, column + first);
    if (a->uplo)
        column[j] = creal(column[j]);
}

double check_scale(const struct orr_matrix *a, number *column)
{
    double largest = 0;
    for (int64_t j = 0; j < a->n; j++) {
        int64_t first, count;
        check_rows(a, j, &first, &count);
        check_column(a, j, 1, column);
        for (int64_t i = first; i < first + count; i++)
            largest = fmax(largest, fmax(fabs(creal(column[i])), fabs(cimag(column[i]))));
    }
    int exponent = 0;
    frexp(largest, &exponent);
    return isfinite(largest) && largest > 0 ? ldexp(1, -(exponent < -1000 ? -1000 : exponent)) : 1;
}

double check_frobenius(const struct check *c, double *trace)
{
    double sum = 0;
    *trace = 0;
    for (int64_t j = 0; j < c->a->n; j++) {
        int64_t first, count;
        check_rows(c->a, j, &first, &count);
        check_column(c->a, j, c->scale, c->column);
        for (int64_t i = first; i < first + count; i++)
            sum += (c->a->uplo && i != j ? 2 : 1) * check_square(c->column[i]);
        if (first <= j && j < first + count)
            *trace += creal(c->column[j]);
    }
    return sqrt(sum);
}

void check_multiply(const struct check *c, const struct orr_matrix *m, double scale,
                    const number *x, number *y)
{
    memset(y, 0, (size_t)m->m * sizeof *y);
    for (int64_t j = 0; j < m->n; j++) {
        int64_t first, count;
        check_rows(m, j, &first, &count);
        check_column(m, j, scale, c->column);
        for (int64_t i = first; i < first + count; i++)
            y[i] += c->column[i] * x[j];
        for (int64_t i = first; m->uplo && i < first + count; i++)
            if (i != j)
                y[j] += conj(c->column[i]) * x[i];
    }
}

void check_multiply_adjoint(const struct check *c, const struct orr_matrix *m, double scale,
                            const number *x, number *y)
{
    for (int64_t j = 0; j < m->n; j++) {
        check_column(m, j, scale, c->column);
        y[j] = 0;
        for (int64_t i = 0; i < m->m; i++)
            y[j] += conj(c->column[i]) * x[i];
    }
}

double check_distance(int64_t n, const number *x, const number *y)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += check_square(x[i] - y[i]);
    return sqrt(sum);
}

void check_draw(struct check *c, int64_t count)
{
    for (int64_t i = 0; i < count; i++) { /* xorshift64 */
        c->seed ^= c->seed << 13;
        c->seed ^= c->seed >> 7;
        c->seed ^= c->seed << 17;
        c->x[i] = c->seed >> 63 ? 1 : -1;
    }
}

void check_times_values(struct check *c)
{
    for (int64_t i = 0; i < c->k; i++)
        c->p[i] = c->w[i] * c->x[i];
}

/* Not "found > allowed", which NaN is not. */
static int exceeds(double found, double allowed) { return !(found <= allowed); }

int check_judge(const char *what, double found, double allowed, char why[ORR_WHY])
{
    if (exceeds(found, allowed))
        snprintf(why, ORR_WHY, "check: %s is %.2g, more than %.2g", what, found, allowed);
    return exceeds(found, allowed);
}

/* ---- Tolerances ------------------------------------------------------------------------------ */

static double order(const struct check *c) { return (double)check_most(c->a->m, c->a->n); }
double check_for_residual(const struct check *c)
{
    return SLACK * sqrt(order(c)) * check_eps(c->a->type);
}
double check_for_orthogonality(const struct check *c)
{
    return SLACK * order(c) * check_eps(c->a->type);
}

/* ---- Checks ---------------------------------------------------------------------------------- */

int check_residual(const struct check *c, double residual, char why[ORR_WHY])
{
    return check_judge("the residual over |A|", c->norm > 0 ? residual / c->norm : residual,
                       check_for_residual(c), why);
}

int check_orthogonality(const struct check *c, const struct orr_matrix *z, char why[ORR_WHY])
{
    check_multiply_adjoint(c, z, 1, c->y, c->q);
    return check_judge("the loss of orthogonality", check_distance(c->k, c->q, c->x),
                       check_for_orthogonality(c), why);
}

int check_probe(struct check *c, const struct orr_matrix *z, char why[ORR_WHY])
{
    check_multiply(c, z, 1, c->p, c->y);
    memcpy(c->p, c->y, (size_t)z->m * sizeof *c->p);
    check_multiply(c, z, 1, c->x, c->y);
    check_multiply(c, c->a, c->scale, c->y, c->q);
    return check_residual(c, check_distance(z->m, c->q, c->p), why) ||
           check_orthogonality(c, z, why);
}

static int probe_eigen(struct check *c, const struct orr_matrix *z, char why[ORR_WHY])
{
    check_draw(c, c->k);
    check_times_values(c);
    return check_probe(c, z, why);
}

/* A Y against X L x, for either side: A V = U S, and with the adjoint A'U = V S. */
static int probe_side(struct check *c, const struct orr_matrix *x, const struct orr_matrix *y,
                      int adjoint, char why[ORR_WHY])
{
    check_times_values(c);
    check_multiply(c, x, 1, c->p, c->y);
    memcpy(c->p, c->y, (size_t)x->m * sizeof *c->p);
    check_multiply(c, y, 1, c->x, c->y);
    if (adjoint)
        check_multiply_adjoint(c, c->a, c->scale, c->y, c->q);
    else
        check_multiply(c, c->a, c->scale, c->y, c->q);
    return check_residual(c, check_distance(x->m, c->q, c->p), why) ||
           check_orthogonality(c, y, why);
}

int check_order(const struct check *c, int sign, char why[ORR_WHY])
{
    for (int64_t i = 0; i < c->k; i++)
        if (!isfinite(c->w[i]) || (i > 0 && sign * (c->w[i] - c->w[i - 1]) < 0)) {
            snprintf(why, ORR_WHY, "check: value %lld is out of order", (long long)i + 1);
            return 1;
        }
    return 0;
}

double check_sum(const struct check *c, int power)
{
    double sum = 0;
    for (int64_t i = 0; i < c->k; i++)
        sum += power == 2 ? c->w[i] * c->w[i] : c->w[i];
    return sum;
}

int check_sums(const struct check *c, double trace, char why[ORR_WHY])
{
    const double size = c->norm > 0 ? c->norm : 1, tolerance = check_for_orthogonality(c);
    return check_judge("the sum of squares over |A|^2 less 1",
                       fabs(check_sum(c, 2) - c->norm * c->norm) / (size * size), tolerance, why) ||
           (c->a->uplo && check_judge("the sum less the trace, over |A|",
                                      fabs(check_sum(c, 1) - trace) / size, tolerance, why));
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
    const double tolerance = check_for_residual(c) * c->norm;
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
             (long long)(first + i) + 1, check_for_residual(c));
    return 1;
}

/* ---- Setting up ------------------------------------------------------------------------------ */

int check_begin(struct check *c, const struct orr_matrix *a, int64_t k, const void *w,
                double *trace)
{
    const size_t room = (size_t)check_most(a->m, a->n);
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
    c->scale = check_scale(a, c->column);
    c->norm = check_frobenius(c, trace);
    const int single = a->type == ORR_S || a->type == ORR_C;
    for (int64_t i = 0; i < k; i++)
        c->w[i] = c->scale * (single ? ((const float *)w)[i] : ((const double *)w)[i]);
    return 1;
}

int check_end(struct check *c, int wrong)
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

int orr_verify_svd(const struct orr_matrix *a, const void *s, const void *u, int64_t ldu,
                   const void *v, int64_t ldv, char why[ORR_WHY])
{
    struct check c;
    double trace;
    const int64_t k = a->m < a->n ? a->m : a->n;
    snprintf(why, ORR_WHY, "check: out of memory");
    if (!check_begin(&c, a, k, s, &trace))
        return check_end(&c, 1);
    const struct orr_matrix left = {.type = a->type, .m = a->m, .n = k, .ld = ldu, .a = u};
    const struct orr_matrix right = {.type = a->type, .m = a->n, .n = k, .ld = ldv, .a = v};
    int wrong = check_order(&c, -1, why) || check_sums(&c, trace, why);
    for (int i = 0; u && !wrong && i < PROBES; i++) {
        check_draw(&c, c.k);
        wrong = probe_side(&c, &left, &right, 0, why) || probe_side(&c, &right, &left, 1, why);
    }
    return check_end(&c, wrong);
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
        check_rows(p->b, j, &first, &count);
        check_column(p->c.a, j, p->c.scale, p->c.column);
        check_column(p->b, j, p->b_scale, of_b);
        for (int64_t i = first; i < first + count; i++)
            sum += (i != j ? 2 : 1) * creal(p->c.column[i] * conj(of_b[i]));
    }
    return sum;
}

/* Column j of L. */
static void load_factor(const struct pencil *p, int64_t j, number *column)
{
    const int64_t n = p->b->n;
    check_load(p->b->type, p->l, j + j * n, n - j, sqrt(p->b_scale), column + j);
}

static void measure(struct pencil *p)
{
    const int64_t n = p->b->n;
    struct check of_b = p->c;
    double unused, pivot = INFINITY;
    of_b.a = p->b;
    of_b.scale = p->b_scale = check_scale(p->b, p->c.column);
    p->b_norm = check_frobenius(&of_b, &unused);
    p->z_scale = p->itype == 3 ? sqrt(p->b_scale) : 1 / sqrt(p->b_scale);
    for (int64_t i = 0; i < p->c.k; i++) {
        p->c.w[i] = p->itype == 1 ? p->c.w[i] / p->b_scale : p->c.w[i] * p->b_scale;
        p->largest = fmax(p->largest, fabs(p->c.w[i]));
    }
    for (int64_t j = 0; j < n; j++) {
        load_factor(p, j, p->c.column);
        pivot = fmin(pivot, check_square(p->c.column[j]));
    }
    p->largest = fmax(p->largest, p->itype == 1 ? p->c.norm / pivot : 0);
    for (int64_t j = 0; p->z && j < p->c.k; j++) {
        double sum = 0;
        check_column(p->z, j, p->z_scale, p->c.column);
        for (int64_t i = 0; i < n; i++)
            sum += check_square(p->c.column[i]);
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
    check_draw(c, n);
    check_multiply(c, p->b, p->b_scale, c->x, c->q);
    memset(c->p, 0, (size_t)n * sizeof *c->p);
    for (int64_t j = 0; j < n; j++) {
        number sum = 0;
        load_factor(p, j, c->column);
        for (int64_t i = j; i < n; i++)
            sum += conj(c->column[i]) * c->x[i];
        for (int64_t i = j; i < n; i++)
            c->p[i] += c->column[i] * sum;
    }
    return check_judge("the residual of the factor over |B|",
                       check_distance(n, c->p, c->q) / p->b_norm, check_for_residual(c), why);
}

/* Problem 1: quotients x'A x / x'B x lie between the ends. 2 and 3: the trace of A B. */
static int judge_values(struct pencil *p, char why[ORR_WHY])
{
    struct check *c = &p->c;
    const int64_t n = p->b->n;
    const double tolerance = check_for_orthogonality(c);
    if (p->itype != 1) {
        const double size = c->norm * p->b_norm;
        return check_judge("the sum less the trace, over |A| |B|",
                           fabs(check_sum(c, 1) - product_trace(p)) / (size > 0 ? size : 1),
                           tolerance, why);
    }
    for (int probe = 0; probe < PROBES; probe++) {
        number a = 0, b = 0;
        check_draw(c, n);
        check_multiply(c, c->a, c->scale, c->x, c->p);
        check_multiply(c, p->b, p->b_scale, c->x, c->q);
        for (int64_t i = 0; i < n; i++) {
            a += conj(c->x[i]) * c->p[i];
            b += conj(c->x[i]) * c->q[i];
        }
        const double quotient = creal(a) / creal(b);
        const double beyond = fmax(c->w[0] - quotient, quotient - c->w[n - 1]);
        if (check_judge("a quotient's way beyond the values, over the largest,",
                        fmax(beyond, 0) / (p->largest > 0 ? p->largest : 1), tolerance, why))
            return 1;
    }
    return 0;
}

/* y := M y, by c->q. */
static void apply(const struct check *c, const struct orr_matrix *m, double scale, number *y)
{
    check_multiply(c, m, scale, y, c->q);
    memcpy(y, c->q, (size_t)m->m * sizeof *y);
}

static int judge_pencil_residual(struct pencil *p, char why[ORR_WHY])
{
    struct check *c = &p->c;
    const double size =
        (p->itype == 1 ? c->norm + p->b_norm * p->largest : c->norm * p->b_norm) * p->z_norm;
    check_times_values(c);
    check_multiply(c, p->z, p->z_scale, c->p, c->y);
    memcpy(c->p, c->y, (size_t)p->b->n * sizeof *c->p);
    check_multiply(c, p->z, p->z_scale, c->x, c->y);
    if (p->itype == 2)
        apply(c, p->b, p->b_scale, c->y);
    apply(c, c->a, c->scale, c->y);
    if (p->itype == 3)
        apply(c, p->b, p->b_scale, c->y);
    if (p->itype == 1)
        apply(c, p->b, p->b_scale, c->p);
    return check_judge("the residual over |A|, |B| and |Z|",
                       check_distance(p->b->n, c->y, c->p) / (size > 0 ? size : 1),
                       SLACK * check_eps(c->a->type), why);
}

/* Z'B Z = I; of problem 3 Z'A Z = L, which with the residual is the same as Z'B^-1 Z = I. */
static int judge_pencil_basis(struct pencil *p, char why[ORR_WHY])
{
    struct check *c = &p->c;
    const double longest = p->z_longest * p->z_longest;
    const double size =
        p->itype == 3 ? c->norm * longest + p->largest : fmax(1, p->b_norm * longest);
    check_multiply(c, p->z, p->z_scale, c->x, c->y);
    if (p->itype == 3)
        apply(c, c->a, c->scale, c->y);
    else
        apply(c, p->b, p->b_scale, c->y);
    check_multiply_adjoint(c, p->z, p->z_scale, c->y, c->q);
    if (p->itype == 3)
        check_times_values(c);
    else
        memcpy(c->p, c->x, (size_t)c->k * sizeof *c->p);
    return check_judge("the loss of orthogonality",
                       check_distance(c->k, c->q, c->p) / (size > 0 ? size : 1),
                       check_for_orthogonality(c), why);
}

int orr_verify_pencil(int itype, const struct orr_matrix *a, const struct orr_matrix *b,
                      const void *l, int64_t k, const void *w, const void *z, int64_t ldz,
                      char why[ORR_WHY])
{
    struct pencil p = {.b = b, .l = l, .itype = itype};
    double trace;
    snprintf(why, ORR_WHY, "check: out of memory");
    if (!check_begin(&p.c, a, k, w, &trace))
        return check_end(&p.c, 1);
    const struct orr_matrix vectors = {.type = a->type, .m = a->n, .n = k, .ld = ldz, .a = z};
    p.z = z ? &vectors : NULL;
    measure(&p);
    int wrong = check_order(&p.c, 1, why) || judge_factor(&p, why);
    if (!wrong && k == a->n)
        wrong = judge_values(&p, why);
    for (int i = 0; z && !wrong && i < PROBES; i++) {
        check_draw(&p.c, k);
        wrong = judge_pencil_residual(&p, why) || judge_pencil_basis(&p, why);
    }
    return check_end(&p.c, wrong);
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
    const double size = c->norm > 0 ? c->norm : 1, tolerance = check_for_orthogonality(c);
    double squares = 0, sum = 0;
    for (int64_t i = 0; i < c->k; i++) {
        const double x = real_entry(c, d, i), y = i + 1 < c->k ? real_entry(c, e, i) : 0;
        squares += x * x + (c->a->uplo ? 2 : 1) * y * y;
        sum += x;
    }
    return check_judge("the sum of squares over |A|^2 less 1",
                       fabs(squares - c->norm * c->norm) / (size * size), tolerance, why) ||
           (c->a->uplo && check_judge("the sum less the trace, over |A|", fabs(sum - trace) / size,
                                      tolerance, why));
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
    if (!check_begin(&c, a, a->n, d, &trace))
        return check_end(&c, 1);
    const struct orr_matrix basis = {.type = a->type, .m = a->n, .n = a->n, .ld = ldq, .a = q};
    int wrong = judge_reduced(&c, d, e, trace, why);
    for (int i = 0; q && !wrong && i < PROBES; i++) {
        check_draw(&c, c.k);
        times_tridiagonal(&c, d, e);
        wrong = check_probe(&c, &basis, why);
    }
    return check_end(&c, wrong);
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
        const int64_t count = check_least(POINTS / 2, c->k - i);
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
    const int wrong = check_order(&c, 1, why) ||
                      judge_counts(&c, diagonal, e2, SLACK * check_eps(type) * norm, why);
    return check_end(&c, wrong);
}

int orr_verify_bidiagonal(const struct orr_matrix *a, const void *d, const void *e,
                          char why[ORR_WHY])
{
    struct check c;
    double trace;
    snprintf(why, ORR_WHY, "check: out of memory");
    if (!check_begin(&c, a, check_least(a->m, a->n), d, &trace))
        return check_end(&c, 1);
    return check_end(&c, judge_reduced(&c, d, e, trace, why));
}
