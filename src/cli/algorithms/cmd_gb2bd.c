/* orrery gb2bd: the bidiagonal form of a band matrix from a file, or of random bands as a
 * benchmark (--n, --band).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "src/cli/algorithms/explain.h"
#include "src/cli/core/answer.h"
#include "src/cli/core/clock.h"
#include "src/cli/core/job.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/progress.h"
#include "src/cli/data/band.h"
#include "src/cli/data/band_values.h"
#include "src/cli/peers/gb2bd_lapack.h"

static const double CHECK_LIMIT = 20;

struct args {
    cli_run     run;
    const char *values, *diag, *offdiag, *left, *right;
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
    { "values", 'w', OPT_FILE, "FILE", "write the singular values, and print them, not B", NULL,
      AT(values) },
    { "diag", 'd', OPT_FILE, "FILE", "write the diagonal of B: .npy, .txt or .csv", NULL,
      AT(diag) },
    { "offdiag", 'e', OPT_FILE, "FILE", "write the superdiagonal of B", NULL, AT(offdiag) },
    { "left", 'L', OPT_FILE, "FILE", "write U, A = U B V', of shape (m, min(m,n))", NULL,
      AT(left) },
    { "right", 'R', OPT_FILE, "FILE", "write V, of shape (n, min(m,n))", NULL, AT(right) },
    { .kind = OPT_INCLUDE, .include = cli_file_options, AT(run) },
    { "kl", 0, OPT_INT, "K", "subdiagonals among the FILE's rows (default: 0)", NULL, AT(kl), 0,
      INT32_MAX },
    { "m", 0, OPT_INT, "M", "rows of the matrix (default: as many as columns)", NULL, AT(m), 0,
      INT32_MAX },
    { .kind = OPT_GROUP, .help = "Benchmark (without FILE); lists give all combinations" },
    { "n", 'n', OPT_SIZES, "SIZES", "orders, e.g. 2048,4096", NULL, AT(n), 0, INT32_MAX },
    { "band", 'b', OPT_SIZES, "SIZES", "superdiagonals (default: 32)", NULL, AT(band), 0, 512 },
    { "type", 't', OPT_WORDS, "TYPES", "of h,s,d,c,z (default: d)", "h|s|d|c|z", AT(type) },
    { "ref", 0, OPT_WORDS, "REF", "lapack, or FILE.so: gbbrd", "lapack", AT(ref),
      .libraries = 1 },
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

/* A run of ours. */
struct turn {
    cli_job              *job;
    orr_context          *context;
    const gb2bd_band     *band;
    orr_gb2bd_opts        opts;
    const struct result  *result;
    orr_report            report;
};

static orr_status compute(struct turn *t, cli_clock *clock)
{
    const cli_run *run = t->job->run;
    const gb2bd_band *a = t->band;
    const struct result *r = t->result;
    orr_gb2bd_opts opts = t->opts;
    cli_progress progress;
    cli_progress_start(&progress, "gb2bd", run->verbose, run->quiet);
    opts.progress = cli_progress_update;
    opts.progress_arg = &progress;
    opts.u = r->u;
    opts.ldu = a->m;
    opts.v = r->v;
    opts.ldv = a->n;
    cli_clock_start(clock);
    const orr_status st = orr_gb2bd(t->context, a->type, a->m, a->n, a->kl, a->ku, a->ab,
                                    a->kl + a->ku + 1, r->d, r->e, &opts, &t->report);
    cli_clock_stop(clock, t->report.seconds);
    cli_progress_end(&progress);
    return st;
}

