/* gesvj as a graph: four types, shapes that are awkward for blocks of 16, 32 and 64 columns,
 * layouts with padding, U and V wanted or not, placements, bundles, batches of mixed sizes,
 * streams, bad input. Every result is judged by LAPACK's ddrvbd ratios (tests/svdgen.h), all <= 20.
 *
 * Arguments: "opencl": a part of it with an OpenCL worker as a second memory node; "few": a part.
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "orrery/orrery.h"
#include "svdgen.h"
#include "algorithms/open.h"
#include "check.h"

static const double LIMIT = 20;
static int accelerators;
static struct svd_ratios worst;

static void *allocate(int64_t count, size_t size)
{
    size_t bytes = (size_t)count * size + 64;
    void *p = malloc(bytes);
    if (!p)
        exit(99);
    memset(p, 0x5a, bytes);
    return p;
}

/* Elements of an array of matrices that lie outside of them and were written. */
static int64_t spoilt(const orr_batch *b)
{
    int64_t bad = 0;
    const size_t size = orr_type_size(b->type);
    const char *x = b->a;
    for (int64_t i = 0; i < b->stride * b->batch; i++)
        if (i % b->stride / b->ld >= b->n || i % b->stride % b->ld >= b->m)
            for (size_t k = 0; k < size; k++)
                bad += x[(size_t)i * size + k] != 0x5a;
    return bad;
}

static void judge(orr_type t, int64_t m, int64_t n, const void *a, int64_t ld, const void *s,
                  const void *u, int64_t ldu, const void *v, int64_t ldv, const char *what)
{
    struct svd_ratios r = svd_judge(t, m, n, a, ld, s, u, ldu, v, ldv);
    CHECK(r.residual <= LIMIT && r.left <= LIMIT && r.right <= LIMIT && r.sorted,
          "%c %s %lld x %lld: residual %.3g left %.3g right %.3g sorted %d", orr_type_letter(t),
          what, (long long)m, (long long)n, r.residual, r.left, r.right, r.sorted);
    worst.residual = fmax(worst.residual, r.residual);
    worst.left = fmax(worst.left, r.left);
    worst.right = fmax(worst.right, r.right);
}

static orr_batch array(orr_type t, int64_t batch, int64_t m, int64_t n, int64_t pad)
{
    orr_batch b = {.type = t, .batch = batch, .m = m, .n = n, .ld = m + pad};
    b.stride = b.ld * n + 2 * pad;
    b.a = allocate(b.stride * batch, orr_type_size(t));
    return b;
}

static char *matrix(const orr_batch *b, int64_t k)
{
    return (char *)b->a + (size_t)(k * b->stride) * orr_type_size(b->type);
}

