/* See sparse_case.h. SPDX-License-Identifier: BSD-3-Clause */
#include "sparse_case.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

/* ---- Edge lists ---------------------------------------------------------------------------- */

struct edges {
    orr_mtx m;
    int64_t room, weights; /* weights: edges so far that have one */
};

static int grow(struct edges *e)
{
    if (e->m.entries < e->room)
        return 1;
    const int64_t room = e->room ? 2 * e->room : 1024;
    int64_t *row = realloc(e->m.row, (size_t)room * sizeof *row);
    if (row)
        e->m.row = row;
    int64_t *col = realloc(e->m.col, (size_t)room * sizeof *col);
    if (col)
        e->m.col = col;
    double *val = realloc(e->m.val, (size_t)room * sizeof *val);
    if (val)
        e->m.val = val;
    if (!row || !col || !val)
        return 0;
    e->room = room;
    return 1;
}

/* NULL, or what is wrong with the line. */
static const char *parse_edge(char *line, struct edges *e)
{
    int64_t node[2];
    double weight = 1;
    char *at = line;
    for (int k = 0; k < 2; k++) {
        char *end;
        errno = 0;
        node[k] = strtoll(at, &end, 10);
        if (end == at || (*end && !isspace((unsigned char)*end)))
            return "two node numbers are expected";
        if (errno || node[k] < 0 || node[k] > INT32_MAX - 64)
            return "a node number is negative or larger than 2^31";
        at = end;
    }
    at += strspn(at, " \t\r\n");
    if (*at) {
        char *end;
        weight = strtod(at, &end);
        if (end == at || end[strspn(end, " \t\r\n")])
            return "a weight is expected, and nothing behind it";
        if (!isfinite(weight))
            return "the weight is not finite";
        e->weights++;
    }
    if (!grow(e))
        return "out of memory";
    e->m.row[e->m.entries] = node[0];
    e->m.col[e->m.entries] = node[1];
    e->m.val[e->m.entries++] = weight;
    const int64_t largest = node[0] > node[1] ? node[0] : node[1];
    if (largest >= e->m.rows)
        e->m.rows = e->m.cols = largest + 1;
    return NULL;
}

int sparse_read_edges(const char *path, orr_mtx *m)
{
    struct edges e = {.m = {.symmetry = ORR_MTX_GENERAL, .field = ORR_MTX_REAL}};
    char *line = NULL;
    size_t room = 0;
    const char *wrong = NULL;
    FILE *f = fopen(path, "r");
    if (!f) {
        cli_say("%s: %s", path, strerror(errno));
        return CLI_FILE;
    }
    for (long long number = 1; !wrong && getline(&line, &room, f) >= 0; number++) {
        const char *first = line + strspn(line, " \t\r\n");
        if (!*first || *first == '#' || *first == '%')
            continue;
        wrong = parse_edge(line, &e);
        if (wrong)
            cli_say("%s:%lld: %s", path, number, wrong);
    }
    if (!wrong && ferror(f)) {
        wrong = strerror(errno);
        cli_say("%s: %s", path, wrong);
    }
    free(line);
    fclose(f);
    if (wrong) {
        orr_mtx_free(&e.m);
        return CLI_FILE;
    }
    if (e.weights == 0) { /* a pattern */
        free(e.m.val);
        e.m.val = NULL;
        e.m.field = ORR_MTX_PATTERN;
    }
    *m = e.m;
    return CLI_OK;
}

/* ---- Loading ------------------------------------------------------------------------------- */

static int is_edge_list(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".txt") || !strcmp(dot, ".tsv") || !strcmp(dot, ".edges") ||
                   !strcmp(dot, ".el") || !strcmp(dot, ".wel"));
}

static int read_file(const cli_run *run, const char *path, orr_mtx *m)
{
    orr_io_error error = {0};
    cli_progress progress;
    if (is_edge_list(path))
        return sparse_read_edges(path, m);
    cli_progress_start(&progress, path, run->verbose, run->quiet);
    const orr_status st = orr_mtx_read(path, run->max_memory > 0 ? run->max_memory : 0,
                                       cli_progress_update, &progress, m, &error);
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
        code = cli_check_memory(run, entries * 2.5 * entry + 40.0 * (double)m->rows, name);
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
                info.hermitian ? ", Hermitian"
                : info.skew    ? ", skew"
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
