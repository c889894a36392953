/* orrery gesvj: singular value decompositions of matrices from files, of a stream of them,
 * or of random ones as a benchmark (--n).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gesvj_data.h"
#include "outputs.h"

enum { MAX_K = 8192 }; /* of orr_gesvj */
static const double check_limit = 20; /* of residual, orthogonality, values in n eps |A| */

struct args {
    cli_run     run;
    const char *values, *left, *right;
    int         stream;
    cli_sizes   n, m, count;
    cli_words   type, ref;
    int         kind, jobz, place, precondition; /* indices; jobz -1: not given */
    int64_t     block, in_flight, max_sweeps;
    double      tol;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    { .kind = OPT_GROUP, .help = "Files (for several FILEs put {} or {i} into the names)" },
    { "values", 'w', OPT_FILE, "FILE", "write singular values, (batch, k), descending", NULL,
      AT(values) },
    { "left", 'u', OPT_FILE, "FILE", "write U, columns, (batch, m, k)", NULL, AT(left) },
    { "right", 'o', OPT_FILE, "FILE", "write V (not V'), columns, (batch, n, k)", NULL, AT(right) },
    { "stream", 0, OPT_FLAG, NULL, "arrays from stdin, results of each to stdout", NULL, AT(stream) },
    { .kind = OPT_GROUP, .help = "Benchmark (without FILE); lists give all combinations" },
    { "n", 'n', OPT_SIZES, "SIZES", "columns, e.g. 128:512:128", NULL, AT(n), 1, INT32_MAX },
    { "m", 0, OPT_SIZES, "SIZES", "rows (default: as many as columns)", NULL, AT(m), 1, INT32_MAX },
    { "count", 'b', OPT_SIZES, "SIZES", "matrices in a stream (default: 16)", NULL, AT(count), 1,
      INT32_MAX },
    { "type", 't', OPT_WORDS, "TYPES", "of s,d,c,z (default: d); converts FILEs", "s|d|c|z",
      AT(type) },
    { "kind", 'k', OPT_CHOICE, "KIND", "gaussian, or geometric: values 1 to 1e-6", svd_kinds,
      AT(kind) },
    { "ref", 0, OPT_WORDS, "REF", "gesvd, gesdd, gesvj of LAPACK, or lapack: all",
      "lapack|gesvd|gesdd|gesvj|cusolver", AT(ref) },
    { .kind = OPT_GROUP, .help = "Computation" },
    { "jobz", 'j', OPT_CHOICE, "N|V", "values only, or vectors too", "N|V", AT(jobz) },
    { "place", 'p', OPT_CHOICE, "PLACE", "auto, cpu, gpu, pipeline or mirror",
      "auto|cpu|gpu|pipeline|mirror", AT(place) },
    { "precondition", 0, OPT_CHOICE, "auto|no", "pivoted QR first (default) or not", "auto|no",
      AT(precondition) },
    { "block", 0, OPT_INT, "K", "columns per block: 16, 32 or 64", NULL, AT(block), 16, 64 },
    { "in-flight", 0, OPT_INT, "F", "matrices of a stream under way at once", NULL, AT(in_flight),
      1, 1000000 },
    { "max-sweeps", 0, OPT_INT, "K", "give up after K sweeps", NULL, AT(max_sweeps), 1, 10000 },
    { "tol", 0, OPT_REAL, "X", "relative rotation threshold (default: sqrt(m) eps)", NULL, AT(tol) },
    { .kind = OPT_INCLUDE, .include = cli_run_options, AT(run) },
    { .kind = OPT_END },
};

/* Everything that the child needs. */
struct job {
    struct args *args;
    cli_files    files;
    cli_sink     sink;
    const char  *command;
};

static orr_gesvj_opts library_options(const struct args *a, int check)
{
    return (orr_gesvj_opts){
        .max_sweeps = (int)a->max_sweeps,
        .tol = a->tol,
        .precondition = a->precondition ? -1 : 0,
        .block = (int)a->block,
        .place = (orr_place)a->place,
        .check = check,
    };
}