/* A batch of one shape, matrix k of kind `kind` + k; nan_at < 0: none. */
static void uniform(orr_context *ctx, orr_type t, int64_t m, int64_t n, int64_t batch, int kind,
                    int64_t nan_at, const orr_gesvj_opts *opts)
{
    const int64_t k = m < n ? m : n, pad = (m + batch) % 3;
    orr_batch A = array(t, batch, m, n, pad), S = array(orr_type_real(t), batch, k, 1, pad);
    orr_batch U = array(t, batch, m, k, pad), V = array(t, batch, n, k, 2 * pad);
    orr_matrix_info *info = allocate(batch, sizeof *info);
    const int has_nan = nan_at >= 0 && nan_at < batch && k > 0;
    for (int64_t i = 0; i < batch; i++)
        svdgen((kind + (int)i) % svdgen_kinds(), t, m, n, (uint64_t)i, matrix(&A, i), A.ld);
    if (has_nan)
        put(t, matrix(&A, nan_at), (n - 1) * A.ld + m - 1, NAN);

    orr_gesvj_opts o = *opts;
    orr_report rep;
    o.check = 1;
    if (o.place > ORR_PLACE_CPU && accelerators == 0)
        o.place = ORR_PLACE_AUTO;
    orr_status st = orr_gesvj(ctx, &A, &S, &U, &V, &o, info, &rep);
    CHECK(st == (has_nan ? ORR_NONFINITE : ORR_OK), "%c %lld x %lld: status %d: %s",
          orr_type_letter(t), (long long)m, (long long)n, st, rep.message);
    for (int64_t i = 0; i < batch && st >= 0; i++) {
        if (has_nan && i == nan_at) {
            CHECK(info[i].status == ORR_NONFINITE && rep.index == i, "NaN at %lld", (long long)i);
            CHECK(isnan(creal(get(S.type, matrix(&S, i), 0))), "s of a NaN matrix");
            continue;
        }
        CHECK(info[i].status == ORR_OK, "status %d of matrix %lld", info[i].status, (long long)i);
        judge(t, m, n, matrix(&A, i), A.ld, matrix(&S, i), matrix(&U, i), U.ld, matrix(&V, i), V.ld,
              svdgen_name((kind + (int)i) % svdgen_kinds()));
        CHECK(strcmp(svdgen_name((kind + (int)i) % svdgen_kinds()), "denormals") == 0 ||
                  (info[i].residual <= LIMIT && info[i].orthogonality <= LIMIT),
              "own check %g %g", info[i].residual, info[i].orthogonality);
    }
    CHECK(spoilt(&S) == 0 && spoilt(&U) == 0 && spoilt(&V) == 0, "padding was written");

    /* The same values without vectors, to rounding: another number of updates, the same X. */
    orr_batch S2 = array(orr_type_real(t), batch, k, 1, pad);
    o.check = 0;
    st = orr_gesvj(ctx, &A, &S2, NULL, NULL, &o, NULL, &rep);
    CHECK(st == (has_nan ? ORR_NONFINITE : ORR_OK), "status %d: %s", st, rep.message);
    for (int64_t i = 0; i < batch && st >= 0; i++)
        CHECK((has_nan && i == nan_at) ||
                  !memcmp(matrix(&S, i), matrix(&S2, i), (size_t)k * orr_type_size(S.type)),
              "values of matrix %lld differ without vectors", (long long)i);
    free(A.a);
    free(S.a);
    free(S2.a);
    free(U.a);
    free(V.a);
    free(info);
}

/* Shape and type of frame or matrix number i of a colourful collection. */
static void colourful(int64_t i, int64_t *m, int64_t *n)
{
    static const int64_t shapes[][2] = {{70, 70}, {3, 8},   {90, 20},  {1, 1},  {66, 80},
                                        {0, 4},   {33, 33}, {129, 70}, {8, 100}};
    *m = shapes[i % 9][0];
    *n = shapes[i % 9][1];
}

static void mixed(orr_context *ctx, orr_type t)
{
    enum { BATCH = 27 };
    int64_t ms[BATCH], ns[BATCH], ks[BATCH], ones[BATCH], lds[BATCH];
    void *a[BATCH], *s[BATCH], *u[BATCH], *v[BATCH];
    size_t size = orr_type_size(t);
    orr_matrix_info info[BATCH];
    for (int i = 0; i < BATCH; i++) {
        colourful(i, &ms[i], &ns[i]);
        ks[i] = ms[i] < ns[i] ? ms[i] : ns[i];
        ones[i] = 1;
        lds[i] = ms[i] + i % 2;
        a[i] = allocate(lds[i] * ns[i], size);
        s[i] = allocate(ks[i], size);
        u[i] = allocate(ms[i] * ks[i], size);
        v[i] = allocate(ns[i] * ks[i], size);
        svdgen(i % svdgen_kinds(), t, ms[i], ns[i], (uint64_t)i, a[i], lds[i]);
    }
    orr_batch A = {.type = t, .batch = BATCH, .ms = ms, .ns = ns, .lds = lds, .as = a};
    orr_batch S = {.type = orr_type_real(t), .batch = BATCH, .ms = ks, .ns = ones, .as = s};
    orr_batch U = {.type = t, .batch = BATCH, .ms = ms, .ns = ks, .as = u};
    orr_batch V = {.type = t, .batch = BATCH, .ms = ns, .ns = ks, .as = v};
    orr_report rep;
    orr_status st = orr_gesvj(ctx, &A, &S, &U, &V, NULL, info, &rep);
    CHECK(st == ORR_OK, "mixed: status %d: %s", st, rep.message);
    for (int i = 0; i < BATCH; i++) {
        judge(t, ms[i], ns[i], a[i], lds[i], s[i], u[i], ms[i] ? ms[i] : 1, v[i], ns[i], "mixed");
        free(a[i]);
        free(s[i]);
        free(u[i]);
        free(v[i]);
    }
}

