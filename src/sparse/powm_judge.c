/* powm: what is certain about the vectors that a method found.
 *
 * Each is normalised and judged anew: one more product gives its residual without any lag, and
 * where the matrix allows it an interval that certainly contains an eigenvalue. What the method
 * cannot know is said, not passed over.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/sparse/powm.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Two numbers that differ by no more than this times their size may be one that was rounded. */
static double alike(const struct powm *p) { return sqrt(orr_type_eps(p->type)); }

/* ---- Vectors as users want them ------------------------------------------------------------ */

static double larger_part(double complex z) { return fmax(fabs(creal(z)), fabs(cimag(z))); }

/* Multiplies columns c to last by the power of two that brings their largest part near 1. 0: there
 * is none, or it is not finite. */
static int bring_near_one(struct powm *p, int c, int last)
{
    double most = 0;
    int e;
    for (int j = c; j <= last; j++)
        for (int64_t i = 0; i < p->n; i++) {
            const double part = larger_part(orr_powm_get(p->type, p->X[j].data, i));
            if (!isfinite(part))
                return 0;
            most = fmax(most, part);
        }
    frexp(most, &e);
    for (int j = c; j <= last; j++)
        for (int64_t i = 0; i < p->n; i++) {
            const double complex a = orr_powm_get(p->type, p->X[j].data, i);
            orr_powm_set(p->type, p->X[j].data, i, CMPLX(ldexp(creal(a), -e), ldexp(cimag(a), -e)));
        }
    return most > 0;
}

/* Length 1, the largest entry real and positive: the same vector whatever the method. Of a
 * pair of columns only the length. 0: it has no direction. */
static int normalise(struct powm *p, int c, int pair)
{
    const double tie = alike(p);
    double sum = 0, most = 0;
    double complex largest = 1;
    for (int64_t i = 0; i < p->n; i++) {
        const double complex a = orr_powm_get(p->type, p->X[c].data, i);
        const double complex b = pair ? orr_powm_get(p->type, p->X[c + 1].data, i) : 0;
        const double size = creal(a) * creal(a) + cimag(a) * cimag(a);
        sum += size + creal(b) * creal(b);
        if (size > most * (1 + tie)) { /* of equal ones the first */
            most = size;
            largest = a;
        }
    }
    if (!(sum > 1e-200 && sum < 1e200)) /* squares of numbers at the ends of the range */
        return bring_near_one(p, c, c + pair) && normalise(p, c, pair);
    const double complex by = pair ? 1 / sqrt(sum) : conj(largest) / (cabs(largest) * sqrt(sum));
    for (int64_t i = 0; i < p->n; i++) {
        orr_powm_set(p->type, p->X[c].data, i, by * orr_powm_get(p->type, p->X[c].data, i));
        if (pair)
            orr_powm_set(p->type, p->X[c + 1].data, i,
                         by * orr_powm_get(p->type, p->X[c + 1].data, i));
    }
    return 1;
}

/* The least entry; 0 unless all are positive. */
static double least_entry(const struct powm *p, int c)
{
    double least = INFINITY;
    for (int64_t i = 0; i < p->n; i++) {
        const double x = creal(orr_powm_get(p->type, p->X[c].data, i));
        if (!(x > 0))
            return 0;
        least = fmin(least, x);
    }
    return least;
}

/* ---- Residuals ----------------------------------------------------------------------------- */

