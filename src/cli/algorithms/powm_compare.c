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

int powm_compare(cli_job *job, orr_context *context, const orr_context_info *ci, const orr_mtx *m,
                 const char *name)
{
    static char *all[] = {"crs", "bsr", "ell", "gpu-ell", "sell", "merge", "auto", "tiles"};
    const int known = ci->cuda > 0 ? 7 : 8; /* tiles: CPUs only */
    struct powm_args *a = job->args;
    const cli_words formats = a->format.n ? a->format : (cli_words){all, known};
    const int repeat = a->run.repeat > 0 ? (int)a->run.repeat : 5;
    const int64_t steps = a->steps > 0 ? a->steps : 20;
    double low = INFINITY, high = 0;
    int code = powm_square(name, m->rows, m->cols);
    if (code == CLI_OK)
        code = has_entries(name, m);
    if (code == CLI_OK)
        code = sparse_check_memory(&a->run, m, name, 0);
    if (code != CLI_OK)
        return code;
    if (job->table)
        printf("%-9s %-16s %-8s %8s %10s %10s %8s %8s %8s %9s\n", "format", "stored as", "values",
               "slots/nz", "MB", "ms/step", "GB/s", "triad", "fraction", "Gflop/s");
    for (int64_t f = 0; f < formats.n; f++) {
        orr_sparse_opts o = powm_build_options(a);
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
        const double crs = bytes - (double)info.bytes + sparse_crs_bytes(&info);
        struct steps run = {.context = context, .A = A};
        const sparse_timing time =
            sparse_time(ci->cpu > 0 ? ci->cpu : 1, steps, repeat, crs, power_steps, &run);
        const double s = time.step.median;
        if (!(s == s)) {
            if (run.rep.message[0])
                cli_say("%s: %s", name, run.rep.message);
            code = cli_worse(code, CLI_RUNTIME);
            free(time.rounds);
            orr_sparse_free(A);
            continue;
        }
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
                "\"slots\":%lld,\"bytes\":%.0f,\"bytes_crs\":%.0f,\"gbs\":%.6g,\"triad_gbs\":%.6g,"
                "\"fraction\":%.6g",
                formats.v[f], sparse_values(&info), (long long)info.nnz, (long long)info.slots,
                bytes, crs, 1e-9 * bytes / s, 1e-9 * time.triad, time.per_triad);
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
