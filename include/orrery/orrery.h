/* Orrery: eigenvalues, singular values and principal eigenvectors on nodes with CPUs
 * and GPUs, as StarPU task graphs. This header has the solvers of dense and band matrices,
 * <orrery/sparse.h> those of sparse ones; <orrery/io.h> reads and writes matrix files.
 *
 * Conventions. Matrices are column major with a leading dimension, sizes are int64_t and
 * counted in elements. Every option struct may be NULL or zero: zero means "choose", and
 * what was chosen is told in orr_report.plan. Functions return an orr_status: negative
 * when there is no result, zero or positive when there is one. The library prints
 * nothing and never exits. A process has one StarPU; calls on one context are thread-safe. A progress
 * function returns, and calls orr_cancel and orr_progress_stage at most: what a worker calls besides is
 * refused (ORR_E_ARG), as it would wait for itself.
 * Arrays of matrices and of their results are in main memory, or each as a whole in that of a CUDA
 * device which the context uses (docs/api.md, "Data on a device"). An array of results shares no
 * entry with another array of its call, unless it says so; z is not a. That is looked at, and
 * ORR_E_ARG, but of batches of mixed sizes.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#ifndef ORR_ORRERY_H
#define ORR_ORRERY_H

#include <stddef.h>
#include <stdint.h>

#include "orrery/plan.h"
#include "orrery/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ORR_API __attribute__((visibility("default")))

ORR_API const char *orr_version(void);                /* "0.1.0" */
ORR_API const char *orr_strerror(orr_status);         /* one English sentence, never NULL */
ORR_API size_t orr_type_size(orr_type);               /* bytes of one element */
ORR_API orr_type orr_type_real(orr_type);             /* ORR_S for s and c, ORR_D for d and z */
ORR_API double orr_type_eps(orr_type);                /* unit roundoff times two, as in <float.h> */
ORR_API char orr_type_letter(orr_type);               /* 's', 'd', 'c', 'z', 'h' */
ORR_API int orr_type_parse(const char *, orr_type *); /* 0 if it is one letter of these */

/* ---- A context: one StarPU, started by us or already running ------------------- */

typedef struct orr_context orr_context;

typedef struct {
    int cpus;    /* CPU workers               0: all but one for each device, one at least, at most
                                            $SLURM_CPUS_PER_TASK; -1: none */
    int cudas;   /* CUDA devices              0: all, -1: none; fewer where there are fewer */
    int opencls; /* OpenCL devices            0: none (they serve tests) */
    const char *sched;     /* scheduling policy         NULL: $STARPU_SCHED, else chosen */
    const char *model_dir; /* frozen models, or StarPU's "sampling" dir
                              NULL: $STARPU_PERF_MODEL_DIR, else this machine's frozen models
                              (docs/calibration.md), else $XDG_CACHE_HOME/orrery or
                              ~/.cache/orrery, where StarPU learns; where that cannot be written,
                              a private directory in $TMPDIR or /tmp, until orr_close */
    int trace;             /* 1: record every task (orr_trace_write) */
    int calibrate;         /* 1: StarPU learns, even where there are frozen models */
    int in_flight;         /* tasks submitted ahead     0: 1000 */
    int samples;           /* 1: keep how long each task took (orr_samples_take);
                              2: and what StarPU's models predict for it */
    char *message;         /* NULL, or room for 512 bytes: what is wrong with model files and
                              their directories, the environment, or MPI */
    const void *mpi_comm;  /* NULL, or the address of an MPI_Comm: sparse matrices are then spread
                              over its ranks, see below and docs/nodes.md */
} orr_context_opts;

/* If StarPU already runs it is borrowed: cpus, cudas, opencls, sched and model_dir are
 * then not used, and orr_close leaves it running. A program with tasks of its own starts it first:
 * one that orr_open starts is paused while no operation is in flight, and so would they be.
 * ORR_E_SCHED: no such policy.
 * ORR_E_NOWORKER: StarPU found no worker. ORR_E_DEVICE: a CUDA device is too old for the code that the
 * library has (not looked for where StarPU is borrowed). ORR_E_FILE: model_dir holds broken models, or those
 * of another machine, or cannot be written. ORR_E_ARG: StarPU would end the process
 * for the value of a variable of the environment, say a word where it reads an integer; the
 * message names it.
 *
 * Forks: before orr_open, or after the last orr_close. The child of a process in which StarPU runs
 * has none of its workers: there orr_open and every operation return ORR_E_NOWORKER at once, and
 * orr_close does nothing. */
ORR_API orr_status orr_open(const orr_context_opts *, orr_context **); /* NULL without ORR_OK */
ORR_API void orr_close(orr_context *); /* NULL is legal; requests must be done */

/* Processes of a user start StarPU one after another. Where orr_open waits longer than two seconds
 * for another one, which may be stopped, it calls tell once: what names the file of the lock and, if
 * it is known, the process. After a minute it goes on. For the whole process; NULL: nothing is told.
 * tell must not call the library. */
