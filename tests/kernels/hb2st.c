/* The CPU kernels behind hb2st against their contracts in kernels/hb2st*.h, every task T(g,m)
 * called by hand, for every instruction set that this machine has.
 *
 *   window      nothing outside blocks m-1 and m, the carry and the reflectors is touched,
 *               zeros between columns stay zeros, T is exactly tridiagonal (and real)
 *   alignment   blocks at odd addresses, other D and G: the same d and e, bit for bit
 *   late        the same where hops leave updates to the next sweep, whatever b; a tail's sweeps that
 *               begin anew differ from none in no bit
 *   residual    |A Q - Q T|_F / (n eps |A|_F), Q by hb2st_apply of the unit matrix  <= 10
 *   Q           |Q'Q - I|_F / (n eps)                                                <= 10
 *   adjoint     |Q' E - conj(Q)^T E|_F / (n eps |E|_F)                               <= 10
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "kernels/cpu/hb2st_chase.c"

#include <stdio.h>

#include "kernels/hb2st_apply.h"
#include "kernels/hb2st_io.h"
#include "check.h"
#include "numbers.h"

static const double LIMIT = 10;
static const size_t bytes_of[ORR_NTYPES] = {4, 8, 8, 16};
static double eps_of(orr_type t) { return t == ORR_S || t == ORR_C ? FLT_EPSILON : DBL_EPSILON; }

static void *allocate(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 191) / 64 * 64);
    if (!p)
        exit(99);
    memset(p, 0, (bytes + 191) / 64 * 64);
    return p;
}

/* A band, its reduction and the reflectors. */
struct work {
    orr_type t;
    orr_hb2st_shape a;
    int64_t block; /* elements; blocks are `odd` elements apart from alignment */
    char *h, *carry, *v;
    double complex *dense;
    char *user, *d, *e;
    double scale;
};

enum { GUARD = 0x5a, ODD = 3 };

/* The blocks of the band, each between guards. */
static char *block_at(const struct work *w, int64_t m)
{
    return w->h + (size_t)(m * (w->block + 32) + 16) * bytes_of[w->t];
}

static struct work new_work(orr_type t, int64_t n, int64_t b, int64_t D, int64_t G, int late,
                            int upper, int odd)
{
    const size_t size = bytes_of[t];
    struct work w = {.t = t, .a = {.n = n, .b = b, .D = D, .G = G, .late = late}};
    uint64_t seed = 99;
    w.a.ldh = orr_hb2st_ldh(size, b);
    w.a.lead = orr_hb2st_lead(size);
    w.a.sweeps = orr_hb2st_sweeps(is_complex(t), n, b);
    w.block = (orr_hb2st_elements(&w.a) + 15) / 16 * 16 + (odd ? ODD : 0);
    const int64_t blocks = orr_hb2st_blocks(&w.a);
    const size_t h_bytes = (size_t)(blocks * (w.block + 32) + 16) * size;
    w.h = allocate(h_bytes);
    memset(w.h, GUARD, h_bytes);
    w.carry = allocate((size_t)((orr_hb2st_groups(&w.a) + 1) * G * (b + 1)) * size);
    w.v = allocate((size_t)(n * n) * size);
    w.dense = allocate((size_t)(n * n) * sizeof *w.dense);
    w.user = allocate((size_t)((b + 2) * n) * size);
    w.d = allocate((size_t)n * size);
    w.e = allocate((size_t)n * size);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i <= j + b && i < n; i++) {
            double complex z = next_uniform(&seed) + (is_complex(t) ? I * next_uniform(&seed) : 0);
            z = i == j ? creal(z) : z;
            if (upper)
                put(t, w.user, i * (b + 2) + b + j - i, conj(z));
            else
                put(t, w.user, j * (b + 2) + i - j, z);
            z = upper ? conj(get(t, w.user, i * (b + 2) + b + j - i))
                      : get(t, w.user, j * (b + 2) + i - j);
            w.dense[j * n + i] = z;
            w.dense[i * n + j] = conj(z);
        }
    const orr_hb2st_user user = {.ab = w.user, .ldab = b + 2, .width = b, .upper = upper};
    orr_hb2st_screened look;
    orr_hb2st_screen_cpu[t](&user, n, &look);
    CHECK(look.column < 0 && look.b == b, "look: b %lld", (long long)look.b);
    w.scale = look.scale;
    for (int64_t m = 0; m < blocks; m++)
        orr_hb2st_load_cpu[t](&w.a, m, &user, w.scale, block_at(&w, m));
    return w;
}

