/* See gb2bd_band.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/data/gb2bd_band.h"

#include <stdlib.h>

#include "src/cli/core/numbers.h"
#include "src/cli/data/band.h"
#include "src/cli/data/dense.h"

enum { MAX_BAND = 512 };

int64_t gb2bd_entries(const gb2bd_band *a) { return (a->kl + a->ku + 1) * a->n; }
int64_t gb2bd_order(const gb2bd_band *a) { return a->m < a->n ? a->m : a->n; }

void gb2bd_band_free(gb2bd_band *a)
{
    free(a->ab);
    free(a->order);
    *a = (gb2bd_band){0};
}

/* Both bands, ours by rows three times as wide; two sets of reflectors, and U and V. */
double gb2bd_band_bytes(const gb2bd_band *a, int vectors)
{
    const double m = (double)a->m, n = (double)a->n, k = (double)gb2bd_order(a);
    const double entry = (double)orr_type_size(gb2bd_vector_type(a->type));
    const double bands = 5 * (double)gb2bd_entries(a) * (double)orr_type_size(a->type);
    return bands + (vectors ? k * (k + m + n) * entry : 0);
}

static int allocate(gb2bd_band *a, const cli_run *run, const char *what)
{
    return band_zeros(run, gb2bd_band_bytes(a, 0), gb2bd_entries(a), a->type, what, &a->ab);
}

/* ---- .npy: (kl+ku+1, n), entry (i,j) in [ku+i-j, j] ---------------------------------- */

static int read_dense(gb2bd_band *a, const cli_run *run, const char *path, int64_t kl, int64_t m)
{
    static const char too_wide[] =
        "the bandwidth is not below n: a row of the file is a diagonal, its shape (kl + ku + 1, n)";
    orr_npy file;
    int code = dense_read(path, run, NULL, 0, &file);
    if (code != CLI_OK)
        return code;
    const int64_t rows = file.ndim == 2 ? file.shape[0] : 0, n = file.ndim == 2 ? file.shape[1] : 0;
    const char *wrong = file.ndim != 2  ? "not an array of two dimensions (diagonals, columns)"
                        : rows < kl + 1 ? "no row for the main diagonal"
                        : n > INT32_MAX ? "too large"
                        : rows - 1 > MAX_BAND         ? "more than 513 diagonals"
                        : n > 0 && rows - 1 - kl >= n ? too_wide
                                                      : NULL;
    if (wrong) {
        cli_say("%s: %s", path, wrong);
        code = CLI_FILE;
    }
    *a = (gb2bd_band){.type = file.type, .m = m < 0 ? n : m, .n = n, .kl = kl, .ku = rows - 1 - kl};
    if (code == CLI_OK)
        code = allocate(a, run, path);
    if (code == CLI_OK) {
        if (kl == 0)
            band_tell_whole(&file, 'U', 0, path, "orrery gesvd");
        band_by_columns(&file, a->ab);
    }
    orr_npy_free(&file);
    return code;
}

/* ---- .mtx: any sparse matrix; a square one reordered --------------------------------- */

/* Sums duplicates. */
static void add(gb2bd_band *a, int64_t i, int64_t j, double complex z)
{
    band_add(a->type, a->ab, j * (a->kl + a->ku + 1) + a->ku + i - j, z);
}

static void fill(gb2bd_band *a, const orr_mtx *m, const int64_t *place)
{
    for (int64_t k = 0; k < m->entries; k++) {
        const int64_t i = place ? place[m->row[k]] : m->row[k];
        const int64_t j = place ? place[m->col[k]] : m->col[k];
        const double complex z = band_mtx_value(m, k);
        add(a, i, j, z);
        if (i == j || m->symmetry == ORR_MTX_GENERAL)
            continue;
        add(a, j, i,
            m->symmetry == ORR_MTX_HERMITIAN ? conj(z)
            : m->symmetry == ORR_MTX_SKEW    ? -z
                                             : z);
    }
}

static int read_mtx(gb2bd_band *a, const cli_run *run, const char *path)
{
    orr_mtx m;
    band_order found = {0};
    int code = cli_sparse_read(path, run, &m);
    if (code != CLI_OK)
        return code;
    if (m.rows > INT32_MAX || m.cols > INT32_MAX) {
        cli_say("%s: too large", path);
        code = CLI_FILE;
    }
    if (code == CLI_OK)
        code = band_find_order(run, &m, path, &found);
    *a = (gb2bd_band){.type = m.field == ORR_MTX_COMPLEX ? ORR_Z : ORR_D,
                      .m = m.rows,
                      .n = m.cols,
                      .kl = found.lower,
                      .ku = found.upper,
                      .order = found.order};
    if (code == CLI_OK && a->kl + a->ku > MAX_BAND) {
        cli_say("%s: %lld sub- and %lld superdiagonals%s, more than 512 together", path,
                (long long)a->kl, (long long)a->ku, a->order ? " after reordering" : "");
        code = CLI_FILE;
    }
    if (code == CLI_OK && run->verbose)
        cli_say("%s: %lld x %lld, kl %lld, ku %lld%s", path, (long long)a->m, (long long)a->n,
                (long long)a->kl, (long long)a->ku,
                a->order ? " after reverse Cuthill-McKee" : ", the file's own order");
    if (code == CLI_OK)
        code = allocate(a, run, path);
    if (code == CLI_OK)
        fill(a, &m, found.place);
    free(found.place);
    orr_mtx_free(&m);
    return code;
}

int gb2bd_band_read(gb2bd_band *a, const cli_run *run, const char *path, int64_t kl, int64_t m)
{
    *a = (gb2bd_band){0};
    if (!cli_is_sparse(path))
        return read_dense(a, run, path, kl > 0 ? kl : 0, m);
    if (kl < 0 && m < 0)
        return read_mtx(a, run, path);
    cli_say("%s: an .mtx file says itself what --kl and --m would", path);
    return CLI_USAGE;
}

int gb2bd_band_random(gb2bd_band *a, orr_type type, int64_t n, int64_t kl, int64_t ku,
                      uint64_t seed)
{
    const int64_t parts = 1 + number_is_complex(type);
    *a = (gb2bd_band){.type = type, .m = n, .n = n, .kl = kl, .ku = ku};
    a->ab = malloc((size_t)gb2bd_entries(a) * orr_type_size(type) + 1);
    if (!a->ab)
        return CLI_MEMORY;
    band_random(type, gb2bd_entries(a) * parts, seed, a->ab);
    return CLI_OK;
}
