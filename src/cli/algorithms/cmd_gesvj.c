/* orrery gesvj: singular value decompositions of matrices from files, of a stream of them,
 * or of random ones as a benchmark (--n).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/algorithms/explain.h"
#include "src/cli/algorithms/gesvj_divided.h"
#include "src/cli/algorithms/gesvj_job.h"
#include "src/cli/core/answer.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/progress.h"
#include "src/cli/core/ranks.h"
#include "src/cli/data/dense.h"
#include "src/cli/peers/reference.h"

#define AT(field) .at = offsetof(struct svd_args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Files (for several FILEs put {} or {i} into the names)"},
    {"values", 'w', OPT_FILE, "FILE", "write singular values, (batch, k): .npy, .txt, .csv", NULL,
     AT(values)},
    {"left", 'L', OPT_FILE, "FILE", "write U, columns, (batch, m, k)", NULL, AT(left)},
    {"right", 'R', OPT_FILE, "FILE", "write V (not V'), columns, (batch, n, k)", NULL, AT(right)},
    {.kind = OPT_INCLUDE, .include = cli_file_options, AT(run)},
    {"stream", 0, OPT_FLAG, NULL, "arrays from stdin, results of each to stdout", NULL, AT(stream)},
    {.kind = OPT_GROUP, .help = "Benchmark (without FILE); lists give all combinations"},
    {"n", 'n', OPT_SIZES, "SIZES", "columns, e.g. 128:512:128", NULL, AT(n), 1, INT32_MAX},
    {"m", 0, OPT_SIZES, "SIZES", "rows (default: as many as columns)", NULL, AT(m), 1, INT32_MAX},
    {"count", 'N', OPT_SIZES, "SIZES", "matrices in a stream (default: 16)", NULL, AT(count), 1,
     INT32_MAX},
    {"at-once", 0, OPT_FLAG, NULL, "measure them as one batch, not as a stream", NULL, AT(at_once)},
    {"type", 't', OPT_WORDS, "TYPES", "of s,d,c,z (default: d); converts FILEs", "s|d|c|z",
     AT(type)},
    {"kind", 0, OPT_CHOICE, "KIND", "gaussian, or geometric: values 1 to 1e-6", svd_kinds,
     AT(kind)},
    {"ref", 0, OPT_WORDS, "REF", "gesvd, gesdd, gesvj of lapack or FILE.so; cusolver",
     "lapack|gesvd|gesdd|gesvj|cusolver", AT(ref), .libraries = 1},
    {.kind = OPT_GROUP, .help = "Computation"},
    {"jobz", 'j', OPT_CHOICE, "N|V", "values only, or vectors too", "N|V", AT(jobz)},
    {"place", 'p', OPT_CHOICE, "PLACE", "auto, cpu, gpu, pipeline or mirror",
     "auto|cpu|gpu|pipeline|mirror", AT(place)},
    {"precondition", 0, OPT_CHOICE, "HOW", "auto: QR, eigenvectors where they pay; qr; no",
     "auto|qr|no", AT(precondition)},
    {"block", 0, OPT_INT, "K", "columns per block: 16, 32 or 64", NULL, AT(block), 16, 64},
    {"bundle", 0, OPT_INT, "K", "matrices a GPU sweeps together (default: its fill)", NULL,
     AT(bundle), 1, 64},
    {"in-flight", 0, OPT_INT, "F", "matrices of a stream under way at once", NULL, AT(in_flight), 1,
     1000000},
    {"max-sweeps", 0, OPT_INT, "K", "give up after K sweeps", NULL, AT(max_sweeps), 1, 10000},
    {"tol", 0, OPT_REAL, "X", "relative rotation threshold (default: sqrt(m) eps)", NULL, AT(tol),
     0, 1},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

/* ---- Files -------------------------------------------------------------------------------- */

static orr_status solve(orr_context *context, const struct svd_args *a, const svd_data *d,
                        const char *label, orr_report *rep, cli_clock *clock)
{
    cli_progress progress;
    orr_gesvj_opts o = svd_options(a, a->run.check && d->x && d->y);
    o.progress = cli_progress_update;
    o.progress_arg = &progress;
    cli_progress_start(&progress, label, a->run.verbose, a->run.quiet);
    cli_clock_start(clock);
    const orr_status status = svd_solve(context, d, &o, rep);
    cli_clock_stop(clock, rep->seconds);
    cli_progress_end(&progress);
    return status;
}

