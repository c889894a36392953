/* What heev and gesvd choose before their first task, on machines that are made up. The oracles are the rules of
 * docs/algorithms/heev.md and gesvd.md; the orders that were measured on some processor are found by bisection, and
 * only compared with each other.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "codelets/core/least.h"
#include "machine.h"
#include "src/dense/dense_plan.h"

enum { MOST = 40000, NOWHERE = MOST }; /* beyond all orders of the tables */

/* The first order from `least` on of which `what` says 0; it says so of all beyond, too. */
typedef int below_fn(const orr_context *, orr_type, int64_t n, int vectors, const void *o);
static int64_t border(below_fn *what, const orr_context *c, orr_type type, int vectors,
                      const void *o)
{
    int64_t low = 2, high = MOST; /* the answer is in low .. high */
    while (low < high) {
        const int64_t n = (low + high) / 2;
        if (what(c, type, n, vectors, o))
            low = n + 1;
        else
            high = n;
    }
    for (int k = 1; k < 20; k++) {
        const int64_t n = low + (MOST - low) * k / 20, m = 2 + (low - 2) * k / 20;
        CHECK(!what(c, type, n, vectors, o) || n == MOST, "%lld is below %lld", (long long)n,
              (long long)low);
        CHECK(m >= low || what(c, type, m, vectors, o), "%lld is not below %lld", (long long)m,
              (long long)low);
    }
    return low;
}

/* ---- heev ------------------------------------------------------------------------------------ */

static int direct(const orr_context *c, orr_type type, int64_t n, int vectors, const void *o)
{
    return orr_heev_is_direct(c, type, n, vectors, o);
}

static int unshared(const orr_context *c, orr_type type, int64_t n, int vectors, const void *o)
{
    return !orr_heev_is_shared(c, type, n, vectors, o);
}

/* Values, vectors of a range, all vectors. */
static const struct heev_job {
    int vectors;
    orr_heev_opts o;
} heev_jobs[] = {{0, {0}}, {1, {.il = 1, .iu = 1}}, {1, {0}}};

static void heev_orders(orr_type type)
{
    int64_t of[3], shared[3], beside[3];
    for (int k = 0; k < 3; k++) {
        const orr_heev_opts *o = &heev_jobs[k].o;
        const int vectors = heev_jobs[k].vectors;
        of[k] = border(direct, machine(2, 0), type, vectors, o);
        shared[k] = border(unshared, machine(2, 0), type, vectors, o);
        beside[k] = border(direct, machine(1, 1), type, vectors, o);
        CHECK(border(unshared, machine(1, 0), type, vectors, o) == NOWHERE, "one worker shares");
        for (int workers = 3; workers < 90; workers += workers < 6 ? 1 : 17) {
            const int64_t got = border(direct, machine(workers, 0), type, vectors, o);
            const int64_t wanted =
                workers <= 4 ? of[k] : orr_most(of[k] * 4 / workers, orr_least(of[k], 400));
            CHECK(got == wanted, "job %d, %d workers: %lld, not %lld", k, workers, (long long)got,
                  (long long)wanted);
            CHECK(border(unshared, machine(workers, 0), type, vectors, o) == shared[k],
                  "job %d: %d workers share from another order", k, workers);
            CHECK(border(direct, machine(workers, 2), type, vectors, o) == beside[k],
                  "job %d: beside devices workers matter", k);
        }
        orr_heev_opts cpu = *o;
        cpu.place = ORR_PLACE_CPU; /* what devices there are does not matter */
        CHECK(border(direct, machine(2, 1), type, vectors, &cpu) == of[k], "place cpu, job %d", k);
    }
    /* a range of all is no range, an interval is one, and of values alone neither matters */
    CHECK(of[0] < of[1] && of[1] < of[2], "orders %lld %lld %lld", (long long)of[0],
          (long long)of[1], (long long)of[2]);
    const orr_context *c = machine(2, 0);
    CHECK(border(direct, c, type, 0, &heev_jobs[1].o) == of[0], "values of a range");
    CHECK(border(direct, c, type, 1, &(orr_heev_opts){.vl = -1, .vu = 1}) == of[1], "interval");
    CHECK(border(direct, c, type, 1, &(orr_heev_opts){.vu = 1}) == of[1], "interval from 0");
    const int64_t n = of[1] + 5;
    CHECK(orr_heev_is_direct(c, type, n, 1, &(orr_heev_opts){.il = 1, .iu = n}) &&
              !orr_heev_is_direct(c, type, n, 1, &(orr_heev_opts){.il = 1, .iu = n - 1}) &&
              !orr_heev_is_direct(c, type, n, 1, &(orr_heev_opts){.il = 2, .iu = n}),
          "all but one are all");
}

