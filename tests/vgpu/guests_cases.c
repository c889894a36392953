/* The operations that guests.c calls: with columns apart, other types, numbers that are scaled, and some arrays
 * at home.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include "arrays.h"
#include "guests.h"

static orr_status heev(struct arrays *x, orr_report *report)
{
    const int64_t ld = N + GAP;
    void *w = array(x, N), *z = array(x, ld * N - GAP), *a = array(x, ld * N - GAP);
    return orr_heev(ctx, ORR_D, 'U', N, a, ld, w, z, ld,
                    &(orr_heev_opts){.place = place, .method = ORR_DENSE_TWO_STAGE}, report);
}

/* Beyond the range in which nothing is scaled. */
static orr_status heev_scaled(struct arrays *x, orr_report *report)
{
    void *w = array(x, N), *z = array(x, N * N), *a = array(x, N * N);
    for (int64_t i = 0; i < N * N; i++)
        x->home[2][i] *= 1e250;
    refill(x, 2);
    return orr_heev(ctx, ORR_D, 'L', N, a, N, w, z, N,
                    &(orr_heev_opts){.place = place, .method = ORR_DENSE_TWO_STAGE}, report);
}

/* The band is in main memory. */
static orr_status hbev(struct arrays *x, orr_report *report)
{
    void *w = array(x, N), *z = array(x, N * N), *ab = array_at_home(x, (BAND + 1) * N);
    return orr_hbev(ctx, ORR_D, 'U', N, BAND, ab, BAND + 1, w, z, N,
                    &(orr_hbev_opts){.place = place, .method = ORR_DENSE_TWO_STAGE}, report);
}

static orr_status heev_direct(struct arrays *x, orr_report *report)
{
    void *w = array(x, N), *z = array(x, N * N), *a = array(x, N * N);
    return orr_heev(ctx, ORR_D, 'L', N, a, N, w, z, N, NULL, report);
}

static orr_status heev_interval(struct arrays *x, orr_report *report)
{
    void *w = array(x, N), *z = array(x, N * N), *a = array(x, N * N);
    return orr_heev(
        ctx, ORR_D, 'L', N, a, N, w, z, N,
        &(orr_heev_opts){.vl = -1, .vu = 1, .place = place, .method = ORR_DENSE_TWO_STAGE}, report);
}

/* B is positive definite by its diagonal. */
static orr_status generalized(struct arrays *x, char uplo, double scale, orr_dense_method method,
                              int problem, orr_report *report)
{
    const int64_t ld = N + GAP;
    void *w = array(x, N), *z = array(x, ld * N - GAP), *b = array(x, ld * N - GAP),
         *a = array(x, N * N);
    for (int64_t i = 0; i < N; i++)
        x->home[2][i * (ld + 1)] = 2 * N;
    for (int64_t i = 0; i < x->length[2]; i++)
        x->home[2][i] *= scale;
    refill(x, 2);
    return orr_hegv(
        ctx, ORR_D, uplo, N, a, N, b, ld, w, z, ld,
        &(orr_hegv_opts){.problem = problem,
                         .heev = {.place = method == ORR_DENSE_LAPACK ? ORR_PLACE_AUTO : place,
                                  .method = method,
                                  .band = method == ORR_DENSE_LAPACK ? 0 : BAND,
                                  .tile = method == ORR_DENSE_LAPACK ? 0 : 4 * BAND}},
        report);
}
static orr_status hegv(struct arrays *x, orr_report *report)
{
    return generalized(x, 'L', 1, ORR_DENSE_TWO_STAGE, 1, report);
}
static orr_status hegv_upper(struct arrays *x, orr_report *report)
{
    return generalized(x, 'U', 1, ORR_DENSE_TWO_STAGE, 3, report);
}
static orr_status hegv_scaled(struct arrays *x, orr_report *report)
{
    return generalized(x, 'L', 1e250, ORR_DENSE_TWO_STAGE, 2, report);
}
static orr_status hegv_direct(struct arrays *x, orr_report *report)
{
    return generalized(x, 'L', 1, ORR_DENSE_LAPACK, 1, report);
}

