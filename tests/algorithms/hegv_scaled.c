/* hegv of matrices near the ends of the range: values, vectors and the factor as those of the same matrices before they
 * were scaled (hegv_case.h), or ORR_RANGE; subnormal values beside larger ones.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>

#include "algorithms/hegv_case.h"
#include "algorithms/open.h"
#include "check.h"
#include "larger.h"
#include "numbers.h"

static void rescale(orr_type t, int64_t count, char *x, int exponent)
{
    for (int64_t k = 0; k < count; k++) {
        const number v = get(t, x, k);
        /* in two steps, each within the range of double precision */
        put(t, x, k, v * pow(10, exponent / 2) * pow(10, exponent - exponent / 2));
    }
}

/* A times 10^ea, B times 10^eb: values times 10^(ea - eb) or 10^(ea + eb), and the same vectors but for
 * their lengths; or, where the largest value is beyond the range, on either side, a status. */
static void scaled(orr_context *ctx, orr_type t, int which, int64_t n, int ea, int eb, int interval,
                   struct worst *worst)
{
    struct problem p = make(t, "LU"[n % 2], n);
    const orr_type real = orr_type_real(t);
    const int shift = which == 1 ? ea - eb : ea + eb, ends = p.real == 4 ? 38 : 308;
    orr_hegv_opts o = {.problem = which};
    int64_t found[2] = {1, n};
    orr_report rep;
    char what[96];
    if (n > 40)
        o.heev.band = 8, o.heev.tile = 16;
    refer(&p, which);
    const double top = fmax(fabs(p.ref[0]), fabs(p.ref[n - 1]));
    const int within = log10(top) + shift < ends && log10(top) + shift > -ends + 1;
    if (interval && within) { /* all of them */
        o.heev.vl = -2 * top * pow(10, shift);
        o.heev.vu = 2 * top * pow(10, shift);
    }
    o.heev.found = found;
    rescale(t, p.ld * n, p.a0, ea);
    rescale(t, p.ld * n, p.b0, eb);
    snprintf(what, sizeof what, "%c n %lld problem %d A 1e%d B 1e%d", orr_type_letter(t),
             (long long)n, which, ea, eb);
    const orr_status st = solve(ctx, &p, o, 1, &rep);
    CHECK(st == (within ? ORR_OK : ORR_RANGE) && (within || rep.message[0]), "%s: status %d %s",
          what, st, rep.message);
    CHECK(found[0] == 1 && found[1] == n, "%s: values %lld to %lld", what, (long long)found[0],
          (long long)found[1]);
    if (st == ORR_OK && within && found[1] == n) {
        const double eps = (double)n * orr_type_eps(t) * p.cond * top;
        double e = 0;
        rescale(real, n, p.w, -shift);
        rescale(t, p.ld * n, p.x, which == 3 ? -eb / 2 : eb / 2);
        for (int64_t i = 0; i < n; i++)
            e = larger(e, fabs(creal(get(real, p.w, i)) - p.ref[i]) / eps);
        CHECK(e <= LIMIT, "%s: values %g", what, e);
        check_vectors(&p, which, n, what, worst);
        /* b has become L */
        rescale(t, p.ld * n, p.b, -eb / 2);
        double off = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) {
                number sum = -p.B[j * n + i];
                for (int64_t k = 0; k <= j; k++)
                    sum += get(t, p.b, k * p.ld + i) * conj(get(t, p.b, k * p.ld + j));
                off = larger(off, cabs(sum));
            }
        CHECK(off <= LIMIT * (double)n * orr_type_eps(t) * p.norm_b, "%s: L L' is off by %g", what,
              off);
    }
    drop(&p);
}

static void ends_of_range(orr_context *ctx)
{
    static const int part[] = {-2, -1, 0, 1, 2};
    for (int t = 0; t < ORR_NTYPES; t++) {
        const int unit = t == ORR_S || t == ORR_C ? 14 : 146;
        struct worst worst = {0};
        for (int a = 0; a < 5; a++)
            for (int b = 0; b < 5; b++)
                for (int which = 1; which <= 3; which++)
                    if ((a + b + which) % 2)
                        scaled(ctx, (orr_type)t, which, a == b ? 50 : 21, part[a] * unit,
                               part[b] * unit, b % 2, &worst);
        printf("%c scaled: residual %.3g, orthogonality %.3g (limit %g)\n",
               orr_type_letter((orr_type)t), worst.residual, worst.orthogonality, LIMIT);
    }
}

/* One small value of a spectrum that is within the range, B = I: it may be subnormal, as its error may;
 * if all are, it is not passed off. */
static void subnormal_part(orr_context *ctx)
{
    for (int t = 0; t < ORR_NTYPES; t++)
        for (int all = 0; all < 2; all++) {
            struct problem p = make((orr_type)t, 'L', 9);
            const double least = p.real == 4 ? 0x1p-126 : 0x1p-1022;
            const orr_hegv_opts o = {.heev = {.il = 3, .iu = 3}};
            orr_report rep;
            for (int64_t j = 0; j < 9; j++)
                for (int64_t i = 0; i < 9; i++) {
                    const double value = i < 5 ? least / 512 * (double)i : 64 * least * (double)i;
                    put((orr_type)t, p.a0, j * p.ld + i,
                        i == j ? all ? least / 512 * (double)i : value : 0);
                    put((orr_type)t, p.b0, j * p.ld + i, i == j);
                }
            const orr_status st = solve(ctx, &p, o, 1, &rep);
            CHECK(st == (all ? ORR_RANGE : ORR_OK), "%c %d: status %d %s", orr_type_letter(p.type),
                  all, st, rep.message);
            CHECK(fabs(creal(get(orr_type_real(p.type), p.w, 0)) - least / 256) < least / 4096,
                  "%c: %g", orr_type_letter(p.type), creal(get(orr_type_real(p.type), p.w, 0)));
            drop(&p);
        }
}

int main(void)
{
    orr_context *ctx = open_context(0);
    ends_of_range(ctx);
    subnormal_part(ctx);
    orr_close(ctx);
    return checked();
}
