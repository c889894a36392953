/* gesvd and gesdd, by orr_gesvd, which gives min(m,n) vectors of either side and V where LAPACK
 * gives its adjoint.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/lapack/shim.h"

/* Where arguments stand; jobs are the first one or two. */
struct places {
    int m, n, a, lda, s, u, ldu, vt, ldvt;
    int divide; /* gesdd: one job for both sides */
    int rwork;  /* there is one */
};

static const char *take(struct orr_call *);

#define AFTER(jobs)                                                                                \
    .m = jobs, .n = jobs + 1, .a = jobs + 2, .lda = jobs + 3, .s = jobs + 4, .u = jobs + 5,        \
    .ldu = jobs + 6, .vt = jobs + 7, .ldvt = jobs + 8

const struct orr_family orr_args_gesvd_real = {take, {12}, &(const struct places){AFTER(2)}};
const struct orr_family orr_args_gesvd_complex = {
    take, {12}, &(const struct places){AFTER(2), .rwork = 1}};
const struct orr_family orr_args_gesdd_real = {
    take, {11}, &(const struct places){AFTER(1), .divide = 1}};
const struct orr_family orr_args_gesdd_complex = {
    take, {11}, &(const struct places){AFTER(1), .divide = 1, .rwork = 1}};

/* What is wanted of a side. */
enum side { NONE, APART, INTO_A };

struct problem {
    const struct places *at;
    orr_type type;
    char jobu, jobvt; /* in gesvd's terms */
    int64_t m, n, k, lda, ldu, ldvt;
    void *a, *s, *u, *vt;
    enum side left, right;
};

static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
static int64_t most(int64_t x, int64_t y) { return x > y ? x : y; }

static void read_problem(const struct orr_call *c, struct problem *p)
{
    const struct places *at = c->routine->family->places;
    *p = (struct problem){.at = at,
                          .type = c->routine->type,
                          .m = orr_integer(c, at->m),
                          .n = orr_integer(c, at->n),
                          .lda = orr_integer(c, at->lda),
                          .ldu = orr_integer(c, at->ldu),
                          .ldvt = orr_integer(c, at->ldvt),
                          .a = c->arg[at->a],
                          .s = c->arg[at->s],
                          .u = c->arg[at->u],
                          .vt = c->arg[at->vt]};
    p->k = least(p->m, p->n);
    p->jobu = p->jobvt = orr_letter(c, 0);
    if (!at->divide)
        p->jobvt = orr_letter(c, 1);
    else if (p->jobu == 'O') { /* the smaller side goes into a, the other is complete */
        p->jobu = p->m >= p->n ? 'O' : 'A';
        p->jobvt = p->m >= p->n ? 'A' : 'O';
    }
    p->left = p->jobu == 'N' ? NONE : p->jobu == 'O' ? INTO_A : APART;
    p->right = p->jobvt == 'N' ? NONE : p->jobvt == 'O' ? INTO_A : APART;
}

/* Lengths that LAPACK's pages ask for; it accepts shorter ones where it takes another way. */
static int64_t least_length(const struct problem *p)
{
    const int64_t k = p->k, larger = most(p->m, p->n);
    if (!p->at->divide)
        return p->at->rwork ? 2 * k + larger : most(3 * k + larger, 5 * k);
    if (p->at->rwork)
        return p->left == NONE ? 2 * k + larger : 2 * k * k + 2 * k + larger;
    return p->left == NONE ? 3 * k + most(larger, 7 * k)
                           : 3 * k + most(larger, 5 * k * k + 4 * k) + larger;
}

static int known(char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; }

/* Certainly what LAPACK accepts. */
static int valid(const struct problem *p)
{
    return known(p->jobu) && known(p->jobvt) && !(p->jobu == 'O' && p->jobvt == 'O') && p->k > 0 &&
           p->lda >= p->m && p->ldu >= (p->left == APART ? p->m : 1) &&
           p->ldvt >= (p->right != APART ? 1
                       : p->jobvt == 'A' ? p->n
                                         : p->k);
}

/* work[0] is what the original asks for. */
static double asked(const struct orr_call *c, const struct problem *p)
{
    const void *work = c->arg[c->routine->family->length[0] - 1];
    return p->type == ORR_S || p->type == ORR_C ? *(const float *)work : *(const double *)work;
}

static int length_suffices(const struct orr_call *c, const struct problem *p)
{
    const int64_t length = orr_integer(c, c->routine->family->length[0]);
    return length >= least_length(p) || (double)length >= asked(c, p);
}

