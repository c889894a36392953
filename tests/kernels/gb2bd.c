/* The kernels of gb2bd, without StarPU.
 *
 *   values    singular values of the bidiagonal result (LAPACK bdsqr, double) against those of
 *             the band (LAPACK gesvd, double):  max |difference| / (n eps max value)  <= 20
 *   order     the tasks of every stage, each on two blocks of D rows that lie apart in memory
 *             between canaries, run in random orders that respect nothing but "two tasks that
 *             share a block or a carry keep their order": rows bit for bit those of the plain
 *             loop over sweeps, canaries untouched
 *   half      conversions of all 65536 halves, and rounding to nearest even
 *
 * Argument: "long" for many more orders.  SPDX-License-Identifier: BSD-3-Clause */
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/gb2bd_numbers.h"

/* The kernel's source, to reach its version for every instruction set. */
#include "level.h"
#include "kernels/cpu/gb2bd_chase.c"
#include "check.h"
#include "larger.h"
#include "random.h"
#undef lanes_level

void zgesvd_(const char *, const char *, const int *, const int *, double complex *, const int *,
             double *, double complex *, const int *, double complex *, const int *,
             double complex *, const int *, double *, int *);
void dbdsqr_(const char *, const int *, const int *, const int *, const int *, double *, double *,
             double *, const int *, double *, const int *, double *, const int *, double *, int *);

static const double LIMIT = 20;
static const char letter[] = "sdczh";

static int is_complex(orr_type t) { return t == ORR_C || t == ORR_Z; }

static uint64_t state = 88172645463325252u;
static uint64_t random_bits(void) { return next_bits(&state); }
static double uniform(void) { return next_signed(&state); }

static void *allocate(size_t bytes)
{
    void *p = aligned_alloc(64, bytes / 64 * 64 + 128);
    if (!p)
        exit(99);
    memset(p, 0, bytes / 64 * 64 + 128);
    return p;
}

/* 1: every third entry is so small that its square is zero. */
static int tiny;

static double random_entry(orr_type t)
{
    const double least = real_size[t] == 8 ? 1e-200 : 1e-25;
    return uniform() * (tiny && random_bits() % 3 == 0 ? least : 1);
}