static int turn(void *arg, int k, cli_clock *clock)
{
    struct turn *t = arg;
    (void)k;
    const orr_status st = compute(t, clock);
    if (st == ORR_OK)
        return CLI_OK;
    cli_say("%s: %s", t->job->files.n ? t->job->files.v[0] : "gb2bd", t->report.message);
    return st == ORR_E_NONFINITE ? CLI_FILE : cli_exit_code(st, t->job->files.n > 0);
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

/* Prints B, writes what was asked for. */
static int deliver(cli_job *job, const gb2bd_band *a, const struct result *r,
                   const cli_record *rec, cli_text *results)
{
    const struct args *args = job->args;
    FILE *out = job->table;
    const int64_t k = gb2bd_order(a), off = k ? k - 1 : 0;
    const orr_type type = result_type(a->type), of_vectors = gb2bd_vector_type(a->type);
    const answer_values d = { .type = type, .count = 1, .columns = k, .v = r->d };
    const answer_values e = { .type = type, .count = 1, .columns = off, .v = r->e };
    int code = CLI_OK;
    answer_values values = { 0 };
    if (args->values)
        code = band_values(1, type, k, r->d, r->e, &values);
    if (code == CLI_OK && args->values) {
        answer_print(out, &args->run, job->files.v[0], &values);
        answer_json(results, &args->run, "singular_values", &values, 1);
        code = band_write(out, "singular values", args->values, type, 1, k, 1, values.v);
    } else {
        answer_print_pairs(out, &args->run, job->files.v[0], "bidiagonal form", type, k, r->d,
                           r->e);
    }
    free((void *)values.v);
    answer_json(results, &args->run, "diagonal", &d, 1);
    answer_json(results, &args->run, "off_diagonal", &e, 1);
    code = cli_worse(code, band_write(out, "diagonal", args->diag, type, 1, k, 1, r->d));
    code = cli_worse(code, band_write(out, "off-diagonal", args->offdiag, type, 1, off, 1, r->e));
    if (code == CLI_OK && args->left)
        code = band_unorder(a->order, a->m, k, of_vectors, r->u);
    if (code == CLI_OK && args->right)
        code = band_unorder(a->order, a->n, k, of_vectors, r->v);
    if (code == CLI_OK && args->left)
        code = band_write(out, "U", args->left, of_vectors, 2, a->m, k, r->u);
    if (code == CLI_OK && args->right)
        code = band_write(out, "V", args->right, of_vectors, 2, a->n, k, r->v);
    answer_check(out, rec, "n eps |A|", CHECK_LIMIT);
    return code;
}

/* A band start to finish: solve, check, write the record. */
static int solve(cli_job *job, orr_context *ctx, const orr_context_info *info,
                 const gb2bd_band *a, orr_gb2bd_opts opts, int warm_up, int repeat,
                 const struct result *r)
{
    const struct args *args = job->args;
    struct turn t = { .job = job, .context = ctx, .band = a, .opts = opts, .result = r };
    cli_turns turns = { .run = &args->run, .context = ctx, .warm_up = warm_up, .repeat = repeat,
                        .ours = turn, .arg = &t, .peer = gb2bd_reference, .problem = a };
    cli_record rec = CLI_RECORD;
    cli_describe(&rec, "gb2bd", info, job->command, job->files.n ? -1 : args->run.seed);
    int code = cli_turns_add_routines(&turns, &job->lapacks, 1, gb2bd_reference_name, info->cpu);
    if (code == CLI_OK)
        code = cli_turns_run(&turns, &rec);
    if (code != CLI_OK) {
        cli_turns_free(&turns);
        return code;
    }
    rec.gflops = operations(a, r) / rec.seconds.median * 1e-9;
    rec.type = orr_type_letter(a->type);
    rec.n = a->n;
    rec.m = a->m == a->n ? -1 : a->m;
    rec.band = a->kl + a->ku;
    rec.tasks = t.report.tasks;
    rec.plan = t.report.plan;
    rec.status = "ok";
    if (args->run.check)
        code = verify(a, r, &rec);
    if (args->run.verbose)
        cli_say("plan: {%s}", t.report.plan);
    cli_text results = { 0 };
    if (job->files.n)
        code = cli_worse(code, deliver(job, a, r, &rec, &results));
    rec.results = results.s;
    code = cli_worse(code, cli_sink_write(&job->sink, &rec));
    cli_text_free(&results);
    cli_turns_free(&turns);
    return code;
}

static orr_gb2bd_opts opts_of(const struct args *a, int64_t tw, int64_t rows)
{
    static const orr_place place[] = { ORR_PLACE_AUTO, ORR_PLACE_CPU, ORR_PLACE_GPU,
                                       ORR_PLACE_SPLIT };
    return (orr_gb2bd_opts){ .tw = tw, .rows = rows, .place = place[a->place], .split = a->split,
                             .sweeps = a->sweeps, .max_blocks = a->max_blocks };
}

/* ---- File ---------------------------------------------------------------------------- */

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
        code = cli_worse(code, cli_close(&args->run, ctx));
    }
    result_free(&r);
    gb2bd_band_free(&a);
    return code;
}

