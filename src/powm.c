/* powm: eigenpairs of largest modulus of a sparse matrix, and what is certain about them.
 *
 * The methods (powm_power.c, powm_krylov.c) hand over vectors; here each is normalised and
 * judged anew: one more product gives its residual without any lag, and where the matrix
 * allows it an interval that certainly contains an eigenvalue. What the method cannot know is
 * said, not passed over.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/powm.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int real_type(orr_type t)
{
    return t == ORR_S || t == ORR_D;
}

orr_status powm_columns(struct powm *p, int columns)
{
    for (int c = 0; p->X && c < p->columns; c++)
        orr_powm_vector_free(&p->X[c]);
    free(p->X);
    free(p->values);
    p->X = calloc((size_t)columns + 1, sizeof *p->X);
    p->values = calloc((size_t)columns + 1, sizeof *p->values);
    p->columns = p->X && p->values ? columns : 0;
    orr_status st = p->X && p->values ? ORR_OK : ORR_E_NOMEM;
    for (int c = 0; c < columns && st == ORR_OK; c++) {
        st = orr_powm_vector_make(&p->X[c], p->type, p->n, p->op.first, p->op.blocks);
        if (st == ORR_OK)
            orr_powm_vector_unregister(&p->X[c]);
    }
    return st;
}

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

static void judge(struct powm *p, int c, int pair, orr_eigenpair *e)
{
    struct orr_powm_vector *x = &p->X[c], *y = pair ? &p->X[c + 1] : NULL;
    double re = p->values[c][0], im = p->values[c][1];
    const int bounds =
        p->A->info.nonnegative && real_type(p->type) && im == 0 && !p->At && positive(p, c);
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
        return real_type(p->type) ? "complex pair" : "simple";
    if (found > 1 && equal(e[0].re, -e[1].re) && e[1].im == 0)
        return "plus-minus pair";
    if (found > 1 && equal(e[0].re, e[1].re) && e[1].im == 0)
        return "multiple";
    return "simple";
}

static void describe(const struct powm *p, const orr_eigenpair *e, orr_powm_result *r)
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

/* ---- The call ------------------------------------------------------------------------------ */

const char *orr_powm_wrong(const orr_sparse *A, const orr_powm_opts *o, const orr_eigenpair *pairs,
                           const orr_powm_result *result)
{
    if (!A || !pairs || !result)
        return "A, pairs or result is NULL";
    if ((int)o->method < 0 || o->method >= ORR_NPOWM_METHODS || o->k < 0 || o->basis < 0 ||
        !(o->tol >= 0) || o->max_products < 0 || o->fixed_steps < 0 || o->lookahead < 0 ||
        o->steps_per_task < 0)
        return "a negative option, or no such method";
    if (A->info.graph)
        return "A was made for PageRank";
    if (o->transposed) {
        const orr_sparse_info *t = &o->transposed->info;
        if (t->rows != A->info.cols || t->cols != A->info.rows || t->nnz != A->info.nnz ||
            t->type != A->info.type)
            return "opts.transposed is not the transposed matrix";
        if (o->method == ORR_POWM_METHOD_POWER || o->method == ORR_POWM_METHOD_RITZ)
            return "singular pairs are found by krylov only";
        if (!real_type(A->info.type))
            return "singular pairs are found of real matrices only";
    } else if (A->info.rows != A->info.cols) {
        return "a rectangular matrix has no eigenvectors; its principal singular pair needs "
               "opts.transposed";
    }
    if (o->method == ORR_POWM_METHOD_POWER || o->method == ORR_POWM_METHOD_RITZ)
        if (o->k > 1)
            return "power and ritz find one eigenvalue (k = 1); krylov finds more";
    return o->k > 390 ? "k is larger than 390" : NULL;
}

