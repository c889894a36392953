/* syev, syevd, syevr, syevx and their complex sisters, by orr_heev; sygv, sygvd, sygvx and theirs,
 * by orr_hegv.
 *
 * Both destroy what they work on and the original may have to take the call after them, so they
 * work on copies; so do vectors that replace the matrix.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/lapack/shim.h"

/* Where arguments stand; 0 after job: there is none. With b the first one is itype. Lengths that
 * LAPACK wants at the least. */
struct places {
    int job, range, uplo, n, a, lda, b, ldb, vl, vu, il, iu, m, w, z, ldz, isuppz, ifail;
    struct orr_bound least[2][ORR_LENGTHS]; /* values only, with vectors */
};

/* range and uplo of ?evr and ?evx, up to ldz. */
#define SELECTING                                                                                  \
    .range = 1, .uplo = 2, .n = 3, .a = 4, .lda = 5, .vl = 6, .vu = 7, .il = 8, .iu = 9, .m = 11,  \
    .w = 12, .z = 13, .ldz = 14
#define WHOLE .uplo = 1, .n = 2, .a = 3, .lda = 4, .w = 5
/* The same of ?gvx, and of ?gv and ?gvd. */
#define PENCIL_SELECTING                                                                           \
    .job = 1, .range = 2, .uplo = 3, .n = 4, .a = 5, .lda = 6, .b = 7, .ldb = 8, .vl = 9,          \
    .vu = 10, .il = 11, .iu = 12, .m = 14, .w = 15, .z = 16, .ldz = 17
#define PENCIL .job = 1, .uplo = 2, .n = 3, .a = 4, .lda = 5, .b = 6, .ldb = 7, .w = 8
/* Of sygv and syev, and so on. */
#define LEAST_SYEV  .least = {{{-1, 3, 0}}, {{-1, 3, 0}}}
#define LEAST_HEEV  .least = {{{-1, 2, 0}}, {{-1, 2, 0}}}
#define LEAST_SYEVD .least = {{{1, 2, 0}, {1, 0, 0}}, {{1, 6, 2}, {3, 5, 0}}}
#define LEAST_HEEVD .least = {{{1, 1, 0}, {0, 1, 0}, {1, 0, 0}}, {{0, 2, 1}, {1, 5, 2}, {3, 5, 0}}}
#define LEAST_SYEVX .least = {{{0, 8, 0}}, {{0, 8, 0}}}
#define LEAST_HEEVX .least = {{{0, 2, 0}}, {{0, 2, 0}}}

static const char *take(struct orr_call *);

const struct orr_family orr_args_syev = {take, {7}, &(const struct places){WHOLE, LEAST_SYEV}};
const struct orr_family orr_args_heev = {take, {7}, &(const struct places){WHOLE, LEAST_HEEV}};
const struct orr_family orr_args_syevd = {take, {7, 9}, &(const struct places){WHOLE, LEAST_SYEVD}};
const struct orr_family orr_args_heevd = {
    take, {7, 9, 11}, &(const struct places){WHOLE, LEAST_HEEVD}};
const struct orr_family orr_args_syevr = {
    take,
    {17, 19},
    &(const struct places){SELECTING, .isuppz = 15,
                           .least = {{{0, 26, 0}, {0, 10, 0}}, {{0, 26, 0}, {0, 10, 0}}}}};
const struct orr_family orr_args_heevr = {
    take,
    {17, 19, 21},
    &(const struct places){
        SELECTING, .isuppz = 15,
        .least = {{{0, 2, 0}, {0, 24, 0}, {0, 10, 0}}, {{0, 2, 0}, {0, 24, 0}, {0, 10, 0}}}}};
const struct orr_family orr_args_syevx = {
    take, {16}, &(const struct places){SELECTING, .ifail = 18, LEAST_SYEVX}};
const struct orr_family orr_args_heevx = {
    take, {16}, &(const struct places){SELECTING, .ifail = 19, LEAST_HEEVX}};
const struct orr_family orr_args_sygv = {take, {10}, &(const struct places){PENCIL, LEAST_SYEV}};
const struct orr_family orr_args_hegv = {take, {10}, &(const struct places){PENCIL, LEAST_HEEV}};
const struct orr_family orr_args_sygvd = {
    take, {10, 12}, &(const struct places){PENCIL, LEAST_SYEVD}};
const struct orr_family orr_args_hegvd = {
    take, {10, 12, 14}, &(const struct places){PENCIL, LEAST_HEEVD}};