static orr_status sterf(struct arrays *x, orr_report *report)
{
    void *w = array(x, N), *d = array(x, N), *e = array(x, N - 1);
    return orr_sterf(ctx, ORR_D, N, d, e, w, NULL, report);
}

static orr_status hb2st(struct arrays *x, orr_report *report)
{
    void *d = array(x, N), *e = array(x, N - 1), *q = array(x, (N + GAP) * N - GAP);
    void *ab = array(x, (BAND + 1) * N);
    return orr_hb2st(ctx, ORR_D, 'L', N, BAND, ab, BAND + 1, d, e,
                     &(orr_hb2st_opts){.vect = 'Q', .q = q, .ldq = N + GAP, .place = place},
                     report);
}

static orr_status hb2st_apply(struct arrays *x, orr_report *report)
{
    orr_hb2st_factor *factor = NULL;
    double *ab = numbers((BAND + 1) * N, 3), *d = numbers(N, 3), *e = numbers(N, 3);
    void *E = array(x, (N + GAP) * M - GAP);
    orr_status st = orr_hb2st(ctx, ORR_D, 'L', N, BAND, ab, BAND + 1, d, e,
                              &(orr_hb2st_opts){.vect = 'V', .factor = &factor}, report);
    if (st == ORR_OK)
        st = orr_hb2st_apply(ctx, factor, 'C', M, E, N + GAP, report);
    orr_hb2st_drop(factor);
    free(ab), free(d), free(e);
    return st;
}

static orr_status gb2bd(struct arrays *x, orr_report *report)
{
    void *d = array(x, N), *e = array(x, N - 1), *u = array(x, (M + GAP) * N - GAP);
    void *ab = array(x, (BAND + 3) * N);
    return orr_gb2bd(ctx, ORR_D, M, N, 2, BAND, ab, BAND + 3, d, e,
                     &(orr_gb2bd_opts){.u = u, .ldu = M + GAP, .place = place}, report);
}

/* Vectors of half precision are of single; no gaps. */
static orr_status gb2bd_half(struct arrays *x, orr_report *report)
{
    const int64_t row = (BAND + 1) * N;
    void *d = array(x, N / 2), *e = array_at_home(x, N / 2), *u = array(x, M * N / 2),
         *v = array(x, N * N / 2), *ab = array(x, row / 4);
    for (int64_t i = 0; i < row; i++) /* 1/2 to 1 */
        ((uint16_t *)x->home[4])[i] = (uint16_t)(0x3800 + i * i % 1021);
    refill(x, 4);
    return orr_gb2bd(ctx, ORR_H, M, N, 0, BAND, ab, BAND + 1, d, e,
                     &(orr_gb2bd_opts){.u = u, .ldu = M, .v = v, .ldv = N, .place = place}, report);
}

/* The adjoint is reduced; the band is in main memory. */
static orr_status gb2bd_wide(struct arrays *x, orr_report *report)
{
    void *d = array(x, N), *e = array(x, N - 1), *u = array(x, 2 * (N + GAP) * N - 2 * GAP),
         *v = array(x, 2 * M * N), *ab = array_at_home(x, 2 * (BAND + 1) * M);
    return orr_gb2bd(ctx, ORR_Z, N, M, 0, BAND, ab, BAND + 1, d, e,
                     &(orr_gb2bd_opts){.u = u, .ldu = N + GAP, .v = v, .ldv = M, .place = place},
                     report);
}

static orr_gesvd_opts two_stages(int qr)
{
    return (orr_gesvd_opts){
        .place = place, .method = ORR_DENSE_TWO_STAGE, .band = BAND, .tile = 4 * BAND, .qr = qr};
}