static void heev_asked(void)
{
    static const struct {
        orr_heev_opts o;
        int direct;
    } asked[] = {{{.method = ORR_DENSE_LAPACK}, 1},
                 {{.method = ORR_DENSE_TWO_STAGE}, 0},
                 {{.band = 8}, 0},
                 {{.place = ORR_PLACE_GPU}, 0}};
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
        for (int64_t n = 3; n < MOST; n *= 10) {
            char from[ORR_FROM];
            orr_heev_direct_from(machine(2, 1), ORR_D, n, 0, &asked[k].o, from);
            CHECK(orr_heev_is_direct(machine(2, 1), ORR_D, n, 0, &asked[k].o) == asked[k].direct &&
                      !strcmp(from, "asked"),
                  "case %zu, n %lld: %s", k, (long long)n, from);
        }
}

/* ---- Tiles ------------------------------------------------------------------------------------ */

/* T is a multiple of b, within what rounds `wanted` to one: to the next, or of a device upwards. */
static int tile_is(int64_t T, int64_t b, double wanted, int up)
{
    const double off = (double)T - wanted;
    return T % b == 0 && T >= 16 &&
           (up ? off >= 0 && off < (double)b : fabs(off) <= (double)b / 2 + 1);
}

/* Orders, and on both sides of those from which bands are wider. */
static int64_t after(int64_t n)
{
    static const int64_t border[] = {1023, 1024, 1499, 1500, 2999, 3000};
    int64_t next = n + n / 3 + 1;
    for (int k = 5; k >= 0; k--)
        if (n < border[k] && border[k] < next)
            next = border[k];
    return next;
}

static void heev_tiles(void)
{
    for (int64_t n = 1; n < 120000; n = after(n))
        for (int workers = 0; workers < 20; workers += 3)
            for (int devices = 0; devices < 2; devices++) {
                const orr_context *c = machine(workers, devices);
                const double rows = (double)n / (3. * (workers > 1 ? workers : 1));
                const double wanted =
                    devices ? within((double)n / 3, 512, 8192) : within(rows, 128, 384);
                struct orr_he2hb r = {.type = ORR_D, .n = n};
                orr_heev_shape(c, &(orr_heev_opts){0}, &r);
                const int64_t b = orr_most(orr_least(n < 1500 ? 32 : n < 3000 ? 48 : 64, n - 1), 1);
                CHECK(r.b == b && tile_is(r.T, r.b, wanted, devices) && !r.whole &&
                          r.tiles == (r.n + r.T - 1) / r.T,
                      "n %lld, %d workers, %d devices: b %lld, T %lld, not %g", (long long)n,
                      workers, devices, (long long)r.b, (long long)r.T, wanted);
                struct orr_he2hb own = {.type = ORR_D, .n = n}, odd = own;
                orr_heev_shape(c, &(orr_heev_opts){.band = 24, .tile = 240}, &own);
                orr_heev_shape(c, &(orr_heev_opts){.band = 7, .tile = 240}, &odd);
                CHECK(n <= 24 || (own.b == 24 && own.T == 240), "b %lld, T %lld", (long long)own.b,
                      (long long)own.T);
                CHECK(odd.b == orr_most(orr_least(7, n - 1), 1) && odd.T % odd.b == 0,
                      "b %lld, T %lld", (long long)odd.b, (long long)odd.T);
            }
}

