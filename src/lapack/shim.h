/* liborrery_lapack: LAPACK's drivers by their own names, to be preloaded. A call that Orrery does
 * faster is taken over, every other one goes to the definition that it would have reached:
 *
 *     program -- dsyevd_ --> entries.c --> call.c --> eigen.c, svd.c --> engine.c --> liborrery
 *                                  |           band.c, tridiagonal.c
 *                                  `--> original.c --> LAPACK
 *
 * What LAPACK would refuse is passed on, so that it is refused in LAPACK's words; so are workspace
 * queries, calls from inside Orrery, and calls that Orrery could not finish: until a result is
 * complete nothing of the caller's is written but arrays that are output only.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_LAPACK_SHIM_H
#define ORR_LAPACK_SHIM_H

#include <stddef.h>
#include <stdint.h>

#include "orrery/orrery.h"

/* The forms of a name: dsyevd_, dsyevd_64_, scipy_dsyevd_, scipy_dsyevd_64_. With 64 integers have
 * 64 bits. */
enum orr_form { ORR_PLAIN, ORR_PLAIN_64, ORR_SCIPY, ORR_SCIPY_64, ORR_NFORMS };

enum {
    ORR_MOST_ARGS = 24,
    ORR_MOST_STRINGS = 3,
    ORR_MOST_ROUTINES = 128,
    ORR_LENGTHS = 3,
    ORR_WHY = 160
};

struct orr_call;

/* Routines whose arguments stand in the same places. */
struct orr_family {
    /* NULL: done, info is set; else why not, in words that follow "passed on:". */
    const char *(*take)(struct orr_call *);
    int length[ORR_LENGTHS]; /* places of lwork, lrwork, liwork, each after its array; 0: none */
    const void *places;      /* of the rest, for take */
};

struct orr_routine {
    const char *name; /* "dsyevd" */
    orr_type type;
    const struct orr_family *family;
    int args, strings; /* strings: so many of them, whose lengths follow the arguments */
};

/* One call, with Fortran's arguments, all pointers; info is the last. */
struct orr_call {
    const struct orr_routine *routine;
    int id; /* its number */
    enum orr_form form;
    const void *caller; /* an address in the code that called */
    void **arg;
    char what[96]; /* for the log: "V L n=2000" */
    char why[ORR_WHY];
    int wrong;    /* a result that ORRERY_CHECK refused: said in any case */
    int deferred; /* passed on until Orrery is worth starting */
};

extern const struct orr_family orr_args_syev, orr_args_heev, orr_args_syevd, orr_args_heevd,
    orr_args_syevr, orr_args_heevr, orr_args_syevx, orr_args_heevx, orr_args_sygv, orr_args_hegv,
    orr_args_sygvd, orr_args_hegvd, orr_args_sygvx, orr_args_hegvx, orr_args_gesvd_real,
    orr_args_gesvd_complex, orr_args_gesdd_real, orr_args_gesdd_complex, orr_args_sbtrd,
    orr_args_sbev, orr_args_sbevd, orr_args_hbevd, orr_args_sbevx, orr_args_gbbrd, orr_args_sterf,
    orr_args_stev, orr_args_stevd;

/* ---- call.c ---------------------------------------------------------------------------------- */

/* id: the number of the routine. */
void orr_lapack(const struct orr_routine *, int id, enum orr_form, const void *caller, void **arg);
char orr_letter(const struct orr_call *, int place); /* upper case */
int64_t orr_integer(const struct orr_call *, int place);
void orr_put_integer(const struct orr_call *, int place, int64_t index, int64_t value);
/* c0 + c1 n + c2 n^2, what LAPACK wants of a length at the least. */
struct orr_bound {
    int64_t c0, c1, c2;
};
int orr_lengths_suffice(const struct orr_call *, const struct orr_bound least[], int64_t n);
/* Asks the original for its workspace: the first entries of work arrays become what LAPACK leaves
 * there, and info 0. Returns 0 if the original refuses the arguments. */
int orr_accepted(const struct orr_call *);
void orr_name(const struct orr_routine *, enum orr_form, char out[40]);

/* ---- original.c ------------------------------------------------------------------------------ */

/* The definition that the caller would have reached without this library. Ends the process as the
 * dynamic linker does where there is none. */
void orr_original(const struct orr_call *, void **arg);

/* ---- settings.c ------------------------------------------------------------------------------ */

/* The order from which calls are taken over. */
int64_t orr_threshold(const struct orr_routine *, int vectors);
int orr_asked(const struct orr_routine *); /* by ORRERY_LAPACK_MIN */
/* And so many outer diagonals, of a band. */
int64_t orr_bandwidth(const struct orr_routine *);
double orr_worth_starting(void); /* seconds of LAPACK; ORRERY_LAPACK_START */
int orr_logging(void);           /* ORRERY_LAPACK_LOG */
int orr_checking(void);          /* ORRERY_CHECK */

/* ---- table.c --------------------------------------------------------------------------------- */

/* The order by this machine's table; built_in where there is none, or it does not say. */
int64_t orr_measured(const struct orr_routine *, int vectors, int64_t built_in);

