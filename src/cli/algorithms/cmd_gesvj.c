/* orrery gesvj: singular value decompositions of matrices from files, of a stream of them,
 * or of random ones as a benchmark (--n).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "src/cli/algorithms/explain.h"
#include "src/cli/algorithms/gesvj_job.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/ranks.h"
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
    {"bundle", 0, OPT_INT, "K", "matrices a GPU sweeps together (default: chosen)", NULL,
     AT(bundle), 1, 64},
    {"in-flight", 0, OPT_INT, "F", "matrices of a stream under way at once", NULL, AT(in_flight), 1,
     1000000},
    {"max-sweeps", 0, OPT_INT, "K", "give up after K sweeps", NULL, AT(max_sweeps), 1, 10000},
    {"tol", 0, OPT_REAL, "X", "relative rotation threshold (default: sqrt(m) eps)", NULL, AT(tol),
     0, 1, .above = 1},
    {.kind = OPT_INCLUDE, .include = cli_check_options, AT(run)},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

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

/* ---- The command line --------------------------------------------------------------------- */

static int usage(const char *message) { return cli_usage("gesvj", message); }

/* Options that would say nothing to a stream, to FILEs or to a benchmark. */
static int check_spared(const cli_job *job)
{
    const struct svd_args *a = job->args;
    const int code =
        a->stream ? cli_spared(job, "gesvj", "all|bench|check|repeat|seed|at-once", "with --stream")
                  : cli_answers_spared(job, "gesvj");
    if (code == CLI_OK && job->files.n)
        return cli_spared(job, "gesvj", "at-once|in-flight", "with a FILE, which is one batch");
    return code == CLI_OK && a->at_once ? cli_spared(job, "gesvj", "in-flight", "with --at-once")
                                        : code;
}

static int check(cli_job *job)
{
    const struct svd_args *a = job->args;
    const cli_files *files = &job->files;
    const int bench = a->n.n || a->m.n || a->count.n || a->kind >= 0 || a->ref.n;
    const char *outputs[] = {a->values, a->left, a->right};
    if (cli_ranks() > 1 && (bench || !(files->n || a->stream) || a->run.explain))
        return usage(
            "a benchmark and --explain are for one rank; several divide FILEs or a stream");
    if (a->block && a->block != 16 && a->block != 32 && a->block != 64)
        return usage("--block is 16, 32 or 64");
    if ((a->stream || files->n) && bench)
        return usage("--n, --m, --count, --kind and --ref belong to a benchmark");
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
    const int spared = check_spared(job);
    if (spared != CLI_OK)
        return spared;
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
    return files->n ? outputs_check(outputs, 3, NULL, files, 1) : CLI_OK;
}

static int work(cli_job *job)
{
    const struct svd_args *a = job->args;
    return a->stream ? svd_serve(job) : job->files.n ? svd_solve_files(job) : svd_bench(job);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct svd_args args = {.run = cli_run_defaults(), .kind = -1, .jobz = -1};
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
        "text on standard input. The singular values are printed, of a batch one matrix per line.\n"
        "A = U diag(s) V': s is descending, U is (m, k) and V is (n, k), k = min(m, n) up to 8192;\n"
        "NumPy's third result is V'. In names of outputs\n"
        "{} stands for the FILE's name without directory and suffix, {i} for its number from 0.\n\n"
        "With --stream standard input is a sequence of .npy arrays, of any shapes and types, and\n"
        "standard output gets, for each of them and in their order, the array of s, then that of\n"
        "U with --left -, then that of V with --right - (--values - to have s with them). Results\n"
        "are written as soon as they are ready, also while the next array is awaited. If the input ends\n"
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