static void free_work(struct work *w)
{
    free(w->h), free(w->carry), free(w->v), free(w->dense), free(w->user), free(w->d), free(w->e);
}

static int all_bytes(const char *p, size_t bytes, int value)
{
    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)p[i] != value)
            return 0;
    return 1;
}

/* Every task of groups g0 .. g1-1 in the order of submission. watch: each is given a copy of the other
 * blocks to keep. */
static void chase_all(struct work *w, orr_hb2st_chase_fn *chase_task, int64_t g0, int64_t g1,
                      int watch, const char *what)
{
    const orr_hb2st_shape *a = &w->a;
    const size_t size = bytes_of[w->t];
    const int64_t blocks = orr_hb2st_blocks(a);
    const size_t all = (size_t)(blocks * (w->block + 32) + 16) * size;
    char *before = allocate(all);
    for (int64_t g = g0; g < g1; g++)
        for (int64_t m = 0; m < blocks; m++) {
            memcpy(before, w->h, all);
            orr_status st = chase_task(a, g, m, m > 0 ? block_at(w, m - 1) : NULL, block_at(w, m),
                                       w->carry + (size_t)(g * a->G * (a->b + 1)) * size,
                                       w->v + (size_t)orr_hb2st_v_offset(a, g * a->G) * size);
            CHECK(st == ORR_OK, "%s status %d", what, st);
            if (!watch)
                continue;
            const size_t from = (size_t)((m > 0 ? m - 1 : 0) * (w->block + 32) + 16) * size;
            const size_t to = (size_t)(m * (w->block + 32) + 16 + orr_hb2st_elements(a)) * size;
            CHECK(!memcmp(before, w->h, from) && !memcmp(before + to, w->h + to, all - to),
                  "%s: T(%d,%d) wrote outside its blocks", what, (int)g, (int)m);
        }
    free(before);
}

/* d and e of what must be tridiagonal now. */
static void finish(struct work *w, const char *what)
{
    const orr_hb2st_shape *a = &w->a;
    const size_t size = bytes_of[w->t];
    for (int64_t m = 0; m < orr_hb2st_blocks(a); m++) {
        const char *h = block_at(w, m);
        int clean = all_bytes(h, (size_t)a->lead * size, 0);
        for (int64_t c = 0; c < a->D; c++) {
            for (int64_t i = 2; i < a->ldh; i++)
                clean &= get(w->t, h, a->lead + c * a->ldh + i) == 0;
            for (int64_t i = 0; i < 2; i++)
                clean &= cimag(get(w->t, h, a->lead + c * a->ldh + i)) == 0;
        }
        CHECK(clean, "%s: block %d is not tridiagonal and real", what, (int)m);
        orr_hb2st_store_cpu[w->t](a, m, h, w->scale, w->d, w->e);
    }
}

static void run(struct work *w, orr_hb2st_chase_fn *chase_task, int watch, const char *what)
{
    chase_all(w, chase_task, 0, orr_hb2st_groups(&w->a), watch, what);
    finish(w, what);
}

