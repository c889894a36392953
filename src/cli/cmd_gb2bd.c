/* orrery gb2bd: the bidiagonal form of a band matrix from a file, or of random bands as a
 * benchmark (--n, --band).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <orrery/io.h>

#include "gb2bd_lapack.h"
#include "outputs.h"
#include "reference.h"
#include "run.h"

static const double CHECK_LIMIT = 20;

struct args {
    cli_run     run;
    const char *diag, *offdiag;
    int64_t     kl, m; /* -1: not given */
    cli_sizes   n, band, tw, rows;
    int64_t     sweeps, max_blocks;
    cli_words   type, ref;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    { .kind = OPT_GROUP, .help = "Files" },
    { "diag", 'd', OPT_FILE, "FILE", "write the diagonal of B, .npy", NULL, AT(diag) },
    { "offdiag", 'e', OPT_FILE, "FILE", "write the superdiagonal of B, .npy", NULL, AT(offdiag) },
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
    { "tw", 0, OPT_SIZES, "W", "diagonals peeled per stage (default: chosen)", NULL, AT(tw), 0,
      512 },
    { "rows", 0, OPT_SIZES, "D", "rows of a block of the band (default: chosen)", NULL, AT(rows), 0,
      INT32_MAX },
    { "sweeps", 0, OPT_INT, "G", "sweeps in a task, at most", NULL, AT(sweeps), 1, INT32_MAX },
    { "max-blocks", 0, OPT_INT, "K", "groups of sweeps under way at once, at most", NULL,
      AT(max_blocks), 1, INT32_MAX },
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

/* ---- One band ------------------------------------------------------------------------ */

static int64_t order_of(const gb2bd_band *a) { return a->m < a->n ? a->m : a->n; }

static orr_type result_type(orr_type t) { return t == ORR_H ? ORR_S : orr_type_real(t); }

/* 8 n^2 b, four times that if complex: what one stage costs, whatever is done. */
static double operations(const gb2bd_band *a)
{
    const double n = (double)order_of(a), b = (double)(a->kl + a->ku);
    return 8 * n * n * b * (a->type == ORR_C || a->type == ORR_Z ? 4 : 1);
}

