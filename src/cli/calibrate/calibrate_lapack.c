/* Every routine is called as a program calls it, by its name in liborrery_lapack, which is told to
 * take the call over and to pass it on, in turn. Orders grow until ours is the faster one at two in
 * a row, or until the next order would take more than what is left of the routine's time.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* dladdr, memfd_create */
#include "src/cli/calibrate/calibrate_lapack.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <orrery/models.h>

#include "src/cli/calibrate/orders_file.h"
#include "src/cli/core/lapack.h"
#include "src/cli/core/progress.h"
#include "src/cli/core/run.h"
#include "src/cli/core/sorted.h"

/* Arguments, a letter each, with ld after every array that is n x n:
 *
 *     t itype, j job, g range, u uplo, m n orders, k bandwidth, 0 a zero, x a real zero
 *     a A, b B, l ld, c a band, d its ld, w values, e off-diagonal, z U V vectors
 *     W work, R real work, I integer work, L a length of one, F ifail and the like, f m, o info
 *
 * Of tridiagonal matrices the first columns of a and b are d and e.
 */
static const struct routine {
    const char *name, *arguments;
    int complex_too; /* 1: of complex matrices, 0: of real ones */
    int values_only;
} routines[] = {
    {"syev", "junalwWLo", 0, 0},
    {"heev", "junalwWLRo", 1, 0},
    {"syevd", "junalwWLILo", 0, 0},
    {"heevd", "junalwWLRLILo", 1, 0},
    {"syevr", "jgunalxx00xfwzlFWLILo", 0, 0},
    {"heevr", "jgunalxx00xfwzlFWLRLILo", 1, 0},
    {"syevx", "jgunalxx00xfwzlWLIFo", 0, 0},
    {"heevx", "jgunalxx00xfwzlWLRIFo", 1, 0},
    {"sygv", "tjunalblwWLo", 0, 0},
    {"hegv", "tjunalblwWLRo", 1, 0},
    {"sygvd", "tjunalblwWLILo", 0, 0},
    {"hegvd", "tjunalblwWLRLILo", 1, 0},
    {"sygvx", "tjgunalblxx00xfwzlWLIFo", 0, 0},
    {"hegvx", "tjgunalblxx00xfwzlWLRIFo", 1, 0},
    {"gesvd", "jjmnalwUlVlWLo", 0, 0},
    {"gesvd", "jjmnalwUlVlWLRo", 1, 0},
    {"gesdd", "jmnalwUlVlWLIo", 0, 0},
    {"gesdd", "jmnalwUlVlWLRIo", 1, 0},
    {"sbev", "junkcdwzlWo", 0, 0},
    {"hbev", "junkcdwzlWRo", 1, 0},
    {"sbevd", "junkcdwzlWLILo", 0, 0},
    {"hbevd", "junkcdwzlWLRLILo", 1, 0},
    {"sbevx", "jgunkcdUlxx00xfwzlWIFo", 0, 1},
    {"hbevx", "jgunkcdUlxx00xfwzlWRIFo", 1, 1},
    {"sbtrd", "junkcdwezlWo", 0, 1},
    {"hbtrd", "junkcdwezlWo", 1, 1},
    {"gbbrd", "jmn0kkcdweUlVlzlWo", 0, 1},
    {"gbbrd", "jmn0kkcdweUlVlzlWRo", 1, 1},
    {"sterf", "nabo", 0, 1},
    {"stev", "jnabzlWo", 0, 1},
    {"stevd", "jnabzlWLILo", 0, 1},
};
enum { ROUTINES = sizeof routines / sizeof *routines, ARGUMENTS = 27, BAND = 32 };
enum { LEAST_ORDER = 16, MOST_ORDERS = 64, LEAST_PAIRS = 3, MOST_PAIRS = 99 };

typedef void fortran(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                     void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                     void *, void *, void *, void *, void *, void *, void *);

static const int64_t full_grid[] = {32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1000, 1500, 2000};
static const int64_t quick_grid[] = {32, 64, 128, 256, 512, 1000};

/* What is measured: one job of one routine. */
struct row {
    const struct routine *routine;
    orr_type type;
    int vectors;
    fortran *call;
    int64_t from, slower; /* the outcome; 0: nothing */
};

struct job {
    const cal_job *o;
    char path[CAL_PATH];
    int64_t order[MOST_ORDERS], orders;
    struct row *row;
    int rows;
};

static void name_of(const struct row *r, char name[16])
{
    snprintf(name, 16, "%c%s", orr_type_letter(r->type), r->routine->name);
}

/* ---- A call ---------------------------------------------------------------------------------- */

enum { A, B, INPUT_A, INPUT_B, VALUES, OFF, Z, U, V, WORK, RWORK, IWORK, FAIL, ARRAYS };