static int type_of(const cli_words *words, int64_t k)
{
    orr_type type;
    return words->n && orr_type_parse(words->v[k], &type) == 0 ? (int)type : -1;
}

/* The exit code of what is in info; tells the first matrix of each trouble. */
static int statuses(const orr_matrix_info *info, int64_t count, const char *where)
{
    static const char *const what[] = { "", "has not converged; its results are approximate",
                                        "contains NaN or infinity; its results are NaN" };
    int64_t first[3] = { -1, -1, -1 };
    for (int64_t l = count - 1; l >= 0; l--)
        if (info[l].status == ORR_NOCONV || info[l].status == ORR_NONFINITE)
            first[info[l].status] = l;
    for (int i = 1; i < 3; i++)
        if (first[i] >= 0)
            cli_say("%s: matrix %lld %s", where, (long long)first[i], what[i]);
    return cli_worse(first[2] >= 0 ? CLI_FILE : CLI_OK, first[1] >= 0 ? CLI_NOCONV : CLI_OK);
}

/* ---- Checks and records --------------------------------------------------------------------- */

static double real_value(const svd_data *d, const void *s, int64_t i)
{
    return orr_type_real(d->type) == ORR_S ? (double)((const float *)s)[i] : ((const double *)s)[i];
}

/* max |s - s_ref| / (max(m,n) eps s_ref[0]) over the stack. */
static double values_error(const svd_data *d, const void *ref)
{
    const double unit = (double)(d->m > d->n ? d->m : d->n) * orr_type_eps(d->type);
    double worst = 0;
    for (int64_t l = 0; l < d->count; l++)
        for (int64_t i = 0; i < d->k && d->info[l].status != ORR_NONFINITE; i++) {
            const double x = real_value(d, d->s, l * d->k + i), y = real_value(d, ref, l * d->k + i);
            const double top = real_value(d, ref, l * d->k);
            const double e = x == y ? 0 : fabs(x - y) / (unit * top);
            if (!(e <= worst))
                worst = e;
        }
    return worst;
}

static double worse(double a, double b) { return a > b || isnan(a) ? a : b; }

/* Against the definition, and against LAPACK's gesdd. */
static int verify(const svd_data *d, int threads, cli_record *r)
{
    void *ref = malloc((size_t)(d->count * d->k) * sizeof(double) + 1);
    double unused;
    if (!ref || svd_lapack(d, SVD_GESDD, threads, ref, &unused) < 0) {
        free(ref);
        return CLI_MEMORY;
    }
    r->values = values_error(d, ref);
    free(ref);
    if (d->x && d->y) {
        r->residual = r->orthogonality = 0;
        for (int64_t l = 0; l < d->count; l++)
            if (d->info[l].status != ORR_NONFINITE) {
                r->residual = worse(r->residual, d->info[l].residual);
                r->orthogonality = worse(r->orthogonality, d->info[l].orthogonality);
            }
    }
    if (r->values <= check_limit && !(r->residual > check_limit) && !(r->orthogonality > check_limit))
        return CLI_OK;
    cli_say("check failed: residual %.3g, orthogonality %.3g, values %.3g (limit %g)", r->residual,
            r->orthogonality, r->values, check_limit);
    return CLI_CHECK;
}

static void describe(cli_record *r, const struct job *job, const svd_data *d,
                     const orr_context_info *context, int code)
{
    cli_describe(r, "gesvj", context, job->command, job->files.n ? -1 : job->args->run.seed);
    r->type = orr_type_letter(d->type);
    r->n = d->n;
    r->m = d->m;
    r->batch = d->count;
    r->sweeps = 0;
    for (int64_t l = 0; l < d->count; l++)
        r->sweeps = d->info[l].sweeps > r->sweeps ? d->info[l].sweeps : r->sweeps;
    r->status = code == CLI_OK      ? "ok"
                : code == CLI_CHECK ? "check failed"
                : code == CLI_FILE  ? "not finite"
                                    : "not converged";
}

static int report(struct job *job, const cli_record *r)
{
    if (job->args->run.explain || job->args->run.verbose)
        cli_say("plan: {%s}", r->plan ? r->plan : "");
    return cli_sink_write(&job->sink, r);
}