/* Columns that complete a basis. */
static int wants_more(const struct problem *p)
{
    return (p->jobu == 'A' && p->m > p->k) || (p->jobvt == 'A' && p->n > p->k);
}

/* Arrays of a call: a copy of the matrix, and vectors that have no other place. */
struct arrays {
    void *copy, *u, *v;
    int64_t ldu;
};

/* Both sides are needed to check one. u goes to its place at once where it is output only. */
static int allocate(const struct problem *p, struct arrays *x)
{
    const size_t size = orr_bytes(p->type);
    const int both = orr_checking() && (p->left || p->right);
    const int left = p->left || both, right = p->right || both;
    *x = (struct arrays){.copy = orr_room((size_t)(p->m * p->n) * size), .ldu = p->m};
    if (p->left == APART) {
        x->u = p->u;
        x->ldu = p->ldu;
    } else if (left) {
        x->u = orr_room((size_t)(p->m * p->k) * size);
    }
    if (right)
        x->v = orr_room((size_t)(p->n * p->k) * size);
    return x->copy && (x->u || !left) && (x->v || !right);
}

static void release(const struct problem *p, struct arrays *x)
{
    if (p->left != APART)
        free(x->u);
    free(x->v);
    free(x->copy);
}

static const char *compute(struct orr_call *c, const struct problem *p, const struct arrays *x)
{
    const struct orr_matrix a = {.type = p->type, .m = p->m, .n = p->n, .ld = p->lda, .a = p->a};
    orr_copy(&a, x->copy, p->m);
    const orr_status st =
        orr_do_gesvd(p->type, p->m, p->n, x->copy, p->m, p->s, x->u, x->ldu, x->v, p->n);
    if (st != ORR_OK)
        return orr_said(st);
    c->wrong = orr_checking() && orr_verify_svd(&a, p->s, x->u, x->ldu, x->v, p->n, c->why);
    if (c->wrong)
        return c->why;
    const struct orr_matrix u = {.type = p->type, .m = p->m, .n = p->k, .ld = x->ldu, .a = x->u};
    const struct orr_matrix v = {.type = p->type, .m = p->n, .n = p->k, .ld = p->n, .a = x->v};
    if (p->left == INTO_A)
        orr_copy(&u, p->a, p->lda);
    if (p->right != NONE)
        orr_adjoint(&v, p->right == INTO_A ? p->a : p->vt, p->right == INTO_A ? p->lda : p->ldvt);
    return NULL;
}

static const char *solve(struct orr_call *c, const struct problem *p)
{
    struct arrays x;
    const char *why = allocate(p, &x) ? compute(c, p, &x) : "out of memory";
    release(p, &x);
    return why;
}

/* Few columns, or few rows: LAPACK reads the matrix once for each of them, Orrery once (docs/lapack.md). */
static int is_narrow(const struct problem *p)
{
    enum { TALL = 10, BYTES = 1 << 20 };
    return most(p->m, p->n) >= TALL * p->k && p->m * p->n * (int64_t)orr_bytes(p->type) >= BYTES;
}

/* As in eigen.c; of few columns an entry takes as long as memory does. */
static double estimate(const struct problem *p)
{
    static const double square[2][2] = {{50e-9, 150e-9}, {5e-9, 12e-9}}; /* values, vectors */
    const int vectors = p->left || p->right;
    const double cube = vectors ? 0.36e-9 : 0.17e-9;
    return (square[is_narrow(p)][vectors] + cube * orr_times(p->type) * (double)p->k) *
           (double)p->m * (double)p->n;
}

static const char *take(struct orr_call *c)
{
    struct problem p;
    read_problem(c, &p);
    if (!valid(&p))
        return "LAPACK checks its arguments";
    snprintf(c->what, sizeof c->what, "%c%c m=%lld n=%lld", p.jobu, p.jobvt, (long long)p.m,
             (long long)p.n);
    if (wants_more(&p))
        return "all vectors of a matrix that is not square";
    const int64_t from = orr_threshold(c->routine, p.left || p.right);
    const int sooner = is_narrow(&p) && !orr_asked(c->routine) && orr_core_type();
    if (p.k < from && !sooner) {
        snprintf(c->why, sizeof c->why, "min(m,n) is less than %lld", (long long)from);
        return c->why;
    }
    if (!orr_accepted(c) || !length_suffices(c, &p))
        return "LAPACK checks its arguments";
    const char *why = orr_begin(c, estimate(&p));
    if (!why) {
        why = solve(c, &p);
        orr_end();
    }
    return why;
}
