/* orrery heevj: eigenvalues and eigenvectors of batches of Hermitian matrices, from files, or
 * of random matrices as a benchmark (--n).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heevj_case.h"
#include "job.h"
#include "outputs.h"
#include "reference.h"

enum { MAX_N = 1024 }; /* of orr_heevj */

struct args {
    cli_run     run;
    const char *values, *vectors, *info;
    int         uplo, jobz; /* indices into "L|U", "N|V"; jobz -1: not given */
    cli_words   method;
    cli_sizes   chunk;
    int64_t     max_sweeps;
    double      tol;
    cli_sizes   n, batch;
    cli_words   type, ref;
    int         kind, mixed;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Files (for several FILEs put {} or {i} into the names)"},
    {"values", 'w', OPT_FILE, "FILE", "write eigenvalues, (batch, n), ascending", NULL, AT(values)},
    {"vectors", 'o', OPT_FILE, "FILE", "write eigenvectors, columns, (batch, n, n)", NULL,
     AT(vectors)},
    {"info", 'i', OPT_FILE, "FILE", "write status, sweeps, ... per matrix, CSV", NULL, AT(info)},
    {.kind = OPT_GROUP, .help = "Benchmark (without FILE); lists give all combinations"},
    {"n", 'n', OPT_SIZES, "SIZES", "orders, e.g. 8:32:8 or 16,100", NULL, AT(n), 0, MAX_N},
    {"batch", 'b', OPT_SIZES, "SIZES", "matrices per batch (default: 100)", NULL, AT(batch), 1,
     INT32_MAX},
    {"type", 't', OPT_WORDS, "TYPES", "of s,d,c,z (default: d); converts FILEs", "s|d|c|z",
     AT(type)},
    {"kind", 'k', OPT_CHOICE, "KIND", "random (default), graded, ... (see man page)", stack_kinds,
     AT(kind)},
    {"mixed", 0, OPT_FLAG, NULL, "one batch whose orders cycle through --n", NULL, AT(mixed)},
    {"ref", 0, OPT_WORDS, "REF", "compare with lapack (OpenMP loop), cusolver", reference_names,
     AT(ref)},
    {.kind = OPT_GROUP, .help = "Computation"},
    {"uplo", 'u', OPT_CHOICE, "L|U", "triangle of A[i,j] that is read (default: L)", "L|U",
     AT(uplo)},
    {"jobz", 'j', OPT_CHOICE, "N|V", "values only, or vectors too", "N|V", AT(jobz)},
    {"method", 'm', OPT_WORDS, "M", "auto, jacobi, block or lapack", "auto|jacobi|block|lapack",
     AT(method)},
    {"chunk", 0, OPT_SIZES, "C", "matrices per task", NULL, AT(chunk), 1, INT32_MAX},
    {"max-sweeps", 0, OPT_INT, "K", "give up after K sweeps", NULL, AT(max_sweeps), 1, 10000},
    {"tol", 0, OPT_REAL, "X", "relative rotation threshold (default: eps)", NULL, AT(tol), 0, 1},
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

static void tell_failures(const heevj_result *r, const cli_input *inputs, int files)
{
    if (r->nonfinite)
        tell_matrix(inputs, files, r->first_nonfinite,
                    "contains NaN or infinity; its results are NaN", r->nonfinite);
    if (r->noconv)
        tell_matrix(inputs, files, r->first_noconv,
                    "has not converged; its results are approximate", r->noconv);
}

static int report(cli_job *job, const heevj_result *r)
{
    if (job->run->explain || job->run->verbose)
        cli_say("plan: {%s}", r->plan);
    return cli_sink_write(&job->sink, &r->record);
}

/* ---- Files ---------------------------------------------------------------------------- */

/* The figures per matrix, one CSV for all files. */
static int write_info(const char *path, const cli_stack *s, const orr_matrix_info *info,
                      const cli_input *inputs, int files)
{
    static const char *const method[ORR_NMETHODS] = { "none", "jacobi", "block", "lapack" };
    cli_text t = { 0 };
    cli_put(&t, "file,matrix,n,status,sweeps,method,device,off,residual,orthogonality,norm\n");
    for (int f = 0; f < files; f++)
        for (int64_t k = inputs[f].first; k < inputs[f].first + inputs[f].count; k++) {
            const orr_matrix_info *m = &info[k];
            const int known = m->method >= 0 && m->method < ORR_NMETHODS;
            const double real[] = { m->off, m->residual, m->orthogonality, m->norm };
            cli_put_csv(&t, inputs[f].path);
            cli_put(&t, ",%lld,%lld,%s,%d,%s,%s", (long long)(k - inputs[f].first),
                    (long long)s->n[k], m->status == ORR_OK ? "ok" : m->status == ORR_NOCONV
                    ? "not converged" : "not finite", m->sweeps,
                    known ? method[m->method] : "unknown", m->device ? "cuda" : "cpu");
            for (int j = 0; j < 4; j++)
                cli_put(&t, isfinite(real[j]) ? ",%.9g" : ",", real[j]);
            cli_put(&t, "\n");
        }
    const int code = output_text(path, &t);
    cli_text_free(&t);
    return code;
}

static int write_arrays(const char *pattern, int vectors, const cli_stack *s, const void *data,
                        const cli_input *inputs, int files)
{
    int code = CLI_OK;
    for (int f = 0; f < files; f++) {
        char path[4096];
        orr_io_error error = { 0 };
        const cli_input *in = &inputs[f];
        const orr_type type = vectors ? s->type : orr_type_real(s->type);
        const size_t first = vectors ? s->at[in->first] : s->w_at[in->first];
        output_name(path, sizeof path, pattern, in->path, f);
        const orr_status status =
            orr_npy_write(path, type, in->ndim - !vectors, in->shape, 0,
                          (const char *)data + first * orr_type_size(type), &error);
        if (status != ORR_OK) {
            cli_say("%s", error.message[0] ? error.message : path);
            code = cli_worse(code, cli_exit_code(status, 1));
        }
    }
    return code;
}

static int write_results(const struct args *a, cli_stack *s, heevj_result *r,
                         const cli_input *inputs, int files)
{
    int code = CLI_OK;
    if (a->values)
        code = write_arrays(a->values, 0, s, r->w, inputs, files);
    if (a->vectors) {
        stack_adopt_vectors(s, r->q);
        code = cli_worse(code, write_arrays(a->vectors, 1, s, r->q, inputs, files));
    }
    if (a->info)
        code = cli_worse(code, write_info(a->info, s, r->info, inputs, files));
    return code;
}

static heevj_setup setup_of(const cli_job *job)
{
    const struct args *a = job->args;
    return (heevj_setup){
        .run = &a->run,
        .jobz = a->jobz < 0 ? 'V' : "NV"[a->jobz],
        .uplo = "LU"[a->uplo],
        .chunk = a->chunk.n ? a->chunk.v[0] : 0,
        .max_sweeps = (int)a->max_sweeps,
        .tol = a->tol,
        .repeat = a->run.repeat > 0 ? a->run.repeat : 1,
        .ref = &a->ref,
        .command = job->command,
        .seed = job->files.n ? -1 : a->run.seed,
    };
}

static orr_method method_of(const cli_words *words, int64_t k)
{
    static const char *const name[ORR_NMETHODS] = { "auto", "jacobi", "block", "lapack" };
    for (int m = 0; words->n && m < ORR_NMETHODS; m++)
        if (!strcmp(words->v[k], name[m]))
            return (orr_method)m;
    return ORR_METHOD_AUTO;
}

static int type_of(const cli_words *words, int64_t k)
{
    orr_type type;
    return words->n && orr_type_parse(words->v[k], &type) == 0 ? (int)type : -1;
}

static int check_case_memory(const heevj_setup *setup, const cli_stack *s, const char *what)
{
    /* Against a limit the user set, count all; against free memory, what is still to come. */
    const double there = setup->run->max_memory > 0 || !s->a ? (double)stack_bytes(s) : 0;
    return cli_check_memory(setup->run, there + heevj_case_bytes(s, setup), what);
}

static int solve_files(cli_job *job, cli_stack *s, const cli_input *inputs)
{
    struct args *a = job->args;
    heevj_setup setup = setup_of(job);
    setup.jobz = a->jobz >= 0 ? setup.jobz : a->vectors || a->run.check ? 'V' : 'N';
    setup.method = method_of(&a->method, 0);
    setup.warm_up = setup.repeat > 1 || a->ref.n > 0;
    setup.what = "heevj";
    orr_context *context = NULL;
    orr_context_info info;
    int code = check_case_memory(&setup, s, "the batch");
    if (code != CLI_OK)
        return code;
    code = cli_open(&a->run, cli_policy(&a->run), &context, &info);
    if (code != CLI_OK)
        return code;
    heevj_result r;
    code = heevj_case(context, &info, &setup, s, &r);
    if (r.w) {
        tell_failures(&r, inputs, job->files.n);
        code = cli_worse(code, write_results(a, s, &r, inputs, job->files.n));
        code = cli_worse(code, report(job, &r));
        heevj_result_free(&r);
    } else if (code == CLI_USAGE) {
        code = CLI_FILE; /* what the library refuses came from the file */
    }
    return cli_worse(code, cli_close(&a->run, context));
}

static int file_mode(cli_job *job)
{
    const struct args *a = job->args;
    cli_stack s;
    cli_input *inputs = calloc((size_t)job->files.n, sizeof *inputs);
    if (!inputs)
        return CLI_MEMORY;
    int code = stack_read(&s, job->run, job->files.v, job->files.n, type_of(&a->type, 0), MAX_N,
                          inputs);
    if (code == CLI_OK) {
        code = solve_files(job, &s, inputs);
        stack_free(&s);
    }
    free(inputs);
    return code;
}

/* ---- Benchmark ------------------------------------------------------------------------ */

/* Orders of a batch: all n[0], or cycling through n[0 .. count). */
static int make_stack(cli_stack *s, const heevj_setup *setup, const struct args *a, orr_type type,
                      const int64_t *n, int64_t count, int64_t batch)
{
    char what[96];
    double mean = 0; /* bytes of a matrix */
    for (int64_t k = 0; k < count; k++)
        mean += (double)(n[k] * n[k]) * (double)orr_type_size(type) / (double)count;
    snprintf(what, sizeof what, "type %c, n %lld, batch %lld", orr_type_letter(type),
             (long long)n[count - 1], (long long)batch);
    int code = cli_check_memory(&a->run, (double)batch * (mean + 4 * sizeof *n), what);
    if (code != CLI_OK)
        return code;
    int64_t *orders = malloc((size_t)batch * sizeof *orders);
    if (!orders)
        return CLI_MEMORY;
    for (int64_t k = 0; k < batch; k++)
        orders[k] = n[k % count];
    code = stack_layout(s, type, batch, orders);
    free(orders);
    if (code != CLI_OK)
        return code;
    code = check_case_memory(setup, s, what);
    if (code == CLI_OK && !(s->a = malloc(stack_room(s)))) {
        cli_say("%s: out of memory", what);
        code = CLI_MEMORY;
    }
    if (code != CLI_OK)
        stack_free(s);
    else
        stack_fill(s, a->kind, (uint64_t)a->run.seed);
    return code;
}

/* All combinations under one policy. */
static int bench_policy(cli_job *job, const char *sched)
{
    static int64_t batch_default[] = { 100 };
    struct args *a = job->args;
    enum { METHOD, CHUNK, TYPE, N, BATCH, AXES };
    const cli_sizes batches = a->batch.n ? a->batch : (cli_sizes){ batch_default, 1 };
    const int64_t counts[AXES] = {
        [METHOD] = a->method.n ? a->method.n : 1,
        [CHUNK] = a->chunk.n ? a->chunk.n : 1,
        [TYPE] = a->type.n ? a->type.n : 1,
        [N] = a->mixed ? 1 : a->n.n,
        [BATCH] = batches.n,
    };
    int64_t at[AXES] = { 0 };
    orr_context *context = NULL;
    orr_context_info info;
    int code = cli_open(&a->run, sched, &context, &info);
    if (code != CLI_OK)
        return code;
    heevj_setup setup = setup_of(job);
    setup.repeat = a->run.repeat > 0 ? a->run.repeat : 5;
    setup.warm_up = 1;
    setup.what = "batch";
    do {
        cli_stack s;
        heevj_result r;
        const int type = type_of(&a->type, at[TYPE]);
        setup.method = method_of(&a->method, at[METHOD]);
        setup.chunk = a->chunk.n ? a->chunk.v[at[CHUNK]] : 0;
        int one = make_stack(&s, &setup, a, type < 0 ? ORR_D : (orr_type)type, &a->n.v[at[N]],
                             a->mixed ? a->n.n : 1, batches.v[at[BATCH]]);
        if (one == CLI_OK) {
            one = heevj_case(context, &info, &setup, &s, &r);
            if (r.w) {
                tell_failures(&r, NULL, 0);
                one = cli_worse(one, report(job, &r));
                heevj_result_free(&r);
            }
            stack_free(&s);
        }
        code = cli_worse(code, one);
    } while (code != CLI_RUNTIME && cli_next(at, counts, AXES));
    return cli_worse(code, cli_close(&a->run, context));
}

/* ---- The command line ----------------------------------------------------------------- */

static int usage(const char *message) { return cli_usage("heevj", message); }

static int check_bench(const struct args *a)
{
    if (!a->n.n)
        return usage("a FILE is needed, or --n for a benchmark");
    if (a->values || a->vectors || a->info)
        return usage("--values, --vectors and --info belong to FILEs, not to a benchmark");
    return CLI_OK;
}

static int check_files(const struct args *a, const cli_files *files)
{
    if (a->n.n || a->batch.n || a->mixed)
        return usage("--n, --batch and --mixed belong to a benchmark, not to FILEs");
    if (a->type.n > 1 || a->method.n > 1 || a->chunk.n > 1 || a->run.sched.n > 1)
        return usage("with FILEs, --type, --method, --chunk and --sched take one value");
    if (a->vectors && a->jobz == 0)
        return usage("--vectors contradicts --jobz N");
    const char *const outputs[] = { a->values, a->vectors };
    return outputs_check(outputs, 2, a->info, files);
}

static int check(cli_job *job)
{
    const struct args *a = job->args;
    const char *const outputs[] = { a->values, a->vectors, a->info };
    int code = job->files.n ? check_files(a, &job->files) : check_bench(a);
    job->to_stdout = cli_count_stdout(outputs, 3);
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
    struct args args = { .run = cli_run_defaults(), .jobz = -1 };
    cli_job job = { .args = &args, .run = &args.run, .check = check, .work = work };
    return cli_compute(command, argc, argv, &job);
}

const cli_command cmd_heevj = {
    .name = "heevj",
    .aliases = "syevj|evj",
    .summary = "eigenvalues and eigenvectors of batches of Hermitian matrices",
    .synopsis = "[options] [FILE...]",
    .files = "npy|mtx|mtx.gz",
    .about =
        "Each FILE is a .npy array of shape (n, n) or (batch, n, n), a .mtx matrix, or - for a\n"
        ".npy array on standard input; several FILEs are one batch of mixed sizes. Only the\n"
        "triangle chosen by --uplo is read. n is at most 1024. In names of outputs {} stands for\n"
        "the FILE's name without directory and suffix, {i} for its number from 0.\n\n"
        "Without FILE and with --n it measures random matrices: a warm-up, then R runs (default\n"
        "5), reference and heevj in turn; with --check one more, verified run, compared with\n"
        "LAPACK. Check figures are in units of n eps |A| and fail above 10. Gflop/s count\n"
        "9 n^3 operations per matrix (4/3 n^3 without vectors), four times that if complex.",
    .options = options,
    .examples = "orrery heevj stack.npy --values w.npy --vectors v.npy --check\n"
                "orrery heevj a.npy b.npy --values 'w-{}.npy'\n"
                "orrery heevj --n 8:32:8 --batch 1000 --type s,d --ref lapack --json r.jsonl",
    .run = run,
};