static int threads_of(const orr_context_info *info)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return info->cpu > 0 ? info->cpu : cores > 0 ? (int)cores : 1;
}

/* ---- Files --------------------------------------------------------------------------------------- */

/* The library's view: matrix l is n x m, column major. */
static orr_status solve(orr_context *context, const struct args *a, const svd_data *d,
                        orr_report *rep)
{
    const orr_gesvj_opts o = library_options(a, a->run.check && d->x && d->y);
    const orr_batch A = { .type = d->type, .batch = d->count, .m = d->n, .n = d->m, .a = d->a };
    const orr_batch s = { .type = orr_type_real(d->type), .batch = d->count, .m = d->k, .n = 1,
                          .a = d->s };
    const orr_batch X = { .type = d->type, .batch = d->count, .m = d->n, .n = d->k, .a = d->x };
    const orr_batch Y = { .type = d->type, .batch = d->count, .m = d->m, .n = d->k, .a = d->y };
    return orr_gesvj(context, &A, &s, d->x ? &X : NULL, d->y ? &Y : NULL, &o, d->info, rep);
}

static int write_one(const svd_data *d, char which, int batch, const char *pattern,
                     const char *input, int number)
{
    char path[4096];
    if (!pattern)
        return CLI_OK;
    output_name(path, sizeof path, pattern, input, number);
    return svd_write(d, which, batch, path);
}

static int solve_file(struct job *job, orr_context *context, const orr_context_info *info, int number)
{
    const struct args *a = job->args;
    const char *path = job->files.v[number];
    const int vectors = a->jobz == 1 || (a->jobz < 0 && a->run.check);
    orr_npy array;
    orr_io_error error = { 0 };
    svd_data d;
    const int64_t most = a->run.max_memory > 0 ? a->run.max_memory : 0;
    orr_status status = orr_npy_read(path, most, &array, &error);
    if (status != ORR_OK) {
        cli_say("%s", error.message[0] ? error.message : orr_strerror(status));
        return cli_exit_code(status, 1);
    }
    const int batch = array.ndim == 3;
    int code = svd_adopt(&d, &array, path, type_of(&a->type, 0), a->left || vectors,
                         a->right || vectors);
    if (code != CLI_OK)
        return code;
    cli_record r = CLI_RECORD;
    orr_report rep;
    double begin = cli_now();
    status = solve(context, a, &d, &rep);
    double seconds = cli_now() - begin;
    if (status < 0) {
        cli_say("%s: %s", path, rep.message);
        svd_free(&d);
        return cli_exit_code(status, 1);
    }
    code = statuses(d.info, d.count, path);
    if (a->run.check)
        code = cli_worse(code, verify(&d, threads_of(info), &r));
    code = cli_worse(code, write_one(&d, 's', batch, a->values, path, number));
    code = cli_worse(code, write_one(&d, 'u', batch, a->left, path, number));
    code = cli_worse(code, write_one(&d, 'v', batch, a->right, path, number));
    r.seconds = cli_statistics(&seconds, 1);
    r.tasks = rep.tasks;
    r.plan = rep.plan;
    describe(&r, job, &d, info, code);
    code = cli_worse(code, report(job, &r));
    svd_free(&d);
    return code;
}

static int file_mode(void *arg)
{
    struct job *job = arg;
    const struct args *a = job->args;
    orr_context *context = NULL;
    orr_context_info info;
    int code = cli_open(&a->run, a->run.sched.n ? a->run.sched.v[0] : NULL, &context, &info);
    if (code != CLI_OK)
        return code;
    for (int f = 0; f < job->files.n; f++)
        code = cli_worse(code, solve_file(job, context, &info, f));
    return cli_worse(code, cli_close(&a->run, context));
}

/* ---- Stream ---------------------------------------------------------------------------------------- */

/* One array of the input; its frames leave one after the other, then it is written whole. */
struct arrival {
    svd_data d;
    int      batch;
    int64_t  number, left; /* of the array; frames of it that have not left */
};

struct sink {
    const struct args *args;
    int     code;
    int64_t sweeps;
};