/* Whole steps: with owners, and where cores would do little. Of several owners a tile has 2048 rows at least, each
 * owner two columns, and they are a power of two. */
static void heev_owners(void)
{
    for (int count = 1; count <= ORR_MOST_OWNERS; count++)
        for (int64_t n = 1000; n < 60000; n += 2500) {
            struct orr_owners all = {.count = count};
            orr_owners_deal(&all);
            struct orr_he2hb r = {.type = ORR_D, .n = n, .owners = all}, few = r;
            orr_heev_shape(with_cuda(4, count, 132, 90), &(orr_heev_opts){0}, &r);
            const int64_t left = r.owners.count;
            int64_t most = 1; /* of tiles of 2048 rows */
            while (2 * most <= count && 4 * most <= (n + 2047) / 2048)
                most *= 2;
            CHECK(r.whole && r.where == ORR_ON_ACCELERATOR && left == most &&
                      (left == 1 || r.T >= 2048) && (left == 1 || r.tiles >= 2 * left),
                  "n %lld: %lld of %d owners, not %lld, T %lld", (long long)n, (long long)left,
                  count, (long long)most, (long long)r.T);
            /* cores that are as fast */
            orr_heev_shape(with_cuda(60, count, 20, 75), &(orr_heev_opts){0}, &few);
            CHECK(!few.whole && few.where != ORR_ON_ACCELERATOR && few.owners.count == count,
                  "n %lld: whole steps of %d owners beside fast cores", (long long)n, count);
        }
}

/* Panels of so many rows are a CPU's. */
static void heev_long(void)
{
    for (int more = 0; more < 2; more++) {
        struct orr_he2hb r = {.type = ORR_D, .n = 65536 + 64 + more, .owners = {.count = 5}};
        orr_owners_deal(&r.owners);
        orr_heev_shape(with_cuda(4, 5, 132, 90), &(orr_heev_opts){0}, &r);
        CHECK(r.whole == !more && r.owners.count == (more ? 5 : 4),
              "n %lld: whole steps %d, %d owners", (long long)r.n, r.whole, r.owners.count);
    }
}

/* ---- gesvd ----------------------------------------------------------------------------------- */

static int square(const orr_context *c, orr_type type, int64_t n, int vectors, const void *o)
{
    return orr_gesvd_way(c, type, n, n, vectors, o) == ORR_GESVD_DIRECT;
}

static void gesvd_orders(orr_type type, int vectors)
{
    const orr_gesvd_opts none = {0}, cpu = {.place = ORR_PLACE_CPU};
    const int64_t beside = border(square, machine(1, 1), type, vectors, &none);
    for (int workers = 1; workers < 9; workers++) {
        const int64_t limit = border(square, machine(workers, 0), type, vectors, &none);
        CHECK(border(square, machine(workers, 1), type, vectors, &cpu) == limit, "place cpu");
        CHECK(border(square, machine(workers, 1), type, vectors, &none) == beside, "devices");
        CHECK(workers < 3 || limit == border(square, machine(2, 0), type, vectors, &none),
              "%d workers: %lld", workers, (long long)limit);
        /* two and three times as tall as wide: by the longer side, or by the area */
        const orr_context *c = machine(workers, 0);
        for (int64_t n = 60; n < 1000; n += 7) {
            const int64_t m = (2 + n % 2) * n;
            const int below = vectors ? (workers == 1 ? 5 * m < 3 * limit : m < limit)
                                      : sqrt((double)(m * n)) < (double)limit;
            const enum orr_gesvd_way way = orr_gesvd_way(c, type, m, n, vectors, &none);
            CHECK(way == (below ? ORR_GESVD_DIRECT : ORR_GESVD_STAGES) ||
                      llabs(5 * m - 3 * limit) < 5,
                  "%lld x %lld, %d workers, limit %lld: %d", (long long)m, (long long)n, workers,
                  (long long)limit, (int)way);
        }
    }
}

