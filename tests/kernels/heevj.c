/* The CPU kernels behind heevj against their contracts in kernels/heevj*.h.
 *
 *   test_kernels_heevj          the default: every kind of matrix, most sizes
 *   test_kernels_heevj long     all sizes, both triangles, several seeds
 *
 * A chunk holds one matrix of every kind of matgen.h, so that lanes differ as much as
 * they can; "lanes" is tested with every instruction set that the processor has. ld, stride and ldw are larger than needed and what lies between is guarded;
 * the triangle that must not be read, and the imaginary diagonal, are NaN.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/heevj_block.h"
#include "kernels/heevj_check.h"
#include "kernels/cpu/lanes.h"
#include "matgen.h"
#include "reference.h"

int level; /* of heevj_lanes.c: the instruction set */
extern orr_heevj_fn *const heevj_lanes_at_level[ORR_NTYPES];

typedef struct {
    const char *name;
    orr_method method;
    orr_heevj_fn *const *kernel;
    int relative; /* promises relative accuracy for graded matrices */
    int rotates;  /* until off <= tol: Jacobi */
    int level;
} implementation;

static const implementation methods[] = {
    {"jacobi", ORR_METHOD_JACOBI, orr_heevj_jacobi_cpu, .relative = 1, .rotates = 1},
    {"block", ORR_METHOD_BLOCK, orr_heevj_block_cpu, .rotates = 1},
    {"lanes 4", ORR_METHOD_LANES, heevj_lanes_at_level, .level = 4},
    {"lanes 3", ORR_METHOD_LANES, heevj_lanes_at_level, .level = 3},
    {"lanes 0", ORR_METHOD_LANES, heevj_lanes_at_level, .level = 0},
    {"lapack", ORR_METHOD_LAPACK, orr_heevj_lapack_cpu, .level = 0},
};
enum { METHODS = sizeof methods / sizeof *methods };

static int takes(const implementation *m, int64_t n)
{
    return m->level <= lanes_level() &&
           (m->method != ORR_METHOD_LANES || n <= ORR_HEEVJ_LANES_MAX_N);
}

static orr_status solve(const implementation *m, orr_type type, const orr_heevj_args *g, void *a,
                        void *w, orr_matrix_info *info)
{
    level = m->level;
    return m->kernel[type](g, a, w, info);
}

static int failures;

static void fail(const char *what, const implementation *m, orr_type type, int64_t n,
                 const char *kind, double value, double limit)
{
    if (++failures <= 40)
        printf("FAILED %s: %s %c n=%d %s: %g > %g\n", what, m->name, "sdcz"[type], (int)n, kind,
               value, limit);
}

/* A chunk: input, output and guards. */
typedef struct {
    orr_type type;
    orr_heevj_args args;
    size_t scalar, real, a_bytes, w_bytes;
    char *input, *a, *w;
    orr_matrix_info *info;
} chunk;

enum { GUARD = 0x5a };

static void *allocate(size_t bytes)
{
    void *p = malloc(bytes + 1);
    if (!p)
        abort();
    return p;
}

static chunk chunk_new(orr_type type, int64_t n, int64_t count)
{
    chunk c = {.type = type, .scalar = orr_type_size(type)};
    c.real = type < ORR_C ? c.scalar : c.scalar / 2;
    c.args = (orr_heevj_args){
        .n = n, .count = count, .ld = n + 3, .stride = (n + 3) * n + 5, .ldw = n + 2};
    c.a_bytes = (size_t)(c.args.stride * count) * c.scalar;
    c.w_bytes = (size_t)(c.args.ldw * count) * c.real;
    c.input = allocate(c.a_bytes);
    c.a = allocate(c.a_bytes);
    c.w = allocate(c.w_bytes);
    c.info = calloc((size_t)count + 1, sizeof *c.info);
    memset(c.input, GUARD, c.a_bytes);
    return c;
}

static void chunk_free(chunk *c) { free(c->input), free(c->a), free(c->w), free(c->info); }

