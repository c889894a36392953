/* Eigenvalues of tridiagonal matrices, against closed forms, in long double:
 *
 *     d = 0 or 2, e = -1         2 cos(k pi / (n + 1)), and 2 more
 *     Clement: e_k = sqrt(k (n - k))      n - 1, n - 3, ... 1 - n
 *     d, and e = 0                        d; of zero exactly 0
 *
 * and, of random matrices, in which entries are graded, equal or zero, what LAPACK has for them and does
 * not take part here: up to order 32 bisection, dstebz, above it dsterf. max |w - w'| / (eps |T|) <= 30, by dsterf
 * 100, which has errors of its own; |T| is the largest sum of a row. Of subnormal matrices half a step of
 * their grid more.
 *
 *     sterf order     values asked for in parts, and submitted, have the same bits; in random order
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/open.h"
#include "check.h"

void dstebz_(const char *, const char *, const int *, const double *, const double *, const int *,
             const int *, const double *, const double *, const double *, int *, int *, double *,
             int *, int *, double *, int *, int *, size_t, size_t);
void dsterf_(const int *, double *, double *, int *);

enum { MOST = 701, QL = 32, LIMIT = 30, OF_QL = 100 };
static const int orders[] = {1,   2,   3,   17,  31,  32,  33,  64,  97,  127,
                             128, 129, 130, 191, 257, 315, 320, 449, MOST};
enum { ORDERS = sizeof orders / sizeof *orders };

/* T as numbers and in its type, and its values. */
static struct {
    orr_type type;
    int n;
    double d[MOST], e[MOST];
    int limit;
    long double ref[MOST];
    union {
        float s[MOST];
        double d[MOST];
    } diagonal, off, w;
} t;

static double get(const void *x, int i)
{
    return t.type == ORR_S ? (double)((const float *)x)[i] : ((const double *)x)[i];
}

static void put(void *x, int i, double value)
{
    if (t.type == ORR_S)
        ((float *)x)[i] = (float)value;
    else
        ((double *)x)[i] = value;
}

/* Into the type, and back: T is what the library sees. */
static void store(void)
{
    for (int i = 0; i < t.n; i++) {
        put(&t.diagonal, i, t.d[i]);
        put(&t.off, i, t.e[i]);
        t.d[i] = get(&t.diagonal, i);
        t.e[i] = get(&t.off, i);
    }
}

static int by_size(const void *a, const void *b)
{
    const long double x = *(const long double *)a, y = *(const long double *)b;
    return (x > y) - (x < y);
}

static long double eps(void) { return t.type == ORR_S ? FLT_EPSILON : DBL_EPSILON; }
static long double grid(void) { return t.type == ORR_S ? 0x1p-149L : 0x1p-1074L; }

static long double norm(void)
{
    long double most = 0;
    for (int i = 0; i < t.n; i++) {
        long double sum = fabsl(t.d[i]);
        sum += i > 0 ? fabsl(t.e[i - 1]) : 0;
        sum += i + 1 < t.n ? fabsl(t.e[i]) : 0;
        most = fmaxl(most, sum);
    }
    return most;
}

static void judge(const char *what, const orr_sterf_opts *o, int first, int count)
{
    long double worst = 0;
    for (int i = 0; i < count; i++) {
        const long double x = get(&t.w, i);
        CHECK(i == 0 || x >= get(&t.w, i - 1), "%s n %d: value %d", what, t.n, i);
        CHECK(x != 0 || !signbit(get(&t.w, i)), "%s n %d: -0", what, t.n);
        worst = fmaxl(worst, fabsl(x - t.ref[first + i]));
    }
    CHECK(worst <= t.limit * eps() * norm() + grid() / 2, "%s %c n %d%s: %Lg eps |T|", what,
          orr_type_letter(t.type), t.n, o ? " in part" : "", worst / (eps() * norm()));
}

static void solve(orr_context *c, const char *what)
{
    orr_report report;
    const size_t bytes = sizeof t.diagonal;
    char kept[2][sizeof t.diagonal];
    store();
    qsort(t.ref, (size_t)t.n, sizeof *t.ref, by_size);
    memcpy(kept[0], &t.diagonal, bytes);
    memcpy(kept[1], &t.off, bytes);
    CHECK(orr_sterf(c, t.type, t.n, &t.diagonal, &t.off, &t.w, NULL, &report) == ORR_OK,
          "%s n %d: %s", what, t.n, report.message);
    CHECK(!memcmp(kept[0], &t.diagonal, bytes) && !memcmp(kept[1], &t.off, bytes), "%s: T", what);
    CHECK(strstr(report.plan, t.n <= QL ? "sterf" : "bisection"), "%s", report.plan);
    judge(what, NULL, 0, t.n);
}

/* ---- Matrices --------------------------------------------------------------------------------- */