/* The sweeps from the last two blocks on are the rest, a task of the last block. */
static void check_rest(const struct work *w, orr_hb2st_chase_fn *task, int upper, const char *what)
{
    struct work x = new_work(w->t, w->a.n, w->a.b, w->a.D, w->a.G, w->a.late, upper, 0);
    const int64_t blocks = orr_hb2st_blocks(&x.a), groups = orr_hb2st_groups(&x.a);
    const int64_t first = ((blocks - 2) * x.a.D + x.a.G - 1) / x.a.G;
    const size_t bytes = (size_t)x.a.n * bytes_of[x.t];
    if (blocks > 1 && first < groups) {
        x.a.rest = x.a.sweeps - first * x.a.G;
        CHECK(orr_hb2st_groups(&x.a) == first + 1, "%s: %d groups, one of them the rest", what,
              (int)orr_hb2st_groups(&x.a));
        run(&x, task, 1, what);
        CHECK(!memcmp(w->d, x.d, bytes) && !memcmp(w->e, x.e, bytes), "%s: differs with a rest",
              what);
    }
    free_work(&x);
}

static double norm2(const double complex *x, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += creal(x[i] * conj(x[i]));
    return sum;
}

/* Q := Q_0 Q_1 ..., a few groups at a time, the last ones first; Q'E the other way round. */
static void apply_all(const struct work *w, int adjoint, int64_t k, void *e)
{
    enum { AT_ONCE = 3 };
    const int64_t groups = orr_hb2st_groups(&w->a), batches = (groups + AT_ONCE - 1) / AT_ONCE;
    for (int64_t i = 0; i < batches; i++) {
        const int64_t g = (adjoint ? i : batches - 1 - i) * AT_ONCE;
        const int64_t count = orr_least(AT_ONCE, groups - g);
        const void *v[AT_ONCE];
        for (int64_t c = 0; c < count; c++)
            v[c] = w->v + (size_t)orr_hb2st_v_offset(&w->a, (g + c) * w->a.G) * bytes_of[w->t];
        CHECK(orr_hb2st_apply_cpu[w->t](&w->a, g, count, v, adjoint, k, e, w->a.n) == ORR_OK, " ");
    }
}

static void check_q(const struct work *w, const char *what, double worst[3])
{
    const int64_t n = w->a.n;
    const double unit = (double)n * eps_of(w->t);
    const orr_type real = w->t == ORR_C ? ORR_S : w->t == ORR_Z ? ORR_D : w->t;
    char *q = allocate((size_t)(n * n) * bytes_of[w->t]);
    char *e = allocate((size_t)(n * n) * bytes_of[w->t]);
    double complex *x = allocate((size_t)(n * n) * sizeof *x);
    orr_hb2st_unit_cpu[w->t](n, 0, 1, NULL, n, q, n);
    apply_all(w, 0, n, q);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double complex s = -creal(get(real, w->d, j)) * get(w->t, q, j * n + i);
            s -= j > 0 ? creal(get(real, w->e, j - 1)) * get(w->t, q, (j - 1) * n + i) : 0;
            s -= j + 1 < n ? creal(get(real, w->e, j)) * get(w->t, q, (j + 1) * n + i) : 0;
            for (int64_t l = 0; l < n; l++)
                s += w->dense[l * n + i] * get(w->t, q, j * n + l);
            x[j * n + i] = s;
        }
    const double residual = sqrt(norm2(x, n * n) / norm2(w->dense, n * n)) / unit;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double complex s = i == j ? -1 : 0;
            for (int64_t l = 0; l < n; l++)
                s += conj(get(w->t, q, i * n + l)) * get(w->t, q, j * n + l);
            x[j * n + i] = s;
        }
    const double orthogonality = sqrt(norm2(x, n * n)) / unit;
    /* Q' times the dense matrix */
    for (int64_t i = 0; i < n * n; i++)
        put(w->t, e, i, w->dense[i]);
    apply_all(w, 1, n, e);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            double complex s = -get(w->t, e, j * n + i);
            for (int64_t l = 0; l < n; l++)
                s += conj(get(w->t, q, i * n + l)) * w->dense[j * n + l];
            x[j * n + i] = s;
        }
    const double adjoint = sqrt(norm2(x, n * n) / norm2(w->dense, n * n)) / unit;
    CHECK(residual <= LIMIT && orthogonality <= LIMIT && adjoint <= LIMIT, "%s: %g %g %g", what,
          residual, orthogonality, adjoint);
    worst[0] = fmax(worst[0], residual);
    worst[1] = fmax(worst[1], orthogonality);
    worst[2] = fmax(worst[2], adjoint);
    free(q), free(e), free(x);
}

