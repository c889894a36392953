/* orrery hb2st: the tridiagonal form of a Hermitian band matrix from a file, or of random
 * bands as a benchmark (--n, --band).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
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
#include "src/cli/peers/hb2st_lapack.h"

static const double CHECK_LIMIT = 20;

struct args {
    cli_run     run;
    const char *values, *diag, *offdiag, *q;
    int         uplo, jobz, place, owned; /* indices into their choices; jobz -1: not given */
    int64_t     split, tail;
    cli_sizes   n, band, D, G;
    cli_words   type, ref;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Files"},
    {"values", 'w', OPT_FILE, "FILE", "write the eigenvalues, and print them, not T", NULL,
     AT(values)},
    {"diag", 'd', OPT_FILE, "FILE", "write the diagonal of T: .npy, .txt or .csv", NULL, AT(diag)},
    {"offdiag", 'e', OPT_FILE, "FILE", "write the off-diagonal of T", NULL, AT(offdiag)},
    {"q", 0, OPT_FILE, "FILE", "write Q, A = Q T Q', of shape (n, n)", NULL, AT(q)},
    {.kind = OPT_INCLUDE, .include = cli_file_options, AT(run)},
    {"uplo", 'u', OPT_CHOICE, "L|U", "the triangle in a .npy FILE (default: L)", "L|U", AT(uplo)},
    {.kind = OPT_GROUP, .help = "Benchmark (without FILE); lists give all combinations"},
    {"n", 'n', OPT_SIZES, "SIZES", "orders, e.g. 2048,4096", NULL, AT(n), 0, INT32_MAX},
    {"band", 'b', OPT_SIZES, "SIZES", "bandwidths (default: 32), or the most for FILE",
     NULL, AT(band), 0, INT32_MAX},
    {"type", 't', OPT_WORDS, "TYPES", "of s,d,c,z (default: d)", "s|d|c|z", AT(type)},
    {"ref", 0, OPT_WORDS, "REF", "lapack, or FILE.so: sbtrd, sb2st", "lapack", AT(ref),
     .libraries = 1},
    {.kind = OPT_GROUP, .help = "Computation"},
    {"jobz", 'j', OPT_CHOICE, "N|V", "T only (default), or Q too", "N|V", AT(jobz)},
    {"columns", 0, OPT_SIZES, "D", "columns of a block of the band (default: chosen)", NULL, AT(D),
     1, INT32_MAX},
    {"sweeps", 0, OPT_SIZES, "G", "sweeps of a task (default: chosen)", NULL, AT(G), 1, INT32_MAX},
    {"tail", 0, OPT_INT, "N", "so many last sweeps on blocks of D/2", NULL,
     AT(tail), 0, INT32_MAX},
    {"place", 0, OPT_CHOICE, "P", "auto (default), cpu, gpu, split: part on a GPU",
     "auto|cpu|gpu|split", AT(place)},
    {"split", 0, OPT_INT, "N", "the GPU's columns, --place split (default: chosen)", NULL,
     AT(split), 1, INT32_MAX},
    {"cuda-kernel", 0, OPT_CHOICE, "K", "sweeps (default), or columns kept in shared memory",
     "sweeps|columns", AT(owned)},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

/* What comes out. */
struct result {
    void *d, *e, *q; /* q: n x n, column major; NULL: not wanted */
};

static void result_free(struct result *r)
{
    free(r->d);
    free(r->e);
    free(r->q);
}

static int result_make(struct result *r, const hb2st_band *b, int vectors)
{
    const size_t n = (size_t)b->n, real = orr_type_size(orr_type_real(b->type));
    r->d = malloc((n + 1) * real);
    r->e = malloc((n + 1) * real);
    r->q = vectors ? malloc(n * n * orr_type_size(b->type) + 1) : NULL;
    if (r->d && r->e && (r->q || !vectors))
        return CLI_OK;
    cli_say("out of memory");
    return CLI_MEMORY;
}

/* ---- One band ---------------------------------------------------------------------------- */

/* 6 n^2 b, and with Q 4/3 n^3 more; four times that if complex. */
static double operations(const hb2st_band *a, int vectors)
{
    const double n = (double)a->n, b = (double)a->b;
    return (6 * n * n * b + (vectors ? 4.0 / 3 * n * n * n : 0)) *
           (a->type == ORR_C || a->type == ORR_Z ? 4 : 1);
}

