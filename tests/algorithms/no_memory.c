/* Memory runs out within the library: of each operation, one allocation of the library's own fails, then all
 * from it on, one allocation after the other. The call returns ORR_E_NOMEM, or the right values where it can
 * do without; and the next call has them in any case. What BLAS and StarPU allocate does not fail: they would
 * end the process.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "orrery/orrery.h"
#include "orrery/sparse.h"
#include "orrery/trace.h"

/* ---- An allocator that fails ---------------------------------------------------------------------- */

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

static uintptr_t from, to;             /* the library's code */
static atomic_long count;              /* of its allocations, ... */
static atomic_long first = INT64_MAX;  /* ... of which this one fails, */
static atomic_long behind = INT64_MAX; /* and up to this one all */

static int fails(const void *caller)
{
    if ((uintptr_t)caller < from || (uintptr_t)caller >= to)
        return 0;
    const long number = atomic_fetch_add(&count, 1);
    if (number < atomic_load(&first) || number >= atomic_load(&behind))
        return 0;
    errno = ENOMEM;
    return 1;
}

#define CALLER __builtin_return_address(0)
#pragma GCC visibility push(default)
void *malloc(size_t n) { return fails(CALLER) ? NULL : __libc_malloc(n); }
void *calloc(size_t k, size_t n) { return fails(CALLER) ? NULL : __libc_calloc(k, n); }
void *realloc(void *p, size_t n) { return fails(CALLER) ? NULL : __libc_realloc(p, n); }
void *aligned_alloc(size_t to_, size_t n) { return fails(CALLER) ? NULL : __libc_memalign(to_, n); }
int posix_memalign(void **p, size_t alignment, size_t n)
{
    *p = fails(CALLER) ? NULL : __libc_memalign(alignment, n);
    return *p ? 0 : ENOMEM;
}

/* What takes its memory within the C library. */
#define REAL(f) ((__typeof__(&f))dlsym(RTLD_NEXT, #f))
char *strdup(const char *s) { return fails(CALLER) ? NULL : REAL(strdup)(s); }
char *strndup(const char *s, size_t n) { return fails(CALLER) ? NULL : REAL(strndup)(s, n); }
int setenv(const char *name, const char *value, int over)
{
    return fails(CALLER) ? -1 : REAL(setenv)(name, value, over);
}
FILE *fopen(const char *path, const char *how)
{
    return fails(CALLER) ? NULL : REAL(fopen)(path, how);
}
FILE *fdopen(int fd, const char *how) { return fails(CALLER) ? NULL : REAL(fdopen)(fd, how); }
FILE *open_memstream(char **text, size_t *n)
{
    return fails(CALLER) ? NULL : REAL(open_memstream)(text, n);
}
DIR *opendir(const char *path) { return fails(CALLER) ? NULL : REAL(opendir)(path); }
#pragma GCC visibility pop

static int find_library(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size, (void)arg;
    if (!strstr(info->dlpi_name, "liborrery.so"))
        return 0;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        const uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
        if (info->dlpi_phdr[k].p_type == PT_LOAD && (info->dlpi_phdr[k].p_flags & PF_X)) {
            from = begin;
            to = begin + info->dlpi_phdr[k].p_memsz;
        }
    }
    return 1;
}

/* ---- Operations ----------------------------------------------------------------------------------- */

enum { N = 300, FEW = 40 }; /* N: vectors are merged from halves, and gesvd's made by three tasks */

static orr_context *ctx;
static orr_sparse *matrix, *graph;
static double a[N * N], b[N * N], u[N * N], v[N * N], w[2 * N], e[N];
static orr_report report;

/* of the environment, which orr_open changes while StarPU starts */
static const struct {
    const char *name, *value;
} variables[] = {{"STARPU_SCHED", "eager"}, {"STARPU_NCPU", "1"}};

static void fill(double *x)
{
    unsigned s = 1;
    for (int64_t j = 0; j < N; j++)
        for (int64_t i = j; i < N; i++) {
            s = s * 1664525u + 1013904223u;
            x[i + j * N] = x[j + i * N] = s / 4294967296.0 - 0.5;
        }
}