struct input {
    int itype, m, n, kd, ldband, length, found, info, zero;
    double real_zero;
    char job, range, uplo;
    void *array[ARRAYS];
};

static int is_single(orr_type t) { return orr_type_real(t) == ORR_S; }

/* B is that of A, with a diagonal that makes it positive definite. */
static void dominate(orr_type t, void *x, int n)
{
    const size_t stride = orr_type_size(t) * (size_t)(n + 1);
    for (int i = 0; i < n; i++)
        if (is_single(t))
            *(float *)((char *)x + (size_t)i * stride) = 4 * (float)n;
        else
            *(double *)((char *)x + (size_t)i * stride) = 4 * (double)n;
}

static void input_free(struct input *x)
{
    for (int k = 0; k < ARRAYS; k++)
        free(x->array[k]);
}

/* 0: no memory. */
static int input_make(struct input *x, const struct row *r, int n)
{
    const int general = strchr(r->routine->arguments, 'm') != NULL;
    const int kd = n / 4 < BAND ? n / 4 : BAND;
    const size_t size = orr_type_size(r->type), matrix = (size_t)n * (size_t)n;
    *x = (struct input){.itype = 1,
                        .m = n,
                        .n = n,
                        .kd = kd,
                        .uplo = 'L',
                        .range = 'A',
                        .ldband = (general ? 2 * kd : kd) + 1,
                        .job = !r->vectors ? 'N'
                               : general   ? 'S'
                                           : 'V'};
    /* more than any of the routines asks for */
    const size_t work = 6 * matrix + 512 * (size_t)n + 1000;
    x->length = work < INT_MAX ? (int)work : INT_MAX;
    for (int k = A; k <= INPUT_B; k++)
        x->array[k] = malloc(matrix * size);
    for (int k = VALUES; k <= OFF; k++)
        x->array[k] = malloc((size_t)n * size);
    for (int k = Z; k <= V; k++)
        x->array[k] = malloc(matrix * size);
    for (int k = WORK; k <= RWORK; k++)
        x->array[k] = malloc(work * size);
    for (int k = IWORK; k <= FAIL; k++)
        x->array[k] = malloc((16 * (size_t)n + 100) * sizeof(int));
    for (int k = 0; k < ARRAYS; k++)
        if (!x->array[k])
            return 0;
    cal_fill(r->type, x->array[INPUT_A], (int64_t)matrix, 1);
    cal_fill(r->type, x->array[INPUT_B], (int64_t)matrix, 2);
    dominate(r->type, x->array[INPUT_B], n);
    return 1;
}

static void point(struct input *x, char letter, void **arg)
{
    static const char arrays[] = "ab__wezUVWRIF"; /* in the order of their names */
    const char *at = strchr(arrays, letter);
    *arg = letter == 't'   ? (void *)&x->itype
           : letter == 'j' ? (void *)&x->job
           : letter == 'g' ? (void *)&x->range
           : letter == 'u' ? (void *)&x->uplo
           : letter == 'm' ? (void *)&x->m
           : letter == 'n' ? (void *)&x->n
           : letter == 'k' ? (void *)&x->kd
           : letter == '0' ? (void *)&x->zero
           : letter == 'x' ? (void *)&x->real_zero
           : letter == 'l' ? (void *)&x->n
           : letter == 'c' ? x->array[A]
           : letter == 'd' ? (void *)&x->ldband
           : letter == 'L' ? (void *)&x->length
           : letter == 'f' ? (void *)&x->found
           : letter == 'o' ? (void *)&x->info
           : at            ? x->array[at - arrays]
                           : NULL;
}

/* Seconds; negative: LAPACK's info is not 0. */
static double call(const struct row *r, struct input *x, int taken)
{
    void *arg[ARGUMENTS];
    const size_t bytes = (size_t)x->n * (size_t)x->n * orr_type_size(r->type);
    for (int k = 0, after = 0; k < ARGUMENTS; k++) {
        const char letter = after ? '\0' : r->routine->arguments[k];
        after |= letter == '\0';
        if (after)
            arg[k] = (void *)(uintptr_t)1; /* lengths of strings */
        else
            point(x, letter, &arg[k]);
    }
    memcpy(x->array[A], x->array[INPUT_A], bytes);
    memcpy(x->array[B], x->array[INPUT_B], bytes);
    if (setenv("ORRERY_LAPACK_MIN", taken ? "1" : "2000000000", 1) != 0)
        return -1;
    const double begun = cli_now();
    r->call(arg[0], arg[1], arg[2], arg[3], arg[4], arg[5], arg[6], arg[7], arg[8], arg[9], arg[10],
            arg[11], arg[12], arg[13], arg[14], arg[15], arg[16], arg[17], arg[18], arg[19],
            arg[20], arg[21], arg[22], arg[23], arg[24], arg[25], arg[26]);
    const double seconds = cli_now() - begun;
    return x->info == 0 ? seconds : -1;
}