static char *matrix(const chunk *c, char *a, int64_t k)
{
    return a + (size_t)(k * c->args.stride) * c->scalar;
}

static double value(const chunk *c, int64_t k, int64_t i)
{
    const char *w = c->w + (size_t)(k * c->args.ldw + i) * c->real;
    return c->real == 4 ? (double)*(const float *)w : *(const double *)w;
}

static void set_part(const chunk *c, char *x, int64_t part, double v)
{
    if (c->real == 4)
        ((float *)x)[part] = (float)v;
    else
        ((double *)x)[part] = v;
}

static double get_part(const chunk *c, const char *x, int64_t part)
{
    return c->real == 4 ? (double)((const float *)x)[part] : ((const double *)x)[part];
}

static char *entry(const chunk *c, char *a, int64_t k, int64_t i, int64_t j)
{
    return matrix(c, a, k) + (size_t)(j * c->args.ld + i) * c->scalar;
}

/* c.a := c.input, with NaN where the kernel must not read. */
static void prepare(chunk *c, int upper, int vectors)
{
    const int64_t n = c->args.n, parts = c->type >= ORR_C ? 2 : 1;
    c->args.upper = upper;
    c->args.vectors = vectors;
    memcpy(c->a, c->input, c->a_bytes);
    memset(c->w, GUARD, c->w_bytes);
    memset(c->info, GUARD, sizeof *c->info * (size_t)c->args.count);
    for (int64_t k = 0; k < c->args.count; k++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < n; i++)
                for (int64_t part = 0; part < parts; part++)
                    if ((upper ? i > j : i < j) || (i == j && part == 1))
                        set_part(c, entry(c, c->a, k, i, j), part, NAN);
}

/* Were the bytes between the squares left alone? */
static int guards_hold(chunk *c)
{
    const int64_t n = c->args.n, ld = c->args.ld;
    for (int64_t k = 0; k < c->args.count; k++) {
        const char *a = matrix(c, c->a, k), *w = c->w + (size_t)(k * c->args.ldw) * c->real;
        for (int64_t e = 0; e < c->args.stride; e++)
            if (e % ld >= n || e / ld >= n)
                for (size_t b = 0; b < c->scalar; b++)
                    if (a[(size_t)e * c->scalar + b] != GUARD)
                        return 0;
        for (size_t b = (size_t)n * c->real; b < (size_t)c->args.ldw * c->real; b++)
            if (w[b] != GUARD)
                return 0;
    }
    return 1;
}

static int all_nan(chunk *c, int64_t k)
{
    const int64_t n = c->args.n, parts = c->type >= ORR_C ? 2 : 1;
    for (int64_t j = 0; j < n; j++) {
        if (!isnan(value(c, k, j)))
            return 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t part = 0; part < parts; part++)
                if (!isnan(get_part(c, entry(c, c->a, k, i, j), part)))
                    return 0;
    }
    return 1;
}

/* Worst figures, for the summary. */
typedef struct {
    double residual, orthogonality, lapack, known, graded;
    int sweeps;
} worst;

static double most(double a, double b) { return b > a || isnan(b) ? b : a; }

/* Everything that can be said of a solved chunk. reference: LAPACK's eigenvalues, NULL for
 * LAPACK itself; exact: the known ones, with flags saying which are. */