/* Sweeps up to the first of group 1, then the others as a tail has them: on blocks that know nothing of
 * what was left. */
static void check_tail(const struct work *w, orr_hb2st_chase_fn *task, int upper, const char *what)
{
    struct work x = new_work(w->t, w->a.n, w->a.b, w->a.D, w->a.G, 1, upper, 0);
    const size_t size = bytes_of[x.t], bytes = (size_t)x.a.n * size;
    const int64_t sweeps = x.a.sweeps, length = x.a.lead + x.a.D * x.a.ldh;
    if (sweeps > x.a.G) {
        x.a.sweeps = x.a.G;
        chase_all(&x, task, 0, 1, 0, what);
        for (int64_t m = 0; m < orr_hb2st_blocks(&x.a); m++)
            memset(block_at(&x, m) + (size_t)length * size, 0xff,
                   (size_t)(orr_hb2st_elements(&x.a) - length) * size);
        x.a.sweeps = sweeps;
        x.a.first = x.a.G;
        chase_all(&x, task, 1, orr_hb2st_groups(&x.a), 0, what);
        finish(&x, what);
        CHECK(!memcmp(w->d, x.d, bytes) && !memcmp(w->e, x.e, bytes), "%s: differs with a tail",
              what);
    }
    free_work(&x);
}

static void check_case(int level, orr_type t, int64_t n, int64_t b, int64_t D, int64_t G, int late,
                       int upper, double worst[3])
{
    char what[96];
    snprintf(what, sizeof what, "isa %d %c n %lld b %lld%s", level, "sdcz"[t], (long long)n,
             (long long)b, late ? " late" : "");
    orr_hb2st_chase_fn *task = b == 1 ? orr_hb2st_chase_cpu[t] : chase[level][t];
    struct work w = new_work(t, n, b, D, G, late, upper, 0);
    struct work x = new_work(t, n, b, n, n, late, upper, 1);
    const size_t bytes = (size_t)n * bytes_of[t];
    run(&w, task, 1, what);
    run(&x, task, 0, what);
    CHECK(!memcmp(w.d, x.d, bytes) && !memcmp(w.e, x.e, bytes), "%s: differs in one block", what);
    check_rest(&w, task, upper, what);
    if (late)
        check_tail(&w, task, upper, what);
    check_q(&w, what, worst);
    check_q(&x, what, worst);
    free_work(&w);
    free_work(&x);
}

int main(void)
{
    static const int64_t cases[][4] = {/* n, b, D, G */
                                       {2, 1, 2, 1},    {3, 2, 3, 2},    {7, 2, 3, 2},
                                       {13, 3, 5, 2},   {20, 5, 13, 3},  {41, 8, 16, 2},
                                       {50, 17, 33, 2}, {64, 31, 70, 2}, {70, 33, 34, 1},
                                       {97, 16, 48, 3}, {130, 40, 97, 2}};
    for (int level = 0; level <= lanes_level(); level++)
        for (int t = 0; t < ORR_NTYPES && chase[level][t]; t++)
            for (int late = 0; late <= (level == 4 && !is_complex((orr_type)t)); late++) {
                double worst[3] = {0};
                for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                    const int64_t *c = cases[i];
                    if (c[1] > 1 || (is_complex((orr_type)t) && !late))
                        check_case(level, (orr_type)t, c[0], c[1], c[2], c[3], late, (int)i % 2,
                                   worst);
                }
                printf(
                    "isa %d %c%s: worst residual %.2f, orthogonality %.2f, adjoint %.2f (limit %g)\n",
                    level, "sdcz"[t], late ? " late" : "", worst[0], worst[1], worst[2], LIMIT);
            }
    return checked();
}
