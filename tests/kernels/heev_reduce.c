/* The shared reduction of heev, for every instruction set of this machine: random Hermitian matrices,
 * either triangle (the other one is NaN), by one thread and by several that come when they come.
 *
 *   residual       |A - Q T Q'|_F / (n eps |A|_F)   <= 20    Q by `back`, on a unit matrix
 *   orthogonality  |Q'Q - I|_F / (n eps)            <= 20
 *   bits           the same d, e and reflectors whoever came
 *   outside        nothing behind d, e and the memory is written
 *
 * SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's source, to reach its version for every instruction set. */
#include "level.h"
#include "kernels/cpu/heev_reduce.c"
#undef lanes_level

#include <pthread.h>
#include <stdio.h>

#include "canary.h"
#include "check.h"
#include "numbers.h"

static const double LIMIT = 20;
static const size_t bytes_of[ORR_NTYPES] = {4, 8, 8, 16};

static double eps_of(orr_type t) { return t == ORR_S || t == ORR_C ? FLT_EPSILON : DBL_EPSILON; }

/* The named triangle of a random matrix; the other one is NaN. full: all of it times 4. */
static char *make(orr_type t, int upper, int64_t n, int64_t lda, double complex *full)
{
    char *a = allocate((size_t)(lda * n) * bytes_of[t]);
    uint64_t state = 99 + (uint64_t)n;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i <= j; i++) {
            const double re = next_uniform(&state), im = next_uniform(&state);
            const double complex x = t >= ORR_C && i < j ? re + I * im : re;
            put(t, a, i + j * lda, upper || i == j ? x : NAN);
            put(t, a, j + i * lda, upper && i < j ? NAN : conj(x));
            const double complex read = get(t, a, upper ? i + j * lda : j + i * lda);
            full[i + j * n] = 4 * (upper ? read : conj(read));
            full[j + i * n] = conj(full[i + j * n]);
        }
    return a;
}

static void *member(void *g)
{
    orr_heev_reduce_cpu[((orr_heev_reduction *)g)->type](g);
    return NULL;
}

/* members: of which `threads` come, this one among them. */
static void reduce(orr_heev_reduction *g, int threads)
{
    pthread_t thread[ORR_HEEV_TEAM];
    int made = 0;
    while (made + 1 < threads && !pthread_create(&thread[made], NULL, member, g))
        made++;
    member(g);
    for (int i = 0; i < made; i++)
        pthread_join(thread[i], NULL);
    orr_heev_rest_cpu[g->type](g);
}

static double norm(int64_t count, const double complex *x)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += creal(x[i] * conj(x[i]));
    return sqrt(sum);
}

static void multiply(const char *tb, int64_t n, const double complex *a, const double complex *b,
                     double complex beta, double complex *c)
{
    const double complex minus = -1;
    const int32_t n_ = (int32_t)n;
    zgemm_("N", tb, &n_, &n_, &n_, &minus, a, &n_, b, &n_, &beta, c, &n_);
}

/* Q by `back` in two pieces; *residual and *orthogonality as above. full is lost. */
static void measure(const orr_heev_reduction *g, double complex *full, double *residual,
                    double *orthogonality)
{
    const orr_type t = g->type, real = t == ORR_S || t == ORR_C ? ORR_S : ORR_D;
    const int64_t n = g->n, k = n / 2;
    char *e = calloc((size_t)(n * n), bytes_of[t]);
    double complex *q = calloc((size_t)(n * n), sizeof *q),
                   *qt = calloc((size_t)(n * n), sizeof *q);
    for (int64_t i = 0; i < n; i++)
        put(t, e, i * (n + 1), 1);
    CHECK(orr_heev_back_cpu(g, k, e, n) == ORR_OK, "back");
    CHECK(orr_heev_back_cpu(g, n - k, e + (size_t)(k * n) * bytes_of[t], n) == ORR_OK, "back");
    for (int64_t i = 0; i < n * n; i++)
        q[i] = get(t, e, i);
    for (int64_t j = 0; j < n; j++) { /* Q T */
        const double d = creal(get(real, g->d, j));
        const double before = j > 0 ? creal(get(real, g->e, j - 1)) : 0;
        const double after = j + 1 < n ? creal(get(real, g->e, j)) : 0;
        for (int64_t i = 0; i < n; i++)
            qt[i + j * n] = d * q[i + j * n] + (j > 0 ? before * q[i + (j - 1) * n] : 0) +
                            (j + 1 < n ? after * q[i + (j + 1) * n] : 0);
    }
    const double size = norm(n * n, full), unit = (double)n * eps_of(t);
    multiply("C", n, qt, q, 1, full);
    *residual = norm(n * n, full) / (size > 0 ? size : 1) / unit;
    memset(qt, 0, (size_t)(n * n) * sizeof *qt);
    for (int64_t i = 0; i < n; i++)
        qt[i * (n + 1)] = 1;
    multiply("C", n, q, q, 1, qt);
    *orthogonality = norm(n * n, qt) / unit;
    free(e), free(q), free(qt);
}