/* At least ten times as tall as wide, at most 200 columns, without devices; from 64 KiB on by parts. */
static void gesvd_narrow(orr_type type)
{
    static const int64_t columns[] = {1, 2, 7, 33, 100, 199, 200, 201, 300};
    const orr_gesvd_opts none = {0}, cpu = {.place = ORR_PLACE_CPU};
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
        for (int64_t m = 10 * columns[k] - 1; m < 2000000;) {
            const int64_t n = columns[k], row = n * (int64_t)orr_type_size(type);
            const int narrow = n <= 200 && m >= 10 * n;
            const int large = m * row >= 65536;
            char from[ORR_FROM];
            const enum orr_gesvd_way way = orr_gesvd_way(machine(2, 1), type, m, n, 1, &cpu);
            orr_gesvd_way_from(machine(2, 1), type, m, n, 1, &cpu, from);
            CHECK((way == ORR_GESVD_TSQR) == (narrow && large) &&
                      (way != ORR_GESVD_STAGES || !narrow) &&
                      narrow == !strcmp(from, "built in: few columns"),
                  "%lld x %lld: way %d, %s", (long long)m, (long long)n, (int)way, from);
            CHECK(orr_gesvd_way(machine(2, 1), type, m, n, 1, &none) != ORR_GESVD_TSQR,
                  "%lld x %lld beside a device", (long long)m, (long long)n);
            /* the next, or on both sides of 64 KiB */
            const int64_t next = m < 10 * n ? 10 * n : m + m / 9 + 1, border = 65536 / row;
            m = m < border && border < next ? border : m == border ? m + 1 : next;
        }
    CHECK(orr_gesvd_way(machine(2, 0), type, 100000, 0, 1, &none) != ORR_GESVD_TSQR,
          "no columns are few");
}

/* "Some 512 KiB, or a million operations" of a part: half as much to twice as much, where there are 16 rows for a
 * column; no more than 64 parts. A level follows while the triangles are a tall matrix of 64 KiB or more. */
static void gesvd_parts(orr_type type)
{
    const double size = (double)orr_type_size(type), times = orr_is_complex(type) ? 4 : 1;
    for (int64_t n = 1; n <= 200; n += n / 5 + 1)
        for (int64_t m = 10 * n + 65536; m < 100000000; m += 2 * m / 3) {
            int64_t parts[ORR_GESVD_LEVELS] = {-1, -1, -1, -1}, above = m;
            orr_gesvd_parts(type, m, n, parts);
            int level = 0;
            for (; level < ORR_GESVD_LEVELS && parts[level]; level++) {
                const double rows = (double)above / (double)parts[level], order = (double)n;
                const double share =
                    fmax(rows * order * size / 0x1p19, rows * order * order * times / 0x1p20);
                CHECK(parts[level] >= 1 && parts[level] <= 64 &&
                          (parts[level] == 1 || rows >= 16 * order),
                      "%lld x %lld: %lld parts", (long long)above, (long long)n,
                      (long long)parts[level]);
                CHECK(parts[level] == 64 || rows < 33 * order || share < 2.1,
                      "%lld x %lld: %lld parts are %g of one", (long long)above, (long long)n,
                      (long long)parts[level], share);
                CHECK(parts[level] == 1 || share > 0.45, "%lld x %lld: %lld parts are %g of one",
                      (long long)above, (long long)n, (long long)parts[level], share);
                CHECK(above >= 10 * n && (double)(above * n) * size >= 65536,
                      "%lld x %lld is a level", (long long)above, (long long)n);
                above = parts[level] * n;
            }
            CHECK(level >= 1 && level < ORR_GESVD_LEVELS &&
                      (above < 10 * n || (double)(above * n) * size < 65536),
                  "%lld x %lld: the last level has %lld rows", (long long)m, (long long)n,
                  (long long)above);
        }
}

