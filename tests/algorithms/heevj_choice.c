/* How heevj solves matrices of one order, and how many in a chunk, on machines that are made up; the oracles are the
 * rules of docs/algorithms/heevj.md and of src/heevj/heevj.h:
 *
 *   methods   Jacobi for the smallest orders, lanes up to 128, above 64 only of four matrices and more, LAPACK above;
 *             what was measured goes before the guess; Jacobi for relative accuracy; what was asked for
 *   pilots    four chunks of two methods, a sixteenth of the batch at most
 *   chunks    a batch is whole, chunk after chunk; none is longer than 64 MiB, nor much longer than 2 ms; behind all
 *             others they are short; in lanes they are whole lanes
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "codelets/core/least.h"
#include "src/heevj/heevj.h"

enum { LANES = 32, MOST_IN_LANES = 128 };

/* A batch on a machine without devices, of which nothing was measured. */
static struct orr_heevj on(int cpus, orr_type type, char jobz)
{
    static orr_context ctx;
    static orr_request req;
    static struct orr_heevj_rates *rates;
    if (rates)
        orr_heevj_rates_free(rates);
    rates = orr_heevj_rates_make();
    if (!rates)
        exit(99);
    ctx.info = (orr_context_info){.cpu = cpus};
    req.here = 0;
    return (struct orr_heevj){
        .ctx = &ctx, .req = &req, .A.type = type, .o.jobz = jobz, .rates = rates};
}

static struct orr_heevj_bucket of(int64_t n, int64_t count)
{
    return (struct orr_heevj_bucket){.n = n, .count = count};
}

static orr_method chosen(const struct orr_heevj *h, int64_t n, int64_t count)
{
    struct orr_heevj_bucket b = of(n, count);
    orr_heevj_choose(h, &b);
    CHECK(b.where == ORR_ON_CPU && !b.shared && b.on_device == ORR_METHOD_AUTO,
          "n %lld: where %d, shared %d", (long long)n, (int)b.where, b.shared);
    CHECK(b.seconds > 0 && b.seconds == orr_heevj_seconds(h, b.method, n), "n %lld: %g s",
          (long long)n, b.seconds);
    return b.method;
}

/* ---- Methods --------------------------------------------------------------------------------- */

/* 1: pilots of a large batch are of these methods. */
static int tries(const struct orr_heevj *h, int64_t n, orr_method first, orr_method second)
{
    struct orr_heevj_bucket b = of(n, 1 << 20);
    const struct orr_heevj_pilots p = orr_heevj_choose(h, &b);
    return p.chunks == 4 && p.method[0] == first && p.method[1] == second;
}

/* On both sides of a border both methods are tried, and far from any none. */
static void near_borders(const struct orr_heevj *h, int64_t jacobi)
{
    CHECK(tries(h, jacobi, ORR_METHOD_JACOBI, ORR_METHOD_LANES) &&
              tries(h, jacobi + 1, ORR_METHOD_LANES, ORR_METHOD_JACOBI),
          "the border of Jacobi, order %lld", (long long)jacobi);
    for (int64_t n = 65; n <= MOST_IN_LANES; n++)
        CHECK(tries(h, n, ORR_METHOD_LANES, ORR_METHOD_LAPACK), "order %lld", (long long)n);
    for (int64_t n = 1; n < 600; n += n == 64 ? 136 : 1) {
        struct orr_heevj_bucket b = of(n, 1 << 20);
        const int chunks = orr_heevj_choose(h, &b).chunks;
        CHECK(chunks == 0 || (3 * n > jacobi && n < 3 * jacobi), "order %lld is tried",
              (long long)n);
    }
}