static void judge(chunk *c, const implementation *m, const double *reference, const double *exact,
                  const int *known, const double *precise, worst *out)
{
    const int64_t n = c->args.n;
    const double eps = orr_type_eps(c->type), unit = (double)n * eps;
    if (c->args.vectors)
        orr_heevj_check_cpu[c->type](&c->args, c->input, c->a, c->w, c->info);
    if (!guards_hold(c))
        fail("guards", m, c->type, n, "all", 1, 0);
    for (int64_t k = 0; k < c->args.count; k++) {
        const orr_matrix_info *info = c->info + k;
        const char *kind = orr_matgen_name((int)(k % orr_matgen_kinds()));
        const double norm = info->norm;
        /* Results below the normal numbers are rounded to multiples of the smallest one. */
        const double denormal = orr_type_denormal(c->type) * (double)n;
        const double slack = norm > 0 ? denormal / (unit * norm) : 0;
        if (info->status != ORR_OK)
            fail("status", m, c->type, n, kind, info->status, ORR_OK);
        if (info->method != (int)m->method || info->device != 0)
            fail("method", m, c->type, n, kind, info->method, m->method);
        if (m->rotates) {
            const double tol = eps * 1.0001;
            if (!(info->off <= tol))
                fail("off <= eps", m, c->type, n, kind, info->off, tol);
            out->sweeps = info->sweeps > out->sweeps ? info->sweeps : out->sweeps;
        }
        if (c->args.vectors && n > 0) {
            if (!(info->residual <= 10 + slack))
                fail("residual", m, c->type, n, kind, info->residual, 10 + slack);
            if (!(info->orthogonality <= 10))
                fail("orthogonality", m, c->type, n, kind, info->orthogonality, 10);
            if (slack < 1)
                out->residual = most(out->residual, info->residual);
            out->orthogonality = most(out->orthogonality, info->orthogonality);
        }
        for (int64_t i = 0; i < n; i++) {
            const double w = value(c, k, i), bound = unit * norm;
            if (i > 0 && !(value(c, k, i - 1) <= w))
                fail("ascending", m, c->type, n, kind, value(c, k, i - 1), w);
            if (reference) {
                const double e = fabs(w - reference[k * n + i]);
                if (!(e <= 10 * bound + denormal))
                    fail("|w - w_lapack|", m, c->type, n, kind, e, 10 * bound);
                if (norm > 0 && slack < 1)
                    out->lapack = most(out->lapack, e / bound);
            }
            if (known[k]) {
                const double e = fabs(w - exact[k * n + i]);
                if (!(e <= 10 * bound + denormal))
                    fail("|w - w_exact|", m, c->type, n, kind, e, 10 * bound);
                if (norm > 0 && slack < 1)
                    out->known = most(out->known, e / bound);
            }
            if (precise && !isnan(precise[k * n + i])) {
                const double p = precise[k * n + i], e = fabs(w - p) / (fabs(p) * unit);
                if (m->relative && !(e <= 10))
                    fail("graded: |w - w_exact| / (n eps |w|)", m, c->type, n, kind, e, 10);
                out->graded = most(out->graded, e);
            }
        }
    }
}

/* All kinds of order n, by all methods. */
static void accuracy(orr_type type, int64_t n, uint64_t seed, int both, worst out[METHODS])
{
    const int64_t kinds = orr_matgen_kinds();
    chunk c = chunk_new(type, n, kinds);
    double *exact = allocate(sizeof(double) * (size_t)(kinds * n));
    double *precise = allocate(sizeof(double) * (size_t)(kinds * n));
    double *lapack = allocate(sizeof(double) * (size_t)(kinds * n));
    int *known = allocate(sizeof(int) * (size_t)kinds);
    for (int64_t k = 0; k < kinds; k++) {
        known[k] =
            orr_matgen((int)k, type, n, seed, matrix(&c, c.input, k), c.args.ld, exact + k * n);
        for (int64_t i = 0; i < n; i++)
            precise[k * n + i] = NAN;
        if (orr_matgen_is_graded((int)k) && n <= 33)
            orr_reference_heev(type, n, matrix(&c, c.input, k), c.args.ld, precise + k * n);
    }
    for (int way = 0; way < 4; way++) {
        const int upper = way == 1 || way == 2, vectors = way < 2;
        /* Of large ones the upper triangle with vectors and the lower without, or the other way
         * round. */
        if (!both && n > 33 && way % 2 != (n + type / 2) % 2)
            continue;
        const implementation *last = &methods[METHODS - 1];
        prepare(&c, upper, vectors);
        if (solve(last, type, &c.args, c.a, c.w, c.info) != ORR_OK)
            fail("returns ORR_OK", last, type, n, "all", 1, 0);
        for (int64_t k = 0; k < kinds; k++)
            for (int64_t i = 0; i < n; i++)
                lapack[k * n + i] = value(&c, k, i);
        judge(&c, last, NULL, exact, known, precise, &out[METHODS - 1]);
        for (int m = 0; m < METHODS - 1; m++) {
            if (!takes(&methods[m], n))
                continue;
            prepare(&c, upper, vectors);
            if (solve(&methods[m], type, &c.args, c.a, c.w, c.info) != ORR_OK)
                fail("returns ORR_OK", &methods[m], type, n, "all", 1, 0);
            judge(&c, &methods[m], lapack, exact, known, precise, &out[m]);
        }
    }
    free(exact), free(precise), free(lapack), free(known);
    chunk_free(&c);
}