static void toeplitz(double diagonal, double off, int power)
{
    t.limit = LIMIT;
    for (int i = 0; i < t.n; i++) {
        t.d[i] = ldexp(diagonal, power);
        t.e[i] = ldexp(off, power);
        t.ref[i] =
            ldexpl(diagonal + 2 * off * sinl((t.n - 1 - 2 * i) * acosl(0) / (t.n + 1)), power);
    }
}

static void clement(void)
{
    t.limit = LIMIT;
    for (int i = 0; i < t.n; i++) {
        t.d[i] = 0;
        t.e[i] = sqrt((i + 1.) * (t.n - 1 - i));
        t.ref[i] = t.n - 1 - 2 * i;
    }
}

static uint64_t state = 7;
static double draw(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-52 - 1;
}

enum { UNIFORM, GRADED, EQUAL, BLOCKS, CLUSTERS, DIAGONAL, KINDS };
static void fill(int kind)
{
    for (int i = 0; i < t.n; i++) {
        const double scale = kind == GRADED ? ldexp(1, -60 * i / t.n) : 1;
        t.d[i] = kind == EQUAL ? 1 : draw() * scale;
        t.e[i] = draw() * (kind == GRADED ? scale : kind == CLUSTERS ? 1e-9 : 1);
        if (kind == DIAGONAL || (kind == BLOCKS && i % 7 == 6))
            t.e[i] = 0;
        if (kind == CLUSTERS)
            t.d[i] = i % 5;
    }
    store();
    t.limit = t.n > QL ? OF_QL : LIMIT;
    double w[MOST], e[MOST], none = 0, work[4 * QL];
    int zero = 0, found = t.n, blocks, block[QL], split[QL], iwork[3 * QL], info;
    memcpy(w, t.d, sizeof w);
    memcpy(e, t.e, sizeof e);
    if (t.n > QL)
        dsterf_(&t.n, w, e, &info);
    else
        dstebz_("A", "E", &t.n, &none, &none, &zero, &zero, &none, t.d, t.e, &found, &blocks, w,
                block, split, work, iwork, &info, 1, 1);
    CHECK(info == 0 && found == t.n, "LAPACK: %d", info);
    for (int i = 0; i < t.n; i++)
        t.ref[i] = w[i];
}

static void matrices(orr_context *c)
{
    static const char *const name[] = {"uniform", "graded",   "equal",
                                       "blocks",  "clusters", "diagonal"};
    for (int k = 0; k < ORDERS; k++) {
        t.n = orders[k];
        toeplitz(2, -1, 0), solve(c, "2, -1");
        toeplitz(0, 1, 0), solve(c, "0, 1");
        toeplitz(0, 0, 0), solve(c, "zero");
        clement(), solve(c, "Clement");
        for (int kind = 0; kind < KINDS; kind++)
            fill(kind), solve(c, name[kind]);
    }
}

/* Near both ends of the range. Above it there is a status. */
static void scales(orr_context *c)
{
    const int top = t.type == ORR_S ? 127 : 1023, bottom = t.type == ORR_S ? -149 : -1074;
    for (int k = 0; k < ORDERS; k += 3) {
        t.n = orders[k];
        for (int power = bottom; power <= bottom + 70; power += 23)
            toeplitz(2, -1, power), solve(c, "tiny");
        toeplitz(0, 1, top - 1), solve(c, "huge");
        toeplitz(1, 0.5, top - 1), solve(c, "huge");
        if (t.n < 17)
            continue;
        orr_report report;
        toeplitz(0, 1, top);
        t.e[0] *= 1.9;
        t.d[3] = -1.9 * ldexp(1, top);
        store();
        CHECK(orr_sterf(c, t.type, t.n, &t.diagonal, &t.off, &t.w, NULL, &report) == ORR_RANGE,
              "n %d: %d", t.n, report.status);
        CHECK(strstr(report.message, "of w is beyond the range"), "%s", report.message);
        CHECK(isinf(get(&t.w, (int)report.index)), "%lld", (long long)report.index);
    }
}

/* ---- Parts, and calls that do not wait -------------------------------------------------------- */