/* |A x - theta x + omega z|^2 over all blocks, and bounds of (A x)_i / x_i if asked for. */
static struct orr_powm_sums measure(struct powm *p, double theta, double omega, int bounds,
                                    struct orr_powm_vector *x, struct orr_powm_vector *z)
{
    const int64_t P = p->op.blocks;
    struct orr_powm_sums sums = {.r1 = NAN, .low = NAN, .high = NAN};
    starpu_data_handle_t *part = calloc((size_t)P, sizeof *part);
    char *home = calloc((size_t)P, orr_powm_partial_size());
    if (!part || !home) {
        orr_request_fail(p->req, ORR_E_NOMEM, "powm");
        orr_ranks_check(p->ctx, p->req);
        orr_request_drain(p->req, 1); /* x may be written by tasks, and is freed */
        free(part);
        free(home);
        return sums;
    }
    for (int64_t b = 0; b < P; b++) {
        starpu_vector_data_register(&part[b], STARPU_MAIN_RAM,
                                    (uintptr_t)(home + (size_t)b * orr_powm_partial_size()),
                                    (uint32_t)(orr_powm_partial_size() / 8), 8);
        if (b >= p->op.mine && b < p->op.mine_end)
            orr_insert_powm_residual(p->req, 0, &p->op, b, theta, omega, bounds, x->h,
                                     z ? z->h[b] : NULL, part[b]);
    }
    orr_powm_collect(p->ctx, p->req, part, P);
    orr_ranks_check(p->ctx, p->req);
    orr_request_drain(p->req, 1);
    for (int64_t b = 0; b < P; b++)
        starpu_data_unregister(part[b]);
    if (!orr_request_failed(p->req))
        sums = orr_powm_sum_partials(home, P);
    orr_ranks_bcast(p->ctx, 0, &sums, sizeof sums);
    free(part);
    free(home);
    return sums;
}

/* For singular pairs: |A'(A v) - sigma^2 v|^2. */
static double measure_singular(struct powm *p, double square, struct orr_powm_vector *v)
{
    struct orr_powm_vector t;
    if (orr_powm_vector_make(&t, p->type, p->inner.rows, p->inner.first, p->inner.blocks) !=
        ORR_OK) {
        orr_ranks_end(p->ctx, ORR_E_NOMEM, "powm");
        return NAN;
    }
    for (int64_t b = p->inner.mine; b < p->inner.mine_end; b++)
        orr_insert_powm_product(p->req, 0, &p->inner, b, NULL, 0, 0, v->h, t.h[b]);
    orr_powm_share(p->ctx, p->req, &p->op, t.h);
    const double r = measure(p, 0, -square, 0, &t, v).r1;
    orr_powm_vector_free(&t);
    return r;
}

/* 1: A v is zero in every entry. v is blown up, so that no product that is not zero becomes so. */
static int vanishes(struct powm *p, int c)
{
    const struct orr_powm_matrix *m = p->At ? &p->inner : &p->op;
    const int by = orr_type_real(p->type) == ORR_S ? 100 : 900;
    struct orr_powm_vector v = {0}, t = {0};
    orr_status st = orr_powm_vector_make(&v, p->type, p->n, p->op.first, p->op.blocks);
    if (st == ORR_OK)
        st = orr_powm_vector_make(&t, p->type, m->rows, m->first, m->blocks);
    int zero = st == ORR_OK;
    if (st == ORR_OK) {
        for (int64_t i = 0; i < p->n; i++) {
            const double complex a = orr_powm_get(p->type, p->X[c].data, i);
            orr_powm_set(p->type, v.data, i, CMPLX(ldexp(creal(a), by), ldexp(cimag(a), by)));
        }
        for (int64_t b = m->mine; b < m->mine_end; b++)
            orr_insert_powm_product(p->req, 0, m, b, NULL, 0, 0, v.h, t.h[b]);
        orr_ranks_check(p->ctx, p->req);
        orr_request_drain(p->req, 1);
        orr_powm_vector_unregister(&t);
        orr_powm_complete(p->ctx, p->type, t.data, m->first, m->blocks);
        for (int64_t i = 0; zero && i < m->rows; i++)
            zero = orr_powm_get(p->type, t.data, i) == 0;
    } else {
        orr_request_fail(p->req, st, "powm");
        orr_ranks_end(p->ctx, st, "powm");
    }
    orr_powm_vector_free(&v);
    orr_powm_vector_free(&t);
    return zero;
}

/* ---- What is certain ----------------------------------------------------------------------- */

static double norm(const struct powm *p) { return p->At ? p->A->norm_singular : p->A->norm; }