ORR_API void orr_on_wait(void (*tell)(const char *what, void *arg), void *arg);

/* Several ranks (opts.mpi_comm; needs a library built with ORR_MPI and an MPI initialised with
 * MPI_THREAD_MULTIPLE, else ORR_E_ARG): orr_open, orr_close and all of <orrery/sparse.h> are
 * then collective, called by all ranks in the same order with equal arguments, by one thread at
 * a time. Coordinates are those of rank 0, the other ranks may pass NULL; results and statuses
 * are equal on all. Arguments that differ, or are wrong on one rank, give ORR_E_ARG on all, as do
 * a matrix of another context, orr_submit_powm and orr_submit_pagerank; other operations know of
 * one rank only. Messages go by MPI, not by StarPU-MPI, on a duplicate of the communicator. A rank
 * that fails in the midst of an iteration (memory, a device) ends all by MPI_Abort, after a line
 * on stderr. */

typedef struct {
    int cpu, cuda, opencl; /* workers of each kind */
    int owned;             /* 1: StarPU was started by this context */
    int max_cpus;          /* the most CPU workers this StarPU can drive */
    int has_cuda;          /* 1: liborrery was built with CUDA kernels */
    char sched[64];
    char starpu[16];        /* "1.3.10" */
    char blas[128];         /* as the library says it; "unknown" if it does not */
    char cuda_version[16];  /* of the toolkit; "" without */
    char model_dir[512];    /* StarPU's */
    char model_source[512]; /* the frozen models of which that is a copy; "": none */
    char model_machine[64]; /* and the name of their machine */
    int rank, ranks;        /* this one of so many; 0 of 1 without opts.mpi_comm */
    char mpi[64];           /* the MPI that this library was built with; "" without */
} orr_context_info;
ORR_API void orr_context_query(orr_context *, orr_context_info *);
/* Fills starpu, blas, has_cuda, cuda_version and mpi only; nothing is started. */
ORR_API void orr_versions(orr_context_info *);

/* The scheduling policies that `sched` may name: index 0, 1, ... First Orrery's own, then
 * StarPU's. Returns 1, or 0 when there is no such index. Needs no context. */
typedef struct {
    const char *name, *about; /* about: one line, "" if StarPU gives none */
    const char *refused;      /* NULL, or why ORR_E_SCHED is the answer to it */
    int own;                  /* 1: comes with Orrery */
} orr_policy_info;
ORR_API int orr_policy(int index, orr_policy_info *out);

/* The tasks recorded so far, to a file whose suffix is .csv, .json (Chrome trace), .svg (Gantt
 * chart), .html (a page to zoom in, with <orrery/trace.h>'s analysis of the last run), .paje, or
 * .graph (of the last run: tasks, data, times, for orrery simulate).
 * ORR_E_ARG without opts.trace or with another suffix; ORR_E_FILE: errno says why. */
ORR_API orr_status orr_trace_write(orr_context *, const char *path);

/* ---- What an operation reports ----------------------------------------------------- */

typedef struct {
    orr_status status;
    const char *culprit; /* the codelet or argument that failed, or NULL; static */
    int64_t index;       /* the first part (matrix of a batch) with a status, or -1 */
    int64_t tasks;       /* tasks submitted */
    double seconds;      /* from submission to the end of the last task */
    char plan[512];      /* what was chosen, as members of a JSON object */
    char message[256];   /* for people; "" when status is ORR_OK */
} orr_report;

/* An operation in flight. orr_submit_* return at once or after a short look at the work;
 * between submit and wait only the library touches the arrays. Structs, of options and batches, are
 * copied, but not what they point to. Without ORR_OK the request is NULL, and there is no report: the
 * twin that waits, with the same arguments, says why. */
typedef struct orr_request orr_request;
ORR_API orr_status orr_wait(orr_request *, orr_report *); /* frees it; report may be NULL */

/* Ends the operations of this context that have begun and are not done, whichever threads they were
 * called or submitted from, frames of streams too: each returns ORR_E_CANCELLED as soon as the tasks
 * that are running have ended, those behind them being empty (docs/api.md says how long that takes).
 * Its outputs are then undefined, and so are arrays that it may destroy; what it allocated is freed.
 * One that is complete by then returns its result. Operations that begin later are not touched. A
 * stream goes on; frames pushed while cancelled ones are on the same accelerator may end with them.
 * It has no effect where nothing runs, on NULL, with several ranks, and on orr_sparse_from_*,
 * orr_generate and orr_kronecker. Any thread, and a handler of signals, may call it. */
ORR_API void orr_cancel(orr_context *);

/* Within a progress callback, which is called by a worker or, of a small problem whose caller waits, by
 * the thread that called: the codelet of the task that is done, "he2hb_update"; "" if there is none. */
