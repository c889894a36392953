/* orrery powm: eigenpairs of largest modulus of a sparse matrix; with --compare the storage
 * formats side by side.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/algorithms/explain.h"
#include "src/cli/algorithms/sparse_case.h"
#include "src/cli/core/answer.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/progress.h"
#include "src/cli/core/ranks.h"

enum { MOST_PAIRS = 390 };

struct args {
    cli_run run;
    sparse_source source;
    const char *values, *vectors;
    int64_t k, basis, blocks, max_products, steps;
    int method, type;
    cli_words format;
    double tol;
    int compare, singular, unweighted, transpose, full;
};

#define AT(field) .at = offsetof(struct args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Matrix"},
    {"generate", 'g', OPT_TEXT, "NAME", "laplace3d:N, rmat:SCALE:DEGREE or sbm:N:K:DIN:DOUT", NULL,
     AT(source.generate)},
    {"kron", 0, OPT_FILE, "FILE", "its Kronecker product with this matrix", NULL, AT(source.kron)},
    {"type", 't', OPT_CHOICE, "T", "s, d, c or z (default: d, z if complex)", "auto|s|d|c|z",
     AT(type)},
    {"transpose", 0, OPT_FLAG, NULL, "the transposed matrix (left eigenvectors)", NULL,
     AT(transpose)},
    {"unweighted", 0, OPT_FLAG, NULL, "all entries count as 1", NULL, AT(unweighted)},
    {.kind = OPT_GROUP, .help = "Output"},
    {"values", 'w', OPT_FILE, "FILE", "write eigenvalues, (k,): .npy, .txt or .csv", NULL,
     AT(values)},
    {"vectors", 'o', OPT_FILE, "FILE", "write eigenvectors, columns, (n, k)", NULL, AT(vectors)},
    {"all", 0, OPT_FLAG, NULL, "print all eigenpairs, however many", NULL, AT(run.all)},
    {.kind = OPT_GROUP, .help = "Computation"},
    {"k", 'k', OPT_INT, "K", "eigenpairs (default: 1)", NULL, AT(k), 1, MOST_PAIRS},
    {"method", 'm', OPT_CHOICE, "M", "power, ritz or krylov (default)", "auto|power|ritz|krylov",
     AT(method)},
    {"singular", 0, OPT_FLAG, NULL, "principal singular values and right vectors", NULL,
     AT(singular)},
    {"tol", 0, OPT_REAL, "X", "|Av - lambda v| / |lambda| (default: 1e-10)", NULL, AT(tol), 0, 1},
    {"max-products", 0, OPT_INT, "N", "give up after N products (default: 20000)", NULL,
     AT(max_products), 1},
    {"basis", 0, OPT_INT, "M", "vectors that krylov keeps (default: 20)", NULL, AT(basis), 1, 400},
    {"format", 'f', OPT_WORDS, "F", "storage; several with --compare (default: chosen)",
     "auto|crs|csr|bsr|ell|gpu-ell|sell|merge", AT(format)},
    {"blocks", 0, OPT_INT, "B", "blocks of rows (default: by size and workers)", NULL, AT(blocks),
     1, 256},
    {"full", 0, OPT_FLAG, NULL, "store all values in full width", NULL, AT(full)},
    {"compare", 0, OPT_FLAG, NULL, "time power iteration in each --format", NULL, AT(compare)},
    {"steps", 0, OPT_INT, "N", "of --compare, per run (default: 20)", NULL, AT(steps), 1, 100000},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

static const char type_letters[] = {0, 's', 'd', 'c', 'z'};

static orr_sparse_opts build_options(const struct args *a)
{
    return (orr_sparse_opts){.type = type_letters[a->type],
                             .blocks = a->blocks,
                             .transpose = a->transpose,
                             .unweighted = a->unweighted,
                             .full = a->full};
}

/* ---- One solve ----------------------------------------------------------------------------- */

