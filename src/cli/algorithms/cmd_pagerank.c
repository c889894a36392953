/* orrery pagerank: the scores of the nodes of a graph.
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
#include "src/cli/data/dense.h"

struct args {
    cli_run run;
    sparse_source source;
    const char *vectors, *personal;
    int64_t top, blocks, max_steps, steps;
    double alpha, tol;
    int dangling, type, unweighted, reverse, order, extrapolate, bench;
    cli_words format;
};

#define AT(field) .at = offsetof(struct args, field)

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
    {"alpha", 'a', OPT_REAL, "X", "damping (default: 0.85)", NULL, AT(alpha)},
    {"tol", 0, OPT_REAL, "X", "stop at |x' - x|_1 <= X (default: 1e-10)", NULL, AT(tol), 0, 1},
    {"personal", 0, OPT_FILE, "FILE", "n weights, .npy, .txt or .csv: where one jumps to", NULL,
     AT(personal)},
    {"dangling", 0, OPT_CHOICE, "RULE", "nodes without links: like jumps, to all, or lost",
     "personal|uniform|none", AT(dangling)},
    {"max-steps", 0, OPT_INT, "N", "give up after N steps (default: 10000)", NULL, AT(max_steps),
     1},
    {"extrapolate", 0, OPT_CHOICE, "E", "every ten steps (default: from alpha 0.9 on)",
     "auto|yes|no", AT(extrapolate)},
    {"type", 't', OPT_CHOICE, "T", "s or d (default)", "auto|s|d", AT(type)},
    {"format", 'f', OPT_WORDS, "F", "storage (default: chosen)",
     "auto|crs|csr|bsr|ell|gpu-ell|sell|merge", AT(format)},
    {"order", 0, OPT_CHOICE, "O", "storage: by degree, as numbered (default: chosen)",
     "auto|none|degree", AT(order)},
    {"blocks", 0, OPT_INT, "B", "blocks of rows (default: by size and workers)", NULL, AT(blocks),
     1, 256},
    {"bench", 0, OPT_FLAG, NULL, "time of a step against the memory's own speed", NULL, AT(bench)},
    {"steps", 0, OPT_INT, "N", "of --bench, per run (default: 20)", NULL, AT(steps), 1, 100000},
    {.kind = OPT_INCLUDE, .include = cli_run_options, AT(run)},
    {.kind = OPT_END},
};

/* What a step moves: the blocks; z read and written, and the weights of the nodes. */
static double step_bytes(const orr_sparse_info *o)
{
    return (double)o->bytes + 3.0 * (double)o->rows * (double)orr_type_size(o->type);
}

static double score(orr_type t, const void *x, int64_t i)
{
    return t == ORR_S ? ((const float *)x)[i] : ((const double *)x)[i];
}

struct ranked {
    double score;
    int64_t node;
};

static int better(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->score != y->score ? (x->score < y->score) - (x->score > y->score)
                                : (x->node > y->node) - (x->node < y->node);
}

/* Node numbers as the file has them: from 1 in Matrix Market, from 0 in edge lists. */
static int print_top(const struct args *a, const char *name, const orr_sparse_info *info,
                     const void *x, int from)
{
    char text[ORR_NUMBER_TEXT];
    const int64_t n = info->rows, top = a->top < n ? a->top : n;
    struct ranked *all = malloc((size_t)n * sizeof *all + 1);
    if (!all)
        return CLI_MEMORY;
    for (int64_t i = 0; i < n; i++)
        all[i] = (struct ranked){score(info->type, x, i), i};
    qsort(all, (size_t)n, sizeof *all, better);
    answer_heading(stdout, "rank, node and score", name);
    printf("%lld of %lld nodes\n", (long long)top, (long long)n);
    for (int64_t k = 0; k < top; k++)
        printf("%-6lld %-12lld %s\n", (long long)k + 1, (long long)all[k].node + from,
               orr_number_text(text, info->type, all[k].score));
    free(all);
    return CLI_OK;
}

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

