/* SPDX-License-Identifier: BSD-3-Clause */
#include "dense.h"
#include "progress.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int ends_in(const char *path, const char *suffix)
{
    const size_t n = strlen(path), m = strlen(suffix);
    return n >= m && !strcasecmp(path + n - m, suffix);
}

int cli_is_mtx(const char *path) { return ends_in(path, ".mtx") || ends_in(path, ".mtx.gz"); }

/* Dense from coordinates; duplicates add up, the missing triangle is filled in. */
static void densify(const orr_mtx *m, double *a)
{
    const int complex = m->field == ORR_MTX_COMPLEX;
    const size_t n = (size_t)m->cols, parts = complex ? 2 : 1;
    const double mirror = m->symmetry == ORR_MTX_SKEW ? -1 : 1;
    const double mirror_im = m->symmetry == ORR_MTX_HERMITIAN ? -1 : mirror;
    for (int64_t e = 0; e < m->entries; e++) {
        const size_t i = (size_t)m->row[e], j = (size_t)m->col[e];
        const double re = m->val ? m->val[parts * (size_t)e] : 1;
        const double im = complex ? m->val[2 * e + 1] : 0;
        a[parts * (i * n + j)] += re;
        if (complex)
            a[2 * (i * n + j) + 1] += im;
        if (i == j || m->symmetry == ORR_MTX_GENERAL)
            continue;
        a[parts * (j * n + i)] += mirror * re;
        if (complex)
            a[2 * (j * n + i) + 1] += mirror_im * im;
    }
}

static int to_dense(const char *path, const cli_run *run, const orr_mtx *m, orr_npy *out)
{
    const int complex = m->field == ORR_MTX_COMPLEX;
    const double bytes = (double)m->rows * (double)m->cols * (complex ? 16 : 8);
    const int code = cli_check_memory(run, bytes, path);
    if (code != CLI_OK)
        return code;
    double *a = bytes < 0x1p62 ? calloc(1, (size_t)bytes + 1) : NULL;
    if (!a) {
        cli_say("%s: out of memory", path);
        return CLI_MEMORY;
    }
    densify(m, a);
    *out = (orr_npy){.type = complex ? ORR_Z : ORR_D,
                     .ndim = 2,
                     .shape = {m->rows, m->cols},
                     .data = a};
    return CLI_OK;
}

static int told(const char *path, orr_status status, const orr_io_error *error)
{
    if (status == ORR_OK)
        return CLI_OK;
    if (error->message[0])
        cli_say("%s", error->message);
    else
        cli_say("%s: %s", path, orr_strerror(status));
    return cli_exit_code(status, 1);
}

/* Bytes that a file may take; 0: no limit is known. */
static int64_t most_bytes(const cli_run *run)
{
    const int64_t known = run->max_memory > 0 ? run->max_memory : cli_free_memory();
    return known > 0 ? known : 0;
}

int cli_mtx_read(const char *path, const cli_run *run, orr_mtx *m)
{
    orr_io_error error = {0};
    cli_progress progress;
    cli_progress_start(&progress, path, run->verbose, run->quiet);
    const orr_status status =
        orr_mtx_read(path, most_bytes(run), cli_progress_update, &progress, m, &error);
    cli_progress_end(&progress);
    return told(path, status, &error);
}

static int read_mtx(const char *path, const cli_run *run, dense_check *check, int64_t limit,
                    orr_npy *out)
{
    orr_mtx m;
    int code = cli_mtx_read(path, run, &m);
    if (code != CLI_OK)
        return code;
    if (check)
        code = check(path, &m, limit);
    if (code == CLI_OK)
        code = to_dense(path, run, &m, out);
    orr_mtx_free(&m);
    return code;
}

static int read_npy(const char *path, int64_t most, orr_npy *out)
{
    orr_io_error error = {0};
    if (strcmp(path, "-"))
        return told(path, orr_npy_read(path, most, out, &error), &error);
    int end = 0;
    const orr_status status = orr_npy_read_stream(stdin, "standard input", most, out, &end, &error);
    if (end) {
        cli_say("standard input: empty");
        return CLI_FILE;
    }
    return told(path, status, &error);
}

int dense_read(const char *path, const cli_run *run, dense_check *check, int64_t limit,
               orr_npy *out)
{
    return cli_is_mtx(path) ? read_mtx(path, run, check, limit, out)
                            : read_npy(path, most_bytes(run), out);
}
