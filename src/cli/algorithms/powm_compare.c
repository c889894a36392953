/* orrery powm --compare: a step of power iteration in each storage format, against the memory's own
 * speed.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "src/cli/algorithms/powm_job.h"
#include "src/cli/algorithms/sparse_time.h"

struct steps {
    orr_context *context;
    const orr_sparse *A;
    orr_report rep;
};

static int power_steps(void *arg, int64_t steps)
{
    struct steps *s = arg;
    const orr_powm_opts p = {.method = ORR_POWM_METHOD_POWER, .fixed_steps = steps};
    orr_eigenpair e[2];
    orr_powm_result r;
    return orr_powm(s->context, s->A, &p, e, NULL, &r, &s->rep) < 0;
}

/* A step of a matrix of zeros moves nothing, and has no speed. */
static int has_entries(const char *name, const orr_mtx *m)
{
    const int64_t numbers = m->field == ORR_MTX_COMPLEX ? 2 * m->entries : m->entries;
    int64_t k = 0;
    while (m->val && k < numbers && m->val[k] == 0)
        k++;
    if (k < numbers)
        return CLI_OK;
    cli_say("%s: the matrix is zero: there is nothing to compare", name);
    return CLI_FILE;
}

/* A format, as the matrix is stored in it, and how long its steps take. */
struct compared {
    const char *format;
    orr_sparse_info info;
    double bytes, crs; /* that a step moves; that it would move of CRS */
    sparse_timing time;
};

static void print_header(void)
{
    printf("%-9s %-16s %-8s %8s %10s %10s %8s %8s %8s %9s\n", "format", "stored as", "values",
           "slots/nz", "MB", "ms/step", "GB/s", "triad", "fraction", "Gflop/s");
}

static void print_row(const struct compared *x)
{
    const orr_sparse_info *info = &x->info;
    const double s = x->time.step.median;
    char stored[64];
    printf("%-9s %-16s %-8s %8.3f %10.2f %10.4f %8.2f %8.2f %8.3f %9.3f\n", x->format,
           sparse_formats(info, stored, sizeof stored), sparse_values(info),
           info->nnz ? (double)info->slots / (double)info->nnz : 1.0, 1e-6 * x->bytes, 1e3 * s,
           1e-9 * x->bytes / s, 1e-9 * x->time.triad, x->time.per_triad,
           2e-9 * (double)info->nnz / s);
}

static int write_record(cli_job *job, const orr_context_info *ci, const char *name,
                        const struct compared *x)
{
    const struct powm_args *a = job->args;
    const double s = x->time.step.median;
    cli_text t = {0};
    cli_record c = CLI_RECORD;
    cli_describe(&c, "powm", ci, job->command, a->run.seed);
    c.type = orr_type_letter(x->info.type);
    c.n = x->info.cols;
    c.seconds = x->time.step;
    c.gflops = 2e-9 * (double)x->info.nnz / s;
    c.status = "ok";
    cli_put(&t, "\"matrix\":");
    cli_put_json(&t, name);
    cli_put(&t,
            ",\"per\":\"step\",\"format\":\"%s\",\"stored\":\"%s\",\"nnz\":%lld,"
            "\"slots\":%lld,\"bytes\":%.0f,\"bytes_crs\":%.0f,\"gbs\":%.6g,\"triad_gbs\":%.6g,"
            "\"fraction\":%.6g",
            x->format, sparse_values(&x->info), (long long)x->info.nnz, (long long)x->info.slots,
            x->bytes, x->crs, 1e-9 * x->bytes / s, 1e-9 * x->time.triad, x->time.per_triad);
    c.extra = t.s;
    const int code = cli_sink_write(&job->sink, &c);
    cli_text_free(&t);
    return code;
}

/* Returns an exit code; x->time.rounds is to be freed. */
static int compare_one(cli_job *job, orr_context *context, const orr_context_info *ci,
                       const orr_mtx *m, const char *name, struct compared *x)
{
    struct powm_args *a = job->args;
    const int repeat = a->run.repeat > 0 ? (int)a->run.repeat : 5;
    const int64_t steps = a->steps > 0 ? a->steps : 20;
    orr_sparse_opts o = powm_build_options(a);
    orr_sparse *A;
    char message[256];
    orr_format_parse(x->format, &o.format);
    const orr_status st = orr_sparse_from_mtx(context, m, &o, &A, message);
    if (st != ORR_OK) {
        if (job->table)
            printf("%-9s %s\n", x->format, message);
        return st == ORR_E_NOMEM ? CLI_OK : cli_exit_code(st, 1);
    }
    orr_sparse_query(A, &x->info);
    cli_before_run(&a->run, context, 0); /* no bounds of a step */
    x->bytes = sparse_bytes(&x->info);
    x->crs = x->bytes - (double)x->info.bytes + sparse_crs_bytes(&x->info);
    struct steps run = {.context = context, .A = A};
    x->time = sparse_time(ci->cpu > 0 ? ci->cpu : 1, steps, repeat, x->crs, power_steps, &run);
    orr_sparse_free(A);
    if (isnan(x->time.step.median)) {
        if (run.rep.message[0])
            cli_say("%s: %s", name, run.rep.message);
        return CLI_RUNTIME;
    }
    if (job->table)
        print_row(x);
    return write_record(job, ci, name, x);
}

int powm_compare(cli_job *job, orr_context *context, const orr_context_info *ci, const orr_mtx *m,
                 const char *name)
{
    static char *all[] = {"crs", "bsr", "ell", "gpu-ell", "sell", "merge", "auto", "tiles"};
    const int known = ci->cuda > 0 ? 7 : 8; /* tiles: CPUs only */
    struct powm_args *a = job->args;
    const cli_words formats = a->format.n ? a->format : (cli_words){all, known};
    double low = INFINITY, high = 0;
    int code = powm_square(name, m->rows, m->cols);
    if (code == CLI_OK)
        code = has_entries(name, m);
    if (code == CLI_OK)
        code = sparse_check_memory(&a->run, m, name, 0);
    if (code != CLI_OK)
        return code;
    if (job->table)
        print_header();
    for (int64_t f = 0; f < formats.n; f++) {
        struct compared x = {.format = formats.v[f], .time.step.median = NAN};
        code = cli_worse(code, compare_one(job, context, ci, m, name, &x));
        if (!isnan(x.time.step.median)) {
            low = fmin(low, x.time.low);
            high = fmax(high, x.time.high);
        }
        free(x.time.rounds);
    }
    if (job->table && high > 0)
        printf("the triad ran at %.2f to %.2f GB/s\n", 1e-9 * low, 1e-9 * high);
    return code;
}