static void one(orr_type t, int upper, int64_t n, double worst[2])
{
    const int64_t lda = n + 2;
    const size_t real = t == ORR_S || t == ORR_C ? 4 : 8, bytes = orr_heev_reduction_bytes(t, n);
    double complex *full = calloc((size_t)(n * n), sizeof *full);
    char *a = make(t, upper, n, lda, full), *first = NULL;
    const size_t result = (size_t)(2 * n - 1) * real, square = (size_t)(n * n) * bytes_of[t];
    static const int team[][2] = {{1, 1}, {4, 1}, {3, 3}};
    for (size_t k = 0; k < sizeof team / sizeof *team; k++) {
        char *d = allocate((size_t)n * real), *e = allocate((size_t)(n - 1) * real);
        char *memory = allocate(bytes), *got = malloc(result + square);
        orr_heev_reduction g = {.type = t,
                                .upper = upper,
                                .members = team[k][0],
                                .n = n,
                                .lda = lda,
                                .scale = 4,
                                .a = a,
                                .d = d,
                                .e = e};
        orr_heev_reduction_set(&g, memory);
        reduce(&g, team[k][1]);
        CHECK(untouched(d + (size_t)n * real, PAST) &&
                  untouched(e + (size_t)(n - 1) * real, PAST) && untouched(memory + bytes, PAST),
              "type %d n %lld: written outside", t, (long long)n);
        memcpy(got, d, (size_t)n * real);
        memcpy(got + (size_t)n * real, e, (size_t)(n - 1) * real);
        memset(got + result, 0, square);
        for (int64_t j = 0; j < n; j++) /* above the diagonal nothing is said */
            memcpy(got + result + (size_t)(j * (n + 1)) * bytes_of[t],
                   (char *)g.b + (size_t)(j * (n + 1)) * bytes_of[t],
                   (size_t)(n - j) * bytes_of[t]);
        CHECK(!first || !memcmp(first, got, result + square),
              "type %d n %lld: %d of %d came: other bits", t, (long long)n, team[k][1], team[k][0]);
        if (!first) {
            double residual, orthogonality;
            measure(&g, full, &residual, &orthogonality);
            CHECK(residual <= LIMIT && orthogonality <= LIMIT,
                  "type %d %c n %lld: residual %g, orthogonality %g", t, upper ? 'U' : 'L',
                  (long long)n, residual, orthogonality);
            worst[0] = fmax(worst[0], residual);
            worst[1] = fmax(worst[1], orthogonality);
            first = got;
        } else {
            free(got);
        }
        free(d), free(e), free(memory);
    }
    free(first), free(full), free(a);
}

static int asked;
static int third_time(const void *whose)
{
    CHECK(whose == &asked, "whose");
    return ++asked >= 3;
}

/* Told to stop, both leave the rest as it is. */
static void stops(orr_type t)
{
    const int64_t n = 801;
    const orr_type real = t == ORR_S || t == ORR_C ? ORR_S : ORR_D;
    double complex *full = calloc((size_t)(n * n), sizeof *full);
    char *a = make(t, 0, n, n, full), *memory = allocate(orr_heev_reduction_bytes(t, n));
    char *d = allocate((size_t)n * bytes_of[real]), *e = allocate((size_t)n * bytes_of[real]);
    char *E = calloc((size_t)n, bytes_of[t]);
    for (int64_t i = 0; i < n; i++)
        put(real, d, i, 99);
    orr_heev_reduction g = {.type = t,
                            .members = 1,
                            .n = n,
                            .lda = n,
                            .scale = 1,
                            .a = a,
                            .d = d,
                            .e = e,
                            .stopped = third_time,
                            .whose = &asked};
    orr_heev_reduction_set(&g, memory);
    asked = 0;
    orr_heev_reduce_cpu[t](&g);
    int64_t made = 0;
    while (made < n && creal(get(real, d, made)) != 99)
        made++;
    CHECK(asked == 3 && made == 2 * PANEL, "type %d: asked %d times, %lld columns", t, asked,
          (long long)made);
    memset(memory, 0, orr_heev_reduction_bytes(t, n)); /* no reflectors at all */
    asked = 0;
    CHECK(orr_heev_back_cpu(&g, 1, E, n) == ORR_OK && asked == 3, "type %d: back, asked %d", t,
          asked);
    free(full), free(a), free(memory), free(d), free(e), free(E);
}

int main(void)
{
    static const int levels[] = {4, 3, 0};
    static const int64_t n[] = {801, 1, 2, 3, 24, 25, 26, 33, 128, 160, 161, 185, 257};
    int seen = 0; /* instruction sets */
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
        level = levels[k];
        if (forced_level() != level) {
            printf("instruction set v%d: not on this processor\n", level);
            continue;
        }
        for (int t = 0; t < ORR_NTYPES; t++) {
            double worst[2] = {0};
            for (size_t i = seen || t != ORR_D; i < sizeof n / sizeof *n; i++)
                one((orr_type)t, (int)(i + (size_t)t) % 2, n[i], worst);
            if (!seen)
                stops((orr_type)t);
            printf("v%d %c: residual %.3g, orthogonality %.3g (limit %g)\n", level, "sdcz"[t],
                   worst[0], worst[1], LIMIT);
        }
        seen = 1;
    }
    return checked();
}