static void print_pair(const orr_eigenpair *e, int k, int singular)
{
    char re[ORR_NUMBER_TEXT], im[ORR_NUMBER_TEXT], low[ORR_NUMBER_TEXT], high[ORR_NUMBER_TEXT];
    printf("%-3d %-24s", k + 1, orr_number_text(re, ORR_D, e->re));
    if (!singular)
        printf(" %-24s", orr_number_text(im, ORR_D, e->im));
    printf(" %.3g", e->relative);
    if (e->low <= e->high)
        printf(" [%s, %s]", orr_number_text(low, ORR_D, e->low),
               orr_number_text(high, ORR_D, e->high));
    printf("%s\n", e->dominant ? " dominant" : "");
}

static void print_pairs(const cli_run *run, const char *name, const orr_eigenpair *e,
                        const orr_powm_result *r, int singular)
{
    enum { LONG = 40, EDGE = 10 };
    const int found = r->found, cut = found > LONG && !run->all;
    answer_heading(stdout, singular ? "singular values" : "eigenvalues", name);
    printf("%d%s\n# k %s, relative residual, certain interval\n", found,
           cut ? " (--all prints all)" : "", singular ? "value" : "re im");
    for (int k = 0; k < found; k++) {
        if (cut && k == EDGE) {
            puts("...");
            k = found - EDGE;
        }
        print_pair(&e[k], k, singular);
    }
    printf("# %d of %d with a residual %s of at most %g\n", r->converged, r->found,
           singular ? "|A'Av - sigma^2 v| / sigma^2" : "|Av - lambda v| / |lambda|", r->tol);
}

static int write_values(FILE *out, const char *path, const orr_eigenpair *e, int found)
{
    const int64_t shape[1] = {found};
    int complex_values = 0;
    double *v = calloc(2 * (size_t)found + 1, sizeof *v);
    if (!v)
        return CLI_MEMORY;
    for (int k = 0; k < found; k++)
        complex_values |= e[k].im != 0;
    for (int k = 0; k < found; k++) {
        v[complex_values ? 2 * k : k] = e[k].re;
        if (complex_values)
            v[2 * k + 1] = e[k].im;
    }
    const int code =
        answer_write(out, "eigenvalues", path, complex_values ? ORR_Z : ORR_D, 1, shape, 0, v);
    free(v);
    return code;
}

/* Columns re, im of a conjugate pair -> complex columns. size: of the real type. */
static void widen(const void *from, int64_t n, int found, const orr_eigenpair *e, int single,
                  void *to)
{
    for (int k = 0; k < found; k++) {
        const int pair = e[k].im != 0, second = pair && e[k].im < 0;
        const int64_t re = (k - second) * n, im = re + n;
        for (int64_t i = 0; i < n; i++) {
            const int64_t at = 2 * (k * n + i);
            if (single) {
                const float *v = from;
                ((float *)to)[at] = v[re + i];
                ((float *)to)[at + 1] = pair ? (second ? -v[im + i] : v[im + i]) : 0;
            } else {
                const double *v = from;
                ((double *)to)[at] = v[re + i];
                ((double *)to)[at + 1] = pair ? (second ? -v[im + i] : v[im + i]) : 0;
            }
        }
    }
}

static int write_vectors(FILE *out, const char *path, orr_type t, int64_t n, const orr_eigenpair *e,
                         int found, const void *v)
{
    const int64_t shape[2] = {n, found};
    const int real_type = t == ORR_S || t == ORR_D;
    int complex_values = 0;
    void *wide = NULL;
    for (int k = 0; k < found; k++)
        complex_values |= e[k].im != 0;
    if (real_type && complex_values) {
        wide = malloc((size_t)n * (size_t)found * 2 * orr_type_size(t) + 1);
        if (!wide)
            return CLI_MEMORY;
        widen(v, n, found, e, t == ORR_S, wide);
        t = t == ORR_S ? ORR_C : ORR_Z;
    }
    const int code = answer_write(out, "eigenvectors", path, t, 2, shape, 1, wide ? wide : v);
    free(wide);
    return code;
}