/* Runs gb2bd, and LAPACK in turn with it; fills the record. d, e: the last run's. */
static int measure(struct job *job, orr_context *ctx, const gb2bd_band *a, orr_gb2bd_opts opts,
                   int warm_up, int repeat, void *d, void *e, cli_record *rec, orr_report *rep)
{
    const struct args *args = job->args;
    double *ours = calloc((size_t)repeat, sizeof *ours);
    double *theirs = calloc((size_t)repeat, sizeof *theirs);
    int code = ours && theirs ? CLI_OK : CLI_MEMORY;
    for (int k = -warm_up; k < repeat && code == CLI_OK; k++) {
        if (args->ref.n && k >= 0)
            theirs[k] = gb2bd_reference(a);
        cli_before_run(&args->run, ctx, k == repeat - 1);
        const orr_status st = orr_gb2bd(ctx, a->type, a->m, a->n, a->kl, a->ku, a->ab,
                                        a->kl + a->ku + 1, d, e, &opts, rep);
        if (k >= 0)
            ours[k] = rep->seconds;
        if (st != ORR_OK) {
            cli_say("gb2bd: %s", rep->message);
            code = st == ORR_E_NONFINITE ? CLI_FILE : cli_exit_code(st, job->files.n > 0);
        }
    }
    if (code == CLI_OK) {
        rec->seconds = cli_statistics(ours, repeat);
        rec->gflops = operations(a) / rec->seconds.median * 1e-9;
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

/* A band start to finish: solve, check, write the record. */
static int solve(struct job *job, orr_context *ctx, const orr_context_info *info,
                 const gb2bd_band *a, orr_gb2bd_opts opts, int warm_up, int repeat, void *d,
                 void *e)
{
    const struct args *args = job->args;
    cli_record rec = CLI_RECORD;
    orr_report rep = { 0 };
    cli_describe(&rec, "gb2bd", info, job->command, job->files.n ? -1 : args->run.seed);
    int code = measure(job, ctx, a, opts, warm_up, repeat, d, e, &rec, &rep);
    if (code != CLI_OK)
        return code;
    rec.type = orr_type_letter(a->type);
    rec.n = a->n;
    rec.m = a->m == a->n ? -1 : a->m;
    rec.band = a->kl + a->ku;
    rec.tasks = rep.tasks;
    rec.plan = rep.plan;
    rec.status = "ok";
    if (args->run.check) {
        rec.values = gb2bd_value_error(a, d, e);
        if (!(rec.values <= CHECK_LIMIT)) {
            cli_say("check failed: singular values differ from LAPACK's by %.3g n eps |A|",
                    rec.values);
            rec.status = "check failed";
            code = CLI_CHECK;
        }
    }
    if (args->run.explain || args->run.verbose)
        cli_say("plan: {%s}", rep.plan);
    return cli_worse(code, cli_sink_write(&job->sink, &rec));
}

static orr_gb2bd_opts opts_of(const struct args *a, int64_t tw, int64_t rows)
{
    return (orr_gb2bd_opts){ .tw = tw, .rows = rows,
                             .sweeps = a->sweeps, .max_blocks = a->max_blocks };
}

static int allocate_results(const gb2bd_band *a, void **d, void **e)
{
    const size_t bytes = (size_t)(order_of(a) + 1) * orr_type_size(result_type(a->type));
    *d = malloc(bytes);
    *e = malloc(bytes);
    return *d && *e ? CLI_OK : CLI_MEMORY;
}

/* Both bands, ours by rows three times as wide. */
static int check_memory(const struct args *args, const gb2bd_band *a, const char *what)
{
    return cli_check_memory(&args->run,
                            5 * (double)gb2bd_entries(a) * (double)orr_type_size(a->type), what);
}

/* ---- File ---------------------------------------------------------------------------- */

/* The array (kl+ku+1, n) of the file, entry (i,j) in [ku+i-j, j], as LAPACK wants it. */
static int band_of_file(const struct args *args, const char *path, gb2bd_band *a)
{
    orr_npy file;
    orr_io_error error = { 0 };
    const int64_t limit = args->run.max_memory > 0 ? args->run.max_memory : cli_free_memory();
    const orr_status st = orr_npy_read(path, limit, &file, &error);
    if (st != ORR_OK) {
        cli_say("%s", error.message[0] ? error.message : path);
        return cli_exit_code(st, 1);
    }
    const int64_t rows = file.ndim == 2 ? file.shape[0] : 0, n = file.shape[1];
    const int64_t kl = args->kl > 0 ? args->kl : 0, m = args->m >= 0 ? args->m : n;
    const char *wrong = file.ndim != 2    ? "not an array of two dimensions (diagonals, columns)"
                        : rows < kl + 1   ? "has no row for the main diagonal"
                        : n > INT32_MAX   ? "is too large"
                        : n > 0 && rows - 1 - kl >= n ? "has a bandwidth that is not below n"
                                                      : NULL;
    int code = CLI_OK;
    if (wrong) {
        cli_say("%s: %s", path, wrong);
        code = CLI_FILE;
    }
    *a = (gb2bd_band){ .type = file.type, .m = m, .n = n, .kl = kl, .ku = rows - 1 - kl };
    if (code == CLI_OK)
        code = check_memory(args, a, path);
    const size_t size = orr_type_size(file.type);
    if (code == CLI_OK && !(a->ab = malloc((size_t)gb2bd_entries(a) * size + 1)))
        code = CLI_MEMORY;
    for (int64_t j = 0; code == CLI_OK && j < n; j++)
        for (int64_t r = 0; r < rows; r++)
            memcpy((char *)a->ab + (size_t)(j * rows + r) * size,
                   (const char *)file.data + (size_t)(r * n + j) * size, size);
    orr_npy_free(&file);
    return code;
}

static int write_vector(const char *path, orr_type type, int64_t n, const void *data)
{
    orr_io_error error = { 0 };
    if (!path)
        return CLI_OK;
    const orr_status st = orr_npy_write(path, type, 1, &n, 0, data, &error);
    if (st != ORR_OK)
        cli_say("%s", error.message[0] ? error.message : path);
    return cli_exit_code(st, 1);
}

static int file_mode(void *arg)
{
    struct job *job = arg;
    const struct args *args = job->args;
    const int repeat = args->run.repeat > 0 ? (int)args->run.repeat : 1;
    gb2bd_band a = { 0 };
    void *d = NULL, *e = NULL;
    orr_context *ctx = NULL;
    orr_context_info info;
    int code = band_of_file(args, job->files.v[0], &a);
    if (code == CLI_OK)
        code = allocate_results(&a, &d, &e);
    if (code == CLI_OK)
        code = cli_open(&args->run, args->run.sched.n ? args->run.sched.v[0] : NULL, &ctx, &info);
    if (ctx) {
        const orr_gb2bd_opts opts = opts_of(args, args->tw.n ? args->tw.v[0] : 0,
                                            args->rows.n ? args->rows.v[0] : 0);
        code = solve(job, ctx, &info, &a, opts, repeat > 1, repeat, d, e);
        if (code == CLI_OK || code == CLI_CHECK) {
            const int64_t k = order_of(&a);
            const orr_type type = result_type(a.type);
            code = cli_worse(code, write_vector(args->diag, type, k, d));
            code = cli_worse(code, write_vector(args->offdiag, type, k ? k - 1 : 0, e));
        }
        code = cli_worse(code, cli_close(&args->run, ctx));
    }
    free(a.ab);
    free(d);
    free(e);
    return code;
}

/* ---- Benchmark ----------------------------------------------------------------------- */

/* Uniform in [-1, 1); halves: magnitudes from 2^-14 to 1. */
static void fill(const gb2bd_band *a, uint64_t seed)
{
    const int64_t count = gb2bd_entries(a) * (a->type == ORR_C || a->type == ORR_Z ? 2 : 1);
    uint64_t x = seed * 2685821657736338717u + 88172645463325252u;
    for (int64_t k = 0; k < count; k++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        const double u = (double)(x >> 11) * 0x1p-52 - 1;
        if (a->type == ORR_H)
            ((uint16_t *)a->ab)[k] = (uint16_t)((x >> 63 << 15) | (0x0400 + (x >> 20) % 0x3800));
        else if (a->type == ORR_S || a->type == ORR_C)
            ((float *)a->ab)[k] = (float)u;
        else
            ((double *)a->ab)[k] = u;
    }
}

static int bench_one(struct job *job, orr_context *ctx, const orr_context_info *info, orr_type type,
                     int64_t n, int64_t band, int64_t tw, int64_t rows)
{
    const struct args *args = job->args;
    gb2bd_band a = { .type = type, .m = n, .n = n, .ku = band };
    void *d = NULL, *e = NULL;
    char what[96];
    snprintf(what, sizeof what, "type %c, n %lld, band %lld", orr_type_letter(type), (long long)n,
             (long long)band);
    int code = check_memory(args, &a, what);
    if (code == CLI_OK && !(a.ab = malloc((size_t)gb2bd_entries(&a) * orr_type_size(type) + 1)))
        code = CLI_MEMORY;
    if (code == CLI_OK)
        code = allocate_results(&a, &d, &e);
    if (code == CLI_OK) {
        fill(&a, (uint64_t)args->run.seed);
        code = solve(job, ctx, info, &a, opts_of(args, tw, rows), 1,
                     args->run.repeat > 0 ? (int)args->run.repeat : 5, d, e);
    }
    free(a.ab);
    free(d);
    free(e);
    return code;
}

/* All combinations under one policy. */
static int bench_policy(struct job *job, const char *sched)
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

static int bench_mode(void *arg)
{
    struct job *job = arg;
    const cli_words *sched = &job->args->run.sched;
    int code = CLI_OK;
    for (int64_t k = 0; k < (sched->n ? sched->n : 1); k++)
        code = cli_worse(code, bench_policy(job, sched->n ? sched->v[k] : NULL));
    return code;
}

/* ---- The command line ---------------------------------------------------------------- */

static int usage(const char *message)
{
    cli_say("gb2bd: %s", message);
    cli_say("'orrery gb2bd --help' shows examples");
    return CLI_USAGE;
}

static int check_args(const struct args *a, const cli_files *files)
{
    if (files->n > 1)
        return usage("one FILE at a time");
    if (!files->n && !a->n.n)
        return usage("a FILE is needed, or --n for a benchmark");
    if (!files->n && (a->diag || a->offdiag || a->kl >= 0 || a->m >= 0))
        return usage("--diag, --offdiag, --kl and --m belong to a FILE, not to a benchmark");
    if (files->n && (a->n.n || a->band.n || a->type.n))
        return usage("--n, --band and --type belong to a benchmark, not to a FILE");
    if (files->n && (a->tw.n > 1 || a->rows.n > 1 || a->run.sched.n > 1))
        return usage("with a FILE, --tw, --rows and --sched take one value");
    int code = CLI_OK;
    if (files->n) {
        const char *const outputs[] = { a->diag, a->offdiag };
        code = outputs_check(outputs, 2, NULL, files);
    }
    for (int64_t k = 0; code == CLI_OK && k < a->ref.n; k++)
        code = reference_available(a->ref.v[k]);
    return code == CLI_OK ? cli_check_trace(&a->run) : code;
}

static int is_stdout(const char *path) { return path && !strcmp(path, "-"); }

static int run(const cli_command *command, int argc, char **argv)
{
    struct args args = { .run = cli_run_defaults(), .kl = -1, .m = -1 };
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
    if (code == CLI_OK)
        code = cli_sink_open(&job.sink, args.run.json, args.run.csv,
                             is_stdout(args.diag) + is_stdout(args.offdiag), args.run.quiet);
    if (code == CLI_OK) {
        code = cli_isolate(args.run.in_process, job.files.n ? file_mode : bench_mode, &job);
        cli_sink_close(&job.sink);
    }
    cli_release(command, &args);
    cli_text_free(&line);
    return code;
}

const cli_command cmd_gb2bd = {
    .name = "gb2bd",
    .aliases = "gbbrd|tb2bd",
    .summary = "band matrix to upper bidiagonal form with the same singular values",
    .synopsis = "[options] [FILE]",
    .files = "npy",
    .about =
        "FILE is a .npy array of shape (kl+ku+1, n) with A[i,j] in row ku+i-j, column j, or - for\n"
        "standard input; without --kl all rows are the main diagonal and what is above it. The\n"
        "result is the diagonal and the superdiagonal of B = U'A V: real, single precision if A\n"
        "is half precision. kl + ku is at most 512.\n\n"
        "Without FILE and with --n it measures random bands: a warm-up, then R runs (default 5),\n"
        "reference and gb2bd in turn. --check compares singular values with LAPACK's (gbbrd and\n"
        "bdsqr in double precision); the figure is in units of n eps |A| and fails above 20.\n"
        "Gflop/s count 8 n^2 b operations, four times that if complex.",
    .options = options,
    .examples = "orrery gb2bd band.npy --diag d.npy --offdiag e.npy --check\n"
                "orrery gb2bd --n 2048,4096 --band 32,64 --type h,s,d --ref lapack",
    .run = run,
};