static void leave(struct arrival *x, struct sink *sink)
{
    const struct args *a = sink->args;
    char where[64];
    snprintf(where, sizeof where, "standard input, array %lld", (long long)x->number);
    int code = statuses(x->d.info, x->d.count, where);
    if (a->values)
        code = cli_worse(code, svd_write(&x->d, 's', x->batch, "-"));
    if (a->left)
        code = cli_worse(code, svd_write(&x->d, 'u', x->batch, "-"));
    if (a->right)
        code = cli_worse(code, svd_write(&x->d, 'v', x->batch, "-"));
    if (fflush(stdout) != 0)
        code = cli_worse(code, CLI_FILE);
    sink->code = cli_worse(sink->code, code);
    svd_free(&x->d);
    free(x);
}

static void on_result(const orr_gesvj_result *r, void *arg)
{
    struct arrival *x = r->frame.user;
    struct sink *sink = arg;
    x->d.info[x->d.count - x->left] = r->info;
    sink->sweeps = r->info.sweeps > sink->sweeps ? r->info.sweeps : sink->sweeps;
    if (r->status < 0) {
        cli_say("standard input, array %lld: %s", (long long)x->number, orr_strerror(r->status));
        sink->code = cli_worse(sink->code, cli_exit_code(r->status, 1));
    }
    if (--x->left == 0)
        leave(x, sink);
}

/* Reads array `number` and sends its frames off. *end: nothing came any more. */
static int push_array(const struct args *a, orr_gesvj_stream *stream, int64_t number,
                      struct sink *sink, int *end)
{
    orr_npy array;
    orr_io_error error = { 0 };
    const int64_t most = a->run.max_memory > 0 ? a->run.max_memory : 0;
    orr_status status = orr_npy_read_stream(stdin, "standard input", most, &array, end, &error);
    char name[64];
    snprintf(name, sizeof name, "standard input, array %lld", (long long)number);
    if (status != ORR_OK) {
        cli_say("%s: %s", name, error.message[0] ? error.message : orr_strerror(status));
        return cli_exit_code(status, 1);
    }
    if (*end)
        return CLI_OK;
    struct arrival *x = calloc(1, sizeof *x);
    if (!x)
        return CLI_MEMORY;
    x->number = number;
    x->batch = array.ndim == 3;
    int code = svd_adopt(&x->d, &array, name, type_of(&a->type, 0), a->left != NULL,
                         a->right != NULL);
    if (code != CLI_OK) {
        free(x);
        return code;
    }
    const int64_t count = x->left = x->d.count;
    const svd_data d = x->d; /* x goes with its last frame */
    if (count == 0)
        leave(x, sink);
    for (int64_t l = 0; l < count; l++) {
        orr_gesvj_frame f = svd_frame(&d, l);
        f.user = x;
        status = orr_gesvj_stream_push(stream, &f);
        if (status == ORR_OK)
            continue;
        cli_say("%s: %s", name, status == ORR_E_ARG ? "a matrix is too large"
                                                    : orr_strerror(status));
        return cli_exit_code(status, 1);
    }
    return CLI_OK;
}

static void put_stream(char *extra, size_t size, const orr_gesvj_stream_report *r)
{
    snprintf(extra, size,
             "\"stream\":{\"frames\":%lld,\"per_second\":%.6g,\"latency_median\":%.6g,"
             "\"latency_max\":%.6g,\"angle_seconds\":%.6g,\"update_seconds\":%.6g",
             (long long)r->frames, r->seconds > 0 ? (double)r->frames / r->seconds : 0.0,
             r->latency_median, r->latency_max, r->angle, r->update);
    const size_t at = strlen(extra);
    if (isnan(r->overlap))
        snprintf(extra + at, size - at, ",\"overlap_percent\":null}");
    else
        snprintf(extra + at, size - at, ",\"overlap_percent\":%.4g}", 100 * r->overlap);
}

