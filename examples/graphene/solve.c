/* Storage of a batch, the two solvers, and the clock.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700
#include "solve.h"

#include <dlfcn.h>
#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void zheevd_(const char *jobz, const char *uplo, const int *n, cplx *a, const int *lda, double *w,
             cplx *work, const int *lwork, double *rwork, const int *lrwork, int *iwork,
             const int *liwork, int *info);

enum { MAX_RUNS = 9 };

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

int problem_alloc(problem *p, const char *name, int64_t batch, int64_t n, const int64_t *orders)
{
    *p = (problem){.name = name, .batch = batch, .n = n, .mixed = orders != NULL, .lapack = NAN};
    size_t entries = 0, values = 0;
    for (int64_t k = 0; k < batch; k++) {
        const size_t nk = orders ? orders[k] : n;
        if (p->n < (int64_t)nk)
            p->n = nk;
        entries += nk * nk;
        values += nk;
    }
    p->order = malloc(sizeof *p->order * batch);
    p->h = calloc(batch, sizeof *p->h);
    p->q = calloc(batch, sizeof *p->q);
    p->w = calloc(batch, sizeof *p->w);
    cplx *h = malloc(sizeof *h * entries), *q = malloc(sizeof *q * entries);
    double *w = malloc(sizeof *w * values);
    if (!p->order || !p->h || !p->q || !p->w || !h || !q || !w) {
        free(h);
        free(q);
        free(w);
        free(p->order);
        free(p->h);
        free(p->q);
        free(p->w);
        *p = (problem){0};
        return -1;
    }
    for (int64_t k = 0; k < batch; k++) {
        const int64_t nk = p->order[k] = orders ? orders[k] : n;
        p->h[k] = h;
        p->q[k] = q;
        p->w[k] = w;
        h += nk * nk;
        q += nk * nk;
        w += nk;
    }
    return 0;
}

void problem_free(problem *p)
{
    if (p->h) { /* the matrices lie behind the first one */
        free(p->h[0]);
        free(p->q[0]);
        free(p->w[0]);
    }
    free(p->h);
    free(p->q);
    free(p->w);
    free(p->order);
    *p = (problem){0};
}

static size_t entries(const problem *p)
{
    size_t sum = 0;
    for (int64_t k = 0; k < p->batch; k++)
        sum += (size_t)p->order[k] * p->order[k];
    return sum;
}

static double median(double *x, int n)
{
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && x[j] < x[j - 1]; j--) {
            const double swap = x[j];
            x[j] = x[j - 1];
            x[j - 1] = swap;
        }
    return x[n / 2];
}

/* Something to read for whoever waits: after two seconds, one line a second. */
typedef struct {
    const char *what, *who;
    _Atomic double next;
} ticker;

static void tick(int64_t done, int64_t total, void *arg)
{
    ticker *t = arg;
    double due = atomic_load(&t->next);
    const double time = now();
    if (time >= due && atomic_compare_exchange_strong(&t->next, &due, time + 1))
        fprintf(stderr, "graphene: %s, %s: %lld of %lld matrices\n", t->what, t->who,
                (long long)done, (long long)total);
}

/* The plan is a list of JSON members; among them, matrices per method: "jacobi":980,"lapack":20.
 * The methods used, the one with the most matrices first. */
static void plan_methods(const char *plan, char *out, size_t size)
{
    static const char *const keys[] = {"\"jacobi\":", "\"block\":", "\"lapack\":", "\"lanes\":"};
    enum { KEYS = sizeof keys / sizeof *keys };
    long long count[KEYS];
    for (int i = 0; i < KEYS; i++) {
        const char *at = strstr(plan, keys[i]);
        count[i] = at ? atoll(at + strlen(keys[i])) : 0;
    }
    snprintf(out, size, "?");
    for (size_t used = 0; used < size;) {
        int most = 0;
        for (int i = 1; i < KEYS; i++)
            if (count[i] > count[most])
                most = i;
        if (count[most] <= 0)
            break;
        const int length = (int)strlen(keys[most]) - 3; /* without quotes and colon */
        used +=
            snprintf(out + used, size - used, "%s%.*s", used ? "+" : "", length, keys[most] + 1);
        count[most] = 0;
    }
}

