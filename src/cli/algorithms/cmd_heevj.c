/* orrery heevj: eigenvalues and eigenvectors of batches of Hermitian matrices, from files, or
 * of random matrices as a benchmark (--n).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "src/cli/algorithms/heevj_job.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/ranks.h"
#include "src/cli/peers/reference.h"

#define AT(field) .at = offsetof(struct heevj_args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Files (for several FILEs put {} or {i} into the names)"},
    {"values", 'w', OPT_FILE, "FILE", "write eigenvalues, (batch, n): .npy, .txt or .csv", NULL,
     AT(values)},
    {"vectors", 'o', OPT_FILE, "FILE", "write eigenvectors, columns, (batch, n, n)", NULL,
     AT(vectors)},
    {"info", 'i', OPT_FILE, "FILE", "write status, sweeps, ... per matrix, CSV", NULL, AT(info)},
    {.kind = OPT_INCLUDE, .include = cli_file_options, AT(run)},
    {.kind = OPT_GROUP, .help = "Benchmark (without FILE); lists give all combinations"},
    {"n", 'n', OPT_SIZES, "SIZES", "orders, e.g. 8:32:8 or 16,100", NULL, AT(n), 0, HEEVJ_MAX_N},
    {"batch", 'N', OPT_SIZES, "SIZES", "matrices per batch (default: 100)", NULL, AT(batch), 1,
     INT32_MAX},
    {"type", 't', OPT_WORDS, "TYPES", "of s,d,c,z (default: d); converts FILEs", "s|d|c|z",
     AT(type)},
    {"kind", 0, OPT_CHOICE, "KIND", "random (default), graded, ... (see man page)", stack_kinds,
     AT(kind)},
    {"mixed", 0, OPT_FLAG, NULL, "one batch whose orders cycle through --n", NULL, AT(mixed)},
    {"ref", 0, OPT_WORDS, "REF", "lapack or FILE.so (OpenMP loop), cusolver", reference_names,
     AT(ref), .libraries = 1},
    {.kind = OPT_GROUP, .help = "Computation"},
    {.kind = OPT_INCLUDE, .include = hermitian_options, AT(hermitian)},
    {"jobz", 'j', OPT_CHOICE, "N|V", "values only, or vectors too", "N|V", AT(jobz)},
    {"method", 'm', OPT_WORDS, "M", "auto, jacobi, block, lapack or lanes", HEEVJ_METHODS,
     AT(method)},
    {"accuracy", 0, OPT_CHOICE, "A", "auto, or relative: accurate small values (jacobi)",
     "auto|relative", AT(accuracy)},
    {"chunk", 0, OPT_SIZES, "C", "matrices per task", NULL, AT(chunk), 1, INT32_MAX},
    {"max-sweeps", 0, OPT_INT, "K", "give up after K sweeps", NULL, AT(max_sweeps), 1, 10000},
    {"tol", 0, OPT_REAL, "X", "relative rotation threshold (default: eps)", NULL, AT(tol), 0, 1,
     .above = 1},
    {.kind = OPT_INCLUDE, .include = cli_check_options, AT(run)},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

/* ---- Messages ------------------------------------------------------------------------- */

static void tell_matrix(const cli_input *inputs, int files, int64_t k, const char *what,
                        int64_t count)
{
    char others[64] = "";
    if (count > 1)
        snprintf(others, sizeof others, " (the first of %lld)", (long long)count);
    for (int f = 0; f < files; f++)
        if (k < inputs[f].first + inputs[f].count) {
            cli_say("%s: matrix %lld %s%s", inputs[f].path, (long long)(k - inputs[f].first), what,
                    others);
            return;
        }
    cli_say("matrix %lld of the batch %s%s", (long long)k, what, others);
}

void heevj_tell(const heevj_result *r, const cli_input *inputs, int files)
{
    if (r->nonfinite)
        tell_matrix(inputs, files, r->first_nonfinite,
                    "contains NaN or infinity; its results are NaN", r->nonfinite);
    if (r->beyond)
        tell_matrix(inputs, files, r->first_beyond, "has eigenvalues beyond the range of its type",
                    r->beyond);
    if (r->noconv)
        tell_matrix(inputs, files, r->first_noconv,
                    "has not converged; its results are approximate", r->noconv);
}

int heevj_report(cli_job *job, const heevj_result *r)
{
    if (job->run->verbose)
        cli_say("plan: {%s}", r->plan);
    return cli_sink_write(&job->sink, &r->record);
}

/* ---- What is computed ----------------------------------------------------------------- */

heevj_setup heevj_setup_of(const cli_job *job)
{
    const struct heevj_args *a = job->args;
    return (heevj_setup){
        .run = &a->run,
        .jobz = a->jobz < 0 ? 'V' : "NV"[a->jobz],
        .uplo = hermitian_uplo(&a->hermitian),
        .chunk = a->chunk.n ? a->chunk.v[0] : 0,
        .max_sweeps = (int)a->max_sweeps,
        .tol = a->tol,
        .accuracy = (orr_accuracy)a->accuracy,
        .repeat = a->run.repeat > 0 ? a->run.repeat : 1,
        .ref = &a->ref,
        .lapacks = &job->lapacks,
        .command = job->command,
        .seed = job->files.n ? -1 : a->run.seed,
    };
}

