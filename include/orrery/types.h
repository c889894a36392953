/* The types every layer of Orrery shares. This is the only header that kernels,
 * codelets, graph builders and users all see.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_TYPES_H
#define ORR_TYPES_H

#include <stdint.h>

/* The scalar types, in LAPACK's order. Above the kernels nothing depends on the
 * scalar except its size. ORR_H is IEEE half precision, for the algorithms that
 * say they take it; tables of kernels have ORR_NTYPES entries, or ORR_NTYPES + 1
 * where half precision is among them. */
typedef enum {
    ORR_S, /* float */
    ORR_D, /* double */
    ORR_C, /* float _Complex */
    ORR_Z, /* double _Complex */
    ORR_NTYPES,
    ORR_H = ORR_NTYPES
} orr_type;

/* Negative: the operation did not take place (or was abandoned). Positive: it
 * did, and the result is valid except where the status of the part says not. */
typedef enum {
    ORR_OK = 0,
    ORR_E_ARG = -1,       /* a caller's mistake: nothing was submitted */
    ORR_E_NOMEM = -2,     /* out of memory */
    ORR_E_DEVICE = -3,    /* a CUDA or StarPU call failed */
    ORR_E_NOWORKER = -4,  /* no worker can run a task of this operation */
    ORR_E_FILE = -5,      /* a file cannot be read, is malformed, or cannot be written */
    ORR_E_SCHED = -6,     /* no scheduling policy has this name */
    ORR_E_NONFINITE = -7, /* NaN or infinity in the input of an operation on one matrix */
    ORR_E_CANCELLED = -8, /* orr_cancel ended it: its outputs are undefined */
    ORR_E_DEFINITE = -9,  /* a matrix that has to be positive definite is not */
    ORR_NOCONV = 1,       /* not converged: the numbers are an approximation */
    ORR_NONFINITE = 2,    /* NaN or infinity in the input: the output is NaN */
    ORR_RANGE = 3         /* a result is beyond the range of its type: infinite; others are valid */
} orr_status;

/* Which implementation of a kernel computed a result. */
typedef enum {
    ORR_METHOD_AUTO = 0, /* as an option: the library chooses */
    ORR_METHOD_JACOBI,   /* two-sided Jacobi on whole small matrices */
    ORR_METHOD_BLOCK,    /* one-sided block Jacobi, a task per chunk and sweep */
    ORR_METHOD_LAPACK,   /* LAPACK heevd */
    ORR_METHOD_LANES,    /* tridiagonalisation and QL of many at once; CPUs n <= 128, CUDA 512 */
    ORR_NMETHODS
} orr_method;

/* How exact small eigenvalues are to be. */
typedef enum {
    ORR_ACCURACY_AUTO = 0, /* errors of order eps |A|: what every method has */
    ORR_ACCURACY_RELATIVE, /* of order eps |w|, where the matrix determines them so: Jacobi */
    ORR_NACCURACIES
} orr_accuracy;

/* How a block of rows of a sparse matrix is stored; docs/algorithms/powm.md describes them. */
typedef enum {
    ORR_FORMAT_AUTO = 0, /* as an option: chosen per block */
    ORR_FORMAT_CSR,      /* compressed rows */
    ORR_FORMAT_ELL,      /* every row padded to the longest, column-major */
    ORR_FORMAT_GPU_ELL,  /* the same with the rows' true lengths */
    ORR_FORMAT_SELL,     /* slices of 32 rows sorted by length, long rows apart */
    ORR_FORMAT_BSR,      /* dense blocks of 2x2, 3x3 or 4x4 */
    ORR_FORMAT_MERGE,    /* compressed rows walked in equal pieces of rows plus entries */
    ORR_FORMAT_TILES,    /* tiles whose part of x fits a cache, 16 bits per place; CPUs only */
    ORR_NFORMATS
} orr_format;

/* What happened to one matrix of a batch. Written by kernels on every kind of
 * processor, so the layout is fixed: 48 bytes. */
typedef struct {
    int32_t status;       /* an orr_status: ORR_OK or a positive one */
    int32_t sweeps;       /* Jacobi sweeps used; 0 where the method has none */
    int32_t method;       /* an orr_method: which implementation ran */
    int32_t device;       /* 0: on a CPU, 1: on a CUDA device */
    double off;           /* the largest relative off-diagonal entry left; NaN if unknown */
    double residual;      /* |A Q - Q L|_F / (n eps |A|_F), the denominator at least
                             the grid of subnormal results; NaN unless checked */
    double orthogonality; /* |Q'Q - I|_F / (n eps); NaN unless checked */
    double norm;          /* |A|_F, of the triangle that was read, mirrored */
} orr_matrix_info;

/* Kinds of processor, numbered as StarPU numbers them in its model files. */
typedef enum { ORR_KIND_CPU = 0, ORR_KIND_CUDA = 1, ORR_KIND_OPENCL = 2, ORR_NKINDS } orr_kind;

/* One run of one task, as performance models see it. */
typedef struct {
    const char *model;    /* "hb2st_chase_d": codelet and type; static */
    int32_t kind, device; /* an orr_kind, and which of that kind */
    int32_t cores, impl;  /* of a CPU task: 1; the codelet's implementation from 0 */
    uint32_t key;         /* hash of the task's shape */
    double size;          /* work, as the codelet counts it */
    double us;            /* microseconds */
    int64_t group, run;   /* a run of a group; orr_models_make compares runs, which in a group
                              do the same work. 0: not told */
    double predicted;     /* by StarPU from its models; NaN if it has none, or not asked for */
} orr_sample;

#endif