/* ---- Plan ------------------------------------------------------------------------------ */

/* `args` of a cli_planned. */
struct planned {
    orr_gb2bd_opts opts;
    int64_t        kl;
    int            left, right;
};

static gb2bd_band planned_band(const cli_planned *p)
{
    const struct planned *x = p->args;
    return (gb2bd_band){ .type = p->type, .m = p->m, .n = p->n, .kl = x->kl,
                         .ku = p->band - x->kl };
}

static orr_status plan_call(const cli_planned *p, orr_report *report)
{
    static char any[1];
    const struct planned *x = p->args;
    orr_gb2bd_opts opts = x->opts;
    opts.u = x->left ? any : NULL;
    opts.ldu = p->m;
    opts.v = x->right ? any : NULL;
    opts.ldv = p->n;
    return orr_gb2bd(p->context, p->type, p->m, p->n, x->kl, p->band - x->kl, any, p->band + 1, any,
                     any, &opts, report);
}

static double plan_needs(const cli_planned *p)
{
    const gb2bd_band a = planned_band(p);
    return gb2bd_band_bytes(&a, p->vectors);
}

static double plan_holds(const cli_planned *p)
{
    const struct planned *x = p->args;
    const gb2bd_band a = planned_band(p);
    const double k = (double)gb2bd_order(&a);
    return (double)gb2bd_entries(&a) * (double)orr_type_size(p->type) +
           k * (2 + x->left * (double)p->m + x->right * (double)p->n) *
               (double)orr_type_size(gb2bd_vector_type(p->type));
}

static int explain(cli_job *job, orr_context *ctx, const orr_context_info *info,
                   const gb2bd_band *a, const struct planned *x)
{
    return cli_explain(&(cli_planned){ .job = job, .context = ctx, .info = info, .algo = "gb2bd",
                                       .type = a->type, .n = a->n, .m = a->m,
                                       .band = a->kl + a->ku, .batch = -1,
                                       .vectors = x->left || x->right, .args = x,
                                       .call = plan_call, .needs = plan_needs,
                                       .holds = plan_holds });
}