const struct orr_family orr_args_sygvx = {
    take, {19}, &(const struct places){PENCIL_SELECTING, .ifail = 21, LEAST_SYEVX}};
const struct orr_family orr_args_hegvx = {
    take, {19}, &(const struct places){PENCIL_SELECTING, .ifail = 22, LEAST_HEEVX}};

struct problem {
    const struct places *at;
    orr_type type;
    int vectors;
    char range, uplo;
    int64_t itype, n, lda, ldb, ldz;
    struct orr_part part; /* of the n values */
    void *a, *b, *w, *z;  /* b: NULL if there is none; z: NULL if they replace a */
};

/* What a call works on. */
struct copies {
    void *a, *b, *z; /* z: NULL without vectors */
    int64_t ldz;
};

static double real_at(orr_type t, const void *x, int64_t i)
{
    return t == ORR_S || t == ORR_C ? ((const float *)x)[i] : ((const double *)x)[i];
}

static void read_problem(const struct orr_call *c, struct problem *p)
{
    const struct places *at = c->routine->family->places;
    *p = (struct problem){.at = at,
                          .type = c->routine->type,
                          .vectors = orr_letter(c, at->job) == 'V',
                          .range = at->range ? orr_letter(c, at->range) : 'A',
                          .uplo = orr_letter(c, at->uplo),
                          .n = orr_integer(c, at->n),
                          .lda = orr_integer(c, at->lda),
                          .a = c->arg[at->a],
                          .w = c->arg[at->w]};
    if (at->b) {
        p->itype = orr_integer(c, 0);
        p->b = c->arg[at->b];
        p->ldb = orr_integer(c, at->ldb);
    }
    p->ldz = at->z ? orr_integer(c, at->ldz) : p->lda;
    p->z = at->z ? c->arg[at->z] : NULL;
    if (p->range == 'V') {
        p->part.vl = real_at(p->type, c->arg[at->vl], 0);
        p->part.vu = real_at(p->type, c->arg[at->vu], 0);
    }
    if (p->range == 'I') {
        p->part.il = orr_integer(c, at->il);
        p->part.iu = orr_integer(c, at->iu);
    }
}

/* Certainly what LAPACK accepts. */
static int valid(const struct orr_call *c, const struct problem *p)
{
    const char job = orr_letter(c, p->at->job);
    const int one_of = strchr("NV", job) && strchr("AVI", p->range) && strchr("UL", p->uplo) &&
                       job && p->range && p->uplo;
    const struct orr_part *x = &p->part;
    const int part = p->range == 'A' || (p->range == 'V' && x->vl < x->vu) ||
                     (p->range == 'I' && x->il >= 1 && x->il <= x->iu && x->iu <= p->n);
    const int ldz = !p->z || (p->ldz >= 1 && (!p->vectors || p->ldz >= p->n));
    const int pencil = !p->b || (p->itype >= 1 && p->itype <= 3 && p->ldb >= p->n);
    return one_of && pencil && p->n > 0 && p->lda >= p->n && part && ldz &&
           orr_lengths_suffice(c, p->at->least[p->vectors], p->n);
}

static void describe(struct orr_call *c, const struct problem *p)
{
    int length = p->b ? snprintf(c->what, sizeof c->what, "%lld ", (long long)p->itype) : 0;
    length += snprintf(c->what + length, sizeof c->what - (size_t)length, "%c %c n=%lld",
                       p->vectors ? 'V' : 'N', p->uplo, (long long)p->n);
    if (p->range == 'I')
        snprintf(c->what + length, sizeof c->what - (size_t)length, " %lld:%lld",
                 (long long)p->part.il, (long long)p->part.iu);
    if (p->range == 'V')
        snprintf(c->what + length, sizeof c->what - (size_t)length, " %g..%g", p->part.vl,
                 p->part.vu);
}

/* Vectors of eigenvalues apart, none of which has failed. Supports, which LAPACK tells of all
 * vectors only, and of no interval, are all rows. */
static void deliver_selection(const struct orr_call *c, const struct problem *p, int64_t k)
{
    orr_put_integer(c, p->at->m, 0, k);
    const int supports = p->vectors && p->at->isuppz && p->range != 'V' && k == p->n;
    for (int64_t i = 0; supports && i < k; i++) {
        orr_put_integer(c, p->at->isuppz, 2 * i, 1);
        orr_put_integer(c, p->at->isuppz, 2 * i + 1, p->n);
    }
    for (int64_t i = 0; p->vectors && p->at->ifail && i < k; i++)
        orr_put_integer(c, p->at->ifail, i, 0);
}