static void put_value(cli_text *t, const char *before, double x)
{
    if (isfinite(x))
        cli_put(t, "%s%.17g", before, x);
    else
        cli_put(t, "%snull", before);
}

static int record(cli_job *job, orr_context *context, const orr_context_info *ci,
                  const orr_sparse_info *info, const char *matrix, const orr_eigenpair *e,
                  const orr_powm_result *r, const orr_report *rep, const double *seconds,
                  const double *graph, int runs)
{
    cli_text t = {0};
    char formats[128];
    cli_record c = CLI_RECORD;
    cli_describe(&c, "powm", ci, job->command, job->run->seed);
    cli_after_run(job->run, context, &c);
    c.type = orr_type_letter(info->type);
    c.n = info->cols;
    c.m = info->rows;
    c.seconds = cli_statistics(seconds, runs);
    c.seconds_graph = cli_statistics(graph, runs);
    c.gflops = 2e-9 * (double)info->nnz * (double)r->products / c.seconds.median;
    c.status = rep->status == ORR_OK ? "ok" : "not converged";
    c.sweeps = r->steps;
    c.tasks = rep->tasks;
    c.plan = rep->plan;
    cli_put(&t, "\"matrix\":");
    cli_put_json(&t, matrix);
    cli_put(&t,
            ",\"ranks\":%d,\"nnz\":%lld,\"format\":\"%s\",\"stored\":\"%s\",\"products\":%lld,"
            "\"tol\":%.17g,\"found\":%d,\"converged\":%d,\"name\":\"%s\",\"note\":",
            ci->ranks, (long long)info->nnz, sparse_formats(info, formats, sizeof formats),
            sparse_values(info), (long long)r->products, r->tol, r->found, r->converged, r->name);
    cli_put_json(&t, r->note);
    cli_put(&t, ",\"eigenvalues\":[");
    for (int k = 0; k < r->found; k++) {
        put_value(&t, k ? ",[" : "[", e[k].re);
        put_value(&t, ",", e[k].im);
        cli_put(&t, "]");
    }
    cli_put(&t, "],\"relative_residuals\":[");
    for (int k = 0; k < r->found; k++) {
        cli_put(&t, "%s", k ? "," : "");
        cli_put_number(&t, e[k].relative);
    }
    cli_put(&t, "]");
    c.extra = t.s;
    const int code = cli_sink_write(&job->sink, &c);
    cli_text_free(&t);
    return code;
}

struct planned {
    const struct args *a;
    const orr_sparse *A;
    orr_powm_opts opts;
    double bytes; /* of the matrices */
};

static orr_status plan_call(const cli_planned *p, orr_report *report)
{
    const struct planned *s = p->args;
    orr_powm_result r;
    orr_eigenpair *e = calloc((size_t)s->opts.k + 1, sizeof *e);
    const orr_status st =
        e ? orr_powm(p->context, s->A, &s->opts, e, NULL, &r, report) : ORR_E_NOMEM;
    free(e);
    return st;
}

static double plan_holds(const cli_planned *p)
{
    const struct planned *s = p->args;
    return s->bytes + (double)(s->opts.k + 1) * (double)p->n * (double)orr_type_size(p->type);
}

static int explain(cli_job *job, orr_context *context, const orr_context_info *ci,
                   const struct planned *s)
{
    orr_sparse_info info;
    orr_sparse_query(s->A, &info);
    const cli_planned p = {.job = job,
                           .context = context,
                           .info = ci,
                           .algo = "powm",
                           .type = info.type,
                           .m = info.rows != info.cols ? info.rows : -1,
                           .n = info.cols,
                           .band = -1,
                           .batch = -1,
                           .vectors = s->a->vectors != NULL,
                           .args = s,
                           .call = plan_call,
                           .needs = plan_holds,
                           .holds = plan_holds,
                           .resident = s->bytes};
    return cli_explain(&p);
}

