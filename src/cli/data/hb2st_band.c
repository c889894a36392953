/* See hb2st_band.h. SPDX-License-Identifier: BSD-3-Clause */
#include "src/cli/data/hb2st_band.h"

#include <math.h>
#include <stdlib.h>

#include "src/cli/core/numbers.h"
#include "src/cli/data/band.h"
#include "src/cli/data/dense.h"

void hb2st_band_free(hb2st_band *b)
{
    free(b->ab);
    free(b->order);
    *b = (hb2st_band){0};
}

double hb2st_band_bytes(const hb2st_band *b, int vectors)
{
    const double n = (double)b->n, size = (double)orr_type_size(b->type);
    return size * (n * (4.0 * (double)b->b + 64) + (vectors ? 1.5 * n * n : 0));
}

static int allocate(hb2st_band *b, const cli_run *run, const char *what)
{
    const int64_t entries = (b->b + 1) * b->n;
    return band_zeros(run, (double)entries * (double)orr_type_size(b->type), entries, b->type, what,
                      &b->ab);
}

/* ---- .npy: (b+1, n), entry (i,j) in [i-j, j], or with uplo 'U' in [b+i-j, j] -------------- */

static int read_dense(hb2st_band *b, const cli_run *run, const char *path, char uplo)
{
    static const char too_wide[] =
        "the bandwidth is not below n: a row of the file is a diagonal, its shape (b + 1, n)";
    orr_npy file;
    int code = dense_read(path, run, NULL, 0, &file);
    if (code != CLI_OK)
        return code;
    const int64_t rows = file.ndim == 2 ? file.shape[0] : 0, n = file.ndim == 2 ? file.shape[1] : 0;
    const char *wrong = file.ndim != 2  ? "not an array of two dimensions, (b + 1, n)"
                        : rows == 0     ? "no row for the main diagonal"
                        : n > INT32_MAX ? "too large"
                        : file.type >= ORR_NTYPES
                            ? "half precision (float16); convert it: a.astype('float32')"
                        : n > 0    ? (rows > n ? too_wide : NULL)
                        : rows > 1 ? too_wide
                                   : NULL;
    if (wrong) {
        cli_say("%s: %s", path, wrong);
        code = CLI_FILE;
    }
    *b = (hb2st_band){.type = file.type, .uplo = uplo, .n = n, .b = rows - 1};
    if (code == CLI_OK)
        code = allocate(b, run, path);
    if (code == CLI_OK) {
        band_tell_whole(&file, uplo, 1, path, "orrery heev");
        band_by_columns(&file, b->ab);
    }
    orr_npy_free(&file);
    return code;
}

/* ---- .mtx: a symmetric or Hermitian sparse matrix, reordered ------------------------------ */

/* An entry of a lower band, by value; sums duplicates. */
static void add(hb2st_band *b, int64_t i, int64_t j, double complex z)
{
    band_add(b->type, b->ab, j * (b->b + 1) + i - j, z);
}

/* Both triangles are in a general file: do they agree? upper: the other band, conjugated. */
static int check_hermitian(const hb2st_band *b, const hb2st_band *upper, const char *path)
{
    double largest = 0, most = 0;
    int64_t row = 0, col = 0;
    for (int64_t j = 0; j < b->n; j++)
        for (int64_t r = 0; r <= b->b && j + r < b->n; r++) {
            const double complex x = number_get(b->type, b->ab, j * (b->b + 1) + r);
            const double complex y = number_get(b->type, upper->ab, j * (b->b + 1) + r);
            /* halves: a difference of two large numbers may overflow */
            const double differ = cabs(x / 2 - y / 2);
            largest = fmax(largest, fmax(cabs(x / 2), cabs(y / 2)));
            if (differ > most) {
                most = differ;
                row = b->order ? b->order[j + r] : j + r;
                col = b->order ? b->order[j] : j;
            }
        }
    if (most <= hermitian_rounding(b->type, b->n, largest))
        return CLI_OK;
    cli_say("%s: not Hermitian: entries (%lld, %lld) and (%lld, %lld), counted from 1, differ by "
            "%.3g, %.2g of the largest entry; --uplo L|U chooses a triangle, --symmetrize averages",
            path, (long long)row + 1, (long long)col + 1, (long long)col + 1, (long long)row + 1,
            2 * most, most / largest);
    return CLI_FILE;
}

static void average(hb2st_band *b, const hb2st_band *upper)
{
    for (int64_t at = 0; at < b->n * (b->b + 1); at++) {
        const double complex x =
            number_get(b->type, b->ab, at) / 2 + number_get(b->type, upper->ab, at) / 2;
        number_put(b->type, b->ab, at, x);
    }
}

