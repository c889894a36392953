/* LAPACK's three singular value decompositions that `gesvj` is compared with.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/core/numbers.h"
#include "src/cli/data/gesvj_data.h"
#include "src/cli/peers/workspace.h"

const char *const svd_routine[SVD_ROUTINES] = {"gesvd", "gesdd", "gesvj"};

/* jobu, jobvt, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, [rwork,] info */
typedef void real_gesvd(const char *, const char *, const int *, const int *, void *, const int *,
                        void *, void *, const int *, void *, const int *, void *, const int *,
                        int *);
typedef void complex_gesvd(const char *, const char *, const int *, const int *, void *,
                           const int *, void *, void *, const int *, void *, const int *, void *,
                           const int *, void *, int *);
/* jobz, m, n, a, lda, s, u, ldu, vt, ldvt, work, lwork, [rwork,] iwork, info */
typedef void real_gesdd(const char *, const int *, const int *, void *, const int *, void *, void *,
                        const int *, void *, const int *, void *, const int *, int *, int *);
typedef void complex_gesdd(const char *, const int *, const int *, void *, const int *, void *,
                           void *, const int *, void *, const int *, void *, const int *, void *,
                           int *, int *);
/* joba, jobu, jobv, m, n, a, lda, sva, mv, v, ldv, work, lwork, [rwork, lrwork,] info */
typedef void real_gesvj(const char *, const char *, const char *, const int *, const int *, void *,
                        const int *, void *, const int *, void *, const int *, void *, const int *,
                        int *);
typedef void complex_gesvj(const char *, const char *, const char *, const int *, const int *,
                           void *, const int *, void *, const int *, void *, const int *, void *,
                           const int *, void *, const int *, int *);

const char *svd_routine_name(orr_type t, int routine)
{
    static const char *const name[SVD_ROUTINES][ORR_NTYPES] = {
        [SVD_GESVD] = {"sgesvd", "dgesvd", "cgesvd", "zgesvd"},
        [SVD_GESDD] = {"sgesdd", "dgesdd", "cgesdd", "zgesdd"},
        [SVD_GESVJ] = {"sgesvj", "dgesvj", "cgesvj", "zgesvj"},
    };
    return name[routine][t];
}

struct room {
    void *a, *s, *u, *v, *work, *rwork;
    int *iwork, lwork, lrwork;
    cli_routine *f;
};

static int solve_gesvd(int complex_, const char *job, int m, int n, struct room *w, int lwork)
{
    const int k = m < n ? m : n;
    int info = 0;
    if (complex_)
        ((complex_gesvd *)w->f)(job, job, &m, &n, w->a, &m, w->s, w->u, &m, w->v, &k, w->work,
                                &lwork, w->rwork, &info);
    else
        ((real_gesvd *)w->f)(job, job, &m, &n, w->a, &m, w->s, w->u, &m, w->v, &k, w->work, &lwork,
                             &info);
    return info;
}

static int solve_gesdd(int complex_, const char *job, int m, int n, struct room *w, int lwork)
{
    const int k = m < n ? m : n;
    int info = 0;
    if (complex_)
        ((complex_gesdd *)w->f)(job, &m, &n, w->a, &m, w->s, w->u, &m, w->v, &k, w->work, &lwork,
                                w->rwork, w->iwork, &info);
    else
        ((real_gesdd *)w->f)(job, &m, &n, w->a, &m, w->s, w->u, &m, w->v, &k, w->work, &lwork,
                             w->iwork, &info);
    return info;
}

static int solve_gesvj(int complex_, int vectors, int m, int n, struct room *w, int lwork)
{
    const char *left = vectors ? "U" : "N", *right = vectors ? "V" : "N";
    const int zero = 0;
    int info = 0;
    if (complex_)
        ((complex_gesvj *)w->f)("G", left, right, &m, &n, w->a, &m, w->s, &zero, w->v, &n, w->work,
                                &lwork, w->rwork, &w->lrwork, &info);
    else
        ((real_gesvj *)w->f)("G", left, right, &m, &n, w->a, &m, w->s, &zero, w->v, &n, w->work,
                             &lwork, &info);
    return info;
}

/* One matrix, column major, m >= n for gesvj. */
static int solve(orr_type t, int routine, int vectors, int m, int n, struct room *w, int lwork)
{
    const int complex_ = number_is_complex(t);
    const char *job = vectors ? "S" : "N";
    return routine == SVD_GESVJ   ? solve_gesvj(complex_, vectors, m, n, w, lwork)
           : routine == SVD_GESVD ? solve_gesvd(complex_, job, m, n, w, lwork)
                                  : solve_gesdd(complex_, job, m, n, w, lwork);
}

static int finite(orr_type t, const void *a, int64_t count)
{
    const int64_t parts = count * (1 + number_is_complex(t));
    for (int64_t i = 0; i < parts; i++)
        if (!isfinite(number_real(orr_type_real(t), a, i)))
            return 0;
    return 1;
}

