/* orrery gb2bd: the bidiagonal form of a band matrix from a file, or of random bands as a
 * benchmark (--n, --band).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "band.h"
#include "gb2bd_lapack.h"
#include "job.h"
#include "outputs.h"
#include "progress.h"
#include "reference.h"

static const double CHECK_LIMIT = 20;

struct args {
    cli_run     run;
    const char *diag, *offdiag, *left, *right;
    int64_t     kl, m; /* -1: not given */
    int         jobz;  /* an index into its choices, or -1 */
    cli_sizes   n, band, tw, rows;
    int64_t     sweeps, max_blocks, split;
    int         place; /* an index into its choices */
    cli_words   type, ref;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    { .kind = OPT_GROUP, .help = "Files" },
    { "diag", 'd', OPT_FILE, "FILE", "write the diagonal of B, .npy", NULL, AT(diag) },
    { "offdiag", 'e', OPT_FILE, "FILE", "write the superdiagonal of B, .npy", NULL, AT(offdiag) },
    { "left", 0, OPT_FILE, "FILE", "write U, A = U B V', .npy of shape (m, min(m,n))", NULL,
      AT(left) },
    { "right", 0, OPT_FILE, "FILE", "write V, .npy of shape (n, min(m,n))", NULL, AT(right) },
    { "kl", 0, OPT_INT, "K", "subdiagonals among the FILE's rows (default: 0)", NULL, AT(kl), 0,
      INT32_MAX },
    { "m", 0, OPT_INT, "M", "rows of the matrix (default: as many as columns)", NULL, AT(m), 0,
      INT32_MAX },
    { .kind = OPT_GROUP, .help = "Benchmark (without FILE); lists give all combinations" },
    { "n", 'n', OPT_SIZES, "SIZES", "orders, e.g. 2048,4096", NULL, AT(n), 0, INT32_MAX },
    { "band", 'b', OPT_SIZES, "SIZES", "superdiagonals (default: 32)", NULL, AT(band), 0, 512 },
    { "type", 't', OPT_WORDS, "TYPES", "of h,s,d,c,z (default: d)", "h|s|d|c|z", AT(type) },
    { "ref", 0, OPT_WORDS, "REF", "compare with lapack (gbbrd)", reference_names, AT(ref) },
    { .kind = OPT_GROUP, .help = "Computation" },
    { "jobz", 'j', OPT_CHOICE, "N|V", "B only (default), or U and V too", "N|V", AT(jobz) },
    { "tw", 0, OPT_SIZES, "W", "diagonals peeled per stage (default: chosen)", NULL, AT(tw), 0,
      512 },
    { "rows", 0, OPT_SIZES, "D", "rows of a block of the band (default: chosen)", NULL, AT(rows), 0,
      INT32_MAX },
    { "sweeps", 0, OPT_INT, "G", "sweeps in a task, at most", NULL, AT(sweeps), 1, INT32_MAX },
    { "max-blocks", 0, OPT_INT, "K", "groups of sweeps under way at once, at most", NULL,
      AT(max_blocks), 1, INT32_MAX },
    { "place", 0, OPT_CHOICE, "P", "auto (default), cpu, gpu, split: part on a GPU",
      "auto|cpu|gpu|split", AT(place) },
    { "split", 0, OPT_INT, "N", "the GPU's rows, --place split (default: chosen)", NULL,
      AT(split), 1, INT32_MAX },
    { .kind = OPT_INCLUDE, .include = cli_run_options, AT(run) },
    { .kind = OPT_END },
};

/* What comes out; u m x k, v n x k without gaps, NULL: not wanted. */
struct result {
    void *d, *e, *u, *v;
};

static orr_type result_type(orr_type t) { return orr_type_real(gb2bd_vector_type(t)); }

static void result_free(struct result *r)
{
    free(r->d);
    free(r->e);
    free(r->u);
    free(r->v);
}

static int result_make(struct result *r, const gb2bd_band *a, int left, int right)
{
    const size_t k = (size_t)gb2bd_order(a), real = orr_type_size(result_type(a->type));
    const size_t size = orr_type_size(gb2bd_vector_type(a->type));
    r->d = malloc((k + 1) * real);
    r->e = malloc((k + 1) * real);
    r->u = left ? malloc((size_t)a->m * k * size + 1) : NULL;
    r->v = right ? malloc((size_t)a->n * k * size + 1) : NULL;
    if (r->d && r->e && (r->u || !left) && (r->v || !right))
        return CLI_OK;
    cli_say("out of memory");
    return CLI_MEMORY;
}

/* ---- One band ------------------------------------------------------------------------ */

