/* Answers: a matrix, of a band or dense. SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "numbers.h"
#include "vgpu/answers.h"

static void hb2st_at(orr_context *ctx, orr_type t, const orr_hb2st_opts *how)
{
    enum { B = 5 };
    const int64_t N = size_or(45);
    orr_hb2st_opts o = *how;
    orr_report r;
    void *ab = numbers(t, (B + 1) * N, 10), *q = numbers(t, N * N, 1);
    char *d = numbers(orr_type_real(t), N, 1), *e = numbers(orr_type_real(t), N, 1);
    make_real(t, ab, N, B + 1);
    o.q = q;
    o.ldq = N;
    done(orr_hb2st(ctx, t, 'L', N, B, ab, B + 1, d, e, &o, &r), &r);
    tell(t, "d", orr_type_real(t), d, N);
    tell(t, "e", orr_type_real(t), e, N - 1);
    if (o.vect == 'Q')
        tell(t, "q", t, q, N * N);
    free(ab), free(q), free(d), free(e);
}

void hb2st(orr_context *ctx, orr_type t)
{
    hb2st_at(ctx, t, &(orr_hb2st_opts){.vect = 'Q', .place = ORR_PLACE_GPU, .D = 17, .G = 3});
}

/* More blocks and carries than four tasks have. */
void hb2st_blocks(orr_context *ctx, orr_type t)
{
    hb2st_at(ctx, t, &(orr_hb2st_opts){.vect = 'N', .place = ORR_PLACE_GPU, .D = 6, .G = 1});
}

static void gb2bd_at(orr_context *ctx, orr_type t, int vectors, const orr_gb2bd_opts *how)
{
    enum { KL = 2, KU = 4 };
    const int64_t N = size_or(41), M = N + 2;
    orr_gb2bd_opts o = *how;
    orr_report r;
    void *ab = numbers(t, (KL + KU + 1) * N, 11), *u = numbers(t, M * N, 1),
         *v = numbers(t, N * N, 1);
    void *d = numbers(orr_type_real(t), N, 1), *e = numbers(orr_type_real(t), N, 1);
    if (vectors) {
        o.u = u, o.ldu = M;
        o.v = v, o.ldv = N;
    }
    done(orr_gb2bd(ctx, t, M, N, KL, KU, ab, KL + KU + 1, d, e, &o, &r), &r);
    tell(t, "d", orr_type_real(t), d, N);
    tell(t, "e", orr_type_real(t), e, N - 1);
    if (vectors) {
        tell(t, "u", t, u, M * N);
        tell(t, "v", t, v, N * N);
    }
    free(ab), free(u), free(v), free(d), free(e);
}

void gb2bd(orr_context *ctx, orr_type t)
{
    gb2bd_at(ctx, t, 0,
             &(orr_gb2bd_opts){.place = ORR_PLACE_GPU, .tw = 3, .rows = 14, .sweeps = 2});
}

void gb2bd_vectors(orr_context *ctx, orr_type t)
{
    gb2bd_at(ctx, t, 1, &(orr_gb2bd_opts){.place = ORR_PLACE_GPU, .rows = 14, .sweeps = 2});
}

static void heev_tiled(orr_context *ctx, orr_type t, int vectors, int64_t n, int64_t b,
                       int64_t tile)
{
    const orr_heev_opts o = {.band = b, .tile = tile, .place = ORR_PLACE_GPU};
    orr_report r;
    void *a = numbers(t, n * n, 12), *z = numbers(t, n * n, 1),
         *w = numbers(orr_type_real(t), n, 1);
    make_real(t, a, n, n + 1);
    done(orr_heev(ctx, t, 'L', n, a, n, w, vectors ? z : NULL, n, &o, &r), &r);
    tell(t, "w", orr_type_real(t), w, n);
    if (vectors)
        tell(t, "z", t, z, n * n);
    free(a), free(z), free(w);
}

static void heev_at(orr_context *ctx, orr_type t, int vectors)
{
    const int64_t n = size_or(53), small = n < 100;
    heev_tiled(ctx, t, vectors, n, small ? 4 : 8, small ? 16 : 32);
}