static int stream_mode(void *arg)
{
    struct job *job = arg;
    struct args *a = job->args;
    struct sink sink = { .args = a };
    orr_context *context = NULL;
    orr_context_info info;
    orr_gesvj_stream *stream;
    if (!a->values && !a->left && !a->right)
        a->values = "-";
    int code = cli_open(&a->run, a->run.sched.n ? a->run.sched.v[0] : NULL, &context, &info);
    if (code != CLI_OK)
        return code;
    const orr_gesvj_opts o = library_options(a, 0);
    if (orr_gesvj_stream_open(context, &o, (int)a->in_flight, on_result, &sink, &stream) != ORR_OK)
        return CLI_MEMORY;
    int end = 0;
    for (int64_t number = 0; !end && code == CLI_OK; number++)
        code = push_array(a, stream, number, &sink, &end);
    orr_gesvj_stream_report rep;
    orr_gesvj_stream_close(stream, &rep);
    code = cli_worse(code, sink.code);

    cli_record r = CLI_RECORD;
    char extra[512];
    svd_data none = { .type = ORR_D, .m = -1, .n = -1, .count = rep.frames };
    none.info = calloc((size_t)rep.frames + 1, sizeof *none.info);
    put_stream(extra, sizeof extra, &rep);
    r.seconds = cli_statistics(&rep.seconds, 1);
    r.extra = extra;
    r.plan = rep.plan;
    r.tasks = rep.tasks;
    if (none.info) {
        describe(&r, job, &none, &info, code);
        r.sweeps = sink.sweeps;
        code = cli_worse(code, report(job, &r));
    }
    free(none.info);
    return cli_worse(code, cli_close(&a->run, context));
}

/* ---- Benchmark --------------------------------------------------------------------------------------- */

static void keep_info(const orr_gesvj_result *r, void *arg)
{
    ((svd_data *)arg)->info[r->number] = r->info;
}

/* The stack as a stream. */
static int one_run(orr_context *context, const struct args *a, svd_data *d, int check,
                   orr_gesvj_stream_report *rep)
{
    const orr_gesvj_opts o = library_options(a, check);
    orr_gesvj_stream *stream;
    orr_status status = orr_gesvj_stream_open(context, &o, (int)a->in_flight, keep_info, d, &stream);
    if (status != ORR_OK)
        return CLI_MEMORY;
    for (int64_t l = 0; l < d->count && status == ORR_OK; l++) {
        const orr_gesvj_frame f = svd_frame(d, l);
        status = orr_gesvj_stream_push(stream, &f);
    }
    const orr_status worst = orr_gesvj_stream_close(stream, rep);
    if (status == ORR_OK)
        status = worst;
    if (status >= 0)
        return CLI_OK;
    cli_say("gesvj: %s", orr_strerror(status));
    return cli_exit_code(status, 0);
}

static int wants(const cli_words *ref, int routine)
{
    for (int64_t k = 0; k < ref->n; k++)
        if (!strcmp(ref->v[k], "lapack") || !strcmp(ref->v[k], svd_routine[routine]))
            return 1;
    return 0;
}

/* A warm-up, then R times {each reference, ours}, so that all see the same machine. */
static int bench_case(struct job *job, orr_context *context, const orr_context_info *info, svd_data *d)
{
    const struct args *a = job->args;
    const int64_t runs = a->run.repeat > 0 ? a->run.repeat : 5;
    const int threads = threads_of(info);
    double *seconds = malloc((size_t)(runs * (1 + SVD_ROUTINES)) * sizeof *seconds);
    void *ref = malloc((size_t)(d->count * d->k) * sizeof(double) + 1);
    orr_gesvj_stream_report rep = { 0 };
    cli_record r = CLI_RECORD;
    int code = seconds && ref ? one_run(context, a, d, 0, &rep) : CLI_MEMORY;
    for (int64_t k = 0; k < runs && code == CLI_OK; k++) {
        for (int i = 0; i < SVD_ROUTINES; i++)
            if (wants(&a->ref, i) &&
                svd_lapack(d, i, threads, ref, &seconds[(1 + i) * runs + k]) < 0)
                code = CLI_MEMORY;
        if (code == CLI_OK)
            code = one_run(context, a, d, 0, &rep);
        seconds[k] = rep.seconds;
    }
    if (code == CLI_OK) {
        char extra[512];
        put_stream(extra, sizeof extra, &rep);
        r.extra = extra;
        r.plan = rep.plan;
        r.tasks = rep.tasks;
        r.seconds = cli_statistics(seconds, (int)runs);
        for (int i = 0; i < SVD_ROUTINES; i++)
            if (wants(&a->ref, i)) {
                cli_reference *x = &r.ref[r.refs++];
                *x = (cli_reference){ .threads = threads,
                                      .seconds = cli_statistics(seconds + (1 + i) * runs, (int)runs) };
                snprintf(x->name, sizeof x->name, "lapack %c%s", orr_type_letter(d->type),
                         svd_routine[i]);
            }
        code = statuses(d->info, d->count, "benchmark");
        orr_gesvj_stream_report unused;
        if (a->run.check)
            code = cli_worse(code, one_run(context, a, d, d->x != NULL, &unused));
        if (a->run.check)
            code = cli_worse(code, verify(d, threads, &r));
        describe(&r, job, d, info, code);
        code = cli_worse(code, report(job, &r));
    }
    free(seconds);
    free(ref);
    return code;
}