/* 8 n^2 b, four times that if complex: what one stage costs, whatever is done. */
static double operations(const gb2bd_band *a, const struct result *r)
{
    const double n = (double)gb2bd_order(a), b = (double)(a->kl + a->ku);
    const double vectors = 4.0 / 3 * n * n * n * ((r->u != NULL) + (r->v != NULL));
    return (8 * n * n * b + vectors) * (a->type == ORR_C || a->type == ORR_Z ? 4 : 1);
}

static orr_status compute(orr_context *ctx, const cli_run *run, const gb2bd_band *a,
                          orr_gb2bd_opts opts, const struct result *r, orr_report *rep)
{
    cli_progress progress;
    cli_progress_start(&progress, "gb2bd, sweeps", run->verbose, run->quiet);
    opts.progress = cli_progress_update;
    opts.progress_arg = &progress;
    opts.u = r->u;
    opts.ldu = a->m;
    opts.v = r->v;
    opts.ldv = a->n;
    const orr_status st = orr_gb2bd(ctx, a->type, a->m, a->n, a->kl, a->ku, a->ab,
                                    a->kl + a->ku + 1, r->d, r->e, &opts, rep);
    cli_progress_end(&progress);
    return st;
}

/* Runs gb2bd, and LAPACK in turn with it; fills the record. */
static int measure(cli_job *job, orr_context *ctx, const gb2bd_band *a, orr_gb2bd_opts opts,
                   int warm_up, int repeat, const struct result *r, cli_record *rec,
                   orr_report *rep)
{
    const struct args *args = job->args;
    double *ours = calloc((size_t)repeat, sizeof *ours);
    double *theirs = calloc((size_t)repeat, sizeof *theirs);
    int code = ours && theirs ? CLI_OK : CLI_MEMORY;
    for (int k = -warm_up; k < repeat && code == CLI_OK; k++) {
        if (args->ref.n && k >= 0)
            theirs[k] = gb2bd_reference(a);
        cli_before_run(&args->run, ctx, k == repeat - 1);
        const orr_status st = compute(ctx, &args->run, a, opts, r, rep);
        if (k >= 0)
            ours[k] = rep->seconds;
        if (st != ORR_OK) {
            cli_say("%s: %s", job->files.n ? job->files.v[0] : "gb2bd", rep->message);
            code = st == ORR_E_NONFINITE ? CLI_FILE : cli_exit_code(st, job->files.n > 0);
        }
    }
    if (code == CLI_OK) {
        rec->seconds = cli_statistics(ours, repeat);
        rec->gflops = operations(a, r) / rec->seconds.median * 1e-9;
        cli_after_run(&args->run, ctx, rec);
        if (args->ref.n) {
            cli_reference *ref = &rec->ref[rec->refs++];
            snprintf(ref->name, sizeof ref->name, "lapack %s", gb2bd_reference_name(a->type));
            ref->threads = 1;
            ref->seconds = cli_statistics(theirs, repeat);
        }
    }
    free(ours);
    free(theirs);
    return code;
}

static int verify(const gb2bd_band *a, const struct result *r, cli_record *rec)
{
    rec->values = gb2bd_value_error(a, r->d, r->e);
    const int vectors = r->u && r->v;
    if (vectors)
        gb2bd_vector_errors(a, r->d, r->e, r->u, r->v, &rec->residual, &rec->orthogonality);
    if (rec->values <= CHECK_LIMIT &&
        (!vectors || (rec->residual <= CHECK_LIMIT && rec->orthogonality <= CHECK_LIMIT)))
        return CLI_OK;
    cli_say("check failed: singular values differ from LAPACK's by %.3g n eps |A|, residual %.3g, "
            "orthogonality %.3g",
            rec->values, rec->residual, rec->orthogonality);
    rec->status = "check failed";
    return CLI_CHECK;
}

/* A band start to finish: solve, check, write the record. */
static int solve(cli_job *job, orr_context *ctx, const orr_context_info *info,
                 const gb2bd_band *a, orr_gb2bd_opts opts, int warm_up, int repeat,
                 const struct result *r)
{
    const struct args *args = job->args;
    cli_record rec = CLI_RECORD;
    orr_report rep = { 0 };
    cli_describe(&rec, "gb2bd", info, job->command, job->files.n ? -1 : args->run.seed);
    int code = measure(job, ctx, a, opts, warm_up, repeat, r, &rec, &rep);
    if (code != CLI_OK)
        return code;
    rec.type = orr_type_letter(a->type);
    rec.n = a->n;
    rec.m = a->m == a->n ? -1 : a->m;
    rec.band = a->kl + a->ku;
    rec.tasks = rep.tasks;
    rec.plan = rep.plan;
    rec.status = "ok";
    if (args->run.check)
        code = verify(a, r, &rec);
    if (args->run.explain || args->run.verbose)
        cli_say("plan: {%s}", rep.plan);
    return cli_worse(code, cli_sink_write(&job->sink, &rec));
}

