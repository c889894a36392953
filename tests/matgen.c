/* See matgen.h. Everything is computed in double complex and rounded to the type asked
 * for at the end; a real type takes real random numbers.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "matgen.h"
#include "numbers.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef double _Complex Z;

/* What a maker of matrices works on. */
typedef struct {
    int64_t n;
    int is_complex;
    double eps;     /* of the type asked for */
    uint64_t state; /* of the random numbers */
    Z *A;           /* n x n, both triangles; zero on entry */
    double *w;      /* n */
} maker;

size_t orr_type_size(orr_type type)
{
    static const size_t size[] = {4, 8, 8, 16};
    return size[type];
}

double orr_type_eps(orr_type type)
{
    return type == ORR_S || type == ORR_C ? FLT_EPSILON : DBL_EPSILON;
}

double orr_type_denormal(orr_type type)
{
    return type == ORR_S || type == ORR_C ? 0x1p-149 : 0x1p-1074;
}

/* In [0, 1). */
static double draw(uint64_t *state)
{
    /* splitmix64 */
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static double normal(maker *m)
{
    const double u = 1 - draw(&m->state), v = draw(&m->state);
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

static Z gaussian(maker *m)
{
    const double re = normal(m);
    return m->is_complex ? re + I * normal(m) : re;
}

static void set(maker *m, int64_t i, int64_t j, Z x)
{
    m->A[j * m->n + i] = x;
    m->A[i * m->n + j] = conj(x);
    if (i == j)
        m->A[i * m->n + i] = creal(x);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A := H A H with random Householder reflectors H: a unitary similarity. */
static void similarity(maker *m)
{
    const int64_t n = m->n, reflectors = n < 2 ? 0 : n < 16 ? n : 16;
    Z *v = malloc(sizeof *v * (size_t)(2 * n + 1)), *x = v + n;
    for (int64_t r = 0; r < reflectors && v; r++) {
        double norm2 = 0;
        for (int64_t i = 0; i < n; i++) {
            v[i] = gaussian(m);
            norm2 += creal(v[i] * conj(v[i]));
        }
        const double beta = 2 / norm2;
        /* A - x v' - v x' with x = beta (A v - beta/2 (v'Av) v) */
        Z vAv = 0;
        for (int64_t i = 0; i < n; i++) {
            x[i] = 0;
            for (int64_t j = 0; j < n; j++)
                x[i] += m->A[j * n + i] * v[j];
            vAv += conj(v[i]) * x[i];
        }
        for (int64_t i = 0; i < n; i++)
            x[i] = beta * (x[i] - beta / 2 * creal(vAv) * v[i]);
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = j; i < n; i++)
                set(m, i, j, m->A[j * n + i] - x[i] * conj(v[j]) - v[i] * conj(x[j]));
    }
    free(v);
}

/* Spectra: value i of n for condition number cond, in (0, 1]. */
typedef double spectrum(maker *, int64_t i, double cond);

static double part(const maker *m, int64_t i)
{
    return m->n > 1 ? (double)i / (double)(m->n - 1) : 0;
}
static double arith(maker *m, int64_t i, double cond) { return 1 - part(m, i) * (1 - 1 / cond); }
static double geo(maker *m, int64_t i, double cond) { return pow(cond, -part(m, i)); }
static double cluster0(maker *m, int64_t i, double cond)
{
    (void)m;
    return i == 0 ? 1 : 1 / cond;
}
static double cluster1(maker *m, int64_t i, double cond) { return i == m->n - 1 ? 1 / cond : 1; }
static double logrand(maker *m, int64_t i, double cond)
{
    (void)i;
    return pow(cond, -draw(&m->state));
}
static double uniform(maker *m, int64_t i, double cond)
{
    (void)i, (void)cond;
    return draw(&m->state);
}
static double three(maker *m, int64_t i, double cond)
{
    (void)m;
    return i % 3 == 0 ? 1 : i % 3 == 1 ? 0.5 : 1 / cond;
}
static double near_one(maker *m, int64_t i, double cond)
{
    (void)cond;
    return 1 + (double)(i % 4) * m->eps;
}

/* Makers of single matrices; return whether w is known. */
typedef int make(maker *);

static int zero(maker *m)
{
    for (int64_t i = 0; i < m->n; i++)
        m->w[i] = 0;
    return 1;
}
static int identity(maker *m)
{
    for (int64_t i = 0; i < m->n; i++)
        set(m, i, i, m->w[i] = 1);
    return 1;
}
static int diagonal(maker *m)
{
    for (int64_t i = 0; i < m->n; i++)
        set(m, i, i, m->w[i] = (float)normal(m));
    return 1;
}
static int dense(maker *m)
{
    for (int64_t j = 0; j < m->n; j++)
        for (int64_t i = j; i < m->n; i++)
            set(m, i, j, gaussian(m));
    return 0;
}
static int ones(maker *m)
{
    for (int64_t j = 0; j < m->n; j++)
        for (int64_t i = j; i < m->n; i++)
            set(m, i, j, 1);
    for (int64_t i = 0; i < m->n; i++)
        m->w[i] = i == m->n - 1 ? (double)m->n : 0;
    return 1;
}
static int equal_diagonal(maker *m)
{
    for (int64_t j = 0; j < m->n; j++)
        for (int64_t i = j; i < m->n; i++)
            set(m, i, j, i == j ? 1 : 0.5);
    for (int64_t i = 0; i < m->n; i++)
        m->w[i] = i == m->n - 1 ? 1 + 0.5 * (double)(m->n - 1) : 0.5;
    return 1;
}
/* X X' for X of `rank` columns. */
static void gram(maker *m, int64_t rank)
{
    Z *x = malloc(sizeof *x * (size_t)(m->n + 1));
    for (int64_t r = 0; r < rank && x; r++) {
        for (int64_t i = 0; i < m->n; i++)
            x[i] = gaussian(m);
        for (int64_t j = 0; j < m->n; j++)
            for (int64_t i = j; i < m->n; i++)
                set(m, i, j, m->A[j * m->n + i] + x[i] * conj(x[j]));
    }
    free(x);
}
static int rank1(maker *m) { return gram(m, 1), 0; }
static int rank_half(maker *m) { return gram(m, (m->n + 1) / 2), 0; }
static int hilbert(maker *m)
{
    for (int64_t j = 0; j < m->n; j++)
        for (int64_t i = j; i < m->n; i++)
            set(m, i, j, 1 / (double)(i + j + 1));
    return 0;
}
/* D B D; D from 10^decades down to 10^-decades. */
static void graded_by(maker *m, double decades, double (*place)(maker *, int64_t))
{
    double *d = malloc(sizeof *d * (size_t)(m->n + 1));
    for (int64_t i = 0; i < m->n && d; i++)
        d[i] = pow(10, decades * (1 - 2 * place(m, i)));
    for (int64_t j = 0; j < m->n && d; j++)
        for (int64_t i = j; i < m->n; i++) {
            /* B = I + E, |E| < 1/2 by Gershgorin */
            const double u = draw(&m->state) - 0.5, v = draw(&m->state) - 0.5;
            const Z e = (m->is_complex ? u + I * v : u) / sqrt(2.0) / (double)m->n;
            set(m, i, j, i == j ? d[i] * d[i] : d[i] * d[j] * e);
        }
    free(d);
}
static double place_random(maker *m, int64_t i)
{
    (void)i;
    return draw(&m->state);
}
static double place_down(maker *m, int64_t i) { return part(m, i); }
static double place_up(maker *m, int64_t i) { return 1 - part(m, i); }
/* Either way from 1; entries have four times as many. The most is nearly what the kernels promise,
 * 400 decades of entries, 40 in single precision. */
static double some_decades(const maker *m) { return m->eps < 1e-10 ? 12 : 4; }
static double most_decades(const maker *m) { return m->eps < 1e-10 ? 98 : 9.5; }
static int graded(maker *m) { return graded_by(m, some_decades(m), place_down), 0; }
static int graded_up(maker *m) { return graded_by(m, some_decades(m), place_up), 0; }
static int graded_mixed(maker *m) { return graded_by(m, some_decades(m), place_random), 0; }
static int graded_far(maker *m) { return graded_by(m, most_decades(m), place_down), 0; }
static int graded_far_mixed(maker *m) { return graded_by(m, most_decades(m), place_random), 0; }
static int opposite_pairs(maker *m)
{
    for (int64_t i = 0; i < m->n; i++) {
        m->w[i] = i / 2 * 2 + 1 == m->n ? 0 : (i % 2 ? -1 : 1) * (double)(i / 2 + 1);
        set(m, i, i, m->w[i]);
    }
    similarity(m);
    return 1;
}
static int wilkinson(maker *m)
{
    for (int64_t i = 0; i < m->n; i++) {
        set(m, i, i, fabs((double)i - (double)(m->n - 1) / 2));
        if (i > 0)
            set(m, i, i - 1, 1);
    }
    return 0;
}
static int blocks(maker *m)
{
    for (int64_t j = 0; j < m->n; j++)
        for (int64_t i = j; i < m->n; i++)
            if (i / 3 == j / 3)
                set(m, i, j, gaussian(m));
    return 0;
}
static int banded(maker *m)
{
    for (int64_t j = 0; j < m->n; j++)
        for (int64_t i = j; i < m->n && i - j <= 2; i++)
            set(m, i, j, gaussian(m));
    return 0;
}
static int one_huge(maker *m)
{
    dense(m);
    if (m->n > 0)
        set(m, m->n - 1, 0, 0.01 / m->eps);
    return 0;
}
static int zero_diagonal(maker *m)
{
    dense(m);
    for (int64_t i = 0; i < m->n; i++)
        set(m, i, i, 0);
    return 0;
}
static int imaginary_diagonal(maker *m)
{
    dense(m);
    for (int64_t i = 0; i < m->n && m->is_complex; i++)
        m->A[i * m->n + i] += I * (1e3 * normal(m));
    return 0;
}
static int arrow(maker *m)
{
    for (int64_t i = 0; i < m->n; i++) {
        set(m, i, i, (double)i);
        if (i > 0)
            set(m, i, 0, gaussian(m));
    }
    return 0;
}

/* How far from 1 a kind is scaled. */
enum range { UNIT, HUGE_, TINY, DENORMAL };

static const struct kind {
    const char *name;
    make *make;         /* or else: */
    spectrum *spectrum; /* in a random basis, */
    double power;       /* of condition eps^-power, */
    int signs;          /* with random signs if 1 */
    enum range range;
    int graded;
} kinds[] = {
    {"zero", .make = zero},
    {"identity", .make = identity},
    {"diagonal", .make = diagonal},
    {"gaussian", .make = dense},
    {"arith", .spectrum = arith, .power = 0.5},
    {"arith signs", .spectrum = arith, .power = 0.5, .signs = 1},
    {"geo 1/4", .spectrum = geo, .power = 0.25},
    {"geo", .spectrum = geo, .power = 0.5},
    {"geo signs", .spectrum = geo, .power = 0.5, .signs = 1},
    {"geo 1", .spectrum = geo, .power = 1},
    {"geo 1 signs", .spectrum = geo, .power = 1, .signs = 1},
    {"cluster0", .spectrum = cluster0, .power = 0.5},
    {"cluster0 1", .spectrum = cluster0, .power = 1},
    {"cluster0 signs", .spectrum = cluster0, .power = 0.5, .signs = 1},
    {"cluster1", .spectrum = cluster1, .power = 0.5},
    {"cluster1 signs", .spectrum = cluster1, .power = 0.5, .signs = 1},
    {"logrand", .spectrum = logrand, .power = 0.5},
    {"logrand 1 signs", .spectrum = logrand, .power = 1, .signs = 1},
    {"rand", .spectrum = uniform},
    {"rand signs", .spectrum = uniform, .signs = 1},
    {"repeated", .spectrum = three, .power = 0.25},
    {"near one", .spectrum = near_one},
    {"rand huge", .spectrum = uniform, .signs = 1, .range = HUGE_},
    {"geo huge", .spectrum = geo, .power = 0.5, .range = HUGE_},
    {"rand tiny", .spectrum = uniform, .signs = 1, .range = TINY},
    {"geo tiny", .spectrum = geo, .power = 0.5, .range = TINY},
    {"rand denormal", .spectrum = uniform, .signs = 1, .range = DENORMAL},
    {"ones", .make = ones},
    {"ones huge", .make = ones, .range = HUGE_},
    {"equal diagonal", .make = equal_diagonal},
    {"rank 1", .make = rank1},
    {"rank n/2", .make = rank_half},
    {"hilbert", .make = hilbert},
    {"graded", .make = graded, .graded = 1},
    {"graded up", .make = graded_up, .graded = 1},
    {"graded mixed", .make = graded_mixed, .graded = 1},
    {"graded far", .make = graded_far, .graded = 1},
    {"graded far, mixed", .make = graded_far_mixed, .graded = 1},
    {"opposite pairs", .make = opposite_pairs},
    {"wilkinson", .make = wilkinson},
    {"blocks", .make = blocks},
    {"banded", .make = banded},
    {"arrow", .make = arrow},
    {"one huge", .make = one_huge},
    {"zero diagonal", .make = zero_diagonal},
    {"imaginary diagonal", .make = imaginary_diagonal},
};

int orr_matgen_kinds(void) { return sizeof kinds / sizeof *kinds; }
const char *orr_matgen_name(int kind) { return kinds[kind].name; }
int orr_matgen_is_graded(int kind) { return kinds[kind].graded; }

static double range_factor(enum range range, orr_type type)
{
    static const double single[] = {1, 1e36, 1e-36, 1e-42}, wide[] = {1, 1e300, 1e-300, 1e-312};
    return (type == ORR_S || type == ORR_C ? single : wide)[range];
}

int orr_matgen(int kind, orr_type type, int64_t n, uint64_t seed, void *a, int64_t ld, double *w)
{
    const struct kind *k = &kinds[kind];
    maker m = {.n = n,
               .is_complex = type == ORR_C || type == ORR_Z,
               .eps = orr_type_eps(type),
               .state = seed * 1000003u + (uint64_t)kind * 7919u + (uint64_t)n};
    m.A = calloc((size_t)(n * n) + 1, sizeof *m.A);
    m.w = calloc((size_t)n + 1, sizeof *m.w);
    if (!m.A || !m.w)
        abort();
    int known = 1;
    if (k->make) {
        known = k->make(&m);
    } else {
        const double cond = pow(m.eps, -k->power);
        for (int64_t i = 0; i < n; i++) {
            m.w[i] = k->spectrum(&m, i, cond);
            if (k->signs && draw(&m.state) < 0.5)
                m.w[i] = -m.w[i];
            set(&m, i, i, m.w[i]);
        }
        similarity(&m);
    }
    const double factor = range_factor(k->range, type);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++)
            put(type, a, j * ld + i, m.A[j * n + i] * factor);
    if (known) {
        for (int64_t i = 0; i < n; i++)
            w[i] = m.w[i] * factor;
        qsort(w, (size_t)n, sizeof *w, by_value);
    }
    free(m.A);
    free(m.w);
    return known;
}