static int solve(cli_job *job, orr_context *context, const orr_context_info *ci, const orr_mtx *m,
                 const char *name)
{
    struct args *a = job->args;
    orr_sparse_opts o = build_options(a);
    orr_sparse *A = NULL, *At = NULL;
    orr_sparse_info info;
    orr_powm_result r;
    orr_report rep = {0};
    cli_progress progress;
    if (a->format.n)
        orr_format_parse(a->format.v[0], &o.format);
    int code = sparse_build(&a->run, context, m, name, &o, &A);
    if (code == CLI_OK && a->singular) {
        o.transpose = !o.transpose;
        code = sparse_build(&a->run, context, m, name, &o, &At);
    }
    if (code != CLI_OK) {
        orr_sparse_free(A);
        return code;
    }
    orr_sparse_query(A, &info);
    if (info.rows != info.cols && !a->singular) {
        cli_say("%s: %lld x %lld is rectangular and has no eigenvectors; --singular computes its "
                "principal singular pair",
                name, (long long)info.rows, (long long)info.cols);
        orr_sparse_free(A);
        return CLI_FILE;
    }
    const int k = a->k > 0 ? (int)a->k : 1;
    orr_powm_opts p = {.method = (orr_powm_method)a->method,
                       .k = k,
                       .basis = (int)a->basis,
                       .tol = a->tol,
                       .max_products = a->max_products,
                       .seed = (uint64_t)a->run.seed,
                       .transposed = At};
    if (a->run.explain) {
        code = explain(job, context, ci,
                       &(struct planned){a, A, p, (double)info.bytes * (At ? 2 : 1)});
        orr_sparse_free(A);
        orr_sparse_free(At);
        return code;
    }
    p.progress = cli_progress_update;
    p.progress_arg = &progress;
    orr_eigenpair *e = calloc((size_t)k + 1, sizeof *e);
    void *v = calloc((size_t)info.cols * ((size_t)k + 1) + 1, orr_type_size(info.type));
    const int repeat = a->run.repeat > 0 ? (int)a->run.repeat : 1;
    double *seconds = calloc(2 * (size_t)repeat, sizeof *seconds), *graph = seconds + repeat;
    orr_status st = cli_ranks_code(e && v && seconds ? CLI_OK : CLI_MEMORY) ? ORR_E_NOMEM : ORR_OK;
    for (int run = 0; run < repeat && st >= 0; run++) {
        cli_progress_start(&progress, "powm", a->run.verbose, a->run.quiet);
        progress.open = 1;
        cli_before_run(&a->run, context, run == repeat - 1);
        cli_clock clock;
        cli_clock_start(&clock);
        st = orr_powm(context, A, &p, e, v, &r, &rep);
        cli_clock_stop(&clock, rep.seconds);
        seconds[run] = clock.call;
        graph[run] = clock.graph;
        cli_progress_end(&progress);
    }
    if (st < 0) {
        cli_say("%s: %s", name, rep.message[0] ? rep.message : orr_strerror(st));
        code = cli_exit_code(st, 1);
    } else {
        if (a->run.verbose)
            cli_say("plan: {%s}", rep.plan);
        if (job->table) {
            print_pairs(&a->run, name, e, &r, a->singular);
            printf("# %s; %lld products. %s\n", r.name, (long long)r.products, r.note);
        }
        if (repeat > 1 || a->run.verbose)
            cli_say("%s: %.4g s", name, cli_statistics(seconds, repeat).median);
        if (st == ORR_NOCONV)
            cli_say("%s: %s", name, r.note);
        code = st == ORR_NOCONV ? CLI_NOCONV : CLI_OK;
        if (a->values)
            code = cli_worse(code, write_values(job->table, a->values, e, r.found));
        if (a->vectors)
            code = cli_worse(
                code, write_vectors(job->table, a->vectors, info.type, info.cols, e, r.found, v));
        code = cli_worse(
            code, record(job, context, ci, &info, name, e, &r, &rep, seconds, graph, repeat));
    }
    free(seconds);
    free(e);
    free(v);
    orr_sparse_free(A);
    orr_sparse_free(At);
    return code;
}

