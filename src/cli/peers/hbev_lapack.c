/* See hbev_lapack.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/peers/hbev_lapack.h"

#include <stdlib.h>
#include <string.h>

#include "src/cli/core/numbers.h"
#include "src/cli/peers/hb2st_lapack.h"
#include "src/cli/peers/workspace.h"

typedef void sbevd_fn(const char *job, const char *uplo, const int *n, const int *kd, void *ab,
                      const int *ldab, void *w, void *z, const int *ldz, void *work,
                      const int *lwork, int *iwork, const int *liwork, int *info);
typedef void hbevd_fn(const char *job, const char *uplo, const int *n, const int *kd, void *ab,
                      const int *ldab, void *w, void *z, const int *ldz, void *work,
                      const int *lwork, void *rwork, const int *lrwork, int *iwork,
                      const int *liwork, int *info);

const char *hbev_reference_name(const void *problem, int which)
{
    static const char *const name[ORR_NTYPES] = {"ssbevd", "dsbevd", "chbevd", "zhbevd"};
    const hbev_problem *p = problem;
    (void)which;
    return p->count == p->band->n ? name[p->band->type] : NULL;
}

static int call(cli_routine *f, const hb2st_band *b, const char *job, void *ab, void *w, void *z,
                workspace *k)
{
    const int n = (int)b->n, kd = (int)b->b, ld = kd + 1, ldz = n > 0 ? n : 1;
    int info = -1;
    if (b->type == ORR_S || b->type == ORR_D)
        ((sbevd_fn *)f)(job, &b->uplo, &n, &kd, ab, &ld, w, z, &ldz, k->work, &k->lwork, k->iwork,
                        &k->liwork, &info);
    else
        ((hbevd_fn *)f)(job, &b->uplo, &n, &kd, ab, &ld, w, z, &ldz, k->work, &k->lwork, k->rwork,
                        &k->lrwork, k->iwork, &k->liwork, &info);
    return info;
}

double hbev_reference(const void *problem, const cli_lapack *lapack, int which, int threads)
{
    const hbev_problem *p = problem;
    const hb2st_band *b = p->band;
    const size_t size = orr_type_size(b->type), n = (size_t)b->n;
    const size_t bytes = (size_t)(b->b + 1) * n * size;
    const char *job = p->vectors ? "V" : "N";
    cli_routine *f = cli_lapack_routine(lapack, hbev_reference_name(problem, which));
    void *ab = lapack_room(bytes), *w = lapack_room(n * size);
    void *z = p->vectors ? lapack_room(n * n * size) : NULL;
    workspace k;
    double seconds = -1;
    cli_lapack_threads(lapack, threads);
    workspace_query(&k);
    if (ab && w && (z || !p->vectors) && call(f, b, job, ab, w, z, &k) == 0 &&
        workspace_make(&k, b->type, b->n)) {
        memcpy(ab, b->ab, bytes);
        const double start = cli_now();
        seconds = call(f, b, job, ab, w, z, &k) == 0 ? cli_now() - start : -1;
    }
    cli_lapack_threads(lapack, 1);
    workspace_free(&k);
    free(ab);
    free(w);
    free(z);
    return seconds;
}

/* ---- Check figures ----------------------------------------------------------------------- */

struct values {
    orr_type type;
    int64_t count;
    const void *w;
};

static int given(const void *of, double unit, double *w)
{
    const struct values *v = of;
    for (int64_t i = 0; i < v->count; i++)
        w[i] = number_real(v->type, v->w, i) / unit;
    return 1;
}

double hbev_value_error(const hbev_problem *p, const void *w)
{
    const struct values v = {orr_type_real(p->band->type), p->count, w};
    return hb2st_value_errors(p->band, p->first, p->count, given, &v);
}
