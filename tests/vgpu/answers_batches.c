/* Answers: batches, and matrices that keep coming. SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "check.h"
#include "vgpu/answers.h"

static void heevj_at(orr_context *ctx, orr_type t, int64_t n, int64_t batch,
                     const orr_heevj_opts *o)
{
    orr_report r;
    void *a = numbers(t, batch * n * n, 7), *w = numbers(orr_type_real(t), batch * n, 1);
    const orr_batch A = {.type = t, .batch = batch, .m = n, .n = n, .a = a};
    const orr_batch W = {.type = orr_type_real(t), .batch = batch, .m = n, .n = 1, .a = w};
    for (int64_t k = 0; k < batch; k++)
        make_real(t, (char *)a + (size_t)(k * n * n) * orr_type_size(t), n, n + 1);
    done(orr_heevj(ctx, &A, &W, o, NULL, &r), &r);
    tell(t, "w", orr_type_real(t), w, batch * n);
    tell(t, "vectors", t, a, batch * n * n);
    free(a), free(w);
}

void heevj(orr_context *ctx, orr_type t)
{
    heevj_at(ctx, t, 13, size_or(17), &(orr_heevj_opts){.method = ORR_METHOD_JACOBI, .chunk = 3});
}

void heevj_block(orr_context *ctx, orr_type t)
{
    heevj_at(ctx, t, 37, size_or(5), &(orr_heevj_opts){.method = ORR_METHOD_BLOCK, .chunk = 2});
}

void heevj_lanes(orr_context *ctx, orr_type t)
{
    heevj_at(ctx, t, 37, size_or(5), &(orr_heevj_opts){.chunk = 2});
}

static void gesvj_at(orr_context *ctx, orr_type t, int64_t m, int64_t n, int64_t batch,
                     orr_place place)
{
    const orr_gesvj_opts o = {.block = 16, .chunk = 3, .bundle = 2, .place = place};
    orr_report r;
    void *a = numbers(t, batch * m * n, 9), *u = numbers(t, batch * m * n, 1);
    void *v = numbers(t, batch * n * n, 1), *s = numbers(orr_type_real(t), batch * n, 1);
    const orr_batch A = {.type = t, .batch = batch, .m = m, .n = n, .a = a};
    const orr_batch U = {.type = t, .batch = batch, .m = m, .n = n, .a = u};
    const orr_batch V = {.type = t, .batch = batch, .m = n, .n = n, .a = v};
    const orr_batch S = {.type = orr_type_real(t), .batch = batch, .m = n, .n = 1, .a = s};
    done(orr_gesvj(ctx, &A, &S, &U, &V, &o, NULL, &r), &r);
    tell(t, "s", orr_type_real(t), s, batch * n);
    tell(t, "u", t, u, batch * m * n);
    tell(t, "v", t, v, batch * n * n);
    free(a), free(u), free(v), free(s);
}

void gesvj(orr_context *ctx, orr_type t) { gesvj_at(ctx, t, 23, 19, size_or(7), ORR_PLACE_GPU); }
void gesvj_blocks(orr_context *ctx, orr_type t) { gesvj_at(ctx, t, 75, 66, 2, ORR_PLACE_GPU); }
void gesvj_pipeline(orr_context *ctx, orr_type t)
{
    gesvj_at(ctx, t, 75, 66, 2, ORR_PLACE_PIPELINE);
}
void gesvj_mirror(orr_context *ctx, orr_type t) { gesvj_at(ctx, t, 75, 66, 2, ORR_PLACE_MIRROR); }

/* Matrices that keep coming, of these shapes in turn. */
static const int shapes[][2] = {{75, 66}, {40, 52}, {70, 69}, {66, 81}};

static void gesvj_stream_of(orr_context *ctx, orr_type t, int64_t kinds, int64_t frames,
                            int in_flight)
{
    enum { MOST = 66 * 81, VALUES = 69 };
    const orr_gesvj_opts o = {.block = 16, .bundle = 2, .place = ORR_PLACE_GPU};
    orr_gesvj_stream *stream;
    char *a = numbers(t, frames * MOST, 9), *u = numbers(t, frames * MOST, 1);
    char *v = numbers(t, frames * MOST, 1), *s = numbers(orr_type_real(t), frames * VALUES, 1);
    const size_t of = orr_type_size(t), real = orr_type_size(orr_type_real(t));
    CHECK(orr_gesvj_stream_open(ctx, &o, in_flight, NULL, NULL, &stream) == ORR_OK, "%s", name);
    int64_t at_a = 0, at_s = 0, at_u = 0, at_v = 0;
    for (int64_t k = 0; k < frames; k++) {
        const int64_t m = shapes[k % kinds][0], n = shapes[k % kinds][1], less = m < n ? m : n;
        const orr_gesvj_frame f = {.type = t,
                                   .m = m,
                                   .n = n,
                                   .a = a + (size_t)at_a * of,
                                   .s = s + (size_t)at_s * real,
                                   .u = u + (size_t)at_u * of,
                                   .v = v + (size_t)at_v * of};
        CHECK(orr_gesvj_stream_push(stream, &f) == ORR_OK, "%s", name);
        at_a += m * n, at_s += less, at_u += m * less, at_v += n * less;
    }
    CHECK(orr_gesvj_stream_close(stream, NULL) == ORR_OK, "%s", name);
    tell(t, "s", orr_type_real(t), s, at_s);
    tell(t, "u", t, u, at_u);
    tell(t, "v", t, v, at_v);
    free(a), free(u), free(v), free(s);
}

void gesvj_stream(orr_context *ctx, orr_type t) { gesvj_stream_of(ctx, t, 1, size_or(4), 3); }
void gesvj_shapes(orr_context *ctx, orr_type t) { gesvj_stream_of(ctx, t, 4, size_or(4), 12); }