/* ---- Formats side by side ------------------------------------------------------------------ */

struct steps {
    orr_context *context;
    const orr_sparse *A;
};

static int power_steps(void *arg, int64_t steps)
{
    const struct steps *s = arg;
    const orr_powm_opts p = {.method = ORR_POWM_METHOD_POWER, .fixed_steps = steps};
    orr_eigenpair e[2];
    orr_powm_result r;
    orr_report rep;
    return orr_powm(s->context, s->A, &p, e, NULL, &r, &rep) < 0;
}

static int compare(cli_job *job, orr_context *context, const orr_context_info *ci, const orr_mtx *m,
                   const char *name)
{
    static char *all[] = {"crs", "bsr", "ell", "gpu-ell", "sell", "merge", "auto"};
    struct args *a = job->args;
    const cli_words formats = a->format.n ? a->format : (cli_words){all, 7};
    const int repeat = a->run.repeat > 0 ? (int)a->run.repeat : 5;
    const int64_t steps = a->steps > 0 ? a->steps : 20;
    double low = INFINITY, high = 0;
    int code = sparse_check_memory(&a->run, m, name, 0);
    if (code != CLI_OK)
        return code;
    if (job->table)
        printf("%-9s %-16s %-8s %8s %10s %10s %8s %8s %8s %9s\n", "format", "stored as", "values",
               "slots/nz", "MB", "ms/step", "GB/s", "triad", "fraction", "Gflop/s");
    for (int64_t f = 0; f < formats.n; f++) {
        orr_sparse_opts o = build_options(a);
        orr_sparse *A;
        orr_sparse_info info;
        char stored[64], message[256];
        orr_format_parse(formats.v[f], &o.format);
        const orr_status st = orr_sparse_from_mtx(context, m, &o, &A, message);
        if (st != ORR_OK) {
            if (job->table)
                printf("%-9s %s\n", formats.v[f], message);
            if (st != ORR_E_NOMEM)
                code = cli_worse(code, cli_exit_code(st, 1));
            continue;
        }
        orr_sparse_query(A, &info);
        cli_before_run(&a->run, context, 0); /* no bounds of a step */
        const double bytes = sparse_bytes(&info);
        struct steps run = {context, A};
        const sparse_timing time =
            sparse_time(ci->cpu > 0 ? ci->cpu : 1, steps, repeat, bytes, power_steps, &run);
        const double s = time.step.median;
        low = fmin(low, time.low);
        high = fmax(high, time.high);
        if (job->table)
            printf("%-9s %-16s %-8s %8.3f %10.2f %10.4f %8.2f %8.2f %8.3f %9.3f\n", formats.v[f],
                   sparse_formats(&info, stored, sizeof stored), sparse_values(&info),
                   info.nnz ? (double)info.slots / (double)info.nnz : 1.0, 1e-6 * bytes, 1e3 * s,
                   1e-9 * bytes / s, 1e-9 * time.triad, time.per_triad,
                   2e-9 * (double)info.nnz / s);
        cli_text t = {0};
        cli_record c = CLI_RECORD;
        cli_describe(&c, "powm", ci, job->command, a->run.seed);
        c.type = orr_type_letter(info.type);
        c.n = info.cols;
        c.seconds = time.step;
        c.gflops = 2e-9 * (double)info.nnz / s;
        c.status = "ok";
        cli_put(&t, "\"matrix\":");
        cli_put_json(&t, name);
        cli_put(&t,
                ",\"per\":\"step\",\"format\":\"%s\",\"stored\":\"%s\",\"nnz\":%lld,"
                "\"slots\":%lld,\"bytes\":%.0f,\"gbs\":%.6g,\"triad_gbs\":%.6g,\"fraction\":%.6g",
                formats.v[f], sparse_values(&info), (long long)info.nnz, (long long)info.slots,
                bytes, 1e-9 * bytes / s, 1e-9 * time.triad, time.per_triad);
        c.extra = t.s;
        code = cli_worse(code, cli_sink_write(&job->sink, &c));
        cli_text_free(&t);
        free(time.rounds);
        orr_sparse_free(A);
    }
    if (job->table && high > 0)
        printf("the triad ran at %.2f to %.2f GB/s\n", 1e-9 * low, 1e-9 * high);
    return code;
}