static int record(cli_job *job, orr_context *context, const orr_context_info *ci,
                  const orr_sparse_info *info, const char *graph, const orr_pagerank_result *r,
                  const orr_report *rep, cli_seconds seconds, cli_seconds of_tasks,
                  const sparse_timing *time)
{
    cli_text t = {0};
    char formats[128];
    cli_record c = CLI_RECORD;
    cli_describe(&c, "pagerank", ci, job->command, job->run->seed);
    if (!time)
        cli_after_run(job->run, context, &c);
    c.type = orr_type_letter(info->type);
    c.n = info->rows;
    c.seconds = seconds;
    c.seconds_graph = of_tasks;
    c.status = rep->status == ORR_OK ? "ok" : "not converged";
    c.sweeps = r->steps;
    c.tasks = rep->tasks;
    c.plan = rep->plan;
    cli_put(&t, "\"graph\":");
    cli_put_json(&t, graph);
    cli_put(&t,
            ",\"ranks\":%d,\"nnz\":%lld,\"format\":\"%s\",\"stored\":\"%s\",\"dangling\":%lld,"
            "\"change\":",
            ci->ranks, (long long)info->nnz, sparse_formats(info, formats, sizeof formats),
            sparse_values(info), (long long)r->dangling);
    cli_put_number(&t, r->change);
    cli_put(&t, ",\"error_bound\":");
    cli_put_number(&t, r->bound);
    cli_put(&t, ",\"sum\":%.17g", r->sum);
    if (time) {
        const double s = seconds.median;
        cli_put(
            &t,
            ",\"per\":\"step\",\"bytes\":%.0f,\"gbs\":%.6g,\"triad_gbs\":%.6g,\"fraction\":%.6g",
            step_bytes(info), 1e-9 * step_bytes(info) / s, 1e-9 * time->triad, time->per_triad);
    }
    c.extra = t.s;
    const int code = cli_sink_write(&job->sink, &c);
    cli_text_free(&t);
    return code;
}

struct steps {
    orr_context *context;
    const orr_sparse *G;
    double alpha;
    void *x;
    orr_pagerank_result r;
    orr_report rep;
};

static int rank_steps(void *arg, int64_t steps)
{
    struct steps *s = arg;
    const orr_pagerank_opts p = {.alpha = s->alpha, .extrapolate = 'n', .fixed_steps = steps};
    return orr_pagerank(s->context, s->G, &p, s->x, &s->r, &s->rep) < 0;
}

