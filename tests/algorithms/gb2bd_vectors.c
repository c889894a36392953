/* Singular vectors of gb2bd: A = U B V' for five types, every route, hard matrices, awkward
 * sizes and blocks, with k = min(m, n), in double precision:
 *
 *   residual       |A - U B V'|_F / (max(m,n) eps |A|_F)                          <= 20
 *   orthogonality  the larger of |U'U - I|_F, |V'V - I|_F, over max(m,n) eps      <= 20
 *                  (eps of their type: of single precision if A is in half)
 *   values         d and e are, bit for bit, those of the same stage without vectors
 *   order          U and V are the same bit for bit in every order of the tasks
 *   sides          U alone and V alone are the U and the V of both
 *
 * Argument: "opencl" runs a part of it with an OpenCL worker as a second memory node, "order"
 * the fourth line only.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/gb2bd_case.h"
#include "algorithms/open.h"
#include "check.h"

static const double LIMIT = 20;
static orr_type vector_type(orr_type t) { return t == ORR_H ? ORR_S : t; }

/* What comes out. Between columns of u and v, and behind all arrays, stands 0x5a. */
struct result {
    int64_t k, ldu, ldv;
    size_t size, real, ubytes, vbytes;
    char *d, *e, *u, *v;
};

static struct result make_result(const band *a)
{
    struct result r = {.k = a->m < a->n ? a->m : a->n,
                       .ldu = a->m + a->n % 3,
                       .ldv = a->n + a->m % 3,
                       .size = orr_type_size(vector_type(a->type)),
                       .real = orr_type_size(result_type(a->type))};
    r.ubytes = (size_t)(r.ldu * r.k) * r.size;
    r.vbytes = (size_t)(r.ldv * r.k) * r.size;
    r.d = allocate((size_t)r.k * r.real);
    r.e = allocate((size_t)r.k * r.real);
    r.u = allocate(r.ubytes);
    r.v = allocate(r.vbytes);
    return r;
}

static void drop_result(struct result *r)
{
    free(r->d);
    free(r->e);
    free(r->u);
    free(r->v);
}

static orr_status solve(orr_context *ctx, const band *a, struct result *r, orr_gb2bd_opts o,
                        int left, int right)
{
    orr_report rep;
    o.u = left ? r->u : NULL;
    o.v = right ? r->v : NULL;
    o.ldu = r->ldu;
    o.ldv = r->ldv;
    const orr_status st =
        orr_gb2bd(ctx, a->type, a->m, a->n, a->kl, a->ku, a->ab, a->ld, r->d, r->e, &o, &rep);
    CHECK(st == ORR_OK && rep.status == ORR_OK, "status %d: %s", st, rep.message);
    return st;
}

/* Bytes that no result goes to. */
static int surroundings(const char *x, int64_t rows, int64_t ld, int64_t k, size_t size)
{
    int kept = 1;
    for (int64_t j = 0; j < k; j++)
        for (size_t i = (size_t)(j * ld + rows) * size; i < (size_t)((j + 1) * ld) * size; i++)
            kept &= x[i] == 0x5a;
    for (size_t i = 0; i < 64; i++)
        kept &= x[(size_t)(ld * k) * size + i] == 0x5a;
    return kept;
}

/* |X'X - I|_F */
static double departure(orr_type t, int64_t rows, int64_t k, const void *x, int64_t ld)
{
    double sum = 0;
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j < k; j++) {
            double complex s = -(i == j);
            for (int64_t l = 0; l < rows; l++)
                s += conj(get(t, x, i * ld + l)) * get(t, x, j * ld + l);
            sum += pow(cabs(s), 2);
        }
    return sqrt(sum);
}

static double complex element(const band *a, int64_t i, int64_t j)
{
    const int64_t at = a->ku + i - j;
    return at < 0 || at > a->kl + a->ku ? 0 : get(a->type, a->ab, j * a->ld + at);
}

/* |A - U B V'|_F / |A|_F, everything times `unscale`; |A|_F if that is zero */
static double residual(const band *a, const struct result *r, double unscale)
{
    const orr_type t = vector_type(a->type), real = orr_type_real(t);
    double sum = 0, norm = 0;
    double complex *ub = allocate((size_t)(a->m * r->k) * sizeof *ub);
    for (int64_t j = 0; j < r->k; j++)
        for (int64_t i = 0; i < a->m; i++) {
            ub[j * a->m + i] = get(t, r->u, j * r->ldu + i) * get(real, r->d, j) * unscale;
            if (j > 0)
                ub[j * a->m + i] +=
                    get(t, r->u, (j - 1) * r->ldu + i) * get(real, r->e, j - 1) * unscale;
        }
    for (int64_t j = 0; j < a->n; j++)
        for (int64_t i = 0; i < a->m; i++) {
            const double complex x = element(a, i, j) * unscale;
            double complex y = x;
            for (int64_t l = 0; l < r->k; l++)
                y -= ub[l * a->m + i] * conj(get(t, r->v, l * r->ldv + j));
            norm += pow(cabs(x), 2);
            sum += pow(cabs(y), 2);
        }
    free(ub);
    return sqrt(sum / (norm > 0 ? norm : 1));
}

