/* What the files of the test of drivers share: calls by name, and how two of them compare.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TESTS_LAPACK_DRIVERS_H
#define ORR_TESTS_LAPACK_DRIVERS_H

#include <complex.h>
#include <stdint.h>
#include <stddef.h>

enum { ARGS = 27, MOST = 131, PAD = 3 };

extern int failures, calls;
void fail(const char *name, const char *what, double found);

/* ---- Numbers --------------------------------------------------------------------------------- */

static inline int complex_type(char t) { return t == 'c' || t == 'z'; }
static inline int single(char t) { return t == 's' || t == 'c'; }
static inline size_t real_size(char t) { return single(t) ? 4 : 8; }
static inline size_t size_of(char t) { return real_size(t) * (complex_type(t) ? 2 : 1); }

static inline double part(char t, const void *x, int64_t i)
{
    return single(t) ? ((const float *)x)[i] : ((const double *)x)[i];
}

static inline double _Complex entry(char t, const void *x, int64_t i)
{
    return complex_type(t) ? part(t, x, 2 * i) + I * part(t, x, 2 * i + 1) : part(t, x, i);
}

extern uint64_t state; /* of the random numbers */

/* ---- Calls ----------------------------------------------------------------------------------- */

/* Where arguments stand; 0 after the first: none. */
struct shape {
    const char *stem;
    int complex_too, svd;
    int job, range, uplo, m, n, a, lda, b, ldb, vl, abstol, il, iu, found, w, z, ldz, u, ldu, vt,
        ldvt;
    int work[3];  /* work, rwork or iwork, iwork */
    char kind[3]; /* 'n' numbers, 'r' reals, 'i' integers; lengths follow unless capital */
    int ifail, args;
};
extern const struct shape shapes[];
extern const size_t shapes_count;

/* The arrays of a call and everything that its arguments point to. */
struct call {
    const struct shape *s;
    char type, name[16], letter[3], what[64], on[32]; /* on: what has it taken over */
    int itype, m, n, lda, ldb, il, iu, found, ldz, ldu, ldvt, info, length[3];
    double vl, vu, abstol;
    float vl_s, vu_s, abstol_s;
    void *a, *b, *w, *z, *u, *vt, *work[3];
    int isuppz[2 * MOST], ifail[MOST];
    void *arg[ARGS];
};

void make(struct call *, const struct shape *, char type, int itype, int m, int n,
          const char *letters);
void drop(struct call *);
/* from: the order from which calls are taken over, in the words of ORRERY_LAPACK_MIN. */
void run(struct call *, const char *from);
int told_length(const struct call *, int k);
void ask_lengths(struct call *);

/* ---- Comparing ------------------------------------------------------------------------------- */

int equal_work(const struct call *x, const struct call *y);
void compare_eigen(const struct call *x, const struct call *y);
void compare_svd(const struct call *x, const struct call *y);

#endif