static struct orr_matrix triangle(const struct problem *p, const void *x, int64_t ld, char uplo)
{
    return (struct orr_matrix){
        .type = p->type, .m = p->n, .n = p->n, .ld = ld, .a = x, .uplo = uplo};
}

/* B's triangle becomes its factor, L or, if that is the upper one, U = L^H. */
static void deliver_factor(const struct problem *p, const void *l)
{
    const struct orr_matrix lower = triangle(p, l, p->n, 'L');
    (p->uplo == 'L' ? orr_copy : orr_adjoint)(&lower, p->b, p->ldb);
}

static int verify(const struct problem *p, const struct copies *x, int64_t k, char why[ORR_WHY])
{
    const struct orr_matrix a = triangle(p, p->a, p->lda, p->uplo);
    const struct orr_matrix b = triangle(p, p->b, p->ldb, p->uplo);
    const int64_t first = p->range == 'A' ? 0 : p->range == 'I' ? p->part.il - 1 : -1;
    return p->b ? orr_verify_pencil((int)p->itype, &a, &b, x->b, k, p->w, x->z, x->ldz, why)
                : orr_verify_eigen(&a, first, k, p->w, x->z, x->ldz, why);
}

static const char *compute(struct orr_call *c, const struct problem *p, const struct copies *x)
{
    const struct orr_matrix a = triangle(p, p->a, p->lda, p->uplo);
    const struct orr_matrix b = triangle(p, p->b, p->ldb, p->uplo);
    struct orr_part part = p->part;
    orr_status st;
    orr_copy(&a, x->a, p->n);
    if (p->b) {
        orr_copy(&b, x->b, p->n);
        st = orr_do_hegv(p->type, (int)p->itype, p->uplo, p->n, x->a, p->n, x->b, p->n, p->w, x->z,
                         x->ldz, &part);
    } else {
        st = orr_do_heev(p->type, p->uplo, p->n, x->a, p->n, p->w, x->z, x->ldz, &part);
    }
    if (st != ORR_OK)
        return orr_said(st);
    c->wrong = orr_checking() && verify(p, x, part.count, c->why);
    if (c->wrong)
        return c->why;
    if (x->z && x->z != p->z) {
        const struct orr_matrix vectors = {
            .type = p->type, .m = p->n, .n = part.count, .ld = x->ldz, .a = x->z};
        orr_copy(&vectors, p->a, p->lda);
    }
    if (p->b)
        deliver_factor(p, x->b);
    if (p->at->m)
        deliver_selection(c, p, part.count);
    return NULL;
}

static const char *solve(struct orr_call *c, const struct problem *p)
{
    const size_t bytes = (size_t)(p->n * p->n) * orr_bytes(p->type);
    const int replaces = p->vectors && !p->z;
    struct copies x = {.a = orr_room(bytes), .b = p->b ? orr_room(bytes) : NULL, .ldz = p->ldz};
    if (p->vectors)
        x.z = p->z;
    if (replaces) {
        x.z = orr_room(bytes);
        x.ldz = p->n;
    }
    const char *why = "out of memory";
    if (x.a && (x.b || !p->b) && (x.z || !replaces))
        why = compute(c, p, &x);
    if (replaces)
        free(x.z);
    free(x.b);
    free(x.a);
    return why;
}

/* Seconds of LAPACK, by times of NumPy on two cores of a Zen 3, orders 32 to 1500. */
static double estimate(const struct problem *p)
{
    const double n = (double)p->n;
    const double square = p->vectors ? 110e-9 : 55e-9, cube = p->vectors ? 0.13e-9 : 0.03e-9;
    return (square + cube * orr_times(p->type) * n) * n * n;
}

static const char *take(struct orr_call *c)
{
    struct problem p;
    read_problem(c, &p);
    if (!valid(c, &p))
        return "LAPACK checks its arguments";
    describe(c, &p);
    if (p.n == 1)
        return "n is 1";
    const int64_t from = orr_threshold(c->routine, p.vectors);
    if (p.n < from) {
        snprintf(c->why, sizeof c->why, "n is less than %lld", (long long)from);
        return c->why;
    }
    if (!orr_accepted(c))
        return "LAPACK checks its arguments";
    const char *why = orr_begin(c, estimate(&p));
    if (!why) {
        why = solve(c, &p);
        orr_end();
    }
    return why;
}