ORR_API const char *orr_progress_stage(void);
/* Thread blocks of a CUDA kernel wait for each other for 2 s at most; then the kernel ends in an
 * error, of which StarPU aborts the process. 1: that was it, and the text says who waited for whom;
 * for a handler of SIGABRT. 0: it was not. */
ORR_API int orr_device_stall(char *text, size_t room);

/* Between the two, calls on this context are planned instead of computed (orrery/plan.h), those over
 * several ranks refused. begin: ORR_E_ARG if it plans already. end: of all calls since; plan may be NULL. */
ORR_API orr_status orr_plan_begin(orr_context *);
ORR_API void orr_plan_end(orr_context *, orr_plan *);

/* ---- Batches: views of your arrays, which stay yours ------------------------------------ */

/* Uniform: matrix k is m x n at a + k*stride, leading dimension ld (0: m), stride in
 * elements (0: ld*n). Mixed sizes: as != NULL, and matrix k is ms[k] x ns[k] at as[k],
 * leading dimension lds[k] (lds NULL: ms[k]); then m, n, a, ld and stride are not used, and the lists
 * have to stay until the operation has been waited for. */
typedef struct {
    orr_type type;
    int64_t batch;
    int64_t m, n;
    void *a;
    int64_t ld, stride;
    const int64_t *ms, *ns, *lds;
    void *const *as;
} orr_batch;

/* ---- heevj: Hermitian eigenvalues and eigenvectors of a batch ---------------------------- */

typedef struct {
    char jobz;         /* 'N' values only, 'V' with vectors             0: 'V' */
    char uplo;         /* the triangle of A that is read, 'L' or 'U'    0: 'L' */
    int max_sweeps;    /* give up after this many sweeps                0: 30 */
    double tol;        /* relative rotation threshold                   0: eps */
    orr_method method; /* 0: the fastest known for type, n, workers */
    int64_t chunk;     /* matrices per task                             0: chosen */
    int check;         /* 1: fill residual and orthogonality (needs jobz 'V') */
    void (*progress)(int64_t done, int64_t total, void *arg); /* matrices; from a worker */
    void *progress_arg;
    orr_accuracy accuracy; /* relative: method Jacobi                       0: chosen */
} orr_heevj_opts;

/* A_k Q_k = Q_k diag(w_k), Q_k'Q_k = I, w_k ascending.
 *
 *   A     batch of n x n, 0 <= n <= 1024; only the triangle `uplo` is read. Out: Q_k with
 *         'V'; destroyed with 'N'. Nothing outside the n x n squares is written.
 *   w     batch of n x 1 of the real type
 *   info  NULL, or batch records: each matrix's status, sweeps, method, off-norm
 *
 * Returns ORR_OK; ORR_NOCONV, ORR_NONFINITE or ORR_RANGE when some matrix has that status (the
 * others are complete); negative when nothing can be said of the arrays. Method: Huang,
 * Liu, Zhao, Computer Science 50(4), 2023; QL or LAPACK heevd where that is faster. */
ORR_API orr_status orr_heevj(orr_context *, const orr_batch *A, const orr_batch *w,
                             const orr_heevj_opts *, orr_matrix_info *info, orr_report *);
ORR_API orr_status orr_submit_heevj(orr_context *, const orr_batch *A, const orr_batch *w,
                                    const orr_heevj_opts *, orr_matrix_info *info, orr_request **);

/* Where the tasks of an operation on one large matrix may run. */
typedef enum {
    ORR_PLACE_AUTO = 0, /* hb2st and gb2bd: by predicted time, of a CUDA device without a model an
                           estimate's; of another one wherever the scheduler wants */
    ORR_PLACE_CPU,
    ORR_PLACE_GPU,      /* on accelerators; ORR_E_NOWORKER if there is none */
    ORR_PLACE_PIPELINE, /* gesvj only: angles on accelerators, rotating on CPUs (Zhou et al.) */
    ORR_PLACE_MIRROR,   /* gesvj only: angles' small EVDs on CPUs, the rest on accelerators */
    ORR_NPLACES,        /* of these; the next one is none of them */
    ORR_PLACE_SPLIT = ORR_NPLACES /* hb2st and gb2bd: columns on an accelerator, the rest on CPUs */
} orr_place;

/* How one large dense matrix is reduced. */
typedef enum {
    ORR_DENSE_AUTO = 0,  /* whichever was the faster one where both were measured; two stages where
                            their band or tile, QR first or place gpu is asked for */
    ORR_DENSE_TWO_STAGE, /* through a band matrix, many tasks */
    ORR_DENSE_LAPACK,    /* directly, on CPUs: one task; heev's workers may share it */
    ORR_NDENSE
} orr_dense_method;

/* ---- hb2st: a Hermitian band matrix to tridiagonal form ------------------------------------ */