static void gesvd_asked(void)
{
    static const struct {
        orr_gesvd_opts o;
        enum orr_gesvd_way way;
    } asked[] = {{{.method = ORR_DENSE_LAPACK}, ORR_GESVD_DIRECT},
                 {{.method = ORR_DENSE_TWO_STAGE}, ORR_GESVD_STAGES},
                 {{.band = 8}, ORR_GESVD_STAGES},
                 {{.qr = -1}, ORR_GESVD_STAGES},
                 {{.place = ORR_PLACE_GPU}, ORR_GESVD_STAGES}};
    for (size_t k = 0; k < sizeof asked / sizeof *asked; k++)
        for (int64_t m = 30; m < 100000000; m *= 10) {
            char from[ORR_FROM];
            orr_gesvd_way_from(machine(2, 0), ORR_D, m, 20, 1, &asked[k].o, from);
            CHECK(orr_gesvd_way(machine(2, 0), ORR_D, m, 20, 1, &asked[k].o) == asked[k].way &&
                      !strcmp(from, "asked"),
                  "case %zu, m %lld: %s", k, (long long)m, from);
        }
    for (int64_t n = 1; n < 100000; n += n == 139 ? 117 : n / 2 + 1) { /* 256 is one */
        CHECK(!orr_gesvd_has_pieces(machine(1, 0), n), "one worker has pieces");
        CHECK(orr_gesvd_has_pieces(machine(2, 0), n) == (n > orr_gesvd_at_once(n)), "n %lld",
              (long long)n);
        for (int64_t m = n; m < 3 * n; m += n / 7 + 1) {
            const double x = (double)m, y = (double)n;
            const double whole = 4 * x * y * y - 4. / 3 * y * y * y;
            const double by_qr = 2 * x * y * y + 2 * y * y * y;
            CHECK(orr_gesvd_has_qr(&(orr_gesvd_opts){0}, m, n) == (by_qr < whole) ||
                      fabs(by_qr - whole) < 1e-9 * whole,
                  "%lld x %lld", (long long)m, (long long)n);
            CHECK(orr_gesvd_has_qr(&(orr_gesvd_opts){.qr = 1}, m, n) == (m > n) &&
                      !orr_gesvd_has_qr(&(orr_gesvd_opts){.qr = -1}, m, n),
                  "qr that was asked for, %lld x %lld", (long long)m, (long long)n);
        }
    }
}

static struct orr_ge2gb shaped(const orr_context *c, const orr_gesvd_opts *o, int64_t m, int64_t n,
                               int owners, int two_sided)
{
    struct orr_ge2gb r = {.type = ORR_D, .m = m, .n = n, .owners = {.count = owners}};
    orr_owners_deal(&r.owners);
    orr_gesvd_shape(c, o, m, two_sided, &r);
    return r;
}

