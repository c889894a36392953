/* See svdgen.h. SPDX-License-Identifier: BSD-3-Clause */
#include "svdgen.h"
#include "larger.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate(int64_t count, size_t size)
{
    void *p = calloc((size_t)count + 1, size);
    if (!p) {
        fprintf(stderr, "out of memory in a test\n");
        exit(99);
    }
    return p;
}

static int is_single(orr_type t) { return t == ORR_S || t == ORR_C; }
double svdgen_eps(orr_type t) { return is_single(t) ? (double)FLT_EPSILON : DBL_EPSILON; }
int svdgen_size(orr_type t) { return t == ORR_S ? 4 : t == ORR_Z ? 16 : 8; }
orr_type svdgen_real(orr_type t) { return is_single(t) ? ORR_S : ORR_D; }

/* ---- Kinds -------------------------------------------------------------------------------- */

struct job {
    orr_type t;
    int64_t m, n;
    uint64_t state;
    double complex *a; /* m x n */
};

static double complex number(struct job *j)
{
    double re = next_uniform(&j->state);
    return is_complex(j->t) ? re + I * next_uniform(&j->state) : re;
}

static int64_t least(const struct job *j) { return j->m < j->n ? j->m : j->n; }

static void fill_random(struct job *j)
{
    for (int64_t i = 0; i < j->m * j->n; i++)
        j->a[i] = number(j);
}

/* x := (I - 2 v v'/v'v) x for every column, or row. */
static void reflect_rows(struct job *j)
{
    double complex *v = allocate(j->m, sizeof *v);
    double length = 0;
    for (int64_t i = 0; i < j->m; i++) {
        v[i] = number(j);
        length += creal(v[i] * conj(v[i]));
    }
    for (int64_t c = 0; c < j->n && length > 0; c++) {
        double complex dot = 0;
        for (int64_t i = 0; i < j->m; i++)
            dot += conj(v[i]) * j->a[c * j->m + i];
        for (int64_t i = 0; i < j->m; i++)
            j->a[c * j->m + i] -= 2 * dot / length * v[i];
    }
    free(v);
}

static void reflect_columns(struct job *j)
{
    double complex *v = allocate(j->n, sizeof *v);
    double length = 0;
    for (int64_t i = 0; i < j->n; i++) {
        v[i] = number(j);
        length += creal(v[i] * conj(v[i]));
    }
    for (int64_t r = 0; r < j->m && length > 0; r++) {
        double complex dot = 0;
        for (int64_t c = 0; c < j->n; c++)
            dot += j->a[c * j->m + r] * v[c];
        for (int64_t c = 0; c < j->n; c++)
            j->a[c * j->m + r] -= 2 * dot / length * conj(v[c]);
    }
    free(v);
}

/* A diagonal of given numbers, mixed by unitary transformations. */
static void mix(struct job *j, double (*value)(double place))
{
    for (int64_t i = 0; i < least(j); i++)
        j->a[i * j->m + i] = value(least(j) > 1 ? (double)i / (double)(least(j) - 1) : 0);
    for (int k = 0; k < 4; k++) {
        reflect_rows(j);
        reflect_columns(j);
    }
}

static double geometric(double x) { return pow(10, -14 * x); }
static double arithmetic(double x) { return 1 - 0.999 * x; }
static double cluster_low(double x) { return x == 0 ? 1 : 1e-10; }
static double cluster_high(double x) { return x == 1 ? 1e-10 : 1 + 1e-9 * x; }
static double half(double x) { return x < 0.5 ? 1 - x : 0; }
static double ones_only(double x) { return 1 + 0 * x; }