enum { TYPES = ORR_H + 1 };
static double worst_residual[TYPES], worst_orthogonality[TYPES];

static void one(orr_context *ctx, orr_type t, enum kind kind, double scale, int64_t m, int64_t n,
                int64_t kl, int64_t ku, orr_gb2bd_opts o)
{
    static int count; /* of those that are taken */
    if (left_out())
        return;
    count++;
    char what[128];
    snprintf(what, sizeof what, "%c %s scale %g %lldx%lld kl %lld ku %lld rows %lld",
             orr_type_letter(t), kind_name[kind], scale, (long long)m, (long long)n, (long long)kl,
             (long long)ku, (long long)o.rows);
    band a = make(t, kind, scale, m, n, kl, ku, (m + ku) % 3);
    struct result r = make_result(&a), alone = make_result(&a);
    const orr_type vt = vector_type(t);
    const double longest = (double)(m > n ? m : n > 0 ? n : 1);
    if (solve(ctx, &a, &r, o, 1, 1) == ORR_OK) {
        double orth = departure(vt, m, r.k, r.u, r.ldu) / (longest * orr_type_eps(vt));
        const double other = departure(vt, n, r.k, r.v, r.ldv) / (longest * orr_type_eps(vt));
        const double res = residual(&a, &r, 1 / scale) / (longest * orr_type_eps(t));
        orth = other <= orth ? orth : other;
        CHECK(res <= LIMIT, "%s: residual %g", what, res);
        CHECK(orth <= LIMIT, "%s: orthogonality %g", what, orth);
        worst_residual[t] = fmax(worst_residual[t], res);
        worst_orthogonality[t] = fmax(worst_orthogonality[t], orth);
        CHECK(surroundings(r.u, m, r.ldu, r.k, r.size), "%s: around u", what);
        CHECK(surroundings(r.v, n, r.ldv, r.k, r.size), "%s: around v", what);
    }
    /* one side, or none with the same stage, which narrow bands have with a side only */
    const int narrow = kl + ku > 1 && kl + ku < 8, left = count % 2;
    const int right = !left && (narrow || count % 3 != 0);
    if (!narrow)
        o.tw = kl + ku > 1 ? kl + ku - 1 : 0;
    if (solve(ctx, &a, &alone, o, left, right) == ORR_OK) {
        CHECK(!memcmp(alone.d, r.d, (size_t)r.k * r.real + 64), "%s: d", what);
        CHECK(!memcmp(alone.e, r.e, (size_t)r.k * r.real + 64), "%s: e", what);
        CHECK(!left || !memcmp(alone.u, r.u, r.ubytes), "%s: u alone", what);
        CHECK(!right || !memcmp(alone.v, r.v, r.vbytes), "%s: v alone", what);
    }
    drop_result(&r);
    drop_result(&alone);
    free(a.ab);
}

static void everything(orr_context *ctx, orr_type t)
{
    static const int64_t ns[] = {0, 1, 2, 3, 4, 5, 17, 33, 70};
    static const int64_t bs[] = {0, 1, 2, 3, 5, 8, 16, 32, 100};
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
        for (size_t j = 0; j < sizeof bs / sizeof *bs; j++)
            one(ctx, t, RANDOM, 1, ns[i], ns[i], 0, bs[j], (orr_gb2bd_opts){.rows = j % 2});
    for (int k = 0; k < KINDS; k++)
        for (int64_t b = 0; b <= 15; b += 3) {
            const orr_gb2bd_opts o = {.rows = 16, .max_blocks = b % 3, .sweeps = b % 4};
            one(ctx, t, (enum kind)k, 1, 50, 50, 0, b, o);
            one(ctx, t, (enum kind)k, 1, 50, 50, b, 0, o);
            one(ctx, t, (enum kind)k, 1, 40, 47, b / 2, b - b / 2, o);
            one(ctx, t, (enum kind)k, 1, 47, 40, b / 3, b - b / 3, o);
        }
    one(ctx, t, RANDOM, 1, 3, 60, 2, 5, (orr_gb2bd_opts){.rows = 16});
    one(ctx, t, RANDOM, 1, 60, 3, 9, 1, (orr_gb2bd_opts){.rows = 16});
    one(ctx, t, RANDOM, 1, 1, 9, 0, 8, (orr_gb2bd_opts){.rows = 16});
    one(ctx, t, RANDOM, 1, 9, 1, 8, 0, (orr_gb2bd_opts){.rows = 16});
    one(ctx, t, RANDOM, 1, 130, 125, 7, 12, (orr_gb2bd_opts){.rows = 32});
    /* scales at which squares overflow or vanish */
    const int single = t == ORR_S || t == ORR_C;
    const double large = t == ORR_H ? 0x1p15 : single ? 1e37 : 1e300;
    const double small = t == ORR_H ? 0x1p-12 : single ? 1e-30 : 1e-290;
    for (int k = 0; k < KINDS; k++) {
        const orr_gb2bd_opts o = {.rows = 16};
        one(ctx, t, (enum kind)k, large, 40, 40, 2, 7, o);
        one(ctx, t, (enum kind)k, small, 40, 40, 0, 9, o);
    }
    printf("%c: residual %.2f, orthogonality %.2f (limit %g)\n", orr_type_letter(t),
           worst_residual[t], worst_orthogonality[t], LIMIT);
    fflush(stdout);
}