static orr_status gesvd(struct arrays *x, orr_report *report)
{
    void *s = array(x, N), *u = array(x, (M + GAP) * N - GAP), *v = array(x, N * N);
    void *a = array(x, (M + GAP) * N - GAP);
    const orr_gesvd_opts o = two_stages(-1);
    return orr_gesvd(ctx, ORR_D, M, N, a, M + GAP, s, u, M + GAP, v, N, &o, report);
}

/* A triangle first, and numbers beyond the range in which nothing is scaled. */
static orr_status gesvd_tall(struct arrays *x, double scale, orr_report *report)
{
    void *s = array(x, N), *u = array(x, M * N), *v = array(x, (N + GAP) * N - GAP);
    void *a = array(x, (M + GAP) * N - GAP);
    const orr_gesvd_opts o = two_stages(1);
    for (int64_t i = 0; i < x->length[3]; i++)
        x->home[3][i] *= scale;
    refill(x, 3);
    return orr_gesvd(ctx, ORR_D, M, N, a, M + GAP, s, u, M, v, N + GAP, &o, report);
}
static orr_status gesvd_large(struct arrays *x, orr_report *report)
{
    return gesvd_tall(x, 1e300, report);
}
static orr_status gesvd_tiny(struct arrays *x, orr_report *report)
{
    return gesvd_tall(x, 1e-300, report);
}

/* It is the adjoint that is reduced, and with qr made a triangle. */
static orr_status gesvd_wide(struct arrays *x, int qr, double scale, orr_report *report)
{
    void *s = array(x, N), *u = array(x, 2 * (N + GAP) * N - 2 * GAP), *v = array(x, 2 * M * N);
    void *a = array(x, 2 * (N + GAP) * M - 2 * GAP);
    const orr_gesvd_opts o = two_stages(qr);
    for (int64_t i = 0; i < x->length[3]; i++)
        x->home[3][i] *= scale;
    refill(x, 3);
    return orr_gesvd(ctx, ORR_Z, N, M, a, N + GAP, s, u, N + GAP, v, M, &o, report);
}
static orr_status gesvd_adjoint(struct arrays *x, orr_report *report)
{
    return gesvd_wide(x, -1, 1e300, report);
}
static orr_status gesvd_adjoint_qr(struct arrays *x, orr_report *report)
{
    return gesvd_wide(x, 1, 1, report);
}

/* Values alone; the matrix alone or one side's vectors alone on the device. */
static orr_status gesvd_values(struct arrays *x, orr_report *report)
{
    void *s = array(x, N), *a = array(x, M * N);
    const orr_gesvd_opts o = two_stages(0);
    return orr_gesvd(ctx, ORR_D, M, N, a, M, s, NULL, 1, NULL, 1, &o, report);
}
static orr_status gesvd_matrix(struct arrays *x, orr_report *report)
{
    void *s = array_at_home(x, N), *u = array_at_home(x, M * N), *v = array_at_home(x, N * N);
    void *a = array(x, M * N);
    const orr_gesvd_opts o = two_stages(1);
    return orr_gesvd(ctx, ORR_D, M, N, a, M, s, u, M, v, N, &o, report);
}
static orr_status gesvd_right(struct arrays *x, orr_report *report)
{
    void *s = array_at_home(x, N), *u = array_at_home(x, N * N), *v = array(x, M * N);
    void *a = array_at_home(x, N * M);
    const orr_gesvd_opts o = two_stages(1);
    return orr_gesvd(ctx, ORR_D, N, M, a, N, s, u, N, v, M, &o, report);
}

static orr_status gesvd_direct(struct arrays *x, orr_report *report)
{
    void *s = array(x, N), *u = array(x, M * N), *v = array(x, N * N), *a = array(x, M * N);
    return orr_gesvd(ctx, ORR_D, M, N, a, M, s, u, M, v, N, NULL, report);
}