/* Sums of up to so many products, whose factors are rounded to the type, are off by so much of the
 * sum of the moduli. */
static double rounding(const struct powm *p)
{
    const int64_t rows = p->A->info.longest_row, columns = p->At ? p->At->info.longest_row : 0;
    return (double)(rows + columns + 4) * orr_type_eps(p->type);
}

static void around(double centre, double radius, orr_eigenpair *e)
{
    e->low = centre - radius;
    e->high = centre + radius;
}

/* s: of the vector as it is; least: its least entry if Collatz and Wielandt apply, else 0. */
static void certify(const struct powm *p, int c, const struct orr_powm_sums *s, double least,
                    orr_eigenpair *e)
{
    const double u = rounding(p), slack = u * norm(p), size = hypot(e->re, e->im);
    if (p->At) { /* |t - s| <= |t^2 - s^2| / s, and its root at most */
        const double r = e->residual * (e->re > 0 ? e->re : e->residual) + 2 * slack * norm(p);
        around(e->re, fmin(sqrt(r), e->re > 0 ? r / e->re : INFINITY), e);
        e->low = fmax(e->low, 0);
    } else if (p->hermitian) {
        around(e->re, e->residual + slack, e);
    }
    e->dominant = c == 0 && size >= norm(p) * (1 - 8 * u) && e->relative < 1e-6;
    if (least > 0) {
        const double last_bit = orr_type_real(p->type) == ORR_S ? 0x1p-149 : 0x1p-1074;
        const double lost = (double)p->A->info.longest_row * last_bit / least;
        const double low = fmax(s->low * (1 - u) - lost, 0), high = s->high * (1 + u) + lost;
        if (p->hermitian && !(high - low <= 1e-6 * size)) /* too wide to be worth more */
            return;
        /* the Rayleigh quotient of a Hermitian matrix is no larger than its largest eigenvalue */
        e->low = p->hermitian ? fmax(low, s->xy[0] / s->xx - slack) : low;
        e->high = high;
        /* it may reach from a lesser value up to the spectral radius */
        e->dominant |= high <= size * (1 + fmin(fmax(1e-6, 10 * p->o.tol), 0.01));
    }
}

/* What a residual is divided by. */
static double yardstick(const struct powm *p, const orr_eigenpair *e)
{
    return fmax(hypot(e->re, e->im), p->o.which == ORR_POWM_LM ? 0 : p->largest);
}

void orr_powm_judge(struct powm *p, int c, int pair, orr_eigenpair *e)
{
    enum { UNSEEN = -500 }; /* a residual below 2^UNSEEN vanishes when it is squared */
    double re = p->values[c][0], im = p->values[c][1];
    *e = (orr_eigenpair){.re = p->At ? sqrt(fmax(re, 0)) : re,
                         .im = im,
                         .residual = NAN,
                         .relative = INFINITY,
                         .low = NAN,
                         .high = NAN};
    if (!normalise(p, c, pair) || !isfinite(re) || !isfinite(im))
        return;
    struct orr_powm_vector *x = &p->X[c], *y = pair ? &p->X[c + 1] : NULL;
    const int nonnegative = p->A->info.nonnegative && powm_real(p->type) && im == 0 && !p->At;
    const double least = nonnegative ? least_entry(p, c) : 0;
    struct orr_powm_sums s = {.low = NAN, .high = NAN};
    double r2;
    orr_powm_vector_register(x, p->type, p->op.first);
    if (pair)
        orr_powm_vector_register(y, p->type, p->op.first);
    if (p->At) {
        r2 = measure_singular(p, re, x);
    } else {
        s = measure(p, re, im, least > 0, x, y);
        if (!pair && p->o.method != ORR_POWM_METHOD_KRYLOV && s.xx > 0) {
            /* the Rayleigh quotient of this very vector leaves the smallest residual */
            e->re = re = s.xy[0] / s.xx;
            e->im = im = s.xy[1] / s.xx;
            s = measure(p, re, im, least > 0, x, y);
        }
        r2 = s.r1 + (pair ? measure(p, re, -im, 0, y, x).r1 : 0);
    }
    orr_powm_vector_unregister(x);
    if (pair)
        orr_powm_vector_unregister(y);

    const double size = hypot(e->re, e->im);
    e->residual = sqrt(r2);
    if (r2 == 0 && size < ldexp(1, UNSEEN / 2) && !(size == 0 && vanishes(p, c)))
        e->residual = ldexp(1, UNSEEN);
    if (p->At && size > 0) /* of the singular value: |A'u - sigma v| */
        e->residual /= size;
    e->relative = e->residual == 0 ? 0 : e->residual / yardstick(p, e);
    certify(p, c, &s, least, e);
}