static void zero(struct job *j) { (void)j; }
static void identity(struct job *j)
{
    for (int64_t i = 0; i < least(j); i++)
        j->a[i * j->m + i] = 1;
}
static void all_ones(struct job *j)
{
    for (int64_t i = 0; i < j->m * j->n; i++)
        j->a[i] = 1;
}
static void equal_norms(struct job *j) /* sign(0) = 0 never rotates these */
{
    for (int64_t c = 0; c < j->n; c++)
        for (int64_t r = 0; r < j->m; r++)
            j->a[c * j->m + r] = r == c ? 1 : 0.5;
}
static void rank_one(struct job *j)
{
    fill_random(j);
    for (int64_t c = 1; c < j->n; c++)
        for (int64_t r = 0; r < j->m; r++)
            j->a[c * j->m + r] = j->a[r] * (double)(c % 5 - 2);
}
static void repeated_columns(struct job *j)
{
    fill_random(j);
    for (int64_t c = (j->n + 1) / 2; c < j->n; c++)
        memcpy(j->a + c * j->m, j->a + (c - (j->n + 1) / 2) * j->m, sizeof *j->a * (size_t)j->m);
}
static void zero_columns(struct job *j)
{
    fill_random(j);
    for (int64_t c = 0; c < j->n; c += 3)
        memset(j->a + c * j->m, 0, sizeof *j->a * (size_t)j->m);
}
static void rank_half(struct job *j) { mix(j, half); }
static void geometric_14(struct job *j) { mix(j, geometric); }
static void evenly(struct job *j) { mix(j, arithmetic); }
static void clustered_low(struct job *j) { mix(j, cluster_low); }
static void clustered_high(struct job *j) { mix(j, cluster_high); }
static void unitary(struct job *j) { mix(j, ones_only); }
static double grade(int64_t i, int64_t n)
{
    return n > 1 ? pow(10, -12.0 * (double)((i * 7) % n) / (double)(n - 1)) : 1;
}
static void graded_columns(struct job *j)
{
    fill_random(j);
    for (int64_t c = 0; c < j->n; c++)
        for (int64_t r = 0; r < j->m; r++)
            j->a[c * j->m + r] *= grade(c, j->n);
}
static void graded_rows(struct job *j)
{
    fill_random(j);
    for (int64_t c = 0; c < j->n; c++)
        for (int64_t r = 0; r < j->m; r++)
            j->a[c * j->m + r] *= grade(r, j->m);
}
static void graded_both(struct job *j)
{
    graded_columns(j);
    for (int64_t c = 0; c < j->n; c++)
        for (int64_t r = 0; r < j->m; r++)
            j->a[c * j->m + r] *= sqrt(grade(r, j->m));
}
static void kahan(struct job *j)
{
    double s = sin(1.2), power = 1;
    for (int64_t r = 0; r < least(j); r++, power *= s)
        for (int64_t c = r; c < j->n; c++)
            j->a[c * j->m + r] = c == r ? power : -power * cos(1.2);
}
static void hilbert(struct job *j)
{
    for (int64_t c = 0; c < j->n; c++)
        for (int64_t r = 0; r < j->m; r++)
            j->a[c * j->m + r] = 1.0 / (double)(r + c + 1);
}
static void scaled(struct job *j, double single, double twice)
{
    fill_random(j);
    for (int64_t i = 0; i < j->m * j->n; i++)
        j->a[i] *= is_single(j->t) ? single : twice;
}
static void huge_numbers(struct job *j) { scaled(j, 1e36, 1e300); }
static void tiny_numbers(struct job *j) { scaled(j, 1e-36, 1e-300); }
static void denormals(struct job *j) { scaled(j, 1e-41, 1e-311); }

static const struct {
    const char *name;
    void (*fill)(struct job *);
} kinds[] = {
    {"random", fill_random},
    {"zero", zero},
    {"identity", identity},
    {"all ones", all_ones},
    {"equal norms", equal_norms},
    {"rank one", rank_one},
    {"rank half", rank_half},
    {"repeated columns", repeated_columns},
    {"zero columns", zero_columns},
    {"geometric 1e14", geometric_14},
    {"arithmetic", evenly},
    {"clustered low", clustered_low},
    {"clustered high", clustered_high},
    {"unitary", unitary},
    {"graded columns", graded_columns},
    {"graded rows", graded_rows},
    {"graded both", graded_both},
    {"Kahan", kahan},
    {"Hilbert", hilbert},
    {"huge", huge_numbers},
    {"tiny", tiny_numbers},
    {"denormals", denormals},
};

int svdgen_kinds(void) { return (int)(sizeof kinds / sizeof *kinds); }
const char *svdgen_name(int kind) { return kinds[kind].name; }
int svdgen_find(const char *name)
{
    for (int k = 0; k < svdgen_kinds(); k++)
        if (!strcmp(kinds[k].name, name))
            return k;
    return -1;
}

void svdgen(int kind, orr_type t, int64_t m, int64_t n, uint64_t seed, void *a, int64_t ld)
{
    struct job j = {t, m, n, seed * 0x9E3779B97F4A7C15ull + 12345, allocate(m * n, sizeof *j.a)};
    kinds[kind].fill(&j);
    for (int64_t c = 0; c < n; c++)
        for (int64_t r = 0; r < m; r++)
            put(t, a, c * ld + r, j.a[c * m + r]);
    free(j.a);
}

/* ---- Judgement ---------------------------------------------------------------------------- */

