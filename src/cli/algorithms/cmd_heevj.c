/* orrery heevj: eigenvalues and eigenvectors of batches of Hermitian matrices, from files, or
 * of random matrices as a benchmark (--n).
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/algorithms/explain.h"
#include "src/cli/algorithms/heevj_case.h"
#include "src/cli/algorithms/heevj_divided.h"
#include "src/cli/core/answer.h"
#include "src/cli/core/job.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/ranks.h"
#include "src/cli/data/hermitian.h"
#include "src/cli/peers/reference.h"

enum { MAX_N = 1024 }; /* of orr_heevj */

struct args {
    cli_run run;
    const char *values, *vectors, *info;
    int jobz; /* index into "N|V"; -1: not given */
    hermitian_choice hermitian;
    cli_words method;
    cli_sizes chunk;
    int64_t max_sweeps;
    double tol;
    cli_sizes n, batch;
    cli_words type, ref;
    int kind, mixed, accuracy; /* an orr_accuracy */
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Files (for several FILEs put {} or {i} into the names)"},
    {"values", 'w', OPT_FILE, "FILE", "write eigenvalues, (batch, n): .npy, .txt or .csv", NULL,
     AT(values)},
    {"vectors", 'o', OPT_FILE, "FILE", "write eigenvectors, columns, (batch, n, n)", NULL,
     AT(vectors)},
    {"info", 'i', OPT_FILE, "FILE", "write status, sweeps, ... per matrix, CSV", NULL, AT(info)},
    {.kind = OPT_INCLUDE, .include = cli_file_options, AT(run)},
    {.kind = OPT_GROUP, .help = "Benchmark (without FILE); lists give all combinations"},
    {"n", 'n', OPT_SIZES, "SIZES", "orders, e.g. 8:32:8 or 16,100", NULL, AT(n), 0, MAX_N},
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
    {"method", 'm', OPT_WORDS, "M", "auto, jacobi, block, lapack or lanes",
     "auto|jacobi|block|lapack|lanes", AT(method)},
    {"accuracy", 0, OPT_CHOICE, "A", "auto, or relative: small values too (jacobi)",
     "auto|relative", AT(accuracy)},
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
    if (r->beyond)
        tell_matrix(inputs, files, r->first_beyond, "has eigenvalues beyond the range of its type",
                    r->beyond);
    if (r->noconv)
        tell_matrix(inputs, files, r->first_noconv,
                    "has not converged; its results are approximate", r->noconv);
}

static int report(cli_job *job, const heevj_result *r)
{
    if (job->run->verbose)
        cli_say("plan: {%s}", r->plan);
    return cli_sink_write(&job->sink, &r->record);
}

/* ---- Files ---------------------------------------------------------------------------- */

static const char *status_name(const orr_matrix_info *m)
{
    static const char *const name[] = {[ORR_OK] = "ok",
                                       [ORR_NOCONV] = "not converged",
                                       [ORR_NONFINITE] = "not finite",
                                       [ORR_RANGE] = "out of range"};
    return m->status >= 0 && m->status <= ORR_RANGE ? name[m->status] : "unknown";
}

/* The figures per matrix, one CSV for all files. */
static int write_info(const char *path, const cli_stack *s, const orr_matrix_info *info,
                      const cli_input *inputs, int files)
{
    static const char *const method[ORR_NMETHODS] = {"none", "jacobi", "block", "lapack", "lanes"};
    cli_text t = {0};
    cli_put(&t, "file,matrix,n,status,sweeps,method,device,off,residual,orthogonality,norm\n");
    for (int f = 0; f < files; f++)
        for (int64_t k = inputs[f].first; k < inputs[f].first + inputs[f].count; k++) {
            const orr_matrix_info *m = &info[k];
            const int known = m->method >= 0 && m->method < ORR_NMETHODS;
            const double real[] = {m->off, m->residual, m->orthogonality, m->norm};
            cli_put_csv(&t, inputs[f].path);
            cli_put(&t, ",%lld,%lld,%s,%d,%s,%s", (long long)(k - inputs[f].first),
                    (long long)s->n[k], status_name(m), m->sweeps,
                    known ? method[m->method] : "unknown", m->device ? "cuda" : "cpu");
            for (int j = 0; j < 4; j++)
                cli_put(&t, isfinite(real[j]) ? ",%.9g" : ",", real[j]);
            cli_put(&t, "\n");
        }
    const int code = output_text(path, &t);
    cli_text_free(&t);
    return code;
}

