/* powm: what is certain about the vectors that a method found.
 *
 * Each is normalised and judged anew: one more product gives its residual without any lag, and
 * where the matrix allows it an interval that certainly contains an eigenvalue. What the method
 * cannot know is said, not passed over.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/powm.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Vectors as users want them ------------------------------------------------------------ */

/* Length 1, the largest entry real and positive: the same vector whatever the method. Of a
 * pair of columns only the length. */
static void normalise(struct powm *p, int c, int pair)
{
    double sum = 0, most = 0;
    double complex largest = 1;
    for (int64_t i = 0; i < p->n; i++) {
        const double complex a = orr_powm_get(p->type, p->X[c].data, i);
        const double complex b = pair ? orr_powm_get(p->type, p->X[c + 1].data, i) : 0;
        const double size = creal(a) * creal(a) + cimag(a) * cimag(a);
        sum += size + creal(b) * creal(b);
        if (size > most * (1 + 1e-8)) { /* of equal ones the first, whatever rounding says */
            most = size;
            largest = a;
        }
    }
    if (!(sum > 0))
        return;
    const double complex by = pair ? 1 / sqrt(sum) : conj(largest) / (cabs(largest) * sqrt(sum));
    for (int64_t i = 0; i < p->n; i++) {
        orr_powm_set(p->type, p->X[c].data, i, by * orr_powm_get(p->type, p->X[c].data, i));
        if (pair)
            orr_powm_set(p->type, p->X[c + 1].data, i,
                         by * orr_powm_get(p->type, p->X[c + 1].data, i));
    }
}

static int positive(const struct powm *p, int c)
{
    for (int64_t i = 0; i < p->n; i++)
        if (!(creal(orr_powm_get(p->type, p->X[c].data, i)) > 0))
            return 0;
    return 1;
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

/* ---- What is certain ----------------------------------------------------------------------- */

static double least_norm(const orr_sparse *A)
{
    return fmin(A->info.norm_fro, fmin(A->info.norm_1, A->info.norm_inf));
}

void powm_judge(struct powm *p, int c, int pair, orr_eigenpair *e)
{
    normalise(p, c, pair);
    struct orr_powm_vector *x = &p->X[c], *y = pair ? &p->X[c + 1] : NULL;
    double re = p->values[c][0], im = p->values[c][1];
    const int bounds =
        p->A->info.nonnegative && powm_real(p->type) && im == 0 && !p->At && positive(p, c);
    struct orr_powm_sums s = {.low = NAN, .high = NAN};
    double r2;
    orr_powm_vector_register(x, p->type, p->op.first);
    if (pair)
        orr_powm_vector_register(y, p->type, p->op.first);
    if (p->At) {
        r2 = measure_singular(p, re, x);
    } else {
        s = measure(p, re, im, bounds, x, y);
        if (!pair && p->o.method != ORR_POWM_METHOD_KRYLOV && s.xx > 0) {
            /* the Rayleigh quotient of this very vector leaves the smallest residual */
            re = s.xy[0] / s.xx;
            im = s.xy[1] / s.xx;
            s = measure(p, re, im, bounds, x, y);
        }
        r2 = s.r1 + (pair ? measure(p, re, -im, 0, y, x).r1 : 0);
    }
    orr_powm_vector_unregister(x);
    if (pair)
        orr_powm_vector_unregister(y);

    *e = (orr_eigenpair){.re = re, .im = im, .residual = sqrt(r2), .low = NAN, .high = NAN};
    if (p->At) { /* of the singular value: |A'u - sigma v| */
        e->re = sqrt(fmax(re, 0));
        e->residual = e->re > 0 ? e->residual / e->re : e->residual;
    }
    const double size = hypot(e->re, e->im);
    e->relative = e->residual == 0 ? 0 : e->residual / size;
    /* sums of up to `longest_row` products are off by so much */
    const double rounding = (double)(p->A->info.longest_row + 4) * orr_type_eps(p->type);
    if (p->hermitian) {
        e->low = e->re - e->residual - rounding * size;
        e->high = e->re + e->residual + rounding * size;
    } else if (bounds) {
        e->low = s.low * (1 - rounding);
        e->high = s.high * (1 + rounding);
    }
    e->dominant =
        bounds || (c == 0 && size >= least_norm(p->A) * (1 - 8 * rounding) && e->relative < 1e-6);
    if (bounds && p->hermitian) { /* both hold: the narrower */
        e->low = fmax(e->low, s.low * (1 - rounding));
        e->high = fmin(e->high, s.high * (1 + rounding));
    }
}

static int equal(double a, double b)
{
    return fabs(a - b) <= 1e-8 * fmax(fabs(a), fabs(b));
}

/* Smaller than what rounding can make of a multiple eigenvalue 0 of a matrix that is far from
 * normal: its third root for three, and so on. */
static int near_zero(const struct powm *p, const orr_eigenpair *e)
{
    return !p->hermitian && hypot(e->re, e->im) < cbrt(orr_type_eps(p->type)) * least_norm(p->A);
}

static const char *name_of(const struct powm *p, const orr_eigenpair *e, int found)
{
    if (p->A->info.nnz == 0)
        return "zero";
    if (p->zero)
        return "nilpotent";
    if (p->At)
        return "singular pair";
    if (found > 0 && near_zero(p, e))
        return "near zero";
    if (found > 0 && fabs(e[0].im) > 0)
        return powm_real(p->type) ? "complex pair" : "simple";
    if (found > 1 && equal(e[0].re, -e[1].re) && e[1].im == 0)
        return "plus-minus pair";
    if (found > 1 && equal(e[0].re, e[1].re) && e[1].im == 0)
        return "multiple";
    return "simple";
}

void powm_describe(const struct powm *p, const orr_eigenpair *e, orr_powm_result *r)
{
    const int pair_found = r->converged < r->found && p->power_pair;
    snprintf(r->name, sizeof r->name, "%s",
             pair_found ? p->power_pair == 2 ? "complex pair" : "plus-minus pair"
             : r->converged == 0 && !p->zero ? "not converged"
                                             : name_of(p, e, r->found));
    if (pair_found)
        snprintf(r->note, sizeof r->note,
                 "two eigenvalues have the largest modulus (%s): power iteration does not "
                 "converge; methods ritz and krylov do",
                 p->power_pair == 2 ? "a complex pair"
                                    : "+lambda and -lambda, as of a bipartite graph");
    else if (r->converged == 0 && !p->zero)
        snprintf(r->note, sizeof r->note,
                 "not converged after %lld products: the largest eigenvalues lie close together; "
                 "krylov needs the fewest products",
                 (long long)r->products);
    else if (p->A->info.nnz == 0)
        snprintf(r->note, sizeof r->note,
                 "the matrix is zero: every vector is an eigenvector of 0");
    else if (p->zero)
        snprintf(r->note, sizeof r->note,
                 "the iterate became zero after %lld steps: the matrix is nilpotent (a graph "
                 "without cycles), its only eigenvalue is 0",
                 (long long)r->steps);
    else if (!p->At && near_zero(p, e))
        snprintf(r->note, sizeof r->note,
                 "the eigenvalue is so small against |A| that rounding alone can make it out of 0: "
                 "the matrix may be nilpotent, or scaled very badly");
    else if (e[0].dominant)
        snprintf(r->note, sizeof r->note, "the first is proved to be of largest modulus");
    else
        snprintf(r->note, sizeof r->note,
                 "not dominant for certain: a small residual shows that these are eigenvalues, "
                 "not that there is no larger one; another seed tests it");
}
