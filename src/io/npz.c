/* Zip archives of arrays: one of them, as numpy.savez writes it, or a matrix of
 * scipy.sparse.save_npz:
 *
 *   csr, csc   shape (2), indptr, indices, data
 *   coo        shape (2), row, col, data
 *   all        format, a string of bytes
 *
 * Every index is checked; the arrays of indices, read as doubles, become integers in place.
 *
 * SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/io/zip.h"

typedef struct {
    orr_zip zip;
    int64_t max_bytes;
    orr_io_error *err;
} reader;

static orr_status fail(const reader *r, const char *what)
{
    return orr_io_fail(r->err, ORR_E_FILE, r->zip.path, -1, -1, "%s", what);
}

static orr_status find(const reader *r, const char *name, const orr_zip_member **m)
{
    *m = orr_zip_find(&r->zip, name);
    if (!*m)
        return orr_io_fail(r->err, ORR_E_FILE, r->zip.path, -1, -1,
                           "it has no %s: not written by scipy.sparse.save_npz", name);
    return ORR_OK;
}

static orr_status read_member(const reader *r, const orr_zip_member *m, orr_npy *a)
{
    orr_zip_stream *stream = malloc(sizeof *stream);
    if (!stream)
        return orr_io_fail(r->err, ORR_E_NOMEM, r->zip.path, -1, -1, "out of memory");
    orr_status s = orr_zip_stream_open(stream, &r->zip, m, r->err);
    if (s == ORR_OK) {
        s = orr_npy_from(&stream->input, r->max_bytes, a, r->err);
        s = orr_zip_stream_close(stream, s, r->err);
    }
    free(stream);
    return s;
}

/* The array of one dimension in `name`. */
static orr_status read_array(const reader *r, const char *name, orr_npy *a)
{
    const orr_zip_member *m;
    *a = (orr_npy){0};
    orr_status s = find(r, name, &m);
    if (s == ORR_OK)
        s = read_member(r, m, a);
    if (s == ORR_OK && a->ndim != 1)
        s = orr_io_fail(r->err, ORR_E_FILE, r->zip.path, -1, -1,
                        "%s has %d dimensions instead of one", name, a->ndim);
    if (s != ORR_OK)
        orr_npy_free(a);
    return s;
}

/* The string in format.npy: what follows the header, without zeros ('S3' or 'U3'). */
static orr_status read_format(const reader *r, char format[8])
{
    enum { MOST = 1024 };
    const orr_zip_member *m;
    unsigned char text[MOST];
    orr_status s = find(r, "format.npy", &m);
    if (s != ORR_OK)
        return s;
    if (m->size > MOST || m->size < 10)
        return fail(r, "format.npy is no short string");
    orr_zip_stream *stream = malloc(sizeof *stream);
    if (!stream)
        return orr_io_fail(r->err, ORR_E_NOMEM, r->zip.path, -1, -1, "out of memory");
    s = orr_zip_stream_open(stream, &r->zip, m, r->err);
    const size_t n = (size_t)m->size;
    if (s == ORR_OK) {
        const size_t got = orr_input_fill(&stream->input, text, n);
        s = orr_zip_stream_close(stream, got == n ? ORR_OK : fail(r, "format.npy ends early"),
                                 r->err);
    }
    free(stream);
    if (s != ORR_OK)
        return s;
    const size_t header = 10 + (size_t)(text[8] | text[9] << 8);
    if (memcmp(text, "\x93NUMPY\x01", 7) != 0 || header > n)
        return fail(r, "format.npy is no string");
    size_t length = 0;
    for (size_t i = header; i < n && length < 7; i++)
        if (text[i] >= ' ' && text[i] < 127)
            format[length++] = (char)text[i];
    format[length] = 0;
    return ORR_OK;
}

/* Element i of an array of integers that were read as doubles; -1 if it is none. */
static int64_t integer(const orr_npy *a, int64_t i)
{
    const double v = ((const double *)a->data)[i];
    return v >= 0 && v < 0x1p63 && v == floor(v) ? (int64_t)v : -1;
}

/* Doubles to integers in place; each must lie in 0 .. most-1. */
static orr_status to_indices(const reader *r, const char *name, const orr_npy *a, int64_t most,
                             int64_t **out)
{
    char *data = a->data;
    if (a->type != ORR_D)
        return orr_io_fail(r->err, ORR_E_FILE, r->zip.path, -1, -1, "%s holds no integers", name);
    for (int64_t i = 0; i < a->shape[0]; i++) {
        const int64_t v = integer(a, i);
        if (v < 0 || v >= most)
            return orr_io_fail(r->err, ORR_E_FILE, r->zip.path, -1, -1,
                               "%s[%lld] is %.17g, not a whole number from 0 to %lld", name,
                               (long long)i, ((const double *)a->data)[i], (long long)most - 1);
        memcpy(data + i * 8, &v, 8);
    }
    *out = a->data;
    return ORR_OK;
}

