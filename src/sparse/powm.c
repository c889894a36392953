/* powm: principal and extreme eigenpairs of a sparse matrix. The methods (powm_power.c, powm_krylov.c)
 * hand over vectors, powm_judge.c says what each is worth.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "src/sparse/powm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codelets/core/least.h"

orr_status orr_powm_columns(struct powm *p, int columns)
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

const char *orr_powm_wrong(const orr_sparse *A, const orr_powm_opts *o, const orr_eigenpair *pairs,
                           const orr_powm_result *result)
{
    if (!A || !pairs || !result)
        return !A ? "A is NULL" : !pairs ? "pairs is NULL" : "result is NULL";
    if ((int)o->method < 0 || o->method >= ORR_NPOWM_METHODS || (int)o->which < 0 ||
        o->which >= ORR_NPOWM_WHICH || o->k < 0 || o->basis < 0 || !(o->tol >= 0) ||
        o->max_products < 0 || o->fixed_steps < 0 || o->lookahead < 0 || o->steps_per_task < 0)
        return "a negative option, or no such method or which";
    if (A->info.graph)
        return "A was made for PageRank";
    if (o->transposed) {
        const orr_sparse_info *t = &o->transposed->info;
        if (t->rows != A->info.cols || t->cols != A->info.rows || t->nnz != A->info.nnz ||
            t->type != A->info.type)
            return "opts.transposed is not the transposed matrix";
        if (o->method == ORR_POWM_METHOD_POWER || o->method == ORR_POWM_METHOD_RITZ)
            return "singular pairs are found by krylov only";
        if (!powm_real(A->info.type))
            return "singular pairs are found of real matrices only";
        if (o->which != ORR_POWM_LM)
            return "of singular values only the largest are found (which LM)";
    } else if (A->info.rows != A->info.cols) {
        return "a rectangular matrix has no eigenvectors; its principal singular pair needs "
               "opts.transposed";
    }
    if (o->method == ORR_POWM_METHOD_POWER || o->method == ORR_POWM_METHOD_RITZ) {
        if (o->k > 1)
            return "power and ritz find one eigenvalue (k = 1); krylov finds more";
        if (o->which != ORR_POWM_LM)
            return "power and ritz find the eigenvalue of largest modulus; krylov finds others";
    }
    return o->k > 390 ? "k is larger than 390" : NULL;
}

/* Of what all ranks have to be given alike. */
static uint64_t hashed(const orr_sparse *A, const orr_powm_opts *o)
{
    const double reals[] = {o->tol};
    const int64_t whole[] = {o->method,       o->which,       o->k,
                             o->basis,        o->lookahead,   o->transposed != NULL,
                             o->max_products, o->fixed_steps, o->steps_per_task,
                             A->info.rows,    A->info.cols,   A->info.nnz,
                             A->info.blocks,  A->info.type,   (int64_t)o->seed};
    return orr_sparse_hash(orr_sparse_hash(0, reals, sizeof reals), whole, sizeof whole);
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

static orr_status solve(struct powm *p, orr_eigenpair *pairs, char *vectors, orr_powm_result *r)
{
    const size_t size = orr_type_size(p->type);
    orr_status st = p->o.method == ORR_POWM_METHOD_KRYLOV ? orr_powm_krylov(p) : orr_powm_power(p);
    if (st != ORR_OK || orr_request_failed(p->req) || p->req->plan)
        return st;
    r->found = p->columns < p->o.k + 1 ? p->columns : p->o.k + 1;
    for (int c = 0; c < r->found; c++) {
        const int pair = powm_real(p->type) && c + 1 < r->found && p->values[c][1] > 0;
        orr_powm_judge(p, c, pair, &pairs[c]);
        if (pair) {
            c++;
            pairs[c] = pairs[c - 1];
            pairs[c].im = -pairs[c].im;
        }
    }
    /* An iterate that underflowed is not one that became zero. */
    p->zero = p->zero && r->found == 1 && pairs[0].residual == 0;
    for (int c = 0; c < r->found; c++) {
        r->converged += orr_powm_good(p, &pairs[c]);
        if (vectors)
            memcpy(vectors + (size_t)c * (size_t)p->n * size, p->X[c].data, (size_t)p->n * size);
    }
    r->products = p->products;
    r->steps = p->steps;
    r->tol = p->o.tol;
    orr_powm_describe(p, pairs, r);
    for (int c = 0; c < r->found; c++)
        orr_powm_to_user(p, &pairs[c]);
    if (p->o.which != ORR_POWM_LM)
        r->largest = ldexp(p->largest, -p->A->shift);
    else if (r->found > 0)
        r->largest = hypot(pairs[0].re, pairs[0].im);
    return ORR_OK;
}

/* A graph without cycles: nothing to iterate. A node that no link leads to is an empty column,
 * and its unit vector is mapped to zero. */
static void answer_nilpotent(const orr_sparse *A, double tol, orr_eigenpair *pairs, void *vectors,
                             orr_powm_result *r)
{
    const size_t size = orr_type_size(A->info.type);
    pairs[0] = (orr_eigenpair){.dominant = 1};
    *r = (orr_powm_result){.found = 1, .converged = 1, .tol = tol};
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

static void write_plan(const struct powm *p, char *plan, size_t room)
{
    static const char *const method[] = {"auto", "power", "ritz", "krylov"};
    static const char *const which[] = {"LM", "LA", "SA"};
    const orr_sparse_info *a = &p->A->info;
    int n =
        snprintf(plan, room, "\"method\":\"%s\",\"which\":\"%s\",\"blocks\":%lld,\"formats\":\"",
                 method[p->o.method], which[p->o.which], (long long)a->blocks);
    const char *comma = "";
    for (int f = 0; f < ORR_NFORMATS; f++)
        if (a->by_format[f]) {
            n +=
                snprintf(plan + n, room - (size_t)n, "%s%s", comma, orr_format_name((orr_format)f));
            comma = ",";
        }
    snprintf(plan + n, room - (size_t)n, "\",\"values\":\"%s\",\"hermitian\":%d,\"shift\":%d",
             a->pattern  ? "pattern"
             : a->narrow ? "narrow"
                         : "full",
             p->hermitian, p->A->shift);
}

orr_status orr_powm(orr_context *ctx, const orr_sparse *A, const orr_powm_opts *opts,
                    orr_eigenpair *pairs, void *vectors, orr_powm_result *result,
                    orr_report *report)
{
    return orr_powm_entered(ctx, orr_context_entered(ctx), A, opts, pairs, vectors, result, report);
}

/* What the caller left to the library. */
static orr_powm_opts chosen(const orr_sparse *A, const orr_powm_opts *opts)
{
    orr_powm_opts o = *opts;
    o.k = (int)orr_least(o.k ? o.k : 1, A->info.cols);
    o.method = o.method ? o.method : ORR_POWM_METHOD_KRYLOV;
    o.tol = o.tol > 0 ? o.tol : orr_type_eps(A->info.type) > 1e-10 ? 1e-4 : 1e-10;
    o.max_products = o.max_products ? o.max_products : 20000;
    return o;
}

/* A'A: the inner product is with A, the outer one with its adjoint. */
static orr_status cut_inner(struct powm *p)
{
    p->inner = p->A->m;
    p->op = p->At->m;
    const orr_status st = borrow_cut(&p->inner, p->At);
    return st == ORR_OK ? borrow_cut(&p->op, p->A) : st;
}

static void free_inner(struct powm *p)
{
    free((void *)p->inner.need);
    free((void *)p->inner.need_at);
    free((void *)p->inner.wanted);
    free((void *)p->op.need);
    free((void *)p->op.need_at);
    free((void *)p->op.wanted);
}

static orr_status run(struct powm *p, orr_eigenpair *pairs, void *vectors, orr_powm_result *result,
                      orr_report *report)
{
    struct orr_operation *op = orr_operation_of(p->req);
    orr_status outcome = ORR_OK;
    const int small = orr_sparse_is_small(p->A) && (!p->At || orr_sparse_is_small(p->At));
    orr_powm_begin(p->req, small, p->o.max_products, p->o.progress, p->o.progress_arg, &outcome);
    const orr_status st = solve(p, pairs, vectors, result);
    if (st < 0)
        orr_request_fail(p->req, st, "powm");
    if (st != ORR_E_NONFINITE) /* that is found by all ranks */
        orr_ranks_end(p->ctx, st, "powm");
    if (st == ORR_OK && p->o.fixed_steps == 0 && !p->req->plan &&
        (result->converged < result->found || (result->found < p->o.k && !p->zero))) {
        outcome = ORR_NOCONV;
        snprintf(op->message, sizeof op->message, "%s", result->note);
    }
    write_plan(p, op->plan, sizeof op->plan);
    return orr_wait(p->req, report);
}

orr_status orr_powm_entered(orr_context *ctx, unsigned entered, const orr_sparse *A,
                            const orr_powm_opts *opts, orr_eigenpair *pairs, void *vectors,
                            orr_powm_result *result, orr_report *report)
{
    orr_powm_opts o = opts ? *opts : (orr_powm_opts){0};
    char say[256];
    const char *wrong = orr_powm_wrong(A, &o, pairs, result);
    wrong = orr_sparse_wrong(ctx, wrong, A, o.transposed, wrong ? 0 : hashed(A, &o), say);
    if (wrong)
        return orr_refused(ORR_E_ARG, "powm", wrong, report);
    if (orr_barred() != ORR_OK)
        return orr_refused(orr_barred(), "powm", NULL, report);
    *result = (orr_powm_result){0};
    if (A->info.cols == 0) {
        snprintf(result->name, sizeof result->name, "empty");
        snprintf(result->note, sizeof result->note, "a matrix of order 0 has no eigenvalues");
        return orr_refused(ORR_OK, "powm", "", report);
    }
    o = chosen(A, &o);
    struct powm p = {.ctx = ctx,
                     .A = A,
                     .At = o.transposed,
                     .op = A->m,
                     .o = o,
                     .type = A->info.type,
                     .n = A->info.cols,
                     .hermitian = A->info.hermitian || o.transposed};
    struct orr_call call = orr_call_enter(ctx, "powm");
    const struct orr_array array = orr_array(&vectors, vectors ? p.n : 0, o.k + 1, p.n,
                                             orr_type_size(p.type), ORR_IN | ORR_OUT);
    if (orr_call_home(&call, &array, 1)) {
        orr_ranks_end(ctx, call.status, "powm");
        return orr_call_end(&call, call.status, NULL, report);
    }
    if (A->info.acyclic && !p.At) {
        answer_nilpotent(A, o.tol, pairs, vectors, result);
        return orr_refused(orr_call_deliver(&call), "powm", call.message, report);
    }
    orr_status st = p.At ? cut_inner(&p) : ORR_OK;
    p.req = st == ORR_OK ? orr_context_request(ctx, entered) : NULL;
    if (p.req) {
        orr_operation_of(p.req)->guests = call.guests;
        st = run(&p, pairs, vectors, result, report);
    } else {
        orr_ranks_end(ctx, ORR_E_NOMEM, "powm");
        orr_call_refuse(&call, ORR_E_NOMEM, -1, NULL);
        st = orr_call_end(&call, ORR_E_NOMEM, NULL, report);
    }
    orr_powm_columns(&p, 0);
    free(p.X);
    free(p.values);
    if (p.At)
        free_inner(&p);
    return st;
}