/* n 70: graphs; SMALL: whole matrices. */
enum { SMALL = 20 };
static orr_status jacobi(struct arrays *x, int64_t n, orr_place where, orr_report *report)
{
    const orr_batch S = {.type = ORR_D, .batch = BATCH, .m = n, .n = 1, .a = array(x, BATCH * n)};
    const orr_batch U = {.type = ORR_D,
                         .batch = BATCH,
                         .m = M,
                         .n = n,
                         .ld = M + GAP,
                         .a = array(x, BATCH * (M + GAP) * n - GAP)};
    const orr_batch V = {
        .type = ORR_D, .batch = BATCH, .m = n, .n = n, .a = array(x, BATCH * n * n)};
    const orr_batch A = {
        .type = ORR_D, .batch = BATCH, .m = M, .n = n, .a = array(x, BATCH * M * n)};
    return orr_gesvj(ctx, &A, &S, &U, &V, &(orr_gesvj_opts){.place = where}, NULL, report);
}
static orr_status gesvj(struct arrays *x, orr_report *report)
{
    return jacobi(x, N, place, report);
}
static orr_status gesvj_small(struct arrays *x, orr_report *report)
{
    return jacobi(x, SMALL, place, report);
}
/* Whose matrices are on a device are solved there. */
static orr_place chosen(const struct arrays *x)
{
    return place == ORR_PLACE_GPU && x->there ? ORR_PLACE_AUTO : place;
}
static orr_status gesvj_auto(struct arrays *x, orr_report *report)
{
    return jacobi(x, N, chosen(x), report);
}
static orr_status gesvj_auto_small(struct arrays *x, orr_report *report)
{
    return jacobi(x, SMALL, chosen(x), report);
}

/* The same matrices one after the other. */
static orr_status gesvj_stream(struct arrays *x, orr_report *report)
{
    orr_gesvj_stream *stream;
    double *s = array(x, BATCH * N), *u = array(x, BATCH * M * N), *v = array(x, BATCH * N * N),
           *a = array(x, BATCH * M * N);
    *report = (orr_report){0};
    orr_status st =
        orr_gesvj_stream_open(ctx, &(orr_gesvj_opts){.place = place}, 2, NULL, NULL, &stream);
    for (int64_t k = 0; st == ORR_OK && k < BATCH; k++)
        st = orr_gesvj_stream_push(stream, &(orr_gesvj_frame){.type = ORR_D,
                                                              .m = M,
                                                              .n = N,
                                                              .a = a + k * M * N,
                                                              .s = s + k * N,
                                                              .u = u + k * M * N,
                                                              .v = v + k * N * N});
    const orr_status worst = orr_gesvj_stream_close(stream, NULL);
    return st == ORR_OK ? worst : st;
}

orr_sparse *path(int both, const orr_sparse_opts *o)
{
    int64_t ptr[N + 1] = {0}, index[2 * N], count = 0;
    orr_sparse *A = NULL;
    for (int64_t i = 0; i < N; i++) {
        if (both && i > 0)
            index[count++] = i - 1;
        if (i + 1 < N)
            index[count++] = i + 1;
        ptr[i + 1] = count;
    }
    const orr_status st = orr_sparse_from_csr(ctx, N, N, ptr, index, NULL, 0, o, &A, NULL);
    CHECK(st == ORR_OK, "%s", orr_strerror(st));
    return A;
}

/* Three vectors are asked for, and room for one more is not touched; one vector of a path without cycles. */
static orr_status powm_of(struct arrays *x, int both, orr_report *report)
{
    orr_eigenpair pairs[4];
    orr_powm_result result;
    orr_sparse *A = path(both, &(orr_sparse_opts){.rule_only = 1});
    const orr_status st = orr_powm(ctx, A, &(orr_powm_opts){.k = both ? 3 : 1}, pairs,
                                   array(x, (both ? 4 : 2) * N), &result, report);
    orr_sparse_free(A);
    return st;
}
static orr_status powm(struct arrays *x, orr_report *report) { return powm_of(x, 1, report); }
static orr_status powm_nilpotent(struct arrays *x, orr_report *report)
{
    return powm_of(x, 0, report);
}