/* data[] as doubles; complex ones as pairs. */
static orr_status to_values(const reader *r, orr_npy *a, orr_mtx *m)
{
    const int w = a->type == ORR_C || a->type == ORR_Z ? 2 : 1;
    const int64_t n = a->shape[0] * w;
    if (a->type == ORR_H)
        return fail(r, "half precision values are not read; convert them with astype('f4')");
    if (a->type == ORR_S || a->type == ORR_C) {
        double *wide = malloc(((size_t)n + 1) * sizeof *wide);
        if (!wide)
            return orr_io_fail(r->err, ORR_E_NOMEM, r->zip.path, -1, -1, "out of memory");
        for (int64_t i = 0; i < n; i++)
            wide[i] = ((const float *)a->data)[i];
        m->val = wide;
    } else {
        m->val = a->data;
        a->data = NULL;
    }
    m->field = w == 2 ? ORR_MTX_COMPLEX : ORR_MTX_REAL;
    for (int64_t i = 0; i < n; i++)
        if (!isfinite(m->val[i]))
            return orr_io_fail(r->err, ORR_E_FILE, r->zip.path, -1, -1,
                               "data.npy[%lld] is %g: not finite", (long long)(i / w), m->val[i]);
    return ORR_OK;
}

/* The row of every entry from where rows begin. */
static orr_status expand(const reader *r, const orr_npy *ptr, int64_t rows, int64_t entries,
                         int64_t **out)
{
    if (ptr->type != ORR_D || ptr->shape[0] != rows + 1)
        return orr_io_fail(r->err, ORR_E_FILE, r->zip.path, -1, -1,
                           "indptr.npy has %lld element%s instead of %lld",
                           (long long)ptr->shape[0], ptr->shape[0] == 1 ? "" : "s",
                           (long long)rows + 1);
    for (int64_t i = 0; i <= rows; i++) {
        const int64_t v = integer(ptr, i), before = i ? integer(ptr, i - 1) : 0;
        if (v < before || v > entries || (i == 0 && v != 0) || (i == rows && v != entries))
            return orr_io_fail(r->err, ORR_E_FILE, r->zip.path, -1, -1,
                               "indptr.npy[%lld] is %.17g: it must ascend from 0 to the %lld "
                               "entries",
                               (long long)i, ((const double *)ptr->data)[i], (long long)entries);
    }
    int64_t *row = malloc(((size_t)entries + 1) * sizeof *row);
    if (!row)
        return orr_io_fail(r->err, ORR_E_NOMEM, r->zip.path, -1, -1, "out of memory");
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = integer(ptr, i); k < integer(ptr, i + 1); k++)
            row[k] = i;
    *out = row;
    return ORR_OK;
}

static orr_status read_shape(const reader *r, orr_mtx *m)
{
    orr_npy a;
    orr_status s = read_array(r, "shape.npy", &a);
    if (s != ORR_OK)
        return s;
    if (a.type != ORR_D || a.shape[0] != 2 || integer(&a, 0) < 0 || integer(&a, 1) < 0)
        s = fail(r, "shape.npy is not two sizes");
    else {
        m->rows = integer(&a, 0);
        m->cols = integer(&a, 1);
    }
    orr_npy_free(&a);
    return s;
}

/* indices of a csr or csc matrix, or row and col. */
static orr_status read_places(const reader *r, const char *format, orr_mtx *m)
{
    const int by_rows = strcmp(format, "csr") == 0, coo = strcmp(format, "coo") == 0;
    int64_t *given = NULL, *other = NULL;
    orr_npy a = {0}, b = {0};
    orr_status s = read_array(r, coo ? "row.npy" : "indices.npy", &a);
    if (s == ORR_OK)
        s = read_array(r, coo ? "col.npy" : "indptr.npy", &b);
    if (s == ORR_OK) {
        m->entries = a.shape[0];
        s = to_indices(r, coo ? "row.npy" : "indices.npy", &a, by_rows ? m->cols : m->rows, &given);
    }
    if (s == ORR_OK && coo && b.shape[0] != a.shape[0])
        s = fail(r, "row.npy and col.npy are not of one length");
    if (s == ORR_OK && coo)
        s = to_indices(r, "col.npy", &b, m->cols, &other);
    else if (s == ORR_OK)
        s = expand(r, &b, by_rows ? m->rows : m->cols, m->entries, &other);
    if (s == ORR_OK) {
        m->row = by_rows ? other : given;
        m->col = by_rows ? given : other;
        a.data = NULL;
        b.data = coo ? NULL : b.data;
    }
    orr_npy_free(&a);
    orr_npy_free(&b);
    return s;
}