static int write_one(FILE *out, const svd_data *d, char which, int batch, const char *pattern,
                     const char *input, int number)
{
    char path[4096];
    if (!pattern)
        return CLI_OK;
    output_name(path, sizeof path, pattern, input, number);
    return svd_write(out, d, which, batch, path);
}

/* Run k of a file. */
struct turn {
    orr_context *context;
    const struct svd_args *args;
    const svd_data *d;
    const char *path;
    orr_report report;
};

static int turn(void *arg, int k, cli_clock *clock)
{
    struct turn *t = arg;
    (void)k;
    const orr_status status = solve(t->context, t->args, t->d, t->path, &t->report, clock);
    if (status < 0)
        cli_say("%s: %s", t->path, t->report.message);
    return status < 0 ? cli_exit_code(status, 1) : CLI_OK;
}

static int wants_vectors(const struct svd_args *a)
{
    return a->jobz == 1 || (a->jobz < 0 && a->run.check);
}

static int read_file(const struct svd_args *a, const char *path, svd_data *d, int *batch)
{
    const int left = a->left || wants_vectors(a), right = a->right || wants_vectors(a);
    const int type = svd_type_of(&a->type, 0);
    orr_npy array;
    int code = dense_read(path, &a->run, NULL, 0, &array);
    if (code != CLI_OK)
        return code;
    *batch = array.ndim == 3;
    code = svd_check_memory(&a->run, &array, path, type, left, right);
    if (code == CLI_OK)
        return svd_adopt(d, &array, path, type, left, right);
    orr_npy_free(&array);
    return code;
}

/* What is printed and written of a file. */
static int deliver(cli_job *job, const orr_context_info *info, const svd_data *d, int batch,
                   int number, cli_record *r, int checked)
{
    const struct svd_args *a = job->args;
    const char *path = job->files.v[number];
    FILE *out = job->table;
    char ranks[32];
    cli_text results = {0};
    int code = cli_worse(svd_statuses(d->info, d->count, path), checked);
    const answer_values values = svd_values(d, batch);
    answer_print(out, &a->run, path, &values);
    answer_json(&results, &a->run, "singular_values", &values, 1);
    code = cli_worse(code, write_one(out, d, 's', batch, a->values, path, number));
    code = cli_worse(code, write_one(out, d, 'u', batch, a->left, path, number));
    code = cli_worse(code, write_one(out, d, 'v', batch, a->right, path, number));
    answer_check(out, r, "max(m,n) eps |A|", svd_check_limit);
    r->results = results.s;
    snprintf(ranks, sizeof ranks, "\"ranks\":%d", info->ranks);
    r->extra = info->ranks > 1 ? ranks : NULL;
    svd_describe(r, job, d, info, code);
    code = cli_worse(code, svd_report(job, r));
    cli_text_free(&results);
    return code;
}

/* Rank 0 has the file, and each rank works on its part of it. */
static int solve_file(cli_job *job, orr_context *context, const orr_context_info *info, int number)
{
    const struct svd_args *a = job->args;
    const char *path = job->files.v[number];
    svd_data all = {0};
    svd_divided divided = {0};
    int batch = 0;
    int code = cli_ranks_code(cli_rank() == 0 ? read_file(a, path, &all, &batch) : CLI_OK);
    if (code == CLI_OK && info->ranks > 1)
        code = svd_divide(&divided, &all, &a->run, a->left || wants_vectors(a),
                          a->right || wants_vectors(a));
    const svd_data *d = info->ranks > 1 ? &divided.mine : &all;
    const int repeat = a->run.repeat > 0 ? (int)a->run.repeat : 1;
    struct turn t = {.context = context, .args = a, .d = d, .path = path};
    cli_turns turns = {.run = &a->run,
                       .context = context,
                       .warm_up = repeat > 1,
                       .repeat = repeat,
                       .ours = turn,
                       .arg = &t};
    cli_record r = CLI_RECORD;
    if (code == CLI_OK)
        code = cli_ranks_code(cli_turns_run(&turns, &r));
    if (code == CLI_OK) {
        r.tasks = t.report.tasks;
        r.plan = t.report.plan;
        int checked = a->run.check ? svd_verify(d, svd_threads(info), &r) : CLI_OK;
        if (info->ranks > 1) {
            svd_gather(&divided, &all);
            cli_parts_record(&r, &turns);
            checked = cli_ranks_code(checked);
        }
        if (cli_rank() == 0)
            code = deliver(job, info, &all, batch, number, &r, checked);
        code = cli_ranks_code(code);
    }
    cli_turns_free(&turns);
    svd_divided_free(&divided);
    svd_free(&all);
    return code;
}