static orr_gb2bd_opts opts_of(const struct args *a, int64_t tw, int64_t rows)
{
    static const orr_place place[] = { ORR_PLACE_AUTO, ORR_PLACE_CPU, ORR_PLACE_GPU,
                                       ORR_PLACE_SPLIT };
    return (orr_gb2bd_opts){ .tw = tw, .rows = rows, .place = place[a->place], .split = a->split,
                             .sweeps = a->sweeps, .max_blocks = a->max_blocks };
}

/* ---- File ---------------------------------------------------------------------------- */

static int write_results(const struct args *args, const gb2bd_band *a, const struct result *r)
{
    const int64_t k = gb2bd_order(a);
    const orr_type type = result_type(a->type), of_vectors = gb2bd_vector_type(a->type);
    int code = band_write(args->diag, type, 1, k, 1, r->d);
    code = cli_worse(code, band_write(args->offdiag, type, 1, k ? k - 1 : 0, 1, r->e));
    if (code == CLI_OK && args->left)
        code = band_unorder(a->order, a->m, k, of_vectors, r->u);
    if (code == CLI_OK && args->right)
        code = band_unorder(a->order, a->n, k, of_vectors, r->v);
    if (code == CLI_OK)
        code = band_write(args->left, of_vectors, 2, a->m, k, r->u);
    return code == CLI_OK ? band_write(args->right, of_vectors, 2, a->n, k, r->v) : code;
}

static int file_mode(cli_job *job)
{
    const struct args *args = job->args;
    const int repeat = args->run.repeat > 0 ? (int)args->run.repeat : 1;
    /* one side alone cannot be checked */
    const int both = args->jobz == 1 || (args->run.check && (args->left || args->right));
    const int left = both || args->left, right = both || args->right;
    gb2bd_band a;
    struct result r = { 0 };
    orr_context *ctx = NULL;
    orr_context_info info;
    int code = gb2bd_band_read(&a, &args->run, job->files.v[0], args->kl, args->m);
    if (code == CLI_OK && (left || right) && args->tw.n && args->tw.v[0] > 0 &&
        args->tw.v[0] < a.kl + a.ku - 1) {
        cli_say("gb2bd: U and V need one stage: --tw 0, or at least %lld",
                (long long)(a.kl + a.ku - 1));
        code = CLI_USAGE;
    }
    if (code == CLI_OK)
        code = gb2bd_check_memory(&args->run, &a, left || right, job->files.v[0]);
    if (code == CLI_OK)
        code = result_make(&r, &a, left, right);
    if (code == CLI_OK)
        code = cli_open(&args->run, cli_policy(&args->run), &ctx, &info);
    if (ctx) {
        const orr_gb2bd_opts opts = opts_of(args, args->tw.n ? args->tw.v[0] : 0,
                                            args->rows.n ? args->rows.v[0] : 0);
        code = solve(job, ctx, &info, &a, opts, repeat > 1, repeat, &r);
        if (code == CLI_OK || code == CLI_CHECK)
            code = cli_worse(code, write_results(args, &a, &r));
        code = cli_worse(code, cli_close(&args->run, ctx));
    }
    result_free(&r);
    gb2bd_band_free(&a);
    return code;
}

/* ---- Benchmark ----------------------------------------------------------------------- */

static int bench_one(cli_job *job, orr_context *ctx, const orr_context_info *info, orr_type type,
                     int64_t n, int64_t band, int64_t tw, int64_t rows)
{
    const struct args *args = job->args;
    const int vectors = args->jobz == 1;
    gb2bd_band a = { .type = type, .m = n, .n = n, .ku = band };
    struct result r = { 0 };
    char what[96];
    snprintf(what, sizeof what, "type %c, n %lld, band %lld", orr_type_letter(type), (long long)n,
             (long long)band);
    int code = gb2bd_check_memory(&args->run, &a, vectors, what);
    if (code == CLI_OK)
        code = gb2bd_band_random(&a, type, n, band, (uint64_t)args->run.seed);
    if (code == CLI_OK)
        code = result_make(&r, &a, vectors, vectors);
    if (code == CLI_OK)
        code = solve(job, ctx, info, &a, opts_of(args, tw, rows), 1,
                     args->run.repeat > 0 ? (int)args->run.repeat : 5, &r);
    result_free(&r);
    gb2bd_band_free(&a);
    return code;
}