/* Every block reads all of x: what is known of a matrix whose x is cut by another's rows. */
static orr_status borrow_cut(struct orr_powm_matrix *m, const orr_sparse *other)
{
    const orr_context *ctx = other->ctx;
    const int64_t Q = other->info.blocks;
    int32_t *need = malloc((size_t)(m->blocks * Q + 1) * sizeof *need);
    int64_t *need_at = malloc((size_t)(m->blocks + 1) * sizeof *need_at);
    m->col_blocks = Q;
    m->col_first = other->first;
    m->need = need;
    m->need_at = need_at;
    if (!need || !need_at)
        return ORR_E_NOMEM;
    for (int64_t b = 0; b <= m->blocks; b++)
        need_at[b] = b * Q;
    for (int64_t i = 0; i < m->blocks * Q; i++)
        need[i] = (int32_t)(i % Q);
    m->wanted = orr_powm_wanted(ctx, m->blocks, Q, need, need_at);
    return m->wanted || ctx->info.ranks == 1 ? ORR_OK : ORR_E_NOMEM;
}

/* Was it a pair that power iteration could not part? A short look through the other method. */
static void look_for_pair(struct powm *p)
{
    struct powm q = *p;
    q.X = NULL;
    q.values = NULL;
    q.columns = 0;
    q.o.method = ORR_POWM_METHOD_RITZ;
    q.o.tol = 1e-3;
    q.o.fixed_steps = 0;
    q.o.max_products = 500;
    if (powm_power(&q) == ORR_OK && !q.limit && q.columns > 1)
        p->power_pair = fabs(q.values[0][1]) > 0 ? 2 : 1;
    p->products += q.products;
    powm_columns(&q, 0);
    free(q.X);
    free(q.values);
}

static orr_status solve(struct powm *p, orr_eigenpair *pairs, char *vectors, orr_powm_result *r)
{
    const size_t size = orr_type_size(p->type);
    orr_status st = p->o.method == ORR_POWM_METHOD_KRYLOV ? powm_krylov(p) : powm_power(p);
    if (st != ORR_OK || orr_request_failed(p->req))
        return st;
    if (p->o.method == ORR_POWM_METHOD_POWER && p->limit && p->o.fixed_steps == 0)
        look_for_pair(p);
    r->found = p->columns < p->o.k + 1 ? p->columns : p->o.k + 1;
    for (int c = 0; c < r->found; c++) {
        const int pair = real_type(p->type) && c + 1 < r->found && p->values[c][1] > 0;
        normalise(p, c, pair);
        judge(p, c, pair, &pairs[c]);
        if (pair) {
            c++;
            pairs[c] = pairs[c - 1];
            pairs[c].im = -pairs[c].im;
        }
    }
    /* Rounding alone leaves residuals of a few eps |A|. */
    const double floor = 10 * orr_type_eps(p->type) * p->A->info.norm_fro;
    for (int c = 0; c < r->found; c++) {
        r->converged += pairs[c].relative <= p->o.tol || pairs[c].residual <= floor;
        if (vectors)
            memcpy(vectors + (size_t)c * (size_t)p->n * size, p->X[c].data, (size_t)p->n * size);
    }
    r->products = p->products;
    r->steps = p->steps;
    describe(p, pairs, r);
    return ORR_OK;
}

/* A graph without cycles: nothing to iterate. A node that no link leads to is an empty column,
 * and its unit vector is mapped to zero. */
static void answer_nilpotent(const orr_sparse *A, orr_eigenpair *pairs, void *vectors,
                             orr_powm_result *r)
{
    const size_t size = orr_type_size(A->info.type);
    pairs[0] = (orr_eigenpair){.dominant = 1};
    *r = (orr_powm_result){.found = 1, .converged = 1};
    snprintf(r->name, sizeof r->name, A->info.nnz ? "nilpotent" : "zero");
    snprintf(r->note, sizeof r->note,
             A->info.nnz ? "the graph of the matrix has no cycles: the matrix is nilpotent, its "
                           "only eigenvalue is 0"
                         : "the matrix is zero: every vector is an eigenvector of 0");
    if (vectors) {
        memset(vectors, 0, (size_t)A->info.cols * size);
        orr_powm_set(A->info.type, vectors, A->source, 1);
    }
}