/* ---- The command line ---------------------------------------------------------------------- */

static int work(cli_job *job)
{
    const struct args *a = job->args;
    return sparse_work(job, &a->source, a->compare ? compare : solve);
}

static int usage(const char *message) { return cli_usage("powm", message); }

static int check(cli_job *job)
{
    struct args *a = job->args;
    const cli_files *files = &job->files;
    if (files->n > 1 || (files->n == 0) == (a->source.generate == NULL))
        return usage("one FILE is needed, or --generate");
    if (a->compare && (a->values || a->vectors || a->singular || a->k > 1))
        return usage("--compare times power iteration: no --values, --vectors, --singular or --k");
    if (!a->compare && a->format.n > 1)
        return usage("several formats need --compare");
    if (a->run.sched.n > 1)
        return usage("--sched takes one policy");
    if (a->k > 1 && (a->method == ORR_POWM_METHOD_POWER || a->method == ORR_POWM_METHOD_RITZ))
        return usage("power and ritz find one eigenvalue; --method krylov finds more");
    if (a->run.explain && (a->compare || cli_ranks() > 1))
        return usage("--explain plans a run by one rank, and no --compare");
    if (a->compare && cli_ranks() > 1)
        return usage("--compare measures one node: one rank only");
    if (cli_rank() > 0)
        a->values = a->vectors = NULL;
    const char *const outputs[] = {a->values, a->vectors};
    const char *none = "";
    const cli_files inputs = files->n ? *files : (cli_files){(char **)&none, 1};
    job->to_stdout = cli_count_stdout(outputs, 2);
    a->source.file = files->n ? files->v[0] : NULL;
    return outputs_check(outputs, 2, NULL, &inputs);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args args = {.run = cli_run_defaults()};
    cli_job job = {
        .args = &args, .run = &args.run, .check = check, .work = work, .own_table = 1, .ranks = 1};
    return cli_compute(command, argc, argv, &job);
}

const cli_command cmd_powm = {
    .name = "powm",
    .aliases = NULL,
    .summary = "eigenpairs of largest modulus of a sparse matrix",
    .synopsis = "[options] [FILE]",
    .files = "mtx|mtx.gz|txt|txt.gz|tsv|edges|npz",
    .about =
        "FILE is a Matrix Market file (.mtx), an edge list (.txt, .tsv, .edges: lines \"from to\n"
        "[weight]\", nodes from 0), each also with .gz, or an archive of scipy.sparse (.npz).\n"
        "Symmetric files are expanded, duplicates summed, stored zeros dropped. Each pair is\n"
        "told with its true residual |Av - lambda v| / |lambda| and, where there is one, an\n"
        "interval that certainly contains an eigenvalue.\n\n"
        "power is the smallest in memory and finds one simple eigenvalue; ritz also finds pairs\n"
        "+-lambda and complex ones; krylov needs the fewest products. Exit code 4 where a pair is\n"
        "not as good as --tol.\n\n"
        "--compare measures the time of a step of power iteration in each format against the\n"
        "memory's own speed (a := b + 3c, in the same run); bytes are those of the matrix as\n"
        "stored, x once and y once.",
    .options = options,
    .examples = "orrery powm A.mtx --k 4 --values l.npy --vectors x.npy\n"
                "orrery powm A.mtx.gz --method power\n"
                "orrery powm --generate laplace3d:144 --format crs,ell,sell --compare\n"
                "orrery powm lp.mtx --singular",
    .run = run,
};