/* The reflectors of a reduction, about n^2/2 elements. */
typedef struct orr_hb2st_factor orr_hb2st_factor;

typedef struct {
    char vect; /* 'N' d and e only, 'Q' also Q, 'V' also *factor       0: 'N' */
    void *q;   /* with 'Q', out: n x n, leading dimension ldq >= n */
    int64_t ldq;
    orr_hb2st_factor **factor; /* with 'V', out (when waited for): to be dropped by the caller */
    orr_place place;
    int64_t D;     /* columns of a block of the band                       0: chosen; an
                         accelerator alone gets one block, if it fits */
    int64_t G;     /* sweeps of a group; D >= (G-1)(b-1) + b               0: chosen */
    int64_t tail;  /* so many of the last sweeps go through blocks of D/2 columns, CPUs and
                         'N' only                                             0: none */
    int64_t split; /* with ORR_PLACE_SPLIT: the first so many columns, to whole blocks, are
                         an accelerator's                                     0: by speeds */
    void (*progress)(int64_t done, int64_t total, void *arg); /* hops; from a worker */
    void *progress_arg;
} orr_hb2st_opts;

/* T = Q'A Q real symmetric tridiagonal, Q unitary, by bulge chasing.
 *
 *   A    n x n of the type, 0 <= b < n (b = 0 if n = 0), in LAPACK's band storage, not
 *        changed: 'L': A(i,j) at ab[i-j + j*ldab]; 'U': at ab[b+i-j + j*ldab]; ldab >= b+1
 *   d    [n] diagonal of T, of the real type    e    [n-1] its off-diagonal
 *
 * ORR_E_NONFINITE: an entry of A is NaN or infinite, report.index is its place in ab; nothing was
 * done. ORR_RANGE: one of d or e is beyond the range. plan: "b" the bandwidth found (outer diagonals
 * of zeros are not reduced), "D", "G", "blocks", "groups", "hops", "tail"; "place", "from" the model
 * or estimate that chose it, "predicted" seconds of the reduction without Q, with auto and an
 * accelerator those of each place, with split the accelerator's blocks; or "method" "lapack" where one
 * task does it by rotations, as of few diagonals. No bit of d, e and reflectors depends on D, G, the
 * scheduler or the number of CPUs, but where b < 8, vect 'N': whether that task does it depends on them.
 * Q depends on G and the number of CPUs. docs/algorithms/hb2st.md has the sources. */
ORR_API orr_status orr_hb2st(orr_context *, orr_type, char uplo, int64_t n, int64_t b,
                             const void *ab, int64_t ldab, void *d, void *e, const orr_hb2st_opts *,
                             orr_report *);
ORR_API orr_status orr_submit_hb2st(orr_context *, orr_type, char uplo, int64_t n, int64_t b,
                                    const void *ab, int64_t ldab, void *d, void *e,
                                    const orr_hb2st_opts *, orr_request **);

/* E := Q E (trans 'N') or Q'E ('C', of real types, too); E is n x k of the type of A, lde >= n. */
ORR_API orr_status orr_hb2st_apply(orr_context *, const orr_hb2st_factor *, char trans, int64_t k,
                                   void *E, int64_t lde, orr_report *);
ORR_API orr_status orr_submit_hb2st_apply(orr_context *, const orr_hb2st_factor *, char trans,
                                          int64_t k, void *E, int64_t lde, orr_request **);
ORR_API void orr_hb2st_drop(orr_hb2st_factor *); /* NULL is legal */

/* ---- heev: eigenvalues and eigenvectors of one large Hermitian matrix ----------------------- */

typedef struct {
    int64_t band;    /* bandwidth between the stages, at least 2              0: chosen */
    int64_t tile;    /* of rows and columns, 16 and more, at least n / 8192, a multiple of
                        band                                                  0: chosen */
    int64_t il, iu;  /* eigenvalues il .. iu of the n, from 1, ascending     0, 0: all */
    orr_place place; /* of both stages: auto, cpu or gpu; CPUs solve, but for large merges */
    void (*progress)(int64_t done, int64_t total, void *arg); /* from a worker */
    void *progress_arg;
    orr_dense_method method; /* two stages, or a direct reduction              0: chosen */
    double vl, vu;           /* eigenvalues in (vl, vu], vl < vu, -INFINITY and INFINITY among
                                them, in the precision of the matrix           0, 0: all */
    int64_t *found;          /* NULL, or out [2]: w holds eigenvalues found[0] .. found[1], from 1;
                                found[1] = found[0] - 1: none */
} orr_heev_opts;