/* Matrix k of the chunk, solved alone: the same to the last bit. */
static void alone(chunk *c, const implementation *m, int64_t k)
{
    orr_heevj_args one = c->args;
    one.count = 1;
    const size_t bytes = (size_t)one.stride * c->scalar, values = (size_t)one.n * c->real;
    char *a = allocate(bytes), *w = allocate((size_t)one.ldw * c->real);
    orr_matrix_info info;
    memcpy(a, matrix(c, c->input, k), bytes);
    solve(m, c->type, &one, a, w, &info);
    int same = memcmp(w, c->w + (size_t)(k * one.ldw) * c->real, values) == 0;
    for (int64_t j = 0; j < one.n && one.vectors; j++)
        same &= memcmp(a + (size_t)(j * one.ld) * c->scalar, entry(c, c->a, k, 0, j),
                       (size_t)one.n * c->scalar) == 0;
    same &= info.status == c->info[k].status && info.sweeps == c->info[k].sweeps &&
            memcmp(&info.off, &c->info[k].off, sizeof info.off) == 0;
    if (!same)
        fail("same alone, bit for bit", m, c->type, one.n, "matrix", (double)k, 0);
    free(a), free(w);
}

/* Chunks of awkward counts; with `poison`, some matrices are not finite. */
static void independence(orr_type type, int64_t n, int64_t count, int poison)
{
    chunk c = chunk_new(type, n, count);
    double *w = allocate(sizeof(double) * (size_t)n);
    for (int64_t k = 0; k < count; k++)
        orr_matgen((int)(k * 5 % orr_matgen_kinds()), type, n, 11 + (uint64_t)k,
                   matrix(&c, c.input, k), c.args.ld, w);
    free(w);
    const int64_t bad[] = {1, 4, 6}; /* NaN off the diagonal, Inf on it, -Inf off it */
    const double with[] = {NAN, INFINITY, -INFINITY};
    for (int b = 0; b < 3 && poison && n > 0; b++)
        if (bad[b] < count) {
            const int64_t i = b == 1 ? n / 2 : n - 1, j = b == 1 ? n / 2 : 0;
            set_part(&c, entry(&c, c.input, bad[b], i, j), 0, with[b]);
            set_part(&c, entry(&c, c.input, bad[b], j, i), 0, with[b]);
        }
    for (int m = 0; m < METHODS; m++)
        for (int vectors = 0; vectors < 2 && takes(&methods[m], n); vectors++) {
            prepare(&c, 0, vectors);
            memcpy(c.a, c.input, c.a_bytes);
            if (solve(&methods[m], type, &c.args, c.a, c.w, c.info) != ORR_OK)
                fail("returns ORR_OK", &methods[m], type, n, "counts", 1, 0);
            for (int64_t k = 0; k < count; k++) {
                const int is_bad = poison && n > 0 && (k == 1 || k == 4 || k == 6);
                if (is_bad != (c.info[k].status == ORR_NONFINITE) ||
                    is_bad != isnan(c.info[k].norm))
                    fail("status of non-finite", &methods[m], type, n, "matrix", (double)k, 0);
                if (is_bad && !all_nan(&c, k))
                    fail("output is NaN", &methods[m], type, n, "matrix", (double)k, 0);
                if (!is_bad)
                    alone(&c, &methods[m], k);
            }
            if (!guards_hold(&c))
                fail("guards", &methods[m], type, n, "counts", 1, 0);
        }
    chunk_free(&c);
}