/* ---- Bundles ------------------------------------------------------------------------------- */

enum { BUNDLED = 17, BUNDLED_NAN = 5 };

struct solved {
    orr_batch A, S, U, V;
    orr_matrix_info info[BUNDLED];
    orr_report rep;
};

/* Matrices of all kinds, which need different numbers of sweeps, and one with NaN. */
static struct solved solve_together(orr_context *ctx, orr_type t, int64_t m, int64_t n,
                                    const orr_gesvj_opts *o)
{
    const int64_t k = m < n ? m : n;
    struct solved x = {.A = array(t, BUNDLED, m, n, 1),
                       .S = array(orr_type_real(t), BUNDLED, k, 1, 0),
                       .U = array(t, BUNDLED, m, k, 0),
                       .V = array(t, BUNDLED, n, k, 2)};
    for (int i = 0; i < BUNDLED; i++)
        svdgen(i % svdgen_kinds(), t, m, n, (uint64_t)i, matrix(&x.A, i), x.A.ld);
    put(t, matrix(&x.A, BUNDLED_NAN), m / 2, NAN);
    orr_status st = orr_gesvj(ctx, &x.A, &x.S, &x.U, &x.V, o, x.info, &x.rep);
    CHECK(st == ORR_NONFINITE && x.rep.index == BUNDLED_NAN, "status %d: %s", st, x.rep.message);
    return x;
}

static int same(const orr_batch *x, const orr_batch *y, int64_t i)
{
    return !memcmp(matrix(x, i), matrix(y, i), (size_t)x->stride * orr_type_size(x->type));
}

static void free_solved(struct solved *x)
{
    free(x->A.a);
    free(x->S.a);
    free(x->U.a);
    free(x->V.a);
}

/* What becomes of a matrix does not depend on the size of bundles, nor, but for the eigenvectors
 * that sweeps of CPUs may begin with, on where it was. */