static int bench(cli_job *job, orr_context *context, const orr_context_info *ci,
                 const orr_sparse *G, const orr_sparse_info *info, const char *name, void *x)
{
    const struct args *a = job->args;
    const int64_t steps = a->steps > 0 ? a->steps : 20;
    const int repeat = a->run.repeat > 0 ? (int)a->run.repeat : 5;
    struct steps run = {.context = context, .G = G, .alpha = a->alpha, .x = x};
    cli_before_run(&a->run, context, 0); /* no bounds of a step */
    const sparse_timing time =
        sparse_time(ci->cpu > 0 ? ci->cpu : 1, steps, repeat, step_bytes(info), rank_steps, &run);
    const double s = time.step.median;
    char stored[64];
    if (!(s == s)) {
        free(time.rounds);
        return CLI_RUNTIME;
    }
    if (job->table)
        printf("%s: %lld nodes, %lld links, %s %s, %.4g MB per step: %.4g ms, %.4g GB/s of %.4g "
               "GB/s (triad, %.4g to %.4g): %.3f\n",
               name, (long long)info->rows, (long long)info->nnz,
               sparse_formats(info, stored, sizeof stored), sparse_values(info),
               1e-6 * step_bytes(info), 1e3 * s, 1e-9 * step_bytes(info) / s, 1e-9 * time.triad,
               1e-9 * time.low, 1e-9 * time.high, time.per_triad);
    const int code = record(job, context, ci, info, name, &run.r, &run.rep, time.step,
                            (cli_seconds)CLI_UNMEASURED, &time);
    free(time.rounds);
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

static int solve(cli_job *job, orr_context *context, const orr_context_info *ci, const orr_mtx *m,
                 const char *name)
{
    static const char types[] = {0, 's', 'd'}, orders[] = {0, 'n', 'd'},
                      extrapolate[] = {0, 'y', 'n'};
    struct args *a = job->args;
    orr_sparse_opts o = {.graph = 1,
                         .type = types[a->type],
                         .blocks = a->blocks,
                         .unweighted = a->unweighted,
                         .transpose = a->reverse,
                         .order = orders[a->order]};
    orr_sparse *G = NULL;
    orr_sparse_info info;
    orr_pagerank_result r = {0};
    orr_report rep = {0};
    cli_progress progress;
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
    void *x = calloc((size_t)info.rows + 1, orr_type_size(info.type));
    const int repeat = a->run.repeat > 0 ? (int)a->run.repeat : 1;
    double *seconds = calloc(2 * (size_t)repeat, sizeof *seconds), *graph = seconds + repeat;
    const int room = cli_ranks_code(x && seconds ? CLI_OK : CLI_MEMORY) == CLI_OK;
    const orr_pagerank_opts p = {.alpha = a->alpha,
                                 .tol = a->tol,
                                 .max_steps = a->max_steps,
                                 .dangling = "pun"[a->dangling],
                                 .personal = personal,
                                 .extrapolate = extrapolate[a->extrapolate],
                                 .progress = cli_progress_update,
                                 .progress_arg = &progress};
    if (room && a->run.explain) {
        code = explain(job, context, ci, &info, &(struct planned){G, p, x});
    } else if (room && a->bench) {
        code = bench(job, context, ci, G, &info, name, x);
    } else {
        orr_status st = room ? ORR_OK : ORR_E_NOMEM;
        for (int k = 0; k < repeat && st >= 0; k++) {
            cli_clock clock;
            cli_progress_start(&progress, "pagerank", a->run.verbose, a->run.quiet);
            progress.open = 1;
            cli_before_run(&a->run, context, k == repeat - 1);
            cli_clock_start(&clock);
            st = orr_pagerank(context, G, &p, x, &r, &rep);
            cli_clock_stop(&clock, rep.seconds);
            cli_progress_end(&progress);
            seconds[k] = clock.call;
            graph[k] = clock.graph;
        }
        code = cli_exit_code(st, 1);
        if (st != ORR_OK)
            cli_say("%s: %s", name, rep.message[0] ? rep.message : orr_strerror(st));
        if (st >= 0) {
            if (a->run.verbose)
                cli_say("plan: {%s}", rep.plan);
            if (repeat > 1 || a->run.verbose)
                cli_say("%s: %.4g s", name, cli_statistics(seconds, repeat).median);
            if (job->table) {
                if (a->top)
                    code = cli_worse(
                        code, print_top(a, name, &info, x, sparse_first_node(a->source.file)));
                printf("# %lld nodes, %lld links, %lld without links out; %lld steps; sum %.15g; "
                       "%s\n",
                       (long long)info.rows, (long long)info.nnz, (long long)r.dangling,
                       (long long)r.steps, r.sum, r.note);
            }
            if (a->vectors) {
                const int64_t shape[1] = {info.rows};
                code = cli_worse(code, answer_write(job->table, "scores", a->vectors, info.type, 1,
                                                    shape, 0, x));
            }
            code = cli_worse(code, record(job, context, ci, &info, name, &r, &rep,
                                          cli_statistics(seconds, repeat),
                                          cli_statistics(graph, repeat), NULL));
        }
    }
    free(seconds);
    free(personal);
    free(x);
    orr_sparse_free(G);
    return code;
}

static int work(cli_job *job)
{
    const struct args *a = job->args;
    return sparse_work(job, &a->source, solve);
}

static int usage(const char *message) { return cli_usage("pagerank", message); }

static int check(cli_job *job)
{
    struct args *a = job->args;
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
    return outputs_check(outputs, 1, NULL, &inputs);
}

static int run(const cli_command *command, int argc, char **argv)
{
    struct args args = {.run = cli_run_defaults(), .alpha = 0.85, .top = 10};
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