/* ---- Whether it was taken over --------------------------------------------------------------- */

/* What the library says while the call is made, with `text` of its first line that tells. */
static double call_told(const struct row *r, struct input *x, char *text, size_t room)
{
    const int real = dup(STDERR_FILENO), held = memfd_create("stderr", MFD_CLOEXEC);
    fflush(stderr);
    text[0] = '\0';
    if (real < 0 || held < 0 || dup2(held, STDERR_FILENO) < 0)
        return -1;
    const double seconds = setenv("ORRERY_LAPACK_LOG", "1", 1) == 0 ? call(r, x, 1) : -1;
    unsetenv("ORRERY_LAPACK_LOG");
    fflush(stderr);
    dup2(real, STDERR_FILENO);
    close(real);
    char all[4096];
    const ssize_t bytes = pread(held, all, sizeof all - 1, 0);
    close(held);
    all[bytes > 0 ? bytes : 0] = '\0';
    const char *line = strstr(all, ": passed on: ");
    if (!strstr(all, ": taken over") || line)
        snprintf(text, room, "%.*s", line ? (int)strcspn(line + 2, "\n") : 12,
                 line ? line + 2 : "nothing said");
    return seconds;
}

/* ---- Orders ---------------------------------------------------------------------------------- */

/* As many as LAPACK has unless it is told. */
static int lapack_threads(void)
{
    const char *value = getenv("OPENBLAS_NUM_THREADS");
    const int asked = value ? atoi(value) : 0, cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    return asked > 0 && asked < cores ? asked : cores;
}

/* LAPACK's seconds with one thread or all of them, whichever is the faster. */
static double call_lapack(const struct row *r, struct input *x)
{
    const cli_lapack *lapack = cli_own_lapack();
    const int threads = lapack_threads();
    const double all = call(r, x, 0);
    if (all < 0 || threads == 1 || !cli_lapack_threads(lapack, 1))
        return all;
    const double one = call(r, x, 0);
    cli_lapack_threads(lapack, threads);
    return one < all ? one : all;
}

/* LAPACK's time over ours, median of pairs; *pair: seconds of one. An exit code. */
static int compare(const struct job *job, const struct row *r, int n, double seconds, double *ratio,
                   double *pair)
{
    struct input x;
    char name[16], why[256] = "";
    double ratios[MOST_PAIRS];
    int count = 0, code = CLI_OK;
    const int most = job->o->repeat < MOST_PAIRS ? (int)job->o->repeat : MOST_PAIRS;
    const double begun = cli_now();
    name_of(r, name);
    if (!input_make(&x, r, n)) {
        input_free(&x);
        cli_say("out of memory");
        return CLI_MEMORY;
    }
    double ours = call_told(r, &x, why, sizeof why);
    if (ours < 0 || *why) {
        cli_say("%s %s of order %d: %s", name, r->vectors ? "V" : "N", n,
                *why ? why : "it has no result");
        code = CLI_RUNTIME;
    }
    while (code == CLI_OK && count < most && (count < LEAST_PAIRS || cli_now() - begun < seconds)) {
        const double pair_begun = cli_now(), theirs = call_lapack(r, &x);
        ours = call(r, &x, 1);
        *pair = cli_now() - pair_begun;
        if (theirs < 0 || ours < 0) {
            cli_say("%s of order %d: LAPACK ends with info %d", name, n, x.info);
            code = CLI_RUNTIME;
        }
        ratios[count++] = theirs / ours;
    }
    input_free(&x);
    if (code != CLI_OK)
        return code;
    cli_sort(ratios, count);
    *ratio = ratios[count / 2];
    if (job->o->verbose)
        cli_say("%s %s of order %d: %.2f (%.2f to %.2f of %d pairs)", name, r->vectors ? "V" : "N",
                n, *ratio, ratios[0], ratios[count - 1], count);
    return CLI_OK;
}

static int measure(const struct job *job, struct row *r)
{
    const double end = cli_now() + job->o->budget;
    double pair = 0;
    int code = CLI_OK;
    for (int64_t k = 0; k < job->orders && code == CLI_OK; k++) {
        const double growth = k ? (double)job->order[k] / (double)job->order[k - 1] : 1;
        const double left = end - cli_now();
        double ratio = 0;
        /* a call that is not measured, and the pairs */
        if (k && (0.5 + LEAST_PAIRS) * pair * growth * growth * growth > left)
            break;
        code = compare(job, r, (int)job->order[k], left / 3, &ratio, &pair);
        if (code != CLI_OK)
            break;
        if (ratio >= 1 && r->from)
            break;
        r->from = ratio >= 1 ? job->order[k] : 0;
        r->slower = ratio >= 1 ? r->slower : job->order[k];
    }
    return code;
}