static void bundles(orr_context *ctx, orr_type t, int64_t m, int64_t n)
{
    static const orr_gesvj_opts how[] = {
        {.place = ORR_PLACE_CPU, .block = 16, .precondition = 1},
        {.place = ORR_PLACE_GPU, .block = 16, .bundle = 1},
        {.place = ORR_PLACE_GPU, .block = 16, .bundle = 3},
        {.place = ORR_PLACE_GPU, .block = 16},
        {.place = ORR_PLACE_AUTO, .block = 16, .bundle = 2},
    };
    struct solved first = solve_together(ctx, t, m, n, &how[0]);
    int least = 100, most = 0;
    for (int i = 0; i < BUNDLED; i++)
        if (i != BUNDLED_NAN) {
            judge(t, m, n, matrix(&first.A, i), first.A.ld, matrix(&first.S, i),
                  matrix(&first.U, i), first.U.ld, matrix(&first.V, i), first.V.ld, "bundled");
            least = first.info[i].sweeps < least ? first.info[i].sweeps : least;
            most = first.info[i].sweeps > most ? first.info[i].sweeps : most;
        }
    CHECK(least < most, "all have %d sweeps", most);
    CHECK(strstr(first.rep.plan, "\"bundle\":0,\"on_device\":0"), "plan %s", first.rep.plan);
    for (size_t c = 1; c < sizeof how / sizeof *how && accelerators; c++) {
        struct solved x = solve_together(ctx, t, m, n, &how[c]);
        int on_device = 0;
        for (int i = 0; i < BUNDLED; i++) {
            CHECK(x.info[i].sweeps == first.info[i].sweeps && same(&x.S, &first.S, i) &&
                      same(&x.U, &first.U, i) && same(&x.V, &first.V, i),
                  "matrix %d with bundle %d, place %d", i, how[c].bundle, how[c].place);
            on_device += x.info[i].device != 0;
        }
        CHECK(how[c].place == ORR_PLACE_GPU ? on_device == BUNDLED - 1 : on_device < BUNDLED - 1,
              "%d matrices on devices, place %d", on_device, how[c].place);
        CHECK(!strstr(x.rep.plan, "\"bundle\":0,"), "plan %s", x.rep.plan);
        CHECK(how[c].place != ORR_PLACE_GPU || strstr(x.rep.plan, "\"ends\":\"device\""), "plan %s",
              x.rep.plan);
        free_solved(&x);
    }
    free_solved(&first);
}

/* ---- Streams ------------------------------------------------------------------------------ */

struct delivered {
    int64_t next, bad, order;
};

static void on_result(const orr_gesvj_result *r, void *arg)
{
    struct delivered *d = arg;
    const orr_gesvj_frame *f = &r->frame;
    int64_t m, n;
    colourful(r->number, &m, &n);
    d->order += r->number != d->next++;
    if (r->number == 9) { /* has NaN */
        CHECK(r->status == ORR_NONFINITE && r->info.status == ORR_NONFINITE, "frame 9: %d",
              r->status);
        d->bad++;
    } else {
        CHECK(r->status == ORR_OK && f->m == m && f->n == n, "frame %lld: status %d",
              (long long)r->number, r->status);
        judge(f->type, m, n, f->a, m ? m : 1, f->s, f->u, m ? m : 1, f->v, n, "frame");
    }
    CHECK(r->latency >= 0, "latency %g", r->latency);
    free(f->user); /* all of the frame's memory */
}

static orr_gesvj_frame make_frame(int64_t i)
{
    orr_gesvj_frame f = {.type = (orr_type)(i / 9 % ORR_NTYPES)};
    colourful(i, &f.m, &f.n);
    int64_t k = f.m < f.n ? f.m : f.n;
    size_t size = orr_type_size(f.type);
    char *room = allocate(f.m * f.n + k * (f.m + f.n + 1) + 4, size);
    f.user = room;
    f.a = room;
    f.u = room + (size_t)(f.m * f.n) * size;
    f.v = (char *)f.u + (size_t)(f.m * k) * size;
    f.s = (char *)f.v + (size_t)(f.n * k) * size;
    svdgen((int)i % svdgen_kinds(), f.type, f.m, f.n, (uint64_t)i, room, f.m);
    if (i == 9)
        put(f.type, room, 5, NAN);
    return f;
}

