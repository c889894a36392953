/* One solve of orrery powm, or its plan.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/cli/algorithms/explain.h"
#include "src/cli/algorithms/powm_job.h"
#include "src/cli/core/progress.h"
#include "src/cli/core/ranks.h"

static const char type_letters[] = {0, 's', 'd', 'c', 'z'};

orr_sparse_opts powm_build_options(const struct powm_args *a)
{
    return (orr_sparse_opts){.type = type_letters[a->type],
                             .blocks = a->blocks,
                             .transpose = a->transpose,
                             .unweighted = a->unweighted,
                             .full = a->full};
}

struct solving {
    orr_context *context;
    const orr_sparse *A;
    orr_powm_opts opts;
    orr_eigenpair *e;
    void *v;
    orr_powm_result r;
};

static orr_status plan_call(const cli_planned *p, orr_report *report)
{
    const struct solving *s = p->args;
    orr_powm_result r;
    orr_eigenpair *e = calloc((size_t)s->opts.k + 1, sizeof *e);
    const orr_status st =
        e ? orr_powm(p->context, s->A, &s->opts, e, NULL, &r, report) : ORR_E_NOMEM;
    free(e);
    return st;
}

static double plan_holds(const cli_planned *p)
{
    const struct solving *s = p->args;
    return p->resident + (double)(s->opts.k + 1) * (double)p->n * (double)orr_type_size(p->type);
}

static int explain(cli_job *job, const orr_context_info *ci, const orr_sparse_info *info,
                   const struct solving *s)
{
    const struct powm_args *a = job->args;
    const cli_planned p = {.job = job,
                           .context = s->context,
                           .info = ci,
                           .algo = "powm",
                           .type = info->type,
                           .m = info->rows != info->cols ? info->rows : -1,
                           .n = info->cols,
                           .band = -1,
                           .batch = -1,
                           .vectors = a->vectors != NULL,
                           .args = s,
                           .call = plan_call,
                           .needs = plan_holds,
                           .holds = plan_holds,
                           .resident = (double)info->bytes * (s->opts.transposed ? 2 : 1)};
    return cli_explain(&p);
}

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
            powm_print(a, name, s->e, r);
            printf("# %lld x %lld, %lld entr%s; %s; %lld product%s; %s\n", (long long)info->rows,
                   (long long)info->cols, (long long)info->nnz, info->nnz == 1 ? "y" : "ies",
                   r->name, (long long)r->products, cli_plural(r->products), r->note);
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

int powm_square(const char *name, int64_t rows, int64_t cols)
{
    if (rows == cols)
        return CLI_OK;
    cli_say("%s: %lld x %lld is rectangular and has no eigenvectors; --singular computes its "
            "principal singular pair",
            name, (long long)rows, (long long)cols);
    return CLI_FILE;
}

int powm_solve(cli_job *job, orr_context *context, const orr_context_info *ci, const orr_mtx *m,
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
    code = a->singular ? CLI_OK : powm_square(name, info.rows, info.cols);
    if (code != CLI_OK) {
        orr_sparse_free(A);
        return code;
    }
    const int k = a->k > 0 ? (int)a->k : 1;
    struct solving s = {.context = context,
                        .A = A,
                        .opts = {.method = (orr_powm_method)a->method,
                                 .which = (orr_powm_which)a->which,
                                 .k = k,
                                 .basis = (int)a->basis,
                                 .tol = a->tol,
                                 .max_products = a->max_products,
                                 .seed = (uint64_t)a->run.seed,
                                 .transposed = At}};
    if (a->run.explain) {
        code = explain(job, ci, &info, &s);
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
