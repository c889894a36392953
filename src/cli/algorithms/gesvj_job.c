/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/algorithms/gesvj_job.h"
#include "src/cli/core/numbers.h"
#include "src/cli/core/ranks.h"
#include "src/cli/data/grid.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

orr_gesvj_opts svd_options(const struct svd_args *a, int check)
{
    return (orr_gesvj_opts){
        .max_sweeps = (int)a->max_sweeps,
        .tol = a->tol,
        .precondition = (int[]){0, 1, -1}[a->precondition],
        .block = (int)a->block,
        .bundle = (int)a->bundle,
        .place = (orr_place)a->place,
        .check = check,
    };
}

/* The library's view: matrix l is n x m, column major. */
orr_status svd_solve(orr_context *context, const svd_data *d, const orr_gesvj_opts *o,
                     orr_report *rep)
{
    const orr_batch A = {.type = d->type, .batch = d->count, .m = d->n, .n = d->m, .a = d->a};
    const orr_batch s = {
        .type = orr_type_real(d->type), .batch = d->count, .m = d->k, .n = 1, .a = d->s};
    const orr_batch X = {.type = d->type, .batch = d->count, .m = d->n, .n = d->k, .a = d->x};
    const orr_batch Y = {.type = d->type, .batch = d->count, .m = d->m, .n = d->k, .a = d->y};
    return orr_gesvj(context, &A, &s, d->x ? &X : NULL, d->y ? &Y : NULL, o, d->info, rep);
}

int svd_statuses(const orr_matrix_info *info, int64_t count, const char *where)
{
    static const char *const what[] = {"", "has not converged; its results are approximate",
                                       "contains NaN or infinity; its results are NaN",
                                       "has singular values beyond the range of its type"};
    int64_t first[4] = {-1, -1, -1, -1};
    for (int64_t l = count - 1; l >= 0; l--)
        if (info[l].status >= ORR_NOCONV && info[l].status <= ORR_RANGE)
            first[info[l].status] = l;
    for (int i = 1; i < 4; i++)
        if (first[i] >= 0)
            cli_say("%s: matrix %lld %s", where, (long long)first[i], what[i]);
    return cli_worse(first[ORR_NONFINITE] >= 0 || first[ORR_RANGE] >= 0 ? CLI_FILE : CLI_OK,
                     first[ORR_NOCONV] >= 0 ? CLI_NOCONV : CLI_OK);
}

/* ---- Checks and records ------------------------------------------------------------------- */

static int has_values(const orr_matrix_info *info)
{
    return info->status != ORR_NONFINITE && info->status != ORR_RANGE;
}

/* max |s - s_ref| / (max(m,n) eps s_ref[0]) over the stack; what rounds to subnormals is allowed
 * for. */
static double values_error(const svd_data *d, const void *ref)
{
    const double unit = (double)(d->m > d->n ? d->m : d->n) * orr_type_eps(d->type);
    const double grid = cli_grid(d->type);
    const orr_type real = orr_type_real(d->type);
    double worst = 0;
    for (int64_t l = 0; l < d->count; l++)
        for (int64_t i = 0; i < d->k && has_values(d->info + l); i++) {
            const double x = number_real(real, d->s, l * d->k + i),
                         y = number_real(real, ref, l * d->k + i);
            const double top = number_real(real, ref, l * d->k);
            const double e = x == y ? 0 : fabs(x - y) / (unit * top + grid);
            worst = cli_larger(worst, e);
        }
    return worst;
}

/* Against the definition, and against LAPACK's gesdd. */
int svd_verify(const svd_data *d, int threads, cli_record *r)
{
    void *ref = malloc((size_t)(d->count * d->k) * sizeof(double) + 1);
    double unused;
    if (!ref || svd_lapack(d, cli_own_lapack(), SVD_GESDD, threads, ref, &unused) < 0) {
        free(ref);
        return CLI_MEMORY;
    }
    r->values = values_error(d, ref);
    free(ref);
    if (d->x && d->y) {
        r->residual = r->orthogonality = 0;
        for (int64_t l = 0; l < d->count; l++)
            if (has_values(d->info + l)) {
                r->residual = cli_larger(r->residual, d->info[l].residual);
                r->orthogonality = cli_larger(r->orthogonality, d->info[l].orthogonality);
            }
    }
    if (r->values <= svd_check_limit && !(r->residual > svd_check_limit) &&
        !(r->orthogonality > svd_check_limit))
        return CLI_OK;
    cli_say("check failed: residual %.3g, orthogonality %.3g, values %.3g (limit %g)", r->residual,
            r->orthogonality, r->values, svd_check_limit);
    return CLI_CHECK;
}

orr_status svd_first_status(orr_status a, orr_status b)
{
    return a == ORR_OK || (b != ORR_OK && b < a) ? b : a;
}

const char *svd_status_word(int checked, orr_status status)
{
    return checked == CLI_CHECK      ? "check failed"
           : checked != CLI_OK       ? "failed"
           : status == ORR_NOCONV    ? "not converged"
           : status == ORR_NONFINITE ? "not finite"
           : status == ORR_RANGE     ? "out of range"
                                     : "ok";
}

void svd_describe(cli_record *r, const cli_job *job, const svd_data *d,
                  const orr_context_info *context, int checked)
{
    orr_status status = ORR_OK;
    const int stream = ((const struct svd_args *)job->args)->stream;
    cli_describe(r, "gesvj", context, job->command, job->files.n || stream ? -1 : job->run->seed);
    r->type = orr_type_letter(d->type);
    r->n = d->n;
    r->m = d->m;
    r->batch = d->count;
    r->sweeps = 0;
    for (int64_t l = 0; l < d->count; l++) {
        r->sweeps = d->info[l].sweeps > r->sweeps ? d->info[l].sweeps : r->sweeps;
        status = svd_first_status(status, d->info[l].status);
    }
    r->status = svd_status_word(checked, status);
}

int svd_report(cli_job *job, const cli_record *r)
{
    if (job->run->explain || job->run->verbose)
        cli_say("plan: {%s}", r->plan ? r->plan : "");
    return cli_sink_write(&job->sink, r);
}

int svd_threads(const orr_context_info *info)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return info->cpu > 0 ? info->cpu : cores > 0 ? (int)cores : 1;
}

void svd_put_stream(char *extra, size_t size, const orr_gesvj_stream_report *r, double seconds)
{
    snprintf(extra, size,
             "\"stream\":{\"frames\":%lld,\"on_device\":%lld,\"per_second\":%.6g,"
             "\"latency_median\":%.6g,\"latency_max\":%.6g,\"angle_seconds\":%.6g,"
             "\"update_seconds\":%.6g",
             (long long)r->frames, (long long)r->on_device,
             seconds > 0 ? (double)r->frames / seconds : 0.0, r->latency_median, r->latency_max,
             r->angle, r->update);
    const size_t at = strlen(extra);
    if (isnan(r->overlap))
        snprintf(extra + at, size - at, ",\"overlap_percent\":null}");
    else
        snprintf(extra + at, size - at, ",\"overlap_percent\":%.4g}", 100 * r->overlap);
}

int svd_by_ranks(cli_job *job, int (*work)(cli_job *, orr_context *, const orr_context_info *))
{
    orr_context *context = NULL;
    orr_context_info info;
    int code = cli_job_ranks(job, "check|jobz|left|right|stream");
    if (code == CLI_OK)
        code = cli_open(job->run, cli_policy(job->run), &context, &info);
    if (context) {
        code = work(job, context, &info);
        code = cli_worse(code, cli_close(job->run, context));
    }
    cli_ranks_end();
    return code;
}