struct bench_problem {
    const hb2st_band *band;
    int               vectors;
};

static double run_peer(const void *problem, const cli_lapack *lapack, int which, int threads)
{
    const struct bench_problem *p = problem;
    return hb2st_reference(lapack, which, p->band, p->vectors, threads);
}

static const char *peer_name(const void *problem, int which)
{
    const struct bench_problem *p = problem;
    return which == HB2ST_SB2ST && p->vectors ? NULL : hb2st_reference_name(which, p->band->type);
}

/* A run of ours. */
struct turn {
    cli_job              *job;
    orr_context          *context;
    const hb2st_band     *band;
    const orr_hb2st_opts *opts;
    const struct result  *result;
    orr_report            report;
};

static orr_status compute(struct turn *t, cli_clock *clock)
{
    const cli_run *run = t->job->run;
    const hb2st_band *b = t->band;
    const struct result *r = t->result;
    orr_hb2st_opts opts = *t->opts;
    opts.vect = r->q ? 'Q' : 'N';
    opts.q = r->q;
    opts.ldq = b->n;
    cli_progress progress;
    cli_progress_start(&progress, "hb2st", run->verbose, run->quiet);
    opts.progress = cli_progress_update;
    opts.progress_arg = &progress;
    cli_clock_start(clock);
    const orr_status st = orr_hb2st(t->context, b->type, b->uplo, b->n, b->b, b->ab, b->b + 1, r->d,
                                    r->e, &opts, &t->report);
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
    cli_say("%s: %s", t->job->files.n ? t->job->files.v[0] : "hb2st", t->report.message);
    return st == ORR_E_NONFINITE ? CLI_FILE : cli_exit_code(st, t->job->files.n > 0);
}

static int verify(const hb2st_band *b, const struct result *r, cli_record *rec)
{
    rec->values = hb2st_value_error(b, r->d, r->e);
    if (r->q)
        hb2st_vector_errors(b, r->d, r->e, r->q, &rec->residual, &rec->orthogonality);
    if (rec->values <= CHECK_LIMIT &&
        (!r->q || (rec->residual <= CHECK_LIMIT && rec->orthogonality <= CHECK_LIMIT)))
        return CLI_OK;
    cli_say("check failed: values %.3g, residual %.3g, orthogonality %.3g n eps |A|", rec->values,
            rec->residual, rec->orthogonality);
    rec->status = "check failed";
    return CLI_CHECK;
}

/* Prints T, writes what was asked for. */
static int deliver(cli_job *job, const hb2st_band *b, const struct result *r,
                   const cli_record *rec, cli_text *results)
{
    const struct args *a = job->args;
    FILE *out = job->table;
    const orr_type real = orr_type_real(b->type);
    const int64_t n = b->n, off = n > 0 ? n - 1 : 0;
    const answer_values d = { .type = real, .count = 1, .columns = n, .v = r->d };
    const answer_values e = { .type = real, .count = 1, .columns = off, .v = r->e };
    int code = CLI_OK;
    answer_values values = { 0 };
    if (a->values)
        code = band_values(0, real, n, r->d, r->e, &values);
    if (code == CLI_OK && a->values) {
        answer_print(out, &a->run, job->files.v[0], &values);
        answer_json(results, &a->run, "eigenvalues", &values, 1);
        code = band_write(out, "eigenvalues", a->values, real, 1, n, 1, values.v);
    } else {
        answer_print_pairs(out, &a->run, job->files.v[0], "tridiagonal form", real, n, r->d, r->e);
    }
    free((void *)values.v);
    answer_json(results, &a->run, "diagonal", &d, 1);
    answer_json(results, &a->run, "off_diagonal", &e, 1);
    code = cli_worse(code, band_write(out, "diagonal", a->diag, real, 1, n, 1, r->d));
    code = cli_worse(code, band_write(out, "off-diagonal", a->offdiag, real, 1, off, 1, r->e));
    if (a->q && code == CLI_OK)
        code = band_unorder(b->order, n, n, b->type, r->q);
    if (a->q && code == CLI_OK)
        code = band_write(out, "Q", a->q, b->type, 2, n, n, r->q);
    answer_check(out, rec, "n eps |A|", CHECK_LIMIT);
    return code;
}

