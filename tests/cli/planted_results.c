/* Preloaded: the library with one wrong number in what an operation in double precision returns. PLANT is "value", of the
 * values or the bidiagonal or tridiagonal form, or "vector", of the vectors.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "orrery/orrery.h"

#define REAL(f) ((__typeof__(&f))dlsym(RTLD_NEXT, #f))

static orr_status plant(orr_status st, void *value, void *vector)
{
    const char *what = getenv("PLANT");
    double *x = !what ? NULL : strcmp(what, "value") == 0 ? value : vector;
    if (x)
        x[1] += 1e-6;
    return st;
}

orr_status orr_heev(orr_context *c, orr_type t, char uplo, int64_t n, void *a, int64_t lda, void *w,
                    void *z, int64_t ldz, const orr_heev_opts *o, orr_report *r)
{
    return plant(REAL(orr_heev)(c, t, uplo, n, a, lda, w, z, ldz, o, r), w, z);
}

orr_status orr_hbev(orr_context *c, orr_type t, char uplo, int64_t n, int64_t b, const void *ab,
                    int64_t ldab, void *w, void *z, int64_t ldz, const orr_hbev_opts *o,
                    orr_report *r)
{
    return plant(REAL(orr_hbev)(c, t, uplo, n, b, ab, ldab, w, z, ldz, o, r), w, z);
}

orr_status orr_hegv(orr_context *c, orr_type t, char uplo, int64_t n, void *a, int64_t lda, void *b,
                    int64_t ldb, void *w, void *z, int64_t ldz, const orr_hegv_opts *o,
                    orr_report *r)
{
    return plant(REAL(orr_hegv)(c, t, uplo, n, a, lda, b, ldb, w, z, ldz, o, r), w, z);
}

orr_status orr_gesvd(orr_context *c, orr_type t, int64_t m, int64_t n, void *a, int64_t lda,
                     void *s, void *u, int64_t ldu, void *v, int64_t ldv, const orr_gesvd_opts *o,
                     orr_report *r)
{
    return plant(REAL(orr_gesvd)(c, t, m, n, a, lda, s, u, ldu, v, ldv, o, r), s, v);
}

orr_status orr_hb2st(orr_context *c, orr_type t, char uplo, int64_t n, int64_t b, const void *ab,
                     int64_t ldab, void *d, void *e, const orr_hb2st_opts *o, orr_report *r)
{
    return plant(REAL(orr_hb2st)(c, t, uplo, n, b, ab, ldab, d, e, o, r), d, o ? o->q : NULL);
}

orr_status orr_gb2bd(orr_context *c, orr_type t, int64_t m, int64_t n, int64_t kl, int64_t ku,
                     const void *ab, int64_t ldab, void *d, void *e, const orr_gb2bd_opts *o,
                     orr_report *r)
{
    return plant(REAL(orr_gb2bd)(c, t, m, n, kl, ku, ab, ldab, d, e, o, r), d, o ? o->u : NULL);
}

orr_status orr_heevj(orr_context *c, const orr_batch *A, const orr_batch *w,
                     const orr_heevj_opts *o, orr_matrix_info *info, orr_report *r)
{
    return plant(REAL(orr_heevj)(c, A, w, o, info, r), w->as ? w->as[0] : w->a, NULL);
}

orr_status orr_gesvj(orr_context *c, const orr_batch *A, const orr_batch *s, const orr_batch *U,
                     const orr_batch *V, const orr_gesvj_opts *o, orr_matrix_info *info,
                     orr_report *r)
{
    return plant(REAL(orr_gesvj)(c, A, s, U, V, o, info, r), s->as ? s->as[0] : s->a, NULL);
}
