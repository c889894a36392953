/* orrery powm: eigenpairs of largest modulus of a sparse matrix; with --compare the storage
 * formats side by side.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/cli/algorithms/explain.h"
#include "src/cli/algorithms/powm_job.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/progress.h"
#include "src/cli/core/ranks.h"

enum { MOST_PAIRS = 390 };

#define AT(field) .at = offsetof(struct powm_args, field)

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
    {"compare", 0, OPT_FLAG, NULL, "time power iteration in each storage format", NULL,
     AT(compare)},
    {"steps", 0, OPT_INT, "N", "steps in a run of --compare (default: 20)", NULL, AT(steps), 1,
     100000},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

static const char type_letters[] = {0, 's', 'd', 'c', 'z'};

orr_sparse_opts powm_build_options(const struct powm_args *a)
{
    return (orr_sparse_opts){.type = type_letters[a->type],
                             .blocks = a->blocks,
                             .transpose = a->transpose,
                             .unweighted = a->unweighted,
                             .full = a->full};
}

/* ---- One solve ----------------------------------------------------------------------------- */

struct planned {
    const struct powm_args *a;
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

struct solving {
    orr_context *context;
    const orr_sparse *A;
    orr_powm_opts opts;
    orr_eigenpair *e;
    void *v;
    orr_powm_result r;
};

static orr_status call(void *arg, cli_progress *progress, orr_report *report)
{
    struct solving *s = arg;
    s->opts.progress = cli_progress_update;
    s->opts.progress_arg = progress;
    return orr_powm(s->context, s->A, &s->opts, s->e, s->v, &s->r, report);
}

static int find_pairs(cli_job *job, const orr_context_info *ci, const orr_sparse_info *info,
                      const char *name, struct solving *s)
{
    const struct powm_args *a = job->args;
    const orr_powm_result *r = &s->r;
    sparse_runs runs;
    cli_record rec = CLI_RECORD;
    int code = sparse_repeat(job, s->context, "powm", name, call, s, &runs, &rec);
    if (code == CLI_OK) {
        if (job->table) {
            powm_print(&a->run, name, s->e, r, a->singular);
            printf("# %s; %lld products. %s\n", r->name, (long long)r->products, r->note);
        }
        if (runs.status == ORR_NOCONV) {
            cli_say("%s: %s", name, r->note);
            code = CLI_NOCONV;
        }
        if (a->values)
            code = cli_worse(code, powm_write_values(job->table, a->values, s->e, r->found));
        if (a->vectors)
            code = cli_worse(code, powm_write_vectors(job->table, a->vectors, info->type,
                                                      info->cols, s->e, r->found, s->v));
        code = cli_worse(code, powm_record(job, ci, info, name, s->e, r, &runs.report, &rec));
    }
    cli_turns_free(&runs.turns);
    return code;
}

static int solve(cli_job *job, orr_context *context, const orr_context_info *ci, const orr_mtx *m,
                 const char *name)
{
    struct powm_args *a = job->args;
    orr_sparse_opts o = powm_build_options(a);
    orr_sparse *A = NULL, *At = NULL;
    orr_sparse_info info;
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
    struct solving s = {.context = context,
                        .A = A,
                        .opts = {.method = (orr_powm_method)a->method,
                                 .k = k,
                                 .basis = (int)a->basis,
                                 .tol = a->tol,
                                 .max_products = a->max_products,
                                 .seed = (uint64_t)a->run.seed,
                                 .transposed = At}};
    if (a->run.explain) {
        code = explain(job, context, ci,
                       &(struct planned){a, A, s.opts, (double)info.bytes * (At ? 2 : 1)});
    } else {
        s.e = calloc((size_t)k + 1, sizeof *s.e);
        s.v = calloc((size_t)info.cols * ((size_t)k + 1) + 1, orr_type_size(info.type));
        code = cli_ranks_code(s.e && s.v ? CLI_OK : CLI_MEMORY);
        if (code == CLI_OK)
            code = find_pairs(job, ci, &info, name, &s);
    }
    free(s.e);
    free(s.v);
    orr_sparse_free(A);
    orr_sparse_free(At);
    return code;
}

/* ---- The command line ---------------------------------------------------------------------- */

static int work(cli_job *job)
{
    const struct powm_args *a = job->args;
    return sparse_work(job, &a->source, a->compare ? powm_compare : solve);
}

static int usage(const char *message) { return cli_usage("powm", message); }

static int check(cli_job *job)
{
    struct powm_args *a = job->args;
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
    return outputs_check(outputs, 2, NULL, &inputs, 1);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct powm_args args = {.run = cli_run_defaults()};
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
