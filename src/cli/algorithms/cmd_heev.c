/* orrery heev: eigenvalues and eigenvectors of one large Hermitian matrix from a file, or of
 * random ones as a benchmark (--n).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/algorithms/explain.h"
#include "src/cli/algorithms/selection.h"
#include "src/cli/algorithms/single.h"
#include "src/cli/algorithms/spectrum.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/progress.h"
#include "src/cli/data/hermitian.h"
#include "src/cli/data/stack.h"
#include "src/cli/peers/hb2st_lapack.h"
#include "src/cli/peers/heev_lapack.h"

enum { MAX_N = INT32_MAX / 16 }; /* of orr_heev */

struct args {
    cli_run     run;
    const char *values, *vectors;
    selection   part;
    int         kind; /* index into its choices */
    hermitian_choice hermitian;
    single_shape shape;
    cli_sizes   n;
    cli_words   type, ref;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Files"},
    {"values", 'w', OPT_FILE, "FILE", "write the eigenvalues: .npy, .txt or .csv", NULL,
     AT(values)},
    {"vectors", 'o', OPT_FILE, "FILE", "write eigenvectors, columns, (n, values)", NULL,
     AT(vectors)},
    {.kind = OPT_INCLUDE, .include = cli_file_options, AT(run)},
    {.kind = OPT_INCLUDE, .include = hermitian_options, AT(hermitian)},
    {.kind = OPT_GROUP, .help = "Benchmark (without FILE); lists give all combinations"},
    {"n", 'n', OPT_SIZES, "SIZES", "orders, e.g. 1000,2000", NULL, AT(n), 0, MAX_N},
    {"type", 't', OPT_WORDS, "TYPES", "of s,d,c,z (default: d); converts FILE", "s|d|c|z",
     AT(type)},
    {"kind", 0, OPT_CHOICE, "KIND", "random (default), or another spectrum", stack_kinds,
     AT(kind)},
    {"ref", 0, OPT_WORDS, "REF", "lapack, or FILE.so: syevd, syevr, syevd_2stage", "lapack",
     AT(ref), .libraries = 1},
    {.kind = OPT_INCLUDE, .include = single_options, AT(shape)},
    {.kind = OPT_INCLUDE, .include = selection_options, AT(part)},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

/* ---- One matrix ------------------------------------------------------------------------------ */

/* The stack holds one matrix; the library, column major, is told the other triangle. */
struct matrix {
    cli_stack    s;
    heev_problem p;
    void        *work; /* what a run destroys: the stack's own matrix if one run is all */
    void        *w, *z; /* z NULL: no vectors */
    int64_t      found[2]; /* numbers of the first and the last value of an interval */
    orr_heev_opts opts;
};

static int keeps_input(const struct args *a, int repeat)
{
    return repeat > 1 || a->run.check || a->ref.n;
}

static int wants_vectors(const struct args *a) { return a->vectors || a->shape.jobz == 1; }

static int64_t wanted(const struct args *a, int64_t n) { return a->part.il ? a->part.iu - a->part.il + 1 : n; }

/* With vectors: Z, the reflectors of the second stage (LAPACK: a copy of the matrix), the tridiagonal solver's vectors and its
 * workspace. */
static double bytes_needed(const struct args *a, orr_type type, int64_t n, int keeps)
{
    const int vectors = wants_vectors(a);
    const int64_t columns = wanted(a, n);
    const double copies = single_method(&a->shape) == ORR_DENSE_LAPACK ? 1 : 0.5 * vectors;
    const double size = (double)orr_type_size(type), count = (double)n * (double)n;
    const double real = (double)orr_type_size(orr_type_real(type));
    const double z = vectors ? (double)n * (double)columns : 0;
    const double squares = columns < n ? 1 : 2.5; /* all of them need a workspace */
    return (1.0 + keeps + copies) * count * size + z * (size + squares * real) +
           400.0 * (double)n * size;
}

static int matrix_make(struct matrix *m, const struct args *a, int keeps)
{
    const int vectors = wants_vectors(a);
    const int64_t n = m->s.n_max;
    const char uplo = stack_uplo(hermitian_uplo(&a->hermitian));
    m->p = (heev_problem){ .type = m->s.type, .uplo = uplo, .n = n, .a = m->s.a,
                           .vectors = vectors, .first = a->part.il ? a->part.il - 1 : 0,
                           .count = wanted(a, n), .interval = a->part.interval, .vl = a->part.vl,
                           .vu = a->part.vu };
    const size_t columns = (size_t)m->p.count;
    if (a->part.iu > n) {
        cli_say("--range %s: the matrix has order %lld", a->part.text, (long long)n);
        return CLI_USAGE;
    }
    m->work = keeps ? malloc(stack_bytes(&m->s) + 1) : m->s.a;
    m->w = malloc((size_t)n * sizeof(double) + 1);
    m->z = vectors ? malloc((size_t)n * columns * orr_type_size(m->s.type) + 1) : NULL;
    if (m->work && m->w && (m->z || !vectors))
        return CLI_OK;
    cli_say("out of memory");
    return CLI_MEMORY;
}

static void matrix_free(struct matrix *m)
{
    if (m->work != m->s.a)
        free(m->work);
    free(m->w);
    free(m->z);
    stack_free(&m->s);
}

static double operations(const heev_problem *p)
{
    return (p->vectors ? 16.0 / 3 : 4.0 / 3) * pow((double)p->n, 3) *
           (p->type == ORR_C || p->type == ORR_Z ? 4 : 1);
}

static orr_status compute(single *x, orr_report *report, cli_clock *clock)
{
    struct matrix *m = x->matrix;
    const cli_run *run = x->job->run;
    const int64_t n = m->p.n, ld = n > 0 ? n : 1;
    orr_heev_opts opts = m->opts;
    opts.found = m->found;
    cli_progress progress;
    if (m->work != m->s.a)
        memcpy(m->work, m->s.a, stack_bytes(&m->s));
    cli_progress_start(&progress, "heev", run->verbose, run->quiet);
    opts.progress = cli_progress_update;
    opts.progress_arg = &progress;
    cli_clock_start(clock);
    const orr_status st = orr_heev(x->context, m->p.type, m->p.uplo, n, m->work, ld, m->w, m->z, ld,
                                   &opts, report);
    cli_clock_stop(clock, report->seconds);
    cli_progress_end(&progress);
    if (m->p.interval && st >= 0) {
        m->p.first = m->found[0] - 1;
        m->p.count = m->found[1] - m->p.first;
    }
    return st;
}

static void describe(const single *x, cli_record *rec)
{
    const heev_problem *p = x->problem;
    rec->type = orr_type_letter(p->type);
    rec->n = p->n;
}

static void verify(const single *x, int threads, cli_record *rec)
{
    const struct matrix *m = x->matrix;
    const int64_t n = m->p.n;
    rec->values = heev_value_error(&m->p, m->w, threads);
    if (m->z) {
        rec->residual = heev_residual(&m->p, m->w, m->z, threads);
        rec->orthogonality = n ? hb2st_departure(m->p.type, n, m->p.count, m->z) /
                                     ((double)n * orr_type_eps(m->p.type)) : 0;
    }
}

static int deliver(const single *x, const cli_record *rec, cli_text *results)
{
    const struct args *a = x->job->args;
    const struct matrix *m = x->matrix;
    const spectrum s = { .part = &a->part, .values = a->values, .vectors = a->vectors,
                         .unit = "n eps |A|", .type = m->p.type, .n = m->p.n, .first = m->p.first,
                         .count = m->p.count, .w = m->w, .x = m->z };
    return spectrum_deliver(x, &s, rec, results);
}

static int solve(cli_job *job, orr_context *ctx, const orr_context_info *info, struct matrix *m,
                 const orr_heev_opts *opts, int warm_up, int repeat)
{
    single x = { .job = job, .context = ctx, .info = info, .algo = "heev", .matrix = m,
                 .vectors = m->z != NULL, .columns = m->p.n, .operations = operations(&m->p),
                 .compute = compute, .describe = describe, .verify = verify,
                 .deliver = job->files.n ? deliver : NULL,
                 .peers = HEEV_REFERENCES, .problem = &m->p, .peer = heev_reference,
                 .peer_name = heev_reference_name };
    m->opts = *opts;
    return single_solve(&x, warm_up, repeat);
}

static orr_heev_opts opts_of(const struct args *a, int64_t band, int64_t tile)
{
    return (orr_heev_opts){ .band = band, .tile = tile, .place = single_place(&a->shape),
                            .method = single_method(&a->shape),
                            .il = a->part.il, .iu = a->part.iu, .vl = a->part.vl, .vu = a->part.vu };
}

/* ---- Plan --------------------------------------------------------------------------------------- */

/* `args` of a cli_planned. */
struct planned {
    const struct args *a;
    int                keeps;
    orr_heev_opts      opts;
};

static orr_status plan_call(const cli_planned *p, orr_report *report)
{
    static char any[1];
    const struct planned *x = p->args;
    const int64_t ld = p->n > 0 ? p->n : 1;
    const char uplo = stack_uplo(hermitian_uplo(&x->a->hermitian));
    return orr_heev(p->context, p->type, uplo, p->n, any, ld, any, p->vectors ? any : NULL, ld,
                    &x->opts, report);
}

static double plan_needs(const cli_planned *p)
{
    const struct planned *x = p->args;
    return bytes_needed(x->a, p->type, p->n, x->keeps);
}

static double plan_holds(const cli_planned *p)
{
    const struct planned *x = p->args;
    const double n = (double)p->n, size = (double)orr_type_size(p->type);
    const double columns = p->vectors ? (double)wanted(x->a, p->n) : 0;
    return n * ((1 + x->keeps) * n + columns + 1) * size;
}

static int explain(cli_job *job, orr_context *ctx, const orr_context_info *info, orr_type type,
                   int64_t n, int keeps, const orr_heev_opts *opts)
{
    const struct args *a = job->args;
    const struct planned x = { a, keeps, *opts };
    return cli_explain(&(cli_planned){ .job = job, .context = ctx, .info = info, .algo = "heev",
                                       .type = type, .n = n, .m = -1, .band = -1, .batch = -1,
                                       .vectors = wants_vectors(a), .args = &x, .call = plan_call,
                                       .needs = plan_needs, .holds = plan_holds });
}

static int explain_file(cli_job *job)
{
    const struct args *a = job->args;
    const orr_heev_opts opts = opts_of(a, a->shape.band.n ? a->shape.band.v[0] : 0,
                                       a->shape.tile.n ? a->shape.tile.v[0] : 0);
    const int keeps = keeps_input(a, a->run.repeat > 0 ? (int)a->run.repeat : 1);
    orr_shape s;
    orr_context *ctx = NULL;
    orr_context_info info;
    int code = cli_shape_read(job->files.v[0], &s);
    if (code == CLI_OK && (s.ndim != 2 || s.shape[0] != s.shape[1])) {
        cli_say("%s: not a square matrix", job->files.v[0]);
        code = CLI_FILE;
    }
    if (code == CLI_OK)
        code = cli_open(&a->run, cli_policy(&a->run), &ctx, &info);
    if (ctx) {
        const int type = single_type(&a->type, 0);
        code = explain(job, ctx, &info, type < 0 ? s.type : (orr_type)type, s.shape[0], keeps,
                       &opts);
        orr_close(ctx);
    }
    return code;
}

/* ---- File --------------------------------------------------------------------------------- */

static int read_matrix(struct matrix *m, cli_job *job)
{
    const struct args *a = job->args;
    cli_input input;
    const int code = stack_read(&m->s, &a->run, job->files.v, 1, single_type(&a->type, 0), MAX_N,
                                &input);
    if (code == CLI_OK && input.ndim == 2)
        hermitian_prepare(&m->s, &a->hermitian, &input, 1);
    if (code != CLI_OK || input.ndim == 2)
        return code;
    cli_say("%s: the array has %d dimensions; expected (n, n). Batches: orrery heevj",
            job->files.v[0], input.ndim);
    return CLI_FILE;
}

static int file_mode(cli_job *job)
{
    const struct args *a = job->args;
    const int repeat = a->run.repeat > 0 ? (int)a->run.repeat : 1, keeps = keeps_input(a, repeat);
    struct matrix m = { 0 };
    orr_context *ctx = NULL;
    orr_context_info info;
    int code = read_matrix(&m, job);
    if (code == CLI_OK)
        code = cli_check_memory(&a->run, bytes_needed(a, m.s.type, m.s.n_max, keeps) -
                                             (double)stack_bytes(&m.s), job->files.v[0]);
    if (code == CLI_OK)
        code = matrix_make(&m, a, keeps);
    if (code == CLI_OK)
        code = cli_open(&a->run, cli_policy(&a->run), &ctx, &info);
    if (ctx) {
        const orr_heev_opts opts = opts_of(a, a->shape.band.n ? a->shape.band.v[0] : 0,
                                           a->shape.tile.n ? a->shape.tile.v[0] : 0);
        code = solve(job, ctx, &info, &m, &opts, repeat > 1, repeat);
        code = cli_worse(code, cli_close(&a->run, ctx));
    }
    matrix_free(&m);
    return code;
}

/* ---- Benchmark ------------------------------------------------------------------------------ */

static int bench_one(cli_job *job, orr_context *ctx, const orr_context_info *info, orr_type type,
                     int64_t n, const orr_heev_opts *opts)
{
    const struct args *a = job->args;
    struct matrix m = { 0 };
    char what[96];
    if (a->run.explain)
        return explain(job, ctx, info, type, n, 1, opts);
    snprintf(what, sizeof what, "type %c, n %lld", orr_type_letter(type), (long long)n);
    int code = cli_check_memory(&a->run, bytes_needed(a, type, n, 1), what);
    if (code == CLI_OK)
        code = stack_layout(&m.s, type, 1, &n);
    if (code == CLI_OK && !(m.s.a = malloc(stack_room(&m.s)))) {
        cli_say("%s: out of memory", what);
        code = CLI_MEMORY;
    }
    if (code == CLI_OK) {
        stack_fill(&m.s, a->kind, (uint64_t)a->run.seed);
        code = matrix_make(&m, a, 1);
    }
    if (code == CLI_OK)
        code = solve(job, ctx, info, &m, opts, 1, a->run.repeat > 0 ? (int)a->run.repeat : 5);
    matrix_free(&m);
    return code;
}

/* All combinations under one policy. */
static int bench_policy(cli_job *job, const char *sched)
{
    static int64_t chosen[] = { 0 };
    struct args *a = job->args;
    enum { TYPE, N, BAND, TILE, AXES };
    const cli_sizes band = a->shape.band.n ? a->shape.band : (cli_sizes){ chosen, 1 };
    const cli_sizes tile = a->shape.tile.n ? a->shape.tile : (cli_sizes){ chosen, 1 };
    const int64_t counts[AXES] = { [TYPE] = a->type.n ? a->type.n : 1, [N] = a->n.n,
                                   [BAND] = band.n, [TILE] = tile.n };
    int64_t at[AXES] = { 0 };
    orr_context *ctx = NULL;
    orr_context_info info;
    int code = cli_open(&a->run, sched, &ctx, &info);
    if (code != CLI_OK)
        return code;
    do {
        const orr_heev_opts opts = opts_of(a, band.v[at[BAND]], tile.v[at[TILE]]);
        const int type = single_type(&a->type, at[TYPE]);
        code = cli_worse(code, bench_one(job, ctx, &info, type < 0 ? ORR_D : (orr_type)type,
                                         a->n.v[at[N]], &opts));
    } while (code != CLI_RUNTIME && cli_next(at, counts, AXES));
    return cli_worse(code, cli_close(&a->run, ctx));
}

/* ---- The command line ----------------------------------------------------------------------- */

static int usage(const char *message) { return cli_usage("heev", message); }

static int check(cli_job *job)
{
    struct args *a = job->args;
    const cli_files *files = &job->files;
    const char *const outputs[] = { a->values, a->vectors };
    if (files->n > 1)
        return usage("one FILE at a time");
    const char *wrong = selection_parse(&a->part);
    if (wrong)
        return usage(wrong);
    if (!files->n && !a->n.n)
        return usage("a FILE is needed, or --n for a benchmark");
    if (!files->n && (a->values || a->vectors))
        return usage("--values and --vectors belong to a FILE, not to a benchmark");
    if (a->vectors && a->shape.jobz == 0)
        return usage("--vectors contradicts --jobz N");
    if (files->n && a->n.n)
        return usage("--n belongs to a benchmark, not to a FILE");
    if (files->n && (a->shape.band.n > 1 || a->shape.tile.n > 1 || a->type.n > 1 || a->run.sched.n > 1))
        return usage("with a FILE, --band, --tile, --type and --sched take one value");
    job->to_stdout = cli_count_stdout(outputs, 2);
    cli_answers(job);
    const int code = single_check("heev", &a->shape);
    return code == CLI_OK && files->n ? outputs_check(outputs, 2, NULL, files) : code;
}

static int work(cli_job *job)
{
    if (job->run->explain && job->files.n)
        return explain_file(job);
    return job->files.n ? file_mode(job) : cli_each_policy(job, bench_policy);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args args = { .run = cli_run_defaults(), .shape = { .jobz = -1 },
                         .hermitian = { .uplo = -1 } };
    cli_job job = { .args = &args, .run = &args.run, .check = check, .work = work,
                    .ref = &args.ref };
    return cli_compute(command, argc, argv, &job);
}

const cli_command cmd_heev = {
    .name = "heev",
    .aliases = "syev|syevd|heevd",
    .summary = "eigenvalues and eigenvectors of one large Hermitian matrix, in two stages",
    .synopsis = "[options] [FILE]",
    .files = "npy|npz|txt|csv|mtx|mtx.gz",
    .about =
        "FILE is a .npy array of shape (n, n), such an array x of an archive (a.npz:x), text (.txt,\n"
        ".csv: a row per line), a .mtx matrix (made dense), or - for .npy or text on standard input.\n"
        "It prints the eigenvalues, ascending. Only the triangle chosen by --uplo is read; if none is\n"
        "chosen a line on standard error tells where the matrix is not Hermitian. The matrix becomes a\n"
        "band matrix and then a tridiagonal one, a small one a tridiagonal one at once, by LAPACK; for\n"
        "batches of small matrices there is heevj.\n\n"
        "Without FILE and with --n it measures random matrices: a warm-up, then R runs (default 5),\n"
        "the references, each with its best number of threads, and heev in turn. Check figures are\n"
        "in units of n eps |A| and fail above 20. Gflop/s count 4/3 n^3 operations, 16/3 n^3\n"
        "with vectors, four times that if complex.",
    .options = options,
    .examples = "orrery heev a.npy\n"
                "orrery heev a.npy --values w.npy --vectors z.npy --check\n"
                "orrery heev a.mtx --values w.npy --json - -v\n"
                "orrery heev a.npy --range 1:20 --values w.npy --vectors z.npy\n"
                "orrery heev a.npy --range 0.5..2.5 --values w.npy\n"
                "orrery heev --n 1000,2000 --type d --ref lapack --check\n",
    .run = run,
};