static void stream(orr_context *ctx, const orr_gesvj_opts *opts, int in_flight, int deliver)
{
    enum { FRAMES = 40 };
    struct delivered d = {0};
    orr_gesvj_stream *s;
    orr_gesvj_result r;
    orr_gesvj_stream_report rep;
    orr_status st = orr_gesvj_stream_open(ctx, opts, in_flight, deliver ? on_result : NULL, &d, &s);
    CHECK(st == ORR_OK, "open: %d", st);
    CHECK(orr_gesvj_stream_pop(s, 1, &r) == 0, "pop of an empty stream");
    for (int64_t i = 0; i < FRAMES; i++) {
        orr_gesvj_frame f = make_frame(i);
        if (i == 13) { /* a refused frame does not count and does not disturb */
            orr_gesvj_frame wrong = f;
            wrong.m = -1;
            CHECK(orr_gesvj_stream_push(s, &wrong) == ORR_E_ARG, "m = -1 was taken");
        }
        st = orr_gesvj_stream_push(s, &f);
        CHECK(st == ORR_OK, "push: %d", st);
        while (!deliver && i % 5 == 4 && orr_gesvj_stream_pop(s, i % 2, &r))
            on_result(&r, &d);
    }
    while (!deliver && orr_gesvj_stream_pop(s, 1, &r))
        on_result(&r, &d);
    st = orr_gesvj_stream_close(s, &rep);
    CHECK(st == ORR_NONFINITE, "close: %d", st);
    CHECK(d.next == FRAMES && d.order == 0 && d.bad == 1, "%lld results, %lld out of order",
          (long long)d.next, (long long)d.order);
    const int gpu = opts && opts->place == ORR_PLACE_GPU; /* 3 of 9 are graphs */
    CHECK(gpu ? rep.on_device == 12 : rep.on_device == 0 || accelerators, "%lld on devices",
          (long long)rep.on_device);
    CHECK(rep.frames == FRAMES && rep.seconds > 0 && rep.latency_max >= rep.latency_median,
          "report: %lld frames, %g s", (long long)rep.frames, rep.seconds);
}

/* Left open with results inside: close waits, and forgets what nobody took. */
static void abandoned(orr_context *ctx)
{
    orr_gesvj_stream *s;
    orr_gesvj_frame f[3] = {make_frame(0), make_frame(1), make_frame(2)};
    orr_gesvj_stream_open(ctx, NULL, 0, NULL, NULL, &s);
    for (int i = 0; i < 3; i++)
        orr_gesvj_stream_push(s, &f[i]);
    CHECK(orr_gesvj_stream_close(s, NULL) == ORR_OK, "close");
    for (int i = 0; i < 3; i++)
        free(f[i].user);
    CHECK(orr_gesvj_stream_close(NULL, NULL) == ORR_E_ARG, "close of NULL");
}

/* What no frame could be solved with is refused before there are frames. */
static void wrong_options(orr_context *ctx)
{
    const orr_gesvj_opts wrong[] = {{.block = 5},       {.bundle = 65}, {.tol = -1},
                                    {.max_sweeps = -1}, {.chunk = -1},  {.place = ORR_NPLACES}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        orr_gesvj_stream *s = NULL;
        const orr_status st = orr_gesvj_stream_open(ctx, &wrong[i], 0, NULL, NULL, &s);
        CHECK(st == ORR_E_ARG && !s, "options %zu: status %d", i, st);
        if (s)
            orr_gesvj_stream_close(s, NULL);
    }
}

/* ---- Bad arguments, and what does not converge -------------------------------------------- */

