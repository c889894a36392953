/* SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/core/progress.h"
#include "src/cli/data/dense.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int ends_in(const char *path, const char *suffix)
{
    const size_t n = strlen(path), m = strlen(suffix);
    return n >= m && !strcasecmp(path + n - m, suffix);
}

static int is_text(const char *path)
{
    return ends_in(path, ".txt") || ends_in(path, ".csv") || ends_in(path, ".txt.gz") ||
           ends_in(path, ".csv.gz");
}

int cli_is_sparse(const char *path)
{
    return ends_in(path, ".mtx") || ends_in(path, ".mtx.gz") ||
           (ends_in(path, ".npz") && orr_npz_is_sparse(path));
}

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
    *out = (orr_npy){
        .type = complex ? ORR_Z : ORR_D, .ndim = 2, .shape = {m->rows, m->cols}, .data = a};
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

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Entries that stand where another one does, or its mirror image; 0 also if memory is short, or of a
 * matrix too large for whoever reads it. A file in order needs no sorting. */
static int64_t duplicates(const orr_mtx *m)
{
    if (m->rows > INT32_MAX || m->cols > INT32_MAX)
        return 0;
    int64_t *at = malloc((size_t)m->entries * sizeof *at + 1), found = 0;
    int sorted = 1;
    for (int64_t e = 0; at && e < m->entries; e++) {
        const int swap = m->symmetry != ORR_MTX_GENERAL && m->row[e] < m->col[e];
        at[e] = swap ? m->row[e] * m->rows + m->col[e] : m->col[e] * m->rows + m->row[e];
        sorted = sorted && (e == 0 || at[e - 1] < at[e]);
    }
    if (at && !sorted) {
        qsort(at, (size_t)m->entries, sizeof *at, by_number);
        for (int64_t e = 1; e < m->entries; e++)
            found += at[e - 1] == at[e];
    }
    free(at);
    return found;
}

int cli_sparse_read(const char *path, const cli_run *run, orr_mtx *m)
{
    orr_io_error error = {0};
    cli_progress progress;
    cli_progress_start(&progress, path, run->verbose, run->quiet);
    const orr_status status =
        ends_in(path, ".npz")
            ? orr_npz_read(path, most_bytes(run), m, &error)
            : orr_mtx_read(path, most_bytes(run), cli_progress_update, &progress, m, &error);
    cli_progress_end(&progress);
    const int64_t twice = status == ORR_OK && !run->quiet ? duplicates(m) : 0;
    if (twice)
        cli_say("%s: %lld duplicate %s summed", path, (long long)twice,
                twice == 1 ? "entry was" : "entries were");
    return told(path, status, &error);
}

static int read_sparse(const char *path, const cli_run *run, dense_check *check, int64_t limit,
                       orr_npy *out)
{
    orr_mtx m;
    int code = cli_sparse_read(path, run, &m);
    if (code != CLI_OK)
        return code;
    if (check)
        code = check(path, &m, limit);
    if (code == CLI_OK)
        code = to_dense(path, run, &m, out);
    orr_mtx_free(&m);
    return code;
}

static orr_status read_member(const char *path, const char *member, int64_t most, orr_npy *out,
                              orr_io_error *error)
{
    const size_t n = strlen(path) - (*member ? strlen(member) + 1 : 0);
    char *archive = strndup(path, n);
    const orr_status status =
        archive ? orr_npz_array(archive, *member ? member : NULL, most, out, error) : ORR_E_NOMEM;
    free(archive);
    return status;
}

/* Each FILE "-" is the next array; nothing may follow the last. The first byte tells .npy from text,
 * which is one array to its end. */
static int read_stdin(const cli_run *run, int64_t most, orr_npy *out)
{
    static int taken;
    const int last = ++taken >= run->stdins;
    orr_io_error error = {0};
    orr_status status;
    const int first = getc(stdin);
    int end = first == EOF;
    if (!end)
        ungetc(first, stdin);
    if (!end && first != 0x93 && !last) {
        cli_say("standard input: text is one array, to its end; give several as .npy");
        return CLI_FILE;
    }
    if (first == 0x93)
        status = orr_npy_read_stream(stdin, "standard input", most, out, &end, &error);
    else
        status = orr_table_read_stream(stdin, "standard input", most, out, &error);
    if (end) {
        cli_say("standard input: empty");
        return CLI_FILE;
    }
    if (status == ORR_OK && first == 0x93 && last && getc(stdin) != EOF) {
        cli_say("standard input: more data follow the array; each FILE '-' reads one");
        orr_npy_free(out);
        return CLI_FILE;
    }
    return told("standard input", status, &error);
}

int dense_read(const char *path, const cli_run *run, dense_check *check, int64_t limit,
               orr_npy *out)
{
    const int64_t most = most_bytes(run);
    orr_io_error error = {0};
    *out = (orr_npy){0};
    if (!strcmp(path, "-"))
        return read_stdin(run, most, out);
    if (cli_is_sparse(path))
        return read_sparse(path, run, check, limit, out);
    const char *member = orr_npz_member(path);
    const orr_status status = member          ? read_member(path, member, most, out, &error)
                              : is_text(path) ? orr_table_read(path, most, out, &error)
                                              : orr_npy_read(path, most, out, &error);
    const int code = told(path, status, &error);
    if (code != CLI_OK && member && !*member && orr_npz_arrays(path) > 1)
        cli_say("%s:NAME reads the array NAME", path);
    return code;
}