static void methods(orr_type type)
{
    struct orr_heevj h = on(2, type, 'V');
    int64_t jacobi = 0;
    for (int64_t n = 1; n < 600; n++) {
        const orr_method m = chosen(&h, n, 1000);
        jacobi += m == ORR_METHOD_JACOBI;
        CHECK(m == (n <= jacobi          ? ORR_METHOD_JACOBI
                    : n <= MOST_IN_LANES ? ORR_METHOD_LANES
                                         : ORR_METHOD_LAPACK),
              "order %lld by method %d", (long long)n, (int)m);
        if (n > 64) {
            CHECK(chosen(&h, n, 4) == m, "four of order %lld", (long long)n);
            CHECK(chosen(&h, n, 3) != ORR_METHOD_LANES, "three of order %lld", (long long)n);
        } else {
            CHECK(chosen(&h, n, 1) == m, "one of order %lld", (long long)n);
        }
    }
    CHECK(jacobi >= 3 && jacobi <= 16, "Jacobi up to order %lld", (long long)jacobi);
    CHECK(chosen(&h, 300, 1) == ORR_METHOD_LAPACK && chosen(&h, 128, 3) == ORR_METHOD_LAPACK,
          "a few large ones");

    for (int64_t n = 1; n < 600; n += 13)
        for (int k = 0; k < ORR_NMETHODS; k++) {
            const double with = orr_heevj_seconds(&h, (orr_method)k, n);
            h.o.jobz = 'N';
            CHECK(orr_heevj_seconds(&h, (orr_method)k, n) < with, "values take as long as vectors");
            h.o.jobz = 'V';
        }
    near_borders(&h, jacobi);

    h.o.accuracy = ORR_ACCURACY_RELATIVE;
    for (int64_t n = 1; n < 600; n += 13)
        CHECK(chosen(&h, n, 10000) == ORR_METHOD_JACOBI, "relative, order %lld", (long long)n);
    h.o.accuracy = 0;
    for (int asked = ORR_METHOD_AUTO + 1; asked < ORR_NMETHODS; asked++)
        for (int64_t n = 2; n < 400; n += 18) {
            h.o.method = (orr_method)asked;
            const int few = asked == ORR_METHOD_LANES && n > MOST_IN_LANES;
            CHECK((int)chosen(&h, n, 50) == (few ? (int)ORR_METHOD_LAPACK : asked),
                  "order %lld, asked for %d", (long long)n, asked);
        }
}

static void measured(orr_type type)
{
    for (int64_t n = 2; n < 300; n += n / 4 + 1)
        for (int vectors = 0; vectors < 2; vectors++) {
            struct orr_heevj h = on(2, type, vectors ? 'V' : 'N');
            struct orr_heevj_bucket b = of(n, 1 << 20);
            const struct orr_heevj_pilots pilots = orr_heevj_choose(&h, &b);
            const orr_method first = b.method;
            CHECK(first == pilots.method[0], "a guess that is not measured");
            for (int faster = 0; faster < 2 && pilots.method[1] != first; faster++) {
                struct orr_heevj_rate rate = {.type = type, .n = n, .vectors = vectors};
                rate.seconds[pilots.method[faster]] = 1e-5;
                rate.seconds[pilots.method[!faster]] = 2e-5;
                h.rates->rate = &rate, h.rates->count = 1;
                const struct orr_heevj_pilots none = orr_heevj_choose(&h, &b);
                CHECK(b.method == pilots.method[faster] && none.chunks == 0 && b.seconds == 1e-5,
                      "n %lld: measured, and method %d, %d pilots", (long long)n, (int)b.method,
                      none.chunks);
                rate.seconds[pilots.method[faster]] = 0; /* half of it is known */
                const struct orr_heevj_pilots half = orr_heevj_choose(&h, &b);
                CHECK(b.method == first && half.chunks == pilots.chunks,
                      "n %lld: half measured, and method %d", (long long)n, (int)b.method);
                h.rates->rate = NULL, h.rates->count = 0;
            }
        }
}

static void pilots(orr_type type)
{
    struct orr_heevj h = on(2, type, 'V');
    int with = 0, without = 0;
    for (int64_t n = 1; n < 400; n++)
        for (int64_t count = 500; count < 3000000; count *= 2) {
            struct orr_heevj_bucket b = of(n, count);
            const struct orr_heevj_pilots p = orr_heevj_choose(&h, &b);
            const double seconds = (double)p.size * fmax(orr_heevj_seconds(&h, p.method[0], n),
                                                         orr_heevj_seconds(&h, p.method[1], n));
            CHECK(p.chunks == 0 || (p.chunks == 4 && p.method[0] != p.method[1] && p.size > 0 &&
                                    p.size % LANES == 0 && 4 * p.size * 16 <= count &&
                                    (p.size == LANES || seconds <= 1.001e-3)),
                  "n %lld, %lld matrices: %d pilots of %lld", (long long)n, (long long)count,
                  p.chunks, (long long)p.size);
            /* half as long as a chunk, if the batch allows that */
            CHECK(p.chunks == 0 || count < 64 * 1000000 / (n * n * n) ||
                      64 * (p.size + LANES) > count ||
                      (double)(p.size + LANES) * seconds > (double)p.size * 1e-3,
                  "n %lld, %lld matrices: pilots of %lld", (long long)n, (long long)count,
                  (long long)p.size);
            with += p.chunks > 0, without += p.chunks == 0 && count >= 2048;
            h.o.method = ORR_METHOD_LAPACK;
            CHECK(orr_heevj_choose(&h, &b).chunks == 0, "what was asked for is measured");
            h.o.method = ORR_METHOD_AUTO;
        }
    CHECK(with > 100 && without > 100, "%d with pilots, %d without", with, without);
    struct orr_heevj_bucket b = of(10, 2048), fewer = of(10, 2047);
    CHECK(orr_heevj_choose(&h, &b).chunks == 4 && orr_heevj_choose(&h, &fewer).chunks == 0,
          "2048 matrices are large, 2047 are not");
}