int orr_powm_good(const struct powm *p, const orr_eigenpair *e)
{
    return e->relative <= p->o.tol && isfinite(ldexp(e->re, -p->A->shift)) &&
           isfinite(ldexp(e->im, -p->A->shift));
}

/* x 2^-shift, and if that cannot be said exactly the number beside it towards `to`. */
static double outwards(double x, int shift, double to)
{
    const double y = ldexp(x, -shift);
    if (isinf(y) && !isinf(x))
        return (to > 0) == (y > 0) ? y : nextafter(y, 0);
    return ldexp(y, shift) == x || isnan(x) ? y : nextafter(y, to);
}

void orr_powm_to_user(const struct powm *p, orr_eigenpair *e)
{
    const int shift = p->A->shift;
    e->re = ldexp(e->re, -shift);
    /* that of a pair stays what it is: something else than 0 */
    if (e->im != 0)
        e->im = copysign(fmax(ldexp(fabs(e->im), -shift), 0x1p-1074), e->im);
    e->residual = outwards(e->residual, shift, INFINITY);
    e->low = outwards(e->low, shift, -INFINITY);
    e->high = outwards(e->high, shift, INFINITY);
}

/* ---- In words ------------------------------------------------------------------------------ */

static int equal(const struct powm *p, double a, double b)
{
    return fabs(a - b) <= alike(p) * fmax(fabs(a), fabs(b));
}

/* Smaller than what rounding can make of a multiple eigenvalue 0 of a matrix that is far from
 * normal: its third root for three, and so on. */
static int near_zero(const struct powm *p, const orr_eigenpair *e)
{
    return !p->hermitian && yardstick(p, e) < cbrt(orr_type_eps(p->type)) * norm(p);
}

static const char *name_of(const struct powm *p, const orr_eigenpair *e, int found)
{
    if (p->A->norm == 0)
        return "zero";
    if (p->zero)
        return "nilpotent";
    if (p->At)
        return "singular pair";
    if (found > 0 && near_zero(p, e))
        return "near zero";
    if (found > 0 && fabs(e[0].im) > 0)
        return powm_real(p->type) ? "complex pair" : "simple";
    if (found > 1 && equal(p, e[0].re, -e[1].re) && e[1].im == 0)
        return "plus-minus pair";
    if (found > 1 && equal(p, e[0].re, e[1].re) && e[1].im == 0)
        return "multiple";
    return "simple";
}

static const char *values(const struct powm *p)
{
    return p->At ? "singular values" : "eigenvalues";
}

static const char *const ends[] = {"largest", "largest", "smallest"}; /* by orr_powm_which */

