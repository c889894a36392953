/* hegv of diagonal pencils at the ends of the range, whose values are known: what lies beyond is named,
 * intervals that lie beyond hold nothing, and what is told of progress.
 *
 *   values    exact but for 4 eps; infinite, and the first of them in the report, where beyond the range
 *   vectors   |x| = 1 / sqrt(b) of B = b I, also where the largest value is beyond the range
 *   progress  never less than before; all of it at the end
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/open.h"
#include "check.h"
#include "numbers.h"

enum { MOST = 50 };

struct pencil {
    orr_type type;
    int64_t n;
    double complex a[MOST * MOST], b[MOST * MOST], z[MOST * MOST];
    double w[MOST];
    int64_t found[2];
};

/* A and B diagonal, all of B and so many of A alike. */
static void diagonals(struct pencil *p, orr_type t, int64_t n, double a, double b)
{
    *p = (struct pencil){.type = t, .n = n, .found = {1, n}};
    for (int64_t i = 0; i < n * n; i++) {
        put(t, p->a, i, i % (n + 1) == 0 ? a : 0);
        put(t, p->b, i, i % (n + 1) == 0 ? b : 0);
    }
}

static orr_status solve(orr_context *ctx, struct pencil *p, orr_hegv_opts o, orr_report *rep)
{
    o.heev.found = p->found;
    const orr_status st =
        orr_hegv(ctx, p->type, 'L', p->n, p->a, p->n, p->b, p->n, p->w, p->z, p->n, &o, rep);
    const orr_type real = orr_type_real(p->type);
    for (int64_t i = p->n - 1; i >= 0; i--)
        p->w[i] = creal(get(real, p->w, i));
    return st;
}

static int is_single(orr_type t) { return orr_type_real(t) == ORR_S; }

/* Values i 2^(top-3), of which the last, the 8th, is beyond the range. */
static void part_beyond(orr_context *ctx, orr_type t)
{
    struct pencil p;
    orr_report rep;
    const int top = is_single(t) ? 128 : 1024, b = is_single(t) ? -100 : -1000;
    diagonals(&p, t, 9, 0, ldexp(1, b));
    for (int i = 0; i < 9; i++)
        put(t, p.a, i * 10, ldexp(i, top - 3 + b));
    const orr_status st = solve(ctx, &p, (orr_hegv_opts){0}, &rep);
    CHECK(st == ORR_RANGE && rep.index == 8 && strstr(rep.message, "number 8"),
          "type %d: status %d, index %lld, %s", (int)t, st, (long long)rep.index, rep.message);
    for (int i = 0; i < 9; i++)
        CHECK(i == 8 ? isinf(p.w[i])
                     : fabs(p.w[i] - ldexp(i, top - 3)) <= 4 * orr_type_eps(t) * ldexp(i, top - 3),
              "type %d: value %d is %g", (int)t, i, p.w[i]);
}

/* [a a; a a] with B = b I beside a value 1: 2 a / b is beyond the range, which heev says, without scales. */
static void heev_beyond(orr_context *ctx, orr_type t)
{
    struct pencil p;
    orr_report rep;
    const int a = is_single(t) ? 19 : 149, b = a - (is_single(t) ? 127 : 1023); /* even */
    diagonals(&p, t, 3, ldexp(1.5, a), ldexp(1, b));
    put(t, p.a, 0, 1);
    put(t, p.b, 0, 1);
    put(t, p.a, 5, ldexp(1.5, a));
    const orr_status st = solve(ctx, &p, (orr_hegv_opts){0}, &rep);
    CHECK(st == ORR_RANGE && rep.index == 2, "type %d: status %d, index %lld", (int)t, st,
          (long long)rep.index);
    for (int j = 0; j < 3 && st == ORR_RANGE; j++) {
        double length = 0;
        for (int i = 0; i < 3; i++)
            length = hypot(length, cabs(get(t, p.z, j * 3 + i)) * (i ? sqrt(ldexp(1, b)) : 1));
        CHECK(fabs(length - 1) <= 8 * orr_type_eps(t), "type %d: |L' x| of vector %d is %g", (int)t,
              j, length);
    }
}

/* The factor exists, and the reduced matrix does not. */
static void nearly_singular(orr_context *ctx, orr_type t)
{
    struct pencil p;
    orr_report rep;
    diagonals(&p, t, 2, 1e5, 1);
    put(t, p.b, 3, is_single(t) ? 2e-38 : 3e-308);
    const orr_status st = solve(ctx, &p, (orr_hegv_opts){0}, &rep);
    CHECK(st == ORR_E_DEFINITE && rep.index == 0 && strstr(rep.message, "close to a singular"),
          "type %d: status %d, index %lld, %s", (int)t, st, (long long)rep.index, rep.message);
}

/* A is scaled; of the scaled problem these are infinite, or 0. */
static void empty_intervals(orr_context *ctx, orr_type t)
{
    static const struct {
        int a;
        double vl, vu;
    } cases[] = {{-970, 1e300, 1e301},
                 {-970, -1e301, -1e300},
                 {-970, 1e300, INFINITY},
                 {970, 1e-300, 2e-300},
                 {970, -2e-300, -1e-300}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases && !is_single(t); i++) {
        struct pencil p;
        orr_report rep;
        diagonals(&p, t, 7, ldexp(1, cases[i].a), 1);
        put(t, p.a, 0, -ldexp(1, cases[i].a));
        const orr_hegv_opts o = {.heev = {.vl = cases[i].vl, .vu = cases[i].vu}};
        const orr_status st = solve(ctx, &p, o, &rep);
        CHECK(st == ORR_OK && p.found[1] == p.found[0] - 1,
              "2^%d in (%g, %g]: status %d %s, values %lld to %lld", cases[i].a, cases[i].vl,
              cases[i].vu, st, rep.message, (long long)p.found[0], (long long)p.found[1]);
    }
}

static void follow(int64_t done, int64_t total, void *last)
{
    CHECK(done >= *(int64_t *)last && done <= total, "%lld of %lld after %lld", (long long)done,
          (long long)total, (long long)*(int64_t *)last);
    *(int64_t *)last = done;
}

static void progress(orr_context *ctx, orr_type t)
{
    struct pencil p;
    orr_report rep;
    int64_t last = 0;
    diagonals(&p, t, MOST, 3, 2);
    const orr_hegv_opts o = {
        .heev = {.band = 8, .tile = 16, .progress = follow, .progress_arg = &last}};
    const orr_status st = solve(ctx, &p, o, &rep);
    CHECK(st == ORR_OK && last >= 999999 && last <= 1000000, "status %d, %lld of 1000000", st,
          (long long)last);
}

int main(void)
{
    orr_context *ctx = open_context(0);
    for (orr_type t = ORR_S; t < ORR_NTYPES; t++) {
        part_beyond(ctx, t);
        heev_beyond(ctx, t);
        nearly_singular(ctx, t);
        empty_intervals(ctx, t);
        progress(ctx, t);
    }
    orr_close(ctx);
    return checked();
}