static orr_status heev(void)
{
    const orr_heev_opts o = {.method = ORR_DENSE_TWO_STAGE};
    return orr_heev(ctx, ORR_D, 'L', N, a, N, w, u, N, &o, &report);
}

static orr_status heev_interval(void)
{
    const orr_heev_opts o = {.method = ORR_DENSE_TWO_STAGE, .vl = -1, .vu = 1};
    return orr_heev(ctx, ORR_D, 'L', N, a, N, w, u, N, &o, &report);
}

static orr_status heev_direct(void)
{
    const orr_heev_opts o = {.method = ORR_DENSE_LAPACK};
    return orr_heev(ctx, ORR_D, 'L', N, a, N, w, u, N, &o, &report);
}

static orr_status hegv(void)
{
    for (int64_t i = 0; i < N; i++)
        b[i * (N + 1)] = N;
    return orr_hegv(ctx, ORR_D, 'L', N, a, N, b, N, w, u, N, NULL, &report);
}

static orr_status gesvd(void)
{
    const orr_gesvd_opts o = {.method = ORR_DENSE_TWO_STAGE};
    return orr_gesvd(ctx, ORR_D, N, N, a, N, w, u, N, v, N, &o, &report);
}

static orr_status gesvd_tall(void)
{
    const orr_gesvd_opts o = {.method = ORR_DENSE_TWO_STAGE, .qr = 1};
    return orr_gesvd(ctx, ORR_D, N, N / 3, a, N, w, u, N, v, N, &o, &report);
}

static orr_status gesvd_direct(void)
{
    orr_request *q;
    const orr_status st = orr_submit_gesvd(ctx, ORR_D, N, N, a, N, w, u, N, v, N, NULL, &q);
    return st == ORR_OK ? orr_wait(q, &report) : st;
}

static orr_status gesvd_tsqr(void)
{
    enum { TALL = 30, COLUMNS = N / TALL };
    orr_request *q;
    const orr_status st = orr_submit_gesvd(ctx, ORR_D, TALL * N, COLUMNS, a, TALL * N, w, u,
                                           TALL * N, v, N, NULL, &q);
    return st == ORR_OK ? orr_wait(q, &report) : st;
}

static orr_status hb2st(void)
{
    const orr_hb2st_opts o = {.vect = 'Q', .q = u, .ldq = N};
    return orr_hb2st(ctx, ORR_D, 'L', N, 20, b, 30, w, e, &o, &report);
}

static orr_status hb2st_factor(void)
{
    orr_hb2st_factor *f = NULL;
    const orr_hb2st_opts o = {.vect = 'V', .factor = &f};
    orr_status st = orr_hb2st(ctx, ORR_D, 'L', N, 20, b, 30, w, e, &o, &report);
    CHECK((st < 0) == (f == NULL), "a factor with status %d", st);
    if (st == ORR_OK)
        st = orr_hb2st_apply(ctx, f, 'N', FEW, u, N, &report);
    orr_hb2st_drop(f);
    return st;
}

static orr_status hbev(void)
{
    const orr_hbev_opts o = {.method = ORR_DENSE_TWO_STAGE};
    return orr_hbev(ctx, ORR_D, 'L', N, 20, b, 30, w, u, N, &o, &report);
}

static orr_status sterf(void) { return orr_sterf(ctx, ORR_D, N, b, b + N, w, NULL, &report); }

static orr_status gb2bd(void)
{
    const orr_gb2bd_opts o = {.u = u, .ldu = N, .v = v, .ldv = N};
    return orr_gb2bd(ctx, ORR_D, N, N, 10, 20, b, 31, w, e, &o, &report);
}

static orr_status heevj(void)
{
    const orr_batch A = {.type = ORR_D, .batch = 3, .m = 90, .n = 90, .a = a};
    const orr_batch W = {.type = ORR_D, .batch = 3, .m = 90, .n = 1, .a = w};
    const orr_heevj_opts o = {.method = ORR_METHOD_BLOCK, .check = 1};
    orr_matrix_info info[3];
    const orr_status st = orr_heevj(ctx, &A, &W, &o, info, &report);
    for (int i = 0; i < 3 && st == ORR_OK; i++)
        CHECK(info[i].residual >= 0, "matrix %d was not checked", i);
    return st;
}