/* All combinations under one policy. */
static int bench_policy(struct job *job, const char *sched)
{
    static int64_t count_default[] = { 16 };
    struct args *a = job->args;
    enum { TYPE, M, N, COUNT, AXES };
    const cli_sizes many = a->count.n ? a->count : (cli_sizes){ count_default, 1 };
    const int64_t counts[AXES] = { a->type.n ? a->type.n : 1, a->m.n ? a->m.n : 1, a->n.n, many.n };
    int64_t at[AXES] = { 0 };
    orr_context *context = NULL;
    orr_context_info info;
    int code = cli_open(&a->run, sched, &context, &info);
    if (code != CLI_OK)
        return code;
    do {
        const int type = type_of(&a->type, at[TYPE]), vectors = a->jobz != 0;
        const orr_type t = type < 0 ? ORR_D : (orr_type)type;
        const int64_t n = a->n.v[at[N]], m = a->m.n ? a->m.v[at[M]] : n, count = many.v[at[COUNT]];
        svd_data d;
        int one = (m < n ? m : n) > MAX_K || m > INT32_MAX / n ? CLI_USAGE : CLI_OK;
        if (one != CLI_OK)
            cli_say("gesvj: %lld x %lld is too large", (long long)m, (long long)n);
        else
            one = cli_check_memory(&a->run, svd_bytes(t, count, m, n, vectors, vectors), "the stream");
        void *room = one == CLI_OK ? malloc((size_t)(count * m * n) * orr_type_size(t)) : NULL;
        if (one == CLI_OK)
            one = room ? svd_allocate(&d, t, count, m, n, room, vectors, vectors) : CLI_MEMORY;
        if (one == CLI_OK) {
            one = svd_fill(&d, a->kind, (uint64_t)a->run.seed);
            if (one == CLI_OK)
                one = bench_case(job, context, &info, &d);
            svd_free(&d);
        }
        code = cli_worse(code, one);
    } while (code != CLI_RUNTIME && cli_next(at, counts, AXES));
    return cli_worse(code, cli_close(&a->run, context));
}

static int bench_mode(void *arg)
{
    struct job *job = arg;
    const cli_words *sched = &job->args->run.sched;
    int code = CLI_OK;
    for (int64_t k = 0; k < (sched->n ? sched->n : 1); k++)
        code = cli_worse(code, bench_policy(job, sched->n ? sched->v[k] : NULL));
    return code;
}

/* ---- The command line ---------------------------------------------------------------------------------- */

static int usage(const char *message)
{
    cli_say("gesvj: %s", message);
    cli_say("'orrery gesvj --help' shows examples");
    return CLI_USAGE;
}

static int is_stdout(const char *path) { return path && !strcmp(path, "-"); }