/* ---- Plan --------------------------------------------------------------------------------- */

/* `args` of a cli_planned. */
struct planned {
    const struct svd_args *a;
    int left, right;
};

static orr_status plan_call(const cli_planned *p, orr_report *report)
{
    static char any[1];
    const struct planned *x = p->args;
    const int64_t k = p->m < p->n ? p->m : p->n;
    const orr_batch A = {.type = p->type, .batch = p->batch, .m = p->m, .n = p->n, .a = any};
    const orr_batch s = {
        .type = orr_type_real(p->type), .batch = p->batch, .m = k, .n = 1, .a = any};
    const orr_batch U = {.type = p->type, .batch = p->batch, .m = p->m, .n = k, .a = any};
    const orr_batch V = {.type = p->type, .batch = p->batch, .m = p->n, .n = k, .a = any};
    const orr_gesvj_opts o = svd_options(x->a, 0);
    return orr_gesvj(p->context, &A, &s, x->left ? &U : NULL, x->right ? &V : NULL, &o, NULL,
                     report);
}

static double plan_holds(const cli_planned *p)
{
    const struct planned *x = p->args;
    return svd_bytes(p->type, p->batch, p->m, p->n, x->left, x->right);
}

int svd_explain(cli_job *job, orr_context *context, const orr_context_info *info, orr_type type,
                int64_t m, int64_t n, int64_t count, int left, int right)
{
    const struct planned x = {job->args, left, right};
    return cli_explain(&(cli_planned){.job = job,
                                      .context = context,
                                      .info = info,
                                      .algo = "gesvj",
                                      .type = type,
                                      .n = n,
                                      .m = m,
                                      .band = -1,
                                      .batch = count,
                                      .vectors = left || right,
                                      .args = &x,
                                      .call = plan_call,
                                      .needs = plan_holds,
                                      .holds = plan_holds});
}

static int explain_file(cli_job *job, orr_context *context, const orr_context_info *info,
                        const char *path)
{
    const struct svd_args *a = job->args;
    const int vectors = wants_vectors(a), type = svd_type_of(&a->type, 0);
    orr_shape s;
    const int code = cli_shape_read(path, &s);
    if (code != CLI_OK)
        return code;
    if (s.ndim != 2 && s.ndim != 3) {
        cli_say("%s: the array is neither (m, n) nor (batch, m, n)", path);
        return CLI_FILE;
    }
    const int64_t *mn = s.shape + (s.ndim == 3);
    return svd_explain(job, context, info, type < 0 ? s.type : (orr_type)type, mn[0], mn[1],
                       s.ndim == 3 ? s.shape[0] : 1, a->left || vectors, a->right || vectors);
}

static int file_mode(cli_job *job)
{
    const struct svd_args *a = job->args;
    orr_context *context = NULL;
    orr_context_info info;
    int code = cli_ranks_start();
    if (code == CLI_OK)
        code = cli_open(&a->run, cli_policy(&a->run), &context, &info);
    for (int f = 0; context && f < job->files.n; f++)
        code = cli_worse(code, a->run.explain ? explain_file(job, context, &info, job->files.v[f])
                                              : solve_file(job, context, &info, f));
    if (context)
        code = cli_worse(code, cli_close(&a->run, context));
    cli_ranks_end();
    return code;
}

/* ---- The command line --------------------------------------------------------------------- */

static int usage(const char *message) { return cli_usage("gesvj", message); }