static void gesvd_tiles(void)
{
    const orr_gesvd_opts none = {0}, own = {.band = 24, .tile = 240};
    for (int64_t n = 1; n < 30000; n = after(n))
        for (int workers = 0; workers < 20; workers += 3)
            for (int devices = 0; devices < 2; devices++) {
                const orr_context *c = machine(workers, devices);
                const int64_t m = n + n / 2, b = orr_most(orr_least(n < 1024 ? 32 : 64, n - 1), 1);
                const double wanted =
                    devices ? within((double)m / 3, 512, 8192)
                            : within((double)n / (8. * (workers > 1 ? workers : 1)), 192, 256);
                const struct orr_ge2gb r = shaped(c, &none, m, n, 0, 1);
                CHECK(r.b == b && tile_is(r.T, r.b, wanted, devices) && !r.whole &&
                          r.tile_rows == (m + r.T - 1) / r.T &&
                          (r.side[ORR_RIGHT].steps > 0) == (n > b + 1),
                      "n %lld, %d workers, %d devices: b %lld, T %lld, not %g", (long long)n,
                      workers, devices, (long long)r.b, (long long)r.T, wanted);
                const struct orr_ge2gb x = shaped(c, &own, m, n, 0, 1);
                const struct orr_ge2gb triangle = shaped(c, &none, m, n, 0, 0);
                CHECK(triangle.T % triangle.b == 0 && triangle.side[ORR_RIGHT].steps == 0,
                      "n %lld, a triangle: b %lld, T %lld", (long long)n, (long long)triangle.b,
                      (long long)triangle.T);
                CHECK(n <= 24 || (x.b == 24 && x.T == 240), "b %lld, T %lld", (long long)x.b,
                      (long long)x.T);
            }
    /* a triangle's band is wide, unless somebody asked for another */
    const orr_context *c = machine(2, 0);
    CHECK(shaped(c, &none, 900, 300, 0, 0).b == 64 && shaped(c, &none, 900, 300, 0, 1).b == 32 &&
              shaped(c, &none, 900, 64, 0, 0).b == 32 && shaped(c, &own, 900, 300, 0, 0).b == 24 &&
              shaped(c, &(orr_gesvd_opts){.band = 32, .tile = 256}, 900, 300, 0, 0).b == 32,
          "bands of triangles");
    /* a column has about 8192 tiles at most, but for one of a triangle, and one that was asked for */
    const int64_t long_one = 20000000;
    CHECK(shaped(c, &none, long_one, 1000, 0, 1).T >= long_one / 8192 - 16 &&
              shaped(c, &none, long_one, 1000, 0, 0).T <= 256 &&
              shaped(c, &own, long_one, 1000, 0, 1).T == 240,
          "tiles of a long column");
    const struct orr_ge2gb odd = shaped(machine(2, 1), &none, 2000, 900, 0, 0);
    CHECK(odd.b == 32 && odd.T % 64 == 32,
          "a triangle whose tiles are no multiple of 64: %lld, %lld", (long long)odd.b,
          (long long)odd.T);
    for (int owners = 0; owners < 4; owners++) {
        const orr_context *cuda = with_cuda(4, owners ? owners : 1, 132, 90);
        const struct orr_ge2gb two = shaped(cuda, &none, 4000, 3000, owners, 1);
        const struct orr_ge2gb one = shaped(cuda, &none, 4000, 3000, owners, 0);
        CHECK(two.whole == (owners == 1) && !one.whole &&
                  (two.where == ORR_ON_ACCELERATOR) == two.whole,
              "%d owners: whole %d", owners, two.whole);
        CHECK(!shaped(cuda, &none, 65537, 3000, owners, 1).whole,
              "a panel that no device takes, %d owners", owners);
        CHECK(!shaped(with_cuda(60, 1, 20, 75), &none, 4000, 3000, owners, 1).whole,
              "whole sides beside fast cores");
    }
}

int main(void)
{
    orr_context *ctx; /* StarPU, without the devices that this machine may have */
    setenv("ORRERY_PERFMODELS", "", 1);
    setenv("XDG_DATA_HOME", "/dev/null", 1);
    if (orr_open(&(orr_context_opts){.cpus = 1, .cudas = -1}, &ctx) != ORR_OK)
        return 77;
    for (int t = 0; t < ORR_NTYPES; t++) {
        heev_orders((orr_type)t);
        for (int vectors = 0; vectors < 2; vectors++)
            gesvd_orders((orr_type)t, vectors);
        gesvd_narrow((orr_type)t);
        gesvd_parts((orr_type)t);
    }
    heev_asked();
    gesvd_asked();
    heev_tiles();
    heev_owners();
    heev_long();
    gesvd_tiles();
    orr_context_forget(machine(1, 0));
    orr_close(ctx);
    return checked();
}