static orr_status read_matrix(const reader *r, orr_mtx *m)
{
    char format[8];
    orr_npy a = {0};
    orr_status s = read_format(r, format);
    if (s == ORR_OK && strcmp(format, "csr") && strcmp(format, "csc") && strcmp(format, "coo"))
        s = orr_io_fail(r->err, ORR_E_FILE, r->zip.path, -1, -1,
                        "format '%s' is not read (csr, csc and coo are); convert it with tocsr()",
                        format);
    if (s == ORR_OK)
        s = read_shape(r, m);
    if (s == ORR_OK)
        s = read_places(r, format, m);
    if (s == ORR_OK)
        s = read_array(r, "data.npy", &a);
    if (s == ORR_OK && a.shape[0] != m->entries)
        s = orr_io_fail(r->err, ORR_E_FILE, r->zip.path, -1, -1,
                        "data.npy has %lld element%s for %lld %s", (long long)a.shape[0],
                        a.shape[0] == 1 ? "" : "s", (long long)m->entries,
                        m->entries == 1 ? "index" : "indices");
    if (s == ORR_OK)
        s = to_values(r, &a, m);
    orr_npy_free(&a);
    return s;
}

orr_status orr_npz_read(const char *path, int64_t max_bytes, orr_mtx *m, orr_io_error *err)
{
    reader r = {.max_bytes = max_bytes, .err = err};
    if (!orr_io_begin(path, m, sizeof *m, err))
        return ORR_E_ARG;
    orr_status s = orr_zip_open(&r.zip, path, err);
    if (s != ORR_OK)
        return s;
    s = read_matrix(&r, m);
    orr_zip_close(&r.zip);
    if (s != ORR_OK)
        orr_mtx_free(m);
    return s;
}

/* ---- One array ------------------------------------------------------------------------- */

/* The names of the arrays, as far as they fit. */
static void list_arrays(const orr_zip *z, char *out, size_t room)
{
    size_t at = 0;
    out[0] = '\0';
    for (int k = 0; k < z->members && at + 8 < room; k++) {
        char name[48];
        const size_t n = strlen(z->member[k].name);
        if (!orr_zip_is_array(&z->member[k]))
            continue;
        orr_io_quote(name, sizeof name, z->member[k].name, n - 4);
        at += (size_t)snprintf(out + at, room - at, "%s%s", at ? ", " : "", name);
    }
}

static orr_status choose(const reader *r, const char *name, const orr_zip_member **chosen)
{
    char shown[48], names[96];
    int arrays = 0;
    *chosen = name ? orr_zip_array(&r->zip, name) : NULL;
    for (int k = 0; k < r->zip.members; k++)
        if (orr_zip_is_array(&r->zip.member[k]) && ++arrays && !name)
            *chosen = &r->zip.member[k];
    if (name ? *chosen != NULL : arrays == 1)
        return ORR_OK;
    list_arrays(&r->zip, names, sizeof names);
    if (!arrays)
        return fail(r, "holds no array");
    if (!name)
        return orr_io_fail(r->err, ORR_E_FILE, r->zip.path, -1, -1,
                           "holds %d arrays; name one of them: %s", arrays, names);
    return orr_io_fail(r->err, ORR_E_FILE, r->zip.path, -1, -1, "holds no array '%s', but %s",
                       orr_io_quote(shown, sizeof shown, name, strlen(name)), names);
}

orr_status orr_npz_array(const char *path, const char *member, int64_t max_bytes, orr_npy *a,
                         orr_io_error *err)
{
    reader r = {.max_bytes = max_bytes, .err = err};
    const orr_zip_member *m = NULL;
    if (!orr_io_begin(path, a, sizeof *a, err))
        return ORR_E_ARG;
    orr_status s = orr_zip_open(&r.zip, path, err);
    if (s != ORR_OK)
        return s;
    s = choose(&r, member, &m);
    if (s == ORR_OK)
        s = read_member(&r, m, a);
    orr_zip_close(&r.zip);
    if (s != ORR_OK)
        orr_npy_free(a);
    return s;
}

int orr_npz_arrays(const char *path)
{
    orr_zip z;
    int arrays = 0;
    if (!path || orr_zip_open(&z, path, NULL) != ORR_OK)
        return -1;
    for (int k = 0; k < z.members; k++)
        arrays += orr_zip_is_array(&z.member[k]);
    orr_zip_close(&z);
    return arrays;
}

int orr_npz_is_sparse(const char *path)
{
    orr_zip z;
    if (!path || orr_zip_open(&z, path, NULL) != ORR_OK)
        return 0;
    const int sparse = orr_zip_find(&z, "format.npy") && orr_zip_find(&z, "shape.npy") &&
                       orr_zip_find(&z, "data.npy");
    orr_zip_close(&z);
    return sparse;
}