/* |I - Q'Q|_1 */
static double departure(orr_type t, int64_t rows, int64_t k, const void *q, int64_t ld)
{
    double complex *x = allocate(rows * k, sizeof *x);
    double *sums = allocate(k, sizeof *sums), worst = 0;
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < rows; i++)
            x[j * rows + i] = get(t, q, j * ld + i);
    for (int64_t i = 0; i < k; i++)
        for (int64_t j = 0; j <= i; j++) {
            double re = i == j ? -1 : 0, im = 0;
            for (int64_t r = 0; r < rows; r++) {
                double complex p = conj(x[j * rows + r]) * x[i * rows + r];
                re += creal(p);
                im += cimag(p);
            }
            sums[i] += hypot(re, im);
            sums[j] += i == j ? 0 : hypot(re, im);
        }
    for (int64_t j = 0; j < k; j++)
        worst = larger(worst, sums[j]);
    free(x);
    free(sums);
    return worst;
}

struct svd_ratios svd_judge(orr_type t, int64_t m, int64_t n, const void *a, int64_t ld,
                            const void *s, const void *u, int64_t ldu, const void *v, int64_t ldv)
{
    const int64_t k = m < n ? m : n, most = m > n ? m : n;
    const double eps = svdgen_eps(t), least_step = is_single(t) ? 0x1p-149 : 0x1p-1074;
    struct svd_ratios r = {.sorted = 1};
    double norm = 0, worst = 0;
    double complex *x = allocate(m, sizeof *x), *us = allocate(m * k, sizeof *us);
    for (int64_t l = 0; l < k; l++) {
        double value = creal(get(svdgen_real(t), s, l));
        double before = l ? creal(get(svdgen_real(t), s, l - 1)) : INFINITY;
        r.sorted &= value >= 0 && value <= before;
        for (int64_t i = 0; i < m; i++)
            us[l * m + i] = get(t, u, l * ldu + i) * value;
    }
    for (int64_t j = 0; j < n; j++) {
        double column = 0, wrong = 0;
        for (int64_t i = 0; i < m; i++) {
            x[i] = get(t, a, j * ld + i);
            column += cabs(x[i]);
        }
        for (int64_t l = 0; l < k; l++) {
            double complex y = conj(get(t, v, l * ldv + j));
            for (int64_t i = 0; i < m; i++)
                x[i] -= us[l * m + i] * y;
        }
        for (int64_t i = 0; i < m; i++)
            wrong += cabs(x[i]);
        norm = column > norm ? column : norm;
        worst = larger(worst, wrong);
    }
    double unit = norm * (double)most * eps + (double)m * (double)k * least_step;
    r.residual = worst == 0 ? 0 : worst / unit;
    r.left = k ? departure(t, m, k, u, ldu) / ((double)m * eps) : 0;
    r.right = k ? departure(t, n, k, v, ldv) / ((double)n * eps) : 0;
    free(x);
    free(us);
    return r;
}

static int descending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

void svd_reference(orr_type t, int64_t m, int64_t n, const void *a, int64_t ld, double *s)
{
    /* the shorter side's vectors, of length `rows` */
    const int64_t k = m < n ? m : n, rows = m < n ? n : m;
    long double complex *x = allocate(rows * k, sizeof *x);
    for (int64_t j = 0; j < k; j++)
        for (int64_t i = 0; i < rows; i++)
            x[j * rows + i] = m < n ? conj(get(t, a, i * ld + j)) : get(t, a, j * ld + i);
    for (int sweep = 0, rotated = 1; sweep < 60 && rotated; sweep++) {
        rotated = 0;
        for (int64_t p = 0; p < k; p++)
            for (int64_t q = p + 1; q < k; q++) {
                long double complex *xp = x + p * rows, *xq = x + q * rows, apq = 0;
                long double app = 0, aqq = 0;
                for (int64_t i = 0; i < rows; i++) {
                    app += creall(xp[i] * conjl(xp[i]));
                    aqq += creall(xq[i] * conjl(xq[i]));
                    apq += conjl(xp[i]) * xq[i];
                }
                long double r = cabsl(apq);
                if (!(r > 1e-19L * sqrtl(app) * sqrtl(aqq)))
                    continue;
                rotated = 1;
                long double complex w = apq / r;
                long double h = (aqq - app) / (2 * r);
                long double tan = (h >= 0 ? 1 : -1) / (fabsl(h) + sqrtl(1 + h * h));
                long double c = 1 / sqrtl(1 + tan * tan), sine = tan * c;
                for (int64_t i = 0; i < rows; i++) {
                    long double complex y = conjl(w) * xq[i], z = xp[i];
                    xp[i] = c * z - sine * y;
                    xq[i] = sine * z + c * y;
                }
            }
    }
    for (int64_t j = 0; j < k; j++) {
        long double sum = 0;
        for (int64_t i = 0; i < rows; i++)
            sum += creall(x[j * rows + i] * conjl(x[j * rows + i]));
        s[j] = (double)sqrtl(sum);
    }
    qsort(s, (size_t)k, sizeof *s, descending);
    free(x);
}