/* Why pair number c is not good enough. */
static void complain(const struct powm *p, const orr_eigenpair *e, int c, orr_powm_result *r)
{
    const double size = hypot(e[c].re, e[c].im), limit = 10 * rounding(p) * norm(p);
    const int by_rounding = e[c].residual * (p->At ? size : 1) <= limit * (p->At ? norm(p) : 1);
    const char *whole = p->o.which == ORR_POWM_LM ? "its value" : "the largest modulus";
    if (e[c].relative <= p->o.tol)
        snprintf(r->note, sizeof r->note, "the value of pair %d is more than a double can hold",
                 c + 1);
    else if (c == 0 && near_zero(p, e) && by_rounding)
        snprintf(r->note, sizeof r->note,
                 "the eigenvalue is so small against |A| that rounding alone can make it out of 0: "
                 "the matrix may be nilpotent, or scaled very badly");
    else if (by_rounding && p->o.tol < rounding(p))
        snprintf(r->note, sizeof r->note,
                 "pair %d: its residual, %.2g of %s, is rounding: sums of so many products in this "
                 "precision need not be better than %.2g",
                 c + 1, e[c].relative, whole, rounding(p));
    else if (by_rounding)
        snprintf(r->note, sizeof r->note,
                 "pair %d: its residual is rounding of |A|, but %.2g of %s, which is too small "
                 "against |A| to be found to %.2g, or 0",
                 c + 1, e[c].relative, whole, p->o.tol);
    else if (c == 0)
        snprintf(r->note, sizeof r->note,
                 "not converged after %lld products: the %s %s lie close together; %s",
                 (long long)r->products, ends[p->o.which], values(p),
                 p->o.method == ORR_POWM_METHOD_KRYLOV ? "a larger basis needs fewer products"
                                                       : "krylov needs the fewest products");
    else
        snprintf(r->note, sizeof r->note,
                 "pair %d: the residual is %.2g of %s, not %.2g, after %lld products", c + 1,
                 e[c].relative, whole, p->o.tol, (long long)r->products);
}

void orr_powm_describe(const struct powm *p, const orr_eigenpair *e, orr_powm_result *r)
{
    const int pair_found = r->converged < r->found && p->power_pair;
    int bad = 0;
    while (bad < r->found && orr_powm_good(p, &e[bad]))
        bad++;
    const int none = r->converged == 0 && !(r->found > 0 && near_zero(p, e));
    snprintf(r->name, sizeof r->name, "%s",
             pair_found ? p->power_pair == 2 ? "complex pair" : "plus-minus pair"
             : none     ? "not converged"
                        : name_of(p, e, r->found));
    if (pair_found)
        snprintf(r->note, sizeof r->note,
                 "two eigenvalues have the largest modulus (%s): power iteration does not "
                 "converge; methods ritz and krylov do",
                 p->power_pair == 2 ? "a complex pair"
                                    : "+lambda and -lambda, as of a bipartite graph");
    else if (p->lost)
        snprintf(r->note, sizeof r->note,
                 "the iteration broke down after %lld products: its numbers left their range; the "
                 "entries of the matrix are too different in size",
                 (long long)r->products);
    else if (bad < r->found)
        complain(p, e, bad, r);
    else if (r->found < p->o.k && !p->zero)
        snprintf(r->note, sizeof r->note, "%lld products are too few for %d pairs",
                 (long long)r->products, p->o.k);
    else if (p->A->norm == 0)
        snprintf(r->note, sizeof r->note, "the matrix is zero: every vector is %s of 0",
                 p->At ? "a singular vector" : "an eigenvector");
    else if (p->zero)
        snprintf(r->note, sizeof r->note,
                 "the iterate became zero after %lld steps: the matrix is nilpotent (a graph "
                 "without cycles), its only eigenvalue is 0",
                 (long long)r->steps);
    else if (!p->At && near_zero(p, e))
        snprintf(r->note, sizeof r->note,
                 "the eigenvalue is so small against |A| that rounding alone can make it out of 0: "
                 "the matrix may be nilpotent, or scaled very badly");
    else if (p->copies)
        snprintf(
            r->note, sizeof r->note,
            "the products ended before copies of these were looked for: where one is multiple, "
            "others may have taken their place");
    else if (e[0].dominant)
        snprintf(r->note, sizeof r->note, "the first is proved to be of largest modulus");
    else
        snprintf(r->note, sizeof r->note,
                 "%s for certain: a small residual shows that these are %s, not that there is no "
                 "%s one; another seed tests it",
                 p->o.which == ORR_POWM_LM ? "not dominant" : "not the ends of the spectrum",
                 values(p), p->o.which == ORR_POWM_SA ? "smaller" : "larger");
}