/* ---- All of them ----------------------------------------------------------------------------- */

static void *open_library(void)
{
    static const char file[] = "liborrery_lapack.so.0";
    char path[1024];
    Dl_info where;
    void *library = NULL;
    if (dladdr((void *)(intptr_t)orr_version, &where) && where.dli_fname) {
        const char *slash = strrchr(where.dli_fname, '/');
        const int length = slash ? (int)(slash + 1 - where.dli_fname) : 0;
        if ((size_t)snprintf(path, sizeof path, "%.*s%s", length, where.dli_fname, file) <
            sizeof path)
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (!library)
        library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        cli_say("%s", dlerror());
    return library;
}

static int make_rows(struct job *job, void *library)
{
    static const orr_type types[] = {ORR_D, ORR_Z, ORR_S, ORR_C};
    job->row = calloc(8 * ROUTINES, sizeof *job->row);
    for (int t = 0; job->row && t < 4; t++)
        for (int k = 0; k < ROUTINES && cal_type_wanted(&job->o->types, types[t]); k++) {
            const struct routine *routine = &routines[k];
            const int is_complex = orr_type_real(types[t]) != types[t];
            for (int v = 0; routine->complex_too == is_complex && v < 2 - routine->values_only;
                 v++) {
                struct row *r = &job->row[job->rows++];
                char name[16], symbol[24];
                *r = (struct row){.routine = routine, .type = types[t], .vectors = v};
                name_of(r, name);
                snprintf(symbol, sizeof symbol, "%s_", name);
                *(void **)&r->call = dlsym(library, symbol);
                if (!r->call) {
                    cli_say("liborrery_lapack has no %s", symbol);
                    return CLI_RUNTIME;
                }
            }
        }
    return job->row ? CLI_OK : CLI_MEMORY;
}

static void put_order(const struct row *r, char text[32])
{
    snprintf(text, 32, r->from ? "%lld" : ">%lld", (long long)(r->from ? r->from : r->slower));
}

static int write_table(const struct job *job)
{
    char name[16], order[32];
    cli_text t = {0};
    cli_put(
        &t,
        "# From which order on liborrery_lapack takes calls over on this machine: values (N), vectors\n"
        "# (V); \">N\": not up to N. docs/lapack.md\n");
    cal_orders_head(&t, job->o);
    for (int k = 0; k < job->rows; k++) {
        const struct row *r = &job->row[k];
        name_of(r, name);
        put_order(r, order);
        cli_put(&t, "%s %c = %s\n", name, r->vectors ? 'V' : 'N', order);
        if (!job->o->quiet)
            printf("%-8s %s  %s\n", name, r->vectors ? "vectors" : "values ", order);
    }
    return cal_orders_write(job->path, &t);
}

static int work(void *arg)
{
    struct job *job = arg;
    cli_progress progress;
    void *library = open_library();
    if (!library)
        return CLI_SKIPPED;
    cal_orders_busy(job->o);
    int code = make_rows(job, library);
    cli_progress_start(&progress, "calibrate lapack", job->o->verbose, job->o->quiet);
    for (int k = 0; k < job->rows && code == CLI_OK; k++) {
        code = measure(job, &job->row[k]);
        cli_progress_update(k + 1, job->rows, &progress);
    }
    cli_progress_end(&progress);
    if (code == CLI_OK)
        code = write_table(job);
    if (code == CLI_OK && !job->o->quiet)
        printf("%d order%s in %s\n", job->rows, cli_plural(job->rows), job->path);
    free(job->row);
    return code;
}

static int by_size(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int cal_lapack_run(const cal_job *o)
{
    struct job job = {.o = o};
    const int64_t *grid = o->orders.n ? o->orders.v : o->quick ? quick_grid : full_grid;
    const int64_t count = o->orders.n ? o->orders.n
                          : o->quick  ? (int64_t)(sizeof quick_grid / sizeof *quick_grid)
                                      : (int64_t)(sizeof full_grid / sizeof *full_grid);
    for (int64_t k = 0; k < count && k < MOST_ORDERS; k++)
        job.order[job.orders++] = grid[k];
    qsort(job.order, (size_t)job.orders, sizeof *job.order, by_size);
    if (count > MOST_ORDERS || job.order[0] < LEAST_ORDER ||
        job.order[job.orders - 1] > INT16_MAX) {
        cli_say("lapack: --n takes up to %d orders from %d to %d", MOST_ORDERS, LEAST_ORDER,
                INT16_MAX);
        return CLI_USAGE;
    }
    const int code = cal_orders_path(o, ".lapack", job.path);
    return code == CLI_OK ? cli_isolate(o->in_process, work, NULL, &job) : code;
}