static void parts(orr_context *c)
{
    for (int k = 0; k < ORDERS; k++) {
        t.n = orders[k];
        fill(UNIFORM);
        solve(c, "uniform");
        double all[MOST];
        for (int i = 0; i < t.n; i++)
            all[i] = get(&t.w, i);
        for (int il = 1; il <= t.n; il += 1 + t.n / 3) {
            const int iu = il + (t.n - il) / 2;
            orr_request *r;
            orr_report report;
            const orr_sterf_opts o = {.il = il, .iu = iu};
            memset(&t.w, 0xff, sizeof t.w);
            CHECK(orr_submit_sterf(c, t.type, t.n, &t.diagonal, &t.off, &t.w, &o, &r) == ORR_OK &&
                      orr_wait(r, &report) == ORR_OK,
                  "n %d", t.n);
            for (int i = il; i <= iu; i++)
                CHECK(get(&t.w, i - il) == all[i - 1], "n %d, %d of %d to %d", t.n, i, il, iu);
            CHECK(iu - il + 1 == t.n || isnan(get(&t.w, iu - il + 1)), "n %d: written beyond", t.n);
            judge("part", &o, il - 1, iu - il + 1);
        }
        CHECK(orr_sterf(c, t.type, t.n, &t.diagonal, &t.off, &t.diagonal, NULL, NULL) == ORR_OK,
              " ");
        for (int i = 0; i < t.n; i++)
            CHECK(get(&t.diagonal, i) == all[i], "n %d, w is d: %d", t.n, i);
    }
}

/* Workers may come out of order: the last part is told once. */
static void count(int64_t done, int64_t total, void *arg)
{
    if (done == total)
        atomic_fetch_add((atomic_int *)arg, 1);
}

/* ---- Refusals --------------------------------------------------------------------------------- */

static void refuse(orr_context *c)
{
    orr_report r;
    double d[3] = {1, 2, 3}, e[2] = {1, 1}, w[3] = {-7, -7, -7};
    const orr_sterf_opts bad[] = {{.il = 1}, {.il = 2, .iu = 1}, {.il = 1, .iu = 4}, {.iu = 1}};
    CHECK(orr_sterf(c, ORR_Z, 3, d, e, w, NULL, &r) == ORR_E_ARG && strstr(r.message, "type"), " ");
    CHECK(orr_sterf(c, ORR_D, -1, d, e, w, NULL, &r) == ORR_E_ARG && strstr(r.message, "n is"),
          " ");
    CHECK(orr_sterf(c, ORR_D, INT64_MAX, d, e, w, NULL, &r) == ORR_E_ARG, " ");
    CHECK(orr_sterf(c, ORR_D, 3, NULL, e, w, NULL, &r) == ORR_E_ARG &&
              strstr(r.message, "d is NULL"),
          "%s", r.message);
    CHECK(orr_sterf(c, ORR_D, 2, d, NULL, w, NULL, &r) == ORR_E_ARG &&
              strstr(r.message, "e is NULL"),
          "%s", r.message);
    CHECK(orr_sterf(c, ORR_D, 3, d, e, NULL, NULL, &r) == ORR_E_ARG &&
              strstr(r.message, "w is NULL"),
          "%s", r.message);
    CHECK(orr_sterf(NULL, ORR_D, 3, d, e, w, NULL, &r) == ORR_E_ARG, " ");
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        CHECK(orr_sterf(c, ORR_D, 3, d, e, w, &bad[k], &r) == ORR_E_ARG, "%zu", k);
    for (int i = 0; i < 5; i++) {
        double *x = i < 3 ? &d[i] : &e[i - 3], kept = *x;
        *x = i % 2 ? NAN : -INFINITY;
        CHECK(orr_sterf(c, ORR_D, 3, d, e, w, NULL, &r) == ORR_E_NONFINITE, "%d", i);
        CHECK(r.index == i % 3 && r.message[0] == (i < 3 ? 'd' : 'e'), "%d: %s", i, r.message);
        *x = kept;
    }
    d[1] = e[0] = NAN;
    CHECK(orr_sterf(c, ORR_D, 3, d, e, w, NULL, &r) == ORR_E_NONFINITE && r.index == 1 &&
              r.message[0] == 'd',
          "both: %s", r.message);
    d[1] = 2, e[0] = 1;
    CHECK(w[0] == -7 && w[1] == -7 && w[2] == -7, "w was written");
    CHECK(orr_sterf(c, ORR_D, 0, NULL, NULL, NULL, NULL, &r) == ORR_OK, "n 0: %s", r.message);
    CHECK(orr_sterf(c, ORR_D, 1, d, NULL, w, NULL, &r) == ORR_OK && w[0] == 1, "n 1: %g", w[0]);
}

int main(int argc, char **argv)
{
    const int in_order = argc > 1 && strcmp(argv[1], "order") == 0;
    orr_context *c = open_context(0);
    for (t.type = ORR_S; t.type <= ORR_D; t.type++) {
        parts(c);
        if (in_order)
            continue;
        matrices(c);
        scales(c);
        atomic_int done = 0;
        const orr_sterf_opts o = {.progress = count, .progress_arg = &done};
        t.n = MOST;
        fill(UNIFORM);
        CHECK(orr_sterf(c, t.type, MOST, &t.diagonal, &t.off, &t.w, &o, NULL) == ORR_OK, " ");
        CHECK(done == 1, "progress: %d", done);
    }
    refuse(c);
    orr_close(c);
    return checked();
}