static int kind_named(const char *name)
{
    for (int k = 0; k < orr_matgen_kinds(); k++)
        if (strcmp(orr_matgen_name(k), name) == 0)
            return k;
    abort();
}

/* max_sweeps is honoured, and tol. */
static void limits(orr_type type)
{
    const int64_t n = 40;
    chunk c = chunk_new(type, n, 1);
    orr_matgen(kind_named("gaussian"), type, n, 1, c.input, c.args.ld, NULL);
    for (int m = 0; m < METHODS; m++) {
        if (!methods[m].rotates)
            continue;
        prepare(&c, 0, 1);
        c.args.max_sweeps = 2;
        solve(&methods[m], type, &c.args, c.a, c.w, c.info);
        if (c.info->status != ORR_NOCONV || c.info->sweeps != 2)
            fail("max_sweeps", &methods[m], type, n, "sweeps", c.info->sweeps, 2);
        if (!(c.info->off > orr_type_eps(type))) /* it has not ended */
            fail("off", &methods[m], type, n, "two sweeps", c.info->off, orr_type_eps(type));
        orr_heevj_check_cpu[type](&c.args, c.input, c.a, c.w, c.info);
        if (!(c.info->orthogonality <= 10))
            fail("orthogonality", &methods[m], type, n, "sweeps", c.info->orthogonality, 10);
        c.args.max_sweeps = 0;
        prepare(&c, 0, 1);
        solve(&methods[m], type, &c.args, c.a, c.w, c.info);
        const int full = c.info->sweeps;
        prepare(&c, 0, 1);
        c.args.tol = 1e-2;
        solve(&methods[m], type, &c.args, c.a, c.w, c.info);
        if (c.info->status != ORR_OK || c.info->sweeps > full || !(c.info->off <= 1e-2))
            fail("tol", &methods[m], type, n, "sweeps", c.info->sweeps, full);
        c.args.tol = 0;
    }
    chunk_free(&c);
}

/* The four steps on a chunk do what orr_heevj_block_cpu does. */
static void steps(orr_type type, int64_t n)
{
    const implementation *block = &methods[1];
    const int64_t count = 5, np = orr_heevj_block_padded(type, n);
    chunk c = chunk_new(type, n, count);
    double *w = allocate(sizeof(double) * (size_t)n);
    for (int64_t k = 0; k < count; k++)
        orr_matgen((int)(k * 7), type, n, 3, matrix(&c, c.input, k), c.args.ld, w);
    free(w);
    set_part(&c, entry(&c, c.input, 2, 0, 0), 0, NAN);
    prepare(&c, 1, 1);
    const size_t bytes = (size_t)(np * np * count) * c.scalar;
    char *G = allocate(bytes), *Q = allocate(bytes);
    double scale[5];
    int32_t active[12];
    orr_heevj_block_start_cpu[type](&c.args, c.a, G, Q, scale, active, c.info);
    if (active[0] != 4 || active[1] != 0 || scale[2] != 0 || np < n)
        fail("start", block, type, n, "active", active[0], 4);
    while (active[0] > 0) {
        orr_heevj_block_sweep_cpu[type](&c.args, G, Q, active, c.info);
        orr_heevj_block_compact_cpu[type](&c.args, active, c.info);
    }
    orr_heevj_block_finish_cpu[type](&c.args, G, Q, scale, c.a, c.w, c.info);
    for (int64_t k = 0; k < count; k++)
        if (k != 2)
            alone(&c, block, k);
    if (!all_nan(&c, 2) || c.info[2].status != ORR_NONFINITE || !guards_hold(&c))
        fail("steps", block, type, n, "non-finite", 0, 0);
    free(G), free(Q);
    chunk_free(&c);
}