/* A = Z diag(w) Z', Z'Z = I, w ascending, by two stages: a band matrix, a tridiagonal one; where
 * they do not pay, by a direct reduction to a tridiagonal one.
 *
 *   a    n x n of the type, lda >= n; only the triangle `uplo` is read. Destroyed, both triangles.
 *   w    [k] of the real type, k = n, or iu - il + 1
 *   z    NULL: values only; or out: n x k, n k < 2^32, n <= ldz < 2^24; n <= 46000 with method LAPACK
 *        and all values
 *
 * With vl and vu, w and z have room for k = n, and only what is in the interval is written, if there
 * is anything: signs of pivots decide, as in LAPACK, and a value that rounding put outside is set to
 * the end. With two stages orr_submit_heev then returns only when the number is known.
 *
 * ORR_E_NONFINITE: an entry of the triangle is NaN or infinite; report.index is its place in a and
 * the message says which; nothing was done. ORR_NOCONV: the tridiagonal solver gave up. ORR_RANGE: an
 * eigenvalue is beyond the range. plan: "method" ("two-stage" or "lapack"), "from" ("asked", or
 * "built in" or, on this machine, "measured" and the order where one becomes faster than the other:
 * docs/calibration.md), "scale" (a power of two); of two
 * stages "band", "tile", "tiles", "steps", "updates" ("cpu", "accelerators" or "any": where they may
 * run), and "seconds" of "he2hb", "hb2st" (what is left of it after he2hb), "solver", "back"; else
 * "seconds" of "lapack" or, where workers share it, of "reduction", "solver", "back"; of an interval
 * "found", how many, and "first", the number of the first.
 * Which worker runs which task does not change a bit, but CUDA devices round differently, and w and z
 * depend on the number of CPU workers. docs/algorithms/heev.md has the sources. */
ORR_API orr_status orr_heev(orr_context *, orr_type, char uplo, int64_t n, void *a, int64_t lda,
                            void *w, void *z, int64_t ldz, const orr_heev_opts *, orr_report *);
ORR_API orr_status orr_submit_heev(orr_context *, orr_type, char uplo, int64_t n, void *a,
                                   int64_t lda, void *w, void *z, int64_t ldz,
                                   const orr_heev_opts *, orr_request **);

/* ---- hbev: eigenvalues and eigenvectors of a Hermitian band matrix ---------------------------- */

typedef struct {
    int64_t il, iu;  /* eigenvalues il .. iu of the n, from 1, ascending      0, 0: all */
    double vl, vu;   /* those in (vl, vu], as of orr_heev                     0, 0: all */
    int64_t *found;  /* NULL, or out [2]: w holds eigenvalues found[0] .. found[1], from 1 */
    orr_place place; /* of the reduction and its reflectors: auto, cpu or gpu */
    void (*progress)(int64_t done, int64_t total, void *arg); /* from a worker */
    void *progress_arg;
    orr_dense_method method; /* two stages: bulge chasing, and the solver; or LAPACK's dense
                                reduction, n <= 46000                          0: chosen */
} orr_hbev_opts;

/* A = Z diag(w) Z', Z'Z = I, w ascending: orr_hb2st, and then the solver of orr_heev; small matrices
 * are made dense, and one task solves them by LAPACK.
 *
 *   ab   band of the type as orr_hb2st takes it: b < n outer diagonals, ldab > b; not changed
 *   w    [k] of the real type, k = n, or iu - il + 1
 *   z    NULL: values only; or out: n x k of the type, n k < 2^32, n <= ldz < 2^24
 *
 * What an interval holds, statuses, and what changes bits: as of orr_heev; report.index is a place in
 * ab. plan: "method" ("two-stage" or "lapack"), "from" ("asked" or "measured"), "b" (outer diagonals
 * that are not zero), "scale" (a power of two), "seconds" of "hb2st", "solver", "back", or of
 * "lapack"; of an interval "found" and "first". docs/algorithms/hb2st.md and
 * docs/algorithms/heev.md have the sources. */
ORR_API orr_status orr_hbev(orr_context *, orr_type, char uplo, int64_t n, int64_t b,
                            const void *ab, int64_t ldab, void *w, void *z, int64_t ldz,
                            const orr_hbev_opts *, orr_report *);
ORR_API orr_status orr_submit_hbev(orr_context *, orr_type, char uplo, int64_t n, int64_t b,
                                   const void *ab, int64_t ldab, void *w, void *z, int64_t ldz,
                                   const orr_hbev_opts *, orr_request **);

/* ---- sterf: eigenvalues of a real symmetric tridiagonal matrix ------------------------------- */

typedef struct {
    int64_t il, iu; /* eigenvalues il .. iu of the n, from 1, ascending        0, 0: all */
    void (*progress)(int64_t done, int64_t total, void *arg); /* values; from a worker */
    void *progress_arg;
} orr_sterf_opts;

/* Eigenvalues of T, w ascending, to some eps times the norm of T: the solver of orr_heev without
 * vectors.
 *
 *   type  ORR_S or ORR_D        d  [n] diagonal of T        e  [n-1] its off-diagonal; not changed
 *   w     [k], k = n, or iu - il + 1; may be d
 *
 * ORR_E_NONFINITE: an entry is NaN or infinite; report.index is its place in d or e, which the message
 * names; nothing was done. ORR_RANGE: a value is beyond the range. plan: "method": "bisection" (each
 * value on its own, O(n)), or up to order 32 "sterf", LAPACK's. Neither the worker that computes a
 * value nor which others are asked for changes a bit of it. docs/algorithms/heev.md has the sources. */