void heev(orr_context *ctx, orr_type t) { heev_at(ctx, t, 1); }

static void add(orr_type t, void *x, int64_t i, double real)
{
    if (t == ORR_S || t == ORR_C)
        ((float *)x)[t == ORR_C ? 2 * i : i] += (float)real;
    else
        ((double *)x)[t == ORR_Z ? 2 * i : i] += real;
}

static void hbev_of(orr_context *ctx, orr_type t, int64_t n, int64_t b, void *ab)
{
    orr_report r;
    void *z = numbers(t, n * n, 1), *w = numbers(orr_type_real(t), n, 1);
    done(orr_hbev(ctx, t, 'L', n, b, ab, b + 1, w, z, n, &(orr_hbev_opts){.place = ORR_PLACE_GPU},
                  &r),
         &r);
    tell(t, "w", orr_type_real(t), w, n);
    tell(t, "z", t, z, n * n);
    free(ab), free(w), free(z);
}

void hbev(orr_context *ctx, orr_type t)
{
    const int64_t n = size_or(53), b = 6;
    hbev_of(ctx, t, n, b, numbers(t, n * (b + 1), 15));
}

/* Two levels of merges on devices, the outermost in two parts; few columns are deflated. */
void heev_merge(orr_context *ctx, orr_type t)
{
    const int64_t n = size_or(1100);
    void *ab = numbers(t, 2 * n, 15);
    for (int64_t i = 0; i < n; i++)
        add(t, ab, 2 * i + 1, 8);
    hbev_of(ctx, t, n, 1, ab);
}

void heev_values(orr_context *ctx, orr_type t) { heev_at(ctx, t, 0); }

/* More tiles than four tasks have. */
void heev_tiles(orr_context *ctx, orr_type t) { heev_tiled(ctx, t, 0, size_or(192), 8, 16); }

/* The same with vectors: of each step what is applied afterwards is kept. */
void heev_steps(orr_context *ctx, orr_type t) { heev_tiled(ctx, t, 1, size_or(112), 2, 32); }

void hegv(orr_context *ctx, orr_type t)
{
    const int64_t n = size_or(53), b = n < 100 ? 4 : 8;
    const orr_hegv_opts o = {
        .heev = {.band = b, .tile = n < 100 ? 16 : 32, .place = ORR_PLACE_GPU}};
    orr_report r;
    void *a = numbers(t, n * n, 12), *m = numbers(t, n * n, 13), *z = numbers(t, n * n, 1),
         *w = numbers(orr_type_real(t), n, 1);
    make_real(t, a, n, n + 1);
    make_real(t, m, n, n + 1);
    for (int64_t i = 0; i < n; i++)
        add(t, m, i * (n + 1), (double)(2 * n));
    done(orr_hegv(ctx, t, 'L', n, a, n, m, n, w, z, n, &o, &r), &r);
    tell(t, "w", orr_type_real(t), w, n);
    tell(t, "z", t, z, n * n);
    free(a), free(m), free(z), free(w);
}

static void gesvd_at(orr_context *ctx, orr_type t, int vectors)
{
    const int64_t n = size_or(37), m = n + 16, b = n < 100 ? 4 : 8;
    const orr_gesvd_opts o = {.band = b, .tile = n < 100 ? 16 : 32, .place = ORR_PLACE_GPU};
    orr_report r;
    void *a = numbers(t, m * n, 13), *u = numbers(t, m * n, 1), *v = numbers(t, n * n, 1);
    void *s = numbers(orr_type_real(t), n, 1);
    done(orr_gesvd(ctx, t, m, n, a, m, s, vectors ? u : NULL, m, vectors ? v : NULL, n, &o, &r),
         &r);
    tell(t, "s", orr_type_real(t), s, n);
    if (vectors) {
        tell(t, "u", t, u, m * n);
        tell(t, "v", t, v, n * n);
    }
    free(a), free(u), free(v), free(s);
}

void gesvd(orr_context *ctx, orr_type t) { gesvd_at(ctx, t, 1); }
void gesvd_values(orr_context *ctx, orr_type t) { gesvd_at(ctx, t, 0); }
