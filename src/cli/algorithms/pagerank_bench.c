/* orrery pagerank --bench: the time of a step against the memory's own speed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/cli/algorithms/pagerank_job.h"

static double vectors(const orr_sparse_info *o)
{
    return 3.0 * (double)o->rows * (double)orr_type_size(o->type);
}

double pagerank_step_bytes(const orr_sparse_info *o) { return (double)o->bytes + vectors(o); }

double pagerank_crs_bytes(const orr_sparse_info *o) { return sparse_crs_bytes(o) + vectors(o); }

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

int pagerank_bench(cli_job *job, orr_context *context, const orr_context_info *ci,
                   const orr_sparse *G, const orr_sparse_info *info, const char *name, void *x)
{
    const struct pagerank_args *a = job->args;
    const int64_t steps = a->steps > 0 ? a->steps : 20;
    const int repeat = a->run.repeat > 0 ? (int)a->run.repeat : 5;
    struct steps run = {.context = context, .G = G, .alpha = a->alpha, .x = x};
    cli_before_run(&a->run, context, 0); /* no bounds of a step */
    const sparse_timing time = sparse_time(ci->cpu > 0 ? ci->cpu : 1, steps, repeat,
                                           pagerank_crs_bytes(info), rank_steps, &run);
    const double s = time.step.median;
    char stored[64];
    if (!(s == s)) {
        if (run.rep.message[0])
            cli_say("%s: %s", name, run.rep.message);
        free(time.rounds);
        return CLI_RUNTIME;
    }
    if (job->table)
        printf("%s: %lld node%s, %lld link%s, %s %s, %.4g MB per step: %.4g ms, %.4g GB/s; "
               "the triad %.4g GB/s, %.4g to %.4g; fraction of it with the bytes of crs, %.4g MB: "
               "%.3f\n",
               name, (long long)info->rows, cli_plural(info->rows), (long long)info->nnz,
               cli_plural(info->nnz), sparse_formats(info, stored, sizeof stored),
               sparse_values(info), 1e-6 * pagerank_step_bytes(info), 1e3 * s,
               1e-9 * pagerank_step_bytes(info) / s, 1e-9 * time.triad, 1e-9 * time.low,
               1e-9 * time.high, 1e-6 * pagerank_crs_bytes(info), time.per_triad);
    cli_record rec = CLI_RECORD;
    rec.seconds = time.step;
    const int code = pagerank_record(job, ci, info, name, &run.r, &run.rep, &rec, &time);
    free(time.rounds);
    return code;
}