static int check_args(const struct args *a, const cli_files *files)
{
    const int bench = a->n.n || a->m.n || a->count.n || a->ref.n;
    const char *const outputs[] = { a->values, a->left, a->right };
    if (a->block && a->block != 16 && a->block != 32 && a->block != 64)
        return usage("--block is 16, 32 or 64");
    if ((a->stream || files->n) && bench)
        return usage("--n, --m, --count and --ref belong to a benchmark");
    if ((a->stream || files->n) && (a->type.n > 1 || a->run.sched.n > 1))
        return usage("outside a benchmark --type and --sched take one value");
    if (a->stream && files->n)
        return usage("--stream reads standard input, not FILEs");
    for (int i = 0; i < 3; i++) {
        if (a->stream && outputs[i] && !is_stdout(outputs[i]))
            return usage("with --stream, --values, --left and --right can only be - (stdout)");
        if (!a->stream && !files->n && outputs[i])
            return usage("--values, --left and --right belong to FILEs or --stream");
    }
    if (!a->stream && !files->n && !a->n.n)
        return usage("a FILE is needed, or --stream, or --n for a benchmark");
    if (a->jobz == 0 && (a->left || a->right))
        return usage("--left and --right contradict --jobz N");
    for (int64_t k = 0; k < a->ref.n; k++)
        if (!strcmp(a->ref.v[k], "cusolver")) {
            cli_say("--ref cusolver: this orrery can compare with LAPACK only");
            return CLI_SKIPPED;
        }
    int code = files->n ? outputs_check(outputs, 3, NULL, files) : CLI_OK;
    return code == CLI_OK ? cli_check_trace(&a->run) : code;
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args args = { .run = cli_run_defaults(), .jobz = -1 };
    struct job job = { .args = &args };
    cli_text line = { 0 };
    int code;
    cli_command_line(&line, argc, argv);
    if (!cli_parse(command, argc, argv, &args, &job.files, &code)) {
        cli_text_free(&line);
        return code;
    }
    job.command = line.s;
    code = check_args(&args, &job.files);
    if (code == CLI_OK) {
        const int taken = args.stream ? 1 : is_stdout(args.values) + is_stdout(args.left) +
                                                is_stdout(args.right);
        code = cli_sink_open(&job.sink, args.run.json, args.run.csv, taken, args.run.quiet);
    }
    if (code == CLI_OK) {
        int (*mode)(void *) = args.stream ? stream_mode : job.files.n ? file_mode : bench_mode;
        code = cli_isolate(args.run.in_process, mode, &job);
        cli_sink_close(&job.sink);
    }
    cli_release(command, &args);
    cli_text_free(&line);
    return code;
}

const cli_command cmd_gesvj = {
    .name = "gesvj",
    .aliases = "svj",
    .summary = "singular value decompositions of matrices, one by one or as a stream",
    .synopsis = "[options] [FILE...]",
    .files = "npy",
    .about =
        "Each FILE is a .npy array of shape (m, n) or (batch, m, n), or - for one on standard\n"
        "input. A = U diag(s) V': s is descending, U is (m, k) and V is (n, k), k = min(m, n) up\n"
        "to 8192; NumPy's third result is V'. In names of outputs {} stands for the FILE's name\n"
        "without directory and suffix, {i} for its number from 0.\n\n"
        "With --stream standard input is a sequence of .npy arrays, of any shapes and types, and\n"
        "standard output gets, for each of them and in their order, the array of s, then that of\n"
        "U with --left -, then that of V with --right - (--values - to have s with them). If the\n"
        "input ends within an array, all results before it are written and the exit code is 3.\n\n"
        "Without FILE and with --n it measures a stream of random matrices: a warm-up, then R\n"
        "runs (default 5), references and gesvj in turn; with --check one more, verified run.\n"
        "References run one matrix per core. Check figures are in units of max(m,n) eps |A| and\n"
        "fail above 20. With --trace the record tells how much of angle and update tasks ran\n"
        "beside the other stage of another matrix.",
    .options = options,
    .examples = "orrery gesvj stack.npy --values s.npy --left u.npy --right v.npy\n"
                "camera | orrery gesvj --stream --type s | tracker\n"
                "orrery gesvj --n 512 --count 16 --type s --ref lapack --check\n"
                "orrery gesvj --n 512 --count 4 --type s --repeat 1 --trace gantt.svg --json -\n",
    .run = run,
};