static int prepare(struct room *w, const svd_data *d, const cli_lapack *lapack, int routine, int m,
                   int n, int vectors)
{
    const int64_t k = d->k, most = m > n ? m : n;
    const size_t size = orr_type_size(d->type);
    double answer[2] = {0};
    *w = (struct room){.work = answer,
                       .f = cli_lapack_routine(lapack, svd_routine_name(d->type, routine))};
    w->lrwork = (int)(5 * k * k + 7 * k + 2 * most * k + m + n + 6); /* enough for all three */
    /* columns more than there are: see stack.h */
    w->a = lapack_room((size_t)(m * (int64_t)(n + 1)) * size + 64);
    w->s = lapack_room((size_t)(m + n) * size);
    w->u = vectors ? lapack_room((size_t)(m * (k + 1)) * size) : NULL;
    w->v = vectors ? lapack_room((size_t)(n * ((routine == SVD_GESVJ ? n : k) + 1)) * size) : NULL;
    w->rwork = lapack_room((size_t)w->lrwork * size);
    w->iwork = lapack_room((size_t)(8 * k + 8) * sizeof *w->iwork);
    if (!w->f || !w->a || !w->s || (vectors && (!w->u || !w->v)) || !w->rwork || !w->iwork) {
        w->work = NULL;
        return 0;
    }
    w->lwork = m + n + 6;
    if (routine != SVD_GESVJ) {
        solve(d->type, routine, vectors, m, n, w, -1);
        float single; /* rounded, perhaps down */
        memcpy(&single, answer, sizeof single);
        w->lwork = 1 + (int)(orr_type_real(d->type) == ORR_S ? (double)single * 1.001 : answer[0]);
    }
    w->work = lapack_room((size_t)(w->lwork + most) * size);
    return w->work != NULL;
}

static void release(struct room *w)
{
    free(w->a);
    free(w->s);
    free(w->u);
    free(w->v);
    free(w->work);
    free(w->rwork);
    free(w->iwork);
}

double svd_lapack_one(const svd_data *d, const cli_lapack *lapack, int routine, void *s)
{
    const int m = (int)d->n, n = (int)d->m, vectors = d->x && d->y;
    const size_t size = orr_type_size(d->type), real = orr_type_size(orr_type_real(d->type));
    struct room w;
    double seconds = -1;
    if (d->k == 0)
        return 0;
    if (prepare(&w, d, lapack, routine, m, n, vectors)) {
        memcpy(w.a, d->a, (size_t)(d->m * d->n) * size);
        const double start = cli_now();
        if (solve(d->type, routine, vectors, m, n, &w, w.lwork) == 0)
            seconds = cli_now() - start;
        if (s)
            memcpy(s, w.s, (size_t)d->k * real);
    }
    release(&w);
    return seconds;
}

int64_t svd_lapack(const svd_data *d, const cli_lapack *lapack, int routine, int threads, void *s,
                   double *seconds)
{
    const size_t size = orr_type_size(d->type), real = orr_type_size(orr_type_real(d->type));
    const int vectors = d->x && d->y;
    /* Row major, the matrix is n x m; gesvj wants it tall. Its values are the same. */
    const int flip = routine == SVD_GESVJ && d->n < d->m;
    const int m = (int)(flip ? d->m : d->n), n = (int)(flip ? d->n : d->m);
    int64_t failed = 0;
    int starved = 0;
    double start = 0;
    if (d->k == 0)
        return 0;
    cli_lapack_threads(lapack, 1);
#pragma omp parallel num_threads(threads) reduction(+ : failed, starved)
    {
        struct room w;
        const int ready = prepare(&w, d, lapack, routine, m, n, vectors);
        starved += !ready;
#pragma omp barrier
#pragma omp master
        start = cli_now();
#pragma omp barrier
#pragma omp for schedule(dynamic, 1)
        for (int64_t l = 0; l < d->count; l++) {
            const char *a = (const char *)d->a + (size_t)(l * d->m * d->n) * size;
            if (!ready || !finite(d->type, a, d->m * d->n))
                continue;
            if (flip)
                for (int64_t i = 0; i < d->m; i++)
                    for (int64_t j = 0; j < d->n; j++)
                        memcpy((char *)w.a + (size_t)(j * d->m + i) * size,
                               a + (size_t)(i * d->n + j) * size, size);
            else
                memcpy(w.a, a, (size_t)(d->m * d->n) * size);
            failed += solve(d->type, routine, vectors, m, n, &w, w.lwork) != 0;
            memcpy((char *)s + (size_t)(l * d->k) * real, w.s, (size_t)d->k * real);
        }
#pragma omp master
        *seconds = cli_now() - start;
        release(&w);
    }
    omp_pause_resource_all(omp_pause_hard);
    return starved ? -1 : failed;
}
