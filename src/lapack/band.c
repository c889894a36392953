/* Band matrices: sbtrd and gbbrd by orr_hb2st and orr_gb2bd; sbev and sbevd with vectors by orr_hbev;
 * these and sbevx without vectors by orr_hb2st and the original, which is given the tridiagonal matrix as a band of one diagonal, and
 * so judges all other arguments itself.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/lapack/shim.h"

/* Where arguments of symmetric bands stand; uplo, n, kd, ab, ldab follow each other. d: d, e, q, ldq
 * of ?trd do, too; w: w, z, ldz of ?ev and ?evd, 0: of ?evx vectors are not taken. Lengths with
 * vectors. */
struct places {
    int uplo, d, w;
    struct orr_bound least[ORR_LENGTHS];
};

static const char *take_values(struct orr_call *), *take_trd(struct orr_call *),
    *take_brd(struct orr_call *);

static const struct places after_job = {.uplo = 1, .d = 6, .w = 6}, after_range = {.uplo = 2};
static const struct places of_sbevd = {.uplo = 1, .w = 6, .least = {{1, 5, 2}, {3, 5, 0}}},
                           of_hbevd = {
                               .uplo = 1, .w = 6, .least = {{0, 0, 2}, {1, 5, 2}, {3, 5, 0}}};

const struct orr_family orr_args_sbtrd = {take_trd, {0}, &after_job};
const struct orr_family orr_args_sbev = {take_values, {0}, &after_job};
const struct orr_family orr_args_sbevd = {take_values, {10, 12}, &of_sbevd};
const struct orr_family orr_args_hbevd = {take_values, {10, 12, 14}, &of_hbevd};
const struct orr_family orr_args_sbevx = {take_values, {0}, &after_range};
const struct orr_family orr_args_gbbrd = {take_brd, {0}, NULL};

struct problem {
    orr_type type;
    char uplo;
    int64_t n, kd, ldab;
    void *ab;
};

static void read_problem(const struct orr_call *c, struct problem *p)
{
    const int at = ((const struct places *)c->routine->family->places)->uplo;
    *p = (struct problem){.type = c->routine->type,
                          .uplo = orr_letter(c, at),
                          .n = orr_integer(c, at + 1),
                          .kd = orr_integer(c, at + 2),
                          .ab = c->arg[at + 3],
                          .ldab = orr_integer(c, at + 4)};
}

/* Certainly what LAPACK accepts, of these arguments. */
static int valid(const struct problem *p)
{
    return (p->uplo == 'U' || p->uplo == 'L') && p->n >= 0 && p->kd >= 0 && p->ldab > p->kd;
}

/* NULL: there is enough to reduce. */
static const char *too_little(struct orr_call *c, int64_t order, int64_t diagonals)
{
    const int64_t from = orr_threshold(c->routine, 0), least = orr_bandwidth(c->routine);
    c->why[0] = '\0';
    if (order < 3 || diagonals < 2)
        snprintf(c->why, sizeof c->why, "there is nothing to reduce");
    else if (order < from)
        snprintf(c->why, sizeof c->why, "n is less than %lld", (long long)from);
    else if (diagonals < least)
        snprintf(c->why, sizeof c->why, "the band is narrower than %lld", (long long)least);
    return c->why[0] ? c->why : NULL;
}

/* Seconds of LAPACK. */
static double estimate(orr_type type, int64_t order, int64_t diagonals)
{
    return 1e-9 * orr_times(type) * (double)order * (double)order * (double)diagonals;
}

static void describe(struct orr_call *c, const struct problem *p)
{
    snprintf(c->what, sizeof c->what, "%c %c n=%lld kd=%lld", orr_letter(c, 0), p->uplo,
             (long long)p->n, (long long)p->kd);
}

static const char *consider(struct orr_call *c, const struct problem *p)
{
    if (!valid(p))
        return "LAPACK checks its arguments";
    describe(c, p);
    return p->kd >= p->n ? "the band is wider than the matrix" : too_little(c, p->n, p->kd);
}

static struct orr_matrix matrix_of(const struct problem *p)
{
    return (struct orr_matrix){.type = p->type,
                               .m = p->n,
                               .n = p->n,
                               .ld = p->ldab - 1,
                               .a = (const char *)p->ab +
                                    (p->uplo == 'U' ? (size_t)p->kd * orr_bytes(p->type) : 0),
                               .uplo = p->uplo,
                               .diagonals = p->kd + 1};
}

