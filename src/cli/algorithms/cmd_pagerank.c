/* orrery pagerank: the scores of the nodes of a graph.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "src/cli/algorithms/explain.h"
#include "src/cli/algorithms/pagerank_job.h"
#include "src/cli/core/answer.h"
#include "src/cli/core/outputs.h"
#include "src/cli/core/progress.h"
#include "src/cli/core/ranks.h"
#include "src/cli/data/dense.h"

#define AT(field) .at = offsetof(struct pagerank_args, field)

static const cli_option options[] = {
    {.kind = OPT_GROUP, .help = "Graph"},
    {"generate", 'g', OPT_TEXT, "NAME", "laplace3d:N, rmat:SCALE:DEGREE or sbm:N:K:DIN:DOUT", NULL,
     AT(source.generate)},
    {"kron", 0, OPT_FILE, "FILE", "its Kronecker product with this matrix", NULL, AT(source.kron)},
    {"unweighted", 0, OPT_FLAG, NULL, "all links count as 1", NULL, AT(unweighted)},
    {"reverse", 0, OPT_FLAG, NULL, "entry (i,j) is a link from j to i", NULL, AT(reverse)},
    {.kind = OPT_GROUP, .help = "Output"},
    {"top", 0, OPT_INT, "K", "print the K best nodes (default: 10)", NULL, AT(top), 0, 1000000},
    {"vectors", 'o', OPT_FILE, "FILE", "write the scores, (n,): .npy, .txt or .csv", NULL,
     AT(vectors)},
    {.kind = OPT_GROUP, .help = "Computation"},
    {"alpha", 'a', OPT_REAL, "X", "damping factor (default: 0.85)", NULL, AT(alpha)},
    {"tol", 0, OPT_REAL, "X", "stop at |x' - x|_1 <= X (default: 1e-10)", NULL, AT(tol), 0, 1},
    {"personal", 0, OPT_FILE, "FILE", "n weights of jumps to nodes: .npy, .txt or .csv", NULL,
     AT(personal)},
    {"dangling", 0, OPT_CHOICE, "RULE", "dead ends lead to: personal (default), uniform, none",
     "personal|uniform|none", AT(dangling)},
    {"max-steps", 0, OPT_INT, "N", "give up after N steps (default: 10000)", NULL, AT(max_steps),
     1},
    {"extrapolate", 0, OPT_CHOICE, "E", "every ten steps (default: if alpha is 0.9 or more)",
     "auto|yes|no", AT(extrapolate)},
    {"type", 't', OPT_CHOICE, "T", "s or d (default)", "auto|s|d", AT(type)},
    {"format", 'f', OPT_WORDS, "F", "storage (default: chosen)",
     "auto|crs|csr|bsr|ell|gpu-ell|sell|merge", AT(format)},
    {"order", 0, OPT_CHOICE, "O", "storage: by degree, as numbered (default: chosen)",
     "auto|none|degree", AT(order)},
    {"blocks", 0, OPT_INT, "B", "blocks of rows (default: by size and workers)", NULL, AT(blocks),
     1, 256},
    {"bench", 0, OPT_FLAG, NULL, "time of a step against the memory's own speed", NULL, AT(bench)},
    {"steps", 0, OPT_INT, "N", "steps in a run of --bench (default: 20)", NULL, AT(steps), 1,
     100000},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

static int64_t wrong_weight(const double *p, int64_t n) /* the first; -1: none */
{
    for (int64_t i = 0; i < n; i++)
        if (!(p[i] >= 0 && isfinite(p[i])))
            return i;
    return -1;
}

static int read_personal(const char *path, const cli_run *run, int64_t n, double **p)
{
    orr_npy a;
    const int code = dense_read(path, run, NULL, 0, &a);
    if (code != CLI_OK)
        return code;
    const int column = a.ndim == 1 || (a.ndim == 2 && (a.shape[0] == 1 || a.shape[1] == 1));
    const int64_t count = a.ndim == 2 ? a.shape[0] * a.shape[1] : a.ndim == 1 ? a.shape[0] : 0;
    const int shaped = column && count == n && a.type == ORR_D;
    const int64_t wrong = shaped ? wrong_weight(a.data, n) : -1;
    if (!shaped)
        cli_say("%s: not an array of %lld float64 or integers", path, (long long)n);
    if (wrong >= 0)
        cli_say("%s: weight %lld, counted from 0, is negative or not finite", path,
                (long long)wrong);
    if (!shaped || wrong >= 0) {
        orr_npy_free(&a);
        return CLI_FILE;
    }
    *p = a.data; /* malloc'ed, ours now */
    return CLI_OK;
}

