/* The scores of orrery pagerank: the best printed, and the record.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "src/cli/algorithms/pagerank_job.h"
#include "src/cli/core/answer.h"
#include "src/cli/core/numbers.h"

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

int pagerank_print_top(const struct pagerank_args *a, const char *name, const orr_sparse_info *info,
                       const void *x, int from)
{
    char text[ORR_NUMBER_TEXT];
    const int64_t n = info->rows, top = a->top < n ? a->top : n;
    struct ranked *all = malloc((size_t)n * sizeof *all + 1);
    if (!all)
        return CLI_MEMORY;
    for (int64_t i = 0; i < n; i++)
        all[i] = (struct ranked){number_real(info->type, x, i), i};
    qsort(all, (size_t)n, sizeof *all, better);
    answer_heading(stdout, "rank, node and score", name);
    printf("%lld of %lld node%s\n", (long long)top, (long long)n, cli_plural(n));
    for (int64_t k = 0; k < top; k++)
        printf("%-6lld %-12lld %s\n", (long long)k + 1, (long long)all[k].node + from,
               orr_number_text(text, info->type, all[k].score));
    free(all);
    return CLI_OK;
}

int pagerank_record(cli_job *job, const orr_context_info *ci, const orr_sparse_info *info,
                    const char *graph, const orr_pagerank_result *r, const orr_report *rep,
                    cli_record *c, const sparse_timing *time)
{
    cli_text t = {0};
    sparse_record(c, &t, job, "pagerank", ci, info, "graph", graph, rep);
    c->seed = job->files.n ? -1 : c->seed;
    c->n = info->rows;
    c->sweeps = r->steps;
    cli_put(&t, ",\"dangling\":%lld,\"change\":", (long long)r->dangling);
    cli_put_number(&t, r->change);
    cli_put(&t, ",\"error_bound\":");
    cli_put_number(&t, r->bound);
    cli_put(&t, ",\"sum\":%.17g", r->sum);
    if (time) {
        const double s = c->seconds.median;
        cli_put(
            &t,
            ",\"per\":\"step\",\"bytes\":%.0f,\"bytes_crs\":%.0f,\"gbs\":%.6g,\"triad_gbs\":%.6g,"
            "\"fraction\":%.6g",
            pagerank_step_bytes(info), pagerank_crs_bytes(info),
            1e-9 * pagerank_step_bytes(info) / s, 1e-9 * time->triad, time->per_triad);
    }
    c->extra = t.s;
    const int code = cli_sink_write(&job->sink, c);
    cli_text_free(&t);
    return code;
}