static void put(orr_type t, void *x, int64_t at, const void *real, int64_t i)
{
    switch (t) {
    case ORR_S: ((float *)x)[at] = ((const float *)real)[i]; break;
    case ORR_D: ((double *)x)[at] = ((const double *)real)[i]; break;
    case ORR_C: ((float _Complex *)x)[at] = ((const float *)real)[i]; break;
    default: ((double _Complex *)x)[at] = ((const double *)real)[i];
    }
}

/* T in band storage, of kd outer diagonals. */
static void store(const struct problem *p, char uplo, int64_t kd, void *ab, int64_t ldab,
                  const void *d, const void *e)
{
    for (int64_t j = 0; j < p->n; j++)
        put(p->type, ab, (uplo == 'U' ? kd : 0) + j * ldab, d, j);
    for (int64_t j = 0; j + 1 < p->n; j++)
        put(p->type, ab, uplo == 'U' ? kd - 1 + (j + 1) * ldab : 1 + j * ldab, e, j);
}

/* T, of which d, e and, unless NULL, q are output. */
static const char *reduce(struct orr_call *c, const struct problem *p, void *d, void *e, void *q,
                          int64_t ldq)
{
    const orr_status st = orr_do_hb2st(p->type, p->uplo, p->n, p->kd, p->ab, p->ldab, d, e, q, ldq);
    if (st != ORR_OK)
        return orr_said(st);
    const struct orr_matrix a = matrix_of(p);
    c->wrong = orr_checking() && orr_verify_tridiagonal(&a, d, e, q, ldq, c->why);
    return c->wrong ? c->why : NULL;
}

/* ---- sbev, sbevd, sbevx ---------------------------------------------------------------------- */

static void *integer(const struct orr_call *c, int64_t *room, int64_t value)
{
    if (c->form == ORR_PLAIN_64 || c->form == ORR_SCIPY_64)
        *room = value;
    else
        *(int32_t *)room = (int32_t)value;
    return room;
}

/* The same call of the original with T instead of the band. */
static void call_with(const struct orr_call *c, void *t)
{
    const int at = ((const struct places *)c->routine->family->places)->uplo;
    void *arg[ORR_MOST_ARGS];
    int64_t one, two;
    char lower = 'L';
    memcpy(arg, c->arg, (size_t)c->routine->args * sizeof *arg);
    arg[at] = &lower;
    arg[at + 2] = integer(c, &one, 1);
    arg[at + 3] = t;
    arg[at + 4] = integer(c, &two, 2);
    orr_original(c, arg);
}

/* Not within orr_begin and orr_end when the original is called: its sterf may be taken over. */
static const char *solve(struct orr_call *c, const struct problem *p)
{
    const size_t real = orr_bytes(p->type);
    char *d = malloc((size_t)p->n * real), *e = malloc((size_t)p->n * real);
    void *t = calloc((size_t)p->n, 2 * orr_bytes(p->type));
    const char *why = d && e && t ? orr_begin(c, estimate(p->type, p->n, p->kd)) : "out of memory";
    if (!why) {
        why = reduce(c, p, d, e, NULL, 0);
        orr_end();
    }
    if (!why) {
        store(p, 'L', 1, t, 2, d, e);
        call_with(c, t);
        if (orr_integer(c, c->routine->args - 1) >= 0)
            store(p, p->uplo, p->kd, p->ab, p->ldab, d, e);
    }
    free(t);
    free(e);
    free(d);
    return why;
}

/* The band is not changed, so that the original may still have to take the call. */
static const char *solve_with_vectors(struct orr_call *c, const struct problem *p, int w,
                                      int64_t ldz)
{
    const char *why = orr_begin(c, 4 * estimate(p->type, p->n, p->n / 10));
    if (why)
        return why;
    const orr_status st =
        orr_do_hbev(p->type, p->uplo, p->n, p->kd, p->ab, p->ldab, c->arg[w], c->arg[w + 1], ldz);
    const struct orr_matrix a = matrix_of(p);
    if (st == ORR_OK)
        c->wrong =
            orr_checking() && orr_verify_eigen(&a, 0, p->n, c->arg[w], c->arg[w + 1], ldz, c->why);
    if (st == ORR_OK && !c->wrong)
        orr_put_integer(c, c->routine->args - 1, 0, 0);
    orr_end();
    return st != ORR_OK ? orr_said(st) : c->wrong ? c->why : NULL;
}

