/* See sparse_case.h. SPDX-License-Identifier: BSD-3-Clause */
#include "sparse_case.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

/* ---- Loading ------------------------------------------------------------------------------- */

typedef enum { MTX, EDGES, NPZ } form;

/* By the end of the name, without .gz. */
static form form_of(const char *path)
{
    static const struct {
        const char *end;
        form form;
    } ends[] = {{".txt", EDGES}, {".tsv", EDGES}, {".edges", EDGES}, {".el", EDGES},
                {".wel", EDGES}, {".npz", NPZ}};
    size_t n = strlen(path);
    if (n > 3 && strcmp(path + n - 3, ".gz") == 0)
        n -= 3;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const size_t k = strlen(ends[i].end);
        if (n > k && strncmp(path + n - k, ends[i].end, k) == 0)
            return ends[i].form;
    }
    return MTX;
}

int sparse_first_node(const char *path)
{
    return path && form_of(path) != MTX ? 0 : 1;
}

static int read_file(const cli_run *run, const char *path, orr_mtx *m)
{
    const int64_t most = run->max_memory > 0 ? run->max_memory : 0;
    orr_io_error error = {0};
    cli_progress progress;
    cli_progress_start(&progress, path, run->verbose, run->quiet);
    const form f = form_of(path);
    const orr_status st =
        f == NPZ     ? orr_npz_read(path, most, m, &error)
        : f == EDGES ? orr_edges_read(path, most, cli_progress_update, &progress, m, &error)
                     : orr_mtx_read(path, most, cli_progress_update, &progress, m, &error);
    cli_progress_end(&progress);
    if (st == ORR_OK)
        return CLI_OK;
    cli_say("%s", error.message[0] ? error.message : orr_strerror(st));
    return cli_exit_code(st, 1);
}

int sparse_load(const cli_run *run, const sparse_source *s, orr_mtx *m, const char **name)
{
    char message[256];
    int code = CLI_OK;
    *name = s->file ? s->file : s->generate;
    if (s->file) {
        code = read_file(run, s->file, m);
    } else {
        const orr_status st = orr_generate(s->generate, (uint64_t)run->seed, m, message);
        if (st != ORR_OK) {
            cli_say("--generate: %s", message[0] ? message : orr_strerror(st));
            code = cli_exit_code(st, 0);
        }
    }
    if (code == CLI_OK && s->kron) {
        orr_mtx b, product = {0};
        code = read_file(run, s->kron, &b);
        if (code == CLI_OK) {
            const orr_status st = orr_kronecker(m, &b, &product);
            if (st != ORR_OK) {
                cli_say("--kron: %s", orr_strerror(st));
                code = cli_exit_code(st, 1);
            }
            orr_mtx_free(&b);
            orr_mtx_free(m);
            *m = product;
        } else {
            orr_mtx_free(m);
        }
    }
    return code;
}

int sparse_work(cli_job *job, const sparse_source *source,
                int (*solve)(cli_job *, orr_context *, const orr_context_info *, const orr_mtx *,
                             const char *))
{
    orr_mtx m = {0};
    const char *name;
    orr_context *context = NULL;
    orr_context_info info;
    int code = sparse_load(job->run, source, &m, &name);
    if (code != CLI_OK)
        return code;
    code = cli_open(job->run, cli_policy(job->run), &context, &info);
    if (code == CLI_OK) {
        code = solve(job, context, &info, &m, name);
        code = cli_worse(code, cli_close(job->run, context));
    }
    orr_mtx_free(&m);
    return code;
}