/* The part of file f, with its name in the pattern. */
static int write_array(FILE *out, const char *pattern, int vectors, const cli_stack *s,
                       const void *data, const cli_input *in, int f)
{
    char path[4096];
    const orr_type type = vectors ? s->type : orr_type_real(s->type);
    const size_t first = vectors ? s->at[in->first] : s->w_at[in->first];
    if (!pattern)
        return CLI_OK;
    output_name(path, sizeof path, pattern, in->path, f);
    return answer_write(out, vectors ? "eigenvectors" : "eigenvalues", path, type,
                        in->ndim - !vectors, in->shape, 0,
                        (const char *)data + first * orr_type_size(type));
}

static answer_values values_of(const cli_stack *s, const heevj_result *r, const cli_input *in)
{
    const orr_type real = orr_type_real(s->type);
    return (answer_values){.what = "eigenvalues",
                           .order = "ascending",
                           .type = real,
                           .batch = in->ndim > 2,
                           .count = in->count,
                           .columns = in->shape[in->ndim - 1],
                           .v = (const char *)r->w + s->w_at[in->first] * orr_type_size(real)};
}

/* Files of results, and what is printed of them; with room for `values` of each file. */
static int deliver(cli_job *job, cli_stack *s, heevj_result *r, const cli_input *inputs,
                   answer_values *values)
{
    const struct args *a = job->args;
    FILE *out = job->table;
    int code = CLI_OK;
    if (a->vectors)
        stack_adopt_vectors(s, r->q);
    for (int f = 0; f < job->files.n; f++) {
        const cli_input *in = &inputs[f];
        values[f] = values_of(s, r, in);
        answer_print(out, &a->run, in->path, &values[f]);
        code = cli_worse(code, write_array(out, a->values, 0, s, r->w, in, f));
        code = cli_worse(code, write_array(out, a->vectors, 1, s, r->q, in, f));
    }
    if (a->info)
        code = cli_worse(code, write_info(a->info, s, r->info, inputs, job->files.n));
    answer_check(out, &r->record, "n eps |A|", heevj_check_limit);
    return code;
}