/* ---- Chunks ---------------------------------------------------------------------------------- */

static void chunks(orr_type type)
{
    const int64_t size = (int64_t)orr_type_size(type);
    for (int cpus = 1; cpus < 20; cpus += 6)
        for (int64_t n = 1; n < 1500; n += n / 2 + 1)
            for (int64_t count = 1; count < 200000; count = 3 * count + 1) {
                struct orr_heevj h = on(cpus, type, 'V');
                struct orr_heevj_bucket b = of(n, count);
                int64_t before = INT64_MAX;
                orr_heevj_choose(&h, &b);
                const int lanes = b.method != ORR_METHOD_LAPACK;
                b.first = b.next = 1000; /* of a batch of several orders */
                for (int64_t left = count; left > 0;) {
                    const int64_t chunk = orr_heevj_next_chunk(&h, &b);
                    const int last = chunk == left;
                    CHECK(chunk >= 1 && chunk <= left && chunk <= before,
                          "n %lld: a chunk of %lld, %lld are left, the last was %lld", (long long)n,
                          (long long)chunk, (long long)left, (long long)before);
                    if (chunk < 1)
                        break;
                    CHECK(chunk == 1 || chunk * n * n * size <= 64 << 20,
                          "n %lld: a chunk of %lld bytes", (long long)n,
                          (long long)(chunk * n * n * size));
                    CHECK(chunk <= LANES || (double)(chunk - LANES) * b.seconds <= 2e-3,
                          "n %lld: a chunk of %g s", (long long)n, (double)chunk * b.seconds);
                    CHECK(last || !lanes || chunk % LANES == 0 ||
                              (chunk + LANES) * n * n * size > 64 << 20,
                          "n %lld: a chunk of %lld", (long long)n, (long long)chunk);
                    CHECK(lanes || chunk > LANES || chunk == 1 || chunk <= left / (2 * cpus) ||
                              (double)chunk * b.seconds <= 1e-4,
                          "n %lld: a chunk of %lld by LAPACK", (long long)n, (long long)chunk);
                    /* half of what is left, in a part for each worker, or what is short */
                    CHECK(chunk <= LANES || chunk - LANES <= left / (2 * cpus) ||
                              (double)(chunk - LANES) * b.seconds <= 1e-4,
                          "n %lld: a chunk of %lld, %lld are left for %d workers", (long long)n,
                          (long long)chunk, (long long)left, cpus);
                    CHECK(last || (double)(chunk + 1) * b.seconds > 1e-4 || chunk % LANES == 0 ||
                              (chunk + LANES) * n * n * size > 64 << 20,
                          "n %lld: a chunk of %g s", (long long)n, (double)chunk * b.seconds);
                    b.next += before = chunk, left -= chunk;
                }
                b.next = b.first;
                for (h.o.chunk = 7; h.o.chunk < 50; h.o.chunk += 38)
                    CHECK(orr_heevj_next_chunk(&h, &b) == orr_least(count, h.o.chunk) ||
                              h.o.chunk * n * n * size > 64 << 20,
                          "n %lld: not the chunk that was asked for", (long long)n);
                h.o.chunk = 0;
                h.req->here = 1;
                CHECK(orr_heevj_next_chunk(&h, &b) == count || count * n * n * size > 64 << 20,
                      "n %lld: %lld matrices here, in parts", (long long)n, (long long)count);
            }
    /* matrices that lie far apart are as large as that */
    struct orr_heevj far = on(1, type, 'V');
    struct orr_heevj_bucket b = of(2, 100000);
    orr_heevj_choose(&far, &b);
    far.A.stride = (4 << 20) / size;
    CHECK(orr_heevj_next_chunk(&far, &b) == 16, "a chunk of %lld matrices of 4 MiB",
          (long long)orr_heevj_next_chunk(&far, &b));
}

/* Of one core's work for a moment: the sum over all orders. */
static void small(orr_type type)
{
    for (int64_t n = 1; n < 100; n += n / 3 + 1) {
        struct orr_heevj h = on(2, type, 'V');
        struct orr_heevj_bucket b[2] = {of(n, 1), of(n, 1)};
        orr_heevj_choose(&h, &b[0]);
        const int64_t fit = (int64_t)(ORR_HERE_SECONDS / b[0].seconds);
        h.bucket = b;
        for (int64_t count = fit > 5 ? fit - 5 : 1; n <= 64 && count < fit + 5; count++) {
            b[0].count = count, b[1].count = 0;
            h.buckets = 1;
            const int whole = orr_heevj_is_small(&h);
            CHECK(whole == ((double)count * b[0].seconds <= ORR_HERE_SECONDS),
                  "%lld of order %lld, of which %lld are small: %d", (long long)count, (long long)n,
                  (long long)fit, whole);
            b[0].count = count / 2, b[1].count = count - count / 2;
            h.buckets = 2;
            CHECK(count == 1 || orr_heevj_is_small(&h) == whole, "%lld in two", (long long)count);
        }
        b[0].count = 1, h.buckets = 1;
        h.A_on = 1;
        CHECK(!orr_heevj_is_small(&h), "what a device has is small");
        h.A_on = 0, h.w_on = 1;
        CHECK(!orr_heevj_is_small(&h), "what a device gets is small");
    }
}