static orr_status pagerank(struct arrays *x, orr_report *report)
{
    orr_pagerank_result result;
    orr_sparse *G = path(0, &(orr_sparse_opts){.graph = 1, .rule_only = 1});
    const orr_status st = orr_pagerank(ctx, G, NULL, array(x, N), &result, report);
    orr_sparse_free(G);
    return st;
}

const struct test guests_cases[] = {
    {"heev", heev, 2, AT(1) | AT(2), AT(2)},
    {"heev_scaled", heev_scaled, 2, AT(1) | AT(2), AT(1) | AT(2)},
    {"heev_direct", heev_direct, 2, 0, 0},
    {"heev_interval", heev_interval, 2, AT(1) | AT(2), AT(2)},
    {"hbev", hbev, 2, AT(1), AT(1)},
    {"hegv", hegv, 2, AT(1) | AT(2) | AT(3), AT(1) | AT(2) | AT(3)},
    {"hegv_upper", hegv_upper, 2, AT(1) | AT(2) | AT(3), AT(1) | AT(2) | AT(3)},
    {"hegv_scaled", hegv_scaled, 2, 0, 0},
    {"hegv_direct", hegv_direct, 2, 0, 0},
    {"sterf", sterf, 1, 0, 0},
    {"hb2st", hb2st, 3, AT(2), AT(2)},
    {"hb2st_apply", hb2st_apply, 1, ALWAYS | AT(0), AT(0)},
    {"gb2bd", gb2bd, 3, AT(2), AT(2)},
    {"gb2bd_half", gb2bd_half, 4, AT(2) | AT(3), AT(2) | AT(3)},
    {"gb2bd_wide", gb2bd_wide, 4, AT(2) | AT(3), AT(2) | AT(3)},
    {"gesvd", gesvd, 3, AT(1) | AT(2) | AT(3), AT(2) | AT(3)},
    {"gesvd_large", gesvd_large, 3, AT(1) | AT(2) | AT(3), AT(1) | AT(3)},
    {"gesvd_tiny", gesvd_tiny, 3, AT(1) | AT(2) | AT(3), AT(1) | AT(3)},
    {"gesvd_adjoint", gesvd_adjoint, 3, AT(1) | AT(2) | AT(3), AT(2) | AT(3)},
    {"gesvd_adjoint_qr", gesvd_adjoint_qr, 3, AT(1) | AT(2) | AT(3), AT(2) | AT(3)},
    {"gesvd_values", gesvd_values, 1, AT(1), AT(1)},
    {"gesvd_matrix", gesvd_matrix, 3, AT(3), AT(3)},
    {"gesvd_right", gesvd_right, 3, AT(2), AT(2)},
    {"gesvd_direct", gesvd_direct, 3, 0, 0},
    {"gesvj", gesvj, 3, AT(1) | AT(2) | AT(3), AT(1) | AT(2) | AT(3)},
    {"gesvj_small", gesvj_small, 3, AT(1) | AT(2) | AT(3), AT(1) | AT(2) | AT(3)},
    {"gesvj_auto", gesvj_auto, 3, AT(1) | AT(2) | AT(3), AT(1) | AT(2) | AT(3)},
    {"gesvj_auto_small", gesvj_auto_small, 3, AT(1) | AT(2) | AT(3), AT(1) | AT(2) | AT(3)},
    {"gesvj_stream", gesvj_stream, 3, ALWAYS | AT(0) | AT(1) | AT(2) | AT(3),
     AT(1) | AT(2) | AT(3)},
    {"powm", powm, 1, 0, 0},
    {"powm_nilpotent", powm_nilpotent, 1, ALWAYS | AT(0), 0},
    {"pagerank", pagerank, 1, 0, 0}};
const size_t guests_count = sizeof guests_cases / sizeof *guests_cases;