/* A band start to finish: solve, check, write the record. */
static int solve(cli_job *job, orr_context *ctx, const orr_context_info *info,
                 const hb2st_band *b, const orr_hb2st_opts *opts, int warm_up, int repeat,
                 const struct result *r)
{
    const cli_run *run = job->run;
    const struct bench_problem problem = { b, r->q != NULL };
    struct turn t = { .job = job, .context = ctx, .band = b, .opts = opts, .result = r };
    const orr_report *report = &t.report;
    cli_turns turns = { .run = run, .context = ctx, .warm_up = warm_up, .repeat = repeat,
                        .ours = turn, .arg = &t, .peer = run_peer, .problem = &problem };
    cli_record rec = CLI_RECORD;
    cli_describe(&rec, "hb2st", info, job->command, job->files.n ? -1 : run->seed);
    int code = cli_turns_add_routines(&turns, &job->lapacks, HB2ST_REFERENCES, peer_name,
                                      info->cpu);
    if (code == CLI_OK)
        code = cli_turns_run(&turns, &rec);
    if (code != CLI_OK) {
        cli_turns_free(&turns);
        return code;
    }
    rec.gflops = operations(b, problem.vectors) / rec.seconds.median * 1e-9;
    rec.type = orr_type_letter(b->type);
    rec.n = b->n;
    rec.band = b->b;
    rec.tasks = report->tasks;
    rec.plan = report->plan;
    rec.status = "ok";
    if (run->check)
        code = verify(b, r, &rec);
    if (run->verbose)
        cli_say("plan: {%s}", report->plan);
    cli_text results = { 0 };
    if (job->files.n)
        code = cli_worse(code, deliver(job, b, r, &rec, &results));
    rec.results = results.s;
    code = cli_worse(code, cli_sink_write(&job->sink, &rec));
    cli_text_free(&results);
    cli_turns_free(&turns);
    return code;
}

static int check_memory(const cli_run *run, const hb2st_band *b, int vectors, const char *what)
{
    return cli_check_memory(run, hb2st_band_bytes(b, vectors), what);
}

/* ---- File --------------------------------------------------------------------------------- */

static orr_hb2st_opts opts_of(const struct args *a, int64_t D, int64_t G)
{
    static const orr_place place[] = { ORR_PLACE_AUTO, ORR_PLACE_CPU, ORR_PLACE_GPU,
                                       ORR_PLACE_SPLIT };
    return (orr_hb2st_opts){ .D = D, .G = G, .place = place[a->place], .split = a->split,
                             .tail = a->tail, .owned = a->owned };
}

static int file_mode(cli_job *job)
{
    const struct args *a = job->args;
    const int repeat = a->run.repeat > 0 ? (int)a->run.repeat : 1;
    const int vectors = a->q != NULL || a->jobz == 1;
    hb2st_band b;
    struct result r = { 0 };
    orr_context *ctx = NULL;
    orr_context_info info;
    int code = hb2st_band_read(&b, &a->run, job->files.v[0], "LU"[a->uplo],
                               a->band.n ? a->band.v[0] : -1);
    if (code == CLI_OK)
        code = check_memory(&a->run, &b, vectors, job->files.v[0]);
    if (code == CLI_OK)
        code = result_make(&r, &b, vectors);
    if (code == CLI_OK)
        code = cli_open(&a->run, cli_policy(&a->run), &ctx, &info);
    if (ctx) {
        const orr_hb2st_opts opts = opts_of(a, a->D.n ? a->D.v[0] : 0, a->G.n ? a->G.v[0] : 0);
        code = solve(job, ctx, &info, &b, &opts, repeat > 1, repeat, &r);
        code = cli_worse(code, cli_close(&a->run, ctx));
    }
    result_free(&r);
    hb2st_band_free(&b);
    return code;
}

/* ---- Plan --------------------------------------------------------------------------------------- */

static orr_status plan_call(const cli_planned *p, orr_report *report)
{
    static char any[1];
    orr_hb2st_opts opts = *(const orr_hb2st_opts *)p->args;
    opts.vect = p->vectors ? 'Q' : 'N';
    opts.q = p->vectors ? any : NULL;
    opts.ldq = p->n;
    return orr_hb2st(p->context, p->type, 'L', p->n, p->band, any, p->band + 1, any, any, &opts,
                     report);
}

