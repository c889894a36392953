/* A stack of square matrices, back to back in memory: what a .npy file of shape
 * (batch, n, n) holds, several such files of different n, or a benchmark's random matrices.
 *
 * Row major, as NumPy's files are and as the user means A[i,j]. The library is column major
 * and so sees A' = conj(A) (A is Hermitian): it is told the other triangle, its eigenvalues
 * are A's, its eigenvectors are the conjugates of A's. stack_adopt_vectors() turns them back
 * into what the user expects: column j of row-major v[k] belongs to w[k][j].
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_CLI_STACK_H
#define ORR_CLI_STACK_H

#include <orrery/io.h>

#include "src/cli/core/run.h"

typedef struct {
    orr_type type;
    int64_t batch, n_min, n_max;
    int64_t *n;   /* [batch] orders */
    size_t *at;   /* [batch + 1] where matrix k begins in a, in elements */
    size_t *w_at; /* [batch + 1] where its eigenvalues begin */
    void *a;
    /* for views of mixed sizes, or where each matrix is told by itself */
    int one_by_one;
    int64_t *ones;
    void **a_ptr, **w_ptr;
} cli_stack;

/* One file of a stack. */
typedef struct {
    const char *path;
    int64_t first, count; /* its matrices in the stack */
    int ndim;             /* shape of the array in the file; the last two are n, n */
    int64_t shape[ORR_NPY_MAXDIM];
} cli_input;

/* Orders cycle through n[0 .. orders); a is not allocated. CLI_OK or CLI_MEMORY, told. */
int stack_layout(cli_stack *, orr_type, int64_t batch, const int64_t *n, int64_t orders);
void stack_free(cli_stack *);
size_t stack_bytes(const cli_stack *);   /* of the matrices */
size_t stack_w_bytes(const cli_stack *); /* of the eigenvalues */
/* What to allocate for the matrices: one column more, because OpenBLAS 0.3.21 (zgemv of a
 * matrix's row, Haswell) reads one stride past the end of the last matrix. */
size_t stack_room(const cli_stack *);

/* The library's view of data in the layout of the stack. Valid until the next call. */
void stack_view(cli_stack *, void *a, void *w, orr_batch *A, orr_batch *W);
char stack_uplo(char uplo); /* the triangle to tell a column-major library */
/* Library eigenvectors -> the user's, in place, matrices first <= k < first + count. */
void stack_adopt_vectors(const cli_stack *, void *q);
/* bad[k] := 1 if the triangle `uplo` (the user's) of matrix k has a NaN or an infinity. */
void stack_screen(const cli_stack *, const void *a, char uplo, unsigned char *bad);

/* Random and special matrices; the same doubles for every type, rounded. */
extern const char stack_kinds[]; /* "random|posdef|..." */
void stack_fill(cli_stack *, int kind, uint64_t seed);
/* A new stack of such matrices of order n. CLI_OK or CLI_MEMORY; to be freed in any case. */
int stack_random(cli_stack *, orr_type, int64_t batch, int64_t n, int kind, uint64_t seed);

/* Reads the files into one stack. type < 0: that of the files, which must agree; otherwise
 * they are converted. inputs: [n_paths]. Exit code, the reason told. */
int stack_read(cli_stack *, const cli_run *, char **paths, int n_paths, int type, int64_t max_n,
               cli_input *inputs);

#endif