static void arguments(orr_context *ctx)
{
    double a[6] = {1, 2, 3, 4, 5, 6}, s[2] = {7, 8}, u[6] = {0}, v[4] = {0};
    const orr_batch A = {.type = ORR_D, .batch = 1, .m = 3, .n = 2, .a = a};
    const orr_batch S = {.type = ORR_D, .batch = 1, .m = 2, .n = 1, .a = s};
    const orr_batch U = {.type = ORR_D, .batch = 1, .m = 3, .n = 2, .a = u};
    const orr_batch V = {.type = ORR_D, .batch = 1, .m = 2, .n = 2, .a = v};
#define REFUSED(why, change, ...)                                                                  \
    do {                                                                                           \
        orr_batch x = A, y = S, z = U, w = V;                                                      \
        orr_report rep;                                                                            \
        change;                                                                                    \
        orr_status st =                                                                            \
            orr_gesvj(ctx, &x, &y, &z, &w, &(orr_gesvj_opts){__VA_ARGS__}, NULL, &rep);            \
        CHECK(st == ORR_E_ARG && strstr(rep.message, why), "status %d '%s'", st, rep.message);     \
    } while (0)
    REFUSED("negative", x.m = -1, .tol = 0);
    REFUSED("shape", x.n = 3, .tol = 0);
    REFUSED("8192", x.m = x.n = y.m = z.m = z.n = w.m = w.n = 8193, .tol = 0);
    REFUSED("8192", (x.m = z.m = INT32_MAX, x.n = w.m = w.n = z.n = y.m = 2), .tol = 0);
    REFUSED("leading", x.ld = 2, .tol = 0);
    REFUSED("A.a is NULL", x.a = NULL, .tol = 0);
    REFUSED("s.a is NULL", y.a = NULL, .tol = 0);
    REFUSED("U.a is NULL", z.a = NULL, .tol = 0);
    REFUSED("V.a is NULL", w.a = NULL, .tol = 0);
    REFUSED("type", y.type = ORR_S, .tol = 0);
    REFUSED("type", z.type = ORR_Z, .tol = 0);
    REFUSED("type", w.type = ORR_S, .tol = 0);
    REFUSED("same size", w.batch = 2, .tol = 0);
    REFUSED("same size", x.batch = y.batch = z.batch = w.batch = -1, .tol = 0);
    REFUSED("stride", (x.batch = y.batch = z.batch = w.batch = 2, x.stride = 5), .tol = 0);
    REFUSED("shape", y.n = 2, .tol = 0);
    REFUSED("shape", z.n = 3, .tol = 0);
    REFUSED("shape", w.m = 3, .tol = 0);
    REFUSED("type", x.type = (orr_type)7, .tol = 0);
    REFUSED("range", (void)x, .tol = -1);
    REFUSED("range", (void)x, .tol = 1);
    REFUSED("range", (void)x, .tol = NAN);
    REFUSED("range", (void)x, .chunk = -1);
    REFUSED("range", (void)x, .max_sweeps = -1);
    REFUSED("block", (void)x, .block = 17);
    REFUSED("bundle", (void)x, .bundle = -1);
    REFUSED("bundle", (void)x, .bundle = 65);
    REFUSED("place", (void)x, .place = ORR_NPLACES);
    const int64_t ms[] = {3}, ns[] = {2}, short_ld[] = {1}, tall[] = {4};
    void *as[] = {a}, *ss[] = {s}, *us[] = {u}, *vs[] = {v}, *none[] = {NULL};
    const orr_batch mixed_A = {.type = ORR_D, .batch = 1, .ms = ms, .ns = ns, .as = as};
    const orr_batch mixed_S = {.type = ORR_D, .batch = 1, .as = ss};
    const orr_batch mixed_U = {.type = ORR_D, .batch = 1, .as = us};
    const orr_batch mixed_V = {.type = ORR_D, .batch = 1, .as = vs};
#define REFUSED_MIXED(why, change)                                                                 \
    REFUSED(why, x = mixed_A; y = mixed_S; z = mixed_U; w = mixed_V; change, .tol = 0)
    REFUSED_MIXED("mixed", w = V);
    REFUSED_MIXED("A.ms is NULL", x.ms = NULL);
    REFUSED_MIXED("A.ns is NULL", x.ns = NULL);
    REFUSED_MIXED("leading", x.lds = ns);
    REFUSED_MIXED("A.as is NULL", x.as = none);
    REFUSED_MIXED("s.as is NULL", y.as = none);
    REFUSED_MIXED("U.as is NULL", z.as = none);
    REFUSED_MIXED("wrong shape", z.ms = tall);
    REFUSED_MIXED("wrong shape", z.lds = ns);
    REFUSED_MIXED("wrong shape", w.lds = short_ld);
    REFUSED_MIXED("V.as is NULL", w.as = none);
    CHECK(a[0] == 1 && a[5] == 6 && s[0] == 7, "arrays were touched");
    orr_report rep;
    const orr_gesvj_opts check = {.check = 1};
    CHECK(orr_gesvj(ctx, &A, &S, &U, NULL, &check, NULL, &rep) == ORR_E_ARG, "check without V");
    CHECK(orr_gesvj(ctx, &A, &S, NULL, &V, &check, NULL, &rep) == ORR_E_ARG, "check without U");
}