static double plan_needs(const cli_planned *p)
{
    const hb2st_band b = { .type = p->type, .n = p->n, .b = p->band };
    return hb2st_band_bytes(&b, p->vectors);
}

static double plan_holds(const cli_planned *p)
{
    const double n = (double)p->n;
    return n * ((double)p->band + 3 + (p->vectors ? n : 0)) * (double)orr_type_size(p->type);
}

static int explain(cli_job *job, orr_context *ctx, const orr_context_info *info, orr_type type,
                   int64_t n, int64_t band, int vectors, const orr_hb2st_opts *opts)
{
    return cli_explain(&(cli_planned){ .job = job, .context = ctx, .info = info, .algo = "hb2st",
                                       .type = type, .n = n, .m = -1, .band = band, .batch = -1,
                                       .vectors = vectors, .args = opts, .call = plan_call,
                                       .needs = plan_needs, .holds = plan_holds });
}

static int explain_file(cli_job *job)
{
    const struct args *a = job->args;
    const orr_hb2st_opts opts = opts_of(a, a->D.n ? a->D.v[0] : 0, a->G.n ? a->G.v[0] : 0);
    orr_shape s;
    orr_context *ctx = NULL;
    orr_context_info info;
    int code = cli_shape_read(job->files.v[0], &s);
    if (code == CLI_OK && s.entries >= 0 && !a->band.n) {
        cli_say("%s: the bandwidth is in the entries; --band says what to plan for",
                job->files.v[0]);
        code = CLI_USAGE;
    }
    if (code == CLI_OK && s.ndim != 2) {
        cli_say("%s: not an array of two dimensions, (b + 1, n)", job->files.v[0]);
        code = CLI_FILE;
    }
    if (code == CLI_OK)
        code = cli_open(&a->run, cli_policy(&a->run), &ctx, &info);
    if (ctx) {
        code = explain(job, ctx, &info, s.type, s.shape[1],
                       s.entries >= 0 ? a->band.v[0] : s.shape[0] - 1, a->q || a->jobz == 1, &opts);
        orr_close(ctx);
    }
    return code;
}

/* ---- Benchmark ------------------------------------------------------------------------------ */

static int bench_one(cli_job *job, orr_context *ctx, const orr_context_info *info, orr_type type,
                     int64_t n, int64_t band, const orr_hb2st_opts *opts)
{
    const struct args *a = job->args;
    const int vectors = a->jobz == 1;
    hb2st_band b = { .type = type, .n = n, .b = band };
    struct result r = { 0 };
    char what[96];
    if (a->run.explain)
        return explain(job, ctx, info, type, n, band, vectors, opts);
    snprintf(what, sizeof what, "type %c, n %lld, band %lld", orr_type_letter(type), (long long)n,
             (long long)band);
    int code = check_memory(&a->run, &b, vectors, what);
    if (code == CLI_OK)
        code = hb2st_band_random(&b, type, n, band, (uint64_t)a->run.seed);
    if (code == CLI_OK)
        code = result_make(&r, &b, vectors);
    if (code == CLI_OK)
        code = solve(job, ctx, info, &b, opts, 1, a->run.repeat > 0 ? (int)a->run.repeat : 5, &r);
    result_free(&r);
    hb2st_band_free(&b);
    return code;
}

/* All combinations under one policy. */
static int bench_policy(cli_job *job, const char *sched)
{
    static int64_t band_default[] = { 32 }, chosen[] = { 0 };
    struct args *a = job->args;
    enum { TYPE, N, BAND, COLUMNS, SWEEPS, AXES };
    const cli_sizes bands = a->band.n ? a->band : (cli_sizes){ band_default, 1 };
    const cli_sizes D = a->D.n ? a->D : (cli_sizes){ chosen, 1 };
    const cli_sizes G = a->G.n ? a->G : (cli_sizes){ chosen, 1 };
    const int64_t counts[AXES] = { [TYPE] = a->type.n ? a->type.n : 1, [N] = a->n.n,
                                   [BAND] = bands.n, [COLUMNS] = D.n, [SWEEPS] = G.n };
    int64_t at[AXES] = { 0 };
    orr_context *ctx = NULL;
    orr_context_info info;
    int code = cli_open(&a->run, sched, &ctx, &info);
    if (code != CLI_OK)
        return code;
    do {
        const orr_hb2st_opts opts = opts_of(a, D.v[at[COLUMNS]], G.v[at[SWEEPS]]);
        orr_type type = ORR_D;
        if (a->type.n)
            orr_type_parse(a->type.v[at[TYPE]], &type);
        code = cli_worse(code, bench_one(job, ctx, &info, type, a->n.v[at[N]], bands.v[at[BAND]],
                                         &opts));
    } while (code != CLI_RUNTIME && cli_next(at, counts, AXES));
    return cli_worse(code, cli_close(&a->run, ctx));
}