static const char *take_vectors(struct orr_call *c, const struct problem *p)
{
    const struct places *at = c->routine->family->places;
    if (orr_letter(c, 0) != 'V')
        return "LAPACK checks its arguments";
    if (!at->w)
        return "vectors of a band matrix";
    const int64_t ldz = orr_integer(c, at->w + 2), from = orr_threshold(c->routine, 1);
    if (ldz < p->n || !orr_lengths_suffice(c, at->least, p->n))
        return "LAPACK checks its arguments";
    if (p->n < 3 || p->kd < 2)
        return "there is nothing to reduce";
    if (p->n < from) {
        snprintf(c->why, sizeof c->why, "n is less than %lld", (long long)from);
        return c->why;
    }
    return solve_with_vectors(c, p, at->w, ldz);
}

static const char *take_values(struct orr_call *c)
{
    struct problem p;
    read_problem(c, &p);
    if (orr_letter(c, 0) != 'N' && valid(&p) && p.kd < p.n) {
        describe(c, &p);
        return take_vectors(c, &p);
    }
    const char *why = consider(c, &p);
    return why ? why : solve(c, &p);
}

/* ---- sbtrd ----------------------------------------------------------------------------------- */

static const char *take_trd(struct orr_call *c)
{
    struct problem p;
    read_problem(c, &p);
    const int at = ((const struct places *)c->routine->family->places)->d;
    const char vect = orr_letter(c, 0);
    const int64_t ldq = orr_integer(c, at + 3);
    const char *why = consider(c, &p);
    if (!why && vect != 'N' && vect != 'V')
        why = "a Q that is multiplied";
    if (!why && ldq < (vect == 'V' ? p.n : 1))
        why = "LAPACK checks its arguments";
    if (!why && !(why = orr_begin(c, estimate(p.type, p.n, p.kd)))) {
        why = reduce(c, &p, c->arg[at], c->arg[at + 1], vect == 'V' ? c->arg[at + 2] : NULL, ldq);
        if (!why) {
            store(&p, p.uplo, p.kd, p.ab, p.ldab, c->arg[at], c->arg[at + 1]);
            orr_put_integer(c, c->routine->args - 1, 0, 0);
        }
        orr_end();
    }
    return why;
}

/* ---- gbbrd ----------------------------------------------------------------------------------- */

/* vect, m, n, ncc, kl, ku, ab, ldab, d, e, q, ldq, pt, ldpt, c, ldc */
enum { AB = 6, D = 8, E = 9, LDQ = 11, LDPT = 13, LDC = 15 };

static const char *bidiagonalise(struct orr_call *c, int64_t m, int64_t n, int64_t kl, int64_t ku)
{
    const orr_status st = orr_do_gb2bd(c->routine->type, m, n, kl, ku, c->arg[AB],
                                       orr_integer(c, AB + 1), c->arg[D], c->arg[E]);
    if (st != ORR_OK)
        return orr_said(st);
    const struct orr_matrix a = {.type = c->routine->type,
                                 .m = m,
                                 .n = n,
                                 .ld = orr_integer(c, AB + 1) - 1,
                                 .a = (const char *)c->arg[AB] +
                                      (size_t)ku * orr_bytes(c->routine->type),
                                 .above = ku,
                                 .below = kl,
                                 .diagonals = 1};
    c->wrong = orr_checking() && orr_verify_bidiagonal(&a, c->arg[D], c->arg[E], c->why);
    if (c->wrong)
        return c->why;
    orr_put_integer(c, c->routine->args - 1, 0, 0);
    return NULL;
}

static const char *take_brd(struct orr_call *c)
{
    const int64_t m = orr_integer(c, 1), n = orr_integer(c, 2), ncc = orr_integer(c, 3);
    const int64_t kl = orr_integer(c, 4), ku = orr_integer(c, 5);
    if (m < 0 || n < 0 || ncc < 0 || kl < 0 || ku < 0 || orr_integer(c, AB + 1) <= kl + ku ||
        orr_integer(c, LDQ) < 1 || orr_integer(c, LDPT) < 1 || orr_integer(c, LDC) < 1)
        return "LAPACK checks its arguments";
    snprintf(c->what, sizeof c->what, "%c m=%lld n=%lld kl=%lld ku=%lld", orr_letter(c, 0),
             (long long)m, (long long)n, (long long)kl, (long long)ku);
    if (orr_letter(c, 0) != 'N' || ncc > 0)
        return "vectors of a band matrix";
    const int64_t order = m < n ? m : n;
    const char *why = too_little(c, order, kl + ku);
    if (!why && !(why = orr_begin(c, estimate(c->routine->type, order, kl + ku)))) {
        why = bidiagonalise(c, m, n, kl, ku);
        orr_end();
    }
    return why;
}
