/* Orrery: eigenvalues, singular values and principal eigenvectors on nodes with CPUs
 * and GPUs, as StarPU task graphs. This header is the whole API of the solvers;
 * <orrery/io.h> reads and writes matrix files.
 *
 * Conventions. Matrices are column major with a leading dimension, sizes are int64_t and
 * counted in elements. Every option struct may be NULL or zero: zero means "choose", and
 * what was chosen is told in orr_report.plan. Functions return an orr_status: negative
 * when nothing was done, zero or positive when there is a result. The library prints
 * nothing, never exits and keeps no global state. Calls on one context are thread-safe.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_ORRERY_H
#define ORR_ORRERY_H

#include <stddef.h>
#include <stdint.h>

#include "orrery/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ORR_API __attribute__((visibility("default")))

ORR_API const char *orr_version(void);           /* "0.1.0" */
ORR_API const char *orr_strerror(orr_status);    /* one English sentence, never NULL */
ORR_API size_t      orr_type_size(orr_type);     /* bytes of one element */
ORR_API orr_type    orr_type_real(orr_type);     /* ORR_S for s and c, ORR_D for d and z */
ORR_API double      orr_type_eps(orr_type);      /* unit roundoff times two, as in <float.h> */
ORR_API char        orr_type_letter(orr_type);   /* 's', 'd', 'c', 'z', 'h' */
ORR_API int         orr_type_parse(const char *, orr_type *); /* 0 if it is one letter of these */

/* ---- A context: one StarPU, started by us or already running ------------------- */

typedef struct orr_context orr_context;

typedef struct {
    int         cpus;      /* CPU workers               0: all, -1: none */
    int         cudas;     /* CUDA devices              0: all, -1: none */
    int         opencls;   /* OpenCL devices            0: none (they serve tests) */
    const char *sched;     /* scheduling policy         NULL: $STARPU_SCHED, else chosen */
    const char *model_dir; /* StarPU's "sampling" dir   NULL: $STARPU_PERF_MODEL_DIR, else
                              $XDG_CACHE_HOME/orrery or ~/.cache/orrery */
    int         trace;     /* 1: record every task (orr_trace_write) */
    int         calibrate; /* 1: add measurements to the performance models */
    int         in_flight; /* tasks submitted ahead     0: 1000 */
} orr_context_opts;

/* If StarPU already runs it is borrowed: cpus, cudas, opencls, sched and model_dir are
 * then not used, and orr_close leaves it running. ORR_E_SCHED: no such policy.
 * ORR_E_NOWORKER: StarPU found no worker. */
ORR_API orr_status orr_open(const orr_context_opts *, orr_context **);
ORR_API void       orr_close(orr_context *); /* NULL is legal; requests must be done */

typedef struct {
    int  cpu, cuda, opencl;     /* workers of each kind */
    int  owned;                 /* 1: StarPU was started by this context */
    int  max_cpus;              /* the most CPU workers this StarPU can drive */
    int  has_cuda;              /* 1: liborrery was built with CUDA kernels */
    char sched[64];
    char starpu[16];            /* "1.3.10" */
    char blas[128];             /* as the library says it; "unknown" if it does not */
    char cuda_version[16];      /* of the toolkit; "" without */
    char model_dir[512];
} orr_context_info;
ORR_API void orr_context_query(orr_context *, orr_context_info *);

/* The tasks recorded so far, to a file whose suffix is .csv, .json (Chrome trace) or
 * .svg (Gantt chart). ORR_E_ARG without opts.trace or with another suffix. */
ORR_API orr_status orr_trace_write(orr_context *, const char *path);

/* ---- What an operation reports ----------------------------------------------------- */

typedef struct {
    orr_status  status;
    const char *culprit;      /* the codelet or argument that failed, or NULL; static */
    int64_t     index;        /* the first part (matrix of a batch) with a status, or -1 */
    int64_t     tasks;        /* tasks submitted */
    double      seconds;      /* from submission to the end of the last task */
    char        plan[512];    /* what was chosen, as members of a JSON object */
    char        message[256]; /* for people; "" when status is ORR_OK */
} orr_report;

/* An operation in flight. orr_submit_* return at once or after a short look at the work;
 * between submit and wait only the library touches the arrays. */
typedef struct orr_request orr_request;
ORR_API orr_status orr_wait(orr_request *, orr_report *); /* frees it; report may be NULL */

/* ---- Batches: views of your arrays, which stay yours ------------------------------------ */

/* Uniform: matrix k is m x n at a + k*stride, leading dimension ld (0: m), stride in
 * elements (0: ld*n). Mixed sizes: as != NULL, and matrix k is ms[k] x ns[k] at as[k],
 * leading dimension lds[k] (lds NULL: ms[k]); then m, n, a, ld and stride are not used. */
typedef struct {
    orr_type       type;
    int64_t        batch;
    int64_t        m, n;
    void          *a;
    int64_t        ld, stride;
    const int64_t *ms, *ns, *lds;
    void *const   *as;
} orr_batch;

/* ---- heevj: Hermitian eigenvalues and eigenvectors of a batch ---------------------------- */

typedef struct {
    char       jobz;       /* 'N' values only, 'V' with vectors             0: 'V' */
    char       uplo;       /* the triangle of A that is read, 'L' or 'U'    0: 'L' */
    int        max_sweeps; /* give up after this many sweeps                0: 30 */
    double     tol;        /* relative rotation threshold                   0: eps */
    orr_method method;     /* 0: the fastest known for type, n, workers */
    int64_t    chunk;      /* matrices per task                             0: chosen */
    int        check;      /* 1: fill residual and orthogonality (needs jobz 'V') */
    void     (*progress)(int64_t done, int64_t total, void *arg); /* matrices; from a worker */
    void      *progress_arg;
} orr_heevj_opts;

/* A_k Q_k = Q_k diag(w_k), Q_k'Q_k = I, w_k ascending.
 *
 *   A     batch of n x n, 0 <= n <= 1024; only the triangle `uplo` is read. Out: Q_k with
 *         'V'; destroyed with 'N'. Nothing outside the n x n squares is written.
 *   w     batch of n x 1 of the real type, as many as A
 *   info  NULL, or batch records: each matrix's status, sweeps, method, off-norm
 *
 * Returns ORR_OK; ORR_NOCONV or ORR_NONFINITE when some matrix has that status (the
 * others are complete); negative when nothing can be said of the arrays. Method: Huang,
 * Liu, Zhao, Computer Science 50(4), 2023; LAPACK heevd where that is faster. */
ORR_API orr_status orr_heevj(orr_context *, const orr_batch *A, const orr_batch *w,
                             const orr_heevj_opts *, orr_matrix_info *info, orr_report *);
ORR_API orr_status orr_submit_heevj(orr_context *, const orr_batch *A, const orr_batch *w,
                                    const orr_heevj_opts *, orr_matrix_info *info,
                                    orr_request **);

#ifdef __cplusplus
}
#endif
#endif