/* ---- The command line ----------------------------------------------------------------------- */

static int usage(const char *message) { return cli_usage("hb2st", message); }

static int check(cli_job *job)
{
    const struct args *a = job->args;
    const cli_files *files = &job->files;
    const char *const outputs[] = { a->values, a->diag, a->offdiag, a->q };
    if (files->n > 1)
        return usage("one FILE at a time");
    if (!files->n && !a->n.n)
        return usage("a FILE is needed, or --n for a benchmark");
    if (!files->n && (a->values || a->diag || a->offdiag || a->q))
        return usage("--values, --diag, --offdiag and --q belong to a FILE, not to a benchmark");
    if (files->n && (a->n.n || a->type.n))
        return usage("--n and --type belong to a benchmark, not to a FILE");
    if (files->n && (a->band.n > 1 || a->D.n > 1 || a->G.n > 1 || a->run.sched.n > 1))
        return usage("with a FILE, --band, --columns, --sweeps and --sched take one value");
    if (a->split && a->place != 3)
        return usage("--split belongs to --place split");
    if (a->q && a->jobz == 0)
        return usage("--q contradicts --jobz N");
    job->to_stdout = cli_count_stdout(outputs, 4);
    cli_answers(job);
    return files->n ? outputs_check(outputs, 4, NULL, files) : CLI_OK;
}

static int work(cli_job *job)
{
    if (job->run->explain && job->files.n)
        return explain_file(job);
    return job->files.n ? file_mode(job) : cli_each_policy(job, bench_policy);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args args = { .run = cli_run_defaults(), .jobz = -1 };
    cli_job job = { .args = &args, .run = &args.run, .check = check, .work = work,
                    .ref = &args.ref };
    return cli_compute(command, argc, argv, &job);
}

const cli_command cmd_hb2st = {
    .name = "hb2st",
    .aliases = "sbtrd|hbtrd|sb2st",
    .summary = "Hermitian band matrix to real tridiagonal form, T = Q'A Q",
    .synopsis = "[options] [FILE]",
    .files = "npy|npz|txt|csv|mtx|mtx.gz",
    .about =
        "FILE is an array of shape (b+1, n), .npy, .npz or text (.txt, .csv), as\n"
        "scipy.linalg.eig_banded takes it: A[i,j] in row i-j, column j (lower), or with --uplo U in\n"
        "row b+i-j. Or it is a sparse symmetric or Hermitian .mtx matrix, whose rows are put into\n"
        "reverse Cuthill-McKee order if that makes the band narrower; Q is then written for the\n"
        "file's own order. It prints T: diagonal and off-diagonal side by side, the last line has the\n"
        "diagonal alone.\n\n"
        "Without FILE and with --n it measures random bands: a warm-up, then R runs (default 5),\n"
        "peers and hb2st in turn, each peer with as many threads as suit it. Gflop/s count\n"
        "6 n^2 b operations, and 4/3 n^3 more with Q; four times that if complex. --check\n"
        "compares eigenvalues of T with LAPACK's of the band and, with Q, verifies residual and\n"
        "orthogonality; the figures are in units of n eps |A| and fail above 20.",
    .options = options,
    .examples = "orrery hb2st band.npy\n"
                "orrery hb2st band.npy --diag d.npy --offdiag e.npy --q q.npy --check\n"
                "orrery hb2st bcsstk13.mtx --diag d.npy --offdiag e.npy -v\n"
                "orrery hb2st --n 4096 --band 32,64 --type d,z --ref lapack",
    .run = run,
};