ORR_API orr_status orr_sterf(orr_context *, orr_type, int64_t n, const void *d, const void *e,
                             void *w, const orr_sterf_opts *, orr_report *);
ORR_API orr_status orr_submit_sterf(orr_context *, orr_type, int64_t n, const void *d,
                                    const void *e, void *w, const orr_sterf_opts *, orr_request **);

/* ---- hegv: the generalised problem, two large Hermitian matrices ----------------------------- */

typedef struct {
    int problem;        /* 1: A x = w B x; 2: A B x = w x; 3: B A x = w x       0: 1 */
    orr_heev_opts heev; /* of the ordinary problem that it becomes: which values, how, where; its
                           tile is that of the reduction, too */
} orr_hegv_opts;

/* w ascending and, with z, X: A X = B X diag(w), X'B X = I (problem 1); A B X = X diag(w),
 * X'B X = I (2); B A X = X diag(w), X'B^-1 X = I (3). By Cholesky, B = L L', and orr_heev.
 *
 *   a, b n x n of the type, lda, ldb >= n; only the triangles `uplo` are read, b positive definite.
 *        Both are destroyed; the lower triangle of b is L.
 *   w, z as those of orr_heev
 *
 * ORR_E_DEFINITE: b is not; report.index is the order i of the leading minor that says so, LAPACK's
 * info is n + i; 0: the reduced problem was beyond the range. ORR_E_NONFINITE: report.index is the
 * place of an entry of a or b, which the message names; nothing was done. ORR_NOCONV: as of
 * orr_heev. ORR_RANGE: the largest of the values is beyond the range, above or below. plan:
 * "problem", "tile", "tiles", "updates" of the reduction, "seconds" of "reduction", "heev",
 * "vectors", and "heev", the plan of that. docs/algorithms/hegv.md has the sources. */
ORR_API orr_status orr_hegv(orr_context *, orr_type, char uplo, int64_t n, void *a, int64_t lda,
                            void *b, int64_t ldb, void *w, void *z, int64_t ldz,
                            const orr_hegv_opts *, orr_report *);
/* Returns when a and b have been looked at. seconds of the report is then the time until all was done. */
ORR_API orr_status orr_submit_hegv(orr_context *, orr_type, char uplo, int64_t n, void *a,
                                   int64_t lda, void *b, int64_t ldb, void *w, void *z, int64_t ldz,
                                   const orr_hegv_opts *, orr_request **);

/* ---- gb2bd: a band matrix to upper bidiagonal form ---------------------------------------- */

typedef struct {
    int64_t tw;         /* diagonals peeled per stage                       0: chosen */
    int64_t rows;       /* rows of a block of the band, D                   0: chosen */
    int64_t sweeps;     /* sweeps in a task, at most, G                     0: as D allows */
    int64_t max_blocks; /* groups of sweeps under way at the same time      0: no limit */
    orr_place place;    /* auto, cpu, gpu or split, of the band's tasks */
    int64_t split;      /* with ORR_PLACE_SPLIT: the first so many rows, to whole blocks, are an
                           accelerator's                                    0: by speeds */
    void *u;            /* NULL, or out: m x k, leading dimension ldu >= m  */
    int64_t ldu;
    void *v; /* NULL, or out: n x k, leading dimension ldv >= n  */
    int64_t ldv;
    void (*progress)(int64_t done, int64_t total, void *arg); /* sweeps; from a worker */
    void *progress_arg;
} orr_gb2bd_opts;

/* A = U B V', U and V with orthonormal columns, B k x k upper bidiagonal, k = min(m, n): it
 * has A's singular values, d on its diagonal and e above it.
 *
 *   ab    m x n with kl sub- and ku superdiagonals, kl + ku <= 512, as LAPACK gbbrd takes it:
 *         entry (i,j) is ab[j*ldab + ku + i - j], ldab >= kl + ku + 1. Read only.
 *   d, e  k and k-1 reals, k = min(m, n); float for half precision (ORR_H), which is among
 *         the types, and so are u and v then. Not negative if A is complex.
 *
 * kl > 0: A = QR first, and R has kl + ku superdiagonals. m < n, or ku = 0 and m = n: A' is
 * reduced. With u or v there is one stage. Results do not depend on the order of tasks; nor, except in
 * half precision and where kl + ku < 8 without u and v, does a bit of d and e depend on rows, sweeps,
 * max_blocks and the number of workers. u and v depend on sweeps and the number of CPU workers.
 * ORR_E_NONFINITE: an entry of A is NaN or infinite; report.index is its place in ab and the message
 * says which; nothing was done.
 * ORR_RANGE: one of d or e is beyond the range. plan: "rows" of a block, "blocks", "max_blocks",
 * "route" ("transpose", "qr"), "stages", and "place", "from", "predicted" as of orr_hb2st; or "method"
 * "lapack" where one task does it by rotations.
 * Method: Ringoot, Alomairy, Edelman, arXiv 2510.12705, 2025. */
