/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/peers/reference.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* jobz, uplo, n, a, lda, w, work, lwork, [rwork, lrwork,] iwork, liwork, info */
typedef void real_evd(const char *, const char *, const int *, void *, const int *, void *, void *,
                      const int *, int *, const int *, int *);
typedef void complex_evd(const char *, const char *, const int *, void *, const int *, void *,
                         void *, const int *, void *, const int *, int *, const int *, int *);

const char reference_names[] = "lapack|cusolver";

int reference_available(const char *name)
{
    return strcmp(name, "cusolver") ? CLI_OK : reference_cusolver_open();
}

const char *reference_heevd_name(orr_type type)
{
    static const char *const name[ORR_NTYPES] = {"ssyevd", "dsyevd", "cheevd", "zheevd"};
    return name[type];
}

struct workspace {
    int lwork, lrwork, liwork;
    void *work, *rwork;
    int *iwork;
};

/* The documented minimum of all four routines with vectors, which is enough without. */
static int prepare(struct workspace *ws, int n, orr_type type)
{
    const int complex = type == ORR_C || type == ORR_Z;
    const int full = 1 + 6 * n + 2 * n * n;
    ws->lwork = complex ? 2 * n + n * n + 1 : full;
    ws->lrwork = complex ? full : 1;
    ws->liwork = 3 + 5 * n;
    ws->work = malloc((size_t)(ws->lwork + n) * orr_type_size(type)); /* a column more: stack.h */
    ws->rwork = malloc((size_t)ws->lrwork * orr_type_size(orr_type_real(type)));
    ws->iwork = malloc((size_t)ws->liwork * sizeof *ws->iwork);
    return ws->work && ws->rwork && ws->iwork;
}

static int solve(cli_routine *f, orr_type type, char jobz, char uplo, int n, void *a, void *w,
                 struct workspace *ws)
{
    int info = 0;
    const int ld = n > 0 ? n : 1;
    if (orr_type_real(type) == type)
        ((real_evd *)f)(&jobz, &uplo, &n, a, &ld, w, ws->work, &ws->lwork, ws->iwork, &ws->liwork,
                        &info);
    else
        ((complex_evd *)f)(&jobz, &uplo, &n, a, &ld, w, ws->work, &ws->lwork, ws->rwork,
                           &ws->lrwork, ws->iwork, &ws->liwork, &info);
    return info;
}

int64_t reference_heevd(const cli_lapack *lapack, cli_stack *s, void *a, void *w, char jobz,
                        char uplo, int threads, const unsigned char *skip, double *seconds)
{
    cli_routine *f = cli_lapack_routine(lapack, reference_heevd_name(s->type));
    const size_t size = orr_type_size(s->type), real = orr_type_size(orr_type_real(s->type));
    int64_t failed = 0;
    int starved = 0;
    double start = 0;
    if (!f)
        return -1;
    cli_lapack_threads(lapack, 1);
#pragma omp parallel num_threads(threads) reduction(+ : failed, starved)
    {
        struct workspace ws;
        const int ready = prepare(&ws, (int)s->n_max, s->type);
        starved += !ready;
#pragma omp barrier
#pragma omp master
        start = cli_now();
#pragma omp barrier
#pragma omp for schedule(dynamic, 4)
        for (int64_t k = 0; k < s->batch; k++)
            if (ready && !skip[k])
                failed += solve(f, s->type, jobz, uplo, (int)s->n[k], (char *)a + s->at[k] * size,
                                (char *)w + s->w_at[k] * real, &ws) != 0;
#pragma omp master
        *seconds = cli_now() - start;
        free(ws.work);
        free(ws.rwork);
        free(ws.iwork);
    }
    omp_pause_resource_all(omp_pause_hard);
    return starved ? -1 : failed;
}