struct outcome {
    orr_status status;
};

static orr_status finish(orr_request *req)
{
    return ((struct outcome *)req->state)->status;
}

static void write_plan(const struct powm *p, char *plan, size_t room)
{
    static const char *const method[] = {"auto", "power", "ritz", "krylov"};
    const orr_sparse_info *a = &p->A->info;
    int n = snprintf(plan, room, "\"method\":\"%s\",\"blocks\":%lld,\"formats\":\"",
                     method[p->o.method], (long long)a->blocks);
    const char *comma = "";
    for (int f = 0; f < ORR_NFORMATS; f++)
        if (a->by_format[f]) {
            n +=
                snprintf(plan + n, room - (size_t)n, "%s%s", comma, orr_format_name((orr_format)f));
            comma = ",";
        }
    snprintf(plan + n, room - (size_t)n, "\",\"values\":\"%s\",\"hermitian\":%d",
             a->pattern  ? "pattern"
             : a->narrow ? "narrow"
                         : "full",
             p->hermitian);
}

static orr_status refuse(orr_report *report, orr_status st, const char *why)
{
    if (report) {
        *report = (orr_report){.status = st, .culprit = "powm", .index = -1};
        snprintf(report->message, sizeof report->message, "%s", why ? why : orr_strerror(st));
    }
    return st;
}

orr_status orr_powm(orr_context *ctx, const orr_sparse *A, const orr_powm_opts *opts,
                    orr_eigenpair *pairs, void *vectors, orr_powm_result *result,
                    orr_report *report)
{
    orr_powm_opts o = opts ? *opts : (orr_powm_opts){0};
    const char *wrong = ctx ? orr_powm_wrong(A, &o, pairs, result) : "no context";
    if (wrong)
        return refuse(report, ORR_E_ARG, wrong);
    *result = (orr_powm_result){0};
    if (A->info.cols == 0) {
        snprintf(result->name, sizeof result->name, "empty");
        snprintf(result->note, sizeof result->note, "a matrix of order 0 has no eigenvalues");
        return refuse(report, ORR_OK, "");
    }
    o.k = o.k ? o.k : 1;
    if (o.k > A->info.cols)
        o.k = (int)A->info.cols;
    o.method = o.method ? o.method : ORR_POWM_METHOD_KRYLOV;
    o.tol = o.tol > 0 ? o.tol : orr_type_eps(A->info.type) > 1e-10 ? 1e-4 : 1e-10;
    o.max_products = o.max_products ? o.max_products : 20000;
    struct powm p = {.ctx = ctx,
                     .A = A,
                     .At = o.transposed,
                     .op = A->m,
                     .o = o,
                     .type = A->info.type,
                     .n = A->info.cols,
                     .hermitian = A->info.hermitian || o.transposed};
    orr_status st = ORR_OK;
    if (A->info.acyclic && !p.At) {
        answer_nilpotent(A, pairs, vectors, result);
        return refuse(report, ORR_OK, "");
    }
    if (p.At) {
        p.inner = A->m;
        p.op = p.At->m;
        st = borrow_cut(&p.inner, p.At);
        if (st == ORR_OK)
            st = borrow_cut(&p.op, A);
    }
    p.req = st == ORR_OK ? orr_context_request(ctx) : NULL;
    struct outcome outcome = {ORR_OK};
    if (p.req) {
        struct orr_operation *op = (struct orr_operation *)p.req;
        orr_request_go(p.req); /* this thread waits for tasks by itself */
        p.req->finish = finish;
        p.req->state = &outcome;
        p.req->parts_total = o.max_products;
        p.req->progress = o.progress;
        p.req->progress_arg = o.progress_arg;
        st = solve(&p, pairs, vectors, result);
        if (st < 0)
            orr_request_fail(p.req, st, "powm");
        if (st != ORR_E_NONFINITE) /* that is found by all ranks */
            orr_ranks_end(ctx, st, "powm");
        if (st == ORR_OK && o.fixed_steps == 0 &&
            result->converged < (o.k < result->found ? o.k : result->found)) {
            outcome.status = ORR_NOCONV;
            snprintf(op->message, sizeof op->message, "%s", result->note);
        }
        write_plan(&p, op->plan, sizeof op->plan);
        st = orr_wait(p.req, report);
    } else {
        orr_ranks_end(ctx, ORR_E_NOMEM, "powm");
        st = refuse(report, ORR_E_NOMEM, NULL);
    }
    powm_columns(&p, 0);
    free(p.X);
    free(p.values);
    if (p.At) {
        free((void *)p.inner.need);
        free((void *)p.inner.need_at);
        free((void *)p.op.need);
        free((void *)p.op.need_at);
        free((void *)p.inner.wanted);
        free((void *)p.op.wanted);
    }
    return st;
}