ORR_API orr_status orr_gb2bd(orr_context *, orr_type, int64_t m, int64_t n, int64_t kl, int64_t ku,
                             const void *ab, int64_t ldab, void *d, void *e, const orr_gb2bd_opts *,
                             orr_report *);
ORR_API orr_status orr_submit_gb2bd(orr_context *, orr_type, int64_t m, int64_t n, int64_t kl,
                                    int64_t ku, const void *ab, int64_t ldab, void *d, void *e,
                                    const orr_gb2bd_opts *, orr_request **);

/* ---- gesvd: singular values and vectors of one large matrix --------------------------------- */

typedef struct {
    int64_t band;    /* bandwidth between the stages, 2 to 512                0: chosen */
    int64_t tile;    /* of rows and columns, 16 and more, without QR at least max(m,n) / 8192,
                        a multiple of band                                    0: chosen */
    int qr;          /* QR factorization first: 1 yes, -1 no                  0: if less work */
    orr_place place; /* of both stages: auto, cpu or gpu; CPUs solve, but for large merges */
    void (*progress)(int64_t done, int64_t total, void *arg); /* from a worker */
    void *progress_arg;
    orr_dense_method method; /* two stages, or a direct reduction               0: chosen */
} orr_gesvd_opts;

/* A = U diag(s) V', U'U = V'V = I, s descending, by two stages: a band matrix, a bidiagonal one;
 * where they do not pay, directly: by LAPACK's gesdd, or a kernel of our own for small matrices.
 *
 *   a    m x n of the type, lda >= m. Destroyed.
 *   s    [k] of the real type, k = min(m, n)
 *   u    NULL, or out: m x k, m <= ldu < 2^24        with either of them k < 2^16;
 *   v    NULL, or out: n x k (V, not its adjoint), n <= ldv < 2^24     neither: values only
 *
 * m, n, lda, ldu and ldv are less than 2^27, which suffices for vectors of few columns or rows ("tsqr" below).
 * m < n: the adjoint is reduced, in memory of its own. ORR_E_NONFINITE: an entry is NaN or
 * infinite; report.index is its place in a and the message says which; nothing was done.
 * ORR_NOCONV: the bidiagonal solver gave up. ORR_RANGE: a value is beyond the range. plan: "method",
 * "from" and "scale" as of orr_heev; of two stages "band", "tile", "tiles" and "steps" of columns,
 * "route" ("adjoint", "qr"), "updates" ("cpu", "accelerators" or "any": where they may run), "solver"
 * ("bdsqr" or, by tasks, "bisection"; with vectors "bdsdc" or, by tasks, "merges": divide and conquer),
 * and "seconds" of "qr", "ge2gb", "gb2bd" (what is left of it after ge2gb), "solver", "back"; of "method"
 * "tsqr" (few columns, or few rows) "parts" and "seconds" of "qr", "solver", "back"; else "seconds" of "lapack". Which worker runs which task does not change a bit, but CUDA devices round
 * differently, and s, u and v depend on the number of CPU workers, but for tsqr. docs/algorithms/gesvd.md has the
 * sources. */
ORR_API orr_status orr_gesvd(orr_context *, orr_type, int64_t m, int64_t n, void *a, int64_t lda,
                             void *s, void *u, int64_t ldu, void *v, int64_t ldv,
                             const orr_gesvd_opts *, orr_report *);
ORR_API orr_status orr_submit_gesvd(orr_context *, orr_type, int64_t m, int64_t n, void *a,
                                    int64_t lda, void *s, void *u, int64_t ldu, void *v,
                                    int64_t ldv, const orr_gesvd_opts *, orr_request **);

/* ---- gesvj: singular value decomposition by one-sided Jacobi -------------------------------- */

typedef struct {
    int max_sweeps;   /* give up after this many sweeps                     0: 30 */
    double tol;       /* relative rotation threshold                        0: sqrt(m) eps */
    int precondition; /* pivoted QR first: 1 yes, -1 no;   0: yes, and sweeps begin with
                                eigenvectors where no device takes part and it pays */
    int block;        /* columns per block: 16, 32, 64                      0: chosen */
    int64_t chunk;    /* small matrices per task                            0: chosen */
    int bundle;       /* matrices of one shape that an accelerator has at once: 1 to 64
                                                                                   0: chosen */
    orr_place place;  /* of the stages; auto without an accelerator is cpu, see plan;
                                gpu, pipeline, mirror without one fail with ORR_E_NOWORKER */
    int check;        /* 1: fill residual and orthogonality (needs U and V) */
    void (*progress)(int64_t done, int64_t total, void *arg); /* matrices; from a worker */
    void *progress_arg;
} orr_gesvj_opts;