static heevj_setup setup_of(const cli_job *job)
{
    const struct args *a = job->args;
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

static orr_method method_of(const cli_words *words, int64_t k)
{
    static const char *const name[ORR_NMETHODS] = {"auto", "jacobi", "block", "lapack", "lanes"};
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
    setup.method = method_of(&a->method, 0);
    setup.warm_up = setup.repeat > 1 || a->ref.n > 0;
    setup.what = "heevj";
    orr_context *context = NULL;
    orr_context_info info;
    int code = cli_ranks() > 1 ? CLI_OK : check_case_memory(&setup, s, "the batch");
    if (code != CLI_OK)
        return code;
    code = cli_open(&a->run, cli_policy(&a->run), &context, &info);
    if (code != CLI_OK)
        return code;
    heevj_result r;
    code = (info.ranks > 1 ? heevj_divided : heevj_case)(context, &info, &setup, s, &r);
    if (r.w) {
        tell_failures(&r, inputs, job->files.n);
        answer_values *values = calloc((size_t)job->files.n, sizeof *values);
        cli_text results = {0};
        code = cli_worse(code, values ? deliver(job, s, &r, inputs, values) : CLI_MEMORY);
        if (values)
            answer_json(&results, &a->run, "eigenvalues", values, job->files.n);
        r.record.results = results.s;
        code = cli_worse(code, report(job, &r));
        cli_text_free(&results);
        free(values);
        heevj_result_free(&r);
    } else if (code == CLI_USAGE) {
        code = CLI_FILE; /* what the library refuses came from the file */
    }
    return cli_worse(code, cli_close(&a->run, context));
}

static int file_mode(cli_job *job)
{
    const struct args *a = job->args;
    cli_stack s = {0};
    cli_input *inputs = calloc((size_t)job->files.n, sizeof *inputs);
    if (!inputs)
        return CLI_MEMORY;
    int code = cli_ranks_start();
    if (code == CLI_OK && cli_rank() == 0)
        code = stack_read(&s, job->run, job->files.v, job->files.n, type_of(&a->type, 0), MAX_N,
                          inputs);
    if (code == CLI_OK && cli_rank() == 0)
        hermitian_prepare(&s, &a->hermitian, inputs, job->files.n);
    code = cli_ranks_code(code);
    if (code == CLI_OK)
        code = heevj_share_layout(&s);
    if (code == CLI_OK) {
        code = cli_ranks_code(solve_files(job, &s, inputs));
        stack_free(&s);
    }
    cli_ranks_end();
    free(inputs);
    return code;
}

/* ---- Plan --------------------------------------------------------------------------------- */

static orr_status plan_call(const cli_planned *p, orr_report *report)
{
    static char any[1];
    const heevj_setup *setup = p->args;
    const orr_batch A = {.type = p->type, .batch = p->batch, .m = p->n, .n = p->n, .a = any};
    const orr_batch w = {
        .type = orr_type_real(p->type), .batch = p->batch, .m = p->n, .n = 1, .a = any};
    const orr_heevj_opts opts = {.jobz = setup->jobz,
                                 .uplo = stack_uplo(setup->uplo),
                                 .method = setup->method,
                                 .chunk = setup->chunk,
                                 .max_sweeps = setup->max_sweeps,
                                 .tol = setup->tol};
    return orr_heevj(p->context, &A, &w, &opts, NULL, report);
}

/* The stack, its copy where the input is still wanted, values and records. */
static double plan_holds(const cli_planned *p)
{
    const heevj_setup *setup = p->args;
    const int copy = setup->repeat > 1 || setup->warm_up || setup->run->check;
    const double n = (double)p->n;
    return (double)p->batch * (n * n * (1 + copy) * (double)orr_type_size(p->type) + 8 * n +
                               (double)sizeof(orr_matrix_info) + 32);
}

static int explain(cli_job *job, orr_context *ctx, const orr_context_info *info,
                   const heevj_setup *setup, orr_type type, int64_t n, int64_t batch)
{
    return cli_explain(&(cli_planned){.job = job,
                                      .context = ctx,
                                      .info = info,
                                      .algo = "heevj",
                                      .type = type,
                                      .n = n,
                                      .m = -1,
                                      .band = -1,
                                      .batch = batch,
                                      .vectors = setup->jobz == 'V',
                                      .args = setup,
                                      .call = plan_call,
                                      .needs = plan_holds,
                                      .holds = plan_holds});
}

/* Of the first file; others of other orders are batches of their own. */
static int explain_file(cli_job *job)
{
    struct args *a = job->args;
    heevj_setup setup = setup_of(job);
    orr_context *ctx = NULL;
    orr_context_info info;
    setup.method = method_of(&a->method, 0);
    setup.warm_up = setup.repeat > 1 || a->ref.n > 0;
    int code = cli_open(&a->run, cli_policy(&a->run), &ctx, &info);
    for (int f = 0; ctx && code == CLI_OK && f < job->files.n; f++) {
        orr_shape s;
        int64_t batch = 1;
        const int type = type_of(&a->type, 0);
        code = cli_shape_read(job->files.v[f], &s);
        for (int d = 0; code == CLI_OK && d < s.ndim - 2; d++)
            batch *= s.shape[d];
        if (code == CLI_OK && (s.ndim < 2 || s.shape[s.ndim - 1] != s.shape[s.ndim - 2])) {
            cli_say("%s: not a batch of square matrices", job->files.v[f]);
            code = CLI_FILE;
        }
        if (code == CLI_OK)
            code = explain(job, ctx, &info, &setup, type < 0 ? s.type : (orr_type)type,
                           s.shape[s.ndim - 1], batch);
    }
    if (ctx)
        orr_close(ctx);
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
    static int64_t batch_default[] = {100};
    struct args *a = job->args;
    enum { METHOD, CHUNK, TYPE, N, BATCH, AXES };
    const cli_sizes batches = a->batch.n ? a->batch : (cli_sizes){batch_default, 1};
    const int64_t counts[AXES] = {
        [METHOD] = a->method.n ? a->method.n : 1,
        [CHUNK] = a->chunk.n ? a->chunk.n : 1,
        [TYPE] = a->type.n ? a->type.n : 1,
        [N] = a->mixed ? 1 : a->n.n,
        [BATCH] = batches.n,
    };
    int64_t at[AXES] = {0};
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
        if (a->run.explain) {
            code = cli_worse(code,
                             explain(job, context, &info, &setup, type < 0 ? ORR_D : (orr_type)type,
                                     a->n.v[at[N]], batches.v[at[BATCH]]));
            continue;
        }
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
    if (cli_ranks() > 1)
        return usage("a benchmark is for one rank; several divide FILEs");
    if (a->values || a->vectors || a->info)
        return usage("--values, --vectors and --info belong to FILEs, not to a benchmark");
    return CLI_OK;
}

static int check_files(struct args *a, const cli_files *files)
{
    if (a->n.n || a->batch.n || a->mixed)
        return usage("--n, --batch and --mixed belong to a benchmark, not to FILEs");
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
    return outputs_check(outputs, 2, a->info, files);
}

static int check(cli_job *job)
{
    struct args *a = job->args;
    int code = job->files.n ? check_files(a, &job->files) : check_bench(a);
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
        return explain_file(job);
    return job->files.n ? file_mode(job) : cli_each_policy(job, bench_policy);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args args = {.run = cli_run_defaults(), .jobz = -1, .hermitian = {.uplo = -1}};
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
        "standard input; several FILEs are one batch of mixed sizes. It prints the eigenvalues, of a\n"
        "batch one matrix per line. Only the triangle chosen by --uplo is read; if none is chosen a\n"
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