/* All combinations under one policy. */
static int bench_policy(cli_job *job, const char *sched)
{
    static int64_t band_default[] = { 32 }, chosen[] = { 0 };
    struct args *a = job->args;
    enum { TYPE, N, BAND, TW, ROWS, AXES };
    const cli_sizes bands = a->band.n ? a->band : (cli_sizes){ band_default, 1 };
    const cli_sizes tws = a->tw.n ? a->tw : (cli_sizes){ chosen, 1 };
    const cli_sizes rows = a->rows.n ? a->rows : (cli_sizes){ chosen, 1 };
    const int64_t counts[AXES] = { [TYPE] = a->type.n ? a->type.n : 1, [N] = a->n.n,
                                   [BAND] = bands.n, [TW] = tws.n, [ROWS] = rows.n };
    int64_t at[AXES] = { 0 };
    orr_context *ctx = NULL;
    orr_context_info info;
    int code = cli_open(&a->run, sched, &ctx, &info);
    if (code != CLI_OK)
        return code;
    do {
        orr_type type = ORR_D;
        if (a->type.n)
            orr_type_parse(a->type.v[at[TYPE]], &type);
        code = cli_worse(code, bench_one(job, ctx, &info, type, a->n.v[at[N]], bands.v[at[BAND]],
                                         tws.v[at[TW]], rows.v[at[ROWS]]));
    } while (code != CLI_RUNTIME && cli_next(at, counts, AXES));
    return cli_worse(code, cli_close(&a->run, ctx));
}

/* ---- The command line ---------------------------------------------------------------- */

static int usage(const char *message) { return cli_usage("gb2bd", message); }

static int check(cli_job *job)
{
    const struct args *a = job->args;
    const cli_files *files = &job->files;
    const char *const outputs[] = { a->diag, a->offdiag, a->left, a->right };
    if (files->n > 1)
        return usage("one FILE at a time");
    if (!files->n && !a->n.n)
        return usage("a FILE is needed, or --n for a benchmark");
    if (!files->n && (a->diag || a->offdiag || a->left || a->right || a->kl >= 0 || a->m >= 0))
        return usage("outputs, --kl and --m belong to a FILE, not to a benchmark");
    if ((a->left || a->right) && a->jobz == 0)
        return usage("--left and --right contradict --jobz N");
    if (files->n && (a->n.n || a->band.n || a->type.n))
        return usage("--n, --band and --type belong to a benchmark, not to a FILE");
    if (files->n && (a->tw.n > 1 || a->rows.n > 1 || a->run.sched.n > 1))
        return usage("with a FILE, --tw, --rows and --sched take one value");
    if (a->split && a->place != 3)
        return usage("--split belongs to --place split");
    job->to_stdout = cli_count_stdout(outputs, 4);
    int code = files->n ? outputs_check(outputs, 4, NULL, files) : CLI_OK;
    for (int64_t k = 0; code == CLI_OK && k < a->ref.n; k++)
        code = reference_available(a->ref.v[k]);
    return code;
}

static int work(cli_job *job)
{
    return job->files.n ? file_mode(job) : cli_each_policy(job, bench_policy);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args args = { .run = cli_run_defaults(), .kl = -1, .m = -1, .jobz = -1 };
    cli_job job = { .args = &args, .run = &args.run, .check = check, .work = work };
    return cli_compute(command, argc, argv, &job);
}

const cli_command cmd_gb2bd = {
    .name = "gb2bd",
    .aliases = "gbbrd|tb2bd",
    .summary = "band matrix to upper bidiagonal form with the same singular values",
    .synopsis = "[options] [FILE]",
    .files = "npy|mtx|mtx.gz",
    .about =
        "FILE is a .npy array of shape (kl+ku+1, n) with A[i,j] in row ku+i-j, column j, or - for\n"
        "standard input; without --kl all rows are the main diagonal and what is above it. Or it\n"
        "is a sparse .mtx matrix; a square one is put into reverse Cuthill-McKee order (rows and\n"
        "columns alike) if that makes the band narrower, and U and V are written for the file's\n"
        "own order. The result is the diagonal and the superdiagonal of B, A = U B V', which are\n"
        "real; all results are in single precision if A is in half precision. kl + ku is at most\n"
        "512.\n\n"
        "Without FILE and with --n it measures random bands: a warm-up, then R runs (default 5),\n"
        "reference and gb2bd in turn. --check compares singular values with LAPACK's (gbbrd and\n"
        "bdsqr in double precision) and, with U and V, verifies residual and orthogonality; the\n"
        "figures are in units of n eps |A| and fail above 20. Gflop/s count 8 n^2 b operations,\n"
        "and 4/3 n^3 more each for U and V; four times that if complex. LAPACK computes\n"
        "no vectors.",
    .options = options,
    .examples = "orrery gb2bd band.npy --diag d.npy --offdiag e.npy --check\n"
                "orrery gb2bd matrix.mtx --left u.npy --right v.npy --check -v\n"
                "orrery gb2bd --n 2048,4096 --band 32,64 --type h,s,d --ref lapack",
    .run = run,
};