/* ---- One product --------------------------------------------------------------------------- */

orr_status orr_sparse_multiply(orr_context *ctx, const orr_sparse *A, const void *x, void *y,
                               orr_report *report)
{
    if (!ctx || !A || (!x && A->info.cols > 0) || (!y && A->info.rows > 0))
        return refuse(report, ORR_E_ARG, "an argument is NULL");
    const int64_t size = (int64_t)orr_type_size(A->info.type);
    const int64_t all[2] = {0, A->info.cols};
    struct orr_powm_matrix m = A->m;
    struct orr_powm_vector vx = {0}, vy = {0};
    if (A->info.rows == 0)
        return refuse(report, ORR_OK, "");
    int64_t *need_at = calloc((size_t)m.blocks + 1, sizeof *need_at);
    int32_t *need = calloc((size_t)m.blocks + 1, sizeof *need);
    orr_request *req = need && need_at ? orr_context_request(ctx) : NULL;
    orr_status st = req ? ORR_OK : ORR_E_NOMEM;
    if (st == ORR_OK) /* x in one piece */
        st = orr_powm_vector_make(&vx, A->info.type, A->info.cols, all, 1);
    if (st == ORR_OK)
        st = orr_powm_vector_make(&vy, A->info.type, A->info.rows, A->first, m.blocks);
    if (st == ORR_OK) {
        for (int64_t i = 0; A->given && i < A->info.cols; i++)
            memcpy(vx.data + i * size, (const char *)x + A->given[i] * size, (size_t)size);
        if (!A->given)
            memcpy(vx.data, x, (size_t)(A->info.cols * size));
        for (int64_t b = 0; b <= m.blocks; b++)
            need_at[b] = b;
        m.need = need;
        m.need_at = need_at;
        m.col_first = all;
        m.col_blocks = 1;
        for (int64_t b = m.mine; b < m.mine_end; b++)
            orr_insert_powm_product(req, 0, &m, b, NULL, 0, 0, vx.h, vy.h[b]);
        orr_ranks_check(ctx, req);
        orr_request_drain(req, 1);
        orr_powm_vector_unregister(&vy);
        orr_powm_complete(ctx, A->info.type, vy.data, A->first, m.blocks);
        for (int64_t i = 0; A->given && i < A->info.rows; i++)
            memcpy((char *)y + A->given[i] * size, vy.data + i * size, (size_t)size);
        if (!A->given)
            memcpy(y, vy.data, (size_t)(A->info.rows * size));
    }
    if (req && st != ORR_OK)
        orr_request_fail(req, st, "powm");
    orr_ranks_end(ctx, st, "powm");
    orr_powm_vector_free(&vx);
    orr_powm_vector_free(&vy);
    st = req ? orr_wait(req, report) : refuse(report, st, NULL);
    free(need);
    free(need_at);
    return st;
}
