/* One call of powm: what its parts hand to one another. SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_SRC_POWM_H
#define ORR_SRC_POWM_H

#include <complex.h>

#include "src/core/ranks.h"
#include "src/sparse/sparse.h"

struct powm {
    orr_context *ctx;
    struct orr_request *req;
    const orr_sparse *A, *At;     /* At: singular pairs of A, else NULL */
    struct orr_powm_matrix op;    /* A with its parts of x; for singular pairs A' */
    struct orr_powm_matrix inner; /* for singular pairs: A */
    orr_powm_opts o;
    orr_type type;
    int64_t n;     /* length of the vectors */
    int hermitian; /* the operator is */

    /* What was found: columns of X are n apart plus padding. */
    int columns;
    struct orr_powm_vector *X; /* [columns] unregistered until they are judged */
    double (*values)[2];
    double largest; /* modulus that the method saw */
    int power_pair; /* power iteration met a pair that it cannot separate */
    int zero;       /* the iterate became zero */
    int lost;       /* numbers left their range: there is no answer */
    int copies;     /* 1: it ended before copies of multiple eigenvalues were looked for */
    int64_t products, steps;
};

static inline int powm_real(orr_type t) { return t == ORR_S || t == ORR_D; }

orr_status orr_powm_power(struct powm *); /* methods power and ritz */
orr_status orr_powm_krylov(struct powm *);
/* What is wrong with the arguments of a call, or NULL. */
const char *orr_powm_wrong(const orr_sparse *, const orr_powm_opts *, const orr_eigenpair *,
                           const orr_powm_result *);
const char *orr_pagerank_wrong(const orr_sparse *, const orr_pagerank_opts *, const void *scores,
                               const orr_pagerank_result *);
/* orr_powm and orr_pagerank of a call entered then. */
orr_status orr_powm_entered(orr_context *, unsigned entered, const orr_sparse *,
                            const orr_powm_opts *, orr_eigenpair *pairs, void *vectors,
                            orr_powm_result *, orr_report *);
orr_status orr_pagerank_entered(orr_context *, unsigned entered, const orr_sparse *,
                                const orr_pagerank_opts *, void *scores, orr_pagerank_result *,
                                orr_report *);
/* Element i of a vector of type t. */
double complex orr_powm_get(orr_type, const void *v, int64_t i);
void orr_powm_set(orr_type, void *v, int64_t i, double complex);
/* Normalises column c (pair: and c + 1, its imaginary part), measures it, says what is certain: of
 * the matrix as it is stored. */
void orr_powm_judge(struct powm *, int c, int pair, orr_eigenpair *);
/* The one criterion for a pair: relative <= tol, and a value that a double can hold. */
int orr_powm_good(const struct powm *, const orr_eigenpair *);
/* The result in words: name and note. */
void orr_powm_describe(const struct powm *, const orr_eigenpair *, orr_powm_result *);
/* From the matrix as it is stored to the user's; intervals become no smaller. */
void orr_powm_to_user(const struct powm *, orr_eigenpair *);
/* Room for the answer. */
orr_status orr_powm_columns(struct powm *, int columns);

#endif