/* The oldest result without waiting for it, which must be there within a minute. */
static int polled(orr_gesvj_stream *s, orr_gesvj_result *r)
{
    const struct timespec nap = {.tv_nsec = 10000000};
    int got = orr_gesvj_stream_pop(s, 0, r);
    for (int k = 0; k < 6000 && !got; k++) {
        nanosleep(&nap, NULL);
        got = orr_gesvj_stream_pop(s, 0, r);
    }
    return got;
}

/* Frames without a task leave like others, in their order. */
static void empty_frames(orr_context *ctx)
{
    static const int64_t shape[][2] = {{0, 0}, {3, 0}, {3, 3}, {0, 3}};
    double a[9] = {3, 0, 0, 0, 2, 0, 0, 0, 1}, s[3];
    orr_gesvj_stream *stream;
    orr_gesvj_result r;
    orr_gesvj_stream_open(ctx, NULL, 0, NULL, NULL, &stream);
    for (int k = 0; k < 4; k++) {
        const orr_gesvj_frame f = {
            .type = ORR_D, .m = shape[k][0], .n = shape[k][1], .a = a, .s = s};
        CHECK(orr_gesvj_stream_push(stream, &f) == ORR_OK, "push of %lld x %lld", (long long)f.m,
              (long long)f.n);
    }
    for (int k = 0; k < 4; k++)
        CHECK(polled(stream, &r) && r.number == k && r.status == ORR_OK, "frame %d", k);
    orr_gesvj_stream_close(stream, NULL);
}

/* A place is as it was asked for, or the call fails: in a batch and in a stream. */
static void places(orr_context *ctx, int64_t n)
{
    static const char *const names[ORR_NPLACES] = {"auto", "cpu", "gpu", "pipeline", "mirror"};
    orr_batch A = array(ORR_D, 1, n, n, 0), S = array(ORR_D, 1, n, 1, 0);
    svdgen(0, ORR_D, n, n, 1, A.a, A.ld);
    for (int place = 0; place < ORR_NPLACES; place++) {
        const orr_gesvj_opts o = {.place = (orr_place)place};
        const int none = place > ORR_PLACE_CPU && accelerators == 0;
        orr_report rep;
        orr_status st = orr_gesvj(ctx, &A, &S, NULL, NULL, &o, NULL, &rep);
        CHECK(st == (none ? ORR_E_NOWORKER : ORR_OK), "place %s: status %d: %s", names[place], st,
              rep.message);
        const char *came_to = place == 0 && accelerators == 0 ? "cpu" : names[place];
        char text[64];
        snprintf(text, sizeof text, "\"place\":\"%s\",\"place_asked\":\"%s\"", came_to,
                 names[place]);
        CHECK(none || strstr(rep.plan, text), "plan %s lacks %s", rep.plan, text);

        orr_gesvj_stream *s;
        orr_gesvj_result r;
        const orr_gesvj_frame f = {.type = ORR_D, .m = n, .n = n, .a = A.a, .s = S.a};
        orr_gesvj_stream_open(ctx, &o, 0, NULL, NULL, &s);
        CHECK(orr_gesvj_stream_push(s, &f) == ORR_OK && orr_gesvj_stream_pop(s, 1, &r) == 1 &&
                  r.status == st && orr_gesvj_stream_push(s, &f) == ORR_OK && polled(s, &r) == 1 &&
                  r.status == st && orr_gesvj_stream_close(s, NULL) == st,
              "stream, place %s", names[place]);
    }
    free(A.a);
    free(S.a);
}