int sparse_build(const cli_run *run, orr_context *context, const orr_mtx *m, const char *name,
                 const orr_sparse_opts *o, orr_sparse **A)
{
    char message[256];
    orr_sparse_info info;
    /* coordinates, rows in order, and blocks: each about as large as the next */
    const double entry = 4 + (m->val ? 8 : 0) * (m->field == ORR_MTX_COMPLEX ? 2 : 1);
    const double entries = (double)m->entries * (m->symmetry == ORR_MTX_GENERAL ? 1 : 2);
    int code = CLI_OK;
    if (m->rows < INT32_MAX &&
        m->cols < INT32_MAX) /* beyond that the library has the better reason */
        code = cli_check_memory(
            run, entries * (o->graph ? 3.5 : 2.5) * entry + 40.0 * (double)m->rows, name);
    if (code != CLI_OK)
        return code;
    const double start = cli_now();
    const orr_status st = orr_sparse_from_mtx(context, m, o, A, message);
    if (st != ORR_OK) {
        cli_say("%s: %s", name, message[0] ? message : orr_strerror(st));
        return st == ORR_E_NONFINITE ? CLI_FILE : cli_exit_code(st, 1);
    }
    orr_sparse_query(*A, &info);
    if (info.duplicates && !run->quiet)
        cli_say("%s: %lld duplicate entries were %s", name, (long long)info.duplicates,
                o->unweighted ? "counted once" : "summed");
    if (run->verbose) {
        char formats[128];
        cli_say("%s: %lld x %lld, %lld entries (%lld stored zeros dropped), longest row %lld, "
                "%lld rows empty%s; %lld blocks as %s, values %s, %.4g slots per entry, %.4g MB, "
                "built in %.3g s",
                name, (long long)info.rows, (long long)info.cols, (long long)info.nnz,
                (long long)info.zeros, (long long)info.longest_row, (long long)info.empty_rows,
                info.hermitian   ? ", Hermitian"
                : info.skew      ? ", skew"
                : info.by_degree ? ", nodes by degree"
                                 : "",
                (long long)info.blocks, sparse_formats(&info, formats, sizeof formats),
                sparse_values(&info), info.nnz ? (double)info.slots / (double)info.nnz : 1.0,
                1e-6 * (double)info.bytes, cli_now() - start);
    }
    return CLI_OK;
}

const char *sparse_formats(const orr_sparse_info *o, char *text, size_t room)
{
    size_t at = 0;
    text[0] = 0;
    for (int f = 0; f < ORR_NFORMATS; f++)
        if (o->by_format[f] && at < room)
            at += (size_t)snprintf(text + at, room - at, "%s%s", at ? "," : "",
                                   orr_format_name((orr_format)f));
    return text;
}

const char *sparse_values(const orr_sparse_info *o)
{
    return o->pattern ? "pattern" : o->narrow ? "half" : "full";
}

/* ---- Bandwidth ----------------------------------------------------------------------------- */

double sparse_bytes(const orr_sparse_info *o)
{
    return (double)o->bytes + (double)(o->rows + o->cols) * (double)orr_type_size(o->type);
}

cli_seconds sparse_step_seconds(double *once, double *twice, int runs, int64_t steps)
{
    const cli_seconds a = cli_statistics(once, runs), b = cli_statistics(twice, runs);
    return (cli_seconds){.median = (b.median - a.median) / (double)steps,
                         .min = (b.min - a.min) / (double)steps,
                         .max = (b.max - a.max) / (double)steps,
                         .runs = runs};
}

double sparse_triad(int threads)
{
    enum { RUNS = 7 };
    const int64_t n = (int64_t)16 << 20; /* 128 MiB each */
    double seconds[RUNS];
    double *a = malloc((size_t)n * sizeof *a), *b = malloc((size_t)n * sizeof *b);
    double *c = malloc((size_t)n * sizeof *c);
    if (a && b && c) {
#pragma omp parallel for num_threads(threads) schedule(static)
        for (int64_t i = 0; i < n; i++) {
            a[i] = 0;
            b[i] = 1;
            c[i] = 2;
        }
        for (int r = 0; r < RUNS; r++) {
            const double start = cli_now();
#pragma omp parallel for simd num_threads(threads) schedule(static)
            for (int64_t i = 0; i < n; i++)
                a[i] = b[i] + 3 * c[i];
            seconds[r] = cli_now() - start;
        }
    }
    const int good = a && b && c && a[n / 2] == 7;
    free(a);
    free(b);
    free(c);
    /* Idle threads of OpenMP would spin beside StarPU's workers. */
    omp_pause_resource_all(omp_pause_soft);
    return good ? 24.0 * (double)n / cli_statistics(seconds, RUNS).median : NAN;
}