orr_method heevj_method_of(const cli_words *words, int64_t k)
{
    return words->n ? (orr_method)cli_word_index(words->v[k], HEEVJ_METHODS) : ORR_METHOD_AUTO;
}

int heevj_check_memory(const heevj_setup *setup, const cli_stack *s, const char *what)
{
    /* Against a limit the user set, count all; against free memory, what is still to come. */
    const double there = setup->run->max_memory > 0 || !s->a ? (double)stack_bytes(s) : 0;
    return cli_check_memory(setup->run, there + heevj_case_bytes(s, setup), what);
}

/* ---- The command line ----------------------------------------------------------------- */

static int usage(const char *message) { return cli_usage("heevj", message); }

/* What the library would refuse, and a plan not. */
static int check_accuracy(const struct heevj_args *a)
{
    for (int64_t k = 0; a->accuracy == ORR_ACCURACY_RELATIVE && k < a->method.n; k++) {
        const orr_method method = heevj_method_of(&a->method, k);
        if (method != ORR_METHOD_AUTO && method != ORR_METHOD_JACOBI)
            return usage("only --method jacobi has --accuracy relative");
    }
    return CLI_OK;
}

static int check_bench(const struct heevj_args *a)
{
    if (!a->n.n)
        return usage("a FILE is needed, or --n for a benchmark");
    if (a->mixed && a->run.explain)
        return usage("--explain plans batches of one order, not --mixed");
    if (cli_ranks() > 1)
        return usage("a benchmark is for one rank; several divide FILEs");
    if (a->values || a->vectors || a->info)
        return usage("--values, --vectors and --info belong to FILEs, not to a benchmark");
    return CLI_OK;
}

static int check_files(struct heevj_args *a, const cli_files *files)
{
    if (a->n.n || a->batch.n || a->kind >= 0 || a->mixed)
        return usage("--n, --batch, --kind and --mixed belong to a benchmark, not to FILEs");
    if (a->type.n > 1 || a->method.n > 1 || a->chunk.n > 1 || a->run.sched.n > 1)
        return usage("with FILEs, --type, --method, --chunk and --sched take one value");
    if (a->vectors && a->jobz == 0)
        return usage("--vectors contradicts --jobz N");
    if (cli_ranks() > 1 && (a->run.explain || a->ref.n))
        return usage("--explain and --ref are for one rank");
    if (a->jobz < 0)
        a->jobz = a->vectors || a->run.check;
    if (cli_rank() > 0)
        a->values = a->vectors = a->info = NULL;
    const char *const outputs[] = {a->values, a->vectors};
    return outputs_check(outputs, 2, a->info, files, 1);
}

static int check(cli_job *job)
{
    struct heevj_args *a = job->args;
    int code = job->files.n ? check_files(a, &job->files) : check_bench(a);
    if (code == CLI_OK)
        code = check_accuracy(a);
    if (code == CLI_OK)
        code = cli_answers_spared(job, "heevj");
    const char *const outputs[] = {a->values, a->vectors, a->info};
    job->to_stdout = cli_count_stdout(outputs, 3);
    cli_answers(job);
    for (int64_t k = 0; code == CLI_OK && k < a->ref.n; k++)
        code = reference_available(a->ref.v[k]);
    return code;
}

static int work(cli_job *job)
{
    if (job->run->explain && job->files.n)
        return heevj_explain_files(job);
    return job->files.n ? heevj_solve_files(job) : heevj_bench(job);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct heevj_args args = {
        .run = cli_run_defaults(), .kind = -1, .jobz = -1, .hermitian = {.uplo = -1}};
    cli_job job = {
        .args = &args, .run = &args.run, .check = check, .work = work, .ranks = 1, .ref = &args.ref};
    return cli_compute(command, argc, argv, &job);
}

const cli_command cmd_heevj = {
    .name = "heevj",
    .aliases = "syevj|evj",
    .summary = "eigenvalues and eigenvectors of batches of Hermitian matrices",
    .synopsis = "[options] [FILE...]",
    .files = "npy|npz|txt|csv|mtx|mtx.gz",
    .about =
        "Each FILE is a .npy array of shape (n, n) or (batch, n, n), such an array x of an archive\n"
        "(a.npz:x), text (.txt, .csv: a row per line), a .mtx matrix, or - for .npy or text on\n"
        "standard input; several FILEs are one batch of mixed sizes. The eigenvalues are printed, of\n"
        "a batch one matrix per line. Only the triangle chosen by --uplo is read; if none is chosen, a\n"
        "line on standard error tells where a matrix is not Hermitian. n is at most 1024. In names of\n"
        "outputs {} stands for the FILE's name without directory and suffix, {i} for its number\n"
        "from 0.\n\n"
        "Without FILE and with --n it measures random matrices: a warm-up, then R runs (default\n"
        "5), reference and heevj in turn; with --check one more, verified run, compared with\n"
        "LAPACK. Check figures are in units of n eps |A| and fail above 10. Gflop/s count\n"
        "9 n^3 operations per matrix (4/3 n^3 without vectors), four times that if complex.",
    .options = options,
    .examples = "orrery heevj stack.npy\n"
                "orrery heevj stack.npy --values w.npy --vectors v.npy --check\n"
                "orrery heevj a.npy b.npy --values 'w-{}.npy'\n"
                "orrery heevj --n 8:32:8 --batch 1000 --type s,d --ref lapack --json r.jsonl",
    .run = run,
};