/* Of the two triangles of a general file the one that is chosen. */
static int choose(hb2st_band *b, hb2st_band *upper, const hermitian_choice *choice,
                  const char *path)
{
    if (choice->symmetrize) {
        average(b, upper);
    } else if (choice->uplo < 0) {
        return check_hermitian(b, upper, path);
    } else if (hermitian_uplo(choice) == 'U') {
        void *lower = b->ab;
        b->ab = upper->ab;
        upper->ab = lower;
    }
    return CLI_OK;
}

static int fill(hb2st_band *b, const cli_run *run, const orr_mtx *m, const int64_t *place,
                const char *path, const hermitian_choice *choice)
{
    const int general = m->symmetry == ORR_MTX_GENERAL;
    hb2st_band upper = *b;
    int code = allocate(b, run, path);
    if (code == CLI_OK && general)
        code = allocate(&upper, run, path);
    for (int64_t k = 0; code == CLI_OK && k < m->entries; k++) {
        const int64_t i = place ? place[m->row[k]] : m->row[k];
        const int64_t j = place ? place[m->col[k]] : m->col[k];
        const double complex z = band_mtx_value(m, k);
        const double complex other = m->symmetry == ORR_MTX_SYMMETRIC ? z : conj(z);
        if (i >= j)
            add(b, i, j, z);
        if (i <= j && (general || i < j))
            add(general ? &upper : b, j, i, other);
    }
    if (code == CLI_OK && general)
        code = choose(b, &upper, choice, path);
    if (general)
        free(upper.ab);
    return code;
}

static int read_mtx(hb2st_band *b, const cli_run *run, const char *path,
                    const hermitian_choice *choice, int64_t most)
{
    orr_mtx m;
    int code = cli_sparse_read(path, run, &m);
    if (code != CLI_OK)
        return code;
    const char *wrong = m.rows != m.cols             ? "not square"
                        : m.symmetry == ORR_MTX_SKEW ? "the matrix is skew-symmetric, not Hermitian"
                        : m.symmetry == ORR_MTX_SYMMETRIC && m.field == ORR_MTX_COMPLEX
                            ? "the matrix is complex symmetric, not Hermitian"
                        : m.rows > INT32_MAX ? "too large"
                                             : NULL;
    band_order found = {0};
    *b = (hb2st_band){.type = m.field == ORR_MTX_COMPLEX ? ORR_Z : ORR_D, .uplo = 'L', .n = m.rows};
    if (wrong) {
        cli_say("%s: %s", path, wrong);
        code = CLI_FILE;
    } else {
        code = band_find_order(run, &m, path, &found);
        b->order = found.order;
        b->b = found.lower > found.upper ? found.lower : found.upper;
    }
    if (code == CLI_OK && most >= 0 && b->b > most) {
        cli_say("%s: the bandwidth is %lld after reordering, more than --band %lld", path,
                (long long)b->b, (long long)most);
        code = CLI_FILE;
    }
    if (code == CLI_OK && run->verbose)
        cli_say("%s: n %lld, bandwidth %lld%s", path, (long long)b->n, (long long)b->b,
                b->order ? " after reverse Cuthill-McKee" : ", the file's own order");
    if (code == CLI_OK)
        code = fill(b, run, &m, found.place, path, choice);
    free(found.place);
    orr_mtx_free(&m);
    return code;
}

int hb2st_band_read(hb2st_band *b, const cli_run *run, const char *path,
                    const hermitian_choice *choice, int64_t most)
{
    *b = (hb2st_band){0};
    if (cli_is_sparse(path))
        return read_mtx(b, run, path, choice, most);
    if (choice->symmetrize) {
        cli_say("%s: one triangle is there, so there is nothing to --symmetrize", path);
        return CLI_USAGE;
    }
    int code = read_dense(b, run, path, hermitian_uplo(choice));
    if (code == CLI_OK && most >= 0 && b->b > most) {
        cli_say("%s: the bandwidth is %lld, more than --band %lld", path, (long long)b->b,
                (long long)most);
        code = CLI_FILE;
    }
    return code;
}

int hb2st_band_look(const orr_shape *s, const char *path, int64_t most, int64_t *n, int64_t *b)
{
    if (s->entries >= 0 && most < 0) {
        cli_say("%s: the bandwidth is in the entries; --band says what to plan for", path);
        return CLI_USAGE;
    }
    if (s->ndim != 2) {
        cli_say("%s: not an array of two dimensions, (b + 1, n)", path);
        return CLI_FILE;
    }
    *n = s->shape[1];
    *b = s->entries >= 0 ? most : s->shape[0] - 1;
    return CLI_OK;
}

int hb2st_band_random(hb2st_band *b, orr_type type, int64_t n, int64_t width, uint64_t seed)
{
    const int64_t parts = 1 + number_is_complex(type);
    *b = (hb2st_band){.type = type, .uplo = 'L', .n = n, .b = width};
    b->ab = malloc((size_t)((width + 1) * n) * orr_type_size(type) + 1);
    if (!b->ab)
        return CLI_MEMORY;
    band_random(type, (width + 1) * n * parts, seed, b->ab);
    return CLI_OK;
}