/* ---- engine.c -------------------------------------------------------------------------------- */

int orr_inside(void);            /* this thread works for Orrery */
const char *orr_core_type(void); /* for OPENBLAS_CORETYPE; NULL: the processor has no AVX2 */
/* For a call that takes LAPACK so many seconds. Loads and starts Orrery once that is worth it. NULL,
 * or why not; after NULL orr_end must follow. */
const char *orr_begin(struct orr_call *, double seconds);
void orr_deferred_end(void); /* a call is complete that it had passed on so */
void orr_end(void);
/* Between the two. As orr_heev and the like; anything but ORR_OK: no result. */
struct orr_part { /* of the eigenvalues; of zeros: all */
    int64_t il, iu;
    double vl, vu;
    int64_t count; /* out: so many */
};
orr_status orr_do_heev(orr_type, char uplo, int64_t n, void *a, int64_t lda, void *w, void *z,
                       int64_t ldz, struct orr_part *);
orr_status orr_do_hegv(orr_type, int itype, char uplo, int64_t n, void *a, int64_t lda, void *b,
                       int64_t ldb, void *w, void *z, int64_t ldz, struct orr_part *);
orr_status orr_do_gesvd(orr_type, int64_t m, int64_t n, void *a, int64_t lda, void *s, void *u,
                        int64_t ldu, void *v, int64_t ldv);
orr_status orr_do_hb2st(orr_type, char uplo, int64_t n, int64_t kd, const void *ab, int64_t ldab,
                        void *d, void *e, void *q, int64_t ldq);
orr_status orr_do_hbev(orr_type, char uplo, int64_t n, int64_t kd, const void *ab, int64_t ldab,
                       void *w, void *z, int64_t ldz);
orr_status orr_do_sterf(orr_type, int64_t n, const void *d, const void *e, void *w);
orr_status orr_do_gb2bd(orr_type, int64_t m, int64_t n, int64_t kl, int64_t ku, const void *ab,
                        int64_t ldab, void *d, void *e);
/* The lower triangle of a, n x n, becomes L D L' (LAPACK's sytrf, hetrf). 0: no memory. There is a
 * column behind a: OpenBLAS 0.3.21's zgemv reads one beyond its matrix, and beyond its vector. */
int orr_do_factor(orr_type, int64_t n, void *a, int32_t *pivot);
const char *orr_said(orr_status);

/* ---- verify_*.c ------------------------------------------------------------------------------ */

/* A matrix, column-major. uplo: only that triangle counts, of a Hermitian one. diagonals: of a
 * triangle only so many, from the main one on, of another matrix `below` and `above` it; then ld is
 * LAPACK's ldab - 1, and a points to the first diagonal entry. */
struct orr_matrix {
    orr_type type;
    int64_t m, n, ld;
    const void *a;
    char uplo;         /* 'U', 'L', or 0: all of it */
    int64_t diagonals; /* 0: no band */
    int64_t below, above;
};
/* 0, or why k values w and vectors z (NULL: none) cannot be right. first: the number of the first, from
 * 0; -1: not known. Between orr_begin and orr_end. */
int orr_verify_eigen(const struct orr_matrix *, int64_t first, int64_t k, const void *w,
                     const void *z, int64_t ldz, char why[ORR_WHY]);
/* The same of a and b, problem itype; l: the lower triangle is b's Cholesky factor, n x n. */
int orr_verify_pencil(int itype, const struct orr_matrix *a, const struct orr_matrix *b,
                      const void *l, int64_t k, const void *w, const void *z, int64_t ldz,
                      char why[ORR_WHY]);
/* u and v both or neither. */
int orr_verify_svd(const struct orr_matrix *, const void *s, const void *u, int64_t ldu,
                   const void *v, int64_t ldv, char why[ORR_WHY]);

/* T of d and e, Q (NULL: none) n x n. */
int orr_verify_tridiagonal(const struct orr_matrix *, const void *d, const void *e, const void *q,
                           int64_t ldq, char why[ORR_WHY]);
/* w of T. */
int orr_verify_values(orr_type, int64_t n, const void *d, const void *e, const void *w,
                      char why[ORR_WHY]);
int orr_verify_bidiagonal(const struct orr_matrix *, const void *d, const void *e,
                          char why[ORR_WHY]);

/* ---- copy.c ---------------------------------------------------------------------------------- */

size_t orr_bytes(orr_type); /* of an element */
int orr_times(orr_type);    /* as many operations as of real numbers: 4, or 1 */
/* Memory for a matrix, to be freed, or NULL. In pages of 2 MiB where it has several: a program that makes
 * one call touches all of it for the first time. */
void *orr_room(size_t bytes);
/* A triangle ('U', 'L'; the diagonal's imaginary parts become 0, as LAPACK reads it) or all (0). */
void orr_copy(const struct orr_matrix *, void *to, int64_t ld);
/* to := the adjoint, n x m; of a triangle, the other one of to. */
void orr_adjoint(const struct orr_matrix *, void *to, int64_t ld);

#endif