static orr_status heevj_mixed(void)
{
    const int64_t n[] = {5, 9, 70, 9, 0, 5};
    void *const as[] = {a, a + 100, a + 200, a + 6000, NULL, a + 7000};
    void *const ws[] = {w, w + 10, w + 20, w + 100, NULL, w + 120};
    const orr_batch A = {.type = ORR_D, .batch = 6, .ns = n, .as = as};
    const orr_batch W = {.type = ORR_D, .batch = 6, .as = ws};
    return orr_heevj(ctx, &A, &W, NULL, NULL, &report);
}

static orr_status gesvj(void)
{
    const orr_batch A = {.type = ORR_D, .batch = 2, .m = 150, .n = 100, .a = a};
    const orr_batch S = {.type = ORR_D, .batch = 2, .m = 100, .n = 1, .a = w};
    const orr_batch U = {.type = ORR_D, .batch = 2, .m = 150, .n = 100, .a = u};
    return orr_gesvj(ctx, &A, &S, &U, NULL, NULL, NULL, &report);
}

static orr_status stream(void)
{
    orr_gesvj_stream *s;
    orr_status worst = orr_gesvj_stream_open(ctx, NULL, 0, NULL, NULL, &s), st = worst;
    if (st != ORR_OK)
        return st;
    for (int i = 0; i < 3; i++) {
        const orr_gesvj_frame f = {
            .type = ORR_D, .m = 80, .n = 70, .a = a + 6000 * i, .s = w + 70 * i, .u = u + 6000 * i};
        st = orr_gesvj_stream_push(s, &f);
        worst = st < worst ? st : worst;
    }
    st = orr_gesvj_stream_close(s, NULL);
    return st < worst ? st : worst;
}

static orr_status powm(void)
{
    orr_eigenpair pairs[3];
    orr_powm_result result;
    const orr_powm_opts o = {.k = 2};
    const orr_status st = orr_powm(ctx, matrix, &o, pairs, NULL, &result, &report);
    if (st == ORR_OK)
        w[0] = pairs[0].re;
    return st;
}

static orr_status pagerank(void)
{
    orr_pagerank_result result;
    return orr_pagerank(ctx, graph, NULL, w, &result, &report);
}

static orr_status make_sparse(orr_sparse **out, int is_graph)
{
    char message[256];
    orr_mtx m;
    const orr_sparse_opts o = {.graph = is_graph, .rule_only = 1};
    orr_status st = orr_generate("rmat:6:5", 3, &m, message);
    if (st != ORR_OK)
        return st;
    st = orr_sparse_from_mtx(ctx, &m, &o, out, message);
    orr_mtx_free(&m);
    return st;
}

static orr_status sparse(void)
{
    orr_sparse *made = NULL;
    const orr_status st = make_sparse(&made, 1);
    CHECK((st == ORR_OK) == (made != NULL), "a matrix with status %d", st);
    orr_sparse_free(made);
    return st;
}

/* A context of its own: opened, traced, closed. */
static orr_status traced(void)
{
    static orr_analysis analysis;
    orr_context *other, *const mine = ctx;
    orr_status st = orr_open(&(orr_context_opts){.trace = 1, .samples = 1}, &other);
    if (st != ORR_OK)
        return st;
    ctx = other;
    st = sterf();
    ctx = mine;
    const orr_status seen = orr_trace_analyse(other, &analysis);
    const orr_status written = orr_trace_write(other, "no-memory.svg");
    orr_close(other);
    return st != ORR_OK ? st : seen != ORR_OK ? seen : written;
}

/* The only context: StarPU starts. What the environment says is as it was. */
static orr_status opened(void)
{
    orr_close(ctx);
    ctx = NULL;
    orr_status st = orr_open(&(orr_context_opts){.cpus = 2, .cudas = -1}, &ctx);
    CHECK((st == ORR_OK) == (ctx != NULL), "a context with status %d", st);
    atomic_store(&first, INT64_MAX);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *is = getenv(variables[i].name);
        CHECK(st != ORR_OK || (is && !strcmp(is, variables[i].value)), "%s is %s, with status %d",
              variables[i].name, is ? is : "not there", st);
        setenv(variables[i].name, variables[i].value, 1);
    }
    if (st != ORR_OK && orr_open(&(orr_context_opts){.cpus = 2, .cudas = -1}, &ctx) != ORR_OK)
        CHECK(0, "not opened any more");
    orr_context_info info;
    orr_context_query(ctx, &info);
    CHECK(info.cpu == 2 && !strcmp(info.sched, "eager"), "%d workers, policy %s", info.cpu,
          info.sched);
    return st;
}