/* A random m x n band in LAPACK's storage. */
static void *random_band(orr_type t, int64_t m, int64_t n, int64_t kl, int64_t ku)
{
    const int parts = 1 + is_complex(t);
    const int64_t ld = kl + ku + 1;
    char *ab = allocate((size_t)(ld * n * parts) * real_size[t]);
    for (int64_t j = 0; j < n; j++)
        for (int64_t r = 0; r < ld * parts; r++) {
            const int64_t i = j - ku + r / parts;
            put(t, ab, j * ld * parts + r, i < 0 || i >= m ? NAN : random_entry(t));
        }
    return ab;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static double *reference_values(orr_type t, const orr_gb2bd_source *a)
{
    const int m = (int)a->m, n = (int)a->n, least = m < n ? m : n, one = 1;
    const int lwork = 8 * (m + n) + 64;
    int info;
    double *s = allocate((size_t)(least + 1) * sizeof *s);
    /* OpenBLAS 0.3.21's zgemv reads a column beyond a matrix, here and in the workspace */
    double complex *z = allocate((size_t)(m * (n + 1) + 1) * sizeof *z), *work, none;
    double *rwork = allocate((size_t)(5 * least + 5) * sizeof *rwork);
    work = allocate((size_t)(lwork + m + n) * sizeof *work);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            if (i >= j - a->ku && i <= j + a->kl) {
                const int64_t at = j * a->ldab + a->ku + i - j;
                z[j * m + i] = is_complex(t) ? get(t, a->ab, 2 * at) + I * get(t, a->ab, 2 * at + 1)
                                             : get(t, a->ab, at);
            }
    if (least > 0)
        zgesvd_("N", "N", &m, &n, z, &m, s, &none, &one, &none, &one, work, &lwork, rwork, &info);
    free(z);
    free(work);
    free(rwork);
    return s;
}

/* Singular values of the bidiagonal, into d. */
static void bidiagonal_values(int n, double *d, double *e)
{
    const int zero = 0, one = 1;
    int info = 0;
    double none, *work = allocate((size_t)(4 * n + 4) * sizeof *work);
    if (n > 0)
        dbdsqr_("U", &n, &zero, &zero, &zero, d, e, &none, &one, &none, &one, &none, &one, work,
                &info);
    if (info)
        exit(98);
    qsort(d, (size_t)n, sizeof *d, descending);
    free(work);
}

static double worst[ORR_GB2BD_NTYPES];

/* Load, qr, all stages by the plain loop, store; compare. */
static void values(orr_type t, int64_t m, int64_t n, int64_t kl, int64_t ku, int64_t tw)
{
    void *ab = random_band(t, m, n, kl, ku);
    const orr_gb2bd_source src = {.ab = ab,
                                  .m = m,
                                  .n = n,
                                  .kl = kl,
                                  .ku = ku,
                                  .ldab = kl + ku + 1,
                                  .transposed = m < n,
                                  .scale = 0.5};
    const int64_t order = m < n ? m : n, low = m < n ? ku : kl, tall = m < n ? n : m;
    const int64_t rows = tall < order + low ? tall : order + low;
    int64_t b = kl + ku;
    const orr_gb2bd_screened seen = orr_gb2bd_screen_cpu[t](&src);
    CHECK(seen.row == -1 && seen.largest <= 1, "screen: row %lld", (long long)seen.row);

    const orr_gb2bd_band band = orr_gb2bd_layout(t, order, rows, low, b, tw);
    void *block = allocate((size_t)(rows * band.ld) * real_size[t]);
    void *carry = allocate((size_t)orr_gb2bd_carry(t, tw) * 8 * (size_t)(order + 1));
    orr_gb2bd_load_cpu[t](&band, &src, 0, rows, block);
    orr_gb2bd_args g = {.band = band,
                        .count = rows,
                        .b = low,
                        .tw = b - low,
                        .sweeps = order,
                        .from = -1,
                        .to = INT64_MAX / 2};
    if (low > 0)
        orr_gb2bd_qr_cpu[t](&g, block, NULL, NULL);
    for (; b > 1; b -= g.tw) {
        g.b = b;
        g.tw = tw < b - 1 ? tw : b - 1;
        g.sweeps = order - 1 - (b - g.tw) > 0 ? order - 1 - (b - g.tw) : 0;
        orr_gb2bd_chase_cpu[t](&g, block, NULL, carry);
    }
    /* nothing but d and e is left */
    int64_t left = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t at = 0; at < band.ld - 1; at++) {
            const int64_t off = at % band.plane - band.low;
            left += !(off == 0 || off == 1) && get(t, block, i * band.ld + at) != 0;
        }
    CHECK(left == 0, "%c %lldx%lld kl %lld ku %lld tw %lld: %lld entries off the bidiagonal",
          letter[t], (long long)m, (long long)n, (long long)kl, (long long)ku, (long long)tw,
          (long long)left);

    void *d = allocate((size_t)(order + 1) * 8), *e = allocate((size_t)(order + 1) * 8);
    double *dd = allocate((size_t)(order + 1) * 8), *ee = allocate((size_t)(order + 1) * 8);
    orr_gb2bd_store_cpu[t](&band, 0.5, 0, 0, rows, block, d, e);
    const orr_type result = t == ORR_H ? ORR_S : t == ORR_C ? ORR_S : t == ORR_Z ? ORR_D : t;
    for (int64_t i = 0; i < order; i++) {
        dd[i] = get(result, d, i);
        ee[i] = get(result, e, i);
    }
    bidiagonal_values((int)order, dd, ee);
    double *ref = reference_values(t, &src), error = 0;
    for (int64_t i = 0; i < order; i++) {
        const double x = fabs(dd[i] - ref[i]) / ((double)order * epsilon[t] * ref[0]);
        error = larger(error, x);
    }
    CHECK(error <= LIMIT, "%c %lldx%lld kl %lld ku %lld tw %lld: values %g", letter[t],
          (long long)m, (long long)n, (long long)kl, (long long)ku, (long long)tw, error);
    if (!(error <= worst[t]))
        worst[t] = error;
    free(ab);
    free(block);
    free(carry);
    free(d);
    free(e);
    free(dd);
    free(ee);
    free(ref);
}

/* ---- Order of tasks ------------------------------------------------------------------ */

enum { CANARY = 32 }; /* reals around each block */

struct task {
    orr_gb2bd_args g;
    int64_t m, carry;
    int waits, done;
};

struct graph {
    struct task *task;
    int64_t tasks, room;
};

static void add(struct graph *w, struct task t)
{
    if (w->tasks == w->room) {
        w->room = w->room ? 2 * w->room : 256;
        w->task = realloc(w->task, (size_t)w->room * sizeof *w->task);
        if (!w->task)
            exit(99);
    }
    w->task[w->tasks++] = t;
}