/* Rank 0 reads them for all. */
static int share_personal(const char *path, const cli_run *run, int64_t n, double **p)
{
    int code = CLI_OK;
    if (cli_rank() == 0)
        code = read_personal(path, run, n, p);
    else if (!(*p = malloc((size_t)n * sizeof **p + 1)))
        code = CLI_MEMORY;
    code = cli_ranks_code(code);
    if (code == CLI_OK)
        cli_ranks_bytes(*p, (size_t)n * sizeof **p);
    return code;
}

struct planned {
    const orr_sparse *G;
    orr_pagerank_opts opts;
    void *scores;
};

static orr_status plan_call(const cli_planned *p, orr_report *report)
{
    const struct planned *s = p->args;
    orr_pagerank_result r;
    return orr_pagerank(p->context, s->G, &s->opts, s->scores, &r, report);
}

static double plan_holds(const cli_planned *p)
{
    return p->resident + (double)p->n * (double)orr_type_size(p->type);
}

static int explain(cli_job *job, orr_context *context, const orr_context_info *ci,
                   const orr_sparse_info *info, const struct planned *s)
{
    const cli_planned p = {.job = job,
                           .context = context,
                           .info = ci,
                           .algo = "pagerank",
                           .type = info->type,
                           .m = -1,
                           .n = info->rows,
                           .band = -1,
                           .batch = -1,
                           .args = s,
                           .call = plan_call,
                           .needs = plan_holds,
                           .holds = plan_holds,
                           .resident = (double)info->bytes};
    return cli_explain(&p);
}

struct solving {
    orr_context *context;
    const orr_sparse *G;
    orr_pagerank_opts opts;
    void *x;
    orr_pagerank_result r;
};

static orr_status call(void *arg, cli_progress *progress, orr_report *report)
{
    struct solving *s = arg;
    s->opts.progress = cli_progress_update;
    s->opts.progress_arg = progress;
    return orr_pagerank(s->context, s->G, &s->opts, s->x, &s->r, report);
}

static int rank_nodes(cli_job *job, const orr_context_info *ci, const orr_sparse_info *info,
                      const char *name, struct solving *s)
{
    const struct pagerank_args *a = job->args;
    const orr_pagerank_result *r = &s->r;
    const int64_t shape[1] = {info->rows};
    sparse_runs runs;
    cli_record rec = CLI_RECORD;
    int code = sparse_repeat(job, s->context, "pagerank", name, call, s, &runs, &rec);
    const int done = code == CLI_OK;
    if (done && runs.status != ORR_OK) {
        const char *message = runs.report.message;
        cli_say("%s: %s", name, message[0] ? message : orr_strerror(runs.status));
        code = cli_exit_code(runs.status, 1);
    }
    if (done) {
        if (job->table && a->top)
            code = cli_worse(
                code, pagerank_print_top(a, name, info, s->x, sparse_first_node(a->source.file)));
        if (job->table)
            printf("# %lld nodes, %lld links, %lld without links out; %lld steps; sum %.15g; "
                   "%s\n",
                   (long long)info->rows, (long long)info->nnz, (long long)r->dangling,
                   (long long)r->steps, r->sum, r->note);
        if (a->vectors)
            code = cli_worse(code, answer_write(job->table, "scores", a->vectors, info->type, 1,
                                                shape, 0, s->x));
        code = cli_worse(code, pagerank_record(job, ci, info, name, r, &runs.report, &rec, NULL));
    }
    cli_turns_free(&runs.turns);
    return code;
}