static int explain_file(cli_job *job)
{
    const struct args *a = job->args;
    const int both = a->jobz == 1 || (a->run.check && (a->left || a->right));
    const struct planned x = { opts_of(a, a->tw.n ? a->tw.v[0] : 0, a->rows.n ? a->rows.v[0] : 0),
                               a->kl > 0 ? a->kl : 0, both || a->left, both || a->right };
    orr_shape s;
    orr_context *ctx = NULL;
    orr_context_info info;
    int code = cli_shape_read(job->files.v[0], &s);
    if (code == CLI_OK && (s.entries >= 0 || s.ndim != 2)) {
        cli_say("%s: a plan needs an array of diagonals, or --n and --band", job->files.v[0]);
        code = CLI_FILE;
    }
    if (code == CLI_OK)
        code = cli_open(&a->run, cli_policy(&a->run), &ctx, &info);
    if (ctx) {
        const gb2bd_band b = { .type = s.type, .m = a->m < 0 ? s.shape[1] : a->m, .n = s.shape[1],
                               .kl = x.kl, .ku = s.shape[0] - 1 - x.kl };
        code = explain(job, ctx, &info, &b, &x);
        orr_close(ctx);
    }
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
    if (args->run.explain)
        return explain(job, ctx, info, &a,
                       &(struct planned){ opts_of(args, tw, rows), 0, vectors, vectors });
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
    const char *const outputs[] = { a->values, a->diag, a->offdiag, a->left, a->right };
    if (files->n > 1)
        return usage("one FILE at a time");
    if (!files->n && !a->n.n)
        return usage("a FILE is needed, or --n for a benchmark");
    if (!files->n && (a->values || a->diag || a->offdiag || a->left || a->right || a->kl >= 0 ||
                      a->m >= 0))
        return usage("outputs, --kl and --m belong to a FILE, not to a benchmark");
    if ((a->left || a->right) && a->jobz == 0)
        return usage("--left and --right contradict --jobz N");
    if (files->n && (a->n.n || a->band.n || a->type.n))
        return usage("--n, --band and --type belong to a benchmark, not to a FILE");
    if (files->n && (a->tw.n > 1 || a->rows.n > 1 || a->run.sched.n > 1))
        return usage("with a FILE, --tw, --rows and --sched take one value");
    if (a->split && a->place != 3)
        return usage("--split belongs to --place split");
    job->to_stdout = cli_count_stdout(outputs, 5);
    cli_answers(job);
    return files->n ? outputs_check(outputs, 5, NULL, files) : CLI_OK;
}

static int work(cli_job *job)
{
    if (job->run->explain && job->files.n)
        return explain_file(job);
    return job->files.n ? file_mode(job) : cli_each_policy(job, bench_policy);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args args = { .run = cli_run_defaults(), .kl = -1, .m = -1, .jobz = -1 };
    cli_job job = { .args = &args, .run = &args.run, .check = check, .work = work,
                    .ref = &args.ref };
    return cli_compute(command, argc, argv, &job);
}

const cli_command cmd_gb2bd = {
    .name = "gb2bd",
    .aliases = "gbbrd|tb2bd",
    .summary = "band matrix to upper bidiagonal form with the same singular values",
    .synopsis = "[options] [FILE]",
    .files = "npy|npz|txt|csv|mtx|mtx.gz",
    .about =
        "FILE is an array of shape (kl+ku+1, n), .npy, .npz or text (.txt, .csv), with A[i,j] in row\n"
        "ku+i-j, column j, or - for standard input; without --kl all rows are the main diagonal and\n"
        "what is above it. Or it is a sparse .mtx matrix; a square one is put into reverse\n"
        "Cuthill-McKee order (rows and columns alike) if that makes the band narrower, and U and V are\n"
        "written for the file's own order. It prints the diagonal and the superdiagonal of B,\n"
        "A = U B V', side by side, the last line has the diagonal alone. They are real; all results\n"
        "are in single precision if A is in half precision. kl + ku is at most 512.\n\n"
        "Without FILE and with --n it measures random bands: a warm-up, then R runs (default 5),\n"
        "reference and gb2bd in turn. --check compares singular values with LAPACK's (gbbrd and\n"
        "bdsqr in double precision) and, with U and V, verifies residual and orthogonality; the\n"
        "figures are in units of n eps |A| and fail above 20. Gflop/s count 8 n^2 b operations,\n"
        "and 4/3 n^3 more each for U and V; four times that if complex. LAPACK computes\n"
        "no vectors.",
    .options = options,
    .examples = "orrery gb2bd band.npy\n"
                "orrery gb2bd band.npy --diag d.npy --offdiag e.npy --check\n"
                "orrery gb2bd matrix.mtx --left u.npy --right v.npy --check -v\n"
                "orrery gb2bd --n 2048,4096 --band 32,64 --type h,s,d --ref lapack",
    .run = run,
};
