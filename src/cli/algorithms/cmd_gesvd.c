/* orrery gesvd: singular values and vectors of one large matrix from a file, or of random ones as a
 * benchmark (--n).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/algorithms/explain.h"
#include "src/cli/algorithms/single.h"
#include "src/cli/core/answer.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/progress.h"
#include "src/cli/data/dense.h"
#include "src/cli/peers/gesvd_lapack.h"

enum { MAX_SIDE = INT32_MAX / 16 }; /* of orr_gesvd */

struct args {
    cli_run      run;
    const char  *values, *left, *right;
    int          kind, qr;
    single_shape shape;
    cli_sizes    n, m;
    cli_words    type, ref;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Files"},
    {"values", 'w', OPT_FILE, "FILE", "write the singular values: .npy, .txt or .csv", NULL,
     AT(values)},
    {"left", 'L', OPT_FILE, "FILE", "write U, columns, of shape (m, k)", NULL, AT(left)},
    {"right", 'R', OPT_FILE, "FILE", "write V (not V'), columns, of shape (n, k)", NULL,
     AT(right)},
    {.kind = OPT_INCLUDE, .include = cli_file_options, AT(run)},
    {.kind = OPT_GROUP, .help = "Benchmark (without FILE); lists give all combinations"},
    {"n", 'n', OPT_SIZES, "SIZES", "columns, e.g. 1000,2000", NULL, AT(n), 0, MAX_SIDE},
    {"m", 0, OPT_SIZES, "SIZES", "rows (default: as many as columns)", NULL, AT(m), 0, MAX_SIDE},
    {"type", 't', OPT_WORDS, "TYPES", "of s,d,c,z (default: d); converts FILE", "s|d|c|z",
     AT(type)},
    {"kind", 0, OPT_CHOICE, "KIND", "gaussian, or geometric: values 1 to 1e-6", svd_kinds,
     AT(kind)},
    {"ref", 0, OPT_WORDS, "REF", "lapack, or FILE.so: gesvd, gesdd", "lapack", AT(ref),
     .libraries = 1},
    {.kind = OPT_INCLUDE, .include = single_options, AT(shape)},
    {"qr", 0, OPT_CHOICE, "WHEN", "QR first (default: if it is less work)",
     "auto|yes|no", AT(qr)},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

/* ---- One matrix ------------------------------------------------------------------------------ */

/* The library, column major, sees the adjoint but for conjugation: see gesvj_data.h. */
struct matrix {
    const struct args *a;
    svd_data       d;
    void          *work; /* what a run destroys: d.a if one run is all */
    orr_gesvd_opts opts;
};

static int keeps_input(const struct args *a, int repeat)
{
    return repeat > 1 || a->run.check || a->ref.n;
}

static int wants(const struct args *a, const char *file) { return file || a->shape.jobz == 1; }

static size_t matrix_bytes(const svd_data *d)
{
    return (size_t)(d->m * d->n) * orr_type_size(d->type);
}

/* The matrix, its copy, the adjoint of one with more rows than columns, U and V; with vectors also
 * reflectors of both stages, the bidiagonal solver's vectors and its workspace. */
static double bytes_needed(const struct args *a, orr_type type, int64_t m, int64_t n, int keeps)
{
    const double size = (double)orr_type_size(type);
    const double real = (double)orr_type_size(orr_type_real(type));
    const double all = (double)m * (double)n, k = (double)(m < n ? m : n);
    const int left = wants(a, a->left), right = wants(a, a->right);
    const int lapack = single_method(&a->shape) == ORR_DENSE_LAPACK;
    const double vectors = lapack ? (double)(m + n) * k * size + 4 * k * k * size
                                  : (all + k * k) * size + 4 * k * k * real;
    return svd_bytes(type, 1, m, n, left, right) + (keeps + (lapack || m > n)) * all * size +
           (left || right) * vectors +
           400.0 * (double)(m + n) * size;
}

static int matrix_make(struct matrix *x, const struct args *a, int keeps)
{
    x->a = a;
    x->work = keeps ? malloc(matrix_bytes(&x->d) + 1) : x->d.a;
    if (x->work)
        return CLI_OK;
    cli_say("out of memory");
    return CLI_MEMORY;
}

static void matrix_free(struct matrix *x)
{
    if (x->work != x->d.a)
        free(x->work);
    svd_free(&x->d);
}

/* As LAPACK reduces, and applies reflectors to vectors; the bidiagonal solver is not counted. */
static double operations(const svd_data *d, int vectors)
{
    const double k = (double)d->k, l = fmax((double)d->m, (double)d->n);
    return ((vectors ? 8 : 4) * l * k * k - 4.0 / 3 * k * k * k) *
           (orr_type_real(d->type) == d->type ? 1 : 4);
}

static orr_status compute(single *s, orr_report *report, cli_clock *clock)
{
    struct matrix *x = s->matrix;
    const svd_data *d = &x->d;
    orr_gesvd_opts opts = x->opts;
    cli_progress progress;
    if (x->work != d->a)
        memcpy(x->work, d->a, matrix_bytes(d));
    cli_progress_start(&progress, "gesvd", x->a->run.verbose, x->a->run.quiet);
    opts.progress = cli_progress_update;
    opts.progress_arg = &progress;
    const int64_t ldx = d->n > 0 ? d->n : 1, ldy = d->m > 0 ? d->m : 1;
    cli_clock_start(clock);
    const orr_status st = orr_gesvd(s->context, d->type, d->n, d->m, x->work, ldx, d->s, d->x, ldx,
                                    d->y, ldy, &opts, report);
    cli_clock_stop(clock, report->seconds);
    cli_progress_end(&progress);
    return st;
}

static void describe(const single *s, cli_record *rec)
{
    const svd_data *d = &((const struct matrix *)s->matrix)->d;
    rec->type = orr_type_letter(d->type);
    rec->n = d->n;
    rec->m = d->m;
}

static void verify(const single *s, int threads, cli_record *rec)
{
    const svd_data *d = &((const struct matrix *)s->matrix)->d;
    rec->values = gesvd_value_error(d, threads);
    if (s->vectors) {
        rec->residual = gesvd_residual(d, threads);
        rec->orthogonality = gesvd_orthogonality(d);
    }
}

static int deliver(const single *s, const cli_record *rec, cli_text *results)
{
    const struct args *a = s->job->args;
    const svd_data *d = &((const struct matrix *)s->matrix)->d;
    FILE *out = s->job->table;
    const answer_values values = svd_values(d, 0);
    answer_print(out, &a->run, s->job->files.v[0], &values);
    answer_json(results, &a->run, "singular_values", &values, 1);
    int code = svd_write(out, d, 's', 0, a->values);
    code = cli_worse(code, svd_write(out, d, 'u', 0, a->left));
    code = cli_worse(code, svd_write(out, d, 'v', 0, a->right));
    answer_check(out, rec, "max(m,n) eps |A|", SINGLE_LIMIT);
    return code;
}

static int solve(cli_job *job, orr_context *ctx, const orr_context_info *info, struct matrix *x,
                 int warm_up, int repeat)
{
    single s = { .job = job, .context = ctx, .info = info, .algo = "gesvd", .matrix = x,
                 .vectors = x->d.x && x->d.y, .columns = x->d.n, .compute = compute,
                 .describe = describe, .verify = verify,
                 .deliver = job->files.n ? deliver : NULL, .peers = SVD_GESVJ,
                 .problem = &x->d, .peer = gesvd_reference, .peer_name = gesvd_reference_name };
    s.operations = operations(&x->d, s.vectors);
    return single_solve(&s, warm_up, repeat);
}

static orr_gesvd_opts opts_of(const struct args *a, int64_t band, int64_t tile)
{
    static const int qr[] = { 0, 1, -1 };
    return (orr_gesvd_opts){ .band = band, .tile = tile, .qr = qr[a->qr],
                             .place = single_place(&a->shape),
                             .method = single_method(&a->shape) };
}

/* ---- Plan --------------------------------------------------------------------------------------- */

/* `args` of a cli_planned. */
struct planned {
    const struct args *a;
    int                keeps;
    orr_gesvd_opts     opts;
};

static orr_status plan_call(const cli_planned *p, orr_report *report)
{
    static char any[1];
    const struct planned *x = p->args;
    const int64_t ldx = p->n > 0 ? p->n : 1, ldy = p->m > 0 ? p->m : 1;
    return orr_gesvd(p->context, p->type, p->n, p->m, any, ldx, any,
                     wants(x->a, x->a->right) ? any : NULL, ldx,
                     wants(x->a, x->a->left) ? any : NULL, ldy, &x->opts, report);
}

static double plan_needs(const cli_planned *p)
{
    const struct planned *x = p->args;
    return bytes_needed(x->a, p->type, p->m, p->n, x->keeps);
}

static double plan_holds(const cli_planned *p)
{
    const struct planned *x = p->args;
    return svd_bytes(p->type, 1, p->m, p->n, wants(x->a, x->a->left), wants(x->a, x->a->right)) +
           x->keeps * (double)p->m * (double)p->n * (double)orr_type_size(p->type);
}

static int explain(cli_job *job, orr_context *ctx, const orr_context_info *info, orr_type type,
                   int64_t m, int64_t n, int keeps, const orr_gesvd_opts *opts)
{
    const struct args *a = job->args;
    const struct planned x = { a, keeps, *opts };
    return cli_explain(&(cli_planned){ .job = job, .context = ctx, .info = info, .algo = "gesvd",
                                       .type = type, .n = n, .m = m, .band = -1, .batch = -1,
                                       .vectors = wants(a, a->left) || wants(a, a->right),
                                       .args = &x, .call = plan_call, .needs = plan_needs,
                                       .holds = plan_holds });
}

static int explain_file(cli_job *job)
{
    const struct args *a = job->args;
    const orr_gesvd_opts opts = opts_of(a, a->shape.band.n ? a->shape.band.v[0] : 0,
                                        a->shape.tile.n ? a->shape.tile.v[0] : 0);
    const int keeps = keeps_input(a, a->run.repeat > 0 ? (int)a->run.repeat : 1);
    orr_shape s;
    orr_context *ctx = NULL;
    orr_context_info info;
    int code = cli_shape_read(job->files.v[0], &s);
    if (code == CLI_OK && s.ndim != 2) {
        cli_say("%s: not one matrix, of two dimensions", job->files.v[0]);
        code = CLI_FILE;
    }
    if (code == CLI_OK)
        code = cli_open(&a->run, cli_policy(&a->run), &ctx, &info);
    if (ctx) {
        const int type = single_type(&a->type, 0);
        code = explain(job, ctx, &info, type < 0 ? s.type : (orr_type)type, s.shape[0], s.shape[1],
                       keeps, &opts);
        orr_close(ctx);
    }
    return code;
}

/* ---- File --------------------------------------------------------------------------------- */

static int read_matrix(struct matrix *x, cli_job *job)
{
    const struct args *a = job->args;
    const char *path = job->files.v[0];
    orr_npy array;
    int code = dense_read(path, &a->run, NULL, 0, &array);
    if (code != CLI_OK)
        return code;
    if (array.ndim != 2) {
        cli_say("%s: the array has %d dimensions; expected (m, n). Batches: orrery gesvj", path,
                array.ndim);
        orr_npy_free(&array);
        return CLI_FILE;
    }
    return svd_adopt(&x->d, &array, path, single_type(&a->type, 0), wants(a, a->left),
                     wants(a, a->right));
}

static int file_mode(cli_job *job)
{
    const struct args *a = job->args;
    const int repeat = a->run.repeat > 0 ? (int)a->run.repeat : 1, keeps = keeps_input(a, repeat);
    struct matrix x = { 0 };
    orr_context *ctx = NULL;
    orr_context_info info;
    int code = read_matrix(&x, job);
    if (code == CLI_OK)
        code = cli_check_memory(&a->run, bytes_needed(a, x.d.type, x.d.m, x.d.n, keeps) -
                                             (double)matrix_bytes(&x.d), job->files.v[0]);
    if (code == CLI_OK)
        code = matrix_make(&x, a, keeps);
    if (code == CLI_OK)
        code = cli_open(&a->run, cli_policy(&a->run), &ctx, &info);
    if (ctx) {
        x.opts = opts_of(a, a->shape.band.n ? a->shape.band.v[0] : 0,
                         a->shape.tile.n ? a->shape.tile.v[0] : 0);
        code = solve(job, ctx, &info, &x, repeat > 1, repeat);
        code = cli_worse(code, cli_close(&a->run, ctx));
    }
    matrix_free(&x);
    return code;
}

/* ---- Benchmark ------------------------------------------------------------------------------ */

static int bench_one(cli_job *job, orr_context *ctx, const orr_context_info *info, orr_type type,
                     int64_t m, int64_t n, const orr_gesvd_opts *opts)
{
    const struct args *a = job->args;
    struct matrix x = { .opts = *opts };
    char what[96];
    if (a->run.explain)
        return explain(job, ctx, info, type, m, n, 1, opts);
    snprintf(what, sizeof what, "type %c, %lld x %lld", orr_type_letter(type), (long long)m,
             (long long)n);
    int code = cli_check_memory(&a->run, bytes_needed(a, type, m, n, 1), what);
    void *memory = code == CLI_OK ? malloc((size_t)(m * n) * orr_type_size(type) + 1) : NULL;
    if (code == CLI_OK && !memory) {
        cli_say("%s: out of memory", what);
        code = CLI_MEMORY;
    }
    if (code == CLI_OK)
        code = svd_allocate(&x.d, type, 1, m, n, memory, wants(a, NULL), wants(a, NULL));
    if (code == CLI_OK)
        code = svd_fill(&x.d, a->kind, (uint64_t)a->run.seed);
    if (code == CLI_OK)
        code = matrix_make(&x, a, 1);
    if (code == CLI_OK)
        code = solve(job, ctx, info, &x, 1, a->run.repeat > 0 ? (int)a->run.repeat : 5);
    matrix_free(&x);
    return code;
}

/* All combinations under one policy. */
static int bench_policy(cli_job *job, const char *sched)
{
    static int64_t chosen[] = { 0 };
    const struct args *a = job->args;
    enum { TYPE, M, N, BAND, TILE, AXES };
    const cli_sizes band = a->shape.band.n ? a->shape.band : (cli_sizes){ chosen, 1 };
    const cli_sizes tile = a->shape.tile.n ? a->shape.tile : (cli_sizes){ chosen, 1 };
    const int64_t counts[AXES] = { [TYPE] = a->type.n ? a->type.n : 1, [M] = a->m.n ? a->m.n : 1,
                                   [N] = a->n.n, [BAND] = band.n, [TILE] = tile.n };
    int64_t at[AXES] = { 0 };
    orr_context *ctx = NULL;
    orr_context_info info;
    int code = cli_open(&a->run, sched, &ctx, &info);
    if (code != CLI_OK)
        return code;
    do {
        const orr_gesvd_opts opts = opts_of(a, band.v[at[BAND]], tile.v[at[TILE]]);
        const int type = single_type(&a->type, at[TYPE]);
        const int64_t n = a->n.v[at[N]], m = a->m.n ? a->m.v[at[M]] : n;
        code = cli_worse(code, bench_one(job, ctx, &info, type < 0 ? ORR_D : (orr_type)type, m, n,
                                         &opts));
    } while (code != CLI_RUNTIME && cli_next(at, counts, AXES));
    return cli_worse(code, cli_close(&a->run, ctx));
}

/* ---- The command line ----------------------------------------------------------------------- */

static int usage(const char *message) { return cli_usage("gesvd", message); }

static int check(cli_job *job)
{
    const struct args *a = job->args;
    const cli_files *files = &job->files;
    const char *const outputs[] = { a->values, a->left, a->right };
    const int bench = a->n.n || a->m.n;
    if (files->n > 1)
        return usage("one FILE at a time");
    if (!files->n && !a->n.n)
        return usage("a FILE is needed, or --n for a benchmark");
    if (!files->n && (a->values || a->left || a->right))
        return usage("--values, --left and --right belong to a FILE, not to a benchmark");
    if ((a->left || a->right) && a->shape.jobz == 0)
        return usage("--left and --right contradict --jobz N");
    if (files->n && bench)
        return usage("--n and --m belong to a benchmark, not to a FILE");
    if (files->n && (a->shape.band.n > 1 || a->shape.tile.n > 1 || a->type.n > 1 ||
                     a->run.sched.n > 1))
        return usage("with a FILE, --band, --tile, --type and --sched take one value");
    if (a->qr && single_method(&a->shape) == ORR_DENSE_LAPACK)
        return usage("--method lapack chooses itself whether there is a --qr");
    for (int64_t k = 0; k < a->shape.band.n; k++)
        if (a->shape.band.v[k] > 512)
            return usage("--band is at most 512");
    job->to_stdout = cli_count_stdout(outputs, 3);
    cli_answers(job);
    const int code = single_check("gesvd", &a->shape);
    return code == CLI_OK && files->n ? outputs_check(outputs, 3, NULL, files) : code;
}

static int work(cli_job *job)
{
    if (job->run->explain && job->files.n)
        return explain_file(job);
    return job->files.n ? file_mode(job) : cli_each_policy(job, bench_policy);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args args = { .run = cli_run_defaults(), .shape = { .jobz = -1 } };
    cli_job job = { .args = &args, .run = &args.run, .check = check, .work = work,
                    .ref = &args.ref };
    return cli_compute(command, argc, argv, &job);
}

const cli_command cmd_gesvd = {
    .name = "gesvd",
    .aliases = "gesdd|svd",
    .summary = "singular values and vectors of one large matrix, in two stages",
    .synopsis = "[options] [FILE]",
    .files = "npy|npz|txt|csv|mtx|mtx.gz",
    .about =
        "FILE is a .npy array of shape (m, n), such an array x of an archive (a.npz:x), text (.txt,\n"
        ".csv: a row per line), a .mtx matrix (made dense), or - for .npy or text on standard input.\n"
        "It prints the singular values. A = U diag(s) V': s is descending, U is (m, k) and V is\n"
        "(n, k), k = min(m, n); NumPy's third result is V'. The matrix becomes a band matrix and then\n"
        "a bidiagonal one, a small one is LAPACK's; for batches of small matrices there is gesvj.\n\n"
        "Without FILE and with --n it measures random matrices: a warm-up, then R runs (default 5),\n"
        "the references, each with its best number of threads, and gesvd in turn. Check figures are\n"
        "in units of max(m,n) eps |A| and fail above 20. Gflop/s count 4 l k^2 - 4/3 k^3 operations,\n"
        "l = max(m, n), with vectors 8 l k^2 - 4/3 k^3, four times that if complex.",
    .options = options,
    .examples = "orrery gesvd a.npy\n"
                "orrery gesvd a.npy --values s.npy --left u.npy --right v.npy --check\n"
                "orrery gesvd a.mtx --values s.npy --json - -v\n"
                "orrery gesvd --n 1000,2000 --type d --ref lapack --check\n",
    .run = run,
};