static int solve(cli_job *job, orr_context *context, const orr_context_info *ci, const orr_mtx *m,
                 const char *name)
{
    static const char types[] = {0, 's', 'd'}, orders[] = {0, 'n', 'd'},
                      extrapolate[] = {0, 'y', 'n'};
    struct pagerank_args *a = job->args;
    orr_sparse_opts o = {.graph = 1,
                         .type = types[a->type],
                         .blocks = a->blocks,
                         .unweighted = a->unweighted,
                         .transpose = a->reverse,
                         .order = orders[a->order]};
    orr_sparse *G = NULL;
    orr_sparse_info info;
    double *personal = NULL;
    if (m->rows != m->cols) {
        cli_say("%s: %lld x %lld is rectangular, and no graph", name, (long long)m->rows,
                (long long)m->cols);
        return CLI_FILE;
    }
    if (a->format.n)
        orr_format_parse(a->format.v[0], &o.format);
    int code = sparse_build(&a->run, context, m, name, &o, &G);
    if (code == CLI_OK && a->personal)
        code = share_personal(a->personal, &a->run, m->rows, &personal);
    if (code != CLI_OK) {
        orr_sparse_free(G);
        return code;
    }
    orr_sparse_query(G, &info);
    struct solving s = {.context = context,
                        .G = G,
                        .opts = {.alpha = a->alpha,
                                 .tol = a->tol,
                                 .max_steps = a->max_steps,
                                 .dangling = "pun"[a->dangling],
                                 .personal = personal,
                                 .extrapolate = extrapolate[a->extrapolate]},
                        .x = calloc((size_t)info.rows + 1, orr_type_size(info.type))};
    code = cli_ranks_code(s.x ? CLI_OK : CLI_MEMORY);
    if (code == CLI_OK)
        code = a->run.explain ? explain(job, context, ci, &info, &(struct planned){G, s.opts, s.x})
               : a->bench     ? pagerank_bench(job, context, ci, G, &info, name, s.x)
                              : rank_nodes(job, ci, &info, name, &s);
    free(personal);
    free(s.x);
    orr_sparse_free(G);
    return code;
}

static int work(cli_job *job)
{
    const struct pagerank_args *a = job->args;
    return sparse_work(job, &a->source, solve);
}

static int usage(const char *message) { return cli_usage("pagerank", message); }

static int check(cli_job *job)
{
    struct pagerank_args *a = job->args;
    const cli_files *files = &job->files;
    if (files->n > 1 || (files->n == 0) == (a->source.generate == NULL))
        return usage("one FILE is needed, or --generate");
    if (!(a->alpha > 0 && a->alpha < 1))
        return usage("--alpha is not between 0 and 1");
    if (a->run.explain && (a->bench || cli_ranks() > 1))
        return usage("--explain plans a run by one rank, and no --bench");
    if (a->bench && cli_ranks() > 1)
        return usage("--bench measures one node: one rank only");
    if (cli_rank() > 0)
        a->vectors = NULL;
    if (a->run.sched.n > 1 || a->format.n > 1)
        return usage("--sched and --format take one value");
    const char *const outputs[] = {a->vectors};
    const char *none = "";
    const cli_files inputs = files->n ? *files : (cli_files){(char **)&none, 1};
    job->to_stdout = cli_count_stdout(outputs, 1);
    a->source.file = files->n ? files->v[0] : NULL;
    return outputs_check(outputs, 1, NULL, &inputs, 1);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct pagerank_args args = {.run = cli_run_defaults(), .alpha = 0.85, .top = 10};
    cli_job job = {
        .args = &args, .run = &args.run, .check = check, .work = work, .own_table = 1, .ranks = 1};
    return cli_compute(command, argc, argv, &job);
}

const cli_command cmd_pagerank = {
    .name = "pagerank",
    .aliases = NULL,
    .summary = "PageRank of the nodes of a graph, with an error bound",
    .synopsis = "[options] [FILE]",
    .files = "mtx|mtx.gz|txt|txt.gz|tsv|edges|npz",
    .about =
        "Entry (i,j) of a Matrix Market FILE or an archive of scipy.sparse (.npz), or a line\n"
        "\"i j [weight]\" of an edge list (.txt, .tsv, .edges), is a link from i to j. Nodes\n"
        "count from 1 in the first, from 0 in the others. Text may be compressed (.gz). Values\n"
        "are weights unless --unweighted.\n"
        "Nodes that the numbers leave out exist, without links; they change every score.\n\n"
        "The iteration stops when a step changes the scores by at most --tol in the sum of\n"
        "absolute values. What is printed as bound, alpha/(1-alpha) times the last change, is how\n"
        "far from the exact scores they can be. Node numbers are printed as the file has them.",
    .options = options,
    .examples = "orrery pagerank web.mtx.gz --top 10\n"
                "orrery pagerank links.txt --alpha 0.9 --tol 1e-12 --vectors x.npy\n"
                "orrery pagerank --generate rmat:22:16 --bench",
    .run = run,
};