static int conflict(const struct task *a, const struct task *b)
{
    return llabs((long long)(a->m - b->m)) <= 1 || a->carry == b->carry;
}

static void order_of_tasks(orr_type t, int64_t n, int64_t b, int64_t tw, int64_t G, int64_t D,
                           int64_t carries)
{
    const size_t size = real_size[t], wide = t == ORR_H ? 4 : size;
    void *ab = random_band(t, n, n, 0, b);
    const orr_gb2bd_source src = {.ab = ab, .m = n, .n = n, .ku = b, .ldab = b + 1, .scale = 1};
    const orr_gb2bd_band band = orr_gb2bd_layout(t, n, n, 0, b, tw);
    const int64_t blocks = (n + D - 1) / D, each = D * band.ld;

    /* the plain loop; in half precision that is the tasks in order, as each one rounds */
    char *plain = allocate((size_t)(blocks * each) * size);
    char *carry = allocate((size_t)(orr_gb2bd_carry(t, tw) * n) * wide);
    orr_gb2bd_load_cpu[t](&band, &src, 0, blocks * D, plain);
    char **block = allocate((size_t)blocks * sizeof *block);
    for (int64_t k = 0; k < blocks; k++) {
        block[k] = allocate((size_t)(each + 2 * CANARY) * size);
        memset(block[k], 0x7a, (size_t)(each + 2 * CANARY) * size);
        block[k] += CANARY * size;
        memcpy(block[k], plain + (size_t)(k * each) * size, (size_t)each * size);
    }
    char **ring = allocate((size_t)carries * sizeof *ring);
    for (int64_t k = 0; k < carries; k++)
        ring[k] = allocate((size_t)(orr_gb2bd_carry(t, tw) * G) * wide);

    struct graph w = {0};
    for (int64_t bk = b, twk; bk > 1; bk -= twk) {
        twk = tw < bk - 1 ? tw : bk - 1;
        const int64_t sweeps = n - 1 - (bk - twk);
        orr_gb2bd_args g = {.band = band,
                            .count = blocks * D,
                            .b = bk,
                            .tw = twk,
                            .sweeps = sweeps > 0 ? sweeps : 0,
                            .from = -1,
                            .to = INT64_MAX / 2};
        if (t != ORR_H)
            orr_gb2bd_chase_cpu[t](&g, plain, NULL, carry);
        for (int64_t s0 = 0, group = 0; s0 < sweeps; s0 += G, group++)
            for (int64_t m = s0 / D; m < blocks; m++) {
                g.count = D;
                g.first = m ? (m - 1) * D : 0;
                g.sweep = s0;
                g.sweeps = sweeps - s0 < G ? sweeps - s0 : G;
                g.from = m * D - 1;
                g.to = m == blocks - 1 ? INT64_MAX / 2 : (m + 1) * D - 1;
                add(&w, (struct task){.g = g, .m = m, .carry = group % carries});
            }
    }
    if (t == ORR_H)
        for (int64_t k = 0; k < w.tasks; k++)
            orr_gb2bd_chase_cpu[t](
                &w.task[k].g, plain + (size_t)(w.task[k].g.first * band.ld) * size,
                w.task[k].m ? plain + (size_t)(w.task[k].m * each) * size : NULL,
                carry + (size_t)w.task[k].g.sweep * (size_t)orr_gb2bd_carry(t, tw) * wide);

    /* a task is ready when no unfinished earlier one conflicts */
    for (int64_t k = 0; k < w.tasks; k++)
        for (int64_t p = 0; p < k; p++)
            w.task[k].waits += conflict(&w.task[p], &w.task[k]);
    for (int64_t left = w.tasks; left > 0; left--) {
        int64_t pick = -1, seen = 0;
        for (int64_t k = 0; k < w.tasks; k++)
            if (!w.task[k].done && w.task[k].waits == 0 && random_bits() % (uint64_t)++seen == 0)
                pick = k;
        struct task *x = &w.task[pick];
        orr_gb2bd_chase_cpu[t](&x->g, block[x->m ? x->m - 1 : 0], x->m ? block[x->m] : NULL,
                               ring[x->carry]);
        x->done = 1;
        for (int64_t k = pick + 1; k < w.tasks; k++)
            w.task[k].waits -= conflict(x, &w.task[k]);
    }

    int64_t differ = 0, canaries = 0;
    for (int64_t k = 0; k < blocks; k++) {
        differ += memcmp(block[k], plain + (size_t)(k * each) * size, (size_t)each * size) != 0;
        for (size_t i = 0; i < CANARY * size; i++) {
            canaries += block[k][-1 - (long)i] != 0x7a;
            canaries += block[k][(size_t)each * size + i] != 0x7a;
        }
        free(block[k] - CANARY * size);
    }
    CHECK(differ == 0 && canaries == 0,
          "%c n %lld b %lld tw %lld G %lld D %lld: %lld blocks differ, %lld canaries", letter[t],
          (long long)n, (long long)b, (long long)tw, (long long)G, (long long)D, (long long)differ,
          (long long)canaries);
    for (int64_t k = 0; k < carries; k++)
        free(ring[k]);
    free(ring);
    free(block);
    free(w.task);
    free(plain);
    free(carry);
    free(ab);
}