/* ---- The test --------------------------------------------------------------------------------------- */

static const struct operation {
    const char *name;
    orr_status (*call)(void);
} operations[] = {{"heev", heev},
                  {"heev_interval", heev_interval},
                  {"heev_direct", heev_direct},
                  {"hegv", hegv},
                  {"gesvd", gesvd},
                  {"gesvd_tall", gesvd_tall},
                  {"gesvd_direct", gesvd_direct},
                  {"gesvd_tsqr", gesvd_tsqr},
                  {"hb2st", hb2st},
                  {"hb2st_factor", hb2st_factor},
                  {"hbev", hbev},
                  {"sterf", sterf},
                  {"gb2bd", gb2bd},
                  {"heevj", heevj},
                  {"heevj_mixed", heevj_mixed},
                  {"gesvj", gesvj},
                  {"stream", stream},
                  {"powm", powm},
                  {"pagerank", pagerank},
                  {"sparse", sparse},
                  {"traced", traced}};

static orr_status run(const struct operation *o, long begin, long end)
{
    fill(a);
    fill(b);
    fill(u);
    memset(w, 0, sizeof w);
    report = (orr_report){.status = ORR_OK};
    atomic_store(&count, 0);
    atomic_store(&behind, end);
    atomic_store(&first, begin);
    const orr_status st = o->call();
    atomic_store(&first, INT64_MAX);
    return st;
}

static int same(const double *x)
{
    for (int i = 0; i < 2 * N; i++)
        if (!(fabs(w[i] - x[i]) <= 1e-9))
            return 0;
    return 1;
}

/* most: so many places, evenly spread. */
static void try(const struct operation *o, long most)
{
    static double right[2 * N];
    long without = 0;
    CHECK(run(o, INT64_MAX, INT64_MAX) == ORR_OK, "%s: %s", o->name, report.message);
    CHECK(run(o, INT64_MAX, INT64_MAX) == ORR_OK, "%s: %s", o->name, report.message);
    const long all = atomic_load(&count);
    CHECK(all > 0, "%s: no allocation was seen", o->name);
    memcpy(right, w, sizeof right);
    for (long k = 0; k < all; k += all / most + 1)
        for (int alone = 0; alone < 2; alone++) {
            const orr_status st = run(o, k, alone ? k + 1 : INT64_MAX);
            CHECK(st == ORR_E_NOMEM || st == ORR_OK, "%s, allocation %ld: status %d, %s", o->name,
                  k, st, report.message);
            CHECK(st != ORR_OK || same(right), "%s, allocation %ld: other values", o->name, k);
            CHECK(report.status == ORR_OK || report.message[0], "%s: no message", o->name);
            without += st == ORR_OK;
            CHECK(run(o, INT64_MAX, INT64_MAX) == ORR_OK && same(right), "%s after allocation %ld",
                  o->name, k);
        }
    printf("%s: %ld allocations; %ld times it could do without\n", o->name, all, without);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const long most = argc > 1 ? atol(argv[1]) : 8;
    dl_iterate_phdr(find_library, NULL);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        setenv(variables[i].name, variables[i].value, 1);
    if (orr_open(&(orr_context_opts){.cpus = 2, .cudas = -1}, &ctx) != ORR_OK)
        return 77;
    CHECK(from < to, "liborrery.so was not found");
    CHECK(make_sparse(&matrix, 0) == ORR_OK && make_sparse(&graph, 1) == ORR_OK);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        try(&operations[i], most);
    orr_sparse_free(matrix);
    orr_sparse_free(graph);
    try(&(struct operation){"opened", opened}, 4 * most);
    orr_close(ctx);
    return checked();
}