static double worse(double a, double b) /* NaN is the worst */
{
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

/* LAPACK runs once per thread on small matrices: a BLAS that starts threads of its own
 * would only be in its own way. The setters are looked up, so that any BLAS links. */
static void single_threaded_blas(void)
{
    static const char *const setters[] = {"openblas_set_num_threads", "MKL_Set_Num_Threads",
                                          "bli_thread_set_num_threads"};
    void *self = dlopen(NULL, RTLD_LAZY);
    for (size_t i = 0; self && i < sizeof setters / sizeof *setters; i++) {
        void *found = dlsym(self, setters[i]);
        void (*set)(long);
        if (found) {
            memcpy(&set, &found, sizeof set); /* ISO C has no cast for this */
            set(1);
        }
    }
    if (self)
        dlclose(self);
}

/* One sweep over the batch; 0, or the first failure: -1 no memory, > 0 zheevd's info. */
static int lapack_loop(const problem *p, cplx *a, double *w, const size_t *at, const size_t *wat,
                       int threads, ticker *t)
{
    int failure = 0;
    _Atomic int64_t done = 0;
    const int n = (int)p->n, query = -1;
    cplx size;
    double rsize;
    int isize, info;
    zheevd_("V", "L", &n, a, &n, w, &size, &query, &rsize, &query, &isize, &query, &info);
    const int lwork = (int)creal(size), lrwork = (int)rsize, liwork = isize;
#pragma omp parallel num_threads(threads)
    {
        cplx *work = malloc(sizeof *work * lwork);
        double *rwork = malloc(sizeof *rwork * lrwork);
        int *iwork = malloc(sizeof *iwork * liwork);
#pragma omp for schedule(dynamic, 16)
        for (int64_t k = 0; k < p->batch; k++) {
            const int nk = (int)p->order[k];
            int bad = -1;
            if (work && rwork && iwork)
                zheevd_("V", "L", &nk, a + at[k], &nk, w + wat[k], work, &lwork, rwork, &lrwork,
                        iwork, &liwork, &bad);
            if (bad) {
#pragma omp critical
                failure = bad;
            }
            if (k % 64 == 63)
                tick(atomic_fetch_add(&done, 64) + 64, p->batch, t);
        }
        free(work);
        free(rwork);
        free(iwork);
    }
    return failure;
}

/* A copy of the matrices and what LAPACK makes of it. */
typedef struct {
    cplx *a;
    double *w;
    size_t *at, *wat; /* where matrix k and its eigenvalues begin */
} reference;

static int reference_alloc(reference *r, const problem *p)
{
    r->a = malloc(sizeof *r->a * entries(p));
    r->w = malloc(sizeof *r->w * p->n * p->batch);
    r->at = malloc(sizeof *r->at * p->batch);
    r->wat = malloc(sizeof *r->wat * p->batch);
    if (!r->a || !r->w || !r->at || !r->wat)
        return -1;
    for (int64_t k = 0; k < p->batch; k++) {
        r->at[k] = p->h[k] - p->h[0];
        r->wat[k] = p->w[k] - p->w[0];
    }
    single_threaded_blas();
    return 0;
}

static void reference_free(reference *r)
{
    free(r->a);
    free(r->w);
    free(r->at);
    free(r->wat);
}

static double difference(const problem *p, const reference *r)
{
    double worst = 0;
    for (int64_t k = 0; k < p->batch; k++)
        for (int64_t i = 0; i < p->order[k]; i++)
            worst = worse(worst, fabs(r->w[r->wat[k] + i] - p->w[k][i]));
    return worst;
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* The library's views of q and w; `ones` is needed where the orders differ. */
static void views(const problem *p, const int64_t *ones, orr_batch *A, orr_batch *W)
{
    *A = (orr_batch){.type = ORR_Z, .batch = p->batch};
    *W = (orr_batch){.type = ORR_D, .batch = p->batch};
    if (p->mixed) {
        A->ms = A->ns = W->ms = p->order;
        W->ns = ones;
        A->as = (void *const *)p->q;
        W->as = (void *const *)p->w;
    } else {
        A->m = A->n = W->m = p->n;
        W->n = 1;
        A->a = p->q[0];
        W->a = p->w[0];
    }
}

orr_status problem_solve(problem *p, orr_context *ctx, int threads, int runs, orr_report *report)
{
    ticker ours = {.what = p->name, .who = "Orrery", .next = now() + 2};
    ticker theirs = {.what = p->name, .who = "LAPACK", .next = now() + 2};
    double seconds[MAX_RUNS], lapack[MAX_RUNS], wall = 0, cpu = 0;
    reference ref = {0};
    orr_batch A, W;
    orr_status st = ORR_OK;
    orr_matrix_info *info = calloc(p->batch, sizeof *info);
    int64_t *ones = malloc(sizeof *ones * p->batch);
    if (!info || !ones || (threads && reference_alloc(&ref, p)))
        st = ORR_E_NOMEM;
    for (int64_t k = 0; k < p->batch && st >= 0; k++)
        ones[k] = 1;
    views(p, ones, &A, &W);

    /* Run 0 warms up and is the one that is checked. */
    for (int run = 0; run <= runs && st >= 0; run++) {
        const orr_heevj_opts opts = {.check = run == 0, .progress = tick, .progress_arg = &ours};
        memcpy(p->q[0], p->h[0], sizeof(cplx) * entries(p));
        const double start = now();
        st = orr_heevj(ctx, &A, &W, &opts, run == 0 ? info : NULL, report);
        if (run > 0)
            seconds[run - 1] = now() - start;
        if (st < 0 || !threads)
            continue;
        memcpy(ref.a, p->h[0], sizeof(cplx) * entries(p));
        const double reference_start = now(), cpu_start = cpu_seconds();
        const int failure = lapack_loop(p, ref.a, ref.w, ref.at, ref.wat, threads, &theirs);
        if (failure) {
            st = failure < 0 ? ORR_E_NOMEM : ORR_E_DEVICE;
            report->culprit = "zheevd";
            snprintf(report->message, sizeof report->message, "LAPACK's info is %d", failure);
        } else if (run > 0) {
            cpu += cpu_seconds() - cpu_start;
            wall += lapack[run - 1] = now() - reference_start;
        }
    }
    if (st >= 0) {
        p->seconds = median(seconds, runs);
        p->residual = p->orthogonality = 0;
        for (int64_t k = 0; k < p->batch; k++) {
            p->residual = worse(p->residual, info[k].residual);
            p->orthogonality = worse(p->orthogonality, info[k].orthogonality);
        }
        plan_methods(report->plan, p->method, sizeof p->method);
    }
    if (st >= 0 && threads) {
        p->lapack = median(lapack, runs);
        p->lapack_diff = difference(p, &ref);
        p->lapack_share = cpu / (wall * threads);
    }
    reference_free(&ref);
    free(ones);
    free(info);
    return st;
}