/* heevj_check tells a wrong result from a right one. */
static void check(orr_type type)
{
    const implementation *lapack = &methods[METHODS - 1];
    const int64_t n = 12;
    chunk c = chunk_new(type, n, 3);
    double w[12];
    orr_matgen(kind_named("rand huge"), type, n, 1, matrix(&c, c.input, 0), c.args.ld, w);
    orr_matgen(kind_named("zero"), type, n, 1, matrix(&c, c.input, 1), c.args.ld, w);
    orr_matgen(kind_named("gaussian"), type, n, 1, matrix(&c, c.input, 2), c.args.ld, w);
    set_part(&c, entry(&c, c.input, 2, 3, 3), 0, INFINITY);
    prepare(&c, 0, 1);
    solve(lapack, type, &c.args, c.a, c.w, c.info);
    orr_heevj_check_cpu[type](&c.args, c.input, c.a, c.w, c.info);
    if (c.info[1].residual != 0 || !isnan(c.info[2].residual))
        fail("check: zero and non-finite", lapack, type, n, "", c.info[1].residual, 0);
    char *x = entry(&c, c.a, 0, 4, 5);
    set_part(&c, x, 0, get_part(&c, x, 0) + 1e-3);
    orr_heevj_check_cpu[type](&c.args, c.input, c.a, c.w, c.info);
    const double expected = 1e-4 / (12 * orr_type_eps(type));
    if (!(c.info[0].residual > expected) || !(c.info[0].orthogonality > expected))
        fail("check: sees an error of 1e-3", lapack, type, n, "", expected, c.info[0].residual);
    chunk_free(&c);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0,  1,  2,  3,  5,  8,  15,  16,  17,
                                31, 32, 33, 63, 64, 65, 100, 128, 129};
    static const int counts[] = {0, 1, 2, 7, 8, 9, 33}, orders[] = {0, 1, 3, 8, 17, 33, 67};
    const int thorough = argc > 1 && strcmp(argv[1], "long") == 0;
    printf("tolerances: |AQ-QL|_F/(n eps |A|_F) <= 10, |Q'Q-I|_F/(n eps) <= 10,\n"
           "            |w-w_lapack|/(n eps |A|_F) <= 10, |w-w_exact|/(n eps |A|_F) <= 10,\n"
           "            graded: |w-w_exact|/(n eps |w|) <= 10 (jacobi)\n"
           "worst over all kinds:\n"
           "            residual  orthogonal   w_lapack    w_exact     graded  sweeps\n");
    for (int t = 0; t < ORR_NTYPES; t++) {
        const orr_type type = (orr_type)t;
        worst out[METHODS] = {{0}};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            /* The largest orders take most of the time; one type there will do, or a real and a
             * complex one. */
            if (!thorough && sizes[i] > 65 && i % ORR_NTYPES != (size_t)t)
                continue;
            if (!thorough && sizes[i] > 33 && sizes[i] <= 65 && i % 2 != (size_t)t % 2)
                continue;
            for (uint64_t seed = 0; seed < (thorough ? 4 : 1); seed++)
                accuracy(type, sizes[i], seed, thorough, out);
        }
        for (int m = 0; m < METHODS; m++)
            printf("%c %-8s %10.3g  %10.3g %10.3g %10.3g %10.3g  %6d\n", "sdcz"[t], methods[m].name,
                   out[m].residual, out[m].orthogonality, out[m].lapack, out[m].known,
                   out[m].graded, out[m].sweeps);
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
            for (size_t j = 0; j < sizeof counts / sizeof *counts; j++)
                for (int poison = 0; poison < 2; poison++)
                    if (thorough || orders[i] * counts[j] < 600)
                        independence(type, orders[i], counts[j], poison);
        limits(type);
        steps(type, 7);
        steps(type, 50);
        check(type);
        fflush(stdout);
    }
    printf("%s: %d failures\n", failures ? "FAILED" : "passed", failures);
    return failures != 0;
}