static void half_conversions(void)
{
    int64_t wrong = 0;
    uint16_t back[8], in[8];
    float f[8];
    for (uint32_t h = 0; h < 65536; h++) {
        const int nan = (h & 0x7c00) == 0x7c00 && (h & 0x3ff);
        for (int k = 0; k < 8; k++)
            in[k] = (uint16_t)h;
        orr_half_widen(8, in, f);
        orr_half_round(8, f, back);
        const float one = orr_half_to_float((uint16_t)h);
        wrong += nan ? !isnan(one) || !isnan(f[3])
                     : one != f[3] || orr_float_to_half(one) != h || back[3] != h;
    }
    /* between two halves: to the nearer, in the middle to the even one */
    for (uint32_t h = 0; h < 0x7bff; h++) {
        const float x = orr_half_to_float((uint16_t)h), y = orr_half_to_float((uint16_t)(h + 1));
        const float mid = x + (y - x) / 2;
        wrong += orr_float_to_half(mid) != (h & 1 ? h + 1 : h);
        wrong += orr_float_to_half(nextafterf(mid, 0)) != h;
        wrong += orr_float_to_half(nextafterf(mid, y)) != h + 1;
    }
    wrong += orr_float_to_half(65520) != 0x7c00 || orr_float_to_half(65519) != 0x7bff;
    CHECK(wrong == 0, "%lld conversions of half precision are wrong", (long long)wrong);
}

static void one_type(orr_type t, int orders)
{
    static const int64_t ns[] = {0, 1, 2, 3, 4, 7, 33, 64, 101};
    static const int64_t bs[] = {0, 1, 2, 3, 5, 8, 31, 32, 33, 100};
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++)
        for (size_t j = 0; j < sizeof bs / sizeof *bs; j++)
            for (int64_t tw = 1; tw <= bs[j] || tw == 1; tw = 2 * tw + 1)
                values(t, ns[i], ns[i], 0, bs[j], tw);
    for (int64_t kl = 0; kl <= 9; kl += 3)
        for (int64_t ku = 0; ku <= 6; ku += 2)
            for (int64_t dn = -9; dn <= 12; dn += 7) {
                values(t, 40, 40 + dn, kl, ku, 3);
                values(t, 5, 5 + dn > 0 ? 5 + dn : 0, kl, ku, 5);
            }
    for (tiny = 1; tiny >= 0; tiny--)
        for (int64_t n = 5; n < 70; n += 16)
            values(t, n, n, n % 3, 6, 3);
    tiny = 0;
    for (int k = 0; k < orders; k++)
        for (int64_t b = 2; b <= 40; b += b < 8 ? 1 : 11)
            for (int64_t tw = 1; tw < b; tw = 2 * tw + 1)
                for (int64_t G = 1; G <= 5; G += 2) {
                    const int64_t D = G * (b - 1) + (int64_t)(random_bits() % 4);
                    order_of_tasks(t, 3 + (int64_t)(random_bits() % 150), b, tw, G, D,
                                   1 + (int64_t)(random_bits() % 6));
                }
}

int main(int argc, char **argv)
{
    const int orders = argc > 1 && !strcmp(argv[1], "long") ? 20 : 1;
    static const int levels[] = {0, 3, 4};
    half_conversions();
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
        level = levels[k];
        if (forced_level() != level) {
            printf("instruction set v%d: not on this processor\n", level);
            continue;
        }
        for (int t = 0; t < ORR_GB2BD_NTYPES; t++) {
            worst[t] = 0;
            one_type((orr_type)t, orders);
            printf("v%d %c: values %.3g (limit %g)\n", level, letter[t], worst[t], LIMIT);
            fflush(stdout);
        }
    }
    return checked();
}