/* ---- Beside a device that has Jacobi alone, for small matrices ----------------------------------- */

static void beside(orr_type type)
{
    static const struct {
        int64_t n, count;
        int cpus, A_on;
        orr_accuracy accuracy;
        orr_method asked, is;
        int shared;
        enum orr_where where;
    } cases[] = {
        /* the block form up to order 512, of more than one matrix, or where there is no CPU */
        {100, 50, 2, 0, 0, ORR_METHOD_AUTO, ORR_METHOD_LAPACK, 1, ORR_ON_CPU},
        {512, 2, 2, 0, 0, ORR_METHOD_AUTO, ORR_METHOD_LAPACK, 1, ORR_ON_CPU},
        {513, 50, 2, 0, 0, ORR_METHOD_AUTO, ORR_METHOD_LAPACK, 0, ORR_ON_CPU},
        {400, 1, 2, 0, 0, ORR_METHOD_AUTO, ORR_METHOD_LAPACK, 0, ORR_ON_CPU},
        {100, 50, 0, 0, 0, ORR_METHOD_AUTO, ORR_METHOD_BLOCK, 0, ORR_ANYWHERE},
        {513, 50, 0, 0, 0, ORR_METHOD_AUTO, ORR_METHOD_BLOCK, 0, ORR_ANYWHERE},
        {4, 1, 0, 0, 0, ORR_METHOD_AUTO, ORR_METHOD_JACOBI, 0, ORR_ANYWHERE},
        {100, 50, 2, 1, 0, ORR_METHOD_AUTO, ORR_METHOD_BLOCK, 0, ORR_ON_ACCELERATOR},
        /* what was asked for */
        {100, 50, 2, 0, 0, ORR_METHOD_BLOCK, ORR_METHOD_BLOCK, 0, ORR_ANYWHERE},
        {100, 50, 2, 0, 0, ORR_METHOD_JACOBI, ORR_METHOD_JACOBI, 0, ORR_ON_CPU},
        {100, 50, 2, 0, 0, ORR_METHOD_LANES, ORR_METHOD_LANES, 0, ORR_ON_CPU},
        {100, 50, 2, 0, ORR_ACCURACY_RELATIVE, ORR_METHOD_AUTO, ORR_METHOD_JACOBI, 0, ORR_ON_CPU},
        {100, 50, 0, 0, ORR_ACCURACY_RELATIVE, ORR_METHOD_AUTO, ORR_METHOD_JACOBI, 0, ORR_ON_CPU}};
    if (orr_heevj_device_has(ORR_METHOD_LANES, type, 100, 1))
        return; /* a library with such kernels */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct orr_heevj h = on(cases[k].cpus, type, 'V');
        struct orr_heevj_bucket b = of(cases[k].n, cases[k].count);
        h.ctx->info.opencl = 1;
        h.A_on = cases[k].A_on;
        h.o.method = cases[k].asked, h.o.accuracy = cases[k].accuracy;
        CHECK(orr_heevj_choose(&h, &b).chunks == 0, "case %zu: pilots", k);
        CHECK(b.method == cases[k].is && b.shared == cases[k].shared && b.where == cases[k].where &&
                  b.on_device == (cases[k].n < 8 ? ORR_METHOD_JACOBI : ORR_METHOD_AUTO),
              "case %zu: method %d, shared %d, where %d", k, (int)b.method, b.shared, (int)b.where);
        h.bucket = &b, h.buckets = 1;
        CHECK(b.where == ORR_ON_CPU || !orr_heevj_is_small(&h), "case %zu: small", k);
    }
}

int main(void)
{
    orr_context *ctx; /* StarPU, without the devices that this machine may have */
    if (orr_open(&(orr_context_opts){.cpus = 1, .cudas = -1}, &ctx) != ORR_OK)
        return 77;
    for (int t = 0; t < ORR_NTYPES; t++) {
        methods((orr_type)t);
        measured((orr_type)t);
        pilots((orr_type)t);
        chunks((orr_type)t);
        small((orr_type)t);
        beside((orr_type)t);
    }
    orr_close(ctx);
    return checked();
}