/* A_k = U_k diag(s_k) V_k', s_k descending, U_k'U_k = V_k'V_k = I; with l = min(m,n):
 *
 *   A     batch of m x n, not changed; min(m,n) <= 8192, m*n < 2^31
 *   s     batch of l x 1 of the real type, as many as A
 *   U     NULL, or batch of m x l;  V  NULL, or batch of n x l (V, not its transpose)
 *   info  NULL, or batch records: status, sweeps, method, off; with `check` residual
 *         |A - U S V'|_F / (max(m,n) eps |A|_F) and orthogonality, the larger of |U'U - I|_F
 *         and |V'V - I|_F / (max(m,n) eps)
 *
 * If A = B D with D diagonal, the relative errors of s depend on the condition of B only.
 * Where s is zero the columns of U and V complete orthonormal sets. Returns as orr_heevj. plan: matrices
 * that were "whole", one task each or in "chunks", and "graphs"; "block" columns, "precondition", "place"
 * and "place_asked", "bundle" (matrices that a device has at once), "on_device", "ends" (where matrices
 * start and finish), "sweeps". docs/algorithms/gesvj.md has the sources. */
ORR_API orr_status orr_gesvj(orr_context *, const orr_batch *A, const orr_batch *s,
                             const orr_batch *U, const orr_batch *V, const orr_gesvj_opts *,
                             orr_matrix_info *info, orr_report *);
ORR_API orr_status orr_submit_gesvj(orr_context *, const orr_batch *A, const orr_batch *s,
                                    const orr_batch *U, const orr_batch *V, const orr_gesvj_opts *,
                                    orr_matrix_info *info, orr_request **);

/* A stream: matrices that keep coming. They are solved side by side, `in_flight` of them at
 * most, and leave in the order in which they came. One thread pushes and pops. */
typedef struct orr_gesvj_stream orr_gesvj_stream;

/* One matrix, m x n of any type, and room for its results; all of it stays yours, and from
 * push until its result has left only the library touches the arrays. */
typedef struct {
    orr_type type;
    int64_t m, n;
    const void *a;
    int64_t ld;       /* of a; 0: m */
    void *s, *u, *v;  /* u, v NULL: not wanted */
    int64_t ldu, ldv; /* 0: m and n */
    void *user;       /* yours */
} orr_gesvj_frame;

/* What left the stream: the frame that was pushed, its number from 0, what came of it. */
typedef struct {
    orr_gesvj_frame frame;
    int64_t number;
    orr_status status; /* as orr_gesvj returns it */
    orr_matrix_info info;
    double latency; /* seconds from push to the end of its last task */
} orr_gesvj_result;

typedef struct {
    int64_t frames;                     /* that have left */
    int64_t on_device;                  /* of those of order above 64: swept by an accelerator */
    double seconds;                     /* from the first push to the end of the last task */
    double latency_median, latency_max; /* the median of up to 4096 frames, evenly spread */
    double angle, update; /* seconds of tasks of either stage; 0 unless the context traces */
    double overlap;       /* the part of them that ran beside the other stage of another
                                frame, 0 to 1; NaN unless the context traces */
    int64_t tasks;
    char plan[512];
} orr_gesvj_stream_report;

/* With `deliver`, results are handed to it, in order, from within push, pop and close; else
 * they wait for pop. in_flight 0: twice the workers, at least 4, and with accelerators as many
 * as fill two bundles of each; 2 if the place is pipeline. Of the options progress is not called, and
 * check looks at frames with u and v. ORR_E_ARG: options that orr_gesvj would refuse. */
ORR_API orr_status orr_gesvj_stream_open(orr_context *, const orr_gesvj_opts *, int in_flight,
                                         void (*deliver)(const orr_gesvj_result *, void *arg),
                                         void *arg, orr_gesvj_stream **);
/* Returns when the frame is in flight, which may take until an older one is done.
 * ORR_E_ARG: this frame is refused, the stream goes on. */
ORR_API orr_status orr_gesvj_stream_push(orr_gesvj_stream *, const orr_gesvj_frame *);
/* The oldest result. 1: taken (or delivered); 0: none in the stream, or (without `wait`)
 * not done yet. */
ORR_API int orr_gesvj_stream_pop(orr_gesvj_stream *, int wait, orr_gesvj_result *);
/* Waits for all, delivers what nobody popped if there is a `deliver`, frees the stream.
 * Returns the worst status of the frames; report may be NULL. */
ORR_API orr_status orr_gesvj_stream_close(orr_gesvj_stream *, orr_gesvj_stream_report *);

#ifdef __cplusplus
}
#endif
#endif