/* The rows of a block and the sweeps of a group decide how reflectors are combined: they are
 * the same in both runs, but in the first one the groups run one after the other. */
static void order(orr_context *ctx, int runs)
{
    int differ = 0;
    for (int k = 0; k < runs; k++) {
        const orr_type t = (orr_type)below(TYPES);
        const int64_t m = 2 + below(120), n = m + below(3), kl = below(3) ? 0 : below(4);
        band a = make(t, RANDOM, 1, m, n, kl, 1 + below(20), 0);
        struct result x = make_result(&a), y = make_result(&a);
        orr_gb2bd_opts o = {.rows = 1 + below(40), .sweeps = below(4), .max_blocks = 1};
        orr_status st = solve(ctx, &a, &x, o, 1, 1);
        o.max_blocks = 0;
        if (st == ORR_OK)
            st = solve(ctx, &a, &y, o, 1, 1);
        differ +=
            st != ORR_OK || memcmp(x.u, y.u, x.ubytes) != 0 || memcmp(x.v, y.v, x.vbytes) != 0;
        drop_result(&x);
        drop_result(&y);
        free(a.ab);
    }
    CHECK(differ == 0, "%d of %d runs differ", differ, runs);
    printf("order: %d runs, %d differ (0 allowed)\n", runs, differ);
}

static void arguments(orr_context *ctx)
{
    double ab[3 * 4] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2}, d[4], e[3], u[16] = {7}, v[16] = {7};
    orr_report rep;
#define REFUSED(why, type, kl, ku, ...)                                                            \
    do {                                                                                           \
        const orr_status st =                                                                      \
            orr_gb2bd(ctx, type, 4, 4, kl, ku, ab, 3, d, e, &(orr_gb2bd_opts){__VA_ARGS__}, &rep); \
        CHECK(st == ORR_E_ARG && strstr(rep.message, why), "status %d '%s'", st, rep.message);     \
    } while (0)
    REFUSED("u needs", ORR_D, 0, 2, .u = u, .ldu = 3);
    REFUSED("u needs", ORR_D, 0, 2, .u = u, .ldu = 1 << 24);
    REFUSED("v needs", ORR_D, 0, 2, .v = v, .ldv = 3);
    REFUSED("v needs", ORR_D, 0, 2, .v = v, .ldv = 1 << 24);
    REFUSED("u needs", ORR_H, 0, 2, .u = u, .ldu = 3);
    REFUSED("negative", ORR_D, 1, 1, .u = u, .ldu = 4, .tw = -1);
    REFUSED("overlap", ORR_D, 0, 2, .u = u, .ldu = 4, .v = u, .ldv = 4);
    band a = make(ORR_D, RANDOM, 1, 9, 9, 0, 5, 0);
    struct result r = make_result(&a);
    const orr_gb2bd_opts stages = {.u = r.u, .ldu = r.ldu, .tw = 3};
    const orr_status st = orr_gb2bd(ctx, ORR_D, 9, 9, 0, 5, a.ab, a.ld, r.d, r.e, &stages, &rep);
    CHECK(st == ORR_E_ARG && strstr(rep.message, "one stage"), "status %d '%s'", st, rep.message);
    CHECK(u[0] == 7 && v[0] == 7, "arrays were touched");
    drop_result(&r);
    free(a.ab);
}

int main(int argc, char **argv)
{
    const int opencl = variant(argc, argv);
    orr_context *ctx = open_context(opencl);
    one_in = opencl ? 11 : SANITIZED ? 5 : 1; /* transfers make each run long */
    const int all = argc < 2 || opencl;
    if (all)
        arguments(ctx);
    for (int t = 0; all && t < TYPES; t++)
        everything(ctx, (orr_type)t);
    order(ctx, opencl ? 10 : 40);
    orr_close(ctx);
    return checked();
}