static int check(cli_job *job)
{
    const struct svd_args *a = job->args;
    const cli_files *files = &job->files;
    const int bench = a->n.n || a->m.n || a->count.n || a->ref.n;
    const char *outputs[] = {a->values, a->left, a->right};
    if (cli_ranks() > 1 && (bench || !(files->n || a->stream) || a->run.explain))
        return usage(
            "a benchmark and --explain are for one rank; several divide FILEs or a stream");
    if (a->block && a->block != 16 && a->block != 32 && a->block != 64)
        return usage("--block is 16, 32 or 64");
    if ((a->stream || files->n) && bench)
        return usage("--n, --m, --count and --ref belong to a benchmark");
    if ((a->stream || files->n) && (a->type.n > 1 || a->run.sched.n > 1))
        return usage("outside a benchmark --type and --sched take one value");
    if (a->stream && files->n)
        return usage("--stream reads standard input, not FILEs");
    if (a->stream && a->run.explain)
        return usage("--explain belongs to FILEs or --n: what a stream brings is not known");
    for (int i = 0; i < 3; i++) {
        if (a->stream && outputs[i] && strcmp(outputs[i], "-"))
            return usage("with --stream, --values, --left and --right can only be - (stdout)");
        if (!a->stream && !files->n && outputs[i])
            return usage("--values, --left and --right belong to FILEs or --stream");
    }
    if (!a->stream && !files->n && !a->n.n)
        return usage("a FILE is needed, or --stream, or --n for a benchmark");
    if (a->jobz == 0 && (a->left || a->right))
        return usage("--left and --right contradict --jobz N");
    if (cli_rank() > 0)
        for (int i = 0; i < 3; i++)
            outputs[i] = NULL;
    for (int64_t k = 0; k < a->ref.n; k++)
        if (!strcmp(a->ref.v[k], "cusolver")) {
            const int code = reference_cusolver_open();
            if (code != CLI_OK)
                return code;
        }
    cli_answers(job);
    job->to_stdout = a->stream ? 1 : cli_count_stdout(outputs, 3);
    return files->n ? outputs_check(outputs, 3, NULL, files) : CLI_OK;
}

static int work(cli_job *job)
{
    const struct svd_args *a = job->args;
    return a->stream ? svd_serve(job) : job->files.n ? file_mode(job) : svd_bench(job);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct svd_args args = {.run = cli_run_defaults(), .jobz = -1};
    cli_job job = {
        .args = &args, .run = &args.run, .check = check, .work = work, .ranks = 1, .ref = &args.ref};
    return cli_compute(command, argc, argv, &job);
}

const cli_command cmd_gesvj = {
    .name = "gesvj",
    .aliases = "svj",
    .summary = "singular value decompositions of matrices, one by one or as a stream",
    .synopsis = "[options] [FILE...]",
    .files = "npy|npz|txt|csv|mtx|mtx.gz",
    .about =
        "Each FILE is a .npy array of shape (m, n) or (batch, m, n), such an array x of an archive\n"
        "(a.npz:x), text (.txt, .csv: a row per line), a .mtx matrix (made dense), or - for .npy or\n"
        "text on standard input. It prints the singular values, of a batch one matrix per line.\n"
        "A = U diag(s) V': s is descending, U is (m, k)\n"
        "and V is (n, k), k = min(m, n) up to 8192; NumPy's third result is V'. In names of outputs\n"
        "{} stands for the FILE's name without directory and suffix, {i} for its number from 0.\n\n"
        "With --stream standard input is a sequence of .npy arrays, of any shapes and types, and\n"
        "standard output gets, for each of them and in their order, the array of s, then that of\n"
        "U with --left -, then that of V with --right - (--values - to have s with them). Results\n"
        "leave as soon as they are there, while the next array is waited for. If the input ends\n"
        "within an array, all results before it are written and the exit code is 3.\n\n"
        "Without FILE and with --n it measures a stream of random matrices: a warm-up, then R\n"
        "runs (default 5), references and gesvj in turn; with --check one more, verified run.\n"
        "LAPACK runs one matrix per core, cuSOLVER's gesvd and gesvdj one after the other. Check\n"
        "figures are in units of max(m,n) eps |A| and fail above 20. With --trace the record\n"
        "tells how much of angle and update tasks ran beside the other stage of another matrix.",
    .options = options,
    .examples = "orrery gesvj stack.npy --values s.npy --left u.npy --right v.npy\n"
                "camera | orrery gesvj --stream --type s | tracker\n"
                "orrery gesvj --n 512 --count 16 --type s --ref lapack --check --json -\n",
    .run = run,
};
