/* One run of orrery pagerank, or its plan.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "src/cli/algorithms/explain.h"
#include "src/cli/algorithms/pagerank_job.h"
#include "src/cli/core/answer.h"
#include "src/cli/core/progress.h"
#include "src/cli/core/ranks.h"
#include "src/cli/data/dense.h"

static int all_zero(const double *p, int64_t n)
{
    int64_t i = 0;
    while (i < n && p[i] == 0)
        i++;
    return i == n;
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
    const int zero = shaped && n > 0 && all_zero(a.data, n);
    if (zero)
        cli_say("%s: all weights are zero", path);
    if (!shaped || wrong >= 0 || zero) {
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

struct solving {
    orr_context *context;
    const orr_sparse *G;
    orr_pagerank_opts opts;
    void *x;
    orr_pagerank_result r;
};

static orr_status plan_call(const cli_planned *p, orr_report *report)
{
    const struct solving *s = p->args;
    orr_pagerank_result r;
    return orr_pagerank(p->context, s->G, &s->opts, s->x, &r, report);
}

static double plan_holds(const cli_planned *p)
{
    return p->resident + (double)p->n * (double)orr_type_size(p->type);
}

static int explain(cli_job *job, const orr_context_info *ci, const orr_sparse_info *info,
                   const struct solving *s)
{
    const cli_planned p = {.job = job,
                           .context = s->context,
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
            printf(
                "# %lld node%s, %lld link%s, %lld without links out; %lld step%s; sum %.15g%s%s\n",
                (long long)info->rows, cli_plural(info->rows), (long long)info->nnz,
                cli_plural(info->nnz), (long long)r->dangling, (long long)r->steps,
                cli_plural(r->steps), r->sum, r->note[0] ? "; " : "", r->note);
        if (a->vectors)
            code = cli_worse(code, answer_write(job->table, "scores", a->vectors, info->type, 1,
                                                shape, 0, s->x));
        code = cli_worse(code, pagerank_record(job, ci, info, name, r, &runs.report, &rec, NULL));
    }
    cli_turns_free(&runs.turns);
    return code;
}

int pagerank_solve(cli_job *job, orr_context *context, const orr_context_info *ci, const orr_mtx *m,
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
    if (a->bench && m->rows == 0) {
        cli_say("%s: the graph has no nodes: there is nothing to time", name);
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
        code = a->run.explain ? explain(job, ci, &info, &s)
               : a->bench     ? pagerank_bench(job, context, ci, G, &info, name, s.x)
                              : rank_nodes(job, ci, &info, name, &s);
    free(personal);
    free(s.x);
    orr_sparse_free(G);
    return code;
}
