/* gesvj in streams: results in order, whether they are fetched or delivered, frames of all types
 * and of no size, what is refused, streams left open; and places, which are as they were asked
 * for, in a batch and in a stream.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algorithms/gesvj_case.h"
#include "check.h"

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

void gesvj_streams(orr_context *ctx)
{
    for (int in_flight = 0; in_flight < 4; in_flight++)
        for (int deliver = 0; deliver < 2; deliver++)
            stream(ctx, NULL, in_flight, deliver);
    if (accelerators)
        for (int in_flight = 0; in_flight < 3; in_flight++)
            stream(ctx, &(orr_gesvj_opts){.place = ORR_PLACE_GPU, .bundle = in_flight}, in_flight,
                   1);
    abandoned(ctx);
    wrong_options(ctx);
    empty_frames(ctx);
}

/* A place is as it was asked for, or the call fails: in a batch and in a stream. */
void gesvj_places(orr_context *ctx, int64_t n)
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