static void too_few_sweeps(orr_context *ctx, int64_t n)
{
    orr_batch A = array(ORR_D, 1, n, n, 0), S = array(ORR_D, 1, n, 1, 0);
    orr_matrix_info info;
    orr_report rep;
    svdgen(0, ORR_D, n, n, 1, A.a, A.ld);
    orr_status st =
        orr_gesvj(ctx, &A, &S, NULL, NULL, &(orr_gesvj_opts){.max_sweeps = 1}, &info, &rep);
    CHECK(st == ORR_NOCONV && info.status == ORR_NOCONV && info.sweeps == 1, "status %d, sweeps %d",
          st, info.sweeps);
    free(A.a);
    free(S.a);
}

int main(int argc, char **argv)
{
    const int opencl = variant(argc, argv);
    orr_context *ctx = open_context(opencl);
    orr_context_info ci;
    orr_context_query(ctx, &ci);
    accelerators = ci.cuda + (opencl ? ci.opencl : 0);
    static const int64_t shapes[][2] = {{0, 0},   {1, 1},     {2, 2},     {3, 3},    {5, 5},
                                        {31, 31}, {32, 32},   {33, 33},   {63, 63},  {64, 64},
                                        {65, 65}, {100, 100}, {129, 129}, {300, 66}, {66, 300},
                                        {500, 7}, {7, 500}};
    for (int t = 0; t < ORR_NTYPES; t++) {
        worst = (struct svd_ratios){0};
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
            static const int blocks[] = {0, 16, 64};
            if (left_out())
                continue;
            const int64_t m = shapes[i][0], n = shapes[i][1];
            const orr_gesvj_opts o = {.block = blocks[i % 3],
                                      .precondition = i % 4 == 3 ? -1 : 0,
                                      .place = (orr_place)(i % ORR_NPLACES)};
            uniform(ctx, (orr_type)t, m, n, m * n > 4096 ? 4 : 9, (int)(7 * i) + t, i % 3 ? 1 : -1,
                    &o);
        }
        for (int place = 0; place < ORR_NPLACES; place++)
            if (one_in == 1 || place % ORR_NTYPES == t)
                uniform(ctx, (orr_type)t, 100, 90, 3, 3 * place, 0,
                        &(orr_gesvj_opts){.place = (orr_place)place});
        /* so many that they become lanes, in chunks of any size, the last lanes empty */
        uniform(ctx, (orr_type)t, 45, 39, 37, t, 20, &(orr_gesvj_opts){0});
        uniform(ctx, (orr_type)t, 7, 12, 70, t, 33, &(orr_gesvj_opts){.chunk = 19});
        mixed(ctx, (orr_type)t);
        bundles(ctx, (orr_type)t, t % 2 ? 70 : 90, t % 2 ? 95 : 75);
        printf("%c: worst |A-USV'| %.2f, |I-U'U| %.2f, |I-V'V| %.2f (limit %g)\n",
               orr_type_letter((orr_type)t), worst.residual, worst.left, worst.right, LIMIT);
    }
    for (int in_flight = 0; in_flight < 4; in_flight++)
        for (int deliver = 0; deliver < 2; deliver++)
            stream(ctx, NULL, in_flight, deliver);
    if (accelerators)
        for (int in_flight = 0; in_flight < 3; in_flight++)
            stream(ctx, &(orr_gesvj_opts){.place = ORR_PLACE_GPU, .bundle = in_flight}, in_flight,
                   1);
    abandoned(ctx);
    wrong_options(ctx);
    too_few_sweeps(ctx, 40);
    too_few_sweeps(ctx, 100);
    empty_frames(ctx);
    places(ctx, 40);
    places(ctx, 100);
    arguments(ctx);
    orr_close(ctx);
    return checked();
}
