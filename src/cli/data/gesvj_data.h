/* Matrices and their singular value decompositions for the command `gesvj`, and LAPACK on
 * the same.
 *
 * Arrays of users are row major, (count, m, n) as in NumPy. The library is column major and
 * so is given A', n x m: A' = X S Y' makes A = conj(Y) S conj(X)', so the user's U are the
 * conjugates of Y, and V those of X; both come as columns, (count, m, k) and (count, n, k)
 * with k = min(m, n).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_GESVJ_DATA_H
#define ORR_CLI_GESVJ_DATA_H

#include <orrery/io.h>

#include "src/cli/core/answer.h"
#include "src/cli/core/lapack.h"

typedef struct {
    orr_type type;
    int64_t count, m, n, k;
    void *a;     /* row major; NULL until read or filled */
    void *s;     /* (count, k) */
    void *x, *y; /* the library's factors of A', n x k and m x k; NULL: not wanted */
    orr_matrix_info *info;
} svd_data;

/* Room for results; a is the caller's (malloc'ed) and is freed with the rest. */
int svd_allocate(svd_data *, orr_type, int64_t count, int64_t m, int64_t n, void *a, int left,
                 int right); /* CLI_OK or CLI_MEMORY */
void svd_free(svd_data *);
double svd_bytes(orr_type, int64_t count, int64_t m, int64_t n, int left, int right);

/* For svd_adopt's results, if the array is one that it takes; CLI_MEMORY with the reason told. */
int svd_check_memory(const cli_run *, const orr_npy *, const char *name, int type, int left,
                     int right);
/* Takes over an array of shape (m, n) or (count, m, n), converted to `type` unless that is
 * negative. CLI_OK or an exit code, the reason told. The array is empty afterwards. */
int svd_adopt(svd_data *, orr_npy *, const char *name, int type, int left, int right);

/* One result; `which`: 's', 'u' or 'v'; batch 0: without the first dimension. Otherwise as
 * answer_write. */
int svd_write(FILE *out, const svd_data *, char which, int batch, const char *path);
answer_values svd_values(const svd_data *, int batch); /* to be printed */

/* The frame of matrix i. */
orr_gesvj_frame svd_frame(const svd_data *, int64_t i);

/* Random matrices: 0 Gaussian, 1 with singular values 1 .. 1e-6 in geometric progression. */
extern const char svd_kinds[];
int svd_fill(svd_data *, int kind, uint64_t seed);

/* ---- LAPACK ---------------------------------------------------------------------------- */

enum { SVD_GESVD, SVD_GESDD, SVD_GESVJ, SVD_ROUTINES };
extern const char *const svd_routine[SVD_ROUTINES];  /* "gesvd" ... */
const char *svd_routine_name(orr_type, int routine); /* "dgesvd" ... */

/* Every matrix once, from an OpenMP loop, BLAS at one thread each; with
 * vectors if data has room for both. s: (count, k) of the real type. Returns the matrices
 * that LAPACK gave up, -1 without memory. Skips those that are not finite. */
int64_t svd_lapack(const svd_data *, const cli_lapack *, int routine, int threads, void *s,
                   double *seconds);

/* The first matrix alone, on a copy, with as many threads as BLAS has; s: NULL or its values.
 * Seconds without the copy; negative without memory or if LAPACK gave up. */
double svd_lapack_one(const svd_data *, const cli_lapack *, int routine, void *s);

/* ---- cuSOLVER -------------------------------------------------------------------------- */

enum {
    SVD_CUSOLVER_GESVD,
    SVD_CUSOLVER_GESVDJ,
    SVD_CUSOLVER_GESVDJ_BATCHED,
    SVD_CUSOLVER_ROUTINES
};
extern const char *const svd_cusolver_routine[SVD_CUSOLVER_ROUTINES];
int svd_cusolver_takes(const svd_data *, int routine); /* its sizes */

/* Every matrix once, with vectors as svd_lapack, from host memory to host memory; handles and
 * device memory exist before the clock starts. After reference_cusolver_open. Seconds, or NAN
 * if cuSOLVER refused. */
double svd_cusolver(const svd_data *, int routine);

#endif
